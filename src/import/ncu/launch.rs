//! What a report says of one launch, and the canonical row of it.

use super::metrics::{self, NcuPrecision, Values};
use super::utilisation;
use crate::import::kernel_name::{LONGEST_NAME, short_name, signature};
use crate::import::{ImportJob, ImportRefusal};
use crate::measurement::{CanonicalRow, FLUSHED_CACHES, Number, short_number};

/// What one launch of a report says.
#[derive(Debug, Clone, Default)]
pub(super) struct ProfiledLaunch {
    /// The line it begins in, or its place in a report.
    pub(super) line: u64,
    pub(super) id: String,
    pub(super) kernel: String,
    pub(super) device: String,
    pub(super) compute_capability: String,
    pub(super) block: Option<[u64; 3]>,
    pub(super) grid: Option<[u64; 3]>,
    pub(super) values: Values,
}

/// That this column cannot be believed, and why.
pub(super) fn refusal(column: &str, message: impl Into<String>) -> ImportRefusal {
    (column.to_string(), message.into())
}

impl ProfiledLaunch {
    /// The dimensions of block or grid: as stated, else from the metrics.
    fn dimensions(&self, stated: Option<[u64; 3]>, each: [&str; 3], all: &str) -> Option<[u64; 3]> {
        let whole =
            |name: &str| self.values.get(name).filter(|v| v.fract() == 0.0 && *v <= 1e15).map(|v| v as u64);
        stated
            .or_else(|| {
                let [x, y, z] = each.map(whole);
                Some([x?, y?, z?])
            })
            .or_else(|| whole(all).map(|n| [n, 1, 1]))
    }

    /// The canonical row.
    pub(super) fn canonical_row(&self, job: &ImportJob<'_>) -> Result<CanonicalRow, ImportRefusal> {
        if self.kernel.is_empty() || self.kernel.len() > LONGEST_NAME {
            return Err(refusal(
                "Kernel Name",
                "is blank or longer than 512 KiB; expected the name of a kernel",
            ));
        }
        let block = self.dimensions(self.block, metrics::BLOCK_DIM, metrics::BLOCK_SIZE);
        let grid = self.dimensions(self.grid, metrics::GRID_DIM, metrics::GRID_SIZE);
        self.check_launch(block, grid)?;
        let of_tensors = self.tensor_dtype();
        let mut row = CanonicalRow {
            gpu: self.device.clone(),
            kernel: short_name(&self.kernel).to_string(),
            problem: launch_problem(grid, block),
            dtype: of_tensors.or_else(|| self.dtype()).unwrap_or_default().to_string(),
            block,
            grid,
            source: format!("{}:{}", job.file, self.line),
            ..CanonicalRow::default()
        };
        self.fill_numbers(&mut row);
        self.attributes(&mut row);
        if let Some(dtype) = of_tensors {
            row.attributes.insert("pipe".to_string(), format!("tensor {dtype}"));
        }
        Ok(row)
    }

    /// What no launch can be: a damaged report is not to be believed.
    fn check_launch(&self, block: Option<[u64; 3]>, grid: Option<[u64; 3]>) -> Result<(), ImportRefusal> {
        let product = |d: [u64; 3]| d.iter().fold(1u64, |a, b| a.saturating_mul(*b));
        let threads = block.map(product);
        if threads.is_some_and(|t| !(1..=1024).contains(&t)) {
            let found = threads.unwrap_or_default();
            return Err(refusal("Block Size", format!("{found} threads: expected 1 to 1024")));
        }
        if grid.map(product) == Some(0) {
            return Err(refusal("Grid Size", "0 blocks: expected at least 1"));
        }
        for (of, name) in [(threads, metrics::BLOCK_SIZE), (grid.map(product), metrics::GRID_SIZE)] {
            if let Some((of, stated)) = of.zip(self.values.get(name)).filter(|(of, s)| *of as f64 != *s) {
                return Err(refusal(
                    name,
                    format!("{stated}, but the dimensions give {of}; is the report damaged?"),
                ));
            }
        }
        for (name, most) in MOST {
            if let Some(found) = self.values.get(name).filter(|v| *v > most) {
                let [found, most] = [found, most].map(short_number);
                let text = format!("{found}: expected at most {most}; is the report damaged?");
                return Err(refusal(name, text));
            }
        }
        let no_count = |registers: &f64| *registers < 1.0 || registers.fract() != 0.0;
        if let Some(found) = self.values.get(metrics::REGISTERS).filter(no_count) {
            let text = format!("{found}: expected a whole number from 1; is the report damaged?");
            return Err(refusal(metrics::REGISTERS, text));
        }
        if self.values.get(metrics::TIME) == Some(0.0) {
            return Err(refusal(metrics::TIME, "0: expected more; was the launch profiled?"));
        }
        Ok(())
    }

