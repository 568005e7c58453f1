//! What joins a GPU to its host: `specs/host-links.toml`.

use crate::catalogue::{FileError, SpecFile};
use crate::gpu::Gpu;
use crate::units::BytesPerSecond;
use serde::Deserialize;
use std::collections::BTreeMap;

const FILE: &str = "specs/host-links.toml";
const TEXT: &str = include_str!("../../specs/host-links.toml");

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
        SpecFile { name: FILE, text: TEXT }.parse().map(Self)
    }

    /// That of this GPU; `None` where nobody states one, or it shares the host's memory.
    pub(super) fn of_gpu(&self, gpu: &Gpu) -> Option<HostLink> {
        let word =
            self.0.gpus.get(&gpu.existing().id).or_else(|| self.0.architectures.get(&gpu.architecture))?;
        let entry = self.0.links.get(word)?;
        Some(HostLink { name: entry.name.clone(), rate: BytesPerSecond::from_giga(entry.gb_per_s) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Session;

    #[test]
    fn every_shipped_gpu_has_a_link_and_every_name_is_one() {
        let (links, session) = (HostLinks::shipped().unwrap(), Session::load(None).unwrap());
        for gpu in session.gpus.entries() {
            let shares = ["gb10", "jetson-agx-orin-64gb"].contains(&gpu.id.as_str());
            assert_eq!(links.of_gpu(gpu).is_none(), shares, "{}", gpu.id);
        }
        assert!(links.0.gpus.keys().all(|id| session.gpus.id_named(id).is_some()));
    }
}
