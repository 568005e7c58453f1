//! Measurement files as people have them: half-written, from another editor, in another order, not theirs at all.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use crate::skipping::skip_aloud;
use roofswap::import::{OpenedFile, read_any};
use roofswap::kernel::Count;
use roofswap::measurement::{ReadError, ReadResult, Store, TimingKind, read_csv};
use roofswap::progress::Progress;
use roofswap::session::{LoadedFile, Session};
use std::path::Path;
use std::sync::LazyLock;

static SHIPPED: LazyLock<Session> = LazyLock::new(|| Session::load(None).unwrap());

fn read(bytes: impl AsRef<[u8]>) -> Result<ReadResult, ReadError> {
    let mut kernels = SHIPPED.kernels.clone();
    read_csv(bytes.as_ref(), "f.csv", TimingKind::Measured, &SHIPPED.gpus, &mut kernels)
}

fn good(bytes: impl AsRef<[u8]>) -> ReadResult {
    let read = read(bytes).unwrap();
    assert!(read.refused.is_empty(), "{:?}", read.refused);
    read
}

const HEADER: &str = "gpu,kernel,problem,time_ms";
const ROW: &str = "titan-v,saxpy,n=1048576,0.02";

/// A file of two good rows around one bad one, which must be refused at its line and column with these words.
fn row_refused(header: &str, good_row: &str, bad_row: &str, column: &str, words: &[&str]) {
    let read = read(format!("{header}\n{good_row}\n{bad_row}\n{good_row}\n")).unwrap();
    assert_eq!((read.rows.len(), read.refused_count), (2, 1), "{bad_row}: {:?}", read.refused);
    let shown = read.refused[0].to_string();
    assert!(shown.starts_with(&format!("f.csv:3: {column}: ")), "{shown}");
    for word in words {
        assert!(shown.contains(word), "`{word}` is not in: {shown}");
    }
    assert!(shown.len() < 500, "{shown}");
}

fn refused(bad_row: &str, column: &str, words: &[&str]) {
    row_refused(HEADER, ROW, bad_row, column, words);
}

// ---------------------------------------------------------------------------------------------------------------------
// Files that are fine, if one looks closely

#[test]
fn a_plain_file_gives_its_rows() {
    let rows = good(format!("{HEADER}\n{ROW}\n")).rows;
    assert_eq!(rows.len(), 1);
    assert_eq!(SHIPPED.gpus[rows[0].gpu].id, "titan-v");
    assert_eq!((rows[0].time.millis(), rows[0].problem.to_string().as_str()), (0.02, "n=1048576"));
    assert!(rows[0].launch().is_none() && rows[0].time_std().is_none());
}

#[test]
fn a_byte_order_mark_crlf_quotes_and_a_missing_last_newline_do_not_matter() {
    for text in [
        format!("\u{feff}{HEADER}\n{ROW}"),
        format!("{HEADER}\r\n{ROW}\r\n"),
        format!("\u{feff}{HEADER}\r\n{ROW}"),
        "\u{feff}\"gpu\",\"kernel\",problem,\"time_ms\"\r\n\"titan-v\",saxpy,\"n=1048576\",0.02\r\n"
            .to_string(),
        " gpu , kernel,problem , time_ms\n titan-v , saxpy ,n=1048576 , 0.02 \n".to_string(),
        format!("{HEADER}\n\n{ROW}\n\n\n"),
    ] {
        let rows = good(&text).rows;
        assert_eq!(rows.len(), 1, "{text:?}");
        assert_eq!(rows[0].time.millis(), 0.02, "{text:?}");
    }
}

#[test]
fn columns_come_in_any_order_and_unknown_ones_do_no_harm() {
    let rows = good(
        "time_ms,mood,dram_bytes,block,problem,flops,kernel,grid,gpu\n\
         0.5,fine,100,16x8,n=7,200,mine,3x2x1,rtx-4070\n",
    )
    .rows;
    let r = &rows[0];
    assert_eq!(
        (r.measured_count(Count::Flops), r.measured_count(Count::DramBytes)),
        (Some(200.0), Some(100.0))
    );
    let launch = r.launch().unwrap();
    assert_eq!((launch.block, launch.grid), ([16, 8, 1], [3, 2, 1]));
    assert_eq!(r.time.millis(), 0.5);
}

