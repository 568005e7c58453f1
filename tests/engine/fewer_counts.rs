//! A user's own kernels: the timed kernels of the catalogue under names that nobody knows, so that a row's own columns are all
//! there is; then with one count after the other taken away. What the engine says must get worse step by step, not at once.
//! `docs/pictures/fewer-counts.svg` is drawn from it.

#![allow(
    clippy::unwrap_used,
    reason = "clippy.toml allows it in test functions; their helpers stand outside"
)]

use roofswap::chart::{Axis, ChartSpec, Mark, Meaning, Scale, Shape, SvgTheme, render_svg, suggested_size};
use roofswap::evaluate::{EvaluationSetup, EvaluationWorld, Progress, Score, evaluate, score};
use roofswap::kernel::{Count, Kernel, Launch};
use roofswap::measurement::{Measurement, Store, TimingKind, read_csv};
use roofswap::predict::{MODELS, Predictor, Subject, model_position};
use roofswap::session::Session;
use std::fmt::Write;

/// What is taken away at each step, beside all that was taken away before.
const STEPS: [(&str, &[Count]); 8] = [
    ("every count", &[]),
    ("no issued instructions", &[Count::WarpInstsIssued]),
    ("no global requests", &[Count::GlobalWarpInsts, Count::GlobalWavefronts]),
    (
        "no wavefronts, atomics",
        &[Count::SmemWavefronts, Count::GlobalAtomicRequests, Count::AtomicLineSectors],
    ),
    ("no LSU instructions", &[Count::LsuWarpInsts]),
    ("FLOPs and DRAM bytes", &[Count::L2Bytes, Count::L1Bytes, Count::WorkingSetBytes]),
    ("DRAM bytes", &[Count::Flops, Count::ActiveThreadsPerInst]),
    ("a time alone", &[Count::DramBytes]),
];

/// The place of the step that has FLOPs and DRAM bytes left.
const FLOPS_AND_BYTES: usize = 5;

fn models() -> [&'static dyn Predictor; 2] {
    ["components", "same-time"].map(|id| MODELS[model_position(id).unwrap()])
}

fn scores(session: &Session, store: &Store) -> [Score; 2] {
    let world = EvaluationWorld { gpus: &session.gpus, kernels: &session.kernels, store };
    let outcomes = evaluate(world, &EvaluationSetup::default(), &models(), &Progress::default()).unwrap();
    [0, 1].map(|i| score(outcomes[i].trials.iter()).unwrap())
}

fn extents<T: ToString>(all: [T; 3]) -> String {
    all.map(|n| n.to_string()).join("x")
}

fn number(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |n| n.to_string())
}

/// A row as a user's report would have it: launch, resources and these counts, under a name that is in no catalogue.
fn own_row(session: &Session, subject: &Subject, row: &Measurement, kept: &[Count]) -> String {
    let (kernel, gpu): (&Kernel, _) = (&session.kernels[row.kernel], &session.gpus[row.gpu]);
    let cc = gpu.cuda.compute_capability;
    let instance = &subject.instance;
    let launch: Option<Launch> = row.launch().or(instance.launch);
    let compiled = kernel.resources_on(cc.major, cc.minor).map(|c| c.resources.registers);
    let work = instance.work.overlaid(&row.work());
    let mut text = format!(
        "{},own_{},{},{},{},{},{},{},{},{},{}",
        gpu.id,
        kernel.id,
        row.problem,
        row.variant(),
        row.dtype(),
        number(launch.map(|l| extents(l.block))),
        number(launch.map(|l| extents(l.grid))),
        number(row.regs_per_thread().or(instance.regs_per_thread).or(compiled)),
        number(row.smem_static().or(instance.smem_static)),
        number(row.smem_dynamic().or(instance.smem_dynamic)),
        row.time.0 * 1e3,
    );
    for count in Count::ALL {
        write!(text, ",{}", number(work.get(count).filter(|_| kept.contains(&count)))).unwrap();
    }
    text + "\n"
}

/// The timed rows with these counts alone, and who knows them.
fn own_rows(session: &Session, store: &Store, kept: &[Count]) -> (Session, Store) {
    let columns = Count::ALL.map(Count::name).join(",");
    let mut text = format!(
        "gpu,kernel,problem,variant,dtype,block,grid,regs_per_thread,smem_static_bytes,smem_dynamic_bytes,time_ms,{columns}\n"
    );
    for (id, config) in store.configs() {
        let subject = Subject::from_config(&session.kernels[config.kernel], config, Some(id)).unwrap();
        store.rows_of(id).for_each(|row| text.push_str(&own_row(session, &subject, row, kept)));
    }
    let mut own = session.clone();
    let read = own
        .edit(|w| read_csv(text.as_bytes(), "own rows", TimingKind::Measured, &w.gpus, &mut w.kernels))
        .unwrap();
    assert_eq!(read.refused_count, 0, "{:?}", read.refused);
    let mut store = Store::default();
    store.add_rows(read.rows);
    (own, store)
}

