//! Which launch a record of a page belongs to.

use super::launch::{ProfiledLaunch, refusal};
use crate::import::ImportRefusal;
use crate::import::records::Fields;

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
    pub(super) fn from_header(header: &Fields) -> Result<Self, String> {
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
    pub(super) fn launch_at(&self, fields: &Fields, line: u64) -> Result<ProfiledLaunch, ImportRefusal> {
        let text = |at: Option<usize>, name: &str| {
            let text = at.map_or(Some(""), |at| fields.text_at(at));
            text.ok_or_else(|| refusal(name, "is not UTF-8; save the file as UTF-8"))
        };
        let shape = |at: Option<usize>, name: &str| {
            let text = text(at, name)?;
            dimensions(text)
                .map_err(|()| refusal(name, format!("`{}`: expected (256, 1, 1)", clipped_cell(text))))
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