#[test]
fn names_resolve_as_people_and_drivers_write_them() {
    let rows = good(
        "gpu,kernel,problem,time_ms\nNVIDIA GeForce RTX 2080 Ti,SAXPY,n=4,1\nrtx2080ti,axpy,n=4,1\nRTX_2080_Ti,saxpy,n=4,1\n",
    )
    .rows;
    assert!(rows.iter().all(|r| r.gpu == rows[0].gpu && r.kernel == rows[0].kernel));
    assert_eq!(SHIPPED.gpus[rows[0].gpu].id, "rtx-2080-ti");
    assert_eq!(SHIPPED.kernels[rows[0].kernel].id, "saxpy");
}

#[test]
fn a_kernel_nobody_knows_is_added_under_its_own_name_once() {
    let mut kernels = SHIPPED.kernels.clone();
    let text = "gpu,kernel,problem,time_ms\nt4,void gemm<float>(int),m=1,1\nt4,void gemm<float>(int),m=2,1\n";
    let rows =
        read_csv(text.as_bytes(), "f", TimingKind::Measured, &SHIPPED.gpus, &mut kernels).unwrap().rows;
    assert_eq!(kernels.entries().len(), SHIPPED.kernels.entries().len() + 1);
    assert_eq!(kernels[rows[0].kernel].id, "void gemm<float>(int)");
    assert_eq!(rows[0].kernel, rows[1].kernel);
    assert_eq!(
        SHIPPED.kernels.position("void gemm<float>(int)").ok(),
        None,
        "the shipped world is untouched"
    );
}

#[test]
fn a_short_matrix_problem_is_the_square_one() {
    let rows = good("gpu,kernel,problem,time_ms\nt4,matmul_tiled,n=512,1\n").rows;
    assert_eq!(rows[0].problem.to_string(), "m=512;n=512;k=512");
}

#[test]
fn a_part_of_a_store_shares_its_rows_and_knows_no_others() {
    let row = |gpu: &str, n: u32, millis: u32| format!("{gpu},saxpy,n={n},0.00{millis}\n");
    let rows: String = (1..9).map(|i| row("titan-v", i * 1024, i) + &row("rtx-4070", i * 1024, i)).collect();
    let mut whole = Store::default();
    whole.add_rows(good(format!("{HEADER}\n{rows}")).rows);
    whole.add_rows(good(format!("{HEADER}\n{}", row("titan-v", 4096, 9))).rows);
    let titan = SHIPPED.gpus.position("titan-v").unwrap();
    let part = whole.part(|config, gpu| gpu == titan && config != 7);
    let micros = |time: f64| (time * 1e3).round() as usize;
    let seen = |store: &Store| -> Vec<(String, usize)> {
        store.rows().map(|r| (r.problem.to_string(), micros(r.time.millis()))).collect()
    };
    let text = |i: usize, micros: usize| (format!("n={}", i * 1024), micros);
    // The later of two rows is the one that is used.
    let expected: Vec<_> = (1..8).map(|i| text(i, if i == 4 { 9 } else { i })).collect();
    assert_eq!(seen(&part), expected);
    assert_eq!((part.len(), part.configs().count(), whole.len()), (7, 7, 17));
    let (place, _) = part.configs().nth(2).unwrap();
    let first = part.row_on(place, titan).unwrap();
    assert!(whole.rows().any(|row| std::ptr::eq(row, first)), "the row itself");
    // Rows that are added later stand behind those of the part; a part of a part is one of the whole.
    let mut more = part.part(|config, _| config > 4);
    more.add_rows(good(format!("{HEADER}\n{}", row("rtx-4070", 512, 3))).rows);
    assert_eq!(seen(&more), [text(6, 6), text(7, 7), ("n=512".to_string(), 3)]);
    assert_eq!(
        seen(&more.of_kind(TimingKind::Measured)).len() + more.of_kind(TimingKind::Published).len(),
        3
    );
}

