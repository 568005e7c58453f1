//! `projection` against paper 2: its equations worked by hand on its own GPUs, what it says of its figures in words, and what
//! has to hold whatever is counted.
//!
//! The paper prints its GPUs (Table 1) and its mean errors; times and counters of LULESH, miniMDock and Quicksilver are in
//! figures only, so those errors (20.3, 10.2, 5.9 %) cannot be computed again from it.

#![allow(clippy::unwrap_used, clippy::print_stderr)] // helpers of tests are tests; a skipped check says so

use crate::desk;
use crate::dice;
use crate::skipping::skip_aloud;
use roofswap::pair::Pair;

use desk::Desk;
use dice::Dice;
use roofswap::answer::{Answer, Settings};
use roofswap::gpu::Ceilings;
use roofswap::measurement::{TimingKind, read_csv};
use roofswap::predict::{Caution, LevelTimes, ModelRefusal, model_position};
use roofswap::roofline::Level;
use roofswap::session::Session;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

const V100: &str = "v100-pcie-32gb";
const A100_40: &str = "a100-pcie-40gb";
const A100_80: &str = "a100-pcie-80gb";
const H100: &str = "h100-pcie";

/// The paper's rates as files that are laid over our GPUs.
fn overlays() -> PathBuf {
    Path::new(env!("ROOFSWAP_CHECKOUT")).join("assets/ceilings/euro-par-2024")
}

/// The shipped world with the paper's rates.
static PAPER: LazyLock<Session> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("gpus")).unwrap();
    for entry in std::fs::read_dir(overlays()).unwrap().flatten() {
        std::fs::copy(entry.path(), folder.path().join("gpus").join(entry.file_name())).unwrap();
    }
    let session = Session::load(Some(folder.path())).unwrap();
    assert!(session.problems.is_empty(), "{:?}", session.problems);
    session
});

/// Counts of one launch on the source.
#[derive(Debug, Clone, Copy)]
struct Counts {
    dram: f64,
    l2: f64,
    l1: f64,
    wavefronts: f64,
    threads: f64,
    fma: f64,
    add: f64,
    mul: f64,
}

impl Counts {
    fn flops(&self) -> f64 {
        2.0 * self.fma + self.add + self.mul
    }

    /// A canonical CSV with one row.
    fn csv(&self, gpu: &str, dtype: &str, millis: f64) -> String {
        let p = dtype;
        format!(
            "gpu,kernel,problem,dtype,flops,dram_bytes,l2_bytes,l1_bytes,smem_wavefronts,active_threads_per_inst,\
             {p}_fma,{p}_add,{p}_mul,time_ms\n\
             {gpu},profiled,n=1,{dtype},{},{},{},{},{},{},{},{},{},{millis:e}\n",
            self.flops(),
            self.dram,
            self.l2,
            self.l1,
            self.wavefronts,
            self.threads,
            self.fma,
            self.add,
            self.mul,
        )
    }
}

/// No reuse anywhere: what the L1 asks for comes from DRAM.
const STREAM: Counts =
    Counts { dram: 8e9, l2: 8e9, l1: 8e9, wavefronts: 0.0, threads: 32.0, fma: 1e9, add: 0.0, mul: 0.0 };

fn loaded(session: &Session, csv: &str) -> Session {
    let mut s = session.clone();
    let read =
        s.edit(|w| read_csv(csv.as_bytes(), "p.csv", TimingKind::Measured, &w.gpus, &mut w.kernels)).unwrap();
    assert!(read.refused.is_empty(), "{:?}", read.refused);
    s.edit(|w| w.store.add_rows(read.rows));
    s
}

fn ask(session: &Session, from: &str, to: &str, ceilings: Ceilings) -> Answer {
    let kernel = session.kernels.position("profiled").unwrap();
    let subject = session.subject(kernel, &"n=1".parse().unwrap(), "").unwrap();
    let settings = Settings { model: model_position("projection").unwrap(), ceilings, ..Settings::default() };
    let at = |gpu| session.gpus.position(gpu).unwrap();
    session.answer(&subject, at(from), at(to), settings)
}

