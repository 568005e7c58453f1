//! How far a time can move between two settings of one board.

use super::{Gpu, GpuNumber};

/// How far beside its set clocks a board may run, as a factor: of 6,723 pairs of times of 30 kernels on three boards (GTX 980, GTX 1080 Ti,
/// P100) at 86 pairs of clocks that were set, 99.6 % lie within the ratios of their clocks and this, 94 % within half as much.
const BESIDE_SET_CLOCKS: f64 = 1.1;

/// What a time goes down with as it goes up.
const RATES: [GpuNumber; 6] = [
    GpuNumber::SmClock,
    GpuNumber::Bandwidth,
    GpuNumber::L2Bandwidth,
    GpuNumber::Fp32Lanes,
    GpuNumber::Fp64Lanes,
    GpuNumber::LsuLanes,
];

/// What decides how many warps run, what caches hold, and which clock is left: a time may move by more than the ratio of these.
const NO_RATES: [GpuNumber; 6] = [
    GpuNumber::Sms,
    GpuNumber::L2Size,
    GpuNumber::SharedPerSm,
    GpuNumber::RegistersPerSm,
    GpuNumber::MaxWarps,
    GpuNumber::PowerLimit,
];

impl Gpu {
    /// The least and the most that a time on this GPU is to be multiplied by to be one on `other`, where that is the same board and
    /// nothing but rates differ: no kernel gains more than its fastest grown resource did, none loses more than the most slowed one.
    /// `None` for another board, and where more than rates differ.
    #[must_use]
    pub fn time_range_on(&self, other: &Self) -> Option<[f64; 2]> {
        let ratio = |number: GpuNumber| Some(self.number(number)? / other.number(number)?);
        let is_same = |number: &GpuNumber| ratio(*number).is_none_or(|ratio| ratio == 1.0);
        if self.board_id() != other.board_id() || !NO_RATES.iter().all(is_same) {
            return None;
        }
        let rates = RATES.iter().filter_map(|number| ratio(*number));
        let dense = |gpu: &Self| {
            gpu.tensor.iter().filter_map(|t| Some(t.dense.as_ref()?.value.0)).collect::<Vec<_>>()
        };
        let tensor = dense(self).into_iter().zip(dense(other)).map(|(here, there)| here / there);
        let launch = 1.0 / ratio(GpuNumber::LaunchOverhead)?;
        let all = rates.chain(tensor).chain([1.0, launch]);
        let ends = |[least, most]: [f64; 2], ratio: f64| [least.min(ratio), most.max(ratio)];
        let [least, most] = all.fold([1.0, 1.0], ends);
        Some([least / BESIDE_SET_CLOCKS, most * BESIDE_SET_CLOCKS])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::{Catalogue, shipped_sources};
    use crate::gpu::{GpuChanges, LimitsTable, load_shipped};

    fn gpus() -> Catalogue<Gpu> {
        load_shipped(&shipped_sources().unwrap(), &LimitsTable::shipped().unwrap()).0
    }

    fn range(changes: &str) -> Option<[f64; 2]> {
        let gpus = gpus();
        let base = &gpus[gpus.id_named("rtx-4070").unwrap()];
        let changes: GpuChanges = changes.parse().unwrap();
        base.time_range_on(&base.changed(&changes, "changed").unwrap())
    }

    #[test]
    fn a_time_moves_no_further_than_what_was_changed() {
        for (changes, [least, most]) in [
            ("", [1.0, 1.0]),
            ("mem=+25%", [0.8, 1.0]),
            ("sm=-20%", [1.0, 1.25]),
            ("mem=+25%,sm=-20%", [0.8, 1.25]),
            ("tensor=+100%", [0.5, 1.0]),
            ("launch=x2", [1.0, 2.0]),
            ("memory=24GiB", [1.0, 1.0]),
        ] {
            let found = range(changes).unwrap();
            let expected = [least / BESIDE_SET_CLOCKS, most * BESIDE_SET_CLOCKS];
            let is_near =
                found.iter().zip(expected).all(|(found, expected)| (found / expected - 1.0).abs() < 1e-3);
            assert!(is_near, "{changes}: {found:?}, {expected:?}");
        }
    }

    #[test]
    fn what_decides_how_many_warps_run_or_what_a_cache_holds_may_do_anything() {
        for changes in ["sms=+10%", "l2=72MiB", "smem=64KiB", "regs=32Ki", "warps=24", "power=150W"] {
            assert_eq!(range(changes), None, "{changes}");
        }
        let gpus = gpus();
        let [a, b] = ["h100-sxm5", "h200"].map(|id| &gpus[gpus.id_named(id).unwrap()]);
        assert_eq!(a.time_range_on(b), None, "another board");
    }
}
