//! "Cross-GPU performance prediction" (paper 1) from its raw files: Algorithm 1's Tables 3, 4 and 5, and the seven learned
//! models of Table 6 as published (section 6): unscaled features from 1 to 1e10, raw milliseconds as the target, one model
//! per experiment. What is trained on what is what the paper's figures come out with; where its text says otherwise
//! (experiment 3), both are there.

mod analytical;
mod analytical_table;
mod figures;
mod files;
mod learned_table;
mod pairs;
mod raw;
mod suite;

pub use analytical::AnalyticalExperiment;
pub use analytical_table::experiments_table;
pub use figures::{FigureModel, PredictedPair, forest_pairs, kernel_errors, model_figures};
pub use files::{ReproduceError, analytical_pairs_of_files, reproduce_files};
pub use learned_table::figures_table;
pub use pairs::{ConfigRole, GpuPairs};
pub use raw::{Raw, RawError, raw_files};
pub use suite::{BESIDE, ComparedCell, EXPERIMENTS, MODELS, SeedSpread, Suite, run_suite};
