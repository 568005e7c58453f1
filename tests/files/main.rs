//! Files that are read: measurements, reports, compiler outputs; and the suite that `measure` times.

#[path = "../dice/mod.rs"]
mod dice;
#[path = "../mutations/mod.rs"]
mod mutations;
#[path = "../on_cpu/mod.rs"]
mod on_cpu;
#[path = "../on_cpu/types.rs"]
mod types;
mod audit;
mod canonical_rows;
mod compiler_reports;
mod fuzz_bodies;
mod import_formats;
mod kernel_references;
mod kernel_suite;
mod kernels_on_cpu;
mod measure_here;
mod measurement_files;
mod probe_here;
mod profiler_reports;
