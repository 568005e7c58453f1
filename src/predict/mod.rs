//! What if this kernel ran on that GPU instead? One trait, one file per model.
//!
//! A [`Predictor`] answers a [`Question`] with a [`Prediction`]: the time, what binds on either side, every factor with
//! its origin, and cautions. Intervals come from `evaluate`, which knows how wrong each model has been.
//!
//! saxpy on 2^20 elements, timed at 24.6 µs on a TITAN V, as each model carries it to an RTX 4070:
//!
//! ```
//! use roofswap_engine::{answer::Settings, predict::model_position, session::Session};
//!
//! let session = Session::load(None)?;
//! let saxpy = session.kernels.position("saxpy")?;
//! let subject = session.subject(saxpy, &session.kernels[saxpy].typed("n=2^20")?, "")?;
//! let (from, to) = (session.gpus.position("titan-v")?, session.gpus.position("rtx-4070")?);
//! for (model, time) in [
//!     ("components", "10.7 µs"), // fits the larger L2: 12.6 MB / 1.67 TB/s and a gap of 1.8 µs, beside the 8.90 µs that a launch takes there
//!     ("efficiency-transfer", "31.8 µs"), // 24.6 µs x 652.8 / 504 GB/s, both fully occupied
//!     ("first-principles", "30.0 µs"),    // 12 B x 2^20 / 504 GB/s, and 5 µs to launch
//!     ("plain-roofline", "25.0 µs"),      // 12 B x 2^20 / 504 GB/s
//!     ("same-time", "24.6 µs"),
//! ] {
//!     let settings = Settings { model: model_position(model)?, ..Settings::default() };
//!     let answer = session.answer(&subject, from, to, settings);
//!     assert_eq!(answer.prediction?.time.to_string(), time, "{model}");
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod barred;
mod breakdown;
mod caution;
mod caution_texts;
mod changed_launch;
mod clocks;
mod component_times;
mod components;
mod doubt;
mod efficiency_transfer;
mod estimate;
mod factor;
mod first_principles;
mod floor;
mod hybrid;
mod kernel_roofs;
mod known_blocks;
mod launch_edits;
mod lesson;
mod levels;
mod models;
mod operators;
mod plain_roofline;
mod projection;
mod question;
mod rates;
mod registers;
mod same_time;
mod side;
mod source;
mod source_time;
mod subject;
mod visible;
mod weight;

pub use barred::impossible_source;
pub use breakdown::{Breakdown, Cause, FirstTime, Step};
pub use caution::{BusySms, Caution};
pub use clocks::{
    SourceClocks, are_at_same_clocks, clock_distance, differences, gpu_at_row_clocks, gpu_at_usable_clocks,
    gpu_with_differences, is_at, is_at_stated_limit, is_near, is_timed_at, source_clocks, stated_clocks,
    states_clocks, unused_target_clocks,
};
pub use component_times::{Elasticity, Explanation, NextCeiling};
pub use components::{
    CARRIED, Carried, GpuPlaces, LaunchRoof, PreparedKernel, SharedMachines, Starting, USUAL, feature_names,
};
use doubt::{Causes, distance_between, library_distance};
pub use doubt::{Doubt, joined_doubts};
pub use estimate::{Interval, TimeEstimate, Width, ends_under_limit};
pub use factor::{Amount, Factor, Provenance, amount, in_words};
pub use floor::Floor;
pub use hybrid::{ID as HYBRID, residual_features};
pub use kernel_roofs::{KernelRoofs, kernel_roofs};
pub use launch_edits::{LaunchEdits, LaunchNumber};
pub use lesson::{Abstains, CORRECTIONS_HELP, CORRECTIONS_NEED, HeldOutCheck, Lesson, Lessons, Taught};
pub use levels::LevelTimes;
pub use models::{BASELINES, MODELS, ModelId, ModelList, UnknownModel, model_position};
pub use operators::{graph_launch_time, operator_clock, operator_time};
pub use plain_roofline::{body, under_filled_body};
pub use question::{Question, question};
pub use rates::ModelRates;
pub use registers::RegistersFrom;
pub use side::{QuestionSide, never_started};
pub use source::{SourceKind, SourceTime};
pub use subject::Subject;
pub use visible::Visible;
pub use weight::weight;

