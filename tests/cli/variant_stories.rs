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
        first.stderr.contains("no --variant given: using the first measured one, MWG=32"),
        "{}",
        first.stderr
    );
    // This one was not measured: it is asked about all the same, and said to be an estimate.
    let other =
        ask("--variant MWG=128;NWG=64;KWG=32;MDIMC=8;NDIMC=8;MDIMA=8;NDIMB=8;VWM=2;VWN=2;SA=1;SB=1").json();
    assert_eq!(other[0]["source_kind"], "estimated");
}
