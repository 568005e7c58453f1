//! Runs models over every question of a protocol. A model gets a question that was put together from visible rows alone;
//! what is held out is not in its reach.

use super::parallel::in_parallel;
use super::protocol::{Protocol, RowSplit, TrialScope};
use super::setup::{Asking, EvaluationSetup, EvaluationWorld, ModelOutcome};
use super::several;
use super::tally::{Tallies, Tally, reason};
use crate::answer::{AnswerTrial, ResidualFold, Residuals};
use crate::gpu::{Gpu, TuningError};
use crate::kernel::{KernelId, Work};
use crate::measurement::{ConfigId, FloorsByKernel, Measurement, Store};
use crate::pair::Pair;
use crate::predict::{
    ModelRefusal, Predictor, Question, Subject, TimeEstimate, Visible, gpu_at_row_clocks, never_started,
    question, source_clocks, weight,
};
use crate::progress::Progress;
use rayon::iter::{IndexedParallelIterator, IntoParallelRefMutIterator, ParallelIterator};
use std::collections::BTreeSet;

/// With more trials than these, models are judged one after the other.
const MANY: usize = 4_000_000;

/// Puts every question of the protocol to every model; `None` if it was cancelled.
#[must_use]
pub fn evaluate(
    world: EvaluationWorld<'_>,
    setup: &EvaluationSetup,
    models: &[&dyn Predictor],
    progress: &Progress,
) -> Option<Vec<ModelOutcome>> {
    evaluate_with(world, setup, models, &|trial| setup.protocol.fold(trial), progress)
}

/// [`evaluate`] with another choice of what intervals may not know: for the test that plants a leak.
#[must_use]
pub fn evaluate_with(
    world: EvaluationWorld<'_>,
    setup: &EvaluationSetup,
    models: &[&dyn Predictor],
    fold: &(dyn Fn(&AnswerTrial) -> ResidualFold + Sync),
    progress: &Progress,
) -> Option<Vec<ModelOutcome>> {
    let Asking { all_sources, known_rows } = setup.asking;
    let known = several::known(world, known_rows);
    let (mut tallies, calibrating) = if setup.protocol == Protocol::NewSize {
        let split = RowSplit::largest_of(world.store);
        let tallies = sizes(world, &split, setup, models, progress)?;
        (tallies, Some(smaller_sizes(world, &split, setup, models, progress)?))
    } else if setup.protocol == Protocol::NewKernel {
        (untimed_kernels(world, setup, models, progress)?, None)
    } else {
        (pairs(world, setup, models, &known, progress)?, None)
    };
    let outcome = |i: usize, tally: &mut Tally| {
        several::learn(&known, models[i], &mut tally.trials);
        if all_sources {
            let trials = several::combined(&tally.trials, &setup.scope, fold);
            let of_pairs = std::mem::take(tally).refused;
            let refused = several::refused(world, &setup.scope, &known, trials.len(), &of_pairs);
            return ModelOutcome { model: models[i].id(), trials, refused };
        }
        let fitted = calibrating.as_ref().map_or(&tally.trials, |c| &c[i].trials);
        let residuals = Residuals::from_trials(fitted, models[i].needs_source());
        let Tally { mut trials, refused } = std::mem::take(tally);
        if !setup.scope.is_everything() {
            trials.retain(|t| setup.scope.has(t.config_index(), t.kernel, t.source, t.target));
        }
        residuals.widen(&mut trials, fold);
        if let Some(shipped) = setup.shipped.as_ref().filter(|_| setup.protocol.uses_shipped_errors()) {
            shipped.widen(&mut trials, world.kernels);
        }
        if setup.forgets_doubts {
            trials.forget_doubts();
        }
        ModelOutcome { model: models[i].id(), trials, refused }
    };
    // Half a million residuals per model are sorted: worth a thread each. Of many more those of one model are memory enough.
    let many = tallies.iter().map(|tally| tally.trials.len()).sum::<usize>() > MANY;
    Some(if many || setup.on_one_thread {
        tallies.iter_mut().enumerate().map(|(i, tally)| outcome(i, tally)).collect()
    } else {
        tallies.par_iter_mut().enumerate().map(|(i, tally)| outcome(i, tally)).collect()
    })
}

