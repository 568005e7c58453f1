//! `nvprof --csv`: the GPU trace (one row per launch, units in the second row) and tables of metrics (units stuck to the
//! values). Both may stand in one log, each under a header of its own, with `==pid==` lines between.
//!
//! A trace whose lines somebody prefixed with a problem size is read too: the size becomes `size=256`.

mod cells;
mod metrics;
mod trace;

use super::records::{Fields, Records, head_lines};
use super::{ImportJob, ImportRefusal, Imported, Importer};
use crate::measurement::ReadError;
use metrics::Metrics;
use std::io::BufRead;
use trace::Trace;

pub(super) const IMPORTER: Importer =
    Importer { name: "nvprof --csv (GPU trace, metrics)", recognises: is_own_format, read: read_rows };

fn is_own_format(head: &[u8]) -> bool {
    head_lines(head).any(|line| is_banner(line) || is_metrics(line) || is_trace(line))
        || head_lines(head).next().is_some_and(is_bare_trace)
}

fn is_banner(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(b"==") else { return false };
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    digits > 0
        && [&b"== NVPROF"[..], b"== Profiling", b"== Metric"].iter().any(|t| rest[digits..].starts_with(t))
}

fn is_metrics(line: &[u8]) -> bool {
    line.starts_with(b"\"Device\",\"Kernel\",\"Invocations\",\"Metric Name\"")
}

fn is_trace(line: &[u8]) -> bool {
    let header = &line[line.iter().position(|b| *b == b'"').unwrap_or(0)..];
    header.starts_with(b"\"Start\",\"Duration\",") && contains_word(header, b"\"Name\"")
}

/// A launch of a trace whose header was cut away: it ends in a quoted name with the launch's number.
fn is_bare_trace(line: &[u8]) -> bool {
    let fields = line.iter().filter(|b| **b == b',').count();
    line.ends_with(b"]\"") && fields >= 16 && contains_word(line, b",\"1\",")
}

fn contains_word(text: &[u8], word: &[u8]) -> bool {
    text.windows(word.len()).any(|w| w == word)
}

fn read_rows(from: &mut dyn BufRead, job: &ImportJob<'_>) -> Result<Imported, ReadError> {
    let mut records = Records::new(from, job);
    let (mut fields, mut out) = (Fields::default(), Imported::default());
    let mut table = NvprofTable::None;
    let mut seen = false;
    while let Some(line) = records.next_line()? {
        let (metrics, trace) = (is_metrics(line), is_trace(line));
        let header = metrics || trace;
        if line.is_empty() || line.starts_with(b"==") || (matches!(table, NvprofTable::None) && !header) {
            continue;
        }
        records.split(&mut fields)?;
        let at = records.line_number();
        if header {
            std::mem::replace(&mut table, NvprofTable::None).finish_table(&mut out);
            let refuse = |why: String| job.read_error(format!("line {at}: {why}"));
            table = if metrics {
                NvprofTable::Metrics(Metrics::default())
            } else {
                NvprofTable::Trace(Trace::new(&fields).map_err(refuse)?)
            };
            seen = true;
            continue;
        }
        if let Err(why) = table.read_record(&fields, at, job, &mut out) {
            out.add_refusal(job, at, why);
        }
    }
    table.finish_table(&mut out);
    if !seen {
        return Err(job.read_error(
            "has no header \"Start\",\"Duration\",… or \"Device\",\"Kernel\",…: without it and its units the numbers cannot be read; \
             keep the lines that nvprof prints above the rows",
        ));
    }
    Ok(out)
}

/// The table whose rows are being read.
enum NvprofTable {
    None,
    Trace(Trace),
    Metrics(Metrics),
}

impl NvprofTable {
    fn read_record(
        &mut self,
        fields: &Fields,
        line: u64,
        job: &ImportJob<'_>,
        out: &mut Imported,
    ) -> Result<(), ImportRefusal> {
        match self {
            Self::None => Ok(()),
            Self::Trace(trace) => trace.read_record(fields, line, job, out),
            Self::Metrics(metrics) => metrics.read_record(fields, line, job),
        }
    }

