//! What was asked and answered, as a table for people and as JSON for programs.

use super::changed_times::RunPower;
use super::contour::Contour;
use super::solve::Solution;
use super::tornado::TornadoBar;
use crate::answer::COVERAGE;
use crate::gpu::GpuChanges;
use crate::predict::{MODELS, ModelId};
use crate::report::shown::{self, TimeKind};
use crate::report::{Table, TableCell, TableColumn, pretty_json};
use crate::text::marked_estimate;
use crate::units::{Seconds, deviation, significant};
use serde_json::{Value, json};

/// Below this ratio two times are the same to a reader of three digits.
const SAME_SPEED: f64 = 1.005;

/// Everything that was asked of one base and its changes.
#[derive(Debug, Clone, PartialEq)]
pub struct WhatIfAnswer {
    /// The workload, as titles show it.
    pub workload: String,
    /// The id of the base GPU, with the clocks and the limit that were typed for it.
    pub base: String,
    /// The id that notes name it by.
    pub noted_base: String,
    /// Its short name.
    pub base_name: String,
    /// What was changed of it.
    pub changes: GpuChanges,
    /// What was changed of its launch: `block=128`.
    pub launch_changes: Vec<String>,
    /// The model, where one answers for all of it.
    pub model: Option<&'static str>,
    /// Time of a run with the changes; `None` where it cannot run there.
    pub time: Option<Seconds>,
    /// Its 90 % interval.
    pub interval: Option<[Seconds; 2]>,
    /// Time of a run on the base.
    pub base_time: Option<Seconds>,
    /// What a run with the changes draws, modelled; `None` where that is not known.
    pub power: Option<RunPower>,
    /// What a run on the base draws.
    pub base_power: Option<RunPower>,
    /// How the time is known.
    pub kind: TimeKind,
    /// How that on the base is.
    pub base_kind: TimeKind,
    /// Why there is none on the base, or else with the changes.
    pub refusal: Option<String>,
    /// What must be known of it, as `rank` and `app` say it of this GPU.
    pub cautions: Vec<String>,
    /// Which numbers matter, the largest gain first; empty where it was not asked.
    pub tornado: Vec<TornadoBar>,
    /// The value that makes a goal, where one was asked.
    pub solution: Option<Solution>,
    /// Times over two numbers, where they were asked.
    pub contour: Option<Contour>,
}

impl WhatIfAnswer {
    /// The numbers that change nothing, in words; `None` where each does something.
    #[must_use]
    pub fn without_effect(&self) -> Option<String> {
        self.time?;
        let titles: Vec<&str> =
            self.tornado.iter().filter(|bar| !bar.matters()).map(|bar| bar.number.title()).collect();
        (!titles.is_empty()).then(|| format!("changes nothing: {}", titles.join(", ")))
    }

    /// The base's name behind one `◇`, which that of a board at other settings has already.
    pub(super) fn marked_base(&self) -> String {
        let name = &self.base_name;
        if name.starts_with('◇') { name.clone() } else { format!("◇ {name}") }
    }

    /// `◇ RTX 4070 with mem=+20%`; the base as it is called where nothing is changed.
    #[must_use]
    pub fn gpu_in_words(&self) -> String {
        let Self { base_name, changes, .. } = self;
        if changes.is_empty() { base_name.clone() } else { format!("{} with {changes}", self.marked_base()) }
    }

    /// Why there is no time: the model's refusal on the base, else that the changed GPU does not run it.
    #[must_use]
    pub fn without_time(&self) -> String {
        match (&self.refusal, self.model) {
            (why, _) if self.base_time.is_some() => {
                let why = why.as_ref().map_or_else(String::new, |why| format!(": {why}"));
                format!("cannot run on {}{why}", self.gpu_in_words())
            }
            (Some(why), Some(model)) if !why.contains(model) => format!("no prediction by {model}: {why}"),
            (Some(why), _) => format!("no prediction: {why}"),
            (None, _) => format!("no prediction: {} has no time on {}", self.workload, self.base_name),
        }
    }

    /// That no number does anything, where that is so: of a model that knows none of them, or beside a limit that none moves.
    #[must_use]
    pub fn nothing_matters(&self) -> Option<String> {
        let known = self.time.is_some() && !self.tornado.is_empty();
        let nothing = known && !self.tornado.iter().any(TornadoBar::matters);
        nothing.then(|| {
            let model = self.model.map_or_else(String::new, |model| format!("{model}: "));
            format!("{model}no number of the GPU changes the time by 0.1 % when it is 20 % less or more")
        })
    }

    /// `5.60 ms ◆`: the time with its mark; `None` where it cannot run there.
    #[must_use]
    pub fn marked_time(&self) -> Option<String> {
        self.time.map(|time| self.kind.marked(time))
    }

