//! The shuffle behind scikit-learn's `train_test_split(random_state=…)`, so that a paper's very split can be taken again.
//!
//! MT19937 (Matsumoto, Nishimura, ACM TOMACS 8(1), 1998), seeded and drawn from as NumPy's `RandomState` does.

const N: usize = 624;
const M: usize = 397;

struct Twister {
    state: [u32; N],
    at: usize,
}

impl Twister {
    fn new(seed: u32) -> Self {
        let mut state = [seed; N];
        for i in 1..N {
            let before = state[i - 1];
            state[i] = 1_812_433_253_u32.wrapping_mul(before ^ (before >> 30)).wrapping_add(i as u32);
        }
        Self { state, at: N }
    }

    fn next(&mut self) -> u32 {
        if self.at == N {
            for i in 0..N {
                let y = (self.state[i] & 0x8000_0000) | (self.state[(i + 1) % N] & 0x7fff_ffff);
                let odd = if y & 1 == 1 { 0x9908_b0df } else { 0 };
                self.state[i] = self.state[(i + M) % N] ^ (y >> 1) ^ odd;
            }
            self.at = 0;
        }
        let mut y = self.state[self.at];
        self.at += 1;
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c_5680;
        y ^= (y << 15) & 0xefc6_0000;
        y ^ (y >> 18)
    }

    /// A number from 0 to `most`: draws under a mask until one fits.
    fn up_to(&mut self, most: u32) -> u32 {
        let mask = u32::MAX.checked_shr(most.leading_zeros()).unwrap_or(0);
        loop {
            let drawn = self.next() & mask;
            if drawn <= most {
                return drawn;
            }
        }
    }
}

/// `numpy.random.RandomState(seed).permutation(n)`, for n up to 2^32.
#[must_use]
pub fn permutation(n: usize, seed: u32) -> Vec<usize> {
    let mut twister = Twister::new(seed);
    let mut order: Vec<usize> = (0..n).collect();
    for i in (1..n).rev() {
        let most = u32::try_from(i).unwrap_or(u32::MAX);
        order.swap(i, twister.up_to(most) as usize);
    }
    order
}

/// `train_test_split(rows, test_size=share, random_state=seed)`: places to train on, places to test on.
#[must_use]
pub fn train_test_split(n: usize, share: f64, seed: u32) -> (Vec<usize>, Vec<usize>) {
    let tested = (n as f64 * share).ceil() as usize;
    let mut order = permutation(n, seed);
    let train = order.split_off(tested.min(n));
    (train, order)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_permutations_are_numpys() {
        // numpy 2.x: numpy.random.RandomState(42).permutation(10), RandomState(7).permutation(12).
        assert_eq!(permutation(10, 42), [8, 1, 5, 0, 7, 2, 9, 4, 3, 6]);
        assert_eq!(permutation(12, 7), [7, 10, 2, 5, 0, 1, 11, 8, 3, 6, 9, 4]);
        assert_eq!((permutation(1, 42), permutation(0, 42)), (vec![0], vec![]));
    }

    #[test]
    fn the_split_is_scikit_learns() {
        let (train, test) = train_test_split(2595, 0.2, 42);
        assert_eq!((train.len(), test.len()), (2076, 519));
        assert_eq!(
            (&test[..5], &train[..5]),
            (&[211, 2122, 1739, 2420, 1670][..], &[845, 2030, 790, 1947, 25][..])
        );
    }
}
