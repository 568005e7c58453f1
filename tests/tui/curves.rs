//! The occupancy and wave curves, and the slider that walks along them.

#![allow(
    clippy::unwrap_used,
    reason = "clippy.toml allows it in test functions; their builders stand outside"
)]

use roofswap::answer::Settings;
use roofswap::chart::{
    ChartSides, ChartSpec, Curve, CurveView, Mark, Scale, curve_chart, render_svg, suggested_size,
};
use roofswap::occupancy::waves;
use roofswap::pair::Pair;
use roofswap::session::Session;
use roofswap::tui::{DashboardOptions, DashboardState, Message, first_state, update};
use std::sync::LazyLock;

static SHIPPED: LazyLock<Session> = LazyLock::new(|| Session::load(None).unwrap());

fn chart(kernel: &str, size: &str, (from, to): (&str, &str), curve: Curve, show: ChartSides) -> ChartSpec {
    let s = &*SHIPPED;
    let at = s.kernels.position(kernel).unwrap();
    let of = &s.kernels[at];
    let subject = s.subject(at, &of.typed(size).unwrap(), of.example_variant()).unwrap();
    let [source, target] = [from, to].map(|g| s.gpus.position(g).unwrap());
    let answer = s.answer(&subject, source, target, Settings::default());
    let gpus = Pair::new(source, target).map(|g| &s.gpus[g]);
    let (kernel, problem) = (&s.kernels[at], &*subject.problem);
    curve_chart(&CurveView { gpus, kernel, problem, variant: &subject.variant, answer: &answer, show }, curve)
}

const PAIR: (&str, &str) = ("titan-v", "rtx-4070");

fn lines(chart: &ChartSpec) -> Vec<&Vec<(f64, f64)>> {
    chart
        .marks
        .iter()
        .filter_map(|m| if let Mark::Line { points, .. } = m { Some(points) } else { None })
        .collect()
}

fn chosen(chart: &ChartSpec) -> Vec<(f64, f64)> {
    chart.marks.iter().filter_map(|m| if let Mark::Point { at, .. } = m { Some(*at) } else { None }).collect()
}

/// The value of a step line left of a place.
fn step_at(points: &[(f64, f64)], x: f64) -> f64 {
    points.windows(2).find(|w| w[0].0 < x && x <= w[1].0).map_or(f64::NAN, |w| w[1].1)
}

#[test]
fn the_chosen_block_lies_on_its_curve() {
    for curve in [Curve::Block, Curve::Registers, Curve::SharedMemory] {
        let chart = chart("matmul_tiled", "n=1024", PAIR, curve, ChartSides::Both);
        let (lines, points) = (lines(&chart), chosen(&chart));
        assert_eq!((lines.len(), points.len()), (2, 2), "{curve:?}");
        for (line, at) in lines.iter().zip(points) {
            assert_eq!(step_at(line, at.0), at.1, "{curve:?}");
        }
    }
}

#[test]
fn known_steps_are_where_they_belong() {
    let registers = chart("matmul_tiled", "n=1024", PAIR, Curve::Registers, ChartSides::Both);
    let (titan, ada) = (lines(&registers)[0], lines(&registers)[1]);
    // 1,024 threads: two blocks up to 32 registers, one up to 64, none beyond.
    assert_eq!([32.0, 33.0, 64.0, 65.0].map(|r| step_at(titan, r)), [100.0, 50.0, 50.0, 0.0]);
    assert!((step_at(ada, 64.0) - 200.0 / 3.0).abs() < 1e-9 && step_at(ada, 65.0) == 0.0);
    // The TITAN V's opt-in limit is 96 KiB; the other's 99 KiB end the axis.
    let shared = chart("matmul_tiled", "n=1024", PAIR, Curve::SharedMemory, ChartSides::Both);
    assert_eq!(shared.x.scale, Scale::Linear { min: 0.0, max: 99.0 });
    assert_eq!([48.0, 96.0, 97.0].map(|kib| step_at(lines(&shared)[0], kib)), [100.0, 50.0, 0.0]);
}

#[test]
fn the_saw_tooth_has_its_tips_at_whole_waves() {
    // 80 SMs x 8 blocks of 256 threads: a wave is 163,840 elements.
    let saw = chart("saxpy", "n=524288", PAIR, Curve::Size, ChartSides::Both);
    let titan = lines(&saw)[0];
    for wave in 2..=4 {
        let tip = f64::from(wave) * 163_840.0;
        let at = titan.iter().position(|p| p.0 == tip).unwrap();
        assert_eq!(titan[at].1, 100.0);
        assert!(titan[at + 1].1 < 85.0, "one element more starts a wave");
    }
    let now = chosen(&saw);
    assert_eq!((now[0].0, now[0].1), (524_288.0, 80.0), "3.2 waves take the time of 4");
    assert!(saw.notes[0].contains("3.20 waves of 640 blocks, the last 20.0 % full"), "{:?}", saw.notes);
}

#[test]
fn what_cannot_be_drawn_says_why_and_is_a_picture_all_the_same() {
    // A tile of 64 x 64 is 4,096 threads: it launches nowhere.
    for curve in Curve::ALL {
        let spec = chart("gemm_tiled", "n=1024;tile=64", PAIR, curve, ChartSides::Both);
        assert!(spec.notes[0].contains("cannot launch"), "{:?}", spec.notes);
        render_svg(&spec, Default::default(), suggested_size(&spec)).unwrap();
        let one = chart("saxpy", "n=1000", PAIR, curve, ChartSides::Target);
        assert_eq!((lines(&one).len(), chosen(&one).len()), (1, 1));
        render_svg(&one, Default::default(), suggested_size(&one)).unwrap();
    }
}

