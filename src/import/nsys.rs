//! `nsys stats`, as CSV or as the table it prints: the summary of kernels (`cuda_gpu_kern_sum`, older `gpukernsum`), and the one by grid and
//! block (`cuda_gpu_kern_gb_sum`). One row per kernel: mean time per launch, its deviation, the number of launches.

use super::kernel_name::{LONGEST_NAME, short_name, signature};
use super::ncu::half_digit;
use super::records::{Fields, Records, head_lines};
use super::{ImportJob, ImportRefusal, Imported, Importer, unexpected};
use crate::measurement::{CanonicalRow, Number, ReadError};
use std::io::BufRead;

pub(super) const IMPORTER: Importer =
    Importer { name: "nsys stats kernel summary", recognises: is_own_format, read: read_rows };

fn is_own_format(head: &[u8]) -> bool {
    head_lines(head).any(|line| is_header(line) || is_header(line.trim_ascii_start()))
}

/// Where the columns of a printed table stand: the runs of `-` under its heading. `None` for any other line.
fn ruled_columns(line: &[u8]) -> Option<Vec<(usize, usize)>> {
    let only_rules = line.iter().all(|b| matches!(b, b'-' | b' ')) && line.contains(&b'-');
    let mut columns = Vec::new();
    let mut at = 0;
    for run in line.split(|b| *b == b' ') {
        if !run.is_empty() {
            columns.push((at, at + run.len()));
        }
        at += run.len() + 1;
    }
    (only_rules && columns.len() >= 4).then_some(columns)
}

/// `Time (%),Total Time (ns),Instances,…,Name`, or the same between blanks; the summary of calls to the API has `Num Calls` there.
fn is_header(line: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(line) else { return false };
    let text = text.trim_start_matches('"');
    let has_names = text.contains("Total Time") && text.contains("Instances");
    text.starts_with("Time") && text.len() < 1000 && has_names && !text.contains([';', '\t'])
}

fn read_rows(from: &mut dyn BufRead, job: &ImportJob<'_>) -> Result<Imported, ReadError> {
    let mut records = Records::new(from, job);
    let (mut fields, mut out) = (Fields::default(), Imported::default());
    let mut table: Option<NsysColumns> = None;
    // Of a printed table: its heading, until the rule under it says where the columns stand.
    let (mut heading, mut ruled): (Option<Vec<u8>>, Vec<(usize, usize)>) = (None, Vec::new());
    let (mut seen, mut shapes) = (false, true);
    while let Some(line) = records.next_line()? {
        if line.is_empty() {
            (table, heading) = (None, None);
            ruled.clear();
            continue;
        }
        let text = line.trim_ascii_start();
        let header = is_header(text);
        if header && text.len() < line.len() {
            heading = Some(line.to_vec());
            continue;
        }
        let rule = heading.as_ref().and_then(|_| ruled_columns(line));
        let heads = if let (Some(columns), Some(text)) = (rule, heading.take()) {
            fields.split_at_columns(&text, &columns);
            ruled = columns;
            true
        } else if header {
            records.split(&mut fields)?;
            ruled.clear();
            true
        } else {
            false
        };
        if heads {
            let at = records.line_number();
            let columns = NsysColumns::from_header(&fields)
                .map_err(|why| job.read_error(format!("line {at}: {why}")))?;
            shapes &= columns.grid.is_some();
            (seen, table) = (true, Some(columns));
        } else if let Some(columns) = &table {
            if ruled.is_empty() {
                records.split(&mut fields)?;
            } else {
                fields.split_at_columns(records.last_line(), &ruled);
            }
            let at = records.line_number();
            match columns.canonical_row(&fields, at, job) {
                Ok(row) => out.rows.push(&row),
                Err(why) => out.add_refusal(job, at, why),
            }
        }
    }
    if !seen {
        return Err(job.read_error("has no line Time (%),Total Time (ns),Instances,…; use nsys stats --report cuda_gpu_kern_sum --format csv"));
    }
    if !shapes && !out.rows.is_empty() {
        let what = "one time stands for all launches of a name, whatever their size; --report cuda_gpu_kern_gb_sum tells them apart";
        out.remark(what.into());
    }
    Ok(out)
}

/// The attribute of a kernel's time in all launches.
const TOTAL: &str = "time_total_ms";

