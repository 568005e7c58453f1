//! The configurations of one kernel, as they were read and in other orders.

use crate::gpu::GpuId;
use crate::measurement::ConfigId;
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// A timed configuration of a kernel with the logarithm of its size, by GPU, variant and size.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sized {
    pub(super) gpu: GpuId,
    pub(super) config: ConfigId,
    pub(super) ln: f64,
}

/// Configurations of one kernel, in the order they were read. There may be as many kernels as rows.
#[derive(Debug, Clone, Default)]
pub(super) struct OfKernel {
    configs: Configs,
}

/// Most kernels of a file of many have one configuration, which stands in place.
#[derive(Debug, Clone, Default)]
enum Configs {
    #[default]
    None,
    One(ConfigId, HasVariant),
    Several(Box<SeveralConfigs>),
}

/// Whether a configuration has a variant.
type HasVariant = bool;

#[derive(Debug, Clone, Default)]
struct SeveralConfigs {
    ids: Vec<ConfigId>,
    /// Whether one of them has no variant.
    has_plain: bool,
    arranged: OnceLock<Arc<Arranged>>,
}

/// The configurations of one kernel in other orders, each made when it is first asked for.
#[derive(Debug, Default)]
struct Arranged {
    /// By size.
    by_volume: OnceLock<Box<[ConfigId]>>,
    /// Those that were timed, for a size that nobody timed.
    sizes: OnceLock<Box<[Sized]>>,
}

impl OfKernel {
    /// All of them.
    pub(super) fn configs(&self) -> &[ConfigId] {
        match &self.configs {
            Configs::None => &[],
            Configs::One(id, _) => std::slice::from_ref(id),
            Configs::Several(several) => &several.ids,
        }
    }

    /// Whether one of them has no variant.
    pub(super) fn has_plain(&self) -> bool {
        match &self.configs {
            Configs::None => false,
            Configs::One(_, has_variant) => !has_variant,
            Configs::Several(several) => several.has_plain,
        }
    }

    /// Adds one.
    pub(super) fn push(&mut self, id: ConfigId, has_variant: HasVariant) {
        let has_plain = self.has_plain() || !has_variant;
        match &mut self.configs {
            Configs::None => self.configs = Configs::One(id, has_variant),
            Configs::One(first, _) => {
                let several = SeveralConfigs { ids: vec![*first, id], has_plain, ..Default::default() };
                self.configs = Configs::Several(Box::new(several));
            }
            Configs::Several(several) => {
                several.has_plain = has_plain;
                several.ids.push(id);
                several.arranged.take();
            }
        }
    }

    /// Drops the other orders: a row was added.
    pub(super) fn forget_orders(&mut self) {
        if let Configs::Several(several) = &mut self.configs {
            several.arranged.take();
        }
    }

    /// Those of several by size, arranged so when they are first asked for.
    pub(super) fn by_volume(&self, arrange: impl FnOnce() -> Box<[ConfigId]>) -> &[ConfigId] {
        match &self.configs {
            Configs::Several(several) => several.arranged().by_volume.get_or_init(arrange),
            Configs::None | Configs::One(..) => self.configs(),
        }
    }

    /// The timed ones, of several arranged when they are first asked for.
    pub(super) fn sizes(&self, arrange: impl FnOnce() -> Box<[Sized]>) -> Cow<'_, [Sized]> {
        match &self.configs {
            Configs::Several(several) => Cow::Borrowed(several.arranged().sizes.get_or_init(arrange)),
            Configs::None | Configs::One(..) => Cow::Owned(arrange().into_vec()),
        }
    }
}

impl SeveralConfigs {
    fn arranged(&self) -> &Arranged {
        self.arranged.get_or_init(Arc::default)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_of_one_configuration_takes_sixteen_bytes() {
        assert!(size_of::<OfKernel>() <= 16, "one for every line of a file: {}", size_of::<OfKernel>());
        let mut of_kernel = OfKernel::default();
        assert_eq!(of_kernel.configs(), []);
        let ids = [ConfigId(4), ConfigId(2), ConfigId(9)];
        for count in 1..=3 {
            of_kernel.push(ids[count - 1], count != 2);
            assert_eq!(of_kernel.configs(), &ids[..count]);
            assert_eq!(of_kernel.has_plain(), count > 1);
        }
        assert_eq!(of_kernel.by_volume(|| ids.into_iter().rev().collect())[0], ids[2]);
        of_kernel.push(ConfigId(1), true);
        assert_eq!(of_kernel.by_volume(|| Box::new([ConfigId(1)])), [ConfigId(1)]);
    }
}
