//! The clocks of either side: a row that states its clocks was timed at them, whatever the GPU's documents say.

use super::{Caution, Subject, Visible};
use crate::gpu::{Gpu, GpuId, Tuning, TuningError};
use crate::measurement::{Measurement, Number, POWER_LIMIT_COLUMN, SAME_CLOCK};
use crate::units::{Hertz, Watts};
use std::sync::Arc;

/// The source at the clocks that its row states.
#[derive(Debug, Clone, Default)]
pub struct SourceClocks {
    /// Where the row states other clocks than the GPU has in the catalogue.
    gpu: Option<Arc<Gpu>>,
    cautions: Vec<Caution>,
    row_states_clocks: bool,
}

impl SourceClocks {
    /// The GPU that the source's row was timed on.
    #[must_use]
    pub fn gpu<'a>(&'a self, catalogued: &'a Gpu) -> &'a Gpu {
        self.gpu.as_deref().unwrap_or(catalogued)
    }

    /// The GPU at the clocks of the row, where they are not those of the catalogue.
    #[must_use]
    pub fn tuned(&self) -> Option<&Arc<Gpu>> {
        self.gpu.as_ref()
    }

    /// What must be said about it.
    #[must_use]
    pub fn cautions(&self) -> &[Caution] {
        &self.cautions
    }

    /// Whether clocks that were set for the source are those of its time, for want of others: its row states none.
    #[must_use]
    pub fn keeps_set_clocks(&self) -> bool {
        self.cautions.is_empty() || !self.row_states_clocks
    }

    /// Whether the source is modelled as it stands in the catalogue.
    #[must_use]
    pub fn is_catalogued(&self) -> bool {
        self.gpu.is_none() && self.cautions.is_empty()
    }
}

/// The clocks that the row behind the source time states: of this size, else of the nearest one timed. `stock` is the GPU
/// as its documents state it, `catalogued` as it stands in the catalogue. A power limit that was set for a source holds for a time that was typed beside it;
/// one from a file was taken at the limit that its row states, else at the board's own.
#[must_use]
pub fn source_clocks<'a>(
    stock: &Gpu,
    catalogued: &Gpu,
    subject: &Subject,
    at: GpuId,
    store: impl Into<Visible<'a>>,
) -> SourceClocks {
    let store: Visible<'a> = store.into();
    let Some(row) = store.start_row(subject, at) else { return SourceClocks::default() };
    let limit = limit_of_row(stock, catalogued, row);
    let (gpu, refused) = gpu_at_usable_settings(stock, catalogued, row, limit);
    let is_own = limit != catalogued.power_limit.value && stated_limit(row).is_none();
    let at_row = gpu.as_ref().map(|gpu| {
        let which = if is_own { " (the board's own limit: the row states none)" } else { "" };
        Caution::SourceAtRowClocks(format!("{}{which}", differences(gpu, catalogued)).into())
    });
    let unused = unused_clocks(refused);
    SourceClocks {
        cautions: at_row.into_iter().chain(unused).collect(),
        gpu: gpu.map(Arc::new),
        row_states_clocks: states_clocks(row),
    }
}

fn unused_clocks(refused: impl IntoIterator<Item = TuningError>) -> impl Iterator<Item = Caution> {
    refused.into_iter().map(|why| Caution::ClockUnused(why.to_string().into()))
}

/// That this row of the target states clocks that no such board can be set to.
pub fn unused_target_clocks(row: &Measurement, target: &Gpu) -> impl Iterator<Item = Caution> {
    unused_clocks(target.refused_clocks(believed(row, target)).into_iter().flatten())
}

/// The GPU at the clocks that this row states; `None` where it states none, or those of the catalogue.
///
/// # Errors
/// [`TuningError`] where no such board can be set to one of them.
pub fn gpu_at_row_clocks(
    stock: &Gpu,
    catalogued: &Gpu,
    row: &Measurement,
) -> Result<Option<Gpu>, TuningError> {
    let (gpu, refused) = gpu_at_usable_clocks(stock, catalogued, row);
    refused.into_iter().next().map_or(Ok(gpu), Err)
}

