//! The different kernels of a run: what is launched in many places at one size is answered once.

use crate::kernel::{KernelId, Problem};
use crate::predict::Subject;
use crate::workload::{RunAmount, WorkloadPart};
use std::collections::HashMap;

/// A kernel of a run with every amount that the run has of it.
#[derive(Debug)]
pub(super) struct DistinctKernel<'a> {
    pub(super) subject: &'a Subject,
    /// As the first part of it is called.
    pub(super) label: &'a str,
    amounts: Vec<RunAmount>,
}

/// What two equal kernels have in common at least.
type KernelKey<'a> = (KernelId, &'a Problem, &'a str);

impl<'a> DistinctKernel<'a> {
    /// The different kernels among these parts, in their order.
    pub(super) fn of_parts(parts: &'a [WorkloadPart]) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        let mut places: HashMap<KernelKey<'a>, Vec<usize>> = HashMap::with_capacity(parts.len());
        for part in parts {
            let subject = &part.subject;
            let key: KernelKey<'a> = (subject.kernel, &subject.problem, &subject.variant);
            let alike = places.entry(key).or_default();
            let is_same = |place: &&usize| {
                let known = all[**place].subject;
                known.config == subject.config
                    && known.instance == subject.instance
                    && known.launch_edits == subject.launch_edits
            };
            match alike.iter().find(is_same) {
                Some(place) => all[*place].amounts.push(part.amount),
                None => {
                    alike.push(all.len());
                    all.push(Self { subject, label: &part.label, amounts: vec![part.amount] });
                }
            }
        }
        all
    }

    /// Its launches in a run, by how many each amount stands for; `None` where one is unknown.
    pub(super) fn calls(&self, launches: impl Fn(RunAmount) -> Option<f64>) -> Option<f64> {
        self.amounts.iter().map(|amount| launches(*amount)).sum()
    }
}
