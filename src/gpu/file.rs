//! A GPU file as it is typed, and the check that turns it into a [`Gpu`].

use super::checker::{GpuChecker, plain};
use super::sustained::Sustained;
use super::{ArchitectureTable, ComputeCapability, CudaFacts, Gpu, LimitsTable, SmLimits, TensorRate};
use crate::catalogue::Spanned;
use crate::catalogue::{FileError, NumberFile, SourceTable, Sourced, SpecFile, joined_sources};
use crate::units::{Bytes, BytesPerSecond, FlopsPerSecond, Hertz, Seconds, Watts};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct GpuFile {
    id: Spanned<String>,
    name: String,
    #[serde(default)]
    short_name: Option<String>,
    #[serde(default)]
    aliases: Vec<String>,
    #[serde(default)]
    instances: Vec<String>,
    architecture: String,
    #[serde(default)]
    chip: String,
    compute_capability: Spanned<ComputeCapability>,
    launch_year: u16,
    compute: ComputeFields,
    #[serde(default)]
    tensor: Vec<Tensor>,
    memory: MemoryFields,
    cache: CacheFields,
    power: PowerFields,
    #[serde(default)]
    launch: LaunchFields,
    #[serde(default)]
    price: Price,
    /// Sources that only this file names.
    #[serde(default)]
    sources: SourceTable,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ComputeFields {
    sms: NumberFile,
    fp32_lanes_per_sm: NumberFile,
    fp64_lanes_per_sm: Option<NumberFile>,
    lsu_lanes_per_sm: Option<NumberFile>,
    global_insts_per_clock_per_sm: Option<NumberFile>,
    issue_per_clock_per_sm: Option<NumberFile>,
    straight_line_cached_insts: Option<NumberFile>,
    straight_line_issue_per_clock_per_sm: Option<NumberFile>,
    base_clock_mhz: Option<NumberFile>,
    boost_clock_mhz: NumberFile,
    sustained_clock_mhz: Option<NumberFile>,
    fp32_tflops: NumberFile,
    fp64_tflops: Option<NumberFile>,
    fp16_tflops: Option<NumberFile>,
    fp32_achieved_gflops: Option<NumberFile>,
    fp64_achieved_gflops: Option<NumberFile>,
    fp16_achieved_gflops: Option<NumberFile>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Tensor {
    input: String,
    accumulate: String,
    dense_tflops: Option<NumberFile>,
    sparse_tflops: Option<NumberFile>,
}

impl Tensor {
    fn checked_rate(&self, check: &GpuChecker<'_>) -> Result<TensorRate, FileError> {
        let rate = |field: &str, tflops| check.maybe(field, tflops, FlopsPerSecond::from_tera);
        Ok(TensorRate {
            input: self.input.clone(),
            accumulate: self.accumulate.clone(),
            dense: rate("tensor.dense_tflops", &self.dense_tflops)?,
            sparse: rate("tensor.sparse_tflops", &self.sparse_tflops)?,
        })
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct MemoryFields {
    #[serde(rename = "type")]
    kind: String,
    size_gib: NumberFile,
    bus_bits: NumberFile,
    data_rate_gbps: NumberFile,
    bandwidth_gb_per_s: NumberFile,
    #[serde(default)]
    ecc: bool,
    achieved_gb_per_s: Option<NumberFile>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CacheFields {
    l2_mib: NumberFile,
    l2_gb_per_s: Option<NumberFile>,
    l1_bytes_per_clock_per_sm: Option<NumberFile>,
    l1_gb_per_s: Option<NumberFile>,
    shared_bytes_per_clock_per_sm: Option<NumberFile>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PowerFields {
    limit_w: NumberFile,
    idle_w: Option<NumberFile>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct LaunchFields {
    floor_us: Option<NumberFile>,
    block_starts_per_clock: Option<NumberFile>,
    #[serde(default)]
    collections: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Price {
    list_usd: Option<NumberFile>,
    cloud_usd_per_hour: Option<NumberFile>,
}

/// Reads and checks one GPU file.
///
/// # Errors
/// [`FileError`] with file, line, field, value and what was expected.
pub(super) fn gpu_from_file(
    file: SpecFile<'_>,
    sources: &SourceTable,
    limits: &LimitsTable,
) -> Result<Gpu, FileError> {
    let typed: GpuFile = file.parse()?;
    let sources = joined_sources(&typed.sources, sources);
    let check = GpuChecker { file, sources: &sources };
    let limits = checked_limits(file, &typed, limits)?;
    let cc = *typed.compute_capability.get_ref();
    let architectures = ArchitectureTable::shipped()?;
    let architecture = architectures.architecture_at(cc).ok_or_else(|| unknown_architecture(file, &typed))?;
    let (c, m, k, p) = (&typed.compute, &typed.memory, &typed.cache, &typed.power);
    let (l, price) = (&typed.launch, &typed.price);
    let (tera, giga, mega) = (FlopsPerSecond::from_tera, FlopsPerSecond::from_giga, Hertz::from_mega);
    let giga_bytes = BytesPerSecond::from_giga;
    let per_clock = |key, value| check.maybe(key, value, plain);
    let fp32_peak = check.sourced_number("compute.fp32_tflops", &c.fp32_tflops, tera)?;
    let bandwidth_peak =
        check.sourced_number("memory.bandwidth_gb_per_s", &m.bandwidth_gb_per_s, giga_bytes)?;
    let mut gpu = Gpu {
        sm: architecture.sm.clone(),
        sustained: Sustained::from_rates(&fp32_peak, &bandwidth_peak, &architectures.launch_floor),
        cuda: CudaFacts { compute_capability: cc, limits },
        launch_year: typed.launch_year,
        sms: check.whole_number("compute.sms", &c.sms)?,
        fp32_lanes_per_sm: check.whole_number("compute.fp32_lanes_per_sm", &c.fp32_lanes_per_sm)?,
        fp64_lanes_per_sm: check.maybe_whole("compute.fp64_lanes_per_sm", &c.fp64_lanes_per_sm)?,
        lsu_lanes_per_sm: check.maybe_whole("compute.lsu_lanes_per_sm", &c.lsu_lanes_per_sm)?,
        base_clock: check.maybe("compute.base_clock_mhz", &c.base_clock_mhz, mega)?,
        boost_clock: check.sourced_number("compute.boost_clock_mhz", &c.boost_clock_mhz, mega)?,
        sustained_clock: check.maybe("compute.sustained_clock_mhz", &c.sustained_clock_mhz, mega)?,
        fp32_peak,
        fp32_achieved: check.maybe("compute.fp32_achieved_gflops", &c.fp32_achieved_gflops, giga)?,
        fp64_peak: check.maybe("compute.fp64_tflops", &c.fp64_tflops, tera)?,
        fp16_peak: check.maybe("compute.fp16_tflops", &c.fp16_tflops, tera)?,
        fp64_achieved: check.maybe("compute.fp64_achieved_gflops", &c.fp64_achieved_gflops, giga)?,
        fp16_achieved: check.maybe("compute.fp16_achieved_gflops", &c.fp16_achieved_gflops, giga)?,
        tensor: typed.tensor.iter().map(|t| t.checked_rate(&check)).collect::<Result<_, _>>()?,
        memory_size: check.sourced_number("memory.size_gib", &m.size_gib, Bytes::from_gibi)?,
        bus_bits: check.whole_number("memory.bus_bits", &m.bus_bits)?,
        data_rate: check.sourced_number("memory.data_rate_gbps", &m.data_rate_gbps, |g| g * 1e9)?,
        bandwidth_peak,
        bandwidth_achieved: check.maybe("memory.achieved_gb_per_s", &m.achieved_gb_per_s, giga_bytes)?,
        l2_size: check.sourced_number("cache.l2_mib", &k.l2_mib, Bytes::from_mebi)?,
        l2_bandwidth: check.maybe("cache.l2_gb_per_s", &k.l2_gb_per_s, giga_bytes)?,
        l1_bytes_per_clock: per_clock("cache.l1_bytes_per_clock_per_sm", &k.l1_bytes_per_clock_per_sm)?,
        l1_achieved: check.maybe("cache.l1_gb_per_s", &k.l1_gb_per_s, giga_bytes)?,
        shared_bytes_per_clock: per_clock(
            "cache.shared_bytes_per_clock_per_sm",
            &k.shared_bytes_per_clock_per_sm,
        )?,
        global_per_clock: per_clock(
            "compute.global_insts_per_clock_per_sm",
            &c.global_insts_per_clock_per_sm,
        )?,
        issue_per_clock: per_clock("compute.issue_per_clock_per_sm", &c.issue_per_clock_per_sm)?,
        straight_line_insts: per_clock("compute.straight_line_cached_insts", &c.straight_line_cached_insts)?,
        straight_line_issue: per_clock(
            "compute.straight_line_issue_per_clock_per_sm",
            &c.straight_line_issue_per_clock_per_sm,
        )?,
        power_limit: check.sourced_number("power.limit_w", &p.limit_w, Watts)?,
        idle_power: check.maybe("power.idle_w", &p.idle_w, Watts)?,
        launch_floor: check.maybe("launch.floor_us", &l.floor_us, Seconds::from_micros)?,
        block_starts: check.maybe("launch.block_starts_per_clock", &l.block_starts_per_clock, |v| v)?,
        launch_collections: typed.launch.collections.clone(),
        list_usd: check.maybe("price.list_usd", &price.list_usd, plain)?,
        cloud_usd_per_hour: check.maybe("price.cloud_usd_per_hour", &price.cloud_usd_per_hour, plain)?,
        stated: None,
        hypothetical: None,
        derived: None,
        memory_type: m.kind.clone(),
        ecc: m.ecc,
        id: typed.id.into_inner(),
        name: typed.name,
        short: typed.short_name,
        names: typed.aliases.iter().chain(&typed.instances).cloned().collect(),
        aliases: typed.aliases,
        instances: typed.instances,
        architecture: typed.architecture,
        chip: typed.chip,
    };
    checked_rates(&check, &gpu, c, m)?;
    gpu.resolve(architecture, architectures);
    Ok(gpu)
}

/// As the file writes it, without what a change of units leaves in its last digit.
fn rounded(value: f64) -> f64 {
    (1e6 * value).round() / 1e6
}

/// That the file's numbers agree with each other: peaks with what they follow from, measured rates with peaks.
fn checked_rates(
    check: &GpuChecker<'_>,
    gpu: &Gpu,
    c: &ComputeFields,
    m: &MemoryFields,
) -> Result<(), FileError> {
    let (sms, lanes, boost) = (gpu.sms.value, gpu.fp32_lanes_per_sm.value, gpu.boost_clock.value.0);
    let made = 2e-12 * f64::from(sms) * f64::from(lanes) * boost;
    let words =
        format!("sms {sms} x fp32_lanes_per_sm {lanes} x 2 x boost_clock_mhz {}", rounded(boost / 1e6));
    check.agrees("compute.fp32_tflops", &c.fp32_tflops, gpu.fp32_peak.value.0 / 1e12, made, &words)?;
    let (bus, rate) = (gpu.bus_bits.value, gpu.data_rate.value / 1e9);
    let words = format!("bus_bits {bus} x data_rate_gbps {} / 8", rounded(rate));
    let (field, stated) = ("memory.bandwidth_gb_per_s", gpu.bandwidth_peak.value.0 / 1e9);
    check.agrees(field, &m.bandwidth_gb_per_s, stated, f64::from(bus) * rate / 8.0, &words)?;
    let peak = |peak: &Option<Sourced<FlopsPerSecond>>| peak.as_ref().map(|p| p.value.0);
    let flops = [
        ("compute.fp32_achieved_gflops", &c.fp32_achieved_gflops, Some(gpu.fp32_peak.value.0)),
        ("compute.fp64_achieved_gflops", &c.fp64_achieved_gflops, peak(&gpu.fp64_peak)),
        ("compute.fp16_achieved_gflops", &c.fp16_achieved_gflops, peak(&gpu.fp16_peak)),
    ];
    for (field, typed, peak) in flops {
        let Some((number, peak)) = typed.as_ref().zip(peak) else { continue };
        let value = check.sourced_number(field, number, FlopsPerSecond::from_giga)?.value.0;
        check.below_peak(field, number, [value, peak], FlopsPerSecond)?;
    }
    if let (Some(number), Some(achieved)) = (&m.achieved_gb_per_s, &gpu.bandwidth_achieved) {
        let rates = [achieved.value.0, gpu.bandwidth_peak.value.0];
        check.below_peak("memory.achieved_gb_per_s", number, rates, BytesPerSecond)?;
    }
    Ok(())
}

fn unknown_architecture(file: SpecFile<'_>, typed: &GpuFile) -> FileError {
    let cc = typed.compute_capability.get_ref();
    let message = format!(
        "compute_capability {cc}: is not in specs/architectures.toml; add what its SM does per clock"
    );
    file.file_error(Some(typed.compute_capability.span()), message)
}

/// The limits of the file's compute capability, once its id is one.
fn checked_limits(file: SpecFile<'_>, typed: &GpuFile, limits: &LimitsTable) -> Result<SmLimits, FileError> {
    if !is_id(typed.id.get_ref()) {
        let message = format!("id `{}`: expected lower-case letters, digits and `-`", typed.id.get_ref());
        return Err(file.file_error(Some(typed.id.span()), message));
    }
    let cc = *typed.compute_capability.get_ref();
    limits.limits_at(cc).ok_or_else(|| {
        let known: Vec<String> = limits.iter().map(|(cc, _)| cc.to_string()).collect();
        let message = format!("compute_capability {cc}: expected one of {}", known.join(", "));
        file.file_error(Some(typed.compute_capability.span()), message)
    })
}

/// Whether a text may be the id of a GPU.
pub(super) fn is_id(text: &str) -> bool {
    text.contains(|c: char| c.is_ascii_alphanumeric())
        && text.len() <= 40
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}
