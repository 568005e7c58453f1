//! `ncu --csv`: what stands before the header, which of the two pages it is, and the locale of its numbers.

use super::collector::Collector;
use super::ids::{Ids, clipped_cell};
use super::long_page::LongPage;
use super::number::{Decimal, evidence};
use super::wide_page::WidePage;
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
