//! The models against numbers worked out by hand, and what a prediction says when something is missing.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use roofswap::answer::{Answer, IntervalCalibration, IntervalQuestion, Settings, StartedFrom};
use roofswap::evaluate::{EvaluationSetup, Progress, PublishedFigures, score};
use roofswap::gpu::{Ceilings, GpuId};
use roofswap::kernel::Count;
use roofswap::measurement::{Measurement, Store, TimingKind, read_csv};
use roofswap::occupancy::{LaunchRefusal, Rules};
use roofswap::pair::Pair;
use roofswap::predict::{
    Caution, MODELS, ModelId, ModelRefusal, Prediction, Predictor, SourceKind, model_position,
};
use roofswap::roofline::Bound;
use roofswap::session::Session;
use roofswap::units::Seconds;
use std::sync::LazyLock;

static SHIPPED: LazyLock<Session> = LazyLock::new(|| Session::load(None).unwrap());

/// A question as one would type it.
#[derive(Clone, Copy)]
struct Ask<'a> {
    session: &'a Session,
    model: &'a str,
    kernel: &'a str,
    size: &'a str,
    variant: &'a str,
    from: &'a str,
    to: &'a str,
    ceilings: Ceilings,
    rules: Rules,
}

fn ask<'a>(model: &'a str, kernel: &'a str, size: &'a str, from: &'a str, to: &'a str) -> Ask<'a> {
    Ask {
        session: &SHIPPED,
        model,
        kernel,
        size,
        variant: "",
        from,
        to,
        ceilings: Ceilings::Peak,
        rules: Rules::Exact,
    }
}

impl Ask<'_> {
    fn answer(&self) -> Answer {
        let s = self.session;
        let kernel = s.kernels.position(self.kernel).unwrap();
        let subject = s.subject(kernel, &self.size.parse().unwrap(), self.variant).unwrap();
        let settings = Settings {
            model: model_position(self.model).unwrap(),
            ceilings: self.ceilings,
            rules: self.rules,
        };
        let at = |name| s.gpus.position(name).unwrap();
        s.answer(&subject, at(self.from), at(self.to), settings)
    }

    fn prediction(&self) -> Prediction {
        self.answer().prediction.unwrap()
    }

    fn millis(&self) -> f64 {
        self.prediction().time.millis()
    }

    fn cautions(&self) -> String {
        self.prediction().cautions.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    }
}

/// The shipped world and the rows of this CSV as the user's own.
fn with_rows(csv: &str) -> Session {
    let mut session = SHIPPED.clone();
    let read = session
        .edit(|w| read_csv(csv.as_bytes(), "mine.csv", TimingKind::Measured, &w.gpus, &mut w.kernels))
        .unwrap();
    assert!(read.refused.is_empty(), "{:?}", read.refused);
    session.edit(|w| w.store.add_rows(read.rows));
    session
}

fn close(found: f64, by_hand: f64) {
    assert!((found / by_hand - 1.0).abs() < 1e-6, "found {found}, by hand {by_hand}");
}

// ---------------------------------------------------------------------------------------------------------------------
// By hand

#[test]
fn algorithm_1_with_flops_on_a_memory_bound_kernel() {
    // saxpy, n = 2^20, TITAN V -> RTX 4070. F = 2n = 2,097,152; D = 12n = 12,582,912; I = 1/6 FLOP/B.
    // R_s = min(14,900, 652.8/6 = 108.8) = 108.8 GFLOP/s; R_t = min(29,100, 504/6 = 84) = 84 GFLOP/s.
    // 256 threads of 12 registers: 8 blocks of 8 warps on either, 64 of 64 and (6 blocks) 48 of 48 warps: O = 1 and 1.
    // eta = F/T_s / R_s = 2,097,152 / 24.558 us / 108.8e9 = 85.3959 / 108.8 = 0.784889.
    // T_t = T_s R_s/R_t = 0.024558 ms x 108.8/84 = 0.0318084571... ms.
    let q = ask("efficiency-transfer", "saxpy", "n=2^20", "titan-v", "rtx-4070");
    close(q.millis(), 0.031_808_457_142_857);
    let p = q.prediction();
    close(p.efficiency.unwrap(), 0.784_888_595);
    assert_eq!((p.bound_source, p.bound_target), (Some(Bound::Dram), Some(Bound::Dram)));
    let a = q.answer();
    // Speedup = T_s/T_t = 84/108.8; error = 0.0318085/0.009304 - 1 = 241.9 %.
    close(a.speedup().unwrap(), 84.0 / 108.8);
    close(a.error_percent().unwrap(), 100.0 * (0.031_808_457_142_857 / 0.009_304 - 1.0));
}

