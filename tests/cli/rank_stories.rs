//! Which GPU is best: boards of a kernel, a mix and a typed kernel, with prices and without.

use crate::app_stories::trace;
use crate::desk;

use desk::{Desk, number};
use roofswap::calendar::utc_date;
use serde_json::Value;
use std::time::SystemTime;

const COLUMNS: [&str; 18] = [
    "gpu",
    "name",
    "time_ms",
    "low_ms",
    "high_ms",
    "speedup",
    "limit",
    "occupancy",
    "fits_memory",
    "board_power_w",
    "energy_j",
    "usd_per_hour",
    "price_date",
    "usd_per_million_runs",
    "pareto",
    "cautions",
    "speedup_over_profile",
    "time_kind",
];

/// An old price, one of today, and one without a date.
fn prices_file() -> String {
    format!(
        "gpu,usd_per_hour,provider,region,date\n\
        l40s,1.00,a,us,2020-01-01\nh100-sxm5,2.50,b,eu,{}\nh200,4.00,c,,\n",
        today()
    )
}

fn today() -> String {
    utc_date(SystemTime::now()).expect("after 1970")
}

const SAXPY: &str = "rank --kernel saxpy --size 2^28 --from v100-pcie-16gb --format json";

fn ids(rows: &[Value]) -> Vec<&str> {
    rows.iter().filter_map(|row| row["gpu"].as_str()).collect()
}

#[test]
fn a_board_has_the_promised_columns_best_first() {
    let rows = Desk::new().types(&format!("{SAXPY} --to l40s,h100-sxm5,h200,v100-pcie-16gb")).works().json();
    assert_eq!(rows.len(), 4);
    for row in &rows {
        assert_eq!(row.as_object().unwrap().keys().collect::<Vec<_>>(), COLUMNS);
        assert_eq!((&row["usd_per_hour"], &row["price_date"]), (&Value::Null, &Value::Null));
        assert!(
            (number(row, "energy_j") / number(row, "board_power_w") / number(row, "time_ms") * 1e3 - 1.0)
                .abs()
                < 1e-9
        );
        assert_eq!((&row["limit"], &row["fits_memory"]), (&"DRAM".into(), &true.into()));
    }
    assert!(rows.windows(2).all(|two| number(&two[0], "time_ms") <= number(&two[1], "time_ms")));
    let source = rows.iter().find(|row| row["gpu"] == "v100-pcie-16gb").unwrap();
    assert_eq!(source["speedup"], 1);
    assert_eq!(rows[0]["pareto"], true, "nothing is faster");
}

#[test]
fn a_board_says_the_same_as_a_prediction() {
    let desk = Desk::new();
    let rows = desk.types(&format!("{SAXPY} --to l40s")).works().json();
    let words = "predict --kernel saxpy --size 2^28 --from v100-pcie-16gb --to l40s --format json";
    let told = desk.types(words).works().json();
    for key in ["time_ms", "low_ms", "high_ms"] {
        assert_eq!(rows[0][key], told[0][key], "{key}");
    }
    assert_eq!(
        (&rows[0]["limit"], &rows[0]["occupancy"]),
        (&told[0]["bound_target"], &told[0]["occupancy_target"])
    );
}

