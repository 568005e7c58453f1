//! What a GPU has no hardware or no code for.

use super::ModelRefusal;
use crate::catalogue::{ElementType, Feature};
use crate::gpu::{FeatureTable, Gpu, Since};
use crate::kernel::{Kernel, StatedArithmetic};
use crate::roofline::{Pipe, pipe_of};

/// A feature the kernel needs and this GPU lacks; else code that was loaded and does not run here.
pub(super) fn barred(kernel: &Kernel, gpu: &Gpu) -> Option<ModelRefusal> {
    let needs = kernel.needs.iter().copied().chain(named_features(kernel, gpu));
    if let Some((feature, since)) = lacking_feature(needs, gpu) {
        let (cc, since, source_id) =
            (gpu.cuda.compute_capability, since.capability, since.source.to_string());
        return Some(ModelRefusal::LacksFeature { gpu: gpu.id.clone(), cc, feature, since, source_id });
    }
    let cc = gpu.cuda.compute_capability;
    let codes = kernel.codes.as_ref().filter(|codes| !codes.may_run_on((cc.major, cc.minor)))?;
    Some(ModelRefusal::NotCompiled { gpu: gpu.id.clone(), cc, found: codes.to_string() })
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

/// What the tensor cores need that somebody, or the name of a library's kernel, says it runs on. Ones that follow from its element
/// type or from a measured time alone are assumed and bar nothing. Code of a type that tensor cores lack converts to a wider one,
/// whoever says that it is of that type: the rate is that one's. TF32 has FP32 to fall back to.
fn named_features(kernel: &Kernel, gpu: &Gpu) -> impl Iterator<Item = Feature> {
    const NEWEST: [Feature; 2] = [Feature::Tensor, Feature::Bf16];
    let has_all = lacking_feature(NEWEST.into_iter(), gpu).is_none();
    let is_assumed = kernel.operator.is_some() || kernel.arithmetic_is_reached();
    // Names are long, and most GPUs lack nothing of it.
    let is_named = !has_all && !is_assumed && kernel.arithmetic_facts().is_tensor;
    let input = is_named.then(|| pipe_of(kernel).pipe).and_then(Pipe::tensor_input);
    let needed: &[Feature] = match input {
        Some(ElementType::Bf16) => &NEWEST,
        Some(ElementType::Fp16) => &[Feature::Tensor],
        _ => &[],
    };
    needed.iter().copied()
}

/// The first of these that the GPU lacks. A test reads the table; a damaged one bars nothing.
fn lacking_feature(needs: impl Iterator<Item = Feature>, gpu: &Gpu) -> Option<(Feature, &'static Since)> {
    let mut needs = needs.peekable();
    needs.peek()?;
    FeatureTable::shipped().ok()?.lacking(needs, gpu.cuda.compute_capability)
}