#[test]
fn every_kernel_at_every_size_has_curves_that_can_be_drawn() {
    for kernel in SHIPPED.kernels.entries() {
        for (_, size) in &kernel.sizes {
            for curve in Curve::ALL {
                let spec = chart(
                    &kernel.id,
                    &size.to_string(),
                    ("gtx-titan-x", "h100-sxm5"),
                    curve,
                    ChartSides::Both,
                );
                render_svg(&spec, Default::default(), suggested_size(&spec)).unwrap();
                let (Scale::Linear { min, max }, all) = (&spec.x.scale, lines(&spec)) else { panic!() };
                assert!(
                    all.iter().flat_map(|l| l.iter()).all(|(x, y)| {
                        (min - 1e-9..=max + 1e-9).contains(x) && (0.0..=100.0 + 1e-9).contains(y)
                    }),
                    "{} {curve:?}",
                    kernel.id
                );
            }
        }
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// The slider

#[test]
fn a_slid_size_has_the_blocks_asked_for_and_its_defaults_follow() {
    let s = &*SHIPPED;
    let kernel = |id: &str| &s.kernels[s.kernels.position(id).unwrap()];
    let saxpy = kernel("saxpy");
    let at = saxpy.typed("n=1000000").unwrap();
    let slider = saxpy.slider(&at, "").unwrap();
    assert_eq!((slider.key(), slider.block_count(slider.value())), ("n", 3907));
    // The largest size of the grid: no idle thread in the last block.
    assert_eq!(slider.step(true, 80).unwrap().to_string(), format!("n={}", 3987 * 256));
    assert_eq!(slider.step(false, 80).unwrap().to_string(), format!("n={}", 3827 * 256));
    assert_eq!(saxpy.slider(&saxpy.typed("n=1").unwrap(), "").unwrap().step(false, 80), None);
    assert_eq!(slider.holding(0), 0.0);

    // A square product stays square and moves by whole tiles; one of given rows keeps them.
    let tiled = kernel("matmul_tiled");
    let step = |size: &str| {
        let at = tiled.typed(size).unwrap();
        tiled.short_problem(&tiled.slider(&at, "").unwrap().step(true, 1).unwrap())
    };
    assert_eq!(step("n=1024"), "n=1056");
    assert_eq!(step("m=64,n=1024,k=512"), "m=64;n=1056;k=512");
    // A key that makes only the loop longer does not slide; the grid's does.
    let distance = kernel("squared_distance");
    let at = distance.typed("k=100000,b=40").unwrap();
    assert_eq!(distance.slider(&at, "").unwrap().key(), "b");
    let single = kernel("shared_bank_conflict");
    assert!(single.slider(&single.typed("fixed=1").unwrap(), "").is_none());
}

#[test]
fn every_slide_moves_the_grid_the_way_it_should() {
    for kernel in SHIPPED.kernels.entries() {
        for (_, size) in &kernel.sizes {
            let whole = kernel.completed_problem(size).unwrap();
            assert_eq!(
                kernel.block_count(&whole, kernel.example_variant()),
                kernel.instance(&whole, kernel.example_variant()).unwrap().launch.map(|l| l.block_count()),
                "{}: blocks in short and in full",
                kernel.id
            );
            let Some(slider) = kernel.slider(&whole, kernel.example_variant()) else { continue };
            let now = slider.block_count(slider.value());
            for by in [1, 7, 80, 5000] {
                let blocks = |up| {
                    slider.step(up, by).map(|p| kernel.block_count(&p, kernel.example_variant()).unwrap())
                };
                assert!(blocks(true).unwrap() >= now + by, "{} {size} + {by}", kernel.id);
                assert!(
                    blocks(false).is_none_or(|b| b < now && b + by <= now.max(by + 1)),
                    "{} {size} - {by}",
                    kernel.id
                );
            }
        }
    }
}

fn dashboard(keys: &str) -> DashboardState {
    let mut state = first_state(Session::load(None).unwrap(), &DashboardOptions::default()).unwrap();
    for key in keys.split_whitespace() {
        update(&mut state, Message::Key(key.into()));
    }
    state
}

#[test]
fn the_keys_walk_an_eighth_of_a_wave_and_the_prediction_follows() {
    let before = dashboard("/ s a x p y enter");
    let after = dashboard("/ s a x p y enter .");
    let blocks = |s: &DashboardState| s.answer().launch.source.unwrap().block_count();
    let wave_on =
        |(gpu, occupancy): (_, Option<_>)| waves(gpu, &occupancy.unwrap(), 1).unwrap().blocks_per_wave;
    let wave = before.pair().zip(before.answer().occupancy).map(wave_on).into_iter().min();
    assert_eq!(blocks(&after) - blocks(&before), wave.unwrap() / 8);
    let time = |s: &DashboardState| s.answer().prediction.as_ref().unwrap().time;
    assert!(time(&after) > time(&before));
    assert_eq!(blocks(&dashboard("/ s a x p y enter . ,")), blocks(&before));
    let none = dashboard("/ b a n k enter .");
    assert!(none.message.as_ref().unwrap().1.contains("no size that can slide"), "{:?}", none.message);
}

#[test]
fn left_and_right_choose_the_curve_only_where_curves_are_shown() {
    assert_eq!(dashboard("shift-tab right").curve, Curve::Block);
    assert_eq!(dashboard("shift-tab z right").curve, Curve::Registers);
    assert_eq!(dashboard("shift-tab z left").curve, Curve::Size);
    // A narrow screen shows the numbers alone, and exports the limits that they are.
    let mut narrow = dashboard("shift-tab z");
    for message in [Message::Resize(70, 24), Message::Key("right".into()), Message::Key("e".into())] {
        update(&mut narrow, message);
    }
    assert_eq!(narrow.curve, Curve::Block);
}
