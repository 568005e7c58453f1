//! What can be trained beside what has been: one line per recipe and per file of the cache.

use super::cache::{Entry, State};
use super::trained::Trained;
use super::trainer::Trainer;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

/// A learned model, trained or not.
#[derive(Debug, Clone, PartialEq)]
pub struct Learned {
    /// Its id.
    pub model: String,
    /// What it predicts.
    pub what: String,
    /// What it needs of the rows.
    pub needs: String,
    /// Its state: a word of [`State`], or `not trained`.
    pub state: String,
    /// Why it is in that state, or what would change it.
    pub why: String,
    /// The file, where there is one.
    pub path: Option<PathBuf>,
    /// When it was written: `2026-11-21`.
    pub written: Option<String>,
    /// What it says of itself, where it is whole.
    pub trained: Option<Trained>,
}

/// Every recipe with its files in the cache, fresh ones first; recipes without any say how to train them.
#[must_use]
pub fn learned(trainers: &[Box<dyn Trainer>], entries: Vec<Entry>) -> Vec<Learned> {
    let mut all: Vec<Learned> = entries.into_iter().map(|e| of_file(trainers, e)).collect();
    all.sort_by_key(|l| l.state != State::Fresh.word());
    for t in trainers {
        if all.iter().all(|l| l.model != t.id()) {
            all.push(Learned {
                model: t.id().into(),
                what: t.summary().into(),
                needs: t.needs().into(),
                state: "not trained".into(),
                why: format!("`roofswap train {} --data FILE` trains it", t.id()),
                path: None,
                written: None,
                trained: None,
            });
        }
    }
    all
}

fn of_file(trainers: &[Box<dyn Trainer>], entry: Entry) -> Learned {
    let Entry { path, written, state, trained } = entry;
    let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let named = stem.rsplit_once('-').map_or(stem.as_str(), |(model, _)| model);
    let model = trained.as_ref().map_or(named, |t| &t.model).to_string();
    let recipe = trainers.iter().find(|t| t.id() == model);
    let why = match &state {
        State::Fresh => String::new(),
        State::OtherData => "made from other rows than those loaded; trained again where it is wanted".into(),
        State::Stale(why) | State::Damaged(why) => format!("{why}; it is trained again where it is wanted"),
    };
    Learned {
        what: recipe.map_or("no recipe of this version", |t| t.summary()).into(),
        needs: recipe.map_or("", |t| t.needs()).into(),
        state: state.word().into(),
        why,
        written: written.and_then(date),
        path: Some(path),
        model,
        trained,
    }
}

/// The day of a time, UTC, as ISO 8601 writes it. (Howard Hinnant's `civil_from_days`.)
fn date(time: SystemTime) -> Option<String> {
    let days = i64::try_from(time.duration_since(UNIX_EPOCH).ok()?.as_secs() / 86_400).ok()?;
    let z = days + 719_468;
    let (era, of_era) = (z.div_euclid(146_097), z.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let day_of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    Some(format!("{year:04}-{month:02}-{day:02}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn days_are_those_of_the_calendar() {
        let on = |seconds| date(UNIX_EPOCH + Duration::from_secs(seconds)).unwrap();
        // date -u -d @N +%F
        assert_eq!([on(0), on(951_782_400), on(1_732_147_200)], ["1970-01-01", "2000-02-29", "2024-11-21"]);
    }
}