/// Every ordered pair of rows of the same configuration: of two GPUs, or of one GPU at two clocks.
fn pairs(
    world: EvaluationWorld<'_>,
    setup: &EvaluationSetup,
    models: &[&dyn Predictor],
    known: &BTreeSet<several::AskedRow>,
    progress: &Progress,
) -> Option<Vec<Tally>> {
    let configs: Vec<ConfigId> = world.store.configs().map(|(id, _)| id).collect();
    in_parallel(setup.items(configs.len(), models), progress, &|at, tallies| {
        let asker = Asker { world, setup, models, known };
        let id = configs[at];
        let rows: Vec<&Measurement> = world.store.rows_at_all_clocks(id).collect();
        let Some(subject) = (rows.len() > 1).then(|| subject(world, world.store, id)) else { return };
        let stopped = asker.never_started(&subject, &rows);
        for (to, target) in rows.iter().enumerate() {
            let hidden = Visible::without_gpu(world.store, target.gpu);
            let tuned = &asker.gpu_of_row(target);
            for (from, source) in rows.iter().enumerate().filter(|(i, _)| *i != to) {
                if (source.gpu == target.gpu) != (setup.protocol == Protocol::NewClocks) {
                    continue;
                }
                let places = Pair::new(from, to).map(|i| u16::try_from(i).unwrap_or(u16::MAX));
                let trial = AnswerTrial { rows: places, ..asker.trial(at, target, Some(source)) };
                if let Some(why) = stopped[to].as_ref().or(stopped[from].as_ref()) {
                    asker.count_refusal(trial, why, tallies);
                    continue;
                }
                let third = |r: &&Measurement| r.gpu != source.gpu && r.gpu != target.gpu;
                let others = rows.iter().copied().filter(third);
                let borrows = |q: &Question<'_>, s: &Subject| borrowed(q, s, source, others.clone());
                let put = Put { subject: &subject, visible: hidden.with_row(id, source), tuned };
                asker.put(put, trial, &borrows, tallies);
            }
        }
    })
}

/// Every row from nothing but counts: no time of its kernel is known anywhere, not even as a launch floor.
fn untimed_kernels(
    world: EvaluationWorld<'_>,
    setup: &EvaluationSetup,
    models: &[&dyn Predictor],
    progress: &Progress,
) -> Option<Vec<Tally>> {
    let configs: Vec<(ConfigId, KernelId)> = world.store.configs().map(|(id, c)| (id, c.kernel)).collect();
    let floors = FloorsByKernel::from_store(world.store);
    in_parallel(setup.items(configs.len(), models), progress, &|at, tallies| {
        let asker = Asker { world, setup, models, known: &BTreeSet::new() };
        let (id, kernel) = configs[at];
        let rows: Vec<&Measurement> = world.store.rows_at_all_clocks(id).collect();
        let subject = subject(world, world.store, id);
        let stopped = asker.never_started(&subject, &rows);
        for (i, row) in rows.iter().enumerate() {
            let places = Pair::same(u16::try_from(i).unwrap_or(u16::MAX));
            let trial = AnswerTrial { rows: places, ..asker.trial(at, row, None) };
            if let Some(why) = &stopped[i] {
                asker.count_refusal(trial, why, tallies);
                continue;
            }
            let visible = Visible::from(world.store).with_row(id, row).with_floors(floors.without(kernel));
            let tuned = &asker.gpu_of_row(row);
            asker.put(Put { subject: &subject, visible, tuned }, trial, &|_, _| false, tallies);
        }
    })
}

