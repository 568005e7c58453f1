//! Rows written and read again are the same rows; importers' rows enter by the same checks as typed ones; the user's names
//! for kernels hold.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use proptest::prelude::*;
use roofswap::catalogue::Catalogue;
use roofswap::kernel::{Count, Kernel};
use roofswap::measurement::{
    CanonicalRow, Measurement, Number, ReadResult, TimingKind, read_csv, read_rows, write_csv,
};
use roofswap::session::Session;
use std::collections::BTreeMap;
use std::sync::LazyLock;

static SHIPPED: LazyLock<Session> = LazyLock::new(|| Session::load(None).unwrap());

/// Reads rows and turns them back.
fn through_a_file(rows: &[CanonicalRow]) -> (ReadResult, Vec<CanonicalRow>) {
    let mut kernels = SHIPPED.kernels.clone();
    let read =
        read_csv(&*write_csv(rows), "f.csv", TimingKind::Measured, &SHIPPED.gpus, &mut kernels).unwrap();
    let back = read.rows.iter().map(|r| CanonicalRow::from_measurement(r, &SHIPPED.gpus, &kernels)).collect();
    (read, back)
}

/// A number as reports have them: at most 15 digits.
fn value() -> impl Strategy<Value = f64> {
    (1u64..999_999_999, 0i32..12).prop_map(|(digits, point)| digits as f64 / 10f64.powi(point))
}

fn text() -> impl Strategy<Value = String> {
    "([a-zA-Z_:<>(),\"'é\n ]{0,20}[a-z])?".prop_map(|t| t.trim().to_string())
}

fn row() -> impl Strategy<Value = CanonicalRow> {
    let gpu = prop::sample::select(vec!["titan-v", "rtx-4070", "gtx-titan-x"]);
    let names = (gpu, "k[a-z<>, ]{0,20}[a-z]", "[a-z]{1,20}=[1-9][0-9]{0,6}(;layout=nt)?", text(), text());
    let shape = |most| prop::option::of([1..most, 1..most, 1..most]);
    let numbers = prop::collection::btree_map(prop::sample::select(Number::ALL.to_vec()), value(), 0..12);
    let attributes = prop::collection::btree_map("x[a-z_.]{1,12}", text(), 0..4);
    (names, shape(1000u64), shape(100_000), value(), numbers, attributes).prop_map(
        |((gpu, kernel, problem, variant, source), block, grid, time, mut numbers, mut attributes)| {
            // What no launch can have is refused.
            numbers.insert(Number::Time, time.max(1e-6));
            numbers.iter_mut().for_each(|(n, value)| *value = value.min(n.most()));
            // These are whole numbers.
            for whole in [Number::RegsPerThread, Number::SmemStatic, Number::SmemDynamic, Number::Trials] {
                numbers.entry(whole).and_modify(|n| *n = (*n % 100_000.0).floor());
            }
            numbers.entry(Number::RegsPerThread).and_modify(|n| *n = n.max(1.0));
            attributes.retain(|_, text| !text.is_empty());
            CanonicalRow {
                gpu: gpu.into(),
                kernel,
                problem,
                variant,
                dtype: "fp32".into(),
                block,
                grid,
                source,
                numbers: numbers.into_iter().collect(),
                attributes: attributes.into_iter().collect(),
            }
        },
    )
}

proptest! {
    #[test]
    fn rows_written_and_read_are_the_same(rows in rows()) {
        let (read, back) = through_a_file(&rows);
        prop_assert_eq!(&read.refused, &[]);
        prop_assert!(rows.iter().all(|row| SHIPPED.kernels.entry_named(&row.kernel).is_err()));
        prop_assert_eq!(&back, &rows);
        // What was read is a fixed point, to the last bit.
        let (again, twice) = through_a_file(&back);
        prop_assert_eq!(twice, back);
        prop_assert!(again.rows.iter().zip(&read.rows).all(|(a, b)| a.time == b.time && a.work() == b.work()));
    }
}

