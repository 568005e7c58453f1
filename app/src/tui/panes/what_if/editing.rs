//! Edits of the list: each is a new selection, which can be undone.

use super::lines::{WhatIfLine, line_under_cursor};
use crate::catalogue::ElementType;
use crate::gpu::{ChangeAmount, ChangeError, Gpu, GpuChange, GpuChanges, GpuNumber};
use crate::kernel::RunsAs;
use crate::predict::{LaunchEdits, LaunchNumber};
use crate::session::EditedGpu;
use crate::tui::action::Action;
use crate::tui::message::Effect;
use crate::tui::pane::Reaction;
use crate::tui::selection::Selection;
use crate::tui::state::{DashboardState, Tone};
use crate::units::Seconds;
use crate::whatif::NumberStep;

/// How far a step goes, in percent of what the base has.
const STEP_PERCENT: f64 = 5.0;
/// The same for a coarse step.
const COARSE_PERCENT: f64 = 25.0;

/// A step of the line under the cursor.
#[derive(Debug, Clone, Copy)]
pub struct LineStep {
    /// Whether the number grows.
    pub is_up: bool,
    /// Whether it goes far.
    pub is_coarse: bool,
}

impl DashboardState {
    /// What the view edits: the base and the changes of the hypothetical target; of a target that exists, nothing yet.
    #[must_use]
    pub fn edited_gpu(&self) -> EditedGpu {
        match &self.selection.edited {
            Some(edited) if self.target() == self.session.edited_place() => edited.clone(),
            _ => EditedGpu { base: self.target(), changes: GpuChanges::default() },
        }
    }

    /// Whether an operator of a tensor library is asked about, whose launches a CUDA graph makes.
    pub(super) fn asks_of_operator(&self) -> bool {
        self.asks_of_kernel() && self.rows[self.selected].instance.operator.is_some()
    }

    /// What is changed of the selected kernel's launch.
    #[must_use]
    pub fn launch_changes(&self) -> LaunchEdits {
        self.selection.launches.get(&self.rows[self.selected].kernel).copied().unwrap_or_default()
    }

    /// What a launch of the selected kernel costs on the base, where the view asks about it: its prediction uses that one, whatever
    /// the GPU states. `None` for other numbers.
    pub(super) fn own_launch_overhead(&self, number: GpuNumber) -> Option<f64> {
        let is_of_kernel = number == GpuNumber::LaunchOverhead && self.asks_of_kernel();
        is_of_kernel.then(|| self.what_if.own_launch_overhead()).flatten()
    }

    /// These changes with this one; a launch overhead that is typed as it is shown is none.
    fn changes_with(&self, changes: GpuChanges, change: GpuChange) -> GpuChanges {
        let GpuChange { number, amount } = change;
        let shown = self.own_launch_overhead(number).map(|own| {
            let now = changes.get(number).map_or(own, |amount| amount.applied(own));
            number.in_words(now)
        });
        match (amount, shown) {
            (ChangeAmount::To(value), Some(shown)) if number.in_words(value) == shown => changes,
            _ => changes.with(number, amount),
        }
    }

    /// Makes the edited GPU the target; where nothing is changed, its base.
    ///
    /// # Errors
    /// Why no such GPU can be, with both numbers of a contradiction.
    pub(super) fn edit_gpu(&mut self, changes: GpuChanges) -> Result<(), String> {
        let edited = EditedGpu { changes, ..self.edited_gpu() };
        if !edited.changes.is_empty() {
            self.session.edited_from(&edited).map_err(|e| e.to_string())?;
        }
        self.reselect(self.selection_with(edited));
        Ok(())
    }

    /// The selection with this GPU as its target; where nothing is changed, its base.
    fn selection_with(&self, edited: EditedGpu) -> Selection {
        let (base, place) = (edited.base, self.session.edited_place());
        let is_changed = !edited.changes.is_empty();
        let mut next = self.selection.clone();
        let before = next.edited.as_ref().map(|edited| edited.base);
        if next.source == place && (!is_changed || before != Some(base)) {
            next.source = before.unwrap_or(base);
        }
        let target = if is_changed { place } else { base };
        next.targets.remove(0);
        next.targets.retain(|gpu| *gpu != place && *gpu != target);
        next.targets.insert(0, target);
        next.edited = is_changed.then_some(edited);
        next
    }

    /// Changes the selected kernel's launch.
    pub(super) fn edit_launch(&mut self, changes: LaunchEdits) {
        let kernel = self.rows[self.selected].kernel;
        let mut launches = self.selection.launches.clone();
        if changes.is_empty() {
            launches.remove(&kernel);
        } else {
            launches.insert(kernel, changes);
        }
        self.reselect(Selection { launches, ..self.selection.clone() });
    }

    /// The value of a launch number now: as it is changed, else as it is.
    pub(crate) fn launch_value_now(&self, number: LaunchNumber) -> u32 {
        let stated = self.launch_value_stated(number).unwrap_or(0);
        self.launch_changes().changed_value(number).unwrap_or(stated)
    }

