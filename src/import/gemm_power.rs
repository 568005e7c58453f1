//! The CUTLASS runs of "Understanding GEMM Performance and Energy on NVIDIA Ada Lovelace" as their script wrote them: no
//! usable header, and a report of seven lines for each run, whose first line holds everything that was measured.
//!
//! Its fields: time stamp, m, n, k, kernel, layout, block (three), stages, epilogue, alpha, beta, runtime in ms, profiler
//! metrics (always blank), then one reading of `nvidia-smi`: power, SM clock, memory clock, temperature, GPU and memory
//! utilisation, and the device's name. The block selected nothing, so it is an attribute. The reading was taken after the
//! run, often while the GPU idled: power is kept as it was read, beside the utilisation, and never as the run's power
//! unless the GPU was busy. Energy and TFLOPS at the end were computed from these and are left out.

use super::lines::{Lines, cells, clipped_cell, has_all, read_number, refusal};
use super::{ImportJob, ImportRefusal, Imported, Importer};
use crate::measurement::{BUSY_PERCENT, CanonicalRow, LONGEST_MS, Number, ReadError};
use std::io::BufRead;

pub(super) const IMPORTER: Importer =
    Importer { name: "CUTLASS power runs", recognises: is_own_format, read: read_rows };

/// What the script wrote in place of a header, without a line end behind it.
pub(super) const HEADER: &str = "Energy_Joules,GFLOPS_per_Watt,TFLOPS";

fn is_own_format(head: &[u8]) -> bool {
    has_all(head, &[HEADER, "arithmetic_intensity,"])
}

fn read_rows(reader: &mut dyn BufRead, job: &ImportJob<'_>) -> Result<Imported, ReadError> {
    let mut lines = Lines::new(reader, job);
    let mut out = Imported::default();
    let mut idle = 0_usize;
    while let Some((number, text)) = lines.next()? {
        let run = text.split_once(HEADER).map_or(text, |(_, rest)| rest);
        if run.trim().is_empty() || is_trailer(run) {
            continue;
        }
        match canonical_row(run) {
            Ok((row, was_idle)) => {
                idle += usize::from(was_idle);
                out.rows.push(&CanonicalRow { source: format!("{}:{number}", job.file), ..row });
            }
            Err(why) => out.add_refusal(job, number, why),
        }
    }
    if out.rows.is_empty() {
        return Err(job.read_error("no run that can be read; is the file cut off?"));
    }
    if idle > 0 {
        let what = "readings of power were taken while the GPU idled (utilisation below 90 %)";
        out.remarks
            .push(format!("{idle} {what}: they are the attribute `idle_power_w`, not the power of the run"));
    }
    Ok(out)
}

/// The six lines that follow each run repeat its sizes.
fn is_trailer(line: &str) -> bool {
    let repeats = ["arithmetic_intensity,", "uses_shared_memory,", "computation_pattern,", "problem_size_"];
    repeats.iter().any(|start| line.starts_with(start)) || line.starts_with("kernel_name,")
}

/// The fields of a run.
struct RunFields<'l>(Vec<&'l str>);

impl RunFields<'_> {
    fn size(&self, at: usize, name: &str) -> Result<u64, ImportRefusal> {
        let size = self.0[at].parse::<u64>().ok().filter(|n| (1..=1 << 53).contains(n));
        size.ok_or_else(|| {
            refusal(name, format!("`{}`: expected a whole number above 0", clipped_cell(self.0[at])))
        })
    }

    fn number_at(&self, at: usize, name: &str) -> Result<Option<f64>, ImportRefusal> {
        read_number(self.0[at], name)
    }

    fn known(&self, at: usize, name: &str) -> Result<f64, ImportRefusal> {
        self.number_at(at, name)?.ok_or_else(|| refusal(name, "is blank; expected a number"))
    }

    /// The kernel without its layout and alignment.
    fn kernel(&self) -> Result<&str, ImportRefusal> {
        let (kernel, layout) = (self.0[4], self.0[5]);
        let bare = kernel.strip_suffix("_align1").and_then(|k| k.strip_suffix(layout)?.strip_suffix('_'));
        bare.filter(|k| k.starts_with("cutlass_")).ok_or_else(|| {
            refusal(
                "kernel",
                format!("`{}`: expected cutlass_…_{}_align1", clipped_cell(kernel), clipped_cell(layout)),
            )
        })
    }

    fn time_ms(&self) -> Result<f64, ImportRefusal> {
        let ms = self.number_at(13, "runtime")?.filter(|ms| *ms > 0.0 && *ms < LONGEST_MS);
        let why = || format!("`{}`: expected milliseconds above 0", clipped_cell(self.0[13]));
        ms.ok_or_else(|| refusal("runtime", why()))
    }
}

