//! `probe` against a scripted driver, and the GPU files it writes. No GPU is needed, and nothing here says what a real one
//! reaches; that the micro-benchmarks' sources compile is checked where NVRTC is to be had.

#![allow(
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a skipped test says so; clippy.toml allows unwrap in test functions, and their builders stand outside"
)]

use roofswap::catalogue::SpecFile;
use roofswap::device::driver::{DeviceError, Driver, EntryFacts, GpuFacts, OpenDevice, Parameter};
use roofswap::device::fake::{Call, Fake, FakeMemory, Takes, small_gpu};
use roofswap::device::probe::{Probe, WriteError, gpu_file, run_benches};
use roofswap::gpu::{Gpu, LimitsTable, is_overlay, load_text};
use roofswap::kernel::Launch;
use roofswap::progress::Progress;
use roofswap::session::Session;

const FACTS: EntryFacts =
    EntryFacts { registers: 32, static_smem: 0, local_bytes: 0, max_threads: 1024, blocks_per_sm: 0 };

fn nothing(_: &mut FakeMemory, _: &[Parameter], _: Launch) {}

/// The last number among the parameters: elements, rounds or steps.
fn last(p: &[Parameter]) -> f64 {
    p.iter().rev().find_map(|p| if let Parameter::U32(n) = p { Some(f64::from(*n)) } else { None }).unwrap()
}

fn threads(launch: Launch) -> f64 {
    f64::from(launch.threads()) * launch.block_count() as f64
}

/// A GPU of 450 GB/s, 1.5 TB/s of L2, 25 TFLOP/s, 400 ns.
fn scripted() -> Fake {
    let kernels: [(&str, Takes); 12] = [
        ("probe_empty", |_, _| 2.4e-6),
        ("probe_copy", |p, _| 32.0 * last(p) / 450e9),
        ("probe_triad", |p, _| 48.0 * last(p) / 455e9),
        ("probe_read", |p, _| 16.0 * last(p) / 470e9),
        ("probe_chase", |p, _| last(p) * 400e-9),
        ("probe_read_l2", |p, l| 64.0 * threads(l) * last(p) / 1.5e12),
        ("probe_read_l1", |p, l| 64.0 * threads(l) * last(p) / 12e12),
        ("probe_shared", |p, l| 64.0 * threads(l) * last(p) / 14e12),
        ("probe_fp32", |p, l| 256.0 * threads(l) * last(p) / 25e12),
        ("probe_fp64", |p, l| 256.0 * threads(l) * last(p) / 0.4e12),
        ("probe_tensor", |p, l| 32768.0 * threads(l) / 32.0 * last(p) / 100e12),
        ("probe_straight_line", |_, _| 5e-3),
    ];
    kernels
        .into_iter()
        .fold(Fake::default(), |fake, (symbol, takes)| fake.knowing(symbol, FACTS, takes, nothing))
}

fn probed(fake: &Fake) -> Result<Probe, DeviceError> {
    let facts = fake.gpus[0].clone();
    let mut device: Box<dyn OpenDevice> = fake.open_device(0)?;
    run_benches(&mut *device, &facts, &fake.version(), &Progress::default(), |_, _, _| {})
}

/// What the program's own loader makes of the file.
fn loaded(text: &str, id: &str) -> Gpu {
    let mut session = Session::load(None).unwrap();
    let limits = LimitsTable::shipped().unwrap();
    session
        .edit(|w| {
            load_text(
                SpecFile { name: "mine.toml", text },
                &w.sources,
                &limits,
                std::sync::Arc::make_mut(&mut w.gpus),
            )
        })
        .unwrap_or_else(|e| panic!("{e}\n{text}"));
    session.gpus.entry_named(id).unwrap().clone()
}

fn near(value: f64, wanted: f64) -> bool {
    (value / wanted - 1.0).abs() < 0.01
}