/// The scores of the catalogue's kernels, and of the same rows under other names at every step.
fn ladder(session: &Session, store: &Store) -> (Score, Vec<[Score; 2]>) {
    let mut kept = Count::ALL.to_vec();
    let steps = STEPS.iter().map(|(_, gone)| {
        kept.retain(|count| !gone.contains(count));
        let (own, rows) = own_rows(session, store, &kept);
        scores(&own, &rows)
    });
    let steps = steps.collect();
    (scores(session, store)[0], steps)
}

fn check(catalogue: &Score, steps: &[[Score; 2]]) {
    let error = |step: usize| steps[step][0].errors.mape_percent;
    assert!((error(0) - catalogue.errors.mape_percent).abs() < 1.0, "{} {:?}", error(0), catalogue.errors);
    for (i, [own, same_time]) in steps.iter().enumerate() {
        let (name, coverage) = (STEPS[i].0, own.coverage_90_percent.unwrap());
        assert!(own.errors.mape_percent <= same_time.errors.mape_percent, "{name}: worse than same-time");
        assert!((80.0..=97.0).contains(&coverage), "{name}: {coverage} % of the intervals hold");
        // Without any count the time is all there is: that step is judged by `same-time` alone.
        let last = i + 1 == steps.len();
        assert!(
            i == 0 || last || error(i) < error(i - 1) + 5.0,
            "{name}: {} after {}",
            error(i),
            error(i - 1)
        );
    }
    assert!(steps[FLOPS_AND_BYTES][0].width.unwrap() < 4.0, "{:?}", steps[FLOPS_AND_BYTES][0].width);
}

#[test]
fn shipped_rows_under_other_names_are_predicted_as_well_and_get_worse_step_by_step() {
    let session = Session::load(None).unwrap();
    let (catalogue, steps) = ladder(&session, &session.rows_to_evaluate());
    check(&catalogue, &steps);
}

/// The errors over what is known, the most at the top.
fn chart(pairs: usize, catalogue: &Score, steps: &[[Score; 2]]) -> ChartSpec {
    let same_time = steps[0][1].errors.mape_percent;
    let mut marks = Vec::new();
    for (slot, [own, _]) in steps.iter().enumerate() {
        let mut add = |name: &str, meaning, shape, value: f64| {
            marks.push(Mark::Point {
                name: if slot == 0 { name.into() } else { String::new() },
                meaning,
                shape,
                at: (value, slot as f64),
                interval: None,
                label: format!("{value:.1}"),
            });
        };
        add("MAPE", Meaning::Target, Shape::Predicted, own.errors.mape_percent);
        add("median", Meaning::Source, Shape::Measured, own.errors.median_ape_percent);
    }
    let coverage = steps.iter().map(|[own, _]| format!("{:.0}", own.coverage_90_percent.unwrap_or(f64::NAN)));
    let widths = steps.iter().map(|[own, _]| format!("{:.1}", own.width.unwrap_or(f64::NAN)));
    ChartSpec {
        title: "Errors of kernels that no catalogue knows, with fewer and fewer counts".into(),
        subtitle: format!("{pairs} pairs of paper 1's figures, components, the target GPU held out"),
        x: Axis {
            label: "absolute percentage error, %".into(),
            scale: Scale::Linear { min: 0.0, max: 40.0 },
        },
        y: Axis {
            label: String::new(),
            scale: Scale::Category(STEPS.iter().map(|(name, _)| (*name).to_string()).collect()),
        },
        marks,
        notes: vec![
            format!(
                "The same rows under their catalogue's names: MAPE {:.1} %, median {:.1} %; same-time: MAPE {same_time:.1} %.",
                catalogue.errors.mape_percent, catalogue.errors.median_ape_percent
            ),
            format!(
                "Of the 90 % intervals hold, top to bottom: {} %; their median width: {} x.",
                coverage.collect::<Vec<_>>().join(", "),
                widths.collect::<Vec<_>>().join(", ")
            ),
        ],
    }
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared, other people's measurements")]
fn the_study_under_other_names_gets_worse_step_by_step_as_the_chart_shows() {
    let root = env!("ROOFSWAP_CHECKOUT");
    let text =
        std::fs::read_to_string(format!("{root}/../shared/data/study/measurements_corrected.csv")).unwrap();
    let mut session = Session::load(None).unwrap();
    let read = session
        .edit(|w| read_csv(text.as_bytes(), "study", TimingKind::Measured, &w.gpus, &mut w.kernels))
        .unwrap();
    let mut store = Store::default();
    store.add_rows(read.rows);
    let (catalogue, steps) = ladder(&session, &store);
    check(&catalogue, &steps);
    let spec = chart(steps[0][0].errors.n, &catalogue, &steps);
    let drawn =
        String::from_utf8(render_svg(&spec, SvgTheme::Light, suggested_size(&spec)).unwrap()).unwrap();
    let file = format!("{root}/docs/pictures/fewer-counts.svg");
    if std::env::var_os("ROOFSWAP_REDRAW").is_some() {
        std::fs::write(&file, &drawn).unwrap();
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(kept == drawn, "{file} is out of date: ROOFSWAP_REDRAW=1 cargo test --test engine fewer_counts");
}
