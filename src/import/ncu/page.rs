//! `ncu --csv`: what stands before the header, which of the two pages it is, and the locale of its numbers.

use super::long_page::LongPage;
use super::number::{Decimal, evidence};
use super::wide_page::WidePage;
use super::{Collector, ProfiledLaunch};
use crate::import::records::{Fields, Records, head_lines};
use crate::import::{ImportJob, Imported, Importer};
use crate::measurement::ReadError;
use std::io::BufRead;

pub(in crate::import) const IMPORTER: Importer = Importer {
    name: "ncu CSV (raw page, details page, --metrics)",
    recognises: is_own_format,
    read: read_rows,
};

/// How many records, and bytes of them, wait for a number that tells the locale.
const HELD: (usize, usize) = (4096, 16 << 20);

fn is_own_format(head: &[u8]) -> bool {
    head_lines(head).any(|line| is_header(line) || line.starts_with(b"==PROF=="))
}

/// Quoted as ncu writes it, or as a spreadsheet saves it.
fn is_header(line: &[u8]) -> bool {
    line.starts_with(b"\"ID\",\"") || line.starts_with(b"ID,Process ID,")
}

fn read_rows(from: &mut dyn BufRead, job: &ImportJob<'_>) -> Result<Imported, ReadError> {
    let mut records = Records::new(from, job);
    let mut collector = Collector::new(job);
    let mut fields = Fields::default();
    let mut page: Option<Page> = None;
    let (mut outside, mut quoted) = (0usize, true);
    while let Some(line) = records.next_line()? {
        let (header, open, blank) = (is_header(line), line.starts_with(b"\""), line.is_empty());
        if header {
            quoted = open;
            records.split(&mut fields)?;
            if let Some(before) = page.replace(Page::new(&fields, records.line_number(), job)?) {
                before.finish_page(&mut collector)?;
            }
        } else if let Some(page) = page.as_mut().filter(|_| open || !quoted && !blank) {
            records.split(&mut fields)?;
            page.read_record(&fields, records.line_number(), &mut collector)?;
        } else {
            outside += usize::from(page.is_some() && !blank);
        }
    }
    let Some(page) = page else {
        return Err(job.read_error(
            "no line begins \"ID\",\"Process ID\": the profiler printed no table; profile with --csv and look for ==ERROR== above",
        ));
    };
    page.finish_page(&mut collector)?;
    if outside > 0 {
        collector
            .out
            .remark(format!("{outside} lines between the rows are no part of the report and are ignored"));
    }
    Ok(collector.into_imported())
}

/// One of the two forms.
enum PageForm {
    Wide(WidePage),
    Long(Box<LongPage>),
}

/// A header and the records under it.
struct Page {
    form: PageForm,
    decimal: Option<Decimal>,
    /// Records that came before anything told the locale.
    held: Vec<(Fields, u64)>,
    held_bytes: usize,
}

impl Page {
    fn new(header: &Fields, line: u64, job: &ImportJob<'_>) -> Result<Self, ReadError> {
        let refuse = |why: String| job.read_error(format!("line {line}: {why}"));
        let ids = Ids::from_header(header).map_err(refuse)?;
        let form = match header.position("Metric Name") {
            Some(name) => PageForm::Long(Box::new(LongPage::new(header, ids, name).map_err(refuse)?)),
            None => PageForm::Wide(WidePage::new(header, ids).map_err(refuse)?),
        };
        Ok(Self { form, decimal: None, held: Vec::new(), held_bytes: 0 })
    }

    fn read_record(&mut self, fields: &Fields, line: u64, to: &mut Collector<'_>) -> Result<(), ReadError> {
        if self.decimal.is_none() {
            self.decimal =
                self.evidence(fields).map_err(|why| to.job.read_error(format!("line {line}: {why}")))?;
            self.held_bytes += fields.bytes_len();
            if self.decimal.is_none() && self.held.len() < HELD.0 && self.held_bytes < HELD.1 {
                self.held.push((fields.clone(), line));
                return Ok(());
            }
            self.release(to)?;
        }
        self.form.read_record(fields, line, self.decimal, to)
    }

    /// The locale that this record's numbers are written in, if they tell.
    fn evidence(&self, fields: &Fields) -> Result<Option<Decimal>, String> {
        let mut found = None;
        for at in self.form.numeric(fields) {
            let text = fields.text_at(at).unwrap_or_default();
            match (found, evidence(text)) {
                (_, None) => {}
                (None, Some(first)) => found = Some((first, text)),
                (Some((first, _)), Some(other)) if first == other => {}
                (Some((_, before)), Some(_)) => {
                    let (before, text) = (clipped_cell(before), clipped_cell(text));
                    return Err(format!(
                        "`{before}` and `{text}` are numbers of two locales; export with LC_ALL=C"
                    ));
                }
            }
        }
        Ok(found.map(|(decimal, _)| decimal))
    }

