//! The models there are, and how one of them is meant.

use super::{Predictor, components, efficiency_transfer, first_principles, hybrid};
use super::{plain_roofline, projection, same_time};
use crate::catalogue::Id;
use std::ops::{Deref, Index};

/// Which model of [`MODELS`] is meant; by default the first.
pub type ModelId = Id<dyn Predictor>;

/// Every model in a fixed order, indexed by [`ModelId`].
pub struct ModelList([&'static dyn Predictor; 7]);

/// Every model, the default first.
pub static MODELS: ModelList = ModelList([
    &components::ComponentsModel,
    &hybrid::HybridModel,
    &efficiency_transfer::EfficiencyTransfer,
    &first_principles::FirstPrinciples,
    &plain_roofline::PlainRoofline,
    &projection::Projection,
    &same_time::SameTime,
]);

impl ModelList {
    /// The ids of all models, in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = ModelId> + ExactSizeIterator + Clone + use<> {
        (0..self.0.len()).map(ModelId::from_index)
    }
}

impl Deref for ModelList {
    type Target = [&'static dyn Predictor];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Index<ModelId> for ModelList {
    type Output = &'static dyn Predictor;

    fn index(&self, id: ModelId) -> &Self::Output {
        &self.0[id.index()]
    }
}

/// What stands beside every model: the target is as fast as the source, and the roof alone.
pub const BASELINES: [&str; 2] = [same_time::ID, plain_roofline::ID];

/// A model name that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown model `{0}`; the models are: {list}", list = MODELS.0.map(|m| m.id()).join(", "))]
pub struct UnknownModel(pub String);

/// What the default model was called until 0.1, still understood in commands, scripts and saved states.
const OLD_DEFAULT: &str = "ceilings";

/// The model with this id, or with the default model's old one.
///
/// # Errors
/// [`UnknownModel`], listing all.
pub fn model_position(id: &str) -> Result<ModelId, UnknownModel> {
    let id = if id == OLD_DEFAULT { components::ID } else { id };
    let found = MODELS.ids().find(|model| MODELS[*model].id() == id);
    found.ok_or_else(|| UnknownModel(id.chars().take(60).collect()))
}
