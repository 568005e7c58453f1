//! Sizes and clocks that were not measured beside ones that were: whichever row comes first, and as wide as what is known of them differs.

use crate::desk::{Desk, number};
use serde_json::Value;

const HEAD: &str = "gpu,kernel,problem,dtype,flops,dram_bytes,time_ms\n";

/// A row of a BF16 product that takes so many times as long as its FLOPs at 400 TFLOP/s, and 5 µs.
fn product(m: f64, n: f64, k: f64, slower: f64) -> String {
    let (flops, bytes) = (2.0 * m * n * k, 2.0 * (m * k + k * n + m * n));
    let ms = 5e-3 + slower * flops / 400e12 * 1e3;
    format!("h100-sxm5,linear_bf16,m={m};n={n};k={k},bf16,{flops},{bytes},{ms:.9}\n")
}

/// The answer for one size of a product on the GPU that timed these rows.
fn product_answer(rows: &[String], size: &str, to: &str) -> Value {
    let desk = Desk::new();
    desk.file("rows.csv", HEAD.to_string() + &rows.concat());
    let words = format!(
        "predict --data rows.csv --from h100-sxm5 --to {to} --kernel linear_bf16 --size {size} --format json"
    );
    desk.types(&words).works().json().remove(0)
}

#[test]
fn products_of_one_volume_are_told_apart_by_their_shape_in_any_order() {
    let rows = [
        product(4096.0, 4096.0, 256.0, 1.0),
        product(64.0, 8192.0, 8192.0, 3.0),
        product(8192.0, 8192.0, 64.0, 2.0),
    ];
    let near = product_answer(&rows, "m=4096,n=4032,k=256", "h100-sxm5");
    let alone = product_answer(&rows[..1], "m=4096,n=4032,k=256", "h100-sxm5");
    assert!((number(&near, "time_ms") / number(&alone, "time_ms") - 1.0).abs() < 0.02, "{near} {alone}");
    for order in [[2, 1, 0], [1, 0, 2], [0, 2, 1]] {
        let again =
            product_answer(&order.map(|at: usize| rows[at].clone()), "m=4096,n=4032,k=256", "h100-sxm5");
        assert_eq!(number(&again, "time_ms"), number(&near, "time_ms"), "{order:?}");
        assert_eq!(again["cautions"], near["cautions"], "{order:?}");
    }
}

#[test]
fn a_size_between_others_is_as_uncertain_as_they_differ() {
    let sizes = [1000.0, 1500.0, 2500.0, 3000.0].map(|m| (m, 2048.0, 2048.0));
    let width = |slower: [f64; 4], to: &str| {
        let rows: Vec<String> =
            sizes.iter().zip(slower).map(|((m, n, k), slower)| product(*m, *n, *k, slower)).collect();
        let found = product_answer(&rows, "m=2000,n=2048,k=2048", to);
        number(&found, "high_ms") / number(&found, "low_ms")
    };
    for to in ["h100-sxm5", "l40s"] {
        let [agree, differ] = [[1.0; 4], [0.8, 1.3, 0.7, 1.2]].map(|slower| width(slower, to));
        assert!(agree > 1.02 && differ > 1.3 * agree, "{to}: {agree}, {differ}");
    }
    assert!(width([1.0; 4], "h100-sxm5") < 1.5);
}

/// One size alone says little of another shape.
#[test]
fn one_size_alone_says_less_than_several() {
    let alike = [1000.0, 1500.0, 2500.0, 3000.0].map(|m| product(m, 2048.0, 2048.0, 1.0));
    let width = |rows: &[String]| {
        let found = product_answer(rows, "m=2000,n=2048,k=2048", "h100-sxm5");
        number(&found, "high_ms") / number(&found, "low_ms")
    };
    assert!(width(&alike[..1]) > 1.5 && width(&alike[..1]) > width(&alike), "{}", width(&alike[..1]));
}

/// Of rows of one configuration at several clocks the one nearest to the stated ones is the source's time, wherever it stands.
#[test]
fn of_several_clocks_those_nearest_to_the_stated_ones_are_taken() {
    let head = "gpu,kernel,problem,dtype,flops,dram_bytes,time_ms,sm_clock_mhz,mem_clock_mhz\n";
    // The board's stated clocks: 1582 and 5500 MHz.
    let rows = [("2.4", "1200,5500"), ("2.0", "1600,5000"), ("1.9", "1600,5500"), ("1.7", "2000,5500")]
        .map(|(ms, clocks)| format!("gtx-1080-ti,mine,n=1,fp32,1e10,4e8,{ms},{clocks}\n"));
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]] {
        let desk = Desk::new();
        desk.file("rows.csv", head.to_string() + &order.map(|at: usize| rows[at].clone()).concat());
        let words = "predict --data rows.csv --kernel mine --size n=1 --to rtx-3090 --format json";
        let found = desk.types(words).works().json().remove(0);
        assert_eq!(number(&found, "source_time_ms"), 1.9, "{order:?}");
    }
}