#[test]
fn algorithm_1_with_flops_on_a_compute_bound_kernel_that_loses_occupancy() {
    // matmul_tiled, n = 512, TITAN V -> RTX 4070. F = 2 512^3 = 268,435,456; D = 12 512^2 = 3,145,728; I = 85.33 FLOP/B.
    // R_s = min(14.9, 0.6528 x 85.33 = 55.7) = 14.9; R_t = min(29.1, 0.504 x 85.33 = 43.0) = 29.1 TFLOP/s.
    // 1024 threads. TITAN V: 2048/1024 = 2 blocks, O = 64/64. RTX 4070: 1536/1024 = 1 block, O = 32/48 = 2/3.
    // T_t = 0.095146 ms x (14.9 x 1)/(29.1 x 2/3) = 0.095146 x 14.9/19.4 = 0.0730760515... ms.
    let q = ask("efficiency-transfer", "matmul_tiled", "n=512", "titan-v", "rtx-4070");
    close(q.millis(), 0.095_146 * 14.9 / 19.4);
    close(q.millis(), 0.073_076_051_546);
    let p = q.prediction();
    assert_eq!((p.bound_source, p.bound_target), (Some(Bound::Compute), Some(Bound::Compute)));
    let o = q.answer().occupancy.map(|o| o.unwrap().fraction());
    assert_eq!(o.source, 1.0);
    close(o.target, 2.0 / 3.0);
}

#[test]
fn algorithm_1_without_flops_carries_the_bandwidth_over() {
    // naive_transpose, 2048 x 2048, TITAN V -> RTX 4070. F = 0; D = 8 x 2048^2 = 33,554,432 B.
    // eta = D/T_s/B_s = 33,554,432 / 124.528 us / 652.8e9 = 269.453/652.8 = 0.412765; O = 1 and 1.
    // T_t = D/(eta B_t) = 0.124528 ms x 652.8/504 = 0.1612934095... ms.
    let q = ask("efficiency-transfer", "naive_transpose", "rows=2048", "titan-v", "rtx-4070");
    close(q.millis(), 0.161_293_409_523_8);
    close(q.prediction().efficiency.unwrap(), 0.412_764_5);
    assert!(q.prediction().cautions.contains(&Caution::NoFlops));
}

#[test]
fn first_principles_on_the_template_of_paper_5() {
    // squared_distance, k = 1000, b = 4096 blocks of t = 256 threads on the RTX 4070.
    // Iterations: ceil(1000/256) = 4 per thread x 256 x 4096 = 4,194,304.
    // F = 3 x = 12,582,912 / 29.1e12 = 0.4324 us; D = 8 x = 33,554,432 B / 504e9 = 66.5763 us. T = 66.5763 + 5 us.
    let q = ask("first-principles", "squared_distance", "k=1000;b=4096", "titan-v", "rtx-4070");
    close(q.millis(), 0.071_576_253_968);
    assert_eq!(q.prediction().bound_target, Some(Bound::Dram));
    // 1024 threads a block: ceil(1000/1024) = 1 x 1024 x 4096 iterations, the same number.
    close(Ask { size: "k=1000;b=4096;t=1024", ..q }.millis(), 0.071_576_253_968);
    // k = 1025: two iterations a thread at 1024 threads: twice the work.
    close(Ask { size: "k=1025;b=4096;t=1024", ..q }.millis(), 2.0 * 0.066_576_253_968 + 0.005);
    // One small block: 8 x 256 B over 504 GB/s = 4 ns; the launch is what it takes.
    let tiny = Ask { size: "k=256;b=1", ..q }.prediction();
    close(tiny.time.millis(), 0.005 + 2048.0 / 504e9 * 1e3);
    assert_eq!(tiny.bound_target, Some(Bound::Launch));
}

#[test]
fn the_plain_roofline_takes_the_longer_of_two_times() {
    // saxpy n = 2^20 on the RTX 4070: 12,582,912 B / 504e9 B/s = 24.96609524 us; 2,097,152 FLOP / 29.1e12 = 0.07 us.
    close(ask("plain-roofline", "saxpy", "n=2^20", "titan-v", "rtx-4070").millis(), 0.024_966_095_238);
    // matmul_naive n = 512 on the TITAN V: 268,435,456 / 14.9e12 = 18.0158 us; 3,145,728 / 652.8e9 = 4.82 us.
    close(ask("plain-roofline", "matmul_naive", "n=512", "rtx-4070", "titan-v").millis(), 0.018_015_802_416);
    // Achieved ceilings: 12,582,912 / 449.1e9 = 28.01806279 us.
    let q = ask("plain-roofline", "saxpy", "n=2^20", "titan-v", "rtx-4070");
    close(Ask { ceilings: Ceilings::Achieved, ..q }.millis(), 0.028_018_062_792);
}

#[test]
fn the_baseline_repeats_the_source() {
    let q = ask("same-time", "saxpy", "n=2^20", "titan-v", "rtx-4070");
    close(q.millis(), 0.024_558);
    close(q.answer().speedup().unwrap(), 1.0);
    close(Ask { from: "rtx-4070", to: "titan-v", ..q }.millis(), 0.009_304);
}

