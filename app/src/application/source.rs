//! The GPU that a file names, beside those of the catalogue: a name of several boards, or a MIG slice, which most files name like the whole board.

use super::recorded::Application;
use crate::catalogue::{Catalogue, NameError};
use crate::gpu::{Gpu, GpuId, MigTable, derived_gpu};

/// What stands between the name of a board and a profile where a driver names a MIG slice.
const MIG_WORD: &str = " MIG ";

/// Stated and catalogued memory of one GPU are no further apart: drivers keep some of it.
const SAME_MEMORY: f64 = 1.25;

/// A GPU that is none of the catalogue, and what it may be: `NVIDIA H100, which is one of h100-nvl, h100-pcie, h100-sxm5`.
#[must_use]
pub fn unlisted_gpu(gpus: &Catalogue<Gpu>, name: &str) -> String {
    let slice = name.split_once(MIG_WORD).and_then(|(board, profile)| slice_named(gpus, board, profile));
    match (slice, gpus.position(name)) {
        (Some(slice), _) => format!("{name}, which is {}", slice.id),
        (None, Err(NameError::Ambiguous { candidates, .. })) => {
            format!("{name}, which is one of {}", candidates.join(", "))
        }
        _ => format!("{name}, which the catalogue does not have"),
    }
}

/// Whether the file states as many SMs as this GPU has.
#[must_use]
pub fn is_stated_size(gpu: &Gpu, application: &Application) -> bool {
    application.gpu_sms == Some(gpu.sms.value)
}

/// That the file states another number of SMs, or another memory, than the GPU has that its times are taken for; with the MIG slice that fits.
pub(super) fn stated_size_caution(
    gpus: &Catalogue<Gpu>,
    application: &Application,
    source: GpuId,
) -> Option<String> {
    let gpu = &gpus[source];
    let sms = application.gpu_sms.unwrap_or(gpu.sms.value);
    let memory = application.gpu_memory.unwrap_or(gpu.memory_size.value);
    let is_same_memory = (memory.0 / gpu.memory_size.value.0).ln().abs() <= SAME_MEMORY.ln();
    if sms == gpu.sms.value && is_same_memory {
        return None;
    }
    let profiles = MigTable::shipped().map_or(&[][..], |table| table.profiles(&gpu.id));
    let slices = profiles.iter().filter_map(|profile| slice_named(gpus, &gpu.id, &profile.name));
    let apart = |slice: &Gpu| (slice.memory_size.value.0 / memory.0).ln().abs();
    let fitting = slices.filter(|slice| slice.sms.value == sms && apart(slice) <= SAME_MEMORY.ln());
    let advice = match fitting.min_by(|a, b| apart(a).total_cmp(&apart(b))) {
        Some(slice) => format!("give --from {}, the MIG slice of that size", slice.id),
        None => "times are taken as those of the whole GPU; give --from GPU".into(),
    };
    let [stated, catalogued] = [memory, gpu.memory_size.value].map(|bytes| bytes.as_capacity());
    Some(format!(
        "recorded on a GPU of {sms} SMs and {stated}, {} has {} SMs and {catalogued}: {advice}",
        gpu.id, gpu.sms.value
    ))
}

fn slice_named(gpus: &Catalogue<Gpu>, board: &str, profile: &str) -> Option<Gpu> {
    derived_gpu(gpus, &format!("{board}:mig-{profile}"))?.ok()
}
