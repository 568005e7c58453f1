//! A kernel's problem size as one number that can be moved in fine steps: the key that makes the grid larger, with all
//! defaulted keys following it.

use super::{Kernel, Problem, ProblemKey, ProblemValue};
use crate::units::LARGEST_WHOLE;

/// One problem of a kernel with formulas, and the key that is moved.
#[derive(Debug, Clone)]
pub struct Slider<'a> {
    kernel: &'a Kernel,
    variant: &'a str,
    /// Keys as they would be typed: what follows by default is left out.
    typed: Vec<(ProblemKey, ProblemValue)>,
    moved: usize,
}

impl Kernel {
    /// Blocks in the grid of this problem in this variant, without the rest of [`Kernel::instance`]; `None` without
    /// formulas of the launch, or where one gives no number.
    #[must_use]
    pub fn block_count(&self, problem: &Problem, variant: &str) -> Option<u64> {
        let f = self.formulas.as_ref()?;
        let (launch, _) = self.launch_at(f, &self.numbers(problem), variant).ok()?;
        launch.map(|launch| launch.block_count())
    }

    /// The slider of this problem in this variant; `None` where no key makes the grid larger.
    #[must_use]
    pub fn slider<'a>(&'a self, problem: &Problem, variant: &'a str) -> Option<Slider<'a>> {
        let defaults = &self.formulas.as_ref()?.defaults;
        // A key follows if leaving it out changes nothing.
        let mut typed: Vec<(ProblemKey, ProblemValue)> = problem.pairs().to_vec();
        for key in defaults.keys() {
            let without: Vec<_> = typed.iter().filter(|(k, _)| k.as_str() != key).cloned().collect();
            let same =
                self.completed_problem(&Problem::from_pairs(without.clone())).is_ok_and(|p| p == *problem);
            if same && !without.is_empty() {
                typed = without;
            }
        }
        let mut order: Vec<usize> = (0..typed.len()).collect();
        let size = |i: &usize| if let ProblemValue::Number(n) = typed[*i].1 { n } else { 0.0 };
        order.sort_by(|a, b| size(b).total_cmp(&size(a)));
        let of = |moved| Slider { kernel: self, variant, typed: typed.clone(), moved };
        // Twice a small size may still be one block.
        let grows = |s: &Slider<'_>, by: f64| s.block_count(by * s.value()) > s.block_count(s.value());
        order.into_iter().map(of).find(|s| grows(s, 2.0) || grows(s, 4096.0))
    }
}

impl Slider<'_> {
    /// The key that is moved.
    #[must_use]
    pub fn key(&self) -> &str {
        self.typed[self.moved].0.as_str()
    }

    /// Its value.
    #[must_use]
    pub fn value(&self) -> f64 {
        if let ProblemValue::Number(n) = self.typed[self.moved].1 { n } else { 0.0 }
    }

    /// The problem with the key at this value; `None` where that is no size.
    #[must_use]
    pub fn problem_at(&self, value: f64) -> Option<Problem> {
        let mut typed = self.typed.clone();
        typed[self.moved].1 = ProblemValue::Number(value);
        self.kernel.completed_problem(&Problem::from_pairs(typed)).ok()
    }

    /// Blocks in the grid at this value; 0 where it is no size.
    #[must_use]
    pub fn block_count(&self, value: f64) -> u64 {
        self.problem_at(value).and_then(|p| self.kernel.block_count(&p, self.variant)).unwrap_or(0)
    }

    /// The least value that is a size, such as that of an image that holds its filter.
    fn least_value(&self) -> f64 {
        let is_size = |value: f64| self.problem_at(value).is_some();
        if is_size(1.0) { 1.0 } else { bisected([1.0, self.value()], |value| !is_size(value))[1] }
    }

    /// The largest value whose grid has at most so many blocks; grids grow with the key. 0 where even the least has more.
    #[must_use]
    pub fn holding(&self, blocks: u64) -> f64 {
        let fits = |value: f64| (1..=blocks).contains(&self.block_count(value));
        let mut low = self.least_value();
        if !fits(low) {
            return 0.0;
        }
        let mut high = self.value().max(low + 1.0);
        while fits(high) {
            if high >= LARGEST_WHOLE {
                return LARGEST_WHOLE;
            }
            (low, high) = (high, (2.0 * high).min(LARGEST_WHOLE));
        }
        bisected([low, high], fits)[0]
    }

    /// The size whose grid has about so many blocks more or fewer than now, at least one: the largest such size, whose last
    /// block has no idle threads. `None` at either end.
    #[must_use]
    pub fn step(&self, up: bool, by: u64) -> Option<Problem> {
        let now = self.block_count(self.value());
        let by = by.max(1);
        let value = if up {
            // A grid of several dimensions grows in leaps: the first size with enough blocks says how far.
            let enough = self.holding(now.checked_add(by)?.saturating_sub(1)) + 1.0;
            self.holding(self.block_count(enough))
        } else {
            self.holding(now.checked_sub(by).filter(|n| *n > 0).or((now > 1).then_some(1))?)
        };
        let moves = if up { value > self.value() } else { (1.0..self.value()).contains(&value) };
        self.problem_at(value).filter(|_| moves)
    }
}

/// Whole numbers beside each other between these two: the last that is low, and the first that is not.
pub(super) fn bisected([mut low, mut high]: [f64; 2], is_low: impl Fn(f64) -> bool) -> [f64; 2] {
    while high - low > 1.0 {
        let middle = ((low + high) / 2.0).floor();
        *(if is_low(middle) { &mut low } else { &mut high }) = middle;
    }
    [low, high]
}
