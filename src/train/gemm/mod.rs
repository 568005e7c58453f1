//! GEMM as a workload: paper 4 again, and what a tile costs.
