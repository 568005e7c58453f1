//! mixbench: achieved ceilings. A preamble names the device; a table has four columns (FLOP/byte, time, GFLOPS, GB/s) for
//! each precision and one row for each intensity. The best rate of a precision is its ceiling, the best bandwidth the DRAM's.
//!
//! A rate is a ceiling only where memory no longer binds: a run that was cut off at low intensities has no compute roof.
//!
//! Each value is checked against its neighbours (GFLOPS = FLOP/byte x GB/s), and a bandwidth above what the preamble states
//! for the memory bus is left out: it came out of a cache.

use super::lines::{Lines, cells, clipped_cell, has_all, refusal};
use super::{AchievedRoof, ImportJob, ImportRefusal, Imported, Importer};
use crate::gpu::AchievedRate;
use crate::measurement::ReadError;
use std::collections::BTreeMap;
use std::io::BufRead;

pub(super) const IMPORTER: Importer =
    Importer { name: "mixbench", recognises: is_own_format, read: read_rows };

fn is_own_format(head: &[u8]) -> bool {
    has_all(head, &["Flops/byte", "ex.time", "GFLOPS", "recision ops"])
}

fn read_rows(reader: &mut dyn BufRead, job: &ImportJob<'_>) -> Result<Imported, ReadError> {
    let mut lines = Lines::new(reader, job);
    let mut report = MixbenchReport::default();
    while let Some((number, text)) = lines.next()? {
        report.read_line(number, text, job);
    }
    report.into_imported(job)
}

/// The four columns of one precision.
struct PrecisionColumns {
    title: String,
    /// Nothing for integers and for packed floats, whose rate is no vector rate of the catalogue.
    rate_of: Option<AchievedRate>,
    intensity: usize,
    rate: usize,
    bandwidth: usize,
}

impl PrecisionColumns {
    /// Intensity, rate and bandwidth of a row; nothing for a precision that the device does not have.
    fn sound(&self, values: &[&str]) -> Result<Option<(f64, f64, f64)>, ImportRefusal> {
        let number = |at: usize| values[at].parse::<f64>().ok().filter(|n| n.is_nan() || *n >= 0.0);
        let triple = (number(self.intensity), number(self.rate), number(self.bandwidth));
        let (Some(intensity), Some(rate), Some(bandwidth)) = triple else {
            let found = values[self.intensity..=self.bandwidth].join(", ");
            return Err(refusal(&self.title, format!("`{}`: expected numbers", clipped_cell(&found))));
        };
        // It is printed with a time of 0, hence rates of inf and nan.
        if !(rate.is_finite() && bandwidth.is_finite() && intensity.is_finite()) {
            return Ok(None);
        }
        let product = intensity * bandwidth;
        // Printed with three and two decimals.
        let slack = 0.01 * rate.max(product) + 0.0006 * bandwidth + 0.006 * intensity;
        if (rate - product).abs() > slack {
            let why =
                format!("{rate:?} at {intensity:?} FLOP/byte and {bandwidth:?} GB/s: expected {product:?}");
            return Err(refusal(&self.title, why));
        }
        Ok(Some((intensity, rate, bandwidth)))
    }
}

/// A best value, and which row it was in.
#[derive(Debug, Clone, Default)]
struct BestValue {
    giga: f64,
    place: String,
}

impl BestValue {
    fn keep(&mut self, giga: f64, place: &str) -> bool {
        let better = giga > self.giga;
        if better {
            *self = Self { giga, place: place.to_string() };
        }
        better
    }
}

/// What one precision reached on one GPU.
#[derive(Debug, Default)]
struct Reached {
    rate: BestValue,
    /// The bandwidth in the row of the best rate, in GB/s.
    beside: f64,
    /// The best bandwidth of this precision in any row, from DRAM or a cache.
    fastest: f64,
}

/// Up to this share of its best bandwidth a precision is bound by arithmetic, not by memory.
const NOT_MEMORY: f64 = 0.8;

#[derive(Default)]
struct MixbenchReport {
    gpu: String,
    /// What the preamble states for the memory bus, in GB/s.
    bus: Option<f64>,
    titles: Vec<String>,
    groups: Vec<PrecisionColumns>,
    width: usize,
    reached: BTreeMap<(String, AchievedRate), Reached>,
    dram: BTreeMap<String, BestValue>,
    tables: usize,
    above_bus: usize,
    out: Imported,
}

