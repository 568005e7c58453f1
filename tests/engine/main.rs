//! Occupancy, rooflines, predictions, learning and evaluation, on golden tables and properties.

mod answers;
mod chart_svg;
mod compiled_kernels;
mod counted_on_a_gpu;
#[path = "../dice/mod.rs"]
mod dice;
mod evaluation;
mod explain;
mod fewer_counts;
mod floors_by_kernel;
mod golden_measurements;
mod hybrid;
mod in_flight;
mod interval_table;
mod kernel_counts;
mod learn;
mod models;
mod monotone;
mod occupancy_vectors;
mod one_answer;
mod pair_correlation;
mod paper1_learned;
mod paper3;
mod pipe_counts;
mod power_limit;
mod power_model;
mod prepared;
mod properties;
mod published;
#[path = "../reference/mod.rs"]
mod reference;
mod simulated_counts;
mod simulated_products;
#[path = "../skipping/mod.rs"]
mod skipping;
mod sm_constants;
mod specs;
mod whatif;
