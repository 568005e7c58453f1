//! The fit of the power model: non-negative least squares of relative errors, over slopes of the voltage above the stated clock.

use super::{Load, Shares, Terms, Used, Voltage};
use crate::catalogue::Catalogue;
use crate::gpu::{Clocks, Gpu, GpuId};
use crate::kernel::KernelId;
use crate::measurement::{BUSY_PERCENT, Measurement, Number};
use crate::units::Hertz;

/// The least voltage, and the slope of voltage over clock below the stated clock. Watts barely tell them (a board left out is missed by
/// 15.8 to 16.8 % with floors from 0.65 to 0.9 and slopes from 0.4 to 1), the clock that a power leaves does: on the same rows, the
/// GPU left out, what a kernel drew at a lower clock taken as a limit, the times at the clocks so found are off by 6.4 % with these,
/// 8.5 % with a floor of 0.9, 12.6 % at one voltage; doing nothing, by 15.1 %.
const FLOOR: f64 = 0.75;
const BELOW: f64 = 1.0;

/// The slopes above the stated clock that are tried.
const ABOVE: [f64; 4] = [0.0, 0.3, 0.6, 0.9];

/// Unknown shares.
const N: usize = 6;

/// A power somebody measured while a kernel ran, with what the kernel did.
#[derive(Debug, Clone, PartialEq)]
pub struct PowerRow {
    /// The GPU's place in its catalogue.
    pub gpu: GpuId,
    /// The kernel's place in its catalogue.
    pub kernel: KernelId,
    /// The clocks it ran at; where the row states none, the documents'.
    pub clocks: Clocks,
    /// What it did per second.
    pub load: Load,
    /// Measured power in watts.
    pub watts: f64,
}

impl PowerRow {
    /// A measured row, where it states a power and nothing says that the GPU idled meanwhile.
    #[must_use]
    pub fn from_measurement(row: &Measurement, gpus: &Catalogue<Gpu>) -> Option<Self> {
        let watts = row.number(Number::Power).filter(|w| *w > 0.0)?;
        if row.number(Number::GpuUtil).is_some_and(|u| u < BUSY_PERCENT) {
            return None;
        }
        let gpu = &gpus[row.gpu];
        let stated = gpu.clocks();
        let clock = |column, usual: Hertz| row.number(column).map_or(usual, Hertz::from_mega);
        let clocks = Clocks {
            sm: clock(Number::SmClock, stated.sm),
            mem: clock(Number::MemClock, stated.mem),
            ..stated
        };
        let blocks = row.grid().map(|g| g.iter().map(|n| *n as f64).product());
        let load = Load::from_counts(&row.work(), blocks, gpu, row.time);
        Some(Self { gpu: row.gpu, kernel: row.kernel, clocks, load, watts })
    }

    /// How far the load used each part of the GPU.
    #[must_use]
    pub fn used(&self, gpus: &Catalogue<Gpu>) -> Used {
        Used::at_clocks(&gpus[self.gpu], self.clocks, &self.load)
    }
}

/// Shares and voltage curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VoltageFit {
    /// Shares of the power limit.
    pub shares: Shares,
    /// The voltage curve.
    pub voltage: Voltage,
}

impl VoltageFit {
    /// The power of a row in watts, without a limit: boards that are measured overclocked pass it.
    #[must_use]
    pub fn watts(&self, row: &PowerRow, gpus: &Catalogue<Gpu>) -> f64 {
        let gpu = &gpus[row.gpu];
        let terms = Terms::at_clocks(gpu, row.clocks, &row.load, &self.voltage);
        gpu.power_limit.value.0 * (self.shares.idle + terms.beside_idle(&self.shares))
    }
}

/// XᵀX, Xᵀy and yᵀy of rows whose weight makes y = 1, so that relative errors are squared.
#[derive(Debug, Clone, Copy, Default)]
struct Gram {
    xx: [[f64; N]; N],
    xy: [f64; N],
    rows: f64,
}

impl Gram {
    fn add_row(&mut self, x: [f64; N]) {
        for i in 0..N {
            self.xy[i] += x[i];
            for j in 0..N {
                self.xx[i][j] += x[i] * x[j];
            }
        }
        self.rows += 1.0;
    }

    fn add_scaled(&mut self, other: &Self, by: f64) {
        for i in 0..N {
            self.xy[i] += by * other.xy[i];
            for j in 0..N {
                self.xx[i][j] += by * other.xx[i][j];
            }
        }
        self.rows += by * other.rows;
    }

    /// The squared relative error of these shares.
    fn squared_error(&self, c: &[f64; N]) -> f64 {
        let mut error = self.rows;
        for i in 0..N {
            error -= 2.0 * c[i] * self.xy[i];
            for j in 0..N {
                error += c[i] * c[j] * self.xx[i][j];
            }
        }
        error
    }

