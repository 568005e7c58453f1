//! Tables of metrics: per kernel the mean over its launches.

use super::cells::{plain, start};
use crate::import::kernel_name::{LONGEST_NAME, short_name, signature};
use crate::import::records::Fields;
use crate::import::{ImportJob, Imported};
use crate::import::{ImportRefusal, unexpected};
use crate::measurement::{CanonicalRow, Number};
use std::collections::HashMap;

/// Kernels of one table; a guard against damage, not a limit of nvprof's.
const MOST_KERNELS: usize = 1 << 16;

/// A table of metrics: means over the launches of each kernel.
#[derive(Default)]
pub(super) struct Metrics {
    kernels: Vec<(CanonicalRow, HashMap<String, f64>)>,
    places: HashMap<(String, String), usize>,
    /// Metrics that nothing is made of, the first ones.
    unused: Vec<String>,
}

/// So many metrics that are not used are named.
const NAMED: usize = 6;

impl Metrics {
    /// Notes a metric that nothing is made of, once.
    fn add_unused(&mut self, metric: &str) {
        let name = crate::text::clipped_text(metric, 60);
        if self.unused.len() < NAMED && !self.unused.contains(&name) {
            self.unused.push(name);
        }
    }

    pub(super) fn read_record(
        &mut self,
        fields: &Fields,
        line: u64,
        job: &ImportJob<'_>,
    ) -> Result<(), ImportRefusal> {
        const WIDTH: usize = 8;
        if fields.len() != WIDTH {
            return Err((
                "row".into(),
                format!("the row has {} fields, the header {WIDTH}; is it cut off?", fields.len()),
            ));
        }
        let text = |i: usize, column: &str| {
            fields
                .text_at(i)
                .ok_or_else(|| (column.to_string(), "is not UTF-8; save the file as UTF-8".to_string()))
        };
        let (on, name) = (text(0, "Device")?, text(1, "Kernel")?);
        if name.is_empty() || name.len() > LONGEST_NAME {
            return Err(unexpected("Kernel", name, "the name of a kernel of at most 512 KiB"));
        }
        let place = self.launch_place(on, name, text(2, "Invocations")?, line, job)?;
        let metric = text(3, "Metric Name")?;
        if !USED.contains(&metric) && !metric.starts_with(TENSOR) {
            self.add_unused(metric);
        }
        if USED.contains(&metric) {
            let average = text(7, "Avg")?;
            let number = plain(average.strip_suffix('%').unwrap_or(average))
                .ok_or_else(|| unexpected("Avg", average, "a number, with % where it is one"))?;
            self.kernels[place].1.insert(metric.to_string(), number);
        } else if metric.starts_with(TENSOR) {
            // `Idle (0)`, `Low (2)`.
            let idle = text(7, "Avg")?.starts_with("Idle");
            let seen = self.kernels[place].1.entry(TENSOR.to_string()).or_default();
            *seen = seen.max(if idle { 0.0 } else { 1.0 });
        }
        Ok(())
    }

    /// Where this kernel stands; a new one is added.
    fn launch_place(
        &mut self,
        on: &str,
        name: &str,
        calls: &str,
        line: u64,
        job: &ImportJob<'_>,
    ) -> Result<usize, ImportRefusal> {
        let key = (on.to_string(), name.to_string());
        if let Some(place) = self.places.get(&key) {
            return Ok(*place);
        }
        let place = self.kernels.len();
        if place == MOST_KERNELS {
            return Err(unexpected("Kernel", name, "fewer kernels; is the file damaged?"));
        }
        let mut row = start(on, line, job);
        row.kernel = short_name(name).to_string();
        row.attributes.insert("invocations".into(), calls.to_string());
        if let Some(full) = signature(name) {
            row.attributes.insert("kernel_signature".into(), full.to_string());
        }
        self.kernels.push((row, HashMap::new()));
        self.places.insert(key, place);
        Ok(place)
    }

