//! What keys are called in keymaps.

/// The name of the blank.
pub const BLANK: &str = "space";

/// The key that ends programs, whatever a keymap says.
pub const INTERRUPT: &str = "ctrl-c";

/// The letter that a key types, if it types one.
#[must_use]
pub fn typed_char(key: &str) -> Option<char> {
    if key == BLANK {
        return Some(' ');
    }
    let mut letters = key.chars();
    letters.next().filter(|_| letters.next().is_none())
}
