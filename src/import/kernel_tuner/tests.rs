use super::super::tests::read_text;
use super::*;
use crate::measurement::Number;

const HEAD: &str = r#"{
"schema_version": "1.0.0",
"device_name": "NVIDIA A100-PCIE-40GB",
"kernel_name": "stencil",
"problem_size": [4096, 2048],
"tune_params_keys": ["block_size_x", "block_size_y", "tile", "mode"],
"tune_params": {"block_size_x": [32, 64], "block_size_y": [4], "tile": [1, 2], "mode": ["row"]},
"objective": "time",
"cache": {
"#;

const ENTRIES: &str = r#""32,4,1,row": {"block_size_x": 32, "block_size_y": 4, "tile": 1, "mode": "row", "time": 2.0, "times": [1.0, 3.0], "compile_time": 300.5, "GFLOP/s": 12.5, "timestamp": "2026-01-01"},
"64,4,1,row": {"block_size_x": 64, "block_size_y": 4, "tile": 1, "mode": "row", "time": "CompilationFailedConfig"},
"32,4,2,row": {"block_size_x": 32, "block_size_y": 4, "tile": 2, "mode": "row", "time": 1e20},
"64,4,2,row": {"block_size_x": 64.0, "block_size_y": 4, "tile": 2, "mode": "row", "time": 1.5},
"#;

pub(in super::super) fn whole() -> String {
    format!("{HEAD}{}\n}}\n}}\n", ENTRIES.trim_end().trim_end_matches(','))
}

#[test]
fn a_configuration_becomes_a_row() {
    let read = read_text(&IMPORTER, &whole()).unwrap();
    assert_eq!(read.refused_count, 0, "{:?}", read.refused);
    let rows = read.rows.to_vec();
    let [first, last] = rows.as_slice() else { panic!("{:?}", read.rows) };
    assert_eq!((&*first.gpu, &*first.kernel), ("NVIDIA A100-PCIE-40GB", "stencil"));
    assert_eq!((&*first.problem, &*first.variant), ("x=4096;y=2048", "tile=1;mode=row"));
    assert_eq!((first.block, first.grid), (Some([32, 4, 1]), None));
    assert_eq!(last.block, Some([64, 4, 1]));
    assert_eq!(first.get(Number::Time), Some(2.0));
    assert_eq!(first.get(Number::TimeStd), Some(std::f64::consts::SQRT_2));
    assert_eq!(first.get(Number::Trials), Some(2.0));
    assert_eq!(first.attributes.iter().collect::<Vec<_>>(), [(&"gflop_s".to_string(), &"12.5".to_string())]);
    assert_eq!((&*first.source, &*last.source), ("test.txt:10", "test.txt:13"));
    assert_eq!(
        read.remarks,
        [
            "1 configurations failed: they have no time and are no rows",
            "1 configurations failed to compile: they have no time and are no rows"
        ]
    );
}

#[test]
fn a_cache_without_its_end_reads_up_to_there() {
    let all = read_text(&IMPORTER, &whole()).unwrap().rows.to_vec();
    for end in [",\n", "", ",", ",\n\"64,8", ",\n\"64,8,1,row\": {\"block_size_x\": 64, \"ti", "\n}"] {
        let text = format!("{HEAD}{}{end}", ENTRIES.trim_end().trim_end_matches(','));
        let read = read_text(&IMPORTER, &text).unwrap();
        assert_eq!(read.rows.to_vec(), all, "{end:?}");
        assert!(
            read.remarks.last().unwrap().contains("its 4 whole configurations"),
            "{end:?}: {:?}",
            read.remarks
        );
    }
    let before = read_text(&IMPORTER, HEAD.split_once("\"cache\"").unwrap().0).unwrap_err();
    assert!(before.message.contains("EOF"), "{before}");
}

#[test]
fn a_file_whose_keys_another_program_sorted_reads_too() {
    let cache = ENTRIES.trim_end().trim_end_matches(',');
    let text = format!(
        r#"{{"cache": {{{cache}}}, "device_name": "x", "kernel_name": "k", "problem_size": "1000",
            "tune_params_keys": ["tile"], "framework_time": 1}}"#
    );
    assert!((IMPORTER.recognises)(text.as_bytes()));
    let read = read_text(&IMPORTER, &text).unwrap();
    assert_eq!(
        (read.rows.len(), &*read.rows.row(0).problem, &*read.rows.row(0).variant),
        (2, "x=1000", "tile=1")
    );
}

#[test]
fn bad_entries_are_refused_by_name_and_bad_files_with_their_line() {
    for (from, to, words) in [
        ("\"time\": 1.5", "\"time\": -1.5", "time: configuration `64,4,2,row`: -1.5: expected milliseconds"),
        ("\"time\": 1.5", "\"time\": \"slow\"", "`slow`: expected milliseconds, CompilationFailedConfig"),
        ("\"time\": 1.5", "\"thyme\": 1.5", "is missing; expected milliseconds"),
        ("\"time\": 1.5", "\"time\": [1.5]", "[1.5]: expected milliseconds"),
        ("64.0", "64.5", "block_size_x: configuration `64,4,2,row`: 64.5: expected a whole number"),
        ("\"tile\": 2, \"mode\": \"row\", \"time\": 1.5", "\"time\": 1.5", "tile: configuration"),
    ] {
        let read = read_text(&IMPORTER, &whole().replace(from, to)).unwrap();
        assert_eq!((read.rows.len(), read.refused_count), (1, 1), "{to}");
        let why = read.refused[0].to_string();
        assert!(why.starts_with("test.txt:13: ") && why.contains(words), "{why}");
    }
    for (from, to, words) in [
        ("\"kernel_name\": \"stencil\",\n", "", "has no `kernel_name`"),
        ("\"objective\"", "\"kernel_name\"", "`kernel_name` stands twice"),
        ("[4096, 2048]", "{}", "problem_size: {}: expected sizes"),
        ("\"cache\": {", "\"cash\": {", "has no `cache`"),
        ("2.0, \"times\"", "2.0 \"times\"", "line 10"),
        ("stencil", "sten\0cil", "NUL byte"),
    ] {
        let error = read_text(&IMPORTER, &whole().replacen(from, to, 1)).unwrap_err();
        assert!(
            error.to_string().starts_with("test.txt: ") && error.message.contains(words),
            "{to}: {error}"
        );
    }
    let deep = format!("{HEAD}\"x\": {}", "{\"a\":".repeat(100_000));
    assert!(read_text(&IMPORTER, &deep).unwrap_err().message.contains("recursion limit"));
}

#[test]
fn members_that_are_not_used_are_not_remembered() {
    let further: String = (0..200_000).map(|i| format!("\"u{}\": 0,\n", i / 2)).collect();
    let read =
        read_text(&IMPORTER, &whole().replace("\"objective\"", &format!("{further}\"objective\""))).unwrap();
    assert_eq!((read.rows.len(), read.refused_count), (2, 0));
}
