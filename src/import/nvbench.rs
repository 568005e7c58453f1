//! NVBench's CSV (`--csv`): one row per benchmark and axis values; each can hold a cold and a batch time.
//!
//! The cold time is the mean of isolated launches after the L2 cache was flushed (variant `timing=cold`), the batch time
//! that of launches back to back (`timing=batch`). NVBench prints noise as a share of the mean: 0.05 is 5 %. The bytes
//! behind its bandwidth are what the benchmark's author declared, not counted and not checked: they stay an attribute.

use super::lines::{Lines, TableHeader, TableRow, attribute, clipped_cell, has_all, refusal, snake};
use super::{ImportJob, ImportRefusal, Imported, Importer};
use crate::measurement::{CanonicalRow, Number, ReadError};
use std::collections::BTreeSet;
use std::io::BufRead;
use std::ops::Range;

pub(super) const IMPORTER: Importer =
    Importer { name: "NVBench CSV", recognises: is_own_format, read: read_rows };

fn is_own_format(head: &[u8]) -> bool {
    has_all(head, &["Benchmark,", "Device Name,", "Skipped,"])
        && (has_all(head, &["GPU Time (sec)"]) || has_all(head, &["Batch GPU (sec)"]))
}

fn read_rows(reader: &mut dyn BufRead, job: &ImportJob<'_>) -> Result<Imported, ReadError> {
    let mut lines = Lines::new(reader, job);
    let mut out = Imported::default();
    let mut columns: Option<NvbenchColumns> = None;
    let mut skipped = 0_usize;
    while let Some((number, text)) = lines.next()? {
        if text.trim().is_empty() {
            continue;
        }
        // Files of several runs are often joined end to end.
        if text.starts_with("Benchmark,") {
            columns = Some(NvbenchColumns::from_header(TableHeader::cut(text), job)?);
            continue;
        }
        let Some(columns) = &columns else { continue };
        match columns.canonical_rows(text, number, job) {
            Ok(None) => skipped += 1,
            Ok(Some(rows)) => out.rows.extend(rows),
            Err(why) => out.add_refusal(job, number, why),
        }
    }
    if columns.is_none() {
        return Err(job.read_error("no header of NVBench; expected a line `Benchmark,Device,Device Name,…`"));
    }
    if skipped > 0 {
        out.remarks
            .push(format!("{skipped} configurations were skipped by the benchmark: they have no time"));
    }
    Ok(out)
}

/// One of the two measurements of a row.
struct NvbenchTiming {
    word: &'static str,
    time: usize,
    noise: Option<usize>,
    samples: Option<usize>,
}

struct NvbenchColumns {
    header: TableHeader,
    benchmark: usize,
    gpu: usize,
    skipped: usize,
    timings: Vec<NvbenchTiming>,
    /// The columns that belong to the cold time.
    cold: Option<Range<usize>>,
    bandwidth: Option<usize>,
    /// Problem and variant keys.
    axes: Vec<(usize, String)>,
    attributes: Vec<(usize, String)>,
}