/// The largest size on each GPU, from smaller ones on the same GPU.
fn sizes(
    world: EvaluationWorld<'_>,
    split: &RowSplit,
    setup: &EvaluationSetup,
    models: &[&dyn Predictor],
    progress: &Progress,
) -> Option<Vec<Tally>> {
    let configs: Vec<ConfigId> = world.store.configs().map(|(id, _)| id).collect();
    in_parallel(setup.items(split.held_out.len(), models), progress, &|i, tallies| {
        let asker = Asker { world, setup, models, known: &BTreeSet::new() };
        let (at, gpu) = split.held_out[i];
        let Some(truth) = world.store.row_on(configs[at], gpu) else { return };
        let subject = subject(world, &split.known, configs[at]).map(|subject| counted_as(subject, truth));
        let trial = asker.trial(at, truth, None);
        let stopped = asker.never_started(&subject, &[truth]).remove(0);
        let uncounted = || subject.as_ref().is_ok_and(|s| !is_counted(&s.instance.work));
        let stopped = stopped.or_else(|| uncounted().then(|| NO_COUNTS_AT_SIZE.to_string()));
        match &stopped {
            Some(why) => asker.count_refusal(trial, why, tallies),
            None => {
                let put = Put {
                    subject: &subject,
                    visible: (&split.known).into(),
                    tuned: &asker.gpu_of_row(truth),
                };
                asker.put(put, trial, &|_, _| false, tallies);
            }
        }
    })
}

/// Why a size cannot be predicted from another one, whatever the model.
const NO_COUNTS_AT_SIZE: &str =
    "its file has no formulas that give its counts at another size, and its row counts nothing";

fn is_counted(work: &Work) -> bool {
    work.flops().is_some() || work.dram().is_some()
}

/// The size as its row counts it, where the kernel has no formulas: counts and launch are no times, and known of a size that is new.
fn counted_as(mut subject: Subject, truth: &Measurement) -> Subject {
    if !is_counted(&subject.instance.work) {
        let instance = &mut subject.instance;
        instance.work = instance.work.with_counts(&truth.work());
        instance.launch = instance.launch.or(truth.launch());
    }
    subject
}

/// The same one size below, over everything: the residuals that a question about the largest size may know.
fn smaller_sizes(
    world: EvaluationWorld<'_>,
    split: &RowSplit,
    setup: &EvaluationSetup,
    models: &[&dyn Predictor],
    progress: &Progress,
) -> Option<Vec<Tally>> {
    let setup = EvaluationSetup { scope: TrialScope::default(), ..setup.clone() };
    let below = RowSplit::largest_of(&split.known);
    sizes(EvaluationWorld { store: &split.known, ..world }, &below, &setup, models, progress)
}

/// The configuration as a question has it, found in the rows that are known; or why it cannot be asked about.
fn subject(world: EvaluationWorld<'_>, known: &Store, id: ConfigId) -> Result<Subject, String> {
    let config = world.store.config(id);
    let kernel = &world.kernels[config.kernel];
    let place = if std::ptr::eq(world.store, known) { Some(id) } else { known.find_same(config) };
    Subject::from_config(kernel, config, place).map_err(|e| format!("{}: {e}", kernel.id))
}

/// Whether counts or shapes came from a row that is neither the source's nor the target's.
fn borrowed<'r>(
    q: &Question<'_>,
    subject: &Subject,
    source: &Measurement,
    mut others: impl Iterator<Item = &'r Measurement>,
) -> bool {
    q.work != subject.instance.work.with_counts(&source.work())
        || (source.launch().is_none() && others.any(states_needs))
}

/// Whether a row says anything of what a block needs.
fn states_needs(row: &Measurement) -> bool {
    let stated = [row.regs_per_thread(), row.smem_static(), row.smem_dynamic()];
    row.launch().is_some() || stated.iter().any(Option::is_some)
}

/// One question: what is asked about, what may be seen, and the target at the clocks of the row that is to be predicted, of
/// which nothing else is looked at.
#[derive(Clone, Copy)]
struct Put<'a> {
    subject: &'a Result<Subject, String>,
    visible: Visible<'a>,
    tuned: &'a Result<Option<Gpu>, TuningError>,
}

/// Who puts questions.
#[derive(Clone, Copy)]
struct Asker<'a> {
    world: EvaluationWorld<'a>,
    setup: &'a EvaluationSetup,
    models: &'a [&'a dyn Predictor],
    /// Rows that are not scored: what is refused of them counts no more than what is answered.
    known: &'a BTreeSet<several::AskedRow>,
}