    /// The value of a launch number before anything is changed of it; `None` where no block is known.
    pub(super) fn launch_value_stated(&self, number: LaunchNumber) -> Option<u32> {
        self.answer().needs_as_launched().map(|needs| number.value_of(&needs))
    }

    /// The element type that the selected kernel is changed to; `None` where it has its own.
    #[must_use]
    pub fn edited_element(&self) -> Option<&'static str> {
        self.launch_changes().element().map(ElementType::as_str)
    }

    /// The element type now: as it is changed, else the kernel's own.
    pub(super) fn element_now(&self) -> String {
        self.edited_element().map_or_else(|| self.kernel().dtype.clone(), str::to_string)
    }

    /// Changes the element type; back to the kernel's own where that is it.
    fn edit_element(&mut self, element: ElementType) -> Result<(), String> {
        let instance = &self.rows[self.selected].instance;
        self.kernel().in_element(instance, element).map_err(|why| why.to_string())?;
        let is_own = ElementType::from_name(&self.kernel().dtype) == Some(element);
        self.edit_launch(self.launch_changes().with_element(Some(element).filter(|_| !is_own)));
        Ok(())
    }
}

/// Why this number is no one's to change, and which are instead.
pub fn following_text(state: &DashboardState, number: GpuNumber) -> Option<String> {
    if number == GpuNumber::LaunchOverhead && state.asks_of_operator() {
        let time = state.own_launch_overhead(number).map(|time| format!(", {}", Seconds(time)));
        let time = time.unwrap_or_default();
        return Some(format!("operators under a CUDA graph use the model's own launch overhead{time}"));
    }
    let made_of = [GpuNumber::Sms, GpuNumber::Fp32Lanes, GpuNumber::SmClock].map(GpuNumber::title);
    let [sms, lanes, clock] = made_of;
    (number == GpuNumber::Fp32Peak)
        .then(|| format!("{} follows from {sms}, {lanes} and {clock}: change one of these", number.title()))
}

/// Steps the line under the cursor.
pub fn step_line(state: &mut DashboardState, step: LineStep) -> Reaction {
    match line_under_cursor(state) {
        WhatIfLine::Number(number) => {
            if let Some(why) = following_text(state, number) {
                return Reaction::Done(state.say(Tone::Refused, why));
            }
            let percent = if step.is_coarse { COARSE_PERCENT } else { STEP_PERCENT };
            let edited = state.edited_gpu();
            let base = &state.session.gpus[edited.base];
            let before = relative_to_own(state, number, edited.changes.clone());
            let next = NumberStep { number, percent, is_up: step.is_up }.stepped(base, &before);
            Reaction::Done(refuse(state, |state| state.edit_gpu(next.unwrap_or(edited.changes))))
        }
        WhatIfLine::Size => Reaction::Run(match (step.is_up, step.is_coarse) {
            (true, false) => Action::SizeFinerUp,
            (false, false) => Action::SizeFinerDown,
            (true, true) => Action::SizeUp,
            (false, true) => Action::SizeDown,
        }),
        WhatIfLine::Element => Reaction::Done(refuse(state, |state| step_element(state, step.is_up))),
        WhatIfLine::Launch(number) => {
            let value = number.stepped(state.launch_value_now(number), step.is_up, step.is_coarse);
            put_launch_value(state, number, value);
            Reaction::Done(Vec::new())
        }
    }
}

/// A launch overhead that was set as a share of the kernel's own: a step goes from there, and not from what the GPU states.
fn relative_to_own(state: &DashboardState, number: GpuNumber, changes: GpuChanges) -> GpuChanges {
    match (state.own_launch_overhead(number), changes.get(number)) {
        (Some(own), Some(ChangeAmount::To(value))) => changes.with(number, ChangeAmount::By(value / own)),
        _ => changes,
    }
}

/// The next element type that the kernel is modelled in, or the one before.
fn step_element(state: &mut DashboardState, is_up: bool) -> Result<(), String> {
    let all = state.kernel().modelled_elements().map_err(|why| why.to_string())?;
    let now = ElementType::from_name(&state.element_now());
    let place = all.iter().position(|element| Some(*element) == now).unwrap_or(0);
    let next = if is_up { (place + 1).min(all.len() - 1) } else { place.saturating_sub(1) };
    state.edit_element(all[next])
}

/// Sets the element type as typed.
///
/// # Errors
/// What was expected, or why the kernel has no other one.
pub fn type_element(state: &mut DashboardState, text: &str) -> Result<Vec<Effect>, String> {
    let element = ElementType::from_name(text).ok_or_else(|| {
        let shown = crate::text::harmless_line(&crate::text::clipped_text(text, 40));
        format!("`{shown}`: expected an element type, such as fp16")
    })?;
    state.edit_element(element)?;
    Ok(Vec::new())
}

/// Sets a launch number; back to what it is where that is its value.
pub fn put_launch_value(state: &mut DashboardState, number: LaunchNumber, value: u32) {
    let stated = state.launch_value_stated(number);
    let changed = Some(value).filter(|value| Some(*value) != stated);
    state.edit_launch(state.launch_changes().with(number, changed));
}