impl MixbenchReport {
    fn read_line(&mut self, number: u64, text: &str, job: &ImportJob<'_>) {
        if let Some(device) = text.strip_prefix("Device:") {
            // A second run in the same file.
            *self = Self {
                gpu: device.trim().to_string(),
                reached: std::mem::take(&mut self.reached),
                dram: std::mem::take(&mut self.dram),
                out: std::mem::take(&mut self.out),
                tables: self.tables,
                above_bus: self.above_bus,
                ..Self::default()
            };
        } else if let Some(bus) = text.strip_prefix("Memory bandwidth:") {
            self.bus = bus.split_whitespace().next().and_then(|b| b.parse().ok()).filter(|b| *b > 0.0);
        } else if text.contains("recision ops") {
            self.titles = cells(text).map(str::to_string).collect();
        } else if text.contains("ex.time") {
            self.header(text);
        } else if text.trim().is_empty() || text.starts_with("---") {
            self.groups.clear();
        } else if !self.groups.is_empty()
            && let Err(why) = self.add_row(text)
        {
            self.out.add_refusal(job, number, why);
        }
    }

    /// Finds the columns of each precision.
    fn header(&mut self, text: &str) {
        let names: Vec<&str> = cells(text).collect();
        let starts: Vec<usize> = (0..names.len()).filter(|i| names[*i].ends_with("/byte")).collect();
        let group = |start: usize| {
            let find =
                |word: &[&str]| (start..names.len().min(start + 4)).find(|i| word.contains(&names[*i]));
            let title = self.titles.get(start).filter(|t| !t.is_empty())?;
            Some(PrecisionColumns {
                rate_of: match title.to_lowercase().as_str() {
                    "single precision ops" => Some(AchievedRate::Fp32),
                    "double precision ops" => Some(AchievedRate::Fp64),
                    "half precision ops" => Some(AchievedRate::Fp16),
                    _ => None,
                },
                title: title.clone(),
                intensity: start,
                rate: find(&["GFLOPS", "GIOPS"])?,
                bandwidth: find(&["GB/sec", "GB/s"])?,
            })
        };
        self.groups = starts.into_iter().filter_map(group).collect();
        self.width = names.len();
        self.tables += usize::from(!self.groups.is_empty());
    }

    fn add_row(&mut self, text: &str) -> Result<(), ImportRefusal> {
        let values: Vec<&str> = cells(text).collect();
        if values.len() != self.width {
            let (found, width) = (values.len(), self.width);
            return Err(refusal("row", format!("has {found} fields, the header {width}; is it cut off?")));
        }
        let mut good = Vec::new();
        for group in &self.groups {
            if let Some((intensity, rate, bandwidth)) = group.sound(&values)? {
                let place = format!("{} at {intensity:?} FLOP/byte", group.title);
                good.push((group.rate_of, rate, bandwidth, place));
            }
        }
        for (rate_of, rate, bandwidth, place) in good {
            if let Some(of) = rate_of {
                let reached = self.reached.entry((self.gpu.clone(), of)).or_default();
                if reached.rate.keep(rate, &place) {
                    reached.beside = bandwidth;
                }
                reached.fastest = reached.fastest.max(bandwidth);
            }
            if self.bus.is_some_and(|bus| bandwidth > 1.02 * bus) {
                self.above_bus += 1;
            } else {
                self.dram.entry(self.gpu.clone()).or_default().keep(bandwidth, &place);
            }
        }
        Ok(())
    }

