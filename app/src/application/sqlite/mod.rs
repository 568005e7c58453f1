//! SQLite files, read only and in order: a small reader of table trees, without C and without `unsafe`.
//!
//! Every offset is checked against its page and every page against the file; a page that is met twice ends its branch, so that
//! no damaged file can lead in circles. What cannot be read is left out and said. Written from the description of the format
//! at <https://sqlite.org/fileformat2.html>.

mod record;
mod schema;

pub(super) use record::SqlValue;
pub(super) use schema::TableSchema;

use record::{read_record, varint};
use std::io::{Read, Seek, SeekFrom};

/// What every such file starts with.
pub(super) const MAGIC: &[u8] = b"SQLite format 3\0";

/// The longest record that is read, in bytes.
const LONGEST_RECORD: usize = 64 << 20;

/// How many damaged pages are described.
const DESCRIBED: usize = 5;

/// An open file.
pub(super) struct Database<R> {
    from: R,
    page_size: usize,
    /// Bytes of a page that hold content.
    usable: usize,
    pages: u32,
    /// What could not be read.
    damage: Vec<String>,
    damaged: usize,
}

/// One row: its wanted columns.
pub(super) struct RowValues<'r, 'v>(&'r [SqlValue<'v>]);

impl<'v> RowValues<'_, 'v> {
    /// The value of the wanted column at this place; Null where the table has no such column.
    pub(super) fn get(&self, wanted: usize) -> SqlValue<'v> {
        self.0.get(wanted).copied().unwrap_or(SqlValue::Null)
    }
}

impl<R: Read + Seek> Database<R> {
    /// Opens a file.
    pub(super) fn open(mut from: R) -> Result<Self, String> {
        let mut header = [0; 100];
        let size = from.seek(SeekFrom::End(0)).map_err(|e| format!("cannot be read: {e}"))?;
        from.seek(SeekFrom::Start(0)).map_err(|e| format!("cannot be read: {e}"))?;
        from.read_exact(&mut header)
            .map_err(|_| "is shorter than the header of an SQLite file".to_string())?;
        if !header.starts_with(MAGIC) {
            return Err("is no SQLite file".into());
        }
        let stated = u16::from_be_bytes([header[16], header[17]]);
        let page_size = if stated == 1 { 65536 } else { usize::from(stated) };
        if page_size < 512 || !page_size.is_power_of_two() {
            return Err(format!(
                "states a page size of {stated}: expected a power of two of at least 512; the file is damaged"
            ));
        }
        let usable = page_size - usize::from(header[20]);
        if usable < 480 {
            return Err("states pages without room for content; the file is damaged".into());
        }
        let encoding = u32::from_be_bytes([header[56], header[57], header[58], header[59]]);
        if encoding > 1 {
            return Err("holds UTF-16 texts: export it again with nsys export --type sqlite".into());
        }
        let pages = u32::try_from(size / page_size as u64).unwrap_or(u32::MAX);
        let stated_pages = u32::from_be_bytes([header[28], header[29], header[30], header[31]]);
        let mut all = Self { from, page_size, usable, pages, damage: Vec::new(), damaged: 0 };
        if stated_pages > pages {
            all.note(format!(
                "{pages} of {stated_pages} pages are there: the file was cut; copy the whole file"
            ));
        }
        if header[18] > 1 {
            all.note(
                "rows that still stand in its -wal file are not read: close the program that writes it"
                    .into(),
            );
        }
        Ok(all)
    }

    /// What could not be read so far, a few of it described.
    pub(super) fn damage(&self) -> Vec<String> {
        let mut out = self.damage.clone();
        if self.damaged > out.len() {
            out.push(format!("… and {} more damaged places", self.damaged - out.len()));
        }
        out
    }

    fn note(&mut self, what: String) {
        self.damaged += 1;
        if self.damage.len() < DESCRIBED {
            self.damage.push(what);
        }
    }

