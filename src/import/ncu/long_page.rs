//! The details page and `--metrics` runs: one row per launch and metric, shorter than the header; rows of rules between.

use super::collector::Collector;
use super::ids::{Ids, clipped_cell};
use super::launch::ProfiledLaunch;
use super::metrics::{SMEM_DRIVER, SMEM_DYNAMIC, SMEM_STATIC, TIME, of_label, wanted};
use super::number::{Decimal, Dimension, half_digit, unit};
use super::wide_page::{left_out_text, scale_of, unit_refusal, value};
use crate::import::ImportRefusal;
use crate::import::records::Fields;
use crate::measurement::ReadError;
use std::collections::hash_map::{DefaultHasher, Entry};
use std::collections::{HashMap, VecDeque};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Names the GPU where the user asked for it.
const DEVICE: &str = "device__attribute_display_name";

/// How many launches, and bytes of their names, wait for further rows of them: a page that somebody sorted by metric has the rows of a
/// launch apart.
const OPEN: (usize, usize) = (4096, 16 << 20);

/// A header of the long form, and the launches whose rows are being read.
pub(super) struct LongPage {
    ids: Ids,
    name: usize,
    unit: usize,
    value: usize,
    open: VecDeque<OpenLaunch>,
    open_bytes: usize,
    /// How many launches were closed.
    closed: usize,
    /// The place of each launch of the page, by the hash of its key.
    places: HashMap<u64, usize>,
    names: HashMap<&'static str, Arc<str>>,
}

/// A launch that is being read, and whether one of its rows was bad.
#[derive(Default)]
struct OpenLaunch {
    launch: ProfiledLaunch,
    is_bad: bool,
}

impl LongPage {
    pub(super) fn new(header: &Fields, ids: Ids, name: usize) -> Result<Self, String> {
        let needed = |column: &str| {
            header.position(column).ok_or(format!("no column `{column}`; export the report again"))
        };
        let (unit, value) = (needed("Metric Unit")?, needed("Metric Value")?);
        Ok(Self {
            ids,
            name,
            unit,
            value,
            open: VecDeque::new(),
            open_bytes: 0,
            closed: 0,
            places: HashMap::new(),
            names: HashMap::new(),
        })
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
    ) -> Result<(), ReadError> {
        if fields.len() <= self.ids.last()
            || (fields.len() <= self.value && !fields.bytes_at(self.name).is_empty())
        {
            let message = format!("the row ends after {} fields; is it cut off?", fields.len());
            to.add_refusal(line, "row".into(), message);
            return Ok(());
        }
        let Some(at) = self.launch_place(fields, line, to).checked_sub(self.closed) else {
            let id = clipped_cell(&String::from_utf8_lossy(self.ids.key(fields)[0]));
            let why = format!("line {line}: the rows of launch {id} are not together; sort the file by ID");
            return Err(to.job.read_error(why));
        };
        if let Err((column, message)) = self.read_metric(at, fields, decimal, to)
            && !std::mem::replace(&mut self.open[at].is_bad, true)
        {
            to.add_refusal(line, column, message);
        }
        Ok(())
    }

    /// The place of a record's launch among those of the page; a new one is opened.
    fn launch_place(&mut self, fields: &Fields, line: u64, to: &mut Collector<'_>) -> usize {
        let mut hasher = DefaultHasher::new();
        self.ids.key(fields).hash(&mut hasher);
        let place = self.closed + self.open.len();
        match self.places.entry(hasher.finish()) {
            Entry::Occupied(known) => return *known.get(),
            Entry::Vacant(free) => free.insert(place),
        };
        let open = match self.ids.launch_at(fields, line) {
            Ok(launch) => OpenLaunch { launch, is_bad: false },
            Err((column, message)) => {
                to.add_refusal(line, column, message);
                OpenLaunch { is_bad: true, ..OpenLaunch::default() }
            }
        };
        self.open_bytes += open.launch.kernel.len();
        self.open.push_back(open);
        while self.open.len() > OPEN.0 || self.open_bytes > OPEN.1 && self.open.len() > 1 {
            self.close_first(to);
        }
        place
    }

