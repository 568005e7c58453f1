//! The details page and `--metrics` runs: one row per launch and metric, shorter than the header; rows of rules between.

use super::metrics::{of_label, wanted};
use super::number::{Decimal, Dimension, unit};
use super::page::{Ids, clipped_cell};
use super::wide_page::value;
use super::{Collector, ProfiledLaunch};
use crate::import::records::Fields;
use std::collections::HashMap;
use std::sync::Arc;

/// Names the GPU where the user asked for it.
const DEVICE: &str = "device__attribute_display_name";

/// A header of the long form, and the launch whose rows are being read.
pub(super) struct LongPage {
    ids: Ids,
    name: usize,
    unit: usize,
    value: usize,
    /// The launch and whether one of its rows was bad.
    open: Option<(ProfiledLaunch, Vec<u8>, Vec<u8>, bool)>,
    names: HashMap<&'static str, Arc<str>>,
}

impl LongPage {
    pub(super) fn new(header: &Fields, ids: Ids, name: usize) -> Result<Self, String> {
        let needed = |column: &str| {
            header.position(column).ok_or(format!("no column `{column}`; export the report again"))
        };
        let (unit, value) = (needed("Metric Unit")?, needed("Metric Value")?);
        Ok(Self { ids, name, unit, value, open: None, names: HashMap::new() })
    }

    /// The value, where it has a unit or is of a metric that is used.
    pub(super) fn numeric(&self, fields: &Fields) -> Vec<usize> {
        let has_unit = fields.text_at(self.unit).is_some_and(|u| !u.is_empty() && unit(u).is_some());
        let used = || self.metric(fields).is_some();
        if has_unit || used() { vec![self.value] } else { Vec::new() }
    }

    /// The metric of a row by name or label, what its unit measures and the scale to base units.
    fn metric<'f>(&self, fields: &'f Fields) -> Option<(ReportName<'f>, Dimension)> {
        let name = fields.text_at(self.name)?;
        let measures = unit(fields.text_at(self.unit)?).map(|(dimension, _)| dimension);
        if let Some(dimension) = wanted(name) {
            return Some((ReportName::Raw(name), dimension));
        }
        let metric = of_label(name, measures)?;
        wanted(metric).map(|dimension| (ReportName::Label(metric), dimension))
    }

    pub(super) fn read_record(
        &mut self,
        fields: &Fields,
        line: u64,
        decimal: Option<Decimal>,
        to: &mut Collector<'_>,
    ) {
        if fields.len() <= self.ids.last()
            || (fields.len() <= self.value && !fields.bytes_at(self.name).is_empty())
        {
            let message = format!("the row ends after {} fields; is it cut off?", fields.len());
            return to.add_refusal(line, "row".into(), message);
        }
        let (id, process) = self.ids.key(fields);
        if self.open.as_ref().is_none_or(|(_, i, p, _)| i != id || p != process) {
            self.close(to);
            match self.ids.launch_at(fields, line) {
                Ok(launch) => self.open = Some((launch, id.to_vec(), process.to_vec(), false)),
                Err((column, message)) => {
                    to.add_refusal(line, column, message);
                    self.open = Some((ProfiledLaunch::default(), id.to_vec(), process.to_vec(), true));
                }
            }
        }
        if let Err((column, message)) = self.read_metric(fields, decimal, to)
            && let Some((_, _, _, bad)) = self.open.as_mut().filter(|o| !o.3)
        {
            *bad = true;
            to.add_refusal(line, column, message);
        }
    }

    fn read_metric(
        &mut self,
        fields: &Fields,
        decimal: Option<Decimal>,
        to: &mut Collector<'_>,
    ) -> Result<(), super::super::ImportRefusal> {
        let Some((launch, ..)) = &mut self.open else { return Ok(()) };
        if fields.text_at(self.name) == Some(DEVICE) {
            launch.device = fields.text_at(self.value).unwrap_or_default().to_string();
            return Ok(());
        }
        let Some((name, dimension)) = self.metric(fields) else { return Ok(()) };
        let text = fields.text_at(self.unit).unwrap_or("?");
        let Some((_, scale)) = unit(text).filter(|(d, _)| *d == dimension) else {
            to.out.remark(format!(
                "{} was left out: its unit `{}` is not known",
                name.as_str(),
                clipped_cell(text)
            ));
            return Ok(());
        };
        let Some(value) = value(fields.text_at(self.value), name.as_str(), decimal)? else { return Ok(()) };
        let name: Arc<str> = match name {
            ReportName::Label(label) => self.names.entry(label).or_insert_with(|| label.into()).clone(),
            ReportName::Raw(raw) => raw.into(),
        };
        let Some((launch, ..)) = &mut self.open else { return Ok(()) };
        // Sections repeat metrics; the first is as good as the others.
        if launch.values.get(&name).is_none() {
            launch.values.set(name, value * scale);
        }
        Ok(())
    }

    fn close(&mut self, to: &mut Collector<'_>) {
        if let Some((launch, .., false)) = self.open.take() {
            to.push(&launch);
        }
    }

    pub(super) fn finish_launch(mut self, to: &mut Collector<'_>) {
        self.close(to);
    }
}

/// As the report names a metric.
enum ReportName<'f> {
    Raw(&'f str),
    Label(&'static str),
}

impl ReportName<'_> {
    fn as_str(&self) -> &str {
        match self {
            Self::Raw(name) => name,
            Self::Label(name) => name,
        }
    }
}
