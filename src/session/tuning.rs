//! Clocks and power limits that were typed, laid over the catalogue: whatever is asked afterwards is modelled at them.

use super::Session;
use crate::answer::Sources;
use crate::catalogue::{Catalogue, NameError};
use crate::gpu::{
    ChangeAmount, ChangeError, Clocks, Gpu, GpuChanges, GpuId, GpuNumber, Tuning, TuningError, clock, power,
};
use crate::power::{check_board_limit, with_lowest_limit};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Settings as the command line types them, each `[GPU=]VALUE`; without a GPU they are the targets'.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TypedTunings {
    /// SM clocks.
    pub sm_clock: Vec<String>,
    /// Memory clocks.
    pub mem_clock: Vec<String>,
    /// Power limits.
    pub power_limit: Vec<String>,
}

/// Why typed settings cannot be followed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TuneError {
    /// No GPU of that name.
    #[error("{flag}: {error}")]
    Name {
        /// `--sm-clock`.
        flag: &'static str,
        /// Which there are.
        error: NameError,
    },
    /// A value that is none, or that no such board could be set to.
    #[error("{flag}: {error}")]
    Value {
        /// `--sm-clock`.
        flag: &'static str,
        /// What was expected.
        error: TuningError,
    },
    /// No GPU to set it for.
    #[error("{flag} {typed}: names no GPU, and there is no target; write GPU={typed}")]
    NoGpu {
        /// `--sm-clock`.
        flag: &'static str,
        /// As typed.
        typed: String,
    },
    /// A GPU that is not asked about.
    #[error("{flag} {typed}: {gpu} is neither a source nor a target")]
    NotAsked {
        /// `--sm-clock`.
        flag: &'static str,
        /// As typed.
        typed: String,
        /// The GPU's id.
        gpu: String,
    },
    /// Two values of one setting.
    #[error("{flag} {typed}: {gpu} has two values of it; give it once")]
    Twice {
        /// `--sm-clock`.
        flag: &'static str,
        /// As typed.
        typed: String,
        /// The GPU's id.
        gpu: String,
    },
    /// Changes that a GPU at these settings cannot have.
    #[error(transparent)]
    Changes(Box<ChangeError>),
    /// A GPU whose name states the same setting.
    #[error("{flag} {typed}: the name {gpu} states that already; give one of both")]
    InName {
        /// `--sm-clock`.
        flag: &'static str,
        /// As typed.
        typed: String,
        /// The GPU's id.
        gpu: String,
    },
}

impl TuneError {
    /// Whether another GPU could be set so.
    const fn is_of_this_gpu(&self) -> bool {
        let is_out_of_range = matches!(
            self,
            Self::Value { error: TuningError::OutOfRange(_) | TuningError::LimitTooLow(_), .. }
        );
        is_out_of_range || matches!(self, Self::Changes(_))
    }
}

/// Targets and sources at typed settings.
#[derive(Debug, Clone, PartialEq)]
pub struct LaidTargets {
    /// Those to ask about.
    pub targets: Vec<GpuId>,
    /// Of each the GPU that was named.
    pub named: Vec<GpuId>,
    /// The sources to ask about.
    pub sources: Sources,
    /// Why others cannot be set so.
    pub left_out: Vec<TuneError>,
}

