//! The predictions chart: one row per kernel, the time on the source above the predicted (and measured) time on the
//! target.

use super::caption;
use super::scale::{round_down, round_up};
use super::{Axis, ChartSpec, Mark, Meaning, Scale, Shape};
use crate::answer::Answer;
use crate::gpu::Gpu;
use crate::pair::{Pair, Side};
use crate::text::marked_estimate;
use crate::units::{Hertz, Seconds, deviation, significant};

/// How far source and target stand from the middle of their row, in rows.
const LANE: f64 = 0.22;
/// Times outside of these are a slip of units.
const SANE: (f64, f64) = (1e-10, 1e7);

/// One row: a kernel at one size.
#[derive(Debug, Clone, PartialEq)]
pub struct PredictionRow {
    /// Kernel and size.
    pub label: String,
    /// The time on the source, and whether it was timed or estimated.
    pub source: Option<(Seconds, Shape)>,
    /// The SM clock that time was measured at and the name of those that the source is set to, where the two differ: the speedup is over
    /// the time at the latter.
    pub clocks: Option<(Hertz, &'static str)>,
    /// The predicted time with its interval, or why there is none.
    pub predicted: Result<(Seconds, Option<(Seconds, Seconds)>), String>,
    /// Whether that interval spans the model's own times at the memory levels (paper 2, figures 4 to 9): none of coverage.
    pub spans_levels: bool,
    /// The predicted speedup, at the clocks both GPUs are set to.
    pub speedup: Option<f64>,
    /// Whether the prediction rests on an estimate.
    pub estimate: bool,
    /// The time measured on the target.
    pub measured: Option<Seconds>,
}

impl PredictionRow {
    /// The row of an answer.
    #[must_use]
    pub fn new(label: String, answer: &Answer) -> Self {
        let levels = answer.prediction.as_ref().ok().and_then(|p| p.levels.as_ref());
        let own = answer.interval.map(|i| (i.low, i.high));
        let interval = levels.map(|l| (l.low, l.high)).or(own);
        Self {
            spans_levels: levels.is_some(),
            label,
            source: answer
                .source_time
                .as_ref()
                .filter(|_| !answer.is_without_source)
                .map(|t| (t.time, Shape::of_source_time(t))),
            clocks: answer
                .profiled
                .as_ref()
                .filter(|p| p.stock_time.is_some())
                .map(|p| (p.gpu.clocks().sm, p.clocks_name())),
            predicted: answer.prediction.as_ref().map(|p| (p.time, interval)).map_err(ToString::to_string),
            speedup: answer.speedup(),
            estimate: answer.is_estimate(),
            measured: answer.measured.map(|m| m.time),
        }
    }