#[test]
fn prices_are_shown_with_their_day_and_order_the_board() {
    let desk = Desk::new();
    let prices = desk.file("prices.csv", prices_file());
    let words = format!("{SAXPY} --to l40s,h100-sxm5,h200,a100-sxm4-80gb --by perf-per-dollar --prices");
    let rows = desk.types_with(&words, &[&prices]).works().json();
    assert_eq!(ids(&rows).last(), Some(&"a100-sxm4-80gb"), "without a price it comes last");
    let h100 = rows.iter().find(|row| row["gpu"] == "h100-sxm5").unwrap();
    assert_eq!((&h100["usd_per_hour"], &h100["price_date"]), (&2.5.into(), &today().into()));
    let expected = 2.5 / 3600.0 * number(h100, "time_ms") * 1e-3 * 1e6;
    assert!((number(h100, "usd_per_million_runs") / expected - 1.0).abs() < 1e-9, "{h100}");
    let said = |id: &str, words: &str| {
        let row = rows.iter().find(|row| row["gpu"] == id).unwrap();
        row["cautions"].as_array().unwrap().iter().any(|c| c.as_str().is_some_and(|c| c.contains(words)))
    };
    assert!(
        said("l40s", "days old") && said("h200", "price without a date") && !said("h100-sxm5", "days old")
    );
    let mixed = "gpu,usd_per_hour\nfoo,2\nH100,2\nh100-sxm5,2\nl40s,0\n";
    let board =
        desk.types_with(&words.replace("--format json", ""), &[&desk.file("mixed.csv", mixed)]).works();
    for said in
        ["mixed.csv:2: gpu: unknown GPU `foo`", "mixed.csv:3: gpu: GPU `H100` is ambiguous", "row left out"]
    {
        assert!(board.stderr.contains(said), "{said}: {}", board.stderr);
    }
    let at = |gpu: &str| board.stdout.find(gpu).unwrap();
    assert!(at("L40S") < at("H100 SXM5") && at("H100 SXM5") < at("H200"), "{}", board.stdout);
    assert!(board.stdout.contains("$/h of 0: perf per dollar is not defined"), "{}", board.stdout);
    let dear = desk.file("wrong.csv", "gpu,usd_per_hour\nh100-sxm5,minus\n");
    desk.types_with(&words, &[&dear]).ends(1, &["wrong.csv:2: usd_per_hour", "expected US dollars"]);
}

#[test]
fn targets_are_architectures_limits_and_one_of_each() {
    let desk = Desk::new();
    let each = desk.types(&format!("{SAXPY} --to each-architecture")).works().json();
    assert_eq!(each.len(), 8, "{:?}", ids(&each));
    let frugal = desk.types(&format!("{SAXPY} --to ada,<=150W")).works().json();
    let ada = desk.types(&format!("{SAXPY} --to ada")).works().json();
    assert!(!frugal.is_empty() && frugal.len() < ada.len() / 2, "{:?}", ids(&frugal));
    desk.types(&format!("{SAXPY} --to ada,<=1W")).ends(2, &["no GPU is left"]);
    desk.types(&format!("{SAXPY} --to adda")).ends(2, &["unknown GPU `adda`; nearest: ada"]);
    desk.types(&format!("{SAXPY} --to nobody")).ends(2, &["an architecture (kepler, maxwell"]);
    let all = desk.types(SAXPY).works().json();
    let gpus = desk.types("gpus --format json").works().json();
    assert_eq!(all.len(), gpus.len());
    assert_eq!(desk.types(&format!("{SAXPY} --top 3")).works().json(), all[..3]);
}

/// A kernel typed with its time on one GPU, ranked from another.
#[test]
fn a_typed_kernel_of_a_mix_is_scaled_from_its_measured_time_and_that_is_said() {
    let desk = Desk::new();
    let mix = desk.file(
        "mix.toml",
        "[[kernel]]\nkernel = \"saxpy\"\nsize = \"n=2^20\"\n\
         [[kernel]]\ntyped = \"4.2ms on 3090, 256 thr, 17.2 GFLOP, 50MB dram\"\n",
    );
    for words in
        ["rank --from titan-v --to rtx-4070 --mix", "rank --from titan-v --to rtx-4070 --kernels --mix"]
    {
        let told = desk.types_with(words, &[&mix]).works().stdout;
        assert!(
            told.contains("no measurement on the source GPU: scaled from the measured time on rtx-3090"),
            "{told}"
        );
        assert!(!told.contains("roofline with typical efficiency"), "{told}");
    }
}

