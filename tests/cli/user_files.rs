//! GPU and kernel files a user drops into the config folder: good ones count, bad ones are refused with file and line, and
//! the rest still loads.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use roofswap::predict::model_position;
use roofswap::session::Session;
use std::path::PathBuf;
use tempfile::TempDir;

/// A user's folder.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("gpus")).unwrap();
        std::fs::create_dir(folder.path().join("kernels")).unwrap();
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn with(self, name: &str, text: impl AsRef<[u8]>) -> Self {
        std::fs::write(self.path(name), text).unwrap();
        self
    }

    fn load(&self) -> Session {
        Session::load(Some(self.0.path())).unwrap()
    }
}

const RESOURCES: &str = r#"id = "mine"
name = "ns::mine<4>"
aliases = ["saxpy", "ns::mine"]

[[compiled]]
source = "log"

[compiled.resources]
"8.9" = { registers = 24, static_smem_bytes = 2048, barriers = 1, spill_store_bytes = 8, max_threads = 128 }

[sources.log]
kind = "published"
title = "build.log (ptxas -v)"
"#;

#[test]
fn a_file_of_resources_alone_is_a_kernel_or_lies_over_one() {
    let over = RESOURCES.replace("id = \"mine\"", "id = \"saxpy\"").replace("24,", "99,");
    let folder = Folder::new().with("kernels/a.toml", &over).with("kernels/mine.toml", RESOURCES);
    let session = folder.load();
    assert_eq!(session.problems, Vec::<String>::new());
    let mine = session.kernels.entry_named("ns::mine").unwrap();
    let r = mine.resources_on(8, 9).unwrap();
    assert_eq!((r.resources.registers, r.resources.barriers, r.borrowed_from), (24, Some(1), None));
    assert_eq!(&*mine.compiled[&(8, 9)].source, "build.log (ptxas -v)");
    let saxpy = session.kernels.entry_named("saxpy").unwrap();
    assert_eq!(saxpy.resources_on(8, 9).unwrap().resources.registers, 99);
    assert!(saxpy.has_formulas() && saxpy.compiled.len() == 11, "formulas and other architectures stay");
}

#[test]
fn resources_lie_over_a_kernel_of_the_users_whatever_the_files_are_called() {
    let own = include_str!("../../specs/kernels/saxpy.toml")
        .replace("\"saxpy", "\"mine")
        .replace("\"axpy", "\"maxpy");
    let folder = Folder::new().with("kernels/a.toml", RESOURCES).with("kernels/b.toml", own);
    let session = folder.load();
    assert_eq!(session.problems, Vec::<String>::new());
    let mine = session.kernels.entry_named("mine").unwrap();
    assert!(mine.has_formulas());
    assert_eq!(mine.resources_on(8, 9).unwrap().resources.registers, 24);
}

#[test]
fn impossible_resources_are_refused_with_their_line() {
    for (good, bad, words) in [
        (
            "registers = 24",
            "registers = 0",
            "mine.toml:9: compiled.resources.\"8.9\": registers is 0; expected 1 to 255",
        ),
        ("barriers = 1", "barriers = 99", "barriers is 99; expected 0 to 16"),
        ("\"8.9\"", "\"eight\"", "mine.toml:9: "),
        ("registers = 24, ", "", "missing field `registers`"),
        ("source = \"log\"", "source = \"else\"", "unknown source `else`"),
        ("barriers", "bariers", "unknown field `bariers`"),
        ("id = \"mine\"", "id = \"--\"", "expected at least one letter"),
    ] {
        let session = Folder::new().with("kernels/mine.toml", RESOURCES.replace(good, bad)).load();
        let [problem] = &session.problems[..] else { panic!("{bad}: {:?}", session.problems) };
        assert!(problem.contains(words), "{bad}: {problem}");
        assert!(session.kernels.entry_named("ns::mine").is_err(), "{bad}");
    }
}

