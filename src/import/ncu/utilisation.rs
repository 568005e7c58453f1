//! Counts that follow from how much of a unit a launch used: what `ncu` prints without `--set full` are percentages of a peak.
//!
//! | count | formula | rests on |
//! |---|---|---|
//! | DRAM bytes | use x 2 x bus width / 8 x DRAM clock x time | `dram__cycles_active` of a report that counts bytes as well is the sum of its reads and writes, to six digits; two transfers a cycle, as `dram__bytes.sum.peak_sustained` has it |
//! | LSU instructions | use x 0.5 x SMs x SM clock x time | 16 lanes: compute capability 7.5, 8.6, 8.9. In three full reports it is the loads and stores and one or two instructions a warp, to 0.01 |
//!
//! The pipe also takes special registers, shuffles and barriers (Nsight Compute's documentation, "Pipelines"), so that it counts 1.1 to 1.5
//! times the loads and stores of those reports: they take its time too.

use super::metrics::{self, BUS_BITS, DRAM_BUSY, SM_COUNT, Values};

/// How much of the load/store unit's pipe was used, in percent of what it can take in the elapsed cycles.
const LSU_BUSY: &str = "sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_elapsed";

/// Compute capabilities whose SM has 16 load/store lanes, half a warp's instruction each cycle.
const SIXTEEN_LANES: [(f64, f64); 3] = [(7.0, 5.0), (8.0, 6.0), (8.0, 9.0)];

/// Bytes between L2 and DRAM, by how long DRAM was busy.
pub(super) fn dram_bytes(v: &Values) -> Option<f64> {
    let cycles = v.get(metrics::DRAM_CLOCK)? * v.seconds()?;
    let peak = 2.0 * v.get(BUS_BITS)? / 8.0;
    Some((share(v, DRAM_BUSY)? * peak * cycles).round())
}

/// Instructions of the load/store unit by warp, by how much of its pipe was used.
pub(super) fn lsu_insts(v: &Values) -> Option<f64> {
    let [major, minor] = metrics::CC.map(|name| v.get(name));
    let has_sixteen = SIXTEEN_LANES.contains(&(major?, minor?));
    let cycles = v.first(&metrics::SM_CLOCKS)? * v.seconds()?;
    has_sixteen.then_some((share(v, LSU_BUSY)? * 0.5 * v.get(SM_COUNT)? * cycles).round())
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
    fn a_full_pipe_of_sixteen_lanes_takes_an_instruction_every_other_cycle() {
        let all = |minor| {
            values(&[
                (LSU_BUSY, 100.0),
                (SM_COUNT, 46.0),
                (metrics::SM_CLOCKS[0], 1e9),
                (metrics::TIME, 1e6),
                (metrics::CC[0], 8.0),
                (metrics::CC[1], minor),
            ])
        };
        assert_eq!(lsu_insts(&all(6.0)), Some(46.0 * 0.5 * 1e6));
        assert_eq!(lsu_insts(&all(0.0)), None, "nobody has seen what is the whole of an A100's pipe");
    }
}
