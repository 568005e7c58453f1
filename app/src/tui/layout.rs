//! Where everything lies, as a pure function of the screen's size: drawing and mouse use the same rectangles. Panes beside
//! each other share one border.
//!
//! ```text
//! header
//! ┌ GPUs ──┬ Roofline ────────┬ Occupancy ──┐
//! │        │                  │             │
//! ├ Predictions ──────────────┴─────────────┤
//! └─────────────────────────────────────────┘
//! footer
//! ```

use ratatui::layout::Rect;

/// Below this the screen only says how large it should be.
pub const SMALLEST: (u16, u16) = (40, 10);

/// From this width on the explanation stands beside the other panes, as high as the screen.
const ROOM_BESIDE: u16 = 180;
/// Columns of the explanation beside the others.
const BESIDE: u16 = 80;
/// Columns of the occupancy with the least names and two GPUs, and of each GPU more.
const OCCUPANCY_OF_TWO: u16 = 34;
const OCCUPANCY_COLUMN: u16 = 11;
/// From this size on all panes of the evidence are open at once.
const ROOM_FOR_EVIDENCE: (u16, u16) = (160, 36);

/// One of the dashboard's views: what is asked stays, what is shown of it changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DashboardView {
    /// This kernel, from a source to targets.
    #[default]
    Swap,
    /// Which GPU is best for it.
    Board,
    /// What would change it.
    WhatIf,
    /// A whole program.
    Application,
    /// Whether it may be trusted.
    Evidence,
}

impl DashboardView {
    /// All views in the order of their numbers.
    pub const ALL: [Self; 5] = [Self::Swap, Self::Board, Self::WhatIf, Self::Application, Self::Evidence];

    /// Its name with its number.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Swap => "1 Swap",
            Self::Board => "2 Board",
            Self::WhatIf => "3 What if",
            Self::Application => "4 App",
            Self::Evidence => "5 Evidence",
        }
    }

    /// Its panes, in the order of the Tab key.
    #[must_use]
    pub fn panes(self) -> &'static [Pane] {
        match self {
            Self::Swap => {
                &[Pane::Gpus, Pane::Roofline, Pane::Occupancy, Pane::Predictions, Pane::Explanation]
            }
            Self::Board => &[Pane::Ranking],
            Self::WhatIf => &[Pane::WhatIf],
            Self::Application => &[Pane::Application],
            Self::Evidence => &[Pane::Models, Pane::Errors, Pane::Audit, Pane::Notes],
        }
    }

    /// The pane that is focused when the view is opened for the first time.
    #[must_use]
    pub fn first_pane(self) -> Pane {
        if self == Self::Swap { Pane::Predictions } else { self.panes()[0] }
    }
}

/// Declares the panes once: their names in keymaps and their titles.
macro_rules! panes {
    ($($(#[doc = $doc:literal])+ $name:ident = $place:literal, $title:literal;)+) => {
        /// A pane.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Pane {
            $($(#[doc = $doc])+ $name,)+
        }

        impl Pane {
            /// All panes of all views.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// Its name in keymaps.
            #[must_use]
            pub fn pane_place(self) -> &'static str {
                match self { $(Self::$name => $place,)+ }
            }

            /// Its title.
            #[must_use]
            pub fn title(self) -> &'static str {
                match self { $(Self::$name => $title,)+ }
            }
        }
    };
}

panes! {
    /// The catalogue.
    Gpus = "gpus", "GPUs";
    /// The live roofline.
    Roofline = "roofline", "Roofline";
    /// Occupancy on source and target.
    Occupancy = "occupancy", "Occupancy";
    /// The table of predictions.
    Predictions = "predictions", "Predictions";
    /// The selected prediction taken apart.
    Explanation = "explain", "Explanation";
    /// GPUs, best first.
    Ranking = "board", "Board";
    /// The numbers of a GPU and of a launch, to be changed.
    WhatIf = "what_if", "What if";
    /// The kernels of a program.
    Application = "application", "Application";
    /// The models and their errors.
    Models = "models", "Models";
    /// The errors of the model in use, case by case.
    Errors = "evaluate", "Errors";
    /// What the audit found.
    Audit = "audit", "Audit";
    /// Import notes.
    Notes = "notices", "Import notes";
}

/// How many panes there are.
const PANES: usize = Pane::ALL.len();

/// Which panes are shown, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrangement {
    /// The view.
    pub view: DashboardView,
    /// The focused pane.
    pub focus: Pane,
    /// Whether it fills the screen.
    pub zoomed: bool,
    /// Whether the explanation is open.
    pub explaining: bool,
    /// How many targets there are beside the main one.
    pub further: usize,
}

