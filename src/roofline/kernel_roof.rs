//! The roof of one kernel on one GPU: ceilings by what the kernel executes and where its data lie (paper 2, section 2).
//!
//! Van Lanker, Taboada, Brunet, Trahay, "Predicting GPU kernel's performance on upcoming architectures", Euro-Par 2024. Equation
//! numbers below are the paper's. Pure functions; who counts what, and which peaks are taken, is decided in `predict`.
//!
//! ```
//! use roofswap_engine::kernel::Operations;
//! use roofswap_engine::roofline::{Arithmetic, Level, Peaks, Traffic, kernel_roof};
//! use roofswap_engine::units::{Bytes, BytesPerSecond, Flops, FlopsPerSecond};
//!
//! // The paper's V100 (Table 1), and a kernel of as many FMA as additions, with 24 of 32 threads active.
//! let gb = BytesPerSecond::from_giga;
//! let peaks = Peaks {
//!     fma: FlopsPerSecond::from_giga(6890.0),
//!     dram: gb(846.0), l2: gb(2460.0), l1: gb(13963.0), shared: gb(13963.0),
//! };
//! let operations = Operations { fma: 1e9, add: 1e9, mul: 0.0 };
//! let arithmetic = Arithmetic { operations, flops: Flops(3e9), active_threads: 24.0 };
//! let traffic = Traffic::from_bytes([Bytes(8e9), Bytes(10e9), Bytes(12e9)], Bytes(0.0), 0.0);
//! let roof = kernel_roof(&arithmetic, &traffic, &peaks);
//! // 24/32 (6890 / 2 + 3445 / 2) GFLOP/s.
//! assert!((roof.compute.unwrap().0 / 3875.625e9 - 1.0).abs() < 1e-12);
//! // (2 + 8) GB / (2/2460 + 8/846) s.
//! let l2 = roof.level(Level::L2).bandwidth.unwrap();
//! assert!((l2.0 / (10e9 / (2.0 / 2460.0 + 8.0 / 846.0)) - 1.0).abs() < 1e-12);
//! ```

use super::Level;
use crate::kernel::Operations;
use crate::units::{Bytes, BytesPerSecond, Flops, FlopsPerSecond, Intensity, Seconds};

/// Threads of a warp.
const WARP: f64 = 32.0;

/// Bytes that shared memory moves in a cycle without conflicts: 32 banks of 4 bytes (paper 2, section 2).
const WAVEFRONT: f64 = 128.0;

/// FLOP/s of additions and multiplications over those of fused multiply-adds: one FLOP instead of two at the same rate of
/// instructions. The paper measures both rates and prints one.
const ADD_MUL_SHARE: f64 = 0.5;

/// What a GPU reaches at most: Perf^max and BW^max of the paper.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Peaks {
    /// Fused multiply-adds alone.
    pub fma: FlopsPerSecond,
    /// Device memory.
    pub dram: BytesPerSecond,
    /// The L2 cache.
    pub l2: BytesPerSecond,
    /// The L1 caches of all SMs.
    pub l1: BytesPerSecond,
    /// The shared memories of all SMs.
    pub shared: BytesPerSecond,
}

/// What a kernel computes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Arithmetic {
    /// Instructions by kind.
    pub operations: Operations,
    /// All floating-point operations.
    pub flops: Flops,
    /// Active threads per warp instruction, at most 32.
    pub active_threads: f64,
}

/// The bytes a kernel asks for, by the place that served them: N_mem of the paper.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Traffic {
    /// Hits in L1.
    pub l1: Bytes,
    /// Shared memory.
    pub shared: Bytes,
    /// Cycles of 128 bytes that shared memory took for them, conflicts included: N_ShM / N_ShM_pc.
    pub wavefronts: f64,
    /// Hits in L2.
    pub l2: Bytes,
    /// Device memory.
    pub dram: Bytes,
}

impl Traffic {
    /// From bytes through DRAM, L2 and L1 (the paper's N+), bytes of shared memory, and its wavefronts.
    ///
    /// What goes through a level and not through the next one was served there. Where the next one moved more (write-backs,
    /// fetches nobody asked for), nothing was.
    #[must_use]
    pub fn from_bytes([dram, l2, l1]: [Bytes; 3], shared: Bytes, wavefronts: f64) -> Self {
        let hits = |through: Bytes, below: Bytes| Bytes((through.0 - below.0).max(0.0));
        Self { l1: hits(l1, l2), shared, wavefronts, l2: hits(l2, dram), dram }
    }

    /// Bytes that traverse this level: its own and those of every level below (equations 6 to 8, and N+ of equation 10).
    #[must_use]
    pub fn through(&self, level: Level) -> Bytes {
        match level {
            Level::Dram => self.dram,
            Level::L2 => Bytes(self.l2.0 + self.dram.0),
            Level::L1 => Bytes(self.l1.0 + self.shared.0 + self.l2.0 + self.dram.0),
            Level::Shared => self.shared,
        }
    }

