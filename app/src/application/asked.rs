//! Groups as questions about kernels: sessions that hold their rows, and the subject of each.

use super::group::KernelGroup;
use super::recorded::Application;
use super::rows::{counted_row, operator_row, time_alone_row};
use crate::gpu::{Gpu, GpuId};
use crate::kernel::{Information, Problem};
use crate::measurement::{CanonicalRow, ConfigId, POWER_LIMIT_COLUMN};
use crate::predict::Subject;
use crate::session::Session;
use std::collections::{HashMap, HashSet};

/// How many groups of one operator and size are told apart.
const LAYERS: usize = 8;

/// Why a group is no question about a kernel.
const NOT_COUNTED: &str = "no FLOP or byte counts; profile with ncu";

/// Why the counts of a group are not taken.
const NOT_ITS_OWN: &str =
    "its operator moves more bytes than fit in its time: not its own counts; profile with ncu";

/// How many times as fast as L2 reads bytes of a kernel's own can at most seem to have moved.
const FASTER_THAN_L2: f64 = 2.0;

/// Groups as questions about kernels.
pub(super) struct AskedGroups {
    /// Sessions with the rows of the groups; two groups of one operator and size stand in different ones.
    layers: Vec<Session>,
    /// For each group its question as an operator of the catalogue, where it is one.
    operators: Vec<Option<AskedGroup>>,
    /// For each group its question as a kernel of its own, or why there is none.
    kernels: Vec<Result<AskedGroup, String>>,
    /// A kernel of which nothing but a time is known.
    time_alone: Option<AskedGroup>,
}

/// A question about a group.
#[derive(Debug, Clone)]
struct AskedGroup {
    layer: usize,
    subject: Subject,
}

/// A question and the session that answers it.
pub(super) struct GroupQuestion<'a> {
    /// It holds the group's row.
    pub(super) session: &'a Session,
    /// The group.
    pub(super) subject: &'a Subject,
}

/// Rows being dealt out to sessions.
#[derive(Default)]
struct Layers {
    rows: Vec<Vec<CanonicalRow>>,
    taken: Vec<HashSet<(String, String, String)>>,
}

impl Layers {
    /// Puts a row where no other is of its kernel and problem; `None` where all such places are taken.
    fn place(&mut self, row: CanonicalRow) -> Option<(usize, CanonicalRow)> {
        let key = (row.kernel.clone(), row.problem.clone(), row.variant.clone());
        let layer = (0..LAYERS).find(|l| self.taken.get(*l).is_none_or(|t| !t.contains(&key)))?;
        if layer == self.taken.len() {
            self.taken.push(HashSet::new());
            self.rows.push(Vec::new());
        }
        self.taken[layer].insert(key);
        self.rows[layer].push(row.clone());
        Some((layer, row))
    }

    /// Notes the power limit that is set for the program's GPU in every row that states none: a trace says nothing of it.
    fn state_limit(&mut self, gpu: &Gpu) {
        if gpu.lowered_from().is_none() {
            return;
        }
        let limit = gpu.power_limit.value.0.to_string();
        let unstated = |row: &&mut CanonicalRow| row.attributes.get(POWER_LIMIT_COLUMN).is_none();
        for row in self.rows.iter_mut().flatten().filter(unstated) {
            row.attributes.insert(POWER_LIMIT_COLUMN.to_string(), limit.clone());
        }
    }
}