impl NvbenchColumns {
    fn from_header(header: TableHeader, job: &ImportJob<'_>) -> Result<Self, ReadError> {
        let benchmark = header.need("Benchmark", job)?;
        let gpu = header.need("Device Name", job)?;
        let skipped = header.need("Skipped", job)?;
        let names = header.names();
        // `Noise` follows its time; `Samples` stands before the times of its measurement.
        let samples = |time: usize| names[..time].iter().rposition(|n| n == "Samples");
        let mut timings = Vec::new();
        if let Some(time) = header.once("GPU Time (sec)", job)? {
            let noise = Some(time + 1).filter(|i| names.get(*i).is_some_and(|n| n == "Noise"));
            timings.push(NvbenchTiming { word: "cold", time, noise, samples: samples(time) });
        }
        if let Some(time) = header.once("Batch GPU (sec)", job)? {
            let own = samples(time).filter(|s| *s + 1 == time);
            timings.push(NvbenchTiming { word: "batch", time, noise: None, samples: own });
        }
        if timings.is_empty() {
            return Err(
                job.read_error("neither `GPU Time (sec)` nor `Batch GPU (sec)` is a column; time the kernel")
            );
        }
        let start = timings[0].samples.unwrap_or(timings[0].time);
        let cold = (timings[0].word == "cold")
            .then(|| start..timings.get(1).map_or(names.len(), |batch| batch.time));
        let unique = |at: &[usize], name: fn(&str) -> String| {
            let mut seen = BTreeSet::new();
            let named = at.iter().map(|i| (*i, name(&names[*i]))).filter(|(_, n)| !n.is_empty());
            named.filter(|(_, n)| seen.insert(n.clone())).collect::<Vec<_>>()
        };
        let axes: Vec<usize> = (gpu + 1..skipped).filter(|i| !names[*i].ends_with(" (pow2)")).collect();
        let used = |i: &usize| timings.iter().any(|t| [Some(t.time), t.noise, t.samples].contains(&Some(*i)));
        let shared = ["Samples", "Noise", "Noise (%)"];
        let further: Vec<usize> =
            (skipped + 1..names.len()).filter(|i| !used(i) && !shared.contains(&&*names[*i])).collect();
        let (axes, attributes) = (unique(&axes, snake), unique(&further, attribute));
        let bandwidth = header.column_named("GlobalMem BW (bytes/sec)");
        Ok(Self { benchmark, gpu, skipped, timings, cold, bandwidth, axes, attributes, header })
    }

    /// The rows of a line; nothing where the benchmark skipped it.
    fn canonical_rows(
        &self,
        text: &str,
        line: u64,
        job: &ImportJob<'_>,
    ) -> Result<Option<Vec<CanonicalRow>>, ImportRefusal> {
        let row = TableRow::cut(&self.header, text)?;
        match row.word_at(self.skipped)? {
            "No" => {}
            "Yes" => return Ok(None),
            other => {
                return Err(refusal("Skipped", format!("`{}`: expected Yes or No", clipped_cell(other))));
            }
        }
        let base = self.base(&row, line, job)?;
        let mut rows = Vec::new();
        for timing in &self.timings {
            let Some(ms) = row.time_ms(timing.time, 1e3)? else { continue };
            let mut timed = base.clone();
            let and = if timed.variant.is_empty() { "" } else { ";" };
            timed.variant.push_str(&format!("{and}timing={}", timing.word));
            timed.set(Number::Time, Some(ms));
            timed.set(Number::TimeStd, row.loose_number(timing.noise).map(|noise| noise * ms));
            timed.set(Number::Trials, row.loose_number(timing.samples));
            if timing.word == "batch" {
                // What stands beside the cold time was computed from it.
                let cold = |at: usize| self.cold.clone().is_some_and(|c| c.contains(&at));
                let of_cold = self.attributes.iter().filter(|(at, _)| cold(*at)).map(|(_, key)| key);
                of_cold.for_each(|key| timed.attributes.remove(key));
            }
            // Declared bytes = bandwidth x cold time; the same launch whichever way it is timed.
            let cold = self
                .timings
                .first()
                .filter(|t| t.word == "cold")
                .and_then(|t| row.loose_number(Some(t.time)));
            if let Some((rate, seconds)) = row.loose_number(self.bandwidth).zip(cold) {
                timed.attributes.insert("declared_bytes".into(), format!("{:.0}", rate * seconds));
            }
            rows.push(timed);
        }
        if rows.is_empty() {
            return Err(refusal("GPU Time (sec)", "no time, though the row was not skipped"));
        }
        Ok(Some(rows))
    }

