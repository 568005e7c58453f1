//! An application on GPUs made of a base: a forecast for each of them.

use super::changed_times::{ChangedTimes, WhatIfTime};
use crate::application::{Application, ForecastSettings, TargetForecast, forecast};
use crate::gpu::{Gpu, GpuChanges, GpuId};
use crate::progress::Progress;
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
    on_base: Result<WhatIfTime, String>,
    /// Whether most of it is predicted on the base.
    rests_on_measurement: bool,
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
            rests_on_measurement: on_base.as_ref().is_ok_and(TargetForecast::rests_on_measurement),
            on_source: on_source.ok().map(|found| whatif_time(application, &found)),
            on_base: on_base.map(|found| whatif_time(application, &found)),
        }
    }

    fn forecast_with(&self, changes: &GpuChanges) -> Option<WhatIfTime> {
        let mut session = self.session.clone();
        session.set_edited_gpu(Some(EditedGpu { base: self.base, changes: changes.clone() })).ok()?;
        let place = session.edited_place();
        let found = forecast(&session, self.application, self.source, &[place], self.settings);
        let found = found.ok()?;
        Some(whatif_time(self.application, found.first()?))
    }
}

fn whatif_time(application: &Application, forecast: &TargetForecast) -> WhatIfTime {
    let range = forecast.time_range();
    let time = Some(range.value).filter(|time| *time > Seconds(0.0));
    let limit = forecast.largest_limit(application);
    WhatIfTime { time, interval: time.map(|_| [range.low, range.high]), limit }
}

impl<'a> ChangedTimes<'a> for ApplicationTimes<'a> {
    fn workload_name(&self) -> &str {
        &self.name
    }

    fn base(&self) -> &Gpu {
        &self.session.gpus[self.base]
    }

    fn base_name(&self) -> String {
        self.session.name_with_settings(self.base)
    }

    fn source_time(&self) -> Option<Seconds> {
        self.on_source.and_then(|found| found.time)
    }

    fn on_base(&self) -> WhatIfTime {
        self.on_base.as_ref().copied().unwrap_or(WhatIfTime::NONE)
    }

    fn refusal(&self) -> Option<String> {
        self.on_base.as_ref().err().cloned()
    }

    fn rests_on_measurement(&self) -> bool {
        self.rests_on_measurement
    }

    fn grid_steps(&self) -> usize {
        GRID
    }

    fn times_on(&mut self, made: &[Gpu]) -> Vec<WhatIfTime> {
        self.progress.expect(made.len().saturating_sub(self.announced));
        self.announced = self.announced.saturating_sub(made.len());
        let time = |gpu: &Gpu| {
            if self.progress.is_cancelled() {
                return WhatIfTime::NONE;
            }
            let changes = gpu.hypothetical.as_deref().map(|made| made.changes.clone()).unwrap_or_default();
            let found =
                if changes.is_empty() { self.on_base.clone().ok() } else { self.forecast_with(&changes) };
            self.progress.advance(1);
            found.unwrap_or(WhatIfTime::NONE)
        };
        made.iter().map(time).collect()
    }
}