/// What an importer may hand over: names that nobody knows, absurd numbers, blanks.
fn any_row() -> impl Strategy<Value = CanonicalRow> {
    let gpu = prop::sample::select(vec!["titan-v", " RTX 4070 ", "t5", ""]);
    let kernel =
        prop::sample::select(vec!["saxpy", "a\nb", "", "  ", "?!", "void k<int>(int)", "matmul_tiled"]);
    let problem = prop::sample::select(vec!["n=4096", "n=512", "grid=4", "", "n=0", "n", "n=1;n=2"]);
    let number =
        prop::sample::select(vec![0.0, 1.0, 0.1, 1e-320, 1e300, 1e10, -1.0, -0.0, f64::NAN, f64::INFINITY]);
    let numbers = prop::collection::btree_map(prop::sample::select(Number::ALL.to_vec()), number, 0..6);
    let sizes = prop::sample::select(vec![0, 1, 2, 300, u64::from(u32::MAX) + 1, u64::MAX]);
    let shape = || prop::option::of([sizes.clone(), sizes.clone(), sizes.clone()]);
    let names = prop::sample::select(vec!["x", " x", "\u{feff}y", "gpu", "", "a\tb", "time_ms"]);
    let attributes = prop::collection::btree_map(names.prop_map(String::from), text(), 0..4);
    let texts = (gpu, kernel, problem, "[ a\0é]{0,4}", "[ a\n\"]{0,4}");
    (texts, shape(), shape(), numbers, attributes).prop_map(
        |((gpu, kernel, problem, variant, source), block, grid, numbers, attributes)| CanonicalRow {
            gpu: gpu.into(),
            kernel: kernel.into(),
            problem: problem.into(),
            variant: variant.clone(),
            dtype: variant,
            block,
            grid,
            source,
            numbers: numbers.into_iter().collect(),
            attributes: attributes.into_iter().collect(),
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]
    #[test]
    fn rows_handed_over_become_what_their_file_would(rows in prop::collection::vec(any_row(), 0..8)) {
        let (mut by_file, mut by_rows) = (SHIPPED.kernels.clone(), SHIPPED.kernels.clone());
        let file = read_csv(&*write_csv(&rows), "f", TimingKind::Measured, &SHIPPED.gpus, &mut by_file).unwrap();
        let handed = read_rows(&rows, "f", TimingKind::Measured, &SHIPPED.gpus, &mut by_rows).unwrap();
        let without_lines = |rows: &[Measurement]| -> Vec<Measurement> {
            let mut rows = rows.to_vec();
            rows.iter_mut().for_each(|row| row.line = 0);
            rows
        };
        prop_assert_eq!(without_lines(&handed.rows), without_lines(&file.rows));
        prop_assert_eq!(handed.refused_count, file.refused_count);
        for (a, b) in handed.refused.iter().zip(&file.refused) {
            let source = rows[a.line as usize - 1].source.as_str();
            let more = if source.is_empty() { String::new() } else { format!(" ({source})") };
            prop_assert_eq!((&a.column, &a.message), (&b.column, &(b.message.clone() + &more)));
        }
        let names = |all: &Catalogue<Kernel>| -> Vec<String> {
            all.entries().iter().map(|k| format!("{} {} {}", k.id, k.name(), k.label())).collect()
        };
        prop_assert_eq!(names(&by_rows), names(&by_file));
    }
}

#[test]
fn a_name_of_more_than_a_mebibyte_is_refused() {
    let long = CanonicalRow { kernel: "k".repeat(1 << 20), gpu: "t4".into(), ..Default::default() };
    let read = read_rows(&[long], "f", TimingKind::Measured, &SHIPPED.gpus, &mut SHIPPED.kernels.clone());
    assert!(read.unwrap_err().to_string().contains("f: row 1 is longer than 1 MiB"));
}

/// Rows of which each kernel has one spelling: the catalogue takes names that differ in blanks alone for the same.
fn rows() -> impl Strategy<Value = Vec<CanonicalRow>> {
    prop::collection::vec(row(), 1..12).prop_map(|mut rows| {
        let mut spellings = BTreeMap::new();
        for row in &mut rows {
            let spelling = spellings.entry(normal(&row.kernel)).or_insert_with(|| row.kernel.clone());
            row.kernel.clone_from(spelling);
        }
        rows
    })
}

fn normal(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, ' ' | '-' | '_')).collect()
}

#[test]
fn the_shipped_dataset_survives_being_written() {
    let rows: Vec<CanonicalRow> = SHIPPED.canonical_rows().collect();
    let (read, back) = through_a_file(&rows);
    assert_eq!((read.rows.len(), read.refused_count), (SHIPPED.store.len(), 0));
    assert_eq!(back, rows);
    assert!(
        read.rows.iter().zip(SHIPPED.store.rows()).all(|(a, b)| a.time == b.time && a.launch() == b.launch())
    );
}