const COUNTED_KERNEL: &str = r#"id = "mine"

[problem]
keys = ["n"]
sizes = { small = "n=4096" }

[launch]
block = ["256"]
grid = ["ceil(n / 256)"]
source = "own"

[work]
flops = { formula = "2*n", source = "own" }
dram_bytes = { formula = "12*n", source = "own" }

[[compiled]]
source = "own"
resources = { "8.9" = { registers = 32 } }

[sources.own]
kind = "measured"
title = "My own notes"
"#;

#[test]
fn fields_of_a_kernel_file_that_are_written_wrongly_are_named_with_what_to_write() {
    let session = Folder::new().with("kernels/mine.toml", COUNTED_KERNEL).load();
    assert_eq!(session.problems, Vec::<String>::new());
    for (good, bad, words) in [
        (
            "dram_bytes = { formula = \"12*n\", source = \"own\" }",
            "dram_bytes = \"12*n\"",
            "mine.toml:14: work.dram_bytes: found \"12*n\", expected a formula with its source; \
             write dram_bytes = { formula = \"12*n\", source = \"own\" }",
        ),
        (
            "flops = { formula = \"2*n\", source = \"own\" }",
            "flops = 5",
            "mine.toml:13: work.flops: found 5, expected a formula with its source; write flops = { formula =",
        ),
        ("flops", "flop", "mine.toml:13: work.flop: unknown name `flop`, expected one of `flops`, "),
        (
            "registers = 32",
            "registers = \"x\"",
            "mine.toml:18: compiled.resources.\"8.9\".registers: found \"x\", expected a whole number",
        ),
        ("registers = 32", "registers = 400", "\"8.9\": registers is 400; expected 1 to 255"),
        (
            "[[compiled]]",
            "[compiled]",
            "mine.toml:16: compiled: found a table, expected a list `[…]`; write [[compiled]] with source",
        ),
        (
            "block = [\"256\"]",
            "block = 256",
            "mine.toml:8: launch.block: found 256, expected a list `[…]`; write block = [\"256\"]",
        ),
        (
            "block = [\"256\"]",
            "block = [256]",
            "mine.toml:8: launch.block: found 256, expected a text in quotes; write block = [\"256\"]",
        ),
    ] {
        let session = Folder::new().with("kernels/mine.toml", COUNTED_KERNEL.replace(good, bad)).load();
        let [problem] = &session.problems[..] else { panic!("{bad}: {:?}", session.problems) };
        assert!(problem.contains(words), "{bad}: {problem}");
    }
}

const GPU: &str = r#"id = "my-gpu"
name = "My GPU"
aliases = ["prototype"]
architecture = "ada"
chip = "AD999"
compute_capability = "8.9"
launch_year = 2025

[compute]
sms = { value = 100, source = "me" }
fp32_lanes_per_sm = { value = 128, source = "me" }
boost_clock_mhz = { value = 2000, source = "me" }
fp32_tflops = { value = 51.2, source = "me" }

[memory]
type = "GDDR7"
size_gib = { value = 24, source = "me" }
bus_bits = { value = 256, source = "me" }
data_rate_gbps = { value = 28, source = "me" }
bandwidth_gb_per_s = { value = 896, source = "me" }

[cache]
l2_mib = { value = 64, source = "me" }

[power]
limit_w = { value = 300, source = "me" }

[sources.me]
kind = "measured"
title = "My own notes"
"#;

const KERNEL: &str = r#"id = "my_kernel"
name = "Mine"
summary = "one thing"
category = "memory"
dtype = "fp32"
source = "me"

[problem]
keys = ["n", "k"]

[problem.sizes]
small = "n=1024;k=1"

[launch]
block = ["256"]
grid = ["ceil(n/256)"]
source = "me"

[work]
flops = { formula = "n", source = "me" }
dram_bytes = { formula = "8*n/k", source = "me" }

[sources.me]
kind = "derived"
title = "My own counting"
"#;