    pub(super) fn finish_rows(self, out: &mut Imported) {
        if self.kernels.is_empty() {
            return;
        }
        let (mut lacks_dram, mut lacks_half) = (false, false);
        // By width: whether a kernel lacks its count where no tensor pipe hides it.
        let mut lacks_width = [false; 2];
        let (mut tensor_unseen, mut tensor_worked) = (false, false);
        for (mut row, values) in self.kernels {
            fill(&mut row, &values);
            lacks_dram |= row.get(Number::DramBytes).is_none();
            let counted = row.get(Number::Flops).is_some();
            tensor_worked |= values.get(TENSOR) == Some(&1.0);
            tensor_unseen |= counted && !values.contains_key(TENSOR);
            for (lacks, width) in lacks_width.iter_mut().zip(FLOPS) {
                *lacks |= !values.contains_key(width);
            }
            lacks_half |= counted && !values.contains_key(FLOPS[2]);
            out.rows.push(&row);
        }
        out.remark(
            "nvprof's metrics have no time: fill in time_ms from a trace of the same program (--print-gpu-trace)".into(),
        );
        let missing: Vec<&str> =
            FLOPS.into_iter().zip(lacks_width).filter_map(|(name, lacks)| lacks.then_some(name)).collect();
        match missing[..] {
            [] => {}
            // One width alone would pass for the whole.
            [one] => {
                let other = if one == FLOPS[0] { FLOPS[1] } else { FLOPS[0] };
                out.remark(format!("no FLOPs: {other} was counted and {one} was not; add --metrics {one}"));
            }
            _ => out.remark(format!(
                "no FLOPs, as single and double precision were not both counted: add --metrics {}",
                missing.join(",")
            )),
        }
        if !self.unused.is_empty() {
            out.remark(format!("metrics that are not used: {}", self.unused.join(", ")));
        }
        if tensor_worked {
            out.remark(
                "FLOPs unknown where the tensor pipes worked: nvprof does not count theirs; ncu does".into(),
            );
        }
        if tensor_unseen {
            let what = "FLOPs of the vector pipes alone, whether a tensor pipe worked was not profiled";
            out.remark(format!(
                "{what}: add --metrics tensor_precision_fu_utilization on a GPU that has them"
            ));
        }
        if lacks_half {
            let what = "FLOPs without half precision, which was not counted";
            out.remark(format!("{what}: add --metrics flop_count_hp if the kernel uses it"));
        }
        if lacks_dram {
            out.remark("no DRAM bytes: add --metrics dram_read_bytes,dram_write_bytes".into());
        }
    }
}

const FLOPS: [&str; 3] = ["flop_count_sp", "flop_count_dp", "flop_count_hp"];

/// The beginning of `tensor_precision_fu_utilization`.
const TENSOR: &str = "tensor_precision";

const USED: [&str; 25] = [
    FLOPS[0],
    FLOPS[1],
    FLOPS[2],
    "flop_count_sp_add",
    "flop_count_sp_mul",
    "flop_count_sp_fma",
    "flop_count_dp_add",
    "flop_count_dp_mul",
    "flop_count_dp_fma",
    "dram_read_bytes",
    "dram_write_bytes",
    "dram_read_transactions",
    "dram_write_transactions",
    "l2_read_transactions",
    "l2_write_transactions",
    "inst_issued",
    "inst_executed_global_loads",
    "inst_executed_global_stores",
    "inst_executed_global_atomics",
    "inst_executed_global_reductions",
    "achieved_occupancy",
    "warp_execution_efficiency",
    "shared_load_transactions",
    "shared_store_transactions",
    "ldst_executed",
];

/// The canonical numbers behind nvprof's metrics; a transaction of DRAM or L2 is 32 bytes.
fn fill(row: &mut CanonicalRow, values: &HashMap<String, f64>) {
    let get = |name: &str| values.get(name).copied();
    let pair = |a: &str, b: &str| Some(get(a)? + get(b)?);
    let sectors = |a: &str, b: &str| pair(a, b).map(|n| 32.0 * n);
    // One width alone would pass for the whole.
    let tensor = get(TENSOR) == Some(1.0);
    let counted = pair(FLOPS[0], FLOPS[1]).filter(|_| !tensor);
    row.set(Number::Flops, counted.map(|flops| flops + get(FLOPS[2]).unwrap_or_default()));
    if let ([Some(single), Some(double)], true) =
        ([get(FLOPS[0]), get(FLOPS[1])], get(FLOPS[2]).is_none_or(|h| h == 0.0))
    {
        row.dtype = match (single > 0.0, double > 0.0) {
            (true, false) => "fp32".into(),
            (false, true) => "fp64".into(),
            _ => String::new(),
        };
    }
    row.set(Number::Fp32Add, get("flop_count_sp_add"));
    row.set(Number::Fp32Mul, get("flop_count_sp_mul"));
    row.set(Number::Fp32Fma, get("flop_count_sp_fma"));
    row.set(Number::Fp64Add, get("flop_count_dp_add"));
    row.set(Number::Fp64Mul, get("flop_count_dp_mul"));
    row.set(Number::Fp64Fma, get("flop_count_dp_fma"));
    let dram = pair("dram_read_bytes", "dram_write_bytes");
    row.set(Number::DramBytes, dram.or_else(|| sectors("dram_read_transactions", "dram_write_transactions")));
    row.set(Number::L2Bytes, sectors("l2_read_transactions", "l2_write_transactions"));
    row.set(Number::WarpInstsIssued, get("inst_issued"));
    row.set(Number::LsuWarpInsts, get("ldst_executed"));
    row.set(Number::GlobalWarpInsts, pair("inst_executed_global_loads", "inst_executed_global_stores"));
    let atomics = pair("inst_executed_global_atomics", "inst_executed_global_reductions");
    row.set(Number::GlobalAtomicRequests, atomics);
    // A transaction is one pass of 128 bytes over the banks, conflicts included.
    let wavefronts = pair("shared_load_transactions", "shared_store_transactions");
    row.set(Number::SmemWavefronts, wavefronts);
    row.set(Number::SmemBytes, wavefronts.map(|n| 128.0 * n));
    // A fraction, unlike nvprof's other shares.
    row.set(Number::AchievedOccupancy, get("achieved_occupancy").map(|o| 100.0 * o));
    row.set(Number::ActiveThreads, get("warp_execution_efficiency").map(|e| 0.32 * e));
}
