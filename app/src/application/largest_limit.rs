//! What most of an application's time waits for.

use super::forecast::TargetForecast;
use super::recorded::Application;
use crate::roofline::Bound;

impl TargetForecast {
    /// What the largest part of [`TargetForecast::time_range`] waits for: the host and copies, else the limit that most of the kernels'
    /// time has; `None` where no kernel's is known.
    #[must_use]
    pub fn largest_limit(&self, application: &Application) -> Option<&'static str> {
        let wall = self.wall.map(|wall| wall.value);
        if wall.zip(self.wall_without_kernels).is_some_and(|(wall, without)| without.0 > 0.5 * wall.0) {
            return Some("the host and copies");
        }
        let mut totals: Vec<(&'static str, f64)> = Vec::new();
        for (group, forecast) in application.groups.iter().zip(&self.groups) {
            let word = forecast.limit.map_or("kernels without a model", Bound::as_str);
            let time = forecast.time.value.0 * group.calls as f64;
            match totals.iter_mut().find(|(known, _)| *known == word) {
                Some((_, total)) => *total += time,
                None => totals.push((word, time)),
            }
        }
        totals.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(word, _)| word)
    }
}
