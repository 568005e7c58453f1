//! One row of a board.

use super::prices::PriceQuote;
use crate::gpu::GpuId;
use crate::report::shown::{self, TimeKind};
use crate::roofline::Bound;
use crate::units::{Joules, Seconds, Watts, significant};

/// The workload on one GPU. Times, energy and money are of one run: a launch of a kernel, or all launches of a mix.
#[derive(Debug, Clone)]
pub struct RankedRow {
    /// The GPU.
    pub gpu: GpuId,
    /// Its id.
    pub gpu_id: String,
    /// The variant or block; empty where GPUs alone are ranked.
    pub label: String,
    /// Its short name; with the variant or block behind it where those are ranked.
    pub name: String,
    /// Time of a run.
    pub time: Option<Seconds>,
    /// Lower end of the 90 % interval; for a mix the kernels' errors are taken to go together.
    pub low: Option<Seconds>,
    /// Upper end.
    pub high: Option<Seconds>,
    /// Time on the source over time here.
    pub speedup: Option<f64>,
    /// The measured time on the source over the time here, where the source was measured at other clocks than it is set to.
    pub speedup_over_profile: Option<f64>,
    /// What takes the largest share of the time.
    pub limit: Option<Bound>,
    /// Occupancy, 0 to 1; of a mix the mean over the time.
    pub occupancy: Option<f64>,
    /// Whether every working set fits the GPU's memory; `None` where one is not known.
    pub fits_memory: Option<bool>,
    /// Mean board power, modelled.
    pub board_power: Option<Watts>,
    /// Energy of a run, modelled.
    pub energy: Option<Joules>,
    /// What an hour costs, where the prices have this GPU.
    pub price: Option<PriceQuote>,
    /// US dollars for a million runs, by the hour.
    pub usd_per_million_runs: Option<f64>,
    /// List price of the board at launch in US dollars: never compared with an hourly one.
    pub launch_usd: Option<f64>,
    /// The year of that price.
    pub launch_year: u16,
    /// Whether no other row beats it in time and money, or in time and power; of block sizes whether it is the one to take on its GPU.
    pub is_pareto: bool,
    /// Whether a measured or published time of every kernel stands behind it.
    pub rests_on_measurement: bool,
    /// Whether the time that speedups are over was measured or published there, at this size or another.
    pub is_base_timed: bool,
    /// Whether the time is the measured one of this very GPU, to which no model added anything.
    pub is_measured: bool,
    /// Whether the GPU is none that exists as it stands here.
    pub is_hypothetical: bool,
    /// What the reader must know; for a row without a time, why first.
    pub cautions: Vec<String>,
}

impl RankedRow {
    /// Dollars for a million runs; nothing where no price is known, and where it is 0.
    #[must_use]
    pub fn run_cost_text(&self) -> Option<String> {
        self.usd_per_million_runs.filter(|usd| *usd > 0.0).map(significant)
    }

    /// Whether it is a GPU to choose: it fits the memory as far as is known.
    #[must_use]
    pub fn is_choice(&self) -> bool {
        self.fits_memory != Some(false)
    }

    /// `2.26×`, or `~2.26×` where no measurement stands behind it.
    #[must_use]
    pub fn speedup_text(&self) -> Option<String> {
        self.speedup
            .map(|speedup| shown::marked_speedup(speedup, self.is_base_timed && self.rests_on_measurement))
    }

    /// The same over the time as it was measured, where that was at other clocks than the source is set to.
    #[must_use]
    pub fn speedup_as_profiled_text(&self) -> Option<String> {
        Some(shown::marked_speedup(self.speedup_over_profile?, self.rests_on_measurement))
    }

    /// `9.20–12.8 µs`, or `~9.20–12.8 µs` where no measurement stands behind it; nothing of a measured time without trials.
    #[must_use]
    pub fn interval_text(&self) -> Option<String> {
        let (low, high) = self.low.zip(self.high)?;
        self.kind().interval(low, high)
    }

    /// `~607 W`: no board was measured at this load.
    #[must_use]
    pub fn power_text(&self) -> Option<String> {
        self.board_power.map(|power| format!("{}{power}", shown::ESTIMATED))
    }

    /// `~18.9 mJ`.
    #[must_use]
    pub fn energy_text(&self) -> Option<String> {
        self.energy.map(|energy| format!("{}{energy}", shown::ESTIMATED))
    }

    /// How the time is known.
    #[must_use]
    pub fn kind(&self) -> TimeKind {
        TimeKind::new(self.is_measured, self.rests_on_measurement)
    }
}