    /// The time of all that traverses this level: sums of t_mem = N_mem / BW_mem (equation 4) and, for shared memory, of
    /// t_ShM = (N_ShM / N_ShM_pc) (128 / BW_ShM) (equation 5).
    #[must_use]
    pub fn traffic_time(&self, peaks: &Peaks, level: Level) -> Seconds {
        let dram = self.dram / peaks.dram;
        let l2 = self.l2 / peaks.l2;
        let shared = Bytes(WAVEFRONT * self.wavefronts) / peaks.shared;
        match level {
            Level::Dram => dram,
            Level::L2 => Seconds(l2.0 + dram.0),
            Level::L1 => Seconds((self.l1 / peaks.l1).0 + shared.0 + l2.0 + dram.0),
            Level::Shared => shared,
        }
    }
}

/// Perf^mix: rates of FMA and of ADD + MUL, weighted by their instructions (equation 2). Without any instruction, the FMA
/// rate.
#[must_use]
pub fn mixed(fma: FlopsPerSecond, operations: &Operations) -> FlopsPerSecond {
    let all = operations.total();
    if all <= 0.0 {
        return fma;
    }
    let fused = operations.fma / all;
    FlopsPerSecond(fma.0 * fused + ADD_MUL_SHARE * fma.0 * (1.0 - fused))
}

/// Perf^ceil: the share of active threads times Perf^mix (equation 3).
#[must_use]
pub fn compute_ceiling(arithmetic: &Arithmetic, fma: FlopsPerSecond) -> FlopsPerSecond {
    FlopsPerSecond(arithmetic.active_threads / WARP * mixed(fma, &arithmetic.operations).0)
}

/// The memory levels that have a ceiling, slowest first.
pub const PROJECTED: [Level; 3] = [Level::Dram, Level::L2, Level::L1];

/// A kernel's roof at one memory level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LevelRoof {
    /// The level.
    pub level: Level,
    /// BW^ceil: a weighted harmonic mean (equations 6 to 8); `None` where nothing traverses the level.
    pub bandwidth: Option<BytesPerSecond>,
    /// Operational intensity (equation 10); `None` where nothing traverses the level, or nothing is computed.
    pub intensity: Option<Intensity>,
    /// The time at the roof: FLOPs / roofline(OI) of equation 1 with both ceilings. Bytes / BW^ceil where there are no FLOPs:
    /// the limit of it.
    pub time: Seconds,
}

/// A kernel's roof on one GPU.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KernelRoof {
    /// Perf^ceil; `None` for a kernel without FLOPs.
    pub compute: Option<FlopsPerSecond>,
    /// In the order of [`PROJECTED`].
    pub levels: [LevelRoof; 3],
}

impl KernelRoof {
    /// The roof at this level; shared memory has none of its own and is part of L1's.
    #[must_use]
    pub fn level(&self, level: Level) -> &LevelRoof {
        match level {
            Level::Dram => &self.levels[0],
            Level::L2 => &self.levels[1],
            Level::L1 | Level::Shared => &self.levels[2],
        }
    }
}

/// Every ceiling of a kernel on a GPU with these peaks.
#[must_use]
pub fn kernel_roof(arithmetic: &Arithmetic, traffic: &Traffic, peaks: &Peaks) -> KernelRoof {
    let flops = arithmetic.flops;
    let compute = (flops.0 > 0.0).then(|| compute_ceiling(arithmetic, peaks.fma));
    let floor = compute.map_or(Seconds(0.0), |c| flops / c);
    let levels = PROJECTED.map(|level| {
        let (through, time) = (traffic.through(level), traffic.traffic_time(peaks, level));
        let moves = through.0 > 0.0 && time.0 > 0.0;
        LevelRoof {
            level,
            bandwidth: moves.then(|| BytesPerSecond(through.0 / time.0)),
            intensity: (moves && flops.0 > 0.0).then(|| flops / through),
            time: if time > floor { time } else { floor },
        }
    });
    KernelRoof { compute, levels }
}