#[test]
fn the_factors_of_a_chain_multiply_to_its_time() {
    // T_t = T_s x roof ratio x occupancy ratio, as the screen shows it.
    for (kernel, size) in [("saxpy", "n=2^20"), ("matmul_tiled", "n=512"), ("naive_transpose", "rows=2048")] {
        for (from, to) in
            [("titan-v", "rtx-4070"), ("rtx-2080-ti", "gtx-titan-x"), ("gtx-titan-x", "h100-pcie")]
        {
            let p = ask("efficiency-transfer", kernel, size, from, to).prediction();
            let of = |name: &str| p.factors.iter().find(|f| f.name == name).unwrap();
            let time = of("source time").source.unwrap().si_value()
                * of("roof ratio").target.unwrap().si_value()
                * of("occupancy ratio").target.unwrap().si_value();
            close(time, p.time.0);
        }
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Intervals

/// The models that FLOPs and DRAM bytes are enough for. The shipped kernels lack counters of L1 and of instructions, which
/// `projection` needs; tests/cli/projection.rs is about it.
fn simple() -> impl Iterator<Item = &'static dyn Predictor> {
    MODELS.iter().copied().filter(|m| m.id() != "projection")
}

#[test]
fn the_time_lies_inside_its_interval_whatever_the_model() {
    for model in simple() {
        for (kernel, size) in [("saxpy", "n=2^20"), ("saxpy", "n=3000"), ("matmul_tiled", "n=2^9")] {
            for to in ["rtx-4070", "gtx-titan-x", "b200"] {
                let a = ask(model.id(), kernel, size, "titan-v", to).answer();
                let Ok(p) = &a.prediction else { panic!("{} {kernel} {to}: {:?}", model.id(), a.prediction) };
                let i = a.interval.unwrap();
                assert!(i.low < p.time && p.time < i.high, "{} {kernel} {to}: {i:?}", model.id());
                let uncut = [1.0 / i.factor, i.factor];
                let [low, high] = i.doubt.map_or(uncut, |doubt| doubt.interval_ends(i.factor));
                close(i.low / p.time, low);
                close(i.high / p.time, high);
                // No rate takes a product of the SMs alone further than its interval goes.
                assert!(kernel == "saxpy" || [low, high] == uncut, "{} {to}: {i:?}", model.id());
            }
        }
    }
}

#[test]
fn an_interval_leaves_out_its_own_kernel() {
    // 14 kernels on 4 GPUs: 14 x 12 = 168 ordered pairs. Asked about saxpy, its 12 are left out.
    let n = |kernel, size, to| {
        ask("efficiency-transfer", kernel, size, "titan-v", to).answer().interval.unwrap().n
    };
    assert_eq!(n("saxpy", "n=2^20", "rtx-4070"), 168 - 12);
    assert_eq!(n("saxpy", "n=2^20", "b200"), 168 - 12);
    assert_eq!(n("squared_distance", "k=512;b=512", "b200"), 168);
    // Without a source there is one residual per kernel and target: 13 kernels (histogram is bound by its atomics) less
    // saxpy, on 4 GPUs.
    let q = ask("first-principles", "saxpy", "n=2^20", "titan-v", "rtx-4070");
    assert_eq!(q.answer().interval.unwrap().n, 12 * 4);
}

/// The calibration of the shipped figures after `change` made some of them ten times as long.
fn recalibrated(change: impl Fn(&Measurement) -> bool) -> IntervalCalibration {
    let mut changed = Store::default();
    let slower = SHIPPED.store.rows().cloned().map(|mut r| {
        r.time = r.time * if change(&r) { 10.0 } else { 1.0 };
        r
    });
    changed.add_rows(slower.collect());
    let (gpus, kernels) = (SHIPPED.gpus.clone(), SHIPPED.kernels.clone());
    PublishedFigures { gpus, kernels, store: changed }.into_calibration().unwrap()
}

/// The factor of the interval for this model, kernel and target.
fn width(c: &IntervalCalibration, model: &str, kernel: &str, target: &str) -> f64 {
    let (kernel, target) =
        (SHIPPED.kernels.position(kernel).unwrap(), SHIPPED.gpus.position(target).unwrap());
    let settings = Settings { model: model_position(model).unwrap(), ..Settings::default() };
    let asked = IntervalQuestion {
        settings,
        kernel,
        target,
        start: StartedFrom::Nothing,
        kernel_id: "",
        doubt: None,
        width: None,
    };
    c.interval(Seconds(1.0), asked).unwrap().factor
}

#[test]
fn an_interval_never_saw_the_figures_of_the_kernel_it_is_about() {
    let saxpy = SHIPPED.kernels.position("saxpy").unwrap();
    let changed = recalibrated(|r| r.kernel == saxpy && r.gpu.index() % 2 == 0);
    for model in simple().map(|m| m.id()) {
        for to in ["rtx-4070", "titan-v", "b200"] {
            let of = |c, kernel| width(c, model, kernel, to);
            assert_eq!(of(SHIPPED.calibration(), "saxpy"), of(&changed, "saxpy"), "{model} {to}");
        }
    }
    // Another kernel's interval has seen them.
    let of = |c| width(c, "efficiency-transfer", "vector_add", "b200");
    assert_ne!(of(SHIPPED.calibration()), of(&changed));
}

#[test]
fn a_gpu_without_figures_is_told_how_well_intervals_carry_over() {
    let held =
        |model, to| ask(model, "saxpy", "n=2^20", "titan-v", to).answer().interval.unwrap().held_for_new_gpus;
    for model in simple().map(|m| m.id()).filter(|m| !["components", "hybrid"].contains(m)) {
        assert_eq!(held(model, "rtx-4070"), None, "{model}");
        let share = held(model, "b200").unwrap();
        assert!((0.7..0.97).contains(&share), "{model}: {share}");
    }
}

#[test]
fn intervals_rest_on_the_trials_of_an_evaluation_where_the_gpu_is_new() {
    let store = SHIPPED.rows_to_evaluate();
    // The intervals of `components` and `hybrid` rest on the shipped families: tests/engine/interval_table.rs.
    let own = |m: &ModelId| !["projection", "components", "hybrid"].contains(&MODELS[*m].id());
    let every: Vec<ModelId> = MODELS.ids().filter(own).collect();
    let outcomes =
        SHIPPED.evaluate(&store, &EvaluationSetup::default(), &every, &Progress::default()).unwrap();
    for outcome in outcomes {
        let q = ask(outcome.model, "squared_distance", "k=512;b=512", "titan-v", "b200");
        let held = q.answer().interval.unwrap().held_for_new_gpus.unwrap();
        close(100.0 * held, score(outcome.trials.iter()).unwrap().coverage_90_percent.unwrap());
        // This kernel was not measured, so none of its residuals is left out.
        let logs: Vec<f64> = outcome.trials.iter().map(|t| t.residual()).collect();
        let within = |ln: f64| logs.iter().filter(|l| **l <= ln * (1.0 + 1e-12)).count() as f64;
        let own = width(SHIPPED.calibration(), outcome.model, "squared_distance", "b200").ln();
        assert!(within(own) >= 0.9 * logs.len() as f64, "{}", outcome.model);
        assert!(
            logs.iter().any(|l| (l - own).abs() < 1e-12),
            "{}: {own} is no trial's residual",
            outcome.model
        );
    }
}

#[test]
fn intervals_belong_to_the_settings_really_in_use() {
    let interval = |ceilings, rules, to| {
        let q = ask("efficiency-transfer", "matmul_tiled", "n=512", "titan-v", to);
        Ask { ceilings, rules, ..q }.answer().interval.unwrap()
    };
    let peak = interval(Ceilings::Peak, Rules::Exact, "rtx-4070");
    assert_ne!(interval(Ceilings::Achieved, Rules::Exact, "rtx-4070").factor, peak.factor);
    // Nobody measured an FP32 rate on the RTX 4090: peak ceilings are used, and so is their interval.
    let fallen_back = interval(Ceilings::Achieved, Rules::Exact, "rtx-4090");
    assert_eq!(fallen_back, interval(Ceilings::Peak, Rules::Exact, "rtx-4090"));
}

#[test]
fn a_stand_in_adds_the_error_of_kernels_nobody_timed() {
    let interval = |start| {
        let target = SHIPPED.gpus.position("b200").unwrap();
        let settings = Settings { model: model_position("same-time").unwrap(), ..Settings::default() };
        let kernel_id = "squared_distance";
        let kernel = SHIPPED.kernels.position(kernel_id).unwrap();
        let asked = IntervalQuestion { settings, kernel, target, start, kernel_id, doubt: None, width: None };
        SHIPPED.calibration().interval(Seconds(1.0), asked).unwrap()
    };
    let (timed, stood_in) = (interval(StartedFrom::Timed(1.0, 0.0)), interval(StartedFrom::StandIn));
    assert!(stood_in.widened && !timed.widened);
    assert!(stood_in.factor > 1.1 * timed.factor, "{} {}", stood_in.factor, timed.factor);
}

#[test]
fn a_stand_in_is_the_roof_at_the_usual_efficiency() {
    // squared_distance, k = 1000, b = 4096: 33,554,432 B at the 609.9 GB/s that a TITAN V sustains, x 1.05; the last wave is the SMs'.
    let q = ask("same-time", "squared_distance", "k=1000;b=4096", "titan-v", "rtx-4070");
    let dram = 1.05 * 33_554_432.0 / 609.9e9 * 1e3;
    assert!((0.999..1.05).contains(&(q.millis() / dram)), "{} beside {dram}", q.millis());
}

#[test]
fn a_launch_can_bind_on_either_side() {
    // saxpy, n = 2^20: 12.58 MB take 1.57 us of the B200's 8 TB/s, less than a launch, and 19 us of the TITAN V.
    let bounds = |from, to| {
        let p = ask("first-principles", "saxpy", "n=2^20", from, to).prediction();
        (p.bound_source.unwrap(), p.bound_target.unwrap())
    };
    assert_eq!(bounds("b200", "titan-v"), (Bound::Launch, Bound::Dram));
    assert_eq!(bounds("titan-v", "b200"), (Bound::Dram, Bound::Launch));
}

#[test]
fn intervals_hold_what_they_promise_on_the_shipped_figures() {
    for model in simple() {
        let (mut inside, mut all) = (0, 0);
        for (id, config) in SHIPPED.store.configs() {
            let subject = SHIPPED.subject(config.kernel, config.problem, config.variant).unwrap();
            let timed: Vec<GpuId> = SHIPPED.store.rows_of(id).map(|r| r.gpu).collect();
            for (from, to) in timed.iter().flat_map(|a| timed.iter().map(move |b| (*a, *b))) {
                let settings = Settings { model: model_position(model.id()).unwrap(), ..Settings::default() };
                let a = SHIPPED.answer(&subject, from, to, settings);
                let (Some(i), Some(m), true) = (a.interval, a.measured, from != to) else { continue };
                all += 1;
                inside += usize::from(i.low <= m.time && m.time <= i.high);
            }
        }
        let covered = 100.0 * f64::from(inside as u32) / f64::from(all as u32);
        assert!((85.0..=95.0).contains(&covered), "{}: {covered:.1} % of {all}", model.id());
    }
}

#[test]
fn a_size_nobody_timed_is_marked_and_costs_width() {
    let timed = ask("efficiency-transfer", "saxpy", "n=2^20", "titan-v", "rtx-4070");
    let known = timed.answer();
    assert_eq!(known.source_time.as_ref().unwrap().kind, SourceKind::Published);
    assert!(!known.interval.unwrap().widened && !known.is_estimate());
    let mut last = known.interval.unwrap().factor;
    for (size, doublings) in [("n=2^21", 1), ("n=2^22", 2), ("n=2^24", 4)] {
        let a = Ask { size, ..timed }.answer();
        let t = a.source_time.as_ref().unwrap();
        assert_eq!(t.kind, SourceKind::Estimated);
        // Memory-bound and out of L2 at every size: body and roof double with n but for the last wave (× 1.09 at 2^20), and
        // the floor fades.
        let (body, floor) = ((0.024_558f64.powi(4) - 0.003_61f64.powi(4)).powf(0.25), 0.003_61f64);
        let body = body * 2f64.powi(doublings);
        assert!((t.time.millis() / (body.powi(4) + floor.powi(4)).powf(0.25) - 1.0).abs() < 0.09, "{size}");
        assert!((t.extrapolation.unwrap() / 2f64.powi(doublings) - 1.0).abs() < 0.09, "{size}");
        let i = a.interval.unwrap();
        assert!(i.widened && i.factor > last && !a.is_estimate(), "{size}: {i:?}");
        last = i.factor;
        let text = Ask { size, ..timed }.cautions();
        assert!(text.contains("estimate") && text.contains("n=1048576"), "{text}");
        assert_eq!(a.measured, None);
    }
    // Smaller sizes cost, too.
    let half = Ask { size: "n=2^19", ..timed }.answer().interval.unwrap();
    assert!(half.widened && half.factor > known.interval.unwrap().factor, "{half:?}");
}

#[test]
fn gpus_nobody_timed_are_answered_with_an_estimate_that_says_so() {
    let q = ask("efficiency-transfer", "saxpy", "n=2^20", "h100-sxm5", "b200");
    let a = q.answer();
    let t = a.source_time.clone().unwrap();
    assert_eq!((t.kind, t.extrapolation), (SourceKind::Estimated, None));
    // 12,582,912 B stay in the 50 MiB of the H100 SXM5's L2 and take less than its assumed launch floor of 3 us.
    let l2 = SHIPPED.gpus.entry_named("h100-sxm5").unwrap().l2_bandwidth_or_derived().value.0;
    // Their 4,096 blocks start in 2.6 us, and 1.8 us pass between launches.
    let (body, starting, gap) = (1.1 * 12_582_912.0 / l2, 4096.0 / (0.8 * 1.98e9), 1.8e-6);
    assert!(
        body < starting && (starting + gap..starting + gap + 0.3 * body).contains(&t.time.0),
        "{:?}",
        t.time
    );
    assert!(a.is_estimate() && a.prediction.unwrap().cautions.contains(&Caution::SourceModelled));
    let timed = ask("efficiency-transfer", "saxpy", "n=2^20", "titan-v", "b200").answer();
    assert!(
        a.interval.unwrap().factor > timed.interval.unwrap().factor,
        "an estimate is wider than a figure"
    );
}

// ---------------------------------------------------------------------------------------------------------------------
// What cannot run

#[test]
fn a_block_that_cannot_launch_is_refused_by_every_model() {
    for model in MODELS.iter() {
        let a = ask(model.id(), "gemm_tiled", "n=1024,tile=64", "titan-v", "rtx-4070").answer();
        let Err(refusal) = a.prediction else { panic!("{}: {:?}", model.id(), a.prediction) };
        let ModelRefusal::CannotLaunch { why: LaunchRefusal::Threads { threads, most }, .. } = refusal else {
            panic!("{}: {refusal}", model.id())
        };
        assert_eq!((threads, most), (4096, 1024));
        assert!(refusal.to_string().contains("4096 threads per block"), "{refusal}");
        assert!(a.interval.is_none() && a.source_time.is_none());
    }
}

#[test]
fn a_working_set_larger_than_the_memory_is_refused_with_both_numbers() {
    // saxpy at n = 2^31: 12 x 2^31 = 25.8 GB. The TITAN V and the RTX 4070 have 12 GiB, the H200 has 141.
    let big = |model, from, to| ask(model, "saxpy", "n=2^31", from, to).answer().prediction;
    let Err(e @ ModelRefusal::DoesNotFit { .. }) = big("plain-roofline", "h200", "rtx-4070") else {
        panic!()
    };
    assert!(e.to_string().starts_with("rtx-4070: does not fit: needs 24.0 GiB, has 12.0 GiB"), "{e}");
    let Err(e @ ModelRefusal::DoesNotFit { .. }) = big("efficiency-transfer", "titan-v", "h200") else {
        panic!()
    };
    assert!(e.to_string().starts_with("titan-v: does not fit"), "{e}");
    // A model that does not look at the source does not care whether it fits there.
    assert!(big("plain-roofline", "titan-v", "h200").is_ok());
    assert!(big("efficiency-transfer", "b200", "h200").is_ok());
}

#[test]
fn a_grid_that_no_gpu_accepts_is_refused() {
    // 2^45 elements / 256 = 2^37 blocks along x, above 2^31 - 1.
    let q = ask("plain-roofline", "random_access", "n=2^45", "titan-v", "h200");
    let Err(ModelRefusal::CannotLaunch { why: LaunchRefusal::Grid { blocks, axis, .. }, .. }) =
        q.answer().prediction
    else {
        panic!("{:?}", q.answer().prediction)
    };
    assert_eq!((blocks, axis), (1 << 37, 'x'));
}

#[test]
fn atomics_are_said_to_be_outside_the_models() {
    for (model, from, to) in simple()
        .map(|m| m.id())
        .flat_map(|m| [(m, "titan-v", "rtx-4070"), (m, "h200", "gtx-titan-x"), (m, "b200", "t4")])
    {
        if !["first-principles", "plain-roofline"].contains(&model) {
            continue; // the source's time, if only an estimate, holds them
        }
        let refused = ask(model, "atomic_hotspot", "n=2^20", from, to).answer();
        let text = refused.prediction.unwrap_err().to_string();
        assert!(text.contains("atomics on few addresses bind") || text.contains("needs a time on"), "{text}");
    }
    // A histogram was timed: its atomics are in the time.
    let text = ask("efficiency-transfer", "histogram", "n=2^20", "titan-v", "rtx-4070").cautions();
    assert!(text.contains("same-address atomics: carried over with the efficiency, not modelled"), "{text}");
    let refused = ask("plain-roofline", "histogram", "n=2^20", "titan-v", "rtx-4070").answer();
    let Err(e @ ModelRefusal::AtomicsBind { .. }) = refused.prediction else { panic!() };
    // Each of 4,096 blocks changes four sectors of a line, in four clocks of 2.475 GHz each: 26.5 us.
    assert!(e.to_string().contains("bind this kernel (about 26.5 µs)"), "{e}");
}

#[test]
fn points_above_their_roof_are_said_of_every_model_and_never_of_estimates() {
    // saxpy on the RTX 4070: 12.58 MB in 9.304 us are 1352 GB/s, 2.68 times its bandwidth; its L2 has 36 MB.
    for model in simple().map(|m| m.id()) {
        for (from, to) in [("titan-v", "rtx-4070"), ("rtx-4070", "titan-v")] {
            let text = ask(model, "saxpy", "n=2^20", from, to).cautions();
            assert!(
                text.contains("2.68× above its roof on rtx-4070") && text.contains("cache-resident"),
                "{text}"
            );
            // What the source took is short; what the target takes only where the model says so.
            assert!(from != "rtx-4070" || text.contains("rtx-4070: under 10 µs"), "{model}: {text}");
        }
        let estimate = ask(model, "saxpy", "n=2^21", "rtx-4070", "titan-v").cautions();
        assert!(!estimate.contains("above its roof"), "{model}: {estimate}");
    }
}

#[test]
fn a_scaled_time_never_falls_below_the_launch_floor() {
    let a = ask("same-time", "saxpy", "n=1024", "titan-v", "rtx-4070").answer();
    // 12 KiB take nothing beside the floor in the TITAN V's file but one wait for DRAM and half a floor between launches, which it hides.
    let over = a.source_time.as_ref().unwrap().time.0 / 3.61e-6;
    assert!((1.0..1.001).contains(&over), "{over}");
    let text = shown(&a);
    assert!(text.contains("the scaled source time is mostly launch overhead (3.61 µs)"), "{text}");
    assert!(!shown(&ask("same-time", "saxpy", "n=2^21", "titan-v", "rtx-4070").answer()).contains("floor;"));
}

/// The cautions of an answer, one per line.
fn shown(a: &Answer) -> String {
    a.prediction.as_ref().unwrap().cautions.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn what_a_dataset_says_of_a_kernel_stands_beside_its_answers() {
    let text = |from, to| ask("efficiency-transfer", "random_access", "n=2^20", from, to).cautions();
    for (from, to) in [("titan-v", "rtx-4070"), ("titan-v", "b200"), ("b200", "titan-v")] {
        assert!(text(from, to).contains("index was all zero"), "{from} {to}");
    }
    assert!(!text("b200", "h200").contains("all zero"));
}

#[test]
fn counts_say_whether_a_row_or_a_formula_made_them() {
    let s = with_rows(
        "gpu,kernel,problem,dram_bytes,time_ms,source\nrtx-4070,saxpy,n=1048576,31000000,0.1,ncu\n",
    );
    let q = Ask { session: &s, ..ask("efficiency-transfer", "saxpy", "n=2^20", "rtx-4070", "titan-v") };
    let from = |name: &str| {
        let p = q.prediction();
        let factor = p.factors.iter().find(|f| f.name == name).unwrap();
        factor.from.source.as_ref().unwrap().to_string()
    };
    assert_eq!(from("DRAM bytes"), "measured: ncu");
    assert_eq!(from("FLOPs"), "published: study-source");
}

// ---------------------------------------------------------------------------------------------------------------------
// Choices

#[test]
fn achieved_ceilings_are_never_mixed_with_peak_ones() {
    // Both have measured ceilings: 0.024558 x 609.9/449.1.
    let q = Ask {
        ceilings: Ceilings::Achieved,
        ..ask("efficiency-transfer", "saxpy", "n=2^20", "titan-v", "rtx-4070")
    };
    assert_eq!(q.answer().ceilings_used, Ceilings::Achieved);
    close(q.millis(), 0.024_558 * 609.9 / 449.1);
    // Nobody measured an FP32 rate on the RTX 3090: peak on both, and said.
    assert!(SHIPPED.gpus.entry_named("rtx-3090").unwrap().fp32_achieved.is_none());
    let without = Ask { to: "rtx-3090", ..q };
    assert_eq!(without.answer().ceilings_used, Ceilings::Peak);
    close(without.millis(), Ask { ceilings: Ceilings::Peak, ..without }.millis());
    let text = without.cautions();
    assert!(text.contains("no achieved ceilings for rtx-3090: peak ceilings used on both GPUs"), "{text}");
    assert!(!Ask { ceilings: Ceilings::Peak, ..without }.cautions().contains("achieved ceilings"));
}

#[test]
fn the_studys_rules_count_registers_without_their_allocation_unit() {
    // 33 registers x 256 threads. Exact: 33 -> 40, x 32 = 1280 per warp; 16,384/1280 = 12 warps per sub-partition, 48 per
    // SM, 6 blocks; TITAN V 48/64. Study: 65,536/8448 = 7 blocks, 56/64. RTX 4070: 6 blocks of 1536 threads either way.
    let s = with_rows(
        "gpu,kernel,problem,dtype,block,grid,regs_per_thread,smem_static_bytes,smem_dynamic_bytes,flops,dram_bytes,time_ms\n\
         titan-v,mine,n=1,fp32,256,4096,33,0,0,1e6,1e9,2.0\n",
    );
    let exact = Ask { session: &s, ..ask("efficiency-transfer", "mine", "n=1", "titan-v", "rtx-4070") };
    let study = Ask { rules: Rules::Study, ..exact };
    let fractions = |q: Ask<'_>| q.answer().occupancy.map(|o| o.unwrap().fraction());
    assert_eq!(fractions(exact), Pair::new(48.0 / 64.0, 1.0));
    assert_eq!(fractions(study), Pair::new(56.0 / 64.0, 1.0));
    close(exact.millis(), 2.0 * (652.8 * 0.75) / 504.0);
    close(study.millis(), 2.0 * (652.8 * 0.875) / 504.0);
}

// ---------------------------------------------------------------------------------------------------------------------
// The user's rows

#[test]
fn a_kernel_known_only_from_a_row_is_predicted() {
    let s = with_rows(
        "gpu,kernel,problem,flops,dram_bytes,time_ms\ntitan-v,my_stencil,n=7,1000000,8000000,0.5\n",
    );
    let q = Ask { session: &s, ..ask("efficiency-transfer", "my_stencil", "n=7", "titan-v", "rtx-4070") };
    // No launch shape: occupancy cancels. 0.5 x 652.8/504.
    close(q.millis(), 0.5 * 652.8 / 504.0);
    assert_eq!(q.answer().source_time.unwrap().kind, SourceKind::Measured);
    assert!(q.prediction().cautions.contains(&Caution::OccupancyUnknown));
    assert!(q.answer().interval.is_some());
    // At another size nothing is known: no formula, no time.
    let elsewhere = Ask { size: "n=8", ..q }.answer().prediction.unwrap_err();
    assert!(matches!(elsewhere, ModelRefusal::NoSourceTime { .. }), "{elsewhere}");
    assert!(elsewhere.to_string().contains("titan-v"), "{elsewhere}");
    // Without bytes the models that need them say which count is missing.
    let s = with_rows("gpu,kernel,problem,flops,time_ms\ntitan-v,my_stencil,n=7,1000000,0.5\n");
    let q = Ask { session: &s, ..q };
    let refused = q.answer().prediction.unwrap_err().to_string();
    assert!(refused.contains("needs dram_bytes"), "{refused}");
    assert!(Ask { model: "same-time", ..q }.answer().prediction.is_ok());
}

#[test]
fn counters_of_a_row_go_before_formulas() {
    // saxpy with 31 MB counted instead of 12 n: the plain roofline follows the counter.
    let s = with_rows("gpu,kernel,problem,dram_bytes,time_ms\nrtx-4070,saxpy,n=1048576,31000000,0.1\n");
    let q = Ask { session: &s, ..ask("plain-roofline", "saxpy", "n=2^20", "rtx-4070", "titan-v") };
    close(q.millis(), 31e6 / 652.8e9 * 1e3);
    assert_eq!(q.answer().work.get(Count::DramBytes), Some(31e6));
    assert_eq!(
        q.answer().work.get(Count::Flops),
        Some(2_097_152.0),
        "what was not counted stays the formula's"
    );
}

#[test]
fn the_sources_own_counters_go_before_those_of_another_gpu() {
    let s = with_rows(
        "gpu,kernel,problem,dram_bytes,time_ms\n\
         titan-v,saxpy,n=1048576,20000000,0.1\nrtx-4070,saxpy,n=1048576,31000000,0.1\n",
    );
    let counted = |from, to| {
        let q = Ask { session: &s, ..ask("plain-roofline", "saxpy", "n=2^20", from, to) };
        q.answer().work.get(Count::DramBytes)
    };
    assert_eq!(counted("titan-v", "rtx-4070"), Some(20e6));
    assert_eq!(counted("rtx-4070", "titan-v"), Some(31e6));
}

#[test]
fn counters_taken_on_a_third_gpu_serve_both() {
    let s = with_rows("gpu,kernel,problem,dram_bytes,time_ms\nrtx-a4000,saxpy,n=1048576,31000000,0.1\n");
    let q = Ask { session: &s, ..ask("plain-roofline", "saxpy", "n=2^20", "rtx-4070", "titan-v") };
    close(q.millis(), 31e6 / 652.8e9 * 1e3);
}

#[test]
fn a_counter_at_one_size_does_not_distort_the_ratio_to_another() {
    // Warm buffers: the profiler saw 3 MB where the formula has 12.6. Twice the size still takes twice the time,
    // but for the last wave (× 1.09 at 2^20).
    let s = with_rows("gpu,kernel,problem,dram_bytes,time_ms\ntitan-v,saxpy,n=1048576,3000000,0.02\n");
    let q = Ask { session: &s, ..ask("same-time", "saxpy", "n=2^21", "titan-v", "rtx-4070") };
    assert!((q.millis() / 0.04 - 1.0).abs() < 0.09, "{}", q.millis());
}

#[test]
fn the_launch_shape_of_a_row_goes_before_the_kernel_files() {
    let s = with_rows(
        "gpu,kernel,problem,variant,block,grid,regs_per_thread,time_ms\ntitan-v,saxpy,n=1048576,wide,1024,1024,12,0.03\n",
    );
    let q = Ask {
        session: &s,
        variant: "wide",
        ..ask("efficiency-transfer", "saxpy", "n=2^20", "titan-v", "rtx-4070")
    };
    let a = q.answer();
    assert_eq!(a.launch.source.unwrap().block, [1024, 1, 1]);
    // 1536/1024 = 1 block on the RTX 4070: 32 of 48 warps.
    close(a.occupancy.target.unwrap().fraction(), 2.0 / 3.0);
    close(q.millis(), 0.03 * 652.8 / (504.0 * 2.0 / 3.0));
}

#[test]
fn the_users_own_time_goes_before_the_published_one() {
    let s = with_rows("gpu,kernel,problem,time_ms\ntitan-v,saxpy,n=1048576,0.5\n");
    let q = Ask { session: &s, ..ask("same-time", "saxpy", "n=2^20", "titan-v", "rtx-4070") };
    let a = q.answer();
    close(q.millis(), 0.5);
    assert_eq!(a.source_time.unwrap().kind, SourceKind::Measured);
    assert_eq!(a.measured.unwrap().kind, SourceKind::Published, "the target's is still the published one");
}

#[test]
fn the_default_models_old_name_is_understood() {
    assert_eq!(model_position("ceilings"), model_position("components"));
    assert_eq!(model_position("ceilings").unwrap(), roofswap::predict::ModelId::default());
    let unknown = model_position("ceiling").unwrap_err().to_string();
    assert!(unknown.contains("the models are: components, hybrid"), "{unknown}");
}