    /// `3.90–8.10 ms`, or `~3.90–8.10 ms` around an estimate; nothing of a measured time without trials.
    #[must_use]
    pub fn interval_text(&self) -> Option<String> {
        self.interval.and_then(|[low, high]| self.kind.interval(low, high))
    }

    /// `6.72 ms ◆`: the time on the base with its mark.
    pub(super) fn marked_base_time(&self) -> Option<String> {
        self.base_time.map(|time| self.base_kind.marked(time))
    }

    /// `5.60 ms`, or `~5.60 ms` where no measured time stands behind it: any other time of this answer.
    #[must_use]
    pub fn estimate_marked(&self, time: Seconds) -> String {
        marked_estimate(time, self.kind.rests_on_measurement())
    }

    /// `1.20× faster than RTX 4070, 6.72 ms ◆`; `None` where one of the times is unknown.
    #[must_use]
    pub fn beside_base(&self) -> Option<String> {
        let than = speed_words(self.time?, self.base_time?);
        Some(format!("{than} {}, {}", self.base_name, self.marked_base_time()?))
    }

    /// `board power ~250 W, ~19.2 mJ per run; RTX 4070: ~338 W, ~25.9 mJ`, `-` where one has none; `None` where neither is known.
    #[must_use]
    pub fn power_in_words(&self) -> Option<String> {
        let Self { power, base_power, changes, base_name, .. } = self;
        power.or(*base_power)?;
        let [board, energy] = power_texts(*power);
        let own = format!("board power {board}, {energy} per run");
        if changes.is_empty() {
            return Some(own);
        }
        let [board, energy] = power_texts(*base_power);
        Some(format!("{own}; {base_name}: {board}, {energy}"))
    }

    /// `14.2 %`: what the better of a number's two sides takes off the time; `None` where neither makes it faster.
    pub(super) fn gain_words(&self, bar: &TornadoBar) -> Option<String> {
        bar.gain(self.time?).map(|gain| format!("{:.1} %", 100.0 * gain))
    }

    /// `model: hybrid`, where it is not the default one.
    pub(super) fn model_note(&self) -> Option<String> {
        let default = MODELS[ModelId::default()].id();
        self.model.filter(|model| *model != default).map(|model| format!("model: {model}"))
    }

    /// The two numbers that make it faster by most when they are moved, either way; `None` where none does or none was asked.
    #[must_use]
    pub fn advice(&self) -> Option<String> {
        let now = self.time?;
        let helpful = self.tornado.iter().filter(|bar| bar.gain(now).is_some());
        let titles: Vec<&str> = helpful.take(2).map(|bar| bar.number.title()).collect();
        match titles[..] {
            [] => None,
            [only] => Some(format!("what would help most: {only}; nothing else makes it faster")),
            _ => Some(format!("what would help most: {}", titles.join(", then "))),
        }
    }
}

/// Board power and energy of a run, `-` where they are not known.
pub(super) fn power_texts(power: Option<RunPower>) -> [String; 2] {
    power.map_or_else(|| ["-".into(), "-".into()], |power| [power.board_text(), power.energy_text()])
}

/// `1.20× faster than`, `1.20× slower than`, `as fast as`: a time beside another one.
#[must_use]
pub fn speed_words(time: Seconds, base: Seconds) -> String {
    let (ratio, word) = if base >= time { (base / time, "faster") } else { (time / base, "slower") };
    if ratio < SAME_SPEED { "as fast as".into() } else { format!("{}× {word} than", significant(ratio)) }
}

/// For programs: an object of exactly `base, changes, time_ms, low_ms, high_ms, base_time_ms, tornado, solve, time_kind, cautions,
/// board_power_w, energy_j, base_board_power_w, base_energy_j, base_time_kind`, null where there is none; of several answers an array of such objects.
#[must_use]
pub fn whatif_json(answers: &[WhatIfAnswer]) -> String {
    let all: Vec<Value> = answers.iter().map(answer_json).collect();
    match &all[..] {
        [only] => pretty_json(only),
        _ => pretty_json(&Value::Array(all)),
    }
}

/// What is changed of the GPU and of the launch, each as it can be typed.
pub(super) fn change_texts(answer: &WhatIfAnswer) -> Vec<String> {
    let of_gpu = answer.changes.all().iter();
    let of_gpu = of_gpu.map(|change| GpuChanges::default().with(change.number, change.amount).to_string());
    of_gpu.chain(answer.launch_changes.iter().cloned()).collect()
}

