//! What the tool says of a GEMM without having seen one: the default model's and the plain roofline's time on an empty
//! store, and the power model's watts for that time.

use super::{GemmRow, GemmTarget};
use crate::catalogue::Catalogue;
use crate::gpu::Gpu;
use crate::kernel::{Kernel, Problem};
use crate::measurement::Store;
use crate::pair::Pair;
use crate::power::{Load, PowerModel};
use crate::predict::{LaunchEdits, MODELS, Question, Subject, model_position, question};
use crate::units::Seconds;
use std::sync::Arc;

/// The library's kernel behind paper 4's runs.
pub const LIBRARY: &str = "cutlass_simt_sgemm_128x128_8x2";

/// Times and power of one row without any measurement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Physical {
    /// The default model's time.
    pub default_model: Seconds,
    /// The plain roofline's.
    pub roofline: Seconds,
    /// The power model's watts at the default model's time.
    pub watts: f64,
    /// The power model's watts at the measured time.
    pub watts_at_measured: f64,
}

impl Physical {
    /// What the default model and the power model say of this target.
    #[must_use]
    pub fn target_value(&self, target: GemmTarget, row: &GemmRow) -> f64 {
        let seconds = self.default_model.0;
        match target {
            GemmTarget::Time => 1e3 * seconds,
            GemmTarget::Power => self.watts,
            GemmTarget::Energy => self.watts * seconds,
            GemmTarget::Rate => row.flops() / seconds / 1e9,
        }
    }

    /// The same from the roofline's time; it says nothing of power.
    #[must_use]
    pub fn at_roof(&self, target: GemmTarget, row: &GemmRow) -> Option<f64> {
        match target {
            GemmTarget::Time => Some(1e3 * self.roofline.0),
            GemmTarget::Rate => Some(row.flops() / self.roofline.0 / 1e9),
            GemmTarget::Power | GemmTarget::Energy => None,
        }
    }
}

/// Asks the models; `None` where the library's kernel is not in the catalogue or a model refuses.
#[must_use]
pub fn physical(
    gpus: &Catalogue<Gpu>,
    kernels: &Catalogue<Kernel>,
    power: &PowerModel,
    row: &GemmRow,
) -> Option<Physical> {
    let kernel = kernels.id_named(LIBRARY)?;
    let of = &kernels[kernel];
    let [m, n, k] = row.size;
    let problem: Problem = format!("m={m};n={n};k={k}").parse().ok()?;
    let problem = of.completed_problem(&problem).ok()?;
    let variant = of.declared_variant(&row.variant);
    let instance = of.instance(&problem, &variant).ok()?;
    let blocks = instance.launch.map(|l| l.grid.iter().map(|n| *n as f64).product());
    let subject = Subject {
        kernel,
        problem: Arc::new(problem),
        variant: variant.as_str().into(),
        instance,
        config: None,
        timed_at: None,
        launch_edits: LaunchEdits::default(),
    };
    let gpu = &gpus[row.gpu];
    let empty = Store::default();
    let place = (row.gpu, gpu);
    let q = question(of, &subject, Pair::new(place, place), &empty, Default::default(), Default::default());
    let default_model = model_time("components", &q)?;
    let watts = |time| {
        let load = Load::from_work(of, &q.work, blocks, gpu, time);
        power.drawn_power(gpu, gpu.clocks(), &load).0
    };
    Some(Physical {
        default_model,
        roofline: model_time("plain-roofline", &q)?,
        watts: watts(default_model),
        watts_at_measured: watts(Seconds::from_millis(row.ms)),
    })
}

fn model_time(model: &str, q: &Question<'_>) -> Option<Seconds> {
    MODELS[model_position(model).ok()?].predicted_time(q).ok()
}
