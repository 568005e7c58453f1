//! What `predict` answers, for programs: thirty columns. The table for people: [`super::prediction_overview`].

use super::cell::TableCell;
use super::shown;
use super::sources;
use super::table::TableColumn;
use crate::answer::Answer;
use crate::catalogue::Catalogue;
use crate::gpu::{Gpu, GpuId};
use crate::kernel::{Kernel, Problem};
use crate::occupancy::Occupancy;
use crate::pair::Pair;
use crate::predict::{MODELS, Subject};
use crate::roofline::Bound;
use crate::text::gpus_in_words;
use crate::units::{Hertz, Seconds};

/// What stands in the place of a source that nobody named.
const NO_SOURCE: &str = "no source";

/// One answer with the names of what it is about.
#[derive(Debug, Clone)]
pub struct Comparison<'a> {
    /// Where it was timed.
    pub source: &'a Gpu,
    /// Its id, with the settings that were typed for it.
    pub source_id: String,
    /// Where it might run.
    pub target: &'a Gpu,
    /// The kernel.
    pub kernel: &'a Kernel,
    /// The sizes, complete.
    pub problem: &'a Problem,
    /// The code variant; empty of a kernel without variants.
    pub variant: &'a str,
    /// The answer.
    pub answer: &'a Answer,
    /// Its share of the combined answer below it, 0 to 1; `None` where it stands alone.
    pub share: Option<f64>,
    /// The ids of a combined answer's sources, the heaviest first.
    pub several: Vec<String>,
}

impl<'a> Comparison<'a> {
    /// Looks up what the answer's positions stand for.
    #[must_use]
    pub fn new(
        gpus: &'a Catalogue<Gpu>,
        kernels: &'a Catalogue<Kernel>,
        subject: &'a Subject,
        answer: &'a Answer,
    ) -> Self {
        Self {
            source: &gpus[answer.source],
            source_id: gpus[answer.source].id.clone(),
            target: &gpus[answer.target],
            kernel: &kernels[subject.kernel],
            problem: &subject.problem,
            variant: &subject.variant,
            answer,
            share: None,
            several: sources::ids(answer, |gpu| gpus[gpu].id.clone()),
        }
    }

    /// The same with these ids of its sources: those of a session whose GPUs have settings.
    #[must_use]
    pub fn with_source_ids(self, id_of: impl Fn(GpuId) -> String) -> Self {
        let (source_id, several) = (id_of(self.answer.source), sources::ids(self.answer, id_of));
        Self { source_id, several, ..self }
    }

    /// The source, or the sources of a combined answer, the heaviest first: `titan-v+rtx-2080-ti`; `None` where the question names none.
    #[must_use]
    pub fn from(&self) -> Option<String> {
        let named = || match self.answer.combined {
            Some(_) => self.several.join("+"),
            None => self.source_id.clone(),
        };
        (!self.answer.is_without_source).then(named)
    }

    /// The same on screen: of a question that names none, the GPUs whose measured times are scaled, beyond three how many; `no source` where
    /// there are none.
    pub(super) fn start_words(&self) -> String {
        let scaled = || match &self.several[..] {
            [] => NO_SOURCE.to_string(),
            several => gpus_in_words(several),
        };
        self.from().unwrap_or_else(scaled)
    }

