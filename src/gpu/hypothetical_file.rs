//! Files of hypothetical GPUs: an id, what it is based on, and the changes.
//!
//! ```toml
//! id = "my-4070"
//! based_on = "rtx-4070"
//!
//! [changes]
//! mem = "+20%"
//! l2 = "72MiB"
//! ```

use super::LimitTooLow;
use super::changes::{ChangeError, GpuChange, GpuChanges};
use super::derived::derived_gpu;
use super::hypothetical::MARK;
use super::{Gpu, file};
use crate::catalogue::Spanned;
use crate::catalogue::{Catalogue, FileError, SpecFile};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::BTreeMap;

/// A hypothetical GPU as a file holds it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct HypotheticalFile {
    id: Spanned<String>,
    name: Option<String>,
    based_on: Spanned<String>,
    #[serde(default)]
    changes: BTreeMap<String, Spanned<toml::Value>>,
}

/// Whether a file means to be a hypothetical GPU: it names what it is based on.
#[must_use]
pub fn is_hypothetical_file(text: &str) -> bool {
    let fields = SpecFile { name: "", text }.parse::<BTreeMap<String, IgnoredAny>>();
    fields.is_ok_and(|fields| fields.contains_key("based_on"))
}

/// The file of a hypothetical GPU, as [`load_hypothetical`] reads it.
#[must_use]
pub fn hypothetical_text(id: &str, name: &str, based_on: &str, changes: &GpuChanges) -> String {
    let mut text = format!("id = {:?}\nname = {name:?}\nbased_on = {based_on:?}\n\n[changes]\n", id);
    for change in changes.all() {
        let one = GpuChanges::default().with(change.number, change.amount).to_string();
        let value = one.split_once('=').map_or("", |(_, value)| value);
        text.push_str(&format!("{} = {value:?}\n", change.number.key()));
    }
    text
}

/// Adds hypothetical GPUs to the catalogue, whatever order their files come in; what was refused. One may be based on another
/// one of these files. `check` says whether a board can be held at its limit.
pub fn load_hypothetical(
    files: &[(String, String)],
    gpus: &mut Catalogue<Gpu>,
    check: impl Fn(&Gpu) -> Result<(), LimitTooLow>,
) -> Vec<FileError> {
    let mut refused = Vec::new();
    let mut waiting = Vec::new();
    for (name, text) in files {
        let file = SpecFile { name, text };
        match file.parse::<HypotheticalFile>() {
            Ok(typed) => waiting.push((file, typed)),
            Err(why) => refused.push(why),
        }
    }
    for (_, typed) in &waiting {
        // A base that is named by rule is made first.
        if let Some(Ok(made)) = derived_gpu(gpus, typed.based_on.get_ref()) {
            let added = gpus.insert(made);
            debug_assert!(added.is_ok(), "{added:?}: nobody has this name");
        }
    }
    loop {
        let known = |typed: &HypotheticalFile| gpus.id_named(typed.based_on.get_ref()).is_some();
        let Some(next) = waiting.iter().position(|(_, typed)| known(typed)) else { break };
        let (file, typed) = waiting.remove(next);
        if let Err(why) = add_file(file, &typed, gpus, &check) {
            refused.push(why);
        }
    }
    let bases: BTreeMap<&str, &str> = waiting
        .iter()
        .map(|(_, typed)| (typed.id.get_ref().as_str(), typed.based_on.get_ref().as_str()))
        .collect();
    for (file, typed) in &waiting {
        let base = typed.based_on.get_ref();
        let message = match circle_behind(&bases, base) {
            Some(circle) => format!(
                "based_on = \"{base}\": goes round in a circle ({}); base one of them on a GPU that exists",
                circle.join(", ")
            ),
            None if bases.contains_key(base.as_str()) => {
                format!("based_on = \"{base}\": that GPU could not be made; mend its file")
            }
            None => gpus.position(base).err().map_or_else(String::new, |e| format!("based_on: {e}")),
        };
        refused.push(file.file_error(Some(typed.based_on.span()), message));
    }
    refused
}

/// The ids that each other is based on, where this one leads to such.
fn circle_behind<'a>(bases: &BTreeMap<&'a str, &'a str>, from: &'a str) -> Option<Vec<&'a str>> {
    let mut seen = Vec::new();
    let mut next = Some(from);
    while let Some(id) = next {
        if let Some(start) = seen.iter().position(|known| *known == id) {
            return Some(seen.split_off(start));
        }
        seen.push(id);
        next = bases.get(id).copied();
    }
    None
}

