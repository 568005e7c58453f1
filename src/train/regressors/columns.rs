//! The columns of a pair: what paper 1's section 4 lists, as far as any row or GPU file states it.

use crate::gpu::{Ceilings, Gpu};
use crate::kernel::Count;
use crate::predict::Question;
use crate::units::Seconds;

/// Columns of the kernel and its launch; the sizes `N`, `rows`, `cols` of the paper are their product here.
const KERNEL_COLUMNS: [&str; 9] = [
    "flops",
    "dram_bytes",
    "flops_per_byte",
    "registers",
    "shared_bytes",
    "threads_per_block",
    "blocks",
    "problem_size",
    "source_ms",
];

/// Columns of either GPU.
const GPU_COLUMNS: [&str; 9] = [
    "fp32_gflops",
    "fp32_achieved_gflops",
    "bandwidth_gbps",
    "bandwidth_achieved_gbps",
    "sms",
    "threads_per_sm",
    "blocks_per_sm",
    "registers_per_sm",
    "shared_bytes_per_sm",
];

/// The names of all columns, in order.
pub(super) fn column_names() -> Vec<String> {
    let sides = GPU_COLUMNS.iter().flat_map(|name| [format!("source_{name}"), format!("target_{name}")]);
    KERNEL_COLUMNS.iter().map(ToString::to_string).chain(sides).collect()
}

/// The numbers of one pair in the order of [`column_names`]; `None` where nobody states one.
pub(super) fn column_values(
    question: &Question<'_>,
    problem_size: f64,
    source_time: Seconds,
) -> Vec<Option<f64>> {
    let work = &question.work;
    let (flops, bytes) = (work.get(Count::Flops), work.get(Count::DramBytes));
    let intensity = flops.zip(bytes).map(|(f, b)| if b > 0.0 { f / b } else { 0.0 });
    let needs = question.source.needs.as_ref();
    let launch = question.source.launch;
    let own = [
        flops,
        bytes,
        intensity,
        needs.map(|n| f64::from(n.regs_per_thread)),
        needs.map(|n| f64::from(n.smem())),
        launch.map(|l| f64::from(l.threads())),
        launch.map(|l| l.block_count() as f64),
        Some(problem_size),
        Some(source_time.millis()),
    ];
    let [source, target] = [question.source.gpu, question.target.gpu].map(gpu_numbers);
    let sides = source.into_iter().zip(target).flat_map(|(s, t)| [Some(s), Some(t)]);
    own.into_iter().chain(sides).map(|v| v.filter(|v| v.is_finite())).collect()
}

/// In the order of [`GPU_COLUMNS`].
fn gpu_numbers(gpu: &Gpu) -> [f64; 9] {
    let limits = &gpu.cuda.limits;
    let achieved = gpu.fp32_achieved.as_ref().unwrap_or(&gpu.fp32_peak);
    [
        gpu.fp32_peak.value.0 / 1e9,
        achieved.value.0 / 1e9,
        gpu.bandwidth(Ceilings::Peak).value.0 / 1e9,
        gpu.bandwidth(Ceilings::Achieved).value.0 / 1e9,
        f64::from(gpu.sms.value),
        f64::from(limits.threads_per_sm),
        f64::from(limits.blocks_per_sm),
        f64::from(limits.regs_per_sm),
        f64::from(limits.smem_per_sm),
    ]
}
