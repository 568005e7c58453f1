//! All rows, found by configuration: kernel, problem and variant, and the launch where one GPU has several.

mod batched_rows;
mod nearest;
mod of_kernel;
mod parts;

pub use nearest::NearRow;

use super::content_hash::{hash, hashes, is_same_again, whole_hash};
use super::launches::{ConfigId, LaunchShape, Launches, differ_in_launch};
use super::{Floors, Measurement, Number, TimingKind};
use crate::gpu::GpuId;
use crate::kernel::{KernelId, Problem};
use batched_rows::{BatchedRows, small_place as place_of};
use hashbrown::{DefaultHashBuilder, HashTable};
use of_kernel::OfKernel;
use std::cmp::Ordering;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// One kernel at one size in one variant, and in one launch where somebody timed several.
#[derive(Debug, Clone, Copy)]
pub struct Config<'a> {
    /// Position of the kernel in its catalogue.
    pub kernel: KernelId,
    /// The sizes.
    pub problem: &'a Arc<Problem>,
    /// Code variant.
    pub variant: &'a Arc<str>,
    /// The launch, where one GPU has rows of several.
    pub launch: Option<LaunchShape>,
}

impl Config<'_> {
    /// The variant in words, with the launch that tells it from others.
    #[must_use]
    pub fn variant_words(&self) -> String {
        match (&**self.variant, self.launch) {
            (variant, None) => variant.to_string(),
            ("", Some(launch)) => launch.to_string(),
            (variant, Some(launch)) => format!("{variant};{launch}"),
        }
    }
}

/// A configuration as the store keeps it: what it is stands in the first row that timed it.
#[derive(Debug, Clone, Copy)]
struct StoredConfig {
    row: u32,
    /// The first of its links.
    first: u32,
}

/// A row of a configuration on one GPU, and where the next link stands: rows of one GPU at other clocks, then the next GPU.
#[derive(Debug, Clone, Copy)]
struct RowLink {
    gpu: GpuId,
    row: u32,
    next: u32,
}

/// No further link.
const END: u32 = u32::MAX;

/// Measurements joined by configuration. What stands in a row is not copied: a clone shares the rows.
#[derive(Debug, Clone, Default)]
pub struct Store {
    rows: BatchedRows,
    configs: Vec<StoredConfig>,
    links: Vec<RowLink>,
    /// By the hash of their content, of which half is kept so that growing the table touches nothing else.
    by_content: HashTable<(u32, ConfigId)>,
    hasher: DefaultHashBuilder,
    by_kernel: Vec<OfKernel>,
    launches: Launches,
    /// Rows of the user's that a later one of the same configuration, GPU and clocks stands for.
    repeated: usize,
    /// Made when a floor is first asked for.
    floors: OnceLock<Arc<Floors>>,
}

impl Store {
    /// Adds rows. Where several time the same configuration on the same GPU, the user's go before published ones, and
    /// the later before the earlier. Rows of one GPU that state different launches or clocks are no such: both are kept.
    pub fn add_rows(&mut self, rows: Vec<Measurement>) {
        self.add_batch(Arc::new(rows));
    }

    fn add_batch(&mut self, rows: Arc<Vec<Measurement>>) {
        let places = self.rows.push(rows);
        self.join(places);
    }

    /// Finds the configurations of the rows at these places.
    fn join(&mut self, places: Range<u32>) {
        self.floors.take();
        let rows = self.rows.clone();
        let hashes = hashes(&self.hasher, places.clone(), |place| rows.row(place));
        let mut last: Option<(ConfigId, &Measurement)> = None;
        for (place, hash) in places.zip(hashes) {
            let row = rows.row(place);
            let same = last.filter(|(_, l)| is_same_again(l, row));
            let id = same.map_or_else(|| self.intern(row, place, hash), |(id, _)| id);
            last = Some((id, row));
            let id = self.config_in_launch(id, row, place);
            self.link(id, row, place);
        }
    }

    /// The configuration that this row belongs to, of those of its kernel, problem and variant.
    fn config_in_launch(&mut self, first: ConfigId, row: &Measurement, place: u32) -> ConfigId {
        if !self.launches.is_split(first) {
            if !self.has_other_launch(first, row) {
                return first;
            }
            self.split_by_block(first);
        }
        let of_block = self.config_of_block(first, row, place);
        if !self.launches.is_split_by_grid(of_block) {
            if !self.has_other_launch(of_block, row) {
                return of_block;
            }
            self.split_by_grid(first, of_block);
        }
        self.config_of_grid(first, of_block, row, place)
    }

