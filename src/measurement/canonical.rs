//! The canonical row as importers fill it and files hold it: names and units of every column, and the writer.
//!
//! An importer turns a report into [`CanonicalRow`]s; [`super::read_rows`] takes them in, [`write_csv`] makes them a file,
//! and [`super::read_csv`] reads that file. All rows pass the same checks, whoever wrote them.

use super::{KnownNumbers, Measurement, PackedRows, RowAttributes};
use crate::catalogue::Catalogue;
use crate::gpu::Gpu;
use crate::kernel::Kernel;
use crate::units::Seconds;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::io;

/// Declares the number columns once: variant, name in the file, what it holds.
macro_rules! number_columns {
    ($($(#[doc = $doc:literal])+ $name:ident = $column:literal,)+) => {
        /// A column that holds a number of at least 0; the unit is in its name, and all are per launch.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Number {
            $($(#[doc = $doc])+ $name,)+
        }

        impl Number {
            /// Every number column, in the order in which files are written.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// Its name in the file.
            #[must_use]
            pub fn column(self) -> &'static str {
                match self { $(Self::$name => $column,)+ }
            }
        }
    };
}

number_columns! {
    /// Registers per thread.
    RegsPerThread = "regs_per_thread",
    /// Static shared memory per block in bytes.
    SmemStatic = "smem_static_bytes",
    /// Dynamic shared memory per block in bytes.
    SmemDynamic = "smem_dynamic_bytes",
    /// Floating-point operations; a fused multiply-add counts two.
    Flops = "flops",
    /// Compulsory DRAM traffic in bytes, or counted by a profiler.
    DramBytes = "dram_bytes",
    /// Bytes through L2.
    L2Bytes = "l2_bytes",
    /// Bytes through L1.
    L1Bytes = "l1_bytes",
    /// Bytes through shared memory.
    SmemBytes = "smem_bytes",
    /// Time in milliseconds.
    Time = "time_ms",
    /// Its standard deviation over trials in milliseconds.
    TimeStd = "time_std_ms",
    /// Number of trials.
    Trials = "trials",
    /// Mean power in watts.
    Power = "power_w",
    /// Energy in joules.
    Energy = "energy_j",
    /// SM clock in megahertz.
    SmClock = "sm_clock_mhz",
    /// Memory clock in megahertz.
    MemClock = "mem_clock_mhz",
    /// GPU utilisation in percent.
    GpuUtil = "gpu_util_pct",
    /// Distinct bytes touched.
    WorkingSet = "working_set_bytes",
    /// Global load and store warp instructions.
    GlobalWarpInsts = "global_warp_insts",
    /// All warp instructions of the load/store unit.
    LsuWarpInsts = "lsu_warp_insts",
    /// Shared-memory wavefronts of 128 bytes, conflicts included.
    SmemWavefronts = "smem_wavefronts",
    /// Warp instructions issued.
    WarpInstsIssued = "warp_insts_issued",
    /// Warp requests of global atomics.
    GlobalAtomicRequests = "global_atomic_requests",
    /// Sectors that atomics change in the line that most of them go to, each time.
    AtomicLineSectors = "atomic_line_sectors",
    /// Bytes of the sets of which single sectors are read or written in no order.
    ScatteredSetBytes = "scattered_set_bytes",
    /// Single-precision fused multiply-adds by thread.
    Fp32Fma = "fp32_fma",
    /// Single-precision additions by thread.
    Fp32Add = "fp32_add",
    /// Single-precision multiplications by thread.
    Fp32Mul = "fp32_mul",
    /// Double-precision fused multiply-adds by thread.
    Fp64Fma = "fp64_fma",
    /// Double-precision additions by thread.
    Fp64Add = "fp64_add",
    /// Double-precision multiplications by thread.
    Fp64Mul = "fp64_mul",
    /// Half-precision fused multiply-adds by thread, a packed one counted once.
    Fp16Fma = "fp16_fma",
    /// Half-precision additions by thread, a packed one counted once.
    Fp16Add = "fp16_add",
    /// Half-precision multiplications by thread, a packed one counted once.
    Fp16Mul = "fp16_mul",
    /// Use of the FMA pipe in percent of what it can do in the launch's elapsed cycles.
    PipeFma = "pipe_fma_pct",
    /// Use of the ALU pipe (integer, logic) in percent.
    PipeAlu = "pipe_alu_pct",
    /// Use of the XU pipe (special functions, conversions) in percent.
    PipeXu = "pipe_xu_pct",
    /// Use of the load/store unit's pipe in percent.
    PipeLsu = "pipe_lsu_pct",
    /// Use of the FP64 pipe in percent.
    PipeFp64 = "pipe_fp64_pct",
    /// Use of the tensor pipe in percent.
    PipeTensor = "pipe_tensor_pct",
    /// Active threads per warp instruction, at most 32.
    ActiveThreads = "active_threads_per_inst",
    /// Passes of global loads and stores through an L1 that is one memory with shared memory.
    GlobalWavefronts = "global_wavefronts",
    /// Loads that a block waits for one after another.
    LoadRounds = "load_rounds",
    /// Instructions of a warp that follow one another without a loop: the longest run.
    StraightLineInsts = "straight_line_insts",
    /// Warp instructions of the FMA pipe.
    FmaWarpInsts = "fma_warp_insts",
    /// Warp instructions of the ALU pipe (integer, logic).
    AluWarpInsts = "alu_warp_insts",
    /// Warp instructions of the XU pipe (special functions, conversions).
    XuWarpInsts = "xu_warp_insts",
    /// Warp instructions of the FP64 pipe.
    Fp64WarpInsts = "fp64_warp_insts",
    /// Achieved occupancy in percent.
    AchievedOccupancy = "achieved_occupancy_pct",
    /// Blocks per SM that registers allow.
    RegsLimit = "regs_limit_blocks",
    /// Blocks per SM that shared memory allows.
    SmemLimit = "smem_limit_blocks",
    /// Blocks per SM that warps allow.
    WarpsLimit = "warps_limit_blocks",
}

impl Number {
    /// Whether it counts things or bytes, so that a comma in it parts thousands: times, rates and shares have decimals.
    #[must_use]
    pub fn is_counted(self) -> bool {
        let column = self.column();
        let measured = ["_ms", "_w", "_j", "_mhz", "_pct", "_per_inst"];
        !measured.iter().any(|unit| column.ends_with(unit))
    }

    /// The largest value that is believed, in the column's unit; what is beyond it was damaged or has another unit.
    #[must_use]
    pub fn most(self) -> f64 {
        match self {
            Self::Time | Self::TimeStd => super::LONGEST_MS,
            Self::Power => 1e6,
            Self::Energy => 1e12,
            Self::SmClock | Self::MemClock => 1e6,
            Self::GpuUtil
            | Self::AchievedOccupancy
            | Self::PipeFma
            | Self::PipeAlu
            | Self::PipeXu
            | Self::PipeLsu
            | Self::PipeFp64
            | Self::PipeTensor => 1e4,
            // Counts of one launch: ten days of the fastest machine there is.
            _ => 1e24,
        }
    }
}

/// The text columns before the numbers, in the order in which files are written.
const FIRST: [&str; 7] = ["gpu", "kernel", "problem", "variant", "dtype", "block", "grid"];

/// One row: one GPU, one kernel, one configuration; per launch. Blank text and absent numbers are unknown.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CanonicalRow {
    /// An id, an alias, or the name the driver gives.
    pub gpu: String,
    /// The kernel's short name.
    pub kernel: String,
    /// `m=512;n=512;k=1024`.
    pub problem: String,
    /// Tells code variants apart.
    pub variant: String,
    /// fp64 fp32 tf32 fp16 bf16 fp8 int8 int32.
    pub dtype: String,
    /// Threads per block, x y z.
    pub block: Option<[u64; 3]>,
    /// Blocks, x y z.
    pub grid: Option<[u64; 3]>,
    /// Where the row comes from: file and place in it.
    pub source: String,
    /// The numbers that are known.
    pub numbers: KnownNumbers,
    /// What else the report said: further columns by name.
    pub attributes: RowAttributes,
}

impl CanonicalRow {
    /// A loaded row as a file would hold it: ids for names, and numbers that read back as the same.
    #[must_use]
    pub fn from_measurement(row: &Measurement, gpus: &Catalogue<Gpu>, kernels: &Catalogue<Kernel>) -> Self {
        Self {
            gpu: gpus[row.gpu].id.clone(),
            kernel: kernels[row.kernel].id.clone(),
            problem: row.problem.to_string(),
            variant: row.variant().to_string(),
            dtype: row.dtype().to_string(),
            block: row.block().map(|b| b.map(u64::from)),
            grid: row.grid(),
            source: row.source().to_string(),
            numbers: Number::ALL.iter().filter_map(|n| Some((*n, row.number(*n)?))).collect(),
            attributes: row.attributes().iter().map(|(n, t)| (n.to_string(), t.to_string())).collect(),
        }
    }

    /// Sets a number; nothing where it is not known or not a number of at least 0.
    pub fn set(&mut self, number: Number, value: Option<f64>) {
        if let Some(value) = value.filter(|v| v.is_finite() && *v >= 0.0) {
            self.numbers.insert(number, value);
        }
    }

    /// This number, where it is known.
    #[must_use]
    pub fn get(&self, number: Number) -> Option<f64> {
        self.numbers.get(number)
    }
}

/// A canonical CSV of these rows: text columns, the numbers and attributes that any row has, and the source.
#[must_use]
pub fn write_csv(rows: &[CanonicalRow]) -> Vec<u8> {
    let mut written = Vec::new();
    // Writing into memory cannot fail.
    let _ = write_packed_to(&rows.iter().cloned().collect(), &mut written);
    written
}

/// [`write_csv`] as a stream: none of the text is kept, and one row at a time.
///
/// # Errors
/// What the writer refuses.
pub fn write_packed_to(rows: &PackedRows, out: impl io::Write) -> io::Result<()> {
    let table = CanonicalTable::new(rows);
    let mut csv = csv::WriterBuilder::new().from_writer(out);
    csv.write_record(table.header())?;
    let mut reader = rows.reader();
    while let Some(row) = reader.next_row() {
        table.fields(row).try_for_each(|field| csv.write_field(field.as_bytes()))?;
        csv.write_record(None::<&[u8]>)?;
    }
    csv.flush()
}

/// Rows as the lines of a canonical CSV: which columns it has, and what stands in them.
#[derive(Debug, Clone)]
pub struct CanonicalTable {
    numbers: Vec<Number>,
    attributes: Vec<String>,
}

impl CanonicalTable {
    /// The table that these rows make.
    #[must_use]
    pub fn new(rows: &PackedRows) -> Self {
        let known: BTreeSet<Number> = rows.known_numbers().chain([Number::Time]).collect();
        let numbers = known.into_iter().collect();
        let attributes = attribute_names(rows).into_iter().map(|(key, _)| key).collect();
        Self { numbers, attributes }
    }

    /// The names of its columns.
    pub fn header(&self) -> impl Iterator<Item = &str> {
        let numbers = self.numbers.iter().map(|n| n.column());
        FIRST.into_iter().chain(numbers).chain(["source"]).chain(self.attributes.iter().map(String::as_str))
    }

    /// The cells of this row, one for each column.
    pub fn fields<'a>(&'a self, row: &'a CanonicalRow) -> impl Iterator<Item = Cow<'a, str>> {
        let shape = |d: Option<[u64; 3]>| Cow::Owned(d.map(written_dimensions).unwrap_or_default());
        let written = |n: &Number| Cow::Owned(row.get(*n).map(written_number).unwrap_or_default());
        let attribute = |name: &String| row.attributes.get(name).map_or(Cow::Borrowed(""), |t| clean_text(t));
        let texts = [&row.gpu, &row.kernel, &row.problem, &row.variant, &row.dtype].map(|t| clean_text(t));
        let texts = texts.into_iter().chain([shape(row.block), shape(row.grid)]);
        let numbers = self.numbers.iter().map(written);
        let attributes = self.attributes.iter().map(attribute);
        texts.chain(numbers).chain([clean_text(&row.source)]).chain(attributes)
    }

    /// How many lines the row takes in a file: a text with line breaks takes several.
    #[must_use]
    pub fn line_count(&self, row: &CanonicalRow) -> u64 {
        let breaks = |field: Cow<'_, str>| field.bytes().filter(|b| *b == b'\n').count() as u64;
        1 + self.fields(row).map(breaks).sum::<u64>()
    }
}

/// The attributes that any row has, by key and as a file gives the name back; without those whose name it could not give
/// back: blank ones, names of columns, and control characters.
pub(super) fn attribute_names(rows: &PackedRows) -> Vec<(String, String)> {
    let mut seen = BTreeSet::new();
    let all = rows.attributes().iter().map(String::as_str);
    all.map(|key| (key, key.trim().trim_start_matches('\u{feff}')))
        .filter(|(key, name)| {
            !is_column(name) && !key.contains(char::is_control) && seen.insert(name.to_string())
        })
        .map(|(key, name)| (key.to_string(), name.to_string()))
        .collect()
}

/// Whether the canonical CSV has a meaning for a column of this name; a blank one has none to give.
pub(crate) fn is_column(name: &str) -> bool {
    name.is_empty()
        || name == "source"
        || FIRST.contains(&name)
        || Number::ALL.iter().any(|n| n.column() == name)
}

/// No text file holds a NUL byte.
pub(super) fn clean_text(text: &str) -> Cow<'_, str> {
    if text.contains('\0') { Cow::Owned(text.replace('\0', "\u{fffd}")) } else { Cow::Borrowed(text) }
}

