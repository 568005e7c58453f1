//! Keys as data: `assets/keymap.toml`, with the user's `keymap.toml` laid over it.

use crate::catalogue::{FileError, SpecFile};
use serde::Deserialize;
use std::collections::HashMap;

/// One line of a keymap file.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Binding {
    /// Keys, each as `q`, `Q`, `ctrl-c`, `left`, `enter`, `space`, `f1`.
    pub on: Vec<String>,
    /// The action's id: `swap`.
    pub run: String,
    /// Where it holds: one of its places, such as a pane or a dialog.
    #[serde(default = "anywhere")]
    pub when: String,
    /// A word or two for the footer.
    pub desc: String,
}

fn anywhere() -> String {
    "any".into()
}

/// Where a binding can hold: `any` where no text is typed, a pane, `overlay` for every sheet over the panes or one of them,
/// `text` wherever text is typed or one of those.
const PLACES: [&str; 21] = [
    "any",
    "gpus",
    "roofline",
    "occupancy",
    "predictions",
    "explain",
    "board",
    "what_if",
    "application",
    "models",
    "evaluate",
    "audit",
    "notices",
    "overlay",
    "help",
    "compare",
    "gemm",
    "text",
    "prompt",
    "palette",
    "files",
];

/// Why a keymap was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeymapError {
    /// The file does not parse.
    #[error(transparent)]
    File(#[from] FileError),
    /// A key runs two actions in one place.
    #[error("{file}: key `{key}` runs both `{first}` and `{second}` in `{place}`; keep one")]
    Duplicate {
        /// The file.
        file: String,
        /// The key.
        key: String,
        /// Its first action.
        first: String,
        /// Its second action.
        second: String,
        /// Where.
        place: String,
    },
    /// An action or a place that does not exist.
    #[error("{file}: unknown {what} `{name}`; known: {known}")]
    Unknown {
        /// The file.
        file: String,
        /// "action" or "place".
        what: &'static str,
        /// As typed.
        name: String,
        /// What there is.
        known: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KeymapFile {
    key: Vec<Binding>,
}

/// Which key runs which action.
#[derive(Debug, Clone, Default)]
pub struct Keymap {
    bindings: Vec<Binding>,
    by_key: HashMap<(String, String), String>,
}

impl Keymap {
    /// The shipped keymap, then the user's text over it: a user's key replaces what it ran before in that place.
    ///
    /// # Errors
    /// [`KeymapError`] naming the file, the key and what to do.
    pub fn with_user_file(user: Option<SpecFile<'_>>, actions: &[&str]) -> Result<Self, KeymapError> {
        let shipped = SpecFile {
            name: "assets/keymap.toml",
            text: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/keymap.toml")),
        };
        let mut map = Self::default();
        map.lay(shipped, actions)?;
        if let Some(file) = user {
            map.lay(file, actions)?;
        }
        Ok(map)
    }

    fn lay(&mut self, file: SpecFile<'_>, actions: &[&str]) -> Result<(), KeymapError> {
        let unknown = |what, name: &str, known: &[&str]| KeymapError::Unknown {
            file: file.name.to_string(),
            what,
            name: name.to_string(),
            known: known.join(", "),
        };
        let mut own: HashMap<(String, String), String> = HashMap::new();
        let typed: KeymapFile = file.parse()?;
        for binding in &typed.key {
            if !actions.contains(&binding.run.as_str()) {
                return Err(unknown("action", &binding.run, actions));
            }
            if !PLACES.contains(&binding.when.as_str()) {
                return Err(unknown("place", &binding.when, &PLACES));
            }
            for key in &binding.on {
                if let Some(first) = own.insert((binding.when.clone(), key.clone()), binding.run.clone()) {
                    let (file, key, second) = (file.name.to_string(), key.clone(), binding.run.clone());
                    return Err(KeymapError::Duplicate {
                        file,
                        key,
                        first,
                        second,
                        place: binding.when.clone(),
                    });
                }
            }
        }
        for binding in &mut self.bindings {
            binding.on.retain(|key| !own.contains_key(&(binding.when.clone(), key.clone())));
        }
        self.bindings.retain(|b| !b.on.is_empty());
        self.bindings.extend(typed.key);
        self.by_key.extend(own);
        Ok(())
    }

    /// The action this key runs in the first of these places that binds it.
    #[must_use]
    pub fn action(&self, places: &[&str], key: &str) -> Option<&str> {
        let bound = |place: &&str| self.by_key.get(&((*place).to_string(), key.to_string()));
        places.iter().find_map(bound).map(String::as_str)
    }

    /// All bindings, in the file's order.
    #[must_use]
    pub fn bindings(&self) -> &[Binding] {
        &self.bindings
    }

    /// The first key that runs this action.
    #[must_use]
    pub fn key_of(&self, action: &str) -> Option<&str> {
        self.bindings.iter().find(|b| b.run == action).and_then(|b| b.on.first()).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACTIONS: [&str; 2] = ["quit", "swap"];

    fn user(text: &str) -> Result<Keymap, KeymapError> {
        let mut map = Keymap::default();
        map.lay(SpecFile { name: "mine", text }, &ACTIONS).map(|()| map)
    }

    #[test]
    fn a_key_that_runs_two_actions_is_an_error() {
        let text = "[[key]]\non=['x']\nrun='swap'\ndesc=''\n[[key]]\non=['x']\nrun='quit'\ndesc=''\n";
        assert!(user(text).unwrap_err().to_string().contains("key `x` runs both `swap` and `quit`"));
        assert!(
            user("[[key]]\non=['x']\nrun='dance'\ndesc=''")
                .unwrap_err()
                .to_string()
                .contains("known: quit, swap")
        );
        assert!(user("[[key]]\non=['x']\nrun='swap'\nwhen='moon'\ndesc=''").is_err());
    }

    #[test]
    fn a_panes_own_key_goes_first_and_the_users_key_replaces_the_shipped_one() {
        let mut map = user("[[key]]\non=['x','X']\nrun='swap'\ndesc='swap'").unwrap();
        let text = "[[key]]\non=['x']\nrun='quit'\ndesc='quit'\n[[key]]\non=['x']\nrun='swap'\nwhen='gpus'\ndesc='s'";
        map.lay(SpecFile { name: "mine", text }, &ACTIONS).unwrap();
        assert_eq!(
            (map.action(&["roofline", "any"], "x"), map.action(&["gpus", "any"], "x")),
            (Some("quit"), Some("swap"))
        );
        assert_eq!(map.action(&["roofline", "any"], "X"), Some("swap"));
        assert_eq!(map.key_of("quit"), Some("x"));
    }
}