#[test]
fn the_users_rows_go_before_published_ones_and_later_before_earlier() {
    let mut store = Store::default();
    let of = |kind, millis: &str| {
        let mut kernels = SHIPPED.kernels.clone();
        let text = format!("{HEADER}\ntitan-v,saxpy,n=1048576,{millis}\n");
        read_csv(text.as_bytes(), "f", kind, &SHIPPED.gpus, &mut kernels).unwrap().rows
    };
    let time = |store: &Store| {
        let (id, _) = store.configs().next().unwrap();
        store.rows_of(id).next().unwrap().time.millis()
    };
    for (kind, millis, expected) in [
        (TimingKind::Published, "1", 1.0),
        (TimingKind::Measured, "2", 2.0),
        (TimingKind::Published, "3", 2.0),
        (TimingKind::Measured, "4", 4.0),
    ] {
        store.add_rows(of(kind, millis));
        assert_eq!(time(&store), expected);
    }
    let own = store.rows().filter(|r| r.kind() == TimingKind::Measured).count();
    assert_eq!((store.len(), own, store.configs().count()), (4, 2, 1));
}

// ---------------------------------------------------------------------------------------------------------------------
// Files that are not measurements

#[test]
fn a_missing_column_is_named_beside_what_was_found() {
    for (header, missing) in [
        ("kernel,time_ms", "gpu"),
        ("gpu,time_ms", "kernel"),
        ("gpu,kernel,time", "time_ms"),
        ("", "gpu"),
        ("{\"gpu\": 1}", "gpu"),
    ] {
        let e = read(format!("{header}\n1,2,3\n")).unwrap_err().to_string();
        assert!(e.starts_with("f.csv: ") && e.contains(&format!("no column `{missing}`")), "{header}: {e}");
        assert!(e.contains("found: "), "{e}");
    }
    assert!(read("").unwrap_err().to_string().contains("no column `gpu`"));
}

#[test]
fn a_column_that_stands_twice_is_refused() {
    let e = read("gpu,kernel,time_ms,gpu\nt4,k,1,t4\n").unwrap_err().to_string();
    assert!(e.contains("column `gpu` stands twice"), "{e}");
}

#[test]
fn binary_files_and_utf_16_are_told_apart_from_text() {
    let utf16: Vec<u8> =
        format!("\u{feff}{HEADER}\n{ROW}\n").encode_utf16().flat_map(u16::to_le_bytes).collect();
    for bytes in [utf16, format!("{HEADER}\n{ROW}\n\0\0").into_bytes(), vec![0; 100]] {
        let e = read(bytes).unwrap_err().to_string();
        assert!(e.contains("NUL byte") && e.contains("UTF-8"), "{e}");
    }
    let e = read(format!("{HEADER}\n{ROW}\nx\0y\n")).unwrap_err().to_string();
    assert!(e.contains("line 3"), "{e}");
}

#[test]
fn a_line_without_end_is_refused_with_its_number() {
    let e = read(format!("{HEADER}\n{ROW}\n{}\n{ROW}\n", "x".repeat(2 << 20))).unwrap_err().to_string();
    assert!(e.contains("line 3 is longer than 1 MiB"), "{e}");
}

#[test]
fn folders_missing_files_and_huge_sparse_ones_fail_fast() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("big.csv");
    std::fs::File::create(&path).unwrap().set_len(200 << 20).unwrap();
    let fails = |path: &Path| {
        let mut kernels = SHIPPED.kernels.clone();
        read_any(path, TimingKind::Measured, &SHIPPED.gpus, &mut kernels).unwrap_err().to_string()
    };
    assert!(fails(&path).contains("NUL byte"));
    assert!(fails(folder.path()).contains("is a folder"));
    let none = fails(&folder.path().join("none.csv"));
    assert!(none.contains("none.csv: no such file"), "{none}");
}