    /// Whether the row's GPU timed this configuration in another launch.
    fn has_other_launch(&self, id: ConfigId, row: &Measurement) -> bool {
        self.row_on(id, row.gpu).is_some_and(|known| differ_in_launch(known, row))
    }

    fn config_of_block(&mut self, first: ConfigId, row: &Measurement, place: u32) -> ConfigId {
        if let Some(known) = self.launches.of_block(first, row.block()) {
            return known;
        }
        let id = self.push_config(row, place);
        self.launches.add_block(first, id, row.block());
        id
    }

    fn config_of_grid(
        &mut self,
        first: ConfigId,
        of_block: ConfigId,
        row: &Measurement,
        place: u32,
    ) -> ConfigId {
        if let Some(known) = self.launches.of_grid(of_block, row.grid()) {
            return known;
        }
        let id = self.push_config(row, place);
        self.launches.add_grid(first, of_block, id, row.grid());
        id
    }

    /// Parts the rows of a configuration by block.
    fn split_by_block(&mut self, first: ConfigId) {
        let places = self.unlinked_rows(first);
        let block = places.iter().find_map(|place| self.at(*place).block());
        self.launches.split_by_block(first, block);
        for place in places {
            let row = self.at(place).clone();
            let id = self.config_of_block(first, &row, place);
            self.link(id, &row, place);
        }
    }

    /// Parts the rows of a block by grid.
    fn split_by_grid(&mut self, first: ConfigId, of_block: ConfigId) {
        let places = self.unlinked_rows(of_block);
        let grid = places.iter().find_map(|place| self.at(*place).grid());
        self.launches.split_by_grid(of_block, grid);
        for place in places {
            let row = self.at(place).clone();
            let id = self.config_of_grid(first, of_block, &row, place);
            self.link(id, &row, place);
        }
    }

    /// The rows of a configuration in the order they were read; it has none from now on.
    fn unlinked_rows(&mut self, id: ConfigId) -> Vec<u32> {
        let mut places: Vec<u32> = self.all_links_of(id).map(|l| l.row).collect();
        places.sort_unstable();
        self.configs[id.0 as usize].first = END;
        places
    }

    /// The configuration of this row at this place, whose content has this hash; new if need be.
    fn intern(&mut self, row: &Measurement, place: u32, hash: u32) -> ConfigId {
        let same = |(half, id): &(u32, ConfigId)| {
            *half == hash && {
                let c = self.config(*id);
                c.kernel == row.kernel
                    && (Arc::ptr_eq(c.problem, &row.problem) || *c.problem == row.problem)
                    && (Arc::ptr_eq(c.variant, row.variant()) || c.variant == row.variant())
            }
        };
        if let Some((_, known)) = self.by_content.find(whole_hash(hash), same) {
            return *known;
        }
        let id = self.push_config(row, place);
        self.by_content.insert_unique(whole_hash(hash), (hash, id), |(half, _)| whole_hash(*half));
        id
    }

    /// A configuration that nobody timed so far, and what it is stands in this row.
    fn push_config(&mut self, row: &Measurement, place: u32) -> ConfigId {
        let id = ConfigId(place_of(self.configs.len()));
        self.configs.push(StoredConfig { row: place, first: END });
        if self.by_kernel.len() <= row.kernel.index() {
            self.by_kernel.resize_with(row.kernel.index() + 1, OfKernel::default);
        }
        self.by_kernel[row.kernel.index()].push(id, !row.variant().is_empty());
        id
    }