impl TypedTunings {
    /// Lays them over the session's GPUs; the targets and sources to ask about then, each the GPU of the name that states them
    /// (`rtx-3090@1500MHz`). Settings without a GPU are the targets' alone: a source stays as it was timed. Those that name a GPU are of it as
    /// target and as source; where every GPU may be a source it has them in its own place. A target that cannot be set so is left out.
    ///
    /// # Errors
    /// [`TuneError`] with flag, value and what was expected, where no target can be set so.
    pub fn lay_beside(
        &self,
        session: &mut Session,
        targets: &[GpuId],
        sources: &Sources,
    ) -> Result<LaidTargets, TuneError> {
        let beside = sources.places(&session.gpus);
        let (for_targets, named) = self.by_form();
        let named = named.of_made_gpus(session, targets, &beside);
        named.is_asked(session, |gpu| targets.contains(&gpu) || beside.contains(&gpu))?;
        named.lay(session, &[])?;
        let mut laid =
            LaidTargets { targets: vec![], named: vec![], sources: sources.clone(), left_out: vec![] };
        let stays = |gpu: &GpuId| beside.contains(gpu) && !matches!(sources, Sources::These(_));
        for gpu in targets {
            let left = for_targets.beside_named(&named, session, *gpu)?;
            let is_set = stays(gpu) && left == Self::default();
            let place = if is_set { Ok(*gpu) } else { left.place_for(session, *gpu, beside.contains(gpu)) };
            match place.and_then(|place| session.changed_at_settings(place)) {
                Ok(place) => {
                    laid.targets.push(place);
                    laid.named.push(*gpu);
                }
                Err(why) if targets.len() > 1 && why.is_of_this_gpu() => laid.left_out.push(why),
                Err(why) => return Err(why),
            }
        }
        if let Sources::These(some) = &mut laid.sources {
            some.iter_mut().for_each(|source| *source = session.moved_to_settings(*source));
        }
        match laid.left_out.first().filter(|_| laid.targets.is_empty()) {
            Some(why) => Err(why.clone()),
            None => Ok(laid),
        }
    }

    /// The same, where settings of a board that targets are made of are theirs: `rtx-4070=1200MHz` of an RTX 4070 with more bandwidth. They stay
    /// the board's as well where that is asked about.
    fn of_made_gpus(&self, session: &Session, targets: &[GpuId], sources: &[GpuId]) -> Self {
        let texts = |all: &[String]| -> Vec<String> {
            let of = |text: &String| -> Vec<String> {
                let named = text.rsplit_once('=');
                let Some((at, value)) =
                    named.and_then(|(name, value)| Some((session.gpus.position(name).ok()?, value)))
                else {
                    return vec![text.clone()];
                };
                let board = session.gpus[at].id.as_str();
                let is_made = |target: &&GpuId| **target != at && session.gpus[**target].board_id() == board;
                let mut all: Vec<String> = targets
                    .iter()
                    .filter(is_made)
                    .map(|made| format!("{}={value}", session.gpus[*made].id))
                    .collect();
                if all.is_empty() || targets.contains(&at) || sources.contains(&at) {
                    all.push(text.clone());
                }
                all
            };
            all.iter().flat_map(of).collect()
        };
        Self {
            sm_clock: texts(&self.sm_clock),
            mem_clock: texts(&self.mem_clock),
            power_limit: texts(&self.power_limit),
        }
    }

    /// The place to ask about for this GPU at these settings and at those that were laid over it: that of the GPU whose name states them. A
    /// source has those that name it in its own place.
    fn place_for(&self, session: &mut Session, gpu: GpuId, is_source: bool) -> Result<GpuId, TuneError> {
        let former = session.tuning(gpu).filter(|_| is_source).unwrap_or_default();
        self.lay(session, &[gpu])?;
        let is_beside = session.changed_base(gpu).is_none();
        let Some(tuning) = session.tuning(gpu).filter(|_| is_beside) else { return Ok(gpu) };
        // What it was before was possible.
        let _ = session.tune(gpu, former);
        Ok(session.place_at(gpu, tuning))
    }

    /// Those of these settings that none of the others names this GPU for.
    fn beside_named(&self, named: &Self, session: &Session, gpu: GpuId) -> Result<Self, TuneError> {
        let is_named = |flag, texts: &[String]| -> Result<bool, TuneError> {
            let whose = texts.iter().map(|text| whose(session, flag, text, &[]));
            let all: Vec<_> = whose.collect::<Result<_, _>>()?;
            Ok(all.iter().any(|(gpus, _)| gpus.contains(&gpu)))
        };
        let mut left = self.clone();
        for ((flag, texts), own) in
            named.flags().into_iter().zip([&mut left.sm_clock, &mut left.mem_clock, &mut left.power_limit])
        {
            if is_named(flag, texts)? {
                own.clear();
            }
        }
        Ok(left)
    }

