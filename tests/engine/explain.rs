//! A prediction taken apart: its steps multiply to the prediction, what binds is the longest, elasticities are those of the
//! time itself.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use roofswap::answer::{Answer, Settings};
use roofswap::gpu::{Gpu, GpuId};
use roofswap::occupancy::Rules;
use roofswap::pair::Pair;
use roofswap::predict::{
    Breakdown, Cause, Explanation, FirstTime, MODELS, ModelId, Subject, model_position, question,
};
use roofswap::roofline::{Component, Components, Spec};
use roofswap::session::Session;
use roofswap::units::Bytes;
use std::sync::LazyLock;

static SHIPPED: LazyLock<Session> = LazyLock::new(|| Session::load(None).unwrap());

const GPUS: [&str; 7] =
    ["gtx-titan-x", "titan-v", "rtx-2080-ti", "rtx-4070", "a100-pcie-40gb", "h100-sxm5", "tesla-k20x"];
const MODELS_TAKEN_APART: [&str; 1] = ["components"];

fn subjects() -> impl Iterator<Item = Subject> {
    let all = SHIPPED.kernels.ids();
    all.filter_map(|k| {
        let size = SHIPPED.default_size(k, None);
        SHIPPED.subject(k, &size, &SHIPPED.default_variant(k)).ok()
    })
}