    /// Makes this the row of its configuration on its GPU at its clocks, unless the one that is goes before it. The first
    /// link of a GPU is the row that is used where nobody asks for clocks.
    fn link(&mut self, id: ConfigId, row: &Measurement, place: u32) {
        let gpu = row.gpu;
        let (mut previous, mut head) = (END, self.configs[id.0 as usize].first);
        while head != END && self.links[head as usize].gpu < gpu {
            (previous, head) = (head, self.links[head as usize].next);
        }
        let on_gpu = |at: u32| at != END && self.links[at as usize].gpu == gpu;
        if !on_gpu(head) {
            self.insert_link(id, previous, RowLink { gpu, row: place, next: head });
            return;
        }
        let mut same = head;
        while on_gpu(same) && differ_in_clocks(self.at(self.links[same as usize].row), row) {
            same = self.links[same as usize].next;
        }
        let goes_first = self.at(self.links[head as usize].row).kind() <= row.kind();
        if on_gpu(same) {
            let known = self.at(self.links[same as usize].row).kind();
            self.repeated += usize::from(known == TimingKind::Measured && row.kind() == TimingKind::Measured);
            if known <= row.kind() {
                self.links[same as usize].row = place;
            }
        } else {
            same = place_of(self.links.len());
            let next = self.links[head as usize].next;
            self.insert_link(id, head, RowLink { gpu, row: place, next });
        }
        if goes_first {
            let [a, b] = [head, same].map(|at| self.links[at as usize].row);
            (self.links[head as usize].row, self.links[same as usize].row) = (b, a);
        }
    }

    /// Adds a link behind `previous`, or as the first one of its configuration.
    fn insert_link(&mut self, id: ConfigId, previous: u32, link: RowLink) {
        let new = place_of(self.links.len());
        self.links.push(link);
        match previous {
            END => self.configs[id.0 as usize].first = new,
            _ => self.links[previous as usize].next = new,
        }
        let kernel = self.at(link.row).kernel;
        self.by_kernel[kernel.index()].forget_orders();
    }

    fn at(&self, row: u32) -> &Measurement {
        self.rows.row(row)
    }

    /// Every row, in the order it was read, those that another one goes before included.
    pub fn rows(&self) -> impl DoubleEndedIterator<Item = &Measurement> {
        (0..place_of(self.len())).map(|place| self.at(place))
    }

    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Every configuration with its place.
    pub fn configs(&self) -> impl Iterator<Item = (ConfigId, Config<'_>)> {
        (0..self.configs.len()).map(|i| ConfigId(place_of(i))).map(|id| (id, self.config(id)))
    }

