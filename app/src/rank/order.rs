//! What comes first, and which rows no other one beats.

use super::row::RankedRow;
use crate::gpu::GpuId;
use crate::units::as_shown;
use std::borrow::Borrow;
use std::collections::BTreeSet;

/// What a board is ordered by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RankOrder {
    /// Shortest time first.
    #[default]
    Time,
    /// Least energy per run first: the most runs per second and watt.
    PerfPerWatt,
    /// Least money per run first: by the hour where prices were given, else by the launch price of the board.
    PerfPerDollar,
}

impl RankOrder {
    /// The word in flags and titles.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::PerfPerWatt => "perf-per-watt",
            Self::PerfPerDollar => "perf-per-dollar",
        }
    }

    /// What is compared: the least is best; `None` for a row that has none, which comes last.
    fn key(self, row: &RankedRow, by_hour: bool) -> Option<f64> {
        match self {
            Self::Time => row.time.map(|t| t.0),
            Self::PerfPerWatt => row.energy.map(|e| e.0),
            Self::PerfPerDollar if by_hour => row.usd_per_million_runs,
            Self::PerfPerDollar => Some(row.time?.0 * row.launch_usd?),
        }
    }

    /// Puts the best row first; rows without a number are at the end, the fastest first, behind them what is no choice. Hourly and launch prices are never
    /// compared: with any hourly price, rows without one come last. Rows that are equal as they are shown stand in the order of their ids.
    pub fn sort(self, rows: &mut [impl Borrow<RankedRow>]) {
        let by_hour = has_hourly_price(rows);
        rows.sort_by(|a, b| a.borrow().gpu_id.cmp(&b.borrow().gpu_id));
        rows.sort_by_cached_key(|row| self.place_key(row.borrow(), by_hour));
    }

    /// What rows are ordered by, in the digits that are shown; the bits of numbers from 0 up stand in their order. A speedup may show what
    /// its time does not.
    fn place_key(self, row: &RankedRow, by_hour: bool) -> (bool, [u64; 3]) {
        let bits = |number: Option<f64>| as_shown(number.unwrap_or(f64::INFINITY)).to_bits();
        let [number, time] = [self.key(row, by_hour), Self::Time.key(row, by_hour)].map(bits);
        let slowness = row.speedup.map_or(u64::MAX, |speedup| !as_shown(speedup).to_bits());
        (!row.is_choice(), [number, time, slowness])
    }

    /// The rank of each of these sorted rows: from 1, the same of rows that are equal as they are shown.
    #[must_use]
    pub fn ranks(self, rows: &[RankedRow]) -> Vec<usize> {
        let by_hour = has_hourly_price(rows);
        let is_equal = |a: &RankedRow, b: &RankedRow| {
            a.time.is_some() && self.place_key(a, by_hour) == self.place_key(b, by_hour)
        };
        let mut ranks: Vec<usize> = Vec::with_capacity(rows.len());
        for (at, row) in rows.iter().enumerate() {
            let before = at.checked_sub(1).filter(|before| is_equal(&rows[*before], row));
            ranks.push(before.map_or(at + 1, |before| ranks[before]));
        }
        ranks
    }

    /// Turns sorted rows round, as kernels of a run are read: what takes most stands at the top, rows without a number of this order stay last.
    pub fn reverse(self, rows: &mut [impl Borrow<RankedRow>]) {
        let by_hour = has_hourly_price(rows);
        rows.reverse();
        rows.sort_by_key(|row| (row.borrow().time.is_none(), self.key(row.borrow(), by_hour).is_none()));
    }

    /// Which rows are at the top then.
    #[must_use]
    pub fn most_first(self) -> &'static str {
        match self {
            Self::Time => "the longest first",
            Self::PerfPerWatt => "the most energy first",
            Self::PerfPerDollar => "the most expensive first",
        }
    }

    /// The order that these rows have: by time, where the number of this order is unknown for all of them.
    #[must_use]
    pub fn in_effect(self, rows: &[RankedRow]) -> Self {
        let by_hour = has_hourly_price(rows);
        if rows.iter().any(|row| self.key(row, by_hour).is_some()) { self } else { Self::Time }
    }

    /// That some rows have a time and no number of this order, and which; `None` where all have one.
    #[must_use]
    pub fn unordered_note(self, rows: &[RankedRow]) -> Option<String> {
        let by_hour = has_hourly_price(rows);
        let timed = rows.iter().filter(|row| row.time.is_some());
        let without = timed.clone().filter(|row| self.key(row, by_hour).is_none()).count();
        let what = match self {
            Self::Time => return None,
            Self::PerfPerWatt => "energy",
            Self::PerfPerDollar => "price",
        };
        match (without, timed.count()) {
            (0, _) => None,
            (without, all) if without == all => Some(format!("{what} unknown: the rows are ordered by time")),
            (without, all) => {
                Some(format!("{what} unknown for {without} of {all} rows: they are last, ordered by time"))
            }
        }
    }
}

