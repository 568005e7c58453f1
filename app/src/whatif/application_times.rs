//! An application on GPUs made of a base: a forecast for each of them.

use super::changed_times::{ChangedTimes, NotedTime, WhatIfTime};
use crate::application::{Application, ForecastSettings, TargetForecast, forecast};
use crate::gpu::{Gpu, GpuChanges, GpuId, Tuning};
use crate::progress::Progress;
use crate::report::shown::TimeKind;
use crate::session::{EditedGpu, Session};
use crate::units::Seconds;

/// How many values of each number a grid has: a forecast costs a hundred times a kernel's time.
const GRID: usize = 7;

/// An application on a base and on GPUs made of it.
pub struct ApplicationTimes<'a> {
    session: &'a Session,
    application: &'a Application,
    /// The name of its file, harmless.
    name: String,
    /// Where it ran, and what is changed.
    source: GpuId,
    base: GpuId,
    settings: ForecastSettings,
    progress: &'a Progress,
    /// Forecasts that the progress knows of and that were not made yet.
    announced: usize,
    on_source: Option<WhatIfTime>,
    on_base: Result<NotedTime, String>,
}

/// What an application is asked for.
pub struct ApplicationPair<'a> {
    /// What is loaded.
    pub session: &'a Session,
    /// The application.
    pub application: &'a Application,
    /// Where it ran.
    pub source: GpuId,
    /// What is changed.
    pub base: GpuId,
    /// How the host is taken.
    pub settings: ForecastSettings,
}

impl<'a> ApplicationTimes<'a> {
    /// Ready to be asked for so many forecasts: those on source and base are made.
    #[must_use]
    pub fn new(pair: &ApplicationPair<'a>, progress: &'a Progress, announced: usize) -> Self {
        let ApplicationPair { session, application, source, base, settings } = *pair;
        progress.expect(2 + announced);
        let on = |target: GpuId| {
            let found = forecast(session, application, source, &[target], settings);
            progress.advance(1);
            found.and_then(|all| all.into_iter().next().ok_or("nothing of it is known".into()))
        };
        let name = crate::text::harmless_line(application.file_name());
        let [on_source, on_base] = [source, base].map(on);
        Self {
            session,
            application,
            name,
            source,
            base,
            settings,
            progress,
            announced,
            on_source: on_source.ok().map(|found| noted_time(application, found).time),
            on_base: on_base.map(|found| noted_time(application, found)),
        }
    }

    fn forecast_with(&self, changes: &GpuChanges) -> Option<NotedTime> {
        let mut session = self.session.clone();
        session.set_edited_gpu(Some(EditedGpu { base: self.base, changes: changes.clone() })).ok()?;
        self.forecast_in(&session, session.edited_place())
    }

    /// A run on the base as its documents state it, whatever was typed for it.
    fn forecast_at_stock(&self) -> Option<NotedTime> {
        let mut session = self.session.clone();
        session.tune(self.base, Tuning::default()).ok()?;
        self.forecast_in(&session, self.base)
    }

    fn forecast_in(&self, session: &Session, target: GpuId) -> Option<NotedTime> {
        let found = forecast(session, self.application, self.source, &[target], self.settings);
        Some(noted_time(self.application, found.ok()?.pop()?))
    }

    /// A run on this GPU, made of the base or the base as its documents state it; nothing once somebody cancelled.
    fn time_on(&self, made: &Gpu) -> Option<NotedTime> {
        if self.progress.is_cancelled() {
            return None;
        }
        let changes = made.hypothetical.as_deref().map(|made| made.changes.clone()).unwrap_or_default();
        let is_base = || made.clocks().is_same_setting(&self.base().clocks());
        let found = match changes.is_empty() {
            false => self.forecast_with(&changes),
            true if is_base() => self.on_base.clone().ok(),
            true => self.forecast_at_stock(),
        };
        self.progress.advance(1);
        found
    }

    /// Tells the progress of so many forecasts, as far as it does not know of them.
    fn announce(&mut self, forecasts: usize) {
        self.progress.expect(forecasts.saturating_sub(self.announced));
        self.announced = self.announced.saturating_sub(forecasts);
    }
}

fn noted_time(application: &Application, forecast: TargetForecast) -> NotedTime {
    let range = forecast.time_range();
    let time = Some(range.value).filter(|time| *time > Seconds(0.0));
    let limit = forecast.largest_limit(application);
    let time = WhatIfTime { time, interval: time.map(|_| [range.low, range.high]), limit };
    // Of an application nobody says what it draws: the host's share of the window draws next to nothing.
    NotedTime { time, kind: forecast.kind, power: None, refusal: None, cautions: forecast.cautions }
}

impl<'a> ChangedTimes<'a> for ApplicationTimes<'a> {
    fn workload_name(&self) -> &str {
        &self.name
    }

    fn base(&self) -> &Gpu {
        &self.session.gpus[self.base]
    }

    fn base_id(&self) -> String {
        self.session.id_with_settings(self.base)
    }

    fn base_name(&self) -> String {
        self.session.name_with_settings(self.base)
    }

    fn source_time(&self) -> Option<Seconds> {
        self.on_source.and_then(|found| found.time)
    }

    fn on_base(&self) -> WhatIfTime {
        self.on_base.as_ref().map_or(WhatIfTime::NONE, |found| found.time)
    }

    fn noted_time_on_base(&self) -> NotedTime {
        self.on_base.clone().unwrap_or_else(|why| NotedTime {
            time: WhatIfTime::NONE,
            kind: TimeKind::Modelled,
            power: None,
            cautions: vec![why.clone()],
            refusal: Some(why),
        })
    }

    fn noted_time_on(&mut self, made: &Gpu) -> NotedTime {
        self.announce(1);
        let without_time = || NotedTime { time: WhatIfTime::NONE, power: None, ..self.noted_time_on_base() };
        self.time_on(made).unwrap_or_else(without_time)
    }

    fn rests_on_measurement(&self) -> bool {
        self.on_base.as_ref().is_ok_and(|found| found.kind.rests_on_measurement())
    }

    fn grid_steps(&self) -> usize {
        GRID
    }

    fn times_on(&mut self, made: &[Gpu]) -> Vec<WhatIfTime> {
        self.announce(made.len());
        made.iter().map(|gpu| self.time_on(gpu).map_or(WhatIfTime::NONE, |found| found.time)).collect()
    }
}
