//! Launches of one kernel and launch shape that did other work than one before them. A profiler writes no sizes: persistent kernels of
//! libraries have one grid for every size, and what a launch reads depends on its data. Their counts tell them apart, by a key beside
//! the shape: `grid=132;block=384;work=2`. Repeats of one size have the same counts, and times that differ by noise.

use super::{Measurement, Number};
use crate::gpu::GpuId;
use crate::kernel::{KernelId, Problem};
use hashbrown::HashMap;
use std::collections::BTreeMap;
use std::hash::Hash;
use std::sync::Arc;

/// The key beside the launch shape.
const WORK: &str = "work";

/// FLOPs and instructions further apart are other work.
const SAME_WORK: f64 = 1.25;

/// DRAM bytes, and times of equal counts, further apart are other work: caches vary from launch to launch.
const SAME_TRAFFIC: f64 = 1.5;

/// DRAM bytes that differ count where they show in the time.
const SAME_TIME: f64 = 1.1;

/// What a launch counted; 0 where it was not counted, or is 0.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WorkOfLaunch {
    flops: f64,
    warp_insts: f64,
    dram_bytes: f64,
    time: f64,
    clocks: [f64; 2],
}

impl WorkOfLaunch {
    /// `None` where nothing was counted: a time alone tells no work from another.
    pub(crate) fn from_numbers(number: impl Fn(Number) -> Option<f64>) -> Option<Self> {
        let number = |column| number(column).unwrap_or(0.0);
        let work = Self {
            flops: number(Number::Flops),
            warp_insts: number(Number::WarpInstsIssued),
            dram_bytes: number(Number::DramBytes),
            time: number(Number::Time),
            clocks: [Number::SmClock, Number::MemClock].map(number),
        };
        (work.flops + work.warp_insts + work.dram_bytes > 0.0).then_some(work)
    }

    fn is_same(&self, other: &Self) -> bool {
        let by_clocks = |i: usize| factor(self.clocks[i], other.clocks[i]).unwrap_or(1.0);
        // What other clocks explain is no other work.
        let time = factor(self.time, other.time).map(|apart| apart / by_clocks(0).max(by_clocks(1)));
        let work = [(self.flops, other.flops), (self.warp_insts, other.warp_insts)];
        let has_same_work = work.iter().all(|(a, b)| factor(*a, *b).is_none_or(|apart| apart <= SAME_WORK));
        let has_same_bytes =
            factor(self.dram_bytes, other.dram_bytes).is_none_or(|apart| apart <= SAME_TRAFFIC);
        let within = |most: f64| time.is_none_or(|apart| apart <= most);
        has_same_work && within(SAME_TRAFFIC) && (has_same_bytes || time.is_some() && within(SAME_TIME))
    }
}

/// How far two numbers are apart, at least 1; `None` where one of them is unknown or 0.
fn factor(a: f64, b: f64) -> Option<f64> {
    (a > 0.0 && b > 0.0).then(|| (a / b).max(b / a))
}

/// The works of each shape, by their number.
#[derive(Debug)]
pub(crate) struct WorksByShape<K> {
    known: HashMap<K, BTreeMap<usize, WorkOfLaunch>>,
}

impl<K> Default for WorksByShape<K> {
    fn default() -> Self {
        Self { known: HashMap::new() }
    }
}

impl<K: Hash + Eq> WorksByShape<K> {
    /// Which work of its shape this is, the first is 1. A number that the row states holds unless another work has it.
    pub(crate) fn work_number(&mut self, shape: K, stated: Option<usize>, work: WorkOfLaunch) -> usize {
        let known = self.known.entry(shape).or_default();
        let wanted = stated.unwrap_or(1);
        if known.entry(wanted).or_insert(work).is_same(&work) {
            return wanted;
        }
        let same = known.iter().find(|(_, other)| other.is_same(&work)).map(|(number, _)| *number);
        same.unwrap_or_else(|| {
            let next = known.last_key_value().map_or(1, |(last, _)| last.saturating_add(1));
            known.insert(next, work);
            next
        })
    }
}

/// Whether a problem is a launch shape and no size.
pub(crate) fn is_shape(problem: &str) -> bool {
    problem.starts_with("grid=")
}

/// A shape without the number of a work, and the number that it states.
pub(crate) fn shape_and_number(problem: &str) -> (String, Option<usize>) {
    let number = |part: &str| part.strip_prefix(WORK)?.strip_prefix('=').map(str::to_string);
    let stated = problem.split(';').find_map(number).and_then(|number| number.parse().ok());
    let shape: Vec<&str> = problem.split(';').filter(|part| number(part).is_none()).collect();
    (shape.join(";"), stated)
}

/// Which work of this shape a problem is; `None` of the first one, and of anything else.
pub(crate) fn work_of_shape(problem: &Problem, shape: &Problem) -> Option<usize> {
    problem.number_at(WORK)?;
    let (own, number) = shape_and_number(&problem.to_string());
    number.filter(|_| own == shape.to_string())
}

/// The text of a shape with the number of its work.
pub(crate) fn numbered_shape(shape: &str, number: usize) -> String {
    if number == 1 { shape.to_string() } else { format!("{shape};{WORK}={number}") }
}