fn has_hourly_price(rows: &[impl Borrow<RankedRow>]) -> bool {
    rows.iter().any(|row| row.borrow().price.is_some())
}

/// Marks every row that no other one beats in time and money, or in time and board power.
pub fn mark_pareto(rows: &mut [RankedRow]) {
    let marks = pareto_marks(rows);
    for (row, is_pareto) in rows.iter_mut().zip(marks) {
        row.is_pareto = is_pareto;
    }
}

/// Of each row whether no other one of these beats it in time and money, or in time and board power.
#[must_use]
pub fn pareto_marks(rows: &[impl Borrow<RankedRow>]) -> Vec<bool> {
    let rows = || rows.iter().map(Borrow::borrow);
    let time_of = |row: &RankedRow| row.time.filter(|_| row.is_choice()).map(|time| time.0);
    let money: Vec<Option<[f64; 2]>> =
        rows().map(|row| Some([time_of(row)?, row.usd_per_million_runs?])).collect();
    let power: Vec<Option<[f64; 2]>> = rows().map(|row| Some([time_of(row)?, row.board_power?.0])).collect();
    (0..money.len()).map(|i| is_undominated(&money, i) || is_undominated(&power, i)).collect()
}

/// Block sizes within this factor of the best one are as good as it.
const AS_GOOD: f64 = 1.01;
/// What is said of those that are.
const TIED: &str = "as good as the block size marked *, within 1 %";

/// Marks of these block sizes, in their order, the one to take on each GPU: the best, or the kernel's own, which bears this label, where that
/// is as good; and says of others that are.
pub(super) fn mark_blocks(rows: &mut [RankedRow], own: &str, order: RankOrder) {
    let order = order.in_effect(rows);
    let by_hour = has_hourly_price(rows);
    let keys: Vec<Option<f64>> =
        rows.iter().map(|row| order.key(row, by_hour).filter(|_| row.is_choice())).collect();
    let gpus: BTreeSet<GpuId> = rows.iter().map(|row| row.gpu).collect();
    for gpu in gpus {
        let of_gpu = || (0..rows.len()).filter(|at| rows[*at].gpu == gpu);
        let best = of_gpu().filter_map(|at| keys[at]).fold(f64::INFINITY, f64::min);
        let is_as_good = |at: &usize| keys[*at].is_some_and(|key| key <= AS_GOOD * best);
        let tied: Vec<usize> = of_gpu().filter(is_as_good).collect();
        let taken = tied.iter().find(|at| rows[**at].label == own).or(tied.first()).copied();
        for at in tied {
            match Some(at) == taken {
                true => rows[at].is_pareto = true,
                false => rows[at].cautions.push(TIED.into()),
            }
        }
    }
}

/// Whether this point exists, and no other one is at least as good in both numbers and better in one.
fn is_undominated(points: &[Option<[f64; 2]>], at: usize) -> bool {
    let Some([a, b]) = points[at] else { return false };
    let beats = |[x, y]: &[f64; 2]| *x <= a && *y <= b && (*x < a || *y < b);
    !points.iter().flatten().any(beats)
}

/// Whether the interval of the first row ends before that of the next begins; `None` where one has none.
#[must_use]
pub fn fastest_is_separate(rows: &[RankedRow]) -> Option<bool> {
    let mut fitting = rows.iter().filter(|row| row.is_choice());
    let (first, next) = (fitting.next()?, fitting.next()?);
    Some(first.high?.0 < next.low?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_that_another_one_beats_is_no_choice() {
        let points = [Some([1.0, 9.0]), Some([2.0, 5.0]), Some([3.0, 6.0]), None, Some([2.0, 5.0])];
        assert_eq!([0, 1, 2, 3, 4].map(|i| is_undominated(&points, i)), [true, true, false, false, true]);
    }
}
