//! Every shipped spec file against itself, its relatives and the documents it quotes.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use roofswap::catalogue::{CatalogueEntry, NameError, NumberOrigin, Source, Sourced, shipped_sources};
use roofswap::gpu::Gpu;
use roofswap::kernel::{Count, RunsAs};
use roofswap::session::Session;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

static SESSION: LazyLock<Session> = LazyLock::new(|| Session::load(None).unwrap());

fn gpus() -> &'static [Gpu] {
    SESSION.gpus.entries()
}

fn gpu(id: &str) -> &'static Gpu {
    SESSION.gpus.entry_named(id).unwrap()
}

/// Whether `a` is within two per cent of `b`, as formats.md asks of a file's own numbers.
fn agree(a: f64, b: f64) -> bool {
    (a / b - 1.0).abs() <= 0.02
}

/// Every `*.toml` below `specs/<folder>`, parsed.
fn files(folder: &str) -> Vec<(PathBuf, toml::Table)> {
    fn walk(folder: &Path, out: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, out);
            } else if path.extension().is_some_and(|e| e == "toml") {
                out.push(path);
            }
        }
    }
    let mut paths = Vec::new();
    walk(&Path::new(env!("ROOFSWAP_CHECKOUT")).join("specs").join(folder), &mut paths);
    paths.sort();
    paths.into_iter().map(|p| (p.clone(), std::fs::read_to_string(&p).unwrap().parse().unwrap())).collect()
}

/// `specs/architectures.toml`, parsed.
fn architectures() -> toml::Table {
    let path = Path::new(env!("ROOFSWAP_CHECKOUT")).join("specs/architectures.toml");
    std::fs::read_to_string(path).unwrap().parse().unwrap()
}

