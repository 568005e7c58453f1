//! `~` stands at every time, interval and ratio that rests on an estimate and on no measurement, on every page and picture.

use crate::desk::Desk;

/// Nobody timed it on any GPU.
const UNTIMED: &str = "--kernel shared_bank_conflict";
/// As it is shown: nobody predicted it.
const TYPED_GOAL: &str = "23.4 µs";
const UNITS: [&str; 4] = [" ns", " µs", " ms", " s"];

/// The texts of a picture, without the ticks of its axes; any other answer as it is, without its numbered notes.
fn texts(answer: &str) -> Vec<String> {
    if !answer.contains("<svg") {
        let said = |line: &&str| !line.starts_with('[');
        return answer.lines().filter(said).map(|line| line.replace(TYPED_GOAL, "the goal")).collect();
    }
    let after = answer.split('>').skip(1).filter_map(|piece| piece.split_once('<'));
    let is_tick = |text: &str| {
        UNITS.iter().any(|unit| text.strip_suffix(unit).is_some_and(|digits| digits.parse::<f64>().is_ok()))
    };
    after.map(|(text, _)| text.trim().to_string()).filter(|text| !text.is_empty() && !is_tick(text)).collect()
}

/// The times in a text that have no `~` before or behind them.
fn unmarked_times(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for unit in UNITS {
        for (at, _) in text.match_indices(unit) {
            let (before, after) = (&text[..at], &text[at + unit.len()..]);
            if after.starts_with(|c: char| c.is_alphanumeric()) {
                continue;
            }
            // `16.4–53.7 µs` and `560 ns–45.3 µs` are one range.
            let of_range = |c: char| c.is_ascii_digit() || ".–".contains(c);
            let mut start = before.trim_end_matches(of_range);
            if let Some(unit) =
                UNITS.iter().find(|unit| before[start.len()..].starts_with('–') && start.ends_with(**unit))
            {
                start = start[..start.len() - unit.len()].trim_end_matches(of_range);
            }
            let is_number = before[start.len()..].contains(|c: char| c.is_ascii_digit());
            let is_end_of_range = after.starts_with('–');
            if is_number && !is_end_of_range && !start.ends_with('~') && !after.starts_with(" ~") {
                found.push(text[start.len()..at + unit.len()].to_string());
            }
        }
    }
    found
}

#[test]
fn every_time_that_rests_on_no_measurement_is_marked() {
    let desk = Desk::new();
    let whatif = format!("whatif --gpu rtx-4070 --from titan-v {UNTIMED}");
    for words in [
        whatif.clone(),
        format!("{whatif} --set sms=60"),
        format!("{whatif} --tornado"),
        format!("{whatif} --solve lsu --goal 23.4us"),
        format!("{whatif} --solve lsu --set mem=+20%"),
        format!("{whatif} --tornado --svg -"),
        format!("{whatif} --contour sms,mem --svg -"),
        format!("whatif --gpu rtx-4070,l4 --from titan-v {UNTIMED} --tornado"),
        format!("predict --from titan-v --to rtx-4070 {UNTIMED}"),
        format!("predict --from titan-v --to rtx-4070 {UNTIMED} --model all"),
        format!("rank --from titan-v {UNTIMED}"),
        format!("rank --from titan-v {UNTIMED} --svg -"),
        format!("export roofline --from titan-v --to rtx-4070 {UNTIMED} -o -"),
        format!("export predictions --from titan-v --to rtx-4070 {UNTIMED} -o -"),
    ] {
        let answer = desk.types(&words).works().stdout;
        for text in texts(&answer) {
            assert_eq!(unmarked_times(&text), Vec::<String>::new(), "{words}: {text}");
        }
    }
    for page in ["page.md", "page.html"] {
        let words = format!("{whatif} --set sms=60 --page");
        desk.types_with(&words, &[&desk.path(page)]).works();
        for text in texts(&desk.read(page).replace("<svg", "<picture")) {
            let row = text.split(['<', '>', '|']).filter(|cell| !cell.trim().is_empty());
            for cell in row
                .filter(|cell| !cell.trim().starts_with(|c: char| c.is_ascii_digit()) || cell.contains('–'))
            {
                assert_eq!(unmarked_times(cell), Vec::<String>::new(), "{page}: {cell}");
            }
        }
    }
}

#[test]
fn programs_read_what_a_time_rests_on() {
    let desk = Desk::new();
    for (kernel, kind) in [(UNTIMED, "modelled"), ("--kernel saxpy --size 2^20", "scaled")] {
        let pair = format!("--from titan-v {kernel} --format json");
        let whatif = desk.types(&format!("whatif --gpu rtx-4070 {pair}")).works().stdout;
        assert!(whatif.contains(&format!("\"time_kind\": \"{kind}\"")), "{whatif}");
        let rank = desk.types(&format!("rank --to l4 {pair}")).works().json();
        assert_eq!(rank[0]["time_kind"], kind);
    }
}

#[test]
fn no_measured_time_is_marked() {
    let desk = Desk::new();
    let whatif = "whatif --gpu rtx-4070 --from titan-v --kernel saxpy --size 2^20";
    for words in ["--tornado", "--solve mem --goal 20us", "--tornado --svg -", "--contour mem,sms --svg -"] {
        let answer = desk.types(&format!("{whatif} {words}")).works().stdout;
        // What a board draws is always modelled.
        let is_time = |line: &&str| !line.starts_with('●') && !line.starts_with("board power");
        let marked = answer.lines().filter(|line| line.contains('~')).filter(is_time);
        assert_eq!(marked.collect::<Vec<_>>(), Vec::<&str>::new(), "{words}");
    }
}
