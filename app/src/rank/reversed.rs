//! The worst first, as kernels of a run are read: what takes most stands at the top.

use super::order::RankOrder;
use super::row::RankedRow;
use std::borrow::Borrow;

/// Turns sorted rows round; those without a number of this order stay last.
pub fn reverse_rows(order: RankOrder, rows: &mut [impl Borrow<RankedRow>]) {
    let by_hour = rows.iter().any(|row| row.borrow().price.is_some());
    let has_number = |row: &RankedRow| match order {
        RankOrder::Time => true,
        RankOrder::PerfPerWatt => row.energy.is_some(),
        RankOrder::PerfPerDollar if by_hour => row.usd_per_million_runs.is_some(),
        RankOrder::PerfPerDollar => row.launch_usd.is_some(),
    };
    rows.reverse();
    rows.sort_by_key(|row| (row.borrow().time.is_none(), !has_number(row.borrow())));
}

/// Which rows are at the top then.
#[must_use]
pub fn most_first(order: RankOrder) -> &'static str {
    match order {
        RankOrder::Time => "the longest first",
        RankOrder::PerfPerWatt => "the most energy first",
        RankOrder::PerfPerDollar => "the most expensive first",
    }
}