impl AskedGroups {
    /// # Errors
    /// Why the rows cannot be read as a whole.
    pub(super) fn new(session: &Session, application: &Application, source: GpuId) -> Result<Self, String> {
        let gpu = &session.gpus[source].id;
        let mut profiled = profiled_rows(application, gpu);
        let mut layers = Layers::default();
        let time_alone = layers.place(time_alone_row(gpu, &application.file));
        let (mut operators, mut kernels) = (Vec::new(), Vec::new());
        for (place, group) in application.groups.iter().enumerate() {
            let operator = operator_row(place, group, gpu, &application.file);
            operators.push(operator.and_then(|row| layers.place(row)));
            let counted = match group.profiled {
                Some(row) => profiled.remove(&row.place),
                None => counted_row(place, group, gpu, &application.file),
            };
            kernels.push(counted.and_then(|row| layers.place(row)));
        }
        layers.state_limit(&session.gpus[source]);
        let with_rows = |rows: &Vec<CanonicalRow>| {
            let mut own = session.clone();
            own.add_rows(rows, &application.file).map_err(|why| why.to_string()).map(|_| own)
        };
        let layers: Vec<Session> = layers.rows.iter().map(with_rows).collect::<Result<_, _>>()?;
        let timed: Vec<HashMap<String, ConfigId>> =
            layers.iter().map(|layer| configs_by_source(layer, source)).collect();
        let asked = |(layer, row): (usize, CanonicalRow)| {
            subject_of(&layers[layer], &row).map(|subject| AskedGroup { layer, subject })
        };
        // A report's row may have been loaded as a kernel of its own: it is found again by where it stands.
        let profiled = |(layer, row): (usize, CanonicalRow)| {
            let config = timed[layer].get(&row.source).ok_or("its row was refused")?;
            let subject = layers[layer].timed_subject(*config).map_err(|why| why.to_string())?;
            let timed = layers[layer].store.row_on(*config, source);
            let work = timed.map_or(subject.instance.work, |row| row.filling(subject.instance.work));
            if work.information() == Information::TimeAlone {
                return Err(NOT_COUNTED.into());
            }
            Ok(AskedGroup { layer, subject })
        };
        let time_alone = time_alone.and_then(|placed| asked(placed).ok());
        let operators = operators.into_iter().map(|p| p.and_then(|p| asked(p).ok())).collect();
        let l2_bandwidth = session.gpus[source].l2_bandwidth_or_derived().value.0;
        let of_group = |(group, placed): (&KernelGroup, Option<(usize, CanonicalRow)>)| {
            if seems_faster_than_l2(group, l2_bandwidth) {
                return Err(NOT_ITS_OWN.into());
            }
            let placed = placed.ok_or(NOT_COUNTED)?;
            if group.profiled.is_some() { profiled(placed) } else { asked(placed) }
        };
        let kernels = application.groups.iter().zip(kernels).map(of_group).collect();
        Ok(Self { layers, operators, kernels, time_alone })
    }

    /// The group at this place as an operator of the catalogue, where it is one.
    pub(super) fn as_operator(&self, place: usize) -> Option<GroupQuestion<'_>> {
        self.operators[place].as_ref().map(|asked| self.question(asked))
    }

    /// The group at this place as a kernel of its own.
    ///
    /// # Errors
    /// Why it is none.
    pub(super) fn as_kernel(&self, place: usize) -> Result<GroupQuestion<'_>, String> {
        self.kernels[place].as_ref().map(|asked| self.question(asked)).map_err(Clone::clone)
    }

    /// A kernel of which nothing but a time is known.
    pub(super) fn as_time_alone(&self) -> Option<GroupQuestion<'_>> {
        self.time_alone.as_ref().map(|asked| self.question(asked))
    }

    fn question<'a>(&'a self, asked: &'a AskedGroup) -> GroupQuestion<'a> {
        GroupQuestion { session: &self.layers[asked.layer], subject: &asked.subject }
    }
}

/// Whether the bytes of a group by its operator's shapes would have moved faster than L2 (bytes per second) can: it is a helper of that operator.
fn seems_faster_than_l2(group: &KernelGroup, l2_bandwidth: f64) -> bool {
    let moved =
        group.counts.as_ref().filter(|_| group.profiled.is_none()).and_then(|counts| counts.dram_bytes);
    moved.is_some_and(|bytes| bytes > FASTER_THAN_L2 * l2_bandwidth * group.mean().0)
}

/// The rows of a report that stand for a group, by their place, measured on this GPU.
fn profiled_rows(application: &Application, gpu: &str) -> HashMap<u32, CanonicalRow> {
    let Some(rows) = &application.rows else { return HashMap::new() };
    let places: HashSet<u32> =
        application.groups.iter().filter_map(|group| group.profiled).map(|row| row.place).collect();
    let stands = |(place, row): (u32, CanonicalRow)| {
        places.contains(&place).then(|| (place, CanonicalRow { gpu: gpu.to_string(), ..row }))
    };
    (0..).zip(rows.iter()).filter_map(stands).collect()
}

/// The configurations that the user's rows time on this GPU, by the source of the row.
fn configs_by_source(session: &Session, gpu: GpuId) -> HashMap<String, ConfigId> {
    let all = session.own_configs().into_iter();
    all.filter_map(|(id, _)| Some((session.store.row_on(id, gpu)?.source().to_string(), id))).collect()
}

/// The subject of a row that was added to this session.
fn subject_of(session: &Session, row: &CanonicalRow) -> Result<Subject, String> {
    let kernel = session.kernels.id_named(&row.kernel).ok_or("its row was refused")?;
    let problem: Problem = row.problem.parse().map_err(|e| format!("{e}"))?;
    let subject = session.subject(kernel, &problem, &row.variant).map_err(|e| e.to_string())?;
    if subject.config.is_none() {
        return Err("its row was refused".into());
    }
    Ok(subject)
}