#[test]
fn a_mix_is_the_sum_of_its_kernels() {
    let desk = Desk::new();
    let mix = desk.file(
        "mix.toml",
        "name = \"step\"\n[[kernel]]\nkernel = \"saxpy\"\nsize = \"n=2^24\"\ncalls = 3\n\
         [[kernel]]\nkernel = \"matmul_tiled\"\nsize = \"n=2048\"\ncalls = 2\n",
    );
    let words = "rank --from titan-v --to rtx-4070,h100-sxm5 --format json --mix";
    let rows = desk.types_with(words, &[&mix]).works().json();
    for row in &rows {
        let gpu = row["gpu"].as_str().unwrap();
        let one = |kernel: &str, size: &str| {
            let words =
                format!("rank --from titan-v --to {gpu} --kernel {kernel} --size {size} --format json");
            number(&desk.types(&words).works().json()[0], "time_ms")
        };
        let sum = 3.0 * one("saxpy", "2^24") + 2.0 * one("matmul_tiled", "n=2048");
        assert!((number(row, "time_ms") / sum - 1.0).abs() < 1e-9, "{row}");
    }
    let words = "rank --from titan-v --to rtx-4070 --kernels --format json --mix";
    let kernels = desk.types_with(words, &[&mix]).works().json();
    let names: Vec<&str> = kernels.iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert!(names[0].ends_with("matmul_tiled n=2048 x 2") && names[1].ends_with("x 3"), "{names:?}");
    let sum: f64 = kernels.iter().map(|row| number(row, "time_ms")).sum();
    let whole = rows.iter().find(|row| row["gpu"] == "rtx-4070").unwrap();
    assert!((sum / number(whole, "time_ms") - 1.0).abs() < 1e-9, "{kernels:?}");
    let prices = desk.file("prices.csv", "gpu,usd_per_hour\nrtx-4070,0.5\nh100-sxm5,3\n");
    let words = "rank --from titan-v --to l4,rtx-4070,h100-sxm5 --kernels --by perf-per-dollar --prices prices.csv --mix";
    let table = desk.types_with(words, &[&mix]).works().stdout;
    let at = |gpu: &str| table.find(gpu).unwrap();
    assert!(at(" L4 ") > at("H100") && at(" L4 ") > at("RTX 4070"), "without a price it comes last: {table}");
    assert!(table.contains("the most expensive first") && table.contains("they are last"), "{table}");
    assert!(prices.exists());
    desk.types("rank --from titan-v --kernel saxpy --kernels").ends(2, &["--kernels"]);
    let shares = desk.file(
        "shares.toml",
        "run_ms = 10\n[[kernel]]\nkernel = \"saxpy\"\nshare = 1\n[[kernel]]\nkernel = \"matmul_tiled\"\nshare = 1\n",
    );
    let rows =
        desk.types_with("rank --from titan-v --to titan-v --format json --mix", &[&shares]).works().json();
    assert!((number(&rows[0], "time_ms") / 10.0 - 1.0).abs() < 1e-9, "{}", rows[0]);
}

