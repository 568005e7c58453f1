//! GEMM as a workload: what must hold on every GPU, the stories of its commands, and paper 4's figures where its data are.

#![allow(clippy::unwrap_used, clippy::print_stdout)] // helpers of tests are tests

use crate::desk;
use crate::skipping::skip_aloud;

use desk::Desk;
use roofswap::gemm::learned::LearnedGemm;
use roofswap::gemm::tiles::{Tile, TileAnswer};
use roofswap::gemm::{Gemm, GemmRow, GemmTarget, answer_tiles};
use roofswap::gpu::{GpuId, Tuning};
use roofswap::import::read_any;
use roofswap::learn::Progress;
use roofswap::measurement::TimingKind;
use roofswap::papers::paper4::models::{Paper4Architecture, Scores};
use roofswap::papers::paper4::numpy::train_test_split;
use roofswap::papers::paper4::prepare::{Clipping, prepare};
use roofswap::papers::paper4::tables::{TABLE4, TABLE5, correlations};
use roofswap::session::Session;
use roofswap::units::Hertz;
use serde_json::Value;
use std::fmt::Write as _;
use std::path::Path;

fn asked(session: &Session, gpu: GpuId, size: [u64; 3]) -> Vec<TileAnswer> {
    let gemm = Gemm { size, ..Gemm::default() };
    answer_tiles(session, &gemm, gpu, &Tile::ALL, &LearnedGemm::default()).unwrap()
}

#[test]
fn every_gpu_has_power_within_its_limits_and_energy_that_is_power_times_time() {
    let session = Session::load(None).unwrap();
    for (at, gpu) in session.gpus.with_ids() {
        for size in [[512, 512, 512], [1, 1, 1], [8192, 64, 4096], [6000, 6000, 6000]] {
            for a in asked(&session, at, size) {
                let name = format!("{} {size:?} {}", gpu.id, a.tile);
                let (time, power, energy) = (a.time.as_ref().unwrap(), a.power.unwrap(), a.energy().unwrap());
                let modelled = a.modelled.unwrap();
                assert!(
                    modelled.idle <= power.low && power.high <= gpu.power_limit.value,
                    "{name}: {power:?}"
                );
                assert!(power.low <= power.value && power.value <= power.high, "{name}: {power:?}");
                assert!(time.low <= time.value && time.value <= time.high, "{name}: {time:?}");
                let product = power.value.0 * time.value.0;
                assert!((energy.value.0 / product - 1.0).abs() < 1e-12, "{name}: {energy:?}");
                assert!(energy.low <= energy.value && energy.value <= energy.high, "{name}: {energy:?}");
                let flops = 2.0 * size.iter().map(|v| *v as f64).product::<f64>();
                assert!((a.rate().unwrap().value.0 * time.value.0 / flops - 1.0).abs() < 1e-12, "{name}");
            }
        }
    }
}

/// Paper 4's twelve products of 8192 rows and columns or more on an RTX 4070: 16x16 was the fastest of its tiles in eleven of them.
#[test]
fn the_fastest_tile_of_large_products_is_the_one_that_paper_4_measured() {
    let session = Session::load(None).unwrap();
    let gpu = session.gpus.position("rtx-4070").unwrap();
    for m in [8192, 16384] {
        for n in [8192, 16384] {
            for k in [1024, 8192, 16384] {
                let all = asked(&session, gpu, [m, n, k]);
                let tiled = all.iter().filter(|a| a.tile != Tile::Library);
                let time = |a: &&TileAnswer| a.time.as_ref().unwrap().value.0;
                let fastest = tiled.min_by(|a, b| time(a).total_cmp(&time(b))).unwrap();
                assert_eq!(fastest.tile, Tile::Side(16), "{m} x {n} x {k}");
            }
        }
    }
}

