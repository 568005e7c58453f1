//! Measured roofs as files for the user's `gpus` folder.

use super::{AchievedRoof, highest};
use crate::catalogue::Catalogue;
use crate::gpu::{AchievedRate, Gpu, GpuId, overlay_text};
use std::collections::BTreeMap;

/// The roofs of one GPU as a file that is laid over it.
#[derive(Debug, Clone, PartialEq)]
pub struct Overlay {
    /// The GPU's id; `<id>-achieved.toml` is a good name for the file.
    pub id: String,
    /// The file.
    pub text: String,
}

/// One overlay for each GPU of these roofs (the highest of each kind), and what could not be put into one, in words.
#[must_use]
pub fn overlays(roofs: &[AchievedRoof], gpus: &Catalogue<Gpu>, title: &str) -> (Vec<Overlay>, Vec<String>) {
    let (best, unknown) = highest(roofs, gpus);
    let left_out = unknown.iter().map(|(roof, why)| format!("{}: {why}", roof.source)).collect();
    let mut by_gpu: BTreeMap<GpuId, Vec<(AchievedRate, f64, String)>> = BTreeMap::new();
    for ((gpu, of), roof) in best {
        let rate = (of, roof.per_second, roof.source.clone());
        by_gpu.entry(gpu).or_default().push(rate);
    }
    let files = by_gpu.into_iter().map(|(gpu, rates)| {
        let id = gpus[gpu].id.clone();
        Overlay { text: overlay_text(&id, &rates, title), id }
    });
    (files.collect(), left_out)
}
