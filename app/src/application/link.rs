//! What joins a GPU to its host: `specs/host-links.toml`.

use super::recorded::CopyTotal;
use crate::catalogue::{FileError, HOST_LINKS};
use crate::gpu::Gpu;
use crate::pair::Pair;
use crate::units::BytesPerSecond;
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LinksFile {
    links: BTreeMap<String, LinkEntry>,
    architectures: BTreeMap<String, String>,
    gpus: BTreeMap<String, String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct LinkEntry {
    gb_per_s: f64,
    name: String,
}

/// A link between a host and a GPU.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct HostLink {
    /// `PCIe 5.0 x16`.
    pub(super) name: String,
    /// One direction, as specified.
    pub(super) rate: BytesPerSecond,
}

/// The links of all GPUs.
#[derive(Debug)]
pub(super) struct HostLinks(LinksFile);

impl HostLinks {
    /// Those of the shipped table.
    pub(super) fn shipped() -> Result<Self, FileError> {
        HOST_LINKS.parse().map(Self)
    }

    /// That of this GPU; `None` where nobody states one, or it shares the host's memory.
    pub(super) fn of_gpu(&self, gpu: &Gpu) -> Option<HostLink> {
        let word =
            self.0.gpus.get(&gpu.existing().id).or_else(|| self.0.architectures.get(&gpu.architecture))?;
        let entry = self.0.links.get(word)?;
        Some(HostLink { name: entry.name.clone(), rate: BytesPerSecond::from_giga(entry.gb_per_s) })
    }
}

/// The share of its rate that a link gives to copies of pinned memory, at least: faster ones keep the share they reached. Assumed: such
/// copies reach 0.8 to 0.9 of PCI Express, as bandwidth tests print it.
const REACHED_SHARE: f64 = 0.8;

/// The time of a copy on a target as a factor of the recorded one, by the rates of the links. A copy takes the root of the summed squares
/// of what its link takes, at the share that it reaches, and of what the host takes (pageable memory, many small copies), which stays
/// as recorded: the two run beside each other in part. A copy at the rate of its link goes with the link, one far below it
/// keeps its time until the target's link is slower, and between both there is no step.
pub(super) fn copied_over(copy: &CopyTotal, rates: &Pair<BytesPerSecond>) -> f64 {
    let Some(bytes) = copy.bytes.filter(|b| b.0 > 0.0 && copy.total.0 > 0.0) else { return 1.0 };
    let reached = bytes / copy.total;
    let share = (reached / rates.source).max(REACHED_SHARE);
    // In parts of the recorded time; that of the source is 1 at most.
    let in_link = rates.map(|rate| (reached / (rate * share)).powi(2));
    (1.0 + (in_link.target - in_link.source)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::application::trace::CopyDirection;
    use crate::session::Session;
    use crate::units::{Bytes, Seconds};

    #[test]
    fn every_shipped_gpu_has_a_link_and_every_name_is_one() {
        let (links, session) = (HostLinks::shipped().unwrap(), Session::load(None).unwrap());
        for gpu in session.gpus.entries() {
            let shares = ["gb10", "jetson-agx-orin-64gb"].contains(&gpu.id.as_str());
            assert_eq!(links.of_gpu(gpu).is_none(), shares, "{}", gpu.id);
        }
        assert!(links.0.gpus.keys().all(|id| session.gpus.id_named(id).is_some()));
    }

    /// The time there of 63 GB that took this long through a link of 63 GB/s, and through one of this rate.
    fn copied(seconds: f64, rate: f64) -> f64 {
        let bytes = Some(Bytes(63e9));
        let copy =
            CopyTotal { direction: CopyDirection::HostToDevice, count: 1, bytes, total: Seconds(seconds) };
        seconds * copied_over(&copy, &Pair::new(63.0, rate).map(BytesPerSecond::from_giga))
    }

    #[test]
    fn a_copy_that_took_longer_takes_longer_there_without_a_step() {
        for rate in [15.75, 31.5, 63.0, 121.0] {
            let mut before = copied(1.0, rate);
            for step in 1..400 {
                let seconds = 1.01_f64.powi(step);
                let here = copied(seconds, rate);
                assert!(
                    here >= before && here < 1.05 * before,
                    "{rate} GB/s, {seconds} s: {before} to {here}"
                );
                before = here;
            }
        }
    }

    #[test]
    fn what_limits_a_copy_decides_what_becomes_of_it() {
        let near = |a: f64, b: f64| (a / b - 1.0).abs() < 0.01;
        assert!(near(copied(1.1, 31.5), 2.2), "at the rate of its link");
        assert!(near(copied(20.0, 31.5), 20.0), "pageable memory: the host is the limit");
        assert!(near(copied(20.0, 121.0), 20.0));
        assert!(copied(5.0, 8.0) > 63.0 / 8.0, "no link carries more than its rate");
        assert_eq!(copied(3.0, 63.0), 3.0, "through the same link it is as recorded");
        let empty =
            CopyTotal { direction: CopyDirection::HostToDevice, count: 1, bytes: None, total: Seconds(1.0) };
        assert_eq!(copied_over(&empty, &Pair::new(63.0, 31.5).map(BytesPerSecond::from_giga)), 1.0);
    }
}
