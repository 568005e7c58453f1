//! One value of a table, and how it reads in each format.

use crate::units::LARGEST_WHOLE;
use serde_json::Value;

/// Between the parts of a list in CSV; no part has it, as sentences have `; `.
const LIST_BREAK: &str = " | ";

/// One value.
#[derive(Debug, Clone, PartialEq)]
pub enum TableCell {
    /// Words.
    Text(String),
    /// A number in full precision, and as a person reads it.
    Number {
        /// For programs.
        value: f64,
        /// For people.
        shown: String,
    },
    /// A yes or no.
    Flag(bool),
    /// There is none.
    Null,
    /// Several words.
    List(Vec<String>),
}

impl TableCell {
    /// Words; none where the text is empty.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        let text = text.into();
        if text.is_empty() { Self::Null } else { Self::Text(text) }
    }

    /// A number shown in its shortest exact form.
    #[must_use]
    pub fn number(value: impl Into<f64>) -> Self {
        let value = value.into();
        Self::Number { value, shown: format!("{value}") }
    }

    /// A number shown in other words than its digits.
    #[must_use]
    pub fn shown(value: f64, shown: impl Into<String>) -> Self {
        Self::Number { value, shown: shown.into() }
    }

    /// The cell of a value that may be absent.
    #[must_use]
    pub fn maybe<T>(value: Option<T>, cell: impl FnOnce(T) -> Self) -> Self {
        value.map_or(Self::Null, cell)
    }

    /// What people read: `-` where there is nothing.
    #[must_use]
    pub fn for_people(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number { shown, .. } => shown.clone(),
            Self::Flag(flag) => if *flag { "yes" } else { "no" }.to_string(),
            Self::Null => "-".to_string(),
            Self::List(all) if all.is_empty() => "-".to_string(),
            Self::List(all) => all.join(", "),
        }
    }

    pub(super) fn for_csv(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number { value, .. } if value.is_finite() => format!("{value}"),
            Self::Number { .. } | Self::Null => String::new(),
            Self::Flag(flag) => flag.to_string(),
            Self::List(all) => {
                all.iter().map(|one| one.replace(LIST_BREAK, " / ")).collect::<Vec<_>>().join(LIST_BREAK)
            }
        }
    }

    pub(super) fn for_json(&self) -> Value {
        match self {
            Self::Text(text) => Value::from(text.as_str()),
            // 46 SMs are 46, not 46.0; a number that JSON cannot write is null.
            Self::Number { value, .. } if value.fract() == 0.0 && value.abs() < LARGEST_WHOLE => {
                Value::from(*value as i64)
            }
            Self::Number { value, .. } => Value::from(*value),
            Self::Flag(flag) => Value::from(*flag),
            Self::Null => Value::Null,
            Self::List(all) => Value::from(all.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_in_csv_can_be_taken_apart() {
        let sentences = ["atomics not counted; their limit is ignored", "a | b", "regs(add|mul)"];
        let cell = TableCell::List(sentences.map(String::from).to_vec());
        let parts: Vec<String> = cell.for_csv().split(LIST_BREAK).map(String::from).collect();
        assert_eq!(parts, ["atomics not counted; their limit is ignored", "a / b", "regs(add|mul)"]);
    }
}