/// The GPU at those clocks of this row that such a board can be set to, and why it cannot be set to the others.
#[must_use]
pub fn gpu_at_usable_clocks(
    stock: &Gpu,
    catalogued: &Gpu,
    row: &Measurement,
) -> (Option<Gpu>, Vec<TuningError>) {
    gpu_at_usable_settings(stock, catalogued, row, catalogued.power_limit.value)
}

/// The same under this power limit.
fn gpu_at_usable_settings(
    stock: &Gpu,
    catalogued: &Gpu,
    row: &Measurement,
    limit: Watts,
) -> (Option<Gpu>, Vec<TuningError>) {
    let [sm, mem] = believed(row, catalogued);
    let [sm_refused, mem_refused] = stock.refused_clocks([sm, mem]);
    let usable = [sm.filter(|_| sm_refused.is_none()), mem.filter(|_| mem_refused.is_none())];
    let mut refused: Vec<TuningError> = [sm_refused, mem_refused].into_iter().flatten().collect();
    let is_same_limit = limit == catalogued.power_limit.value;
    if is_same_limit && are_near(usable, catalogued, SAME_CLOCK) {
        return (None, refused);
    }
    let ([sm_clock, mem_clock], now) = (usable, catalogued.clocks());
    let tuning = Tuning {
        sm_clock: sm_clock.or(Some(now.sm)),
        mem_clock: mem_clock.or(Some(now.mem)),
        power_limit: Some(limit),
    };
    match stock.tuned(tuning) {
        Ok(gpu) => (Some(gpu), refused),
        Err(why) => {
            refused.push(why);
            (None, refused)
        }
    }
}

/// The power limit that the time of a source's row was taken at.
fn limit_of_row(stock: &Gpu, catalogued: &Gpu, row: &Measurement) -> Watts {
    if row.is_typed() {
        return catalogued.power_limit.value;
    }
    let own = stock.power_limit.value;
    lower_limit(row, stock, own).unwrap_or(own)
}

/// How far apart two power limits may be and be the same one, written with other digits.
const SAME_LIMIT: f64 = 1e-3;

/// The power limit that a row states, where it is below that of its board. A row of a MIG slice states that of the whole board.
fn lower_limit(row: &Measurement, gpu: &Gpu, board: Watts) -> Option<Watts> {
    stated_limit(row).filter(|limit| gpu.derived.is_none() && limit.0 < board.0 * (1.0 - SAME_LIMIT))
}

/// Whether this GPU has the power limit that this row states; true where it states none below that of the board.
#[must_use]
pub fn is_at_stated_limit(row: &Measurement, gpu: &Gpu) -> bool {
    let now = gpu.power_limit.value;
    let stated = lower_limit(row, gpu, gpu.lowered_from().unwrap_or(now));
    stated.is_none_or(|limit| (limit.0 / now.0 - 1.0).abs() <= SAME_LIMIT)
}

/// The power limit that a row states, as `roofswap measure` writes it.
fn stated_limit(row: &Measurement) -> Option<Watts> {
    let (_, text) = row.attributes().iter().find(|(name, _)| &**name == POWER_LIMIT_COLUMN)?;
    text.parse().ok().filter(|watts: &f64| watts.is_finite() && *watts > 0.0).map(Watts)
}

/// A board at its stock settings runs this near the clocks its documents state, as it warms up.
const NEAR: f64 = 0.05;

/// Whether this row states a clock.
#[must_use]
pub fn states_clocks(row: &Measurement) -> bool {
    stated_clocks(row).iter().any(Option::is_some)
}

/// Whether every clock that this row states is one that this GPU may run at by itself, or one that no such board can be set to, as rows of
/// the source are read; false where it states none.
#[must_use]
pub fn is_near(row: &Measurement, gpu: &Gpu) -> bool {
    let clocks = believed(row, gpu);
    let refused = gpu.refused_clocks(clocks);
    let [sm, mem] = clocks;
    let usable = [sm.filter(|_| refused[0].is_none()), mem.filter(|_| refused[1].is_none())];
    states_clocks(row) && are_near(usable, gpu, NEAR)
}

/// How long a profiler must have looked for its cycles over its time to be a clock: on an H200 at 1980 MHz launches of 3 to 25 µs gave
/// 1737 to 2141 MHz, those of 250 µs and more 1976 to 1984.
const CLOCKED_S: f64 = 50e-6;

