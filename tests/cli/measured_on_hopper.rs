//! What the program says of an H100 and an H200 against what was measured there (`datasets/`).

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use crate::desk::Desk;
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;

fn dataset(name: &str) -> String {
    Path::new(env!("ROOFSWAP_CHECKOUT")).join("datasets").join(name).display().to_string()
}

fn answer(words: &str) -> Value {
    serde_json::from_str(&Desk::new().types(words).works().stdout).unwrap()
}

/// The sum of an application's kernels on a GPU by its recording on another one: time, low and high end in ms, and the share of it, in
/// per cent, that is predicted.
fn recorded_elsewhere(name: &str, from: &str, to: &str) -> [f64; 4] {
    let answered =
        answer(&format!("app {} --to {to} --format json", dataset(&format!("{from}/{name}.json.gz"))));
    let target = &answered["targets"][0];
    ["kernels_ms", "kernels_low_ms", "kernels_high_ms", "predicted_share_percent"]
        .map(|field| target[field].as_f64().unwrap_or_else(|| panic!("{field}: {target}")))
}

/// Two forward passes of a transformer, recorded on both: cuBLAS's products of Hopper are products, and the sum of the kernels
/// is what it was.
#[test]
fn a_transformer_takes_as_long_on_the_other_gpu_as_it_took() {
    for (from, to) in [("h100-sxm5", "h200"), ("h200", "h100-sxm5")] {
        let measured =
            answer(&format!("app {} --format json", dataset(&format!("{to}/transformer.json.gz"))));
        let measured = measured["kernel_sum_ms"].as_f64().unwrap();
        let [time, low, high, predicted] = recorded_elsewhere("transformer", from, to);
        assert!((time / measured - 1.0).abs() < 0.06, "{to}: {time} ms, measured {measured} ms");
        assert!(low < measured && measured < high, "{to}: {low} to {high} ms, measured {measured} ms");
        assert!(predicted > 99.9, "{predicted} % predicted");
    }
}

/// Diffusion, recommendation, a graph network, decoding, training, experts and what torch.compile makes, recorded on both: their operators are
/// counted, backward passes and helpers too, and the sum of the kernels is inside its interval.
#[test]
fn applications_take_as_long_on_the_other_gpu_as_they_took() {
    // Sorts have no counts: they are a part of what experts take.
    let applications = [
        ("unet_bf16", 95.0),
        ("recsys_fp32", 95.0),
        ("gcn_fp32", 95.0),
        ("llama_decode", 95.0),
        ("resnet50_train", 95.0),
        ("compiled_train", 95.0),
        ("compiled_resnet50", 95.0),
        ("mixtral", 90.0),
    ];
    let mut off = 0.0;
    for (from, to) in [("h100-sxm5", "h200"), ("h200", "h100-sxm5")] {
        for (name, least_predicted) in applications {
            let measured = answer(&format!("app {} --format json", dataset(&format!("{to}/{name}.json.gz"))));
            let measured = measured["kernel_sum_ms"].as_f64().unwrap();
            let [time, low, high, predicted] = recorded_elsewhere(name, from, to);
            assert!(
                low < measured && measured < high,
                "{name} on {to}: {low} to {high} ms, measured {measured} ms"
            );
            assert!(predicted > least_predicted, "{name} on {to}: {predicted} % predicted");
            off += (time / measured - 1.0).abs() / 16.0;
        }
    }
    assert!(off < 0.035, "{off}");
}

/// What the shapes of an operator count belongs to the kernel that does its work: none computes or moves more than its GPU can.
#[test]
fn no_kernel_of_a_recording_is_counted_beyond_its_gpu() {
    // Dense BF16, FP32 lanes, and L2, in operations and bytes per second, with room for short kernels.
    let (tensor, lanes, l2) = (1.05e15, 1e14, 1.2e13);
    for gpu in ["h100-sxm5", "h200"] {
        for name in
            ["unet_bf16", "recsys_fp32", "gcn_fp32", "llama_decode", "resnet50_train", "mixtral", "jax"]
        {
            let read = answer(&format!("app {} --format json", dataset(&format!("{gpu}/{name}.json.gz"))));
            for group in read["groups"].as_array().unwrap() {
                let number = |field: &str| group[field].as_f64().unwrap_or(0.0);
                let seconds = 1e-3 * number("total_ms") / number("calls");
                let on_cores = ["matrix product", "convolution", "attention"]
                    .contains(&group["category"].as_str().unwrap());
                let most = if on_cores { tensor } else { lanes };
                let [flops, bytes] = ["flops", "dram_bytes"].map(|field| number(field) / seconds);
                assert!(
                    flops < most && bytes < l2,
                    "{gpu} {name} {}: {flops:e} FLOP/s, {bytes:e} B/s",
                    group["name"]
                );
            }
        }
    }
}