/// Sets a number of the GPU as typed: absolute, `+20%`, `x1.2`.
///
/// # Errors
/// What was expected, or what contradicts it.
pub fn type_number(state: &mut DashboardState, number: GpuNumber, text: &str) -> Result<Vec<Effect>, String> {
    let change = GpuChange::read(number.key(), text).map_err(|e| e.to_string())?;
    let typed = GpuChanges::default().with(number, change.amount);
    typed.check_effect(edited_base(state)).map_err(|e| e.to_string())?;
    let changes = state.changes_with(state.edited_gpu().changes, change);
    state.edit_gpu(changes)?;
    Ok(Vec::new())
}

/// The GPU that the edited one is made of.
fn edited_base(state: &DashboardState) -> &Gpu {
    &state.session.gpus[state.edited_gpu().base]
}

/// Sets numbers of the GPU as `--set` takes them, over what is changed already.
///
/// # Errors
/// What was expected, or what contradicts it.
pub fn set_numbers(state: &mut DashboardState, text: &str) -> Result<Vec<Effect>, String> {
    let typed: GpuChanges = text.parse().map_err(|e: ChangeError| e.to_string())?;
    typed.check_effect(edited_base(state)).map_err(|e| e.to_string())?;
    let now = state.edited_gpu().changes;
    let changes = typed.all().iter().fold(now, |all, change| state.changes_with(all, *change));
    state.edit_gpu(changes)?;
    Ok(Vec::new())
}

/// Changes the launch as `--launch` takes it, over what is changed already.
///
/// # Errors
/// What was expected, or why the kernel has no other launch.
pub fn set_launch(state: &mut DashboardState, text: &str) -> Result<Vec<Effect>, String> {
    let typed: LaunchEdits = text.parse()?;
    if state.kernel().runs_as == RunsAs::Operator && typed.changes_block() {
        return Err(format!(
            "{} is an operator: its library chooses the launch; change dtype alone",
            state.kernel().label()
        ));
    }
    if let Some(element) = typed.element() {
        state.edit_element(element)?;
    }
    let stated =
        LaunchNumber::ALL.into_iter().filter_map(|number| Some((number, typed.changed_value(number)?)));
    let edits = stated.fold(state.launch_changes(), |edits, (number, value)| {
        let is_own = state.launch_value_stated(number) == Some(value);
        edits.with(number, Some(value).filter(|_| !is_own))
    });
    state.edit_launch(edits);
    Ok(Vec::new())
}

/// Sets a number of the launch as typed.
///
/// # Errors
/// What was expected.
pub fn type_launch_value(
    state: &mut DashboardState,
    number: LaunchNumber,
    text: &str,
) -> Result<Vec<Effect>, String> {
    let value = number.typed_value(text, state.launch_value_now(number))?;
    put_launch_value(state, number, value);
    Ok(Vec::new())
}

/// Sets the line under the cursor back.
pub fn reset_line(state: &mut DashboardState) -> Vec<Effect> {
    let unchanged = |what: &str| format!("{what}: unchanged, nothing to reset");
    let launch = state.launch_changes();
    match line_under_cursor(state) {
        WhatIfLine::Number(number) if state.edited_gpu().changes.get(number).is_none() => {
            state.say(Tone::Refused, unchanged(number.title()))
        }
        WhatIfLine::Launch(number) if launch.changed_value(number).is_none() => {
            state.say(Tone::Refused, unchanged(number.title()))
        }
        WhatIfLine::Element if launch.element().is_none() => {
            state.say(Tone::Refused, unchanged("element type"))
        }
        WhatIfLine::Number(number) => {
            let changes = state.edited_gpu().changes.without(number);
            refuse(state, |state| state.edit_gpu(changes))
        }
        WhatIfLine::Launch(number) => {
            state.edit_launch(state.launch_changes().with(number, None));
            Vec::new()
        }
        WhatIfLine::Element => {
            state.edit_launch(state.launch_changes().with_element(None));
            Vec::new()
        }
        WhatIfLine::Size => {
            let undo = state.key_for(Action::Undo);
            let text = format!("the size is part of every view: {undo} undoes its last change");
            state.say(Tone::Refused, text)
        }
    }
}

/// Sets every number back, those of the launch too: one step to undo.
pub fn reset_all(state: &mut DashboardState) -> Vec<Effect> {
    let kernel = state.rows[state.selected].kernel;
    let mut next = if state.target() == state.session.edited_place() {
        state.selection_with(EditedGpu { changes: GpuChanges::default(), ..state.edited_gpu() })
    } else {
        state.selection.clone()
    };
    next.launches.remove(&kernel);
    if next == state.selection {
        return state.say(Tone::Refused, "no number is changed: nothing to reset");
    }
    state.reselect(next);
    Vec::new()
}

/// Makes an edit, or says why it cannot be.
pub fn refuse(
    state: &mut DashboardState,
    edit: impl FnOnce(&mut DashboardState) -> Result<(), String>,
) -> Vec<Effect> {
    match edit(state) {
        Ok(()) => Vec::new(),
        Err(why) => state.say(Tone::Refused, why),
    }
}