    fn fill_numbers(&self, row: &mut CanonicalRow) {
        let v = &self.values;
        row.set(Number::Time, v.get(metrics::TIME).map(|ns| ns / 1e6));
        row.set(Number::RegsPerThread, v.get(metrics::REGISTERS));
        row.set(Number::SmemStatic, v.get(metrics::SMEM_STATIC));
        row.set(Number::SmemDynamic, v.get(metrics::SMEM_DYNAMIC));
        row.set(Number::Flops, self.flops());
        row.set(Number::DramBytes, v.dram_bytes().or_else(|| utilisation::dram_bytes(v)));
        row.set(Number::L2Bytes, v.l2_bytes());
        row.set(Number::L1Bytes, v.l1_bytes());
        let wavefronts = v.smem_wavefronts();
        row.set(Number::SmemWavefronts, wavefronts);
        // What threads asked for, where it was counted; the wavefronts contain bank conflicts.
        row.set(Number::SmemBytes, v.first(&metrics::SMEM_DATA).or(wavefronts.map(|w| 128.0 * w)));
        row.set(Number::SmClock, v.first(&metrics::SM_CLOCKS).map(|hz| hz / 1e6));
        row.set(Number::MemClock, v.get(metrics::DRAM_CLOCK).map(|hz| hz / 1e6));
        row.set(Number::GlobalWarpInsts, v.global_insts());
        row.set(Number::GlobalAtomicRequests, v.same_address_atomics());
        row.set(
            Number::LsuWarpInsts,
            v.lsu_insts().or_else(|| utilisation::lsu_insts(v)).or_else(|| v.lsu_parts()),
        );
        // Issued again are less than 1 % of those executed in every report that counts both.
        row.set(Number::WarpInstsIssued, v.first(&[metrics::ISSUED, metrics::EXECUTED]));
        row.set(Number::ActiveThreads, v.get(metrics::ACTIVE_THREADS).map(|threads| threads.min(WARP)));
        row.set(Number::AchievedOccupancy, v.get(metrics::ACHIEVED));
        row.set(Number::RegsLimit, v.get(metrics::LIMIT_REGS));
        row.set(Number::SmemLimit, v.get(metrics::LIMIT_SMEM));
        row.set(Number::WarpsLimit, v.get(metrics::LIMIT_WARPS));
        v.pipe_uses().for_each(|(column, percent)| row.set(column, Some(percent)));
        for (precision, columns) in MIX {
            let counts =
                if precision == NcuPrecision::Half { v.half_operations() } else { v.operations(precision) };
            let counts = counts.into_iter().flatten();
            columns.into_iter().zip(counts).for_each(|(column, count)| row.set(column, Some(count)));
        }
    }

    fn attributes(&self, row: &mut CanonicalRow) {
        let [major, minor] = metrics::CC.map(|n| self.values.get(n));
        let of_metrics = major.zip(minor).map(|(a, b)| format!("{a}.{b}")).unwrap_or_default();
        let stated = &self.compute_capability;
        let texts = [
            ("report_id", self.id.as_str()),
            ("compute_capability", if stated.is_empty() { &of_metrics } else { stated }),
            ("kernel_signature", signature(&self.kernel).unwrap_or_default()),
        ];
        for (name, text) in texts.into_iter().filter(|(_, t)| !t.is_empty()) {
            row.attributes.insert(name.to_string(), text.to_string());
        }
        // Before every launch, unless --cache-control none was given, which no report states.
        let [caches, flushed] = FLUSHED_CACHES;
        row.attributes.insert(caches.to_string(), flushed.to_string());
        let numbers = [
            ("smem_driver_bytes", metrics::SMEM_DRIVER),
            ("blocks_limit_blocks", metrics::LIMIT_BLOCKS),
            ("theoretical_occupancy_pct", metrics::THEORETICAL),
            ("warp_insts_executed", metrics::EXECUTED),
            ("l1_hit_pct", metrics::L1_HIT),
            ("l2_hit_pct", metrics::L2_HIT),
        ];
        for (name, metric) in numbers {
            if let Some(value) = self.values.get(metric) {
                row.attributes.insert(name.to_string(), value.to_string());
            }
        }
    }