/// Where the columns stand, with the milliseconds of their units.
struct NsysColumns {
    width: usize,
    name: usize,
    instances: usize,
    average: (usize, f64),
    deviation: Option<(usize, f64)>,
    /// Kept as attributes.
    further: Vec<(&'static str, usize, f64)>,
    grid: Option<usize>,
    block: Option<usize>,
}

impl NsysColumns {
    fn from_header(header: &Fields) -> Result<Self, String> {
        // Names differ between versions in their blanks and in `Avg`, `Average`.
        let timed = |names: &[&str]| {
            (0..header.len()).find_map(|at| {
                let (name, unit) = header.text_at(at)?.split_once('(')?;
                let per_ms = match unit.trim_end_matches(')') {
                    "ns" | "nsec" => 1e6,
                    "us" | "µs" | "μs" | "usec" => 1e3,
                    "ms" | "msec" => 1.0,
                    "s" | "sec" => 1e-3,
                    _ => return None,
                };
                names.contains(&name.trim()).then_some((at, per_ms))
            })
        };
        let needed =
            |name: &str| header.position(name).ok_or(format!("no column `{name}`; export the summary again"));
        let average = timed(&["Avg", "Average"]).ok_or("no column `Avg (ns)`; export the summary again")?;
        let further = [
            (TOTAL, &["Total Time"][..]),
            ("time_med_ms", &["Med", "Median"]),
            ("time_min_ms", &["Min", "Minimum"]),
            ("time_max_ms", &["Max", "Maximum"]),
        ];
        Ok(Self {
            width: header.len(),
            name: needed("Name")?,
            instances: needed("Instances")?,
            average,
            deviation: timed(&["StdDev", "Std Dev"]),
            further: further
                .into_iter()
                .filter_map(|(to, names)| timed(names).map(|(at, s)| (to, at, s)))
                .collect(),
            grid: header.position("GridXYZ"),
            block: header.position("BlockXYZ"),
        })
    }

    fn canonical_row(
        &self,
        fields: &Fields,
        line: u64,
        job: &ImportJob<'_>,
    ) -> Result<CanonicalRow, ImportRefusal> {
        if fields.len() != self.width {
            let message =
                format!("the row has {} fields, the header {}; is it cut off?", fields.len(), self.width);
            return Err(("row".into(), message));
        }
        let name = fields.text_at(self.name).unwrap_or_default();
        if name.is_empty() || name.len() > LONGEST_NAME {
            return Err(unexpected("Name", name, "the name of a kernel in UTF-8 of at most 512 KiB"));
        }
        let mut row = CanonicalRow {
            kernel: short_name(name).to_string(),
            grid: shape(fields, self.grid, "GridXYZ")?,
            block: shape(fields, self.block, "BlockXYZ")?,
            source: format!("{}:{line}", job.file),
            ..CanonicalRow::default()
        };
        row.problem = super::ncu::launch_problem(row.grid, row.block);
        if let Some(full) = signature(name) {
            row.attributes.insert("kernel_signature".into(), full.to_string());
        }
        self.times(fields, &mut row)?;
        Ok(row)
    }