/// The rectangles of one frame; a pane that is not shown is empty, one that is folded has a single line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Areas {
    /// First line.
    pub header: Rect,
    panes: [Rect; PANES],
    /// Last line.
    pub footer: Rect,
}

impl Areas {
    /// The rectangle of this pane.
    #[must_use]
    pub fn pane_area(&self, pane: Pane) -> Rect {
        self.panes[pane as usize]
    }

    /// The pane at this place; of two that share a border, the one below or to the right.
    #[must_use]
    pub fn pane_at(&self, x: u16, y: u16) -> Option<Pane> {
        Pane::ALL.iter().rev().copied().find(|p| self.pane_area(*p).contains((x, y).into()))
    }

    fn put(&mut self, pane: Pane, area: Rect) {
        self.panes[pane as usize] = area;
    }
}

/// Lays the screen out.
#[must_use]
pub fn areas(screen: Rect, shown: Arrangement) -> Areas {
    let h = screen.height;
    let header = Rect { height: h.min(1), ..screen };
    let footer = Rect { y: screen.y + h.saturating_sub(1), height: u16::from(h > 1), ..screen };
    let body = Rect { y: screen.y + 1, height: h.saturating_sub(2), ..screen };
    let mut areas = Areas { header, panes: [Rect::default(); PANES], footer };
    if shown.zoomed {
        areas.put(shown.focus, body);
        return areas;
    }
    match shown.view {
        DashboardView::Swap => lay_swap(&mut areas, body, shown),
        DashboardView::Evidence => lay_evidence(&mut areas, body, shown.focus),
        other => areas.put(other.panes()[0], body),
    }
    areas
}

/// The part of `area` from a line on, which shares its first line with what is above.
fn below(area: Rect, lines: u16) -> Rect {
    let y = area.y + lines.saturating_sub(1);
    Rect { y, height: area.bottom().saturating_sub(y), ..area }
}

/// The part of `area` from a column on, which shares its first column with what is to the left.
fn right_of(area: Rect, columns: u16) -> Rect {
    let x = area.x + columns.saturating_sub(1);
    Rect { x, width: area.right().saturating_sub(x), ..area }
}

fn lay_swap(areas: &mut Areas, body: Rect, shown: Arrangement) {
    let Arrangement { explaining, further, focus, .. } = shown;
    let has_room_beside = body.width >= ROOM_BESIDE;
    // What is focused is seen: the explanation gives way to it, and is there again afterwards.
    let gives_way = matches!(focus, Pane::Gpus | Pane::Roofline | Pane::Occupancy);
    if explaining && !has_room_beside && !gives_way {
        let upper = (body.height * 66 / 100).clamp(body.height.min(9), body.height.max(1));
        areas.put(Pane::Explanation, Rect { height: upper, ..body });
        areas.put(Pane::Predictions, below(body, upper));
        return;
    }
    let mut rest = body;
    if explaining && has_room_beside {
        rest.width = body.width - BESIDE + 1;
        areas.put(Pane::Explanation, right_of(body, rest.width));
    }
    let w = rest.width;
    // The table needs its head and a few rows; what is left above is for charts.
    let upper = (body.height * 52 / 100).clamp(body.height.min(10), body.height.max(1));
    let gpus = (w / 5).clamp(w.min(20), 42);
    let occupancy = (w / 4).clamp(w.min(30), 46);
    // A column for each further target, as long as the roofline stays the widest.
    let wished = (OCCUPANCY_OF_TWO + OCCUPANCY_COLUMN * further.min(8) as u16).min(w * 2 / 5);
    let has_column = further > 0 && wished >= OCCUPANCY_OF_TWO + OCCUPANCY_COLUMN;
    let occupancy = if has_column { wished.max(occupancy) } else { occupancy };
    let roofline = w.saturating_sub(gpus + occupancy) + 2;
    let top = Rect { height: upper, ..rest };
    areas.put(Pane::Gpus, Rect { width: gpus, ..top });
    let middle = right_of(top, gpus);
    areas.put(Pane::Roofline, Rect { width: roofline.min(middle.width), ..middle });
    areas.put(Pane::Occupancy, right_of(middle, roofline));
    areas.put(Pane::Predictions, below(rest, upper));
}

