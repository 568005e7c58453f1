//! Names of kernels short enough to read.

use crate::kernel::{clip_middle, long_name_within, short_name_within};
use crate::text::clipped_text;

/// The longest label, in characters.
pub(super) const LABEL: usize = 48;

/// The longest part of a name that is looked at, in characters.
pub(super) const LONGEST_LOOK: usize = 4096;

/// A name short enough to read: without namespaces, and the name of the instance where the kernel is a shell around it
/// (`cutlass::Kernel2<cutlass_80_tensorop_…>`).
pub(super) fn label_within(name: &str, width: usize) -> String {
    let inner = name.split_once("cutlass").and_then(|(_, rest)| rest.split_once("Kernel"));
    let inner =
        inner.and_then(|(_, rest)| rest.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix('<'));
    if let Some(instance) = inner.filter(|i| i.starts_with("cutlass_")) {
        let end = instance.find(['>', ':', ',']).unwrap_or(instance.len());
        return clip_middle(&instance[..end], width);
    }
    let bare = short_name_within(&without_namespaces(name), LONGEST_LOOK);
    let last = bare.rsplit("::").next().filter(|last| !last.is_empty()).unwrap_or(&bare);
    clip_middle(last, width)
}

/// The same with the template arguments.
pub(super) fn label_with_arguments(name: &str, width: usize) -> String {
    let long = long_name_within(&without_namespaces(name), LONGEST_LOOK);
    let before = long.find('<').unwrap_or(long.len());
    let from = long[..before].rfind("::").map_or(0, |at| at + 2);
    clip_middle(&long[from..], width)
}

/// A name without the namespaces that say nothing.
fn without_namespaces(name: &str) -> String {
    let nameless = ["(anonymous namespace)::", "<unnamed>::", "at::native::"];
    nameless.iter().fold(clipped_text(name, LONGEST_LOOK), |text, word| text.replace(word, ""))
}
