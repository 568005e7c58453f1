//! The GEMM pane's state: which product is asked about, and what the keys do to it. The GPU is the selected target.

use super::action::Action;
use super::message::Effect;
use super::prompt::{Overlay, PromptKind};
use super::run::say;
use super::state::{State, Tone};
use crate::chart::ChartSpec;
use crate::gemm::learned::Learned;
use crate::gemm::tiles::{Tile, TileAnswer};
use crate::gemm::{Gemm, answer_tiles, gemm_chart};

/// The longest side that is stepped to: a square product of it has 4.5e15 FLOPs.
const LONGEST: u64 = 1 << 17;

/// Which sides the keys step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stepped {
    /// All three at once.
    #[default]
    All,
    /// m, n or k, by place.
    One(usize),
}

impl Stepped {
    const RING: [Self; 4] = [Self::All, Self::One(0), Self::One(1), Self::One(2)];

    /// Whether this side (0 m, 1 n, 2 k) is stepped.
    #[must_use]
    pub fn steps(self, side: usize) -> bool {
        self == Self::All || self == Self::One(side)
    }
}

/// The product in the pane.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GemmPane {
    /// What is computed.
    pub gemm: Gemm,
    /// What the keys step.
    pub stepped: Stepped,
}

impl GemmPane {
    /// Steps the chosen sides: `by` makes a side of another.
    fn step(&mut self, by: impl Fn(u64) -> u64) {
        for (side, size) in self.gemm.size.iter_mut().enumerate() {
            if self.stepped.steps(side) {
                *size = by(*size).clamp(1, LONGEST);
            }
        }
    }

    fn choose(&mut self, right: bool) {
        let ring = Stepped::RING;
        let now = ring.iter().position(|s| *s == self.stepped).unwrap_or(0);
        self.stepped = ring[(now + if right { 1 } else { ring.len() - 1 }) % ring.len()];
    }
}

/// The product on the target with every tile; none where a table inside the program is damaged (a test reads it).
#[must_use]
pub fn answers(state: &State) -> Vec<TileAnswer> {
    let asked =
        answer_tiles(&state.session, &state.gemm.gemm, state.target(), &Tile::ALL, &Learned::default());
    asked.unwrap_or_default()
}

/// The pane's chart, as it is drawn and exported.
#[must_use]
pub fn chart(state: &State, answers: &[TileAnswer]) -> ChartSpec {
    gemm_chart(state.pair()[1], &state.gemm.gemm.to_string(), answers)
}

/// What a key does while the pane is open; nothing for a key that is not the pane's.
pub(super) fn in_overlay(state: &mut State, action: Action) -> Option<Vec<Effect>> {
    let eighth = |v: u64| (v / 8).max(1);
    match action {
        Action::SizeUp | Action::Up => state.gemm.step(|v| v.saturating_mul(2)),
        Action::SizeDown | Action::Down => state.gemm.step(|v| v / 2),
        Action::SizeFinerUp => state.gemm.step(|v| v + eighth(v)),
        Action::SizeFinerDown => state.gemm.step(|v| v - eighth(v)),
        Action::Left | Action::Right => state.gemm.choose(action == Action::Right),
        Action::Export => return Some(ask_path(state)),
        _ => return None,
    }
    Some(Vec::new())
}

fn ask_path(state: &mut State) -> Vec<Effect> {
    let [m, n, k] = state.gemm.gemm.size;
    let name = format!("gemm-{m}x{n}x{k}-{}.svg", state.pair()[1].id);
    state.overlay = Overlay::prompt(PromptKind::ExportGemm, name);
    Vec::new()
}

/// Hands the chart to the worker.
pub(super) fn start_export(state: &mut State, path: &str) -> Vec<Effect> {
    let answers = answers(state);
    if answers.iter().all(|a| a.time.is_err()) {
        return say(state, Tone::Refused, "no tile has a time here: nothing to draw");
    }
    super::export::to_worker(state, path, chart(state, &answers))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_are_stepped_within_bounds() {
        let mut pane = GemmPane::default();
        pane.step(|v| v / 2);
        assert_eq!(pane.gemm.size, [2048; 3]);
        pane.choose(true);
        pane.step(|v| v * 2);
        assert_eq!((pane.stepped, pane.gemm.size), (Stepped::One(0), [4096, 2048, 2048]));
        pane.choose(false);
        pane.choose(false);
        assert_eq!(pane.stepped, Stepped::One(2));
        pane.step(|_| 0);
        assert_eq!(pane.gemm.size[2], 1);
        pane.step(|_| u64::MAX);
        assert_eq!(pane.gemm.size[2], LONGEST);
    }
}
