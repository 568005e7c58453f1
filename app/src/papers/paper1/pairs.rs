//! Pairs of rows, one of the source and one of the target GPU, and the features of each (paper 1, section 4).

use super::raw::{DEVICE_FIELDS, Raw, RawRow, SIZES};
use crate::learn::{LearnError, LearningTable};
use std::collections::BTreeMap;

/// What a configuration is among those of its kernel, ordered by working set and then by text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfigRole {
    /// The smallest.
    Smallest,
    /// The second of three or more.
    Second,
    /// The largest of two or more.
    Largest,
    /// Any other.
    Between,
}

/// Where a pair comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairOrigin {
    /// The kernel.
    pub kernel: String,
    /// What its configuration is.
    pub role: ConfigRole,
    /// The source GPU, as the files call it.
    pub source: String,
    /// The target GPU.
    pub target: String,
}

/// Every ordered pair of GPUs on which the same configuration was measured: equal kernel, N, rows, cols, block and iterations.
#[derive(Debug, Clone, PartialEq)]
pub struct GpuPairs {
    /// The features, in the order of the paper's code: the lasso stops before it has converged, and where it stands then
    /// depends on the order of the columns.
    pub table: LearningTable,
    /// Time on the target, in milliseconds.
    pub times: Vec<f64>,
    /// Where each row comes from.
    pub origins: Vec<PairOrigin>,
}

impl GpuPairs {
    /// The pairs of these files.
    ///
    /// # Errors
    /// A feature that is not finite.
    pub fn new(raw: &Raw) -> Result<Self, LearnError> {
        let roles = roles(&raw.rows);
        let mut configurations: BTreeMap<String, Vec<&RawRow>> = BTreeMap::new();
        for row in &raw.rows {
            let of = configurations.entry(configuration_text(row)).or_default();
            // Of a configuration that a GPU has twice the first row counts.
            if of.iter().all(|r| r.gpu != row.gpu) {
                of.push(row);
            }
        }
        let numbers = |gpu: &str| raw.devices.iter().find(|d| d.name == gpu).map_or([0.0; 12], |d| d.numbers);
        let (mut values, mut times, mut origins) = (Vec::new(), Vec::new(), Vec::new());
        for (text, rows) in &configurations {
            for source in rows {
                for target in rows.iter().filter(|t| t.gpu != source.gpu) {
                    values.extend(features(source, numbers(&source.gpu), numbers(&target.gpu)));
                    times.push(target.time_ms);
                    origins.push(PairOrigin {
                        kernel: source.kernel.clone(),
                        role: roles.get(text).copied().unwrap_or(ConfigRole::Between),
                        source: source.gpu.clone(),
                        target: target.gpu.clone(),
                    });
                }
            }
        }
        Ok(Self { table: LearningTable::new(names(), values)?, times, origins })
    }

    /// The places of the pairs that fulfil this.
    #[must_use]
    pub fn places(&self, which: impl Fn(&PairOrigin) -> bool) -> Vec<usize> {
        self.origins.iter().enumerate().filter(|(_, o)| which(o)).map(|(i, _)| i).collect()
    }
}

/// A configuration as the paper's code writes it; configurations are ordered by this text.
fn configuration_text(row: &RawRow) -> String {
    let sizes = SIZES.iter().zip(row.sizes).map(|(name, value)| format!("|{name}={value}"));
    format!("{}{}", row.kernel, sizes.collect::<String>())
}

fn roles(rows: &[RawRow]) -> BTreeMap<String, ConfigRole> {
    let mut kernels: BTreeMap<&str, BTreeMap<String, f64>> = BTreeMap::new();
    for row in rows {
        let size = kernels.entry(&row.kernel).or_default().entry(configuration_text(row)).or_insert(0.0);
        *size = size.max(row.working_set);
    }
    let mut roles = BTreeMap::new();
    for configurations in kernels.into_values() {
        let mut ordered: Vec<(String, f64)> = configurations.into_iter().collect();
        ordered.sort_by(|a, b| a.1.total_cmp(&b.1)); // stable: equal ones stay in the order of their texts
        let last = ordered.len() - 1;
        roles.extend(ordered.into_iter().enumerate().map(|(at, (text, _))| {
            let role = match at {
                0 => ConfigRole::Smallest,
                at if at == last => ConfigRole::Largest,
                1 => ConfigRole::Second,
                _ => ConfigRole::Between,
            };
            (text, role)
        }));
    }
    roles
}

/// The features' names.
fn names() -> Vec<String> {
    let own = [
        "FLOPs",
        "BYTES",
        "arith_intensity",
        "regs",
        "shmem",
        "block",
        "N",
        "rows",
        "cols",
        "iters",
        "T_src_ms",
    ];
    let sides = DEVICE_FIELDS.iter().flat_map(|field| [format!("src_{field}"), format!("tgt_{field}")]);
    own.iter().map(ToString::to_string).chain(sides).collect()
}

/// One row of features, in the order of [`names`].
fn features(row: &RawRow, source: [f64; 12], target: [f64; 12]) -> Vec<f64> {
    let intensity = if row.bytes > 0.0 { row.flops / row.bytes } else { 0.0 };
    let [n, rows, cols, block, iters] = row.sizes;
    let own =
        [row.flops, row.bytes, intensity, row.regs, row.shmem, block, n, rows, cols, iters, row.time_ms];
    own.into_iter().chain(source.into_iter().zip(target).flat_map(|(s, t)| [s, t])).collect()
}
