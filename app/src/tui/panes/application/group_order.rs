//! Which groups are shown, in which order.

use super::findings::{ApplicationFindings, GroupSort};
use crate::application::{KernelGroup, launch_words};
use crate::tui::filter::Filter;

impl ApplicationFindings {
    /// Filters and sorts the groups; the cursor stays on its group if that is still shown.
    pub(in crate::tui) fn arrange_groups(&mut self) {
        let Some(application) = self.application.clone() else { return };
        let filter = Filter::new(&self.filter);
        let all = application.groups.iter().enumerate();
        let fitting = all.filter(|(_, group)| filter.is_empty() || fits(&filter, group));
        let mut shown: Vec<usize> = fitting.map(|(place, _)| place).collect();
        let (sort, is_reversed) = self.sort;
        match sort {
            GroupSort::Share => {}
            GroupSort::Kernel => {
                shown.sort_by_cached_key(|place| application.groups[*place].label.to_lowercase());
            }
            _ => shown.sort_by(|a, b| self.sort_number(*b).total_cmp(&self.sort_number(*a))),
        }
        if is_reversed {
            // What has no number stays last in either direction.
            let numbers = shown.partition_point(|place| self.sort_number(*place) > f64::NEG_INFINITY);
            shown[..numbers].reverse();
        }
        self.shown = shown;
        if !self.shown.contains(&self.cursor) {
            self.cursor = self.shown.first().copied().unwrap_or(self.cursor);
        }
    }

    /// What a group is sorted by, the largest first; 0 of those that stand by name or share.
    fn sort_number(&self, place: usize) -> f64 {
        let Some(group) = self.application.as_ref().and_then(|read| read.groups.get(place)) else {
            return 0.0;
        };
        let on_target = || Some(self.first_target()?.groups.get(place)?.time.value.0);
        let number = match self.sort.0 {
            GroupSort::Share | GroupSort::Kernel => Some(0.0),
            GroupSort::Calls => Some(group.calls as f64),
            GroupSort::Mean => Some(group.mean().0),
            GroupSort::OnTarget => on_target(),
            GroupSort::Speedup => on_target().map(|time| group.mean().0 / time),
        };
        number.unwrap_or(f64::NEG_INFINITY)
    }

    /// The group under the cursor; `None` where the filter leaves none.
    pub(super) fn group_under_cursor(&self) -> Option<&KernelGroup> {
        let application = self.application.as_ref()?;
        application.groups.get(self.cursor).filter(|_| !self.shown.is_empty())
    }

    /// The line of the cursor among the groups that are shown.
    pub(super) fn cursor_line(&self) -> usize {
        self.shown.iter().position(|place| *place == self.cursor).unwrap_or(0)
    }
}

fn fits(filter: &Filter, group: &KernelGroup) -> bool {
    let operator = group.operator_words().unwrap_or_default();
    let launch = launch_words(group).unwrap_or_default();
    filter.score(&[&group.name, &group.label, &operator, &launch, group.category.as_str()]).is_some()
}
