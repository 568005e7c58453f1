//! A whole application as a profiler recorded it: its kernels in groups, what the GPU did meanwhile, and what becomes of it
//! on another GPU.
//!
//! A file is read into a [`Trace`] of plain facts, one GPU of which becomes an [`Application`].

mod category;
mod group;
mod json_event;
mod json_stream;
mod kineto;
mod nsys;
mod open;
mod ranges;
mod recorded;
mod reports;
mod sqlite;
mod timeline;
mod trace;

pub use category::KernelCategory;
pub use group::{KernelGroup, OperatorCall};
pub use open::{Recorded, read_application};
pub use ranges::{RangeTotal, RepeatedStep};
pub use recorded::{Application, CopyTotal, PartOfTrace, application_of};
pub use timeline::{Activity, ActivityKind, IdleSplit, Timeline};
pub use trace::{
    CallKind, CopyDirection, InputsId, NameId, Names, OperatorId, OperatorInputs, RuntimeCall, Span, Trace,
    TraceFormat, TracedCopy, TracedDevice, TracedGraph, TracedKernel, TracedOperator, TracedRange,
};
