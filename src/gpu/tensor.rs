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
}
