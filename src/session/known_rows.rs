//! What the user's own rows on a target say of a model there, summed up once per source, target and settings.

use super::Session;
use crate::answer::{Answer, KnownRow, KnownRows, Settings};
use crate::measurement::{ConfigId, Kind, Measurement, Store};
use crate::predict::{MODELS, Subject, question};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// As many rows of a kernel are looked at on one GPU, evenly spread over those there are: more would not move a mean.
const PER_KERNEL: usize = 64;

/// Source, target, and how it was asked.
type Asked = (usize, usize, Settings);

/// One residual per row looked at, and their sums.
#[derive(Debug, Default)]
struct Learned {
    rows: KnownRows,
    own: HashMap<ConfigId, f64>,
}

/// The user's rows by GPU, and what was learned from them so far. Whoever changes rows, kernels or GPUs makes a new one.
#[derive(Debug, Default)]
pub(super) struct Corrections {
    rows: OnceLock<BTreeMap<usize, Vec<ConfigId>>>,
    learned: Mutex<HashMap<Asked, Arc<Learned>>>,
}

/// A session is cloned to be changed: the clone learns again.
impl Clone for Corrections {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Corrections {
    /// Finds the user's rows now instead of when they are first asked for.
    pub(super) fn arrange(&self, store: &Store) {
        let _ = self.rows(store);
    }

    /// Whether the user has rows at all.
    pub(super) fn any(&self, store: &Store) -> bool {
        !self.rows(store).is_empty()
    }

    /// Forgets what was summed up; the rows stay.
    pub(super) fn forget(&self) {
        self.learned.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn rows(&self, store: &Store) -> &BTreeMap<usize, Vec<ConfigId>> {
        self.rows.get_or_init(|| own_rows(store))
    }
}

/// Configurations that the user timed, by GPU.
fn own_rows(store: &Store) -> BTreeMap<usize, Vec<ConfigId>> {
    let mut all: BTreeMap<(usize, usize), Vec<ConfigId>> = BTreeMap::new();
    if store.rows().any(|r| r.kind == Kind::Measured) {
        for (id, config) in store.configs() {
            for row in store.rows_of(id).filter(|r| r.kind == Kind::Measured) {
                all.entry((row.gpu, config.kernel)).or_default().push(id);
            }
        }
    }
    let mut by_gpu: BTreeMap<usize, Vec<ConfigId>> = BTreeMap::new();
    for ((gpu, _), configs) in all {
        let every = configs.len().div_ceil(PER_KERNEL);
        by_gpu.entry(gpu).or_default().extend(configs.iter().step_by(every.max(1)));
    }
    by_gpu
}

impl Session {
    /// What is known of a target is found now instead of at the first answer: for those who must answer at once later.
    pub fn arrange(&self) {
        self.store.arrange();
        self.corrections.arrange(&self.store);
    }

    /// An answer with its time corrected by the user's other rows on the target; as it is where there are none, or where
    /// source and target are the same.
    pub(super) fn corrected(&self, mut answer: Answer, subject: &Subject) -> Answer {
        let asked = (answer.source, answer.target, answer.settings);
        let unknown = || !self.corrections.rows(&self.store).contains_key(&answer.target);
        if !MODELS[answer.settings.model].is_corrected() || answer.source == answer.target || unknown() {
            return answer;
        }
        let learned = self.learned(asked);
        let own = subject.config.and_then(|c| learned.own.get(&c).copied());
        let category = self.kernels.entries()[subject.kernel].known_category();
        if let Some(correction) = learned.rows.correction(subject.kernel, category, own) {
            answer.correct(correction, &self.gpus.entries()[asked.1].id);
        }
        answer
    }

    fn learned(&self, asked: Asked) -> Arc<Learned> {
        let lock = || self.corrections.learned.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&asked) {
            return known.clone();
        }
        let learned = Arc::new(self.learn(asked));
        lock().insert(asked, learned.clone());
        learned
    }

    /// The model's residuals on the user's rows of the target, from this source.
    fn learn(&self, (source, target, settings): Asked) -> Learned {
        let rows = self.corrections.rows(&self.store).get(&target).map_or(&[][..], Vec::as_slice);
        let mut own = HashMap::new();
        let known = rows.iter().filter_map(|id| {
            let row = self.store.row(*id, target)?;
            let ln = self.residual(*id, row, source, settings)?;
            own.insert(*id, ln);
            let category = self.kernels.entries()[row.kernel].known_category();
            Some(KnownRow { kernel: row.kernel, category, ln })
        });
        Learned { rows: KnownRows::of(known), own }
    }

    /// ln(measured / predicted); `None` where nobody timed the kernel on the source, or the model refuses.
    fn residual(&self, id: ConfigId, row: &Measurement, source: usize, settings: Settings) -> Option<f64> {
        let kernel = &self.kernels.entries()[row.kernel];
        let subject = Subject::of(kernel, self.store.config(id), Some(id)).ok()?;
        let pair = [source, row.gpu].map(|g| (g, &self.gpus.entries()[g]));
        let mut q = question(kernel, &subject, pair, &self.store, settings.ceilings, settings.rules);
        q.lesson = self.lessons().of(row.kernel, row.gpu);
        q.source_time.as_ref()?.extrapolation?;
        let predicted = MODELS[settings.model].time(&q).ok()?;
        let ln = (row.time / predicted).ln();
        ln.is_finite().then_some(ln)
    }
}