impl Asker<'_> {
    /// Without a source the target stands on both sides.
    fn trial(&self, config: usize, truth: &Measurement, source: Option<&Measurement>) -> AnswerTrial {
        let gpus = Pair::new(source.map_or(truth.gpu, |row| row.gpu), truth.gpu);
        AnswerTrial {
            source_time: source.map(|row| row.time.0).into(),
            measured: truth.time.0,
            ..AnswerTrial::unanswered(config, truth.kernel, gpus)
        }
    }

    /// For each of these rows of one configuration, why its launch cannot have started: then it is no measurement of the
    /// kernel, whatever a model would say of it. Looking at the target's row for this tells the models nothing.
    fn never_started(&self, subject: &Result<Subject, String>, rows: &[&Measurement]) -> Vec<Option<String>> {
        let any_row = rows.iter().copied().find(|r| r.launch().is_some());
        let why = |row: &&Measurement| {
            let gpu = &self.world.gpus[row.gpu];
            let kernel = &self.world.kernels[row.kernel];
            let why = never_started(kernel, &subject.as_ref().ok()?.instance, gpu, row, any_row)?;
            Some(reason(&ModelRefusal::CannotLaunch { gpu: gpu.id.clone(), why }))
        };
        rows.iter().map(why).collect()
    }

    /// Counts a question that no model is asked.
    fn count_refusal(&self, trial: AnswerTrial, why: &str, tallies: &mut Tallies) {
        if self.setup.scope.has(trial.config_index(), trial.kernel, trial.source, trial.target) {
            tallies.count_refusal(why);
        }
    }

    /// The GPU at the clocks that this row states, where it states others. The clocks of a row are a setting, not a
    /// measurement: it is predicted at its own.
    fn gpu_of_row(&self, row: &Measurement) -> Result<Option<Gpu>, TuningError> {
        let gpu = &self.world.gpus[row.gpu];
        gpu_at_row_clocks(gpu, gpu, row)
    }

    /// Puts one question to every model.
    fn put(
        &self,
        Put { subject, visible, tuned }: Put<'_>,
        trial: AnswerTrial,
        borrows: &dyn Fn(&Question<'_>, &Subject) -> bool,
        tallies: &mut Tallies,
    ) {
        let EvaluationSetup { ceilings, rules, scope, lessons, asking, .. } = self.setup;
        let looked_at = scope.has(trial.config_index(), trial.kernel, trial.source, trial.target)
            && !self.known.contains(&(trial.config_index(), trial.target));
        let subject = match subject {
            Ok(subject) => subject,
            Err(why) => return self.count_refusal(trial, why, tallies),
        };
        let [source, target] = [trial.source, trial.target].map(|i| &self.world.gpus[i]);
        let kernel = &self.world.kernels[trial.kernel];
        let clocks = source_clocks(source, source, subject, trial.source, visible);
        let tuned = match tuned {
            Ok(tuned) => tuned,
            Err(why) => return self.count_refusal(trial, &format!("clocks of a row: {why}"), tallies),
        };
        let pair =
            Pair::new((trial.source, clocks.gpu(source)), (trial.target, tuned.as_ref().unwrap_or(target)));
        let mut q = question(kernel, subject, pair, visible, *ceilings, *rules);
        if self.setup.protocol == Protocol::NewKernel {
            q.source_time = None;
        }
        let trial = AnswerTrial { information: q.work.information(), ..trial };
        q.lesson = lessons.as_ref().and_then(|l| l.lesson_for(trial.kernel, trial.target));
        if q.ceilings != *ceilings {
            let why = q.ceilings_caution.as_ref().map_or_else(String::new, ToString::to_string);
            return self.count_refusal(trial, &why, tallies);
        }
        // Sources are weighed where several make one prediction, and nowhere else.
        let weight = if asking.all_sources { weight(&q) } else { 0.0 };
        let trial = AnswerTrial { borrowed: borrows(&q, subject), weight, ..trial };
        let answered = |model: &&dyn Predictor| match model.estimate(&q) {
            Ok(TimeEstimate { time, doubt, width, .. }) => Ok(AnswerTrial {
                predicted: time.0,
                doubt: doubt.map(|d| d.total()).into(),
                width: width.map(|w| w.in_doubts).into(),
                ..trial
            }),
            Err(why) => Err(looked_at.then_some(why)),
        };
        tallies.take_answers(self.models.iter().map(answered));
    }
}