/// The line of `text` that begins like this; the first is 1.
fn line_of(text: &str, start: &str) -> usize {
    1 + text.lines().position(|l| l.starts_with(start)).unwrap_or_else(|| panic!("no line `{start}`"))
}

/// Loads one bad file beside two good ones; the good ones must be there, and the complaint must name the bad file, this
/// line if any, and every one of these words.
fn refused(name: &str, text: impl AsRef<[u8]>, line: Option<usize>, words: &[&str]) {
    let folder =
        Folder::new().with("gpus/a-good.toml", GPU).with("kernels/z-good.toml", KERNEL).with(name, text);
    let s = folder.load();
    assert!(
        s.gpus.entry_named("my-gpu").is_ok() && s.kernels.entry_named("my_kernel").is_ok(),
        "the rest still loads"
    );
    let [problem] = s.problems.as_slice() else { panic!("{name}: {:?}", s.problems) };
    let place = folder.path(name).display().to_string() + &line.map(|l| format!(":{l}")).unwrap_or_default();
    assert!(problem.starts_with(&format!("{place}: ")), "{problem}\nshould begin with {place}");
    for word in words {
        assert!(problem.contains(word), "`{word}` is not in: {problem}");
    }
    assert!(problem.len() < 700, "{} characters: {problem}", problem.len());
}

/// The good GPU file under another id, with one line replaced.
fn gpu_with(start: &str, replacement: &str) -> (String, usize) {
    edited(&GPU.replace("my-gpu", "bad-gpu").replace("prototype", "bad-prototype"), start, replacement)
}

fn kernel_with(start: &str, replacement: &str) -> (String, usize) {
    edited(&KERNEL.replace("my_kernel", "bad_kernel"), start, replacement)
}

fn edited(text: &str, start: &str, replacement: &str) -> (String, usize) {
    let at = line_of(text, start);
    let mut lines: Vec<&str> = text.lines().collect();
    lines[at - 1] = replacement;
    (lines.join("\n") + "\n", at)
}

// ---------------------------------------------------------------------------------------------------------------------
// Good files

#[test]
fn a_gpu_of_the_users_joins_the_catalogue_with_its_own_sources() {
    let s = Folder::new().with("gpus/mine.toml", GPU).load();
    assert_eq!(s.problems, Vec::<String>::new());
    let g = s.gpus.entry_named("Prototype").unwrap();
    assert_eq!((g.id.as_str(), &*g.fp32_peak.source), ("my-gpu", "me"));
    assert_eq!(g.fp32_peak.value.to_string(), "51.2 TFLOP/s");
    assert_eq!(s.gpus.entries().last().unwrap().id, "my-gpu", "the user's stand last");
}

#[test]
fn a_kernel_of_the_users_is_predicted_like_any_other() {
    let s = Folder::new().with("gpus/mine.toml", GPU).with("kernels/mine.toml", KERNEL).load();
    assert_eq!(s.problems, Vec::<String>::new());
    let kernel = s.kernels.position("my_kernel").unwrap();
    let subject = s.subject(kernel, &"n=2^24;k=2".parse().unwrap(), "").unwrap();
    let (from, to) = (s.gpus.position("titan-v").unwrap(), s.gpus.position("my-gpu").unwrap());
    let settings =
        roofswap::answer::Settings { model: model_position("plain-roofline").unwrap(), ..Default::default() };
    let time = s.answer(&subject, from, to, settings).prediction.unwrap().time;
    // 4 x 2^24 bytes over 896 GB/s.
    assert!((time.0 / (4.0 * 16_777_216.0 / 896e9) - 1.0).abs() < 1e-12, "{time}");
}