#[test]
fn a_gpu_of_the_catalogue_gets_its_measured_rates_laid_over() {
    let probe = probed(&scripted()).unwrap();
    // The fake has no half-precision kernel: that one is missing, and said so.
    assert_eq!(probe.missing.len(), 1, "{:?}", probe.missing);
    assert!(probe.missing[0].contains("FP16 multiply-adds (fp16_fma): cuModuleGetFunction failed"));
    let session = Session::load(None).unwrap();
    let text = gpu_file(&probe, &session.gpus).unwrap();
    assert!(is_overlay(&text), "{text}");
    let gpu = loaded(&text, "rtx-4070");
    let own = |origin: &str| assert_eq!(origin, "measured");
    own(gpu.bandwidth_achieved.as_ref().unwrap().origin.as_str());
    assert!(near(gpu.bandwidth_achieved.as_ref().unwrap().value.0, 450e9));
    assert!(near(gpu.fp32_achieved.as_ref().unwrap().value.0, 25e12));
    assert!(near(gpu.fp64_achieved.as_ref().unwrap().value.0, 0.4e12));
    assert!(near(gpu.l2_bandwidth.as_ref().unwrap().value.0, 1.5e12));
    assert!(near(gpu.launch_floor.as_ref().unwrap().value.0, 2.4e-6));
    // 14 TB/s over 46 SMs at the 2,500 MHz that were sampled.
    assert!(near(gpu.shared_bytes_per_clock.as_ref().unwrap().value, 14e12 / (46.0 * 2.5e9)));
    let note = gpu.bandwidth_achieved.unwrap().note.unwrap();
    assert!(note.contains("median of 11, best") && note.contains("2 arrays of"), "{note}");
    assert!(gpu.fp16_achieved.is_none());
    // As many instructions in the same time, however long the loop: no limit was seen.
    assert_eq!(gpu.straight_line_insts.unwrap().value, 16_384.0);
    assert!(gpu.straight_line_issue.is_none());
}

#[test]
fn every_ceiling_has_repeats_a_spread_and_its_method_and_curves_have_points() {
    let probe = probed(&scripted()).unwrap();
    for r in &probe.readings {
        assert!(r.repeats == 11 && r.spread > 0.0 && r.spread < 0.01 && !r.method.is_empty(), "{r:?}");
    }
    let points = |id: &str| probe.readings.iter().filter(|r| r.id == id).count();
    assert_eq!(
        [points("l2_read"), points("l1_read"), points("dram_copy"), points("straight_line")],
        [6, 7, 1, 7]
    );
    assert!(points("dram_by_occupancy") >= 4, "{:?}", probe.readings);
    assert!(near(probe.ceiling("dram_latency").unwrap().median, 400e-9));
    assert!(near(probe.ceiling("tensor_fp16").unwrap().median, 100e12));
}

#[test]
fn a_gpu_that_the_catalogue_does_not_have_is_written_whole() {
    let facts = GpuFacts { name: "NVIDIA RTX 9999 \"Ada\"".into(), ..small_gpu() };
    let probe = probed(&Fake { gpus: vec![facts], ..scripted() }).unwrap();
    let session = Session::load(None).unwrap();
    let text = gpu_file(&probe, &session.gpus).unwrap();
    assert!(!is_overlay(&text));
    let gpu = loaded(&text, "rtx-9999-ada");
    assert_eq!((gpu.sms.value, gpu.bus_bits.value, gpu.fp32_lanes_per_sm.value), (46, 192, 128));
    assert!(near(gpu.bandwidth_peak.value.0, 504e9), "{}", gpu.bandwidth_peak.value);
    assert_eq!((gpu.sms.origin.as_str(), gpu.fp32_peak.origin.as_str()), ("published", "derived"));
    assert!(near(gpu.bandwidth_achieved.unwrap().value.0, 450e9));
    assert!(text.contains("launch_year is that of"), "what is assumed is said: {text}");
}

