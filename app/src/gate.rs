//! A gate for builds: registers, shared memory, spills and occupancy of compiled kernels beside a committed baseline. Needs no GPU.
//!
//! A kernel on an architecture fails where it uses more registers than the baseline and the allowance, more shared memory, more
//! spills, where fewer of its warps fit an SM, where a stated least occupancy is missed, where a number of the baseline is no
//! longer stated, or where it is gone. What is new only has to meet the stated limits; so does everything without a baseline. A
//! baseline of one architecture that the build does not have is compared with what the build has, kernel by kernel.

use crate::compiler::{CodeArchitecture, CompilerReport};
use crate::gpu::{ComputeCapability, LimitsTable, SmLimits};
use crate::kernel::{BlockSize, Resources};
use crate::occupancy::{BlockNeeds, Rules, occupancy};
use crate::report::{Table, TableCell, TableColumn};
use crate::text::harmless_json;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What a baseline file says it is.
const FORMAT: &str = "roofswap resources 1";

/// Resources of one kernel on one architecture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelResources {
    /// As the linker knows it.
    pub symbol: String,
    /// As people write it.
    pub kernel: String,
    /// `sm_90`.
    pub target: String,
    /// Registers per thread.
    pub regs_per_thread: u32,
    /// Static shared memory per block, where the report says so.
    pub smem_static_bytes: Option<u32>,
    /// Bytes that spilled registers store and load per thread, where the report says so.
    pub spill_bytes: Option<u32>,
    /// Threads per block that the occupancy is of.
    pub threads: u32,
    /// Active warps over the most there can be, in percent; `None` for an architecture whose limits are not known.
    pub occupancy_percent: Option<f64>,
}

/// A baseline file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    format: String,
    kernels: Vec<KernelResources>,
}

/// What must hold.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct GateLimits {
    /// How many registers more than the baseline are allowed.
    pub registers_more: u32,
    /// The least occupancy in percent.
    pub least_occupancy: Option<f64>,
    /// Whether any spill fails.
    pub no_spills: bool,
}

/// One kernel on one architecture, before and now.
#[derive(Debug, Clone, PartialEq)]
pub struct GateRow {
    /// In the baseline.
    pub before: Option<KernelResources>,
    /// In the build.
    pub now: Option<KernelResources>,
    /// What fails, in words; none where it passes.
    pub failures: Vec<String>,
    /// Whether one of them is a limit on the build itself, which another baseline does not change.
    pub misses_limit: bool,
    /// Whether there is a baseline to compare with.
    pub is_compared: bool,
}

impl Baseline {
    /// Of these kernels.
    #[must_use]
    pub fn of_kernels(kernels: Vec<KernelResources>) -> Self {
        Self { format: FORMAT.into(), kernels }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// What is wrong with it, and what to do.
    pub fn parse(text: &str) -> Result<Self, String> {
        let found: Self = serde_json::from_str(text)
            .map_err(|e| format!("is no baseline ({e}); write it again with --update"))?;
        if found.format == FORMAT {
            return Ok(found);
        }
        let format = crate::text::harmless_line(&crate::text::clipped_text(&found.format, 40));
        Err(format!("`{format}`: expected format `{FORMAT}`; write it again with --update"))
    }

    /// Whether a file of this text is a baseline of this or another format, or a damaged one: it begins as one.
    #[must_use]
    pub fn is_meant_by(text: &str) -> bool {
        let begins = |rest: &str, start: &str| rest.trim_start().strip_prefix(start).map(str::len);
        let rest = |length: usize| &text[text.len() - length..];
        begins(text, "{").and_then(|length| begins(rest(length), "\"format\"")).is_some()
    }

    /// As a file: one kernel a line, so that a change of one is a change of one line.
    #[must_use]
    pub fn text(&self) -> String {
        let lines: Vec<String> = self
            .kernels
            .iter()
            .map(|k| format!("  {}", harmless_json(&serde_json::to_string(k).unwrap_or_default())))
            .collect();
        format!("{{\"format\": \"{FORMAT}\", \"kernels\": [\n{}\n]}}\n", lines.join(",\n"))
    }
}

/// The kernels of these reports on the listed architectures, all where none is listed. `threads`: of kernels that do not state
/// their block.
#[must_use]
pub fn resources_of(
    reports: &[CompilerReport],
    on: &[CodeArchitecture],
    limits: &LimitsTable,
    threads: Option<u32>,
) -> Vec<KernelResources> {
    let mut all: BTreeMap<(String, String), KernelResources> = BTreeMap::new();
    for kernel in reports.iter().flat_map(|r| &r.kernels) {
        if !on.is_empty() && !on.contains(&kernel.architecture) {
            continue;
        }
        let (major, minor) = kernel.architecture.capability;
        let known = limits.limits_at(ComputeCapability { major, minor });
        let target = kernel.architecture.to_string();
        let one = KernelResources::new(kernel, target.clone(), known.as_ref(), threads);
        // A cubin states no spills, `ptxas -v` does: what one file leaves open the other fills in.
        all.entry((kernel.symbol.clone(), target)).and_modify(|k| k.fill_in(&one)).or_insert(one);
    }
    all.into_values().collect()
}

impl KernelResources {
    fn new(
        kernel: &crate::compiler::CompiledKernel,
        target: String,
        limits: Option<&SmLimits>,
        threads: Option<u32>,
    ) -> Self {
        let resources = &kernel.resources;
        let threads = threads_of(resources, threads);
        let fraction = |limits: &SmLimits| {
            let needs = BlockNeeds {
                threads,
                regs_per_thread: resources.registers,
                smem_static: resources.static_smem_bytes.unwrap_or(0),
                barriers: resources.barriers.unwrap_or(1),
                max_threads: resources.max_threads,
                ..BlockNeeds::default()
            };
            100.0 * occupancy(limits, needs, Rules::Exact).fraction()
        };
        let spills = [resources.spill_store_bytes, resources.spill_load_bytes];
        Self {
            symbol: kernel.symbol.clone(),
            kernel: kernel.name.clone(),
            target,
            regs_per_thread: resources.registers,
            smem_static_bytes: resources.static_smem_bytes,
            spill_bytes: spills.iter().any(Option::is_some).then(|| spills.iter().flatten().sum()),
            threads,
            occupancy_percent: limits.map(fraction),
        }
    }

