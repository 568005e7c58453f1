//! What is said of rows that were loaded, but not as they stand in their file.

use super::reached::{arithmetic_that_a_row_shows, assume_tensor_cores};
use crate::catalogue::Catalogue;
use crate::gpu::Gpu;
use crate::kernel::{
    ArithmeticSource, Kernel, KernelId, StatedArithmetic, kernel_and_other_keys, leaves_open,
};
use crate::measurement::Measurement;
use crate::occupancy::{LaunchRefusal, StatedLaunch};
use crate::text::{clipped_text, counted, first_names};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Of rows that leave a key of their kernel open, and of rows whose keys their kernel does not have: how many there are,
/// and what to do.
pub(super) fn remarks(rows: &[Measurement], kernels: &Catalogue<Kernel>) -> Vec<String> {
    let mut open: BTreeMap<(KernelId, &str), usize> = BTreeMap::new();
    let mut other_keys: BTreeMap<KernelId, usize> = BTreeMap::new();
    for row in rows {
        if leaves_open(row.variant()) {
            *open.entry((row.kernel, row.variant())).or_default() += 1;
        }
        if kernels[row.kernel].is_by_other_keys() {
            *other_keys.entry(row.kernel).or_default() += 1;
        }
    }
    let open = open.into_iter().map(|((kernel, variant), n)| {
        let id = &kernels[kernel].id;
        format!(
            "{} of {id}: {variant}; loaded as a separate variant, formulas use the default; to change it, set the key in the problem column",
            counted(n, "row")
        )
    });
    let other_keys = other_keys.into_iter().filter_map(|(kernel, n)| {
        let own = &kernels[kernel];
        let (of, keys) = kernel_and_other_keys(&own.id)?;
        let known = kernels.entry_named(of).map(|k| k.keys.clone()).unwrap_or_default();
        let (expected, size) = (known.join(","), known.iter().map(|key| format!("{key}=…")).collect::<Vec<_>>());
        let (rows, size) = (counted(n, "row"), size.join(","));
        let (have, them) = if n == 1 { ("has", "it") } else { ("have", "them") };
        Some(format!(
            "{rows} of {of} {have} the keys `{keys}`, expected `{expected}`: loaded as a separate kernel, {}; to load {them} as {of}, \
             set {size} in the problem column, or import with --problem {of}:{size}",
            own.id
        ))
    });
    open.chain(other_keys).collect()
}

/// That rows state a launch which their own GPU refuses; the first of them, and how many there are.
pub(super) fn refused_launches_remark(
    rows: &[Measurement],
    gpus: &Catalogue<Gpu>,
    kernels: &Catalogue<Kernel>,
) -> Option<String> {
    let mut refused = rows.iter().filter_map(|row| Some((row, stated_launch_refusal(row, &gpus[row.gpu])?)));
    let (row, why) = refused.next()?;
    let (kernel, gpu) = (&kernels[row.kernel].id, &gpus[row.gpu].id);
    let others = match refused.count() {
        0 => String::new(),
        n => format!("; {} like it", counted(n, "row")),
    };
    Some(format!(
        "line {}: {kernel} on {gpu} {why}: the time must be of another launch; correct block, regs_per_thread or shared memory, \
         or leave the row out with `roofswap audit --fix`{others}",
        row.line
    ))
}

/// Why this GPU does not start the launch that a row states.
fn stated_launch_refusal(row: &Measurement, gpu: &Gpu) -> Option<LaunchRefusal> {
    if !row.describes_launch() {
        return None;
    }
    let stated = StatedLaunch {
        threads: row.threads_per_block(),
        regs_per_thread: row.regs_per_thread(),
        smem_static: row.smem_static(),
        smem_dynamic: row.smem_dynamic(),
        launch: row.launch(),
    };
    stated.refusal(&gpu.cuda.limits)
}

/// Names that a remark lists.
const LISTED: usize = 5;

/// What kernels are that the rows call by another name of theirs.
pub(super) fn renamed_remark(
    renamed: &BTreeMap<Box<str>, KernelId>,
    kernels: &Catalogue<Kernel>,
) -> Option<String> {
    let all: Vec<String> = renamed
        .iter()
        .map(|(name, kernel)| format!("`{}` is {}", clipped_text(name, 60), kernels[*kernel].id))
        .collect();
    (!all.is_empty())
        .then(|| format!("kernels are shown by their names in the catalogue: {}", first_names(&all, LISTED)))
}

