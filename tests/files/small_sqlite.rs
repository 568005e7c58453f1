//! Writes small SQLite files, so that the reader is tested without anybody's export: table leaves, interior pages, overflow.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

/// A value of a row.
#[derive(Clone)]
pub enum Val {
    Null,
    Int(i64),
    Text(String),
}

impl From<i64> for Val {
    fn from(n: i64) -> Self {
        Self::Int(n)
    }
}

impl From<&str> for Val {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

/// A table: its name, its columns as SQL, its rows.
pub struct Table {
    pub name: &'static str,
    pub columns: &'static str,
    pub rows: Vec<Vec<Val>>,
}

const PAGE: usize = 512;

fn varint(mut n: u64, out: &mut Vec<u8>) {
    let mut groups = vec![(n & 0x7f) as u8];
    n >>= 7;
    while n > 0 {
        groups.push((n & 0x7f) as u8 | 0x80);
        n >>= 7;
    }
    out.extend(groups.iter().rev());
}

fn record(row: &[Val]) -> Vec<u8> {
    let (mut serials, mut body) = (Vec::new(), Vec::new());
    for value in row {
        match value {
            Val::Null => varint(0, &mut serials),
            Val::Int(n) => {
                varint(6, &mut serials);
                body.extend(n.to_be_bytes());
            }
            Val::Text(text) => {
                varint(13 + 2 * text.len() as u64, &mut serials);
                body.extend(text.as_bytes());
            }
        }
    }
    // The header counts its own length, which is one byte for so few columns.
    let mut out = Vec::new();
    varint(serials.len() as u64 + 1, &mut out);
    assert_eq!(out.len(), 1, "few columns");
    out.extend(serials);
    out.extend(body);
    out
}

/// Pages being made; the first is page 1.
struct Pages(Vec<Vec<u8>>);

impl Pages {
    fn add(&mut self) -> usize {
        self.0.push(vec![0; PAGE]);
        self.0.len()
    }

    /// A cell of a leaf, what does not fit on overflow pages.
    fn cell(&mut self, row_id: u64, record: &[u8]) -> Vec<u8> {
        let (usable, mut out) = (PAGE, Vec::new());
        varint(record.len() as u64, &mut out);
        varint(row_id, &mut out);
        if record.len() <= usable - 35 {
            out.extend(record);
            return out;
        }
        let least = (usable - 12) * 32 / 255 - 23;
        let kept = least + (record.len() - least) % (usable - 4);
        let local = if kept <= usable - 35 { kept } else { least };
        out.extend(&record[..local]);
        let mut rest = &record[local..];
        let mut page = self.add();
        out.extend((page as u32).to_be_bytes());
        while !rest.is_empty() {
            let taken = rest.len().min(usable - 4);
            self.0[page - 1][4..4 + taken].copy_from_slice(&rest[..taken]);
            rest = &rest[taken..];
            if !rest.is_empty() {
                let next = self.add();
                self.0[page - 1][..4].copy_from_slice(&(next as u32).to_be_bytes());
                page = next;
            }
        }
        out
    }

    /// Fills a page with cells; false where they do not fit.
    fn fill(&mut self, page: usize, kind: u8, right: u32, cells: &[Vec<u8>]) -> bool {
        let start = if page == 1 { 100 } else { 0 };
        let header = if kind == 5 { 12 } else { 8 };
        let room = PAGE - start - header - 2 * cells.len();
        let bytes = &mut self.0[page - 1];
        if cells.iter().map(Vec::len).sum::<usize>() > room {
            return false;
        }
        bytes[start] = kind;
        bytes[start + 3..start + 5].copy_from_slice(&(cells.len() as u16).to_be_bytes());
        if kind == 5 {
            bytes[start + 8..start + 12].copy_from_slice(&right.to_be_bytes());
        }
        let mut end = PAGE;
        for (i, cell) in cells.iter().enumerate() {
            end -= cell.len();
            bytes[end..end + cell.len()].copy_from_slice(cell);
            let at = start + header + 2 * i;
            bytes[at..at + 2].copy_from_slice(&(end as u16).to_be_bytes());
        }
        true
    }

    /// A tree of these rows: leaves of three, under one interior page where there are several.
    fn tree(&mut self, rows: &[Vec<Val>]) -> u32 {
        let root = self.add();
        let cells: Vec<Vec<u8>> =
            rows.iter().enumerate().map(|(i, row)| self.cell(i as u64 + 1, &record(row))).collect();
        if cells.len() <= 3 && self.fill(root, 13, 0, &cells) {
            return root as u32;
        }
        let leaves: Vec<usize> = cells
            .chunks(2)
            .map(|some| {
                let leaf = self.add();
                assert!(self.fill(leaf, 13, 0, some));
                leaf
            })
            .collect();
        let (last, others) = leaves.split_last().unwrap();
        let pointers: Vec<Vec<u8>> = others
            .iter()
            .enumerate()
            .map(|(i, leaf)| {
                let mut cell = (*leaf as u32).to_be_bytes().to_vec();
                varint(2 * i as u64 + 2, &mut cell);
                cell
            })
            .collect();
        assert!(self.fill(root, 5, *last as u32, &pointers), "few rows");
        root as u32
    }
}

/// The bytes of a database of these tables.
pub fn database(tables: &[Table]) -> Vec<u8> {
    let mut pages = Pages(Vec::new());
    pages.add();
    let mut schema = Vec::new();
    for table in tables {
        let root = pages.tree(&table.rows);
        let sql = format!("CREATE TABLE {} ({})", table.name, table.columns);
        let row = [
            "table".into(),
            table.name.into(),
            table.name.into(),
            Val::Int(i64::from(root)),
            sql.as_str().into(),
        ];
        schema.push(row.to_vec());
    }
    // The schema's own tree begins on page 1: one interior page above a leaf for each table.
    let mut leaves = Vec::new();
    for (i, row) in schema.iter().enumerate() {
        let cell = pages.cell(i as u64 + 1, &record(row));
        let leaf = pages.add();
        assert!(pages.fill(leaf, 13, 0, &[cell]));
        leaves.push(leaf as u32);
    }
    let (last, others) = leaves.split_last().unwrap();
    let pointers: Vec<Vec<u8>> = others
        .iter()
        .enumerate()
        .map(|(i, leaf)| {
            let mut cell = leaf.to_be_bytes().to_vec();
            varint(i as u64 + 1, &mut cell);
            cell
        })
        .collect();
    assert!(pages.fill(1, 5, *last, &pointers));
    let count = pages.0.len() as u32;
    let first = &mut pages.0[0];
    first[..16].copy_from_slice(b"SQLite format 3\0");
    first[16..18].copy_from_slice(&(PAGE as u16).to_be_bytes());
    first[18..20].copy_from_slice(&[1, 1]);
    first[21..24].copy_from_slice(&[64, 32, 32]);
    first[28..32].copy_from_slice(&count.to_be_bytes());
    first[56..60].copy_from_slice(&1u32.to_be_bytes());
    pages.0.concat()
}