use crate::catalogue::{Feature, user_path_text};
use crate::gpu::{Ceilings, ComputeCapability, Gpu};
use crate::kernel::{Kernel, VectorPrecision, Work};
use crate::occupancy::LaunchRefusal;
use crate::roofline::{Bound, bound, compute_roof};
use crate::units::{Bytes, Seconds};

/// A model that predicts the time on the target.
pub trait Predictor: Sync {
    /// As typed: `components`.
    fn id(&self) -> &'static str;
    /// Formula and reference in one line.
    fn method_summary(&self) -> &'static str;
    /// Whether the answer depends on a time on the source.
    fn needs_source(&self) -> bool;
    /// Whether rows measured on the target correct it. The papers' models and the baselines stay as they are written.
    fn is_corrected(&self) -> bool {
        false
    }
    /// Whether its time is one of the source, as it is or scaled, and none of its own where nobody timed the kernel.
    fn takes_source_time(&self) -> bool {
        false
    }
    /// The model that says what changed numbers of a GPU do, where it is another one.
    fn model_of_changes(&self) -> Option<&'static str> {
        None
    }
    /// Answers the question.
    ///
    /// # Errors
    /// [`ModelRefusal`] where the model has nothing honest to say.
    fn predict(&self, question: &Question<'_>) -> Result<Prediction, ModelRefusal>;
    /// Which rates of the GPUs its time rests on.
    fn rates(&self) -> ModelRates {
        ModelRates::Chosen
    }
    /// [`Predictor::predicted_time`] with what an interval is made of.
    ///
    /// # Errors
    /// As [`Predictor::predict`].
    fn estimate(&self, question: &Question<'_>) -> Result<TimeEstimate, ModelRefusal> {
        let found = TimeEstimate::of_question(question, self.predicted_time(question)?, None);
        let rests_on_measurement = found.rests_on_measurement && self.needs_source();
        Ok(TimeEstimate { rests_on_measurement, ..found })
    }
    /// Whether [`PreparedKernel`] gives this model's answers.
    fn is_prepared(&self) -> bool {
        false
    }
    /// The time of [`Predictor::predict`] alone: the same number, for those who ask half a million times.
    ///
    /// # Errors
    /// As [`Predictor::predict`].
    fn predicted_time(&self, question: &Question<'_>) -> Result<Seconds, ModelRefusal> {
        self.predict(question).map(|p| p.time)
    }
}

/// A model's answer.
#[derive(Debug, Clone)]
pub struct Prediction {
    /// Time per launch on the target.
    pub time: Seconds,
    /// What binds on the source, where the work is known.
    pub bound_source: Option<Bound>,
    /// What binds on the target, where the work is known.
    pub bound_target: Option<Bound>,
    /// The share of the (occupancy-scaled) roof that the source reached and the model carries over.
    pub efficiency: Option<f64>,
    /// Every number it was made of, in order.
    pub factors: Vec<Factor>,
    /// What the reader must know.
    pub cautions: Vec<Caution>,
    /// The model's own interval, where it says one time per memory level; not one of coverage.
    pub levels: Option<LevelTimes>,
    /// How uncertain it is beside others of this model; `None` for a model that cannot say.
    pub doubt: Option<Doubt>,
    /// How wide its interval is by the model's own errors; `None` where those of the shipped families stand for it.
    pub width: Option<Width>,
    /// What its time was multiplied by after the model, and why.
    adjustments: Vec<(Cause, f64)>,
    /// What the model made it of.
    made_of: breakdown::MadeOf,
}

