//! Launches on their way to become rows, and what to say of the counts they lack.

use super::launch::ProfiledLaunch;
use super::metrics::NcuPrecision;
use crate::import::{ImportJob, Imported};
use crate::measurement::{
    CanonicalRow, Number, WorkOfLaunch, WorksByShape, is_shape, numbered_shape, told_apart_text,
};

/// Launches on their way to become rows, and what they lack.
pub(super) struct Collector<'a> {
    pub(super) job: &'a ImportJob<'a>,
    pub(super) out: Imported,
    launches: usize,
    /// How many launches lack each of [`LACKS`].
    lacks: [usize; LACKS.len()],
    /// What launches of one name and shape have done.
    works: WorksByShape<LaunchName>,
    /// How many rows stand for other work than the first of their name and shape.
    of_other_works: usize,
}

/// GPU, kernel and size of a row: what a configuration is told by.
type LaunchName = (String, String, String);

/// What a launch may lack, whether this one does, and what to do.
type Lack = (&'static str, fn(&ProfiledLaunch, &CanonicalRow) -> bool, &'static str);

const LACKS: [Lack; 11] = [
    ("no time", |_, r| r.get(Number::Time).is_none(), "add --metrics gpu__time_duration.sum"),
    (
        "FLOPs unknown because the tensor pipes worked uncounted",
        |l, _| l.values.tensor_uncounted() && l.values.tensor_flops().is_none(),
        "add --metrics regex:sm__ops_path_tensor_src_.*",
    ),
    (
        "FLOPs unknown because the tensor pipes worked and every path counted is 0",
        |l, _| l.values.tensor_uncounted() && l.values.tensor_flops().is_some(),
        "add --metrics regex:sm__ops_path_tensor_src_.* for all paths; integer ones are no FLOPs",
    ),
    (
        NO_FLOPS,
        |l, r| r.get(Number::Flops).is_none() && !l.values.tensor_uncounted(),
        "add --metrics regex:smsp__sass_thread_inst_executed_op_[fdh](add|mul|fma)_pred_on.sum",
    ),
    (
        "FLOPs of the vector pipes alone, whether a tensor pipe worked was not profiled",
        |l, r| {
            r.get(Number::Flops).is_some()
                && l.values.tensor_active().is_none()
                && l.values.tensor_flops().is_none()
        },
        "add --metrics sm__inst_executed_pipe_tensor.sum if the kernel may use tensor cores",
    ),
    (
        "FLOPs without half precision, which was not counted",
        |l, r| r.get(Number::Flops).is_some() && l.values.operations(NcuPrecision::Half).is_none(),
        "add --metrics regex:smsp__sass_thread_inst_executed_op_h(add|mul|fma)_pred_on.sum if the kernel uses it",
    ),
    (
        "half-precision FLOPs count one lane of each instruction",
        |l, r| r.get(Number::Flops).is_some() && l.half_worked(),
        "packed ones (half2) do two: the FLOPs may be up to twice as many",
    ),
    ("no DRAM bytes", |_, r| r.get(Number::DramBytes).is_none(), "add --metrics dram__bytes.sum"),
    (
        "DRAM bytes only as a printed rate x the time, with few digits",
        |l, _| l.values.dram_is_rate(),
        "use the raw page or the .ncu-rep for all digits",
    ),
    ("no L2 bytes", |_, r| r.get(Number::L2Bytes).is_none(), "add --metrics lts__t_bytes.sum"),
    ("no L1 bytes", |_, r| r.get(Number::L1Bytes).is_none(), "add --metrics l1tex__t_bytes.sum"),
];

/// Those that a report with `--set full` does not lack.
const COUNTED_BY_FULL: [&str; 4] = [NO_FLOPS, "no DRAM bytes", "no L2 bytes", "no L1 bytes"];
const NO_FLOPS: &str = "no FLOPs, as single and double precision were not both counted";

impl<'a> Collector<'a> {
    pub(super) fn new(job: &'a ImportJob<'a>) -> Self {
        Self {
            job,
            out: Imported::default(),
            launches: 0,
            lacks: [0; LACKS.len()],
            works: WorksByShape::default(),
            of_other_works: 0,
        }
    }

    pub(super) fn push(&mut self, launch: &ProfiledLaunch) {
        match launch.canonical_row(self.job) {
            Ok(mut row) => {
                self.launches += 1;
                self.tell_work_apart(&mut row);
                if let Some(given) = self.job.gpu.filter(|_| !launch.device.is_empty()) {
                    let named = &launch.device;
                    let what = "is taken for launches whose GPU the report does not name; this one names";
                    self.out.remark(format!("{given} {what} {named}"));
                }
                for (count, (_, lacks, _)) in self.lacks.iter_mut().zip(LACKS) {
                    *count += usize::from(lacks(launch, &row));
                }
                self.out.rows.push(&row);
            }
            Err((column, message)) => self.add_refusal(launch.line, column, message),
        }
    }

    /// Other work than the launches before did, of this name and shape, is another size: `grid=132;block=384;work=2`.
    fn tell_work_apart(&mut self, row: &mut CanonicalRow) {
        let work = WorkOfLaunch::from_numbers(|column| row.get(column)).filter(|_| is_shape(&row.problem));
        let Some(work) = work else { return };
        let name = (row.gpu.clone(), row.kernel.clone(), row.problem.clone());
        let number = self.works.work_number(name, None, work);
        if number > 1 {
            row.problem = numbered_shape(&row.problem, number);
            self.of_other_works += 1;
        }
    }

    pub(super) fn add_refusal(&mut self, line: u64, column: String, message: String) {
        self.out.add_refusal(self.job, line, (column, message));
    }

    pub(super) fn into_imported(mut self) -> Imported {
        let all = self.launches;
        self.out.remarks.extend(told_apart_text(self.of_other_works, &format!("{all} launches")));
        for (count, (what, _, hint)) in self.lacks.iter().copied().zip(LACKS).filter(|(n, _)| *n > 0) {
            let which =
                if count == all { "every launch".into() } else { format!("{count} of {all} launches") };
            self.out.remarks.push(format!("{which}: {what}; {hint}"));
        }
        if self
            .lacks
            .iter()
            .zip(LACKS)
            .any(|(count, (what, ..))| *count > 0 && COUNTED_BY_FULL.contains(&what))
        {
            let full = "ncu --set full counts what is missing; its raw page (--page raw) and the .ncu-rep hold all counts, the details page few";
            self.out.remarks.push(full.into());
        }
        if all == 0 && self.out.refused_count == 0 {
            self.out.remark("the report has no launches".into());
        }
        if all > 0 {
            let clocks = "ncu holds the clocks at base and flushes the caches before each launch, unless --clock-control none and --cache-control none were given: times may be longer than outside of it";
            self.out.remarks.push(clocks.into());
        }
        self.out
    }
}