/// How alike two boards are does not depend on the clocks that one of them is set to.
#[test]
fn a_higher_clock_of_a_board_like_the_source_is_never_slower() {
    for (from, to, stock) in [
        ("v100-pcie-32gb", "v100-pcie-16gb", 1380.0),
        ("h100-sxm5", "h200", 1980.0),
        ("rtx-2060", "rtx-2080-ti", 1545.0),
    ] {
        let time = |share: f64, words: &str| {
            let clock = (share * stock).round();
            let set = words.replace("CLOCK", &format!("{clock}MHz"));
            let words = format!(
                "predict --format json --from {from} --time 59us --dram-bytes 130kB --threads 256 --grid 16 --regs 32"
            );
            number(&Desk::new().types(&format!("{words} {set}")).works().json()[0], "time_ms")
        };
        let shares = [0.9, 0.98, 1.0, 1.01, 1.06, 1.2];
        let typed = shares.map(|share| time(share, &format!("--to {to} --sm-clock CLOCK")));
        let named = shares.map(|share| time(share, &format!("--to {to}@CLOCK")));
        assert!(typed.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-9)), "{to}: {typed:?}");
        assert_eq!(typed, named, "{to}");
    }
}

/// The launch overhead of a tornado is the one the kernel's launch is taken to have there: a fifth more of it is slower, and its own value changes nothing.
#[test]
fn the_launch_overhead_that_is_shown_is_the_one_that_counts() {
    let head = "gpu,kernel,problem,variant,dtype,block,grid,flops,dram_bytes,time_ms\n";
    for (row, of) in [
        ("gtx-1650,mine,n=1,timing=cold,fp32,256,4,64,768,0.0069\n", "--variant timing=cold"),
        ("v100-pcie-32gb,torch_ln,b=60;h=272,,fp32,,,,130560,0.0592\n", ""),
    ] {
        let desk = Desk::new();
        desk.file("rows.csv", head.to_string() + row);
        let fields: Vec<&str> = row.split(',').collect();
        let size = fields[2].replace(';', ",");
        let words = format!(
            "whatif --gpu rtx-4090 --data rows.csv --from {} --kernel {} --size {size} {of} --format json",
            fields[0], fields[1]
        );
        let told = |words: &str| -> Value {
            serde_json::from_str(&desk.types(words).works().stdout).expect("one object")
        };
        let moved = told(&format!("{words} --tornado"));
        let bars = moved["tornado"].as_array().expect("a tornado has bars");
        let launch = bars.iter().find(|bar| bar["number"] == "launch").expect("one of launch overhead");
        let base = number(&moved, "time_ms");
        let [less, more] = ["minus20_time_ms", "plus20_time_ms"].map(|field| number(launch, field));
        assert!(less < base && base < more, "{row}: {launch} {base}");
        let own = number(launch, "value");
        let at = |us: f64| number(&told(&format!("{words} --set launch={us}us")), "time_ms");
        assert!((at(own) / base - 1.0).abs() < 1e-6, "{row}: {own} µs: {} for {base} ms", at(own));
        assert!(at(own + 40.0) > 0.04, "no launch is shorter than its overhead");
    }
}

#[test]
fn an_operator_takes_no_less_than_its_bytes_at_the_stated_bandwidth() {
    let desk = Desk::new();
    // On an A100 at 1.96 of its 2.04 TB/s.
    let bytes = 2.156e9;
    desk.file(
        "rows.csv",
        format!("{HEAD}a100-sxm4-80gb,attention_decode,b=64;s=8192;h=32;kv=8;d=128,bf16,8.6e9,{bytes},1.1\n"),
    );
    for (to, bandwidth) in [("rtx-a6000", 768e9), ("rtx-3090", 936e9), ("rtx-4090", 1008e9)] {
        let words = format!("predict --data rows.csv --to {to} --format json");
        let found = desk.types(&words).works().json().remove(0);
        assert!(number(&found, "time_ms") >= 0.999e3 * bytes / bandwidth, "{to}: {found}");
    }
}

/// As many elements in another shape are another size.
#[test]
fn another_shape_of_the_same_volume_is_less_certain() {
    let width = |size: &str| {
        let words = format!(
            "predict --from titan-v --to rtx-4070 --kernel naive_transpose --size {size} --format json"
        );
        let found = Desk::new().types(&words).works().json().remove(0);
        number(&found, "high_ms") / number(&found, "low_ms")
    };
    let [measured, near, far] =
        ["rows=2048,cols=2048", "rows=2304,cols=1820", "rows=64,cols=65536"].map(width);
    assert!(measured < near && near < 1.1 * measured && far > 1.2 * measured, "{measured}, {near}, {far}");
}

#[test]
fn of_several_blocks_the_fastest_counts_in_any_order() {
    let rows = ["128,8192,0.5", "256,4096,0.4", "1024,1024,0.7"].map(|r| format!("l4,mine,n=1048576,{r}\n"));
    for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [0, 2, 1]] {
        let desk = Desk::new();
        let table = order.map(|at| rows[at].clone()).concat();
        desk.file("rows.csv", format!("gpu,kernel,problem,block,grid,time_ms\n{table}"));
        let done =
            desk.types("predict --data rows.csv --from l4 --to h200 --kernel mine --format json").works();
        assert_eq!(number(&done.json()[0], "source_time_ms"), 0.4, "{order:?}");
        let used = "timed in 3 launches; block=256 is used";
        assert!(done.stderr.contains(used), "{order:?}: {}", done.stderr);
    }
}

