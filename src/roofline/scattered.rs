//! What goes to few places of L2, or to many in no order: atomics, and single sectors of a table.

use crate::kernel::{Count, Work};

/// Clocks of L2 for a warp's integer atomics on one address: 1.43 to 1.47 on an RTX 4070, an H100 and an H200; 1.15 and 1.22 of the stated clocks of a TITAN V and an RTX 2080 Ti.
pub(super) const CLOCKS_ON_ONE_ADDRESS: f64 = 1.45;

/// Clocks for each sector that atomics change in one line, whatever the other lines do. Timed, by the stated clocks: 4.8 and 5.8 (H100, H200), 5.8 to 7.5 (TITAN V, RTX 2080 Ti,
/// RTX 4070), 14 (GTX TITAN X). A bound is not above the fastest: of 3 to 5.8 paper 1's kernels on four GPUs choose 4 (12.0 %; 3 and 4.8 12.1 and 12.2).
pub(super) const CLOCKS_IN_ONE_LINE: f64 = 4.0;

/// What single sectors of 32 bytes in no order draw of the bandwidth of a stream: an H100 1.0 of 3.0 TB/s. No other GPU was looked at.
pub(super) const SCATTERED_OF_STREAM: f64 = 0.33;

/// Clocks in which L2 does the atomics of this work: requests one after another on one address, or the sectors of one line.
#[must_use]
#[inline]
pub fn atomic_clocks(work: &Work) -> f64 {
    let on_one_address = work.get(Count::GlobalAtomicRequests).unwrap_or(0.0);
    let in_one_line = work.get(Count::AtomicLineSectors).unwrap_or(0.0);
    (CLOCKS_ON_ONE_ADDRESS * on_one_address).max(CLOCKS_IN_ONE_LINE * in_one_line)
}

/// Bytes of single sectors that come from DRAM: everything through L2 beside the bytes that stream, but for what is found among the bytes that L2 keeps. Where nobody
/// counted what passes L2, each word of four bytes comes once, with its sector.
#[inline]
pub(super) fn scattered_bytes(work: &Work, kept: f64) -> f64 {
    let Some(set) = work.get(Count::ScatteredSetBytes).filter(|set| *set > 0.0) else { return 0.0 };
    let streamed = (work.get(Count::DramBytes).unwrap_or(0.0) - set).max(0.0);
    let passed = work.get(Count::L2Bytes).unwrap_or(streamed + 8.0 * set);
    (1.0 - (kept / set).min(1.0)) * (passed - streamed).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_in_l2_costs_dram_nothing_and_a_larger_one_more() {
        let gather = |set: f64| {
            Work::default()
                .with(Count::ScatteredSetBytes, Some(set))
                .with(Count::DramBytes, Some(3.0 * set))
                .with(Count::L2Bytes, Some(10.0 * set))
        };
        assert_eq!(scattered_bytes(&gather(1e6), 1e6), 0.0);
        assert_eq!(scattered_bytes(&gather(2e6), 1e6), 0.5 * 8.0 * 2e6);
        let uncounted = gather(2e6).with(Count::L2Bytes, None);
        assert_eq!(scattered_bytes(&uncounted, 1e6), scattered_bytes(&gather(2e6), 1e6));
        assert_eq!(scattered_bytes(&Work::default(), 1e6), 0.0);
    }

    #[test]
    fn the_longer_of_one_address_and_one_line_counts() {
        let work = Work::default().with(Count::GlobalAtomicRequests, Some(8.0));
        assert_eq!(atomic_clocks(&work), 8.0 * CLOCKS_ON_ONE_ADDRESS);
        assert_eq!(atomic_clocks(&work.with(Count::AtomicLineSectors, Some(4.0))), 4.0 * CLOCKS_IN_ONE_LINE);
    }
}
