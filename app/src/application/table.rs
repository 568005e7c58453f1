//! An application as tables: what the GPU did with its time, and its groups of kernels by their share.

use super::group::KernelGroup;
use super::recorded::Application;
use super::timeline::Timeline;
use crate::report::kernels::dimensions;
use crate::report::{Table, TableCell, TableColumn, TableFormat};
use crate::units::{Bytes, Flops, Seconds, significant};

/// How many groups of kernels a table lists where nobody says.
pub const GROUPS_LISTED: usize = 20;

/// What the GPU did with its time.
#[must_use]
pub fn summary_table(application: &Application) -> Table {
    let mut table =
        Table::new(vec![TableColumn::left("time"), TableColumn::right(" "), TableColumn::right("of window")]);
    table.title = title(application);
    match &application.timeline {
        Some(line) => table.rows = time_rows(application, line),
        None => {
            table.rows.push(sum_row(application));
        }
    }
    table.notes = summary_notes(application);
    table
}

fn title(application: &Application) -> String {
    let gpu = match application.gpu_name.as_str() {
        "" => "a GPU that the file does not name",
        name => name,
    };
    let range = application.range.as_ref().map(|r| format!(", range {r}")).unwrap_or_default();
    let (file, format) = (application.file_name(), application.format.words());
    format!("{file}: {format}, {gpu} (GPU {}){range}", application.device_index)
}

fn time_rows(application: &Application, line: &Timeline) -> Vec<Vec<TableCell>> {
    let window = line.window.nanoseconds();
    let row = |name: &str, nanoseconds: i64| {
        let time = Seconds(nanoseconds as f64 * 1e-9);
        let share = if window > 0 { 100.0 * nanoseconds as f64 / window as f64 } else { 0.0 };
        vec![TableCell::text(name), TableCell::text(time.to_string()), TableCell::text(percent(share))]
    };
    let mut rows = vec![
        row("window", window),
        row("kernels running", line.kernels),
        row("copies and fills alone", line.copy_only),
        row("idle: next launch queued (launch gap)", line.idle.launch_gap),
        row("idle: host not ready", line.idle.host),
        row("idle: host synchronising", line.idle.synchronisation),
    ];
    if line.idle.unknown > 0 {
        rows.push(row("idle: cause unknown", line.idle.unknown));
    }
    rows.push(sum_row(application));
    for copy in &application.copies {
        let bytes = copy.bytes.map(|b| format!(", {b}")).unwrap_or_default();
        let name = format!("{}: {}{bytes}", copy.direction.as_str(), counted(copy.count, "copy", "copies"));
        rows.push(vec![TableCell::text(name), TableCell::text(copy.total.to_string()), TableCell::Null]);
    }
    rows
}

/// What the shares of groups are shares of.
fn sum_row(application: &Application) -> Vec<TableCell> {
    let name = if application.has_graphs() { "kernels and CUDA graphs, summed" } else { "kernels, summed" };
    let sum = application.groups_total().to_string();
    vec![TableCell::text(name), TableCell::text(sum), TableCell::Null]
}

/// `1 copy`, `12 copies`.
pub(super) fn counted(n: u64, one: &str, several: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { several })
}

/// `1 kernel launch`, `5 launches of kernels and CUDA graphs`.
#[must_use]
pub fn launches_in_words(application: &Application) -> String {
    let (one, several) = match application.has_graphs() {
        true => ("launch of a CUDA graph", "launches of kernels and CUDA graphs"),
        false => ("kernel launch", "kernel launches"),
    };
    counted(application.kernel_count, one, several)
}

/// `12.3 %`, `< 0.1 %`, `> 99.9 %`; all and nothing as `100 %` and `0 %`.
#[must_use]
pub fn percent(value: f64) -> String {
    match format!("{value:.1}").as_str() {
        _ if value > 0.0 && value < 0.1 => "< 0.1 %".into(),
        "100.0" if value < 99.999 => "> 99.9 %".into(),
        shown => format!(
            "{} %",
            shown.strip_suffix(".0").filter(|all| ["0", "100"].contains(all)).unwrap_or(shown)
        ),
    }
}

