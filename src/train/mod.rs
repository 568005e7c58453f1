//! Recipes: which rows, features and target make which model. What a regressor is belongs to `learn`.

pub mod gemm;
pub mod paper1;
pub mod power;