#[test]
fn a_file_with_a_shipped_id_replaces_that_gpu_and_keeps_its_measurements() {
    let own = GPU.replace("my-gpu", "rtx-4070").replace("prototype", "RTX 4070 of mine");
    let s = Folder::new().with("gpus/mine.toml", own).load();
    assert_eq!(s.problems, Vec::<String>::new());
    let at = s.gpus.position("rtx-4070").unwrap();
    assert_eq!(s.gpus[at].name, "My GPU");
    assert_eq!(s.gpus.entries().iter().filter(|g| g.id == "rtx-4070").count(), 1);
    assert_eq!(s.store.rows().filter(|r| r.gpu == at).count(), 14);
}

#[test]
fn without_a_folder_or_in_an_empty_one_nothing_is_missed() {
    let empty = tempfile::tempdir().unwrap();
    let shipped = Session::load(None).unwrap().gpus.entries().len();
    for folder in [empty.path().to_path_buf(), empty.path().join("not/there")] {
        let s = Session::load(Some(&folder)).unwrap();
        assert_eq!((s.problems.len(), s.gpus.entries().len()), (0, shipped));
    }
}

#[test]
fn only_toml_files_are_read() {
    let s =
        Folder::new().with("gpus/notes.txt", "not toml at all = = =").with("gpus/x.toml~", "also not").load();
    assert_eq!(s.problems, Vec::<String>::new());
}

// ---------------------------------------------------------------------------------------------------------------------
// Bad GPU files

#[test]
fn a_syntax_error_is_refused_at_its_line() {
    let (text, line) = gpu_with("launch_year", "launch_year = = 2025");
    refused("gpus/bad.toml", text, Some(line), &[]);
    let (text, line) = gpu_with("chip", "chip = \"AD999");
    refused("gpus/bad.toml", text, Some(line), &[]);
}

#[test]
fn a_file_cut_off_in_the_middle_is_refused_for_what_is_missing() {
    let (head, _) = GPU.split_once("[cache]").unwrap();
    refused("gpus/bad.toml", head.replace("my-gpu", "bad-gpu"), Some(1), &["missing field `cache`"]);
    refused("gpus/bad.toml", "", Some(1), &["missing field"]);
}