impl Prediction {
    /// The predicted time as a product, with everything behind it.
    #[must_use]
    pub fn breakdown(&self) -> Breakdown<'_> {
        self.made_of.breakdown(&self.adjustments, self.time, &self.factors)
    }

    /// Whether the source's time lies far above the roof of what was counted.
    #[must_use]
    pub fn is_far_below_roof(&self) -> bool {
        self.cautions.iter().any(|caution| matches!(caution, Caution::FarBelowRoof { .. }))
    }

    /// The components and what moves them; `None` for a model that has none.
    #[must_use]
    pub fn component_times(&self) -> Option<Explanation> {
        self.made_of.explanation()
    }

    /// Multiplies the predicted time, for this reason.
    pub(crate) fn multiply(&mut self, cause: Cause, factor: f64) {
        self.time = Seconds(self.time.0 * factor);
        self.adjustments.push((cause, factor));
    }
}

/// Why a model gives no time.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ModelRefusal {
    /// The launch cannot start on this GPU.
    #[error("{gpu}: {why}")]
    CannotLaunch {
        /// The GPU's id.
        gpu: String,
        /// The limit that is broken.
        why: LaunchRefusal,
    },
    /// The working set does not fit the memory of this GPU.
    #[error("{gpu}: does not fit: needs {}, has {}", needed.as_capacity(), memory.as_capacity())]
    DoesNotFit {
        /// The GPU's id.
        gpu: String,
        /// Bytes touched.
        needed: Bytes,
        /// Memory of the GPU.
        memory: Bytes,
    },
    /// Nothing of the loaded code runs on this GPU.
    #[error(
        "{gpu}: not compiled for {cc}: there is {found}; compile with -gencode arch=compute_{digits},code=sm_{digits}",
        digits = cc.to_string().replace('.', "")
    )]
    NotCompiled {
        /// The GPU's id.
        gpu: String,
        /// Its compute capability.
        cc: ComputeCapability,
        /// What there is: `sm_89, compute_90`.
        found: String,
    },
    /// The kernel needs what this GPU does not have.
    #[error("{gpu}: lacks {}: the kernel needs compute capability {since}, and this is {cc} ({source_id})", feature.as_str())]
    LacksFeature {
        /// The GPU's id.
        gpu: String,
        /// Its compute capability.
        cc: ComputeCapability,
        /// What it lacks.
        feature: Feature,
        /// The first compute capability that has it.
        since: ComputeCapability,
        /// Whose word that is: an id of `specs/sources.toml`.
        source_id: String,
    },
    /// A time that is said to be of a GPU without what the kernel needs.
    #[error(
        "{gpu}: cannot be the GPU that was timed: lacks {}; the kernel needs compute capability {since}, and this is {cc} ({source_id})",
        feature.as_str()
    )]
    ImpossibleSource {
        /// The source's id.
        gpu: String,
        /// Its compute capability.
        cc: ComputeCapability,
        /// What it lacks.
        feature: Feature,
        /// The first compute capability that has it.
        since: ComputeCapability,
        /// Whose word that is: an id of `specs/sources.toml`.
        source_id: String,
    },
    /// A time that is said to be of a launch that its own GPU refuses, as the target does.
    #[error(
        "row timed on {gpu}: {why}; its time must come from another launch: correct block, registers or shared memory"
    )]
    RefusedSource {
        /// The source's id.
        gpu: String,
        /// The limit that is broken there.
        why: LaunchRefusal,
    },
    /// A count that the model needs is missing.
    #[error("{model} needs {missing} of this kernel, which is not counted")]
    NoCount {
        /// The model's id.
        model: &'static str,
        /// The missing count.
        missing: &'static str,
    },
    /// Several counts that the model needs are missing.
    #[error(
        "{model} needs {missing} of this kernel, which are not counted: profile it with `ncu --set full`, `roofswap import` \
         the report, and load that with --data"
    )]
    NoCounts {
        /// The model's id.
        model: &'static str,
        /// The missing counts, by column, with commas.
        missing: String,
    },
    /// A rate of a GPU is unknown.
    #[error("{model}: {gpu} has no {what}: set {key} in a GPU file in {}", user_path_text("gpus"))]
    NoRate {
        /// The model's id.
        model: &'static str,
        /// The GPU's id.
        gpu: String,
        /// The rate.
        what: &'static str,
        /// Where it stands in a file.
        key: &'static str,
    },
    /// The kernel computes with a type the model has no ceiling for.
    #[error("{model} covers fp32 and fp64 arithmetic, and this kernel's type is {dtype}")]
    OtherWidth {
        /// The model's id.
        model: &'static str,
        /// The kernel's element type.
        dtype: String,
    },
    /// The kernel does no work that the model covers.
    #[error(
        "{model} needs FLOPs and DRAM bytes of this kernel at this size, which no formula and no row states: profile it with \
         `ncu --set full`, add a row with the columns flops and dram_bytes, or ask for a size of which they are known"
    )]
    NoWork {
        /// The model's id.
        model: &'static str,
    },
    /// There is neither a time at this size nor work to model one from.
    #[error(
        "{model}: this size was not measured, and no formula or row gives its FLOPs and DRAM bytes: ask for a measured size, or \
         add a row with its time, or with flops and dram_bytes"
    )]
    NeitherTimeNorWork {
        /// The model's id.
        model: &'static str,
    },
    /// The question names no source, whose time the model takes.
    #[error("{model} needs a measured time of this kernel on a source: give --from GPU")]
    NeedsSource {
        /// The model's id.
        model: &'static str,
    },
    /// There is no time on the source, measured or estimated.
    #[error("{model} needs a time on {gpu}, and none is measured or can be estimated")]
    NoSourceTime {
        /// The model's id.
        model: &'static str,
        /// The source GPU's id.
        gpu: String,
    },
    /// Atomics take longer than everything in the model.
    #[error("atomics on few addresses bind this kernel (about {time}), and {model} does not model them")]
    AtomicsBind {
        /// The model's id.
        model: &'static str,
        /// What they take on the target.
        time: Seconds,
    },
    /// The arithmetic left the range of numbers.
    #[error("{model}: the result is not a finite time; the size is out of range")]
    OutOfRange {
        /// The model's id.
        model: &'static str,
    },
}