/// Equation 9 as a time: Perf_t = Perf_s / roofline_s x roofline_t is T_t = T_s x (time at the target's roof / time at the
/// source's). `None` where the source has no roof at this level.
#[must_use]
pub fn projected(source_time: Seconds, source: &LevelRoof, target: &LevelRoof) -> Option<Seconds> {
    let ratio = target.time.0 / source.time.0;
    (source.time.0 > 0.0 && target.time.0 > 0.0 && ratio.is_finite()).then(|| source_time * ratio)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KB: f64 = 1e3;

    fn peaks() -> Peaks {
        let gb = BytesPerSecond::from_giga;
        Peaks {
            fma: FlopsPerSecond::from_giga(1000.0),
            dram: gb(100.0),
            l2: gb(200.0),
            l1: gb(1000.0),
            shared: gb(500.0),
        }
    }

    fn traffic() -> Traffic {
        // 8 kB reach DRAM, 10 kB L2, 13 kB L1; 1.28 kB of shared memory in 20 wavefronts: two-way conflicts.
        Traffic::from_bytes([Bytes(8.0 * KB), Bytes(10.0 * KB), Bytes(13.0 * KB)], Bytes(1.28 * KB), 20.0)
    }

    fn near(found: f64, expected: f64) {
        assert!((found / expected - 1.0).abs() < 1e-12, "{found} instead of {expected}");
    }

    #[test]
    fn the_mix_weighs_rates_by_instructions() {
        let of = |fma, add, mul| mixed(FlopsPerSecond(800.0), &Operations { fma, add, mul }).0;
        near(of(5.0, 0.0, 0.0), 800.0);
        near(of(0.0, 2.0, 3.0), 400.0);
        near(of(3.0, 1.0, 0.0), 0.75 * 800.0 + 0.25 * 400.0);
        near(of(0.0, 0.0, 0.0), 800.0);
        let operations = Operations { fma: 3.0, add: 1.0, mul: 0.0 };
        let arithmetic = Arithmetic { operations, flops: Flops(7.0), active_threads: 6.0 };
        near(compute_ceiling(&arithmetic, FlopsPerSecond(800.0)).0, 700.0 * 6.0 / 32.0);
    }

    #[test]
    fn bandwidth_ceilings_are_harmonic_means_of_what_traverses_the_level() {
        let t = traffic();
        near(t.through(Level::L1).0, 14.28 * KB);
        // 8 kB / 100 GB/s = 80 ns; 2 kB / 200 = 10 ns; 3 kB / 1000 = 3 ns; 20 x 128 B / 500 GB/s = 5.12 ns.
        let ns = |level| t.traffic_time(&peaks(), level).0 * 1e9;
        near(ns(Level::Dram), 80.0);
        near(ns(Level::L2), 90.0);
        near(ns(Level::Shared), 5.12);
        near(ns(Level::L1), 98.12);
        let none = Arithmetic { operations: Operations::default(), flops: Flops(0.0), active_threads: 32.0 };
        let roof = kernel_roof(&none, &t, &peaks());
        near(roof.level(Level::Dram).bandwidth.unwrap().0, 100e9);
        near(roof.level(Level::L2).bandwidth.unwrap().0, 10.0 * KB / 90e-9);
        near(roof.level(Level::L1).bandwidth.unwrap().0, 14.28 * KB / 98.12e-9);
        assert!(roof.compute.is_none() && roof.levels.iter().all(|l| l.intensity.is_none()));
    }

    #[test]
    fn the_roof_is_the_lower_of_both_ceilings_at_every_level() {
        // 90,000 FLOPs at 1 TFLOP/s are 90 ns: above DRAM's 80, as L2's, below L1's.
        let operations = Operations { fma: 45_000.0, add: 0.0, mul: 0.0 };
        let arithmetic = Arithmetic { operations, flops: Flops(90_000.0), active_threads: 32.0 };
        let roof = kernel_roof(&arithmetic, &traffic(), &peaks());
        for (level, expected) in [(Level::Dram, 90e-9), (Level::L2, 90e-9), (Level::L1, 98.12e-9)] {
            let at = roof.level(level);
            near(at.time.0, expected);
            // Equation 1 gives the same: FLOPs / min(BW x OI, Perf).
            let slope = at.bandwidth.unwrap().0 * at.intensity.unwrap().0;
            near(90_000.0 / slope.min(roof.compute.unwrap().0), expected);
        }
    }

    #[test]
    fn more_below_than_above_means_that_nothing_hit() {
        let t = Traffic::from_bytes([Bytes(12.0), Bytes(10.0), Bytes(4.0)], Bytes(0.0), 0.0);
        assert_eq!((t.l1.0, t.l2.0, t.dram.0), (0.0, 0.0, 12.0));
        assert_eq!(t.through(Level::L1).0, 12.0);
    }

    #[test]
    fn a_level_that_nothing_traverses_has_no_roof_of_its_own() {
        let operations = Operations { fma: 1.0, add: 0.0, mul: 0.0 };
        let arithmetic = Arithmetic { operations, flops: Flops(2.0), active_threads: 32.0 };
        let nothing = Traffic::from_bytes([Bytes(0.0); 3], Bytes(0.0), 0.0);
        let roof = kernel_roof(&arithmetic, &nothing, &peaks());
        assert!(roof.levels.iter().all(|l| l.bandwidth.is_none() && l.time.0 == 2.0 / 1e12));
        let idle = Arithmetic { flops: Flops(0.0), ..arithmetic };
        let idle = kernel_roof(&idle, &nothing, &peaks());
        assert_eq!(projected(Seconds(1.0), &idle.levels[0], &roof.levels[0]), None);
    }
}