#[test]
fn a_typed_kernel_and_variants_are_ranked() {
    let desk = Desk::new();
    let words = "rank --time 4.2ms --from 3090 --threads 256 --regs 40 --flops 17.2GFLOP --dram-bytes 50MB \
        --to 4090,5090,h100-sxm5 --format json";
    let rows = desk.types(words).works().json();
    assert_eq!(rows.len(), 3);
    assert!(rows.iter().all(|row| number(row, "speedup") > 1.0), "{rows:?}");
    let file = desk.file(
        "tuned.csv",
        "gpu,kernel,problem,variant,time_ms,flops,dram_bytes\n\
         titan-v,conv,n=1024,tile=8,0.9,1e9,1e7\ntitan-v,conv,n=1024,tile=16,0.6,1e9,1e7\n",
    );
    let words = "rank --kernel conv --size n=1024 --to rtx-4070 --variants --format json --data";
    let rows = desk.types_with(words, &[&file]).works().json();
    assert_eq!(rows.len(), 2);
    assert!(rows[0]["name"].as_str().is_some_and(|name| name.ends_with("· tile=16")), "{rows:?}");
    let alone = "rank --to rtx-4070 --format json --data";
    assert_eq!(desk.types_with(alone, &[&file]).works().json().len(), 1, "the one kernel and GPU of --data");
    let two = desk.file("two.csv", "gpu,kernel,problem,time_ms\ntitan-v,a,n=1,1\ntitan-v,b,n=1,1\n");
    desk.types_with(alone, &[&two]).ends(2, &["--data has rows of 2 kernels", "such as a"]);
    let words = "rank --kernel saxpy --size 2^28 --from titan-v --to rtx-4070 --blocks --format json";
    let rows = desk.types(words).works().json();
    let own: Vec<&Value> =
        rows.iter().filter(|row| row["name"].as_str().unwrap().ends_with("as it is")).collect();
    assert!(rows.len() >= 8 && own.len() == 1, "{rows:?}");
    let changed = rows.iter().find(|row| row["name"] == "RTX 4070 · 32 threads").unwrap();
    assert!(
        number(changed, "time_ms") >= number(own[0], "time_ms"),
        "half the warps of a block slot: {changed}"
    );
    assert!(changed["cautions"].to_string().contains("launch changed on the target"), "{changed}");
}

#[test]
fn one_block_size_of_a_gpu_is_marked_and_equal_ones_are_said() {
    let desk = Desk::new();
    let words = "rank --kernel saxpy --size 2^28 --from titan-v --to rtx-4070,l4 --blocks";
    let rows = desk.types(&format!("{words} --format json")).works().json();
    for gpu in ["rtx-4070", "l4"] {
        let of_gpu = || rows.iter().filter(|row| row["gpu"] == gpu);
        let marked: Vec<&Value> = of_gpu().filter(|row| row["pareto"] == true).collect();
        assert_eq!(marked.len(), 1, "{gpu}: {marked:?}");
        let best = of_gpu().map(|row| number(row, "time_ms")).fold(f64::INFINITY, f64::min);
        assert!(number(marked[0], "time_ms") <= 1.01 * best, "{marked:?}");
        assert!(marked[0]["name"].as_str().unwrap().ends_with("as it is"), "as good as the best: {marked:?}");
        let tied =
            of_gpu().filter(|row| row["cautions"].to_string().contains("as good as the block")).count();
        let as_good = of_gpu().filter(|row| number(row, "time_ms") <= 1.01 * best).count();
        assert_eq!(tied, as_good - 1, "{gpu}");
    }
    let table = desk.types(words).works().stdout;
    let said = |text: &str| table.lines().filter(|line| line.contains(text)).count();
    assert_eq!([said("as good as the block"), said("launch changed on the target")], [1, 1], "{table}");
    assert_eq!(table.lines().filter(|line| line.trim_start().starts_with("*")).count(), 2, "{table}");
}

#[test]
fn where_nothing_can_be_predicted_the_exit_code_says_so() {
    let desk = Desk::new();
    let file = desk.file("bare.csv", "gpu,kernel,problem,time_ms\ntitan-v,fat,n=1,1\n");
    let words = "rank --kernel saxpy --size n=2^36 --from titan-v --to rtx-4070 --data";
    desk.types_with(words, &[&file]).ends(1, &["nothing could be predicted", "does not fit"]);
    desk.types("rank --from titan-v").ends(2, &["no kernel: give --kernel"]);
}

