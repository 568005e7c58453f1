//! Rows of one kernel, size and variant that differ in block or grid are measurements of their own.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use roofswap::catalogue::CatalogueEntry;
use roofswap::evaluate::EvaluationSetup;
use roofswap::import::OpenedFile;
use roofswap::measurement::{Measurement, Store, TimingKind, read_csv};
use roofswap::progress::Progress;
use roofswap::session::Session;
use std::sync::LazyLock;

static SHIPPED: LazyLock<Session> = LazyLock::new(|| Session::load(None).unwrap());

/// Rows `gpu,block,grid,milliseconds` of one kernel at one size.
fn rows_of(lines: &[&str]) -> Vec<Measurement> {
    let mut text = String::from("gpu,kernel,problem,block,grid,time_ms\n");
    for line in lines {
        let (gpu, rest) = line.split_once(',').unwrap();
        text += &format!("{gpu},mine,n=4096,{rest}\n");
    }
    let mut kernels = SHIPPED.kernels.clone();
    let read = read_csv(text.as_bytes(), "f.csv", TimingKind::Measured, &SHIPPED.gpus, &mut kernels).unwrap();
    assert_eq!(read.refused, []);
    read.rows
}

/// The configurations as `launch: gpu milliseconds, …`, in alphabetical order.
fn described(rows: Vec<Measurement>) -> Vec<String> {
    let mut store = Store::default();
    store.add_rows(rows);
    let one = |row: &Measurement| {
        let gpu = SHIPPED.gpus[row.gpu].id();
        format!("{gpu} {}", row.time.millis())
    };
    let mut all: Vec<String> = store
        .configs()
        .map(|(id, config)| {
            let rows: Vec<String> = store.rows_of(id).map(one).collect();
            format!("{}: {}", config.variant_words(), rows.join(", "))
        })
        .collect();
    all.sort();
    all
}

/// Every order of these lines.
fn orders<'a>(lines: &[&'a str]) -> Vec<Vec<&'a str>> {
    if lines.len() < 2 {
        return vec![lines.to_vec()];
    }
    let mut all = Vec::new();
    for (at, first) in lines.iter().enumerate() {
        let mut rest = lines.to_vec();
        rest.remove(at);
        all.extend(orders(&rest).into_iter().map(|mut order| {
            order.insert(0, first);
            order
        }));
    }
    all
}

#[test]
fn thirty_rows_of_five_sizes_and_six_blocks_are_thirty_configurations() {
    let mut text = String::from("gpu,kernel,problem,block,time_ms\n");
    for gpu in ["titan-v", "rtx-4070"] {
        for (size, block) in (0..30).map(|i| (1 << (12 + i % 5), 32 << (i / 5))) {
            text += &format!("{gpu},mine,n={size},{block},{}.5\n", size / block);
        }
    }
    let mut session = SHIPPED.clone();
    let file = OpenedFile::from_reader(text.as_bytes(), "f.csv").unwrap();
    session.add_opened(file, &Progress::default()).unwrap();
    let own = session.rows_to_evaluate();
    assert_eq!((own.len(), own.configs().count()), (60, 30));
    assert!(own.configs().all(|(id, _)| own.rows_of(id).count() == 2));
    let outcomes = session
        .evaluate(
            &own,
            &EvaluationSetup::default(),
            &[roofswap::predict::ModelId::default()],
            &Progress::default(),
        )
        .unwrap();
    assert_eq!(outcomes[0].asked(), 60, "both ways of 30 pairs");
}

#[test]
fn rows_find_their_launch_in_whatever_order_they_come() {
    let lines =
        ["titan-v,128,32,1", "titan-v,256,16,2", "rtx-4070,256,16,3", "rtx-4070,128,32,4", "t4,64,64,5"];
    let expected = ["block=128: titan-v 1, rtx-4070 4", "block=256: titan-v 2, rtx-4070 3", "block=64: t4 5"];
    for order in orders(&lines) {
        let found = described(rows_of(&order));
        let sorted = |line: &String| -> String {
            let (launch, rows) = line.split_once(": ").unwrap();
            let mut rows: Vec<&str> = rows.split(", ").collect();
            rows.sort_by_key(|r| std::cmp::Reverse(r.starts_with("titan")));
            format!("{launch}: {}", rows.join(", "))
        };
        assert_eq!(found.iter().map(sorted).collect::<Vec<_>>(), expected, "{order:?}");
    }
}

#[test]
fn a_grid_that_follows_the_gpu_parts_nothing() {
    // A grid of so many blocks per SM is another one on every GPU.
    let one_each = described(rows_of(&["titan-v,128,160,1", "rtx-4070,128,92,2", "t4,256,80,3"]));
    assert_eq!(one_each.len(), 1, "{one_each:?}");
    let two_blocks = described(rows_of(&[
        "titan-v,128,160,1",
        "rtx-4070,128,92,2",
        "titan-v,256,160,3",
        "rtx-4070,256,92,4",
    ]));
    assert_eq!(two_blocks.len(), 2, "{two_blocks:?}");
    assert!(two_blocks.iter().all(|line| line.contains("titan-v") && line.contains("rtx-4070")));
}

#[test]
fn a_grid_parts_the_rows_of_one_gpu_and_one_block() {
    let found = described(rows_of(&["titan-v,128,160,1", "titan-v,128,320,2", "rtx-4070,128,320,3"]));
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].starts_with("block=128;grid=160: titan-v 1"), "{found:?}");
    assert!(found[1].contains("titan-v 2") && found[1].contains("rtx-4070 3"), "{found:?}");
}

#[test]
fn a_row_that_states_no_launch_replaces_and_is_replaced_as_before() {
    assert_eq!(described(rows_of(&["titan-v,128,32,1", "titan-v,,,2"])), [": titan-v 2"]);
    assert_eq!(described(rows_of(&["titan-v,,,2", "titan-v,128,32,1"])), [": titan-v 1"]);
    assert_eq!(described(rows_of(&["titan-v,128,32,1", "titan-v,128,32,3"])), [": titan-v 3"]);
}

#[test]
fn who_names_no_launch_gets_the_one_of_most_gpus_then_the_fastest() {
    let mut store = Store::default();
    let lines = ["titan-v,128,32,1", "titan-v,256,16,2", "titan-v,512,8,3", "rtx-4070,256,16,4"];
    let rows = rows_of(&lines);
    let (kernel, problem, titan) = (rows[0].kernel, rows[0].problem.clone(), rows[0].gpu);
    store.add_rows(rows[..3].to_vec());
    let asked = |store: &Store| {
        let id = store.config_id(kernel, &problem, "").unwrap();
        let nearest = store.nearest(kernel, &"n=5000".parse().unwrap(), "", titan).unwrap();
        assert_eq!(store.row_on(id, titan).unwrap().time, nearest.time);
        nearest.time.millis()
    };
    assert_eq!(asked(&store), 1.0);
    store.add_rows(rows[3..].to_vec());
    assert_eq!(asked(&store), 2.0);
    let there = store.config(store.config_id(kernel, &problem, "").unwrap());
    let again = store.find_same(there).map(|id| store.config(id).variant_words());
    assert_eq!(again.as_deref(), Some("block=256"));
}
