//! A model against figures that were measured on both ends.

use super::Settings;
use crate::catalogue::Catalogue;
use crate::gpu::Gpu;
use crate::kernel::Kernel;
use crate::measurement::{Config, Store};
use crate::predict::{MODELS, Subject, question};
use crate::units::Seconds;

/// One prediction beside the time measured on its target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Compared {
    /// The kernel's place in its catalogue.
    pub kernel: usize,
    /// The source GPU's place; `None` for a model that does not look at it.
    pub source: Option<usize>,
    /// The target GPU's place.
    pub target: usize,
    /// What the model said.
    pub predicted: Seconds,
    /// What was measured.
    pub measured: Seconds,
}

impl Compared {
    /// ln(measured / predicted).
    #[must_use]
    pub fn ln(&self) -> f64 {
        (self.measured / self.predicted).ln()
    }
}

/// One model on every timed target, from every other GPU that timed the same configuration; once per target for a model
/// that needs no source time. Pairs that cannot use the ceilings asked for are left out, and so is what it refuses.
#[must_use]
pub fn compare(
    gpus: &Catalogue<Gpu>,
    kernels: &Catalogue<Kernel>,
    store: &Store,
    settings: Settings,
) -> Vec<Compared> {
    let model = MODELS[settings.model];
    let at = |i: usize| (i, &gpus.entries()[i]);
    let mut all = Vec::new();
    for (id, config) in store.configs() {
        let kernel = &kernels.entries()[config.kernel];
        let Ok(instance) = kernel.instance(config.problem, config.variant) else { continue };
        let Config { kernel: place, problem, variant } = config;
        let (problem, variant) = (problem.clone(), variant.clone());
        let subject = Subject { kernel: place, problem, variant, instance, config: Some(id) };
        for measured in store.rows_of(id) {
            let others = store.rows_of(id).filter(|s| s.gpu != measured.gpu);
            let compared = others.filter_map(|source| {
                let pair = [at(source.gpu), at(measured.gpu)];
                let q = question(kernel, &subject, pair, store, settings.ceilings, settings.rules);
                let predicted = model.predict(&q).ok().filter(|_| q.ceilings == settings.ceilings)?.time;
                let source = model.needs_source().then_some(source.gpu);
                let (target, measured) = (measured.gpu, measured.time);
                Some(Compared { kernel: place, source, target, predicted, measured })
            });
            all.extend(compared.take(if model.needs_source() { usize::MAX } else { 1 }));
        }
    }
    all
}
