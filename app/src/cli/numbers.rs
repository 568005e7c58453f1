//! Numbers of flags, read as everywhere else: `1_000`, `2^20`, `4k`, `16x16`, `8KB`, `4.2ms`.

use crate::gpu::GpuNumber;
use crate::occupancy::{register_refusal, thread_refusal};
use crate::text::comma_hint;
use crate::units::{
    Bytes, Flops, KiloBytes, Seconds, TypedRate, typed_bytes, typed_count, typed_dimensions, typed_flops,
    typed_rate, typed_seconds,
};

/// A whole number above 0.
pub(super) fn whole_number(text: &str) -> Result<u32, String> {
    let found = typed_count(text).and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0);
    found.ok_or_else(|| "expected a whole number above 0, such as 256, 4k or 2^20".into())
}

/// Registers of a thread: a whole number above 0, and no more than a compiler can give one.
pub(super) fn register_count(text: &str) -> Result<u32, String> {
    let count = whole_number(text)?;
    register_refusal(count).map_or(Ok(count), |why| Err(why.to_string()))
}

/// Preferred shared memory in percent of the most there is.
pub(super) fn carveout_percent(text: &str) -> Result<i64, String> {
    let found = text.parse().ok().filter(|percent| (-1..=100).contains(percent));
    found.ok_or_else(|| "expected a percentage from 0 to 100, or -1 for no preference".into())
}

/// A side of a matrix: 1 to 2^20.
pub(super) fn matrix_side(text: &str) -> Result<u64, String> {
    let found = typed_count(text).filter(|n| (1..=1 << 20).contains(n));
    found.ok_or_else(|| "expected a whole number from 1 to 2^20, such as 4096 or 4k".into())
}

/// Threads of a block, in up to three dimensions: no more than any GPU launches.
pub(super) fn block_dimensions(text: &str) -> Result<[u64; 3], String> {
    let sides = dimensions(text)?;
    let threads = sides.iter().try_fold(1_u64, |all, side| all.checked_mul(*side));
    let threads = threads.and_then(|n| u32::try_from(n).ok()).unwrap_or(u32::MAX);
    thread_refusal(threads).map_or(Ok(sides), |why| Err(why.to_string()))
}

/// Threads of a block or blocks of a grid, in up to three dimensions.
pub(super) fn dimensions(text: &str) -> Result<[u64; 3], String> {
    typed_dimensions(text).ok_or_else(|| "expected whole numbers above 0, such as 256, 16x16 or 8x8x4".into())
}

/// Bytes of the shared memory of a block: 8KB is 8192.
pub(super) fn shared_bytes(text: &str) -> Result<u32, String> {
    let found = typed_bytes(text, KiloBytes::Binary).map(|b| b.0);
    let whole = found.filter(|b| (0.0..=f64::from(u32::MAX)).contains(b) && b.fract() == 0.0);
    whole
        .map(|b| b as u32)
        .ok_or_else(|| "expected bytes, such as 8192, 8KB or 8KiB; Kb and Mb are bits".into())
}

/// Bytes moved in one launch: 50MB is 50e6.
pub(super) fn traffic_bytes(text: &str) -> Result<Bytes, String> {
    let found = typed_bytes(text, KiloBytes::Decimal).filter(|b| b.0 > 0.0);
    let expected = "expected bytes above 0, such as 50MB, 1.5GiB or 5e7; Mb and Gb are bits";
    found.ok_or_else(|| format!("{expected}{}", comma_hint(text)))
}

/// Floating-point operations of one launch.
pub(super) fn flop_count(text: &str) -> Result<Flops, String> {
    // A copy has none, and that is known.
    let found = typed_flops(text).filter(|f| f.0 >= 0.0);
    found.ok_or_else(|| {
        with_point("expected operations, such as 17.2GFLOP, 1.72e10 or 0; a rate is none", text)
    })
}

/// Operations of one launch that are no FLOPs.
pub(super) fn operation_count(text: &str) -> Result<f64, String> {
    let digits = text.trim().trim_end_matches(['o', 'O', 'p', 'P', 's', 'S']);
    let found = typed_flops(digits).map(|n| n.0).filter(|n| *n > 0.0);
    found.ok_or_else(|| {
        with_point("expected operations above 0, such as 3.6e12 or 3.6T; a rate is none", text)
    })
}

/// The rate of one launch, with its unit.
pub(super) fn launch_rate(text: &str) -> Result<TypedRate, String> {
    let expected = "expected a rate with its unit, such as 700TFLOPS or 900GB/s";
    typed_rate(text).ok_or_else(|| with_point(expected, text))
}

/// The time of one launch, with its unit.
pub(super) fn launch_time(text: &str) -> Result<Seconds, String> {
    let found = typed_seconds(text).filter(|t| t.0 > 0.0);
    found
        .ok_or_else(|| with_point("expected a time above 0 with its unit, such as 4.2ms, 31us or 1.5s", text))
}

/// What was expected, with what a comma in the text calls for.
fn with_point(expected: &str, text: &str) -> String {
    format!("{expected}{}", comma_hint(text))
}

/// A number of a GPU by its key.
pub(super) fn gpu_number(text: &str) -> Result<GpuNumber, String> {
    let all = || GpuNumber::ALL.map(GpuNumber::key).join(", ");
    GpuNumber::from_key(text).ok_or_else(|| format!("expected one of {}", all()))
}
