//! Paper 1's seven regressors (Table 6) trained on the user's rows: models to compare with, which predictions never use.
//!
//! | step | rule |
//! |---|---|
//! | rows | pairs of GPUs on which the same configuration was measured; at most 1,000, by the hash of what they are and not of how long they took |
//! | columns | the paper's kind: counts and launch of the kernel, the time on the source, rates and limits of both GPUs ([`columns`]) |
//! | target | the time on the target in ms, raw, as in the paper |
//! | check | every GPU, every kernel, and the largest sizes left out in turn (more than 8 GPUs in 8 groups, more than 20 kernels in 20) |

mod columns;
mod held_out;
mod outcome;
mod pairs;
mod recipe;

pub use outcome::regressor_outcome;
pub use recipe::RegressorRecipe;
