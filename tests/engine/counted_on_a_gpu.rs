//! The formulas of kernel files against what Nsight Compute counted of our suite on an H200 (`datasets/h200/counters.csv`).
//!
//! Compared is what the launch alone decides: operations, sectors that loads and stores touch, instructions on global memory,
//! passes through shared memory, atomics. What caches hold depends on the GPU: the bytes through L2 are compared where a file
//! does not say that it takes L1 for more or less than it is.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use roofswap::kernel::{Count, Problem};
use roofswap::session::Session;
use std::collections::BTreeMap;

const COUNTED: &str = include_str!("../../datasets/h200/counters.csv");

/// The launch's counts, and how near a formula has to be.
const COMPARED: [(Count, f64); 6] = [
    (Count::Flops, 0.002),
    (Count::L1Bytes, 0.01),
    (Count::GlobalWarpInsts, 0.01),
    (Count::SmemWavefronts, 0.01),
    (Count::GlobalAtomicRequests, 0.01),
    (Count::L2Bytes, 0.02),
];

/// Where formula and counter mean different things, and why.
const DIFFERENT: [(&str, Count, &str); 16] = [
    ("sigmoid", Count::Flops, "the file counts an exponential and a division as one operation each"),
    ("softmax", Count::Flops, "the same"),
    ("max_distance", Count::Flops, "a root as one operation"),
    ("squared_distance", Count::Flops, "a division as one operation"),
    (
        "vector_add_divergent",
        Count::L1Bytes,
        "a and b are loaded on both sides of the branch; ptxas loads one of them before it",
    ),
    ("vector_add_divergent", Count::GlobalWarpInsts, "the same"),
    ("vector_add_divergent", Count::L2Bytes, "both sides write parts of the same sectors"),
    ("matmul_tiled", Count::SmemWavefronts, "conflicts between warps, a sixth more"),
    ("strided_copy_8", Count::L2Bytes, "a sector that is written in part counts twice in the file"),
    ("naive_transpose", Count::L2Bytes, "the same"),
    ("histogram_spread", Count::L2Bytes, "the adds of the blocks to the global bins"),
    ("count_numbers_shared", Count::L2Bytes, "the same"),
    ("matmul_naive", Count::L2Bytes, "the file takes L1 to hold what its blocks share"),
    ("conv2d_layer", Count::L2Bytes, "L1 does not keep all of the overlap of a block"),
    (
        "matmul_tiled",
        Count::L2Bytes,
        "requests of neighbouring SMs for the same sectors are merged before L2",
    ),
    ("gemm_tiled", Count::L2Bytes, "the same; below tile 8 the file counts bytes asked for"),
];

fn is_different(kernel: &str, count: Count) -> bool {
    DIFFERENT.iter().any(|(of, what, _)| *of == kernel && *what == count)
}

/// The rows by column.
fn counted() -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_reader(COUNTED.as_bytes());
    reader.deserialize().map(|row| row.unwrap()).collect()
}

#[test]
fn formulas_are_what_an_h200_counted() {
    let session = Session::load(None).unwrap();
    let (mut compared, mut unlike) = (0, Vec::new());
    for row in counted() {
        let kernel = session.kernels.entry_named(&row["kernel"]).unwrap();
        let problem: Problem = row["problem"].parse().unwrap();
        let work = kernel.instance(&problem, "").unwrap().work;
        for (count, near) in COMPARED {
            let (Some(formula), Ok(counter)) = (work.get(count), row[count.name()].parse::<f64>()) else {
                continue;
            };
            compared += 1;
            let is_near = formula == counter || (formula / counter - 1.0).abs() <= near;
            if !is_near && !is_different(&kernel.id, count) {
                unlike.push(format!(
                    "{} {problem}: {} {formula}, counted {counter}",
                    kernel.id,
                    count.name()
                ));
            }
        }
    }
    assert!(unlike.is_empty(), "{unlike:#?}");
    assert!(compared > 150, "{compared}");
}

#[test]
fn every_exception_is_one() {
    let session = Session::load(None).unwrap();
    for (id, count, why) in DIFFERENT {
        let (_, near) = COMPARED.into_iter().find(|(c, _)| *c == count).unwrap();
        let differs = counted().into_iter().filter(|row| row["kernel"] == id).any(|row| {
            let kernel = session.kernels.entry_named(id).unwrap();
            let problem: Problem = row["problem"].parse().unwrap();
            let formula = kernel.instance(&problem, "").unwrap().work.get(count).unwrap();
            (formula / row[count.name()].parse::<f64>().unwrap() - 1.0).abs() > near
        });
        assert!(differs, "{id} {}: {why}", count.name());
    }
}

#[test]
fn the_loop_of_the_divergent_kernel_issues_what_its_file_says() {
    let rows = counted();
    let row = rows.iter().find(|row| row["kernel"] == "vector_add_divergent").unwrap();
    let issued: f64 = row["warp_insts_issued"].parse().unwrap();
    let threads = 1_048_576.0;
    assert!((issued / (542.0 * threads / 32.0) - 1.0).abs() < 0.01, "{issued}");
}
