//! An application, asked about changes of a GPU: a forecast for every number less and more, by the worker.

use super::findings::WhatIfFor;
use crate::application::{Application, ForecastSettings, TimeRange, forecast};
use crate::gpu::{GpuChanges, GpuId};
use crate::progress::{Cancelled, Progress};
use crate::session::{EditedGpu, Session};
use crate::units::Seconds;
use crate::whatif::{TornadoBar, WhatIfAnswer, moved_numbers, sort_by_effect};
use std::sync::Arc;

/// An application on the edited GPU, with its tornado.
#[derive(Debug, Clone)]
pub struct ApplicationQuestion {
    pub(super) session: Arc<Session>,
    pub(super) application: Arc<Application>,
    /// Where it ran.
    pub(super) source: GpuId,
    pub(super) settings: ForecastSettings,
    pub(super) asked: WhatIfFor,
}

/// The worker's answer to an [`ApplicationQuestion`].
#[derive(Debug, Clone)]
pub struct ApplicationAnswer {
    pub(super) asked: WhatIfFor,
    pub(super) found: Result<Arc<WhatIfAnswer>, String>,
}

/// Why there is no answer.
enum NoForecast {
    /// Nobody waits for it any more.
    Cancelled,
    /// What is wrong.
    Refused(String),
}

impl From<Cancelled> for NoForecast {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

impl ApplicationQuestion {
    /// The time with its tornado, or why there is none; `None` once it is cancelled. Each forecast is a step.
    #[must_use]
    pub fn answer_application(&self, progress: &Progress) -> Option<ApplicationAnswer> {
        let found = match self.tornado_of_forecasts(progress) {
            Ok(answer) => Ok(Arc::new(answer)),
            Err(NoForecast::Refused(why)) => Err(why),
            Err(NoForecast::Cancelled) => return None,
        };
        Some(ApplicationAnswer { asked: self.asked.clone(), found })
    }

    fn tornado_of_forecasts(&self, progress: &Progress) -> Result<WhatIfAnswer, NoForecast> {
        let EditedGpu { base, changes } = &self.asked.edited;
        let base_gpu = &self.session.gpus[*base];
        let numbers = moved_numbers(base_gpu, changes);
        progress.expect(2 + 2 * numbers.len());
        let on_base = self.forecast_with(&GpuChanges::default(), progress)?;
        let now = if changes.is_empty() { on_base } else { self.forecast_with(changes, progress)? };
        let mut bars: Vec<TornadoBar> = Vec::with_capacity(numbers.len());
        for number in &numbers {
            let mut times = [None, None];
            for (time, moved) in times.iter_mut().zip(&number.moved) {
                *time = match self.forecast_with(moved, progress) {
                    Ok(range) => Some(range.value),
                    // No such GPU can be, or the application cannot run there.
                    Err(NoForecast::Refused(_)) => None,
                    Err(NoForecast::Cancelled) => return Err(NoForecast::Cancelled),
                };
            }
            bars.push(number.tornado_bar(Some(now.value), times));
        }
        sort_by_effect(&mut bars);
        Ok(WhatIfAnswer {
            workload: crate::text::harmless_line(self.application.file_name()),
            base: base_gpu.id.clone(),
            base_name: base_gpu.short_name().to_string(),
            changes: changes.clone(),
            launch_changes: Vec::new(),
            model: None,
            refusal: None,
            time: Some(now.value),
            interval: Some([now.low, now.high]),
            base_time: Some(on_base.value).filter(|time| *time > Seconds(0.0)),
            tornado: bars,
            solution: None,
            contour: None,
        })
    }

    /// The application on the base with these changes.
    fn forecast_with(&self, changes: &GpuChanges, progress: &Progress) -> Result<TimeRange, NoForecast> {
        progress.check_cancelled()?;
        let base = self.asked.edited.base;
        let mut session = (*self.session).clone();
        let target = if changes.is_empty() {
            base
        } else {
            let edited = EditedGpu { base, changes: changes.clone() };
            session.set_edited_gpu(Some(edited)).map_err(|e| NoForecast::Refused(e.to_string()))?;
            session.edited_place()
        };
        let found = forecast(&session, &self.application, self.source, &[target], self.settings);
        progress.advance(1);
        let found = found.map_err(NoForecast::Refused)?;
        found.first().map(|f| f.time_range()).ok_or(NoForecast::Cancelled)
    }
}
