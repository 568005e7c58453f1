//! Columns of rows that stand together: equal neighbours stand once.

/// A column of which equal neighbours stand once.
#[derive(Debug)]
pub(super) struct PackedColumn<T> {
    pub(super) values: Vec<T>,
    pub(super) places: ValuePlaces,
}

impl<T> Default for PackedColumn<T> {
    fn default() -> Self {
        Self { values: Vec::new(), places: ValuePlaces::Wide(Vec::new()) }
    }
}

/// Which value each row has.
#[derive(Debug, Default)]
pub(super) enum ValuePlaces {
    /// All rows have the same.
    #[default]
    Alike,
    /// Each row has its own.
    Different,
    Narrow(Box<[u16]>),
    /// As they are collected, or of more values than a narrow place tells apart.
    Wide(Vec<u32>),
}

impl ValuePlaces {
    /// The place of this row's value.
    #[inline]
    pub(super) fn place(&self, row: u32) -> u32 {
        match self {
            Self::Alike => 0,
            Self::Different => row,
            Self::Narrow(places) => u32::from(places[row as usize]),
            Self::Wide(places) => places[row as usize],
        }
    }

    fn count(&self) -> usize {
        if let Self::Wide(places) = self { places.len() } else { 0 }
    }

    /// The same in no more room than it takes, of so many values.
    fn packed(self, values: usize) -> Self {
        let Self::Wide(mut places) = self else { return self };
        if values <= 1 {
            return Self::Alike;
        }
        if values == places.len() {
            return Self::Different;
        }
        if values <= 1 << 16 {
            return Self::Narrow(places.into_iter().map(|place| place as u16).collect());
        }
        places.shrink_to_fit();
        Self::Wide(places)
    }
}

impl<T: PartialEq> PackedColumn<T> {
    /// Puts a row behind the others.
    pub(super) fn push(&mut self, value: T) {
        if self.values.last() != Some(&value) {
            self.values.push(value);
        }
        let place = small(self.values.len()) - 1;
        if let ValuePlaces::Wide(places) = &mut self.places {
            places.push(place);
        }
    }

    /// How many rows there are so far.
    pub(super) fn count(&self) -> u32 {
        small(self.places.count())
    }

    /// The same in no more room than it takes; nothing is put behind it any longer.
    pub(super) fn packed(mut self) -> Self {
        self.places = self.places.packed(self.values.len());
        self.values.shrink_to_fit();
        self
    }

    /// That of this row of a packed column.
    #[inline]
    pub(super) fn value(&self, row: u32) -> &T {
        &self.values[self.places.place(row) as usize]
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
            let narrow = if let ValuePlaces::Narrow(places) = &column.places { places.len() } else { 0 };
            assert_eq!((column.values.len(), narrow), (values, places), "{rows:?}");
        }
    }

    #[test]
    fn more_values_than_a_narrow_place_tells_apart_have_wide_ones() {
        for (count, is_wide) in [(1 << 16, false), ((1 << 16) + 1, true)] {
            let row = |row: u32| row / 2;
            let mut column = PackedColumn::default();
            (0..2 * count).for_each(|i| column.push(row(i)));
            let column = column.packed();
            assert_eq!(matches!(column.places, ValuePlaces::Wide(_)), is_wide, "{count}");
            assert!((0..2 * count).all(|i| *column.value(i) == row(i)));
        }
    }
}
