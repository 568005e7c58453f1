//! Chance that is the same on every machine: SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
//! Generators, OOPSLA 2014). A few lines of our own, because the same seed must give the same bytes in every release, which
//! no crate of generators promises.

/// A generator; a copy repeats what the original says.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// The generator of stream `stream` (a tree, a fold, a trial) of this seed. Streams of one seed are unrelated.
    #[must_use]
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut mixed = Self(seed);
        let base = mixed.bits();
        let mut own = Self(base ^ stream.wrapping_mul(0xD1B5_4A32_D192_ED03));
        own.bits();
        own
    }

    /// 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A whole number below `n` (0 where `n` is 0). The bias of the multiplication is below n / 2^64.
    pub fn below(&mut self, n: usize) -> usize {
        usize::try_from((u128::from(self.bits()) * n as u128) >> 64).unwrap_or(0)
    }

    /// Uniform in 0..1.
    pub fn unit_interval(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Puts `items` into a random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}
