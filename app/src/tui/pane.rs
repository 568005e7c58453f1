//! What every pane and everything that lies over the panes can do. `S` is what they read and change; the state holds what
//! is open, so it cannot be named here.

use super::action::Action;
use super::layout::Pane;
use super::look::Look;
use super::message::Effect;
use super::panes::files::listing::FolderListing;
use crate::chart::ChartSpec;
use crate::whatif::ScenarioPage;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::fmt::Debug;
use std::sync::Arc;
use tui_input::{Input, InputRequest};

/// What an action did.
#[derive(Debug)]
pub enum Reaction {
    /// Nothing of its own: it means what it means elsewhere.
    Passed,
    /// It was carried out; what is open stays open.
    Done(Vec<Effect>),
    /// It was carried out, and what was open closes.
    Close(Vec<Effect>),
    /// What was open closes, and this is run instead.
    Run(Action),
    /// What was open closes, and this pane's chart is exported.
    Export(Pane),
}

/// A chart to export.
#[derive(Debug)]
pub enum ChartOffer {
    /// There is none here.
    Nothing,
    /// There is none now, and why.
    Refused(String),
    /// A file name that says what is on it, and what to draw.
    Chart(String, Box<ChartSpec>),
    /// A file name, and scenarios to write as a page.
    Page(String, Arc<ScenarioPage>),
}

/// Actions that do one thing together, and a word or two for it.
#[derive(Debug, Clone, Copy)]
pub struct Hint {
    /// Their keys are shown.
    pub actions: &'static [Action],
    /// What they do.
    pub text: &'static str,
}

/// A place inside a pane's border.
#[derive(Debug, Clone, Copy)]
pub struct CellInside {
    /// Columns from the left.
    pub column: usize,
    /// Lines from the top.
    pub line: usize,
}

/// A pane, or something that lies over the panes.
pub trait Panel<S> {
    /// Its context in keymaps.
    fn key_context(&self) -> &'static str;

    /// Carries an action out.
    fn handle_action(&mut self, action: Action, state: &mut S) -> Reaction;

    /// Why an action that holds in other panes means nothing here; `None` where it means something.
    fn refusal(&self, _action: Action, _state: &S) -> Option<String> {
        None
    }

    /// Draws itself.
    fn draw_pane(&self, buffer: &mut Buffer, area: Rect, state: &S, look: Look<'_>);

    /// Its chart.
    fn chart_offer(&self, _state: &S) -> ChartOffer {
        ChartOffer::Nothing
    }

    /// What can be done in it now, most needed first: actions with a word or two.
    fn hints(&self, _state: &S) -> Vec<Hint> {
        Vec::new()
    }

    /// A click inside its border.
    fn click(&mut self, _at: CellInside, _area: Rect, _state: &mut S) {}

    /// Asks for what it shows, where that answers another question than the one that is put now.
    fn follow(&mut self, _state: &mut S) -> Vec<Effect> {
        Vec::new()
    }

    /// The wheel over it, by lines.
    fn scroll_lines(&mut self, _by: isize, _state: &mut S) {}
}

/// Something that lies over the panes.
pub trait OverlayPanel<S>: Panel<S> + Debug + Send + Sync {
    /// A copy of it.
    fn clone_box(&self) -> Box<dyn OverlayPanel<S>>;

    /// Whether letters are typed into it.
    fn takes_text(&self) -> bool {
        false
    }

    /// Changes the line that is typed.
    fn edit_text(&mut self, _request: InputRequest, _state: &mut S) -> Vec<Effect> {
        Vec::new()
    }

    /// The line that is typed into the footer, with the words before it.
    fn typed_line(&self) -> Option<(String, &Input)> {
        None
    }

    /// Whether this action is run on the panes while it stays open.
    fn lets_through(&self, action: Action) -> bool {
        LIVE_ACTIONS.contains(&action)
    }

    /// The line that is typed into the footer: what may be pressed besides letters.
    fn typing_hints(&self) -> &'static str {
        "Enter accepts, Esc closes"
    }

    /// What may be typed into it, a sentence each.
    fn typed_help(&self, _state: &S) -> Vec<String> {
        Vec::new()
    }

    /// What the help over it is called after.
    fn name(&self) -> &'static str {
        self.key_context()
    }

    /// The action that opened it: its key closes it as well.
    fn opened_by(&self) -> Option<Action> {
        None
    }

    /// Whether it shows every model's error over the rows.
    fn compares_models(&self) -> bool {
        false
    }

    /// A folder was listed; nothing if it could not be.
    fn take_listing(&mut self, _listing: Option<&FolderListing>) {}
}

impl<S> Clone for Box<dyn OverlayPanel<S>> {
    fn clone(&self) -> Self {
        self.clone_box()
    }
}

/// What the reader looks at changes under them: the point of a live explanation.
pub const LIVE_ACTIONS: [Action; 13] = [
    Action::Swap,
    Action::SizeUp,
    Action::SizeDown,
    Action::SizeFinerUp,
    Action::SizeFinerDown,
    Action::ModelNext,
    Action::ModelPrevious,
    Action::Ceilings,
    Action::Rules,
    Action::KernelNext,
    Action::KernelPrevious,
    Action::Undo,
    Action::Theme,
];

/// How far an action moves, in a list with pages of this height; `None` if it moves nothing up or down.
#[must_use]
pub fn lines_moved(action: Action, page: usize) -> Option<isize> {
    let page = page.max(1) as isize;
    Some(match action {
        Action::Up => -1,
        Action::Down => 1,
        Action::PageUp => -page,
        Action::PageDown => page,
        Action::Top => isize::MIN / 2,
        Action::Bottom => isize::MAX / 2,
        _ => return None,
    })
}
