//! Recipes of learned models: which rows, features and target make which model.

pub mod paper3;
