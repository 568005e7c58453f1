//! Chance that repeats, the same on every run: splitmix64 (Steele et al. 2014).

#![allow(dead_code)] // not everybody throws every die

/// A die.
pub struct Dice(pub u64);

impl Dice {
    /// The same for the same name.
    pub fn named(name: &str) -> Self {
        // FNV-1a.
        Self(
            name.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3)),
        )
    }

    /// The next 64 bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 to n - 1; 0 for n = 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    /// A byte.
    pub fn byte(&mut self) -> u8 {
        self.next() as u8
    }
}
