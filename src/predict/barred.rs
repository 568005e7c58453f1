//! What a GPU has no hardware or no code for.

use super::ModelRefusal;
use crate::catalogue::Feature;
use crate::gpu::{FeatureTable, Gpu, Since};
use crate::kernel::{Kernel, StatedArithmetic};

/// A feature the kernel needs and this GPU lacks; else code that was loaded and does not run here.
pub(super) fn barred(kernel: &Kernel, gpu: &Gpu) -> Option<ModelRefusal> {
    // Code of a type that tensor cores lack converts to a wider one, whoever says that it is of that type: the rate is that one's.
    let converts = |feature: &Feature| matches!(feature, Feature::Fp8 | Feature::Fp4);
    let stated = stated_feature(kernel).filter(|feature| !converts(feature));
    let needs = kernel.needs.iter().copied().chain(stated);
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

/// What the pipe needs that was stated of the kernel: one that was only assumed bars nothing.
fn stated_feature(kernel: &Kernel) -> Option<Feature> {
    let stated = kernel.stated_arithmetic.as_ref().filter(|_| !kernel.arithmetic_is_reached());
    stated.and_then(StatedArithmetic::tensor_feature)
}

/// The first of these that the GPU lacks. A test reads the table; a damaged one bars nothing.
fn lacking_feature(needs: impl Iterator<Item = Feature>, gpu: &Gpu) -> Option<(Feature, &'static Since)> {
    let mut needs = needs.peekable();
    needs.peek()?;
    FeatureTable::shipped().ok()?.lacking(needs, gpu.cuda.compute_capability)
}