    fn fill_in(&mut self, other: &Self) {
        self.smem_static_bytes = self.smem_static_bytes.or(other.smem_static_bytes);
        self.spill_bytes = self.spill_bytes.or(other.spill_bytes);
    }
}

/// The block it must be launched with, else the typed one, else its bound where that is smaller than what is usual.
fn threads_of(resources: &Resources, typed: Option<u32>) -> u32 {
    let bound = resources.max_threads.map_or(BlockSize::USUAL, |most| most.min(BlockSize::USUAL));
    resources.required_threads().or(typed).unwrap_or(bound)
}

/// Every kernel of the baseline and of the build, failing ones first.
#[must_use]
pub fn compare_builds(
    baseline: Option<&Baseline>,
    now: &[KernelResources],
    on: &[CodeArchitecture],
    limits: GateLimits,
) -> Vec<GateRow> {
    let mut rows: BTreeMap<(String, String), [Option<KernelResources>; 2]> = BTreeMap::new();
    let before = baseline.map_or_else(Vec::new, |baseline| baseline.placed(now, on));
    for (target, kernel) in before {
        rows.entry((kernel.symbol.clone(), target)).or_default()[0] = Some(kernel.clone());
    }
    for kernel in now {
        rows.entry((kernel.symbol.clone(), kernel.target.clone())).or_default()[1] = Some(kernel.clone());
    }
    let mut all: Vec<GateRow> = rows
        .into_values()
        .map(|[before, now]| {
            let mut failures = regressions(before.as_ref(), now.as_ref(), limits);
            let missed = now.as_ref().map_or_else(Vec::new, |now| missed_limits(now, limits));
            let misses_limit = !missed.is_empty();
            failures.extend(missed);
            GateRow { before, now, failures, misses_limit, is_compared: baseline.is_some() }
        })
        .collect();
    all.sort_by_key(|row| (row.failures.is_empty(), !row.is_changed()));
    all
}

impl Baseline {
    /// The kernels to compare with, each with the architecture of the build that it stands beside: its own, or each one of the build
    /// where the baseline has a single architecture that the build lacks.
    fn placed(&self, now: &[KernelResources], on: &[CodeArchitecture]) -> Vec<(String, &KernelResources)> {
        let targets = |kernels: &[KernelResources]| -> BTreeSet<String> {
            kernels.iter().map(|k| k.target.clone()).collect()
        };
        let (own, built) = (targets(&self.kernels), targets(now));
        if own.len() == 1 && own.is_disjoint(&built) {
            let beside =
                |target: &String| self.kernels.iter().map(|k| (target.clone(), k)).collect::<Vec<_>>();
            return built.iter().flat_map(beside).collect();
        }
        let listed: BTreeSet<String> = on.iter().map(ToString::to_string).collect();
        let wanted = |k: &&KernelResources| listed.is_empty() || listed.contains(&k.target);
        self.kernels.iter().filter(wanted).map(|k| (k.target.clone(), k)).collect()
    }
}

/// What is worse than in the baseline, or can no longer be compared with it; but for what [`missed_limits`] says.
fn regressions(
    before: Option<&KernelResources>,
    now: Option<&KernelResources>,
    limits: GateLimits,
) -> Vec<String> {
    let (before, now) = match (before, now) {
        (Some(before), Some(now)) => (before, now),
        (_, None) => return vec!["is gone from the build".into()],
        (None, _) => return Vec::new(),
    };
    let mut out = Vec::new();
    if now.regs_per_thread > before.regs_per_thread.saturating_add(limits.registers_more) {
        out.push(format!("{} registers more", now.regs_per_thread - before.regs_per_thread));
    }
    let mut grows = |what: &str, how: &str, pair: [Option<u32>; 2]| match pair {
        [Some(before), Some(now)] if now > before => out.push(format!("{} bytes more {what}", now - before)),
        [Some(_), None] => out.push(format!("{what} no longer stated: {how}")),
        _ => {}
    };
    let how = "give the ptxas -v log or the cubin as well";
    grows("shared memory", how, [before.smem_static_bytes, now.smem_static_bytes]);
    if now.spill_bytes.is_some() || !limits.no_spills {
        grows("spills", STATES_SPILLS, [before.spill_bytes, now.spill_bytes]);
    }
    match [before.occupancy_percent, now.occupancy_percent] {
        [Some(was), Some(is)] if is < was - 1e-9 => out.push(format!("occupancy {was:.0} % to {is:.0} %")),
        [Some(_), None] if limits.least_occupancy.is_none() => out.push(occupancy_unknown(now)),
        _ => {}
    }
    out
}

/// What states spills.
const STATES_SPILLS: &str = "give the ptxas -v log as well";

/// Why there is no occupancy to compare.
fn occupancy_unknown(now: &KernelResources) -> String {
    format!("occupancy unknown: the limits of {} are not known; compile for another architecture", now.target)
}

/// Which limits the build itself misses.
fn missed_limits(now: &KernelResources, limits: GateLimits) -> Vec<String> {
    let mut out = Vec::new();
    if limits.no_spills && now.spill_bytes != Some(0) {
        let unknown = || format!("spills not stated: {STATES_SPILLS}");
        out.push(now.spill_bytes.map_or_else(unknown, |_| "spills".into()));
    }
    match (limits.least_occupancy, now.occupancy_percent) {
        (Some(least), Some(is)) if is < least => out.push(format!("occupancy below {least:.0} %")),
        (Some(_), None) => out.push(occupancy_unknown(now)),
        _ => {}
    }
    out
}

impl GateRow {
    /// Whether anything differs from the baseline. What the baseline leaves open is no difference, but for spills.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        if !self.is_compared {
            return false;
        }
        let [Some(before), Some(now)] = [&self.before, &self.now] else { return true };
        let differs = |before: Option<u32>, now: Option<u32>| before.is_some() && before != now;
        let gains_spills = before.spill_bytes.is_none() && now.spill_bytes.is_some_and(|bytes| bytes > 0);
        before.regs_per_thread != now.regs_per_thread
            || before.threads != now.threads
            || before.occupancy_percent != now.occupancy_percent
            || differs(before.smem_static_bytes, now.smem_static_bytes)
            || differs(before.spill_bytes, now.spill_bytes)
            || gains_spills
    }

    /// `FAIL: 4 registers more`, or the word.
    fn result(&self) -> String {
        match self.word() {
            "fail" => format!("FAIL: {}", self.failures.join(", ")),
            "changed" => "changed, passes".into(),
            word => word.into(),
        }
    }

    /// `fail`, `passes` (without a baseline), `new`, `changed`, `same`.
    fn word(&self) -> &'static str {
        match &self.before {
            _ if !self.failures.is_empty() => "fail",
            _ if !self.is_compared => "passes",
            None => "new",
            Some(_) if self.is_changed() => "changed",
            Some(_) => "same",
        }
    }

    /// `sm_70 → sm_90` where the baseline has another architecture.
    fn target(&self) -> Option<String> {
        let [before, now] = [&self.before, &self.now].map(|k| k.as_ref().map(|k| k.target.clone()));
        if now.is_none() { before } else { before_and_now(before, now) }
    }
}

