//! Traces of applications: the samples against figures found independently, small files made here, and damage of every kind.

#![allow(clippy::unwrap_used, clippy::print_stdout)] // helpers of tests are tests, and say what they skip

use crate::skipping::skip_aloud;
use crate::small_sqlite::{Table, Val, database};
use flate2::Compression;
use flate2::write::GzEncoder;
use roofswap::application::{
    ActivityKind, Application, CopyDirection, ForecastSettings, IdleSplit, KernelCategory, PartOfTrace,
    Recorded, bar_parts, forecast, read_application,
};
use roofswap::progress::Progress;
use roofswap::session::Session;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

fn sample(name: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env!("ROOFSWAP_CHECKOUT")).join("../shared/samples").join(name);
    if !path.exists() {
        skip_aloud(&format!("{name} is not here"));
        return None;
    }
    Some(path)
}

fn recorded(path: &Path) -> Recorded {
    read_application(path, &Progress::default()).unwrap()
}

fn whole(path: &Path, device: Option<u32>) -> Application {
    recorded(path).application(&PartOfTrace { device, range: None }).unwrap()
}

fn nanoseconds(seconds: f64) -> i64 {
    (seconds * 1e9).round() as i64
}

/// Kernels, their summed time, the union of kernels, copies, fills and graphs, the summed time of copies, and the window, in
/// nanoseconds. Of the SQLite files found with sqlite3 (sum, and the running maximum of ends over rows by start); of the
/// JSON files with Python's decimal numbers.
const FIGURES: [(&str, u32, u64, i64, i64, i64, i64); 11] = [
    ("nsys/h100_2gpu_1s.sqlite", 0, 1721, 22_385_163, 962_890_247, 940_490_300, 969_447_605),
    ("nsys/h100_2gpu_1s.sqlite", 1, 1721, 22_444_359, 962_810_705, 940_351_914, 969_258_578),
    ("nsys/healthy_1pct.sqlite", 0, 400, 400_000_000, 400_000_000, 0, 403_990_000),
    ("nsys/mock.sqlite", 0, 2, 4129, 5761, 1632, 22_453_059),
    ("nsys/nsight-2025.5.2.sqlite", 0, 3, 3840, 7808, 864, 186_815),
    (
        "traces/h100__Falconsai_nsfw_image_detection__1016002.json.gz",
        0,
        154,
        1_220_926,
        1_225_310,
        0,
        7_559_844,
    ),
    (
        "traces/h100__facebook_timesformer-base-finetuned-k400__1016002.json.gz",
        0,
        446,
        154_855_595,
        158_433_174,
        3_464_142,
        159_992_427,
    ),
    ("traces/h100__gaunernst_bert-small-uncased__1016001.json.gz", 0, 60, 307_197, 309_437, 2240, 3_907_825),
    (
        "traces/mi300__Falconsai_nsfw_image_detection__1016002.json.gz",
        2,
        155,
        1_716_301,
        1_716_301,
        0,
        6_868_849,
    ),
    (
        "traces/mi300__facebook_timesformer-base-finetuned-k400__1016002.json.gz",
        2,
        447,
        118_758_892,
        119_852_883,
        1_093_991,
        121_267_204,
    ),
    ("traces/mi300__gaunernst_bert-small-uncased__1016001.json.gz", 2, 60, 388_344, 390_748, 2404, 3_495_976),
];

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared, other people's measurements")]
fn every_sample_has_the_sums_that_others_find() {
    for (name, device, kernels, sum, busy, copies, window) in FIGURES {
        let Some(path) = sample(name) else { continue };
        let application = whole(&path, Some(device));
        let line = application.timeline.unwrap();
        // The figures are of kernels; a graph that ran as a whole is a group of its own.
        let of_kernels = || application.groups.iter().filter(|group| group.category != KernelCategory::Graph);
        let total: f64 = of_kernels().map(|group| group.total.0).sum();
        let count: u64 = of_kernels().map(|group| group.calls).sum();
        assert_eq!((count, nanoseconds(total)), (kernels, sum), "{name}");
        assert_eq!((line.busy, line.window.nanoseconds()), (busy, window), "{name}");
        assert_eq!(nanoseconds(application.copy_time().0), copies, "{name}");
        assert_eq!(line.idle.total(), window - busy, "{name}");
        let shares: f64 = application.groups.iter().map(|g| g.share).sum();
        assert!((shares - 1.0).abs() < 1e-12, "{name}: {shares}");
        let calls: u64 = application.groups.iter().map(|g| g.calls).sum();
        let graphs = application.remarks.iter().any(|r| r.contains("CUDA graphs ran as a whole"));
        assert_eq!(calls - if graphs { 2 } else { 0 }, kernels, "{name}");
        assert_eq!(application.kernel_count, calls, "{name}");
    }
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared, other people's measurements")]
fn a_pytorch_trace_knows_its_gpu_its_launches_and_their_operators() {
    let Some(path) = sample(FIGURES[7].0) else { return };
    let application = whole(&path, None);
    assert_eq!((application.gpu_name.as_str(), application.device_index), ("NVIDIA H100 80GB HBM3", 0));
    assert!(application.groups.iter().all(|g| g.block.is_some() && g.grid.is_some()));
    let with_operator =
        application.groups.iter().filter(|g| g.operator.is_some()).map(|g| g.share).sum::<f64>();
    assert!(with_operator > 0.95, "{with_operator}");
    // One step of the profiler, launched from its first call on: the host is slower than the GPU.
    let part = PartOfTrace { range: Some("ProfilerStep#6".into()), ..PartOfTrace::default() };
    let step = recorded(&path).application(&part).unwrap();
    let line = step.timeline.unwrap();
    assert_eq!(step.kernel_count, 60);
    assert!(line.window.nanoseconds() >= 4_426_114, "{line:?}");
    assert!(line.idle.host > line.idle.launch_gap, "{line:?}");
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared, other people's measurements")]
fn an_amd_trace_says_what_it_is() {
    let Some(path) = sample(FIGURES[10].0) else { return };
    let application = whole(&path, None);
    assert!(application.is_amd());
    assert!(application.groups.iter().all(|g| g.registers.is_none() && g.block.is_some()));
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared, other people's measurements")]
fn a_part_that_is_not_there_is_named() {
    let Some(path) = sample("nsys/h100_2gpu_1s.sqlite") else { return };
    let recorded = recorded(&path);
    let ask = |device, range: Option<&str>| {
        recorded.application(&PartOfTrace { device, range: range.map(str::to_string) }).unwrap_err()
    };
    assert!(ask(Some(7), None).contains("activity of GPU 0, 1"));
    assert!(ask(None, Some("nowhere")).contains("no such range; there are"));
    let application = whole(&path, None);
    assert!(
        application.remarks.iter().any(|r| r.contains("GPU 0 of this trace")),
        "{:?}",
        application.remarks
    );
}

const STRINGS: [&str; 4] =
    ["void axpy<float>(int)", "cudaLaunchKernel_v7000", "cudaStreamSynchronize_v3020", "step"];

/// An export of two kernels, a copy, their calls and four marked steps.
fn export() -> Vec<u8> {
    let row = |all: &[i64]| all.iter().map(|n| Val::Int(*n)).collect::<Vec<_>>();
    let string = |(i, text): (usize, &&str)| vec![Val::Null, Val::from(*text), Val::Int(i as i64)];
    let long = "k".repeat(100_000);
    let mut strings: Vec<Vec<Val>> = STRINGS.iter().enumerate().map(string).collect();
    strings.push(vec![Val::Null, Val::from(long.as_str()), Val::Int(9)]);
    let tables = [
        Table {
            name: "StringIds",
            columns: "id INTEGER PRIMARY KEY, value TEXT, extra INTEGER",
            rows: strings,
        },
        Table {
            name: "CUPTI_ACTIVITY_KIND_KERNEL",
            columns: "start INTEGER, \"end\" INTEGER, deviceId INTEGER, streamId INTEGER, correlationId INTEGER, demangledName INTEGER, gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER, registersPerThread INTEGER, staticSharedMemory INTEGER, dynamicSharedMemory INTEGER",
            rows: vec![
                row(&[100, 200, 0, 7, 1, 1, 8, 1, 1, 256, 1, 1, 40, 1024, 512]),
                row(&[230, 300, 0, 7, 2, 1, 8, 1, 1, 256, 1, 1, 40, 1024, 512]),
                row(&[500, 600, 0, 7, 4, 5, 4, 2, 1, 16, 16, 1, 0, 0, 0]),
                row(&[900, 800, 0, 7, 5, 1, 8, 1, 1, 256, 1, 1, 40, 0, 0]),
            ],
        },
        Table {
            name: "CUPTI_ACTIVITY_KIND_MEMCPY",
            columns: "start INTEGER, \"end\" INTEGER, deviceId INTEGER, streamId INTEGER, correlationId INTEGER, bytes INTEGER, copyKind INTEGER",
            rows: vec![row(&[620, 700, 0, 8, 6, 4096, 2])],
        },
        Table {
            name: "CUPTI_ACTIVITY_KIND_RUNTIME",
            columns: "start INTEGER, \"end\" INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER",
            rows: vec![
                row(&[10, 20, 1, 1, 2]),
                row(&[30, 40, 1, 2, 2]),
                row(&[50, 350, 1, 3, 3]),
                row(&[400, 450, 1, 4, 2]),
                row(&[460, 610, 1, 6, 2]),
            ],
        },
        Table {
            name: "TARGET_INFO_GPU",
            columns: "id INTEGER, name TEXT",
            rows: vec![vec![0.into(), "NVIDIA H100 80GB HBM3".into()]],
        },
    ];
    database(&tables)
}

fn written(name: &str, bytes: &[u8]) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("roofswap-applications-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn a_small_export_is_read_through_interior_and_overflow_pages() {
    let application = whole(&written("small.sqlite", &export()), None);
    let line = application.timeline.unwrap();
    assert_eq!(application.kernel_count, 3);
    assert_eq!(application.gpu_name, "NVIDIA H100 80GB HBM3");
    let group = application.groups.iter().find(|g| g.label == "axpy").unwrap();
    assert_eq!((group.calls, group.registers, group.shared_bytes), (2, Some(40), Some(1536)));
    assert_eq!((group.grid, group.block), (Some([8, 1, 1]), Some([256, 1, 1])));
    let long = application.groups.iter().find(|g| g.name.len() == 100_000).unwrap();
    assert!(long.label.chars().count() <= 48 && long.registers.is_none());
    let copy = application.copies[0];
    assert_eq!((copy.direction, copy.bytes.unwrap().0), (CopyDirection::DeviceToHost, 4096.0));
    // 200-230 was queued; of 300-500 the host synchronised until 350 and was ready at 450; 600-620 was called until 610.
    let expected = IdleSplit { launch_gap: 30 + 50 + 10, host: 100 + 10, synchronisation: 50, unknown: 0 };
    assert_eq!((line.busy, line.idle), (350, expected));
    assert!(
        application.remarks.iter().any(|r| r.starts_with("1 rows have a negative,")),
        "{:?}",
        application.remarks
    );
    assert!(matches!(application.activities[3].kind, ActivityKind::Copy(0)));
}

#[test]
fn damage_of_an_export_never_panics_and_is_never_silent() {
    let good = export();
    let sums = |bytes: &[u8], name: &str| match read_application(&written(name, bytes), &Progress::default())
    {
        Ok(recorded) => recorded.application(&PartOfTrace::default()).map(|a| (a.kernel_count, a.remarks)),
        Err(why) => Err(why.to_string()),
    };
    let (kernels, remarks) = sums(&good, "good.sqlite").unwrap();
    for cut in (16..good.len()).step_by(509) {
        match sums(&good[..cut], "cut.sqlite") {
            Ok((_, said)) => assert!(said.len() > remarks.len(), "cut at {cut} is silent"),
            Err(why) => {
                assert!(cut < 100 || why.contains(" pages are there: the file was cut"), "{cut}: {why}")
            }
        }
    }
    let mut state = 12345u64;
    for round in 0..300 {
        let mut bytes = good.clone();
        for _ in 0..8 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let at = 100 + (state >> 33) as usize % (bytes.len() - 100);
            bytes[at] = (state >> 20) as u8;
        }
        let _ = sums(&bytes, &format!("bad{}.sqlite", round % 2));
    }
    // Every pointer of the kernels' interior pages leads back to page 1.
    let mut circle = good.clone();
    for page in circle.chunks_mut(512).skip(1).filter(|p| p[0] == 5) {
        page[8..12].copy_from_slice(&1u32.to_be_bytes());
    }
    if let Ok((found, said)) = sums(&circle, "circle.sqlite") {
        assert!(found < kernels || said.len() > remarks.len(), "{found}");
    }
}

const KERNEL: &str = r#"{"ph":"X","cat":"kernel","name":"NAME","pid":0,"tid":7,"ts":START,"dur":5,"args":{"device":0,"stream":7,"correlation":1,"registers per thread":32,"shared memory":0,"grid":[8,1,1],"block":[256,1,1]}}"#;

fn trace(kernels: &[(&str, &str)]) -> String {
    let events: Vec<String> =
        kernels.iter().map(|(name, start)| KERNEL.replace("NAME", name).replace("START", start)).collect();
    format!(
        r#"{{"metadata":{{"TOKEN":"secret"}},"deviceProperties":[{{"id":0,"name":"NVIDIA H100 80GB HBM3"}}],"traceEvents":[{}]}}"#,
        events.join(",\n")
    )
}

fn gzipped(text: &str) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::fast());
    out.write_all(text.as_bytes()).unwrap();
    out.finish().unwrap()
}

