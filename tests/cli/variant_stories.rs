//! Kernels whose formulas read a code variant, and operators without a launch shape, as a person meets them.

use crate::desk;

use desk::Desk;

const GEMM: &str = "MWG=64;NWG=64;KWG=32;MDIMC=8;NDIMC=8;MDIMA=8;NDIMB=8;VWM=2;VWN=2;SA=1;SB=1";

/// Rows of one tuned kernel on two GPUs, in two variants; the second has its keys in another order.
const ROWS: &str = "gpu,kernel,problem,variant,time_ms\n\
    titan-v,clblast_xgemm,m=1024;n=1024;k=1024,MWG=32;NWG=32;KWG=32;MDIMC=8;NDIMC=8;MDIMA=8;NDIMB=8;VWM=1;VWN=1;SA=0;SB=0,1.5\n\
    titan-v,clblast_xgemm,m=1024;n=1024;k=1024,SB=1;SA=1;MWG=64;NWG=64;KWG=32;MDIMC=8;NDIMC=8;MDIMA=8;NDIMB=8;VWM=2;VWN=2,0.5\n\
    rtx-4070,clblast_xgemm,m=1024;n=1024;k=1024,SB=1;SA=1;MWG=64;NWG=64;KWG=32;MDIMC=8;NDIMC=8;MDIMA=8;NDIMB=8;VWM=2;VWN=2,0.4\n";

#[test]
fn a_kernels_sheet_says_how_it_runs_and_follows_the_variant() {
    let desk = Desk::new();
    let sheet = |words: &str| {
        let rows = desk.types(&format!("kernels {words} --format json")).works().json();
        move |item: &str| {
            rows.iter().find(|r| r["item"] == item).map(|r| r["value"].clone()).unwrap_or_default()
        }
    };
    let gemm = sheet(&format!("clblast_xgemm --size n=1024 --variant {GEMM}"));
    assert_eq!(
        (gemm("runs as"), gemm("block"), gemm("grid")),
        ("kernel".into(), "8x8".into(), "16x16".into())
    );
    assert_eq!(gemm("static shared memory"), 4 * 32 * 128);
    let wide = sheet(
        "clblast_xgemm --size n=1024 --variant SB=0,SA=0,MWG=128,NWG=64,KWG=32,MDIMC=8,NDIMC=8,MDIMA=8,NDIMB=8,VWM=2,VWN=2",
    );
    assert_eq!((wide("grid"), wide("static shared memory")), ("8x16".into(), 0.into()));
    let operator = sheet("torch_bmm --size b=2,n=64");
    assert_eq!((operator("runs as"), operator("grid")), ("operator".into(), serde_json::Value::Null));
    assert_eq!(operator("flops"), 2 * 2 * 64 * 64 * 64);
}

#[test]
fn occupancy_follows_the_variant_and_asks_for_the_block_of_an_operator() {
    let desk = Desk::new();
    let rows = desk
        .types(
            "occupancy --gpu rtx-2080-ti --kernel convolution2d_15x15 --format json \
        --variant block_size_x=48;block_size_y=4;tile_size_x=1;tile_size_y=1",
        )
        .works()
        .json();
    assert_eq!(rows[0]["threads"], 192);
    let example =
        desk.types("occupancy --gpu rtx-2080-ti --kernel convolution2d_15x15 --format json").works();
    assert_eq!(example.json()[0]["threads"], 256);
    assert!(
        example.stderr.contains("no --variant given: using the example of its file, block_size_x=32"),
        "{}",
        example.stderr
    );
    desk.types("occupancy --gpu rtx-2080-ti --kernel torch_bmm")
        .ends(2, &["torch_bmm", "a library picks the kernel", "--threads N"]);
    desk.types("occupancy --gpu rtx-2080-ti --kernel torch_bmm --threads 128").works();
    desk.types("occupancy --gpu rtx-2080-ti --kernel clblast_xgemm --threads 128")
        .ends(2, &["its file states its block"]);
}

