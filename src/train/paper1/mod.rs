//! Paper 1's seven learned models as published (section 6, Table 6): unscaled features from 1 to 1e10, raw milliseconds as
//! the target, one model per experiment. What is trained on what is what the paper's figures come out with; where its text
//! says otherwise (experiment 3), both are there.

mod pairs;
mod raw;
mod suite;

pub use pairs::{Pairs, Role};
pub use raw::{Raw, RawError, read};
pub use suite::{EXPERIMENTS, Figure, MODELS, Spread, Suite, run};
