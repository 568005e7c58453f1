//! What paper 4's models are worth: on the rows whose power the audit keeps, and on all times, with problems held out instead
//! of rows. The same problem stands in 28 rows, so that a split by row tests on twins of the training rows.

use super::models::{Paper4Architecture, Scores, predicted, values_at};
use super::prepare::{FEATURES, features};
use crate::catalogue::Catalogue;
use crate::gemm::physical::{Physical, physical};
use crate::gemm::rows::medians;
use crate::gemm::{GemmRow, GemmTarget};
use crate::gpu::Gpu;
use crate::kernel::Kernel;
use crate::learn::folds::{RowFold, grouped, leave_one_out, shuffled_split};
use crate::learn::metrics::median;
use crate::learn::{LearnError, LearningTable, Progress};
use crate::power::PowerModel;
use std::collections::BTreeMap;

/// What is held out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AuditProtocol {
    /// A fifth of the rows, as the paper does.
    Row,
    /// A fifth of the problems: size, layout, alpha, beta.
    Problem,
    /// Every size in turn.
    Size,
}

impl AuditProtocol {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Row, Self::Problem, Self::Size];

    /// The words in tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Row => "rows, 80:20",
            Self::Problem => "problems, 5 folds",
            Self::Size => "each size in turn",
        }
    }

    fn folds(self, rows: &[&GemmRow]) -> Result<Vec<RowFold>, LearnError> {
        let names = |of: fn(&GemmRow) -> String| rows.iter().map(|r| of(r)).collect::<Vec<_>>();
        match self {
            Self::Row => Ok(vec![shuffled_split(rows.len(), 0.2, 42)?]),
            Self::Problem => grouped(&names(GemmRow::problem_text), 5),
            Self::Size => leave_one_out(&names(GemmRow::shape)),
        }
    }
}

/// Which rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AuditedRows {
    /// Rows with power at a utilisation of at least 90 %.
    Audited,
    /// The median time of every problem, whatever the power.
    Times,
}

impl AuditedRows {
    /// The words in tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Audited => "audited rows",
            Self::Times => "all times, a median a problem",
        }
    }
}

/// Errors of one model under one protocol.
#[derive(Debug, Clone, PartialEq)]
pub struct ProtocolErrors {
    /// Which rows.
    pub data: AuditedRows,
    /// What was held out.
    pub protocol: AuditProtocol,
    /// What was predicted.
    pub target: GemmTarget,
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
    AsPublished(Paper4Architecture),
    /// Features and target as logarithms, so that errors are relative.
    Logs,
}

impl Tried {
    const ALL: [Self; 4] = [
        Self::AsPublished(Paper4Architecture::Forest),
        Self::AsPublished(Paper4Architecture::Linear),
        Self::AsPublished(Paper4Architecture::Stack),
        Self::Logs,
    ];

    fn as_str(self) -> &'static str {
        match self {
            Self::AsPublished(a) => a.as_str(),
            Self::Logs => "linear on logarithms",
        }
    }
}

/// The rows of a protocol with what is known of them.
struct ProtocolRows<'a> {
    rows: Vec<&'a GemmRow>,
    physical: Vec<Option<Physical>>,
    table: LearningTable,
    logs: LearningTable,
}

