//! "Cross-GPU performance prediction" (paper 1) from its raw files: Algorithm 1's Tables 3, 4 and 5, and the seven learned
//! models of Table 6 as published (section 6): unscaled features from 1 to 1e10, raw milliseconds as the target, one model
//! per experiment. What is trained on what is what the paper's figures come out with; where its text says otherwise
//! (experiment 3), both are there.

mod analytical;
mod analytical_table;
mod files;
mod learned_table;
mod pairs;
mod raw;
mod suite;

pub use analytical::Experiment;
pub use analytical_table::table as analytical_table;
pub use files::{ReproduceError, reproduce_files};
pub use learned_table::table as learned_table;
pub use pairs::{Pairs, Role};
pub use raw::{Raw, RawError, read};
pub use suite::{BESIDE, EXPERIMENTS, Figure, MODELS, Spread, Suite, run};
