//! Paper 3 ("Predicting the performance of a kernel"): its seven metrics of any launch, and a random forest for the
//! speedup over one thread.

mod facts;
mod metrics;
mod published;
mod recipe;
mod samples;
mod speed_up;

pub use facts::{Facts, NoFacts, element_bytes};
pub use metrics::{METRICS, MetricFormulas, ProfileMetric, Sense, grid_stride_divergence, metrics};
pub use recipe::Paper3;
pub use samples::{LaunchMetrics, LaunchSample, LeftOut, ReferenceLaunch, Samples, launches, reference_time};
pub use speed_up::{SpeedUp, SpeedUpForest};
