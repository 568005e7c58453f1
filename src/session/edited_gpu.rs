//! The hypothetical GPU that is edited: it stands behind all others of the catalogue, and changes its numbers there without a new
//! revision of the facts, as GPUs at typed clocks do. No row is of it, so that nothing that was derived from the facts depends on it.

use super::Session;
use super::edited_place::{EditedGpu, EditedPlace};
use crate::gpu::{ChangeError, Gpu, GpuChanges, GpuId};
use crate::power::PowerModel;
use std::sync::Arc;

impl Session {
    /// The GPU that these changes make, under the id `rtx-4070?mem=+20%`.
    ///
    /// # Errors
    /// [`ChangeError`] for changes that cannot be made: both numbers of a contradiction are named.
    pub fn edited_from(&self, edited: &EditedGpu) -> Result<Gpu, ChangeError> {
        let base = &self.gpus[edited.base];
        PowerModel::changed_gpu(base, &edited.changes, &format!("{}?{}", base.id, edited.changes))
    }

    /// Where the edited GPU stands, or would.
    #[must_use]
    pub fn edited_place(&self) -> GpuId {
        GpuId::from_index(self.stock_gpus().entries().len())
    }

    /// The GPU that is edited, where one is listed.
    #[must_use]
    pub fn edited_gpu(&self) -> Option<&EditedGpu> {
        self.edited.as_ref().filter(|place| place.is_listed).map(|place| &place.edited)
    }

    /// Puts the GPU that these changes make behind all others, in place of the one that stood there; `None`: none is listed from
    /// now on.
    ///
    /// # Errors
    /// [`ChangeError`] for changes that cannot be made; nothing is changed then.
    pub fn set_edited_gpu(&mut self, edited: Option<EditedGpu>) -> Result<(), ChangeError> {
        let Some(edited) = edited else {
            if let Some(place) = &mut self.edited {
                place.is_listed = false;
            }
            return Ok(());
        };
        let made = self.edited_from(&edited)?;
        let others = self.stock_gpus().entries().len();
        let added = Arc::make_mut(&mut self.gpus).replace_from(others, made);
        debug_assert!(added.is_ok(), "{added:?}: nobody has a name with `?`");
        self.edited = Some(EditedPlace { edited, is_listed: true });
        Ok(())
    }

    /// Puts the edited GPU of another session into this one, listed as it was there.
    pub fn take_edited_from(&mut self, other: &Self) {
        self.put_edited_again(other.edited.clone());
    }

    /// The edited GPU again, after the catalogue was made anew. What can no longer be made is unlisted.
    pub(super) fn put_edited_again(&mut self, place: Option<EditedPlace>) {
        let Some(EditedPlace { edited, is_listed }) = place else { return };
        if edited.base >= self.edited_place() {
            return;
        }
        let base = edited.base;
        if self.set_edited_gpu(Some(edited)).is_err() {
            // Its place stays taken.
            let unchanged = EditedGpu { base, changes: GpuChanges::default() };
            let put = self.set_edited_gpu(Some(unchanged));
            debug_assert!(put.is_ok(), "{put:?}: nothing is changed");
        }
        if let Some(place) = &mut self.edited {
            place.is_listed = is_listed;
        }
    }

    /// The GPUs that lists show: all but an edited one that is edited no longer.
    pub fn listed_gpus(&self) -> impl Iterator<Item = GpuId> + use<> {
        let hidden = self.edited.as_ref().filter(|place| !place.is_listed).map(|_| self.edited_place());
        self.gpus.ids().filter(move |gpu| Some(*gpu) != hidden)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Session;

    #[test]
    fn the_edited_gpu_keeps_its_place_and_the_revision() {
        let mut session = Session::load(None).unwrap();
        let (revision, others) = (session.revision(), session.gpus.entries().len());
        let base = session.gpus.id_named("rtx-4070").unwrap();
        let place = session.edited_place();
        assert_eq!(place.index(), others);
        for changes in ["mem=+20%", "mem=+25%,l2=72MiB", "sms=60"] {
            let edited = EditedGpu { base, changes: changes.parse().unwrap() };
            session.set_edited_gpu(Some(edited.clone())).unwrap();
            assert_eq!(session.gpus.entries().len(), others + 1);
            assert_eq!(session.gpus[place].id, format!("rtx-4070?{changes}"));
            assert_eq!(session.edited_gpu(), Some(&edited));
            assert_eq!(session.listed_gpus().count(), others + 1);
        }
        assert_eq!(session.gpus.id_named("rtx-4070?mem=+20%"), None, "its old name is nobody's");
        let refused = EditedGpu { base, changes: "sms=100000".parse().unwrap() };
        assert!(session.set_edited_gpu(Some(refused)).is_err());
        assert_eq!(session.gpus[place].sms.value, 60);
        session.set_edited_gpu(None).unwrap();
        assert_eq!((session.edited_gpu(), session.listed_gpus().count()), (None, others));
        assert_eq!(session.gpus.entries().len(), others + 1, "what names it still finds it");
        assert_eq!(session.revision(), revision);
        let mut other = Session::load(None).unwrap();
        other.take_edited_from(&session);
        assert_eq!((other.gpus.entries().len(), other.edited_gpu()), (others + 1, None));
    }
}