/// A run, and whether its power is that of an idle GPU.
fn canonical_row(text: &str) -> Result<(CanonicalRow, bool), ImportRefusal> {
    let run = RunFields(cells(text).collect());
    if run.0.len() < 22 {
        let why = format!("has {} fields, expected at least 22; is it cut off?", run.0.len());
        return Err(refusal("row", why));
    }
    if !run.0[14].is_empty() {
        let why = format!("`{}`: expected nothing, as the script leaves it", clipped_cell(run.0[14]));
        return Err(refusal("metrics", why));
    }
    let (m, n, k) = (run.size(1, "m")?, run.size(2, "n")?, run.size(3, "k")?);
    let (alpha, beta) = (run.known(11, "alpha")?, run.known(12, "beta")?);
    let kernel = run.kernel()?;
    let fp32 = kernel.contains("_sgemm_");
    let mut out = CanonicalRow {
        gpu: run.0[21].to_string(),
        kernel: kernel.to_string(),
        problem: format!("m={m};n={n};k={k}"),
        variant: format!("layout={};alpha={alpha};beta={beta}", run.0[5]),
        dtype: if fp32 { "fp32" } else { "" }.into(),
        ..CanonicalRow::default()
    };
    let [rows, columns, depth] = [m, n, k].map(|v| v as f64);
    out.set(Number::Time, Some(run.time_ms()?));
    out.set(Number::Flops, Some(2.0 * rows * columns * depth));
    if fp32 {
        let read_c = if beta == 0.0 { 0.0 } else { rows * columns };
        let elements = rows * depth + depth * columns + rows * columns + read_c;
        out.set(Number::DramBytes, Some(4.0 * elements));
    }
    out.attributes.insert("nominal_block".into(), run.0[6..9].join("x"));
    let idle = reading(&run, &mut out)?;
    Ok((out, idle))
}

/// Takes the reading of `nvidia-smi`; whether it is that of an idle GPU.
fn reading(run: &RunFields<'_>, out: &mut CanonicalRow) -> Result<bool, ImportRefusal> {
    out.set(Number::SmClock, run.number_at(16, "clocks.sm")?);
    out.set(Number::MemClock, run.number_at(17, "clocks.mem")?);
    let utilisation = run.number_at(19, "utilization.gpu")?;
    out.set(Number::GpuUtil, utilisation);
    let power = run.number_at(15, "power.draw")?;
    let idle = power.is_some() && utilisation.is_none_or(|u| u < BUSY_PERCENT);
    match power.filter(|_| idle) {
        Some(watts) => out.attributes.insert("idle_power_w".into(), watts.to_string()),
        None => out.set(Number::Power, power),
    }
    Ok(idle)
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::tests::read_text;
    use super::*;

    pub(in super::super) fn sample_run(power: &str, utilisation: &str) -> String {
        format!(
            "1700000000,256,128,64,cutlass_simt_sgemm_128x128_8x2_nt_align1,nt,64,64,32,2,linear_combination,0.5,0.5,0.25,,\
             {power}, 2000, 9000, 40, {utilisation}, 0,NVIDIA GeForce RTX 4070, 8.9, 10501 MHz,kernel_name,cutlass_x\n\
             arithmetic_intensity,1.0\nuses_shared_memory,0\ncomputation_pattern,GEMM\nproblem_size_m,256\n\
             problem_size_n,128\nproblem_size_k,64,.003,87902.1,6168.0\n"
        )
    }

    #[test]
    fn the_power_of_a_busy_gpu_is_the_runs_and_that_of_an_idle_one_is_not() {
        let text = format!(
            "{HEADER}{}{}{}",
            sample_run("150.5", "100"),
            sample_run("30.1", "0"),
            sample_run("[N/A]", "[N/A]")
        );
        let read = read_text(&IMPORTER, &text).unwrap();
        let rows = read.rows.to_vec();
        let [busy, idle, unknown] = rows.as_slice() else { panic!("{read:?}") };
        assert_eq!(
            (&*busy.gpu, &*busy.kernel),
            ("NVIDIA GeForce RTX 4070", "cutlass_simt_sgemm_128x128_8x2")
        );
        assert_eq!((&*busy.problem, &*busy.variant), ("m=256;n=128;k=64", "layout=nt;alpha=0.5;beta=0.5"));
        assert_eq!((busy.get(Number::Power), busy.get(Number::GpuUtil)), (Some(150.5), Some(100.0)));
        assert_eq!((busy.get(Number::SmClock), busy.get(Number::Time)), (Some(2000.0), Some(0.25)));
        let elements = 256 * 64 + 64 * 128 + 2 * 256 * 128;
        assert_eq!(busy.get(Number::DramBytes), Some(f64::from(4 * elements)), "C is read, too");
        assert_eq!((idle.get(Number::Power), &*idle.attributes["idle_power_w"]), (None, "30.1"));
        assert_eq!((unknown.get(Number::Power), unknown.get(Number::GpuUtil)), (None, None));
        assert_eq!((busy.get(Number::Energy), &*busy.attributes["nominal_block"]), (None, "64x64x32"));
        assert!(read.remarks[0].starts_with("1 readings of power were taken while the GPU idled"));
        assert_eq!(read.refused_count, 0, "{:?}", read.refused);
    }

    #[test]
    fn a_run_that_cannot_be_is_refused() {
        for (from, to, column) in [
            (",0.25,,", ",-1,,", "runtime"),
            (",0.25,,", ",1,x,", "metrics"),
            ("_nt_", "_nn_", "kernel"),
            (",64,cut", ",0,cut", "k"),
        ] {
            let text =
                format!("{HEADER}{}{}", sample_run("1", "99").replacen(from, to, 1), sample_run("1", "99"));
            let read = read_text(&IMPORTER, &text).unwrap();
            assert_eq!((read.rows.len(), &*read.refused[0].column), (1, column), "{to}");
        }
        let cut = read_text(&IMPORTER, &format!("{HEADER}1700000000,256,128\narithmetic_intensity,1\n"));
        assert!(cut.unwrap_err().message.contains("cut off"));
    }
}
