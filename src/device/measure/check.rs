//! What is compared before a kernel is timed: its answer with the CPU's, and the driver's occupancy with ours.

use crate::device::driver::EntryFacts;
use crate::device::suite::{AnswerCheck, BufferData};
use crate::gpu::SmLimits;
use crate::occupancy::{BlockNeeds, Rules, occupancy};

/// The driver and our calculator do not agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DriverDifference {
    /// Blocks per SM by the driver.
    pub driver: u32,
    /// Blocks per SM by our calculator.
    pub ours: u32,
    /// What both were asked.
    pub needs: BlockNeeds,
}

impl std::fmt::Display for DriverDifference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { driver, ours, needs } = self;
        write!(
            f,
            "the driver says {driver} blocks per SM, our calculator {ours} ({} threads, {} registers, {} + {} bytes of shared memory)",
            needs.threads, needs.regs_per_thread, needs.smem_static, needs.smem_dynamic
        )
    }
}

/// Where our calculator and the driver differ in the blocks of an SM. The driver knows how many barriers a kernel uses and
/// does not say; they are taken to be no limit.
#[must_use]
pub fn occupancy_difference(
    limits: &SmLimits,
    facts: &EntryFacts,
    threads: u32,
    dynamic_smem: u32,
) -> Option<DriverDifference> {
    let needs = BlockNeeds {
        threads,
        regs_per_thread: facts.registers,
        smem_static: facts.static_smem,
        smem_dynamic: dynamic_smem,
        barriers: 0,
        ..BlockNeeds::default()
    };
    let ours = occupancy(limits, needs, Rules::Exact).active_blocks;
    (ours != facts.blocks_per_sm).then_some(DriverDifference { driver: facts.blocks_per_sm, ours, needs })
}

/// Compares elements of the checked buffer with the expected ones: `None` where all are right, else a line that says how
/// many are wrong and which is the first.
#[must_use]
pub(super) fn wrong(got: &BufferData, expected: &[f64], at: &[usize], check: &AnswerCheck) -> Option<String> {
    let right = |got: f64, want: f64| {
        got == want || (got - want).abs() <= check.absolute + check.relative * want.abs()
    };
    let mut first = None;
    let mut count = 0_usize;
    for (i, want) in at.iter().zip(expected) {
        let value = got.value_at(*i).unwrap_or(f64::NAN);
        if !right(value, *want) {
            count += 1;
            first.get_or_insert((*i, value, *want));
        }
    }
    if expected.len() != at.len() {
        return Some(format!("the CPU reference gave {} values for {} elements", expected.len(), at.len()));
    }
    first.map(|(i, value, want)| {
        format!(
            "{count} of {} compared elements of `{}` are wrong; the first is element {i}: {value:e}, expected {want:e} (tolerance {:e} of it + {:e})",
            at.len(),
            check.buffer,
            check.relative,
            check.absolute
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::{ComputeCapability, LimitsTable};

    #[test]
    fn a_wrong_answer_is_told_with_its_place_and_nan_is_never_right() {
        let check = AnswerCheck {
            buffer: "z".into(),
            relative: 1e-3,
            absolute: 0.0,
            sample: None,
            why: String::new(),
        };
        let got = BufferData::F32(vec![1.0, 2.0, f32::NAN, 4.1]);
        assert_eq!(wrong(&got, &[1.0, 2.001], &[0, 1], &check), None);
        let why = wrong(&got, &[1.0, 2.0, 3.0, 4.0], &[0, 1, 2, 3], &check).unwrap();
        assert!(
            why.starts_with("2 of 4 compared elements of `z` are wrong; the first is element 2: NaN"),
            "{why}"
        );
        assert!(wrong(&got, &[1.0], &[9], &check).is_some(), "an element that is not there");
        assert!(wrong(&got, &[], &[0], &check).unwrap().contains("gave 0 values"));
    }

    #[test]
    fn the_drivers_occupancy_is_compared_with_ours() {
        let limits =
            LimitsTable::shipped().unwrap().limits_at(ComputeCapability { major: 8, minor: 9 }).unwrap();
        let facts = EntryFacts { registers: 32, blocks_per_sm: 6, ..EntryFacts::default() };
        assert_eq!(occupancy_difference(&limits, &facts, 256, 0), None);
        let off = EntryFacts { blocks_per_sm: 5, ..facts };
        let text = occupancy_difference(&limits, &off, 256, 0).unwrap().to_string();
        assert_eq!(
            text,
            "the driver says 5 blocks per SM, our calculator 6 (256 threads, 32 registers, 0 + 0 bytes of shared memory)"
        );
    }
}