fn summary_notes(application: &Application) -> Vec<String> {
    let mut notes = Vec::new();
    if application.timeline.is_some() {
        notes.push(match &application.range {
            None => {
                "window: from the first to the last activity of the GPU; --range NAME takes a marked range"
                    .into()
            }
            Some(_) => "window: the range, from where the GPU is done with earlier work to its last activity"
                .to_string(),
        });
    }
    if let Some(step) = &application.step {
        let name =
            step.name.as_ref().map_or("by the order of kernels".to_string(), |n| format!("marked `{n}`"));
        let time = Seconds(step.median * 1e-9);
        let spread = significant(100.0 * step.spread);
        notes.push(format!("repeats {} times, {name}: {time} each, ± {spread} % (standard deviation); --range step takes one", step.count));
    }
    if !application.ranges.is_empty() && application.range.is_none() {
        let names: Vec<String> =
            application.ranges.iter().take(5).map(|r| format!("{} ({})", r.name, r.count)).collect();
        notes.push(format!("ranges: {}", names.join(", ")));
    }
    notes.extend(application.remarks.iter().cloned());
    notes
}

/// The groups, `most` of them, the longest first.
#[must_use]
pub fn group_table(application: &Application, most: usize, format: TableFormat) -> Table {
    if format.is_for_people() { overview_table(application, most) } else { record_table(application) }
}

fn overview_table(application: &Application, most: usize) -> Table {
    let mut table = Table::new(vec![
        TableColumn::left("kernel"),
        TableColumn::left("operator"),
        TableColumn::left("for"),
        TableColumn::right("calls"),
        TableColumn::right("total"),
        TableColumn::right("share"),
        TableColumn::right("mean"),
        TableColumn::right("grid x block"),
        TableColumn::right("regs"),
        TableColumn::right("FLOPs"),
        TableColumn::right("DRAM"),
    ]);
    table.title = format!(
        "{} in {}",
        launches_in_words(application),
        counted(application.groups.len() as u64, "group", "groups")
    );
    for group in application.groups.iter().take(most) {
        table.rows.push(overview_row(group));
    }
    let rest = application.groups.get(most..).unwrap_or_default();
    if !rest.is_empty() {
        let share: f64 = rest.iter().map(|g| g.share).sum();
        let groups = counted(rest.len() as u64, "group", "groups");
        table.notes.push(format!(
            "… and {groups} more with {} of the time; --top N shows N",
            percent(100.0 * share)
        ));
    }
    table
}

/// `512 x 128`: blocks by threads, where both are recorded.
#[must_use]
pub fn launch_words(group: &KernelGroup) -> Option<String> {
    let launch = group.grid.zip(group.block);
    launch.map(|(grid, block)| format!("{} x {}", dimensions(grid), dimensions(block)))
}

fn overview_row(group: &KernelGroup) -> Vec<TableCell> {
    let launch = launch_words(group);
    let counts = group.counts.as_ref();
    vec![
        TableCell::text(&group.label),
        TableCell::maybe(group.short_operator(), TableCell::text),
        TableCell::text(group.category.as_str()),
        TableCell::text(group.calls.to_string()),
        TableCell::text(group.total.to_string()),
        TableCell::text(percent(100.0 * group.share)),
        TableCell::text(group.mean().to_string()),
        TableCell::maybe(launch, TableCell::text),
        TableCell::maybe(group.registers, |r| TableCell::text(r.to_string())),
        TableCell::maybe(counts.and_then(|c| c.flops), |f| TableCell::text(Flops(f).to_string())),
        TableCell::maybe(counts.and_then(|c| c.dram_bytes), |b| TableCell::text(Bytes(b).to_string())),
    ]
}

