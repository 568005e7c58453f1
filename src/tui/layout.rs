//! Where everything lies, as a pure function of the screen's size: drawing and mouse use the same rectangles.
//!
//! ```text
//! header
//! ┌1 GPUs ─┐┌2 Roofline ──────┐┌3 Occupancy ─┐
//! │        ││                 ││             │
//! └────────┘└─────────────────┘└─────────────┘
//! ┌4 Predictions ────────────────────────────┐
//! └──────────────────────────────────────────┘
//! footer
//! ```

use ratatui::layout::Rect;

/// Below this the screen only says how large it should be.
pub const SMALLEST: (u16, u16) = (40, 10);

/// A pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pane {
    /// The catalogue.
    Gpus,
    /// The live roofline.
    Roofline,
    /// Occupancy on both GPUs.
    Occupancy,
    /// The table of predictions.
    Predictions,
}

impl Pane {
    /// All panes in the order of their numbers.
    pub const ALL: [Self; 4] = [Self::Gpus, Self::Roofline, Self::Occupancy, Self::Predictions];

    /// Its name in keymaps.
    #[must_use]
    pub fn place(self) -> &'static str {
        match self {
            Self::Gpus => "gpus",
            Self::Roofline => "roofline",
            Self::Occupancy => "occupancy",
            Self::Predictions => "predictions",
        }
    }

    /// Its title with its number.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Gpus => "1 GPUs",
            Self::Roofline => "2 Roofline",
            Self::Occupancy => "3 Occupancy",
            Self::Predictions => "4 Predictions",
        }
    }
}

/// The rectangles of one frame; a pane that is hidden behind a zoomed one is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Areas {
    /// First line.
    pub header: Rect,
    /// The panes, in the order of [`Pane::ALL`].
    pub panes: [Rect; 4],
    /// Last line.
    pub footer: Rect,
}

impl Areas {
    /// The rectangle of this pane.
    #[must_use]
    pub fn of(&self, pane: Pane) -> Rect {
        self.panes[pane as usize]
    }

    /// The pane at this place.
    #[must_use]
    pub fn pane_at(&self, x: u16, y: u16) -> Option<Pane> {
        Pane::ALL.into_iter().find(|p| self.of(*p).contains((x, y).into()))
    }
}

/// Lays the screen out; `zoomed` is the pane that fills it, if any.
#[must_use]
pub fn areas(screen: Rect, zoomed: Option<Pane>) -> Areas {
    let (w, h) = (screen.width, screen.height);
    let header = Rect { height: h.min(1), ..screen };
    let footer = Rect { y: screen.y + h.saturating_sub(1), height: u16::from(h > 1), ..screen };
    let body = Rect { y: screen.y + 1, height: h.saturating_sub(2), ..screen };
    let mut panes = [Rect::default(); 4];
    if let Some(pane) = zoomed {
        panes[pane as usize] = body;
        return Areas { header, panes, footer };
    }
    // The table needs its head and a few rows; what is left above is for charts.
    let upper = (body.height * 52 / 100).clamp(body.height.min(9), body.height.max(1));
    let gpus = (w / 6).clamp(w.min(19), 36);
    let occupancy = (w / 4).clamp(w.min(30), 44);
    let roofline = w.saturating_sub(gpus + occupancy);
    let row = |x: u16, width: u16| Rect { x: screen.x + x, y: body.y, width, height: upper };
    panes[0] = row(0, gpus);
    panes[1] = row(gpus, roofline);
    panes[2] = row(gpus + roofline, w.saturating_sub(gpus + roofline));
    panes[3] = Rect { y: body.y + upper, height: body.height.saturating_sub(upper), ..body };
    Areas { header, panes, footer }
}

/// The first line of a list to show, so that `selected` is on the page; pages do not move while the cursor stays on one.
#[must_use]
pub fn page_start(selected: usize, height: usize) -> usize {
    selected.checked_div(height).map_or(0, |page| page * height)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panes_tile_the_body_at_any_size() {
        for (w, h) in [(0, 0), (1, 1), (40, 10), (80, 24), (120, 40), (160, 50), (200, 60), (500, 200)] {
            let screen = Rect::new(0, 0, w, h);
            let a = areas(screen, None);
            let area: u32 = a.panes.iter().map(|r| r.area()).sum();
            assert_eq!(area, u32::from(w) * u32::from(h.saturating_sub(2)), "{w}x{h}");
            for r in a.panes.iter().chain([&a.header, &a.footer]) {
                assert_eq!(r.intersection(screen).area(), r.area(), "{w}x{h}: {r:?} leaves the screen");
            }
            assert_eq!(areas(screen, Some(Pane::Roofline)).of(Pane::Gpus).area(), 0);
        }
    }
}