/// Each clock that the source was timed at is a row of its own; of a kernel that is named it is said that there are several.
#[test]
fn every_clock_of_a_row_is_predicted() {
    let desk = Desk::new();
    let rows = "gpu,kernel,problem,flops,dram_bytes,time_ms,sm_clock_mhz,mem_clock_mhz\n\
        gtx-980,mine,n=1,2e6,1.2e8,0.98313,1300,3600\n\
        gtx-980,mine,n=1,2e6,1.2e8,0.89943,1500,3900\n\
        gtx-980,mine,n=2,4e6,2.4e8,1.98313,1300,3600\n";
    desk.file("rows.csv", rows);
    let json = desk.types("predict --data rows.csv --to rtx-4070 --format json").works().json();
    let of = |column: &str| json.iter().map(|row| row[column].clone()).collect::<Vec<_>>();
    assert_eq!(of("source_time_ms"), [0.98313, 0.89943, 1.98313]);
    assert_eq!(of("sm_clock_mhz_source"), [1300, 1500, 1300]);
    desk.types("predict --data rows.csv --kernel mine --size n=1 --to rtx-4070")
        .ends(0, &["mine n=1 was timed on gtx-980 at 2 clocks"]);
}

/// What a file calls a kernel is said beside the name that it is shown by.
#[test]
fn a_kernel_under_another_name_is_said_to_be_one() {
    let desk = Desk::new();
    let size = "m=4096;n=4096;k=4096";
    desk.file("rows.csv", format!("gpu,kernel,problem,time_ms\nh100-sxm5,gemm_fp8,{size},0.2\n"));
    desk.types("predict --data rows.csv --to h200").ends(0, &["`gemm_fp8` is linear_fp8"]);
    desk.file("own.csv", format!("gpu,kernel,problem,time_ms\nh100-sxm5,linear_fp8,{size},0.2\n"));
    let said = desk.types("predict --data own.csv --to h200").works().stderr;
    assert!(!said.contains("are shown by their names"), "{said}");
}

/// ◆ is scaled from a measurement, of another size too; `~` has none behind it.
#[test]
fn a_time_scaled_from_another_size_is_marked_as_scaled() {
    let desk = Desk::new();
    for from in ["", "--from rtx-4070", "--from l4"] {
        let asked = format!("--kernel saxpy --size n=2097152 --to rtx-4070,rtx-3090 {from}");
        let table = desk.types(&format!("predict {asked}")).works().stdout;
        assert!(table.contains("17.6 µs ◆") || from.contains("l4"), "{table}");
        assert!(!table.contains("with typical efficiency"), "{table}");
        for row in desk.types(&format!("rank {asked} --format json")).works().json() {
            assert_eq!(row["time_kind"], "scaled", "{row}");
        }
    }
    let untimed = desk.types("predict --kernel torch_linear --size n=4096 --to l4").works().stdout;
    assert!(untimed.contains("13.8 ms ~"), "{untimed}");
    let explained = desk
        .types("predict --kernel saxpy --size n=2097152 --from rtx-4070 --to l4 --explain")
        .works()
        .stdout;
    assert!(explained.contains("17.6 µs ◆  scaled from other sizes: "), "{explained}");
}

/// A profiler's clock of a short launch is its cycles over its time, which scatters.
#[test]
fn rows_that_differ_by_the_scatter_of_a_profilers_clock_are_one() {
    let rows = |ms: f64, caches: &str| {
        let row = |sm: f64, slower: f64| {
            format!("h100-sxm5,mine,n=1,4197888,4466848,{},{sm},2606,{caches}\n", ms * slower)
        };
        let head = "gpu,kernel,problem,flops,dram_bytes,time_ms,sm_clock_mhz,mem_clock_mhz,caches\n";
        head.to_string() + &row(1991.0, 1.02) + &row(1953.5, 1.0) + "h100-sxm5,other,n=1,1e6,1e6,0.02,,,\n"
    };
    let desk = Desk::new();
    let predicted = |text: String| {
        desk.file("rows.csv", text);
        let told = desk.types("predict --data rows.csv --to h200 --format json").works();
        let mine = told.json().into_iter().filter(|row| row["kernel"] == "mine");
        (mine.map(|row| number(&row, "source_time_ms")).collect::<Vec<_>>(), told.stderr)
    };
    let (times, said) = predicted(rows(0.01, "flushed"));
    assert_eq!(times, [0.01], "{said}");
    assert!(
        said.contains("1 row at clocks that differ from a later row's by the profiler's scatter"),
        "{said}"
    );
    assert_eq!(predicted(rows(0.2, "flushed")).0.len(), 2, "a long launch was at another clock");
}
