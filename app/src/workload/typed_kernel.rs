//! A kernel that somebody typed: what is known of one launch of it, and where it took how long.

use crate::catalogue::ElementType;
use crate::gpu::GpuId;
use crate::kernel::{
    BlockSize, Count, Kernel, KernelId, Launch, Problem, ProblemError, StatedArithmetic, Work,
};
use crate::measurement::{CanonicalRow, Number, ReadError, TYPED_SOURCE};
use crate::predict::Subject;
use crate::session::{Session, SubjectError};
use crate::units::{Bytes, Flops, Seconds, TypedRate};
use std::fmt;

/// The name of a kernel that was given none.
pub const NAMELESS: &str = "typed";

/// What was typed of a kernel; everything per launch, `None` where nothing was said.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TypedKernel {
    /// Its name: one of the catalogue, or a new one.
    pub name: Option<String>,
    /// The id of the GPU it was timed on.
    pub gpu: Option<String>,
    /// Its time there.
    pub time: Option<Seconds>,
    /// Threads per block, x y z.
    pub block: Option<[u64; 3]>,
    /// Blocks, x y z.
    pub grid: Option<[u64; 3]>,
    /// Registers per thread.
    pub regs_per_thread: Option<u32>,
    /// Static shared memory per block in bytes.
    pub smem_static_bytes: Option<u32>,
    /// Dynamic shared memory per block in bytes.
    pub smem_dynamic_bytes: Option<u32>,
    /// Floating-point operations; a fused multiply-add counts two.
    pub flops: Option<Flops>,
    /// 32-bit integer operations of all threads.
    pub int_ops: Option<f64>,
    /// DRAM traffic.
    pub dram_bytes: Option<Bytes>,
    /// Bytes through L2.
    pub l2_bytes: Option<Bytes>,
    /// Bytes touched before the same are touched again: what has to fit L2 to stay there.
    pub working_set: Option<Bytes>,
    /// Element type.
    pub dtype: Option<ElementType>,
    /// Which pipe does its arithmetic, where somebody says so.
    pub pipe: Option<StatedArithmetic>,
    /// Problem keys such as `n=2048`; needed for a kernel of the catalogue.
    pub problem: Problem,
}

/// A typed kernel in a session: what to ask about.
#[derive(Debug, Clone)]
pub struct LoadedKernel {
    /// The kernel at its size.
    pub subject: Subject,
    /// The GPU it was timed on, where one was typed.
    pub source: Option<GpuId>,
    /// The row, as a canonical CSV holds it; `None` where no time was typed.
    pub row: Option<CanonicalRow>,
}

