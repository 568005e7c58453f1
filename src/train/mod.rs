//! Recipes: which rows, features and targets make which learned model.

mod hybrid;

pub use hybrid::{Wanted, lessons};