    /// Those without a GPU, and those that name one.
    fn by_form(&self) -> (Self, Self) {
        let part = |texts: &[String]| texts.iter().cloned().partition(|text: &String| !text.contains('='));
        let (sm, mem, power) = (part(&self.sm_clock), part(&self.mem_clock), part(&self.power_limit));
        (
            Self { sm_clock: sm.0, mem_clock: mem.0, power_limit: power.0 },
            Self { sm_clock: sm.1, mem_clock: mem.1, power_limit: power.1 },
        )
    }

    fn flags(&self) -> [(&'static str, &Vec<String>); 3] {
        [
            ("--sm-clock", &self.sm_clock),
            ("--mem-clock", &self.mem_clock),
            ("--power-limit", &self.power_limit),
        ]
    }

    /// Refuses settings of a GPU that is not asked about, which change nothing.
    fn is_asked(&self, session: &Session, is_asked: impl Fn(GpuId) -> bool) -> Result<(), TuneError> {
        for (flag, texts) in self.flags() {
            for text in texts {
                let (gpus, _) = whose(session, flag, text, &[])?;
                if let Some(gpu) = gpus.into_iter().find(|gpu| !is_asked(*gpu)) {
                    let gpu = session.stock(gpu).id.clone();
                    let typed = crate::text::clipped_text(text, 40);
                    return Err(TuneError::NotAsked { flag, typed, gpu });
                }
            }
        }
        Ok(())
    }

    /// Lays them over the session's GPUs.
    ///
    /// # Errors
    /// [`TuneError`] with flag, value and what was expected; the session is unchanged then.
    pub fn lay(&self, session: &mut Session, targets: &[GpuId]) -> Result<(), TuneError> {
        let mut all: BTreeMap<GpuId, Tuning> = session.tunings();
        let mut flag_of = BTreeMap::new();
        for (flag, texts) in self.flags() {
            let mut set = BTreeSet::new();
            for text in texts {
                let (gpus, value) = whose(session, flag, text, targets)?;
                let refuse = |error| TuneError::Value { flag, error };
                let typed = match flag {
                    "--sm-clock" => {
                        Tuning { sm_clock: Some(clock(value).map_err(refuse)?), ..Tuning::default() }
                    }
                    "--mem-clock" => {
                        Tuning { mem_clock: Some(clock(value).map_err(refuse)?), ..Tuning::default() }
                    }
                    _ => Tuning { power_limit: Some(power(value).map_err(refuse)?), ..Tuning::default() },
                };
                for gpu in gpus {
                    let stock = session.stock(gpu);
                    if !set.insert(gpu) {
                        let typed = crate::text::clipped_text(text, 40);
                        return Err(TuneError::Twice { flag, typed, gpu: stock.id.clone() });
                    }
                    let board = session.changed_base(gpu).map_or(gpu, |(base, _)| base);
                    let named = session.stock(board);
                    if named.states_setting(typed) {
                        let typed = crate::text::clipped_text(text, 40);
                        return Err(TuneError::InName { flag, typed, gpu: named.id.clone() });
                    }
                    let tuning = all.entry(gpu).or_default();
                    *tuning = typed.over(*tuning);
                    // Tried at once, so that the flag to blame is known.
                    session.tuned_gpu(board, *tuning).map_err(refuse)?;
                    flag_of.insert(gpu, flag);
                }
            }
        }
        for (gpu, flag) in flag_of {
            let tuning = all.get(&gpu).copied().unwrap_or_default();
            session.tune(gpu, tuning).map_err(|error| TuneError::Value { flag, error })?;
        }
        Ok(())
    }
}

/// The GPUs that `[GPU=]VALUE` is about, and the value.
fn whose<'t>(
    session: &Session,
    flag: &'static str,
    text: &'t str,
    targets: &[GpuId],
) -> Result<(Vec<GpuId>, &'t str), TuneError> {
    match text.rsplit_once('=') {
        Some((name, value)) => {
            let at = session.gpus.position(name).map_err(|error| TuneError::Name { flag, error })?;
            Ok((vec![at], value))
        }
        None if targets.is_empty() => {
            Err(TuneError::NoGpu { flag, typed: crate::text::clipped_text(text, 40) })
        }
        None => Ok((targets.to_vec(), text)),
    }
}