/// How the rows of one profile, onto the other GPU, lie to the rows of its own profile.
struct Elsewhere {
    all: f64,
    held: f64,
    /// MAPE.
    off: f64,
    /// Kernels outside of their interval.
    outside: Vec<String>,
}

fn profiled_elsewhere(file: &str, from: &str, to: &str) -> Elsewhere {
    let [profiled, measured] = [from, to].map(|gpu| dataset(&format!("{gpu}/{file}")));
    let rows = answer(&format!("predict --batch {profiled} --to {to} --format json"));
    let mut measured = csv::Reader::from_path(measured).unwrap();
    let of_row =
        |row: csv::StringRecord| ((row[1].to_string(), row[2].to_string()), row[15].parse::<f64>().unwrap());
    let measured: Vec<_> = measured.records().map(|row| of_row(row.unwrap())).collect();
    let times: HashMap<_, _> = measured.iter().cloned().collect();
    let mut found = Elsewhere { all: 0.0, held: 0.0, off: 0.0, outside: Vec::new() };
    for row in rows.as_array().unwrap() {
        let [kernel, problem] = ["kernel", "problem"].map(|field| row[field].as_str().unwrap().to_string());
        let key = (kernel.clone(), problem);
        // One launch of several alike: that of the same place, told apart or not.
        let is_alike = |of: &(String, String)| {
            of.0 == key.0 && (of.1 == key.1 || key.1.starts_with(&format!("{};work=", of.1)))
        };
        let place = usize::try_from(row["row"].as_u64().unwrap()).unwrap() - 1;
        let same = measured.get(place).filter(|(of, _)| is_alike(of)).map(|(_, time)| time);
        let Some(measured) = same.or_else(|| times.get(&key)) else { continue };
        let [time, low, high] = ["time_ms", "low_ms", "high_ms"].map(|field| row[field].as_f64().unwrap());
        found.all += 1.0;
        found.off += (time / measured - 1.0).abs();
        match (low..=high).contains(measured) {
            true => found.held += 1.0,
            false => found.outside.push(kernel),
        }
    }
    found.off /= found.all;
    found
}

/// What ncu counted of PyTorch's operators on one GPU, kernel by kernel onto the other: copies through the SM's copy engine too, which few threads
/// wait for. Of kernels of people's own and of libraries: sparse products, transforms, scans, gathers, atomics on one address and on many.
#[test]
fn kernels_from_a_profile_take_as_long_on_the_other_gpu_as_they_took() {
    for (from, to) in [("h100-sxm5", "h200"), ("h200", "h100-sxm5")] {
        for (file, all, off) in [("operators_ncu.csv", 36.0, 0.09), ("kernels_ncu.csv", 45.0, 0.08)] {
            let found = profiled_elsewhere(file, from, to);
            let text = format!("{file} onto {to}: {} held, {} off", found.held, found.off);
            assert!(found.all >= all && found.held / found.all > 0.9 && found.off < off, "{text}");
            let named = |part: &str| found.outside.iter().any(|kernel| kernel.contains(part));
            assert!(!named("nvjet") && !named("csrm") && !named("scatter"), "{:?}", found.outside);
        }
    }
}

/// A recording of JAX names no GPU and no shapes: its kernels go by the ratios, and the interval says so.
#[test]
fn a_recording_of_jax_goes_by_the_ratios() {
    for (from, to) in [("h100-sxm5", "h200"), ("h200", "h100-sxm5")] {
        let of = |gpu: &str| dataset(&format!("{gpu}/jax.json.gz"));
        let measured = answer(&format!("app {} --format json", of(to)))["kernel_sum_ms"].as_f64().unwrap();
        let answered = answer(&format!("app {} --from {from} --to {to} --format json", of(from)));
        let [time, low, high] = ["kernels_ms", "kernels_low_ms", "kernels_high_ms"]
            .map(|field| answered["targets"][0][field].as_f64().unwrap());
        assert!(low < measured && measured < high, "{to}: {low} to {high} ms, measured {measured} ms");
        assert!((time / measured - 1.0).abs() < 0.06, "{to}: {time} ms, measured {measured} ms");
        let unnamed = Desk::new().types(&format!("app {} --to {to}", of(from)));
        assert!(unnamed.stderr.contains("names no GPU: give --from GPU"), "{}", unnamed.stderr);
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