fn add_file(
    file: SpecFile<'_>,
    typed: &HypotheticalFile,
    gpus: &mut Catalogue<Gpu>,
    check: &impl Fn(&Gpu) -> Result<(), LimitTooLow>,
) -> Result<(), FileError> {
    let base =
        gpus.entry_named(typed.based_on.get_ref()).map_err(|e| file.file_error(None, e.to_string()))?.clone();
    let changes = changes_in_file(file, &typed.changes)?;
    let id = typed.id.get_ref();
    let refused = |e: ChangeError| file.file_error(Some(typed.id.span()), e.to_string());
    if !file::is_id(id) {
        let message = format!("id `{id}`: expected lower-case letters, digits and `-`");
        return Err(file.file_error(Some(typed.id.span()), message));
    }
    if gpus.id_named(id).is_some() {
        let message = format!("id `{id}` is another GPU's: a hypothetical one needs its own");
        return Err(file.file_error(Some(typed.id.span()), message));
    }
    let mut gpu = base.changed(&changes, id).map_err(refused)?;
    check(&gpu).map_err(|why| refused(why.into()))?;
    let name = typed.name.as_deref().unwrap_or(id);
    gpu.rename(format!("{MARK} {}", name.trim_start_matches(MARK).trim()));
    gpus.insert(gpu).map_err(|clash| file.clash(&clash))
}

/// The changes of a table such as `mem = "+20%"`.
///
/// # Errors
/// [`FileError`] with the line of the value.
pub(super) fn changes_in_file(
    file: SpecFile<'_>,
    typed: &BTreeMap<String, Spanned<toml::Value>>,
) -> Result<GpuChanges, FileError> {
    let mut changes = GpuChanges::default();
    for (key, value) in typed {
        let text = match value.get_ref() {
            toml::Value::String(text) => text.clone(),
            toml::Value::Integer(number) => number.to_string(),
            toml::Value::Float(number) => number.to_string(),
            other => other.to_string(),
        };
        let change = GpuChange::read(key, &text);
        let refused = |e: ChangeError| file.file_error(Some(value.span()), e.to_string());
        change.and_then(|change| changes.push(change)).map_err(refused)?;
    }
    Ok(changes)
}

#[cfg(test)]
mod tests {
    use super::super::{LimitsTable, load_shipped};
    use super::*;
    use crate::catalogue::shipped_sources;

    fn gpus() -> Catalogue<Gpu> {
        let sources = shipped_sources().unwrap();
        load_shipped(&sources, &LimitsTable::shipped().unwrap()).0
    }

    #[test]
    fn files_may_stand_on_each_other_and_not_in_a_circle() {
        let file = |id: &str, base: &str| {
            let changes: GpuChanges = "mem=+20%,l2=72MiB".parse().unwrap();
            (format!("{id}.toml"), hypothetical_text(id, "Mine", base, &changes))
        };
        let mut catalogue = gpus();
        let refused = load_hypothetical(&[file("c", "b"), file("b", "rtx-4070")], &mut catalogue, |_| Ok(()));
        assert_eq!(refused.iter().map(ToString::to_string).collect::<Vec<_>>(), Vec::<String>::new());
        let base = catalogue.entry_named("rtx-4070").unwrap().bandwidth_peak.value;
        assert!((catalogue.entry_named("c").unwrap().bandwidth_peak.value / base - 1.44).abs() < 1e-9);
        let refused = load_hypothetical(
            &[file("x", "y"), file("y", "x"), file("z", "rtx-4071")],
            &mut catalogue,
            |_| Ok(()),
        );
        let said: Vec<String> = refused.iter().map(ToString::to_string).collect();
        assert_eq!(said.len(), 3);
        assert!(said[0].contains("goes round in a circle (y, x)"), "{said:?}");
        assert!(said[2].contains("unknown GPU `rtx-4071`"), "{said:?}");
        let of_a_refused = [file("p", "q"), file("q", "rtx-4071")];
        let said = load_hypothetical(&of_a_refused, &mut catalogue, |_| Ok(()))[0].to_string();
        assert!(said.contains("`q`") || said.contains("\"q\": that GPU could not be made"), "{said}");
        let refused = load_hypothetical(&[file("rtx-4080", "rtx-4070")], &mut catalogue, |_| Ok(()));
        assert!(refused[0].to_string().contains("is another GPU's"));
    }
}