#[test]
fn a_reading_is_watched_and_can_be_cancelled() {
    let mut s = SHIPPED.clone();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.csv");
    let text = format!("{HEADER}\n{}", "t4,brand_new,n=1,1\n".repeat(100_000));
    std::fs::write(&path, &text).unwrap();
    let progress = Progress::default();
    progress.cancel();
    let why = s.add_opened(OpenedFile::path(&path).unwrap(), &progress).unwrap_err().to_string();
    assert!(why.contains("cancelled"), "{why}");
    assert_eq!((s.store.len(), s.kernels.entry_named("brand_new").is_err()), (SHIPPED.store.len(), true));
    let progress = Progress::default();
    assert_eq!(s.add_opened(OpenedFile::path(&path).unwrap(), &progress).unwrap().rows, 100_000);
    assert_eq!(progress.steps_done(), text.len());
}

#[test]
fn a_file_the_session_refuses_leaves_it_as_it_was() {
    let mut s = SHIPPED.clone();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("half.csv");
    std::fs::write(&path, format!("{HEADER}\nt4,brand_new,n=1,1\n\0")).unwrap();
    assert!(s.add_data(&path).is_err());
    assert_eq!(s.store.len(), SHIPPED.store.len());
    assert!(s.kernels.entry_named("brand_new").is_err());
    std::fs::write(&path, format!("{HEADER}\nt4,brand_new,n=1,1\nt5,brand_new,n=1,1\n")).unwrap();
    let LoadedFile { rows: added, refused: described, refused_count: count, .. } = s.add_data(&path).unwrap();
    assert_eq!((added, described.len(), count), (1, 1, 1));
    assert!(s.kernels.entry_named("brand_new").is_ok());
}

// ---------------------------------------------------------------------------------------------------------------------
// Rows that are not measurements

#[test]
fn a_row_cut_off_in_the_middle_is_refused_and_the_rest_loads() {
    refused("titan-v,sax", "row", &["has 2 fields, the header 4", "cut off"]);
    refused("titan-v,saxpy,n=4,1,1", "row", &["has 5 fields"]);
}

#[test]
fn a_quote_that_never_closes_says_that_it_swallowed_lines() {
    let read = read(format!("{HEADER}\n{ROW}\n\"titan-v,saxpy,n=4,1\n{ROW}\n{ROW}\n")).unwrap();
    assert_eq!((read.rows.len(), read.refused_count), (1, 1));
    let shown = read.refused[0].to_string();
    assert!(
        shown.starts_with("f.csv:3: row: ") && shown.contains("quotation mark opens here and is not closed"),
        "{shown}"
    );
}

#[test]
fn a_bad_number_is_refused_with_its_column_and_value() {
    for bad in ["fast", "1,5", "0x10", "1e999", "nan", "inf", "--1", "1 ms", "٣"] {
        let row = format!("titan-v,saxpy,n=4,\"{bad}\"");
        refused(&row, "time_ms", &[bad, "expected milliseconds above 0"]);
    }
    refused("titan-v,saxpy,n=4,-0.5", "time_ms", &["-0.5", "above 0"]);
    refused("titan-v,saxpy,n=4,0", "time_ms", &["more than 0"]);
    refused("titan-v,saxpy,n=4,", "time_ms", &["is blank"]);
    row_refused(
        "gpu,kernel,problem,time_ms,dram_bytes,trials",
        "titan-v,saxpy,n=1048576,0.02,,",
        "titan-v,saxpy,n=1048576,0.02,lots,",
        "dram_bytes",
        &["`lots`"],
    );
}

#[test]
fn bad_launch_shapes_are_refused_with_what_was_expected() {
    for bad in ["0", "16x", "x", "1x2x3x4", "-1", "16X16", "99999999999999999999"] {
        row_refused(
            "gpu,kernel,problem,time_ms,block",
            "titan-v,saxpy,n=1048576,0.02,256",
            &format!("titan-v,saxpy,n=1048576,0.02,{bad}"),
            "block",
            &["expected 256, 16x16 or 16x16x1"],
        );
    }
}