/// Every answer of the model over all kernels and these GPUs that exist.
fn each(mut look: impl FnMut(&Subject, &Answer, Option<Breakdown<'_>>)) {
    let gpus: Vec<GpuId> = GPUS.iter().filter_map(|g| SHIPPED.gpus.position(g).ok()).collect();
    assert!(gpus.len() >= 6, "only {} of these GPUs are known", gpus.len());
    for subject in subjects() {
        for source in &gpus {
            for target in &gpus {
                for model in MODELS_TAKEN_APART {
                    let settings = Settings { model: model_position(model).unwrap(), ..Settings::default() };
                    let answer = SHIPPED.answer(&subject, *source, *target, settings);
                    look(&subject, &answer, answer.breakdown());
                }
            }
        }
    }
}

#[test]
fn the_chain_multiplies_to_the_prediction_of_every_kernel_on_every_pair() {
    let (mut timed, mut untimed, mut above) = (0, 0, 0);
    each(|subject, answer, breakdown| {
        let who = || {
            let [from, to] = [answer.source, answer.target].map(|g| &*SHIPPED.gpus[g].id);
            format!("{} {from} to {to}", SHIPPED.kernels[subject.kernel].id)
        };
        assert_eq!(breakdown.is_some(), answer.prediction.is_ok(), "{}", who());
        let (Some(b), Ok(p)) = (breakdown, &answer.prediction) else { return };
        let product: f64 = b.steps.iter().map(|s| s.factor).product();
        let reached = b.from.0 * product;
        assert!((reached / p.time.0 - 1.0).abs() < 1e-8, "{}: {reached} of {}", who(), p.time.0);
        let mut now = b.from.0;
        for step in &b.steps {
            now *= step.factor;
            assert!(step.factor > 0.0 && (now / step.time.0 - 1.0).abs() < 1e-9, "{}: {step:?}", who());
        }
        let is_timed = matches!(b.start, FirstTime::SourceTime { .. });
        match b.start {
            FirstTime::SourceTime { .. } => {
                assert_eq!(Some(b.from), answer.source_time.as_ref().map(|t| t.time));
            }
            FirstTime::Binding(c) => {
                let components = b.components.as_ref().map(|e| e.components.target);
                assert_eq!(components.and_then(|c| c.binding()), Some(c), "{}", who());
            }
            FirstTime::Roof => panic!("{}: this family starts from a time or a component", who()),
        }
        timed += usize::from(is_timed);
        untimed += usize::from(!is_timed);
        above += usize::from(b.steps.iter().any(|s| s.cause == Cause::AboveRoof));
    });
    assert!(timed > 150 && untimed > 150 && above > 100, "{timed} timed, {untimed} not, {above} above");
}

#[test]
fn what_binds_is_the_longest_component_and_the_next_one_is_as_far_as_it_says() {
    each(|_, _, breakdown| {
        let Some(e) = breakdown.and_then(|b| b.components) else { return };
        for (components, next) in e.components.iter().zip(e.next.iter()) {
            let Some(next) = next else { continue };
            let (first, second) =
                (components.component_time(next.binding), components.component_time(next.next));
            assert!(first >= second && (first / second - next.away).abs() < 1e-12);
            let beyond =
                components.ranked().into_iter().filter(|(c, _)| ![next.binding, next.next].contains(c));
            assert!(beyond.into_iter().all(|(_, t)| t <= second));
        }
    });
}

/// Whether a number of a GPU is the rate of anything that a kernel of these component times is known to do.
fn is_rate_of_work(spec: Spec, components: &Components) -> bool {
    let of: &[Component] = match spec {
        Spec::FlopsPerClock => &[Component::Fp],
        Spec::LsuLanes => &[Component::Lsu],
        Spec::GlobalPerClock => &[Component::Global],
        Spec::SharedPerClock => &[Component::Shared, Component::Global],
        Spec::IssuePerClock => &[Component::Issue],
        Spec::AluLanes => &[Component::Alu],
        // That of softmax is part of an operator's tensor time.
        Spec::XuLanes => &[Component::Xu, Component::Fp],
        Spec::Fp64Lanes => &[Component::Fp64],
        _ => return true,
    };
    of.iter().any(|c| components.component_time(*c).0 > 0.0)
}

#[test]
fn numbers_stand_in_the_order_of_what_more_of_them_gains_and_none_is_of_work_the_kernel_lacks() {
    let mut without_flops = 0;
    each(|_, _, breakdown| {
        let Some(e) = breakdown.and_then(|b| b.components) else { return };
        assert!(e.elasticities.is_sorted_by_key(|x| x.ten_percent), "{:?}", e.elasticities);
        for x in &e.elasticities {
            assert!(is_rate_of_work(x.spec, &e.components.target), "{x:?} of {:?}", e.components.target);
        }
        without_flops += usize::from(e.components.target.component_time(Component::Fp).0 <= 0.0);
    });
    assert!(without_flops > 50, "{without_flops}");
}

#[test]
fn a_power_limit_that_slows_a_time_is_a_step_and_a_number_of_it() {
    let mut session = Session::load(None).unwrap();
    session.add_derived_gpus(["h100-sxm5@300W"]).unwrap();
    let [source, limited, lowered, free] =
        ["a100-sxm4-80gb", "l40s", "h100-sxm5@300W", "h20"].map(|id| session.gpus.position(id).unwrap());
    let power = |kernel: &str, size: &str, source: GpuId, target: GpuId| {
        let at = session.kernels.position(kernel).unwrap();
        let subject = session.subject(at, &size.parse().unwrap(), "").unwrap();
        let answer = session.answer(&subject, source, target, Settings::default());
        let prediction = answer.prediction.as_ref().unwrap();
        let b = prediction.breakdown();
        let product: f64 = b.steps.iter().map(|s| s.factor).product();
        assert!((b.from.0 * product / prediction.time.0 - 1.0).abs() < 1e-8, "{kernel}: {:?}", b.steps);
        let others = b.steps.iter().find(|s| s.cause == Cause::OtherComponents);
        assert!(others.is_none_or(|s| s.factor >= 1.0 - 1e-12), "{kernel}: {:?}", b.steps);
        let step = b.steps.iter().find(|s| s.cause == Cause::PowerLimit).map(|s| s.factor);
        let number = b.numbers.iter().find(|f| f.name == "power limit").and_then(|f| f.target);
        let is_timed = matches!(b.start, FirstTime::SourceTime { .. });
        let correction = b.numbers.iter().any(|f| f.name == "source correction");
        (step, number.map(|n| n.si_value()), is_timed, correction)
    };
    for (kernel, size) in [
        ("linear_bf16", "n=8192"),
        ("bmm_bf16", "b=32;n=4096"),
        ("attention_prefill", "b=4;s=2048;h=32;kv=8"),
    ] {
        let (step, number, is_timed, correction) = power(kernel, size, source, limited);
        assert!(step.is_some_and(|s| s > 1.05) && number.is_some_and(|n| n > 1.05), "{kernel}: {step:?}");
        assert_eq!(correction, is_timed, "{kernel}");
        if !is_timed {
            assert_eq!(step, number, "{kernel}");
        }
        let (_, number, ..) = power(kernel, size, source, free);
        assert_eq!(number.unwrap_or(1.0), 1.0, "{kernel}: a quarter of the tensor rate draws no limit");
        // A lower limit is a lower clock of the whole GPU, as for every other kernel.
        let (_, number, ..) = power(kernel, size, source, lowered);
        assert_eq!(number.unwrap_or(1.0), 1.0, "{kernel}");
    }
    // Of any other kernel without a time on the source.
    let (step, number, ..) = power("torch_linear", "n=8192", source, limited);
    assert!(step.is_some() && step == number, "{step:?}, {number:?}");
}

#[test]
fn a_number_that_is_the_same_on_both_gpus_has_no_step_and_a_faster_one_never_lengthens() {
    each(|_, _, breakdown| {
        let Some(b) = breakdown else { return };
        for step in &b.steps {
            let Cause::Number(number, Pair { source, target }) = step.cause else { continue };
            // What an L2 holds goes with its size, and differs by compute capability.
            if number == Spec::L2Size {
                continue;
            }
            assert_ne!(source, target);
            // More of any number shortens a roof, whatever the others are: so does its mean over all orders.
            assert_eq!(target > source, step.factor < 1.0, "{step:?}");
        }
    });
}

/// The time on this target, changed by hand, by the model's own `time`.
fn time(subject: &Subject, source: GpuId, target: (GpuId, &Gpu)) -> f64 {
    let kernel = &SHIPPED.kernels[subject.kernel];
    let source = (source, &SHIPPED.gpus[source]);
    let q = question(
        kernel,
        subject,
        Pair::new(source, target),
        &SHIPPED.store,
        Default::default(),
        Rules::Exact,
    );
    MODELS[ModelId::default()].predicted_time(&q).unwrap().0
}

#[test]
fn elasticities_are_those_of_the_time_on_a_changed_gpu() {
    let gpu = |id: &str| SHIPPED.gpus.position(id).unwrap();
    let mut compared = 0;
    for (kernel, size, from, to) in [
        ("saxpy", "n=2^24", "titan-v", "a100-pcie-40gb"),
        ("saxpy", "n=2^26", "titan-v", "rtx-4070"),
        ("naive_transpose", "rows=2048", "titan-v", "rtx-4070"),
        ("matmul_tiled", "n=512", "titan-v", "rtx-2080-ti"),
        ("random_access", "n=2^26", "rtx-4070", "h100-sxm5"),
        ("saxpy", "n=2^26", "rtx-4070", "titan-v"),
        ("saxpy", "n=2^26", "titan-v", "h100-sxm5"),
    ] {
        let at = SHIPPED.kernels.position(kernel).unwrap();
        let subject = SHIPPED.subject(at, &size.parse().unwrap(), "").unwrap();
        let (source, target) = (gpu(from), gpu(to));
        let answer = SHIPPED.answer(&subject, source, target, Settings::default());
        let explanation = answer.component_times().unwrap();
        let real = &SHIPPED.gpus[target];
        let base = time(&subject, source, (target, real));
        for (spec, change) in changes() {
            let mut changed = real.clone();
            change(&mut changed, 1.02);
            let by_hand = (time(&subject, source, (target, &changed)) / base).ln() / 1.02_f64.ln();
            let told = explanation.elasticities.iter().find(|e| e.spec == spec).map_or(0.0, |e| e.value);
            // Below 0.02 nothing is told, nor of work that nobody counted: the time above the roof goes with all rates of an SM.
            let off = (told - by_hand).abs();
            let components = &explanation.components.target;
            let on_banks = components.component_time(Component::Shared).0 > 0.0;
            let is_of_work = is_rate_of_work(spec, components) && (on_banks || spec != Spec::SharedPerClock);
            assert!(
                off < 1e-6 || (told == 0.0 && (off < 0.02 || !is_of_work)),
                "{kernel} {to} {spec:?}: {told}, by hand {by_hand}"
            );
            compared += usize::from(told != 0.0);
        }
    }
    assert!(compared >= 5, "only {compared} elasticities were told");
}

/// Numbers of a GPU that can be changed in its description.
type Change = fn(&mut Gpu, f64);
fn changes() -> [(Spec, Change); 5] {
    [
        (Spec::L2Size, |g, by| g.l2_size = g.l2_size.map(|v| Bytes(v.0 * by))),
        (Spec::LsuLanes, |g, by| g.sm.lsu_lanes = g.sm.lsu_lanes.map(|v| v * by)),
        (Spec::GlobalPerClock, |g, by| g.sm.global_per_clock = g.sm.global_per_clock.map(|v| v * by)),
        (Spec::SharedPerClock, |g, by| {
            g.sm.shared_bytes_per_clock = g.sm.shared_bytes_per_clock.map(|v| v * by);
        }),
        (Spec::IssuePerClock, |g, by| g.sm.issue_per_clock = g.sm.issue_per_clock.map(|v| v * by)),
    ]
}

/// The shipped world with these rates of the RTX 4070 measured by the user.
fn with_rates(dram_gb: f64, l2_gb: f64) -> Session {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("gpus")).unwrap();
    let file = format!(
        "id = \"rtx-4070\"\n[memory]\nachieved_gb_per_s = {{ value = {dram_gb}, source = \"own\" }}\n\
         [cache]\nl2_gb_per_s = {{ value = {l2_gb}, source = \"own\" }}\n\
         [sources.own]\nkind = \"measured\"\ntitle = \"mine\"\n"
    );
    std::fs::write(folder.path().join("gpus/laid.toml"), file).unwrap();
    let session = Session::load(Some(folder.path())).unwrap();
    assert!(session.problems.is_empty(), "{:?}", session.problems);
    session
}