    fn release(&mut self, to: &mut Collector<'_>) -> Result<(), ReadError> {
        let mut held = std::mem::take(&mut self.held).into_iter();
        held.try_for_each(|(fields, line)| self.form.read_record(&fields, line, self.decimal, to))
    }

    fn finish_page(mut self, to: &mut Collector<'_>) -> Result<(), ReadError> {
        if to.job.is_cancelled() {
            return Err(to.job.read_error("cancelled"));
        }
        self.release(to)?;
        if let PageForm::Long(page) = self.form {
            page.finish_launches(to);
        }
        Ok(())
    }
}

impl PageForm {
    fn read_record(
        &mut self,
        fields: &Fields,
        line: u64,
        decimal: Option<Decimal>,
        to: &mut Collector<'_>,
    ) -> Result<(), ReadError> {
        match self {
            Self::Wide(page) => page.read_record(fields, line, decimal, to),
            Self::Long(page) => return page.read_record(fields, line, decimal, to),
        }
        Ok(())
    }

    /// The places of fields that hold numbers with units.
    fn numeric(&self, fields: &Fields) -> Vec<usize> {
        match self {
            Self::Wide(page) => page.numeric(),
            Self::Long(page) => page.numeric(fields),
        }
    }
}

/// Where the columns stand that say which launch it is.
#[derive(Debug, Clone)]
pub(super) struct Ids {
    id: usize,
    process: Option<usize>,
    kernel: usize,
    block: Option<usize>,
    grid: Option<usize>,
    compute_capability: Option<usize>,
}

impl Ids {
    fn from_header(header: &Fields) -> Result<Self, String> {
        let one = |name: &str| {
            let mut at = (0..header.len()).filter(|i| header.text_at(*i) == Some(name));
            let first = at.next();
            match at.next() {
                Some(_) => Err(format!("column `{name}` stands twice; export the report again")),
                None => Ok(first),
            }
        };
        let needed = |name: &str| one(name)?.ok_or(format!("no column `{name}`; export the report again"));
        Ok(Self {
            id: needed("ID")?,
            process: one("Process ID")?,
            kernel: needed("Kernel Name")?,
            block: one("Block Size")?,
            grid: one("Grid Size")?,
            compute_capability: one("CC")?,
        })
    }

    /// Where the launch's own columns end: metrics stand behind.
    pub(super) fn last(&self) -> usize {
        let all = [self.process, self.block, self.grid, self.compute_capability];
        all.into_iter().flatten().fold(self.id.max(self.kernel), usize::max)
    }

    /// What records of the same launch have in common: id, process, kernel.
    pub(super) fn key<'f>(&self, fields: &'f Fields) -> [&'f [u8]; 3] {
        let process = self.process.map_or(&b""[..], |at| fields.bytes_at(at));
        [fields.bytes_at(self.id), process, fields.bytes_at(self.kernel)]
    }

    /// A launch without metrics.
    pub(super) fn launch_at(
        &self,
        fields: &Fields,
        line: u64,
    ) -> Result<ProfiledLaunch, super::super::ImportRefusal> {
        let text = |at: Option<usize>, name: &str| {
            let text = at.map_or(Some(""), |at| fields.text_at(at));
            text.ok_or_else(|| super::refusal(name, "is not UTF-8; save the file as UTF-8"))
        };
        let shape = |at: Option<usize>, name: &str| {
            let text = text(at, name)?;
            dimensions(text)
                .map_err(|()| super::refusal(name, format!("`{}`: expected (256, 1, 1)", clipped_cell(text))))
        };
        Ok(ProfiledLaunch {
            line,
            id: text(Some(self.id), "ID")?.to_string(),
            kernel: text(Some(self.kernel), "Kernel Name")?.to_string(),
            // Where decimals have a comma: `8,6`.
            compute_capability: text(self.compute_capability, "CC")?.replace(',', "."),
            block: shape(self.block, "Block Size")?,
            grid: shape(self.grid, "Grid Size")?,
            ..ProfiledLaunch::default()
        })
    }
}

/// `(32, 8, 1)`; blank is unknown.
fn dimensions(text: &str) -> Result<Option<[u64; 3]>, ()> {
    if is_missing(text) {
        return Ok(None);
    }
    let inner = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')).ok_or(())?;
    let mut out = [0; 3];
    let mut parts = inner.split(',');
    for slot in &mut out {
        *slot = parts.next().and_then(|p| p.trim().parse().ok()).ok_or(())?;
    }
    if parts.next().is_some() { Err(()) } else { Ok(Some(out)) }
}

/// How ncu writes that there is no value.
pub(super) fn is_missing(text: &str) -> bool {
    let bare = text.trim_start_matches("(!)").trim();
    ["", "n/a", "no data", "nan", "-nan"].iter().any(|m| bare.eq_ignore_ascii_case(m))
}

/// The beginning of a value, for messages.
pub(super) fn clipped_cell(text: &str) -> String {
    crate::text::clipped_text(text, 40)
}