#[test]
fn a_board_is_a_table_a_file_and_a_picture() {
    let desk = Desk::new();
    let prices = desk.file("prices.csv", prices_file());
    let words = "rank --kernel saxpy --from v100-pcie-16gb --to l40s,h100-sxm5,h200 --prices";
    let table = desk.types_with(words, &[&prices]).works().stdout;
    for text in
        ["saxpy", "TESLA", "$/h", &format!("b eu {}", today()), "* best in time and power", "days old"]
    {
        let text = if text == "TESLA" { "V100" } else { text };
        assert!(table.contains(text), "{text}: {table}");
    }
    let markdown =
        desk.types(&format!("{} --format markdown", words.replace(" --prices", ""))).works().stdout;
    assert!(markdown.contains("| GPU |") && !markdown.contains("$/h"), "{markdown}");
    let csv = desk.types(&format!("{} --format csv", words.replace(" --prices", ""))).works().stdout;
    assert!(csv.starts_with(&COLUMNS.join(",")), "{csv}");
    desk.types(&format!("{} --svg board.svg", words.replace(" --prices", ""))).works();
    let svg = desk.read("board.svg");
    assert!(svg.contains("\ntime, µs\n") && svg.contains("L40S") && svg.contains("90 % interval"), "{svg}");
}

#[test]
fn the_page_of_the_schema_names_every_field_and_the_version() {
    let page = include_str!("../../docs/json.md");
    for column in COLUMNS {
        assert!(page.contains(&format!("`{column}`")), "{column}");
    }
    let desk = Desk::new();
    for words in [
        "predict --from titan-v --to rtx-4070 --kernel saxpy",
        "gpus",
        "occupancy --gpu l4 --threads 256 --regs 32",
    ] {
        let rows = desk.types(&format!("{words} --format json")).works().json();
        for field in rows[0].as_object().unwrap().keys() {
            assert!(page.contains(&format!("`{field}`")), "{words}: {field}");
        }
    }
    let version = desk.types("--version").works().stdout;
    let stated = version.lines().find_map(|line| line.strip_prefix("schema_version ")).unwrap();
    assert!(page.contains(&format!("schema_version {stated};")), "{version}");
}

#[test]
fn completions_know_gpus_kernels_and_models() {
    let script = Desk::new().types("completions bash").works().stdout;
    for name in ["h100-sxm5", "matmul_tiled", "efficiency-transfer"] {
        assert!(script.contains(name), "{name}");
    }
}

/// A kernel that a profiler held at other clocks than its board is set to.
pub const HELD: &str = "gpu,kernel,problem,block,grid,regs_per_thread,flops,dram_bytes,l2_bytes,time_ms,sm_clock_mhz,mem_clock_mhz\n\
    rtx-a4500,sobel,n=1,256,4096,22,48232449,4265088,9543744,0.031872,942,7537\n";

#[test]
fn a_kernel_at_profiled_clocks_is_headed_by_both_times_with_their_marks() {
    let desk = Desk::new();
    desk.file("held.csv", HELD);
    let table = desk.types("rank --data held.csv --kernel sobel --to l40s,h100-pcie").works().stdout;
    let head = table.lines().next().unwrap();
    assert!(
        head.contains(" ◆ on RTX A4500 at stock clocks, 31.9 µs ● at the profiled clocks (SM 942 MHz)"),
        "{head}"
    );
    let asked = "rank --data held.csv --kernel sobel --to l40s --format json";
    let rows: Value = serde_json::from_str(&desk.types(asked).works().stdout).unwrap();
    let over = rows[0]["speedup_over_profile"].as_f64().unwrap();
    assert!((over * rows[0]["time_ms"].as_f64().unwrap() / 0.031872 - 1.0).abs() < 1e-9, "{rows}");
    let batch = desk.types("rank --batch held.csv --to l40s").works().stdout;
    assert!(
        batch.lines().next().unwrap().contains("31.9 µs ● on RTX A4500 at the profiled clocks"),
        "{batch}"
    );
    assert!(batch.contains("1 row was measured at other clocks than its GPU is set to"), "{batch}");
}

