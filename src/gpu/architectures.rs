//! What an SM of each compute capability does per clock, and what its GPUs reach of their stated rates
//! (`specs/architectures.toml`): the numbers of a GPU of which nobody measured them.

use super::ComputeCapability;
use super::checker::GpuChecker;
use super::sm::Sm;
use crate::catalogue::{FileError, NumberFile, SourceTable, Sourced, SpecFile, shipped_sources};
use crate::units::Seconds;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// What holds for every GPU of one compute capability, where its own file says nothing.
#[derive(Debug, Clone)]
pub struct GpuArchitecture {
    /// What one SM does per clock.
    pub sm: Sm,
    /// Part of the stated DRAM bandwidth that a copy-like stream reaches; at most 1.
    pub dram_fraction: Sourced<f64>,
    /// L2 bytes read per clock and SM, all SMs reading.
    pub l2_bytes_per_clock: Sourced<f64>,
    /// Milliwatts per FP32 lane and GHz from which on the FP32 peak is reached, where it is not that of [`PowerLaw`].
    pub full_power: Option<Sourced<f64>>,
    /// Seconds from a load to its data in DRAM, one load at a time.
    pub dram_latency: Sourced<f64>,
}

/// How FP32 work slows down under a power limit, for GPUs of which nobody measured it.
#[derive(Debug, Clone)]
pub struct PowerLaw {
    /// Milliwatts per FP32 lane and GHz from which on the peak is reached.
    pub full_power: Sourced<f64>,
    /// How the reached part falls below that.
    pub exponent: Sourced<f64>,
    /// The share of `full_power` that FLOPs need whose operands stay in registers.
    pub registers_share: Sourced<f64>,
}

impl PowerLaw {
    /// The part of the FP32 rate that this share of the full power leaves, 0 to 1.
    pub(super) fn reached_part(&self, share_of_full_power: f64) -> f64 {
        share_of_full_power.powf(self.exponent.value).min(1.0)
    }
}

/// The architectures, and what is the same for all of them.
#[derive(Debug, Clone)]
pub struct ArchitectureTable {
    all: BTreeMap<ComputeCapability, Arc<GpuArchitecture>>,
    /// What a power limit leaves of the FP32 peak.
    pub power_law: PowerLaw,
    /// Part of the stated DRAM bandwidth that a copy-like stream reaches on GDDR boards with ECC on.
    pub ecc_dram_fraction: Sourced<f64>,
    /// Time of an empty launch among launches back to back on a host nobody measured.
    pub launch_floor: Sourced<Seconds>,
    /// Blocks of a launch that a GPU starts per SM clock, on however many SMs.
    pub block_starts: Sourced<f64>,
}

