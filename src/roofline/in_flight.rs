//! Little's law: what a launch draws from DRAM where too few threads wait for it.
//!
//! B = (B_max^-3 + (W / τ)^-3)^(-1/3), W = threads x bytes that one waits for at a time.
//!
//! | symbol | what it is | unit |
//! |---|---|---|
//! | B_max | bandwidth that enough threads sustain | B/s |
//! | τ | latency of DRAM, alone | s |
//! | W | bytes in flight | B |
//!
//! A thread waits for the bytes of one turn of its loop: 8 to 24 of DRAM in the kernels of gpu-stream, which have one to three
//! streams of 8 bytes. Nobody counts that of other kernels: their DRAM bytes per thread stand in, between 4 (one word) and 24.
//!
//! Error on `stream_vs_occupancy` (7 GPUs, read, scale, triad and stencils at 3 to 100 % of the threads): 4.0 % mean, 2.1 %
//! median with the latency that was measured of the GPU, 2.7 to 8.8 % with that of its relatives; docs/models.md. Kernels that
//! only write are 2.6 times faster than that at few threads: nobody waits for a store.
//! Reference: Little 1961; Volkov, "Understanding latency hiding on GPUs", 2016, for GPUs.

use super::norms::root_beside_one;

/// The least and the most DRAM bytes that a thread is taken to wait for at a time.
const BYTES_PER_THREAD: [f64; 2] = [4.0, 24.0];

/// How sharply the bandwidth bends from one limit to the other.
const SHARPNESS: i32 = 3;

/// The bandwidth in bytes per second that so many bytes in flight draw from a memory of this bandwidth and latency (seconds).
///
/// ```
/// use roofswap_engine::roofline::bandwidth_in_flight;
/// // An A100: 1.4 TB/s, 406 ns. A quarter of its threads with 16 bytes each nearly fill it, a sixteenth does not.
/// let at = |threads: f64| bandwidth_in_flight(1.4e12, 108.0 * threads * 16.0, 406e-9);
/// assert!(at(512.0) > 1.25e12 && at(128.0) < 0.6e12);
/// ```
#[must_use]
#[inline]
pub fn bandwidth_in_flight(bandwidth: f64, bytes: f64, latency: f64) -> f64 {
    let drawn = bytes / latency;
    let ratio = (bandwidth / drawn).powi(SHARPNESS);
    bandwidth / root_beside_one(ratio, SHARPNESS)
}

/// DRAM bytes that threads wait for at a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WaitingBytes {
    /// All threads of the launch.
    of_launch: f64,
    /// Those that one SM holds.
    of_sm: f64,
}

impl WaitingBytes {
    /// Of a launch of so many threads, of which an SM holds so many, that moves so many DRAM bytes in all.
    #[must_use]
    #[inline]
    pub fn from_launch([threads, per_sm]: [f64; 2], dram_bytes: f64) -> Self {
        let [least, most] = BYTES_PER_THREAD;
        let each = (dram_bytes / threads).clamp(least, most);
        Self { of_launch: threads * each, of_sm: per_sm * each }
    }

    /// What is in flight on so many SMs.
    #[must_use]
    #[inline]
    pub fn on_sms(&self, sms: f64) -> f64 {
        self.of_launch.min(self.of_sm * sms)
    }
}