#[test]
fn the_elasticity_of_a_bandwidth_is_that_of_a_gpu_whose_file_has_more_of_it() {
    let taken = |session: &Session, kernel: &str, size: &str| {
        let at = session.kernels.position(kernel).unwrap();
        let subject = session.subject(at, &size.parse().unwrap(), "").unwrap();
        let [source, target] = ["titan-v", "rtx-4070"].map(|g| session.gpus.position(g).unwrap());
        let answer = session.answer(&subject, source, target, Settings::default());
        (answer.predicted_time().unwrap().0, answer.component_times().unwrap())
    };
    let told = |e: &Explanation, spec: Spec| e.elasticities.iter().find(|x| x.spec == spec).copied();
    let (base, more_dram, more_l2) =
        (with_rates(450.0, 1600.0), with_rates(450.0 * 1.1, 1600.0), with_rates(450.0, 1600.0 * 1.1));
    // A stream of 800 MB is DRAM's, one of 12.6 MB in an L2 of 37.7 MB is L2's.
    for (spec, size, changed) in
        [(Spec::DramBandwidth, "n=2^26", &more_dram), (Spec::L2Bandwidth, "n=2^20", &more_l2)]
    {
        let ((before, e), (after, _)) = (taken(&base, "saxpy", size), taken(changed, "saxpy", size));
        let x = told(&e, spec).unwrap_or_else(|| panic!("{spec:?} moves nothing: {:?}", e.elasticities));
        assert!((x.ten_percent - after / before).abs() < 1e-9, "{spec:?}: {x:?}, by file {}", after / before);
        assert_eq!(e.elasticities.first().map(|x| x.spec), Some(spec));
        assert!(x.value < -0.3 && x.value > -1.0, "{x:?}");
    }
}