impl ArchitectureTable {
    /// The table that travels with the program, read once.
    ///
    /// # Errors
    /// [`FileError`] where it does not parse or names an unknown source (a test reads it).
    pub fn shipped() -> Result<&'static Self, FileError> {
        static TABLE: OnceLock<Result<ArchitectureTable, FileError>> = OnceLock::new();
        let text = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/specs/architectures.toml"));
        let file = SpecFile { name: "specs/architectures.toml", text };
        let table = TABLE.get_or_init(|| Self::from_file(file, &shipped_sources()?));
        table.as_ref().map_err(Clone::clone)
    }

    fn from_file(file: SpecFile<'_>, sources: &SourceTable) -> Result<Self, FileError> {
        let typed: ArchitectureTableFile = file.parse()?;
        let check = GpuChecker { file, sources };
        let mut all = BTreeMap::new();
        for row in &typed.architecture {
            let architecture = Arc::new(row.checked(&check)?);
            for cc in &row.compute_capability {
                all.insert(*cc, architecture.clone());
            }
        }
        let law = &typed.sustained_fp32;
        let ecc = &typed.dram_with_ecc.achieved_fraction;
        Ok(Self {
            all,
            power_law: PowerLaw {
                full_power: check.sourced_number(
                    "sustained_fp32.full_power_mw_per_lane_ghz",
                    &law.full_power_mw_per_lane_ghz,
                    |v| v,
                )?,
                exponent: check.sourced_number("sustained_fp32.exponent", &law.exponent, |v| v)?,
                registers_share: check.sourced_number(
                    "sustained_fp32.registers_share",
                    &law.registers_share,
                    |v| v,
                )?,
            },
            ecc_dram_fraction: check.sourced_number("dram_with_ecc.achieved_fraction", ecc, |v| v)?,
            launch_floor: check.sourced_number(
                "launch.floor_us",
                &typed.launch.floor_us,
                Seconds::from_micros,
            )?,
            block_starts: check.sourced_number(
                "launch.block_starts_per_clock",
                &typed.launch.block_starts_per_clock,
                |v| v,
            )?,
        })
    }

    /// The architecture of this compute capability.
    #[must_use]
    pub fn architecture_at(&self, cc: ComputeCapability) -> Option<&GpuArchitecture> {
        self.all.get(&cc).map(AsRef::as_ref)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ArchitectureTableFile {
    sustained_fp32: PowerLawFile,
    launch: ArchitectureLaunchFile,
    dram_with_ecc: EccFile,
    architecture: Vec<ArchitectureFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PowerLawFile {
    full_power_mw_per_lane_ghz: NumberFile,
    exponent: NumberFile,
    registers_share: NumberFile,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EccFile {
    achieved_fraction: NumberFile,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ArchitectureLaunchFile {
    floor_us: NumberFile,
    block_starts_per_clock: NumberFile,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ArchitectureFile {
    compute_capability: Vec<ComputeCapability>,
    lsu_lanes_per_sm: NumberFile,
    global_insts_per_clock_per_sm: NumberFile,
    shared_bytes_per_clock_per_sm: NumberFile,
    issue_per_clock_per_sm: NumberFile,
    alu_lanes_per_sm: NumberFile,
    imad_lanes_per_sm: NumberFile,
    xu_lanes_per_sm: NumberFile,
    dependent_issue_cycles: NumberFile,
    straight_line_cached_insts: Option<NumberFile>,
    straight_line_fetch_cycles: Option<NumberFile>,
    straight_line_issue_per_clock_per_sm: Option<NumberFile>,
    dram_achieved_fraction: NumberFile,
    l2_bytes_per_clock_per_sm: NumberFile,
    l2_holds_all_until: Option<NumberFile>,
    l2_holds_none_from: Option<NumberFile>,
    warp_mma_share: Option<NumberFile>,
    dram_latency_ns: NumberFile,
    full_power_mw_per_lane_ghz: Option<NumberFile>,
}

impl ArchitectureFile {
    fn checked(&self, check: &GpuChecker<'_>) -> Result<GpuArchitecture, FileError> {
        let number = |field: &str, n| check.sourced_number(field, n, |v| v);
        let dram_fraction = number("dram_achieved_fraction", &self.dram_achieved_fraction)?;
        if dram_fraction.value > 1.0 {
            let why = format!("dram_achieved_fraction = {}: expected at most 1", dram_fraction.value);
            return Err(check.file.file_error(Some(self.dram_achieved_fraction.span()), why));
        }
        let maybe = |field: &str, n| check.maybe(field, n, |v| v);
        let sm = Sm {
            lsu_lanes: number("lsu_lanes_per_sm", &self.lsu_lanes_per_sm)?,
            global_per_clock: number("global_insts_per_clock_per_sm", &self.global_insts_per_clock_per_sm)?,
            shared_bytes_per_clock: number(
                "shared_bytes_per_clock_per_sm",
                &self.shared_bytes_per_clock_per_sm,
            )?,
            issue_per_clock: number("issue_per_clock_per_sm", &self.issue_per_clock_per_sm)?,
            alu_lanes: number("alu_lanes_per_sm", &self.alu_lanes_per_sm)?,
            imad_lanes: number("imad_lanes_per_sm", &self.imad_lanes_per_sm)?,
            xu_lanes: number("xu_lanes_per_sm", &self.xu_lanes_per_sm)?,
            dependent_issue: number("dependent_issue_cycles", &self.dependent_issue_cycles)?,
            cached_insts: maybe("straight_line_cached_insts", &self.straight_line_cached_insts)?,
            fetch_cycles: maybe("straight_line_fetch_cycles", &self.straight_line_fetch_cycles)?,
            streamed_per_clock: maybe(
                "straight_line_issue_per_clock_per_sm",
                &self.straight_line_issue_per_clock_per_sm,
            )?,
            l2_holds_all_until: maybe("l2_holds_all_until", &self.l2_holds_all_until)?,
            l2_holds_none_from: maybe("l2_holds_none_from", &self.l2_holds_none_from)?,
            warp_mma_share: maybe("warp_mma_share", &self.warp_mma_share)?,
        };
        Ok(GpuArchitecture {
            sm,
            dram_fraction,
            l2_bytes_per_clock: number("l2_bytes_per_clock_per_sm", &self.l2_bytes_per_clock_per_sm)?,
            full_power: maybe("full_power_mw_per_lane_ghz", &self.full_power_mw_per_lane_ghz)?,
            dram_latency: check.sourced_number("dram_latency_ns", &self.dram_latency_ns, |v| v * 1e-9)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::LimitsTable;

    #[test]
    fn every_compute_capability_with_limits_has_an_architecture() {
        let table = ArchitectureTable::shipped().unwrap();
        let limits = LimitsTable::shipped().unwrap();
        let without: Vec<String> = limits
            .iter()
            .filter(|(cc, _)| table.architecture_at(*cc).is_none())
            .map(|(cc, _)| cc.to_string())
            .collect();
        assert_eq!(without, Vec::<String>::new());
        assert_eq!(table.all.len(), limits.iter().count(), "and no other");
    }

    #[test]
    fn an_sm_does_no_more_than_its_lanes_and_schedulers_allow() {
        let limits = LimitsTable::shipped().unwrap();
        for (cc, a) in &ArchitectureTable::shipped().unwrap().all {
            let partitions = f64::from(limits.limits_at(*cc).unwrap().sub_partitions);
            assert!(a.sm.global_per_clock.value <= a.sm.lsu_lanes.value / 32.0, "{cc}: loads");
            assert!(a.sm.shared_bytes_per_clock.value <= 128.0, "{cc}: 32 banks of 4 bytes");
            let per_scheduler = a.sm.issue_per_clock.value / partitions;
            assert!((1.0..=2.0).contains(&per_scheduler), "{cc}: {per_scheduler} per scheduler");
            assert!(cc.major < 7 || per_scheduler == 1.0, "{cc}: nothing issues two from Volta on");
        }
    }

    #[test]
    fn a_bad_table_is_refused_with_its_line() {
        let text = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/specs/architectures.toml"));
        let sources = shipped_sources().unwrap();
        for (from, to, words) in [
            ("{ value = 0.762,", "{ value = 1.762,", "expected at most 1"),
            ("{ value = 35.5,", "{ value = 0,", "above 0"),
            ("\"gm204-whitepaper\"", "\"hearsay\"", "unknown source `hearsay`"),
        ] {
            let bad = text.replacen(from, to, 1);
            assert_ne!(bad, text, "{from}");
            let line = bad.lines().position(|l| l.contains(to)).unwrap() + 1;
            let error =
                ArchitectureTable::from_file(SpecFile { name: "a.toml", text: &bad }, &sources).unwrap_err();
            assert_eq!((error.line, error.message.contains(words)), (Some(line), true), "{error}");
        }
    }
}
