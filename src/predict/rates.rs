//! Which rates of a GPU a model's time rests on.

use crate::gpu::Ceilings;

/// The rates behind a model's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelRates {
    /// Those that were chosen: peak or achieved.
    Chosen,
    /// What the GPU sustains, measured or derived, whatever was chosen.
    Sustained,
    /// None: the target is taken to be as fast as the source.
    Unused,
}

impl ModelRates {
    /// `sustained rates`, where these ceilings are in use otherwise: `peak roofs`.
    #[must_use]
    pub fn words(self, used: Ceilings) -> String {
        match self {
            Self::Chosen => format!("{} roofs", used.as_str()),
            Self::Sustained => "sustained rates".into(),
            Self::Unused => "no rates".into(),
        }
    }
}
