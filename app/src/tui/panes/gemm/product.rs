//! The product that the GEMM pane asks about, and how its sides are stepped.

use crate::gemm::Gemm;
use crate::kernel::Problem;

/// The longest side that is stepped to: a square product of it has 4.5e15 FLOPs.
const LONGEST: u64 = 1 << 17;

/// Which sides the keys step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stepped {
    /// All three at once.
    #[default]
    All,
    /// m, n or k, by place.
    One(usize),
}

impl Stepped {
    const RING: [Self; 4] = [Self::All, Self::One(0), Self::One(1), Self::One(2)];

    /// Whether this side (0 m, 1 n, 2 k) is stepped.
    #[must_use]
    pub fn steps(self, side: usize) -> bool {
        self == Self::All || self == Self::One(side)
    }
}

/// The product in the pane.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GemmPane {
    /// What is computed.
    pub gemm: Gemm,
    /// What the keys step.
    pub stepped: Stepped,
    /// The size of the selected kernel that it was opened at last.
    opened_at: Option<[u64; 3]>,
}

/// m, n and k of a problem that is a matrix product.
fn product_size(problem: &Problem) -> Option<[u64; 3]> {
    let [m, n, k] = ["m", "n", "k"].map(|key| problem.number_at(key));
    Some([m?, n?, k?].map(|side| (side as u64).clamp(1, LONGEST)))
}

impl GemmPane {
    /// Takes the size of the selected kernel, where it is a product of another size than before; else the last product stays.
    pub fn open_at(&mut self, problem: &Problem) {
        let size = product_size(problem).filter(|size| self.opened_at != Some(*size));
        self.opened_at = size.or(self.opened_at);
        self.gemm.size = size.unwrap_or(self.gemm.size);
    }

    /// Steps the chosen sides: `by` makes a side of another.
    pub fn step(&mut self, by: impl Fn(u64) -> u64) {
        for (side, size) in self.gemm.size.iter_mut().enumerate() {
            if self.stepped.steps(side) {
                *size = by(*size).clamp(1, LONGEST);
            }
        }
    }

    /// Steps other sides.
    pub fn choose(&mut self, right: bool) {
        let ring = Stepped::RING;
        let now = ring.iter().position(|s| *s == self.stepped).unwrap_or(0);
        self.stepped = ring[(now + if right { 1 } else { ring.len() - 1 }) % ring.len()];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_product_is_that_of_the_kernel_until_it_is_stepped() {
        let mut pane = GemmPane::default();
        let mut size = |problem: &str, by: u64| {
            pane.open_at(&problem.parse().unwrap());
            let opened = pane.gemm.size;
            pane.step(|v| v * by);
            opened
        };
        assert_eq!(size("n=1048576", 1), [4096; 3]);
        assert_eq!(size("m=512;n=256;k=64", 2), [512, 256, 64]);
        assert_eq!(size("m=512;n=256;k=64", 1), [1024, 512, 128]);
        assert_eq!(size("n=1048576", 1), [1024, 512, 128]);
        assert_eq!(size("b=3;m=8;n=8;k=8", 1), [8; 3]);
    }

    #[test]
    fn sides_are_stepped_within_bounds() {
        let mut pane = GemmPane::default();
        pane.step(|v| v / 2);
        assert_eq!(pane.gemm.size, [2048; 3]);
        pane.choose(true);
        pane.step(|v| v * 2);
        assert_eq!((pane.stepped, pane.gemm.size), (Stepped::One(0), [4096, 2048, 2048]));
        pane.choose(false);
        pane.choose(false);
        assert_eq!(pane.stepped, Stepped::One(2));
        pane.step(|_| 0);
        assert_eq!(pane.gemm.size[2], 1);
        pane.step(|_| u64::MAX);
        assert_eq!(pane.gemm.size[2], LONGEST);
    }
}
