//! `roofswap export roofline|occupancy|curves|predictions|components --from GPU --to GPU --kernel KERNEL -o FILE.svg`, and
//! `roofswap export evaluation`, see there.

use super::asked_subjects::kernels_of_data;
use super::choices::ThemeChoice;
use super::export_evaluation::EvaluationArgs;
use super::question::{CheckedQuestion, QuestionArgs};
use super::{Usage, output};
use crate::answer::Answer;
use crate::chart::{
    ChartSides, ChartSpec, Curve, CurveView, FurtherTarget, OccupancyView, PredictionRow, RooflineView,
    bandwidth_chart, component_chart, curve_chart, occupancy_chart, predictions_chart, ranked_components,
    roofline_chart,
};
use crate::gpu::{Gpu, GpuId};
use crate::pair::Pair;
use crate::predict::{MODELS, Subject};
use crate::roofline::Level;
use anyhow::Result;
use clap::{Args, ValueEnum};
use std::borrow::Cow;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(
    mut_arg("from", |from| from.help("Source GPU: where the kernel was timed, one but for `evaluation`. Without it that of --data; without a \
        time each target is predicted from the kernel's counts")),
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
    /// What `curves` draws occupancy over (default: block); over `size`, how well the waves of the grid fill the GPU
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
        let text = "--protocol, --view, --rows-only and --sustained go with `evaluation`: roofswap export evaluation --view pairs …";
        return Err(Usage(text.into()).into());
    }
    let asked = || args.question.checked_question_of_one();
    let spec = match args.chart {
        Chart::Roofline => Picture::with_targets(&asked()?)?.roofline(args)?,
        Chart::Occupancy => Picture::with_targets(&asked()?)?.occupancy(args)?,
        Chart::Curves => Picture::from_question(&asked()?)?.curve(args)?,
        Chart::Predictions => Picture::from_question(&args.question.checked_question()?)?.predictions(),
        Chart::Evaluation => args.evaluation.chart_spec(&args.question)?,
        Chart::Components => Picture::from_question(&asked()?)?.components()?,
    };
    output::picture(&spec, args.theme.into(), &args.output, args.question.data())
}

/// A question a single picture can answer: one source, one model.
struct Picture<'a> {
    question: &'a CheckedQuestion,
    gpus: Pair<&'a Gpu>,
    source: GpuId,
    target: GpuId,
    /// Targets beside the first, for the charts that show several.
    further: &'a [GpuId],
}

impl<'a> Picture<'a> {
    /// For a chart of two GPUs.
    fn from_question(question: &'a CheckedQuestion) -> Result<Self> {
        let picture = Self::with_targets(question)?;
        if !picture.further.is_empty() {
            let text = "this chart shows one target: give one --to; `export roofline`, `export occupancy` and \
                        `rank --svg` show several";
            return Err(Usage(text.into()).into());
        }
        Ok(picture)
    }

    /// For a chart of a source and several targets.
    fn with_targets(question: &'a CheckedQuestion) -> Result<Self> {
        let ([target, further @ ..], [_]) = (&question.targets[..], &question.settings[..]) else {
            let text = "a chart shows one model: give at most one --model";
            return Err(Usage(text.into()).into());
        };
        let source = match &question.sources {
            None => *target,
            Some(named) => named.only().ok_or_else(|| {
                let text = "a chart compares two GPUs: give one GPU to --from; `predict` combines several";
                Usage(text.into())
            })?,
        };
        let gpus = Pair::new(source, *target).map(|g| &question.session.gpus[g]);
        Ok(Self { question, gpus, source, target: *target, further })
    }

    fn answer(&self, subject: &Subject) -> Answer {
        self.answer_on(subject, self.target)
    }

    fn answer_on(&self, subject: &Subject, target: GpuId) -> Answer {
        let q = self.question;
        let alone = || q.session.answer(subject, self.source, target, q.settings[0]);
        q.answer(subject, target, q.settings[0]).unwrap_or_else(alone)
    }