/// Two columns where there is room; else the focused pane, and a line for each of the others.
fn lay_evidence(areas: &mut Areas, body: Rect, focus: Pane) {
    if body.width >= ROOM_FOR_EVIDENCE.0 && body.height >= ROOM_FOR_EVIDENCE.1 {
        let (upper, left) = (body.height * 66 / 100, body.width / 2);
        for (half, line) in [
            ([Pane::Models, Pane::Errors], Rect { height: upper, ..body }),
            ([Pane::Audit, Pane::Notes], below(body, upper)),
        ] {
            areas.put(half[0], Rect { width: left, ..line });
            areas.put(half[1], right_of(line, left));
        }
        return;
    }
    let panes = DashboardView::Evidence.panes();
    let open = body.height.saturating_sub(panes.len() as u16 - 1);
    let mut y = body.y;
    for pane in panes {
        let height = if *pane == focus { open } else { 1 };
        areas.put(*pane, Rect { y, height: height.min(body.bottom().saturating_sub(y)), ..body });
        y += height;
    }
}

/// The first line of a list to show, so that `selected` is on the page; pages do not move while the cursor stays on one, and
/// the last page is full.
#[must_use]
pub fn page_start(selected: usize, height: usize, lines: usize) -> usize {
    let start = selected.checked_div(height).map_or(0, |page| page * height);
    start.min(lines.saturating_sub(height))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrangement(view: DashboardView, explaining: bool) -> Arrangement {
        Arrangement { view, focus: view.first_pane(), zoomed: false, explaining, further: 0 }
    }

    #[test]
    fn panes_cover_the_body_at_any_size_and_share_no_more_than_a_border() {
        for (w, h) in [(0, 0), (1, 1), (40, 10), (80, 24), (120, 40), (160, 50), (200, 60), (500, 200)] {
            let screen = Rect::new(0, 0, w, h);
            for (view, explaining) in DashboardView::ALL
                .iter()
                .flat_map(|v| [false, true].map(|e| (*v, e && *v == DashboardView::Swap)))
            {
                let further = usize::from(w) % 7;
                let a = areas(screen, Arrangement { further, ..arrangement(view, explaining) });
                for r in a.panes.iter().chain([&a.header, &a.footer]) {
                    assert_eq!(r.intersection(screen).area(), r.area(), "{w}x{h}: {r:?} leaves the screen");
                }
                let mut covered = 0;
                for y in 1..h.saturating_sub(1) {
                    for x in 0..w {
                        let here = a.panes.iter().filter(|r| r.contains((x, y).into())).count();
                        assert!(here >= 1, "{w}x{h} {view:?} {explaining}: nothing at {x},{y}");
                        covered += here;
                    }
                }
                let body = usize::from(w) * usize::from(h.saturating_sub(2));
                assert!(covered <= body + 6 * usize::from(w + h), "{w}x{h} {view:?}: {covered} of {body}");
            }
            let zoomed = Arrangement { zoomed: true, ..arrangement(DashboardView::Swap, false) };
            assert_eq!(areas(screen, zoomed).pane_area(Pane::Gpus).area(), 0);
        }
    }

    #[test]
    fn the_last_page_of_a_list_is_full() {
        assert_eq!(page_start(9, 4, 100), 8);
        assert_eq!(page_start(43, 22, 44), 22);
        assert_eq!(page_start(50, 22, 56), 34);
        assert_eq!((page_start(3, 9, 4), page_start(0, 0, 4)), (0, 0));
    }
}
