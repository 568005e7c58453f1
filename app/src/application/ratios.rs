//! A kernel of an application that no model answers, on another GPU: by the ratios of what the two sustain.

use super::category::KernelCategory;
use super::group::KernelGroup;
use super::group_forecast::TimeRange;
use super::rows::element_of;
use super::shapes::OperatorShape;
use crate::catalogue::ElementType;
use crate::gpu::Gpu;
use crate::pair::Pair;
use crate::power::PowerModel;
use crate::units::Seconds;

/// What the ratio of arithmetic rates weighs for a group without counts: as much as that of bandwidths, of products, convolutions and attention more the
/// longer a launch takes, to 0.8 from 0.1 ms on. Of BF16 products and attention on an A100 and an H100 0.8 to 0.9 from there on and 0 to 0.5 below
/// 30 µs (aiconfigurator); of the kernels of 31 applications on an H100 and an H200 0.85 to 1.
fn arithmetic_weight(group: &KernelGroup) -> f64 {
    match group.category {
        KernelCategory::Gemm | KernelCategory::Convolution | KernelCategory::Attention => {
            0.5 + 0.3 * (group.mean().0 / 10e-6).log10().clamp(0.0, 1.0)
        }
        _ => 0.5,
    }
}

/// Each end of an interval between two ratios is this much wider: what every answer about another GPU may be off, as
/// the least doubt of a prediction (0.12 in ln).
const BEYOND_RATIOS: f64 = 1.13;

/// Time of what waits for DRAM as a factor of the recorded one.
pub(super) fn bandwidth_ratio(gpus: Pair<&Gpu>) -> f64 {
    let Pair { source, target } = gpus.map(|gpu| gpu.bandwidth_sustained().value.0);
    source / target
}

/// The mean time of a launch between the ratio of bandwidths and that of arithmetic rates: two ratios that happen to agree say no
/// more than a time alone does, whose interval it has at least. FLOPs and bytes that are known say where between them, at a roofline of
/// both. What the shortest kernel of the application takes as well is no work and keeps its time. `time_alone`: the ends, over the predicted time, of
/// the interval of a kernel of which nothing but a time is known.
pub(super) fn between_ratios(
    group: &KernelGroup,
    gpus: Pair<&Gpu>,
    shortest: Seconds,
    time_alone: Option<[f64; 2]>,
) -> TimeRange {
    let bandwidth = bandwidth_ratio(gpus);
    let Pair { source, target } = gpus;
    let rate = |gpu: &Gpu| arithmetic_rate(gpu, group) * busy_share(gpu);
    let compute = rate(source) / rate(target);
    let mean = group.mean();
    let fixed = shortest.min(mean);
    let by = |factor: f64| Seconds(fixed.0 + (mean.0 - fixed.0) * factor);
    let arithmetic = arithmetic_weight(group);
    let between = bandwidth.powf(1.0 - arithmetic) * compute.powf(arithmetic);
    let roof = |gpu: &Gpu, [flops, bytes]: [f64; 2]| {
        (flops / rate(gpu)).max(bytes / gpu.bandwidth_sustained().value.0)
    };
    let of_roofs = known_work(group).map(|work| roof(target, work) / roof(source, work));
    let middle = of_roofs.unwrap_or(between);
    let of_rates = [bandwidth.min(compute), bandwidth.max(compute)];
    let [low, high] = of_roofs.map_or(of_rates, |ratio| [ratio; 2]);
    let [least, most] = time_alone.unwrap_or([1.0, 1.0]).map(|end| by(middle * end));
    TimeRange {
        value: by(middle),
        low: least.min(by(low) * BEYOND_RATIOS.recip()),
        high: most.max(by(high) * BEYOND_RATIOS),
    }
}

/// FLOPs and DRAM bytes of a launch, where both are known.
fn known_work(group: &KernelGroup) -> Option<[f64; 2]> {
    let counts = group.counts.as_ref()?;
    let work = [counts.flops?, counts.dram_bytes?];
    work.iter().all(|count| *count > 0.0).then_some(work)
}

/// What its power limit leaves of a GPU's clock where its lanes are busy.
fn busy_share(gpu: &Gpu) -> f64 {
    PowerModel::shipped_once().map_or(1.0, |model| model.busy_share(gpu))
}

/// The arithmetic rate that a group of this category would run at; FP32 where the GPU states no tensor rate for it.
fn arithmetic_rate(gpu: &Gpu, group: &KernelGroup) -> f64 {
    let uses_tensor_cores = matches!(
        group.category,
        KernelCategory::Gemm | KernelCategory::Attention | KernelCategory::Convolution
    ) || matches!(group.shape, Some(OperatorShape::Product(_)));
    let element = element_of(group).filter(|e| uses_tensor_cores && *e != ElementType::Fp32);
    let tensor = element.and_then(|e| gpu.tensor_rate(e, e.usual_accumulate()));
    tensor.map_or(gpu.fp32_sustained().value.0, |rate| rate.value.0)
}
