//! Files that are read: measurements, reports, compiler outputs; and the suite that `measure` times.

mod applications;
mod audit;
mod canonical_rows;
mod compiler_reports;
#[path = "../dice/mod.rs"]
mod dice;
mod fuzz_bodies;
mod import_formats;
mod kernel_references;
mod kernel_suite;
mod kernels_on_cpu;
mod launches;
mod measure_here;
mod measurement_files;
#[path = "../mutations/mod.rs"]
mod mutations;
#[path = "../on_cpu/mod.rs"]
mod on_cpu;
mod probe_here;
mod profiler_reports;
#[path = "../skipping/mod.rs"]
mod skipping;
mod small_sqlite;
#[path = "../on_cpu/types.rs"]
mod types;
