//! Training and predicting, with scikit-learn beside it.
//!
//! `cargo bench --features bench --bench learn` times a forest on 250,000 rows of 20 columns (one of them of two values), 100,000 predictions
//! of a forest of 200 trees, and paper 1's seven models in three experiments (where its files are at hand). The forest has
//! 10 trees, or `$LEARN_TREES`: time is proportional to trees. The same in scikit-learn, on the file that
//! `LEARN_DUMP=rows.bin cargo bench --features bench --bench learn` writes (little-endian doubles, 20 features and the target a row):
//!
//! ```text
//! python3 -c "
//! import numpy as np, time
//! from sklearn.ensemble import RandomForestRegressor as Forest
//! rows = np.fromfile('rows.bin').reshape(-1, 21)
//! for depth in (12, None):
//!     start, used = time.time(), time.process_time()
//!     forest = Forest(10, max_depth=depth, n_jobs=-1).fit(rows[:, :20], rows[:, 20])
//!     print(depth, time.time() - start, 's,', time.process_time() - used, 's of processor')"
//! ```

#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

use criterion::{Criterion, Throughput};
use roofswap::learn::random::Random;
use roofswap::learn::{ForestParameters, LearningTable, Progress, Recipe, Regressor};
use roofswap::papers::paper1::{GpuPairs, MODELS, raw_files, run_suite};
use std::hint::black_box;
use std::path::Path;

const WIDTH: usize = 20;

/// Uniform columns, the last of two values; a smooth target with noise.
fn made(rows: usize, seed: u64) -> (LearningTable, Vec<f64>) {
    let mut random = Random::new(seed, 0);
    let mut value = |j: usize| {
        if j == WIDTH - 1 { f64::from(random.unit_interval() < 0.5) } else { random.unit_interval() }
    };
    let values = (0..rows * WIDTH).map(|i| value(i % WIDTH)).collect();
    let table = LearningTable::new((0..WIDTH).map(|j| format!("x{j}")).collect(), values).unwrap();
    let mut noise = || 0.3 * (random.unit_interval() + random.unit_interval() + random.unit_interval() - 1.5);
    let smooth = |r: &[f64]| 3.0 * (4.0 * r[0]).sin() + 2.0 * r[1] * r[2] + r[3] + r[19] * r[4];
    let target = table.rows().map(|r| smooth(r) + noise()).collect();
    (table, target)
}

fn forest(trees: usize, max_depth: Option<usize>) -> Recipe {
    let parameters = ForestParameters { trees, max_depth, ..ForestParameters::default() };
    Recipe { regressor: Regressor::Forest(parameters), scaled: false, seed: 1 }
}

fn training(c: &mut Criterion) {
    let (table, target) = made(250_000, 1);
    if let Ok(path) = std::env::var("LEARN_DUMP") {
        let rows =
            table.rows().zip(&target).flat_map(|(row, t)| row.iter().chain([t]).copied().collect::<Vec<_>>());
        std::fs::write(path, rows.flat_map(f64::to_le_bytes).collect::<Vec<u8>>()).unwrap();
    }
    let trees = std::env::var("LEARN_TREES").ok().and_then(|t| t.parse().ok()).unwrap_or(10);
    let mut group = c.benchmark_group("forest on 250,000 rows");
    group.sample_size(10).throughput(Throughput::Elements(trees as u64));
    for (name, depth) in [("depth 12", Some(12)), ("any depth", None)] {
        let recipe = forest(trees, depth);
        group.bench_function(name, |b| {
            b.iter(|| recipe.fit_model(&table, &target, &Progress::default()).unwrap())
        });
    }
}

fn predicting(c: &mut Criterion) {
    let (table, target) = made(20_000, 1);
    let (rows, _) = made(100_000, 2);
    let mut group = c.benchmark_group("100,000 predictions, 200 trees");
    group.sample_size(10).throughput(Throughput::Elements(100_000));
    for (name, depth) in [("depth 6", Some(6)), ("depth 12", Some(12)), ("any depth", None)] {
        let fitted = forest(200, depth).fit_model(&table, &target, &Progress::default()).unwrap();
        group.bench_function(name, |b| b.iter(|| fitted.predict(black_box(&rows)).unwrap()));
    }
}

fn paper1(c: &mut Criterion) {
    let folder = Path::new(env!("ROOFSWAP_CHECKOUT")).join("../shared/data/study/raw");
    let names = ["2080ti", "4070", "titanv", "titanx"].map(|g| format!("runs_{g}_final.csv"));
    let files = names.iter().map(String::as_str).chain(["gpu_metrics.json"]).map(|n| folder.join(n));
    let Ok(raw) = raw_files(&files.collect::<Vec<_>>()) else {
        println!("SKIPPED: paper 1's raw files are not at hand");
        return;
    };
    let pairs = GpuPairs::new(&raw).unwrap();
    let models: Vec<usize> = (0..MODELS.len()).collect();
    let mut group = c.benchmark_group("paper 1");
    group.sample_size(10);
    group.bench_function("seven models, four experiments, both ways", |b| {
        b.iter(|| run_suite(&pairs, &models, 1, &Progress::default()).unwrap());
    });
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    training(&mut criterion);
    predicting(&mut criterion);
    paper1(&mut criterion);
    criterion.final_summary();
}