#[test]
fn a_variant_that_lacks_something_is_refused_with_what_to_type() {
    let desk = Desk::new();
    for (variant, said) in [
        ("MWG=64", ["clblast_xgemm", "variant key `NWG`", "--variant 'MWG=64;NWG=64;"]),
        ("MWG=wide", ["clblast_xgemm", "MWG=wide", "expected a number"]),
        ("TILE=64", ["clblast_xgemm", "no variant key `TILE`", "MWG, NWG, KWG"]),
        ("MWG=64;MWG=32", ["clblast_xgemm", "`MWG` stands twice", "give it once"]),
    ] {
        for command in
            ["predict --from titan-v --to rtx-4070 --kernel", "occupancy --gpu rtx-4070 --kernel", "kernels"]
        {
            desk.types(&format!("{command} clblast_xgemm --variant {variant}")).ends(2, &said);
        }
    }
    desk.types("predict --from titan-v --to rtx-4070 --kernel saxpy --variant MWG=64")
        .ends(2, &["saxpy has no variant `MWG=64`"]);
}

#[test]
fn a_timed_variant_is_found_in_whatever_order_its_keys_are_typed() {
    let desk = Desk::new();
    let file = desk.file("tuned.csv", ROWS);
    let ask = |more: &str| {
        let words = format!(
            "predict --from titan-v --to rtx-4070 --kernel clblast_xgemm --size n=1024 {more} --format json --data"
        );
        desk.types_with(&words, &[&file]).works()
    };
    let found = ask(&format!("--variant {GEMM}")).json();
    assert_eq!((&found[0]["source_time_ms"], &found[0]["source_kind"]), (&0.5.into(), &"measured".into()));
    assert_eq!(found[0]["measured_ms"], 0.4);
    let first = ask("");
    assert_eq!(first.json()[0]["source_time_ms"], 1.5);
    assert!(
        first.stderr.contains("no --variant given: using MWG=32;NWG=32")
            && first.stderr.contains("the first by name of 2 measured at this size"),
        "{}",
        first.stderr
    );
    // This one was not measured: it is asked about all the same, and said to be an estimate.
    let other =
        ask("--variant MWG=128;NWG=64;KWG=32;MDIMC=8;NDIMC=8;MDIMA=8;NDIMB=8;VWM=2;VWN=2;SA=1;SB=1").json();
    assert_eq!(other[0]["source_kind"], "estimated");
}

/// Rows of one kernel in two variants, each at a size of its own, and in both at a third.
const TIMINGS: [&str; 4] = [
    "rtx-2060,matvec,n=8192,timing=batch,512,16,134217728,268500992,4.7",
    "rtx-2060,matvec,n=128,timing=cold,512,1,32768,66560,0.0178",
    "rtx-2060,matvec,n=1024,timing=cold,512,2,2097152,4202496,0.11",
    "rtx-2060,matvec,n=1024,timing=batch,512,2,2097152,4202496,0.09",
];

fn timings<'a>(rows: impl Iterator<Item = &'a &'a str>) -> String {
    let head = "gpu,kernel,problem,variant,block,grid,flops,dram_bytes,time_ms\n";
    rows.fold(head.to_string(), |text, row| format!("{text}{row}\n"))
}

#[test]
fn a_size_finds_the_variant_that_it_was_measured_in_whatever_the_order_of_the_rows() {
    let desk = Desk::new();
    desk.file("a.csv", timings(TIMINGS.iter()));
    desk.file("b.csv", timings(TIMINGS.iter().rev()));
    for file in ["a.csv", "b.csv"] {
        let asked = |command: &str, size: &str| {
            desk.types(&format!(
                "{command} --data {file} --to l4 --kernel matvec --size {size} --format json"
            ))
            .works()
        };
        for (size, variant, ms) in [("n=8192", "timing=batch", 4.7), ("n=128", "timing=cold", 0.0178)] {
            let only = asked("predict", size);
            let row = &only.json()[0];
            assert_eq!((&row["variant"], &row["source_time_ms"]), (&variant.into(), &ms.into()), "{file}");
            only.ends(
                0,
                &[&format!(
                    "matvec {size}: no --variant given: using {variant}, the one measured at this size"
                )],
            );
        }
        let both = asked("predict", "n=1024");
        assert_eq!(both.json()[0]["source_time_ms"], 0.09, "{file}");
        let note =
            "using timing=batch, the first by name of 2 measured at this size: timing=batch, timing=cold";
        both.ends(0, &[note]);
        asked("rank", "n=1024").ends(0, &[note]);
        let elsewhere = desk.types(&format!(
            "predict --data {file} --to l4 --kernel matvec --size n=8192 --variant timing=cold"
        ));
        elsewhere
            .ends(1, &["matvec n=8192 was not measured in timing=cold; measured at this size: timing=batch"]);
    }
}

