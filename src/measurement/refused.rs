//! Refused rows in words: what is wrong with many rows alike is said once.

use super::RowError;

/// Every reason once, in the order of the first row with it, with how many of these rows have it: `runs.csv:5: gpu: …` for
/// one, `runs.csv: 3 rows (lines 2-3, 7): gpu: …` for several.
#[must_use]
pub fn counted_reasons(refused: &[RowError]) -> Vec<(usize, String)> {
    let mut groups: Vec<(&RowError, Vec<u64>)> = Vec::new();
    for row in refused {
        let same = |(first, _): &&mut (&RowError, Vec<u64>)| {
            first.file == row.file && first.column == row.column && first.message == row.message
        };
        match groups.iter_mut().find(same) {
            Some((_, lines)) => lines.push(row.line),
            None => groups.push((row, vec![row.line])),
        }
    }
    let in_words = |(first, lines): (&RowError, Vec<u64>)| match lines.len() {
        1 => (1, first.to_string()),
        n => {
            let RowError { file, column, message, .. } = first;
            (n, format!("{file}: {n} rows (lines {}): {column}: {message}", ranges(lines)))
        }
    };
    groups.into_iter().map(in_words).collect()
}

/// `2-5, 9`, and how many stretches there are beyond the first few.
fn ranges(mut lines: Vec<u64>) -> String {
    const SHOWN: usize = 5;
    lines.sort_unstable();
    let mut all: Vec<(u64, u64)> = Vec::new();
    for line in lines {
        match all.last_mut() {
            Some((_, end)) if *end + 1 >= line => *end = line,
            _ => all.push((line, line)),
        }
    }
    let shown = all.iter().take(SHOWN).map(|(a, b)| if a == b { a.to_string() } else { format!("{a}-{b}") });
    let shown = shown.collect::<Vec<_>>().join(", ");
    if all.len() > SHOWN { format!("{shown} …") } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_are_wrong_alike_are_told_once() {
        let row = |line, message: &str| RowError {
            file: "f".into(),
            line,
            column: "gpu".into(),
            message: message.into(),
        };
        let all = [row(2, "is blank"), row(3, "is blank"), row(4, "unknown"), row(9, "is blank")];
        assert_eq!(
            counted_reasons(&all),
            [
                (3, "f: 3 rows (lines 2-3, 9): gpu: is blank".to_string()),
                (1, "f:4: gpu: unknown".to_string())
            ]
        );
        assert_eq!(ranges((1..40).step_by(2).collect()), "1, 3, 5, 7, 9 …");
    }
}
