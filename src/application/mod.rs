//! A whole application as a profiler recorded it: its kernels in groups, what the GPU did meanwhile, and what becomes of it
//! on another GPU.
//!
//! A file is read into a [`RecordedTrace`] of plain facts, one GPU of which becomes an [`Application`].

mod category;
mod counts;
mod forecast;
mod group;
mod json;
mod json_event;
mod json_stream;
mod kineto;
mod link;
mod nsys;
mod open;
mod ranges;
mod recorded;
mod replay;
mod reports;
mod rows;
mod sqlite;
mod table;
mod timeline;
mod trace;

pub use category::KernelCategory;
pub use counts::{AttentionShape, OperatorShape, ProductShape};
pub use forecast::{
    ForecastBasis, ForecastSettings, GroupForecast, PAIR_CORRELATION, ProfileNext, TargetForecast, TimeRange,
    forecast, profile_next,
};
pub use group::{GroupCounts, KernelGroup, OperatorCall};
pub use json::application_json;
pub use open::{Recorded, read_application};
pub use ranges::{RangeTotal, RepeatedStep};
pub use recorded::{Application, CopyTotal, PartOfTrace, application_of};
pub use replay::Replayed;
pub use table::{group_table, summary_table};
pub use timeline::{Activity, ActivityKind, IdleSplit, Timeline};
pub use trace::{
    CallKind, CopyDirection, InputsId, NameId, Names, OperatorId, OperatorInputs, RuntimeCall, Span, RecordedTrace,
    TraceFormat, TracedCopy, TracedDevice, TracedGraph, TracedKernel, TracedOperator, TracedRange,
};
