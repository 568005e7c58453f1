//! The ranked rows: a workload on a list of GPUs.

use super::distinct::DistinctKernel;
use super::order::{RankOrder, mark_blocks, mark_pareto};
use super::part::{PartAnswer, PartQuery};
use super::prices::PriceBook;
use super::row::RankedRow;
use super::table_sums::{GpuSums, TableSums};
use super::totals::{RunTotals, SourceBase};
use crate::answer::{Answer, Settings};
use crate::cores;
use crate::gpu::GpuId;
use crate::predict::{LaunchNumber, SourceKind, Subject};
use crate::progress::{Cancelled, Progress};
use crate::report::shown::{self, TimeKind};
use crate::session::{Session, Sources};
use crate::text::gpus_in_words;
use crate::units::{Hertz, Seconds, significant};
use crate::workload::{RunAmount, Workload, WorkloadPart};

/// Kernels of a workload of which everything is said that holds for each: what is said of more of them nobody reads, and it takes longer than
/// the times.
const FEW_KERNELS: usize = 20;

/// So many kernels of a run are summed up together.
const PORTION: usize = 32;

/// What is ranked.
#[derive(Debug, Clone)]
pub struct RankQuestion<'a> {
    /// Everything that is loaded.
    pub session: &'a Session,
    /// What runs.
    pub workload: &'a Workload,
    /// Where it was timed, and what speedups are relative to.
    pub source: GpuId,
    /// Whose times the GPUs are predicted from: the source's, or those of several.
    pub sources: Sources,
    /// Whether the question names no source: each GPU is predicted by itself, and compared with nothing.
    pub is_without_source: bool,
    /// The GPUs to rank, each once.
    pub targets: Vec<GpuId>,
    /// The workload's one kernel in other variants or blocks: each is a row per GPU. Empty where GPUs alone are ranked.
    pub rows: Vec<RowSubject>,
    /// Whether each kernel of the workload is a row per GPU: all its launches in a run.
    pub each_kernel: bool,
    /// Model, roofs, occupancy rules.
    pub settings: Settings,
    /// Prices by the hour; empty where there are none.
    pub prices: PriceBook,
    /// The day as `2026-11-21`, by which a price is old.
    pub today: Option<String>,
    /// What comes first.
    pub order: RankOrder,
}

/// A variant or a block of the kernel as a row.
#[derive(Debug, Clone)]
pub struct RowSubject {
    /// `256 threads`, or the variant.
    pub label: String,
    /// The kernel so.
    pub subject: Subject,
}

/// The rows of a question, best first, and what they are relative to.
#[derive(Debug, Clone)]
pub struct Board {
    /// As titles show the workload.
    pub workload: String,
    /// The source.
    pub source: GpuId,
    /// Its short name.
    pub source_name: String,
    /// Whether the question named none.
    pub is_without_source: bool,
    /// The names of the GPUs whose measured times of the one kernel are scaled then.
    pub scaled_from: Vec<String>,
    /// Time of a run on the source, measured or modelled.
    pub source_time: Option<Seconds>,
    /// Why there is none.
    pub source_refusal: Option<String>,
    /// How it is known: measured, scaled from a measurement, modelled without one.
    pub source_mark: char,
    /// The time that was measured on the source, where its clocks were others than it is set to: of one kernel alone.
    pub profiled: Option<ProfiledSource>,
    /// Rows of a table that were measured at other clocks than their GPU is set to.
    pub rows_at_other_clocks: u64,
    /// What the rows are ordered by.
    pub order: RankOrder,
    /// Whether any row has a price by the hour.
    pub has_prices: bool,
    /// Whether the rows are kernels of the workload: parts of a run, those that take most first, and no choices.
    pub is_each_kernel: bool,
    /// Whether the rows are block sizes of a kernel.
    pub is_of_blocks: bool,
    /// Whether the rows are those of an application, of which nobody says limit, occupancy or power.
    pub is_of_application: bool,
    /// The rows, best first; those without a time last.
    pub rows: Vec<RankedRow>,
}

/// A kernel as it was profiled on the source.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProfiledSource {
    /// The measured time.
    pub time: Seconds,
    /// Measured, or published.
    pub kind: SourceKind,
    /// The SM clock that it was measured at.
    pub sm_clock: Hertz,
    /// What the source is set to: `stock clocks`, `set clocks`.
    pub clocks_name: &'static str,
}

