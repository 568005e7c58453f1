//! The rows of a kernel whose sizes are nearest to one that was not measured.

use super::of_kernel::Sized;
use super::{Config, RowLink, Store, differ_in_clocks};
use crate::gpu::GpuId;
use crate::kernel::{KernelId, Problem};
use crate::measurement::{ConfigId, Measurement};
use hashbrown::{HashMap, HashSet};
use std::cmp::Ordering;

/// A row of another size than is asked about.
#[derive(Debug, Clone, Copy)]
pub struct NearRow<'a> {
    /// How far its size is from the one asked about ([`Problem::distance`]).
    pub distance: f64,
    /// The row.
    pub row: &'a Measurement,
}

/// How many sizes of either side of a volume are compared number by number. Of 32, 64 and 400 all are alike.
const LOOKED_AT: usize = 64;

impl Store {
    /// The row on this GPU whose problem is nearest in size to `problem`, same kernel and variant.
    #[must_use]
    pub fn nearest(
        &self,
        kernel: KernelId,
        problem: &Problem,
        variant: &str,
        gpu: GpuId,
    ) -> Option<&Measurement> {
        self.nearest_sizes(kernel, problem, variant, gpu)[0]
    }

    /// [`Store::nearest`], and the nearest row on the other side of the size asked for, where it was taken at the same clocks.
    #[must_use]
    pub fn nearest_sizes(
        &self,
        kernel: KernelId,
        problem: &Problem,
        variant: &str,
        gpu: GpuId,
    ) -> [Option<&Measurement>; 2] {
        let [near, far] =
            self.around(kernel, problem, variant, gpu).map(|side| side.first().map(|near| near.row));
        [near, far.filter(|far| near.is_some_and(|near| !differ_in_clocks(near, far)))]
    }

    /// The rows on this GPU whose sizes are nearest, the nearest first and at most so many: those at the clocks of the first.
    #[must_use]
    pub fn near_sizes(
        &self,
        kernel: KernelId,
        problem: &Problem,
        variant: &str,
        gpu: GpuId,
        most: usize,
    ) -> Vec<NearRow<'_>> {
        let mut near = self.around(kernel, problem, variant, gpu).concat();
        near.sort_by(by_distance);
        near.truncate(most);
        let first = near.first().map(|near| near.row);
        near.retain(|near| first.is_some_and(|first| !differ_in_clocks(first, near.row)));
        near
    }

    /// The rows of sizes around this one by volume, below and above, of each side the nearest number by number first: of many shapes of one
    /// volume, that of the same shape. The side of the nearest of all comes first. What is equally near goes by its text, whichever was read first.
    fn around(
        &self,
        kernel: KernelId,
        problem: &Problem,
        variant: &str,
        gpu: GpuId,
    ) -> [Vec<NearRow<'_>>; 2] {
        let Some(of_kernel) = self.by_kernel.get(kernel.index()) else { return Default::default() };
        let sizes = of_kernel.sizes(|| self.by_size(of_kernel.configs()));
        let group = |s: &Sized| (s.gpu, &**self.config(s.config).variant);
        let asked = ln_volume(problem);
        let after = sizes
            .partition_point(|s| group(s) < (gpu, variant) || (group(s) == (gpu, variant) && s.ln < asked));
        let row = |s: &Sized| {
            let row = self.row_on(s.config, gpu)?;
            Some(NearRow { distance: problem.distance(&row.problem), row })
        };
        let in_group = |s: &&Sized| group(s) == (gpu, variant);
        let mut sides = [
            sizes[..after].iter().rev().take_while(in_group).take(LOOKED_AT).filter_map(row).collect(),
            sizes[after..].iter().take_while(in_group).take(LOOKED_AT).filter_map(row).collect::<Vec<_>>(),
        ];
        sides.iter_mut().for_each(|side| side.sort_by(by_distance));
        let nearest = |side: &[NearRow<'_>]| side.first().map_or(f64::INFINITY, |near| near.distance);
        sides.sort_by(|a, b| nearest(a).total_cmp(&nearest(b)));
        sides
    }

    /// The timed ones of these configurations by GPU, variant and size.
    pub(super) fn by_size(&self, configs: &[ConfigId]) -> Box<[Sized]> {
        // One alone has no other launch beside it.
        let preferred = if configs.len() > 1 { self.preferred_launches() } else { HashMap::new() };
        let of = |id: &ConfigId| {
            let (config, Config { problem, variant, .. }) = (*id, self.config(*id));
            let ln = ln_volume(problem);
            let is_asked = |l: &&RowLink| preferred.get(&(config, l.gpu)).copied().unwrap_or(true);
            let links: Vec<&RowLink> = self.links_of(config).filter(is_asked).collect();
            links.into_iter().map(move |l| (&**variant, Sized { gpu: l.gpu, config, ln }))
        };
        let mut sizes: Vec<(&str, Sized)> = configs.iter().flat_map(of).collect();
        sizes.sort_unstable_by(|(va, a), (vb, b)| {
            let by_gpu = a.gpu.cmp(&b.gpu).then_with(|| va.cmp(vb));
            by_gpu.then_with(|| a.ln.total_cmp(&b.ln)).then(a.config.cmp(&b.config))
        });
        sizes.into_iter().map(|(_, sized)| sized).collect()
    }

    /// For each configuration in several launches and each GPU that timed it, whether this one is asked where a question
    /// states no launch.
    fn preferred_launches(&self) -> HashMap<(ConfigId, GpuId), bool> {
        let mut preferred = HashMap::new();
        for members in self.launches.groups() {
            let mut in_order = members.to_vec();
            in_order.sort_unstable_by(|a, b| self.order_of_launches(*a, *b));
            let mut seen = HashSet::new();
            for id in in_order {
                for link in self.links_of(id) {
                    preferred.insert((id, link.gpu), seen.insert(link.gpu));
                }
            }
        }
        preferred
    }
}

fn by_distance(a: &NearRow<'_>, b: &NearRow<'_>) -> Ordering {
    let text = |near: &NearRow<'_>| near.row.problem.to_string();
    a.distance.total_cmp(&b.distance).then_with(|| text(a).cmp(&text(b)))
}

fn ln_volume(problem: &Problem) -> f64 {
    problem.volume().max(1.0).ln()
}
