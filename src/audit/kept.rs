//! What a sheet keeps of each row, in little memory: a table has millions of them.

use crate::measurement::Number;

/// Records as they were written, in one piece of memory.
#[derive(Debug, Default)]
pub(super) struct KeptRecords {
    text: String,
    /// Where each record ends.
    ends: Vec<usize>,
}

impl KeptRecords {
    /// No field holds a NUL byte: readers refuse it, importers replace it.
    const BETWEEN: char = '\0';

    /// Puts a record behind the others.
    pub(super) fn push<'f>(&mut self, fields: impl Iterator<Item = &'f str>) {
        for (i, field) in fields.enumerate() {
            if i > 0 {
                self.text.push(Self::BETWEEN);
            }
            self.text.push_str(field);
        }
        self.ends.push(self.text.len());
    }

    /// The record at this place: equal fields make equal texts.
    pub(super) fn whole(&self, place: usize) -> &str {
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..self.ends[place]]
    }

    /// The fields of the record at this place, in order.
    pub(super) fn fields(&self, place: usize) -> impl Iterator<Item = &str> {
        self.whole(place).split(Self::BETWEEN)
    }
}

/// Some of the numbers that a row may have.
#[derive(Debug, Clone, Default)]
pub(super) struct RowNumbers {
    /// A bit for each of [`Number::ALL`] that is there.
    known: u64,
    /// The values of those, in the order of the columns.
    values: Box<[f64]>,
}

// A bit for each.
const _: () = assert!(Number::ALL.len() <= u64::BITS as usize);

impl RowNumbers {
    /// This number, where it is there.
    pub(super) fn value(&self, number: Number) -> Option<f64> {
        let bit = 1_u64 << number as u32;
        let before = (self.known & (bit - 1)).count_ones() as usize;
        (self.known & bit != 0).then(|| self.values[before])
    }
}

/// Numbers in the order of the columns; of one that is there twice the first counts.
impl FromIterator<(Number, f64)> for RowNumbers {
    fn from_iter<I: IntoIterator<Item = (Number, f64)>>(numbers: I) -> Self {
        let mut all: Vec<(Number, f64)> = numbers.into_iter().collect();
        all.sort_by_key(|(number, _)| *number as u32);
        all.dedup_by_key(|(number, _)| *number);
        let known = all.iter().fold(0, |known, (number, _)| known | 1_u64 << *number as u32);
        Self { known, values: all.into_iter().map(|(_, value)| value).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_again_whatever_their_order() {
        let all = Number::ALL;
        let some = [(all[7], 7.0), (all[0], 0.5), (all[all.len() - 1], 9.0), (all[3], -3.0)];
        let kept: RowNumbers = some.into_iter().collect();
        for number in all {
            let wanted = some.iter().find(|(known, _)| known == number).map(|(_, value)| *value);
            assert_eq!(kept.value(*number), wanted, "{}", number.column());
        }
        assert_eq!(RowNumbers::default().value(all[0]), None);
    }

    #[test]
    fn records_are_kept_apart() {
        let mut kept = KeptRecords::default();
        for record in [&["a", "", "bc"][..], &[""], &["a", "", "bc"], &["a", "b", "c"]] {
            kept.push(record.iter().copied());
        }
        let fields = |place| kept.fields(place).collect::<Vec<_>>();
        assert_eq!((fields(0), fields(1), fields(3)), (vec!["a", "", "bc"], vec![""], vec!["a", "b", "c"]));
        assert!(kept.whole(0) == kept.whole(2) && kept.whole(0) != kept.whole(3));
    }
}