#[test]
fn every_column_can_be_asked_for() {
    let columns: Vec<&str> = Number::ALL.iter().map(|n| n.column()).collect();
    let values: Vec<String> = (1..=columns.len()).map(|i| i.to_string()).collect();
    let text = format!(
        "gpu,kernel,dtype,block,stream,{}\nt4,mine,fp16,16x8,7,{}\nt4,mine,,,,{}\n",
        columns.join(","),
        values.join(","),
        values
            .iter()
            .map(|v| if *v == (Number::Time as usize + 1).to_string() { v } else { "" })
            .collect::<Vec<_>>()
            .join(","),
    );
    let mut kernels = SHIPPED.kernels.clone();
    let read = read_csv(text.as_bytes(), "f.csv", TimingKind::Measured, &SHIPPED.gpus, &mut kernels).unwrap();
    assert_eq!(read.refused, []);
    let rows = read.rows.to_vec();
    let [full, bare] = rows.as_slice() else { panic!() };
    for (i, number) in Number::ALL.iter().enumerate() {
        assert_eq!(full.number(*number), Some((i + 1) as f64), "{number:?}");
        assert_eq!(bare.number(*number).is_some(), *number == Number::Time, "{number:?}");
    }
    assert_eq!(full.work().get(Count::Flops), full.number(Number::Flops));
    assert_eq!((full.dtype(), full.file(), full.line, bare.line), ("fp16", "f.csv", 2, 3));
    assert_eq!((full.launch(), full.block(), full.grid()), (None, Some([16, 8, 1]), None));
    let attributes: Vec<(&str, &str)> = full.attributes().iter().map(|(n, t)| (&**n, &**t)).collect();
    assert_eq!((attributes, bare.attributes().len()), (vec![("stream", "7")], 0));
}

#[test]
fn an_importers_row_is_checked_like_a_typed_one_and_named_by_its_line() {
    let good = |n: &str| {
        let mut row =
            CanonicalRow { gpu: "t4".into(), kernel: "void k<int>(\nint)".into(), ..Default::default() };
        (row.problem, row.source) = (format!("n={n}"), format!("report.csv:{n}"));
        row.set(Number::Time, Some(0.5));
        row.attributes.extend([("gpu".into(), "no column".into()), ("a\0b".into(), "x".into())]);
        row
    };
    let bad = CanonicalRow { gpu: "t5".into(), ..good("20") };
    let elsewhere = CanonicalRow { source: "other.csv:9".into(), ..bad.clone() };
    let nul = CanonicalRow { variant: "a\0b".into(), ..good("30") };
    let mut session = SHIPPED.clone();
    let loaded = session.add_rows(&[good("1"), bad, elsewhere, nul], "report.csv").unwrap();
    let (added, refused, count) = (loaded.rows, loaded.refused, loaded.refused_count);
    assert_eq!((added, count), (2, 2));
    for (refused, line, ends) in [(&refused[0], 20, "lists them"), (&refused[1], 3, "(other.csv:9)")] {
        let said = refused.to_string();
        let starts = format!("report.csv:{line}: gpu: unknown GPU `t5`");
        assert!(said.starts_with(&starts) && said.ends_with(ends), "{said}");
    }
    let rows: Vec<_> = session.store.rows().skip(SHIPPED.store.len()).collect();
    assert_eq!((rows[0].line, rows[1].line, &**rows[1].variant()), (1, 30, "a\u{fffd}b"));
    let kernel = &session.kernels[rows[0].kernel];
    assert_eq!((kernel.label(), kernel.id.as_str()), ("k", "void k<int>(\nint)"));
    assert!(
        read_rows(&[], "f", TimingKind::Measured, &SHIPPED.gpus, &mut SHIPPED.kernels.clone())
            .unwrap()
            .rows
            .is_empty()
    );
}

