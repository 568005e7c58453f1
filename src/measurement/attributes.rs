//! Further columns of a row, by name.

use std::ops::Index;

/// Texts by name, each name once, in the order of the names. A row has few of them, and a report may have a million rows: a list is a
/// tenth of a tree's memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RowAttributes(Vec<(String, String)>);

impl RowAttributes {
    fn place(&self, name: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(known, _)| known.as_str().cmp(name))
    }

    /// Sets the text of this name.
    pub fn insert(&mut self, name: String, text: String) {
        match self.place(&name) {
            Ok(at) => self.0[at].1 = text,
            Err(at) => {
                // Most rows have one or two.
                if self.0.len() == self.0.capacity() {
                    self.0.reserve_exact(1 + self.0.len());
                }
                self.0.insert(at, (name, text));
            }
        }
    }

    /// Forgets the text of this name.
    pub fn remove(&mut self, name: &str) {
        if let Ok(at) = self.place(name) {
            self.0.remove(at);
        }
    }

    /// Forgets all of them.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// The text of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&String> {
        self.place(name).ok().map(|at| &self.0[at].1)
    }

    /// Whether there is a text of this name.
    #[must_use]
    pub fn contains_key(&self, name: &str) -> bool {
        self.place(name).is_ok()
    }

    /// The names, in order.
    pub fn keys(&self) -> impl Iterator<Item = &String> {
        self.0.iter().map(|(name, _)| name)
    }

    /// The texts, in the order of their names.
    pub fn values(&self) -> impl Iterator<Item = &String> {
        self.0.iter().map(|(_, text)| text)
    }

    /// Names and texts, in the order of the names.
    pub fn iter(&self) -> impl Iterator<Item = (&String, &String)> {
        self.0.iter().map(|(name, text)| (name, text))
    }
}

impl Extend<(String, String)> for RowAttributes {
    fn extend<I: IntoIterator<Item = (String, String)>>(&mut self, all: I) {
        all.into_iter().for_each(|(name, text)| self.insert(name, text));
    }
}

impl FromIterator<(String, String)> for RowAttributes {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(all: I) -> Self {
        let mut attributes = Self::default();
        attributes.extend(all);
        attributes
    }
}

impl Index<&str> for RowAttributes {
    type Output = String;
    fn index(&self, name: &str) -> &String {
        self.get(name).unwrap_or_else(|| panic!("no attribute `{name}`"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_has_its_last_text_in_the_order_of_names() {
        let pairs =
            [("b", "1"), ("a", "2"), ("b", "3"), ("c", "")].map(|(n, t)| (n.to_string(), t.to_string()));
        let mut all: RowAttributes = pairs.into_iter().collect();
        assert_eq!(all.keys().collect::<Vec<_>>(), ["a", "b", "c"]);
        assert_eq!((&*all["b"], all.get("d"), all.contains_key("a")), ("3", None, true));
        all.remove("a");
        assert_eq!(all.values().collect::<Vec<_>>(), ["3", ""]);
    }
}
