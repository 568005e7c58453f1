//! The charts as SVG: the same bytes for the same input, well-formed, every text inside the picture and none over
//! another, absurd input refused or drawn, never a panic.

#![allow(
    clippy::unwrap_used,
    reason = "clippy.toml allows it in test functions; their builders stand outside"
)]

use roofswap::answer::Settings;
use roofswap::chart::*;
use roofswap::gpu::{Ceilings, Gpu, GpuId};
use roofswap::pair::Pair;
use roofswap::roofline::Level;
use roofswap::session::Session;

const LIGHT: SvgTheme = SvgTheme::Light;

/// A session with what every story needs.
struct World(Session);

impl World {
    fn new() -> Self {
        Self(Session::load(None).unwrap())
    }

    fn gpu(&self, id: &str) -> (GpuId, &Gpu) {
        let at = self.0.gpus.position(id).unwrap();
        (at, &self.0.gpus[at])
    }

    /// The three charts of a kernel at its default size, for a pair of GPUs.
    fn charts(
        &self,
        kernel: &str,
        [source, target]: [&str; 2],
        settings: Settings,
        show: ChartSides,
    ) -> [ChartSpec; 3] {
        let at = self.0.kernels.position(kernel).unwrap();
        let of = &self.0.kernels[at];
        let subject = self.0.subject(at, &self.0.default_size(at, None), "").unwrap();
        let ((source, a), (target, b)) = (self.gpu(source), self.gpu(target));
        let answer = self.0.answer(&subject, source, target, settings);
        let problem = of.short_problem(&subject.problem);
        let view = RooflineView {
            gpus: Pair::new(a, b),
            kernel: of,
            problem: problem.clone(),
            answer: &answer,
            further: Vec::new(),
            show,
            levels: Level::ALL.to_vec(),
            others: vec![(0.25, 2e11), (2.5, 1e12), (f64::NAN, 1.0)],
        };
        let rows = self.rows(source, target, settings);
        [
            roofline_chart(&view),
            occupancy_chart(&OccupancyView {
                gpus: Pair::new(a, b),
                kernel: of,
                problem: &problem,
                answer: &answer,
                further: &[],
                show,
            }),
            predictions_chart(&rows, Pair::new(a, b), "every kernel at its default size"),
        ]
    }