/// How far a profiler's clock of a shorter launch may be from the GPU's and be it all the same.
const SHORT_SCATTER: f64 = 0.15;

/// The clocks that a row states, those of this GPU in the place of what a profiler made of a short launch.
fn believed(row: &Measurement, gpu: &Gpu) -> [Option<Hertz>; 2] {
    let [sm, mem] = stated_clocks(row);
    let now = gpu.clocks();
    let is_short = row.caches_flushed() && row.time.0 < CLOCKED_S;
    let scatters = |clock: Hertz| is_short && (clock / now.sm - 1.0).abs() < SHORT_SCATTER;
    [sm.map(|clock| if scatters(clock) { now.sm } else { clock }), mem]
}

/// SM and memory clock of a row, where it states them.
#[must_use]
pub fn stated_clocks(row: &Measurement) -> [Option<Hertz>; 2] {
    [Number::SmClock, Number::MemClock]
        .map(|column| row.number(column).filter(|mhz| *mhz > 0.0).map(Hertz::from_mega))
}

/// Whether every clock that this row states is that of this GPU; false where it states none.
#[must_use]
pub fn is_at(row: &Measurement, gpu: &Gpu) -> bool {
    is_within(row, gpu, SAME_CLOCK)
}

/// Whether this row was timed at the very clocks that this GPU is set to; false where it states none.
#[must_use]
pub fn is_timed_at(row: &Measurement, gpu: &Gpu) -> bool {
    let ([sm, mem], now) = (believed(row, gpu), gpu.clocks());
    let is_same = |stated: Option<Hertz>, now: Hertz| stated.is_none_or(|s| s.is_same_clock(now));
    states_clocks(row) && is_same(sm, now.sm) && is_same(mem, now.mem)
}

/// Whether two rows of this GPU were timed at the same clocks: what a profiler makes of a short launch is no other clock.
#[must_use]
pub fn are_at_same_clocks(a: &Measurement, b: &Measurement, gpu: &Gpu) -> bool {
    let is_same = |(a, b): (Option<Hertz>, Option<Hertz>)| match (a, b) {
        (Some(a), Some(b)) => (a / b - 1.0).abs() <= SAME_CLOCK,
        (a, b) => a == b,
    };
    believed(a, gpu).into_iter().zip(believed(b, gpu)).all(is_same)
}

/// How far the clocks that this row states are from those of this GPU: the sum of |ln| of both; 0 where it states none.
#[must_use]
pub fn clock_distance(row: &Measurement, gpu: &Gpu) -> f64 {
    let (stated, now) = (believed(row, gpu), gpu.clocks());
    let apart =
        |(stated, now): (Option<Hertz>, Hertz)| stated.map_or(0.0, |stated| (stated / now).ln().abs());
    stated.into_iter().zip([now.sm, now.mem]).map(apart).sum()
}

fn is_within(row: &Measurement, gpu: &Gpu, share: f64) -> bool {
    states_clocks(row) && are_near(believed(row, gpu), gpu, share)
}

/// Whether those of these clocks that are known are this near the GPU's.
fn are_near([sm, mem]: [Option<Hertz>; 2], gpu: &Gpu, share: f64) -> bool {
    let now = gpu.clocks();
    let same = |stated: Option<Hertz>, now: Hertz| stated.is_none_or(|s| (s / now - 1.0).abs() <= share);
    same(sm, now.sm) && same(mem, now.mem)
}

/// `titan-v at SM clock 1200 MHz instead of 1455 MHz, power limit 150 W instead of 250 W`.
#[must_use]
pub fn differences(gpu: &Gpu, from: &Gpu) -> Arc<str> {
    format!("{} at {}", gpu.board_id(), gpu.settings_beside(from)).into()
}

/// `titan-v (SM clock 1200 MHz instead of 1455 MHz)`: the same as the subject of a note, as of `titan-v@1200MHz`.
#[must_use]
pub fn gpu_with_differences(gpu: &Gpu, from: &Gpu) -> Arc<str> {
    format!("{} ({})", gpu.id, gpu.settings_beside(from)).into()
}