    fn into_imported(mut self, job: &ImportJob<'_>) -> Result<Imported, ReadError> {
        if self.tables == 0 {
            let what = "no mixbench table; expected the lines `… Single Precision ops …` and `… Flops/byte, ex.time …`";
            return Err(job.read_error(what));
        }
        let file = job.file;
        let roof = |gpu: &str, of, best: &BestValue| AchievedRoof {
            gpu: gpu.to_string(),
            of,
            per_second: best.giga * 1e9,
            source: format!("{file}: {}", best.place),
        };
        for ((gpu, of), reached) in self.reached.iter().filter(|(_, r)| r.rate.giga > 0.0) {
            if reached.beside < NOT_MEMORY * reached.fastest {
                self.out.roofs.push(roof(gpu, *of, &reached.rate));
            } else {
                let what = "the best rate is still bound by memory (was the run cut off?): no compute roof";
                self.out.remarks.push(format!("{}: {what}", reached.rate.place));
            }
        }
        let dram = self.dram.iter().filter(|(_, best)| best.giga > 0.0);
        self.out.roofs.extend(dram.map(|(gpu, best)| roof(gpu, AchievedRate::Dram, best)));
        if self.out.roofs.is_empty() {
            return Err(job.read_error("the mixbench table has no sound row; is the file cut off?"));
        }
        if self.above_bus > 0 {
            let n = self.above_bus;
            let what = "bandwidths are above the memory bus of the preamble: they came out of a cache and were left out";
            self.out.remarks.push(format!("{n} {what}"));
        }
        Ok(self.out)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::tests::read_text;
    use super::*;

    pub(in super::super) const REPORT: &str = "\
mixbench (a version)
------------------------ Device specifications ------------------------
Device:              NVIDIA GeForce RTX 4070
Memory bandwidth:    504.00 GB/sec
-----------------------------------------------------------------------
Buffer size:          256MB
----------------------------------------- CSV data ---------------------------------
Experiment ID, Single Precision ops,,,,   Double precision ops,,,,   Half precision ops,,,,    Integer operations,,,\x20
Compute iters, Flops/byte, ex.time,  GFLOPS, GB/sec, Flops/byte, ex.time,  GFLOPS, GB/sec, Flops/byte, ex.time,  GFLOPS, GB/sec, Iops/byte, ex.time,   GIOPS, GB/sec
            0,      0.250,    0.30,  112.50, 450.00,      0.125,    0.60,   55.00, 440.00,      0.500,    0.00,    -nan,    inf,     0.250,    0.30,  111.00, 444.00
            8,      4.250,    0.29, 1930.00, 454.12,      2.125,    1.20,  440.00, 207.06,      4.250,    0.00,     inf,    inf,     4.250,    0.10, 8500.00,2000.00
         1024,    256.250,    2.50,28000.00, 109.27,    128.125,   90.00,  450.00,   3.51,    256.250,    0.00,     inf,    inf,   256.250,    5.00,14000.00,  54.63
------------------------------------------------------------------------------------
";

    fn roof(read: &Imported, of: AchievedRate) -> Option<f64> {
        read.roofs.iter().find(|r| r.of == of).map(|r| r.per_second / 1e9)
    }

    #[test]
    fn the_best_of_each_precision_and_of_the_bus_are_roofs() {
        let read = read_text(&IMPORTER, REPORT).unwrap();
        assert_eq!(read.refused_count, 0, "{:?}", read.refused);
        assert_eq!(roof(&read, AchievedRate::Fp32), Some(28000.0));
        assert_eq!(roof(&read, AchievedRate::Fp64), Some(450.0));
        assert_eq!(roof(&read, AchievedRate::Fp16), None, "the device has none");
        assert_eq!(roof(&read, AchievedRate::Dram), Some(454.12), "2000 GB/s came out of a cache");
        assert!(read.roofs.iter().all(|r| r.gpu == "NVIDIA GeForce RTX 4070"));
        assert!(read.remarks[0].contains("above the memory bus"), "{:?}", read.remarks);
        assert!(read.roofs[0].source.contains("Single Precision ops at 256.25"), "{}", read.roofs[0].source);
    }

    #[test]
    fn the_older_table_without_an_experiment_id_reads_too() {
        let text = "Single Precision ops,,,,              Double precision ops,,,,\n\
                    Flops/byte, ex.time,  GFLOPS, GB/sec, Flops/byte, ex.time,  GFLOPS, GB/sec\n     \
                    0.000,  331.11,    0.00, 103.77,      0.000,  660.00,    0.00, 104.11\n     \
                    4.000,  331.11,  200.00,  50.00,      1.000,  660.00,  100.00, 100.00\n";
        let read = read_text(&IMPORTER, text).unwrap();
        assert_eq!(
            (roof(&read, AchievedRate::Fp32), roof(&read, AchievedRate::Dram)),
            (Some(200.0), Some(104.11))
        );
        assert_eq!(roof(&read, AchievedRate::Fp64), None, "still bound by memory");
        assert!(read.remarks[0].contains("bound by memory"));
    }

    #[test]
    fn a_value_that_contradicts_its_neighbours_is_refused_with_its_line() {
        let read = read_text(&IMPORTER, &REPORT.replace("28000.00", "82000.00")).unwrap();
        assert_eq!((read.refused_count, read.refused[0].line), (1, 12));
        assert!(read.refused[0].message.contains("82000"), "{}", read.refused[0]);
        assert_eq!(roof(&read, AchievedRate::Fp32), None, "what is left is bound by memory");
    }

    #[test]
    fn a_report_without_a_table_or_rows_is_refused() {
        let head: String = REPORT.lines().take(7).map(|l| format!("{l}\n")).collect();
        assert!(read_text(&IMPORTER, &head).unwrap_err().message.contains("no mixbench table"));
        let empty: String = REPORT.lines().take(9).map(|l| format!("{l}\n")).collect();
        assert!(read_text(&IMPORTER, &empty).unwrap_err().message.contains("no sound row"));
    }
}