impl ProfiledSource {
    /// The kernel of this answer, where its source was measured at other clocks than it is set to.
    fn from_answer(answer: &Answer) -> Option<Self> {
        let profiled = answer.profiled.as_ref()?;
        profiled.stock_time?;
        let known = answer.source_time.as_ref()?;
        let sm_clock = profiled.gpu.clocks().sm;
        Some(Self { time: known.time, kind: known.kind, sm_clock, clocks_name: profiled.clocks_name() })
    }
}

impl Board {
    /// `31.9 µs ● on RTX A4500`; where a kernel was measured at other clocks than those its GPU is set to, both times with their marks:
    /// `18.2 µs ◆ on RTX A4500 at stock clocks, 31.9 µs ● at the profiled clocks (SM 942 MHz)`.
    #[must_use]
    pub fn source_words(&self) -> String {
        let Some(time) = self.source_time else {
            if self.is_without_source {
                return match &self.scaled_from[..] {
                    [] => "no source".into(),
                    several => format!("scaled from {}", gpus_in_words(several)),
                };
            }
            let why = self.source_refusal.as_ref().map_or_else(String::new, |why| format!(": {why}"));
            return format!("no time on {}{why}", self.source_name);
        };
        let on = &self.source_name;
        if let Some(ProfiledSource { time: measured, kind, sm_clock, clocks_name }) = self.profiled {
            let (scaled, measured) = (shown::PREDICTED, shown::measured(measured, kind));
            let mhz = sm_clock.0 / 1e6;
            return format!(
                "{time} {scaled} on {on} at {clocks_name}, {measured} at the profiled clocks (SM {mhz:.0} MHz)"
            );
        }
        let clocks = if self.rows_at_other_clocks > 0 { " at the profiled clocks" } else { "" };
        format!("{time} {} on {on}{clocks}", self.source_mark)
    }
}

impl<'a> RankQuestion<'a> {
    /// A question with nothing but the default settings: no prices, ordered by time.
    #[must_use]
    pub fn new(session: &'a Session, workload: &'a Workload, source: GpuId, targets: Vec<GpuId>) -> Self {
        Self {
            session,
            workload,
            source,
            sources: Sources::from_gpu(source),
            is_without_source: false,
            targets,
            rows: Vec::new(),
            each_kernel: false,
            settings: Settings { model: session.default_model(), ..Settings::default() },
            prices: PriceBook::default(),
            today: None,
            order: RankOrder::default(),
        }
    }

    /// Answers it.
    #[must_use]
    pub fn answer(&self) -> Board {
        let never_cancelled = Progress::default();
        self.answer_watched(&never_cancelled)
            .unwrap_or_else(|Cancelled| unreachable!("nobody else holds this progress"))
    }