#[test]
fn a_trace_that_breaks_off_gives_what_was_complete_and_says_so() {
    let names: Vec<String> = (0..3000).map(|i| format!("k{}", i % 7)).collect();
    let starts: Vec<String> = (0..3000).map(|i| (10 * i).to_string()).collect();
    let events: Vec<(&str, &str)> =
        names.iter().map(String::as_str).zip(starts.iter().map(String::as_str)).collect();
    let text = trace(&events);
    let good = whole(&written("good.json", text.as_bytes()), None);
    assert_eq!((good.kernel_count, good.remarks.len()), (3000, 0), "{:?}", good.remarks);
    let packed = gzipped(&text);
    assert_eq!(whole(&written("good.json.gz", &packed), None).groups, good.groups);
    for (name, bytes) in
        [("cut.json", &text.as_bytes()[..text.len() / 2]), ("cut.json.gz", &packed[..packed.len() / 2])]
    {
        let cut = whole(&written(name, bytes), None);
        assert!(cut.kernel_count > 500 && cut.kernel_count < 2900, "{name}: {}", cut.kernel_count);
        assert!(cut.remarks[0].contains("events before it are used"), "{:?}", cut.remarks);
    }
    let mut flipped = packed.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 0x55;
    if let Ok(recorded) = read_application(&written("flipped.json.gz", &flipped), &Progress::default()) {
        let read = recorded.application(&PartOfTrace::default()).unwrap();
        assert!(!read.remarks.is_empty(), "damage inside is silent");
    }
}