    fn times(&self, fields: &Fields, row: &mut CanonicalRow) -> Result<(), ImportRefusal> {
        let calls = number_at(fields, self.instances, "Instances")?;
        let time = number_at(fields, self.average.0, "Avg")? / self.average.1;
        if time <= 0.0 || calls < 1.0 || calls.fract() != 0.0 {
            return Err(unexpected("Instances", &calls.to_string(), "at least 1, and a mean time above 0"));
        }
        self.check_total(fields, calls, time)?;
        row.set(Number::Time, Some(time));
        row.set(Number::Trials, Some(calls));
        if let Some((at, per_ms)) = self.deviation {
            row.set(Number::TimeStd, Some(number_at(fields, at, "StdDev")? / per_ms));
        }
        row.attributes.insert("calls".into(), calls.to_string());
        for (attribute, at, per_ms) in &self.further {
            let value = number_at(fields, *at, attribute)? / per_ms;
            row.attributes.insert((*attribute).into(), value.to_string());
        }
        Ok(())
    }
}

impl NsysColumns {
    /// That the total is the launches x their mean, but for the last digits of both.
    fn check_total(&self, fields: &Fields, calls: f64, average: f64) -> Result<(), ImportRefusal> {
        let Some((_, at, per_ms)) = self.further.iter().find(|(to, ..)| *to == TOTAL) else { return Ok(()) };
        let text = |at: usize| fields.text_at(at).unwrap_or_default();
        let digit = |at: usize, per_ms: f64| 2.0 * half_digit(text(at), None) / per_ms;
        let (total, expected) = (number_at(fields, *at, "Total Time")? / per_ms, calls * average);
        let rounding = calls * digit(self.average.0, self.average.1) + digit(*at, *per_ms);
        if (total - expected).abs() <= rounding + 1e-6 * expected {
            return Ok(());
        }
        let mean = text(self.average.0);
        let what = format!("Instances x Avg, {calls} x {mean}; one of the three is wrong or in another unit");
        Err(unexpected("Total Time", text(*at), &what))
    }
}

fn number_at(fields: &Fields, at: usize, column: &str) -> Result<f64, ImportRefusal> {
    let text = fields.text_at(at).unwrap_or("?");
    let value = text.parse::<f64>().ok().filter(|v| v.is_finite() && *v >= 0.0);
    value.ok_or_else(|| unexpected(column, text, "a number of at least 0"))
}

fn shape(fields: &Fields, at: Option<usize>, column: &str) -> Result<Option<[u64; 3]>, ImportRefusal> {
    let Some(at) = at else { return Ok(None) };
    let text = fields.text_at(at).unwrap_or("?");
    dimensions(text).map(Some).ok_or_else(|| unexpected(column, text, "three whole numbers of at least 1"))
}

/// `  196    1    1`.
fn dimensions(text: &str) -> Option<[u64; 3]> {
    let mut parts = text.split_whitespace();
    let mut out = [0; 3];
    for slot in &mut out {
        *slot = parts.next()?.parse().ok().filter(|n| *n > 0)?;
    }
    parts.next().is_none().then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::ImportJob;
    use crate::progress::Progress;

    fn import(text: &str) -> Result<Imported, ReadError> {
        let strings = Progress::default();
        assert!(is_own_format(text.as_bytes()), "{text}");
        IMPORTER.import(
            &mut text.as_bytes(),
            &ImportJob { gpu: Some("titan-v"), ..ImportJob::new("sum.csv", &strings) },
        )
    }

    #[test]
    fn a_summary_has_a_row_per_kernel() {
        let text = "Processing [a.sqlite] with [cuda_gpu_kern_sum.py]... \n\n\
            Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n\
            90.0,6000,3,2000.0,1900.0,1800,2300,264.6,\"void axpy<float>(float *, int)\"\n\
            10.0,700,1,700.0,700.0,700,700,0.0,other\n\n\
            Time (%),Total Time (ns),Num Calls,Avg (ns)\n9,1,1,1\n";
        let read = import(text).unwrap();
        assert_eq!((read.rows.len(), read.refused_count), (2, 0), "{:?}", read.refused);
        let row = &read.rows.row(0);
        assert_eq!(
            (row.gpu.as_str(), row.kernel.as_str(), row.problem.as_str()),
            ("titan-v", "axpy<float>", "")
        );
        assert_eq!(row.get(Number::Time), Some(2000.0 / 1e6));
        assert_eq!((row.get(Number::TimeStd), row.get(Number::Trials)), (Some(264.6 / 1e6), Some(3.0)));
        assert_eq!(row.attributes["calls"], "3");
        assert_eq!(read.remarks.len(), 1);
    }

    #[test]
    fn a_total_that_is_not_the_launches_times_their_mean_is_refused() {
        let read = |total_unit: &str, row: &str| {
            import(&format!("Time (%),Total Time ({total_unit}),Instances,Avg (ns),Name\n{row},k\n")).unwrap()
        };
        let refused = read("ns", "100.0,600000,10,6.0").refused;
        assert_eq!(refused[0].line, 2);
        let said = refused[0].to_string();
        assert!(said.contains("`600000`: expected Instances x Avg, 10 x 6.0"), "{said}");
        assert_eq!(read("ms", "100.0,600,10,60.0").refused_count, 1);
        for (unit, row) in [("ns", "100.0,20,3,6.7"), ("ms", "100.0,0.0006,10,60.0"), ("µs", "100,1.0,3,333")]
        {
            assert_eq!(read(unit, row).refused_count, 0, "{row}");
        }
    }

    #[test]
    fn the_printed_table_is_read_like_the_csv() {
        let text = " ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):\n\n\
            \x20Time (%)  Total Time (ns)  Instances  Avg (ns)   Med (ns)   Min (ns)  Max (ns)  StdDev (ns)               Name              \n\
            \x20--------  ---------------  ---------  ---------  ---------  --------  --------  -----------  ------------------------------\n\
            \x20    90.0            6,000          3  2,000.0    1,900.0       1,800     2,300        264.6  void axpy<float>(float *, int)\n\
            \x20    10.0              700          1    700.0      700.0         700       700          0.0  other\n\n\
            \x20Time (%)  Total Time (ns)  Num Calls\n --------  ---------------  ---------\n  1  2  3\n";
        let read = import(text).unwrap();
        assert_eq!((read.rows.len(), read.refused_count), (2, 0), "{:?}", read.refused);
        assert_eq!(
            (read.rows.row(0).kernel.as_str(), read.rows.row(0).attributes["calls"].as_str()),
            ("axpy<float>", "3")
        );
        assert_eq!(read.rows.row(0).get(Number::Time), Some(2000.0 / 1e6));
        assert_eq!(read.rows.row(1).kernel, "other");
    }

    #[test]
    fn older_names_other_units_and_the_summary_by_grid() {
        let old = "\"Time(%)\",\"Total Time (us)\",\"Instances\",\"Average (us)\",\"Minimum (us)\",\"Maximum (us)\",\"Name\"\n\
            100.0,6,3,2.0,1,3,k\n";
        assert_eq!(import(old).unwrap().rows.row(0).get(Number::Time), Some(2.0 * 1e-3));
        let shaped = "Time (%),Total Time (ns),Instances,Avg (ns),StdDev (ns),GridXYZ,BlockXYZ,Name\n\
            100.0,6,3,2.0,0.0,   64   64    1,  16   16    1,k\n\
            100.0,6,3,2.0,0.0,   64   0    1,  16   16    1,k\n";
        let read = import(shaped).unwrap();
        assert_eq!((read.rows.len(), read.refused_count), (1, 1));
        assert_eq!(read.rows.row(0).problem, "grid=64;grid_y=64;block=16;block_y=16");
    }
}
