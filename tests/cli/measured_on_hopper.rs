//! What the program says of an H100 and an H200 against what was measured there (`datasets/`).

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use crate::desk::Desk;
use serde_json::Value;
use std::path::Path;

fn dataset(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets").join(name).display().to_string()
}

fn answer(words: &str) -> Value {
    serde_json::from_str(&Desk::new().types(words).works().stdout).unwrap()
}

/// Two forward passes of a transformer, recorded on both: cuBLAS's products of Hopper are products, and the sum of the kernels
/// is what it was.
#[test]
fn a_transformer_takes_as_long_on_the_other_gpu_as_it_took() {
    for (from, to) in [("h100-sxm5", "h200"), ("h200", "h100-sxm5")] {
        let measured =
            answer(&format!("app {} --format json", dataset(&format!("{to}/transformer.json.gz"))));
        let measured = measured["kernel_sum_ms"].as_f64().unwrap();
        let words =
            format!("app {} --to {to} --format json", dataset(&format!("{from}/transformer.json.gz")));
        let answered = answer(&words);
        let target = &answered["targets"][0];
        let [time, low, high, predicted] =
            ["kernels_ms", "kernels_low_ms", "kernels_high_ms", "predicted_share_percent"]
                .map(|field| target[field].as_f64().unwrap_or_else(|| panic!("{field}: {target}")));
        assert!((time / measured - 1.0).abs() < 0.06, "{to}: {time} ms, measured {measured} ms");
        assert!(low < measured && measured < high, "{to}: {low} to {high} ms, measured {measured} ms");
        assert!(predicted > 99.9, "{target}");
    }
}

/// A short launch on a GPU whose launch overhead was measured on another host: it took 3.3 µs on this one.
#[test]
fn a_launch_overhead_of_another_host_is_not_certain() {
    let words = "predict --kernel strided_copy_8 --size n=262144 --from rtx-2080-ti --time 3.6us --to h200 --format json";
    let answered = answer(words);
    let row = &answered[0];
    let [low, high] = ["low_ms", "high_ms"].map(|field| row[field].as_f64().unwrap());
    assert!(low < 0.0033 && 0.0033 < high && high / low > 1.5, "{row}");
}