    /// What both measurements of a line share. Axes of numbers are problem keys, axes of words tell variants apart.
    fn base(
        &self,
        row: &TableRow<'_>,
        line: u64,
        job: &ImportJob<'_>,
    ) -> Result<CanonicalRow, ImportRefusal> {
        let mut problem = Vec::new();
        let mut variant = Vec::new();
        for (at, key) in &self.axes {
            let value = row.text_at(Some(*at));
            if value.is_empty() {
                continue; // an axis of another benchmark in the same file
            }
            let number = value.parse::<f64>().ok().filter(|n| n.is_finite());
            let to = if number.is_some() { &mut problem } else { &mut variant };
            to.push(format!("{key}={}", value.replace([';', '='], " ")));
        }
        let known = self.attributes.iter().map(|(at, key)| (key.clone(), row.text_at(Some(*at)).to_string()));
        Ok(CanonicalRow {
            gpu: row.word_at(self.gpu)?.to_string(),
            kernel: row.word_at(self.benchmark)?.to_string(),
            problem: problem.join(";"),
            variant: variant.join(";"),
            source: format!("{}:{line}", job.file),
            attributes: known.filter(|(_, value)| !value.is_empty()).collect(),
            ..CanonicalRow::default()
        })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::tests::read_text;
    use super::*;

    pub(in super::super) const TABLE: &str = "\
Benchmark,Device,Device Name,T{ct},Elements (pow2),Elements,Block Size,Skipped,Bytes read (bytes),Samples,CPU Time (sec),Noise,GPU Time (sec),Noise,Elem/s (elem/sec),GlobalMem BW (bytes/sec),BWUtil,Samples,Batch GPU (sec)
copy,0,NVIDIA A100-SXM4-80GB,F32,2^20,1048576,256,No,4194304,600,3.0e-05,0.5,1.0e-05,0.04,1.0e11,8.388608e11,0.4,700,8.0e-06
copy,0,NVIDIA A100-SXM4-80GB,F64,2^20,1048576,256,Yes,,,,,,,,,,,
copy,0,NVIDIA A100-SXM4-80GB,F32,2^21,2097152,256,No,8388608,1,3.0e-05,inf,2.0e-05,inf,1.0e11,8.388608e11,0.4,,
";

    #[test]
    fn cold_and_batch_are_two_variants_of_one_configuration() {
        let read = read_text(&IMPORTER, TABLE).unwrap();
        assert_eq!(read.refused_count, 0, "{:?}", read.refused);
        let rows = read.rows.to_vec();
        let [cold, batch, once] = rows.as_slice() else { panic!("{:?}", read.rows) };
        assert_eq!((&*cold.gpu, &*cold.kernel), ("NVIDIA A100-SXM4-80GB", "copy"));
        assert_eq!(cold.problem, "elements=1048576;block_size=256");
        assert_eq!((&*cold.variant, &*batch.variant), ("t_ct=F32;timing=cold", "t_ct=F32;timing=batch"));
        let near = |found: Option<f64>, ms: f64| (found.unwrap() - ms).abs() < 1e-12;
        assert!(near(cold.get(Number::Time), 0.01) && near(cold.get(Number::TimeStd), 0.0004));
        assert!(near(batch.get(Number::Time), 0.008) && batch.get(Number::TimeStd).is_none());
        assert_eq!((cold.get(Number::Trials), batch.get(Number::Trials)), (Some(600.0), Some(700.0)));
        assert_eq!(cold.attributes["declared_bytes"], "8388608");
        let names = |r: &CanonicalRow| r.attributes.keys().cloned().collect::<Vec<_>>().join(" ");
        assert_eq!(names(batch), "bytes_read_bytes declared_bytes", "nothing computed from the cold time");
        assert!(names(cold).contains("elem_s_elem_sec"), "{}", names(cold));
        assert_eq!(cold.get(Number::DramBytes), None, "declared, not counted");
        assert_eq!((once.get(Number::TimeStd), &*once.source), (None, "test.txt:4"));
        assert!(read.remarks[0].contains("1 configurations were skipped"), "{:?}", read.remarks);
    }

    #[test]
    fn bad_rows_are_refused_and_the_rest_still_reads() {
        let text = TABLE.replace("1.0e-05,0.04", "-1,0.04").replace(",Yes,", ",Maybe,");
        let read = read_text(&IMPORTER, &text).unwrap();
        assert_eq!((read.rows.len(), read.refused_count), (1, 2));
        assert!(
            read.refused[0].to_string().starts_with("test.txt:2: GPU Time (sec): `-1`"),
            "{}",
            read.refused[0]
        );
        let read = read_text(&IMPORTER, &TABLE.replace("copy,0,NVIDIA", "copy, big,0,NVIDIA")).unwrap();
        assert_eq!((read.rows.len(), read.refused_count), (0, 3), "NVBench quotes nothing");
        let untimed = TABLE.replace("GPU Time (sec)", "x").replace("Batch GPU (sec)", "y");
        assert!(read_text(&IMPORTER, &untimed).unwrap_err().message.contains("neither"));
    }
}