    /// The shares of at least 0 with the least squared error: the best of every set of them that may be above 0.
    fn solve(&self) -> [f64; N] {
        let mut best = ([0.0; N], self.squared_error(&[0.0; N]));
        for set in 1_u32..1 << N {
            let Some(c) = self.solve_for(set).filter(|c| c.iter().all(|v| *v >= 0.0)) else { continue };
            let error = self.squared_error(&c);
            if error < best.1 {
                best = (c, error);
            }
        }
        best.0
    }

    /// Least squares over the unknowns of a set, the others 0; `None` where the rows do not tell them apart.
    fn solve_for(&self, set: u32) -> Option<[f64; N]> {
        let of: Vec<usize> = (0..N).filter(|i| set & 1 << i != 0).collect();
        let mut a: Vec<Vec<f64>> =
            of.iter().map(|i| of.iter().map(|j| self.xx[*i][*j]).chain([self.xy[*i]]).collect()).collect();
        for k in 0..of.len() {
            let pivot = (k..of.len()).max_by(|p, q| a[*p][k].abs().total_cmp(&a[*q][k].abs()))?;
            a.swap(k, pivot);
            if a[k][k].abs() < 1e-12 * self.rows {
                return None;
            }
            let pivot = a[k].clone();
            for (_, row) in a.iter_mut().enumerate().filter(|(row, _)| *row != k) {
                let by = row[k] / pivot[k];
                for (value, of_pivot) in row.iter_mut().zip(&pivot) {
                    *value -= by * of_pivot;
                }
            }
        }
        let mut c = [0.0; N];
        for (k, i) in of.iter().enumerate() {
            c[*i] = a[k][of.len()] / a[k][k];
        }
        Some(c)
    }
}

/// Rows of one GPU and one kernel under one voltage curve.
struct VoltageCell {
    gpu: GpuId,
    kernel: KernelId,
    gram: Gram,
}

/// The rows' sums under every voltage curve, so that leaving something out costs nothing.
pub struct Sums {
    curves: Vec<(Voltage, Vec<VoltageCell>)>,
}

impl Sums {
    /// Adds up the rows.
    #[must_use]
    pub fn from_rows(rows: &[PowerRow], gpus: &Catalogue<Gpu>) -> Self {
        let curve = |above: f64| {
            let voltage = Voltage { floor: FLOOR, below: BELOW, above };
            (voltage, cells(rows, gpus, &voltage))
        };
        Self { curves: ABOVE.into_iter().map(curve).collect() }
    }

    /// The best fit to the rows of GPUs and kernels that `keep`; every GPU weighs the same. `None` where none is left.
    #[must_use]
    pub fn fit_coefficients(&self, keep: impl Fn(GpuId, KernelId) -> bool) -> Option<VoltageFit> {
        let mut best: Option<(VoltageFit, f64)> = None;
        for (voltage, cells) in &self.curves {
            let gram = joined(cells, &keep)?;
            let c = gram.solve();
            let error = gram.squared_error(&c);
            if best.as_ref().is_none_or(|(_, least)| error < *least) {
                let [idle, active, fp, l2, dram, memory] = c;
                let shares = Shares { idle, active, fp, l2, dram, memory };
                best = Some((VoltageFit { shares, voltage: *voltage }, error));
            }
        }
        best.map(|(fit, _)| fit)
    }
}

fn cells(rows: &[PowerRow], gpus: &Catalogue<Gpu>, voltage: &Voltage) -> Vec<VoltageCell> {
    let mut cells: Vec<VoltageCell> = Vec::new();
    for row in rows {
        let gpu = &gpus[row.gpu];
        let scale = gpu.power_limit.value.0 / row.watts;
        let x = Terms::at_clocks(gpu, row.clocks, &row.load, voltage).0.map(|t| t * scale);
        let known = cells.iter().position(|c| (c.gpu, c.kernel) == (row.gpu, row.kernel));
        let at = known.unwrap_or_else(|| {
            cells.push(VoltageCell { gpu: row.gpu, kernel: row.kernel, gram: Gram::default() });
            cells.len() - 1
        });
        cells[at].gram.add_row(x);
    }
    cells
}

/// The sums of the cells that are kept, every GPU scaled to one row.
fn joined(cells: &[VoltageCell], keep: &impl Fn(GpuId, KernelId) -> bool) -> Option<Gram> {
    let kept: Vec<&VoltageCell> = cells.iter().filter(|c| keep(c.gpu, c.kernel)).collect();
    let mut all = Gram::default();
    for cell in &kept {
        let of_gpu: f64 = kept.iter().filter(|c| c.gpu == cell.gpu).map(|c| c.gram.rows).sum();
        all.add_scaled(&cell.gram, 1.0 / of_gpu);
    }
    (!kept.is_empty()).then_some(all)
}