/// FP64 work timed on the paper's V100, asked with the paper's rates.
fn projected(counts: Counts, millis: f64, to: &str) -> (Answer, LevelTimes) {
    let answer = ask(&loaded(&PAPER, &counts.csv(V100, "fp64", millis)), V100, to, Ceilings::Achieved);
    let levels = answer.prediction.as_ref().unwrap().levels.clone().unwrap();
    assert_eq!((answer.ceilings_used, levels.ceilings), (Ceilings::Achieved, Ceilings::Achieved));
    (answer, levels)
}

fn at(levels: &LevelTimes, level: Level) -> f64 {
    levels.at.iter().find(|(l, _)| *l == level).unwrap().1.0
}

fn near(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 1e-9, "{found} instead of {expected}");
}

// ---------------------------------------------------------------------------------------------------------------------
// The paper
// ---------------------------------------------------------------------------------------------------------------------

#[test]
fn table_1_is_what_the_overlays_hold() {
    for (id, fp64, dram, l2, l1) in [
        (V100, 6890.0, 846.0, 2460.0, 13963.0),
        (A100_40, 9476.0, 1375.0, 4710.0, 19492.0),
        (A100_80, 9476.0, 1678.0, 4710.0, 19492.0),
        (H100, 24979.0, 1907.0, 7758.0, 25330.0),
    ] {
        let gpu = PAPER.gpus.entry_named(id).unwrap();
        near(gpu.fp64_achieved.as_ref().unwrap().value.0, fp64 * 1e9);
        near(gpu.bandwidth(Ceilings::Achieved).value.0, dram * 1e9);
        near(gpu.l2_bandwidth_or_derived().value.0, l2 * 1e9);
        let reached = gpu.l1_bandwidth(Ceilings::Achieved).unwrap();
        near(reached.value.0, l1 * 1e9);
        assert_eq!((reached.origin.as_str(), &*reached.source), ("published", "paper2"));
    }
}

#[test]
fn the_equations_worked_by_hand_on_the_papers_v100_and_h100() {
    // 20 GB through L1, 14 through L2, 8 from DRAM; 1e7 wavefronts of shared memory; 4e9 FMA, 2e9 ADD, 2e9 MUL; 24 threads.
    let counts = Counts {
        dram: 8e9,
        l2: 14e9,
        l1: 20e9,
        wavefronts: 1e7,
        threads: 24.0,
        fma: 4e9,
        add: 2e9,
        mul: 2e9,
    };
    let (answer, levels) = projected(counts, 20.0, H100);
    // Shared memory at the boost clock: 128 B x SMs x clock.
    let shared = |id: &str| PAPER.gpus.entry_named(id).unwrap().shared_bandwidth().unwrap().value.0;
    let roof = |fp64: f64, dram: f64, l2: f64, l1: f64, shared: f64| {
        // Equations 2 and 3: half of the instructions are FMA, the rest run at half the rate; 24 of 32 threads.
        let ceiling = 24.0 / 32.0 * (0.5 * fp64 + 0.5 * fp64 / 2.0) * 1e9;
        let compute = 12e9 / ceiling;
        // Equations 4 to 8, as times: 8 GB from DRAM, 6 served by L2, 6 by L1, 1e7 x 128 B by shared memory.
        let t_dram = 8.0 / dram;
        let t_l2 = t_dram + 6.0 / l2;
        let t_l1 = t_l2 + 6.0 / l1 + 1e7 * 128.0 / shared;
        [t_dram, t_l2, t_l1].map(|t| t.max(compute))
    };
    let source = roof(6890.0, 846.0, 2460.0, 13963.0, shared(V100));
    let target = roof(24979.0, 1907.0, 7758.0, 25330.0, shared(H100));
    let mut expected = Vec::new();
    for (i, level) in [Level::Dram, Level::L2, Level::L1].into_iter().enumerate() {
        // Equation 9.
        let time = 0.020 * target[i] / source[i];
        near(at(&levels, level), time);
        expected.push(time);
    }
    let (low, high) =
        (expected.iter().copied().fold(1.0, f64::min), expected.iter().copied().fold(0.0, f64::max));
    near(levels.low.0, low);
    near(levels.high.0, high);
    near(answer.prediction.unwrap().time.0, (low + high) / 2.0);
    // Figure 2's ceilings: 3.876 TFLOP/s on the V100.
    let roofs = answer.kernel_roofs.unwrap();
    near(roofs.roofs.source.compute.unwrap().0, 0.75 * 0.75 * 6890e9);
}