/// Measured, scaled from another size, modelled: the head of a board says it of the source as the rows do of theirs.
#[test]
fn the_source_in_the_head_of_a_board_has_the_mark_of_its_time() {
    let desk = Desk::new();
    let head = |words: &str| {
        let table = desk.types(&format!("rank {words} --to l40s")).works().stdout;
        table.lines().next().unwrap().to_string()
    };
    assert!(head("--kernel saxpy --size 2^20 --from titan-v").contains("24.6 µs ● on TITAN V"));
    assert!(head("--kernel saxpy --size 2^24 --from titan-v").contains(" µs ◆ on TITAN V"));
    assert!(head("--kernel saxpy --size 2^24 --from titan-v --blocks").contains(" µs ◆ on TITAN V"));
    let typed = "--flops 17.2GFLOP --dram-bytes 50MB --threads 256 --from l4";
    assert!(head(typed).contains(" ~ on L4"), "{}", head(typed));
    desk.file("held.csv", HELD);
    assert!(head("--batch held.csv").contains("31.9 µs ● on RTX A4500"));
    desk.file("two.toml", "[[kernel]]\nkernel = \"saxpy\"\nsize = \"n=2^20\"\ncalls = 2\n");
    assert!(head("--mix two.toml --from titan-v").contains(" µs ● on TITAN V"));
    desk.file("two.toml", "[[kernel]]\nkernel = \"saxpy\"\nsize = \"n=2^20\"\ncalls = 2\n\n[[kernel]]\nkernel = \"saxpy\"\nsize = \"n=2^24\"\ncalls = 1\n");
    for kernels in ["", " --kernels"] {
        let head = head(&format!("--mix two.toml --from titan-v{kernels}"));
        assert!(head.contains(" µs ◆ on TITAN V"), "{head}");
    }
}

/// Each of many GPUs has its speedup over the profiled time in a column; what it is over is said once.
#[test]
fn speedups_over_the_profiled_time_are_a_column_with_one_note() {
    let desk = Desk::new();
    desk.file("held.csv", HELD);
    for words in [
        "rank --data held.csv --kernel sobel --to all",
        "predict --data held.csv --kernel sobel --to l40s,h100-pcie,t4,l4",
    ] {
        let table = desk.types(words).works().stdout;
        let heading = table.lines().nth(2).unwrap();
        assert!(heading.contains("speedup  as profiled  "), "{words}\n{heading}");
        for note in ["speedup: ", "as profiled: over "] {
            let notes = table.lines().filter(|line| line.starts_with(note)).count();
            assert_eq!(notes, 1, "{words}: {note}\n{table}");
        }
    }
    let other = desk.types("rank --kernel saxpy --from titan-v --to l40s,t4").works().stdout;
    assert!(!other.contains("as profiled"), "{other}");
}

/// The drawn times and the factor beside them are at different clocks.
#[test]
fn a_picture_says_which_clocks_its_times_and_speedups_are_at() {
    let desk = Desk::new();
    desk.file("held.csv", HELD);
    let svg = |more: &str| {
        let words = format!("export predictions --kernel sobel --data held.csv --to l40s {more} -o -");
        desk.types(&words).works().stdout
    };
    let held = svg("");
    assert!(held.lines().any(|line| line == "31.9 µs at SM 942 MHz"), "{held}");
    assert!(held.lines().any(|line| line.ends_with("× at stock clocks)")), "{held}");
    assert!(held.contains("the speedup is over those at stock clocks"), "{held}");
    assert!(svg("--sm-clock rtx-a4500=1200MHz").contains("× at set clocks)"));
}

#[test]
fn the_axis_of_a_picture_has_the_unit_of_its_times() {
    let desk = Desk::new();
    let kernel = "--from titan-v --kernel saxpy --size 2^20";
    for (words, unit) in [
        (format!("rank {kernel} --to ada --svg -"), "time, µs"),
        ("rank --from titan-v --kernel saxpy --size 2^28 --to ada --svg -".into(), "time, ms"),
        (format!("whatif --gpu rtx-4070 {kernel} --tornado --svg -"), "time, µs"),
        (format!("whatif --gpu rtx-4070 {kernel} --contour mem,sms --svg -"), "time, µs"),
        (format!("export predictions {kernel} --to rtx-4070 -o -"), "time per launch"),
    ] {
        let svg = desk.types(&words).works().stdout;
        assert!(svg.lines().any(|line| line == unit), "{words}: {svg}");
    }
}