    /// The tables that can be read.
    pub(super) fn tables(&mut self) -> Vec<TableSchema> {
        let columns = ["type", "name", "tbl_name", "rootpage", "sql"].map(str::to_string).to_vec();
        let schema = TableSchema { name: "sqlite_schema".into(), root: 1, columns, row_number: None };
        let mut found = Vec::new();
        self.rows(&schema, &["type", "name", "rootpage", "sql"], &mut |row| {
            let (Some(kind), Some(name), Some(sql)) =
                (row.get(0).text(), row.get(1).text(), row.get(3).text())
            else {
                return true;
            };
            let root = row.get(2).whole().and_then(|n| u32::try_from(n).ok());
            if let Some(root) = root.filter(|_| kind == "table") {
                found.extend(TableSchema::parse(&name, root, &sql));
            }
            true
        });
        found
    }

    /// Calls `take` with every row of a table, until it says false. Places of a row are those of `wanted`.
    pub(super) fn rows(
        &mut self,
        table: &TableSchema,
        wanted: &[&str],
        take: &mut dyn FnMut(&RowValues<'_, '_>) -> bool,
    ) {
        let columns = WantedColumns::new(table, wanted);
        let mut visited = vec![false; self.pages as usize + 1];
        let mut open = vec![table.root];
        let mut page = Vec::new();
        while let Some(number) = open.pop() {
            let seen = visited.get_mut(number as usize).map(|v| std::mem::replace(v, true));
            let read = match seen {
                Some(true) => Err("is met twice: the tree leads in circles".to_string()),
                None => Err(format!("lies behind the end of the file ({} pages)", self.pages)),
                Some(false) => self.read_page(number, &mut page),
            };
            let cells = match read.and_then(|()| Cells::new(&page[..self.usable], number)) {
                Ok(cells) => cells,
                Err(why) => {
                    self.note(format!("table {}, page {number}: {why}; its rows are left out", table.name));
                    continue;
                }
            };
            if cells.is_interior {
                open.extend(cells.children().into_iter().rev());
                continue;
            }
            for at in &cells.offsets {
                let cell = self.payload(cells.page, *at);
                let read = cell.and_then(|(row_id, record)| {
                    let values = columns.values(row_id, &record)?;
                    Ok(take(&RowValues(&values)))
                });
                match read {
                    Ok(true) => {}
                    Ok(false) => return,
                    Err(why) => {
                        self.note(format!("table {}, page {number}: {why}; a row is left out", table.name));
                    }
                }
            }
        }
    }

    fn read_page(&mut self, number: u32, page: &mut Vec<u8>) -> Result<(), String> {
        if number == 0 {
            return Err("is no page".into());
        }
        page.resize(self.page_size, 0);
        let start = u64::from(number - 1) * self.page_size as u64;
        let read = self.from.seek(SeekFrom::Start(start)).and_then(|_| self.from.read_exact(page));
        read.map_err(|e| format!("cannot be read ({e})"))
    }

    /// Row number and record of the cell at this place of a leaf, its overflow pages gathered.
    fn payload(&mut self, page: &[u8], at: usize) -> Result<(i64, Vec<u8>), String> {
        let cell = page.get(at..).unwrap_or_default();
        let cut = || "a row lies behind the end of its page".to_string();
        let (length, used) = varint(cell).ok_or_else(cut)?;
        let (row_id, more) = varint(&cell[used..]).ok_or_else(cut)?;
        let cell = &cell[used + more..];
        let length = usize::try_from(length).ok().filter(|l| *l <= LONGEST_RECORD);
        let length = length.ok_or_else(|| "a row is longer than 64 MiB".to_string())?;
        let local = self.local_bytes(length);
        let mut record = cell.get(..local).ok_or_else(cut)?.to_vec();
        if local < length {
            let pointer = cell.get(local..local + 4).ok_or_else(cut)?;
            let mut next = u32::from_be_bytes([pointer[0], pointer[1], pointer[2], pointer[3]]);
            let mut overflow = Vec::new();
            // Each page gives bytes, so that a chain in circles ends with the record.
            while record.len() < length {
                if next == 0 || next > self.pages {
                    return Err(format!("a row goes on at page {next}, which does not exist"));
                }
                self.read_page(next, &mut overflow)?;
                let take = (length - record.len()).min(self.usable - 4);
                next = u32::from_be_bytes([overflow[0], overflow[1], overflow[2], overflow[3]]);
                record.extend_from_slice(&overflow[4..4 + take]);
            }
        }
        Ok((row_id as i64, record))
    }

