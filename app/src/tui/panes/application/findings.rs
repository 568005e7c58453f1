//! What the Application view knows: the program that was read, and what becomes of it on the targets.

use crate::application::{
    Application, ForecastSettings, PartOfTrace, ProfileNext, TargetForecast, unlisted_gpu,
};
use crate::catalogue::Catalogue;
use crate::gpu::{Gpu, GpuId, Tuning};
use crate::session::{EditedGpu, Revision};
use crate::text::harmless_line;
use crate::units::significant;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What the groups are sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GroupSort {
    /// Part of the recorded time: the order in which they are read.
    #[default]
    Share,
    /// Name.
    Kernel,
    /// Launches.
    Calls,
    /// Mean time of a launch.
    Mean,
    /// Time of a launch on the first target.
    OnTarget,
    /// Speedup there.
    Speedup,
}

impl GroupSort {
    /// All, in the order of the key.
    pub const ALL: [Self; 6] =
        [Self::Share, Self::Kernel, Self::Calls, Self::Mean, Self::OnTarget, Self::Speedup];

    /// The word in the pane's title.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Share => "share",
            Self::Kernel => "name",
            Self::Calls => "calls",
            Self::Mean => "mean time",
            Self::OnTarget => "time on the target",
            Self::Speedup => "speedup",
        }
    }
}

/// The program, and its forecasts.
#[derive(Debug, Clone, Default)]
pub struct ApplicationFindings {
    /// What was read.
    pub application: Option<Arc<Application>>,
    /// Which part of its file it is.
    pub part: PartOfTrace,
    /// How it is carried to other GPUs.
    pub settings: ForecastSettings,
    /// The GPU that it ran on: the one of `--from`, else the one its file names, else the one that was chosen; none until then.
    pub source: Option<GpuId>,
    /// What becomes of it on its own GPU and on the targets, or why there is no forecast.
    pub forecasts: Option<Result<Arc<Vec<TargetForecast>>, String>>,
    /// What to profile next, to narrow the total of kernels on the first target.
    pub next: Vec<ProfileNext>,
    /// The group under the cursor.
    pub cursor: usize,
    /// Filter of the groups.
    pub filter: String,
    /// Order of the groups, and whether it is reversed.
    pub sort: (GroupSort, bool),
    /// The groups that are shown, filtered and sorted.
    pub(super) shown: Vec<usize>,
    /// The files of every trace that was read: commands other than `app` do not take them.
    pub(in crate::tui) traces: BTreeSet<String>,
    /// Operator and shapes, else the launch, of groups that were opened in the Swap view, by the kernels of their rows.
    pub(in crate::tui) group_words: BTreeMap<String, String>,
    /// What is said of the part that is being read, once it is there.
    pub(super) said_once_read: Option<(PartOfTrace, String)>,
    /// What the worker was asked.
    pub(super) asked: Option<ForecastQuestion>,
}

impl ApplicationFindings {
    /// Whether anything can be said of it on other GPUs: of kernels of AMD, why there is nothing. One whose GPU nobody knows
    /// waits for it.
    #[must_use]
    pub fn can_be_asked(&self) -> bool {
        self.application.as_ref().is_some_and(|read| self.source.is_some() || read.is_amd())
    }
}

impl ApplicationFindings {
    /// `GPU 1`, `range step`, `host 1.30×`: which part of the trace it is, and how it is carried to other GPUs; nothing of one that is
    /// taken as it was recorded.
    pub(in crate::tui) fn part_words(&self) -> Vec<String> {
        let Some(application) = &self.application else { return Vec::new() };
        let host = self.settings.host;
        let is_scaled = host != ForecastSettings::default().host;
        let words = [
            (application.devices.len() > 1).then(|| format!("GPU {}", application.device_index)),
            application.range.as_ref().map(|range| harmless_line(&format!("range {range}"))),
            is_scaled.then(|| format!("host {}×", significant(host))),
        ];
        words.into_iter().flatten().collect()
    }

    /// The forecast on the first target that is not the program's own GPU.
    pub(super) fn first_target(&self) -> Option<&TargetForecast> {
        self.forecasts.as_ref()?.as_ref().ok()?.get(1)
    }

    /// Why none of its kernels is predicted, whatever is chosen: they ran on a GPU that no model covers.
    pub(super) fn refusal(&self) -> Option<String> {
        let application = self.application.as_ref().filter(|read| read.is_amd())?;
        let gpu = harmless_line(&application.gpu_name);
        Some(format!("kernels of {gpu} are listed; no model covers them"))
    }

    /// The program that is shown ran on this GPU.
    pub(in crate::tui) fn take_gpu(&mut self, gpu: GpuId) {
        (self.source, self.forecasts) = (Some(gpu), None);
    }
}

/// That nothing is predicted of a program before its GPU is known.
pub(in crate::tui) fn no_gpu_text(gpus: &Catalogue<Gpu>, application: &Application) -> String {
    let file = harmless_line(application.file_name());
    match harmless_line(&application.gpu_name).as_str() {
        "" => format!("{file} names no GPU: Enter in view 4 chooses the one it ran on"),
        name => format!("{file} ran on {}: Enter in view 4 chooses a GPU", unlisted_gpu(gpus, name)),
    }
}

/// What forecasts depend on.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ForecastQuestion {
    pub(super) revision: Revision,
    pub(super) source: GpuId,
    pub(super) targets: Vec<GpuId>,
    pub(super) settings: ForecastSettings,
    pub(super) tunings: BTreeMap<GpuId, Tuning>,
    pub(super) edited: Option<EditedGpu>,
}
