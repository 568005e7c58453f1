//! Columns of rows that stand together: equal neighbours stand once.

/// A column of which equal neighbours stand once.
#[derive(Debug)]
pub(super) struct PackedColumn<T> {
    values: Vec<T>,
    /// Which value each row has; empty of a packed column whose rows are all alike or all different.
    places: Vec<u32>,
}

impl<T> Default for PackedColumn<T> {
    fn default() -> Self {
        Self { values: Vec::new(), places: Vec::new() }
    }
}

impl<T: PartialEq> PackedColumn<T> {
    /// Puts a row behind the others.
    pub(super) fn push(&mut self, value: T) {
        if self.values.last() != Some(&value) {
            self.values.push(value);
        }
        self.places.push(small(self.values.len()) - 1);
    }

    /// How many rows there are so far.
    pub(super) fn count(&self) -> u32 {
        small(self.places.len())
    }

    /// The same in no more room than it takes.
    pub(super) fn packed(mut self) -> Self {
        if self.values.len() == 1 || self.values.len() == self.places.len() {
            self.places = Vec::new();
        }
        self.values.shrink_to_fit();
        self.places.shrink_to_fit();
        self
    }

    /// That of this row of a packed column.
    #[inline]
    pub(super) fn value(&self, row: u32) -> &T {
        let all_alike_or_different = || (row as usize).min(self.values.len() - 1);
        let place =
            self.places.get(row as usize).map_or_else(all_alike_or_different, |place| *place as usize);
        &self.values[place]
    }
}

fn small(count: usize) -> u32 {
    u32::try_from(count).expect("a chunk has fewer than 2^32 rows")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_has_the_value_of_every_row_and_equal_neighbours_once() {
        for (rows, values, places) in
            [(&[7, 7, 7][..], 1, 0), (&[1, 2, 3], 3, 0), (&[1, 1, 2, 1], 3, 4), (&[5], 1, 0), (&[], 0, 0)]
        {
            let mut column = PackedColumn::default();
            rows.iter().for_each(|value| column.push(*value));
            let column = column.packed();
            assert!(rows.iter().zip(0..).all(|(value, row)| column.value(row) == value), "{rows:?}");
            assert_eq!((column.values.len(), column.places.len()), (values, places), "{rows:?}");
        }
    }
}