#[test]
fn an_order_has_a_short_word() {
    let desk = Desk::new();
    let by = |word: &str| desk.types(&format!("{SAXPY} --to l4,l40s,t4 --by {word}")).works().stdout;
    assert_eq!(by("energy"), by("perf-per-watt"));
    assert_eq!(by("price"), by("perf-per-dollar"));
}

/// The source among several sources is predicted from the others: its row says that speedups are over another time of it.
#[test]
fn a_source_that_others_predict_says_that_speedups_are_over_its_own_time() {
    let desk = Desk::new();
    let row = |words: &str| {
        let words = format!("rank --kernel saxpy --to titan-v --format json {words}");
        desk.types(&words).works().json().remove(0)
    };
    let said = |row: &Value| row["cautions"].to_string().contains("; speedups are over its own time, ");
    let several = row("--size n=4194304 --from titan-v,rtx-4070");
    assert!(said(&several) && several["speedup"] != 1.0, "{several}");
    for one_time in [
        "--size n=4194304 --from titan-v",
        "--size n=4194304 --from titan-v,all",
        "--size n=1048576 --from titan-v,rtx-4070",
    ] {
        let row = row(one_time);
        assert!(!said(&row), "{one_time}: {row}");
        assert_eq!(row["speedup"], 1.0, "{one_time}: {row}");
    }
}

/// A board at a limit has one id and one mark, however the limit was typed.
#[test]
fn a_board_at_a_limit_is_one_gpu_in_every_command_and_format() {
    let desk = Desk::new();
    desk.file("run.json", trace());
    for asked in ["rank --kernel saxpy --from titan-v", "rank --app run.json", "app run.json"] {
        let [flag, name] = ["l40s --power-limit 200W", "l40s@200W"].map(|to| {
            let ask =
                |format: &str| desk.types(&format!("{asked} --to {to} --format {format}")).works().stdout;
            let (table, csv) = (ask("table"), ask("csv"));
            assert!(table.lines().any(|line| line.contains("◇ L40S @200W  ")), "{asked}: {table}");
            assert!(csv.lines().any(|line| line.starts_with("l40s@200W,")), "{asked}: {csv}");
            assert!(ask("json").contains("\"gpu\": \"l40s@200W\""), "{asked}");
            csv.split(',').next().unwrap_or_default().to_string()
        });
        assert_eq!(flag, name);
    }
}

/// What an hour on a board costs is what it costs at other settings, however they were typed; other numbers make it another board.
#[test]
fn a_board_at_settings_has_the_price_of_the_board() {
    let desk = Desk::new();
    desk.file("run.json", trace());
    let prices = desk.file("prices.csv", "gpu,usd_per_hour,provider,region,date\nl40s,1,a,us,2026-11-01\n");
    let price_of = |words: &str| {
        let rows = desk.types_with(&format!("{words} --format json --prices"), &[&prices]).works().json();
        rows[0]["usd_per_hour"].as_f64()
    };
    for asked in ["rank --kernel saxpy --from titan-v --by price", "rank --app run.json"] {
        for to in ["l40s@200W", "l40s --power-limit 200W", "l40s@1200MHz"] {
            assert_eq!(price_of(&format!("{asked} --to {to}")), Some(1.0), "{asked} {to}");
        }
    }
    let changed = "rank --kernel saxpy --from titan-v --to l40s --set mem=+20%";
    let rows = desk.types_with(&format!("{changed} --format json --prices"), &[&prices]).works().json();
    let prices: Vec<&Value> = rows.iter().map(|row| &row["usd_per_hour"]).collect();
    assert!(prices.contains(&&Value::Null) && prices.contains(&&1.into()), "{prices:?}");
    let app = "app run.json --to l40s@200W --format json --prices prices.csv";
    let told: Value = serde_json::from_str(&desk.types(app).works().stdout).unwrap();
    assert!(told["targets"][0]["usd_per_million_runs"].is_number(), "{told}");
}

