//! `roofswap measure --ncu`: the command lines that count with Nsight Compute what `measure` times.

use crate::device::measure::Planned;

/// What paper 3's metrics need, and what makes the rows rows: times, DRAM bytes, instructions, lanes, operations.
const METRICS: [&str; 9] = [
    "gpu__time_duration.sum",
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "smsp__inst_executed.sum",
    "smsp__inst_issued.sum",
    "smsp__thread_inst_executed_per_inst_executed.ratio",
    "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum",
    "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
];

/// Two lines per configuration: one counts, one makes rows of the report. `suite` is the value of `--suite`.
pub(super) fn profiler_lines(configurations: &[Planned<'_>], suite: &str) -> String {
    let mut text = String::from(
        "# Counters of every configuration, in Nsight Compute's report and as rows. GPU is the id of the board in the catalogue.\n\
         # The clocks are left alone, so that ncu's own times are those of the board; each configuration is launched once.\n",
    );
    for planned in configurations {
        let (kernel, problem) = (&planned.kernel.id, planned.case.problem.to_string());
        let variant = if planned.of.variant.is_empty() { "" } else { "-one-thread" };
        let stem = format!("{kernel}-{}{variant}", problem.replace(['=', ';'], "-"));
        let selected = format!("--suite {suite} --kernel {kernel} --problem '{problem}'");
        let one_thread = if planned.of.one_thread { " --one-thread" } else { "" };
        text += &format!(
            "ncu --clock-control none --csv --page raw --section LaunchStats --metrics {} --log-file {stem}.ncu.csv \
             roofswap measure {selected}{one_thread} --launch-once\n\
             roofswap import {stem}.ncu.csv --gpu \"$GPU\" --problem '{kernel}:{problem}' -o {stem}.csv\n",
            METRICS.join(",")
        );
    }
    text
}
