//! Evaluation of 500,000 pairs: one analytical model and both baselines, intervals included.
//!
//! `cargo bench --features bench --bench evaluate`. Rows are generated: eight GPUs, four kernels of the catalogue, distinct sizes, times of
//! the plain roofline times a factor between 1 and 4.

#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

use roofswap::evaluate::{EvaluationSetup, EvaluationWorld, Progress};
use roofswap::measurement::{Store, TimingKind, read_csv};
use roofswap::predict::model_position;
use roofswap::report::TableFormat;
use roofswap::report::evaluation::EvaluationReport;
use roofswap::session::Session;
use std::fmt::Write;
use std::time::Instant;

const PAIRS: usize = 500_000;
const GPUS: [&str; 8] =
    ["gtx-titan-x", "titan-v", "rtx-2080-ti", "rtx-4070", "rtx-3090", "a100-pcie-40gb", "l4", "h100-pcie"];
const KERNELS: [&str; 4] = ["saxpy", "vector_add", "dot_product", "reduce_sum"];

fn rows(configs: usize) -> String {
    let mut text = String::from("gpu,kernel,problem,time_ms\n");
    let mut dice: u64 = 7;
    for i in 0..configs {
        let n = 65_536 + i * 256;
        for gpu in GPUS {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let time = 12.0 * n as f64 / 5e11 * 1e3 * (1.0 + 3.0 * (dice >> 40) as f64 / 16_777_216.0);
            writeln!(text, "{gpu},{},n={n},{time}", KERNELS[i % KERNELS.len()]).unwrap();
        }
    }
    text
}

fn main() {
    let configs = PAIRS.div_ceil(GPUS.len() * (GPUS.len() - 1));
    let mut session = Session::load(None).unwrap();
    let text = rows(configs);
    let read = session
        .edit(|w| read_csv(text.as_bytes(), "generated", TimingKind::Measured, &w.gpus, &mut w.kernels));
    let mut store = Store::default();
    store.add_rows(read.unwrap().rows);
    let models = ["efficiency-transfer", "same-time", "plain-roofline"].map(|m| model_position(m).unwrap());
    for models in [&models[..1], &models[..]] {
        let setup = EvaluationSetup::default();
        let mut best = [f64::INFINITY; 2];
        let mut pairs = 0;
        for _ in 0..5 {
            let start = Instant::now();
            let outcomes = session.evaluate(&store, &setup, models, &Progress::default()).unwrap();
            best[0] = best[0].min(start.elapsed().as_secs_f64());
            pairs = outcomes[0].trials.len();
            let world = EvaluationWorld { gpus: &session.gpus, kernels: &session.kernels, store: &store };
            let report = EvaluationReport { world, setup: &setup, ceilings: "peak", outcomes: &outcomes };
            assert!(report.render(TableFormat::Json, None).len() > 1000);
            best[1] = best[1].min(start.elapsed().as_secs_f64());
        }
        println!(
            "{pairs} pairs, {} model(s): {:.3} s predicted and calibrated, {:.3} s with the report (best of 5)",
            models.len(),
            best[0],
            best[1]
        );
    }
}
