//! `measure` against a scripted driver: what is timed, checked, sampled, kept and refused. No GPU is needed, and nothing
//! here says that a real one behaves so.

#![allow(
    clippy::unwrap_used,
    reason = "clippy.toml allows it in test functions; their builders stand outside"
)]

use roofswap::catalogue::Catalogue;
use roofswap::device::driver::{Address, DeviceError, Driver, EntryFacts, GpuFacts, OpenDevice, Parameter};
use roofswap::device::fake::{Call, Fake, FakeMemory, small_gpu};
use roofswap::device::measure::{
    Document, Ended, MeasureOptions, MeasurePlan, RunMachine, RunOutcome, RunSetup, RunWatch, about_text,
    measure, plan,
};
use roofswap::device::suite::{SuiteKernel, reference::reference, shipped_suite};
use roofswap::gpu::SmLimits;
use roofswap::kernel::{Kernel, Launch};
use roofswap::measurement::{CanonicalRow, Dataset, Number};
use roofswap::progress::Progress;
use roofswap::session::Session;
use std::sync::atomic::Ordering;

/// Everything a run needs.
struct Bench {
    session: Session,
    suite: Vec<SuiteKernel>,
    fake: Fake,
    machine: RunMachine,
    progress: Progress,
}

/// What a run hands over.
#[derive(Default)]
struct Kept {
    rows: Vec<CanonicalRow>,
    begun: Vec<String>,
    full_after: Option<usize>,
}

impl RunWatch for Kept {
    fn begins(&mut self, _: usize, _: usize, name: &str) {
        self.begun.push(name.into());
    }
    fn take_rows(&mut self, rows: Vec<CanonicalRow>) -> Result<(), String> {
        if self.full_after.is_some_and(|n| self.rows.len() >= n) {
            return Err("runs.csv: was not written: No space left on device".into());
        }
        self.rows.extend(rows);
        Ok(())
    }
}

fn address(parameter: &Parameter) -> Address {
    if let Parameter::Address(a) = parameter { *a } else { panic!("no address: {parameter:?}") }
}

fn count(parameter: &Parameter) -> usize {
    if let Parameter::U32(n) = parameter { *n as usize } else { panic!("no number: {parameter:?}") }
}

fn saxpy(memory: &mut FakeMemory, p: &[Parameter], _: Launch) {
    let n = count(&p[4]);
    let Parameter::F32(alpha) = p[0] else { panic!("alpha") };
    let (x, y) = (memory.f32s(address(&p[1]), n), memory.f32s(address(&p[2]), n));
    let z: Vec<f32> = x.iter().zip(&y).map(|(x, y)| alpha.mul_add(*x, *y)).collect();
    memory.set_f32s(address(&p[3]), &z);
}

fn add(memory: &mut FakeMemory, p: &[Parameter], _: Launch) {
    let n = count(&p[3]);
    let (a, b) = (memory.f32s(address(&p[0]), n), memory.f32s(address(&p[1]), n));
    let c: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
    memory.set_f32s(address(&p[2]), &c);
}

fn nothing(_: &mut FakeMemory, _: &[Parameter], _: Launch) {}

/// 504 GB/s and a floor of 2 µs.
fn streamed(p: &[Parameter], _: Launch) -> f64 {
    let n = p.iter().filter_map(|p| if let Parameter::U32(n) = p { Some(f64::from(*n)) } else { None });
    2e-6 + 12.0 * n.sum::<f64>() / 504e9
}

const PLAIN: EntryFacts =
    EntryFacts { registers: 12, static_smem: 0, local_bytes: 0, max_threads: 1024, blocks_per_sm: 6 };

fn bench(fake: Fake) -> Bench {
    let fake = fake
        .knowing("saxpy", PLAIN, streamed, saxpy)
        .knowing("vector_add", PLAIN, streamed, add)
        .knowing("elementwise_add", PLAIN, streamed, add);
    let session = Session::load(None).unwrap();
    let facts = fake.gpus[0].clone();
    let machine = RunMachine { gpu: "rtx-4070".into(), facts, version: fake.version() };
    Bench { session, suite: shipped_suite().unwrap(), fake, machine, progress: Progress::default() }
}

