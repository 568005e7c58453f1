//! What a GPU's tensor cores do by element type: dense rates only, each for its own accumulate type.

use super::{Gpu, TensorRate};
use crate::catalogue::{ElementType, Sourced};
use crate::units::FlopsPerSecond;

impl Gpu {
    /// The stated dense rate on tensor cores for this input and accumulate type; `None` where its file states none.
    /// A sparse rate never stands in, nor that of another accumulate type.
    #[must_use]
    pub fn tensor_rate(
        &self,
        input: ElementType,
        accumulate: ElementType,
    ) -> Option<&Sourced<FlopsPerSecond>> {
        let meant = |t: &&TensorRate| t.input == input.as_str() && t.accumulate == accumulate.as_str();
        self.tensor.iter().find(meant)?.dense.as_ref()
    }

    /// [`Gpu::tensor_rate`], else that of the same input with another accumulate type: half rate at the least, and nearer than the
    /// vector lanes.
    #[must_use]
    pub fn tensor_rate_or_other_accumulate(
        &self,
        input: ElementType,
        accumulate: ElementType,
    ) -> Option<&Sourced<FlopsPerSecond>> {
        let of_input = || self.tensor.iter().filter(|t| t.input == input.as_str());
        let other = || of_input().find_map(|t| t.dense.as_ref());
        self.tensor_rate(input, accumulate).or_else(other)
    }
}
