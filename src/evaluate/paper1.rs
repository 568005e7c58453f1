//! Paper 1's three experiments, from its own rows: which pairs they take, and what was published.
//!
//! Pairs are those of equal kernel, N, rows, cols, block and iterations. Sizes are ordered by the largest working set that
//! any GPU states, then by the text of the configuration.
