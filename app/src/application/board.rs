//! An application on a board: GPUs in order for the whole of it, with prices.

use super::forecast::TargetForecast;
use super::recorded::Application;
use crate::gpu::{Gpu, GpuId};
use crate::predict::SourceKind;
use crate::rank::{Board, PriceBook, RankOrder, RankedRow, mark_pareto};
use crate::report::shown::TimeKind;
use crate::session::Session;

/// How an application is ranked.
#[derive(Debug, Clone, Default)]
pub struct BoardSettings {
    /// Prices by the hour; empty where there are none.
    pub prices: PriceBook,
    /// What comes first.
    pub order: RankOrder,
    /// The day as `2026-11-21`, by which a price is old.
    pub today: Option<String>,
}

/// The forecasts in order, best first. Times are of the window; without a time line of all kernels.
#[must_use]
pub fn application_board(
    session: &Session,
    application: &Application,
    source: GpuId,
    forecasts: &[TargetForecast],
    settings: &BoardSettings,
) -> Board {
    let mut rows: Vec<RankedRow> =
        forecasts.iter().map(|f| ranked_row(session, application, f, settings)).collect();
    mark_pareto(&mut rows);
    settings.order.sort(&mut rows);
    let window = application.timeline.map(|l| l.window.seconds());
    Board {
        workload: crate::text::harmless_line(application.file_name()),
        source,
        source_name: session.gpus[source].short_name().to_string(),
        is_without_source: false,
        scaled_from: Vec::new(),
        source_time: Some(window.unwrap_or(application.groups_total())),
        source_refusal: None,
        source_mark: SourceKind::Measured.mark(),
        profiled: None,
        rows_at_other_clocks: 0,
        order: settings.order,
        has_prices: rows.iter().any(|row| row.price.is_some()),
        is_each_kernel: false,
        is_of_blocks: false,
        is_of_application: true,
        rows,
    }
}

/// Whether it fits this GPU; unknown where nothing was recorded that says how much it holds at once, unless one kernel touches more.
fn fits_memory(application: &Application, gpu: &Gpu) -> Option<bool> {
    let fits = application.least_memory()?.0 <= gpu.memory_size.value.0;
    (application.peak_memory.is_some() || !fits).then_some(fits)
}

fn ranked_row(
    session: &Session,
    application: &Application,
    forecast: &TargetForecast,
    BoardSettings { prices, today, .. }: &BoardSettings,
) -> RankedRow {
    let gpu = &session.gpus[forecast.target];
    let time = forecast.time_range();
    let price = prices.quote(&session.gpus, forecast.target).cloned();
    let of_price = price.as_ref().map_or_else(Vec::new, |price| price.cautions(today.as_deref()));
    RankedRow {
        gpu: forecast.target,
        gpu_id: session.id_with_settings(forecast.target),
        label: String::new(),
        name: session.name_with_settings(forecast.target),
        time: Some(time.value),
        low: Some(time.low),
        high: Some(time.high),
        speedup: Some(forecast.overall_speedup()),
        speedup_over_profile: None,
        limit: None,
        occupancy: None,
        fits_memory: fits_memory(application, gpu),
        board_power: None,
        energy: None,
        usd_per_million_runs: price.as_ref().map(|p| p.usd_per_million_runs(time.value)),
        price,
        launch_usd: gpu.list_usd.as_ref().map(|usd| usd.value),
        launch_year: gpu.launch_year,
        is_pareto: false,
        rests_on_measurement: forecast.kind.rests_on_measurement(),
        is_base_timed: true,
        is_measured: forecast.kind == TimeKind::Measured,
        is_hypothetical: gpu.is_hypothetical() || session.tuning(forecast.target).is_some(),
        cautions: forecast.cautions.iter().cloned().chain(of_price).collect(),
    }
}