impl Bench {
    fn plan(&self, kernels: &[&str], sizes: &[&str]) -> MeasurePlan<'_> {
        let owned = |all: &[&str]| all.iter().map(ToString::to_string).collect::<Vec<_>>();
        let (suite, kernels_of): (&[SuiteKernel], &Catalogue<Kernel>) = (&self.suite, &self.session.kernels);
        plan(suite, kernels_of, &owned(kernels), &owned(sizes), &MeasureOptions::default()).unwrap()
    }

    fn limits(&self) -> SmLimits {
        self.session.gpus.entry_named("rtx-4070").unwrap().cuda.limits
    }

    fn run(&self, plan: &mut MeasurePlan<'_>, kept: &mut Kept) -> Result<RunOutcome, Ended> {
        self.run_with(MeasureOptions::default(), plan, kept)
    }

    fn run_with(
        &self,
        options: MeasureOptions,
        plan: &mut MeasurePlan<'_>,
        kept: &mut Kept,
    ) -> Result<RunOutcome, Ended> {
        let mut device: Box<dyn OpenDevice> = self.fake.open_device(0).unwrap();
        let limits = self.limits();
        let setup = RunSetup {
            machine: &self.machine,
            limits: Some(&limits),
            options: &options,
            reference,
            progress: &self.progress,
        };
        measure(&mut *device, plan, setup, kept)
    }

    fn small(&self, kernels: &[&str]) -> (Result<RunOutcome, Ended>, Kept) {
        let mut kept = Kept::default();
        let done = self.run(&mut self.plan(kernels, &["small"]), &mut kept);
        (done, kept)
    }
}

fn number(row: &CanonicalRow, of: Number) -> f64 {
    row.get(of).unwrap_or(f64::NAN)
}

#[test]
fn the_default_suite_has_every_kernel_of_the_papers_and_more_than_seventy_configurations() {
    let bench = bench(Fake::default());
    let all = bench.plan(&[], &[]);
    assert!(all.configurations.len() >= 71, "{}", all.configurations.len());
    let gpu = bench.session.gpus.entry_named("rtx-4070").unwrap();
    let minutes = all.estimate(gpu, &MeasureOptions::default()).0 / 60.0;
    assert!(minutes < 5.0, "{minutes} minutes on an RTX 4070, as estimated");
}

#[test]
fn a_kernel_is_checked_then_timed_warm_and_cold() {
    let bench = bench(Fake::default());
    let (done, kept) = bench.small(&["saxpy"]);
    let done = done.unwrap();
    assert_eq!((done.timed, done.failed.len(), done.differences.len()), (1, 0, 0), "{done:?}");
    let [warm, cold] = &kept.rows[..] else { panic!("{:?}", kept.rows) };
    assert_eq!((&*warm.variant, &*cold.variant), ("", "caches=cold"));
    assert_eq!((&*warm.gpu, &*warm.kernel, &*warm.problem), ("rtx-4070", "saxpy", "n=262144"));
    let expected = 1e3 * (2e-6 + 12.0 * 262_144.0 / 504e9);
    assert!((number(warm, Number::Time) / expected - 1.0).abs() < 0.005);
    assert!(number(warm, Number::TimeStd) < 0.01 * expected);
    assert_eq!((number(warm, Number::Trials), number(warm, Number::RegsPerThread)), (10.0, 12.0));
    assert_eq!((number(warm, Number::SmClock), number(warm, Number::Power)), (2500.0, 150.0));
    assert_eq!(warm.attributes["trials_ms"].split(';').count(), 10);
    assert_eq!(warm.attributes["buffer_copies"], "1");
    // 3 MiB of buffers beside 1 MiB of L2: the other copy alone is more than twice the cache.
    assert_eq!(cold.attributes["buffer_copies"], "2");
    assert!(number(cold, Number::Power) == 150.0, "an idle GPU's power in a row");
}

#[test]
fn the_file_loads_as_a_source_and_says_of_itself_how_it_was_made() {
    let mut bench = bench(Fake::default());
    let (_, kept) = bench.small(&["saxpy", "vector_add"]);
    let mut document = Document::default();
    document.add_rows(kept.rows);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("runs.csv");
    std::fs::write(&file, document.file_bytes()).unwrap();
    let loaded = bench.session.add_data(&file).unwrap();
    assert_eq!((loaded.rows, loaded.refused_count), (4, 0), "{:?}", loaded.refused);
    assert!(loaded.remarks.is_empty(), "{:?}", loaded.remarks);
    let about = about_text("runs.csv", &bench.machine, &document, &MeasureOptions::default(), "2026-11-21");
    let spec = roofswap::catalogue::SpecFile { name: "about.toml", text: &about };
    let about = Dataset::from_file(spec).unwrap();
    assert_eq!((about.rows, &*about.source), (4, &*document.canonical_rows()[0].source));
}

