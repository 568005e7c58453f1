//! The user's own rows, and kernels found by the name that people say.

use super::Session;
use crate::catalogue::NameError;
use crate::gpu::GpuId;
use crate::kernel::{KernelId, short_name};
use crate::measurement::{ConfigId, Measurement, TimingKind};
use crate::predict::{are_at_same_clocks, stated_clocks};
use crate::units::Hertz;
use std::collections::BTreeSet;

impl Session {
    /// The kernel of this name; where none has it, the one that is called so without its template arguments and namespaces'
    /// brackets, in whatever case: `sobel` finds `Sobel<float>`.
    ///
    /// # Errors
    /// [`NameError`] with the nearest ids, or those that it could mean.
    pub fn find_kernel(&self, name: &str) -> Result<KernelId, NameError> {
        let unknown = match self.kernels.position(name) {
            Ok(found) => return Ok(found),
            Err(unknown) => unknown,
        };
        let asked = short_name(name).to_lowercase();
        let is_meant = |id: &KernelId| {
            let kernel = &self.kernels[*id];
            let short = short_name(&kernel.id).to_lowercase();
            short == asked || short.rsplit("::").next() == Some(&asked)
        };
        let meant: Vec<KernelId> = self.kernels.ids().filter(is_meant).collect();
        match &meant[..] {
            [] => Err(unknown),
            [only] => Ok(*only),
            several => {
                let candidates = several.iter().map(|id| self.kernels[*id].id.clone()).collect();
                Err(NameError::Ambiguous {
                    what: "kernel",
                    name: crate::text::clipped_text(name, 60),
                    candidates,
                })
            }
        }
    }

    /// The configurations that the user's rows time, in the order they were read, and the GPUs that they were timed on.
    #[must_use]
    pub fn own_configs(&self) -> Vec<(ConfigId, Vec<GpuId>)> {
        let own_gpus = |id: ConfigId| self.own_rows_of(id).map(|row| row.gpu).collect();
        self.own_config_ids().map(|id| (id, own_gpus(id))).collect()
    }

    /// The configurations that the user's rows time, by kernel and in the order they were read.
    pub fn own_config_ids(&self) -> impl Iterator<Item = ConfigId> {
        let all = self.kernels.ids().flat_map(|kernel| self.store.of_kernel(kernel)).copied();
        all.filter(|id| self.own_rows_of(*id).next().is_some())
    }

    fn own_rows_of(&self, id: ConfigId) -> impl Iterator<Item = &Measurement> {
        self.store.rows_of(id).filter(|row| row.kind() == TimingKind::Measured)
    }

    /// The user's rows that time this configuration on this GPU at clocks that differ, in the order they were read: of those that differ
    /// by a profiler's scatter alone the last one; second how many that leaves out.
    #[must_use]
    pub fn own_clocks(&self, id: ConfigId, gpu: GpuId) -> (Vec<[Option<Hertz>; 2]>, usize) {
        let rows = self.store.rows_at_all_clocks(id);
        let mut own: Vec<&Measurement> =
            rows.filter(|row| row.gpu == gpu && row.kind() == TimingKind::Measured).collect();
        own.sort_by_key(|row| row.line);
        let stock = &self.stock_gpus()[gpu];
        let has_later =
            |at: usize| own[at + 1..].iter().any(|later| are_at_same_clocks(own[at], later, stock));
        let kept: Vec<_> =
            (0..own.len()).filter(|at| !has_later(*at)).map(|at| stated_clocks(own[at])).collect();
        let left_out = own.len() - kept.len();
        (kept, left_out)
    }

    /// The GPUs of the user's rows, of this kernel where one is given.
    #[must_use]
    pub fn own_gpus(&self, kernel: Option<KernelId>) -> BTreeSet<GpuId> {
        let is_asked = |row: &&Measurement| {
            row.kind() == TimingKind::Measured && kernel.is_none_or(|kernel| row.kernel == kernel)
        };
        self.store.rows().filter(is_asked).map(|row| row.gpu).collect()
    }
}
