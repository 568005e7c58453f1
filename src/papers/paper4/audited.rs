//! What paper 4's models are worth: on the rows whose power the audit keeps, and on all times, with problems held out instead
//! of rows. The same problem stands in 28 rows, so that a split by row tests on twins of the training rows.

use super::models::{Architecture, Scores, at, predicted};
use super::prepare::{FEATURES, features};
use crate::catalogue::Catalogue;
use crate::gemm::physical::{Physical, physical};
use crate::gemm::rows::medians;
use crate::gemm::{GemmRow, Target};
use crate::gpu::Gpu;
use crate::kernel::Kernel;
use crate::learn::folds::{Fold, grouped, leave_one_out, shuffled_split};
use crate::learn::metrics::median;
use crate::learn::{LearnError, Progress, Table};
use crate::power::PowerModel;
use std::collections::BTreeMap;

/// What is held out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Protocol {
    /// A fifth of the rows, as the paper does.
    Row,
    /// A fifth of the problems: size, layout, alpha, beta.
    Problem,
    /// Every size in turn.
    Size,
}

impl Protocol {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Row, Self::Problem, Self::Size];

    /// The words in tables.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Row => "rows, 80:20",
            Self::Problem => "problems, 5 folds",
            Self::Size => "each size in turn",
        }
    }

    fn folds(self, rows: &[&GemmRow]) -> Result<Vec<Fold>, LearnError> {
        let names = |of: fn(&GemmRow) -> String| rows.iter().map(|r| of(r)).collect::<Vec<_>>();
        match self {
            Self::Row => Ok(vec![shuffled_split(rows.len(), 0.2, 42)?]),
            Self::Problem => grouped(&names(GemmRow::problem), 5),
            Self::Size => leave_one_out(&names(GemmRow::shape)),
        }
    }
}

/// Which rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Data {
    /// Rows with power at a utilisation of at least 90 %.
    Audited,
    /// The median time of every problem, whatever the power.
    Times,
}

impl Data {
    /// The words in tables.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Audited => "audited rows",
            Self::Times => "all times, a median a problem",
        }
    }
}

/// Errors of one model under one protocol.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Which rows.
    pub data: Data,
    /// What was held out.
    pub protocol: Protocol,
    /// What was predicted.
    pub target: Target,
    /// Which model.
    pub model: &'static str,
    /// Whether it learned from the other rows.
    pub learned: bool,
    /// Rows it was tested on.
    pub rows: usize,
    /// How far off it is.
    pub scores: Scores,
}

/// Models that are tried: paper 4's, and the forest on logarithms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tried {
    AsPublished(Architecture),
    /// Features and target as logarithms, so that errors are relative.
    Logs,
}

impl Tried {
    const ALL: [Self; 4] = [
        Self::AsPublished(Architecture::Forest),
        Self::AsPublished(Architecture::Linear),
        Self::AsPublished(Architecture::Stack),
        Self::Logs,
    ];

    fn word(self) -> &'static str {
        match self {
            Self::AsPublished(a) => a.word(),
            Self::Logs => "linear on logarithms",
        }
    }
}

/// The rows of a protocol with what is known of them.
struct World<'a> {
    rows: Vec<&'a GemmRow>,
    physical: Vec<Option<Physical>>,
    table: Table,
    logs: Table,
}

impl<'a> World<'a> {
    fn new(
        rows: Vec<&'a GemmRow>,
        gpus: &Catalogue<Gpu>,
        kernels: &Catalogue<Kernel>,
        power: &PowerModel,
    ) -> Result<Self, LearnError> {
        let names = || FEATURES.iter().map(ToString::to_string).collect();
        let values: Vec<f64> = rows.iter().flat_map(|r| features(r)).collect();
        let logs = values.iter().map(|v| v.max(1.0).ln()).collect();
        let mut known: BTreeMap<String, Option<Physical>> = BTreeMap::new();
        let mut of = |r: &GemmRow| {
            let asked = || physical(gpus, kernels, power, r);
            *known.entry(r.problem()).or_insert_with(asked)
        };
        let physical = rows.iter().map(|r| of(r)).collect();
        Ok(Self { physical, table: Table::new(names(), values)?, logs: Table::new(names(), logs)?, rows })
    }