/// The comparison for a pull request: kernels that fail or changed, and how many did not.
#[must_use]
pub fn gate_table(rows: &[GateRow]) -> Table {
    let mut table = Table::new(vec![
        TableColumn::left("kernel"),
        TableColumn::left("target"),
        TableColumn::right("registers"),
        TableColumn::right("shared memory"),
        TableColumn::right("spills"),
        TableColumn::right("occupancy"),
        TableColumn::left("result"),
    ]);
    let failed = rows.iter().filter(|r| !r.failures.is_empty()).count();
    let is_compared = rows.iter().any(|row| row.is_compared);
    let verdict = match failed {
        0 if is_compared => "no regression".to_string(),
        0 => "all pass".to_string(),
        _ => format!("{failed} failed"),
    };
    table.title = format!("{} kernels and targets, {verdict}", rows.len());
    for row in rows.iter().filter(|r| r.is_changed() || !r.failures.is_empty()) {
        let Some(named) = row.now.as_ref().or(row.before.as_ref()) else { continue };
        let pair = |of: &dyn Fn(&KernelResources) -> Option<String>| {
            let [before, now] = [&row.before, &row.now].map(|k| k.as_ref().and_then(of));
            // A number that the baseline leaves open: `? → 8 B`.
            let before = before.or_else(|| (row.before.is_some() && now.is_some()).then(|| "?".into()));
            TableCell::maybe(before_and_now(before, now), TableCell::text)
        };
        let bytes = |b: Option<u32>| b.map(|b| format!("{b} B"));
        table.rows.push(vec![
            TableCell::text(&named.kernel),
            TableCell::maybe(row.target(), TableCell::text),
            pair(&|k| Some(k.regs_per_thread.to_string())),
            pair(&|k| bytes(k.smem_static_bytes)),
            pair(&|k| bytes(k.spill_bytes)),
            pair(&|k| k.occupancy_percent.map(|o| format!("{o:.0} % of {} threads", k.threads))),
            TableCell::text(row.result()),
        ]);
    }
    let same = rows.len() - table.rows.len();
    if same > 0 {
        table.notes.push(format!("{same} {}", if is_compared { "unchanged" } else { "pass" }));
    }
    table.notes.extend(other_architecture(rows));
    table
}

