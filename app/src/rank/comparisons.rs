//! What is said of the rows of a board beside each other: what they are compared with that is known otherwise.

use super::board::RankQuestion;
use super::row::RankedRow;
use crate::catalogue::{NumberOrigin, Sourced};
use crate::gpu::{Gpu, GpuId};
use crate::roofline::Bound;
use crate::session::Sources;
use crate::units::Seconds;

/// Bandwidths within this factor of each other may change their order by where they come from: derived ones lie up to a tenth off
/// measured ones, either way.
const NEAR_BANDWIDTH: f64 = 1.25;

impl RankQuestion<'_> {
    /// Says of the source among its targets, which several sources predict without its own part, that speedups are over another time.
    pub(super) fn say_other_time(&self, rows: &mut [RankedRow], source_time: Option<Seconds>) {
        let Some(time) =
            source_time.filter(|_| matches!(&self.sources, Sources::These(some) if some.len() > 1))
        else {
            return;
        };
        let predicted =
            |row: &&mut RankedRow| row.gpu == self.source && row.time.is_some() && !row.is_measured;
        for row in rows.iter_mut().filter(predicted) {
            row.cautions
                .push(format!("predicted from the other sources; speedups are over its own time, {time}"));
        }
    }

    /// Says of each row what it is compared with that is known otherwise: the first of these rows, best first.
    pub(super) fn compare_origins(&self, rows: &mut [RankedRow]) {
        let order: Vec<GpuId> = rows.iter().filter(|row| row.time.is_some()).map(|row| row.gpu).collect();
        for row in rows.iter_mut().filter(|row| row.time.is_some()) {
            row.cautions.extend(match row.limit {
                Some(Bound::Launch) => self.overheads_caution(row.gpu, &order),
                Some(Bound::Compute) => None,
                _ => self.rates_caution(row.gpu, &order),
            });
        }
    }

    /// That the launch overhead of this GPU was measured, on its host, and that of others is assumed.
    fn overheads_caution(&self, gpu: GpuId, order: &[GpuId]) -> Option<String> {
        let is_known = |gpu: GpuId| self.overhead_of(gpu).origin <= NumberOrigin::Published;
        let assumed = order.iter().find(|other| !is_known(**other)).filter(|_| is_known(gpu))?;
        let there = self.overhead_of(*assumed).value;
        let (of, other) = (&self.session.gpus[gpu].id, &self.session.gpus[*assumed].id);
        Some(format!(
            "{of}: launch overhead was measured on one host and is assumed for {other} ({there}): this may decide their \
             order; compare with --set launch=3us"
        ))
    }

    fn overhead_of(&self, gpu: GpuId) -> &Sourced<Seconds> {
        self.session.gpus[gpu].launch_floor_or_assumed()
    }

    /// That this GPU's bandwidth is a measured one and that of its architecture's next one, stated about as high, is derived.
    fn rates_caution(&self, gpu: GpuId, order: &[GpuId]) -> Option<String> {
        let of = &self.session.gpus[gpu];
        let origin = |gpu: GpuId| self.session.gpus[gpu].bandwidth_sustained().origin;
        let is_measured = |gpu: GpuId| origin(gpu) <= NumberOrigin::Published;
        if !is_measured(gpu) {
            return None;
        }
        let is_near = |other: &Gpu| {
            let ratio = other.bandwidth_peak.value / of.bandwidth_peak.value;
            other.architecture == of.architecture
                && (NEAR_BANDWIDTH.recip()..=NEAR_BANDWIDTH).contains(&ratio)
        };
        let is_derived = |other: &&GpuId| !is_measured(**other) && is_near(&self.session.gpus[**other]);
        let (of, other) = (&of.id, &self.session.gpus[*order.iter().find(is_derived)?].id);
        Some(format!(
            "{of}: DRAM bandwidth is measured, that of {other} is derived from the peak: this may decide their order; compare with \
             --set mem=…"
        ))
    }
}