#[test]
fn a_kernel_without_reuse_is_narrow_and_follows_dram_alone() {
    // Section 5.2: in Hydro1D "there is no reuse of data", "the prediction intervals are narrow".
    for (to, dram) in [(A100_40, 1375.0), (A100_80, 1678.0), (H100, 1907.0)] {
        let (answer, levels) = projected(STREAM, 10.0, to);
        near(levels.low.0, levels.high.0);
        near(answer.prediction.unwrap().time.0, 0.010 * 846.0 / dram);
    }
}

#[test]
fn far_right_of_dram_both_a100s_are_projected_alike() {
    // Section 5.6: above 1000 FLOP/B "the DRAM bandwidth … has virtually no influence … hence the same performance projected".
    let counts = Counts { dram: 1e6, l2: 4e6, l1: 2e9, fma: 1e9, add: 1e9, ..STREAM };
    let [small, large] = [A100_40, A100_80].map(|to| projected(counts, 5.0, to).1);
    near(at(&small, Level::Dram), at(&large, Level::Dram));
    near(at(&small, Level::Dram), 0.005 * 6890.0 / 9476.0);
    assert!((small.middle().0 / large.middle().0 - 1.0).abs() < 0.01);
}

#[test]
fn few_active_threads_cancel_where_arithmetic_binds_on_both() {
    // Quicksilver: "about 6 over 32".
    let counts = Counts { threads: 6.0, dram: 1e6, l2: 1e6, l1: 1e6, ..STREAM };
    let (_, levels) = projected(counts, 3.0, H100);
    near(levels.high.0, 0.003 * 6890.0 / 24979.0);
}

// ---------------------------------------------------------------------------------------------------------------------
// What has to hold whatever is counted
// ---------------------------------------------------------------------------------------------------------------------

fn thrown(dice: &mut Dice) -> (Counts, f64) {
    let mut up_to = |decades: usize| 10f64.powf(dice.below(decades * 1000) as f64 / 1000.0);
    let dram = up_to(11);
    let l2 = dram * up_to(2) / 3.0;
    let counts = Counts {
        dram,
        l2,
        l1: l2 * up_to(2) / 3.0,
        wavefronts: up_to(9) - 1.0,
        threads: 1.0 + up_to(1) * 3.0,
        fma: up_to(12),
        add: up_to(12) - 1.0,
        mul: up_to(12) - 1.0,
    };
    (counts, up_to(6) * 1e-3)
}

#[test]
fn projection_to_the_same_gpu_returns_the_time_and_the_interval_holds_its_middle() {
    let mut dice = Dice::named("projection");
    let mut wide = 0;
    for round in 0..60 {
        let (counts, millis) = thrown(&mut dice);
        let dtype = ["fp32", "fp64"][round % 2];
        let session = loaded(&PAPER, &counts.csv(A100_80, dtype, millis));
        let same = ask(&session, A100_80, A100_80, Ceilings::Peak).prediction.unwrap();
        near(same.time.0, millis / 1e3);
        let answer = ask(&session, A100_80, H100, Ceilings::Peak);
        let p = answer.prediction.as_ref().unwrap();
        let levels = p.levels.as_ref().unwrap();
        assert!(levels.low <= p.time && p.time <= levels.high, "{levels:?}");
        assert!(levels.at.iter().all(|(_, t)| levels.low <= *t && *t <= levels.high));
        wide += usize::from(levels.high.0 > 1.01 * levels.low.0);
        // Never above its roof at any level, unless the source was.
        let Pair { source, target } = &answer.kernel_roofs.as_ref().unwrap().roofs;
        for (level, time) in &levels.at {
            let share = source.level(*level).time.0 / (millis / 1e3);
            near(target.level(*level).time.0 / time.0, share);
        }
    }
    assert!(wide > 10, "only {wide} of 60 had levels that differ");
}

