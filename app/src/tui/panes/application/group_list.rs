//! The groups as a table: as many columns as fit. What tells groups of one kernel apart stands where there is room, on narrow screens
//! before their totals.

use super::findings::GroupSort;
use crate::application::{Application, KernelGroup, TargetForecast, launch_words, percent};
use crate::gpu::GpuId;
use crate::kernel::{clip_apart, clip_at_difference};
use crate::text::harmless_line;
use crate::tui::layout::page_start;
use crate::tui::look::Look;
use crate::tui::state::DashboardState;
use crate::tui::text::{clipped_text, pad_left, pad_right};
use crate::units::{range, significant};
use ratatui::text::Line;
use std::collections::{HashMap, HashSet};
use unicode_width::UnicodeWidthStr;

/// The fewest columns of a kernel's name, and those it has before wide columns.
const KERNEL: (usize, usize) = (12, 28);
/// Columns of the time on a target.
const ON_TARGET: usize = 10;
/// The fewest columns of an operator.
const OPERATOR: usize = 14;
/// The fewest and most columns of a launch.
const LAUNCH: (usize, usize) = (12, 18);

/// No name on the screen is longer.
const WHOLE_NAME: usize = 4096;

/// A column behind the kernel's name; of a target by its place among the forecasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GroupColumn {
    Operator,
    Launch,
    Share,
    Calls,
    Total,
    Mean,
    Time(usize),
    Interval(usize),
    Speedup(usize),
}

impl GroupColumn {
    /// Its place from the left.
    fn place(self) -> (usize, usize) {
        match self {
            Self::Operator => (0, 0),
            Self::Launch => (1, 0),
            Self::Share => (2, 0),
            Self::Calls => (3, 0),
            Self::Total => (4, 0),
            Self::Mean => (5, 0),
            Self::Time(at) => (5 + at, 1),
            Self::Interval(at) => (5 + at, 2),
            Self::Speedup(at) => (5 + at, 3),
        }
    }

    fn is_words(self) -> bool {
        matches!(self, Self::Operator | Self::Launch)
    }

    fn text(self, place: usize, group: &KernelGroup, forecasts: &[TargetForecast]) -> String {
        let on_target = |at: usize| forecasts.get(at).and_then(|forecast| forecast.groups.get(place));
        match self {
            Self::Operator => group.operator_words().unwrap_or_default(),
            Self::Launch => launch_words(group).unwrap_or_default(),
            Self::Share => percent(100.0 * group.share),
            Self::Calls => group.calls.to_string(),
            Self::Total => group.total.to_string(),
            Self::Mean => group.mean().to_string(),
            Self::Time(at) => on_target(at).map_or_else(String::new, |forecast| {
                let mark = if forecast.basis.is_predicted() { "" } else { "?" };
                format!("{mark}{}", forecast.time.value)
            }),
            Self::Interval(at) => on_target(at).map_or_else(String::new, |f| range(f.time.low, f.time.high)),
            Self::Speedup(at) => on_target(at).map_or_else(String::new, |forecast| {
                format!("{}×", significant(group.mean() / forecast.time.value))
            }),
        }
    }
}

/// The columns with their widths, and the width of the name.
struct GroupWidths {
    name: usize,
    columns: Vec<(GroupColumn, usize)>,
}

/// The groups that are on the screen, with their places.
struct ShownGroups<'a> {
    groups: Vec<(usize, &'a KernelGroup)>,
    /// The forecasts, that of the program's own GPU first.
    forecasts: &'a [TargetForecast],
    /// The column that they are sorted by; `None` for their names.
    sorted: Option<GroupColumn>,
}

