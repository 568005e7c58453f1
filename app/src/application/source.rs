//! The GPU that a file names, beside those of the catalogue: a name of several boards, or a MIG slice, which most files name like the whole board.

use super::recorded::Application;
use crate::catalogue::{Catalogue, NameError};
use crate::gpu::{Gpu, GpuId, MigTable, board_place, derived_gpu};
use crate::text::first_names;
use crate::units::Bytes;

/// What stands between the name of a board and a profile where a driver names a MIG slice.
const MIG_WORD: &str = " MIG ";

/// Stated and catalogued memory of one GPU are no further apart: drivers keep some of it.
const SAME_MEMORY: f64 = 1.25;

/// So many GPUs that a name may be are named.
const NAMED: usize = 6;

/// The id of the GPU that a file was recorded on: the one that it names, or the MIG slice of it that it names, or whose SMs and memory it
/// states.
#[must_use]
pub fn recorded_gpu_id(gpus: &Catalogue<Gpu>, application: &Application) -> Option<String> {
    let named = application.gpu_name.split_once(MIG_WORD);
    if let Some(slice) = named.and_then(|(board, profile)| slice_named(gpus, board, profile)) {
        return Some(slice.id);
    }
    let board = &gpus[gpus.id_named(&application.gpu_name)?];
    Some(stated_slice(gpus, application, board).map_or_else(|| board.id.clone(), |slice| slice.id))
}

/// That a file's times are taken as those of another GPU than it was recorded on: `run.json was recorded on h100-sxm5; …`.
#[must_use]
pub fn other_gpu_note(gpus: &Catalogue<Gpu>, application: &Application, taken: GpuId) -> Option<String> {
    let recorded = gpus.id_named(&recorded_gpu_id(gpus, application)?)?;
    let is_other = board_place(gpus, taken) != board_place(gpus, recorded);
    let [taken, recorded] = [taken, recorded].map(|gpu| &gpus[gpu]);
    (is_other && !is_stated_size(taken, application)).then(|| {
        let file = application.file_name();
        format!("{file} was recorded on {}; its times are taken as those of {}", recorded.id, taken.id)
    })
}

/// A GPU that is none of the catalogue, and what it may be: `NVIDIA H100, which is one of h100-nvl, h100-pcie, h100-sxm5`.
#[must_use]
pub fn unlisted_gpu(gpus: &Catalogue<Gpu>, name: &str) -> String {
    match gpus.position(name) {
        Err(NameError::Ambiguous { candidates, .. }) => {
            format!("{name}, which is one of {}", first_names(&candidates, NAMED))
        }
        _ => format!("{name}, which the catalogue does not have"),
    }
}

/// Whether the file states as many SMs as this GPU has.
fn is_stated_size(gpu: &Gpu, application: &Application) -> bool {
    application.gpu_sms == Some(gpu.sms.value)
}

/// That the file states another number of SMs, or another memory, than the GPU has that its times are taken for; with the MIG slice that fits.
pub(super) fn stated_size_caution(
    gpus: &Catalogue<Gpu>,
    application: &Application,
    source: GpuId,
) -> Option<String> {
    let gpu = &gpus[source];
    let (sms, memory) = stated_size(application, gpu);
    if has_size(gpu, sms, memory) {
        return None;
    }
    let advice = match stated_slice(gpus, application, gpu) {
        Some(slice) => format!("give --from {}, the MIG slice of that size", slice.id),
        None => format!("times are taken as those of {}; give --from GPU", gpu.id),
    };
    let [stated, catalogued] = [memory, gpu.memory_size.value].map(|bytes| bytes.as_capacity());
    Some(format!(
        "recorded on a GPU of {sms} SMs and {stated}, {} has {} SMs and {catalogued}: {advice}",
        gpu.id, gpu.sms.value
    ))
}

/// SMs and memory that the file states; those of this GPU where it does not.
fn stated_size(application: &Application, gpu: &Gpu) -> (u32, Bytes) {
    let sms = application.gpu_sms.unwrap_or(gpu.sms.value);
    (sms, application.gpu_memory.unwrap_or(gpu.memory_size.value))
}

/// How far this memory is from that of a GPU, as a logarithm.
fn memory_apart(gpu: &Gpu, memory: Bytes) -> f64 {
    (gpu.memory_size.value.0 / memory.0).ln().abs()
}

/// Whether this GPU has so many SMs and about this memory.
fn has_size(gpu: &Gpu, sms: u32, memory: Bytes) -> bool {
    gpu.sms.value == sms && memory_apart(gpu, memory) <= SAME_MEMORY.ln()
}

/// The MIG slice of this board whose SMs and memory the file states; none where the whole board has them.
fn stated_slice(gpus: &Catalogue<Gpu>, application: &Application, board: &Gpu) -> Option<Gpu> {
    let (sms, memory) = stated_size(application, board);
    if has_size(board, sms, memory) {
        return None;
    }
    let profiles = MigTable::shipped().map_or(&[][..], |table| table.profiles(&board.id));
    let slices = profiles.iter().filter_map(|profile| slice_named(gpus, &board.id, &profile.name));
    let apart = |slice: &Gpu| memory_apart(slice, memory);
    let fitting = slices.filter(|slice| has_size(slice, sms, memory));
    fitting.min_by(|a, b| apart(a).total_cmp(&apart(b)))
}

fn slice_named(gpus: &Catalogue<Gpu>, board: &str, profile: &str) -> Option<Gpu> {
    let name = format!("{board}:mig-{profile}");
    match gpus.id_named(&name) {
        Some(known) => Some(gpus[known].clone()),
        None => derived_gpu(gpus, &name)?.ok(),
    }
}