#[test]
fn a_wrong_answer_is_never_timed() {
    let fake = Fake::default().knowing("saxpy", PLAIN, streamed, nothing);
    let bench = bench(Fake::default());
    let bench = Bench { fake, ..bench };
    let (done, kept) = bench.small(&["saxpy"]);
    let done = done.unwrap();
    assert!(kept.rows.is_empty());
    assert!(done.failed[0].why.contains("compared elements of `z` are wrong"), "{done:?}");
    assert_eq!(bench.fake.script().launches, 1);
}

#[test]
fn an_occupancy_that_is_not_ours_is_reported_and_the_kernel_still_timed() {
    let other = EntryFacts { blocks_per_sm: 5, ..PLAIN };
    let bench = bench(Fake::default());
    bench.fake.script().kernels.get_mut("saxpy").unwrap().facts = other;
    let done = bench.small(&["saxpy"]).0.unwrap();
    assert_eq!((done.timed, done.differences.len()), (1, 1));
    assert!(done.differences[0].why.contains("the driver says 5 blocks per SM, our calculator 6"));
}

#[test]
fn what_does_not_fit_is_skipped_and_said() {
    let small = GpuFacts { memory_bytes: 8 << 20, ..small_gpu() };
    let bench = bench(Fake { gpus: vec![small], ..Fake::default() });
    let mut kept = Kept::default();
    let done = bench.run(&mut bench.plan(&["saxpy"], &["small", "medium"]), &mut kept).unwrap();
    assert_eq!((done.timed, done.skipped.len(), done.failed.len()), (1, 1, 0), "{done:?}");
    assert!(done.skipped[0].why.contains("needs 12 MiB, 8 MiB"), "{done:?}");
    // Free according to the driver, and refused all the same: fragmented.
    let out = DeviceError::OutOfMemory { bytes: 6_291_456 };
    let bench = self::bench(Fake::default().failing(Call::Allocate, 0, 1, out));
    let done = bench.small(&["saxpy", "vector_add"]).0.unwrap();
    assert_eq!((done.timed, done.skipped.len()), (1, 1));
    assert!(done.skipped[0].why.contains("out of memory: 6291456 bytes"));
}

/// What is launched for a profiler needs no copies, and nothing is missing where they would not do.
#[test]
fn a_kernel_that_is_launched_once_has_no_cold_figure_to_miss() {
    let large_l2 = GpuFacts { l2_bytes: 8 << 30, ..small_gpu() };
    let bench = bench(Fake { gpus: vec![large_l2], ..Fake::default() });
    for (launch_once, missing) in [(false, 1), (true, 0)] {
        let options = MeasureOptions { launch_once, ..MeasureOptions::default() };
        let mut plan = bench.plan(&["saxpy"], &["small"]);
        let done = bench.run_with(options, &mut plan, &mut Kept::default()).unwrap();
        assert_eq!((done.timed, done.skipped.len(), done.failed.len()), (1, missing, 0), "{done:?}");
    }
}

#[test]
fn a_cancelled_run_keeps_what_is_done_and_goes_on_where_it_stopped() {
    let bench = bench(Fake::default());
    let cancelled = bench.progress.cancelled.clone();
    // The first configuration takes one check and two timings; the second is in its trials.
    bench.fake.script().after_run = Some(Box::new(move |run| cancelled.store(run > 35, Ordering::Relaxed)));
    let mut kept = Kept::default();
    let three = ["vector_add", "saxpy", "elementwise_add"];
    let mut plan = bench.plan(&three, &["small"]);
    let order: Vec<String> = plan.configurations.iter().map(|c| c.name()).collect();
    let done = bench.run(&mut plan, &mut kept).unwrap();
    assert!(done.cancelled);
    assert_eq!(kept.rows.len(), 2, "both rows of a configuration or none");
    let mut document = Document::default();
    document.add_rows(kept.rows.clone());
    let text = String::from_utf8(document.file_bytes()).unwrap();
    let again = Document::continued(&text, "runs.csv", &bench.machine).unwrap();
    assert_eq!(again.canonical_rows(), document.canonical_rows(), "what is read is what was written");
    bench.progress.cancelled.store(false, Ordering::Relaxed);
    bench.fake.script().after_run = None;
    let mut rest = bench.plan(&three, &["small"]);
    rest.configurations.retain(|c| !c.is_in(&again));
    assert_eq!(rest.configurations.len(), 2);
    let mut more = Kept::default();
    assert_eq!(bench.run(&mut rest, &mut more).unwrap().timed, 2);
    assert_eq!(more.begun, order[1..]);
}

