//! Two listings of one kernel: which blocks expand differently, and what that does to the FLOPs on the target.
//!
//! After paper 2, section 4.2: the PTX of a kernel is the same for every GPU, so only blocks that implement special functions
//! (division, root, exponential …) are compared; all others are taken to run the same instructions on both. Each block of the
//! target's code runs as often as its counterpart on the source. Where a profiler counted how many threads ran each block
//! of the source, blocks are weighted by it. A listing alone does not say how often that is: every block counts once, and
//! the least and the largest factor that any other weights could give stand beside the result.

use super::{Block, BlockWeights, SassFunction, Special};
use crate::kernel::{Operations, Rewritten, Translation, VectorPrecision};
use std::collections::BTreeMap;

/// Blocks of both listings that implement the same special functions: as a rule one on each side.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockPair<'a> {
    /// What they implement.
    pub special: Vec<Special>,
    /// In the source's code.
    pub source: Vec<&'a Block>,
    /// In the target's code.
    pub target: Vec<&'a Block>,
}

impl BlockPair<'_> {
    /// The arithmetic on the source (0) and the target (1).
    #[must_use]
    pub fn operations(&self, precision: VectorPrecision) -> [Operations; 2] {
        [&self.source, &self.target].map(|blocks| {
            blocks.iter().fold(Operations::default(), |sum, b| sum.plus(1.0, &b.operations(precision)))
        })
    }
}

/// One kernel in both listings.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared<'a> {
    /// In the source's listing.
    pub source: &'a SassFunction,
    /// In the target's listing.
    pub target: &'a SassFunction,
    /// Blocks with special functions, outside of subroutines.
    pub pairs: Vec<BlockPair<'a>>,
    /// Threads that ran each block of the source, by its address; `None` where nobody counted.
    pub executed: Option<BlockWeights>,
}

/// Pairs the blocks of two functions: the k-th with the same special functions to the k-th, and where their numbers differ,
/// all of them to all.
#[must_use]
pub fn compare<'a>(source: &'a SassFunction, target: &'a SassFunction) -> Compared<'a> {
    let [of_source, of_target] = [source, target].map(by_special);
    let mut pairs = Vec::new();
    let all: std::collections::BTreeSet<&Vec<Special>> = of_source.keys().chain(of_target.keys()).collect();
    for special in all {
        let [s, t] = [&of_source, &of_target].map(|of| of.get(special).cloned().unwrap_or_default());
        if s.len() == t.len() {
            let one = |(a, b): (&&'a Block, &&'a Block)| BlockPair {
                special: special.clone(),
                source: vec![*a],
                target: vec![*b],
            };
            pairs.extend(s.iter().zip(&t).map(one));
        } else {
            pairs.push(BlockPair { special: special.clone(), source: s, target: t });
        }
    }
    Compared { source, target, pairs, executed: None }
}

/// The blocks that hold special functions, by which. A call alone is none: where the call stands is the compiler's choice.
fn by_special(function: &SassFunction) -> BTreeMap<Vec<Special>, Vec<&Block>> {
    let mut out: BTreeMap<Vec<Special>, Vec<&Block>> = BTreeMap::new();
    for block in function.blocks.iter().filter(|b| !b.subroutine) {
        let special: Vec<Special> = block.special.iter().copied().filter(|s| *s != Special::Call).collect();
        if !special.is_empty() {
            out.entry(special).or_default().push(block);
        }
    }
    out
}