#[test]
fn a_trace_of_damaged_bytes_never_panics() {
    let names: Vec<String> = (0..12).map(|i| format!("k{}", i % 3)).collect();
    let starts: Vec<String> = (0..12).map(|i| (10 * i).to_string()).collect();
    let events: Vec<(&str, &str)> =
        names.iter().map(String::as_str).zip(starts.iter().map(String::as_str)).collect();
    let good = trace(&events).into_bytes();
    let mut state = 99u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let session = Session::load(None).unwrap();
    let h100 = session.gpus.position("h100-sxm5").unwrap();
    for round in 0..200 {
        let mut bytes = good.clone();
        for _ in 0..6 {
            let at = next(bytes.len());
            match round % 3 {
                0 => bytes[at] = next(256) as u8,
                1 => bytes.splice(at..at, *b"99999999999999").for_each(drop),
                _ => drop(bytes.remove(at)),
            }
        }
        let path = written("mutated.json", &bytes);
        let Ok(recorded) = read_application(&path, &Progress::default()) else { continue };
        let Ok(application) = recorded.application(&PartOfTrace::default()) else { continue };
        let _ = forecast(&session, &application, h100, &[h100], ForecastSettings::default());
    }
}

#[test]
fn odd_names_clocks_and_ids_are_no_trouble() {
    let long = "n".repeat(100_000);
    let text =
        trace(&[("\\u001b[31mred\\u0007", "5"), (&long, "-100"), ("ok", "1e3"), ("late", "99999999999")]);
    let application = whole(&written("odd.json", text.as_bytes()), None);
    assert_eq!(application.kernel_count, 4);
    assert!(application.timeline.unwrap().busy > 0);
    let looped = text.replace("\"correlation\":1", "\"correlation\":1,\"External id\":1");
    assert_eq!(whole(&written("looped.json", looped.as_bytes()), None).kernel_count, 4);
    for (name, bytes) in [
        ("empty.json", &b""[..]),
        ("list.json", b"[]"),
        ("no.json", b"{\"traceEvents\":[]}"),
        ("words.txt", b"hello"),
    ] {
        let why = read_application(&written(name, bytes), &Progress::default()).err().unwrap();
        assert!(why.message.len() > 10, "{name}: {}", why.message);
    }
}

