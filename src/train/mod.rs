//! Recipes of learned models: which rows, features and target make which model. What a regressor is belongs to `learn`.

pub mod paper1;
