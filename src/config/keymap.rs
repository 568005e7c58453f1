//! Keys as data: `assets/keymap.toml`, with the user's `keymap.toml` laid over it.

use crate::catalogue::Spanned;
use crate::catalogue::{FileError, SpecFile};
use crate::text::clipped_text;
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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KeymapFile {
    key: Vec<Spanned<toml::Value>>,
}

/// Which key runs which action.
#[derive(Debug, Clone, Default)]
pub struct Keymap {
    bindings: Vec<Binding>,
    by_key: HashMap<(String, String), String>,
}

impl Keymap {
    /// The shipped keymap, then the user's text over it: a user's key replaces what it ran before in that place. What is wrong
    /// in the user's text is left out, so that the keys it names keep what they ran; why is said in the second value.
    ///
    /// # Errors
    /// [`FileError`] where the shipped one is damaged (a test reads it).
    pub fn with_user_file(
        user: Option<SpecFile<'_>>,
        actions: &[&str],
    ) -> Result<(Self, Vec<FileError>), FileError> {
        let shipped = SpecFile {
            name: "assets/keymap.toml",
            text: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/keymap.toml")),
        };
        let mut map = Self::default();
        if let Some(damage) = map.lay(shipped, actions).into_iter().next() {
            return Err(damage);
        }
        let refused = user.map_or_else(Vec::new, |file| map.lay(file, actions));
        Ok((map, refused))
    }

    /// Lays the bindings of a file over those that are there; returns what of it was refused.
    fn lay(&mut self, file: SpecFile<'_>, actions: &[&str]) -> Vec<FileError> {
        let typed: KeymapFile = match file.parse() {
            Ok(typed) => typed,
            Err(why) => return vec![why],
        };
        let mut own: HashMap<(String, String), String> = HashMap::new();
        let (mut kept, mut refused) = (Vec::new(), Vec::new());
        for value in typed.key {
            let span = value.span();
            match checked_binding(value.into_inner(), actions, &own) {
                Ok(binding) => {
                    let place = |key: &String| (binding.when.clone(), key.clone());
                    own.extend(binding.on.iter().map(|key| (place(key), binding.run.clone())));
                    kept.push(binding);
                }
                Err(why) => {
                    let why = format!("{why}; this [[key]] is left out, the keys stay as they are");
                    refused.push(file.file_error(Some(span), why));
                }
            }
        }
        for binding in &mut self.bindings {
            binding.on.retain(|key| !own.contains_key(&(binding.when.clone(), key.clone())));
        }
        self.bindings.retain(|b| !b.on.is_empty());
        self.bindings.extend(kept);
        self.by_key.extend(own);
        refused
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

    /// The keys that run this action where these places hold, the first place before the others: none that run another action there.
    #[must_use]
    pub fn keys_of(&self, action: &str, places: &[&str]) -> Vec<&str> {
        let bound = |place: &&str| {
            let place = (*place).to_string();
            self.bindings.iter().filter(move |b| b.run == action && b.when == place)
        };
        let keys = places.iter().flat_map(bound).flat_map(|b| &b.on).map(String::as_str);
        keys.filter(|key| self.action(places, key) == Some(action)).collect()
    }

    /// The first key that runs this action, wherever it holds.
    #[must_use]
    pub fn key_of(&self, action: &str) -> Option<&str> {
        self.bindings.iter().find(|b| b.run == action).and_then(|b| b.on.first()).map(String::as_str)
    }
}

/// A binding of a file whose action and place exist, and whose keys run nothing else of the same file there.
fn checked_binding(
    value: toml::Value,
    actions: &[&str],
    own: &HashMap<(String, String), String>,
) -> Result<Binding, String> {
    let binding = Binding::deserialize(value).map_err(|why| why.message().trim().replace('\n', "; "))?;
    let unknown = |what: &str, name: &str, known: &[&str]| {
        format!("unknown {what} `{}`; known: {}", clipped_text(name, 40), known.join(", "))
    };
    if !actions.contains(&binding.run.as_str()) {
        return Err(unknown("action", &binding.run, actions));
    }
    if !PLACES.contains(&binding.when.as_str()) {
        return Err(unknown("place", &binding.when, &PLACES));
    }
    let first_of = |key: &String| own.get(&(binding.when.clone(), key.clone()));
    match binding.on.iter().find_map(|key| Some((key, first_of(key)?))) {
        Some((key, first)) => Err(format!(
            "key `{key}` runs both `{first}` and `{}` in `{}`; keep one",
            binding.run, binding.when
        )),
        None => Ok(binding),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACTIONS: [&str; 2] = ["quit", "swap"];

    fn user(text: &str) -> (Keymap, Vec<String>) {
        let mut map = Keymap::default();
        let refused = map.lay(SpecFile { name: "mine", text }, &ACTIONS);
        (map, refused.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line_and_the_rest_holds() {
        let text = "[[key]]\non=['x']\nrun='swap'\ndesc=''\n[[key]]\non=['x']\nrun='quit'\ndesc=''\n\
                    [[key]]\non=['y']\nrun='dance'\ndesc=''\n[[key]]\non=['z']\nrun='swap'\nwhen='moon'\ndesc=''\n\
                    [[key]]\non='w'\nrun='swap'\ndesc=''\n[[key]]\non=['q']\nrun='quit'\ndesc=''\n";
        let (map, refused) = user(text);
        let said = [
            "mine:5: key `x` runs both `swap` and `quit`",
            "known: quit, swap",
            "unknown place `moon`",
            "mine:18: ",
        ];
        assert_eq!(refused.len(), said.len(), "{refused:?}");
        for (why, said) in refused.iter().zip(said) {
            assert!(why.contains(said) && why.contains("left out"), "{why}");
        }
        assert_eq!((map.action(&["any"], "x"), map.action(&["any"], "q")), (Some("swap"), Some("quit")));
        assert_eq!(map.action(&["any"], "y"), None);
    }

    #[test]
    fn a_file_that_is_no_toml_leaves_the_shipped_keys() {
        let file = SpecFile { name: "mine", text: "[[key]\n" };
        let (map, refused) = Keymap::with_user_file(Some(file), &shipped_ids()).unwrap();
        assert_eq!((refused.len(), map.action(&["any"], "q")), (1, Some("quit")));
    }

    /// Every action that the shipped keymap names.
    fn shipped_ids() -> Vec<&'static str> {
        let text = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/keymap.toml"));
        let run = |line: &'static str| line.strip_prefix("run = \"")?.strip_suffix('"');
        text.lines().filter_map(run).collect()
    }

    #[test]
    fn a_panes_own_key_goes_first_and_the_users_key_replaces_the_shipped_one() {
        let mut map = user("[[key]]\non=['x','X']\nrun='swap'\ndesc='swap'").0;
        let text = "[[key]]\non=['x']\nrun='quit'\ndesc='quit'\n[[key]]\non=['x']\nrun='swap'\nwhen='gpus'\ndesc='s'";
        assert!(map.lay(SpecFile { name: "mine", text }, &ACTIONS).is_empty());
        assert_eq!(
            (map.action(&["roofline", "any"], "x"), map.action(&["gpus", "any"], "x")),
            (Some("quit"), Some("swap"))
        );
        assert_eq!(map.action(&["roofline", "any"], "X"), Some("swap"));
        assert_eq!(map.key_of("quit"), Some("x"));
        assert_eq!(map.keys_of("swap", &["gpus", "any"]), ["x", "X"]);
        assert_eq!(map.keys_of("swap", &["any"]), ["X"], "the other key quits there");
        assert!(map.keys_of("quit", &["gpus", "any"]).is_empty(), "its key swaps there");
    }
}
