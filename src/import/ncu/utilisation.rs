//! Counts that follow from how much of a unit a launch used: what `ncu` prints without `--set full` are percentages of a peak.
//!
//! | count | formula | rests on |
//! |---|---|---|
//! | DRAM bytes | use x 2 x bus width / 8 x DRAM clock x time | `dram__cycles_active` of a report that counts bytes as well is the sum of its reads and writes, to six digits; two transfers a cycle, as `dram__bytes.sum.peak_sustained` has it |
//! | LSU instructions | use x 0.5 x SMs x SM clock x time | 16 lanes: compute capability 7.5, 8.6, 8.9. In three full reports it is the loads and stores and one or two instructions a warp, to 0.01. 32 lanes, 1 in place of 0.5: compute capability 9.0; 34 launches of our suite on an H200 |
//!
//! The pipe also takes special registers, shuffles and barriers (Nsight Compute's documentation, "Pipelines"), so that it counts 1.1 to 1.5
//! times the loads and stores of those reports: they take its time too.

use super::metrics::{self, BUS_BITS, DRAM_BUSY, SM_COUNT, Values};

/// How much of the load/store unit's pipe was used, in percent of what it can take in the elapsed cycles.
const LSU_BUSY: &str = "sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_elapsed";

/// Warp instructions that the pipe of an SM takes in a cycle, by compute capability: half a one with 16 load/store lanes, one
/// with 32.
const LSU_PER_CYCLE: [((f64, f64), f64); 4] =
    [((7.0, 5.0), 0.5), ((8.0, 6.0), 0.5), ((8.0, 9.0), 0.5), ((9.0, 0.0), 1.0)];

/// Bytes between L2 and DRAM, by how long DRAM was busy.
pub(super) fn dram_bytes(v: &Values) -> Option<f64> {
    let cycles = v.get(metrics::DRAM_CLOCK)? * v.seconds()?;
    let peak = 2.0 * v.get(BUS_BITS)? / 8.0;
    Some((share(v, DRAM_BUSY)? * peak * cycles).round())
}

/// Instructions of the load/store unit by warp, by how much of its pipe was used.
pub(super) fn lsu_insts(v: &Values) -> Option<f64> {
    let [major, minor] = metrics::CC.map(|name| v.get(name));
    let capability = (major?, minor?);
    let (_, per_cycle) = LSU_PER_CYCLE.into_iter().find(|(of, _)| *of == capability)?;
    let cycles = v.first(&metrics::SM_CLOCKS)? * v.seconds()?;
    Some((share(v, LSU_BUSY)? * per_cycle * v.get(SM_COUNT)? * cycles).round())
}

/// A percentage as a share; none above its peak, which a damaged report alone has.
fn share(v: &Values, name: &str) -> Option<f64> {
    v.get(name).filter(|percent| *percent <= 100.5).map(|percent| percent / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(all: &[(&str, f64)]) -> Values {
        let mut values = Values::default();
        all.iter().for_each(|(name, value)| values.set((*name).into(), *value));
        values
    }

    #[test]
    fn a_busy_bus_of_256_bits_moves_64_bytes_a_cycle() {
        let all = [(DRAM_BUSY, 50.0), (BUS_BITS, 256.0), (metrics::DRAM_CLOCK, 7e9), (metrics::TIME, 1e6)];
        assert_eq!(dram_bytes(&values(&all)), Some(0.5 * 64.0 * 7e6));
        assert_eq!(dram_bytes(&values(&all[1..])), None);
        assert_eq!(dram_bytes(&values(&[(DRAM_BUSY, 300.0), all[1], all[2], all[3]])), None);
    }

    #[test]
    fn a_full_pipe_takes_as_many_instructions_as_it_has_lanes_for() {
        let all = |major, minor| {
            values(&[
                (LSU_BUSY, 100.0),
                (SM_COUNT, 46.0),
                (metrics::SM_CLOCKS[0], 1e9),
                (metrics::TIME, 1e6),
                (metrics::CC[0], major),
                (metrics::CC[1], minor),
            ])
        };
        assert_eq!(lsu_insts(&all(8.0, 6.0)), Some(46.0 * 0.5 * 1e6));
        assert_eq!(lsu_insts(&all(9.0, 0.0)), Some(46.0 * 1e6));
        assert_eq!(lsu_insts(&all(8.0, 0.0)), None, "nobody has seen what is the whole of an A100's pipe");
    }
}