    /// [`RankQuestion::answer`] for those who watch how far it is (a step is a kernel), or may cancel it.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn answer_watched(&self, progress: &Progress) -> Result<Board, Cancelled> {
        let (source, rows) = match (self.each_kernel, self.rows.is_empty()) {
            (true, _) => self.kernel_rows(progress)?,
            (false, true) => self.gpu_rows(progress)?,
            (false, false) => self.subject_rows(progress)?,
        };
        Ok(self.board_from(source, rows))
    }

    /// The board of these rows, in their order.
    fn board_from(&self, source: SourceBase, mut rows: Vec<RankedRow>) -> Board {
        let on_source = self.single_on_source().filter(|_| !self.is_without_source);
        let profiled = on_source.as_ref().and_then(ProfiledSource::from_answer);
        let is_base_timed = on_source.as_ref().is_none_or(Answer::has_timed_source);
        for row in &mut rows {
            row.is_base_timed = is_base_timed;
            row.speedup_over_profile = profiled.zip(row.time).map(|(source, here)| source.time / here);
        }
        self.order.sort(&mut rows);
        self.compare_origins(&mut rows);
        self.say_other_time(&mut rows, source.time);
        if self.each_kernel {
            self.order.reverse(&mut rows);
        } else if let Some(own) = self.own_block() {
            mark_blocks(&mut rows, own, self.order);
        } else {
            mark_pareto(&mut rows);
        }
        Board {
            workload: self.workload.name.clone(),
            source: self.source,
            source_name: self.session.gpus[self.source].short_name().to_string(),
            is_without_source: self.is_without_source,
            scaled_from: self.scaled_from(),
            source_time: source.time,
            source_refusal: source.refusal.filter(|_| source.time.is_none()),
            source_mark: TimeKind::new(
                source.is_measured && !self.workload.is_run_assumed,
                source.rests_on_measurement,
            )
            .mark(),
            profiled,
            rows_at_other_clocks: 0,
            order: self.order,
            has_prices: rows.iter().any(|row| row.price.is_some()),
            is_each_kernel: self.each_kernel,
            is_of_blocks: self.own_block().is_some(),
            is_of_application: false,
            rows,
        }
    }

    /// The names of the GPUs whose measured times of the one kernel are scaled to targets that lack one, where no source is named.
    fn scaled_from(&self) -> Vec<String> {
        let Self { session, workload, settings, .. } = self;
        let subject = workload.single().filter(|_| self.is_without_source);
        let Some((subject, target)) = subject.zip(self.targets.first().copied()) else { return Vec::new() };
        let own = Sources::from_gpu(session.own_source(subject, target));
        match session.sources_asked(subject, &own, settings.model) {
            Sources::AllBeside(_) => {
                let timed = session.timed_on(subject, target);
                timed.into_iter().map(|gpu| session.gpus[gpu].short_name().to_string()).collect()
            }
            Sources::These(_) | Sources::All => Vec::new(),
        }
    }

    /// The label of the kernel's own block, where the rows are block sizes.
    fn own_block(&self) -> Option<&str> {
        let is_other =
            |row: &&RowSubject| row.subject.launch_edits.changed_value(LaunchNumber::Block).is_some();
        let own = self.rows.iter().find(|row| !is_other(row))?;
        self.rows.iter().any(|row| is_other(&row)).then_some(&own.label)
    }

    /// A row per GPU, and the time of a run on the source.
    fn gpu_rows(&self, progress: &Progress) -> Result<(SourceBase, Vec<RankedRow>), Cancelled> {
        // The source is asked as well: speedups are relative to it.
        let mut asked = self.targets.clone();
        asked.push(self.source);
        let kernels = DistinctKernel::of_parts(&self.workload.parts);
        progress.expect(kernels.len());
        self.session.arrange();
        // Sums are made in the same portions whatever the number of threads: the same digits everywhere.
        let portions: Vec<&[DistinctKernel<'_>]> = kernels.chunks(PORTION).collect();
        let portions: Vec<Vec<RunTotals>> =
            cores::try_collect(portions.len(), |at| self.totals_of(portions[at], &asked, progress))?;
        let mut totals = vec![RunTotals::default(); asked.len()];
        for portion in &portions {
            totals.iter_mut().zip(portion).for_each(|(all, more)| all.add_totals(more));
        }
        let source = totals.pop().map(|on_source| self.base_of_run(&on_source)).unwrap_or_default();
        let rows = self.targets.iter().zip(&totals);
        let rows = rows.map(|(gpu, totals)| self.row(*gpu, "", totals, source.time)).collect();
        Ok((source, rows))
    }

    /// What these kernels come to on each GPU that is asked for, the last of which is the source.
    fn totals_of(
        &self,
        kernels: &[DistinctKernel<'_>],
        asked: &[GpuId],
        progress: &Progress,
    ) -> Result<Vec<RunTotals>, Cancelled> {
        let are_few = self.workload.parts.len() <= FEW_KERNELS;
        let (query, machines) = (self.query(), self.session.machines());
        let mut totals = vec![RunTotals::default(); asked.len()];
        for kernel in kernels {
            progress.check_cancelled()?;
            let mut answers = match are_few {
                true => query.whole_answers(kernel.subject, asked),
                false => query.brief_answers(&machines, kernel.subject, asked),
            };
            let on_source = answers.pop().map(|answer| self.on_source(kernel.subject, answer));
            answers.extend(on_source);
            let on_source = answers.last().and_then(|answer| answer.time);
            let calls = kernel.calls(|amount| self.calls(amount, on_source));
            for (sum, answer) in totals.iter_mut().zip(&answers) {
                sum.add_kernel(kernel.label, answer, calls);
            }
            progress.advance(1);
        }
        Ok(totals)
    }

    /// A row per GPU and variant or block; speedups are relative to the workload's own kernel on the source.
    fn subject_rows(&self, progress: &Progress) -> Result<(SourceBase, Vec<RankedRow>), Cancelled> {
        progress.expect(self.rows.len());
        let query = self.query();
        let on_source = self.workload.parts.first().map(|part| query.on_source(&part.subject));
        let in_run = |answer| self.base_of_run(&RunTotals::of_kernel("", &answer, Some(1.0)));
        let source = on_source.map(in_run).unwrap_or_default();
        let answer = |row: &RowSubject| {
            progress.check_cancelled()?;
            let answers = query.whole_answers(&row.subject, &self.targets);
            progress.advance(1);
            let on = |(gpu, answer): (&GpuId, PartAnswer)| {
                let totals = RunTotals::of_kernel(&row.label, &answer, Some(1.0));
                self.row(*gpu, &row.label, &totals, source.time)
            };
            Ok(self.targets.iter().zip(answers).map(on).collect::<Vec<_>>())
        };
        let rows: Vec<Vec<RankedRow>> = cores::try_collect(self.rows.len(), |at| answer(&self.rows[at]))?;
        Ok((source, rows.into_iter().flatten().collect()))
    }

    /// A row per GPU and kernel of the workload: all launches of it in a run, relative to the same on the source.
    fn kernel_rows(&self, progress: &Progress) -> Result<(SourceBase, Vec<RankedRow>), Cancelled> {
        let parts = &self.workload.parts;
        progress.expect(parts.len());
        let mut asked = self.targets.clone();
        asked.push(self.source);
        let query = self.query();
        let answer = |part: &'a WorkloadPart| {
            progress.check_cancelled()?;
            let mut answers = query.whole_answers(&part.subject, &asked);
            progress.advance(1);
            let on_source = answers.pop().map(|answer| self.on_source(&part.subject, answer));
            let calls = self.calls(part.amount, on_source.as_ref().and_then(|answer| answer.time));
            let source = on_source.map_or_else(SourceBase::default, |answer| {
                self.base_of_run(&RunTotals::of_kernel(&part.label, &answer, calls))
            });
            let label = launches_label(&part.label, calls);
            let on = |(gpu, answer): (&GpuId, PartAnswer)| {
                self.row(*gpu, &label, &RunTotals::of_kernel(&label, &answer, calls), source.time)
            };
            let rows: Vec<RankedRow> = self.targets.iter().zip(answers).map(on).collect();
            Ok((source, rows))
        };
        self.session.arrange();
        let by_part: Vec<(SourceBase, Vec<RankedRow>)> =
            cores::try_collect(parts.len(), |at| answer(&parts[at]))?;
        let time = by_part.iter().map(|(source, _)| source.time.map(|t| t.0)).sum::<Option<f64>>();
        let refusal = by_part.iter().find_map(|(source, _)| source.refusal.clone());
        let is_measured = by_part.iter().all(|(source, _)| source.is_measured);
        let rests_on_measurement = by_part.iter().all(|(source, _)| source.rests_on_measurement);
        let source = SourceBase { time: time.map(Seconds), is_measured, rests_on_measurement, refusal };
        Ok((source, by_part.into_iter().flat_map(|(_, rows)| rows).collect()))
    }

    /// The kernel on its source, answered as a target: asked anew where its launch is changed or several sources are asked for.
    fn on_source(&self, subject: &Subject, answered: PartAnswer) -> PartAnswer {
        let query = self.query();
        match subject.launch_edits.is_empty() && self.sources.only().is_some() {
            true => query.base_answer(subject, answered),
            false => query.on_source(subject),
        }
    }

    /// What this run on the source is to others; nothing of a question that names none.
    fn base_of_run(&self, on_source: &RunTotals) -> SourceBase {
        if self.is_without_source { SourceBase::default() } else { SourceBase::of_run(on_source) }
    }

    /// The workload's one kernel on its own GPU, where it is one kernel.
    fn single_on_source(&self) -> Option<Answer> {
        let subject = self.workload.single()?.as_timed();
        Some(self.session.answer(&subject, self.source, self.source, self.settings))
    }

    fn query(&self) -> PartQuery<'_> {
        let takes_measured = self.rows.iter().all(|row| row.subject.launch_edits.is_empty());
        let Self { session, source, sources, is_without_source, settings, .. } = self;
        let (source, is_without_source, settings) = (*source, *is_without_source, *settings);
        PartQuery { session, source, sources, is_without_source, settings, takes_measured }
    }

    /// Launches of a part in a run; `None` where a share has no time on the source to be a share of.
    fn calls(&self, amount: RunAmount, on_source: Option<Seconds>) -> Option<f64> {
        match amount {
            RunAmount::Calls(calls) => Some(calls),
            RunAmount::Share(share) => Some(share * self.workload.run_seconds? / on_source?.0),
        }
    }

    fn row(&self, gpu: GpuId, label: &str, totals: &RunTotals, source_time: Option<Seconds>) -> RankedRow {
        let of = &self.session.gpus[gpu];
        let name = self.session.name_with_settings(gpu);
        let time = totals.time();
        let price = self.prices.quote(&self.session.gpus, gpu).cloned();
        let usd_per_million_runs = price.as_ref().zip(time).map(|(p, t)| p.usd_per_million_runs(t));
        let [low, high] = totals.ends();
        let mut row = RankedRow {
            gpu,
            gpu_id: self.session.id_with_settings(gpu),
            label: label.to_string(),
            name: if label.is_empty() { name } else { format!("{name} · {label}") },
            time,
            low,
            high,
            speedup: source_time.zip(time).map(|(source, here)| source / here),
            speedup_over_profile: None,
            limit: totals.limit(),
            occupancy: totals.occupancy(),
            fits_memory: totals.fits_memory(),
            board_power: totals.power(),
            energy: totals.energy(),
            price,
            usd_per_million_runs,
            launch_usd: of.list_usd.as_ref().map(|usd| usd.value),
            launch_year: of.launch_year,
            is_pareto: false,
            rests_on_measurement: totals.rests_on_measurement,
            is_base_timed: true,
            is_measured: time.is_some() && totals.is_measured && !self.workload.is_run_assumed,
            is_hypothetical: of.is_hypothetical() || self.session.tuning(gpu).is_some(),
            cautions: Vec::new(),
        };
        row.cautions = self.cautions(&row, totals);
        row.cautions
            .extend(self.workload.assumed_run_note().filter(|_| row.time.is_some()).map(str::to_string));
        row
    }

    /// Answers it for the rows of a table, whose sums these are: each row is a launch, timed on its own GPU.
    #[must_use]
    pub fn answer_sums(&self, sums: &TableSums) -> Board {
        let source_time = sums.source_time();
        let row = |(gpu, on_gpu): (&GpuId, &GpuSums)| {
            let mut row = self.row(*gpu, "", &on_gpu.run, source_time);
            row.cautions.splice(0..0, on_gpu.refusal());
            row
        };
        let rows = self.targets.iter().zip(&sums.on_targets).map(row).collect();
        let source = sums.main_source().unwrap_or(self.source);
        let source_name = match sums.source_count() {
            0 | 1 => self.session.gpus[source].short_name().to_string(),
            n => format!("{n} GPUs"),
        };
        let rows_at_other_clocks = sums.at_other_clocks;
        let base =
            SourceBase { time: source_time, is_measured: true, rests_on_measurement: true, refusal: None };
        Board { source, source_name, rows_at_other_clocks, ..self.board_from(base, rows) }
    }

    /// What must be said of a row: why it has no time, that its interval says nothing, its kernels' cautions, its price.
    fn cautions(&self, row: &RankedRow, totals: &RunTotals) -> Vec<String> {
        let mut all: Vec<String> = totals.caution_texts();
        let wide = |(low, high)| shown::useless_interval(low, high, self.is_without_source);
        let useless = row.low.zip(row.high).and_then(wide);
        all.splice(0..0, useless);
        if let Some(price) = &row.price {
            all.extend(price.cautions(self.today.as_deref()));
        }
        all
    }
}

/// `saxpy n=16777216 x 120`; without the launches where there is one.
fn launches_label(kernel: &str, calls: Option<f64>) -> String {
    match calls {
        Some(calls) if calls.fract() == 0.0 && calls > 1.0 => format!("{kernel} x {calls:.0}"),
        Some(calls) if calls != 1.0 => format!("{kernel} x {}", significant(calls)),
        _ => kernel.to_string(),
    }
}