    /// The model's id.
    #[must_use]
    pub fn model(&self) -> &'static str {
        MODELS[self.answer.settings.model].id()
    }

    /// Kernel, size and variant: `matvec n=8192 timing=batch`.
    pub(super) fn configuration(&self) -> String {
        let (kernel, size) = (self.kernel.label(), self.kernel.short_problem(self.problem));
        if self.variant.is_empty() {
            return format!("{kernel} {size}").trim_end().to_string();
        }
        format!("{kernel} {size} {}", self.variant)
    }

    /// What the reader must know, the refusal first where there is one.
    #[must_use]
    pub fn caution_texts(&self) -> Vec<String> {
        let is_without_source = self.answer.is_without_source;
        let useless =
            self.answer.interval.and_then(|i| shown::useless_interval(i.low, i.high, is_without_source));
        useless.into_iter().chain(shown::caution_texts(self.answer, &self.kernel.cautions)).collect()
    }

    /// The first five cells of every table for programs: GPUs, kernel, problem, model.
    pub(super) fn identity(&self) -> [TableCell; 5] {
        [
            TableCell::maybe(self.from(), TableCell::text),
            TableCell::text(&self.target.id),
            TableCell::text(&self.kernel.id),
            TableCell::text(self.problem.to_string()),
            TableCell::text(self.model()),
        ]
    }

    /// The last cell of every table for programs.
    pub(super) fn variant_cell(&self) -> TableCell {
        TableCell::text(self.variant)
    }

    /// One record for programs, in the order of [`COLUMNS`].
    fn record_cells(&self) -> Vec<TableCell> {
        let a = self.answer;
        let prediction = a.prediction.as_ref().ok();
        let levels = prediction.and_then(|p| p.levels.as_ref());
        // Several sources have no one time.
        let alone = a.has_one_source();
        let ms = |time: Option<Seconds>| TableCell::maybe(time.map(shown::millis), TableCell::number);
        let bound = |b: Option<Bound>| TableCell::maybe(b, |b| TableCell::text(b.as_str()));
        let occupancy = |o: &Option<Occupancy>| TableCell::maybe(o.map(|o| o.fraction()), TableCell::number);
        let mut cells = Vec::from(self.identity());
        cells.extend([
            ms(a.source_time.as_ref().filter(|_| alone).map(|t| t.time)),
            TableCell::maybe(a.source_time.as_ref().filter(|_| alone), |t| TableCell::text(t.kind.as_str())),
            ms(prediction.map(|p| p.time)),
            ms(a.interval.map(|i| i.low)),
            ms(a.interval.map(|i| i.high)),
            TableCell::maybe(a.speedup().filter(|_| alone), TableCell::number),
            bound(prediction.filter(|_| alone).and_then(|p| p.bound_source)),
            bound(prediction.and_then(|p| p.bound_target)),
            occupancy(&a.occupancy.source.filter(|_| !a.is_without_source)),
            occupancy(&a.occupancy.target),
            TableCell::maybe(prediction.and_then(|p| p.efficiency), TableCell::number),
            ms(a.measured.map(|m| m.time)),
            TableCell::maybe(a.error_percent(), TableCell::number),
            TableCell::List(self.caution_texts()),
            ms(levels.map(|l| l.low)),
            ms(levels.map(|l| l.high)),
        ]);
        for at_source_and_target in self.clocks().chunks(2) {
            let source = at_source_and_target.first().filter(|_| !a.is_without_source);
            cells.push(TableCell::maybe(source.copied(), TableCell::number));
            cells.extend(at_source_and_target.get(1).copied().map(TableCell::number));
        }
        cells.push(TableCell::maybe(a.speedup_over_profile().filter(|_| alone), TableCell::number));
        let kind =
            |_| TableCell::text(shown::TimeKind::new(a.is_of_measurement(), !a.is_estimate()).as_str());
        cells.push(TableCell::maybe(prediction, kind));
        cells
    }

    /// SM clock, memory clock and power limit that both sides were modelled at: source, target; MHz, MHz, W.
    fn clocks(&self) -> [f64; 6] {
        let Pair { source, target } = self.answer.clocks;
        let megahertz = |clock: Hertz| (clock.0 / 1e3).round() / 1e3;
        let ([a, b], [c, d]) =
            ([source.sm, target.sm].map(megahertz), [source.mem, target.mem].map(megahertz));
        [a, b, c, d, source.power_limit.0, target.power_limit.0]
    }
}

/// What tells apart the variants of one kernel at one size: behind all other columns, which keep their places.
pub(super) const VARIANT: TableColumn = TableColumn::left("variant");

/// The columns of the records but the last: the contract of `predict --format json` and `--format csv`.
pub(super) const COLUMNS: [TableColumn; 29] = [
    TableColumn::left("gpu_source"),
    TableColumn::left("gpu_target"),
    TableColumn::left("kernel"),
    TableColumn::left("problem"),
    TableColumn::left("model"),
    TableColumn::right("source_time_ms"),
    TableColumn::left("source_kind"),
    TableColumn::right("time_ms"),
    TableColumn::right("low_ms"),
    TableColumn::right("high_ms"),
    TableColumn::right("speedup"),
    TableColumn::left("bound_source"),
    TableColumn::left("bound_target"),
    TableColumn::right("occupancy_source"),
    TableColumn::right("occupancy_target"),
    TableColumn::right("efficiency"),
    TableColumn::right("measured_ms"),
    TableColumn::right("error_percent"),
    TableColumn::left("cautions"),
    // Of the model itself, one time per memory level; low_ms and high_ms are of coverage.
    TableColumn::right("levels_low_ms"),
    TableColumn::right("levels_high_ms"),
    TableColumn::right("sm_clock_mhz_source"),
    TableColumn::right("sm_clock_mhz_target"),
    TableColumn::right("mem_clock_mhz_source"),
    TableColumn::right("mem_clock_mhz_target"),
    TableColumn::right("power_limit_w_source"),
    TableColumn::right("power_limit_w_target"),
    // Against the time as it was measured, where that was at other clocks than `speedup` compares.
    TableColumn::right("speedup_over_profile"),
    TableColumn::left("time_kind"),
];

/// The columns of the records; where several sources are asked for any of them, those of their shares too.
#[must_use]
pub fn record_columns(several: bool) -> Vec<TableColumn> {
    let further = if several { &sources::COLUMNS[..] } else { &[] };
    COLUMNS.iter().chain(further).copied().chain([VARIANT]).collect()
}

/// A record in the order of [`record_columns`].
#[must_use]
pub fn record_cells(row: &Comparison<'_>, several: bool) -> Vec<TableCell> {
    let mut cells = row.record_cells();
    if several {
        cells.extend(sources::cells(row));
    }
    cells.push(row.variant_cell());
    cells
}