impl Session {
    /// This GPU as its documents state it; the edited one, of which no document is, as it is edited.
    #[must_use]
    pub fn stock(&self, gpu: GpuId) -> &Gpu {
        self.stock_gpus().entry(gpu).unwrap_or(&self.gpus[gpu])
    }

    /// The GPUs as their documents state them: measurements are judged by these.
    #[must_use]
    pub fn stock_gpus(&self) -> &Catalogue<Gpu> {
        &self.workspace.gpus
    }

    /// What was typed, by GPU.
    #[must_use]
    pub fn tunings(&self) -> BTreeMap<GpuId, Tuning> {
        self.typed.iter().map(|(at, (_, tuning))| (*at, *tuning)).collect()
    }

    /// The clocks and limits typed for this GPU, where some were.
    #[must_use]
    pub fn tuning(&self, gpu: GpuId) -> Option<Tuning> {
        self.typed.get(&gpu).map(|(_, tuning)| *tuning)
    }

    /// The clocks and the limit that were typed for a GPU; of the one that is edited, for its base.
    #[must_use]
    pub fn settings_of(&self, gpu: GpuId) -> Option<Tuning> {
        let edited = self.edited_gpu().filter(|_| gpu == self.edited_place());
        self.tuning(edited.map_or(gpu, |edited| edited.base))
    }

    /// Its short name with what was typed of its clocks and its limit: `◇ RTX 4070 @1200MHz`.
    #[must_use]
    pub fn name_with_settings(&self, gpu: GpuId) -> String {
        let of = &self.gpus[gpu];
        self.settings_of(gpu).map_or_else(|| of.short_name().to_string(), |typed| of.name_at(typed))
    }

    /// Its id with them, as it can be typed: `rtx-4070@1200MHz`.
    #[must_use]
    pub fn id_with_settings(&self, gpu: GpuId) -> String {
        let id = &self.gpus[gpu].id;
        self.settings_of(gpu).map_or_else(|| id.clone(), |typed| format!("{id}{}", typed.brief()))
    }

    /// This GPU at these clocks and this limit.
    ///
    /// # Errors
    /// [`TuningError`] for a clock or limit that no such board could be set to.
    pub fn tuned_gpu(&self, gpu: GpuId, tuning: Tuning) -> Result<Gpu, TuningError> {
        let stock = self.stock(gpu);
        let made = stock.tuned(tuning).map_err(|why| with_lowest_limit(why, stock))?;
        check_board_limit(&made)?;
        Ok(made)
    }

    /// The place of this GPU at these settings under a name of its own, as `rtx-3090@1500MHz` names one: put into the catalogue where it
    /// is not there yet.
    fn place_at(&mut self, gpu: GpuId, tuning: Tuning) -> GpuId {
        let name = format!("{}{}", self.stock(gpu).id, tuning.brief());
        // Whoever asks tried the settings on this very GPU.
        let _ = self.add_derived_gpus([name.as_str()]);
        self.gpus.position(&name).unwrap_or(gpu)
    }

    /// The place of the GPU whose name states what was typed for this one, which is as its documents state it from now on; its own where nothing
    /// was typed, or its numbers were changed.
    fn moved_to_settings(&mut self, gpu: GpuId) -> GpuId {
        let Some(tuning) = self.tuning(gpu).filter(|_| self.changed_base(gpu).is_none()) else { return gpu };
        // What it was before was possible.
        let _ = self.tune(gpu, Tuning::default());
        self.place_at(gpu, tuning)
    }