    /// Everything about one target under one protocol.
    fn lines(
        &self,
        (data, protocol, target): (Data, Protocol, Target),
        progress: &Progress,
    ) -> Result<Vec<Line>, LearnError> {
        let folds = protocol.folds(&self.rows)?;
        let truth: Vec<f64> = self.rows.iter().map(|r| target.of(r).unwrap_or_default()).collect();
        let tested: Vec<usize> = folds.iter().flat_map(|f| f.test.iter().copied()).collect();
        let line = |model, learned, predicted: &[f64], places: &[usize]| {
            let scores = Scores::of(&at(&truth, places), predicted)?;
            Some(Line { data, protocol, target, model, learned, rows: places.len(), scores })
        };
        let mut lines = Vec::new();
        // On all times there are 36 sizes to hold out: the stack, seven fits each, adds nothing there.
        let tried = Tried::ALL
            .into_iter()
            .filter(|t| data == Data::Audited || *t != Tried::AsPublished(Architecture::Stack));
        for tried in tried {
            let mut said = Vec::with_capacity(tested.len());
            for fold in &folds {
                said.extend(self.learned(tried, &truth, fold, progress)?);
            }
            lines.extend(line(tried.word(), true, &said, &tested));
        }
        let mut fixed = |model, of: &dyn Fn(usize) -> Option<f64>| {
            let some: Vec<(usize, f64)> = tested.iter().filter_map(|i| Some((*i, of(*i)?))).collect();
            let (places, said): (Vec<usize>, Vec<f64>) = some.into_iter().unzip();
            lines.extend(line(model, false, &said, &places));
        };
        fixed("components + power model", &|i| Some(self.physical[i]?.of(target, self.rows[i])));
        fixed("plain-roofline", &|i| self.physical[i]?.at_roof(target, self.rows[i]));
        if target == Target::Power {
            fixed("power model at the measured time", &|i| Some(self.physical[i]?.watts_at_measured));
        }
        if data == Data::Audited {
            let middle = self.middles(target);
            fixed("median of the same problem's rows", &|i| middle.get(&self.rows[i].problem()).copied());
        }
        Ok(lines)
    }

    fn learned(
        &self,
        tried: Tried,
        truth: &[f64],
        fold: &Fold,
        progress: &Progress,
    ) -> Result<Vec<f64>, LearnError> {
        let split = (&fold.train[..], &fold.test[..]);
        match tried {
            Tried::AsPublished(a) => predicted(&a.recipe(42), (&self.table, truth), split, progress),
            Tried::Logs => {
                let logs: Vec<f64> = truth.iter().map(|v| v.ln()).collect();
                let recipe = Architecture::Linear.recipe(42);
                let said = predicted(&recipe, (&self.logs, &logs), split, progress)?;
                Ok(said.into_iter().map(f64::exp).collect())
            }
        }
    }

    /// The median of each problem's rows: what is left is the rows' own spread.
    fn middles(&self, target: Target) -> BTreeMap<String, f64> {
        let mut all: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for row in &self.rows {
            all.entry(row.problem()).or_default().extend(target.of(row));
        }
        all.into_iter().filter_map(|(problem, values)| Some((problem, median(values)?))).collect()
    }
}

/// Every protocol on the audited rows, and times alone on the medians of all problems.
///
/// # Errors
/// [`LearnError`] where there are too few audited rows or problems, or it was cancelled.
pub fn study(
    rows: &[GemmRow],
    (gpus, kernels): (&Catalogue<Gpu>, &Catalogue<Kernel>),
    power: &PowerModel,
    progress: &Progress,
) -> Result<Vec<Line>, LearnError> {
    let audited: Vec<&GemmRow> = rows.iter().filter(|r| r.is_audited()).collect();
    let world = World::new(audited, gpus, kernels, power)?;
    let mut lines = Vec::new();
    for protocol in Protocol::ALL {
        for target in Target::ALL {
            lines.extend(world.lines((Data::Audited, protocol, target), progress)?);
        }
    }
    let medians = medians(rows);
    let world = World::new(medians.iter().collect(), gpus, kernels, power)?;
    for protocol in [Protocol::Problem, Protocol::Size] {
        for target in [Target::Time, Target::Rate] {
            lines.extend(world.lines((Data::Times, protocol, target), progress)?);
        }
    }
    Ok(lines)
}