    /// Floating-point operations; a fused multiply-add is two. Unknown where single or double precision was not counted, or
    /// a tensor pipe worked and its operations were not: the rest would pass for the whole.
    fn flops(&self) -> Option<f64> {
        if self.values.tensor_uncounted() {
            return None;
        }
        let flops = |[add, mul, fma]: [f64; 3]| add + mul + 2.0 * fma;
        let half = self.values.half_operations().map(flops);
        let [single, double] =
            [NcuPrecision::Single, NcuPrecision::Double].map(|p| self.values.operations(p).map(flops));
        let further = half.unwrap_or_default() + self.values.tensor_flops().unwrap_or_default();
        Some(single? + double? + further)
    }

    /// Whether half precision was counted and worked.
    pub(super) fn half_worked(&self) -> bool {
        self.values.half_operations().is_some_and(|ops| ops.iter().any(|v| *v > 0.0))
    }

    /// The type of what the tensor pipes read, where nearly all FLOPs are theirs.
    fn tensor_dtype(&self) -> Option<&'static str> {
        let of_tensors = self.values.tensor_flops()?;
        let source = self.values.tensor_source().filter(|source| *source != NcuPrecision::Double.dtype())?;
        (of_tensors >= MOSTLY_TENSOR * self.flops()?).then_some(source)
    }

    /// The one width that single and double counters saw at work, tensor pipes idle.
    fn dtype(&self) -> Option<&'static str> {
        if self.values.tensor_active() != Some(false) {
            return None;
        }
        let [_, single, double] = NcuPrecision::ALL.map(|p| self.values.operations(p));
        let worked = |ops: [f64; 3]| ops.iter().any(|v| *v > 0.0);
        match (self.half_worked(), worked(single?), worked(double?)) {
            (false, true, false) => Some(NcuPrecision::Single.dtype()),
            (false, false, true) => Some(NcuPrecision::Double.dtype()),
            (true, false, false) => Some(NcuPrecision::Half.dtype()),
            _ => None,
        }
    }
}

/// The columns of additions, multiplications and fused multiply-adds.
const MIX: [(NcuPrecision, [Number; 3]); 3] = [
    (NcuPrecision::Half, [Number::Fp16Add, Number::Fp16Mul, Number::Fp16Fma]),
    (NcuPrecision::Single, [Number::Fp32Add, Number::Fp32Mul, Number::Fp32Fma]),
    (NcuPrecision::Double, [Number::Fp64Add, Number::Fp64Mul, Number::Fp64Fma]),
];

/// The share of its FLOPs from which on a kernel is one of tensor pipes.
const MOSTLY_TENSOR: f64 = 0.9;

/// Threads of a warp.
const WARP: f64 = 32.0;

/// The most that these can be. Two counters that ncu read in different passes over a launch make a ratio that is a little above what it can be:
/// 32.01 threads of 32 in a histogram on an H100.
const MOST: [(&str, f64); 6] = [
    (metrics::TIME, 1e15),
    (metrics::REGISTERS, 255.0),
    (metrics::SMEM_STATIC, 1e6),
    (metrics::SMEM_DYNAMIC, 1e6),
    (metrics::ACTIVE_THREADS, 1.02 * WARP),
    (metrics::ACHIEVED, 101.0),
];

/// `grid=196;block=256`; blank where nobody stated the launch.
pub(in crate::import) fn launch_problem(grid: Option<[u64; 3]>, block: Option<[u64; 3]>) -> String {
    let (Some(grid), Some(block)) = (grid, block) else { return String::new() };
    let named = [("grid", grid), ("block", block)];
    let pairs = named.into_iter().flat_map(|(name, d)| {
        let [x, y, z] = d;
        let further = [("y", y), ("z", z)].into_iter().filter(|(_, n)| *n != 1);
        std::iter::once(format!("{name}={x}"))
            .chain(further.map(move |(axis, n)| format!("{name}_{axis}={n}")))
    });
    pairs.collect::<Vec<_>>().join(";")
}