    /// The configuration at this place.
    #[must_use]
    pub fn config(&self, id: ConfigId) -> Config<'_> {
        let row = self.at(self.configs[id.0 as usize].row);
        let (problem, variant) = (&row.problem, row.variant());
        Config { kernel: row.kernel, problem, variant, launch: self.launches.shape_of(id) }
    }

    /// The configuration of this kernel, problem and variant, if anybody timed it; of several launches the one that was
    /// timed on most GPUs, and of several of these the fastest.
    #[must_use]
    pub fn config_id(&self, kernel: KernelId, problem: &Problem, variant: &str) -> Option<ConfigId> {
        let first = self.find_first(kernel, problem, variant)?;
        let members = self.launches.members_of(first).iter().copied();
        Some(members.min_by(|a, b| self.order_of_launches(*a, *b)).unwrap_or(first))
    }

    /// The same configuration as one of another store, in the same launch where there is one.
    #[must_use]
    pub fn find_same(&self, other: Config<'_>) -> Option<ConfigId> {
        let Config { kernel, problem, variant, launch } = other;
        let first = self.find_first(kernel, problem, variant)?;
        let is_same = |id: &ConfigId| self.launches.shape_of(*id) == launch;
        let same = self.launches.members_of(first).iter().copied().find(is_same);
        same.or_else(|| self.config_id(kernel, problem, variant))
    }

    /// The launches of this configuration's kernel, problem and variant that were kept apart; none where there is one.
    #[must_use]
    pub fn launches_beside(&self, id: ConfigId) -> Vec<LaunchShape> {
        let Config { kernel, problem, variant, .. } = self.config(id);
        let first = self.find_first(kernel, problem, variant).unwrap_or(id);
        let members = self.launches.members_of(first).iter();
        members.filter_map(|member| self.launches.shape_of(*member)).collect()
    }

    /// Launches that nobody asked for, the one that counts first: more GPUs timed it, or the same number in less time.
    fn order_of_launches(&self, a: ConfigId, b: ConfigId) -> Ordering {
        let seconds = |id| self.links_of(id).map(|l| self.at(l.row).time.0).sum::<f64>();
        let gpus = |id| self.links_of(id).count();
        gpus(b).cmp(&gpus(a)).then_with(|| seconds(a).total_cmp(&seconds(b))).then(a.cmp(&b))
    }

    /// The configuration that stands for all launches.
    fn find_first(&self, kernel: KernelId, problem: &Problem, variant: &str) -> Option<ConfigId> {
        let hash = whole_hash(hash(&self.hasher, kernel, problem, variant));
        let same = |(_, id): &(u32, ConfigId)| {
            let c = self.config(*id);
            c.kernel == kernel && **c.problem == *problem && **c.variant == *variant
        };
        self.by_content.find(hash, same).map(|(_, id)| *id)
    }

    /// The shortest times: what a launch costs.
    #[must_use]
    pub fn floors(&self) -> &Floors {
        self.floors.get_or_init(|| Arc::new(Floors::from_store(self)))
    }

    /// Every kernel up to the last one that was timed.
    pub fn kernels(&self) -> impl Iterator<Item = KernelId> {
        (0..self.by_kernel.len()).map(KernelId::from_index)
    }

    /// All configurations of this kernel.
    #[must_use]
    pub fn of_kernel(&self, kernel: KernelId) -> &[ConfigId] {
        self.by_kernel.get(kernel.index()).map_or(&[], OfKernel::configs)
    }

    /// All configurations of this kernel, the smallest first; equal ones in the order they were read.
    #[must_use]
    pub fn by_volume(&self, kernel: KernelId) -> &[ConfigId] {
        let Some(of_kernel) = self.by_kernel.get(kernel.index()) else { return &[] };
        of_kernel.by_volume(|| {
            let volume = |id: &ConfigId| (self.config(*id).problem.volume(), *id);
            let mut all: Vec<(f64, ConfigId)> = of_kernel.configs().iter().map(volume).collect();
            all.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            all.into_iter().map(|(_, id)| id).collect()
        })
    }

    /// Whether this kernel was timed without a variant.
    #[must_use]
    pub fn has_plain(&self, kernel: KernelId) -> bool {
        self.by_kernel.get(kernel.index()).is_some_and(OfKernel::has_plain)
    }

    /// Makes now what is otherwise made when it is first asked for: for those who must answer at once later.
    pub fn arrange(&self) {
        for (kernel, of_kernel) in self.by_kernel.iter().enumerate() {
            let _ = self.by_volume(KernelId::from_index(kernel));
            if of_kernel.configs().len() > 1 {
                of_kernel.sizes(|| self.by_size(of_kernel.configs()));
            }
        }
        let _ = self.floors();
    }

    /// How many rows of the user's a later one of the same configuration, GPU and clocks stands for.
    #[must_use]
    pub fn repeated_count(&self) -> usize {
        self.repeated
    }

    /// The row that timed this configuration on this GPU; of rows at several clocks the user's latest.
    #[must_use]
    pub fn row_on(&self, id: ConfigId, gpu: GpuId) -> Option<&Measurement> {
        self.links_of(id).find(|l| l.gpu == gpu).map(|l| self.at(l.row))
    }

    /// The rows of this configuration, one per GPU, by GPU.
    pub fn rows_of(&self, id: ConfigId) -> impl Iterator<Item = &Measurement> {
        self.links_of(id).map(|l| self.at(l.row))
    }

    /// The rows of this configuration, by GPU, those of one GPU at each of its clocks.
    pub fn rows_at_all_clocks(&self, id: ConfigId) -> impl Iterator<Item = &Measurement> {
        self.all_links_of(id).map(|l| self.at(l.row))
    }

    /// The first link of each GPU.
    fn links_of(&self, id: ConfigId) -> impl Iterator<Item = &RowLink> {
        let mut last = None;
        self.all_links_of(id).filter(move |l| last.replace(l.gpu) != Some(l.gpu))
    }

    fn all_links_of(&self, id: ConfigId) -> impl Iterator<Item = &RowLink> {
        let link = |at: u32| (at != END).then(|| &self.links[at as usize]);
        std::iter::successors(link(self.configs[id.0 as usize].first), move |l| link(l.next))
    }
}

/// Clocks nearer than this are the same: drivers round to steps of about 1 %.
pub const SAME_CLOCK: f64 = 0.01;

/// Whether two rows state clocks that are not the same, or one states a clock that the other does not.
fn differ_in_clocks(a: &Measurement, b: &Measurement) -> bool {
    let differ = |column: Number| match (a.number(column), b.number(column)) {
        (Some(a), Some(b)) => (a / b - 1.0).abs() > SAME_CLOCK,
        (a, b) => a.is_some() != b.is_some(),
    };
    differ(Number::SmClock) || differ(Number::MemClock)
}