impl ShownGroups<'_> {
    /// How wide a column of words wants to be.
    fn widest(&self, column: GroupColumn) -> usize {
        let width = |(place, group): &(usize, &KernelGroup)| column.text(*place, group, &[]).width();
        self.groups.iter().map(width).max().unwrap_or(0)
    }

    /// Whether several of them have one name.
    fn are_alike(&self) -> bool {
        let mut seen = HashSet::new();
        self.groups.iter().any(|(_, group)| !seen.insert(&group.label))
    }

    /// Whether several of them have one name and one operator, or none: their launches differ.
    fn differ_in_launch(&self) -> bool {
        let mut seen = HashSet::new();
        self.groups.iter().any(|(_, group)| !seen.insert((&group.label, group.operator_words())))
    }

    /// The kernels' names in so many columns, those that the same operator launched apart from each other.
    fn labels_apart(&self, width: usize) -> Vec<String> {
        let mut of_operators: HashMap<Option<String>, Vec<usize>> = HashMap::new();
        for (line, (_, group)) in self.groups.iter().enumerate() {
            of_operators.entry(group.operator_words()).or_default().push(line);
        }
        let whole = |line: &usize| harmless_line(&self.groups[*line].1.label_within(WHOLE_NAME));
        let mut labels = vec![String::new(); self.groups.len()];
        for lines in of_operators.values() {
            let cut = clip_apart(&lines.iter().map(whole).collect::<Vec<_>>(), width);
            lines.iter().zip(cut).for_each(|(line, label)| labels[*line] = label);
        }
        labels
    }

    /// The operator in so many columns, apart from those of kernels whose names look alike in these.
    fn operator_apart(&self, group: &KernelGroup, width: usize, name: usize) -> String {
        let words = |group: &KernelGroup| harmless_line(&group.operator_words().unwrap_or_default());
        let label = group.label_within(name);
        let alike = self.groups.iter().filter(|(_, other)| other.label_within(name) == label);
        let others: Vec<String> = alike.map(|(_, other)| words(other)).collect();
        let clip = |operator: &str| clipped_text(operator, width);
        clip_at_difference(&words(group), others.iter().map(String::as_str), width, clip)
    }

    /// The columns by what they are worth, the first to go last, with their widths.
    fn by_worth(&self, width: usize) -> Vec<(GroupColumn, usize)> {
        use GroupColumn::{Calls, Interval, Launch, Mean, Operator, Share, Speedup, Time, Total};
        let operator = self.widest(Operator).min((width / 5).max(OPERATOR));
        let launch = self.widest(Launch);
        let launch = if launch > 0 { launch.clamp(LAUNCH.0, LAUNCH.1) } else { 0 };
        // The time on a target is that of a call: a total beside it has the mean beside it, too.
        let numbers = [(Mean, 8), (Calls, 6), (Total, 8)];
        let mut all: Vec<_> =
            numbers.into_iter().filter(|(column, _)| Some(*column) == self.sorted).collect();
        all.extend([(Speedup(1), 8), (Time(1), ON_TARGET), (Share, 7)]);
        if self.are_alike() {
            all.push((Operator, operator));
        }
        if self.differ_in_launch() {
            all.push((Launch, launch));
        }
        all.extend(numbers);
        all.extend([(Operator, operator), (Launch, launch)]);
        all.push((Interval(1), 15));
        for at in 2..self.forecasts.len() {
            all.extend([(Time(at), ON_TARGET), (Speedup(at), 8), (Interval(at), 15)]);
        }
        let is_there = |(column, width): &(GroupColumn, usize)| match column {
            Time(at) | Speedup(at) | Interval(at) => *at < self.forecasts.len(),
            Operator | Launch => *width > 0,
            _ => true,
        };
        all.retain(is_there);
        all
    }

    fn widths(&self, width: usize, heading: impl Fn(GroupColumn) -> String) -> GroupWidths {
        let longest = self.groups.iter().map(|(_, group)| group.label_within(width).width()).max();
        let longest = longest.unwrap_or(0).max(KERNEL.0);
        let (mut name, mut columns) = (KERNEL.0, Vec::<(GroupColumn, usize)>::new());
        let (mut left, is_alike) = (width.saturating_sub(name), self.are_alike());
        let grow = |name: &mut usize, most: usize, left: &mut usize| {
            let more = most.min(longest).saturating_sub(*name).min(*left);
            (*name, *left) = (*name + more, *left - more);
        };
        for (column, wanted) in self.by_worth(width) {
            let has = |wanted: GroupColumn| columns.iter().any(|(known, _)| *known == wanted);
            let is_without_time = match column {
                GroupColumn::Interval(at) | GroupColumn::Speedup(at) => at > 1 && !has(GroupColumn::Time(at)),
                _ => false,
            };
            if has(column) || is_without_time {
                continue;
            }
            if column.is_words() {
                grow(&mut name, if is_alike { KERNEL.1 / 2 + 4 } else { KERNEL.1 }, &mut left);
            }
            if wanted < left {
                left -= wanted + 1;
                columns.push((column, wanted));
            }
        }
        grow(&mut name, usize::MAX, &mut left);
        // What the kernels leave makes the names of the GPUs whole.
        for (column, width) in &mut columns {
            if matches!(column, GroupColumn::Time(_)) {
                let more = heading(*column).width().saturating_sub(*width).min(left);
                (*width, left) = (*width + more, left - more);
            }
        }
        columns.sort_by_key(|(column, _)| column.place());
        GroupWidths { name, columns }
    }
}