impl Compared<'_> {
    /// What becomes of the arithmetic of one width.
    #[must_use]
    pub fn rewritten(&self, precision: VectorPrecision) -> Rewritten {
        match &self.executed {
            Some(weights) => self.rewritten_as_executed(weights, precision),
            None => self.rewritten_once(precision),
        }
    }

    /// Each block as often as threads ran it on the source. Where blocks are paired all to all, those of the target run as
    /// often as the source's do on average, at least as its least and at most as its most frequent one; blocks without
    /// counterpart run never, or at most as often as the most frequent block of the kernel.
    fn rewritten_as_executed(&self, weights: &BlockWeights, precision: VectorPrecision) -> Rewritten {
        let weight = |block: &Block| weights.get(&block.address).copied().unwrap_or(0.0);
        let own = self.source.blocks.iter().filter(|b| !b.subroutine);
        let source = own.fold(Operations::default(), |sum, b| sum.plus(weight(b), &b.operations(precision)));
        let most_of_all = weights.values().copied().fold(0.0, f64::max);
        let mut targets = [source; 3];
        for pair in &self.pairs {
            let of_pair: Vec<f64> = pair.source.iter().map(|b| weight(b)).collect();
            let mean = of_pair.iter().sum::<f64>() / of_pair.len().max(1) as f64;
            let least = of_pair.iter().copied().reduce(f64::min).unwrap_or(0.0);
            let most = of_pair.iter().copied().reduce(f64::max).unwrap_or(most_of_all);
            let now = pair.operations(precision)[1];
            for (target, runs) in targets.iter_mut().zip([mean, least, most]) {
                *target = target.plus(runs, &now);
                for block in &pair.source {
                    *target = target.plus(-weight(block), &block.operations(precision));
                }
            }
        }
        let [target, least, most] = targets;
        let factor = |of: Operations| if source.flops() > 0.0 { of.flops() / source.flops() } else { 1.0 };
        Rewritten { source, target, least: factor(least), most: factor(most) }
    }

    /// Every block once.
    fn rewritten_once(&self, precision: VectorPrecision) -> Rewritten {
        let source = self.source.operations(precision);
        let mut target = source;
        // Blocks without special functions keep their FLOPs.
        let paired = self.pairs.iter().fold(0.0, |sum, p| sum + p.operations(precision)[0].flops());
        let rest = source.flops() - paired;
        let mut factors: Vec<f64> = if rest > 0.0 { vec![1.0] } else { Vec::new() };
        for pair in &self.pairs {
            let [s, t] = pair.operations(precision);
            target = target.plus(1.0, &t).plus(-1.0, &s);
            match (s.flops() > 0.0, t.flops() > 0.0) {
                (false, false) => {}
                (false, true) => factors.push(f64::INFINITY),
                (true, _) => factors.push(t.flops() / s.flops()),
            }
        }
        let least = factors.iter().copied().fold(f64::INFINITY, f64::min);
        let most = factors.iter().copied().fold(0.0, f64::max);
        let (least, most) = if factors.is_empty() { (1.0, 1.0) } else { (least, most) };
        Rewritten { source, target, least, most }
    }
}

/// What `projection` needs of two listings of one kernel.
#[must_use]
pub fn translation(compared: &Compared<'_>) -> Translation {
    let [source, target] = [compared.source, compared.target].map(|f| f.architecture);
    Translation {
        from: source.to_string(),
        to: target.to_string(),
        source: source.capability,
        target: target.capability,
        single: compared.rewritten(VectorPrecision::Single),
        double: compared.rewritten(VectorPrecision::Double),
    }
}

#[cfg(test)]
mod tests {
    use crate::compiler::sass::{compare, read_listing};
    use crate::kernel::{Operations, VectorPrecision};

    fn listing(arch: &str, division: &str) -> String {
        format!(
            "code for {arch}\nFunction : k\n/*0000*/ FFMA R1, R1, R1, R1 ;\n/*0010*/ FADD R1, R1, R1 ;\n\
             /*0020*/ @P0 BRA 0x200 ;\n/*0030*/ MUFU.RCP R2, R1 ;\n{division}/*0200*/ EXIT ;\n"
        )
    }

    #[test]
    fn only_expansions_change_the_flops() {
        let chain = |n: u64| -> String {
            (0..n).map(|i| format!("/*{:04x}*/ FFMA R2, R2, R2, R2 ;\n", 0x40 + 16 * i)).collect()
        };
        let (a, b) = (listing("sm_70", &chain(2)), listing("sm_90", &chain(5)));
        let [a, b] = [a, b].map(|t| read_listing(t.as_bytes(), "l", None).unwrap());
        let compared = compare(&a.functions[0], &b.functions[0]);
        assert_eq!(compared.pairs.len(), 1);
        // 3 FMA + 1 ADD = 7 FLOPs become 6 FMA + 1 ADD = 13. The division alone: 4 -> 10 FLOPs; the rest stays.
        let r = compared.rewritten(VectorPrecision::Single);
        assert_eq!(r.target, Operations { fma: 6.0, add: 1.0, mul: 0.0 });
        assert!((r.rewrite_factor() - 13.0 / 7.0).abs() < 1e-12);
        assert_eq!((r.least, r.most), (1.0, 2.5));
        let double = compared.rewritten(VectorPrecision::Double);
        assert_eq!((double.rewrite_factor(), double.least, double.most), (1.0, 1.0, 1.0));
        // Threads that ran: 100 of the first block, 10 of the division. 300 + 4 x 10 FLOPs become 300 + 10 x 10.
        let executed = Some([(0x00, 100.0), (0x30, 10.0), (0x200, 100.0)].into());
        let weighed = super::Compared { executed, ..compared.clone() }.rewritten(VectorPrecision::Single);
        assert!((weighed.rewrite_factor() - 400.0 / 340.0).abs() < 1e-12, "{weighed:?}");
        assert_eq!((weighed.least, weighed.most), (weighed.rewrite_factor(), weighed.rewrite_factor()));
        // The same listing twice changes nothing.
        let same = compare(&a.functions[0], &a.functions[0]).rewritten(VectorPrecision::Single);
        assert_eq!((same.rewrite_factor(), same.least, same.most), (1.0, 1.0, 1.0));
    }
}
