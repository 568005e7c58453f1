//! Runs models over every question of a protocol. A model gets a question that was put together from visible rows alone;
//! what is held out is not in its reach.

use super::parallel::in_parallel;
use super::protocol::{Protocol, Scope, Split};
use super::setup::{Asking, Outcome, Setup, World};
use super::several;
use super::tally::{Tally, reason};
use crate::answer::{Fold, Residuals, Trial};
use crate::gpu::GpuId;
use crate::measurement::{ConfigId, Measurement, Store};
use crate::predict::{
    Estimate, Predictor, Question, Refusal, Subject, Visible, never_started, question, source_clocks, weight,
};
use crate::progress::Progress;
use rayon::iter::{IndexedParallelIterator, IntoParallelRefMutIterator, ParallelIterator};
use std::collections::BTreeSet;

/// Puts every question of the protocol to every model; `None` if it was cancelled.
#[must_use]
pub fn evaluate(
    world: World<'_>,
    setup: &Setup,
    models: &[&dyn Predictor],
    progress: &Progress,
) -> Option<Vec<Outcome>> {
    evaluate_with(world, setup, models, &|trial| setup.protocol.fold(trial), progress)
}

/// [`evaluate`] with another choice of what intervals may not know: for the test that plants a leak.
#[must_use]
pub fn evaluate_with(
    world: World<'_>,
    setup: &Setup,
    models: &[&dyn Predictor],
    fold: &(dyn Fn(&Trial) -> Fold + Sync),
    progress: &Progress,
) -> Option<Vec<Outcome>> {
    let Asking { all_sources, known_rows } = setup.asking;
    let known = several::known(world, known_rows);
    let (mut tallies, calibrating) = if setup.protocol == Protocol::NewSize {
        let split = Split::largest_of(world.store);
        let tallies = sizes(world, &split, setup, models, progress)?;
        (tallies, Some(smaller_sizes(world, &split, setup, models, progress)?))
    } else {
        (pairs(world, setup, models, &known, progress)?, None)
    };
    let outcome = |i: usize, tally: &mut Tally| {
        several::learn(world, &known, models[i], &mut tally.trials);
        if all_sources {
            let trials = several::combined(&tally.trials, &setup.scope, fold);
            let of_pairs = std::mem::take(tally).into_refused();
            let refused = several::refused(world, &setup.scope, &known, trials.len(), &of_pairs);
            return Outcome { model: models[i].id(), trials, refused };
        }
        let fitted = calibrating.as_ref().map_or(&tally.trials, |c| &c[i].trials);
        let residuals = Residuals::of(fitted, models[i].needs_source());
        let mut trials = std::mem::take(&mut tally.trials);
        trials.retain(|t| setup.scope.has(t.config, t.kernel, t.source, t.target));
        residuals.widen(&mut trials, fold);
        if let Some(shipped) = setup.shipped.as_ref().filter(|_| setup.protocol != Protocol::NewSize) {
            shipped.widen(&mut trials, world.kernels);
        }
        Outcome { model: models[i].id(), trials, refused: std::mem::take(tally).into_refused() }
    };
    // Half a million residuals per model are sorted: worth a thread each.
    let outcomes = tallies.par_iter_mut().enumerate().map(|(i, tally)| outcome(i, tally)).collect();
    Some(outcomes)
}

/// Every ordered pair of GPUs that timed the same configuration.
fn pairs(
    world: World<'_>,
    setup: &Setup,
    models: &[&dyn Predictor],
    known: &BTreeSet<several::Row>,
    progress: &Progress,
) -> Option<Vec<Tally>> {
    let configs: Vec<ConfigId> = world.store.configs().map(|(id, _)| id).collect();
    in_parallel(configs.len(), models.len(), progress, |at, tallies| {
        let asker = Asker { world, setup, models, known };
        let id = configs[at];
        let rows: Vec<&Measurement> = world.store.rows_of(id).collect();
        let Some(subject) = (rows.len() > 1).then(|| subject(world, world.store, id)) else { return };
        let stopped = asker.never_started(&subject, &rows);
        for (target, stopped_there) in rows.iter().zip(&stopped) {
            let visible = Visible::without_gpu(world.store, target.gpu);
            for (source, stopped_here) in rows.iter().zip(&stopped).filter(|(r, _)| r.gpu != target.gpu) {
                let trial = asker.trial(at, target, source.gpu, Some(source.time.0));
                if let Some(why) = stopped_there.as_ref().or(stopped_here.as_ref()) {
                    asker.refuse(trial, why, tallies);
                    continue;
                }
                let third = |r: &&Measurement| r.gpu != source.gpu && r.gpu != target.gpu;
                let others = rows.iter().copied().filter(third);
                let borrows = |q: &Question<'_>, s: &Subject| borrowed(q, s, source, others.clone());
                asker.put(&subject, visible, trial, &borrows, tallies);
            }
        }
    })
}