#[test]
fn what_is_missing_is_named_with_what_to_do() {
    let csv =
        format!("gpu,kernel,problem,dtype,flops,dram_bytes,time_ms\n{V100},profiled,n=1,fp64,1e9,1e9,1\n");
    let answer = ask(&loaded(&PAPER, &csv), V100, H100, Ceilings::Peak);
    let refusal = answer.prediction.unwrap_err();
    let ModelRefusal::NoCounts { missing, .. } = &refusal else { panic!("{refusal}") };
    let expected =
        "l2_bytes, l1_bytes, smem_wavefronts, active_threads_per_inst, fp64_fma, fp64_add, fp64_mul";
    assert_eq!(missing, expected);
    let text = refusal.to_string();
    assert!(
        text.contains("not counted: profile it with `ncu --set full`") && text.contains("import"),
        "{text}"
    );
    assert!(answer.kernel_roofs.is_none());
    let half = STREAM.csv(V100, "fp32", 1.0).replace(",fp32,", ",fp16,").replace("1000000000,0,0,", "0,0,0,");
    let refusal = ask(&loaded(&PAPER, &half), V100, H100, Ceilings::Peak).prediction.unwrap_err();
    assert!(refusal.to_string().contains("this kernel's type is fp16"), "{refusal}");
    // GTX TITAN X: nobody knows the bandwidth of its L1.
    let refusal = ask(&loaded(&PAPER, &STREAM.csv(V100, "fp32", 1.0)), V100, "gtx-titan-x", Ceilings::Peak);
    let text = refusal.prediction.unwrap_err().to_string();
    assert!(text.contains("gtx-titan-x has no L1 bandwidth: set cache.l1_gb_per_s in a GPU file"), "{text}");
}

#[test]
fn a_kernel_without_flops_follows_its_bandwidths_and_says_so() {
    let counts = Counts { fma: 0.0, ..STREAM };
    let csv = counts.csv(V100, "fp64", 10.0);
    let answer = ask(&loaded(&PAPER, &csv), V100, A100_80, Ceilings::Achieved);
    let p = answer.prediction.unwrap();
    near(p.time.0, 0.010 * 846.0 / 1678.0);
    assert!(p.cautions.contains(&Caution::NoComputeCeiling));
}

#[test]
fn achieved_ceilings_are_asked_by_the_width_of_the_kernel() {
    // FP64 rates were reached on all four, FP32 ones on none of them: peak stands in, and that is said.
    let csv = STREAM.csv(V100, "fp32", 10.0);
    let answer = ask(&loaded(&PAPER, &csv), V100, H100, Ceilings::Achieved);
    assert_eq!(answer.ceilings_used, Ceilings::Peak);
    let cautions = answer.prediction.unwrap().cautions;
    assert!(cautions.iter().any(|c| matches!(c, Caution::CeilingsFellBack { .. })), "{cautions:?}");
}