#[test]
fn every_answer_says_which_variant_it_is_of() {
    let desk = Desk::new();
    desk.file("rows.csv", timings(TIMINGS.iter()));
    let with = |words: &str| desk.types(&format!("predict --data rows.csv {words}"));
    let json = with("--to l4 --format json").works().json();
    let named: std::collections::BTreeSet<String> =
        json.iter().map(|row| format!("{}{}", row["problem"], row["variant"])).collect();
    assert_eq!(named.len(), 4, "{json:?}");
    for (words, before) in
        [("--to l4", "time_kind,variant"), ("--from rtx-2060,l4 --to t4", "spread,variant")]
    {
        let csv = with(&format!("{words} --format csv")).works().stdout;
        assert!(csv.lines().next().unwrap().ends_with(before), "{csv}");
        assert!(csv.lines().nth(1).unwrap().contains(",timing="), "{csv}");
    }
    let explained = with("--to l4 --explain --format csv").works().stdout;
    assert!(
        explained.lines().all(|line| line.ends_with(",variant") || line.contains(",timing=")),
        "{explained}"
    );
    let apart = with("--to l4 --explain").works().stdout;
    assert!(apart.contains("matvec n=1024 timing=cold: rtx-2060 → l4"), "{apart}");
    desk.types("export predictions --data rows.csv --to l4 -o picture.svg").works();
    assert!(desk.read("picture.svg").contains("matvec n=1024 timing=cold"));
    let batch = desk.types("predict --batch rows.csv --to l4").works().stdout;
    assert!(batch.lines().skip(1).all(|line| line.contains(",timing=")), "{batch}");
    let table = with("--to l4").works().stdout;
    assert!(table.contains("size    variant ") && table.contains("n=128   timing=cold "), "{table}");
    let plain = desk.types("predict --from titan-v --to l4 --kernel saxpy").works().stdout;
    assert!(!plain.contains("variant"), "{plain}");
}

#[test]
fn a_size_of_words_is_asked_for_where_rows_have_words() {
    let desk = Desk::new();
    let head = "gpu,kernel,problem,block,grid,flops,dram_bytes,time_ms\n";
    let rows = "gtx-1080-ti,scholes,args=input00;workload=full;n=64,128,2240,2.9e9,5.7e8,1.98\n\
        gtx-1080-ti,scholes,args=input01;workload=full;n=128,128,4480,5.8e9,1.1e9,3.9\n";
    desk.file("words.csv", format!("{head}{rows}"));
    for command in ["predict", "rank", "whatif --gpu l4", "occupancy --gpu l4"] {
        let to = if command.contains("--gpu") { "" } else { "--to l4" };
        let asked = |size: &str| {
            desk.types(&format!(
                "{command} --data words.csv {to} --kernel scholes --size {size} --format json"
            ))
        };
        let answer = asked("args=input01,workload=full,n=2^7").works();
        if command == "predict" {
            assert_eq!(answer.json()[0]["source_time_ms"], 3.9);
        }
        // A key of numbers has no words.
        asked("args=input01,workload=full,n=many").ends(2, &["expected a whole number"]);
    }
    desk.types("predict --from titan-v --to l4 --kernel saxpy --size n=many")
        .ends(2, &["n=many: expected a whole number"]);
}

