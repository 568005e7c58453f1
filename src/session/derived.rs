//! GPUs that are named by rule (`rtx-4090@150W`, `h100-sxm5:mig-3g.40gb`), put beside those of the catalogue once somebody names them.

use super::Session;
use crate::gpu::{DerivedError, GpuId, LimitTooLow, TuningError, derived_gpu};
use crate::power::{check_board_limit, with_lowest_limit};
use std::sync::Arc;

impl Session {
    /// Puts the GPUs that these names make by rule into the catalogue, where the same names find them; names that follow no rule
    /// are left to whoever looks them up.
    ///
    /// # Errors
    /// [`DerivedError`] of the first name that follows a rule and makes no GPU; those before it are added.
    pub fn add_derived_gpus<'n>(
        &mut self,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Result<(), DerivedError> {
        for name in names {
            self.add_derived_gpu(name)?;
        }
        Ok(())
    }

    /// A refused limit with the real lower end of the range.
    fn with_lowest_limit_of(&self, why: DerivedError) -> DerivedError {
        let DerivedError::Setting { name, error } = why else { return why };
        let board = match &error {
            TuningError::OutOfRange(refused) => self.stock_gpus().entry_named(&refused.gpu).ok(),
            _ => None,
        };
        let error = board.map_or(error.clone(), |board| with_lowest_limit(error, board));
        DerivedError::Setting { name, error }
    }

    /// The place of the GPU that this name makes by rule; `None` where it follows no rule or is there already.
    fn add_derived_gpu(&mut self, name: &str) -> Result<Option<GpuId>, DerivedError> {
        let Some(made) = derived_gpu(self.stock_gpus(), name) else { return Ok(None) };
        let mut made = made.map_err(|why| self.with_lowest_limit_of(why))?;
        check_board_limit(&made).map_err(|why| {
            let gpu =
                made.derived.as_deref().map_or_else(|| why.gpu.clone(), |by_rule| by_rule.based_on.clone());
            DerivedError::Setting { name: name.trim().to_string(), error: LimitTooLow { gpu, ..why }.into() }
        })?;
        // The same GPU may have been named otherwise before.
        if let Some(known) = self.stock_gpus().id_named(&made.id) {
            made.aliases.clone_from(&self.stock_gpus()[known].aliases);
        }
        let id = made.id.clone();
        if name.trim() != id {
            made.add_alias(name.trim());
        }
        let added = self.edit(|workspace| Arc::make_mut(&mut workspace.gpus).insert(made));
        debug_assert!(added.is_ok(), "{added:?}: nobody has this name");
        Ok(self.gpus.id_named(&id))
    }
}

#[cfg(test)]
mod tests {
    use crate::session::Session;

    #[test]
    fn every_spelling_finds_the_one_gpu() {
        let mut session = Session::load(None).unwrap();
        let all = session.gpus.entries().len();
        session.add_derived_gpus(["rtx-4090@150W", "RTX 4090@0.15kW", "rtx-4090", "rtx-4090@150w"]).unwrap();
        assert_eq!(session.gpus.entries().len(), all + 1);
        let place = session.gpus.position("rtx-4090@150W").unwrap();
        for name in ["rtx-4090@0.15kW", "RTX4090@150w"] {
            assert_eq!(session.gpus.position(name), Ok(place), "{name}");
        }
        assert_eq!(session.gpus[place].power_limit.value.0, 150.0);
        session.add_derived_gpus(["rtx-4070@150W@2000MHz"]).unwrap();
        assert_eq!(
            session.gpus[session.gpus.position("rtx-4070@150W@2000MHz").unwrap()].board_id(),
            "rtx-4070"
        );
        let listed = session.gpus.entries().len();
        assert!(session.add_derived_gpus(["rtx-4090@9kW"]).is_err());
        assert_eq!(session.gpus.entries().len(), listed);
    }
}
