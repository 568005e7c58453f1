//! Whether a GPU was shared while it was measured: the same problem, again and again, at a high utilisation takes a multiple
//! of its time at a low one. The reading is taken after the run, so that a busy GPU means that somebody else keeps it busy:
//! times are then those of a share of the GPU, and power is that of the other's work as well.

use super::GemmRow;
use super::rows::BUSY_PERCENT;
use crate::learn::metrics::median;
use std::collections::BTreeMap;

/// Repeats of one problem on a GPU of one's own lie within a few per cent; two that share one take twice as long.
const SUSPICIOUS: f64 = 1.4;

/// One shape's times at a low and at a high utilisation.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedTimes {
    /// `128256x2048x512`.
    pub shape: String,
    /// Rows at a utilisation below [`BUSY_PERCENT`] and their median time in ms.
    pub quiet: (usize, f64),
    /// Rows at a utilisation of at least that.
    pub busy: (usize, f64),
    /// Longest over shortest median among tenths of the busy rows, in the order they were read.
    pub drift: f64,
}

impl SharedTimes {
    /// Whether the busy rows say that somebody else used the GPU: they took half as long again as the quiet ones, or drifted
    /// by so much among themselves.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.ratio() >= SUSPICIOUS || self.drift >= SUSPICIOUS
    }

    /// Busy over quiet time.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        self.busy.1 / self.quiet.1
    }
}

/// The shapes that have rows of both kinds.
#[must_use]
pub fn shared(rows: &[GemmRow]) -> Vec<SharedTimes> {
    let mut shapes: BTreeMap<String, [Vec<f64>; 2]> = BTreeMap::new();
    for row in rows {
        let Some(busy) = row.busy_percent else { continue };
        shapes.entry(row.shape()).or_default()[usize::from(busy >= BUSY_PERCENT)].push(row.ms);
    }
    let both = shapes.into_iter().filter_map(|(shape, [quiet, busy])| {
        let (q, b) = (median(quiet.clone())?, median(busy.clone())?);
        Some(SharedTimes { shape, quiet: (quiet.len(), q), busy: (busy.len(), b), drift: drift(&busy) })
    });
    both.collect()
}

fn drift(times: &[f64]) -> f64 {
    let tenth = times.len().div_ceil(10).max(1);
    let medians: Vec<f64> = times.chunks(tenth).filter_map(|c| median(c.to_vec())).collect();
    let high = medians.iter().copied().fold(0.0, f64::max);
    let low = medians.iter().copied().fold(f64::INFINITY, f64::min);
    high / low
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::GpuId;

    #[test]
    fn a_shared_gpu_takes_twice_as_long() {
        let row = |ms: f64, busy: f64| GemmRow {
            gpu: GpuId::default(),
            size: [8.0, 8.0, 8.0],
            variant: String::new(),
            nominal_block: [0.0; 3],
            ms,
            watts: Some(100.0),
            busy_percent: Some(busy),
        };
        let rows = [row(1.0, 0.0), row(1.1, 0.0), row(2.0, 100.0), row(2.2, 95.0), row(2.1, 100.0)];
        let found = shared(&rows);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].quiet.0, found[0].busy.0), (2, 3));
        assert!((found[0].ratio() - 2.0).abs() < 1e-9 && found[0].drift > 1.0, "{found:?}");
        assert!(shared(&rows[..2]).is_empty());
    }
}
