//! From which compute capability on a GPU has a feature (`specs/compute-capabilities.toml`).

use super::ComputeCapability;
use crate::catalogue::Spanned;
use crate::catalogue::{Feature, FileError, SourceTable, SpecFile, shipped_sources};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// The first compute capability with a feature, and who says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Since {
    /// Every later one has it too.
    pub capability: ComputeCapability,
    /// Id of the source.
    pub source: Arc<str>,
}

/// Every feature with the compute capability that first has it.
#[derive(Debug, Clone)]
pub struct FeatureTable(BTreeMap<Feature, Since>);

#[derive(Deserialize)]
struct FeatureTableFile {
    feature: Vec<RowFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RowFile {
    name: Feature,
    since: ComputeCapability,
    source: Spanned<String>,
}

impl FeatureTable {
    /// The table that travels with the program, read once.
    ///
    /// # Errors
    /// [`FileError`] where it does not parse or names an unknown source (a test reads it).
    pub fn shipped() -> Result<&'static Self, FileError> {
        static TABLE: OnceLock<Result<FeatureTable, FileError>> = OnceLock::new();
        let text = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/specs/compute-capabilities.toml"));
        let file = SpecFile { name: "specs/compute-capabilities.toml", text };
        let table = TABLE.get_or_init(|| Self::from_file(file, &shipped_sources()?));
        table.as_ref().map_err(Clone::clone)
    }

    fn from_file(file: SpecFile<'_>, sources: &SourceTable) -> Result<Self, FileError> {
        let typed: FeatureTableFile = file.parse()?;
        let mut all = BTreeMap::new();
        for RowFile { name, since, source } in typed.feature {
            if !sources.contains_key(source.get_ref()) {
                let why = format!("feature {}: unknown source `{}`", name.as_str(), source.get_ref());
                return Err(file.file_error(Some(source.span()), why));
            }
            all.insert(name, Since { capability: since, source: source.get_ref().as_str().into() });
        }
        Ok(Self(all))
    }

    /// Since when there is this feature.
    #[must_use]
    pub fn since(&self, feature: Feature) -> Option<&Since> {
        self.0.get(&feature)
    }

    /// The first of these features that a GPU of this compute capability lacks.
    #[must_use]
    pub fn lacking(
        &self,
        needs: impl IntoIterator<Item = Feature>,
        cc: ComputeCapability,
    ) -> Option<(Feature, &Since)> {
        let lacks = |feature| Some((feature, self.since(feature).filter(|since| cc < since.capability)?));
        needs.into_iter().find_map(lacks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_feature_is_in_the_table() {
        let table = FeatureTable::shipped().unwrap();
        assert!(Feature::ALL.iter().all(|f| table.since(*f).is_some()));
        let cc = |text: &str| text.parse().unwrap();
        assert_eq!(table.lacking([Feature::Tensor, Feature::Tma], cc("8.9")).unwrap().0, Feature::Tma);
        assert_eq!(table.lacking([Feature::Tensor], cc("7.0")), None);
        assert_eq!(table.lacking(Feature::ALL, cc("12.0")), None);
    }
}
