//! The measured variants of a kernel, or its block sizes, as rows of a board.

use super::board::RowSubject;
use crate::predict::{LaunchEdits, LaunchNumber, Subject};
use crate::session::Session;
use std::sync::Arc;

/// Threads per block that are compared, beside the kernel's own.
const BLOCKS: [u32; 9] = [32, 64, 96, 128, 192, 256, 384, 512, 1024];

/// The label of a kernel measured without a variant, beside those with one.
const NO_VARIANT: &str = "no variant";

/// The variant that such a row is of.
#[must_use]
pub fn variant_of_label(label: &str) -> &str {
    if label == NO_VARIANT { "" } else { label }
}

/// The threads per block of such a row.
#[must_use]
pub fn threads_of_label(label: &str) -> Option<u32> {
    label.split(' ').next()?.parse().ok()
}

/// Every variant of the kernel that was measured at this size; none where no variant was.
#[must_use]
pub fn variant_rows(session: &Session, subject: &Subject) -> Vec<RowSubject> {
    let of_size = |variant: &Arc<str>| {
        let subject = session.subject(subject.kernel, &subject.problem, variant).ok()?;
        subject.config?;
        let label = if variant.is_empty() { NO_VARIANT.into() } else { variant.to_string() };
        Some(RowSubject { label, subject })
    };
    let variants = session.variants(subject.kernel);
    // A kernel that has none was measured without one: that is no choice.
    if variants.iter().all(|variant| variant.is_empty()) {
        return Vec::new();
    }
    variants.iter().filter_map(of_size).collect()
}

/// The kernel in other blocks of the same threads, and in its own, which has this many threads.
#[must_use]
pub fn block_rows(subject: &Subject, own: u32) -> Vec<RowSubject> {
    let mut blocks: Vec<u32> = BLOCKS.into_iter().chain([own]).collect();
    blocks.sort_unstable();
    blocks.dedup();
    let row = |block: u32| {
        let changed = (block != own).then_some(block);
        let launch_edits: LaunchEdits = subject.launch_edits.with(LaunchNumber::Block, changed);
        let mark = if block == own { ", as it is" } else { "" };
        let subject = Subject { launch_edits, ..subject.clone() };
        RowSubject { label: format!("{block} threads{mark}"), subject }
    };
    blocks.into_iter().map(row).collect()
}