#[test]
fn problems_that_do_not_fit_the_kernel_are_refused() {
    refused("titan-v,saxpy,n=4;m=4,1", "problem", &["no problem key `m`", "its keys are n"]);
    refused("titan-v,saxpy,1048576,1", "problem", &["expected key=value"]);
    refused("titan-v,saxpy,n=4;n=5,1", "problem", &["twice"]);
    refused("titan-v,saxpy,,1", "problem", &["needs `n`"]);
    for absurd in ["n=big", "n=0", "n=-5", "n=1.5", "n=1e17"] {
        let expected = "expected a whole number from 1 to 2^53";
        refused(&format!("titan-v,saxpy,{absurd},1"), "problem", &[expected]);
    }
    for tiny in ["1e-9", "1e-300"] {
        refused(&format!("titan-v,saxpy,n=4,{tiny}"), "time_ms", &[tiny, "at least 1e-6"]);
    }
    refused("titan-v,saxpy,n=4,2e9", "time_ms", &["expected milliseconds below 1e9"]);
}

#[test]
fn an_unknown_or_ambiguous_gpu_is_answered_with_the_nearest_names() {
    refused("rtx-4071,saxpy,n=4,1", "gpu", &["unknown GPU `rtx-4071`", "nearest: rtx-4070"]);
    refused("H100,saxpy,n=4,1", "gpu", &["ambiguous", "h100-nvl", "h100-pcie", "h100-sxm5"]);
    refused(",saxpy,n=4,1", "gpu", &["unknown GPU"]);
}

#[test]
fn a_kernel_without_a_name_is_refused() {
    refused("titan-v,,n=4,1", "kernel", &["is blank"]);
    refused("titan-v,--,n=4,1", "kernel", &["expected a name with letters"]);
}

#[test]
fn a_cell_in_another_encoding_is_refused_and_named() {
    let mut bytes = format!("{HEADER}\n{ROW}\n").into_bytes();
    bytes.extend(b"titan-v,na\xefve,n=4,1\n");
    bytes.extend(format!("{ROW}\n").into_bytes());
    let read = read(bytes).unwrap();
    assert_eq!((read.rows.len(), read.refused_count), (2, 1));
    assert_eq!(read.refused[0].to_string(), "f.csv:3: kernel: is not UTF-8; save the file as UTF-8");
}

#[test]
fn a_thousand_bad_rows_are_counted_and_a_hundred_described() {
    let mut text = format!("{HEADER}\n");
    (0..1000).for_each(|i| text += &format!("no-such-gpu-{i},saxpy,n=4,1\n"));
    let read = read(text + ROW).unwrap();
    assert_eq!((read.rows.len(), read.refused.len(), read.refused_count), (1, 100, 1000));
}

#[test]
fn twenty_thousand_unknown_names_are_read_in_no_time() {
    // Looking for near names costs; it is done for the errors that are shown, and never for kernels, which are new.
    let mut text = format!("{HEADER}\n");
    for i in 0..20_000 {
        text += &format!("gpu-{i},saxpy,n=4,1\nt4,kernel_number_{i},n=4,1\n");
    }
    let read = read(text).unwrap();
    assert_eq!((read.rows.len(), read.refused_count), (20_000, 20_000));
}

#[test]
fn an_error_message_stays_short_whatever_the_cell_holds() {
    let long = "y".repeat(100_000);
    for (row, column) in [
        (format!("{long},saxpy,n=4,1"), "gpu"),
        (format!("titan-v,saxpy,{long},1"), "problem"),
        (format!("titan-v,saxpy,{long}=1,1"), "problem"),
        (format!("titan-v,saxpy,n=4,{long}"), "time_ms"),
    ] {
        refused(&row, column, &["yyyy"]);
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Damage and volume

/// The next number of a fixed sequence.
fn next(state: &mut u64) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) as usize
}

