//! A whole application as a profiler recorded it: its kernels in groups, what the GPU did meanwhile, and what becomes of it
//! on another GPU.
//!
//! ```text
//! file ─> kineto, nsys, reports ─> RecordedTrace ─> Application ─> forecast ─> targets, chart
//!         (json_stream, sqlite)    (plain facts)    (group, timeline,   (rows, link, replay)
//!                                                    ranges, counts)
//! ```

mod asked;
mod board;
mod category;
mod chart;
mod counts;
mod forecast;
mod group;
mod group_answers;
mod group_forecast;
mod json;
mod json_event;
mod json_stream;
mod kernel_times;
mod kineto;
mod label;
mod largest_limit;
mod limited;
mod link;
mod nsys;
mod open;
mod profile_next;
mod ranges;
mod ratios;
mod recorded;
mod replay;
mod reports;
mod rows;
mod shapes;
mod source;
mod sqlite;
mod table;
mod targets;
mod timeline;
mod trace;
mod unexplained;
mod xla;

pub use board::{BoardSettings, application_board};
pub use category::KernelCategory;
pub use chart::application_chart;
pub use forecast::{ForecastSettings, PAIR_CORRELATION, TargetForecast, forecast, host_factor};
pub use group::{GroupCounts, KernelGroup, OperatorCall};
pub use group_forecast::{ForecastBasis, GroupForecast, TimeRange};
pub use json::application_json;
pub use kernel_times::{kernels_json, kernels_on_target_table, kernels_on_targets_table};
pub use open::{Recorded, is_application, read_application};
pub use profile_next::{ProfileNext, profile_next};
pub use ranges::{RangeTotal, RepeatedStep};
pub use recorded::{Application, CopyTotal, PartOfTrace, application_of};
pub use replay::Replayed;
pub use rows::{group_row, label_traced_kernels};
pub use shapes::{AttentionShape, OperatorShape, ProductShape};
pub use source::{other_gpu_note, recorded_gpu_id, unlisted_gpu};
pub use table::{GROUPS_LISTED, group_table, launch_words, launches_in_words, percent, summary_table};
pub use targets::{BarPart, bar_parts, limit_speedup, profile_table, target_json, target_table};
pub use timeline::{Activity, ActivityKind, IdleSplit, Timeline};
pub use trace::{
    CallKind, CopyDirection, InputsId, NameId, OperatorId, OperatorInputs, RecordedTrace, RuntimeCall, Span,
    TraceFormat, TraceNames, TracedCopy, TracedDevice, TracedGraph, TracedKernel, TracedOperator,
    TracedRange,
};