#[test]
fn the_users_short_names_hold_for_known_and_for_new_kernels() {
    let folder = tempfile::tempdir().unwrap();
    let aliases = "\"void cutlass::Kernel<cutlass_sgemm>(T1::Params)\" = \"sgemm_128x128\"\n\
                   \"void axpy_kernel<float>(int)\" = \"saxpy\"\n";
    std::fs::write(folder.path().join("aliases.toml"), aliases).unwrap();
    let mut session = Session::load(Some(folder.path())).unwrap();
    assert_eq!(session.problems, [""; 0]);
    let csv = folder.path().join("rows.csv");
    let rows = "gpu,kernel,problem,time_ms\n\
                t4,void cutlass::Kernel<cutlass_sgemm>(T1::Params),m=1,1\n\
                t4,void axpy_kernel<float>(int),n=4096,1\n\
                t4,void other<float>(int),n=1,1\n\
                t4,void other<double>(int),n=1,1\n";
    std::fs::write(&csv, rows).unwrap();
    assert_eq!(session.add_data(&csv).unwrap().rows, 4);
    let labels: Vec<(&str, &str)> = session
        .store
        .rows()
        .skip(SHIPPED.store.len())
        .map(|r| &session.kernels[r.kernel])
        .map(|k| (k.id.as_str(), k.label()))
        .collect();
    assert_eq!(
        labels,
        [
            ("sgemm_128x128", "sgemm_128x128"),
            ("saxpy", "saxpy"),
            ("void other<float>(int)", "other<float>"),
            ("void other<double>(int)", "other<double>"),
        ]
    );
    let of_new = session.kernels.entry_named("sgemm_128x128").unwrap();
    assert_eq!(of_new.name(), "void cutlass::Kernel<cutlass_sgemm>(T1::Params)");

    std::fs::write(folder.path().join("aliases.toml"), "a = 1\n").unwrap();
    let problems = Session::load(Some(folder.path())).unwrap().problems.clone();
    assert!(problems.len() == 1 && problems[0].contains("aliases.toml:1"), "{problems:?}");
}

/// A profiler's launch shape is no size: what was counted tells launches apart, repeats stay repeats.
#[test]
fn launches_of_one_shape_are_told_apart_by_what_they_counted() {
    let csv = "gpu,kernel,problem,flops,warp_insts_issued,dram_bytes,time_ms\n\
        h100-sxm5,chase,grid=512;block=256,0,740541,4198400,0.06416\n\
        h100-sxm5,chase,grid=512;block=256,0,741065,495436544,0.240288\n\
        h100-sxm5,chase,grid=512;block=256,0,740541,4198500,0.0668\n\
        h200,chase,grid=512;block=256,0,740541,4198656,0.054784\n\
        h200,chase,grid=512;block=256,0,740541,488978688,0.193632\n\
        h200,scatter,grid=512;block=256,,,,0.05\n\
        h200,scatter,grid=512;block=256,,,,0.19\n\
        h200,sized,n=512,0,740541,4198656,0.05\n\
        h200,sized,n=512,0,740541,488978688,0.19\n";
    let mut kernels = SHIPPED.kernels.clone();
    let read = |csv: &[u8], kernels: &mut Catalogue<Kernel>| {
        read_csv(csv, "f.csv", TimingKind::Measured, &SHIPPED.gpus, kernels).unwrap()
    };
    let first = read(csv.as_bytes(), &mut kernels);
    let problems: Vec<String> = first.rows.iter().map(|row| row.problem.to_string()).collect();
    let [shape, second] = ["grid=512;block=256", "grid=512;block=256;work=2"];
    assert_eq!(problems, [shape, second, shape, shape, second, shape, shape, "n=512", "n=512"]);
    assert_eq!(first.told_apart, 2);
    let rows = first.rows.iter().map(|r| CanonicalRow::from_measurement(r, &SHIPPED.gpus, &kernels));
    let again = read(&write_csv(&rows.collect::<Vec<_>>()), &mut kernels);
    assert_eq!(again.rows.iter().map(|row| row.problem.to_string()).collect::<Vec<_>>(), problems);
    assert_eq!(again.told_apart, 0, "the file says so already");
}

/// A name of the catalogue is no other name of itself, template arguments or not.
#[test]
fn only_other_names_are_said_to_be_other_names() {
    let csv = "gpu,kernel,problem,time_ms\nh100-sxm5,\"fft<4096, float>\",grid=4;block=256,0.064\n";
    let mut kernels = SHIPPED.kernels.clone();
    for _ in 0..2 {
        let read =
            read_csv(csv.as_bytes(), "f.csv", TimingKind::Measured, &SHIPPED.gpus, &mut kernels).unwrap();
        assert!(read.renamed.is_empty(), "{:?}", read.renamed);
    }
}
