//! What a GPU has no hardware or no code for.

use super::ModelRefusal;
use crate::gpu::{FeatureTable, Gpu};
use crate::kernel::{Kernel, StatedArithmetic};

/// A feature the kernel needs and this GPU lacks; else code that was loaded and does not run here.
pub(super) fn barred(kernel: &Kernel, gpu: &Gpu) -> Option<ModelRefusal> {
    let stated = kernel.stated_arithmetic.as_ref().and_then(StatedArithmetic::tensor_feature);
    if kernel.needs.is_empty() && stated.is_none() && kernel.codes.is_none() {
        return None;
    }
    let cc = gpu.cuda.compute_capability;
    let needs = kernel.needs.iter().copied().chain(stated);
    // A test reads the table; a damaged one bars nothing.
    let lacking = FeatureTable::shipped().ok().and_then(|table| table.lacking(needs, cc));
    if let Some((feature, since)) = lacking {
        let (since, source_id) = (since.capability, since.source.to_string());
        return Some(ModelRefusal::LacksFeature { gpu: gpu.id.clone(), cc, feature, since, source_id });
    }
    let codes = kernel.codes.as_ref().filter(|codes| !codes.may_run_on((cc.major, cc.minor)))?;
    Some(ModelRefusal::NotCompiled { gpu: gpu.id.clone(), cc, found: codes.to_string() })
}