    /// The answers for the further targets.
    fn further_answers(&self, subject: &Subject) -> Vec<(&'a Gpu, Answer)> {
        let gpus = &self.question.session.gpus;
        self.further.iter().map(|gpu| (&gpus[*gpu], self.answer_on(subject, *gpu))).collect()
    }

    /// The only kernel asked for.
    fn subject(&self) -> Result<&'a Subject> {
        match self.question.subjects.named() {
            [one] => Ok(one),
            _ => {
                let session = &self.question.session;
                let of_data = kernels_of_data(session).into_iter().next();
                let example = of_data.map_or("saxpy", |kernel| &session.kernels[kernel].id);
                Err(Usage(format!(
                    "this chart shows one kernel: give one --kernel, such as --kernel {example}"
                ))
                .into())
            }
        }
    }

    /// The GPUs to draw: without a source the target alone.
    fn sides(&self, args: &ExportArgs) -> ChartSides {
        if self.question.sources.is_none() { ChartSides::Target } else { args.show.into() }
    }

    fn size(&self, subject: &Subject) -> String {
        self.question.session.kernels[subject.kernel].short_problem(&subject.problem)
    }

    fn roofline(&self, args: &ExportArgs) -> Result<ChartSpec> {
        let subject = self.subject()?;
        let answers = self.further_answers(subject);
        let further = answers.iter().map(|(gpu, answer)| FurtherTarget { gpu, answer });
        let view = RooflineView {
            gpus: self.gpus,
            kernel: &self.question.session.kernels[subject.kernel],
            problem: self.size(subject),
            answer: &self.answer(subject),
            further: further.collect(),
            show: self.sides(args),
            levels: args.levels.iter().map(|l| (*l).into()).collect(),
            others: self.others(subject),
        };
        Ok(bandwidth_chart(&view).unwrap_or_else(|| roofline_chart(&view)))
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
        let answers = self.further_answers(subject);
        let further: Vec<FurtherTarget<'_>> =
            answers.iter().map(|(gpu, answer)| FurtherTarget { gpu, answer }).collect();
        Ok(occupancy_chart(&OccupancyView {
            gpus: self.gpus,
            kernel,
            problem: &self.size(subject),
            answer: &self.answer(subject),
            further: &further,
            show: self.sides(args),
        }))
    }

    fn curve(&self, args: &ExportArgs) -> Result<ChartSpec> {
        let subject = self.subject()?;
        let kernel = &self.question.session.kernels[subject.kernel];
        let (gpus, answer) = (self.gpus, &self.answer(subject));
        let (problem, variant) = (&*subject.problem, &*subject.variant);
        let view = CurveView { gpus, kernel, problem, variant, answer, show: self.sides(args) };
        Ok(curve_chart(&view, args.over.map_or(Curve::default(), Into::into)))
    }

    fn components(&self) -> Result<ChartSpec> {
        let (session, subject) = (&self.question.session, self.subject()?);
        if self.question.sources.is_none() {
            let text = "this chart compares two GPUs: give --from GPU";
            return Err(Usage(text.into()).into());
        }
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
        if ranked_components(&e).is_empty() {
            let text = format!("{} has no component times: nothing is counted of it", kernel.id);
            return Err(Usage(text).into());
        }
        Ok(component_chart(self.gpus, kernel, &self.size(subject), &answer, &e))
    }

    fn predictions(&self) -> ChartSpec {
        let session = &self.question.session;
        // One pair of GPUs and one model: every answer used the same.
        let mut used = None;
        let row = |subject: Cow<'_, Subject>| {
            let kernel = &session.kernels[subject.kernel].id;
            let label = format!("{kernel} {} {}", self.size(&subject), subject.variant);
            let answer = self.answer(&subject);
            used.get_or_insert_with(|| format!(", {}", answer.used()));
            PredictionRow::new(label.trim_end().to_string(), &answer)
        };
        let rows: Vec<PredictionRow> = self.question.subjects.each(session).map(row).collect();
        let model = MODELS[self.question.settings[0].model].id();
        let used = used.unwrap_or_default();
        predictions_chart(&rows, self.gpus, &format!("{model}{used}"))
    }
}