    fn read_metric(
        &mut self,
        at: usize,
        fields: &Fields,
        decimal: Option<Decimal>,
        to: &mut Collector<'_>,
    ) -> Result<(), ImportRefusal> {
        if fields.text_at(self.name) == Some(DEVICE) {
            let device = fields.text_at(self.value).unwrap_or_default();
            self.open[at].launch.device = device.to_string();
            return Ok(());
        }
        let Some((name, dimension)) = self.metric(fields) else { return Ok(()) };
        let scale = match scale_of(fields.text_at(self.unit).unwrap_or("?"), dimension) {
            Ok(scale) => scale,
            Err(unit) if name.as_str() == TIME => return Err(unit_refusal(&unit)),
            Err(unit) => {
                to.out.remark(left_out_text(name.as_str(), &unit));
                return Ok(());
            }
        };
        let Some(value) = value(fields.text_at(self.value), name.as_str(), decimal)? else { return Ok(()) };
        let base = match SHARED.contains(&name.as_str()) && scale > 1.0 {
            true => {
                to.out.remark(ROUNDED.into());
                let text = fields.text_at(self.value).unwrap_or_default();
                in_shared_units(value * scale, scale * half_digit(text, decimal))
            }
            false => value * scale,
        };
        let name: Arc<str> = match name {
            ReportName::Label(label) => self.names.entry(label).or_insert_with(|| label.into()).clone(),
            ReportName::Raw(raw) => raw.into(),
        };
        // Sections repeat metrics; the first is as good as the others.
        let values = &mut self.open[at].launch.values;
        if values.get(&name).is_none() {
            values.set(name, base);
        }
        Ok(())
    }

    fn close_first(&mut self, to: &mut Collector<'_>) {
        let Some(OpenLaunch { launch, is_bad }) = self.open.pop_front() else { return };
        self.closed += 1;
        self.open_bytes -= launch.kernel.len();
        if !is_bad {
            to.push(&launch);
        }
    }

    pub(super) fn finish_launches(mut self, to: &mut Collector<'_>) {
        while !self.open.is_empty() {
            self.close_first(to);
        }
    }
}

/// Shared memory per block, which the page prints in kilobytes of few digits.
const SHARED: [&str; 3] = [SMEM_STATIC, SMEM_DYNAMIC, SMEM_DRIVER];

/// Shared memory is allocated in units of so many bytes on every GPU, or in twice as many.
const SHARED_UNIT: f64 = 128.0;

/// Said of a page with such a size.
const ROUNDED: &str = "shared memory per block is rounded on this page: taken for the multiple of 128 bytes that rounds to it, where \
                       there is one; the raw page and the .ncu-rep have all digits";

/// The size in whole allocation units that prints as this many bytes, give or take so many: 4,096 for 4.10 kB. As printed where there
/// is none.
fn in_shared_units(bytes: f64, half_digit: f64) -> f64 {
    let whole = (bytes / SHARED_UNIT).round() * SHARED_UNIT;
    if (whole - bytes).abs() <= half_digit && 2.0 * half_digit < SHARED_UNIT { whole } else { bytes }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_printed_size_is_the_multiple_that_rounds_to_it() {
        for (text, bytes) in
            [("4.10", 4096.0), ("1.02", 1024.0), ("33.79", 33_792.0), ("98.30", 98_304.0), ("4.20", 4200.0)]
        {
            let printed = 1e3 * text.parse::<f64>().unwrap();
            assert_eq!(in_shared_units(printed, 1e3 * half_digit(text, None)), bytes, "{text}");
        }
        // Without decimals several multiples round to it.
        assert_eq!(in_shared_units(4000.0, 1e3 * half_digit("4", None)), 4000.0);
        assert!((half_digit("4,10", Some(Decimal::Comma)) - 0.005).abs() < 1e-12);
    }
}