#[cfg(unix)]
#[test]
fn a_named_pipe_is_read_from_its_first_byte() {
    let pipe = written("file-beside-the-pipe", b"").with_file_name("pipe.json");
    let _ = fs::remove_file(&pipe);
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let through = |bytes: Vec<u8>| {
        let into = pipe.clone();
        // The reader may go before it has read all.
        let writer = std::thread::spawn(move || drop(fs::write(into, bytes)));
        let read = read_application(&pipe, &Progress::default());
        writer.join().unwrap();
        read.map(|recorded| recorded.application(&PartOfTrace::default()).unwrap())
    };
    let text = trace(&[("a", "0"), ("b", "10")]);
    assert_eq!(through(text.clone().into_bytes()).unwrap().kernel_count, 2);
    assert_eq!(through(gzipped(&text)).unwrap().kernel_count, 2);
    let why = through(export()).err().unwrap();
    assert!(why.message.contains("SQLite file: give its name"), "{}", why.message);
}

#[test]
fn a_cancelled_reading_ends() {
    let progress = Progress::default();
    progress.cancel();
    let why =
        read_application(&written("cancel.json", trace(&[("k", "1")]).as_bytes()), &progress).err().unwrap();
    assert!(why.message.contains("cancelled"), "{}", why.message);
}

