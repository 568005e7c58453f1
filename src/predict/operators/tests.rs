use super::*;
use crate::catalogue::{Catalogue, ElementType, shipped_sources};
use crate::gpu::{LimitsTable, load_shipped};
use crate::kernel::{AttentionSizes, OperatorType, ProductSizes};
use crate::pair::Pair;

fn shipped_gpus() -> Catalogue<Gpu> {
    load_shipped(&shipped_sources().unwrap(), &LimitsTable::shipped().unwrap()).0
}

fn bf16(kind: OperatorKind) -> OperatorType {
    OperatorType { kind, input: ElementType::Bf16, accumulate: ElementType::Fp32, output: ElementType::Bf16 }
}

fn product(m: f64, n: f64, k: f64) -> Operator {
    let sizes = OperatorSizes::Product(ProductSizes { batch: 1.0, m, n, k });
    Operator { types: bf16(OperatorKind::Linear), sizes }
}

fn seconds(gpus: &Catalogue<Gpu>, id: &str, operator: &Operator) -> f64 {
    modelled(gpus.entry_named(id).unwrap(), operator, &Work::default()).unwrap().time
}

#[test]
fn a_large_product_reaches_most_of_the_dense_rate_and_never_more() {
    let gpus = shipped_gpus();
    let operator = product(8192.0, 8192.0, 8192.0);
    for gpu in gpus.entries() {
        let Some(parts) = modelled(gpu, &operator, &Work::default()) else { continue };
        let types = operator.types;
        let rate = gpu.tensor_rate(types.input, types.accumulate).unwrap().value.0;
        let reached = 2.0 * 8192f64.powi(3) / parts.time / rate;
        assert!((0.2..=0.96).contains(&reached), "{}: {reached} of the dense rate", gpu.id);
    }
}

#[test]
fn a_power_limit_slows_tensor_cores_and_no_stream() {
    let gpus = shipped_gpus();
    let share = |id: &str| {
        Hardware::from_gpu(gpus.entry_named(id).unwrap(), bf16(OperatorKind::Linear)).unwrap().clock_share()
    };
    assert!(share("l40s") < 0.85 && share("l4") < share("l40s"));
    assert!((share("h20") - 1.0).abs() < 1e-9, "a quarter of the tensor rate draws no limit");
}

#[test]
fn operands_that_fit_the_larger_l2_move_no_dram() {
    let gpus = shipped_gpus();
    // 6 sets of 12.6 MB: in the 96 MiB of an L40S, not in the 40 of an A100.
    let operator = product(16.0, 3072.0, 2048.0);
    let dram = |id: &str| modelled(gpus.entry_named(id).unwrap(), &operator, &Work::default()).unwrap().dram;
    assert!(dram("l40s") <= 0.0 && dram("a100-sxm4-80gb") > 0.0);
}

#[test]
fn more_work_never_takes_less_time() {
    let gpus = shipped_gpus();
    for id in ["a100-sxm4-80gb", "l40s", "h100-sxm5", "b200"] {
        let mut before = 0.0;
        for m in [1.0, 16.0, 64.0, 256.0, 1024.0, 4096.0, 16384.0] {
            let now = seconds(&gpus, id, &product(m, 4096.0, 4096.0));
            assert!(now >= before * 0.999, "{id}: {now} s at m = {m}, {before} s before");
            before = now;
        }
    }
}

#[test]
fn a_longer_cache_is_never_sooner_read() {
    let gpus = shipped_gpus();
    for id in ["a100-sxm4-80gb", "l4", "l40s", "rtx-4070", "h100-sxm5", "b200"] {
        let mut before = 0.0;
        for tiles in 1..=40 {
            let sequence = 64.0 * f64::from(tiles);
            let sizes = AttentionSizes { batch: 1.0, sequence, heads: 32.0, kv_heads: 8.0, head_size: 128.0 };
            let sizes = OperatorSizes::Attention(sizes);
            let now = seconds(&gpus, id, &Operator { types: bf16(OperatorKind::AttentionDecode), sizes });
            assert!(now >= before * (1.0 - 1e-9), "{id}: {now} s for {sequence} keys, {before} s before");
            before = now;
        }
    }
}

#[test]
fn a_slow_source_is_kept_in_part() {
    let time = |times: [f64; 2], timed, alike| {
        carried(Pair::new(times[0], times[1]), timed, alike, "m").map(|time| time.0)
    };
    let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    near(time([1.0, 2.0], Some(1.0), 0.0).unwrap(), 2.0);
    near(time([1.0, 2.0], Some(2.0), 0.0).unwrap(), 2.0 * 2f64.powf(BELIEVED));
    near(time([1.0, 1.0], Some(2.0), 1.0).unwrap(), 2.0);
    assert!(time([1.0, f64::INFINITY], None, 0.0).is_err());
}

#[test]
fn decode_is_bound_by_its_cache_and_prefill_by_tensor_cores() {
    let gpus = shipped_gpus();
    let gpu = gpus.entry_named("h100-sxm5").unwrap();
    let sizes =
        AttentionSizes { batch: 32.0, sequence: 8192.0, heads: 32.0, kv_heads: 8.0, head_size: 128.0 };
    let of_kind = |kind| {
        let operator = Operator { types: bf16(kind), sizes: OperatorSizes::Attention(sizes) };
        modelled(gpu, &operator, &Work::default()).unwrap()
    };
    let (prefill, decode) = (of_kind(OperatorKind::AttentionPrefill), of_kind(OperatorKind::AttentionDecode));
    assert!(prefill.tensor > prefill.dram && decode.dram > decode.tensor);
}
