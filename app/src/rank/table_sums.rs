//! The rows of a table as one run: sums on every GPU, and nothing of the rows themselves is kept.

use super::part::{KernelWork, PartAnswer, PartQuery};
use super::totals::RunTotals;
use crate::catalogue::Catalogue;
use crate::gpu::GpuId;
use crate::kernel::{Kernel, Work};
use crate::measurement::Measurement;
use crate::predict::{ModelRefusal, SharedMachines, TimeEstimate, is_at, states_clocks};
use crate::session::{RowAlone, RowQuestions, Sources};
use crate::units::Seconds;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use std::collections::BTreeMap;

/// One GPU's sums.
#[derive(Debug, Clone, Default)]
pub(super) struct GpuSums {
    pub(super) run: RunTotals,
    /// Rows without a time here, and why the first of them has none.
    refused: u64,
    first: Option<String>,
}

impl GpuSums {
    /// Why there is no sum, where there is none.
    pub(super) fn refusal(&self) -> Option<String> {
        self.first.as_ref().map(|first| format!("no time of {} rows; the first: {first}", self.refused))
    }
}

/// What the rows of a table come to, each a launch.
#[derive(Debug, Clone)]
pub struct TableSums {
    pub(super) on_targets: Vec<GpuSums>,
    /// Seconds by the GPU that rows were timed on.
    on_sources: BTreeMap<GpuId, f64>,
    /// Rows that were added.
    pub rows: u64,
    /// Those of them that were measured at other clocks than their GPU is set to.
    pub at_other_clocks: u64,
    /// Rows that no target has a time of, which are left out.
    pub left_out: u64,
    /// Why the first of them was left out.
    pub first_left_out: Option<String>,
}

/// A row, and what it comes to on every target.
struct RowParts {
    row: RowAlone,
    parts: Vec<Result<PartAnswer, ModelRefusal>>,
}

impl TableSums {
    /// Nothing yet, on so many targets.
    #[must_use]
    pub fn on_targets(targets: usize) -> Self {
        Self {
            on_targets: vec![GpuSums::default(); targets],
            on_sources: BTreeMap::new(),
            rows: 0,
            at_other_clocks: 0,
            left_out: 0,
            first_left_out: None,
        }
    }

    /// Adds rows; the sums do not depend on how many come at once.
    pub fn add_rows(
        &mut self,
        asked: &RowQuestions<'_>,
        kernels: &Catalogue<Kernel>,
        rows: Vec<Measurement>,
    ) {
        let parts: Vec<Result<RowParts, String>> = rows
            .into_par_iter()
            .map_init(|| asked.machines(), |machines, row| row_parts(asked, machines, kernels, row))
            .collect();
        for row in parts {
            match row {
                Err(why) => self.leave_out(|| why),
                Ok(row) => self.add_row(asked, &row),
            }
        }
    }

    fn add_row(&mut self, asked: &RowQuestions<'_>, RowParts { row, parts }: &RowParts) {
        if let Some(Err(first)) = parts.first().filter(|_| parts.iter().all(Result::is_err)) {
            let row = row.row();
            return self.leave_out(|| format!("{}:{}: {first}", row.file(), row.line));
        }
        self.rows += 1;
        let timed = row.row();
        let is_set_so = is_at(timed, &asked.session().gpus[timed.gpu]);
        self.at_other_clocks += u64::from(states_clocks(timed) && !is_set_so);
        *self.on_sources.entry(row.row().gpu).or_default() += row.row().time.0;
        for (sums, part) in self.on_targets.iter_mut().zip(parts) {
            match part {
                Ok(part) => sums.run.add_kernel("", part, Some(1.0)),
                Err(why) => {
                    sums.refused += 1;
                    // Of a million reasons the first is put into words.
                    sums.first.get_or_insert_with(|| why.to_string());
                    sums.run.add_kernel("", &PartAnswer::without_time(), Some(1.0));
                }
            }
        }
    }

    /// Counts a row that cannot be asked about; the reason of the first is kept.
    pub fn leave_out(&mut self, why: impl FnOnce() -> String) {
        self.left_out += 1;
        self.first_left_out.get_or_insert_with(why);
    }

    /// The time of all rows where they were timed.
    pub(super) fn source_time(&self) -> Option<Seconds> {
        (self.rows > 0).then(|| Seconds(self.on_sources.values().sum()))
    }

    /// The GPU that most of it was timed on.
    pub(super) fn main_source(&self) -> Option<GpuId> {
        self.on_sources.iter().max_by(|a, b| a.1.total_cmp(b.1)).map(|(gpu, _)| *gpu)
    }

    /// How many GPUs rows were timed on.
    pub(super) fn source_count(&self) -> usize {
        self.on_sources.len()
    }
}

fn row_parts(
    asked: &RowQuestions<'_>,
    machines: &SharedMachines<'_>,
    kernels: &Catalogue<Kernel>,
    row: Measurement,
) -> Result<RowParts, String> {
    let of_row = row.clone();
    let told = |why| format!("{}:{}: {why}", of_row.file(), of_row.line);
    let row = asked.asked_row(kernels, row).map_err(told)?;
    let settings = asked.settings.first().copied().unwrap_or_default();
    let (session, source) = (asked.session(), row.row().gpu);
    let sources = &Sources::from_gpu(source);
    let is_without_source = false;
    let query = PartQuery { session, source, sources, is_without_source, settings, takes_measured: false };
    let work = row.subject.instance.work.with_counts(&row.row().filling(Work::default()));
    let launch = row.subject.instance.launch.or(row.row().launch());
    let blocks = launch.map(|l| l.block_count() as f64);
    let of_kernel = KernelWork { kernel: &kernels[row.subject.kernel], work: &work, blocks };
    let estimates = asked.estimates(machines, kernels, &row);
    let part = |(target, estimate): (&GpuId, Result<TimeEstimate, ModelRefusal>)| {
        estimate.map(|estimate| query.estimated_part(of_kernel, *target, &estimate))
    };
    let parts = asked.targets.iter().zip(estimates).map(part).collect();
    Ok(RowParts { row, parts })
}
