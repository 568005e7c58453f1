//! The parts of Nsight Compute's report that are read, by protobuf field number; all else is skipped.
//!
//! Texts are bytes here, so that one bad name costs one launch and not the report.

use prost::Message;

/// Stands before every block.
#[derive(Clone, PartialEq, Message)]
pub(super) struct BlockHeader {
    #[prost(uint32, optional, tag = "1")]
    pub sources: Option<u32>,
    #[prost(uint32, optional, tag = "2")]
    pub results: Option<u32>,
    #[prost(message, optional, tag = "4")]
    pub strings: Option<StringTable>,
    #[prost(uint64, optional, tag = "5")]
    pub payload: Option<u64>,
    #[prost(uint32, optional, tag = "7")]
    pub ranges: Option<u32>,
}

/// A piece of the table of metric names.
#[derive(Clone, PartialEq, Message)]
pub(super) struct StringTable {
    #[prost(bytes = "vec", repeated, tag = "1")]
    pub names: Vec<Vec<u8>>,
}

/// One launch.
#[derive(Clone, PartialEq, Message)]
pub(super) struct ProfileResult {
    #[prost(bytes = "vec", optional, tag = "6")]
    pub function: Option<Vec<u8>>,
    #[prost(bytes = "vec", optional, tag = "7")]
    pub demangled: Option<Vec<u8>>,
    #[prost(message, optional, tag = "10")]
    pub grid: Option<Dimensions>,
    #[prost(message, optional, tag = "11")]
    pub block: Option<Dimensions>,
    #[prost(message, repeated, tag = "13")]
    pub metrics: Vec<LaunchMetric>,
}

/// Blocks or threads along x, y, z.
#[derive(Clone, Copy, PartialEq, Message)]
pub(super) struct Dimensions {
    #[prost(uint32, optional, tag = "1")]
    pub x: Option<u32>,
    #[prost(uint32, optional, tag = "2")]
    pub y: Option<u32>,
    #[prost(uint32, optional, tag = "3")]
    pub z: Option<u32>,
}

/// One metric of a launch, in base units.
#[derive(Clone, PartialEq, Message)]
pub(super) struct LaunchMetric {
    /// Place in the table of names, from 0.
    #[prost(uint32, optional, tag = "1")]
    pub name: Option<u32>,
    #[prost(message, optional, tag = "2")]
    pub value: Option<MessageValue>,
}

/// One of these is set.
#[derive(Clone, PartialEq, Message)]
pub(super) struct MessageValue {
    #[prost(bytes = "vec", optional, tag = "1")]
    pub text: Option<Vec<u8>>,
    #[prost(float, optional, tag = "2")]
    pub float: Option<f32>,
    #[prost(double, optional, tag = "3")]
    pub double: Option<f64>,
    #[prost(uint32, optional, tag = "4")]
    pub small: Option<u32>,
    #[prost(uint64, optional, tag = "5")]
    pub large: Option<u64>,
}

impl MessageValue {
    /// The number, whatever its width.
    pub(super) fn as_number(&self) -> Option<f64> {
        let float = self.double.or(self.float.map(f64::from));
        float.or(self.small.map(f64::from)).or(self.large.map(|v| v as f64))
    }
}