#[test]
fn more_clock_never_takes_longer_and_never_draws_less() {
    let mut session = Session::load(None).unwrap();
    for id in ["rtx-4070", "gtx-980", "a100-pcie-40gb", "h100-sxm5", "t4"] {
        let gpu = session.gpus.position(id).unwrap();
        let stated = session.stock(gpu).boost_clock.value.0;
        let mut last: Option<Vec<TileAnswer>> = None;
        for step in 4..=12 {
            let tuning =
                Tuning { sm_clock: Some(Hertz(stated * f64::from(step) / 10.0)), ..Tuning::default() };
            session.tune(gpu, tuning).unwrap();
            let now = asked(&session, gpu, [4096; 3]);
            for (before, now) in last.iter().flatten().zip(&now) {
                let name = format!("{id} {} at {step}/10", now.tile);
                let [a, b] = [before, now].map(|t| (t.time.as_ref().unwrap().value, t.power.unwrap().value));
                assert!(b.0.0 <= a.0.0 * (1.0 + 1e-9), "{name}: {a:?} {b:?}");
                assert!(b.1.0 >= a.1.0 * (1.0 - 1e-9), "{name}: {a:?} {b:?}");
            }
            last = Some(now);
        }
    }
}

/// Rows of the library's kernel on an RTX 4070: `sides` of cubes, time and power by formula.
fn rows(sides: impl Iterator<Item = u64>) -> String {
    let mut text = "gpu,kernel,problem,variant,time_ms,power_w,gpu_util_pct,source\n".to_string();
    for side in sides {
        for (i, layout) in ["nn", "tn"].into_iter().enumerate() {
            let ms = 2.0 * (side as f64).powi(3) / 18e12 * 1e3 * (1.0 + 0.01 * i as f64);
            let watts = 120.0 + side as f64 / 100.0;
            writeln!(
                text,
                "rtx-4070,cutlass_simt_sgemm_128x128_8x2,m={side};n={side};k={side},layout={layout};alpha=1;beta=0,{ms},{watts},100,run{side}{layout};nominal_block=64x64x32"
            )
            .unwrap();
        }
    }
    text
}

fn library(records: &[Value]) -> &Value {
    records.iter().find(|r| r["tile"] == "128x128").unwrap()
}

