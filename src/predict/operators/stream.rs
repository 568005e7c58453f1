//! Operators of single elements: norms, softmax, rotary embedding, activations. Bytes over bandwidth.

use super::constants::{L2_PART, OVERLAP};
use super::hardware::Hardware;
use super::{OperatorTimes, missing_share, node_time};
use crate::kernel::{Count, Work};

/// The times of an operator that reads and writes its elements once; `None` where nobody counted its bytes.
pub(super) fn stream_parts(hardware: &Hardware, work: &Work) -> Option<OperatorTimes> {
    let moved = work.get(Count::DramBytes)?;
    let touched = work.get(Count::WorkingSetBytes).unwrap_or(moved);
    let arithmetic = work.get(Count::Flops).unwrap_or(0.0) / hardware.tensor_rate;
    let dram = moved * missing_share(hardware, touched) / hardware.dram;
    let l2 = moved / (hardware.l2 * L2_PART);
    Some(OperatorTimes::streamed(node_time(hardware), [arithmetic, l2, dram], OVERLAP))
}
