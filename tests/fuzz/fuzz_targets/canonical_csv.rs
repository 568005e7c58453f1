#![no_main]

#[path = "../bodies/canonical_csv.rs"]
mod canonical_csv;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| canonical_csv::body(bytes));
