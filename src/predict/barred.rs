//! What a GPU has no hardware or no code for.

use super::ModelRefusal;
use crate::catalogue::{ElementType, Feature};
use crate::gpu::{FeatureTable, Gpu, Since};
use crate::kernel::{Kernel, StatedArithmetic};
use crate::roofline::pipe_of;

/// [`Requirements::barred_on`] one GPU alone.
pub(super) fn barred(kernel: &Kernel, gpu: &Gpu) -> Option<ModelRefusal> {
    // Names are long, and most GPUs lack nothing of what one says.
    let has_all = lacking_feature(TENSOR_FEATURES.into_iter(), gpu).is_none();
    let named = if has_all { &[] } else { named_features(kernel) };
    Requirements { kernel, named }.barred_on(gpu)
}

/// What a kernel needs of a GPU.
#[derive(Debug, Clone, Copy)]
pub(super) struct Requirements<'a> {
    kernel: &'a Kernel,
    /// Beside those that its file states.
    named: &'static [Feature],
}

impl<'a> Requirements<'a> {
    pub(super) fn of_kernel(kernel: &'a Kernel) -> Self {
        Self { kernel, named: named_features(kernel) }
    }

    /// A feature the kernel needs and this GPU lacks; else code that was loaded and does not run here.
    #[inline]
    pub(super) fn barred_on(&self, gpu: &Gpu) -> Option<ModelRefusal> {
        let Self { kernel, named } = *self;
        let needs = kernel.needs.iter().chain(named).copied();
        if let Some((feature, since)) = lacking_feature(needs, gpu) {
            let (cc, since, source_id) =
                (gpu.cuda.compute_capability, since.capability, since.source.to_string());
            return Some(ModelRefusal::LacksFeature { gpu: gpu.id.clone(), cc, feature, since, source_id });
        }
        let cc = gpu.cuda.compute_capability;
        let codes = kernel.codes.as_ref().filter(|codes| !codes.may_run_on((cc.major, cc.minor)))?;
        Some(ModelRefusal::NotCompiled { gpu: gpu.id.clone(), cc, found: codes.to_string() })
    }
}

/// That a time of this kernel cannot be one of this GPU: it lacks the element type, or the pipe that was stated. Of the other features
/// a kernel may have been built without one there.
#[must_use]
pub fn impossible_source(kernel: &Kernel, gpu: &Gpu) -> Option<ModelRefusal> {
    let is_type = |feature: &Feature| matches!(feature, Feature::Bf16 | Feature::Fp8 | Feature::Fp4);
    let types = kernel.needs.iter().copied().filter(is_type);
    let (feature, since) = lacking_feature(types.chain(stated_feature(kernel)), gpu)?;
    let (cc, source_id) = (gpu.cuda.compute_capability, since.source.to_string());
    let (gpu, since) = (gpu.id.clone(), since.capability);
    Some(ModelRefusal::ImpossibleSource { gpu, cc, feature, since, source_id })
}

/// What the pipe needs that somebody stated of the kernel: its name alone refuses no measured time.
fn stated_feature(kernel: &Kernel) -> Option<Feature> {
    let stated = kernel.stated_arithmetic.as_ref().filter(|_| !kernel.arithmetic_is_reached());
    stated.and_then(StatedArithmetic::tensor_feature)
}

/// What a name may say at most: tensor cores, and the newest type of theirs that code does not convert.
const TENSOR_FEATURES: [Feature; 2] = [Feature::Tensor, Feature::Bf16];

/// What the tensor cores need that somebody, or the name of a library's kernel, says it runs on. Ones that follow from its element
/// type or from a measured time alone are assumed and bar nothing. Code of a type that tensor cores lack converts to a wider one,
/// whoever says that it is of that type: the rate is that one's. TF32 has FP32 to fall back to.
fn named_features(kernel: &Kernel) -> &'static [Feature] {
    let is_assumed = kernel.operator.is_some() || kernel.arithmetic_is_reached();
    if is_assumed || !kernel.arithmetic_facts().is_tensor {
        return &[];
    }
    match pipe_of(kernel).pipe.tensor_input() {
        Some(ElementType::Bf16) => &TENSOR_FEATURES,
        Some(ElementType::Fp16) => &[Feature::Tensor],
        _ => &[],
    }
}

/// The first of these that the GPU lacks. A test reads the table; a damaged one bars nothing.
fn lacking_feature(needs: impl Iterator<Item = Feature>, gpu: &Gpu) -> Option<(Feature, &'static Since)> {
    let mut needs = needs.peekable();
    needs.peek()?;
    FeatureTable::shipped().ok()?.lacking(needs, gpu.cuda.compute_capability)
}
