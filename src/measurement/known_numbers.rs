//! The numbers of a row that are known, by their column.

use super::Number;

/// Numbers by column, each column once, in the order of the columns. A row has few of forty: a list is a tenth of a tree's memory.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KnownNumbers(Vec<(Number, f64)>);

impl KnownNumbers {
    /// Sets the number of this column.
    pub fn insert(&mut self, column: Number, value: f64) {
        match self.0.binary_search_by_key(&column, |(known, _)| *known) {
            Ok(place) => self.0[place].1 = value,
            Err(place) => self.0.insert(place, (column, value)),
        }
    }

    /// The number of this column.
    #[must_use]
    pub fn get(&self, column: Number) -> Option<f64> {
        let place = self.0.binary_search_by_key(&column, |(known, _)| *known);
        place.ok().map(|place| self.0[place].1)
    }

    /// Columns and numbers, in the order of the columns.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Number, f64)> + '_ {
        self.0.iter().copied()
    }

    /// Forgets all of them, and keeps the room for as many.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

impl FromIterator<(Number, f64)> for KnownNumbers {
    fn from_iter<I: IntoIterator<Item = (Number, f64)>>(all: I) -> Self {
        let mut numbers = Self::default();
        all.into_iter().for_each(|(column, value)| numbers.insert(column, value));
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_column_has_its_last_number_in_the_order_of_columns() {
        let pairs = [(Number::Time, 1.0), (Number::Flops, 2.0), (Number::Time, 3.0)];
        let mut all: KnownNumbers = pairs.into_iter().collect();
        assert_eq!(all.iter().collect::<Vec<_>>(), [(Number::Flops, 2.0), (Number::Time, 3.0)]);
        assert_eq!((all.get(Number::Time), all.get(Number::Power)), (Some(3.0), None));
        all.clear();
        assert_eq!(all, KnownNumbers::default());
    }
}