    fn times(&self) -> impl Iterator<Item = Seconds> {
        let predicted = self.predicted.as_ref().ok();
        let ends = predicted.and_then(|p| p.1).into_iter().flat_map(|(a, b)| [a, b]);
        self.source.map(|s| s.0).into_iter().chain(predicted.map(|p| p.0)).chain(self.measured).chain(ends)
    }
}

/// Draws one row per kernel, in the order given.
#[must_use]
pub fn predictions_chart(rows: &[PredictionRow], gpus: Pair<&Gpu>, subtitle: &str) -> ChartSpec {
    let mut notes = Vec::new();
    let mut marks = Vec::new();
    for (slot, row) in rows.iter().enumerate() {
        row_marks(row, slot as f64, gpus, &mut marks);
        if let Err(reason) = &row.predicted {
            notes.push(format!("{}: {reason}", row.label.trim()));
        }
        if row.times().any(|t| !is_sane(t)) {
            notes.push(format!("{}: a time is out of range and not drawn", row.label.trim()));
        }
    }
    let times = || rows.iter().flat_map(PredictionRow::times).filter(|t| is_sane(*t)).map(|t| t.0);
    let low = times().fold(f64::INFINITY, f64::min);
    let high = times().fold(0.0, f64::max);
    // Air on both sides for the texts beside the points.
    let (min, max) = if low <= high { (low / 1.8, high * 1.8) } else { (1e-6, 1e-3) };
    let min = round_down(min);
    for (slot, _) in rows.iter().enumerate().filter(|(_, r)| r.predicted.is_err()) {
        let text = "no prediction: see the notes".to_string();
        marks.push(Mark::Label { meaning: Meaning::Dim, at: (min, slot as f64 + LANE), text });
    }
    let is_compared = gpus.source.id != gpus.target.id || rows.iter().any(|r| r.source.is_some());
    if !is_compared {
        // No speedup is shown.
    } else if rows.iter().any(|r| r.measured.is_some() && r.predicted.is_ok()) {
        notes.push("×: predicted speedup over the source; %: predicted over measured time, minus one".into());
    } else if rows.iter().any(|r| r.predicted.is_ok()) {
        notes.push("×: predicted speedup over the source".into());
    }
    if let Some((_, name)) = rows.iter().filter(|r| r.predicted.is_ok()).find_map(|r| r.clocks) {
        notes.push(format!(
            "the source's times are drawn at the profiled clocks; the speedup is over those at {name}"
        ));
    }
    if rows.iter().any(|r| r.spans_levels) {
        notes.push("bar: from the shortest to the longest of the model's own times at DRAM, L2 and L1; no interval of coverage".into());
    }
    ChartSpec {
        title: match is_compared {
            true => format!("Predicted times: {} → {}", gpus.source.short_name(), gpus.target.short_name()),
            false => format!("Predicted times on {}", gpus.target.short_name()),
        },
        subtitle: subtitle.to_string(),
        x: Axis { label: "time per launch, s".into(), scale: Scale::Log { min, max: round_up(max) } },
        y: Axis {
            label: String::new(),
            scale: Scale::Category(rows.iter().map(|r| r.label.clone()).collect()),
        },
        marks,
        notes,
    }
}

fn is_sane(time: Seconds) -> bool {
    time.0 >= SANE.0 && time.0 <= SANE.1 // false for NaN
}

/// The points of one row; the names make one legend entry per kind.
fn row_marks(row: &PredictionRow, slot: f64, gpus: Pair<&Gpu>, marks: &mut Vec<Mark>) {
    let Pair { source, target } = gpus.map(|g| g.short_name());
    let predicted = row.predicted.as_ref().ok().filter(|p| is_sane(p.0));
    let mut push = |name: String, side, shape, time: Seconds, interval, label| {
        let lane = if side == Side::Source { -LANE } else { LANE };
        let meaning = Meaning::side_colour(side);
        marks.push(Mark::Point { name, meaning, shape, at: (time.0, slot + lane), interval, label });
    };
    if let Some((time, shape)) = row.source.filter(|s| is_sane(s.0)) {
        let how = caption::source_words(shape);
        let at = row.clocks.map_or(String::new(), |(sm, _)| format!(" at SM {:.0} MHz", sm.0 / 1e6));
        let label = format!("{}{at}", marked_estimate(time, shape != Shape::Estimated));
        push(format!("{source}: {how}"), Side::Source, shape, time, None, label);
    }
    if let Some((time, interval)) = predicted {
        let speedup = row.speedup.map_or(String::new(), |s| {
            let at = row.clocks.map_or(String::new(), |(_, name)| format!(" at {name}"));
            format!(" ({}{at})", marked_estimate(format!("{}×", significant(s)), !row.estimate))
        });
        let shape = if row.estimate { Shape::Estimated } else { Shape::Predicted };
        let word = caption::predicted_word(row.estimate);
        let bar = match interval {
            None => String::new(),
            Some(_) if row.spans_levels => ", bar: DRAM, L2, L1".into(),
            Some(_) => format!(", bar: {}", caption::coverage()),
        };
        let ends = interval.filter(|(a, b)| is_sane(*a) && is_sane(*b)).map(|(a, b)| (a.0, b.0));
        push(
            format!("{target}: {word}{bar}"),
            Side::Target,
            shape,
            *time,
            ends,
            format!("{}{speedup}", marked_estimate(time, !row.estimate)),
        );
    }
    if let Some(time) = row.measured.filter(|t| is_sane(*t)) {
        let error =
            predicted.map_or(String::new(), |p| format!(", {}", deviation(100.0 * (p.0 / time - 1.0))));
        push(
            format!("{target}: measured"),
            Side::Target,
            Shape::Measured,
            time,
            None,
            format!("measured {time}{error}"),
        );
    }
}
