#![no_main]

#[path = "../bodies/reports.rs"]
mod reports;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| reports::body(bytes));