/// Milliseconds that read back as this very time: the short decimal that the file had, as a rule.
pub(super) fn written_millis(time: Seconds) -> f64 {
    let ms = time.millis();
    let short = format!("{ms:.14e}").parse().unwrap_or(ms);
    let same = |ms: &f64| Seconds::from_millis(*ms) == time;
    [short, ms, ms.next_up(), ms.next_down()].into_iter().find(same).unwrap_or(ms)
}

/// `256`, `16x16`, `8x8x4`: trailing ones are left out.
pub(super) fn written_dimensions(d: [u64; 3]) -> String {
    let kept = d.iter().rposition(|n| *n != 1).map_or(1, |at| at + 1);
    let mut text = d[0].to_string();
    for n in &d[1..kept] {
        // Writing into memory cannot fail.
        let _ = write!(text, "x{n}");
    }
    text
}

/// The shortest text that reads back as the same number.
fn written_number(value: f64) -> String {
    format!("{value}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_names_only_the_columns_that_hold_something() {
        let mut row =
            CanonicalRow { gpu: "titan-v".into(), kernel: "saxpy, tuned".into(), ..CanonicalRow::default() };
        row.set(Number::Time, Some(0.05));
        row.set(Number::Flops, Some(f64::NAN));
        row.block = Some([16, 16, 1]);
        row.grid = Some([1, 1, 1]);
        row.attributes.insert("stream".into(), "7".into());
        let text = String::from_utf8(write_csv(&[row])).unwrap();
        assert_eq!(
            text,
            "gpu,kernel,problem,variant,dtype,block,grid,time_ms,source,stream\n\
             titan-v,\"saxpy, tuned\",,,,16x16,1,0.05,,7\n"
        );
    }

    #[test]
    fn every_count_of_a_kernel_is_a_column() {
        let columns: Vec<&str> = Number::ALL.iter().map(|n| n.column()).collect();
        for count in crate::kernel::Count::ALL {
            assert!(columns.contains(&count.name()), "{}", count.name());
        }
    }
}