/// Why a typed kernel is none.
#[derive(Debug, thiserror::Error)]
pub enum TypedKernelError {
    /// A time without a GPU.
    #[error("{0} was measured on which GPU? add `on rtx-3090`, or --from on the command line")]
    NoGpu(Seconds),
    /// A rate of work that nobody counted.
    #[error("{rate} of how {what}, or {flag} on the command line")]
    RateWithoutWork {
        /// As typed.
        rate: TypedRate,
        /// What is missing, and how it is typed.
        what: &'static str,
        /// The flag that states it.
        flag: &'static str,
    },
    /// Nothing to predict from.
    #[error(
        "neither a time nor work: give a measured time and its GPU (`4.2ms on rtx-3090`), or FLOPs and DRAM bytes"
    )]
    NothingToStartFrom,
    /// The launch of a kernel whose file states its own, without a time that was measured with it.
    #[error(
        "{0} has a launch of its own: give the --time that was measured with this one, or change it on the target with --launch block=64,regs=32"
    )]
    LaunchWithoutTime(String),
    /// Counts of a kernel whose file counts, without a time that was measured with them.
    #[error(
        "{0} counts its FLOPs and bytes by its file: give the --time and the size that were measured with these, or leave out --kernel"
    )]
    CountsWithoutTime(String),
    /// The time, or the rate, of a kernel that has sizes, without one.
    #[error("{kernel}: {time} at which size? give it, such as --size {example}")]
    TimeWithoutSize {
        /// The kernel.
        kernel: String,
        /// As typed.
        time: String,
        /// A size that it could have.
        example: String,
    },
    /// A row that the checks of measurement files refuse.
    #[error("{0}")]
    Refused(String),
    /// Sizes that do not fit the kernel of this name.
    #[error(transparent)]
    Subject(#[from] SubjectError),
    /// A size that does not fit the kernel.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// The row as a whole was not read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The GPU is named by a rule that makes none.
    #[error(transparent)]
    Derived(#[from] crate::gpu::DerivedError),
    /// The GPU is not in the catalogue.
    #[error(transparent)]
    Name(#[from] crate::catalogue::NameError),
}

impl TypedKernel {
    /// Whether nothing at all was typed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a launch was typed, and nothing that was measured or counted with it.
    fn is_launch_alone(&self) -> bool {
        let resources = [self.regs_per_thread, self.smem_static_bytes, self.smem_dynamic_bytes];
        let has_launch = self.block.is_some() || self.grid.is_some() || resources.iter().any(Option::is_some);
        has_launch && self.time.is_none() && self.flops.is_none() && self.dram_bytes.is_none()
    }

    /// Whether counts were typed without the time that they were measured with.
    fn is_counts_alone(&self) -> bool {
        let counts =
            [self.flops.map(|f| f.0), self.int_ops, self.dram_bytes.map(|b| b.0), self.l2_bytes.map(|b| b.0)];
        self.time.is_none() && counts.iter().any(Option::is_some)
    }

    /// Refuses what contradicts a kernel that has formulas: counts beside its own, a time at no size.
    fn fits_formulas(&self, session: &Session, kernel: KernelId) -> Result<(), TypedKernelError> {
        let id = || session.kernels[kernel].id.clone();
        if self.is_counts_alone() {
            return Err(TypedKernelError::CountsWithoutTime(id()));
        }
        match self.time.filter(|_| self.problem.pairs().is_empty()) {
            Some(time) => {
                let example = session.default_size_of(kernel, "", None).to_string();
                Err(TypedKernelError::TimeWithoutSize { kernel: id(), time: time.to_string(), example })
            }
            None => Ok(()),
        }
    }

    /// Takes the time that its work has at this rate: FLOPs or DRAM bytes as they are typed, else as the formulas of the kernel of its name
    /// count them at its size. That time.
    ///
    /// # Errors
    /// [`TypedKernelError`] where neither counts the work, or the size is missing or refused.
    pub fn set_time_at_rate(
        &mut self,
        rate: TypedRate,
        known: Option<&Kernel>,
    ) -> Result<Seconds, TypedKernelError> {
        let counted = known.filter(|kernel| kernel.has_formulas());
        let counted = counted.map(|kernel| self.counted_work(kernel, rate)).transpose()?.unwrap_or_default();
        let (time, what, flag) = match rate {
            TypedRate::Flops(rate) => {
                let flops = self.flops.or(counted.flops()).filter(|flops| flops.0 > 0.0);
                (flops.map(|flops| flops / rate), "many FLOPs? add `17.2 GFLOP`", "--flops")
            }
            TypedRate::Bytes(rate) => {
                let bytes = self.dram_bytes.or(counted.get(Count::DramBytes).map(Bytes));
                (bytes.map(|bytes| bytes / rate), "many bytes of DRAM? add `50MB dram`", "--dram-bytes")
            }
        };
        self.time = time;
        time.ok_or(TypedKernelError::RateWithoutWork { rate, what, flag })
    }

    /// What the kernel's formulas count at the typed size; nothing where its variants differ in that.
    fn counted_work(&self, kernel: &Kernel, rate: TypedRate) -> Result<Work, TypedKernelError> {
        if self.problem.pairs().is_empty() {
            let example =
                kernel.sizes.first().map(|(_, size)| kernel.short_problem(size)).unwrap_or_default();
            let (kernel, time) = (kernel.id.clone(), rate.to_string());
            return Err(TypedKernelError::TimeWithoutSize { kernel, time, example });
        }
        let problem = kernel.completed_problem(&self.problem)?;
        Ok(kernel.instance(&problem, "").map(|instance| instance.work).unwrap_or_default())
    }

    /// Puts it into the session: a measured row where a time was typed, and the kernel where the catalogue has none of its
    /// name. The same kernel typed again replaces what it was.
    ///
    /// # Errors
    /// [`TypedKernelError`] with what is missing or refused; the session is unchanged then.
    pub fn load_into(&self, session: &mut Session) -> Result<LoadedKernel, TypedKernelError> {
        session.add_derived_gpus(self.gpu.as_deref())?;
        let source = self.gpu.as_deref().map(|gpu| session.gpus.position(gpu)).transpose()?;
        let known = self.name.as_deref().and_then(|name| session.kernels.id_named(name));
        let has_formulas = known.is_some_and(|at| session.kernels[at].has_formulas());
        if self.time.is_none() && !has_formulas && !self.is_counts_alone() {
            return Err(TypedKernelError::NothingToStartFrom);
        }
        if let Some(at) = known.filter(|at| session.kernels[*at].states_launch() && self.is_launch_alone()) {
            return Err(TypedKernelError::LaunchWithoutTime(session.kernels[at].id.clone()));
        }
        if let Some(at) = known.filter(|_| has_formulas) {
            self.fits_formulas(session, at)?;
        }
        let problem = match known.filter(|_| has_formulas) {
            Some(at) => self.size_of(session, at, source)?,
            None => self.problem.clone(),
        };
        let name = known.map_or_else(|| self.new_name(), |at| session.kernels[at].id.clone());
        let row = match (self.time, source) {
            (Some(time), None) => return Err(TypedKernelError::NoGpu(time)),
            (Some(_), Some(gpu)) => Some(self.row(&session.gpus[gpu].id, &name, &problem)),
            (None, _) => None,
        };
        if let Some(known) = known {
            session.forget_reached_arithmetic(known);
        }
        match &row {
            Some(row) => add_row(session, row)?,
            None if known.is_none() => self.add_kernel(session, &name),
            None => {}
        }
        let kernel = session.kernels.position(&name)?;
        if let Some(stated) = &self.pipe {
            session.state_arithmetic(kernel, stated.clone()).map_err(TypedKernelError::Refused)?;
        }
        Ok(LoadedKernel { subject: self.subject_in(session)?, source, row })
    }

    /// The kernel at its size in a session that it was put into, with everything that was typed of it.
    ///
    /// # Errors
    /// That the session does not know its name, or not at this size.
    pub fn subject_in(&self, session: &Session) -> Result<Subject, TypedKernelError> {
        let kernel = session.kernels.position(self.name.as_deref().unwrap_or(NAMELESS))?;
        let source = self.gpu.as_deref().map(|gpu| session.gpus.position(gpu)).transpose()?;
        let problem = match session.kernels[kernel].has_formulas() {
            true => self.size_of(session, kernel, source)?,
            false => self.problem.clone(),
        };
        let variant = session.default_variant(kernel);
        let variant = if self.time.is_some() { "" } else { &*variant };
        let mut subject = session.subject(kernel, &problem, variant)?;
        self.lay_over(&mut subject);
        Ok(subject)
    }

    /// Its row as a canonical CSV holds it, in a session that it was put into; `None` where no time was typed.
    #[must_use]
    pub fn row_in(&self, session: &Session) -> Option<CanonicalRow> {
        let subject = self.time.and_then(|_| self.subject_in(session).ok())?;
        let gpu = session.gpus.position(self.gpu.as_deref()?).ok()?;
        let kernel = &session.kernels[subject.kernel].id;
        let mut row = self.row(&session.gpus[gpu].id, kernel, &subject.problem);
        row.attributes.extend(self.pipe.iter().map(|stated| ("pipe".to_string(), stated.to_string())));
        Some(row)
    }

    /// A warp does 32 operations in an instruction.
    fn alu_warp_insts(&self) -> Option<f64> {
        self.int_ops.map(|n| n / 32.0)
    }

    fn new_name(&self) -> String {
        self.name.clone().unwrap_or_else(|| NAMELESS.into())
    }

    /// The size of a kernel of the catalogue: the typed keys, else the one that it is shown at.
    fn size_of(
        &self,
        session: &Session,
        kernel: KernelId,
        source: Option<GpuId>,
    ) -> Result<Problem, TypedKernelError> {
        if self.problem.pairs().is_empty() {
            return Ok(session.default_size_of(kernel, "", source));
        }
        Ok(session.kernels[kernel].completed_problem(&self.problem)?)
    }

    /// The row as a measurement file would have it.
    fn row(&self, gpu: &str, kernel: &str, problem: &Problem) -> CanonicalRow {
        let mut row = CanonicalRow {
            gpu: gpu.into(),
            kernel: kernel.into(),
            problem: problem.to_string(),
            dtype: self.dtype.map(|d| d.as_str().to_string()).unwrap_or_default(),
            block: self.block,
            grid: self.grid,
            source: TYPED_SOURCE.into(),
            ..CanonicalRow::default()
        };
        row.set(Number::Time, self.time.map(Seconds::typed_millis));
        row.set(Number::RegsPerThread, self.regs_per_thread.map(f64::from));
        row.set(Number::SmemStatic, self.smem_static_bytes.map(f64::from));
        row.set(Number::SmemDynamic, self.smem_dynamic_bytes.map(f64::from));
        row.set(Number::Flops, self.flops.map(|f| f.0));
        row.set(Number::AluWarpInsts, self.alu_warp_insts());
        row.set(Number::DramBytes, self.dram_bytes.map(|b| b.0));
        row.set(Number::L2Bytes, self.l2_bytes.map(|b| b.0));
        row.set(Number::WorkingSet, self.working_set.map(|b| b.0));
        row
    }

    /// A kernel without file or row: its name is all that the catalogue holds.
    fn add_kernel(&self, session: &mut Session, name: &str) {
        let dtype = self.dtype.map_or("", ElementType::as_str);
        let kernel = Kernel::from_measurements(name, dtype);
        let added = session.edit(|workspace| workspace.kernels.insert(kernel));
        debug_assert!(added.is_ok(), "{added:?}: nobody has this name");
    }

    /// What was typed, over what the kernel's formulas say of this size.
    fn lay_over(&self, subject: &mut Subject) {
        let instance = &mut subject.instance;
        let block = self.block.map(|b| b.map(|n| u32::try_from(n).unwrap_or(u32::MAX)));
        if let Some((block, grid)) = block.zip(self.grid) {
            instance.launch = Some(Launch { block, grid });
        } else if let (Some(block), None) = (block, instance.launch) {
            let threads = block.iter().fold(1_u32, |a, b| a.saturating_mul(*b));
            instance.block_size = Some(BlockSize::Typed(threads));
        }
        instance.regs_per_thread = self.regs_per_thread;
        instance.smem_static = self.smem_static_bytes.or(instance.smem_static);
        instance.smem_dynamic = self.smem_dynamic_bytes.or(instance.smem_dynamic);
        let counted = Work::default()
            .with(Count::Flops, self.flops.map(|f| f.0))
            .with(Count::AluWarpInsts, self.alu_warp_insts())
            .with(Count::DramBytes, self.dram_bytes.map(|b| b.0))
            .with(Count::L2Bytes, self.l2_bytes.map(|b| b.0))
            .with(Count::WorkingSetBytes, self.working_set.map(|b| b.0));
        instance.work = instance.work.with_counts(&counted);
    }
}

/// Adds the row by the checks of measurement files.
fn add_row(session: &mut Session, row: &CanonicalRow) -> Result<(), TypedKernelError> {
    let loaded = session.add_rows(std::slice::from_ref(row), TYPED_SOURCE)?;
    match loaded.refused.first() {
        Some(why) => Err(TypedKernelError::Refused(format!("{}: {}", why.column, why.message))),
        None => Ok(()),
    }
}

/// A block or grid as it is typed: `16x16`, `256`.
#[must_use]
pub fn typed_shape(sides: [u64; 3]) -> String {
    let kept = sides.iter().rposition(|n| *n != 1).map_or(1, |last| last + 1);
    sides[..kept].iter().map(u64::to_string).collect::<Vec<_>>().join("x")
}

/// The one-line form, which [`super::KernelLine`] reads back.
impl fmt::Display for TypedKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        match (self.time, &self.gpu) {
            (Some(time), Some(gpu)) => parts.push(format!("{}ms on {gpu}", time.typed_millis())),
            (Some(time), None) => parts.push(format!("{}ms", time.typed_millis())),
            (None, gpu) => parts.extend(gpu.iter().map(|gpu| format!("on {gpu}"))),
        }
        parts.extend(self.name.iter().map(|name| format!("name {name}")));
        parts.extend(self.problem.pairs().iter().map(|(key, value)| format!("{key}={value}")));
        parts.extend(self.block.map(|d| format!("{} thr", typed_shape(d))));
        parts.extend(self.grid.map(|d| format!("grid {}", typed_shape(d))));
        parts.extend(self.regs_per_thread.map(|n| format!("{n} regs")));
        parts.extend(self.smem_static_bytes.map(|n| format!("{n}B smem")));
        parts.extend(self.smem_dynamic_bytes.map(|n| format!("{n}B dsmem")));
        parts.extend(self.flops.map(|n| format!("{}FLOP", n.0)));
        parts.extend(self.int_ops.map(|n| format!("{n} int-ops")));
        parts.extend(self.dram_bytes.map(|n| format!("{}B dram", n.0)));
        parts.extend(self.l2_bytes.map(|n| format!("{}B l2", n.0)));
        parts.extend(self.working_set.map(|n| format!("{}B working-set", n.0)));
        parts.extend(self.pipe.iter().map(|stated| format!("pipe={stated}")));
        parts.extend(self.dtype.map(|d| d.as_str().to_string()));
        f.write_str(&parts.join(", "))
    }
}