#[test]
fn an_unknown_source_is_refused_at_its_line_with_where_sources_live() {
    let (text, line) = gpu_with("limit_w", r#"limit_w = { value = 300, source = "hearsay" }"#);
    refused(
        "gpus/bad.toml",
        text,
        Some(line),
        &["power.limit_w", "unknown source `hearsay`", "[sources.hearsay] with kind = \"measured\"", "title"],
    );
}

#[test]
fn a_number_that_cannot_be_is_refused_with_its_field_and_value() {
    for value in ["-5", "0", "nan", "inf", "-inf"] {
        let (text, line) = gpu_with("l2_mib", &format!("l2_mib = {{ value = {value}, source = \"me\" }}"));
        refused("gpus/bad.toml", text, Some(line), &["cache.l2_mib", "expected a finite number above 0"]);
    }
    let (text, line) = gpu_with("l2_mib", "l2_mib = { value = \"64 MB\", source = \"me\" }");
    refused("gpus/bad.toml", text, Some(line), &["64 MB", "expected"]);
    let (text, line) = gpu_with("l2_mib", "l2_mib = 64");
    let form = "cache.l2_mib: found 64, expected a number with its source, `{ value = 46, source";
    refused("gpus/bad.toml", text, Some(line), &[form]);
}

#[test]
fn numbers_of_a_gpu_that_contradict_each_other_are_refused_with_what_they_follow_from() {
    for (field, value, words) in [
        ("sms", "100.5", &["compute.sms = 100.5", "expected a whole number"][..]),
        ("bus_bits", "256.5", &["memory.bus_bits = 256.5", "expected a whole number"]),
        (
            "fp32_tflops",
            "512",
            &[
                "compute.fp32_tflops = 512",
                "contradicts sms 100 x fp32_lanes_per_sm 128 x 2 x boost_clock_mhz 2000 = 51.2",
            ],
        ),
        (
            "bandwidth_gb_per_s",
            "1200",
            &["memory.bandwidth_gb_per_s = 1200", "contradicts bus_bits 256 x data_rate_gbps 28 / 8 = 896"],
        ),
    ] {
        let (text, line) = gpu_with(field, &format!("{field} = {{ value = {value}, source = \"me\" }}"));
        refused("gpus/bad.toml", text, Some(line), words);
    }
    for (after, field, words) in [
        (
            "bandwidth_gb_per_s = { value = 896, source = \"me\" }",
            "achieved_gb_per_s",
            "memory.achieved_gb_per_s: 90.0 TB/s is beyond the published peak; expected at most 1.12 TB/s",
        ),
        (
            "fp32_tflops = { value = 51.2, source = \"me\" }",
            "fp32_achieved_gflops",
            "compute.fp32_achieved_gflops: 90.0 TFLOP/s is beyond the published peak; expected at most 64.0 TFLOP/s",
        ),
    ] {
        let with = |value: f64| format!("{after}\n{field} = {{ value = {value}, source = \"me\" }}");
        let (text, line) = gpu_with(after, &with(90000.0));
        refused("gpus/bad.toml", text, Some(line + 1), &[words]);
        let (text, _) = gpu_with(after, &with(900.0));
        let loaded = Folder::new().with("gpus/good.toml", text).load();
        assert_eq!(
            loaded.problems,
            Vec::<String>::new(),
            "documents round: a few per cent are no contradiction"
        );
    }
}

#[test]
fn an_unknown_field_is_refused_with_the_known_ones() {
    let (text, line) = gpu_with("limit_w", r#"tdp_w = { value = 300, source = "me" }"#);
    refused("gpus/bad.toml", text, Some(line), &["unknown field `tdp_w`", "limit_w"]);
    let (text, line) = gpu_with("limit_w", r#"limit_w = { value = 300, sauce = "me" }"#);
    refused("gpus/bad.toml", text, Some(line), &["unknown field `sauce`", "source"]);
}

#[test]
fn a_taken_name_is_refused_at_its_line_with_its_owner() {
    let (text, line) = gpu_with("aliases", r#"aliases = ["fast one", "GeForce RTX-4070"]"#);
    refused("gpus/bad.toml", text, Some(line), &["geforcertx4070", "`bad-gpu`", "belongs to `rtx-4070`"]);
    let text = KERNEL.replace("my_kernel", "Vec Add");
    refused("kernels/bad.toml", text, Some(1), &["belongs to `vector_add`"]);
}

#[test]
fn an_id_nobody_can_type_is_refused() {
    for id in ["My GPU", "", "-", "gpu/../x", "ĝpu", &"x".repeat(41)] {
        let (text, line) = gpu_with("id", &format!("id = {id:?}"));
        refused("gpus/bad.toml", text, Some(line), &["expected lower-case letters"]);
    }
}

#[test]
fn a_compute_capability_that_never_shipped_is_refused() {
    for cc in ["8.8", "99.0"] {
        let (text, line) = gpu_with("compute_capability", &format!("compute_capability = {cc:?}"));
        refused(
            "gpus/bad.toml",
            text,
            Some(line),
            &["compute_capability", cc, "expected one of 3.5, 3.7, 5.0"],
        );
    }
    let (text, line) = gpu_with("compute_capability", "compute_capability = \"ada\"");
    refused("gpus/bad.toml", text, Some(line), &["expected major.minor, for example 8.9"]);
}

#[test]
fn what_is_no_text_is_refused_without_being_parsed() {
    let binary: Vec<u8> = b"id = \"x\"\n".iter().copied().chain(128..=255).collect();
    refused("gpus/bad.toml", binary, Some(2), &["is not UTF-8"]);
    refused("gpus/bad.toml", b"\xff\xfei\0d\0", Some(1), &["is not UTF-8"]);
    refused("gpus/bad.toml", vec![b'#'; 2 << 20], None, &["has 2097152 bytes", "at most 1048576"]);
    refused("gpus/bad.toml", vec![0u8; 1000], Some(1), &[]);
}

#[test]
fn a_folder_with_a_files_name_is_refused() {
    let folder = Folder::new().with("gpus/good.toml", GPU);
    std::fs::create_dir(folder.path("gpus/folder.toml")).unwrap();
    let s = folder.load();
    assert!(s.gpus.entry_named("my-gpu").is_ok());
    assert!(s.problems[0].contains("is a folder"), "{:?}", s.problems);
}

// ---------------------------------------------------------------------------------------------------------------------
// Bad kernel files

#[test]
fn a_formula_with_an_unknown_name_is_refused_with_the_names_it_could_use() {
    let (text, line) = kernel_with("dram_bytes", r#"dram_bytes = { formula = "8*m", source = "me" }"#);
    let words = ["work.dram_bytes", "unknown name `m`", "known here: n, k, threads, blocks"];
    refused("kernels/bad.toml", text, Some(line), &words);
    // The grid is not known yet where the block is worked out.
    let (text, line) = kernel_with("block", r#"block = ["blocks"]"#);
    refused("kernels/bad.toml", text, Some(line), &["launch.block", "unknown name `blocks`"]);
}

#[test]
fn a_division_by_zero_at_a_files_own_sizes_names_size_and_field() {
    let (text, _) = kernel_with("dram_bytes", r#"dram_bytes = { formula = "8*n/(k-1)", source = "me" }"#);
    let line = line_of(&text, "small");
    let words = ["problem.sizes.small", "work.dram_bytes", "8*n/(k-1)", "k=1", "division by zero"];
    refused("kernels/bad.toml", text, Some(line), &words);
}

#[test]
fn a_block_without_threads_names_its_field() {
    let (text, _) = kernel_with("block", r#"block = ["n/4096"]"#);
    let line = line_of(&text, "small");
    let words = ["problem.sizes.small", "launch.block", "n/4096", "gives 0.25", "expected at least 1"];
    refused("kernels/bad.toml", text, Some(line), &words);
}

#[test]
fn a_negative_count_names_its_field() {
    let (text, _) = kernel_with("flops", r#"flops = { formula = "n-4096", source = "me" }"#);
    let line = line_of(&text, "small");
    refused("kernels/bad.toml", text, Some(line), &["work.flops", "-3072", "cannot be negative"]);
}

#[test]
fn a_formula_that_does_not_parse_is_refused_at_its_line() {
    for formula in ["8*(n", "", "8**n", "n n", "max(n", "{n}"] {
        let (text, line) =
            kernel_with("dram_bytes", &format!("dram_bytes = {{ formula = {formula:?}, source = \"me\" }}"));
        refused("kernels/bad.toml", text, Some(line), &["work.dram_bytes", "formula"]);
    }
}

#[test]
fn a_count_that_does_not_exist_is_refused() {
    let (text, line) = kernel_with("flops", r#"flop = { formula = "n", source = "me" }"#);
    refused("kernels/bad.toml", text, Some(line), &["flop", "flops"]);
}

#[test]
fn sizes_that_cannot_be_are_refused() {
    for (size, word) in [("n=0;k=1", "n=0"), ("n=8", "needs `k`"), ("n=8;k=1;q=2", "`q`"), ("8", "key=value")]
    {
        let (text, line) = kernel_with("small", &format!("small = {size:?}"));
        refused("kernels/bad.toml", text, Some(line), &["problem.sizes.small", word]);
    }
    let (text, line) = kernel_with("small", "huge = \"n=8;k=1\"");
    refused("kernels/bad.toml", text, Some(line), &["small, medium, large, xlarge"]);
}

#[test]
fn ten_bad_files_are_ten_complaints_and_one_good_file_still_loads() {
    let mut folder = Folder::new().with("gpus/zz-good.toml", GPU);
    for i in 0..5 {
        folder = folder
            .with(&format!("gpus/bad-{i}.toml"), "id = ")
            .with(&format!("kernels/bad-{i}.toml"), [0xff, 0xfe, i]);
    }
    let s = folder.load();
    assert_eq!(s.problems.len(), 10, "{:?}", s.problems);
    assert!(s.gpus.entry_named("my-gpu").is_ok());
}

// ---------------------------------------------------------------------------------------------------------------------
// Measured rates laid over a GPU

const OVERLAY: &str = r#"id = "my-gpu"

[compute]
fp32_achieved_gflops = { value = 40000, source = "bench", note = "FMA loop" }

[memory]
achieved_gb_per_s = { value = 800, source = "bench" }

[sources.bench]
kind = "measured"
title = "My benchmark"
"#;

#[test]
fn measured_rates_are_laid_over_a_gpu_whatever_the_files_are_called() {
    let shipped = OVERLAY.replace("my-gpu", "rtx-4070").replace("40000", "20000").replace("800", "460");
    let s = Folder::new()
        .with("gpus/a-achieved.toml", OVERLAY)
        .with("gpus/b-achieved.toml", shipped)
        .with("gpus/z-mine.toml", GPU)
        .load();
    assert_eq!(s.problems, Vec::<String>::new());
    let mine = s.gpus.entry_named("my-gpu").unwrap();
    assert_eq!(mine.fp32_achieved.as_ref().unwrap().value.to_string(), "40.0 TFLOP/s");
    assert_eq!(
        (mine.bandwidth_achieved.as_ref().unwrap().value.0, mine.bandwidth_peak.value.0),
        (800e9, 896e9)
    );
    let before = roofswap::session::Session::load(None).unwrap();
    let (was, is) = (before.gpus.entry_named("rtx-4070").unwrap(), s.gpus.entry_named("rtx-4070").unwrap());
    let achieved = is.bandwidth_achieved.as_ref().unwrap();
    assert_eq!((achieved.value.0, &*achieved.source, achieved.origin.as_str()), (460e9, "bench", "measured"));
    assert_eq!((is.fp32_peak.value, &is.name, is.sms.value), (was.fp32_peak.value, &was.name, was.sms.value));
    let place = |s: &Session| s.gpus.position("rtx-4070").unwrap();
    assert_eq!(place(&s), place(&before), "it stays where it stood");
}

#[test]
fn an_overlay_that_makes_no_sense_is_refused_and_changes_nothing() {
    let of = |from: &str, to: &str| OVERLAY.replace("my-gpu", "rtx-3090").replace(from, to);
    for (text, line, words) in [
        (of("rtx-3090", "rtx-9999"), 1, "unknown GPU `rtx-9999`"),
        (of("800", "2000"), 7, "beyond the published peak"),
        (of("source = \"bench\" }", "source = \"hearsay\" }"), 7, "unknown source `hearsay`"),
        (of("achieved_gb_per_s", "size_gib"), 7, "unknown field `size_gib`"),
        (of("800", "nan"), 7, "expected a finite number above 0"),
    ] {
        refused("gpus/bad.toml", &text, Some(line), &[words]);
        let s = Folder::new().with("gpus/bad.toml", text).load();
        assert!(s.gpus.entry_named("rtx-3090").unwrap().fp32_achieved.is_none(), "not even the good half");
    }
}

#[test]
fn a_mixbench_report_becomes_the_roofs_in_use() {
    use roofswap::import::{ImportJob, overlays, recognise};
    use roofswap::progress::Progress;
    let report = "Device:              NVIDIA GeForce RTX 4090\n\
        Experiment ID, Single Precision ops,,,,              Double precision ops,,,\n\
        Compute iters, Flops/byte, ex.time,  GFLOPS, GB/sec, Flops/byte, ex.time,  GFLOPS, GB/sec\n     \
        0,   0.250,   0.30,   230.00, 920.00,   0.125,   0.60,  115.00, 920.00\n     \
        512, 128.250, 1.00, 80000.00, 623.78,   64.125, 60.00, 1280.00,  19.96\n";
    let job = ImportJob { file: "run.txt", gpu: None, progress: &Progress::default() };
    let importer = recognise(report.as_bytes()).unwrap();
    let mut read = (importer.read)(&mut report.as_bytes(), &job).unwrap();
    read.roofs.push(roofswap::import::AchievedRoof { gpu: "no such".into(), ..read.roofs[0].clone() });
    let gpus = Session::load(None).unwrap().gpus;
    let (files, left_out) = overlays(&read.roofs, &gpus, "mixbench of today");
    let [overlay] = files.as_slice() else { panic!("{files:?}") };
    assert!(left_out[0].contains("unknown GPU `no such`"), "{left_out:?}");
    let folder = Folder::new();
    let file = folder.path("gpus").join(format!("{}-achieved.toml", overlay.id));
    roofswap::config::write_whole(&file, overlay.text.as_bytes()).unwrap();
    let s = folder.load();
    assert_eq!(s.problems, Vec::<String>::new(), "{}", overlay.text);
    let gpu = s.gpus.entry_named("rtx-4090").unwrap();
    let of = |r: &Option<roofswap::catalogue::Sourced<roofswap::units::FlopsPerSecond>>| {
        r.as_ref().unwrap().value.0
    };
    assert_eq!((of(&gpu.fp32_achieved), of(&gpu.fp64_achieved)), (80e12, 1.28e12));
    assert_eq!(gpu.bandwidth(roofswap::gpu::Ceilings::Achieved).value.0, 920e9);
    let note = gpu.fp32_achieved.as_ref().unwrap().note.as_deref().unwrap();
    assert_eq!(note, "run.txt: Single Precision ops at 128.25 FLOP/byte");
}

#[test]
fn hundreds_of_kernels_are_added_in_the_order_of_their_files_and_a_wrong_one_is_named() {
    let shipped = include_str!("../../specs/kernels/vector_add.toml");
    let mut folder = Folder::new();
    let named = |i: usize| {
        let lines = shipped.lines().filter(|line| !line.starts_with("aliases"));
        lines.map(|line| line.to_string() + "\n").collect::<String>().replace(
            "id = \"vector_add\"",
            // Against the order of the files' names, so that whoever is done first is not first.
            &format!("id = \"own-{}\"", 900 - i),
        )
    };
    for i in 0..300 {
        let text = if i == 150 { named(i).replace("keys = [", "keys = 7 # [") } else { named(i) };
        folder = folder.with(&format!("kernels/k{i:03}.toml"), text);
    }
    let before = Session::load(None).unwrap().kernels.entries().len();
    let session = folder.load();
    let added: Vec<&str> = session.kernels.entries()[before..].iter().map(|k| k.id.as_str()).collect();
    let wanted: Vec<String> = (0..300).filter(|i| *i != 150).map(|i| format!("own-{}", 900 - i)).collect();
    assert_eq!(added, wanted);
    assert_eq!(session.problems.len(), 1, "{:?}", session.problems);
    assert!(session.problems[0].contains("k150.toml:"), "{}", session.problems[0]);
}

/// Texts that say where files go name the folder that is read.
#[test]
fn texts_name_the_folder_that_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let named = |below: &str| folder.path().join(below).display().to_string();
    for (command, below) in [("whatif", "gpus"), ("probe", "gpus/mine.toml"), ("import", "kernels")] {
        let mut help = std::process::Command::new(env!("CARGO_BIN_EXE_roofswap"));
        let help = help.env("ROOFSWAP_CONFIG", folder.path()).args([command, "--help"]).output().unwrap();
        let text = String::from_utf8_lossy(&help.stdout).split_whitespace().collect::<String>();
        assert!(text.contains(&named(below)), "{command}: {text}");
    }
}
