//! More of any number of a GPU, but of what a launch costs, never makes a prediction slower: every kernel, every GPU, every
//! number, for every model but one; a kernel's sizes in turn on one GPU after another.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use roofswap::answer::Settings;
use roofswap::gpu::{ChangeAmount, Gpu, GpuChanges, GpuId, GpuNumber};
use roofswap::measurement::{TimingKind, read_csv};
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

/// A key and its values.
type GrowingKey = (&'static str, &'static [u32]);

/// Operators of libraries, and kernels whose last blocks reach over the edge: keys that stand, and keys that grow, each with its values.
const GROWING: [(&str, &str, &[GrowingKey]); 13] = [
    (
        "attention_decode",
        "h=32;kv=8;d=128",
        &[("b", &[1, 2, 8, 64]), ("s", &[128, 256, 512, 640, 1024, 4096])],
    ),
    ("attention_prefill", "h=32;kv=8;d=128", &[("b", &[1, 4]), ("s", &[128, 512, 1024, 4096])]),
    ("linear_bf16", "k=4096", &[("m", &[1, 16, 64, 128, 256, 1024, 4096]), ("n", &[1024, 4096, 8192])]),
    ("linear_fp8", "n=4096", &[("m", &[1, 64, 256, 2048]), ("k", &[1024, 4096, 8192])]),
    ("torch_linear", "b=1;m=256", &[("n", &[256, 300, 1024, 4096]), ("k", &[256, 1024, 4096])]),
    ("torch_bmm", "m=128;k=128", &[("b", &[1, 2, 4, 16, 64]), ("n", &[64, 128, 512])]),
    ("torch_conv", "oc=64;ks=3", &[("b", &[1, 4, 16, 64]), ("hw", &[16, 32, 56]), ("ic", &[16, 64, 256])]),
    ("torch_softmax", "", &[("b", &[1, 16, 512, 2048]), ("h", &[64, 512, 4096])]),
    ("torch_add", "", &[("b", &[1, 16, 512, 2048]), ("h", &[64, 512, 4096])]),
    ("matmul_naive", "", &[("n", &[64, 65, 80, 81, 128, 129, 256])]),
    ("conv2d_7x7", "", &[("h", &[48, 49, 80, 81, 128, 129, 256])]),
    ("vector_add_divergent", "", &[("n", &[128, 256, 257, 512, 513, 1024, 1025])]),
    ("shared_transpose", "", &[("rows", &[64, 65, 128, 129, 256, 257, 512])]),
];

/// A longer time on the source is no shorter on a target, at its launch overhead and below its roof as well.
#[test]
fn more_time_on_the_source_is_never_faster() {
    let mut found = Vec::new();
    for (source, from_us) in [("rtx-4070", 8.5), ("h100-sxm5", 2.5), ("titan-v", 3.2)] {
        for (kernel, size) in [
            ("saxpy", "n=1048576"),
            ("matmul_tiled", "n=256"),
            ("histogram", "n=1048576"),
            ("softmax", "rows=256;cols=256"),
        ] {
            let times: Vec<f64> = (0..40).map(|step| from_us * 1.015_f64.powi(step)).collect();
            let mut before: Vec<f64> = Vec::new();
            for time in times {
                let mut session = Session::load(None).unwrap();
                let csv = format!("gpu,kernel,problem,time_ms\n{source},{kernel},{size},{}\n", time / 1e3);
                session.edit(|w| {
                    let timed = TimingKind::Measured;
                    let read = read_csv(csv.as_bytes(), "mine.csv", timed, &w.gpus, &mut w.kernels).unwrap();
                    w.store.add_rows(read.rows);
                });
                let subject = session.timed_subject(session.own_config_ids().next().unwrap()).unwrap();
                let at = |id: &str| session.gpus.id_named(id).unwrap();
                let on = |target: &str| {
                    let answer = session.answer(&subject, at(source), at(target), Settings::default());
                    answer.predicted_time().unwrap().0
                };
                let now = ["t4", "v100-sxm2-16gb", "gtx-titan-x", "a100-sxm4-40gb"].map(on).to_vec();
                if before.iter().zip(&now).any(|(before, now)| *now < before * 0.999) {
                    found.push(format!("{kernel} of {time} us on {source}: {before:?} s to {now:?} s"));
                }
                before = now;
            }
        }
    }
    assert!(found.is_empty(), "{} of them:\n{}", found.len(), found.join("\n"));
}

/// Of a longer size, over that of a shorter one: what a part of a wave may take away.
const SHORTER: f64 = 0.99;

/// Every choice of the values of these keys, each as its places.
fn choices(keys: &[GrowingKey]) -> Vec<Vec<usize>> {
    keys.iter().fold(vec![Vec::new()], |before, (_, values)| {
        let with = |places: &Vec<usize>| {
            (0..values.len()).map(|at| [places.as_slice(), &[at]].concat()).collect::<Vec<_>>()
        };
        before.iter().flat_map(with).collect()
    })
}

/// More of a batch, a length or a width is never faster: a tile or a cut that makes it so is not the one that a library takes, and blocks
/// that have little to do do not share the work of full ones.
#[test]
fn more_of_a_size_is_never_faster() {
    let session = Session::load(None).unwrap();
    let source = session.gpus.id_named("h100-sxm5").unwrap();
    let components = MODELS.ids().find(|model| MODELS[*model].id() == "components").unwrap();
    let mut found = Vec::new();
    for (kernel, fixed, keys) in GROWING {
        let id = session.kernels.id_named(kernel).unwrap();
        let on_all = |places: &Vec<usize>| -> Vec<f64> {
            let grown = keys.iter().zip(places).map(|((key, values), at)| format!("{key}={}", values[*at]));
            let text =
                grown.chain((!fixed.is_empty()).then(|| fixed.to_string())).collect::<Vec<_>>().join(";");
            let size = session.kernels[id].typed(&text).unwrap();
            let subject = session.subject(id, &size, "").unwrap();
            let on = |target: GpuId| {
                let pair = Pair::new((source, &session.gpus[source]), (target, &session.gpus[target]));
                let of = &session.kernels[id];
                let q = question(of, &subject, pair, &session.store, Default::default(), Default::default());
                times(&q, &[components])[0]
            };
            session.gpus.ids().map(on).collect()
        };
        let all: Vec<(Vec<usize>, Vec<f64>)> =
            choices(keys).into_iter().map(|places| (places.clone(), on_all(&places))).collect();
        for ((less, before), (more, after)) in all.iter().flat_map(|a| all.iter().map(move |b| (a, b))) {
            let steps = less.iter().zip(more).map(|(a, b)| b.wrapping_sub(*a)).collect::<Vec<_>>();
            if steps.iter().any(|step| *step > 1) || steps.iter().sum::<usize>() != 1 {
                continue;
            }
            for (gpu, (before, after)) in session.gpus.ids().zip(before.iter().zip(after)) {
                if *after < SHORTER * before {
                    let on = &session.gpus[gpu].id;
                    found.push(format!("{kernel} on {on}, {less:?} to {more:?}: {before} s to {after} s"));
                }
            }
        }
    }
    assert!(found.is_empty(), "{} of them:\n{}", found.len(), found[..found.len().min(40)].join("\n"));
}
