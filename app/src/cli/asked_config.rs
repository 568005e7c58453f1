//! The configuration of a kernel that is asked about: what `--size` and `--variant` say, and what stands in where they are not typed.

use super::Usage;
use crate::gpu::GpuId;
use crate::kernel::{KernelId, Problem, dtype_or_fp32};
use crate::predict::Subject;
use crate::session::Session;
use crate::text::first_names;
use anyhow::Result;
use std::sync::Arc;

/// Variants that a message names.
const LISTED: usize = 5;

/// `--size` and `--variant` as typed, and where the kernel was timed.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct AskedConfig<'a> {
    pub(super) size: Option<&'a str>,
    pub(super) variant: Option<&'a str>,
    pub(super) source: Option<GpuId>,
}

impl AskedConfig<'_> {
    /// The kernel so, at its usual size where none is typed, and what must be said of it.
    pub(super) fn subject(&self, session: &Session, kernel: KernelId) -> Result<(Subject, Vec<String>)> {
        let size = self.typed_size(session, kernel)?;
        let variant = self.chosen_variant(session, kernel, size.as_ref())?;
        let usual = || session.default_size_of(kernel, &variant, self.source);
        let subject = session.subject(kernel, &size.unwrap_or_else(usual), &variant)?;
        let remarks = self.size_remark(session, &subject).into_iter().chain(self.remarks(session, &subject));
        Ok((subject, remarks.collect()))
    }

    /// Which size stands in where none was typed and nobody timed the kernel.
    fn size_remark(&self, session: &Session, subject: &Subject) -> Option<String> {
        let kernel = &session.kernels[subject.kernel];
        let size = kernel.short_problem(&subject.problem);
        let is_said = self.size.is_none() && subject.config.is_none() && !size.is_empty();
        is_said.then(|| format!("no --size: using {} {size}, as no size of it was timed", kernel.id))
    }

    /// The size that was typed, complete.
    pub(super) fn typed_size(&self, session: &Session, kernel: KernelId) -> Result<Option<Problem>> {
        Ok(self.size.map(|typed| session.typed_size(kernel, typed)).transpose()?)
    }

    /// The variant that was typed; else one that was measured at this size; else the one that the kernel is shown in.
    pub(super) fn chosen_variant(
        &self,
        session: &Session,
        kernel: KernelId,
        size: Option<&Problem>,
    ) -> Result<Arc<str>> {
        match (self.variant, size) {
            (Some(typed), _) => known_variant(session, kernel, typed),
            (None, Some(size)) => Ok(session.variant_at(kernel, size, self.source)),
            (None, None) => Ok(session.default_variant(kernel)),
        }
    }

    /// What stands in for what was not typed: the variant, and of a name that rows use for several types the type.
    pub(super) fn remarks(&self, session: &Session, subject: &Subject) -> Vec<String> {
        self.variant_remark(session, subject)
            .into_iter()
            .chain(type_remark(session, subject.kernel))
            .chain(works_remark(session, subject))
            .chain(self.square_remark(session, subject))
            .collect()
    }

    /// The whole size, where tables name it by a side that was not typed: of `m=4` alone they say `n=4`.
    fn square_remark(&self, session: &Session, subject: &Subject) -> Option<String> {
        let kernel = &session.kernels[subject.kernel];
        let typed = self.size.filter(|_| kernel.has_formulas())?;
        let short = kernel.short_problem(&subject.problem);
        let keys = |text: &'_ str| -> Vec<String> {
            let pairs = text.split([',', ';']).filter_map(|pair| pair.split_once('='));
            pairs.map(|(key, _)| key.trim().to_string()).collect()
        };
        let (typed_keys, short_keys) = (keys(typed), keys(&short));
        let is_named = typed_keys.is_empty() || short_keys.iter().any(|key| typed_keys.contains(key));
        (!is_named).then(|| {
            let (id, whole) = (&kernel.id, &subject.problem);
            format!("{id} {typed}: one side alone is a square: {whole}, shown as {short}; give its other sides for another")
        })
    }

    /// Which variant stands in where none was typed and the answer depends on it; which ones have this size where the typed one has not.
    fn variant_remark(&self, session: &Session, subject: &Subject) -> Option<String> {
        let kernel = &session.kernels[subject.kernel];
        let (id, used) = (&kernel.id, &subject.variant);
        let at_size = session.variants_at(subject.kernel, &subject.problem, self.source);
        let measured = || first_names(&at_size.iter().map(|v| variant_word(v)).collect::<Vec<_>>(), LISTED);
        let size = kernel.short_problem(&subject.problem);
        match (self.variant, self.size) {
            (Some(_), _) if at_size.is_empty() || at_size.contains(used) => None,
            (Some(_), _) => {
                Some(format!("{id} {size} was not measured in {used}; measured at this size: {}", measured()))
            }
            (None, Some(_)) if at_size.len() > 1 => Some(format!(
                "{id} {size}: no --variant given: using {}, the first by name of {} measured at this size: {}",
                variant_word(used),
                at_size.len(),
                measured()
            )),
            (None, Some(_)) if at_size.len() == 1 && session.variants(subject.kernel).len() > 1 => {
                Some(format!(
                    "{id} {size}: no --variant given: using {}, the one measured at this size",
                    variant_word(used)
                ))
            }
            (None, _) if !kernel.variant_keys().is_empty() => {
                let is_measured = !session.variants(subject.kernel).is_empty();
                let whose = if is_measured { "the first measured one" } else { "the example of its file" };
                Some(format!("{id}: no --variant given: using {whose}, {used}"))
            }
            (None, _) => None,
        }
    }
}

