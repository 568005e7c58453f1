#![no_main]

#[path = "../bodies/compiler_reports.rs"]
mod compiler_reports;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| compiler_reports::body(bytes));