/// That rows repeat others of their configuration and GPU; nothing where none does.
pub(super) fn repeated_remark(rows: usize) -> Option<String> {
    (rows > 0).then(|| {
        let (repeating, repeat) = (counted(rows, "row"), if rows == 1 { "repeats" } else { "repeat" });
        format!(
            "{repeating} {repeat} a configuration on the same GPU; the last one is used, `roofswap audit` shows how far apart they are"
        )
    })
}

impl super::Session {
    /// Takes in what is stated of a kernel's arithmetic.
    ///
    /// # Errors
    /// Why nothing can be stated of it.
    pub fn state_arithmetic(&mut self, kernel: KernelId, stated: StatedArithmetic) -> Result<(), String> {
        let mut changed = self.kernels[kernel].clone();
        changed.state_arithmetic(stated)?;
        self.edit(|workspace| workspace.kernels.insert(changed)).map_err(|clash| clash.to_string())
    }

    /// Drops what was assumed of a kernel's arithmetic from a time that another is about to replace.
    pub fn forget_reached_arithmetic(&mut self, kernel: KernelId) {
        if self.kernels[kernel].arithmetic_is_reached() {
            let mut changed = self.kernels[kernel].clone();
            changed.stated_arithmetic = None;
            // Its names are those it has.
            let _ = self.edit(|workspace| workspace.kernels.insert(changed));
        }
    }
}

/// The attribute of a row that states the arithmetic of its kernel.
const PIPE: &str = "pipe";

/// Takes in what rows state of their kernels' arithmetic (column `pipe`); what cannot be taken in is told, once per kernel. Rows of one
/// kernel are of one arithmetic: the first one that states it counts. Where none does, what its times show.
pub(super) fn state_arithmetic(
    rows: &[Measurement],
    gpus: &Catalogue<Gpu>,
    kernels: &mut Catalogue<Kernel>,
) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut remarks = Vec::new();
    for row in rows {
        let Some(text) = pipe_column(row) else { continue };
        if !seen.insert(row.kernel) {
            continue;
        }
        let mut kernel = kernels[row.kernel].clone();
        let taken = StatedArithmetic::from_text(text, ArithmeticSource::Row)
            .map_err(|e| e.to_string())
            .and_then(|stated| kernel.state_arithmetic(stated))
            .and_then(|()| kernels.insert(kernel).map_err(|clash| clash.to_string()));
        remarks.extend(taken.err().map(|why| format!("row {}: {why}; the column is left out", row.line)));
    }
    assume_tensor_cores(rows, gpus, kernels);
    remarks
}

/// What the column `pipe` of a row holds.
fn pipe_column(row: &Measurement) -> Option<&str> {
    let (_, text) = row.attributes().iter().find(|(name, _)| &**name == PIPE)?;
    Some(&**text).filter(|text| !text.trim().is_empty())
}

/// The arithmetic of this row's kernel as the row alone states or shows it, over what its file and the user state; second why its
/// column is left out.
pub(super) fn arithmetic_by_row(
    row: &Measurement,
    gpus: &Catalogue<Gpu>,
    kernel: &Kernel,
) -> (Option<StatedArithmetic>, Option<String>) {
    let is_of_rows = |stated: &StatedArithmetic| {
        matches!(stated.source, ArithmeticSource::Row | ArithmeticSource::Reached)
    };
    let mut alone = Cow::Borrowed(kernel);
    if kernel.stated_arithmetic.as_ref().is_some_and(is_of_rows) {
        alone.to_mut().stated_arithmetic = None;
    }
    let why = pipe_column(row).and_then(|text| {
        let stated = StatedArithmetic::from_text(text, ArithmeticSource::Row).map_err(|e| e.to_string());
        stated.and_then(|stated| alone.to_mut().state_arithmetic(stated)).err()
    });
    let stated = alone.stated_arithmetic.clone();
    let why = why.map(|why| format!("row {}: {why}; the column is left out", row.line));
    (stated.or_else(|| arithmetic_that_a_row_shows(row, &alone, gpus)), why)
}
