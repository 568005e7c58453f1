//! Columns of which most values are the same, or one of a few: an evaluation of a million rows has tens of them, of millions of
//! values each.

/// As many different values as are looked through for the one that is set.
const FEW: usize = 64;

/// A column that takes no room as long as nothing but its filler stands in it, a byte for each value as long as few of them differ,
/// and the values otherwise.
#[derive(Debug, Clone)]
pub(super) struct SparseColumn<T> {
    filler: T,
    values: ColumnValues<T>,
}

#[derive(Debug, Clone)]
enum ColumnValues<T> {
    /// The different values, and which of them stands at each place.
    Few {
        different: Vec<T>,
        places: Vec<u8>,
    },
    Many(Vec<T>),
}

impl<T: Copy + PartialEq> SparseColumn<T> {
    /// A column in which this stands wherever nobody sets anything.
    pub(super) const fn new(filler: T) -> Self {
        Self { filler, values: ColumnValues::Few { different: Vec::new(), places: Vec::new() } }
    }

    /// The value of this place.
    #[inline]
    pub(super) fn value(&self, place: usize) -> T {
        match &self.values {
            ColumnValues::Few { different, places } => {
                places.get(place).map_or(self.filler, |which| different[usize::from(*which)])
            }
            ColumnValues::Many(values) => values.get(place).copied().unwrap_or(self.filler),
        }
    }

    /// Places that have been set, with those before them.
    fn length(&self) -> usize {
        match &self.values {
            ColumnValues::Few { places, .. } => places.len(),
            ColumnValues::Many(values) => values.len(),
        }
    }

    /// Whether nothing but the filler stands in it, which takes no room.
    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.length() == 0
    }

    /// Sets the value of this place; those before it that nobody set are the filler.
    pub(super) fn set(&mut self, place: usize, value: T) {
        if place >= self.length() {
            if value == self.filler {
                return;
            }
            self.resize(place + 1);
        }
        match self.which(value) {
            Some(which) => {
                if let ColumnValues::Few { places, .. } = &mut self.values {
                    places[place] = which;
                }
            }
            None => self.all_values()[place] = value,
        }
    }

    /// Fills the column up to so many places.
    fn resize(&mut self, length: usize) {
        let filler = self.which(self.filler);
        match (&mut self.values, filler) {
            (ColumnValues::Few { places, .. }, Some(which)) => places.resize(length, which),
            _ => {
                let filler = self.filler;
                self.all_values().resize(length, filler);
            }
        }
    }

    /// Which of the different values this is, a new one if need be; `None` where they are no longer few.
    fn which(&mut self, value: T) -> Option<u8> {
        let ColumnValues::Few { different, .. } = &mut self.values else { return None };
        let known = different.iter().position(|known| *known == value);
        let which = match known {
            Some(which) => which,
            None if different.len() < FEW => {
                different.push(value);
                different.len() - 1
            }
            None => return None,
        };
        u8::try_from(which).ok()
    }

    /// The values one by one, from now on.
    fn all_values(&mut self) -> &mut Vec<T> {
        if let ColumnValues::Few { different, places } = &self.values {
            let values = places.iter().map(|which| different[usize::from(*which)]).collect();
            self.values = ColumnValues::Many(values);
        }
        let ColumnValues::Many(values) = &mut self.values else { unreachable!("they are kept one by one") };
        values
    }

    /// Puts another column behind this one of `length` values.
    pub(super) fn append(&mut self, length: usize, other: &Self) {
        if other.length() == 0 {
            return;
        }
        self.resize(length);
        if let ColumnValues::Few { different, places } = &other.values {
            let which: Option<Vec<u8>> = different.iter().map(|value| self.which(*value)).collect();
            if let (Some(which), ColumnValues::Few { places: own, .. }) = (which, &mut self.values) {
                own.extend(places.iter().map(|place| which[usize::from(*place)]));
                return;
            }
        }
        self.all_values().extend((0..other.length()).map(|place| other.value(place)));
    }

    /// Keeps the first places of a column whose kept values were moved there.
    pub(super) fn truncate(&mut self, length: usize) {
        match &mut self.values {
            ColumnValues::Few { places, .. } => places.truncate(length),
            ColumnValues::Many(values) => values.truncate(length),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn values(column: &SparseColumn<u32>, length: usize) -> Vec<u32> {
        (0..length).map(|place| column.value(place)).collect()
    }

    #[test]
    fn few_values_take_a_byte_each() {
        let mut column = SparseColumn::new(0.0);
        (0..1000).for_each(|place| column.set(place, f64::from(place as u32 % 60)));
        assert!(matches!(&column.values, ColumnValues::Few { different, .. } if different.len() == 60));
        (0..1000).for_each(|place| column.set(place, f64::from(place as u32 % 70)));
        assert!(matches!(&column.values, ColumnValues::Many(_)));
    }

    proptest! {
        #[test]
        fn it_is_the_list_of_its_values(
            parts in prop::collection::vec((prop::collection::vec(0u32..90, 0..120), any::<bool>()), 0..6),
            changes in prop::collection::vec((0usize..200, 0u32..90), 0..40),
            kept in 0usize..300,
        ) {
            let (mut list, mut column) = (Vec::new(), SparseColumn::new(7));
            for (part, few) in parts {
                let part: Vec<u32> = part.into_iter().map(|v| if few { v % 3 + 6 } else { v }).collect();
                let mut own = SparseColumn::new(7);
                part.iter().enumerate().for_each(|(place, value)| own.set(place, *value));
                column.append(list.len(), &own);
                list.extend(part);
            }
            for (place, value) in changes {
                if let Some(old) = list.get_mut(place) {
                    *old = value;
                    column.set(place, value);
                }
            }
            prop_assert_eq!(&values(&column, list.len()), &list);
            column.truncate(kept);
            list.truncate(kept);
            prop_assert_eq!(&values(&column, list.len()), &list);
            prop_assert_eq!(column.value(1_000), 7);
        }
    }
}