    /// The GPU that a session's changes were made of, and the changes: of `rtx-4070?mem=+20%` those of the RTX 4070.
    fn changed_base(&self, gpu: GpuId) -> Option<(GpuId, GpuChanges)> {
        let made = self.stock(gpu).hypothetical.as_deref()?;
        let base = self.gpus.id_named(&made.based_on)?;
        let is_by_name = self.stock(gpu).id == format!("{}?{}", made.based_on, made.changes);
        is_by_name.then(|| (base, made.changes.clone()))
    }

    /// The place of a GPU whose numbers were changed, at the settings that were typed for it: the changes are of its base at these, so that
    /// `sm=+20%` is of the typed clock. Any other GPU stays in its place.
    fn changed_at_settings(&mut self, gpu: GpuId) -> Result<GpuId, TuneError> {
        let (Some(tuning), Some((base, changes))) = (self.tuning(gpu), self.changed_base(gpu)) else {
            return Ok(gpu);
        };
        self.typed.remove(&gpu);
        let base = self.place_at(base, tuning);
        self.add_hypothetical(base, &changes).map_err(|why| TuneError::Changes(Box::new(why)))
    }

    /// The GPU of this place as changes of the GPU that was named: clocks and limit that were typed for it alone. `None` where they are the
    /// source's as well.
    #[must_use]
    pub fn settings_as_changes(&self, place: GpuId, named: GpuId, sources: &[GpuId]) -> Option<GpuChanges> {
        let (at, stated) = (self.gpus[place].clocks(), self.stock(named).clocks());
        if sources.contains(&place) {
            return None;
        }
        let data_rate = |clocks: Clocks| 2.0 * clocks.mem.0;
        let settings = [
            (GpuNumber::SmClock, at.sm.0, stated.sm.0),
            (GpuNumber::DataRate, data_rate(at), data_rate(stated)),
            (GpuNumber::PowerLimit, at.power_limit.0, stated.power_limit.0),
        ];
        let set = settings.into_iter().filter(|(_, at, stated)| at != stated);
        Some(set.fold(GpuChanges::default(), |all, (number, at, _)| all.with(number, ChangeAmount::To(at))))
    }

    /// Sets this GPU to these clocks from now on; to those of its documents where nothing else is typed. Of one whose numbers were changed they
    /// are kept: its changes are made of its base at these.
    ///
    /// # Errors
    /// [`TuningError`] for a clock or limit that no such board could be set to; nothing is changed then.
    pub fn tune(&mut self, gpu: GpuId, tuning: Tuning) -> Result<(), TuningError> {
        let stock = self.stock(gpu).clone();
        let is_changed = self.changed_base(gpu).is_some();
        let tuning = if is_changed { tuning } else { tuning.beside(stock.clocks()) };
        let is_kept = tuning.is_none() || is_changed;
        let new = if is_kept { stock.clone() } else { self.tuned_gpu(gpu, tuning)? };
        self.typed.remove(&gpu);
        if !tuning.is_none() {
            self.typed.insert(gpu, (stock, tuning));
        }
        // The same names as before: they cannot clash.
        let replaced = Arc::make_mut(&mut self.gpus).insert(new);
        debug_assert!(replaced.is_ok(), "{replaced:?}");
        Ok(())
    }

    /// Sets exactly these tunings, and no others; those that a GPU refuses are left out.
    pub fn tune_all(&mut self, tunings: &BTreeMap<GpuId, Tuning>) {
        if self.tunings() == *tunings {
            return;
        }
        let old: Vec<GpuId> = self.typed.keys().filter(|at| !tunings.contains_key(at)).copied().collect();
        let all =
            old.into_iter().map(|at| (at, Tuning::default())).chain(tunings.iter().map(|(a, t)| (*a, *t)));
        for (at, tuning) in all {
            // Whoever made them tried them: see `TypedTunings::lay` and the dashboard's prompt.
            let _ = self.tune(at, tuning);
        }
    }
}
