//! All rows, found by configuration: kernel, problem and variant.

use super::Measurement;
use crate::kernel::Problem;
use std::collections::HashMap;
use std::sync::Arc;

/// A configuration's place in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConfigId(usize);

/// One kernel at one size in one variant, and the rows that timed it.
#[derive(Debug, Clone)]
pub struct Config {
    /// Position of the kernel in its catalogue.
    pub kernel: usize,
    /// The sizes.
    pub problem: Arc<Problem>,
    /// Code variant.
    pub variant: Arc<str>,
    /// The row for each GPU that was timed: `(gpu, row)`, ordered by GPU.
    best: Vec<(usize, usize)>,
}

/// Kernel, GPU, variant.
type Timed = (usize, usize, Arc<str>);

/// Measurements joined by configuration.
#[derive(Debug, Clone, Default)]
pub struct Store {
    rows: Vec<Measurement>,
    configs: Vec<Config>,
    by_name: HashMap<(usize, String, Arc<str>), ConfigId>,
    by_kernel: HashMap<usize, Vec<ConfigId>>,
    /// Timed configurations of a kernel in a variant on a GPU, by the logarithm of their size.
    by_size: HashMap<Timed, Vec<(f64, ConfigId)>>,
}

impl Store {
    /// Adds rows. Where several time the same configuration on the same GPU, the user's go before published ones, and
    /// the later before the earlier.
    pub fn add(&mut self, rows: Vec<Measurement>) {
        let mut grown = Vec::new();
        for row in rows {
            let id = self.intern(&row);
            let place = self.rows.len();
            let best = &mut self.configs[id.0].best;
            match best.binary_search_by_key(&row.gpu, |(gpu, _)| *gpu) {
                Ok(i) if self.rows[best[i].1].kind <= row.kind => best[i].1 = place,
                Ok(_) => {}
                Err(i) => {
                    best.insert(i, (row.gpu, place));
                    let key = (row.kernel, row.gpu, row.variant.clone());
                    self.by_size.entry(key.clone()).or_default().push((ln_volume(&row.problem), id));
                    grown.push(key);
                }
            }
            self.rows.push(row);
        }
        grown.sort_unstable();
        grown.dedup();
        for key in grown {
            if let Some(sizes) = self.by_size.get_mut(&key) {
                sizes.sort_by(|a, b| a.0.total_cmp(&b.0));
            }
        }
    }

    fn intern(&mut self, row: &Measurement) -> ConfigId {
        let next = ConfigId(self.configs.len());
        let key = (row.kernel, row.problem.to_string(), row.variant.clone());
        let id = *self.by_name.entry(key).or_insert(next);
        if id == next {
            self.configs.push(Config {
                kernel: row.kernel,
                problem: row.problem.clone(),
                variant: row.variant.clone(),
                best: Vec::new(),
            });
            self.by_kernel.entry(row.kernel).or_default().push(id);
        }
        id
    }

    /// Every row, in the order it was read.
    #[must_use]
    pub fn rows(&self) -> &[Measurement] {
        &self.rows
    }

    /// Every configuration with its place.
    pub fn configs(&self) -> impl Iterator<Item = (ConfigId, &Config)> {
        self.configs.iter().enumerate().map(|(i, c)| (ConfigId(i), c))
    }

    /// The configuration at this place.
    #[must_use]
    pub fn config(&self, id: ConfigId) -> &Config {
        &self.configs[id.0]
    }

    /// The configuration of this kernel, problem and variant, if anybody timed it.
    #[must_use]
    pub fn find(&self, kernel: usize, problem: &Problem, variant: &str) -> Option<ConfigId> {
        self.by_name.get(&(kernel, problem.to_string(), variant.into())).copied()
    }

    /// All configurations of this kernel.
    #[must_use]
    pub fn of_kernel(&self, kernel: usize) -> &[ConfigId] {
        self.by_kernel.get(&kernel).map_or(&[], Vec::as_slice)
    }

    /// The row that timed this configuration on this GPU.
    #[must_use]
    pub fn row(&self, id: ConfigId, gpu: usize) -> Option<&Measurement> {
        let best = &self.configs[id.0].best;
        let i = best.binary_search_by_key(&gpu, |(g, _)| *g).ok()?;
        Some(&self.rows[best[i].1])
    }

    /// The rows of this configuration, by GPU.
    pub fn rows_of(&self, id: ConfigId) -> impl Iterator<Item = &Measurement> {
        self.configs[id.0].best.iter().map(|(_, row)| &self.rows[*row])
    }

    /// The row on this GPU whose problem is nearest in size to `problem`, same kernel and variant; the smaller of two equals.
    #[must_use]
    pub fn nearest(
        &self,
        kernel: usize,
        problem: &Problem,
        variant: &Arc<str>,
        gpu: usize,
    ) -> Option<&Measurement> {
        let sizes = self.by_size.get(&(kernel, gpu, variant.clone()))?;
        let asked = ln_volume(problem);
        let after = sizes.partition_point(|(ln, _)| *ln < asked);
        let around = [after.checked_sub(1), Some(after)].into_iter().flatten().filter_map(|i| sizes.get(i));
        let nearest = around.min_by(|a, b| (a.0 - asked).abs().total_cmp(&(b.0 - asked).abs()))?;
        self.row(nearest.1, gpu)
    }
}

fn ln_volume(problem: &Problem) -> f64 {
    problem.volume().max(1.0).ln()
}
