//! The columns of a table, from the text that created it.

/// A table of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::application) struct TableSchema {
    /// Its name.
    pub(in crate::application) name: String,
    /// First page of its tree.
    pub(super) root: u32,
    /// Names of its columns, in their order.
    pub(in crate::application) columns: Vec<String>,
    /// The column that is the row's number and stands in no record.
    pub(super) row_number: Option<usize>,
}

impl TableSchema {
    /// A table by the text that created it; `None` where its rows are kept in another kind of tree, or it is no table.
    pub(super) fn parse(name: &str, root: u32, sql: &str) -> Option<Self> {
        let definitions = definitions(sql)?;
        let mut columns = Vec::new();
        let mut row_number = None;
        for definition in definitions {
            let Some(first) = definition.first() else { continue };
            let upper = first.text.to_ascii_uppercase();
            let is_constraint =
                ["CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"].contains(&upper.as_str());
            if is_constraint && !first.quoted {
                continue;
            }
            let words: Vec<String> = definition[1..].iter().map(|w| w.text.to_ascii_uppercase()).collect();
            let is_key = words.windows(2).any(|pair| pair == ["PRIMARY", "KEY"]);
            if is_key && words.first().is_some_and(|w| w == "INTEGER") {
                row_number = Some(columns.len());
            }
            columns.push(first.text.clone());
        }
        Some(Self { name: name.to_string(), root, columns, row_number })
    }

    /// Place of a column, whatever its case.
    pub(in crate::application) fn place(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|c| c.eq_ignore_ascii_case(column))
    }
}

/// A word of a definition.
#[derive(Debug, Clone, Default)]
struct SqlWord {
    text: String,
    quoted: bool,
}

/// The definitions between the outer brackets, as words; what stands in inner brackets is left out.
fn definitions(sql: &str) -> Option<Vec<Vec<SqlWord>>> {
    let mut chars = sql.chars().peekable();
    let (mut depth, mut out, mut current, mut word) = (0usize, Vec::new(), Vec::new(), SqlWord::default());
    let end_word = |word: &mut SqlWord, current: &mut Vec<SqlWord>| {
        if word.quoted || !word.text.is_empty() {
            current.push(std::mem::take(word));
        }
    };
    while let Some(c) = chars.next() {
        match c {
            '-' if chars.peek() == Some(&'-') => chars.by_ref().take_while(|c| *c != '\n').for_each(drop),
            '/' if chars.peek() == Some(&'*') => {
                let mut before = ' ';
                chars
                    .by_ref()
                    .skip(1)
                    .take_while(|c| !(std::mem::replace(&mut before, *c) == '*' && *c == '/'))
                    .for_each(drop);
            }
            '"' | '`' | '\'' | '[' => {
                let close = if c == '[' { ']' } else { c };
                let text: String = chars.by_ref().take_while(|c| *c != close).collect();
                if depth == 1 {
                    word = SqlWord { text, quoted: true };
                    end_word(&mut word, &mut current);
                }
            }
            '(' => {
                end_word(&mut word, &mut current);
                if depth == 0 {
                    current.clear();
                }
                depth += 1;
            }
            ')' => {
                if depth == 1 {
                    end_word(&mut word, &mut current);
                    out.push(std::mem::take(&mut current));
                    let rest: String = chars.collect::<String>().to_ascii_uppercase();
                    return (!rest.contains("WITHOUT")).then_some(out);
                }
                depth = depth.checked_sub(1)?;
            }
            ',' if depth == 1 => {
                end_word(&mut word, &mut current);
                out.push(std::mem::take(&mut current));
            }
            c if c.is_whitespace() => end_word(&mut word, &mut current),
            c if depth <= 1 => word.text.push(c),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_texts_as_exporters_write_them() {
        let sql = "CREATE TABLE StringIds (\n -- kept, once\n id INTEGER NOT NULL PRIMARY KEY, -- a, (b)\n value TEXT NOT NULL /* x, y */\n);";
        let table = TableSchema::parse("StringIds", 2, sql).unwrap();
        assert_eq!(
            (table.columns.as_slice(), table.row_number),
            (&["id".to_string(), "value".into()][..], Some(0))
        );
        let quoted = "CREATE TABLE k (start INTEGER, \"end\" INTEGER, [a b] DECIMAL(10, 2) DEFAULT (1+2), primary_x TEXT, PRIMARY KEY (start, \"end\"))";
        let table = TableSchema::parse("k", 3, quoted).unwrap();
        assert_eq!(table.columns, ["start", "end", "a b", "primary_x"]);
        assert_eq!((table.row_number, table.place("END")), (None, Some(1)));
        assert_eq!(TableSchema::parse("w", 1, "CREATE TABLE w (a INTEGER PRIMARY KEY) WITHOUT ROWID"), None);
        assert_eq!(TableSchema::parse("w", 1, "CREATE TABLE w (a INTEGER"), None);
        assert_eq!(TableSchema::parse("w", 1, "nothing"), None);
    }
}
