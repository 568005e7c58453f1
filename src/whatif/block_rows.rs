//! Block sizes of a kernel as rows of a board: the same threads in other blocks, on each GPU.

use super::launch::{LaunchEdits, LaunchNumber, LaunchQuestion};
use crate::answer::Settings;
use crate::gpu::GpuId;
use crate::predict::Subject;
use crate::rank::LaunchRow;
use crate::session::Session;

/// Threads per block that are compared, beside the kernel's own.
const BLOCKS: [u32; 9] = [32, 64, 96, 128, 192, 256, 384, 512, 1024];

/// A row per GPU and block size; what a block changes is what [`super::launch`] says.
///
/// # Errors
/// That nobody knows the launch shape, and what to do.
pub fn block_rows(
    session: &Session,
    subject: &Subject,
    source: GpuId,
    targets: &[GpuId],
    settings: Settings,
) -> Result<Vec<LaunchRow>, String> {
    let sources = session.usual_sources(subject, source, settings.model);
    let mut rows = Vec::new();
    for target in targets {
        let alone = || session.answer(subject, source, *target, settings);
        let answer = session.answer_from(subject, &sources, *target, settings).unwrap_or_else(alone);
        let Some(needs) = answer.needs[1].filter(|_| answer.launch[1].is_some()) else {
            let kernel = &session.kernels[subject.kernel].label;
            return Err(format!("{kernel}: launch shape unknown: give its block and grid"));
        };
        let own = needs.threads;
        let mut blocks: Vec<u32> = BLOCKS.into_iter().chain([own]).collect();
        blocks.sort_unstable();
        blocks.dedup();
        for block in blocks {
            let changed = (block != own).then_some(block);
            let question = LaunchQuestion {
                kernel: &session.kernels[subject.kernel],
                subject,
                answer: &answer,
                gpu: &session.gpus[*target],
                rules: settings.rules,
                changes: LaunchEdits::default().with(LaunchNumber::Block, changed),
            };
            let Some([as_it_is, so]) = question.launches() else { continue };
            let own_mark = if block == own { ", as it is" } else { "" };
            rows.push(LaunchRow {
                gpu: *target,
                label: format!("{block} threads{own_mark}"),
                time_factor: so.time.zip(as_it_is.time).map(|(so, now)| so / now),
                occupancy: so.refusal.is_none().then(|| so.occupancy.fraction()),
                is_own: block == own,
                refusal: so.refusal.map(|refusal| refusal.to_string()),
            });
        }
    }
    Ok(rows)
}