#[test]
fn a_mig_slice_is_a_gpu_of_its_own() {
    let facts =
        GpuFacts { name: "NVIDIA GeForce RTX 4070 MIG 1g.5gb".into(), mig: true, sms: 14, ..small_gpu() };
    let whole =
        scripted().knowing("probe_fp32", FACTS, |p, l| 256.0 * threads(l) * last(p) / 7.5e12, nothing);
    let probe = probed(&Fake { gpus: vec![facts], ..whole }).unwrap();
    let text = gpu_file(&probe, &Session::load(None).unwrap().gpus).unwrap();
    assert!(text.contains("a MIG slice"));
    assert_eq!(loaded(&text, "rtx-4070-mig-1g-5gb").sms.value, 14);
}

#[test]
fn a_kind_of_gpu_that_nobody_knows_is_not_guessed() {
    let facts = GpuFacts { name: "NVIDIA Next".into(), capability: (19, 0), ..small_gpu() };
    let probe = probed(&Fake { gpus: vec![facts], ..scripted() }).unwrap();
    let why = gpu_file(&probe, &Session::load(None).unwrap().gpus).unwrap_err();
    assert!(matches!(why, WriteError::NoRelative { major: 19, .. }), "{why}");
    let nothing = Fake::default();
    let probe = probed(&nothing).unwrap();
    assert!(probe.readings.is_empty());
    assert_eq!(gpu_file(&probe, &Session::load(None).unwrap().gpus), Err(WriteError::Nothing));
}

#[test]
fn little_memory_and_a_busy_gpu_are_said() {
    let facts = GpuFacts { memory_bytes: 1 << 20, ..small_gpu() };
    let probe = probed(&Fake { gpus: vec![facts], ..scripted() }).unwrap();
    assert!(probe.ceiling("fp32_fma").is_some(), "{:?}", probe.missing);
    let busy = DeviceError::Busy("CUDA_ERROR_DEVICE_UNAVAILABLE".into());
    let why = probed(&scripted().failing(Call::Open, 0, 1, busy)).unwrap_err().to_string();
    assert!(why.contains("compute mode") && !why.contains('\n'), "{why}");
    let out = DeviceError::OutOfMemory { bytes: 7 };
    let probe = probed(&scripted().failing(Call::Allocate, 0, 1, out)).unwrap();
    assert!(
        probe.missing.iter().any(|m| m.contains("DRAM copy (dram_copy): out of memory")),
        "{:?}",
        probe.missing
    );
}

/// Every shipped source for every architecture, with the NVRTC that `ROOFSWAP_NVRTC` names or the system has.
#[cfg(feature = "nvidia")]
#[test]
fn every_shipped_source_compiles_where_nvrtc_is_to_be_had() {
    use roofswap::device::{code, real::Nvrtc};
    let nvrtc = match Nvrtc::find_library() {
        Ok(nvrtc) => nvrtc,
        Err(why) => return eprintln!("skipped: {why}"),
    };
    let (major, minor) = nvrtc.version().unwrap();
    // What this release can still, or already, compile for.
    let capabilities: &[(u8, u8)] =
        if (major, minor) >= (12, 8) { &[(7, 5), (9, 0), (12, 0)] } else { &[(7, 5), (8, 6)] };
    for (file, text) in code::sources() {
        for capability in capabilities {
            let code = nvrtc
                .cubin(&file, text, *capability)
                .unwrap_or_else(|e| panic!("{file} {capability:?}: {e}"));
            assert_eq!(&code[..4], b"\x7fELF", "{file}");
        }
    }
    let wrong = nvrtc.cubin("x.cu", "extern \"C\" __global__ void x( {}", (7, 5)).unwrap_err();
    assert!(
        matches!(&wrong, DeviceError::Compile { file, log } if file == "x.cu" && log.contains("error")),
        "{wrong}"
    );
    let unknown = nvrtc.cubin("x.cu", "", (99, 0)).unwrap_err();
    assert!(matches!(unknown, DeviceError::NoCompiler(_)), "{unknown}");
}