/// The heading, and so many groups; and the targets whose columns have no room.
pub(super) fn group_lines(
    state: &DashboardState,
    application: &Application,
    width: usize,
    shown: usize,
    look: Look<'_>,
) -> (Vec<Line<'static>>, Vec<GpuId>) {
    let found = &state.application;
    let start = page_start(found.cursor_line(), shown, found.shown.len());
    let places = found.shown.iter().skip(start).take(shown);
    let groups = places.map(|place| (*place, &application.groups[*place])).collect();
    let forecasts: &[TargetForecast] = match &found.forecasts {
        Some(Ok(forecasts)) => forecasts,
        _ => &[],
    };
    let (sort, is_reversed) = found.sort;
    let sorted = match sort {
        GroupSort::Share => Some(GroupColumn::Share),
        GroupSort::Kernel => None,
        GroupSort::Calls => Some(GroupColumn::Calls),
        GroupSort::Mean => Some(GroupColumn::Mean),
        GroupSort::OnTarget => Some(GroupColumn::Time(1)),
        GroupSort::Speedup => Some(GroupColumn::Speedup(1)),
    };
    let list = ShownGroups { groups, forecasts, sorted };
    let heading = |column: GroupColumn| match column {
        GroupColumn::Operator => "operator".to_string(),
        GroupColumn::Launch => "grid x block".into(),
        GroupColumn::Share => "share".into(),
        GroupColumn::Calls => "calls".into(),
        GroupColumn::Total => "total".into(),
        GroupColumn::Mean => "mean".into(),
        GroupColumn::Time(at) => state.session.gpus[forecasts[at].target].short_name().to_string(),
        GroupColumn::Interval(_) => "90 %".into(),
        GroupColumn::Speedup(_) => "speedup".into(),
    };
    let widths = list.widths(width, heading);
    let cell = |(column, width): &(GroupColumn, usize), text: String| {
        let text = clipped_text(&text, *width);
        let padded = if column.is_words() { pad_right(&text, *width) } else { pad_left(&text, *width) };
        format!(" {padded}")
    };
    let line = |name: &str, of: &dyn Fn(GroupColumn, usize) -> String| {
        let cells: String =
            widths.columns.iter().map(|column| cell(column, of(column.0, column.1))).collect();
        let name = clipped_text(&harmless_line(name), widths.name);
        format!("{}{cells}", pad_right(&name, widths.name))
    };
    // Numbers fall from the largest, names grow.
    let falls = list.sorted.is_some() != is_reversed;
    let arrow = |column: Option<GroupColumn>| match (column == list.sorted, falls) {
        (true, true) => "▼",
        (true, false) => "▲",
        (false, _) => "",
    };
    let head = line(&format!("kernel{}", arrow(None)), &|column, width| {
        let arrow = arrow(Some(column));
        let name = match column {
            GroupColumn::Time(at) => {
                state.column_name(&state.session.gpus[forecasts[at].target], width - arrow.width())
            }
            other => heading(other),
        };
        format!("{name}{arrow}")
    });
    let mut lines = vec![Line::styled(clipped_text(&head, width), look.title())];
    for ((place, group), label) in list.groups.iter().zip(list.labels_apart(widths.name)) {
        let text = line(&label, &|column, width| match column {
            GroupColumn::Operator => list.operator_apart(group, width, widths.name),
            other => other.text(*place, group, forecasts),
        });
        let style = if *place == state.application.cursor { look.selection() } else { look.text() };
        lines.push(Line::styled(pad_right(&clipped_text(&text, width), width), style));
    }
    let has_column = |at: usize| widths.columns.iter().any(|(column, _)| *column == GroupColumn::Time(at));
    let left_out = forecasts.iter().enumerate().skip(1).filter(|(at, _)| !has_column(*at));
    (lines, left_out.map(|(_, forecast)| forecast.target).collect())
}