#[test]
fn a_summary_of_nsys_stats_is_an_application_without_a_time_line() {
    let text = "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n\
        90.0,6000,3,2000.0,1900.0,1800,2300,264.6,\"void axpy<float>(float *, int)\"\n\
        10.0,700,1,700.0,700.0,700,700,0.0,other\n";
    let application = whole(&written("sum.csv", text.as_bytes()), None);
    assert_eq!((application.kernel_count, nanoseconds(application.groups_total().0)), (4, 6700));
    assert_eq!((application.groups[0].label.as_str(), application.groups[0].calls), ("axpy", 3));
    assert!(application.timeline.is_none());
}

const TRANSFORMERS: [&str; 3] = [FIGURES[5].0, FIGURES[6].0, FIGURES[7].0];

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared, other people's measurements")]
fn most_kernel_time_of_the_transformers_has_counts() {
    for name in TRANSFORMERS {
        let Some(path) = sample(name) else { continue };
        let application = whole(&path, None);
        let counted: f64 = application.groups.iter().filter(|g| g.counts.is_some()).map(|g| g.share).sum();
        assert!(counted >= 0.95, "{name}: {counted}");
        // No launch is faster than the GPU can be: dense BF16 at 989 TFLOP/s, and 50 MB of L2 hide DRAM's 3.35 TB/s.
        for group in &application.groups {
            let Some(counts) = &group.counts else { continue };
            let rate = counts.flops.unwrap_or(0.0) / group.mean().0;
            assert!(rate < 989e12, "{name}: {} reaches {rate}", group.name);
            let bytes = counts.dram_bytes.unwrap_or(0.0);
            let bandwidth = bytes / group.mean().0;
            assert!(bytes < 1e8 || bandwidth < 3.4e12, "{name}: {} reaches {bandwidth}", group.name);
        }
    }
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared, other people's measurements")]
fn the_same_gpu_is_the_identity_and_others_keep_order() {
    let session = Session::load(None).unwrap();
    let id = |name: &str| session.gpus.position(name).unwrap();
    for name in TRANSFORMERS {
        let Some(path) = sample(name) else { continue };
        let application = whole(&path, None);
        let targets = ["h100-sxm5", "h200", "l40s"].map(id);
        let ask = |host| ForecastSettings { host, ..ForecastSettings::default() };
        let all = forecast(&session, &application, targets[0], &targets, ask(1.0)).unwrap();
        let same = &all[0];
        let window = application.timeline.unwrap().window.nanoseconds();
        assert!((same.kernels.value.0 / application.groups_total().0 - 1.0).abs() < 1e-12, "{name}");
        assert_eq!(same.kernels.low, same.kernels.high, "{name}");
        assert_eq!(nanoseconds(same.wall.unwrap().value.0), window, "{name}");
        assert!((same.predicted_share - 1.0).abs() < 1e-9 && same.cautions.is_empty(), "{name}");
        for other in &all[1..] {
            let (kernels, wall) = (other.kernels, other.wall.unwrap());
            assert!(kernels.low < kernels.value && kernels.value < kernels.high, "{name}");
            assert!(wall.low <= wall.value && wall.value <= wall.high, "{name}");
            assert!(other.predicted_share > 0.9, "{name}: {}", other.predicted_share);
            // A bar is the wall clock, whatever it is made of.
            let parts: f64 = bar_parts(&application, other).iter().map(|p| p.time.0).sum();
            assert!((parts / wall.value.0 - 1.0).abs() < 1e-6, "{name}: {parts} {wall:?}");
        }
        let slower = forecast(&session, &application, targets[0], &targets[..1], ask(2.0)).unwrap();
        assert!(slower[0].wall.unwrap().value > same.wall.unwrap().value, "{name}");
        assert_eq!(slower[0].kernels, same.kernels, "{name}");
    }
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared, other people's measurements")]
fn kernels_of_amd_are_listed_and_not_predicted() {
    let Some(path) = sample(FIGURES[9].0) else { return };
    let (session, application) = (Session::load(None).unwrap(), whole(&path, None));
    let h200 = session.gpus.position("h200").unwrap();
    let why = forecast(&session, &application, h200, &[h200], ForecastSettings::default()).unwrap_err();
    assert!(why.contains("AMD Instinct MI300X"), "{why}");
}