/// Times that are one time as they are shown have one rank, and stand in the order of their ids.
#[test]
fn times_that_are_equal_as_shown_share_a_rank() {
    let desk = Desk::new();
    // The host takes 20 ms of a window in which kernels take little.
    desk.file(
        "run.json",
        trace().replace("\"ts\":3900,", "\"ts\":300000,").replace("\"ts\":3920,", "\"ts\":300020,"),
    );
    let table = desk.types("rank --app run.json --to h100,h200").works().stdout;
    let rows: Vec<Vec<&str>> =
        table.lines().skip(3).take_while(|l| !l.is_empty()).map(|l| l.split_whitespace().collect()).collect();
    assert!(rows.len() > 3, "{table}");
    assert!(rows.iter().all(|row| row[0].trim_start_matches('*') == "1"), "{table}");
    assert!(table.contains("equal as shown: one rank, in the order of their ids"), "{table}");
    let json = desk.types("rank --app run.json --to h100,h200 --format json").works().json();
    let ids: Vec<&str> = json.iter().map(|row| row["gpu"].as_str().unwrap()).collect();
    assert!(ids.is_sorted(), "{ids:?}");
    let apart = desk.types("rank --kernel saxpy --from titan-v --to l4,h200").works().stdout;
    assert!(!apart.contains("equal as shown"), "{apart}");
}

/// What a limit or clocks do to the kernels of a mix is said as of a kernel alone: of the board once, of a kernel behind its name.
#[test]
fn a_mix_says_what_each_of_its_kernels_says() {
    let desk = Desk::new();
    let mix = "[[kernel]]\nkernel = \"saxpy\"\nsize = \"n=2^24\"\n[[kernel]]\nkernel = \"matmul_tiled\"\nsize = \"n=1024\"\n";
    let mix = desk.file("mix.toml", mix);
    let said = |asked: &str, to: &str| -> Vec<String> {
        let words = format!("rank --from titan-v --to {to} --format json {asked}");
        let paths: &[&std::path::Path] = if asked.ends_with("--mix") { &[&mix] } else { &[] };
        let rows = desk.types_with(&words, paths).works().json();
        rows[0]["cautions"].as_array().unwrap().iter().map(|c| c.as_str().unwrap().to_string()).collect()
    };
    for to in ["rtx-4090@150W", "rtx-4090 --sm-clock 1200MHz", "rtx-4090"] {
        let of_mix = said("--mix", to);
        let mut of_kernels = 0;
        for (kernel, alone) in [
            ("saxpy n=16777216", "--kernel saxpy --size n=2^24"),
            ("matmul_tiled n=1024", "--kernel matmul_tiled --size n=1024"),
        ] {
            let alone = said(alone, to);
            of_kernels += alone.len();
            let is_said =
                |note: &String| of_mix.contains(note) || of_mix.contains(&format!("{kernel}: {note}"));
            assert!(alone.iter().all(is_said), "{to}: {of_mix:?} {alone:?}");
        }
        let of_both =
            of_mix.iter().filter(|note| !note.starts_with("saxpy") && !note.starts_with("matmul")).count();
        assert_eq!(of_mix.len(), of_kernels - of_both, "once what holds for both: {of_mix:?}");
    }
    let limited = said("--mix", "rtx-4090@150W");
    assert!(limited.iter().any(|note| note.contains("lowers the SM clock")), "{limited:?}");
    let of_clock = "rtx-4090 (SM clock 1200 MHz instead of 2520 MHz): interval not validated for it";
    assert!(said("--mix", "rtx-4090 --sm-clock 1200MHz").contains(&of_clock.to_string()));
}