    fn finish_table(self, out: &mut Imported) {
        match self {
            Self::Metrics(metrics) => metrics.finish_rows(out),
            Self::Trace(trace) if trace.copies > 0 => {
                out.remark("copies and fills of memory in the trace are ignored".into());
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::ImportJob;
    use crate::measurement::Number;
    use crate::progress::Progress;

    fn import(text: &str) -> Result<Imported, ReadError> {
        let strings = Progress::default();
        assert!(is_own_format(text.as_bytes()), "{text}");
        read_rows(&mut text.as_bytes(), &ImportJob::new("log.csv", &strings))
    }

    const HEADER: &str = "\"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\"Grid Z\",\"Block X\",\"Block Y\",\"Block Z\",\
        \"Registers Per Thread\",\"Static SMem\",\"Dynamic SMem\",\"Size\",\"Throughput\",\"Device\",\"Context\",\"Stream\",\"Name\"";

    #[test]
    fn only_what_is_missing_is_asked_for_and_what_is_not_used_is_named() {
        let line = |metric: &str| {
            format!(
                "\"Tesla K20c (0)\",\"axpy(float*)\",\"1\",\"{metric}\",\"{metric}\",\"4096\",\"4096\",\"4096\"\n"
            )
        };
        let text = |metrics: &[&str]| {
            let lines: String = metrics.iter().map(|metric| line(metric)).collect();
            format!(
                "==7== Profiling result:\n\"Device\",\"Kernel\",\"Invocations\",\"Metric Name\",\"Metric Description\",\"Min\",\"Max\",\"Avg\"\n{lines}"
            )
        };
        let said = |metrics: &[&str]| import(&text(metrics)).unwrap().remarks.join("; ");
        let one = said(&["flop_count_sp", "gld_transactions"]);
        assert!(
            one.contains("flop_count_sp was counted and flop_count_dp was not; add --metrics flop_count_dp"),
            "{one}"
        );
        assert!(one.contains("metrics that are not used: gld_transactions"), "{one}");
        let none = said(&["inst_issued"]);
        assert!(none.contains("not both counted: add --metrics flop_count_sp,flop_count_dp"), "{none}");
        let both = said(&["flop_count_sp", "flop_count_dp"]);
        assert!(!both.contains("add --metrics flop_count_sp") && !both.contains("not used"), "{both}");
    }

    #[test]
    fn a_trace_has_a_row_per_launch() {
        let text = format!(
            "==7== NVPROF is profiling process 7, command: ./a\n==7== Profiling result:\n{HEADER}\n\
             ms,us,,,,,,,,KB,B,MB,GB/s,,,,\n\
             1.0,5.5,,,,,,,,,,2.0,6.1,\"Quadro X (0)\",\"1\",\"7\",\"[CUDA memcpy HtoD]\"\n\
             2.0,12.5,10,2,1,64,4,1,23,0.5,16,,,\"Quadro X (0)\",\"1\",\"7\",\"void axpy<float>(float*, int) [110]\"\n"
        );
        let read = import(&text).unwrap();
        assert_eq!((read.rows.len(), read.refused_count), (1, 0), "{:?}", read.refused);
        let row = &read.rows.row(0);
        assert_eq!(
            (row.gpu.as_str(), row.kernel.as_str(), row.problem.as_str()),
            ("Quadro X", "axpy<float>", "")
        );
        assert_eq!((row.grid, row.block), (Some([10, 2, 1]), Some([64, 4, 1])));
        assert_eq!(row.get(Number::Time), Some(12.5 * 1e-3));
        assert_eq!((row.get(Number::SmemStatic), row.get(Number::SmemDynamic)), (Some(512.0), Some(16.0)));
        assert_eq!(read.remarks, ["copies and fills of memory in the trace are ignored"]);
    }

    #[test]
    fn a_prefix_is_the_size_and_a_cut_header_is_refused() {
        let row = "64,2.0,12.5,10,2,1,64,4,1,23,0.5,16,,,\"Quadro X (0)\",\"1\",\"7\",\"k(int) [1]\"";
        let units = "64,ms,us,,,,,,,,KB,B,MB,GB/s,,,,";
        let read = import(&format!("64,{HEADER}\n{units}\n{row}\n")).unwrap();
        assert_eq!(read.rows.row(0).problem, "size=64");
        assert!(import(&format!("{row}\n")).unwrap_err().message.contains("has no header"));
        let without_units = import(&format!("64,{HEADER}\n{row}\n")).unwrap();
        assert_eq!((without_units.rows.len(), without_units.refused_count), (0, 1));
    }

    #[test]
    fn metrics_are_gathered_by_kernel() {
        let text = "==7== Metric result:\n\
            \"Device\",\"Kernel\",\"Invocations\",\"Metric Name\",\"Metric Description\",\"Min\",\"Max\",\"Avg\"\n\
            \"Quadro X (0)\",\"k(int)\",3,\"flop_count_sp\",\"F, single\",10,30,20\n\
            \"Quadro X (0)\",\"k(int)\",3,\"flop_count_dp\",\"F, double\",0,0,0\n\
            \"Quadro X (0)\",\"k(int)\",3,\"achieved_occupancy\",\"Achieved\",0.25,0.75,0.500000\n\
            \"Quadro X (0)\",\"k(int)\",3,\"warp_execution_efficiency\",\"W\",50.0%,50.0%,50.0%\n\
            \"Quadro X (0)\",\"other\",1,\"dram_read_transactions\",\"D\",2,2,2\n\
            \"Quadro X (0)\",\"other\",1,\"dram_write_transactions\",\"D\",1,1,1\n\
            \"Quadro X (0)\",\"other\",1,\"flop_count_sp\",\"F\",x,x,x\n";
        let read = import(text).unwrap();
        assert_eq!((read.rows.len(), read.refused_count), (2, 1));
        let rows = read.rows.to_vec();
        let [k, other] = &rows[..] else { panic!("two kernels") };
        assert_eq!((k.get(Number::Flops), k.dtype.as_str()), (Some(20.0), "fp32"));
        assert_eq!(
            (k.get(Number::AchievedOccupancy), k.get(Number::ActiveThreads)),
            (Some(50.0), Some(16.0))
        );
        assert_eq!(other.get(Number::DramBytes), Some(96.0));
        assert_eq!(read.refused[0].column, "Avg");
        let said = |text: &str| read.remarks.iter().any(|r| r.starts_with(text));
        assert!(said("no FLOPs, as single") && said("FLOPs without half"), "{:?}", read.remarks);
        assert!(said("FLOPs of the vector pipes alone"), "{:?}", read.remarks);
        let metric = "tensor_precision_fu_utilization";
        for (level, flops) in [("Idle (0)", Some(20.0)), ("Low (2)", None)] {
            let looked = format!(
                "{text}\"Quadro X (0)\",\"k(int)\",3,\"{metric}\",\"T\",\"{level}\",\"{level}\",\"{level}\"\n"
            );
            let read = import(&looked).unwrap();
            assert_eq!(read.rows.row(0).get(Number::Flops), flops, "{level}");
            assert!(!read.remarks.iter().any(|r| r.starts_with("FLOPs of the vector")), "{:?}", read.remarks);
        }
    }

    #[test]
    fn the_count_of_one_width_is_not_that_of_all() {
        let text = "\"Device\",\"Kernel\",\"Invocations\",\"Metric Name\",\"Metric Description\",\"Min\",\"Max\",\"Avg\"\n\
            \"Quadro X (0)\",\"k(int)\",3,\"flop_count_dp\",\"F, double\",0,0,0\n";
        let read = import(text).unwrap();
        assert_eq!(read.rows.row(0).get(Number::Flops), None, "a kernel in single precision has more than 0");
        assert!(
            read.remarks.iter().any(|r| r.starts_with("no FLOPs: flop_count_dp was counted")),
            "{:?}",
            read.remarks
        );
    }
}