#[test]
fn a_file_of_another_gpu_driver_or_program_is_not_continued() {
    let bench = bench(Fake::default());
    let (_, kept) = bench.small(&["saxpy"]);
    let mut document = Document::default();
    document.add_rows(kept.rows);
    let text = String::from_utf8(document.file_bytes()).unwrap();
    let refused = |text: &str, machine: &RunMachine| {
        Document::continued(text, "runs.csv", machine).unwrap_err().to_string()
    };
    let mut other = bench.machine.clone();
    other.facts.uuid = "GPU-2".into();
    let why = refused(&text, &other);
    assert!(why.contains("runs.csv:2: gpu_uuid is `GPU-0") && why.contains("here it is `GPU-2`"), "{why}");
    let mut newer = bench.machine.clone();
    newer.version.driver = "580.10".into();
    assert!(refused(&text, &newer).contains("driver is `570.00`, here it is `580.10`"));
    assert!(refused("a,b\n1,2\n", &bench.machine).contains(":2: has no gpu"));
    assert!(
        refused("gpu,kernel,time_ms\nrtx-4070,saxpy,fast\n", &bench.machine).contains("time_ms is `fast`")
    );
    assert!(refused("gpu,kernel\n\"x", &bench.machine).contains("runs.csv"));
    assert_eq!(Document::continued("\n", "runs.csv", &bench.machine).unwrap(), Document::default());
}

#[test]
fn a_full_disk_ends_the_run_and_names_the_file() {
    let bench = bench(Fake::default());
    let mut kept = Kept { full_after: Some(2), ..Kept::default() };
    let ended = bench.run(&mut bench.plan(&["saxpy", "vector_add"], &["small"]), &mut kept).unwrap_err();
    assert_eq!(ended.to_string(), "runs.csv: was not written: No space left on device");
    assert_eq!(kept.rows.len(), 2);
}

#[test]
fn a_lost_gpu_ends_the_run_a_refused_launch_only_its_configuration() {
    let lost = DeviceError::Lost("cuEventSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS".into());
    let bench = bench(Fake::default().failing(Call::Finish, 0, 99, lost));
    let ended = bench.small(&["saxpy", "vector_add"]).0.unwrap_err().to_string();
    assert!(
        ended.starts_with("saxpy n=262144: the GPU's context is lost") || ended.starts_with("vector_add")
    );
    let refused = DeviceError::Refused("cuLaunchKernel: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES".into());
    let bench = self::bench(Fake::default().failing(Call::Start, 0, 1, refused));
    let (done, kept) = bench.small(&["saxpy", "vector_add"]);
    let done = done.unwrap();
    assert_eq!((done.timed, done.failed.len(), kept.rows.len()), (1, 1, 2));
    assert!(done.failed[0].why.contains("OUT_OF_RESOURCES"));
}

#[test]
fn without_nvrtc_the_shipped_ptx_is_used_and_the_rows_say_so() {
    let bench = bench(Fake { compiler: false, ..Fake::default() });
    let (done, kept) = bench.small(&["saxpy", "vector_add"]);
    let done = done.unwrap();
    assert_eq!((done.timed, done.remarks.len()), (2, 1), "{:?}", done.remarks);
    assert!(done.remarks[0].contains("NVRTC cannot be used: the library is not installed"));
    assert!(kept.rows.iter().all(|r| r.attributes["compiled_by"].ends_with(".compute_52.ptx")));
}

#[test]
fn a_kernel_without_reference_is_not_timed() {
    let bench = bench(Fake::default());
    let mut device = bench.fake.open_device(0).unwrap();
    let options = MeasureOptions::default();
    let setup = RunSetup {
        machine: &bench.machine,
        limits: None,
        options: &options,
        reference: |_| None,
        progress: &bench.progress,
    };
    let mut kept = Kept::default();
    let done = measure(&mut *device, &mut bench.plan(&["saxpy"], &["small"]), setup, &mut kept).unwrap();
    assert!(kept.rows.is_empty() && done.failed[0].why.contains("no CPU reference"));
}
