//! How a question is answered: model, rates, occupancy arithmetic.

use crate::gpu::Ceilings;
use crate::occupancy::Rules;
use crate::predict::ModelId;

/// How to answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Settings {
    /// Place of the model in [`crate::predict::MODELS`].
    pub model: ModelId,
    /// Peak or achieved ceilings.
    pub ceilings: Ceilings,
    /// Occupancy arithmetic.
    pub rules: Rules,
}