// ---------------------------------------------------------------------------------------------------------------------
// Real reports
// ---------------------------------------------------------------------------------------------------------------------

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared, other people's measurements")]
fn a_profiled_kernel_is_imported_and_projected() {
    let folder = Path::new(env!("ROOFSWAP_CHECKOUT")).join("../shared/samples/profiler/ncu");
    if !folder.is_dir() {
        skip_aloud("no ../shared/samples/profiler/ncu here");
        return;
    }
    for (file, kernel, dtype) in
        [("ncu24.sobelFloat.ncu-rep", "Sobel", "FP32"), ("ncu24.addConstDouble.ncu-rep", "addConst", "FP64")]
    {
        let mut s = Session::load(None).unwrap();
        let loaded = s.add_data(&folder.join(file)).unwrap();
        assert!(loaded.rows > 0, "{file}: {loaded:?}");
        let last = s.kernels.ids().next_back().unwrap();
        let subject = s.subject(last, &s.default_size(last, None), "").unwrap();
        let settings = Settings { model: model_position("projection").unwrap(), ..Settings::default() };
        let at = |gpu| s.gpus.position(gpu).unwrap();
        let a = s.answer(&subject, at("rtx-a4500"), at("h100-pcie"), settings);
        let p = a.prediction.unwrap_or_else(|e| panic!("{file} {kernel}: {e}"));
        let levels = p.levels.unwrap();
        assert_eq!(levels.at.len(), 3, "{file}");
        assert!(levels.low <= p.time && p.time <= levels.high, "{file}: {levels:?}");
        assert_eq!(a.kernel_roofs.unwrap().precision.as_str(), dtype, "{file}");
        let source = a.source_time.unwrap().time;
        assert!(p.time < source, "{file}: an H100 is no slower than an RTX A4500: {source} -> {}", p.time);
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// The command line
// ---------------------------------------------------------------------------------------------------------------------

/// A desk with the paper's rates and one profiled kernel.
fn paper_desk(counts: Counts) -> Desk {
    let desk = Desk::new();
    std::fs::create_dir_all(desk.path("config/gpus")).unwrap();
    for entry in std::fs::read_dir(overlays()).unwrap().flatten() {
        std::fs::copy(entry.path(), desk.path("config/gpus").join(entry.file_name())).unwrap();
    }
    desk.file("p.csv", counts.csv(V100, "fp64", 10.0));
    desk
}

const PREDICT: &str =
    "predict --from v100-pcie-32gb --kernel profiled --model projection --ceilings achieved --data p.csv";

const REUSE: Counts = Counts { l2: 14e9, l1: 30e9, ..STREAM };

#[test]
fn the_levels_are_shown_apart_from_the_interval_of_coverage() {
    let desk = paper_desk(REUSE);
    let rows = desk.types(&format!("{PREDICT} --to h100-pcie --format json")).works().json();
    let number = |key: &str| rows[0][key].as_f64().unwrap();
    let (low, high) = (number("levels_low_ms"), number("levels_high_ms"));
    near(number("time_ms"), (low + high) / 2.0);
    // The interval of coverage is that of its errors on the shipped figures.
    assert!(number("low_ms") < low && low < high && high < number("high_ms"), "{}", rows[0]);
    let table = desk.types(&format!("{PREDICT} --to h100-pcie")).works().stdout;
    assert!(table.contains("levels"), "{table}");
    let other = desk.types("predict --from titan-v --to rtx-4070 --kernel saxpy").works().stdout;
    assert!(!other.contains("levels"), "{other}");
    // As the paper draws it in figures 4 to 9: a bar from level to level, and the measured time beside it where there is one.
    let picture = PREDICT.replacen("predict", "export predictions", 1);
    let svg = desk.types(&format!("{picture} --to h100-pcie -o -")).works().stdout;
    assert!(svg.contains("predicted, bar: DRAM, L2, L1") && svg.contains("no interval of coverage"), "{svg}");
    let plain =
        desk.types("export predictions --from titan-v --to rtx-4070 --kernel saxpy -o -").works().stdout;
    assert!(plain.contains("bar: 90 %") && !plain.contains("DRAM, L2, L1"), "{plain}");
}

#[test]
fn the_explanation_names_every_ceiling_and_its_source() {
    let desk = paper_desk(REUSE);
    let text = desk.types(&format!("{PREDICT} --to h100-pcie --explain")).works().stdout;
    for words in [
        "FP64 ceiling",
        "FMA share",
        "active threads",
        "compute ceiling",
        "L1 ceiling",
        "L2 intensity",
        "DRAM time",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(text.contains("published: paper2"), "{text}");
}

/// Code of a kernel with a division of `chain` FFMA-like steps.
fn listing(arch: &str, chain: u64) -> String {
    let mut text = format!("\tcode for {arch}\n\t\tFunction : profiled\n");
    let head = ["DFMA R2, R2, R4, R6", "DADD R2, R2, R4", "@P0 BRA 0x400", "MUFU.RCP64H R7, R5"];
    for (i, line) in head.into_iter().enumerate() {
        text += &format!("        /*{:04x}*/                   {line} ;\n", 16 * i);
    }
    for i in 0..chain {
        text += &format!("        /*{:04x}*/                   DFMA R8, R6, R8, R6 ;\n", 0x40 + 16 * i);
    }
    text + "        /*0400*/                   EXIT ;\n"
}

#[test]
fn two_listings_correct_the_flops_of_the_target() {
    // All of it compute-bound: 1 + 4 DFMA and 1 DADD = 11 FLOPs become 1 + 8 DFMA and 1 DADD = 19.
    let counts = Counts { dram: 1e6, l2: 1e6, l1: 1e6, fma: 5e9, add: 1e9, ..STREAM };
    let desk = paper_desk(counts);
    desk.file("a.txt", listing("sm_70", 4));
    desk.file("b.txt", listing("sm_90", 8));
    let ask = |more: &str| {
        let rows = desk.types(&format!("{PREDICT} --to h100-pcie --format json {more}")).works().json();
        (rows[0]["time_ms"].as_f64().unwrap(), rows[0]["cautions"].to_string())
    };
    let (plain, _) = ask("");
    let (corrected, cautions) = ask("--sass-source a.txt --sass-target b.txt");
    // The mix changes as well: 5 of 6 instructions are FMA before, 9 of 10 after.
    let [before, after] = [5.0f64 / 6.0, 9.0 / 10.0].map(|share| share + 0.5 * (1.0 - share));
    near(corrected / plain, 19.0 / 11.0 * before / after);
    assert!(cautions.contains("FLOPs on the target from two listings"), "{cautions}");
    let (foreign, cautions) = ask("--sass-source b.txt --sass-target a.txt");
    near(foreign, plain);
    assert!(
        cautions.contains("code for sm_90 and sm_70, which these GPUs do not run: not applied"),
        "{cautions}"
    );
    let alone = desk.types(&format!("{PREDICT} --to h100-pcie --sass-source a.txt"));
    assert_eq!(alone.code, 2, "{}", alone.stderr);
    let text = desk
        .types(&format!("{PREDICT} --to h100-pcie --explain --sass-source a.txt --sass-target b.txt"))
        .works();
    assert!(text.stdout.contains("SASS correction") && text.stdout.contains("1.73"), "{}", text.stdout);
}

#[test]
fn blocks_count_as_often_as_threads_ran_them() {
    // 100 threads of each other's block and 10 of the division: 300 + 80 FLOPs become 300 + 160.
    let counts = Counts { dram: 1e6, l2: 1e6, l1: 1e6, fma: 1.4e9, add: 1e9, ..STREAM };
    let desk = paper_desk(counts);
    desk.file("a.txt", listing("sm_70", 4));
    desk.file("b.txt", listing("sm_90", 8));
    desk.file(
        "counts.csv",
        "kernel,address,threads\nprofiled,0x0,100\nprofiled,0x30,10\nprofiled,0x400,100\n",
    );
    let time = |more: &str| {
        let rows = desk.types(&format!("{PREDICT} --to h100-pcie --format json {more}")).works().json();
        (rows[0]["time_ms"].as_f64().unwrap(), rows[0]["cautions"].to_string())
    };
    let (plain, _) = time("");
    let (weighed, cautions) = time("--sass-source a.txt --sass-target b.txt --block-counts counts.csv");
    let [before, after] = [140.0f64 / 240.0, 180.0 / 280.0].map(|share| share + 0.5 * (1.0 - share));
    near(weighed / plain, 460.0 / 380.0 * before / after);
    assert!(!cautions.contains("FLOPs on the target from two listings"), "nothing is left open: {cautions}");
    let rows = desk.types("sass a.txt b.txt --block-counts counts.csv --format json").works().json();
    assert_eq!((&rows[1]["source_flops"], &rows[1]["target_flops"]), (&380.into(), &460.into()));
    let text = desk.types("sass a.txt b.txt --block-counts counts.csv").works().stdout;
    assert!(text.contains("each block weighted by the threads that executed it"), "{text}");
    desk.file("none.csv", "kernel,address,threads\nother,0x0,1\n");
    desk.types("sass a.txt b.txt --block-counts none.csv")
        .ends(1, &["none.csv: counts `other`, not `profiled`"]);
    desk.types("sass a.txt --block-counts counts.csv").ends(2, &["<TARGET>"]);
}