    fn rows(&self, source: GpuId, target: GpuId, settings: Settings) -> Vec<PredictionRow> {
        self.0
            .kernels
            .ids()
            .filter_map(|k| {
                let subject = self.0.subject(k, &self.0.default_size(k, None), "").ok()?;
                let of = &self.0.kernels[k];
                let label = format!("{} {}", of.id, of.short_problem(&subject.problem));
                Some(PredictionRow::new(label, &self.0.answer(&subject, source, target, settings)))
            })
            .collect()
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Reading a picture back
// ---------------------------------------------------------------------------------------------------------------------

/// A text of a picture and its box, at 0.6 em a character.
#[derive(Debug)]
struct Text {
    text: String,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Text {
    fn overlaps(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }
}

fn texts(svg: &[u8]) -> Vec<Text> {
    let svg = std::str::from_utf8(svg).unwrap();
    let document = roxmltree::Document::parse(svg).unwrap();
    let root = document.root_element();
    assert_eq!(root.tag_name().namespace(), Some("http://www.w3.org/2000/svg"));
    assert!(root.attribute("viewBox").is_some());
    let nodes = document.descendants().filter(|n| n.has_tag_name(("http://www.w3.org/2000/svg", "text")));
    nodes
        .map(|n| {
            let number = |name| n.attribute(name).unwrap().parse::<f64>().unwrap();
            let text = n.text().unwrap_or_default().trim().to_string();
            let (x, y, size) = (number("x"), number("y"), number("font-size"));
            assert_eq!((n.attribute("dy"), n.attribute("font-family")), (Some("0.76em"), Some("sans-serif")));
            let width = text.chars().count() as f64 * 0.6 * size;
            let left = match n.attribute("text-anchor").unwrap() {
                "start" => x,
                "middle" => x - width / 2.0,
                _ => x - width,
            };
            Text { text, left, right: left + width, top: y, bottom: y + size }
        })
        .collect()
}

#[track_caller]
fn assert_tidy(svg: &[u8], (width, height): (u32, u32), what: &str) -> Vec<Text> {
    let texts = texts(svg);
    let mut downward: Vec<&Text> = texts.iter().collect();
    downward.sort_by(|a, b| a.top.total_cmp(&b.top));
    for (i, a) in downward.iter().enumerate() {
        let inside =
            a.left >= 0.0 && a.top >= 0.0 && a.right <= f64::from(width) && a.bottom <= f64::from(height);
        assert!(inside, "{what}: leaves the picture: {a:?}");
        for b in downward[i + 1..].iter().take_while(|b| b.top <= a.bottom) {
            assert!(!a.overlaps(b), "{what}: {a:?} and {b:?} overlap");
        }
    }
    texts
}

fn all(texts: &[Text]) -> String {
    texts.iter().map(|t| t.text.as_str()).collect::<Vec<_>>().join(" ")
}

const MEASURED: [&str; 14] = [
    "conv2d_3x3",
    "conv2d_7x7",
    "dot_product",
    "histogram",
    "matmul_naive",
    "matmul_tiled",
    "naive_transpose",
    "random_access",
    "reduce_sum",
    "saxpy",
    "shared_transpose",
    "strided_copy_8",
    "vector_add",
    "vector_add_divergent",
];

const PAIRS: [[&str; 2]; 5] = [
    ["titan-v", "rtx-4070"],
    ["gtx-titan-x", "rtx-2080-ti"],
    ["rtx-4070", "h100-sxm5"],
    ["titan-v", "titan-v"],
    ["h100-sxm5", "rtx-5090"],
];

// ---------------------------------------------------------------------------------------------------------------------
// The stories
// ---------------------------------------------------------------------------------------------------------------------

#[test]
fn every_measured_kernel_on_every_pair_gives_three_tidy_charts() {
    let world = World::new();
    let achieved = Settings { ceilings: Ceilings::Achieved, ..Settings::default() };
    let mut drawn = 0; // each chart at one of the three sizes, in turn
    for kernel in MEASURED {
        for pair in PAIRS {
            for settings in [Settings::default(), achieved] {
                for (chart, kind) in world.charts(kernel, pair, settings, ChartSides::Both).iter().zip([
                    "roofline",
                    "occupancy",
                    "predictions",
                ]) {
                    let size = [suggested_size(chart), (1200, 800), (800, 600)][(drawn + drawn / 6) % 3];
                    drawn += 1;
                    let what = format!("{kind} of {kernel}, {pair:?}, {size:?}");
                    let svg = render_svg(chart, LIGHT, size).unwrap_or_else(|e| panic!("{what}: {e}"));
                    let said = all(&assert_tidy(&svg, size, &what));
                    for gpu in pair {
                        assert!(said.contains(world.gpu(gpu).1.short_name()), "{what} does not name {gpu}");
                    }
                }
            }
        }
    }
}

/// The roofline and the occupancy of a kernel on a source and these targets, with every memory level.
fn charts_of_targets(world: &World, kernel: &str, source: &str, targets: &[&str]) -> [ChartSpec; 2] {
    let at = world.0.kernels.position(kernel).unwrap();
    let of = &world.0.kernels[at];
    let subject = world.0.subject(at, &world.0.default_size(at, None), "").unwrap();
    let (source, a) = world.gpu(source);
    let answers: Vec<_> = targets
        .iter()
        .map(|name| {
            let (target, gpu) = world.gpu(name);
            (gpu, world.0.answer(&subject, source, target, Settings::default()))
        })
        .collect();
    let problem = of.short_problem(&subject.problem);
    let further: Vec<FurtherTarget<'_>> =
        answers[1..].iter().map(|(gpu, answer)| FurtherTarget { gpu, answer }).collect();
    let (gpus, answer, show) = (Pair::new(a, answers[0].0), &answers[0].1, ChartSides::Both);
    let occupancy = OccupancyView { gpus, kernel: of, problem: &problem, answer, further: &further, show };
    let occupancy = occupancy_chart(&occupancy);
    let (levels, others) = (Level::ALL.to_vec(), vec![(0.25, 2e11)]);
    let view =
        RooflineView { gpus, kernel: of, problem: problem.clone(), answer, further, show, levels, others };
    [bandwidth_chart(&view).unwrap_or_else(|| roofline_chart(&view)), occupancy]
}

#[test]
fn no_labels_overlap_with_any_number_of_targets() {
    const TARGETS: [&str; 6] =
        ["rtx-4070", "h100-sxm5", "rtx-5090", "a100-sxm4-80gb", "v100-pcie-16gb", "l4"];
    let world = World::new();
    for kernel in ["saxpy", "matmul_tiled", "naive_transpose", "histogram"] {
        for count in 1..=TARGETS.len() {
            let charts = charts_of_targets(&world, kernel, "titan-v", &TARGETS[..count]);
            for (chart, kind) in charts.iter().zip(["roofline", "occupancy"]) {
                for size in [suggested_size(chart), (1200, 800), (800, 600)] {
                    let what = format!("{kind} of {kernel}, {count} targets, {size:?}");
                    let svg = render_svg(chart, LIGHT, size).unwrap_or_else(|e| panic!("{what}: {e}"));
                    let said = all(&assert_tidy(&svg, size, &what));
                    for name in &TARGETS[..count.min(MOST_TARGETS)] {
                        assert!(said.contains(world.gpu(name).1.short_name()), "{what} does not name {name}");
                    }
                    let left_out = count.saturating_sub(MOST_TARGETS);
                    let names =
                        TARGETS[..count].iter().skip(MOST_TARGETS).map(|name| world.gpu(name).1.short_name());
                    let left_out_names = names.collect::<Vec<_>>().join(", ");
                    let shows = format!("as a chart shows {MOST_TARGETS} targets: {left_out_names}");
                    let is_said = left_out > 0 && said.contains(&shows);
                    // Notes go first where a picture is too small for everything.
                    assert!(is_said == (left_out > 0) || size == (800, 600), "{what}: {said}");
                }
            }
        }
    }
}

#[test]
fn component_times_are_tidy_on_every_pair_with_every_time_on_the_picture() {
    let world = World::new();
    for kernel in MEASURED.into_iter().chain(["atomic_hotspot", "squared_distance"]) {
        for pair in PAIRS {
            let at = world.0.kernels.position(kernel).unwrap();
            let subject = world.0.subject(at, &world.0.default_size(at, None), "").unwrap();
            let [(source, a), (target, b)] = pair.map(|g| world.gpu(g));
            let answer = world.0.answer(&subject, source, target, Settings::default());
            let e = answer.component_times().unwrap();
            let of = &world.0.kernels[at];
            let chart =
                component_chart(Pair::new(a, b), of, &of.short_problem(&subject.problem), &answer, &e);
            for size in [suggested_size(&chart), (1200, 800)] {
                let what = format!("components of {kernel}, {pair:?}, {size:?}");
                let svg = render_svg(&chart, LIGHT, size).unwrap_or_else(|e| panic!("{what}: {e}"));
                let said = all(&assert_tidy(&svg, size, &what));
                for mark in &chart.marks {
                    let Mark::Bar { label, .. } = mark else { panic!("{what}: {mark:?}") };
                    assert!(said.contains(&**label), "{what}: {label} is not there: {said}");
                }
                assert!(
                    said.matches('◀').count() >= 3,
                    "{what}: the subtitle and one bar of each GPU: {said}"
                );
            }
        }
    }
}

#[test]
fn the_suggested_size_has_room_for_every_note_and_label() {
    let world = World::new();
    for pair in PAIRS {
        for chart in world.charts("saxpy", pair, Settings::default(), ChartSides::Both) {
            let size = suggested_size(&chart);
            let said = all(&assert_tidy(&render_svg(&chart, LIGHT, size).unwrap(), size, &chart.title));
            assert!(!said.contains("do not fit") && !said.contains("at this size"), "{said}");
        }
    }
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let draw = || {
        let charts = World::new().charts("matmul_tiled", PAIRS[0], Settings::default(), ChartSides::Both);
        charts.map(|c| [SvgTheme::Light, SvgTheme::Dark].map(|t| render_svg(&c, t, (1200, 800)).unwrap()))
    };
    let (once, again) = (draw(), draw());
    assert_eq!(once, again);
    assert_ne!(once[0][0], once[0][1], "the themes differ");
}

#[test]
fn the_roofline_says_its_values_and_their_origin() {
    let [chart, _, _] = World::new().charts("saxpy", PAIRS[0], Settings::default(), ChartSides::Both);
    let said = all(&texts(&render_svg(&chart, LIGHT, suggested_size(&chart)).unwrap()));
    for value in [
        "TITAN V: 14.9 TFLOP/s, DRAM 653 GB/s (peak, published)",
        "RTX 4070: 29.1 TFLOP/s, DRAM 504 GB/s (peak, published)",
        "ridge 22.8",
        "ridge 57.7",
        "24.6 µs",
        "predicted 10.7 µs (",
        "measured 9.30 µs",
        "90 % interval",
        "performance, FLOP/s",
        "operational intensity (DRAM, or the level a point names), FLOP/B",
    ] {
        assert!(said.contains(value), "{value} is missing:\n{said}");
    }
}

#[test]
fn the_source_alone_says_nothing_of_the_target() {
    let world = World::new();
    let [roofline, occupancy, _] = world.charts("saxpy", PAIRS[0], Settings::default(), ChartSides::Source);
    for chart in [roofline, occupancy] {
        let said = all(&texts(&render_svg(&chart, LIGHT, suggested_size(&chart)).unwrap()));
        assert!(said.contains("TITAN V") && !said.contains("4070") && !said.contains("predicted"), "{said}");
    }
}

#[test]
fn points_stand_where_flops_over_time_puts_them() {
    let [chart, _, _] = World::new().charts("saxpy", PAIRS[0], Settings::default(), ChartSides::Both);
    let points: Vec<_> = chart
        .marks
        .iter()
        .filter_map(|m| match m {
            Mark::Point { meaning, shape, at, interval, .. } => Some((*meaning, *shape, *at, *interval)),
            _ => None,
        })
        .collect();
    let of = |meaning, shape| points.iter().find(|p| p.0 == meaning && p.1 == shape).unwrap();
    let source = of(Meaning::Source, Shape::Measured);
    // 2 FLOPs x 2^20 over 24.558 µs; 2 FLOPs per 12 bytes.
    assert!((source.2.1 / 85.4e9 - 1.0).abs() < 1e-3 && (source.2.0 - 1.0 / 6.0).abs() < 1e-9, "{source:?}");
    let predicted = of(Meaning::Target, Shape::Predicted);
    let (low, high) = predicted.3.unwrap();
    assert!(low < predicted.2.1 && predicted.2.1 < high);
    assert!((of(Meaning::Target, Shape::Measured).2.1 / 225.4e9 - 1.0).abs() < 1e-3);
    let arrow = Mark::Arrow { from: source.2, to: predicted.2 };
    assert!(chart.marks.contains(&arrow));
}

#[test]
fn a_kernel_without_flops_gets_its_roofs_and_a_note() {
    let [chart, _, _] =
        World::new().charts("naive_transpose", PAIRS[0], Settings::default(), ChartSides::Both);
    let note = "no FLOPs: this kernel has no place on a FLOP roofline; its bandwidth is 269 GB/s of 653 GB/s on TITAN V";
    assert!(chart.notes.iter().any(|n| n.starts_with(note)), "{:?}", chart.notes);
    let own = |m: &Mark| matches!(m, Mark::Point { shape, .. } if *shape != Shape::Other);
    assert!(!chart.marks.iter().any(own));
    assert!(chart.marks.iter().any(|m| matches!(m, Mark::Line { .. })));
}

/// A build like the study's: 206 registers x 1,024 threads are more than a block may have.
const HUNGRY: &str = r#"
id = "shared_bank_conflict"
name = "shared_bank_conflict"

[[compiled]]
source = "log"

[compiled.resources]
"7.0" = { registers = 206 }
"8.9" = { registers = 206 }

[sources.log]
kind = "published"
title = "a compiler log"
"#;

#[test]
fn a_kernel_that_cannot_launch_says_why_on_every_chart_however_small() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("kernels")).unwrap();
    std::fs::write(folder.path().join("kernels/hungry.toml"), HUNGRY).unwrap();
    let world = World(Session::load(Some(folder.path())).unwrap());
    let charts = world.charts("shared_bank_conflict", PAIRS[0], Settings::default(), ChartSides::Both);
    for chart in charts {
        let said = all(&texts(&render_svg(&chart, LIGHT, (800, 600)).unwrap()));
        assert!(said.contains("cannot launch: 206 registers"), "{said}");
    }
}

#[test]
fn limiters_carry_their_mark_and_the_unlimited_say_so() {
    let [_, chart, _] = World::new().charts("saxpy", PAIRS[0], Settings::default(), ChartSides::Both);
    let bars: Vec<_> = chart
        .marks
        .iter()
        .filter_map(|m| match m {
            Mark::Bar { meaning, value, label, .. } => Some((*meaning, *value, label.as_str())),
            _ => None,
        })
        .collect();
    assert!(bars.contains(&(Meaning::Limiter, 8.0, "TITAN V: 8 ◀")), "{bars:?}");
    assert!(bars.contains(&(Meaning::Source, 0.0, "TITAN V: no limit")), "{bars:?}");
    assert!(bars.iter().all(|(m, _, label)| (*m == Meaning::Limiter) == label.contains('◀')));
    assert!(
        chart.notes[0]
            .starts_with("TITAN V: occupancy 100 % (64 of 64 warps); occupancy limit: warps; 6.40 waves")
    );
}

// ---------------------------------------------------------------------------------------------------------------------
// Absurd input
// ---------------------------------------------------------------------------------------------------------------------

fn empty(x: Scale, y: Scale) -> ChartSpec {
    let axis = |scale| Axis { label: "quantity, FLOP/s".into(), scale };
    ChartSpec {
        title: String::new(),
        subtitle: String::new(),
        x: axis(x),
        y: axis(y),
        marks: vec![],
        notes: vec![],
    }
}

fn absurd_marks() -> Vec<Mark> {
    let values = [f64::NAN, f64::INFINITY, -1.0, 0.0, 1.0, 1e300, f64::MIN_POSITIVE];
    let long = "<&\"'>\u{0}\u{1b}[31m\u{FFFF}".repeat(1000);
    let mut marks = Vec::new();
    for (i, a) in values.into_iter().enumerate() {
        for b in values {
            let (meaning, name, at) = (Meaning::Target, long.clone(), (a, b));
            for shape in [Shape::Measured, Shape::Predicted, Shape::Estimated, Shape::Other] {
                let (interval, label) = (Some((b, a)), long.clone());
                marks.push(Mark::Point { name: format!("{i}{name}"), meaning, shape, at, interval, label });
            }
            for dash in [Dash::Solid, Dash::Dashed, Dash::Dotted, Dash::DashDot, Dash::LongDash] {
                marks.push(Mark::Line {
                    name: format!("{b}{name}"),
                    meaning,
                    dash,
                    points: vec![at, (b, a), (1.0, 1.0)],
                });
            }
            marks.push(Mark::Line { name: String::new(), meaning, dash: Dash::Dotted, points: vec![] });
            marks.push(Mark::Arrow { from: at, to: (b, a) });
            marks.push(Mark::Label { meaning, at, text: long.clone() });
            marks.push(Mark::Bar {
                name: name.clone(),
                meaning,
                slot: i * 1_000_000,
                value: a,
                label: long.clone(),
            });
            marks.push(Mark::Bar { name, meaning: Meaning::Limiter, slot: 0, value: b, label: long.clone() });
        }
    }
    marks
}

#[test]
fn absurd_charts_are_drawn_or_refused() {
    let names =
        |n: usize, long: usize| Scale::Category((0..n).map(|i| format!("{i}{}", "é".repeat(long))).collect());
    let scales = [
        Scale::Log { min: 1.0, max: 1.0 },
        Scale::Log { min: 0.0, max: 1.0 },
        Scale::Log { min: f64::NAN, max: 1.0 },
        Scale::Log { min: f64::MIN_POSITIVE, max: f64::MAX },
        Scale::Log { min: 1.0, max: 1.0 + 1e-12 },
        Scale::Log { min: 0.5, max: 200.0 },
        Scale::Linear { min: 0.0, max: f64::INFINITY },
        Scale::Linear { min: f64::MIN, max: f64::MAX },
        Scale::Linear { min: 1e300, max: 1e300 * (1.0 + 1e-15) },
        Scale::Linear { min: -1.0, max: 5e-324 },
        names(0, 0),
        names(60, 3),
        names(3, 10_000),
    ];
    let mut drawn = 0;
    for x in &scales {
        for y in &scales {
            for marks in [vec![], absurd_marks()] {
                let mut spec = empty(x.clone(), y.clone());
                spec.marks = marks;
                spec.title = "title ".repeat(2000);
                spec.subtitle = "s".repeat(10_000);
                spec.notes = vec!["]]> <!-- & ".repeat(1000), String::new()];
                for size in [(1200, 800), (300, 200), suggested_size(&spec)] {
                    if let Ok(svg) = render_svg(&spec, SvgTheme::Dark, size) {
                        assert_tidy(&svg, size, &format!("{size:?}, {x:?}"));
                        drawn += 1;
                    }
                }
            }
        }
    }
    assert!(drawn > 50, "{drawn}");
}

#[test]
fn names_that_begin_alike_are_told_apart_beside_the_axis() {
    let begin = "cutlass_tensorop_bf16_s16816gemm_relu_bf16_warpgroupsize1x1x1_execute";
    let names = ["128x128_64x3", "256x128_64x3"].map(|tile| format!("{begin}_{tile}_segment_k_off_kernel"));
    let spec = empty(Scale::Linear { min: 0.0, max: 1.0 }, Scale::Category(names.to_vec()));
    let svg = String::from_utf8(render_svg(&spec, LIGHT, (800, 600)).unwrap()).unwrap();
    assert!(svg.contains("128x128") && svg.contains("256x128"), "{svg}");
}

#[test]
fn absurd_sizes_are_refused_in_words() {
    let spec = empty(Scale::Linear { min: 0.0, max: 1.0 }, Scale::Linear { min: 0.0, max: 1.0 });
    for size in [(0, 0), (1, 1), (u32::MAX, 800), (100, 100)] {
        let error = render_svg(&spec, LIGHT, size).unwrap_err();
        assert!(error.to_string().contains("cannot be drawn"), "{error}");
    }
    assert_eq!(
        render_svg(&empty(spec.x.scale.clone(), Scale::Category(vec![])), LIGHT, (800, 600)),
        Err(SvgError::Axis { axis: 'y' })
    );
}

#[test]
fn no_rows_are_refused_and_sixty_or_ten_thousand_are_drawn() {
    let world = World::new();
    let (a, b) = (world.gpu("titan-v").1, world.gpu("rtx-4070").1);
    assert!(matches!(
        render_svg(&predictions_chart(&[], Pair::new(a, b), ""), LIGHT, (800, 600)),
        Err(SvgError::Axis { axis: 'y' })
    ));
    let one = world.rows(GpuId::default(), GpuId::from_index(1), Settings::default());
    let rows: Vec<_> = (0..60).map(|i| one[i % one.len()].clone()).collect();
    let chart = predictions_chart(&rows, Pair::new(a, b), "sixty rows");
    for size in [suggested_size(&chart), (800, 600)] {
        assert_tidy(&render_svg(&chart, LIGHT, size).unwrap(), size, "sixty rows");
    }
    let rows: Vec<_> = (0..10_000).map(|i| one[i % one.len()].clone()).collect();
    let chart = predictions_chart(&rows, Pair::new(a, b), "ten thousand rows");
    assert_tidy(
        &render_svg(&chart, LIGHT, suggested_size(&chart)).unwrap(),
        suggested_size(&chart),
        "10,000 rows",
    );
}

/// Writes pictures to look at: `cargo test --test engine chart_svg -- --ignored` and open target/charts.
#[test]
#[ignore = "writes files to look at"]
fn pictures_to_look_at() {
    let world = World::new();
    std::fs::create_dir_all("target/charts").unwrap();
    let both = ChartSides::Both;
    for (file, kernel, pair, show, theme) in [
        ("saxpy", "saxpy", ["titan-v", "rtx-4070"], both, LIGHT),
        ("tiled", "matmul_tiled", ["titan-v", "rtx-4070"], both, SvgTheme::Dark),
        ("transpose", "naive_transpose", ["gtx-titan-x", "rtx-2080-ti"], both, LIGHT),
        ("conv", "conv2d_7x7", ["titan-v", "h100-sxm5"], both, LIGHT),
        ("conflict", "shared_bank_conflict", ["titan-v", "rtx-4070"], both, LIGHT),
        ("alone", "conv2d_3x3", ["titan-v", "rtx-4070"], ChartSides::Source, LIGHT),
    ] {
        let charts = world.charts(kernel, pair, Settings::default(), show);
        for (chart, kind) in charts.iter().zip(["roofline", "occupancy", "predictions"]) {
            let bytes = render_svg(chart, theme, suggested_size(chart)).unwrap();
            std::fs::write(format!("target/charts/{file}-{kind}.svg"), bytes).unwrap();
            let small = render_svg(chart, theme, (800, 600)).unwrap();
            std::fs::write(format!("target/charts/{file}-{kind}-small.svg"), small).unwrap();
        }
    }
}