#[test]
fn a_product_is_answered_tile_by_tile_and_one_is_to_be_taken() {
    let desk = Desk::new();
    let all = desk.types("gemm --gpu rtx-4070 --n 4096 --format json").works().json();
    assert_eq!(all.len(), 7);
    assert_eq!(library(&all)["take"], "fastest, least energy");
    for r in &all {
        let number = |key: &str| r[key].as_f64().unwrap();
        assert!((number("energy_j") / (number("power_w") * number("time_ms") / 1e3) - 1.0).abs() < 1e-9);
        assert_eq!((&r["time_from"], &r["power_from"]), (&"modelled".into(), &"modelled".into()));
    }
    assert!(all[0]["cautions"].to_string().contains("smaller than a warp"), "tile 1: {}", all[0]);
    let text = desk.types("gemm --gpu rtx-4070 --n 4096 --tile 16,128").works().stdout;
    let other = "roofswap rank --kernel linear_bf16 --size 'm=4096;n=4096;k=4096' --to rtx-4070";
    assert!(text.contains(&format!("FP32, no tensor cores; other types: {other}")), "{text}");
    let refused = desk.types("gemm --gpu rtx-4070 --n 4096 --dtype bf16");
    refused.ends(2, &["--dtype bf16: gemm is FP32, no tensor cores", other]);
    desk.types("gemm --gpu rtx-4070 --n 4096 --dtype fp8").ends(2, &["--kernel linear_fp8 "]);
    desk.types("gemm --gpu rtx-4070 --n 4096 --dtype int8").ends(2, &["of bf16, fp16, fp8, fp4: "]);
    assert_eq!(
        desk.types("gemm --gpu rtx-4070 --n 4096 --dtype fp32").works().stdout,
        desk.types("gemm --gpu rtx-4070 --n 4096").stdout
    );
    for words in [
        "GEMM 4096 x 4096 x 4096, FP32, no tensor cores, nn",
        "16x16",
        "128x128",
        "fastest: 128x128",
        "idle",
        "assumed",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let slow = desk.types("gemm --gpu rtx-4070 --n 4096 --sm-clock 1200MHz --format json").works().json();
    let (fast, slow) = (library(&all), library(&slow));
    assert!(slow["time_ms"].as_f64() > fast["time_ms"].as_f64());
    assert!(slow["power_w"].as_f64() < fast["power_w"].as_f64());
    assert!(all.iter().all(|row| row["dtype"] == "fp32"), "{all:?}");
    let svg = desk.types("gemm --gpu rtx-4070 --n 4096 --svg -").works().stdout;
    assert!(svg.contains("FP32, no tensor cores"), "{svg}");
    assert!(svg.contains("<svg") && svg.contains("128x128, fastest, least energy"), "{svg}");
}

#[test]
fn measured_rows_correct_what_lies_among_them_and_nothing_else() {
    let desk = Desk::new();
    let file = desk.file("runs.csv", rows([512, 1024, 1536, 2048, 3072, 4096].into_iter()));
    let ask = |words: &str| {
        let words = format!("gemm --gpu rtx-4070 {words} --format json --data");
        desk.types_with(&words, &[&file]).works().json()
    };
    let same = ask("--n 2048");
    assert_eq!(
        (&library(&same)["time_from"], &library(&same)["power_from"]),
        (&"measured".into(), &"learned".into())
    );
    let expected = 2.0 * 2048_f64.powi(3) / 18e12 * 1e3;
    assert!((library(&same)["time_ms"].as_f64().unwrap() / expected - 1.0).abs() < 0.011, "{same:?}");
    let between = ask("--n 2500");
    assert_eq!(library(&between)["time_from"], "learned");
    let tflops = library(&between)["tflops"].as_f64().unwrap();
    assert!((10.0..26.0).contains(&tflops), "{tflops}");
    assert_eq!(between[0]["time_from"], "modelled", "the rows are of another kernel than tile 1");
    let outside = ask("--n 20000");
    assert_eq!(library(&outside)["time_from"], "modelled");
    assert!(library(&outside)["cautions"].to_string().contains("outside the rows of --data (m 512–4096"));
    let few = desk.file("few.csv", rows([512, 1024].into_iter()));
    let words = "gemm --gpu rtx-4070 --n 700 --data";
    let text = desk.types_with(words, &[&few]).works().stdout;
    assert!(text.contains("2 sizes with a power reading") && text.contains("modelled"), "{text}");
}

#[test]
fn what_cannot_be_asked_is_refused_with_what_to_type() {
    let desk = Desk::new();
    for (words, said) in [
        ("gemm --gpu rtx-4070 --n 4096 --tile 7", "--tile 7: expected 1, 2, 4, 8, 16, 32 or 128"),
        ("gemm --gpu rtx-9999 --n 4096", "rtx-9999"),
        ("gemm --gpu rtx-4070 --n 0", "0"),
        ("gemm --gpu rtx-4070 --n 512 --alpha nan", "--alpha NaN: expected a finite number"),
        ("gemm --gpu rtx-4070 --n 512 --sm-clock 9GHz", "SM clock 9000 MHz"),
        ("gemm --gpu rtx-4070", "--n"),
    ] {
        desk.types(words).ends(2, &[said]);
    }
    let large = desk.types("gemm --gpu rtx-4070 --n 1000000 --tile 128");
    let large = large.ends(1, &["nothing could be predicted: rtx-4070: does not fit"]).stdout;
    assert!(large.contains("does not fit") && !large.contains("fastest:"), "{large}");
    let file = desk.file("other.csv", "gpu,kernel,problem,time_ms\nrtx-4070,saxpy,n=1048576,0.02\n");
    desk.types_with("reproduce paper4 --data", &[&file]).ends(1, &["m, n and k"]);
    desk.types_with("reproduce power --data", &[&file]).ends(1, &["power on 0 GPUs", "power_w"]);
    for (words, said) in [
        ("reproduce power --svg x.svg --data", "--svg belongs to the papers"),
        ("reproduce paper4 --part learned --data", "--part belongs to `reproduce paper1`"),
    ] {
        desk.types_with(words, &[&file]).ends(2, &[said]);
    }
    let idle = desk.file("idle.csv", "gpu,kernel,problem,time_ms\nrtx-4070,g,m=8;n=8;k=8,0.02\n");
    desk.types_with("reproduce paper4 --data", &[&idle]).ends(1, &["power_w"]);
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared, other people's measurements")]
fn paper_4s_figures_come_out() {
    let path = Path::new(env!("ROOFSWAP_CHECKOUT"))
        .join("../shared/data/gpperf/cutlass_sgemm_rtx4070.canonical.csv");
    if !path.exists() {
        skip_aloud("../shared/data is not here");
        return;
    }
    let mut session = Session::load(None).unwrap();
    let read = session.edit(|w| read_any(&path, TimingKind::Measured, &w.gpus, &mut w.kernels)).unwrap().read;
    let rows: Vec<GemmRow> = read.rows.iter().filter_map(GemmRow::from_measurement).collect();
    assert_eq!((rows.len(), rows.iter().filter(|r| r.is_audited()).count()), (16_128, 1_155));
    let p = prepare(&rows, Clipping::AllRows).unwrap();
    assert_eq!(p.len(), 2_595);
    let (train, test) = train_test_split(p.len(), 0.2, 42);
    let matrix = correlations(&p, &test);
    for (row, published) in TABLE5.iter().enumerate() {
        for (column, value) in published.iter().enumerate() {
            let ours = matrix[3 + row][7 + column].unwrap();
            assert!((ours - value).abs() < 0.01, "Table V, {row} {column}: {ours} {value}");
        }
    }
    for (target, published) in GemmTarget::ALL.into_iter().zip(TABLE4) {
        let pick = |places: &[usize]| places.iter().map(|i| p.target(target)[*i]).collect::<Vec<f64>>();
        let model = Paper4Architecture::Forest
            .recipe(42)
            .fit_model(&p.features.select(&train), &pick(&train), &Progress::default())
            .unwrap();
        let ours = Scores::from_predictions(&pick(&test), &model.predict(&p.features.select(&test)).unwrap())
            .unwrap();
        // Another generator draws the trees: what ten of scikit-learn's own seeds spread over on this split.
        assert!((ours.r2 - published.r2).abs() < 0.004, "{target:?}: {ours:?}");
        assert!((ours.mae / published.mae - 1.0).abs() < 0.02, "{target:?}: {ours:?}");
        assert!((ours.median_percent / published.median_percent - 1.0).abs() < 0.08, "{target:?}: {ours:?}");
        assert!((ours.mean_percent / published.mean_percent - 1.0).abs() < 0.02, "{target:?}: {ours:?}");
    }
}

/// Repeats of a few products, half of the readings taken while the GPU idled.
fn repeats() -> String {
    let mut text = "gpu,kernel,problem,variant,time_ms,power_w,gpu_util_pct,source\n".to_string();
    for (i, side) in [512, 768, 1024].into_iter().enumerate() {
        for repeat in 0..12 {
            let ms = 2.0 * f64::from(side).powi(3) / 18e12 * 1e3 * (1.0 + 0.01 * f64::from(repeat));
            let busy = repeat % 2 == 0;
            let (watts, percent) =
                if busy { (110.0 + f64::from(repeat) + 9.0 * i as f64, 98) } else { (30.0, 3) };
            let layout = ["nn", "tt"][repeat as usize / 2 % 2];
            writeln!(
                text,
                "rtx-4070,cutlass_simt_sgemm_128x128_8x2,m={side};n={};k=512,layout={layout};alpha=1;beta=0,{ms},{watts},{percent},r{repeat};nominal_block=64x64x32",
                side + 128 * i as i32
            )
            .unwrap();
        }
    }
    text
}

#[test]
fn paper_4_is_told_in_every_form_and_the_same_whatever_the_threads() {
    let desk = Desk::new();
    let file = desk.file("runs.csv", repeats());
    let json = |threads: &str| {
        let words = "reproduce paper4 --svg corr.svg --format json --data";
        let done = desk.command(words, &[&file]).env("RAYON_NUM_THREADS", threads).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        (String::from_utf8(done.stdout).unwrap(), desk.read("corr.svg"))
    };
    let (one, two) = (json("1"), json("2"));
    assert_eq!(one, two);
    let records: Vec<Value> = serde_json::from_str(&one.0).unwrap();
    let of = |table: &str| records.iter().filter(|r| r["table"] == table).collect::<Vec<_>>();
    assert_eq!((of("IV").len(), of("V").len(), of("VI").len()), (20, 16, 16));
    assert_eq!((&of("IV")[0]["published"], &of("V")[0]["published"]), (&0.9808.into(), &0.85.into()));
    let audited = of("audited rows");
    for model in ["components + power model", "plain-roofline", "median of the same problem's rows"] {
        assert!(audited.iter().any(|r| r["model"] == model), "{model}");
    }
    assert!(audited.iter().all(|r| r["rows"].as_f64().unwrap() <= 18.0), "only rows that were busy");
    assert!(one.1.contains("M×N×K") && one.1.contains(">\n1.00\n<"), "the correlation matrix");
}
