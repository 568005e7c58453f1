//! `roofswap predict --model paper3 --data FILE`: the speedup of a launch over its reference, by paper 3's forest. It knows no
//! time on another GPU; with the reference's measured time the launch's own follows.

use super::metrics::{AskedForest, MetricsArgs, ask_forest, launch_on_gpus};
use super::question::QuestionArgs;
use super::{Usage, load, output, question};
use crate::evaluate::EvaluationWorld;
use crate::report::{Table, TableCell, TableColumn, TableFormat};
use crate::train::paper3::reference_time;
use crate::units::{Seconds, significant};
use anyhow::Result;
use std::path::PathBuf;

/// The model's name.
const PAPER3: &str = "paper3";

/// A launch whose speedup is asked for.
pub(super) struct SpeedUpQuestion {
    /// The kernel's name.
    kernel: String,
    /// The GPUs it might run on.
    gpus: Vec<String>,
    /// As it was typed.
    size: Option<String>,
    /// As it was typed.
    variant: Option<String>,
    /// Rows to train on.
    data: Vec<PathBuf>,
}

impl SpeedUpQuestion {
    /// The question, where paper 3's model is named; it says how many times faster than a reference a launch is.
    pub(super) fn from_args(args: &QuestionArgs) -> Result<Option<Self>> {
        if !args.model.iter().any(|name| name == PAPER3) {
            return Ok(None);
        }
        let kernels = args.named_kernels();
        let refused = match (&kernels[..], &args.model[..], args.data.is_empty()) {
            (_, [_, _, ..], _) => "--model paper3 gives a speedup and no time: name it alone",
            (_, _, true) => {
                "--model paper3 is trained on your rows: give them with --data, launches of several block sizes"
            }
            ([_], _, _) => "",
            _ => "--model paper3 is asked about one launch: name one kernel with --kernel",
        };
        if !refused.is_empty() {
            return Err(Usage(refused.into()).into());
        }
        if let Some(flag) = args.flag_of_times() {
            return Err(Usage(format!("--model paper3 does not use {flag}: leave it out")).into());
        }
        Ok(Some(Self {
            kernel: kernels[0].to_string(),
            gpus: if args.to.is_empty() { args.from.clone() } else { args.to.clone() },
            size: args.size.clone(),
            variant: args.variant.clone(),
            data: args.data.clone(),
        }))
    }
}

pub(super) fn predict_speed_up(asked: SpeedUpQuestion, format: TableFormat) -> Result<()> {
    let SpeedUpQuestion { kernel: name, gpus, size, variant, data } = asked;
    question::size_is_read(size.as_deref())?;
    let session = load::session_naming(&data, gpus.iter().map(String::as_str), None)?;
    let args = MetricsArgs::for_speed_up(name.clone(), gpus, data).sized(size, variant);
    let (_, mut all) = launch_on_gpus(&session, &name, &args)?;
    let AskedForest { reference, notes } = ask_forest(&session, &args, &mut all)?;
    let (subject, _) = args.subject(&session, &name)?;
    let kernel = &session.kernels[subject.kernel];
    let world = EvaluationWorld { gpus: &session.gpus, kernels: &session.kernels, store: &session.store };
    let left = ["kernel", "size", "gpu"].map(TableColumn::left);
    let right =
        ["speed_up", "speed_up_low", "speed_up_high", "reference_ms", "time_ms"].map(TableColumn::right);
    let mut table = Table::new(left.into_iter().chain(right).collect());
    table.title = format!("Speedup over {}, by paper 3's forest", reference.sentence());
    for on in &all {
        let Some(said) = &on.speed_up else { continue };
        let gpu = session.gpus.position(&on.gpu)?;
        let over = reference_time(world, &subject, gpu, reference);
        let ratio = |v: f64| TableCell::shown(v, format!("{}×", significant(v)));
        let millis = |t: Seconds| TableCell::shown(t.millis(), significant(t.millis()));
        table.rows.push(vec![
            TableCell::text(kernel.id.as_str()),
            TableCell::text(kernel.short_problem(&subject.problem)),
            TableCell::text(on.gpu.as_str()),
            ratio(said.value),
            TableCell::maybe(said.interval.map(|i| i.0), ratio),
            TableCell::maybe(said.interval.map(|i| i.1), ratio),
            TableCell::maybe(over, millis),
            TableCell::maybe(over.map(|t| Seconds(t.0 / said.value)), millis),
        ]);
    }
    if format.is_for_people() {
        table.notes = notes;
        table.notes.push(
            "reference_ms: measured, where this very problem has one; time_ms: that over the speedup".into(),
        );
    }
    output::answer(table.render(format).as_bytes())
}
