//! The measured variants of a kernel as rows of a board.

use super::board::RowSubject;
use crate::predict::Subject;
use crate::session::Session;
use std::sync::Arc;

/// Every variant of the kernel that was measured at this size; none where no variant was.
#[must_use]
pub fn variant_rows(session: &Session, subject: &Subject) -> Vec<RowSubject> {
    let of_size = |variant: &Arc<str>| {
        let subject = session.subject(subject.kernel, &subject.problem, variant).ok()?;
        subject.config?;
        let label = if variant.is_empty() { "no variant".into() } else { variant.to_string() };
        Some(RowSubject { label, subject })
    };
    let variants = session.variants(subject.kernel);
    // A kernel that has none was measured without one: that is no choice.
    if variants.iter().all(|variant| variant.is_empty()) {
        return Vec::new();
    }
    variants.iter().filter_map(of_size).collect()
}