pub(super) fn answer_json(answer: &WhatIfAnswer) -> Value {
    let ms = |time: Option<Seconds>| time.map_or(Value::Null, |t| number(shown::millis(t)));
    let board = |power: Option<RunPower>| power.map_or(Value::Null, |power| number(power.board.0));
    let energy = |power: Option<RunPower>| power.map_or(Value::Null, |power| number(power.energy.0));
    let bar = |bar: &TornadoBar| {
        json!({
            "number": bar.number.key(),
            "value": number(bar.number.in_unit(bar.value)),
            "unit": bar.number.unit_for_programs(),
            "minus20_time_ms": ms(bar.less),
            "plus20_time_ms": ms(bar.more),
        })
    };
    let solve = answer.solution.as_ref().map_or(Value::Null, |solution| match solution {
        Solution::Value { number: of, value, goal, time, .. } => json!({
            "number": of.key(),
            "value": number(of.in_unit(*value)),
            "unit": of.unit_for_programs(),
            "goal_ms": ms(Some(goal.time)),
            "time_ms": ms(Some(*time)),
        }),
        Solution::None { limited_by, why, .. } => {
            json!({ "none": true, "limited_by": limited_by, "why": why })
        }
    });
    json!({
        "base": answer.base,
        "changes": change_texts(answer),
        "time_ms": ms(answer.time),
        "low_ms": ms(answer.interval.map(|[low, _]| low)),
        "high_ms": ms(answer.interval.map(|[_, high]| high)),
        "base_time_ms": ms(answer.base_time),
        "tornado": answer.tornado.iter().map(bar).collect::<Vec<_>>(),
        "solve": solve,
        "time_kind": answer.time.map(|_| answer.kind.as_str()),
        "cautions": answer.cautions,
        "board_power_w": board(answer.power),
        "energy_j": energy(answer.power),
        "base_board_power_w": board(answer.base_power),
        "base_energy_j": energy(answer.base_power),
        "base_time_kind": answer.base_time.map(|_| answer.base_kind.as_str()),
    })
}

/// A whole number as one.
fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 1e15 { Value::from(value as i64) } else { Value::from(value) }
}

/// For people: one row per number that matters, and what was found.
#[must_use]
pub fn whatif_table(answer: &WhatIfAnswer) -> Table {
    let matters = |bar: &&TornadoBar| bar.matters();
    let columns = [
        TableColumn::left("number"),
        TableColumn::right("value"),
        TableColumn::right("-20 %"),
        TableColumn::right("+20 %"),
        TableColumn::right("gain"),
    ];
    let has_rows = answer.tornado.iter().any(TornadoBar::matters);
    let mut table = Table::new(if has_rows { columns.to_vec() } else { Vec::new() });
    table.rows = answer.tornado.iter().filter(matters).map(|bar| tornado_row(bar, answer)).collect();
    table.title = title(answer);
    table.notes.extend(answer.power_in_words());
    table.notes.extend(answer.nothing_matters().or_else(|| answer.without_effect()));
    table.notes.extend(answer.advice());
    table.notes.extend(answer.model_note());
    table.notes.extend(answer.solution.as_ref().map(Solution::in_words));
    table.notes.extend(answer.cautions.iter().cloned());
    table
}

fn tornado_row(bar: &TornadoBar, answer: &WhatIfAnswer) -> Vec<TableCell> {
    let time = |time: Option<Seconds>| match (time, answer.time) {
        (Some(t), Some(now)) => {
            let text = answer.estimate_marked(t);
            TableCell::text(format!("{text} ({})", deviation(100.0 * (t / now - 1.0))))
        }
        _ => TableCell::text("cannot run"),
    };
    vec![
        TableCell::text(bar.number.title()),
        TableCell::text(bar.number.in_words(bar.value)),
        time(bar.less),
        time(bar.more),
        TableCell::maybe(answer.gain_words(bar), TableCell::text),
    ]
}

/// `saxpy n=268435456 · ◇ RTX 4070 with mem=+20%: 5.60 ms ◆ (3.90–8.10 ms, 90 % interval), 1.20× faster than RTX 4070, 6.72 ms ◆`.
fn title(answer: &WhatIfAnswer) -> String {
    let WhatIfAnswer { workload, changes, .. } = answer;
    let named = answer.gpu_in_words();
    let interval =
        answer.interval_text().map(|text| format!(" ({text}, {:.0} % interval)", 100.0 * COVERAGE));
    let interval = interval.unwrap_or_default();
    let without = if answer.base_time.is_none() { "no prediction" } else { "cannot run there" };
    let time = answer.marked_time().unwrap_or_else(|| without.to_string());
    let beside = match answer.beside_base() {
        Some(text) if !changes.is_empty() => format!(", {text}"),
        _ => String::new(),
    };
    format!("{workload} · {named}: {time}{interval}{beside}")
}
