//! The ranked rows: a workload on a list of GPUs.

use super::order::{RankOrder, mark_pareto};
use super::part::{POWER, PartAnswer, PartQuery};
use super::prices::PriceBook;
use super::row::RankedRow;
use super::sums::RunSums;
use super::table_sums::{GpuSums, TableSums};
use crate::answer::Settings;
use crate::catalogue::NumberOrigin;
use crate::gpu::GpuId;
use crate::predict::Subject;
use crate::progress::{Cancelled, Progress};
use crate::report::shown;
use crate::session::Session;
use crate::units::{Seconds, Watts};
use crate::workload::{RunAmount, Workload, WorkloadPart};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

/// What is ranked.
#[derive(Debug, Clone)]
pub struct RankQuestion<'a> {
    /// Everything that is loaded.
    pub session: &'a Session,
    /// What runs.
    pub workload: &'a Workload,
    /// Where it was timed, and what speedups are relative to.
    pub source: GpuId,
    /// The GPUs to rank, each once.
    pub targets: Vec<GpuId>,
    /// The workload's one kernel in other variants or blocks: each is a row per GPU. Empty where GPUs alone are ranked.
    pub rows: Vec<RowSubject>,
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
    /// Time of a run on the source, measured or modelled.
    pub source_time: Option<Seconds>,
    /// What the rows are ordered by.
    pub order: RankOrder,
    /// Whether any row has a price by the hour.
    pub has_prices: bool,
    /// The rows, best first; those without a time last.
    pub rows: Vec<RankedRow>,
}

impl<'a> RankQuestion<'a> {
    /// A question with nothing but the default settings: no prices, ordered by time.
    #[must_use]
    pub fn new(session: &'a Session, workload: &'a Workload, source: GpuId, targets: Vec<GpuId>) -> Self {
        Self {
            session,
            workload,
            source,
            targets,
            rows: Vec::new(),
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
        let (source_time, rows) =
            if self.rows.is_empty() { self.gpu_rows(progress)? } else { self.subject_rows(progress)? };
        let source_name = self.session.gpus[self.source].short_name().to_string();
        Ok(self.ordered_board(self.source, source_name, source_time, rows))
    }

    /// A row per GPU, and the time of a run on the source.
    fn gpu_rows(&self, progress: &Progress) -> Result<(Option<Seconds>, Vec<RankedRow>), Cancelled> {
        // The source is asked as well: speedups are relative to it.
        let mut asked = self.targets.clone();
        asked.push(self.source);
        let parts = &self.workload.parts;
        progress.expect(parts.len());
        let single = self.workload.single().is_some();
        let query = self.query();
        let answer = |part: &WorkloadPart| {
            progress.check_cancelled()?;
            let answers = match single {
                true => query.whole_answers(&part.subject, &asked),
                false => query.brief_answers(&part.subject, &asked),
            };
            progress.advance(1);
            Ok(answers)
        };
        self.session.arrange();
        let by_part: Vec<Vec<PartAnswer>> = parts.par_iter().map(answer).collect::<Result<_, _>>()?;
        let last = asked.len() - 1;
        let calls: Vec<Option<f64>> = parts
            .iter()
            .zip(&by_part)
            .map(|(part, answers)| self.calls(part.amount, answers[last].time))
            .collect();
        let on_target = |at: usize| -> Vec<TakenPart<'_>> {
            let taken = |((part, answers), calls): ((&'a WorkloadPart, &_), &Option<f64>)| {
                let answers: &Vec<PartAnswer> = answers;
                TakenPart { label: &part.label, answer: answers[at].clone(), calls: *calls }
            };
            parts.iter().zip(&by_part).zip(&calls).map(taken).collect()
        };
        let source_time = run_time(&on_target(last));
        let rows = self.targets.iter().enumerate();
        let rows = rows.map(|(at, gpu)| self.row(*gpu, "", &on_target(at), source_time)).collect();
        Ok((source_time, rows))
    }

    /// A row per GPU and variant or block; speedups are relative to the workload's own kernel on the source.
    fn subject_rows(&self, progress: &Progress) -> Result<(Option<Seconds>, Vec<RankedRow>), Cancelled> {
        progress.expect(self.rows.len());
        let query = self.query();
        let own = self.workload.parts.first().map(|p| query.whole_answers(&p.subject, &[self.source]));
        let source_time = own.and_then(|answers| answers.first().and_then(|a| a.time));
        let answer = |row: &RowSubject| {
            progress.check_cancelled()?;
            let answers = query.whole_answers(&row.subject, &self.targets);
            progress.advance(1);
            let on = |(gpu, answer): (&GpuId, PartAnswer)| {
                let part = TakenPart { label: &row.label, answer, calls: Some(1.0) };
                self.row(*gpu, &row.label, &[part], source_time)
            };
            Ok(self.targets.iter().zip(answers).map(on).collect::<Vec<_>>())
        };
        let rows: Vec<Vec<RankedRow>> = self.rows.par_iter().map(answer).collect::<Result<_, _>>()?;
        Ok((source_time, rows.into_iter().flatten().collect()))
    }

    fn query(&self) -> PartQuery<'_> {
        PartQuery {
            session: self.session,
            source: self.source,
            settings: self.settings,
            power: POWER.as_ref(),
        }
    }

    /// Launches of a part in a run; `None` where a share has no time on the source to be a share of.
    fn calls(&self, amount: RunAmount, on_source: Option<Seconds>) -> Option<f64> {
        match amount {
            RunAmount::Calls(calls) => Some(calls),
            RunAmount::Share(share) => Some(share * self.workload.run_seconds? / on_source?.0),
        }
    }