/// That the baseline has another architecture than the build.
fn other_architecture(rows: &[GateRow]) -> Option<String> {
    let pairs = rows.iter().filter_map(|row| Some((&row.before.as_ref()?.target, &row.now.as_ref()?.target)));
    let moved: BTreeSet<(&String, &String)> = pairs.filter(|(before, now)| before != now).collect();
    let from = moved.first()?.0;
    let to: Vec<&str> = moved.iter().map(|(_, now)| now.as_str()).collect();
    Some(format!("the baseline is of {from}, the build of {}: kernels are paired by name", to.join(", ")))
}

/// The comparison for programs: every kernel, before and now in fields of their own.
#[must_use]
pub fn gate_records(rows: &[GateRow]) -> Table {
    let (words, numbers) = (["kernel", "symbol", "target", "target_before"], TableColumn::right);
    let pairs = [
        ["regs_before", "regs"],
        ["smem_before_bytes", "smem_bytes"],
        ["spill_before_bytes", "spill_bytes"],
        ["threads_before", "threads"],
        ["occupancy_before", "occupancy"],
    ];
    let columns = words.map(TableColumn::left).into_iter().chain(pairs.concat().into_iter().map(numbers));
    let mut table = Table::new(columns.chain(["result", "failures"].map(TableColumn::left)).collect());
    table.rows = rows.iter().map(record_cells).collect();
    table
}

