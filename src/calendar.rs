//! Days as dates.

use std::time::{SystemTime, UNIX_EPOCH};

/// The day of this time in UTC as ISO 8601 writes it, `2026-11-21`; `None` before 1970.
#[must_use]
pub fn utc_date(time: SystemTime) -> Option<String> {
    let seconds = time.duration_since(UNIX_EPOCH).ok()?.as_secs();
    i64::try_from(seconds / 86_400).ok().map(civil_date)
}

/// The date so many days after 1970-01-01 (Howard Hinnant, "chrono-compatible low-level date algorithms",
/// `civil_from_days`).
fn civil_date(days: i64) -> String {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let leap_days = day_of_era / 1460 - day_of_era / 36_524 + day_of_era / 146_096;
    let year_of_era = (day_of_era - leap_days) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    // Years of these days begin in March, so that the day of the leap year is the last one.
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Days from one ISO date to another, below 0 where the second is earlier; `None` where one is no day of the calendar.
///
/// ```
/// use roofswap_engine::calendar::days_between;
/// assert_eq!(days_between("2026-11-01", "2026-11-21"), Some(20));
/// assert_eq!(days_between("2026-02-29", "2026-11-21"), None);
/// ```
#[must_use]
pub fn days_between(from: &str, to: &str) -> Option<i64> {
    Some(days_of_date(to)? - days_of_date(from)?)
}

/// Days after 1970-01-01 of an ISO date; `None` where it is no day (`days_from_civil`, as above).
fn days_of_date(date: &str) -> Option<i64> {
    let numbers: Vec<i64> = date.split('-').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let [year, month, day] = numbers[..] else { return None };
    if date.len() != 10 || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let from_march = year - i64::from(month <= 2);
    let era = from_march.div_euclid(400);
    let year_of_era = from_march - era * 400;
    let day_of_year = (153 * (if month > 2 { month - 3 } else { month + 9 }) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    let days = era * 146_097 + day_of_era - 719_468;
    // The 30th of February comes back as another day.
    (civil_date(days) == date).then_some(days)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_date_is_read_back_and_no_other_text_is_one() {
        for days in (-10..30_000).step_by(17) {
            assert_eq!(days_of_date(&civil_date(days)), Some(days));
        }
        for text in
            ["", "2026", "2026-13-01", "2026-00-10", "2026-02-30", "2026-2-3", "x-y-z", "2026-11-21T00"]
        {
            assert_eq!(days_of_date(text), None, "{text}");
        }
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        let on = |seconds| utc_date(UNIX_EPOCH + Duration::from_secs(seconds));
        // date -u -d @N +%F
        let dates = [0, 951_782_400, 1_709_164_800, 1_732_147_200, 1_795_219_200].map(on);
        let expected = ["1970-01-01", "2000-02-29", "2024-02-29", "2024-11-21", "2026-11-21"];
        assert_eq!(dates, expected.map(|d| Some(d.to_string())));
    }
}