#[test]
fn no_damage_to_a_file_makes_the_reader_panic_or_invent_rows() {
    let whole =
        std::fs::read(concat!(env!("ROOFSWAP_CHECKOUT"), "/datasets/published/measurements.csv")).unwrap();
    let mut state = 20_261_120;
    let (mut refused_files, mut refused_rows, mut read_rows) = (0, 0, 0);
    for _ in 0..400 {
        let mut bytes = whole.clone();
        for _ in 0..1 + next(&mut state) % 4 {
            let at = next(&mut state) % bytes.len();
            match next(&mut state) % 5 {
                0 => bytes[at] ^= 1 << (next(&mut state) % 8),
                1 => drop(bytes.remove(at)),
                2 => bytes.insert(at, bytes[at]),
                3 => bytes[at] = [0, b'"', b',', b'\n', 0xff][next(&mut state) % 5],
                _ => bytes.truncate(at.max(1)),
            }
        }
        let lines = 1 + bytes.iter().filter(|b| matches!(**b, b'\n' | b'\r')).count();
        match read(&bytes) {
            Ok(r) => {
                assert!(r.rows.len() + r.refused_count <= lines);
                assert!(r.rows.iter().all(|row| row.time.0 > 0.0 && row.time.0.is_finite()));
                (refused_rows, read_rows) = (refused_rows + r.refused_count, read_rows + r.rows.len());
                // What was read can be stored and asked about.
                let mut store = Store::default();
                store.add_rows(r.rows);
                assert!(store.configs().all(|(id, _)| store.rows_of(id).next().is_some()));
            }
            Err(e) => {
                refused_files += 1;
                assert!(e.to_string().starts_with("f.csv: ") && e.to_string().len() < 400, "{e}");
            }
        }
    }
    println!("{refused_files} files and {refused_rows} rows refused, {read_rows} rows read");
    assert!(refused_files > 10 && refused_rows > 100 && read_rows > 1000);
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs ../shared, other people's measurements")]
fn every_collection_at_hand_is_read_whole() {
    let shared = Path::new(env!("ROOFSWAP_CHECKOUT")).join("../shared/data");
    if !shared.exists() {
        skip_aloud(&format!("{} is not here", shared.display()));
        return;
    }
    // Rows by each collection's README.
    for (file, rows) in [
        ("gpperf/cutlass_sgemm_rtx4070.canonical.csv", 16_128),
        ("gpperf/tiled_matmul_rtx4070.canonical.csv", 141),
        ("ktt/ktt_convolution.csv", 10_520),
        ("neusight/neusight_ops_dev.csv", 26_400),
        ("nv_dvfs/nv_dvfs_dev.csv", 2_580),
        ("pmpp_nvbench/single_launch.csv", 2_220),
        ("pmpp_nvbench/multi_launch.csv", 780),
        ("schoonhoven_tuning/gemm_conv_dev.csv", 15_000),
        ("study/measurements.csv", 243),
        ("study/measurements_corrected.csv", 194),
    ] {
        let mut s = SHIPPED.clone();
        let LoadedFile { rows: added, refused: described, refused_count: refused, .. } =
            s.add_data(&shared.join(file)).unwrap();
        println!("{file}: {added} rows, {refused} refused");
        assert_eq!((added, refused), (rows, 0), "{file}: {:?}", described.first());
    }
}

#[test]
fn a_number_that_no_launch_can_have_is_refused_with_the_bound_of_its_column() {
    for (column, value, most) in [
        ("flops", "1e308", "1e24"),
        ("dram_bytes", "1e300", "1e24"),
        ("power_w", "1e7", "1000000"),
        ("sm_clock_mhz", "1410000000", "1000000"),
        ("time_std_ms", "2e9", "1000000000"),
        ("achieved_occupancy_pct", "20000", "10000"),
    ] {
        let text = format!("gpu,kernel,problem,time_ms,{column}\nt4,saxpy,n=4,1,{value}\nt4,saxpy,n=8,1,1\n");
        let found = read(&text).unwrap();
        assert_eq!((found.rows.len(), found.refused_count), (1, 1), "{column}");
        let said = found.refused[0].to_string();
        assert!(said.starts_with(&format!("f.csv:2: {column}: ")) && said.contains(most), "{said}");
        assert!(said.len() < 120, "{said}");
    }
}
