//! Names of kept scenarios: letters, unless somebody types another one.

use crate::whatif::NamedChanges;

/// The names that are offered.
const LETTERS: [&str; 4] = ["A", "B", "C", "D"];

/// The first letter that no scenario has.
pub fn first_free_name(kept: &[NamedChanges]) -> String {
    let is_free = |letter: &&&str| !kept.iter().any(|named| named.name == **letter);
    LETTERS.iter().find(is_free).map_or_else(|| format!("{}", kept.len() + 1), ToString::to_string)
}
