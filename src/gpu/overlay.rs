//! Achieved rates laid over a GPU of the catalogue: a file in the user's `gpus` folder that has an `id` and measured
//! values, and nothing of what a GPU is. Everything else of that GPU stays as it was. Rates, the launch floor and what an
//! SM does per clock (`lay_sm`) can be laid; any other number, the L2 size among them, is corrected under `[changes]`, with the keys of
//! `--set`.
//!
//! ```toml
//! id = "rtx-4070"
//!
//! [compute]
//! fp32_achieved_gflops = { value = 28000, source = "own", note = "mixbench.csv" }
//!
//! [memory]
//! achieved_gb_per_s = { value = 454.1, source = "own", note = "mixbench.csv" }
//!
//! [sources.own]
//! kind = "measured"
//! title = "My mixbench run"
//! ```

use super::changes::ChangeError;
use super::checker::GpuChecker;
use super::hypothetical_file::changes_in_file;
use super::{ArchitectureTable, Gpu};
use crate::catalogue::Spanned;
use crate::catalogue::{Catalogue, FileError, NumberFile, SourceTable, Sourced, SpecFile, joined_sources};
use crate::units::{BytesPerSecond, FlopsPerSecond, Seconds};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::BTreeMap;
use std::fmt::Write;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct OverlayFile {
    id: Spanned<String>,
    #[serde(default)]
    compute: ComputeChanges,
    #[serde(default)]
    memory: MemoryChanges,
    #[serde(default)]
    cache: CacheChanges,
    #[serde(default)]
    launch: LaunchChanges,
    /// Numbers that its documents state otherwise.
    #[serde(default)]
    changes: BTreeMap<String, Spanned<toml::Value>>,
    #[serde(default)]
    sources: SourceTable,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ComputeChanges {
    lsu_lanes_per_sm: Option<NumberFile>,
    global_insts_per_clock_per_sm: Option<NumberFile>,
    issue_per_clock_per_sm: Option<NumberFile>,
    straight_line_cached_insts: Option<NumberFile>,
    straight_line_issue_per_clock_per_sm: Option<NumberFile>,
    fp32_achieved_gflops: Option<NumberFile>,
    fp64_achieved_gflops: Option<NumberFile>,
    fp16_achieved_gflops: Option<NumberFile>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct MemoryChanges {
    achieved_gb_per_s: Option<NumberFile>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct CacheChanges {
    l2_gb_per_s: Option<NumberFile>,
    l1_gb_per_s: Option<NumberFile>,
    shared_bytes_per_clock_per_sm: Option<NumberFile>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct LaunchChanges {
    floor_us: Option<NumberFile>,
}

/// Whether a file means to be an overlay: it names an id, and nothing of what a GPU is.
#[must_use]
pub fn is_overlay(text: &str) -> bool {
    let identity = ["name", "architecture", "chip", "compute_capability", "launch_year"];
    SpecFile { name: "", text }
        .parse::<BTreeMap<String, IgnoredAny>>()
        .is_ok_and(|table| table.contains_key("id") && !identity.iter().any(|key| table.contains_key(*key)))
}

/// Lays the overlay that this text describes over its GPU.
pub(super) fn apply(
    file: SpecFile<'_>,
    sources: &SourceTable,
    gpus: &mut Catalogue<Gpu>,
) -> Result<(), FileError> {
    let typed: OverlayFile = file.parse()?;
    let id = typed.id.get_ref();
    let known = gpus.entry_named(id).map_err(|e| file.file_error(Some(typed.id.span()), format!("id: {e}")));
    let mut gpu = known?.clone();
    let own = joined_sources(&typed.sources, sources);
    let changes = changes_in_file(file, &typed.changes)?;
    if !lay(&typed, GpuChecker { file, sources: &own }, &mut gpu)? && changes.is_empty() {
        let what = "states no measured value and no [changes]; give compute.fp32_achieved_gflops or memory.achieved_gb_per_s";
        return Err(file.file_error(Some(typed.id.span()), format!("{}: {what}", gpu.id)));
    }
    let architectures = ArchitectureTable::shipped()?;
    if let Some(architecture) = architectures.architecture_at(gpu.cuda.compute_capability) {
        gpu.resolve(architecture, architectures);
    }
    if !changes.is_empty() {
        let refused = |e: ChangeError| file.file_error(Some(typed.id.span()), e.to_string());
        gpu = gpu.corrected(&changes, file.name).map_err(refused)?;
    }
    gpus.insert(gpu).map_err(|clash| file.clash(&clash))
}

/// Puts every rate of the file into its place; whether there was any.
fn lay(typed: &OverlayFile, check: GpuChecker<'_>, gpu: &mut Gpu) -> Result<bool, FileError> {
    let OverlayFile { compute: c, memory: m, cache, launch, .. } = typed;
    let mut laid = Laid { check, any: false };
    let (flops, bytes) = (FlopsPerSecond::from_giga, BytesPerSecond::from_giga);
    let peak = |peak: Option<&Sourced<FlopsPerSecond>>| peak.map(|p| p.value.0);
    let peaks = [peak(Some(&gpu.fp32_peak)), peak(gpu.fp64_peak.as_ref()), peak(gpu.fp16_peak.as_ref())];
    let compute = [
        ("compute.fp32_achieved_gflops", &c.fp32_achieved_gflops, peaks[0], &mut gpu.fp32_achieved),
        ("compute.fp64_achieved_gflops", &c.fp64_achieved_gflops, peaks[1], &mut gpu.fp64_achieved),
        ("compute.fp16_achieved_gflops", &c.fp16_achieved_gflops, peaks[2], &mut gpu.fp16_achieved),
    ];
    for (field, typed, peak, place) in compute {
        laid.rate(field, typed.as_ref(), flops, peak, place)?;
    }
    let bus = Some(gpu.bandwidth_peak.value.0);
    let memory = m.achieved_gb_per_s.as_ref();
    laid.rate("memory.achieved_gb_per_s", memory, bytes, bus, &mut gpu.bandwidth_achieved)?;
    laid.rate("cache.l2_gb_per_s", cache.l2_gb_per_s.as_ref(), bytes, None, &mut gpu.l2_bandwidth)?;
    laid.rate("cache.l1_gb_per_s", cache.l1_gb_per_s.as_ref(), bytes, None, &mut gpu.l1_achieved)?;
    let floor = launch.floor_us.as_ref();
    if floor.is_some() {
        gpu.launch_collections.clear();
    }
    laid.rate("launch.floor_us", floor, Seconds::from_micros, None, &mut gpu.launch_floor)?;
    lay_sm(typed, &mut laid, gpu)?;
    Ok(laid.any)
}

/// Puts what was measured of one SM into its place, each at most what any SM can do.
fn lay_sm(typed: &OverlayFile, laid: &mut Laid<'_>, gpu: &mut Gpu) -> Result<(), FileError> {
    let (c, cache) = (&typed.compute, &typed.cache);
    let mut lanes = None;
    for (field, typed, most, place) in [
        ("compute.lsu_lanes_per_sm", &c.lsu_lanes_per_sm, 128.0, &mut lanes),
        (
            "compute.global_insts_per_clock_per_sm",
            &c.global_insts_per_clock_per_sm,
            4.0,
            &mut gpu.global_per_clock,
        ),
        ("compute.issue_per_clock_per_sm", &c.issue_per_clock_per_sm, 8.0, &mut gpu.issue_per_clock),
        (
            "compute.straight_line_cached_insts",
            &c.straight_line_cached_insts,
            1e6,
            &mut gpu.straight_line_insts,
        ),
        (
            "compute.straight_line_issue_per_clock_per_sm",
            &c.straight_line_issue_per_clock_per_sm,
            8.0,
            &mut gpu.straight_line_issue,
        ),
        (
            "cache.shared_bytes_per_clock_per_sm",
            &cache.shared_bytes_per_clock_per_sm,
            512.0,
            &mut gpu.shared_bytes_per_clock,
        ),
    ] {
        laid.per_clock(field, typed.as_ref(), most, place)?;
    }
    if let Some(lanes) = lanes {
        gpu.lsu_lanes_per_sm = Some(lanes.map(|v| v.round().max(1.0) as u32));
    }
    Ok(())
}

/// Puts checked values into their places.
struct Laid<'a> {
    check: GpuChecker<'a>,
    any: bool,
}

impl Laid<'_> {
    fn rate<T: OverlayUnit>(
        &mut self,
        field: &str,
        typed: Option<&NumberFile>,
        unit: fn(f64) -> T,
        peak: Option<f64>,
        place: &mut Option<Sourced<T>>,
    ) -> Result<(), FileError> {
        let Some(number) = typed else { return Ok(()) };
        let value = self.check.sourced_number(field, number, unit)?;
        if let Some(peak) = peak {
            self.check.below_peak(field, number, [value.value.si(), peak], T::from_si)?;
        }
        *place = Some(value);
        self.any = true;
        Ok(())
    }

    fn per_clock(
        &mut self,
        field: &str,
        typed: Option<&NumberFile>,
        most: f64,
        place: &mut Option<Sourced<f64>>,
    ) -> Result<(), FileError> {
        let Some(number) = typed else { return Ok(()) };
        let value = self.check.sourced_number(field, number, |v| v)?;
        if value.value > most {
            let why = format!("{field} = {}: is per clock and SM; expected at most {most}", value.value);
            return Err(self.check.file.file_error(Some(number.span()), why));
        }
        *place = Some(value);
        self.any = true;
        Ok(())
    }
}

/// A quantity whose value can be compared with a peak.
trait OverlayUnit: std::fmt::Display {
    fn si(&self) -> f64;
    fn from_si(si: f64) -> Self;
}

macro_rules! units {
    ($($name:ident),+) => {
        $(impl OverlayUnit for $name {
            fn si(&self) -> f64 {
                self.0
            }
            fn from_si(si: f64) -> Self {
                Self(si)
            }
        })+
    };
}

units!(FlopsPerSecond, BytesPerSecond, Seconds);

/// An achieved rate that an overlay can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AchievedRate {
    /// FP32 vector rate in FLOP/s.
    Fp32,
    /// FP64 vector rate in FLOP/s.
    Fp64,
    /// FP16 vector rate in FLOP/s, not the tensor rate.
    Fp16,
    /// DRAM bandwidth in byte/s.
    Dram,
    /// L2 bandwidth in byte/s.
    L2,
    /// L1 bandwidth of all SMs in byte/s.
    L1,
}

impl AchievedRate {
    /// Table and key of the file; all are in 1e9 per second.
    fn table_and_key(self) -> (&'static str, &'static str) {
        match self {
            Self::Fp32 => ("compute", "fp32_achieved_gflops"),
            Self::Fp64 => ("compute", "fp64_achieved_gflops"),
            Self::Fp16 => ("compute", "fp16_achieved_gflops"),
            Self::Dram => ("memory", "achieved_gb_per_s"),
            Self::L2 => ("cache", "l2_gb_per_s"),
            Self::L1 => ("cache", "l1_gb_per_s"),
        }
    }
}

/// The text of an overlay for this GPU: rates per second, each with a note that says what it was read from.
#[must_use]
pub fn overlay_text(id: &str, rates: &[(AchievedRate, f64, String)], title: &str) -> String {
    let quoted = |text: &str| toml::Value::from(text).to_string().replace('\n', " ");
    let mut text = format!(
        "# Measured rates of one GPU; everything else of it stays as it ships.\nid = {}\n",
        quoted(id)
    );
    for table in ["compute", "memory", "cache"] {
        let mut lines = String::new();
        for (rate, per_second, note) in rates.iter().filter(|(rate, ..)| rate.table_and_key().0 == table) {
            // 15 digits: what the change of unit leaves in the last one is noise.
            let giga: f64 = format!("{:.14e}", per_second / 1e9).parse().unwrap_or(per_second / 1e9);
            let key = rate.table_and_key().1;
            // Writing into a text cannot fail.
            let _ = writeln!(
                lines,
                "{key} = {{ value = {giga}, source = \"own\", note = {} }}",
                quoted(&clean(note))
            );
        }
        if !lines.is_empty() {
            let _ = write!(text, "\n[{table}]\n{lines}");
        }
    }
    let _ = write!(text, "\n[sources.own]\nkind = \"measured\"\ntitle = {}\n", quoted(&clean(title)));
    text
}

/// One line without control characters: notes and titles are shown in one line.
fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::shipped_sources;
    use crate::gpu::{LimitsTable, load_shipped};

    fn laid(text: &str) -> Result<Gpu, FileError> {
        let sources = shipped_sources().unwrap();
        let (mut gpus, _) = load_shipped(&sources, &LimitsTable::shipped().unwrap());
        apply(SpecFile { name: "own.toml", text }, &sources, &mut gpus)?;
        Ok(gpus.entry_named("rtx-4070").unwrap().clone())
    }

    #[test]
    fn what_is_written_reads_back_and_leaves_the_rest_alone() {
        let rates = [
            (AchievedRate::Fp32, 28.5e12, "a \"quoted\"\nnote \\ \u{7}".to_string()),
            (AchievedRate::Dram, 454.12e9, "b".to_string()),
            (AchievedRate::Fp64, 0.45e12, String::new()),
            (AchievedRate::L2, 1.5e12, String::new()),
            (AchievedRate::L1, 12.5e12, String::new()),
        ];
        let text = overlay_text("rtx-4070", &rates, "mixbench.csv");
        assert!(is_overlay(&text), "{text}");
        let gpu = laid(&text).unwrap();
        let of = |rate: &Option<Sourced<FlopsPerSecond>>| rate.as_ref().map(|r| r.value.0);
        assert_eq!(
            (of(&gpu.fp32_achieved), of(&gpu.fp64_achieved), of(&gpu.fp16_achieved)),
            (Some(28.5e12), Some(0.45e12), None)
        );
        let dram = gpu.bandwidth_achieved.clone().unwrap();
        assert_eq!((dram.value.0, dram.origin.as_str(), &*dram.source), (454.12e9, "measured", "own"));
        assert_eq!(gpu.l1_bandwidth(crate::gpu::Ceilings::Achieved).unwrap().value.0, 12.5e12);
        let by_clock = gpu.l1_bandwidth(crate::gpu::Ceilings::Peak).unwrap();
        assert_eq!((by_clock.origin.as_str(), by_clock.value.0 < 15e12), ("derived", true));
        assert_eq!(gpu.l2_bandwidth.unwrap().value.0, 1.5e12);
        assert_eq!((gpu.fp32_peak.value.0, &*gpu.fp32_peak.source, gpu.sms.value), (29.1e12, "paper1", 46));
    }

    #[test]
    fn any_number_is_corrected_and_what_follows_follows() {
        let made =
            laid("id = \"rtx-4070\"\n[changes]\nl2 = \"72MiB\"\nsm = \"+10%\"\npower = 180\n").unwrap();
        assert_eq!(made.l2_size.value, crate::units::Bytes::from_mebi(72.0));
        assert!((made.fp32_peak.value.0 / 29.1e12 - 1.1).abs() < 0.01, "{:?}", made.fp32_peak);
        assert_eq!((made.lowered_from(), made.is_hypothetical()), (None, false), "its board has that limit");
        assert_eq!(made.short_name(), "RTX 4070");
        assert!(made.l2_size.note.as_ref().unwrap().contains("(by own.toml)"), "{:?}", made.l2_size);
        for (text, said) in [
            ("id = \"rtx-4070\"\n[changes]\nl2 = \"much\"\n", "own.toml:3: l2=much: expected 72MiB"),
            ("id = \"rtx-4070\"\n[changes]\nl2_mib = 72\n", "is no number of a GPU"),
            ("id = \"rtx-4070\"\n[changes]\nfp32 = \"40TFLOP/s\"\n", "contradicts SMs 46"),
        ] {
            let why = laid(text).unwrap_err().to_string();
            assert!(why.contains(said), "{why}");
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_its_line() {
        let own = "\n[sources.own]\nkind = \"measured\"\ntitle = \"t\"\n";
        for (text, line, words) in [
            (
                "id = \"rtx-4071\"\n[memory]\nachieved_gb_per_s = { value = 1, source = \"own\" }",
                1,
                "nearest",
            ),
            ("id = \"rtx-4070\"\n", 1, "states no measured value"),
            ("id = \"rtx-4070\"\n[compute]\nsms = { value = 1, source = \"own\" }", 3, "unknown field `sms`"),
            (
                "id = \"rtx-4070\"\n[memory]\nachieved_gb_per_s = { value = 900, source = \"own\" }",
                3,
                "expected at most 630 GB/s",
            ),
            (
                "id = \"rtx-4070\"\n[memory]\nachieved_gb_per_s = { value = -1, source = \"own\" }",
                3,
                "above 0",
            ),
            (
                "id = \"rtx-4070\"\n[memory]\nachieved_gb_per_s = { value = 1, source = \"me\" }",
                3,
                "unknown source `me`",
            ),
        ] {
            let error = laid(&format!("{text}{own}")).unwrap_err();
            assert_eq!(error.line, Some(line), "{error}");
            assert!(error.message.contains(words), "{error}");
        }
    }
}