/// Of which type the kernel is, where rows under its name are of several: the first type has the name alone.
fn type_remark(session: &Session, kernel: KernelId) -> Option<String> {
    let of = &session.kernels[kernel];
    if of.id != of.name() || of.has_formulas() {
        return None;
    }
    let others: Vec<&str> = session
        .kernels
        .entries()
        .iter()
        .filter(|other| other.id != of.id && other.name() == of.name())
        .map(|other| other.id.as_str())
        .collect();
    let dtype = dtype_or_fp32(&of.dtype);
    (!others.is_empty()).then(|| {
        format!(
            "{} is {dtype}, the type of its first row; rows of other types are {}",
            of.id,
            others.join(", ")
        )
    })
}

/// That launches of this very shape did other work, and how to ask for those.
fn works_remark(session: &Session, subject: &Subject) -> Option<String> {
    let kernel = &session.kernels[subject.kernel];
    let works = session.other_works(subject.kernel, &subject.problem);
    let named: Vec<String> = works.iter().map(|number| format!("work={number}")).collect();
    let (id, size) = (kernel.label(), kernel.short_problem(&subject.problem));
    (!named.is_empty()).then(|| {
        format!(
            "{id} {size}: this is the first of {} works of this launch shape; add {} to --size for another",
            1 + named.len(),
            first_names(&named, LISTED),
        )
    })
}

/// `no variant` for the plain one.
fn variant_word(variant: &str) -> &str {
    if variant.is_empty() { "no variant" } else { variant }
}

/// The timed variant of this name; where the kernel's formulas read the variant, any that has their keys; or which there
/// are.
fn known_variant(session: &Session, kernel: KernelId, typed: &str) -> Result<Arc<str>> {
    let all = session.variants(kernel);
    let of = &session.kernels[kernel];
    let known =
        all.iter().find(|v| &***v == typed).or_else(|| all.iter().find(|v| of.same_variant(v, typed)));
    if let Some(known) = known {
        return Ok(known.clone());
    }
    let id = &of.id;
    if !of.variant_keys().is_empty() {
        return of.typed_variant(typed).map(Into::into).map_err(|e| Usage(format!("{id}: {e}")).into());
    }
    let named: Vec<&str> = all.iter().map(|v| &**v).filter(|v| !v.is_empty()).collect();
    let shown = named.iter().take(LISTED).copied().collect::<Vec<_>>().join(", ");
    let what = match named.len() {
        0 => "no variant has a measurement; leave --variant out".to_string(),
        n if n > LISTED => format!("some of its {n} variants are {shown}"),
        _ => format!("its variants are {shown}"),
    };
    let typed: String = crate::text::clipped_text(typed, 40);
    Err(Usage(format!("{id} has no variant `{typed}`; {what}")).into())
}
