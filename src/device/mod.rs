//! The GPU at hand: what it is, what it reaches, and how long kernels take on it.

pub mod suite;