    fn row(
        &self,
        gpu: GpuId,
        label: &str,
        parts: &[TakenPart<'_>],
        source_time: Option<Seconds>,
    ) -> RankedRow {
        let mut sums = RunSums::default();
        parts.iter().for_each(|part| sums.add(&part.answer, part.calls));
        let mut row = self.row_of_sums(gpu, label, &sums, source_time);
        row.cautions = self.cautions(&row, parts);
        row
    }

    /// A row without its cautions.
    fn row_of_sums(
        &self,
        gpu: GpuId,
        label: &str,
        sums: &RunSums,
        source_time: Option<Seconds>,
    ) -> RankedRow {
        let of = &self.session.gpus[gpu];
        let (time, energy) = (sums.time(), sums.energy());
        let price = self.prices.quote(gpu).cloned();
        let usd_per_million_runs = price.as_ref().zip(time).map(|(p, t)| p.usd_per_million_runs(t));
        let [low, high] = sums.ends();
        RankedRow {
            gpu,
            gpu_id: of.id.clone(),
            label: label.to_string(),
            name: if label.is_empty() {
                of.short_name().into()
            } else {
                format!("{} · {label}", of.short_name())
            },
            time,
            low,
            high,
            speedup: source_time.zip(time).map(|(source, here)| source / here),
            limit: sums.largest_limit(),
            occupancy: sums.mean_occupancy(),
            fits_memory: sums.fits_memory(),
            board_power: energy.zip(time).map(|(j, t)| Watts(j.0 / t.0)),
            energy,
            price,
            usd_per_million_runs,
            launch_usd: of.list_usd.as_ref().map(|usd| usd.value),
            launch_year: of.launch_year,
            is_pareto: false,
            rests_on_measurement: sums.rests_on_measurement(),
            is_hypothetical: of.is_hypothetical() || self.session.tuning(gpu).is_some(),
            cautions: Vec::new(),
        }
    }

    /// Answers it for the rows of a table, whose sums these are: each row is a launch, timed on its own GPU.
    #[must_use]
    pub fn answer_sums(&self, sums: &TableSums) -> Board {
        let source_time = sums.source_time();
        let row = |(gpu, on_gpu): (&GpuId, &GpuSums)| {
            let mut row = self.row_of_sums(*gpu, "", &on_gpu.run, source_time);
            let useless = row.low.zip(row.high).and_then(|(low, high)| shown::useless_interval(low, high));
            row.cautions.extend(on_gpu.refusal().into_iter().chain(useless));
            if let Some(price) = &row.price {
                row.cautions.extend(price.cautions(self.today.as_deref()));
            }
            row.cautions.extend(self.rates_caution(*gpu));
            row
        };
        let rows = self.targets.iter().zip(&sums.on_targets).map(row).collect();
        let source = sums.main_source().unwrap_or(self.source);
        let source_name = match sums.source_count() {
            0 | 1 => self.session.gpus[source].short_name().to_string(),
            n => format!("{n} GPUs"),
        };
        self.ordered_board(source, source_name, source_time, rows)
    }

    fn ordered_board(
        &self,
        source: GpuId,
        source_name: String,
        source_time: Option<Seconds>,
        mut rows: Vec<RankedRow>,
    ) -> Board {
        mark_pareto(&mut rows);
        self.order.sort(&mut rows);
        Board {
            workload: self.workload.name.clone(),
            source,
            source_name,
            source_time,
            order: self.order,
            has_prices: rows.iter().any(|row| row.price.is_some()),
            rows,
        }
    }

    /// What must be said of a row: why it has no time, that its interval says nothing, its kernels' cautions, its price.
    fn cautions(&self, row: &RankedRow, parts: &[TakenPart<'_>]) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        let single = parts.len() == 1;
        for part in parts {
            let of_part =
                |text: &String| if single { text.clone() } else { format!("{}: {text}", part.label) };
            all.extend(part.answer.cautions.iter().map(of_part));
        }
        let useless = row.low.zip(row.high).and_then(|(low, high)| shown::useless_interval(low, high));
        all.splice(0..0, useless);
        if let Some(price) = &row.price {
            all.extend(price.cautions(self.today.as_deref()));
        }
        all.extend(self.rates_caution(row.gpu));
        all
    }

    /// That this GPU's bandwidth is a measured one where its architecture's others are derived, or the other way round.
    fn rates_caution(&self, gpu: GpuId) -> Option<String> {
        let of = &self.session.gpus[gpu];
        let origin = |gpu: GpuId| self.session.gpus[gpu].bandwidth_sustained().origin;
        let is_measured = |gpu: GpuId| origin(gpu) <= NumberOrigin::Published;
        let siblings = self
            .targets
            .iter()
            .filter(|other| **other != gpu && self.session.gpus[**other].architecture == of.architecture);
        let others: Vec<&str> = siblings
            .filter(|other| is_measured(**other) != is_measured(gpu))
            .map(|other| self.session.gpus[*other].id.as_str())
            .collect();
        let (first, here, there) = match (is_measured(gpu), others.first()) {
            (true, Some(first)) => (first, "measured", "derived from the peak"),
            _ => return None,
        };
        Some(format!(
            "DRAM bandwidth is {here} on this GPU and {there} on {first}: their order may be that of the numbers, not of the boards"
        ))
    }
}

/// A kernel of the workload on one GPU, with its launches in a run.
struct TakenPart<'a> {
    label: &'a str,
    answer: PartAnswer,
    calls: Option<f64>,
}

/// The time of a run; `None` where a part has none.
fn run_time(parts: &[TakenPart<'_>]) -> Option<Seconds> {
    let mut sums = RunSums::default();
    parts.iter().for_each(|part| sums.add(&part.answer, part.calls));
    sums.time()
}
