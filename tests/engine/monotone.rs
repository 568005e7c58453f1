//! More of any number of a GPU, but of what a launch costs, never makes a prediction slower: every kernel, every GPU, every
//! number, for every model but one; a kernel's sizes in turn on one GPU after another.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use roofswap::gpu::{ChangeAmount, Gpu, GpuChanges, GpuId, GpuNumber};
use roofswap::pair::Pair;
use roofswap::predict::{MODELS, ModelId, Question, Subject, question};
use roofswap::session::Session;
use std::thread;

/// What a number is multiplied by. Twice the SMs leave launches that filled the GPU with idle ones.
const FACTORS: [f64; 2] = [1.2, 2.0];

/// Its occupancy falls where an SM may hold more warps (docs/models.md, "More never slower").
const NOT_MONOTONE: &str = "efficiency-transfer";

/// Rounding, no more.
const SLACK: f64 = 1.0 + 1e-9;

/// Every kernel at its smallest, its largest and a middle size: one of them leaves SMs idle on most GPUs.
fn subjects(session: &Session) -> Vec<Subject> {
    let of_kernel = |kernel| {
        let variant = session.default_variant(kernel);
        let sizes = &session.kernels[kernel].sizes;
        let last = sizes.len().saturating_sub(1);
        let mut at = vec![0, last / 2, last];
        at.dedup();
        let taken = at.into_iter().filter_map(|at| sizes.get(at)).map(|(_, size)| size);
        taken.filter_map(|size| session.subject(kernel, size, &variant).ok()).collect::<Vec<_>>()
    };
    session.kernels.ids().flat_map(of_kernel).collect()
}

/// This GPU with one number changed, each with what was changed.
fn changed(gpu: &Gpu) -> Vec<(String, Gpu)> {
    let numbers = GpuNumber::ALL.into_iter().filter(|number| *number != GpuNumber::LaunchOverhead);
    let with = |number: GpuNumber, factor: f64| {
        let change = GpuChanges::default().with(number, ChangeAmount::By(factor));
        Some((format!("{} x {factor}", number.title()), gpu.changed(&change, "changed").ok()?))
    };
    numbers.flat_map(|number| FACTORS.map(|factor| with(number, factor))).flatten().collect()
}

/// The times of all models in seconds; not a number where one refuses.
fn times(q: &Question<'_>, models: &[ModelId]) -> Vec<f64> {
    models.iter().map(|model| MODELS[*model].predicted_time(q).map_or(f64::NAN, |time| time.0)).collect()
}

/// Of the subjects every third is asked about on a GPU, another third on the next one.
const SUBJECTS_APART: usize = 3;

/// What turned round on this GPU.
fn breaches(session: &Session, target: GpuId, subjects: &[Subject], models: &[ModelId]) -> Vec<String> {
    let source = session.gpus.id_named("titan-v").unwrap();
    let base = session.gpus[target].as_copy("base");
    let changed = changed(&base);
    let mut all = Vec::new();
    for subject in subjects.iter().skip(target.index() % SUBJECTS_APART).step_by(SUBJECTS_APART) {
        let kernel = &session.kernels[subject.kernel];
        let on = |gpu: &Gpu| {
            let pair = Pair::new((source, &session.gpus[source]), (target, gpu));
            let q = question(kernel, subject, pair, &session.store, Default::default(), Default::default());
            times(&q, models)
        };
        let before = on(&base);
        for (what, gpu) in &changed {
            for ((model, before), after) in models.iter().zip(&before).zip(on(gpu)) {
                if after > before * SLACK {
                    let (model, on) = (MODELS[*model].id(), &session.gpus[target].id);
                    let size = &subject.problem;
                    all.push(format!(
                        "{model}: {} {size} on {on}, {what}: {before} s to {after} s",
                        kernel.id
                    ));
                }
            }
        }
    }
    all
}

#[test]
fn more_of_any_number_never_makes_a_prediction_slower() {
    let session = Session::load(None).unwrap();
    let subjects = subjects(&session);
    // One that has its answers on changed GPUs from another model does what that one does.
    let is_asked =
        |model: &ModelId| MODELS[*model].id() != NOT_MONOTONE && MODELS[*model].model_of_changes().is_none();
    let models: Vec<ModelId> = MODELS.ids().filter(is_asked).collect();
    assert!(models.len() == MODELS.ids().count() - 2 && subjects.len() > 60);
    let targets: Vec<GpuId> = session.gpus.ids().collect();
    let of_targets = |targets: &[GpuId]| -> Vec<String> {
        targets.iter().flat_map(|target| breaches(&session, *target, &subjects, &models)).collect()
    };
    let (first, second) = targets.split_at(targets.len() / 2);
    let found: Vec<String> = thread::scope(|scope| {
        let other = scope.spawn(|| of_targets(second));
        let mut all = of_targets(first);
        all.extend(other.join().unwrap());
        all
    });
    assert!(found.is_empty(), "{} of them:\n{}", found.len(), found[..found.len().min(40)].join("\n"));
}
