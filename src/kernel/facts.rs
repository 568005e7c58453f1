//! What is known of a kernel beside its names. Of most kernels of a measurement file it is nothing, which they share: there may be as
//! many of them as the file has lines.

use super::compiled::{Cc, Resources};
use super::library_share::LibraryShare;
use super::name::short_name;
use super::{Codes, Kernel, KernelFormulas, OperatorType, Problem, RunsAs, StatedArithmetic, Translation};
use crate::catalogue::{Feature, Sourced};
use crate::units::Seconds;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What is known of a kernel beside its names: `kernel.dtype` is that of its facts.
#[derive(Debug, Clone)]
pub struct KernelFacts {
    /// Other names.
    pub aliases: Vec<String>,
    /// As the linker knows it, where a compiler's report was read; overloads share all other names. Empty otherwise.
    pub symbol: String,
    /// What it computes, in one line.
    pub summary: String,
    /// Paper 1's category: memory, compute, reduction, atomic, special.
    pub category: String,
    /// Element type: `fp32`.
    pub dtype: String,
    /// Id of the source that describes it.
    pub source: Arc<str>,
    /// How it comes to run.
    pub runs_as: RunsAs,
    /// Problem keys in order; none for a kernel known only from measurements.
    pub keys: Vec<String>,
    /// Those of them that choose the launch and not the work: `t`, `tile`.
    pub launch_keys: Vec<String>,
    /// Those of them that change the work of an element and are no part of how many there are: `l` landmarks.
    pub parameter_keys: Vec<String>,
    /// Those of them that may be 0: the padding of a convolution.
    pub zero_keys: Vec<String>,
    /// Named sizes, smallest first.
    pub sizes: Vec<(String, Problem)>,
    /// What compilers made of it, by compute capability.
    pub compiled: BTreeMap<Cc, Sourced<Resources>>,
    /// The code that a loaded report or cubin lists; `None` where nobody loaded one. The kernel's own file is no such word:
    /// its source can be compiled for any architecture.
    pub codes: Option<Codes>,
    /// Features without which it runs nowhere.
    pub needs: Vec<Feature>,
    /// What has to be said beside every prediction of it.
    pub cautions: Vec<String>,
    /// The same where one of the GPUs is of one of these compute capabilities, by `9.0` or `6.0, 6.1`.
    pub cautions_on: BTreeMap<String, Vec<String>>,
    /// Counts nobody made, and why.
    pub unknown: BTreeMap<String, String>,
    /// The operator of a tensor library that it is, where its file declares one.
    pub operator: Option<OperatorType>,
    /// What is stated of its arithmetic, in place of what its name says.
    pub stated_arithmetic: Option<StatedArithmetic>,
    /// How its arithmetic changes from one architecture's code to another's, where two listings were read.
    pub translation: Option<Arc<Translation>>,
    /// What the library that runs it reaches of newer GPUs beside older ones, where that differs.
    pub library_share: Option<LibraryShare>,
    /// What a framework's call of it usually takes before the GPU has anything to do, where it is an operator and its file says so.
    pub dispatch: Option<Seconds>,
    /// Formulas; `None` for a kernel known only from measurements.
    pub(super) formulas: Option<Arc<KernelFormulas>>,
}

impl KernelFacts {
    /// What has to be said beside a prediction between GPUs of these compute capabilities.
    pub fn cautions_beside(&self, capabilities: &[String]) -> impl Iterator<Item = &str> {
        let is_beside = |of: &str| of.split(',').any(|one| capabilities.iter().any(|has| has == one.trim()));
        let on = self.cautions_on.iter().filter(move |(of, _)| is_beside(of));
        self.cautions.iter().chain(on.flat_map(|(_, texts)| texts)).map(String::as_str)
    }
}

/// This element type, or the one that is assumed where none is stated.
#[must_use]
pub fn dtype_or_fp32(dtype: &str) -> &str {
    if dtype.is_empty() { "fp32" } else { dtype }
}

/// The category of kernels known only from measurements.
const OF_ROWS: &str = "measured";

impl KernelFacts {
    /// Whether rows of this `dtype` are its own: rows of several types under a name that no file describes are several kernels. One that is not
    /// stated is taken for FP32.
    #[must_use]
    pub fn takes_rows_of(&self, dtype: &str) -> bool {
        let is_described = self.formulas.is_some() || self.category != OF_ROWS;
        is_described || dtype_or_fp32(&self.dtype).eq_ignore_ascii_case(dtype_or_fp32(dtype))
    }

    /// Of a kernel known only from measurements of this element type.
    fn from_measurements(dtype: &str) -> Self {
        Self {
            aliases: Vec::new(),
            symbol: String::new(),
            summary: "known only from measurement files".into(),
            category: OF_ROWS.into(),
            dtype: dtype.to_string(),
            source: "".into(),
            runs_as: RunsAs::default(),
            keys: Vec::new(),
            launch_keys: Vec::new(),
            parameter_keys: Vec::new(),
            zero_keys: Vec::new(),
            sizes: Vec::new(),
            compiled: BTreeMap::new(),
            codes: None,
            needs: Vec::new(),
            cautions: Vec::new(),
            cautions_on: BTreeMap::new(),
            unknown: BTreeMap::new(),
            operator: None,
            stated_arithmetic: None,
            translation: None,
            library_share: None,
            dispatch: None,
            formulas: None,
        }
    }
}

/// Kernels known only by the names they have in measurement files.
#[derive(Debug, Default)]
pub struct MeasuredKernels {
    /// By element type.
    facts: BTreeMap<String, Arc<KernelFacts>>,
}

impl MeasuredKernels {
    /// The kernel of this name and element type.
    pub fn kernel(&mut self, id: &str, dtype: &str) -> Kernel {
        if !self.facts.contains_key(dtype) {
            self.facts.insert(dtype.to_string(), Arc::new(KernelFacts::from_measurements(dtype)));
        }
        let mut kernel = Kernel { id: id.to_string(), names: None, facts: self.facts[dtype].clone() };
        kernel.set_label(&short_name(id));
        kernel
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_changed_of_one_kernel_is_not_changed_of_others() {
        let mut all = MeasuredKernels::default();
        let mut kernels = ["a", "b", "c"].map(|id| all.kernel(id, if id == "c" { "fp64" } else { "fp32" }));
        kernels[0].cautions.push("slow".into());
        assert_eq!(kernels.each_ref().map(|k| k.cautions.len()), [1, 0, 0]);
        assert_eq!(kernels.each_ref().map(|k| &*k.dtype), ["fp32", "fp32", "fp64"]);
        assert_eq!(all.kernel("d", "fp32").cautions.len(), 0);
        assert!(size_of::<Kernel>() <= 64, "one for every line of a file: {} bytes", size_of::<Kernel>());
    }
}
