//! Plain data that a user may change: where files live, keys, themes, what was selected last.

mod aliases;
mod keymap;
mod paths;
mod saved;
mod theme;

pub use aliases::Aliases;
pub use keymap::{Binding, Keymap};
pub use paths::{cache_folder, state_file, toml_files, user_prices, write_whole, write_whole_with};
pub use saved::Saved;
pub use theme::{Paint, PaintTheme, ThemeBook, ThemeError, themes};