impl ModelRefusal {
    /// Why, where the GPU it is of stands beside it: the same for all that lack the same.
    #[must_use]
    pub fn beside_its_gpu(&self) -> String {
        if let Self::LacksFeature { feature, since, source_id, .. } = self {
            let feature = feature.as_str();
            return format!("lacks {feature}: the kernel needs compute capability {since} ({source_id})");
        }
        let whole = self.to_string();
        let behind = whole.split_once(": ").filter(|(gpu, _)| !gpu.contains(char::is_whitespace));
        behind.map_or(whole.clone(), |(_, why)| why.to_string())
    }

    /// Whether the launch or the code cannot start on the target, whatever the model.
    #[must_use]
    pub fn cannot_start(&self) -> bool {
        matches!(
            self,
            Self::CannotLaunch { .. }
                | Self::RefusedSource { .. }
                | Self::NotCompiled { .. }
                | Self::LacksFeature { .. }
        )
    }
}

/// What binds on this GPU, where the work is known.
fn bound_on(gpu: &Gpu, kernel: &Kernel, work: &Work, ceilings: Ceilings) -> Option<Bound> {
    let (flops, bytes) = (work.flops()?, work.dram()?);
    if bytes.0 <= 0.0 {
        return (flops.0 > 0.0).then_some(Bound::Compute);
    }
    let compute = compute_roof(gpu, kernel, VectorPrecision::Single, ceilings).value;
    Some(bound(compute, gpu.bandwidth(ceilings).value, flops / bytes))
}

/// A time that is a positive finite number.
fn sound(time: Seconds, model: &'static str) -> Result<Seconds, ModelRefusal> {
    if time.0.is_finite() && time.0 > 0.0 { Ok(time) } else { Err(ModelRefusal::OutOfRange { model }) }
}
