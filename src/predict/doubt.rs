//! How uncertain one answer is beside another of the same model: what an interval's width is scaled with.

/// No answer of `ceilings` is surer than this, in ln.
const LEAST: f64 = 0.1;

/// What makes an answer less certain; each in ln, 0 where it does not apply. Weights were chosen so that errors over doubt
/// have the same 90 % point in unlike families of kernels (docs/models.md, "Intervals").
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Doubt {
    /// 0.7 |ln η - ln 1.1|: the kernel is far from its roof, for a reason nobody counted.
    pub efficiency: f64,
    /// 0.2 |ln(ceilings / ceilings-lite)|: the two models disagree.
    pub disagreement: f64,
    /// 0.05 where source and target are of different architectures.
    pub distance: f64,
    /// 0.1 where nobody knows the registers of a build: it may spill on one GPU and not on the other.
    pub build: f64,
    /// 0.2 (1 - x): the source's time is mostly launch floor, x the share that is not.
    pub floor: f64,
}

impl Doubt {
    /// From |ln η - ln 1.1| as carried over, |ln| between the models, whether the architectures differ, whether the
    /// registers are unknown, and x.
    #[must_use]
    pub(super) fn new(
        efficiency: f64,
        disagreement: f64,
        other_architecture: bool,
        unknown_build: bool,
        own: f64,
    ) -> Self {
        Self {
            efficiency: 0.7 * efficiency,
            disagreement: 0.2 * disagreement,
            distance: if other_architecture { 0.05 } else { 0.0 },
            build: if unknown_build { 0.1 } else { 0.0 },
            floor: 0.2 * (1.0 - own),
        }
    }

    /// Of an operator: how far, in ln, the source lies from its modelled time, and whether the architectures differ.
    #[must_use]
    pub(super) fn of_operator(off: f64, other_architecture: bool) -> Self {
        let distance = if other_architecture { 0.05 } else { 0.0 };
        Self { efficiency: 0.5 * off, disagreement: 0.0, distance, build: 0.0, floor: 0.0 }
    }

    /// All of it, in ln: independent causes add as squares.
    #[must_use]
    #[inline]
    pub fn total(&self) -> f64 {
        let Self { efficiency, disagreement, distance, build, floor } = *self;
        [LEAST, efficiency, disagreement, distance, build, floor].iter().map(|d| d * d).sum::<f64>().sqrt()
    }

    /// The largest cause in words; nothing where none stands out of what every answer has.
    #[must_use]
    pub fn reason(&self) -> Option<&'static str> {
        let causes = [
            (self.efficiency, "the kernel runs far from its roof, for a reason no count shows"),
            (self.disagreement, "`ceilings` and `ceilings-lite` disagree"),
            (self.distance, "source and target are of different architectures"),
            (self.build, "nobody knows the registers of its builds"),
            (self.floor, "the source's time is mostly launch floor"),
        ];
        let (largest, why) = causes.into_iter().max_by(|a, b| a.0.total_cmp(&b.0))?;
        (largest > 0.5 * LEAST).then_some(why)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubt_adds_up_and_names_its_largest_cause() {
        let sure = Doubt::new(0.0, 0.0, false, false, 1.0);
        assert!((sure.total() - LEAST).abs() < 1e-15 && sure.reason().is_none());
        let far = Doubt::new(1.0, 0.3, true, true, 1.0);
        assert!(far.total() > 0.7 && far.reason().is_some_and(|r| r.contains("far from its roof")));
        assert!(Doubt::new(0.0, 0.0, true, false, 0.2).reason().is_some_and(|r| r.contains("floor")));
    }
}
