//! `roofswap export roofline|occupancy|curves|predictions|components --from GPU --to GPU --kernel KERNEL -o FILE.svg`, and
//! `roofswap export evaluation`, see there.

use super::choices::ThemeChoice;
use super::export_evaluation::EvaluationArgs;
use super::question::{CheckedQuestion, QuestionArgs};
use super::{Usage, output};
use crate::answer::Answer;
use crate::chart::{
    ChartSides, ChartSpec, Curve, CurveView, PredictionRow, RooflineView, component_chart, curve_chart,
    occupancy_chart, predictions_chart, roofline_chart,
};
use crate::gpu::{Gpu, GpuId};
use crate::predict::{MODELS, Subject};
use crate::roofline::Level;
use anyhow::Result;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(
    after_help = "Example: roofswap export roofline --from titan-v --to rtx-4070 --kernel saxpy -o saxpy.svg"
)]
pub(super) struct ExportArgs {
    /// What to draw
    #[arg(value_enum)]
    chart: Chart,
    #[command(flatten)]
    question: QuestionArgs,
    /// Which GPUs to draw
    #[arg(long, value_enum, default_value = "both")]
    show: Show,
    /// What `curves` draws occupancy over, `block` if not said; over `size`, how well the waves of the grid fill the GPU
    #[arg(long, value_enum)]
    over: Option<OverChoice>,
    #[command(flatten)]
    evaluation: EvaluationArgs,
    /// Memory levels to draw roofs of; DRAM is always drawn
    #[arg(long, value_enum, value_delimiter = ',', default_value = "dram")]
    levels: Vec<LevelChoice>,
    /// Colours
    #[arg(long, value_enum, default_value = "light")]
    theme: ThemeChoice,
    /// The SVG file; `-` for stdout
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Chart {
    /// Roofs, the timed point and the predicted one
    Roofline,
    /// Blocks that fit an SM, by limit
    Occupancy,
    /// Occupancy over block size, registers, shared memory; wave efficiency over the problem size
    Curves,
    /// Times of several kernels on both GPUs
    Predictions,
    /// How long each part of the GPU keeps the kernel busy, on both GPUs
    Components,
    /// A model against measured times, of the GPUs and kernels given or of all: --protocol, --view
    Evaluation,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Show {
    Source,
    Target,
    Both,
}

impl From<Show> for ChartSides {
    fn from(show: Show) -> Self {
        match show {
            Show::Source => Self::Source,
            Show::Target => Self::Target,
            Show::Both => Self::Both,
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum LevelChoice {
    Dram,
    L2,
    L1,
    Shared,
}

impl From<LevelChoice> for Level {
    fn from(choice: LevelChoice) -> Self {
        match choice {
            LevelChoice::Dram => Self::Dram,
            LevelChoice::L2 => Self::L2,
            LevelChoice::L1 => Self::L1,
            LevelChoice::Shared => Self::Shared,
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum OverChoice {
    /// Threads per block
    Block,
    /// Registers per thread
    Registers,
    /// Shared memory per block
    SharedMemory,
    /// The problem size
    Size,
}

impl From<OverChoice> for Curve {
    fn from(choice: OverChoice) -> Self {
        match choice {
            OverChoice::Block => Self::Block,
            OverChoice::Registers => Self::Registers,
            OverChoice::SharedMemory => Self::SharedMemory,
            OverChoice::Size => Self::Size,
        }
    }
}

pub(super) fn run_export(args: &ExportArgs) -> Result<()> {
    if args.over.is_some() && !matches!(args.chart, Chart::Curves) {
        let text = "--over goes with `curves`: roofswap export curves --over registers …";
        return Err(Usage(text.into()).into());
    }
    if args.evaluation.is_typed() && !matches!(args.chart, Chart::Evaluation) {
        let text = "--protocol and --view go with `evaluation`: roofswap export evaluation --view pairs …";
        return Err(Usage(text.into()).into());
    }
    let asked = || args.question.checked_question();
    let spec = match args.chart {
        Chart::Roofline => Picture::from_question(&asked()?)?.roofline(args)?,
        Chart::Occupancy => Picture::from_question(&asked()?)?.occupancy(args)?,
        Chart::Curves => Picture::from_question(&asked()?)?.curve(args)?,
        Chart::Predictions => Picture::from_question(&asked()?)?.predictions(),
        Chart::Evaluation => args.evaluation.chart_spec(&args.question)?,
        Chart::Components => Picture::from_question(&asked()?)?.components()?,
    };
    output::picture(&spec, args.theme.into(), &args.output, args.question.data())
}

/// A question a single picture can answer: one target, one model.
struct Picture<'a> {
    question: &'a CheckedQuestion,
    gpus: [&'a Gpu; 2],
    source: GpuId,
    target: GpuId,
}

impl<'a> Picture<'a> {
    fn from_question(question: &'a CheckedQuestion) -> Result<Self> {
        let ([target], [_]) = (&question.targets[..], &question.settings[..]) else {
            let text = "a chart compares two GPUs with one model: give one --to and at most one --model";
            return Err(Usage(text.into()).into());
        };
        let Some(source) = question.sources.only() else {
            let text = "a chart compares two GPUs: give one GPU to --from; `predict` combines several";
            return Err(Usage(text.into()).into());
        };
        let gpus = [source, *target].map(|g| &question.session.gpus[g]);
        Ok(Self { question, gpus, source, target: *target })
    }

    fn answer(&self, subject: &Subject) -> Answer {
        let q = self.question;
        let alone = || q.session.answer(subject, self.source, self.target, q.settings[0]);
        let sources = q.sources_of(subject, q.settings[0]);
        q.session.answer_from(subject, &sources, self.target, q.settings[0]).unwrap_or_else(alone)
    }

    /// The only kernel asked for.
    fn subject(&self) -> Result<&'a Subject> {
        match &self.question.subjects[..] {
            [one] => Ok(one),
            _ => Err(Usage(
                "this chart shows one kernel: give one --kernel, for example --kernel saxpy".into(),
            )
            .into()),
        }
    }

    fn size(&self, subject: &Subject) -> String {
        self.question.session.kernels[subject.kernel].short_problem(&subject.problem)
    }

    fn roofline(&self, args: &ExportArgs) -> Result<ChartSpec> {
        let subject = self.subject()?;
        Ok(roofline_chart(&RooflineView {
            gpus: self.gpus,
            kernel: &self.question.session.kernels[subject.kernel],
            problem: self.size(subject),
            answer: &self.answer(subject),
            show: args.show.into(),
            levels: args.levels.iter().map(|l| (*l).into()).collect(),
            others: self.others(subject),
        }))
    }

    /// Where the other kernels that were timed on the source stand: intensity and performance.
    fn others(&self, subject: &Subject) -> Vec<(f64, f64)> {
        let session = &self.question.session;
        let kernels = session.kernels.ids().filter(|k| *k != subject.kernel);
        let points = kernels.filter_map(|kernel| {
            let size = session.default_size(kernel, Some(self.source));
            let other = session.subject(kernel, &size, &session.default_variant(kernel)).ok()?;
            self.answer(&other).timed_point()
        });
        points.map(|(intensity, performance)| (intensity.0, performance.0)).collect()
    }

    fn occupancy(&self, args: &ExportArgs) -> Result<ChartSpec> {
        let subject = self.subject()?;
        let kernel = &self.question.session.kernels[subject.kernel];
        Ok(occupancy_chart(self.gpus, kernel, &self.size(subject), &self.answer(subject), args.show.into()))
    }

    fn curve(&self, args: &ExportArgs) -> Result<ChartSpec> {
        let subject = self.subject()?;
        let kernel = &self.question.session.kernels[subject.kernel];
        let (gpus, answer) = (self.gpus, &self.answer(subject));
        let (problem, variant) = (&*subject.problem, &*subject.variant);
        let view = CurveView { gpus, kernel, problem, variant, answer, show: args.show.into() };
        Ok(curve_chart(&view, args.over.map_or(Curve::default(), Into::into)))
    }

    fn components(&self) -> Result<ChartSpec> {
        let (session, subject) = (&self.question.session, self.subject()?);
        let answer = self.answer(subject);
        let kernel = &session.kernels[subject.kernel];
        let Some(e) = answer.component_times() else {
            if let Err(refusal) = answer.prediction {
                return Err(refusal.into());
            }
            let model = MODELS[answer.settings.model].id();
            let text =
                format!("{model} has no component times: leave --model out, or give --model components");
            return Err(Usage(text).into());
        };
        Ok(component_chart(self.gpus, kernel, &self.size(subject), &answer, &e))
    }

    fn predictions(&self) -> ChartSpec {
        let kernels = &self.question.session.kernels;
        let answers: Vec<(&Subject, Answer)> =
            self.question.subjects.iter().map(|s| (s, self.answer(s))).collect();
        let row = |(subject, answer): &(&Subject, Answer)| {
            let label = format!("{} {}", kernels[subject.kernel].id, self.size(subject));
            PredictionRow::new(label, answer)
        };
        let rows: Vec<PredictionRow> = answers.iter().map(row).collect();
        // One pair of GPUs and one model: every answer used the same.
        let model = MODELS[self.question.settings[0].model].id();
        let used = answers.first().map_or_else(String::new, |(_, a)| format!(", {}", a.used()));
        predictions_chart(&rows, self.gpus, &format!("{model}{used}"))
    }
}