#[test]
fn a_name_of_several_types_says_which_one_is_asked_about() {
    let desk = Desk::new();
    let head = "gpu,kernel,problem,dtype,block,grid,flops,dram_bytes,time_ms\n";
    let rows = ["rtx-3090,gk,n=8,fp32,256,4096,2e9,1e7,0.2\n", "rtx-3090,gk,n=8,fp64,256,4096,2e9,2e7,40\n"];
    for (file, [first, second], said) in [
        ("a.csv", rows, "gk is fp32, the type of its first row; rows of other types are gk (fp64)"),
        (
            "b.csv",
            [rows[1], rows[0]],
            "gk is fp64, the type of its first row; rows of other types are gk (fp32)",
        ),
    ] {
        desk.file(file, format!("{head}{first}{second}"));
        for command in ["predict", "rank"] {
            desk.types(&format!("{command} --data {file} --to l4 --kernel gk")).ends(0, &[said]);
        }
    }
    desk.file("one.csv", format!("{head}{}", rows[0]));
    let one = desk.types("predict --data one.csv --to l4 --kernel gk").works();
    assert!(!one.stderr.contains("first row"), "{}", one.stderr);
}

#[test]
fn a_picture_of_one_kernel_takes_the_only_kernel_of_a_file_and_keeps_its_template_arguments() {
    let desk = Desk::new();
    let rows = TIMINGS.map(|row| row.replace("matvec", "sobel<float>"));
    desk.file("rows.csv", timings(rows.iter().map(String::as_str).collect::<Vec<_>>().iter()));
    for chart in ["occupancy", "roofline", "curves"] {
        desk.types(&format!("export {chart} --data rows.csv --to l4 -o picture.svg"))
            .ends(0, &["--data has 4 configurations of sobel: showing sobel n=1024 timing=batch; --size and --variant name another"]);
        let svg = desk.read("picture.svg");
        assert!(svg.contains("sobel&lt;float&gt; n=1024"), "{chart}: {}", &svg[..2000.min(svg.len())]);
    }
    desk.file(
        "two.csv",
        timings(
            TIMINGS
                .iter()
                .copied()
                .chain(["rtx-2060,other,n=8,,64,1,1e6,1e6,0.1"])
                .collect::<Vec<_>>()
                .iter(),
        ),
    );
    desk.types("export occupancy --data two.csv --to l4 -o picture.svg")
        .ends(2, &["this chart shows one kernel"]);
}

#[test]
fn one_question_about_an_operator_has_one_limit() {
    let desk = Desk::new();
    let rows = "gpu,kernel,problem,dtype,flops,dram_bytes,time_ms\n\
        a100-sxm4-80gb,linear_bf16,m=3;n=64;k=1024,bf16,393216,137600,0.00506\n";
    desk.file("rows.csv", rows);
    let words = "--data rows.csv --to h100-sxm5 --kernel linear_bf16 --size m=3,n=64,k=1024";
    let json = desk.types(&format!("predict {words} --format json")).works().json();
    assert_eq!(json[0]["bound_target"], "launch");
    let text = desk.types(&format!("predict {words} --explain")).works().stdout;
    let said = "H100 SXM5 80 GB: bound by launch overhead; next limit: compute";
    assert!(text.contains(said), "{text}");
    desk.types(&format!("export components {words} -o picture.svg")).works();
    assert!(desk.read("picture.svg").contains(said), "{}", desk.read("picture.svg"));
}

#[test]
fn tensor_cores_are_not_asked_about_where_a_profile_saw_them_idle() {
    let desk = Desk::new();
    let asked = |percent: &str| {
        let head = "gpu,kernel,problem,block,grid,dram_bytes,time_ms,pipe_tensor_pct\n";
        desk.file("rows.csv", format!("{head}rtx-3070,daxpy,n=4194304,256,16384,1e8,0.249,{percent}\n"));
        desk.types("predict --data rows.csv --to h100-sxm5").works().stdout
    };
    assert!(asked("").contains("dtype not stated, FP32 assumed"));
    assert!(!asked("0").contains("dtype not stated"), "{}", asked("0"));
    assert!(asked("5").contains("dtype not stated, FP32 assumed"));
}

#[test]
fn an_empty_file_is_said_to_be_empty() {
    let desk = Desk::new();
    for text in ["", " \n"] {
        desk.file("empty.csv", text);
        desk.types("predict --data empty.csv --to l4")
            .ends(1, &["empty.csv: is empty; expected measurements"]);
    }
}