    /// Bytes of a record that stand in the leaf itself.
    fn local_bytes(&self, length: usize) -> usize {
        let most = self.usable - 35;
        if length <= most {
            return length;
        }
        let least = (self.usable - 12) * 32 / 255 - 23;
        let kept = least + (length - least) % (self.usable - 4);
        if kept <= most { kept } else { least }
    }
}

/// Which columns of a table are wanted, and in which order.
struct WantedColumns {
    /// Place in the table of each wanted column; nothing where the table has no such column.
    places: Vec<Option<usize>>,
    /// The same places, rising: records are read from left to right.
    rising: Vec<usize>,
    row_number: Option<usize>,
}

impl WantedColumns {
    fn new(table: &TableSchema, wanted: &[&str]) -> Self {
        let places: Vec<Option<usize>> = wanted.iter().map(|w| table.place(w)).collect();
        let mut rising: Vec<usize> = places.iter().flatten().copied().collect();
        rising.sort_unstable();
        rising.dedup();
        Self { places, rising, row_number: table.row_number }
    }

    /// The wanted values of a record.
    fn values<'r>(&self, row_id: i64, record: &'r [u8]) -> Result<Vec<SqlValue<'r>>, String> {
        let mut sorted = Vec::with_capacity(self.rising.len());
        read_record(record, &self.rising, &mut sorted)?;
        let value = |place: &Option<usize>| match place {
            Some(p) if Some(*p) == self.row_number => SqlValue::Whole(row_id),
            Some(p) => self.rising.binary_search(p).map_or(SqlValue::Null, |at| sorted[at]),
            None => SqlValue::Null,
        };
        Ok(self.places.iter().map(value).collect())
    }
}

/// The cells of a page of a table tree.
struct Cells<'p> {
    page: &'p [u8],
    is_interior: bool,
    offsets: Vec<usize>,
    right: u32,
}

impl<'p> Cells<'p> {
    fn new(page: &'p [u8], number: u32) -> Result<Self, String> {
        let start = if number == 1 { 100 } else { 0 };
        let is_interior = match page.get(start) {
            Some(5) => true,
            Some(13) => false,
            kind => {
                return Err(format!("is of kind {}: expected a page of a table", kind.copied().unwrap_or(0)));
            }
        };
        let two = |at: usize| page.get(at..at + 2).map(|b| usize::from(u16::from_be_bytes([b[0], b[1]])));
        let header = if is_interior { 12 } else { 8 };
        let count = two(start + 3).unwrap_or(0);
        let offsets = (0..count).map(|i| two(start + header + 2 * i)).collect::<Option<Vec<_>>>();
        let offsets = offsets.ok_or("states more cells than fit")?;
        let right = page.get(start + 8..start + 12).filter(|_| is_interior);
        let right = right.map_or(0, |b| u32::from_be_bytes([b[0], b[1], b[2], b[3]]));
        Ok(Self { page, is_interior, offsets, right })
    }

    /// The pages below, in order; a place behind the page gives page 0, which cannot be read.
    fn children(&self) -> Vec<u32> {
        let pointer = |at: &usize| {
            let bytes = self.page.get(*at..at + 4);
            bytes.map_or(0, |b| u32::from_be_bytes([b[0], b[1], b[2], b[3]]))
        };
        self.offsets.iter().map(pointer).chain([self.right]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[test]
    fn what_is_no_database_is_refused() {
        for (bytes, word) in [(vec![0; 50], "shorter"), (vec![0; 200], "no SQLite file")] {
            let why = Database::open(Cursor::new(bytes)).err().unwrap();
            assert!(why.contains(word), "{why}");
        }
        let mut odd = MAGIC.to_vec();
        odd.resize(200, 3);
        assert!(Database::open(Cursor::new(odd)).err().unwrap().contains("page size"));
    }
}