/// Calls `found` with every table that has a source, and with its dotted path.
fn sourced(value: &toml::Value, path: &str, found: &mut dyn FnMut(&str, &toml::Table)) {
    match value {
        toml::Value::Table(t) => {
            if t.contains_key("source") {
                found(path, t);
            }
            t.iter().for_each(|(k, v)| sourced(v, &format!("{path}.{k}"), found));
        }
        toml::Value::Array(all) => {
            all.iter().enumerate().for_each(|(i, v)| sourced(v, &format!("{path}[{i}]"), found));
        }
        _ => {}
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// The catalogue as a whole

#[test]
fn everything_that_ships_loads() {
    assert_eq!(SESSION.problems, Vec::<String>::new());
    assert_eq!(gpus().len(), files("gpus").len(), "every file is one GPU");
    assert_eq!(SESSION.kernels.entries().len(), files("kernels").len(), "every file is one kernel");
}

#[test]
fn the_promised_gpus_are_there() {
    const PROMISED: &str = "
        gtx-titan-x gtx-980 m40
        gtx-1080-ti titan-xp p100-pcie-12gb p100-pcie-16gb p100-sxm2 p40 p4
        titan-v v100-pcie-16gb v100-pcie-32gb v100-sxm2-16gb v100-sxm2-32gb
        rtx-2060 rtx-2070-super rtx-2080-ti titan-rtx t4 gtx-1650 gtx-1650-gddr5
        a100-pcie-40gb a100-pcie-80gb a100-sxm4-40gb a100-sxm4-80gb a10 a40 rtx-a6000 rtx-a4000
        rtx-3060 rtx-3060-ti rtx-3070-ti rtx-3080 rtx-3090
        rtx-4060-ti rtx-4070 rtx-4080 rtx-4090 l4 l40 l40s rtx-6000-ada
        h100-pcie h100-sxm5 h100-nvl h200 gh200
        b200 rtx-5070-ti rtx-5080 rtx-5090 rtx-pro-6000";
    let there: BTreeSet<&str> = gpus().iter().map(|g| g.id.as_str()).collect();
    let missing: Vec<&str> = PROMISED.split_whitespace().filter(|id| !there.contains(id)).collect();
    assert_eq!(missing, Vec::<&str>::new());
    assert!(there.len() >= 45);
}

#[test]
fn the_kernels_of_the_papers_and_of_the_tuning_and_framework_data_are_there() {
    const PROMISED: &str = "
        array_reversal atomic_hotspot attention_decode attention_prefill binary_search bmm_bf16 clblast_xgemm conv2d_3x3 conv2d_7x7 conv2d_layer
        convolution2d_15x15 count_numbers count_numbers_shared cutlass_simt_sgemm_128x128_8x2 dot_product
        elementwise_add elementwise_multiply gemm_tiled heat_diffusion histogram histogram_spread
        ktt_convolution2d_15x15 layernorm_bf16 linear_bf16 linear_fp16 linear_fp4 linear_fp8 matmul_naive matmul_tiled max_distance moe_gemm_bf16 naive_transpose random_access
        random_gather reduce_sum rmsnorm_bf16 rotary_bf16 saxpy shared_bank_conflict shared_transpose sigmoid silu_mul_bf16 softmax softmax_bf16 squared_distance
        strided_copy_8 torch_add torch_bmm torch_conv torch_gelu torch_linear torch_ln torch_mul
        torch_softmax torch_tanh vector_add vector_add_divergent";
    let there: Vec<&str> = SESSION.kernels.entries().iter().map(|k| k.id.as_str()).collect();
    assert_eq!(there, PROMISED.split_whitespace().collect::<Vec<_>>());
}

#[test]
fn the_drivers_name_finds_the_board() {
    for (name, id) in [
        ("NVIDIA GeForce RTX 2080 Ti", "rtx-2080-ti"),
        ("NVIDIA_GeForce_RTX_4070", "rtx-4070"),
        ("Tesla V100-SXM2-16GB", "v100-sxm2-16gb"),
        // The 32 GB board differs in nothing a time rests on; `v100` alone may be another form factor.
        ("v100-sxm2", "v100-sxm2-16gb"),
        ("v100-pcie", "v100-pcie-16gb"),
        ("3060", "rtx-3060"),
        ("1080", "gtx-1080"),
        ("980", "gtx-980"),
        ("NVIDIA A100-SXM4-80GB", "a100-sxm4-80gb"),
        ("NVIDIA A100 80GB PCIe", "a100-pcie-80gb"),
        ("NVIDIA H100 80GB HBM3", "h100-sxm5"),
        ("NVIDIA H100 PCIe", "h100-pcie"),
        ("NVIDIA TITAN V", "titan-v"),
        ("GeForce GTX TITAN X", "gtx-titan-x"),
        ("Tesla T4", "t4"),
    ] {
        assert_eq!(SESSION.gpus.entry_named(name).map(|g| g.id.as_str()), Ok(id), "{name}");
    }
}

#[test]
fn one_word_for_boards_of_different_speed_is_answered_with_the_choice() {
    let choice = |name: &str, expected: &[&str]| match SESSION.gpus.position(name) {
        Err(e @ NameError::Ambiguous { .. }) => {
            let NameError::Ambiguous { candidates, .. } = &e else { unreachable!() };
            let mut candidates: Vec<&str> = candidates.iter().map(String::as_str).collect();
            candidates.sort_unstable();
            assert_eq!(candidates, expected, "{name}");
            assert!(e.to_string().contains(&format!("`{name}` is ambiguous; type one of: ")), "{e}");
        }
        other => panic!("{name}: {other:?}"),
    };
    choice("h100", &["h100-nvl", "h100-pcie", "h100-sxm5"]);
    choice("NVIDIA H100", &["h100-nvl", "h100-pcie", "h100-sxm5"]);
    choice("h100-80gb", &["h100-pcie", "h100-sxm5"]);
    choice("a100", &["a100-pcie-40gb", "a100-pcie-80gb", "a100-sxm4-40gb", "a100-sxm4-80gb"]);
    choice("a100-80gb", &["a100-pcie-80gb", "a100-sxm4-80gb"]);
    choice("a100-pcie", &["a100-pcie-40gb", "a100-pcie-80gb"]);
    choice("a100-sxm", &["a100-sxm4-40gb", "a100-sxm4-80gb"]);
    choice(
        "v100",
        &["v100-pcie-16gb", "v100-pcie-32gb", "v100-sxm2-16gb", "v100-sxm2-32gb", "v100s-pcie-32gb"],
    );
    choice(
        "tesla-v100",
        &["v100-pcie-16gb", "v100-pcie-32gb", "v100-sxm2-16gb", "v100-sxm2-32gb", "v100s-pcie-32gb"],
    );
    choice("v100-16gb", &["v100-pcie-16gb", "v100-sxm2-16gb"]);
    choice("p100", &["p100-pcie-12gb", "p100-pcie-16gb", "p100-sxm2"]);
    choice("p100-16gb", &["p100-pcie-16gb", "p100-sxm2"]);
    choice("titan-x", &["gtx-titan-x", "titan-x-pascal", "titan-xp"]);
    choice("titanx", &["gtx-titan-x", "titan-x-pascal", "titan-xp"]);
}

#[test]
fn a_board_that_is_not_there_is_answered_with_its_relatives_and_never_with_another_board() {
    for (name, relative) in [("rtx4075", "rtx-4070"), ("4079 Ti", "rtx-4070-ti"), ("h1000-sxm5", "h100-sxm5")]
    {
        let Err(NameError::Unknown { nearest, .. }) = SESSION.gpus.position(name) else { panic!("{name}") };
        assert!(nearest[..3].iter().any(|n| n == relative), "{name}: {nearest:?}");
    }
    for nothing in ["", " ", "-", "nvidia", "NVIDIA "] {
        let error = SESSION.gpus.position(nothing).unwrap_err();
        let NameError::Unknown { nearest, .. } = &error else { panic!("{nothing:?}: {error}") };
        assert!(nearest.is_empty(), "{nothing:?}: {error}");
        let said = if nothing.trim().is_empty() { "an empty name" } else { "no name is near it" };
        assert!(error.to_string().contains(said), "{error}");
    }
}

#[test]
fn a_name_of_something_else_is_answered_with_no_name() {
    for name in ["sm_89", "cuda:0", "10de:2684", "MI300X", "Radeon PRO W6600", "Arc B580"] {
        match SESSION.gpus.position(name).unwrap_err() {
            NameError::Unknown { nearest, .. } => assert_eq!(nearest, Vec::<String>::new(), "{name}"),
            other => panic!("{name}: {other}"),
        }
    }
}

#[test]
fn a_number_is_never_cut_to_find_a_board() {
    for (name, wrong) in [("A10-4", "a100-"), ("A10-8", "a100-"), ("L4-2", "l40")] {
        let error = SESSION.gpus.position(name).unwrap_err().to_string();
        assert!(!error.contains("ambiguous") || !error.contains(wrong), "{name}: {error}");
    }
    assert_eq!(SESSION.gpus.entry_named("H20").map(|g| g.id.as_str()), Ok("h20"));
    assert_eq!(SESSION.gpus.entry_named("V100S").map(|g| g.id.as_str()), Ok("v100s-pcie-32gb"));
}

#[test]
fn a_cloud_instance_is_the_board_it_holds() {
    for (name, id) in [
        ("p4d.24xlarge", "a100-sxm4-40gb"),
        ("p5.48xlarge", "h100-sxm5"),
        ("g4dn.xlarge", "t4"),
        ("g5.xlarge", "a10g"),
        ("g6e.2xlarge", "l40s"),
        ("a2-highgpu-1g", "a100-sxm4-40gb"),
        ("a3-ultragpu-8g", "h200"),
        ("Standard_NC24ads_A100_v4", "a100-pcie-80gb"),
        ("Standard_ND96isr_H100_v5", "h100-sxm5"),
        ("gpu_1x_h100_pcie", "h100-pcie"),
    ] {
        assert_eq!(SESSION.gpus.entry_named(name).map(|g| g.id.as_str()), Ok(id), "{name}");
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Relatives

/// What a GPU is made of, in the order of [`sustained_rates`]: FP32 work needs SMs, clock and power, a stream the bus.
fn has_no_less(a: &Gpu, b: &Gpu) -> bool {
    a.sms.value >= b.sms.value
        && a.boost_clock.value >= b.boost_clock.value
        && a.bandwidth_peak.value >= b.bandwidth_peak.value
        && a.l2_size.value >= b.l2_size.value
        && a.power_limit.value >= b.power_limit.value
}

fn sustained_rates(g: &Gpu) -> [(&'static str, f64, bool); 3] {
    let told = |rate: f64, origin: NumberOrigin| (rate, origin == NumberOrigin::Measured);
    let fp32 = told(g.fp32_sustained().value.0, g.fp32_sustained().origin);
    let dram = told(g.bandwidth_sustained().value.0, g.bandwidth_sustained().origin);
    let l2 = told(g.l2_bandwidth_or_derived().value.0, g.l2_bandwidth_or_derived().origin);
    [("FP32", fp32.0, fp32.1), ("DRAM", dram.0, dram.1), ("L2", l2.0, l2.1)]
}

#[test]
fn more_of_everything_on_the_same_chip_is_never_slower() {
    let (mut pairs, mut wrong) = (0, Vec::new());
    for a in gpus() {
        for b in gpus().iter().filter(|b| b.id != a.id && b.chip == a.chip && a.ecc <= b.ecc) {
            if !has_no_less(a, b) {
                continue;
            }
            pairs += 1;
            for ((what, more, timed), (_, less, other_timed)) in
                sustained_rates(a).into_iter().zip(sustained_rates(b))
            {
                // Two programs on two hosts scatter; a derived rate has no such excuse.
                let scatter = if timed && other_timed { 0.03 } else { 0.01 };
                if more < less * (1.0 - scatter) {
                    wrong.push(format!("{what} of {}: {more:.4e}, below {less:.4e} of {}", a.id, b.id));
                }
            }
        }
    }
    assert!(pairs >= 40, "only {pairs} pairs were compared");
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn ada_boards_of_one_chip_stand_in_the_order_of_their_limits() {
    let fp32 = |id: &str| gpu(id).fp32_sustained().value.0;
    assert!(fp32("l40") <= fp32("l40s") && fp32("l40s") < fp32("rtx-4090"));
    let dram = |id: &str| gpu(id).bandwidth_sustained().value.0;
    assert!(dram("h100-nvl") < dram("h200") && dram("h100-sxm5") < dram("h100-nvl"));
}

// ---------------------------------------------------------------------------------------------------------------------
// GPU files against themselves

#[test]
fn lanes_sms_and_boost_clock_give_the_published_fp32_rate() {
    for g in gpus() {
        let lanes = f64::from(g.fp32_lanes_per_sm.value) * f64::from(g.sms.value);
        let computed = lanes * 2.0 * g.boost_clock.value.0;
        assert!(agree(computed, g.fp32_peak.value.0), "{}: {computed} and {:?}", g.id, g.fp32_peak.value);
    }
}

#[test]
fn fp64_lanes_give_the_published_fp64_rate() {
    let mut checked = 0;
    for g in gpus() {
        let Some((lanes, peak)) = g.fp64_lanes_per_sm.as_ref().zip(g.fp64_peak.as_ref()) else { continue };
        let computed = f64::from(lanes.value) * f64::from(g.sms.value) * 2.0 * g.boost_clock.value.0;
        assert!(agree(computed, peak.value.0), "{}: {computed} and {:?}", g.id, peak.value);
        checked += 1;
    }
    assert!(checked >= 40, "only {checked} GPUs have both");
}

#[test]
fn bus_and_data_rate_give_the_published_bandwidth() {
    for g in gpus() {
        let computed = f64::from(g.bus_bits.value) * g.data_rate.value / 8.0;
        let stated = g.bandwidth_peak.value.0;
        assert!(agree(computed, stated), "{}: {computed} and {stated}", g.id);
    }
}

#[test]
fn the_order_of_clocks_and_of_stated_and_reached_rates_is_kept() {
    for g in gpus() {
        let clock = |c: &Option<Sourced<roofswap::units::Hertz>>| c.as_ref().map(|c| c.value);
        for slower in [clock(&g.base_clock), clock(&g.sustained_clock)].into_iter().flatten() {
            assert!(slower <= g.boost_clock.value, "{}: {slower} above boost", g.id);
        }
        if let Some(reached) = &g.fp32_achieved {
            assert!(reached.value <= g.fp32_peak.value, "{}: SGEMM above peak", g.id);
        }
        if let Some(reached) = &g.bandwidth_achieved {
            assert!(reached.value <= g.bandwidth_peak.value, "{}: stream above peak", g.id);
        }
        if let Some(l2) = &g.l2_bandwidth {
            assert!(l2.value > g.bandwidth_peak.value, "{}: L2 slower than DRAM", g.id);
        }
        if let (Some(idle), limit) = (&g.idle_power, &g.power_limit) {
            assert!(idle.value < limit.value, "{}: idles above its limit", g.id);
        }
    }
}

#[test]
fn sparse_tensor_rates_are_twice_the_dense_ones() {
    let mut checked = 0;
    for g in gpus() {
        for t in &g.tensor {
            let name = format!("{} {} -> {}", g.id, t.input, t.accumulate);
            assert!(t.dense.is_some() || t.sparse.is_some(), "{name}: an empty row");
            if let Some((dense, sparse)) = t.dense.as_ref().zip(t.sparse.as_ref()) {
                assert!(agree(sparse.value.0, 2.0 * dense.value.0), "{name}");
                checked += 1;
            }
        }
    }
    assert!(checked > 100, "only {checked}");
}

#[test]
fn a_tensor_rate_stands_once_for_each_input_and_accumulate_type() {
    for g in gpus() {
        let mut seen = BTreeSet::new();
        for t in &g.tensor {
            assert!(seen.insert((&t.input, &t.accumulate)), "{}: {} {} twice", g.id, t.input, t.accumulate);
            let integer = t.input.starts_with("int");
            let known = ["fp16", "bf16", "tf32", "fp8", "fp6", "fp4", "fp64", "int8", "int4", "int1"];
            assert!(known.contains(&t.input.as_str()), "{}: input {}", g.id, t.input);
            let fits = match t.accumulate.as_str() {
                "int32" => integer,
                "fp64" => t.input == "fp64",
                "fp16" => matches!(t.input.as_str(), "fp16" | "fp8" | "fp6" | "fp4"),
                "fp32" => !integer && t.input != "fp64",
                _ => false,
            };
            assert!(fits, "{}: {} does not accumulate in {}", g.id, t.input, t.accumulate);
        }
    }
}

#[test]
fn tensor_types_came_with_their_architectures() {
    for g in gpus() {
        let (major, minor) = (g.cuda.compute_capability.major, g.cuda.compute_capability.minor);
        let without = major < 7 || ["TU116", "TU117"].contains(&g.chip.as_str());
        assert_eq!(g.tensor.is_empty(), without, "{}: tensor cores", g.id);
        for t in &g.tensor {
            let since = match t.input.as_str() {
                "int8" | "int4" | "int1" => (7, 5),
                "bf16" | "tf32" => (8, 0),
                "fp64" => (8, 0),
                "fp8" => (8, 9),
                "fp6" | "fp4" => (10, 0),
                _ => (7, 0),
            };
            assert!((major, minor) >= since, "{}: {} before its time", g.id, t.input);
            let sparse_allowed = major >= 8;
            assert!(sparse_allowed || t.sparse.is_none(), "{}: sparsity came with Ampere", g.id);
        }
    }
}

#[test]
fn architecture_compute_capability_and_year_belong_together() {
    for g in gpus() {
        let (capabilities, years): (&[&str], _) = match g.architecture.as_str() {
            "kepler" => (&["3.5", "3.7"], 2012..=2014),
            "maxwell" => (&["5.0", "5.2"], 2014..=2015),
            "pascal" => (&["6.0", "6.1"], 2016..=2017),
            "volta" => (&["7.0"], 2017..=2019),
            "turing" => (&["7.5"], 2018..=2021),
            "ampere" => (&["8.0", "8.6", "8.7"], 2020..=2023),
            "ada" => (&["8.9"], 2022..=2024),
            "hopper" => (&["9.0"], 2022..=2024),
            "blackwell" => (&["10.0", "10.3", "12.0", "12.1"], 2024..=2025),
            other => panic!("{}: architecture {other}", g.id),
        };
        let cc = g.cuda.compute_capability.to_string();
        assert!(capabilities.contains(&cc.as_str()), "{}: {} and {cc}", g.id, g.architecture);
        assert!(years.contains(&g.launch_year), "{}: {} and {}", g.id, g.architecture, g.launch_year);
    }
}

#[test]
fn a_file_stands_in_the_folder_of_its_architecture_under_its_own_id() {
    for (path, table) in files("gpus") {
        let stem = path.file_stem().unwrap().to_str().unwrap();
        let folder = path.parent().unwrap().file_name().unwrap().to_str().unwrap();
        assert_eq!(table["id"].as_str(), Some(stem), "{}", path.display());
        assert_eq!(table["architecture"].as_str(), Some(folder), "{}", path.display());
    }
    for (path, table) in files("kernels") {
        assert_eq!(table["id"].as_str(), path.file_stem().unwrap().to_str(), "{}", path.display());
    }
}

#[test]
fn boards_of_one_chip_agree_on_what_the_chip_decides() {
    for a in gpus() {
        for b in gpus().iter().filter(|b| b.chip == a.chip) {
            assert_eq!(a.cuda.compute_capability, b.cuda.compute_capability, "{} and {}", a.id, b.id);
            assert_eq!(a.fp32_lanes_per_sm.value, b.fp32_lanes_per_sm.value, "{} and {}", a.id, b.id);
            // Boards whose FP64 was fused off (H800, H20) state a rate and no lanes.
            let lanes = a.fp64_lanes_per_sm.as_ref().zip(b.fp64_lanes_per_sm.as_ref());
            assert!(lanes.is_none_or(|(x, y)| x.value == y.value), "{} and {}", a.id, b.id);
        }
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// The four GPUs of paper 1

#[test]
fn the_four_gpus_of_paper_1_have_its_table_and_its_measured_ceilings() {
    // SMs, base and boost MHz, GB/s, L2 MiB, shared KiB per SM, TFLOPS, W, measured GB/s, measured GFLOPS.
    // NVIDIA's numbers are the values where paper 1's Table 1 differs: RTX 2080 Ti and GTX TITAN X FP32.
    #[rustfmt::skip]
    let table = [
        ("titan-v", 80, 1200.0, 1455.0, 652.8, 4.5, 96, 14.9, 250.0, 609.9, 13_480.0),
        ("rtx-2080-ti", 68, 1350.0, 1545.0, 616.0, 5.5, 64, 13.45, 250.0, 541.1, 11_377.0),
        ("rtx-4070", 46, 1920.0, 2475.0, 504.0, 36.0, 100, 29.1, 200.0, 449.1, 17_155.0),
        ("gtx-titan-x", 24, 1000.0, 1075.0, 336.5, 3.0, 96, 6.6, 250.0, 256.4, 6_207.0),
    ];
    for (id, sms, base, boost, bandwidth, l2, shared, fp32, power, stream, sgemm) in table {
        let g = gpu(id);
        assert_eq!(g.sms.value, sms, "{id}");
        assert_eq!(g.base_clock.as_ref().unwrap().value.0, base * 1e6, "{id}: base");
        assert_eq!(g.boost_clock.value.0, boost * 1e6, "{id}: boost");
        assert!((g.bandwidth_peak.value.0 / 1e9 - bandwidth).abs() < 1e-6, "{id}: bandwidth");
        assert_eq!(g.l2_size.value.0, l2 * 1_048_576.0, "{id}: L2");
        assert_eq!((g.cuda.limits.smem_per_sm, g.cuda.limits.regs_per_sm), (shared * 1024, 65_536), "{id}");
        assert!(agree(g.fp32_peak.value.0 / 1e12, fp32), "{id}: FP32 {}", g.fp32_peak.value);
        assert_eq!(g.power_limit.value.0, power, "{id}: power");
        let (b, c) = (g.bandwidth_achieved.as_ref().unwrap(), g.fp32_achieved.as_ref().unwrap());
        assert!((b.value.0 / 1e9 - stream).abs() < 1e-6, "{id}: stream {}", b.value);
        assert!((c.value.0 / 1e9 - sgemm).abs() < 1e-6, "{id}: SGEMM {}", c.value);
        assert_eq!((b.source.as_ref(), c.source.as_ref()), ("study", "study"), "{id}");
        assert!(c.note.as_ref().is_some_and(|n| n.contains("SGEMM")), "{id}: how it was measured");
    }
}

#[test]
fn where_paper_1_differs_from_the_datasheet_its_number_is_noted() {
    let says = |id: &str, note: &Option<std::sync::Arc<str>>, number: &str| {
        assert!(note.as_ref().is_some_and(|n| n.contains(number)), "{id}: {number} is not noted in {note:?}");
    };
    says("gtx-titan-x", &gpu("gtx-titan-x").fp32_peak.note, "7.47");
    says("gtx-titan-x", &gpu("gtx-titan-x").bandwidth_peak.note, "336");
    says("titan-v", &gpu("titan-v").bandwidth_peak.note, "652");
    says("rtx-4070", &gpu("rtx-4070").fp16_peak.as_ref().unwrap().note, "116.4");
}

// ---------------------------------------------------------------------------------------------------------------------
// Sources

#[test]
fn a_number_that_trusts_less_than_its_source_says_why() {
    let mut overriding = 0;
    let shared = (PathBuf::from("specs/architectures.toml"), architectures());
    for (path, table) in files("gpus").into_iter().chain([shared]) {
        sourced(&toml::Value::Table(table), "", &mut |field, t| {
            if t.contains_key("kind") {
                overriding += 1;
                let note = t.get("note").and_then(toml::Value::as_str).unwrap_or_default();
                assert!(
                    note.len() > 3,
                    "{}{field}: a derived or assumed number without a note",
                    path.display()
                );
            }
        });
    }
    assert!(overriding > 100, "only {overriding}");
}

#[test]
fn prices_carry_the_day_they_were_seen() {
    for g in gpus() {
        for price in [&g.list_usd, &g.cloud_usd_per_hour].into_iter().flatten() {
            let date = price.date.as_deref().unwrap_or_default();
            let parts: Vec<u16> = date.split('-').filter_map(|p| p.parse().ok()).collect();
            assert!(parts.len() == 3 && date.len() == 10, "{}: price date `{date}`", g.id);
            assert!(
                (parts[0]..=parts[0] + 1).contains(&g.launch_year) || parts[0] >= g.launch_year,
                "{}",
                g.id
            );
        }
    }
}

#[test]
fn every_source_has_a_title_and_is_used() {
    let mut used = BTreeSet::new();
    let tables = ["gpus", "kernels"].into_iter().flat_map(files).map(|(_, table)| table);
    for table in tables.chain([architectures()]) {
        sourced(&toml::Value::Table(table), "", &mut |_, t| {
            used.extend(t["source"].as_str().map(str::to_string));
        });
    }
    let slices: toml::Table = include_str!("../../specs/mig.toml").parse().unwrap();
    for board in slices["board"].as_array().unwrap() {
        used.extend(["source", "sms_source"].map(|key| board[key].as_str().unwrap().to_string()));
    }
    for (id, Source { title, publisher, url, .. }) in shipped_sources().unwrap() {
        assert!(title.len() > 10, "{id}: title `{title}`");
        assert!(!publisher.is_empty(), "{id}: no publisher");
        assert!(url.is_none_or(|u| u.starts_with("https://")), "{id}: url");
        // Named by code or tables other than the spec files: occupancy rules, the ceilings of hosts, typed clocks.
        let elsewhere = ["cuda-occupancy", "paper5", "typed"].contains(&id.as_str());
        assert!(used.contains(&id) || elsewhere, "{id} is used nowhere");
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Kernel files

#[test]
fn every_kernel_has_sound_counts_at_all_its_sizes() {
    for k in SESSION.kernels.entries() {
        assert!(!k.sizes.is_empty(), "{}", k.id);
        for (name, problem) in &k.sizes {
            let at = format!("{} {name}", k.id);
            let i = k.instance(problem, k.example_variant()).unwrap_or_else(|e| panic!("{at}: {e}"));
            // The library behind an operator picks the launch.
            assert_eq!(i.launch.is_none(), k.runs_as == RunsAs::Operator, "{at}: {:?}", i.launch);
            if let Some(launch) = i.launch {
                assert!(
                    (1..=1024).contains(&launch.threads()) && launch.block_count() >= 1,
                    "{at}: {launch:?}"
                );
            }
            let get = |c| i.work.get(c);
            if let (Some(flops), Some(issued)) = (get(Count::Flops), get(Count::WarpInstsIssued)) {
                // 32 lanes, two operations each at most.
                assert!(flops <= issued * 64.0, "{at}: {flops} FLOPs in {issued} warp instructions");
            }
            if let (Some(lsu), Some(issued)) = (get(Count::LsuWarpInsts), get(Count::WarpInstsIssued)) {
                let replayed = k.id == "strided_copy_8"; // an instruction that touches 8 lines counts 8 times
                assert!(lsu <= issued || replayed, "{at}: {lsu} load/store of {issued} instructions");
            }
            if let (Some(global), Some(lsu)) = (get(Count::GlobalWarpInsts), get(Count::LsuWarpInsts)) {
                assert!(global <= lsu, "{at}: {global} global of {lsu} load/store instructions");
            }
            if let (Some(dram), Some(touched)) = (get(Count::DramBytes), get(Count::WorkingSetBytes)) {
                let note = k.count_formula(Count::DramBytes).unwrap().note.is_some();
                assert!(
                    dram >= touched || note,
                    "{at}: moves {dram} of {touched} bytes and does not say why"
                );
            }
            if let (Some(dram), Some(l2)) = (get(Count::DramBytes), get(Count::L2Bytes)) {
                assert!(l2 >= dram, "{at}: {dram} bytes of DRAM traffic, {l2} through L2");
            }
            if let Some(active) = get(Count::ActiveThreadsPerInst) {
                assert!((1.0..=32.0).contains(&active), "{at}: {active} active threads");
            }
        }
    }
}

#[test]
fn bigger_sizes_are_bigger_and_do_more_work() {
    for k in SESSION.kernels.entries() {
        for pair in k.sizes.windows(2) {
            let work = |i: usize| k.instance(&pair[i].1, k.example_variant()).unwrap().work;
            assert!(pair[0].1.volume() < pair[1].1.volume(), "{}: {} and {}", k.id, pair[0].0, pair[1].0);
            if let (Some(a), Some(b)) =
                (work(0).get(Count::WarpInstsIssued), work(1).get(Count::WarpInstsIssued))
            {
                assert!(a < b, "{}", k.id);
            }
        }
    }
}

#[test]
fn what_nobody_counted_is_listed_with_the_reason() {
    for k in SESSION.kernels.entries() {
        // Wavefronts of L1 are another number than instructions only where accesses are strided or wide.
        // Only a block that meets a barrier has rounds, and only code unrolled whole is one long run: elsewhere there is nothing to count.
        // Pipes are what profilers count beside the formulas. Few kernels add to lines that others add to, or look up words in no order.
        let of_some = [
            Count::AtomicLineSectors,
            Count::ScatteredSetBytes,
            Count::GlobalWavefronts,
            Count::LoadRounds,
            Count::StraightLineInsts,
            Count::FmaWarpInsts,
            Count::AluWarpInsts,
            Count::XuWarpInsts,
            Count::Fp64WarpInsts,
        ];
        for count in Count::ALL.into_iter().filter(|count| !of_some.contains(count)) {
            let (counted, listed) = (k.count_formula(count).is_some(), k.unknown.get(count.name()));
            assert_ne!(counted, listed.is_some(), "{}: {} is {counted} and {listed:?}", k.id, count.name());
            assert!(listed.is_none_or(|why| why.len() > 5), "{}: {}", k.id, count.name());
        }
        if k.compiled.is_empty() {
            assert!(k.unknown.contains_key("registers"), "{}: no registers, no reason", k.id);
        }
        let names = Count::ALL.map(Count::name);
        for what in k.unknown.keys() {
            assert!(names.contains(&what.as_str()) || what == "registers", "{}: `{what}` is no count", k.id);
        }
    }
}

#[test]
fn a_square_matrix_product_needs_one_key() {
    for id in ["matmul_naive", "matmul_tiled"] {
        let k = SESSION.kernels.entry_named(id).unwrap();
        let full = k.completed_problem(&"n=512".parse().unwrap()).unwrap();
        assert_eq!(full.to_string(), "m=512;n=512;k=512", "{id}");
        assert_eq!(k.short_problem(&full), "n=512", "{id}");
        assert_eq!(k.instance(&full, "").unwrap().work.get(Count::Flops), Some(2.0 * 512f64.powi(3)), "{id}");
    }
}

#[test]
fn ids_and_aliases_are_found_by_their_own_names() {
    for g in gpus() {
        for name in
            std::iter::once(g.id()).chain(g.aliases().iter().map(String::as_str)).chain([g.name.as_str()])
        {
            let found = SESSION.gpus.entry_named(name).map(|f| f.id.clone());
            assert_eq!(found, Ok(g.id.clone()), "{name}");
        }
    }
    for k in SESSION.kernels.entries() {
        for name in std::iter::once(k.id()).chain(k.aliases().iter().map(String::as_str)) {
            assert_eq!(SESSION.kernels.entry_named(name).map(|f| f.id.clone()), Ok(k.id.clone()), "{name}");
        }
    }
}