/// The largest size on each GPU, from smaller ones on the same GPU.
fn sizes(
    world: World<'_>,
    split: &Split,
    setup: &Setup,
    models: &[&dyn Predictor],
    progress: &Progress,
) -> Option<Vec<Tally>> {
    let configs: Vec<ConfigId> = world.store.configs().map(|(id, _)| id).collect();
    in_parallel(split.held_out.len(), models.len(), progress, |i, tallies| {
        let asker = Asker { world, setup, models, known: &BTreeSet::new() };
        let (at, gpu) = split.held_out[i];
        let Some(truth) = world.store.row(configs[at], gpu) else { return };
        let subject = subject(world, &split.known, configs[at]);
        let trial = asker.trial(at, truth, gpu, None);
        match &asker.never_started(&subject, &[truth])[0] {
            Some(why) => asker.refuse(trial, why, tallies),
            None => asker.put(&subject, (&split.known).into(), trial, &|_, _| false, tallies),
        }
    })
}

/// The same one size below, over everything: the residuals that a question about the largest size may know.
fn smaller_sizes(
    world: World<'_>,
    split: &Split,
    setup: &Setup,
    models: &[&dyn Predictor],
    progress: &Progress,
) -> Option<Vec<Tally>> {
    let setup = Setup { scope: Scope::default(), ..setup.clone() };
    let below = Split::largest_of(&split.known);
    sizes(World { store: &split.known, ..world }, &below, &setup, models, progress)
}

/// The configuration as a question has it, found in the rows that are known; or why it cannot be asked about.
fn subject(world: World<'_>, known: &Store, id: ConfigId) -> Result<Subject, String> {
    let config = world.store.config(id);
    let kernel = &world.kernels[config.kernel];
    let place = if std::ptr::eq(world.store, known) { Some(id) } else { known.find_same(config) };
    Subject::of(kernel, config, place).map_err(|e| format!("{}: {e}", kernel.id))
}

/// Whether counts or shapes came from a row that is neither the source's nor the target's.
fn borrowed<'r>(
    q: &Question<'_>,
    subject: &Subject,
    source: &Measurement,
    mut others: impl Iterator<Item = &'r Measurement>,
) -> bool {
    q.work != subject.instance.work.overlaid(&source.work())
        || (source.launch().is_none() && others.any(states_needs))
}

/// Whether a row says anything of what a block needs.
fn states_needs(row: &Measurement) -> bool {
    let stated = [row.regs_per_thread(), row.smem_static(), row.smem_dynamic()];
    row.launch().is_some() || stated.iter().any(Option::is_some)
}

/// Who puts questions.
#[derive(Clone, Copy)]
struct Asker<'a> {
    world: World<'a>,
    setup: &'a Setup,
    models: &'a [&'a dyn Predictor],
    /// Rows that are not scored: what is refused of them counts no more than what is answered.
    known: &'a BTreeSet<several::Row>,
}

impl Asker<'_> {
    fn trial(&self, config: usize, truth: &Measurement, source: GpuId, source_time: Option<f64>) -> Trial {
        Trial {
            config,
            kernel: truth.kernel,
            source,
            target: truth.gpu,
            source_time,
            measured: truth.time.0,
            predicted: 0.0,
            interval: 0.0,
            borrowed: false,
            weight: 0.0,
            doubt: None,
            width: None,
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
            Some(reason(&Refusal::CannotLaunch { gpu: gpu.id.clone(), why }))
        };
        rows.iter().map(why).collect()
    }

    /// Counts a question that no model is asked.
    fn refuse(&self, trial: Trial, why: &str, tallies: &mut [Tally]) {
        if self.setup.scope.has(trial.config, trial.kernel, trial.source, trial.target) {
            tallies.iter_mut().for_each(|t| t.refuse(why));
        }
    }

    /// Puts one question to every model.
    fn put(
        &self,
        subject: &Result<Subject, String>,
        visible: Visible<'_>,
        trial: Trial,
        borrows: &dyn Fn(&Question<'_>, &Subject) -> bool,
        tallies: &mut [Tally],
    ) {
        let Setup { ceilings, rules, scope, lessons, .. } = self.setup;
        let looked_at = scope.has(trial.config, trial.kernel, trial.source, trial.target)
            && !self.known.contains(&(trial.config, trial.target));
        let subject = match subject {
            Ok(subject) => subject,
            Err(why) => return self.refuse(trial, why, tallies),
        };
        let at = |i: GpuId| (i, &self.world.gpus[i]);
        let kernel = &self.world.kernels[trial.kernel];
        let (source, stated) = at(trial.source);
        let clocks = source_clocks(stated, stated, subject, source, visible);
        let pair = [(source, clocks.gpu(stated)), at(trial.target)];
        let mut q = question(kernel, subject, pair, visible, *ceilings, *rules);
        q.lesson = lessons.as_ref().and_then(|l| l.of(trial.kernel, trial.target));
        if q.ceilings != *ceilings {
            let why = q.ceilings_caution.as_ref().map_or_else(String::new, ToString::to_string);
            return self.refuse(trial, &why, tallies);
        }
        let (borrowed, weight) = (borrows(&q, subject), weight(&q));
        for (model, tally) in self.models.iter().zip(tallies) {
            match model.estimate(&q) {
                Ok(Estimate { time, doubt, width, .. }) => {
                    let (doubt, width) = (doubt.map(|d| d.total()), width.map(|w| w.in_doubts));
                    tally.trials.push(Trial { predicted: time.0, borrowed, weight, doubt, width, ..trial });
                }
                Err(why) if looked_at => tally.refuse_for(&why),
                Err(_) => {}
            }
        }
    }
}