/// For programs: one row per group, all of them.
fn record_table(application: &Application) -> Table {
    let mut table = Table::new(vec![
        TableColumn::left("name"),
        TableColumn::left("operator"),
        TableColumn::left("category"),
        TableColumn::right("calls"),
        TableColumn::right("total_ms"),
        TableColumn::right("share_percent"),
        TableColumn::right("mean_ms"),
        TableColumn::left("block"),
        TableColumn::left("grid"),
        TableColumn::right("regs_per_thread"),
        TableColumn::right("shared_bytes"),
        TableColumn::right("flops"),
        TableColumn::right("dram_bytes"),
        TableColumn::left("counts_from"),
    ]);
    for group in &application.groups {
        let counts = group.counts.as_ref();
        table.rows.push(vec![
            TableCell::text(&group.name),
            TableCell::maybe(group.operator_words(), TableCell::text),
            TableCell::text(group.category.as_str()),
            TableCell::number(group.calls as f64),
            TableCell::number(group.total.millis()),
            TableCell::number(100.0 * group.share),
            TableCell::number(group.mean().millis()),
            TableCell::maybe(group.block, |b| TableCell::text(dimensions(b))),
            TableCell::maybe(group.grid, |g| TableCell::text(dimensions(g))),
            TableCell::maybe(group.registers, TableCell::number),
            TableCell::maybe(group.shared_bytes, TableCell::number),
            TableCell::maybe(counts.and_then(|c| c.flops), TableCell::number),
            TableCell::maybe(counts.and_then(|c| c.dram_bytes), TableCell::number),
            TableCell::maybe(counts, |c| TableCell::text(&c.from)),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::application::{
        PartOfTrace, RecordedTrace, Span, TraceFormat, TracedGraph, TracedKernel, application_json,
        application_of,
    };

    #[test]
    fn launches_and_their_time_are_one_number_with_graphs_and_without() {
        let mut trace = RecordedTrace::empty("t", TraceFormat::Nsys);
        let span = |start| Span { start, end: start + 1000 };
        for start in [0, 2000, 4000] {
            let graph = TracedGraph { graph: 7, device: 0, stream: 1, span: span(start), correlation: 0 };
            trace.graphs.push(graph);
        }
        let name = trace.names.id_of("k");
        trace.kernels.push(TracedKernel {
            name,
            device: 0,
            stream: 1,
            span: span(6000),
            correlation: 0,
            operator: None,
            block: [1; 3],
            grid: [1; 3],
            registers: None,
            shared_bytes: None,
        });
        let application = application_of(&trace, &PartOfTrace::default()).unwrap();
        let calls: u64 = application.groups.iter().map(|group| group.calls).sum();
        assert_eq!((application.kernel_count, calls), (4, 4));
        assert_eq!(launches_in_words(&application), "4 launches of kernels and CUDA graphs");
        let json = application_json(&application, None, Vec::new());
        assert_eq!(json["kernel_count"].as_u64(), Some(4));
        assert_eq!(json["kernel_sum_ms"].as_f64(), Some(application.groups_total().millis()));
        let table = summary_table(&application).render(TableFormat::Csv);
        assert!(table.contains("\"kernels and CUDA graphs, summed\",4.00 µs"), "{table}");
    }

    #[test]
    fn shapes_and_shares_as_words() {
        let shapes = [[256, 1, 1], [16, 16, 1], [1, 1, 4]].map(dimensions::<u32>);
        assert_eq!(shapes, ["256", "16x16", "1x1x4"]);
        let shares = [0.0, 0.01, 12.34, 99.97, 100.0 - 1e-9].map(percent);
        assert_eq!(shares, ["0 %", "< 0.1 %", "12.3 %", "> 99.9 %", "100 %"]);
        assert_eq!([counted(1, "copy", "copies"), counted(2, "copy", "copies")], ["1 copy", "2 copies"]);
    }
}