impl<'a> ProtocolRows<'a> {
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
            *known.entry(r.problem_text()).or_insert_with(asked)
        };
        let physical = rows.iter().map(|r| of(r)).collect();
        Ok(Self {
            physical,
            table: LearningTable::new(names(), values)?,
            logs: LearningTable::new(names(), logs)?,
            rows,
        })
    }

    /// Everything about one target under one protocol.
    fn audited_lines(
        &self,
        data: AuditedRows,
        protocol: AuditProtocol,
        target: GemmTarget,
        progress: &Progress,
    ) -> Result<Vec<ProtocolErrors>, LearnError> {
        let folds = protocol.folds(&self.rows)?;
        let truth: Vec<f64> = self.rows.iter().map(|r| target.target_value(r).unwrap_or_default()).collect();
        let tested: Vec<usize> = folds.iter().flat_map(|f| f.test.iter().copied()).collect();
        let line = |model, learned, predicted: &[f64], places: &[usize]| {
            let scores = Scores::from_predictions(&values_at(&truth, places), predicted)?;
            Some(ProtocolErrors { data, protocol, target, model, learned, rows: places.len(), scores })
        };
        let mut lines = Vec::new();
        // On all times there are 36 sizes to hold out: the stack, seven fits each, adds nothing there.
        let tried = Tried::ALL
            .into_iter()
            .filter(|t| data == AuditedRows::Audited || *t != Tried::AsPublished(Paper4Architecture::Stack));
        for tried in tried {
            let mut said = Vec::with_capacity(tested.len());
            for fold in &folds {
                said.extend(self.learned(tried, &truth, fold, progress)?);
            }
            lines.extend(line(tried.as_str(), true, &said, &tested));
        }
        let mut fixed = |model, of: &dyn Fn(usize) -> Option<f64>| {
            let some: Vec<(usize, f64)> = tested.iter().filter_map(|i| Some((*i, of(*i)?))).collect();
            let (places, said): (Vec<usize>, Vec<f64>) = some.into_iter().unzip();
            lines.extend(line(model, false, &said, &places));
        };
        fixed("components + power model", &|i| Some(self.physical[i]?.target_value(target, self.rows[i])));
        fixed("plain-roofline", &|i| self.physical[i]?.at_roof(target, self.rows[i]));
        if target == GemmTarget::Power {
            fixed("power model at the measured time", &|i| Some(self.physical[i]?.watts_at_measured));
        }
        if data == AuditedRows::Audited {
            let middle = self.middles(target);
            fixed("median of the same problem's rows", &|i| {
                middle.get(&self.rows[i].problem_text()).copied()
            });
        }
        Ok(lines)
    }

    fn learned(
        &self,
        tried: Tried,
        truth: &[f64],
        fold: &RowFold,
        progress: &Progress,
    ) -> Result<Vec<f64>, LearnError> {
        let RowFold { train, test, .. } = fold;
        match tried {
            Tried::AsPublished(a) => predicted(&a.recipe(42), &self.table, truth, train, test, progress),
            Tried::Logs => {
                let logs: Vec<f64> = truth.iter().map(|v| v.ln()).collect();
                let recipe = Paper4Architecture::Linear.recipe(42);
                let said = predicted(&recipe, &self.logs, &logs, train, test, progress)?;
                Ok(said.into_iter().map(f64::exp).collect())
            }
        }
    }

    /// The median of each problem's rows: what is left is the rows' own spread.
    fn middles(&self, target: GemmTarget) -> BTreeMap<String, f64> {
        let mut all: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for row in &self.rows {
            all.entry(row.problem_text()).or_default().extend(target.target_value(row));
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
    gpus: &Catalogue<Gpu>,
    kernels: &Catalogue<Kernel>,
    power: &PowerModel,
    progress: &Progress,
) -> Result<Vec<ProtocolErrors>, LearnError> {
    let audited: Vec<&GemmRow> = rows.iter().filter(|r| r.is_audited()).collect();
    let world = ProtocolRows::new(audited, gpus, kernels, power)?;
    let mut lines = Vec::new();
    for protocol in AuditProtocol::ALL {
        for target in GemmTarget::ALL {
            lines.extend(world.audited_lines(AuditedRows::Audited, protocol, target, progress)?);
        }
    }
    let medians = medians(rows);
    let world = ProtocolRows::new(medians.iter().collect(), gpus, kernels, power)?;
    for protocol in [AuditProtocol::Problem, AuditProtocol::Size] {
        for target in [GemmTarget::Time, GemmTarget::Rate] {
            lines.extend(world.audited_lines(AuditedRows::Times, protocol, target, progress)?);
        }
    }
    Ok(lines)
}