/// The cells of [`gate_records`]; what is gone has the target of the baseline.
fn record_cells(row: &GateRow) -> Vec<TableCell> {
    let sides = [row.before.as_ref(), row.now.as_ref()];
    let named = row.now.as_ref().or(row.before.as_ref());
    let text = |k: Option<&KernelResources>, of: fn(&KernelResources) -> &String| {
        TableCell::maybe(k.map(of), TableCell::text)
    };
    let mut cells = vec![
        text(named, |k| &k.kernel),
        text(named, |k| &k.symbol),
        text(named, |k| &k.target),
        text(row.before.as_ref(), |k| &k.target),
    ];
    let numbers: [fn(&KernelResources) -> Option<f64>; 5] = [
        |k| Some(k.regs_per_thread.into()),
        |k| k.smem_static_bytes.map(f64::from),
        |k| k.spill_bytes.map(f64::from),
        |k| Some(k.threads.into()),
        |k| k.occupancy_percent.map(|percent| percent / 100.0),
    ];
    let number = |of| sides.map(|k| TableCell::maybe(k.and_then(of), TableCell::number));
    cells.extend(numbers.into_iter().flat_map(number));
    cells.extend([TableCell::text(row.word()), TableCell::List(row.failures.clone())]);
    cells
}

/// `40`, `40 → 44`, `40 → gone`.
fn before_and_now(before: Option<String>, now: Option<String>) -> Option<String> {
    match (before, now) {
        (Some(before), Some(now)) if before == now => Some(now),
        (Some(before), Some(now)) => Some(format!("{before} → {now}")),
        (Some(before), None) => Some(format!("{before} → ?")),
        (None, now) => now,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(symbol: &str, registers: u32) -> KernelResources {
        KernelResources {
            symbol: symbol.into(),
            kernel: symbol.into(),
            target: "sm_90".into(),
            regs_per_thread: registers,
            smem_static_bytes: Some(1024),
            spill_bytes: Some(0),
            threads: 256,
            occupancy_percent: Some(75.0),
        }
    }

    fn failures_of(now: KernelResources, limits: GateLimits) -> Vec<String> {
        let baseline = Baseline::of_kernels(vec![kernel("k", 40)]);
        compare_builds(Some(&baseline), &[now], &[], limits).remove(0).failures
    }

    #[test]
    fn more_of_anything_fails_and_an_allowance_lets_it_pass() {
        let limits = GateLimits::default();
        assert!(failures_of(kernel("k", 40), limits).is_empty());
        assert!(failures_of(kernel("k", 38), limits).is_empty());
        assert_eq!(failures_of(kernel("k", 44), limits), ["4 registers more"]);
        assert!(failures_of(kernel("k", 44), GateLimits { registers_more: 4, ..limits }).is_empty());
        let spilling =
            KernelResources { spill_bytes: Some(8), smem_static_bytes: Some(2048), ..kernel("k", 40) };
        assert_eq!(failures_of(spilling, limits), ["1024 bytes more shared memory", "8 bytes more spills"]);
        let lower = KernelResources { occupancy_percent: Some(50.0), ..kernel("k", 40) };
        assert_eq!(failures_of(lower.clone(), limits), ["occupancy 75 % to 50 %"]);
        let unstated = KernelResources { spill_bytes: None, smem_static_bytes: None, ..kernel("k", 40) };
        assert_eq!(
            failures_of(unstated.clone(), limits),
            [
                "shared memory no longer stated: give the ptxas -v log or the cubin as well",
                "spills no longer stated: give the ptxas -v log as well"
            ]
        );
        let none = GateLimits { no_spills: true, ..limits };
        let said = failures_of(unstated, none);
        assert_eq!((said.len(), said[1].as_str()), (2, "spills not stated: give the ptxas -v log as well"));
        assert!(failures_of(kernel("k", 40), none).is_empty());
        let unknown = KernelResources { occupancy_percent: None, ..kernel("k", 40) };
        let at_least = GateLimits { least_occupancy: Some(60.0), ..limits };
        for limits in [limits, at_least] {
            let said = failures_of(unknown.clone(), limits);
            assert!(
                said.len() == 1 && said[0].starts_with("occupancy unknown: the limits of sm_90"),
                "{said:?}"
            );
        }
        let least = GateLimits { least_occupancy: Some(60.0), ..limits };
        assert_eq!(failures_of(lower, least).len(), 2);
    }

    #[test]
    fn what_is_gone_fails_and_what_is_new_is_said() {
        let baseline = Baseline::of_kernels(vec![kernel("old", 40)]);
        let rows = compare_builds(Some(&baseline), &[kernel("new", 200)], &[], GateLimits::default());
        assert_eq!(rows[0].failures, ["is gone from the build"]);
        assert_eq!((rows[1].result().as_str(), rows.len()), ("new", 2));
        let elsewhere = "sm_80".parse().unwrap();
        assert!(compare_builds(Some(&baseline), &[], &[elsewhere], GateLimits::default()).is_empty());
    }

    #[test]
    fn what_the_baseline_leaves_open_is_no_change_but_for_spills() {
        let open = KernelResources { spill_bytes: None, smem_static_bytes: None, ..kernel("k", 40) };
        let rows_of = |before: KernelResources, now: KernelResources| {
            compare_builds(Some(&Baseline::of_kernels(vec![before])), &[now], &[], GateLimits::default())
        };
        let same = rows_of(open.clone(), kernel("k", 40));
        assert_eq!((same[0].is_changed(), same[0].result().as_str()), (false, "same"));
        assert_eq!(gate_table(&same).notes, ["1 unchanged"]);
        let spilling = rows_of(open.clone(), KernelResources { spill_bytes: Some(8), ..open.clone() });
        assert!(spilling[0].is_changed());
        assert_eq!(gate_table(&spilling).rows[0][4], TableCell::text("? → 8 B"));
        assert!(rows_of(kernel("k", 40), open)[0].is_changed(), "what is no longer known");
        assert!(rows_of(kernel("k", 40), kernel("k", 39))[0].is_changed());
    }

    #[test]
    fn without_a_baseline_the_limits_alone_are_checked() {
        let spilling = KernelResources { spill_bytes: Some(8), ..kernel("s", 40) };
        let limits = GateLimits { no_spills: true, ..GateLimits::default() };
        let rows = compare_builds(None, &[kernel("k", 40), spilling], &[], limits);
        assert_eq!((rows[0].failures.concat().as_str(), rows[0].misses_limit), ("spills", true));
        assert_eq!((rows[1].word(), rows[1].is_changed()), ("passes", false));
        assert_eq!(gate_table(&rows).notes, ["1 pass"]);
        assert_eq!(gate_table(&rows[1..]).title, "1 kernels and targets, all pass");
    }

    #[test]
    fn a_baseline_of_an_architecture_that_the_build_lacks_is_compared_by_kernel() {
        let old = |symbol| KernelResources { target: "sm_70".into(), ..kernel(symbol, 40) };
        let baseline = Baseline::of_kernels(vec![old("k"), old("gone")]);
        let on = ["sm_90".parse().unwrap()];
        let rows = compare_builds(Some(&baseline), &[kernel("k", 44)], &on, GateLimits::default());
        let words: Vec<(&str, Option<String>)> = rows.iter().map(|row| (row.word(), row.target())).collect();
        assert_eq!(words, [("fail", Some("sm_70".into())), ("fail", Some("sm_70 → sm_90".into()))]);
        assert_eq!(rows[1].failures, ["4 registers more"]);
        let note = "the baseline is of sm_70, the build of sm_90: kernels are paired by name";
        assert_eq!(gate_table(&rows).notes, [note]);
        let both = Baseline::of_kernels(vec![old("k"), kernel("k", 40)]);
        let rows = compare_builds(Some(&both), &[kernel("k", 40)], &[], GateLimits::default());
        assert_eq!(
            (rows[0].failures.as_slice(), rows[1].word()),
            (&["is gone from the build".into()][..], "same")
        );
    }

    #[test]
    fn programs_get_every_kernel_with_numbers_before_and_now() {
        let eighth = KernelResources { occupancy_percent: Some(12.5), ..kernel("k", 44) };
        let baseline = Baseline::of_kernels(vec![kernel("k", 40), kernel("same", 8)]);
        let rows = compare_builds(Some(&baseline), &[eighth, kernel("same", 8)], &[], GateLimits::default());
        let text = gate_records(&rows).render(crate::report::TableFormat::Csv);
        let lines: Vec<&str> = text.lines().collect();
        let failed = "k,k,sm_90,sm_90,40,44,1024,1024,0,0,256,256,0.75,0.125,fail,4 registers more | occupancy 75 % to 12 %";
        assert_eq!(lines[1], failed);
        assert_eq!(lines[2], "same,same,sm_90,sm_90,8,8,1024,1024,0,0,256,256,0.75,0.75,same,");
    }

    #[test]
    fn a_baseline_reads_back_and_others_are_refused() {
        let baseline = Baseline::of_kernels(vec![kernel("a", 1), kernel("b", 2)]);
        assert_eq!(Baseline::parse(&baseline.text()), Ok(baseline.clone()));
        assert_eq!(baseline.text().lines().count(), 4, "a kernel a line");
        for wrong in ["", "{}", "{\"format\":\"x\",\"kernels\":[]}", "[1]"] {
            assert!(Baseline::parse(wrong).unwrap_err().contains("--update"), "{wrong}");
        }
    }
}
