//! The time on the source: measured, published, or an estimate that is marked as one.

use super::subject::Subject;
use super::visible::Visible;
use super::{Caution, first_principles, plain_roofline};
use crate::catalogue::Origin;
use crate::gpu::{Ceilings, Gpu};
use crate::kernel::{Kernel, Work};
use crate::measurement::{Kind, Measurement};
use crate::units::Seconds;

/// The smallest floor that launches back to back sat on in the study's published times (paper 1's repository): 1.4-4 µs
/// on GTX TITAN X, TITAN V and RTX 2080 Ti, 5-9 µs on the RTX 4070 machine.
const SMALLEST_FLOOR: Seconds = Seconds(1.4e-6);

/// How the source time is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceKind {
    /// The user's own measurement.
    Measured,
    /// A published figure.
    Published,
    /// Scaled from another size, or a model's.
    Estimated,
}

impl SourceKind {
    /// The word in exports.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Published => "published",
            Self::Estimated => "estimated",
        }
    }

    /// How far a number that was timed so is to be trusted.
    #[must_use]
    pub fn origin(self) -> Origin {
        match self {
            Self::Measured => Origin::Measured,
            Self::Published => Origin::Published,
            Self::Estimated => Origin::Assumed,
        }
    }

    /// The mark on screen: ● was timed, ~ is an estimate.
    #[must_use]
    pub fn mark(self) -> char {
        if self == Self::Estimated { '~' } else { '●' }
    }
}

impl From<Kind> for SourceKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Measured => Self::Measured,
            Kind::Published => Self::Published,
        }
    }
}

/// A time on the source.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceTime {
    /// Time per launch.
    pub time: Seconds,
    /// How it is known.
    pub kind: SourceKind,
    /// Where the row says it comes from; empty for an estimate.
    pub source: std::sync::Arc<str>,
    /// What must be said about it.
    pub cautions: Vec<Caution>,
    /// Work at the asked size over work at the timed size, as the roofline counts it; 1 where it was timed. `None` where
    /// no timed size stands behind it.
    pub extrapolation: Option<f64>,
}

/// The row of this very configuration; else the nearest size scaled by the ratio of roofline times; else, where nobody
/// timed the kernel on this GPU, the first-principles time.
pub(super) fn source_time(
    kernel: &Kernel,
    subject: &Subject,
    work: &Work,
    (at, gpu): (usize, &Gpu),
    store: Visible<'_>,
    ceilings: Ceilings,
) -> Option<SourceTime> {
    let exact = subject.config.and_then(|c| store.row(c, at));
    if let Some(row) = exact {
        return Some(SourceTime {
            time: row.time,
            kind: row.kind.into(),
            source: (*row.source).into(),
            cautions: Vec::new(),
            extrapolation: Some(1.0),
        });
    }
    let nearest = store.nearest(subject.kernel, &subject.problem, &subject.variant, at);
    nearest
        .and_then(|row| scaled(kernel, subject, row, gpu, ceilings))
        .or_else(|| modelled(work, gpu, ceilings))
}

/// Both sizes by the kernel's formulas: a counter of one size over a formula of the other is no ratio of sizes.
fn scaled(
    kernel: &Kernel,
    subject: &Subject,
    row: &Measurement,
    gpu: &Gpu,
    ceilings: Ceilings,
) -> Option<SourceTime> {
    let there = kernel.instance(&row.problem, &subject.variant).ok()?.work;
    let body = |w: &Work| plain_roofline::body(gpu, w, ceilings).filter(|t| t.0 > 0.0);
    let ratio = body(&subject.instance.work)? / body(&there)?;
    let mut cautions = vec![Caution::NearestSize(row.problem.clone())];
    let mut time = row.time * ratio;
    // A floor that the row itself undercuts is none.
    let floor = launch_floor(gpu);
    if time < floor && row.time >= floor {
        time = floor;
        cautions.push(Caution::FloorApplied { gpu: gpu.id.as_str().into(), floor });
    }
    Some(SourceTime {
        time,
        kind: SourceKind::Estimated,
        source: (*row.source).into(),
        cautions,
        extrapolation: Some(ratio),
    })
}

/// The smallest time a launch takes here, by the GPU's file or else by the study.
fn launch_floor(gpu: &Gpu) -> Seconds {
    gpu.launch_floor.as_ref().map_or(SMALLEST_FLOOR, |floor| floor.value)
}

/// First principles on the source; `None` where they do not know what binds.
fn modelled(work: &Work, gpu: &Gpu, ceilings: Ceilings) -> Option<SourceTime> {
    let body = plain_roofline::body(gpu, work, ceilings)
        .filter(|body| plain_roofline::binding_atomics(gpu, work, *body).is_none())?;
    Some(SourceTime {
        time: Seconds(body.0 + first_principles::LAUNCH_OVERHEAD.0),
        kind: SourceKind::Estimated,
        source: first_principles::ID.into(),
        cautions: vec![Caution::SourceModelled],
        extrapolation: None,
    })
}
