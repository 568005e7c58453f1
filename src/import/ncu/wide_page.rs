//! The raw page: one row per launch, one column per metric, units in the second row.

use super::collector::Collector;
use super::ids::{Ids, clipped_cell, is_missing};
use super::launch::{ProfiledLaunch, refusal};
use super::metrics::{TIME, wanted};
use super::number::{Decimal, Dimension, UnreadNumber, parsed_number, unit};
use crate::import::ImportRefusal;
use crate::import::records::Fields;
use std::sync::Arc;

/// The metric that names the GPU.
const DEVICE: &str = "device__attribute_display_name";

/// One column that is wanted.
struct WantedColumn {
    at: usize,
    name: Arc<str>,
    dimension: Dimension,
    /// Value x scale is in base units; the unit itself where it does not fit.
    scale: Result<f64, String>,
}

/// A header of the raw page.
pub(super) struct WidePage {
    ids: Ids,
    columns: Vec<WantedColumn>,
    device: Option<usize>,
    width: usize,
    units: bool,
}

impl WidePage {
    pub(super) fn new(header: &Fields, ids: Ids) -> Result<Self, String> {
        let mut columns: Vec<WantedColumn> = Vec::new();
        let mut device = None;
        for at in 0..header.len() {
            let name = header.text_at(at).unwrap_or_default();
            if name == DEVICE {
                device = Some(at);
            }
            let Some(dimension) = wanted(name) else { continue };
            if columns.iter().any(|c| *c.name == *name) {
                return Err(format!("column `{name}` stands twice; export the report again"));
            }
            columns.push(WantedColumn { at, name: name.into(), dimension, scale: Err(String::new()) });
        }
        if columns.is_empty() {
            return Err("none of its columns is a metric that is used; export with --page raw".into());
        }
        Ok(Self { ids, columns, device, width: header.len(), units: false })
    }

    pub(super) fn read_record(
        &mut self,
        fields: &Fields,
        line: u64,
        decimal: Option<Decimal>,
        to: &mut Collector<'_>,
    ) {
        if fields.len() != self.width {
            let message =
                format!("the row has {} fields, the header {}; is it cut off?", fields.len(), self.width);
            to.add_refusal(line, "row".into(), message);
        } else if !self.units {
            self.units = true;
            self.read_units(fields, to);
            if self.ids.key(fields)[0] != b"" {
                to.add_refusal(
                    line,
                    "row".into(),
                    "expected the row of units under the header; export with --page raw".into(),
                );
            }
        } else {
            match self.launch_at(fields, line, decimal) {
                Ok(launch) => to.push(&launch),
                Err((column, message)) => to.add_refusal(line, column, message),
            }
        }
    }

    fn read_units(&mut self, fields: &Fields, to: &mut Collector<'_>) {
        for column in &mut self.columns {
            let text = fields.text_at(column.at).unwrap_or("?");
            column.scale = scale_of(text, column.dimension);
            if let Err(unit) = &column.scale
                && *column.name != *TIME
            {
                to.out.remark(left_out_text(&column.name, unit));
            }
        }
    }

    /// Columns whose numbers may tell the locale; none before the units.
    pub(super) fn numeric(&self) -> Vec<usize> {
        self.columns.iter().map(|c| c.at).filter(|at| *at > self.ids.last()).collect()
    }

    fn launch_at(
        &self,
        fields: &Fields,
        line: u64,
        decimal: Option<Decimal>,
    ) -> Result<ProfiledLaunch, ImportRefusal> {
        let mut launch = self.ids.launch_at(fields, line)?;
        launch.device = self.device.and_then(|at| fields.text_at(at)).unwrap_or_default().to_string();
        for column in &self.columns {
            let scale = match &column.scale {
                Ok(scale) => scale,
                Err(unit) if *column.name == *TIME => return Err(unit_refusal(unit)),
                Err(_) => continue,
            };
            if let Some(value) = value(fields.text_at(column.at), &column.name, decimal)? {
                launch.values.set(column.name.clone(), value * scale);
            }
        }
        Ok(launch)
    }
}

/// The scale of a unit to base units; its text where it is none of this dimension.
pub(super) fn scale_of(text: &str, dimension: Dimension) -> Result<f64, String> {
    let fits = unit(text).filter(|(measures, _)| *measures == dimension);
    fits.map(|(_, scale)| scale).ok_or_else(|| clipped_cell(text))
}

/// That a metric without which there is a row all the same is not used.
pub(super) fn left_out_text(metric: &str, unit: &str) -> String {
    format!("{metric} was left out: its unit `{unit}` is not known")
}

/// That the time has no such unit.
pub(super) fn unit_refusal(unit: &str) -> ImportRefusal {
    refusal(TIME, format!("its unit `{unit}` is not known; expected ns, us, ms or s"))
}

/// The number of a field; `None` where ncu has none. The time of a launch is above 0.
pub(super) fn value(
    text: Option<&str>,
    name: &str,
    decimal: Option<Decimal>,
) -> Result<Option<f64>, ImportRefusal> {
    let text = text.ok_or_else(|| refusal(name, "is not UTF-8; save the file as UTF-8"))?;
    let no_time = || refusal(name, format!("`{}`: expected a time above 0", clipped_cell(text)));
    if is_missing(text) {
        let is_time = name == TIME && text.to_ascii_lowercase().ends_with("nan");
        return if is_time { Err(no_time()) } else { Ok(None) };
    }
    let value = parsed_number(text, decimal).map(Some).map_err(|why| {
        let text = clipped_cell(text);
        let message = match why {
            UnreadNumber::NotANumber => format!("`{text}`: expected a number written as elsewhere in the file, or n/a"),
            UnreadNumber::Ambiguous => format!(
                "`{text}` is a fraction in one locale and thousands in another, and nothing in the file tells which; \
                 export with LC_ALL=C and --print-units base"
            ),
        };
        refusal(name, message)
    })?;
    if name == TIME && value.is_some_and(|time| time < 0.0) { Err(no_time()) } else { Ok(value) }
}
