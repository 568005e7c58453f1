//! Lines that the view asks for.

use super::editing::following_text;
use super::lines::{WhatIfLine, line_under_cursor};
use super::scenarios::NOTHING_CHANGED;
use super::typing::WhatIfPurpose;
use crate::gpu::GpuNumber;
use crate::tui::asked_workload::AskedAbout;
use crate::tui::message::Effect;
use crate::tui::panes::prompt::{ask_size, ask_what_if};
use crate::tui::state::{DashboardState, Tone};
use crate::whatif::Solution;

/// Asks for a value of the line under the cursor; the one that was solved for is offered.
pub fn ask_line(state: &mut DashboardState) -> Vec<Effect> {
    match line_under_cursor(state) {
        WhatIfLine::Size => ask_size(state),
        WhatIfLine::Number(number) => {
            if let Some(why) = following_text(state, number) {
                return state.say(Tone::Refused, why);
            }
            let edited = state.edited_gpu();
            let base = &state.session.gpus[edited.base];
            let stated = state.own_launch_overhead(number).or(base.number(number));
            let stated = stated.map_or_else(String::new, |value| number.in_words(value));
            let text =
                format!("{} of {}: {stated}; type {}", number.title(), base.short_name(), number.example());
            state.say(Tone::Done, text);
            let offered = match &state.what_if.solution {
                Some(Solution::Value { number: solved, value, .. }) if *solved == number => {
                    offered_value(number, *value)
                }
                _ => String::new(),
            };
            ask_what_if(state, WhatIfPurpose::Number(number), offered)
        }
        WhatIfLine::Element => ask_element(state),
        WhatIfLine::Launch(number) => {
            let now = number.in_words(state.launch_value_now(number));
            let text = format!("{}: {now}; type {}", number.title(), number.example());
            state.say(Tone::Done, text);
            ask_what_if(state, WhatIfPurpose::Launch(number), String::new())
        }
    }
}

/// A value that was solved for as it is typed: four digits are enough, and the last one is rounded to the side that is faster.
fn offered_value(number: GpuNumber, value: f64) -> String {
    let amount = number.in_unit(value);
    let digits = 3 - amount.log10().floor() as i32;
    let decimals = if number.is_whole() { 0 } else { digits.clamp(0, 12) as usize };
    let scale = 10_f64.powi(decimals as i32);
    // What a change of unit leaves in the last digit is no reason for another one.
    let rounded = match number {
        GpuNumber::LaunchOverhead => (amount * scale + 1e-6).floor(),
        _ => (amount * scale - 1e-6).ceil(),
    };
    let text = format!("{:.decimals$}", rounded / scale);
    let text = if decimals > 0 { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text}{}", number.unit())
}

/// Asks for an element type, or says why there is no other one.
fn ask_element(state: &mut DashboardState) -> Vec<Effect> {
    match state.kernel().modelled_elements() {
        Ok(all) => {
            let all: Vec<&str> = all.iter().map(|element| element.as_str()).collect();
            state.say(
                Tone::Done,
                format!("element type: {}; type one of {}", state.element_now(), all.join(", ")),
            );
            ask_what_if(state, WhatIfPurpose::Element, String::new())
        }
        Err(why) => state.say(Tone::Refused, why.to_string()),
    }
}

/// Asks for the time that a number is to make; that of the source is offered.
pub fn ask_goal(state: &mut DashboardState) -> Vec<Effect> {
    let WhatIfLine::Number(number) = line_under_cursor(state) else {
        return state.say(Tone::Refused, "a number of the GPU is sought: move to one of them");
    };
    if let Some(why) = following_text(state, number) {
        return state.say(Tone::Refused, why);
    }
    let known = state.source_goal();
    let source = state.pair().source.short_name();
    let empty = match known {
        _ if state.asked_about() == AskedAbout::Application => {
            "; empty: as fast as it was recorded".to_string()
        }
        _ if state.asked_about() == AskedAbout::Mix => format!("; empty: as fast as {source}"),
        Some(time) => format!("; empty: as fast as {source}, {time}"),
        None => String::new(),
    };
    let text = format!("{} that makes a time, such as 1.5ms{empty}", number.title());
    state.say(Tone::Done, text);
    ask_what_if(state, WhatIfPurpose::Goal(number), String::new())
}

/// Asks for a name of the changes.
pub fn ask_scenario_name(state: &mut DashboardState) -> Vec<Effect> {
    if state.edited_gpu().changes.is_empty() {
        return state.say(Tone::Refused, NOTHING_CHANGED);
    }
    let name = state.what_if.next_name();
    ask_what_if(state, WhatIfPurpose::Scenario, name)
}

/// Asks for the id of the changed GPU.
pub fn ask_gpu_id(state: &mut DashboardState) -> Vec<Effect> {
    let edited = state.edited_gpu();
    if edited.changes.is_empty() {
        return state.say(Tone::Refused, "no number of the GPU is changed: there is no other GPU to save");
    }
    let id = format!("{}-what-if", state.session.gpus[edited.base].id);
    ask_what_if(state, WhatIfPurpose::GpuFile, id)
}