/// That so many of all launches were told apart; nothing where none was.
pub(crate) fn told_apart_text(launches: usize, all: &str) -> Option<String> {
    let did = "do other work than one before them of the same kernel and launch shape (FLOPs, instructions, DRAM bytes or time)";
    (launches > 0)
        .then(|| format!("{launches} of {all} {did}: work=2, work=3 … beside the shape tell them apart"))
}

/// GPU, kernel, shape and variant.
type RowShape = (GpuId, KernelId, Arc<Problem>, Arc<str>);

/// The works of rows, in the order of their file.
#[derive(Debug, Default)]
pub(super) struct WorksOfRows {
    works: WorksByShape<RowShape>,
    /// The problems that were made for further works.
    numbered: HashMap<(Arc<Problem>, usize), Arc<Problem>>,
}

impl WorksOfRows {
    /// Gives a row whose problem is a launch shape the number of its work; says whether that changed it.
    pub(super) fn tell_apart(&mut self, row: &mut Measurement) -> bool {
        let is_shape = row.problem.pairs().first().is_some_and(|(key, _)| key.as_str() == "grid");
        let work = WorkOfLaunch::from_numbers(|column| row.number(column)).filter(|_| is_shape);
        let Some(work) = work else { return false };
        let stated = row.problem.number_at(WORK).map(|n| n as usize);
        let shape =
            if stated.is_some() { self.numbered_problem(&row.problem, 1) } else { row.problem.clone() };
        let key = (row.gpu, row.kernel, shape.clone(), row.variant().clone());
        let number = self.works.work_number(key, stated, work);
        let is_changed = number != stated.unwrap_or(1);
        if is_changed {
            row.problem = self.numbered_problem(&shape, number);
        }
        is_changed
    }

    fn numbered_problem(&mut self, problem: &Arc<Problem>, number: usize) -> Arc<Problem> {
        let made = || {
            let text = numbered_shape(&shape_and_number(&problem.to_string()).0, number);
            Problem::parse_recorded(&text).map_or_else(|_| problem.clone(), Arc::new)
        };
        self.numbered.entry((problem.clone(), number)).or_insert_with(made).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(flops: f64, warp_insts: f64, dram_bytes: f64, time: f64) -> WorkOfLaunch {
        WorkOfLaunch { flops, warp_insts, dram_bytes, time, clocks: [0.0; 2] }
    }

    #[test]
    fn any_count_tells_works_apart_and_noise_does_not() {
        let first = work(1e9, 7e5, 4e6, 0.064);
        for (other, is_same, what) in [
            (work(1e9, 7e5, 4.1e6, 0.09), true, "a slow trial"),
            (work(2e9, 7e5, 4e6, 0.064), false, "FLOPs"),
            (work(1e9, 9e5, 4e6, 0.064), false, "instructions"),
            (work(0.0, 7e5, 4.9e8, 0.24), false, "DRAM bytes"),
            (work(1e9, 7e5, 4.9e8, 0.0), false, "DRAM bytes of an unknown time"),
            (work(1e9, 7e5, 9e6, 0.066), true, "bytes of the caches that the time does not show"),
            (work(1e9, 7e5, 4e6, 0.12), false, "a time of equal counts"),
            (WorkOfLaunch { clocks: [900.0, 0.0], ..work(1e9, 7e5, 4e6, 0.12) }, false, "clocks of one row"),
        ] {
            assert_eq!(first.is_same(&other), is_same, "{what}");
        }
        let at = |mhz: f64, time: f64| WorkOfLaunch { clocks: [mhz, 0.0], ..work(1e9, 7e5, 4e6, time) };
        assert!(at(1980.0, 0.064).is_same(&at(990.0, 0.128)), "half the clock explains it");
        assert!(WorkOfLaunch::from_numbers(|n| (n == Number::Time).then_some(1.0)).is_none());
    }

    #[test]
    fn a_number_that_is_stated_holds_unless_another_work_has_it() {
        let mut works = WorksByShape::default();
        let [small, large, huge] = [1e6, 1e7, 1e8].map(|flops| work(flops, 0.0, 0.0, 0.0));
        assert_eq!(works.work_number("a", None, small), 1);
        assert_eq!(works.work_number("a", None, large), 2);
        assert_eq!(works.work_number("a", Some(2), huge), 3, "taken by another one");
        assert_eq!(works.work_number("a", Some(2), large), 2);
        assert_eq!(works.work_number("b", Some(2), small), 2, "the file has but this one");
        assert_eq!(works.work_number("b", None, large), 1);
        assert_eq!(
            works.work_number("c", Some(usize::MAX), small),
            usize::MAX,
            "no slot for each number before it"
        );
        let parted = ["grid=8;block=256", "grid=8;work=3;block=256", "grid=8;work=x"].map(shape_and_number);
        let shape = |text: &str, number| (text.to_string(), number);
        assert_eq!(
            parted,
            [shape("grid=8;block=256", None), shape("grid=8;block=256", Some(3)), shape("grid=8", None)]
        );
    }
}
