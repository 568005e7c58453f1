//! The plain part of TOML, read five times as fast as all of it: some two hundred files are read at every start.
//!
//! What is not plain (dotted keys, texts of several lines, dates, numbers with `_`, most escapes, line breaks in an inline
//! table) and whatever is no TOML at all is not read here: the caller asks the library then, whose errors name what is wrong.

use super::toml_tree::{ChainOrigin, NodeChain, TextSpan, TomlNode, TomlTree, TomlValue};
use std::borrow::Cow;

/// Fields of one table; each is compared with those before it, so that a longer table is left to the library.
const MOST_FIELDS: u32 = 512;

/// Arrays and inline tables in each other.
const DEEPEST: usize = 16;

/// Reads a document; nothing where it is not plain, or no TOML.
pub(super) fn plain_tree(text: &str) -> Option<TomlTree<'_>> {
    u32::try_from(text.len()).ok()?;
    let tree = TomlTree::with_room(text.len() / 12 + 1, TextSpan::default());
    let mut reader = PlainReader { text, place: 0, tree };
    let mut table = TomlTree::ROOT;
    loop {
        reader.skip_lines()?;
        match reader.peek() {
            None => return Some(reader.tree),
            Some(b'[') => table = reader.take_header()?,
            Some(_) => reader.take_field(table, 0)?,
        }
        reader.end_line()?;
    }
}

/// Reads from left to right; every step says nothing where what stands there is not plain.
struct PlainReader<'t> {
    text: &'t str,
    place: usize,
    tree: TomlTree<'t>,
}

impl<'t> PlainReader<'t> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.place).copied()
    }

    fn take_byte(&mut self, wanted: u8) -> Option<()> {
        let is_there = self.peek() == Some(wanted);
        self.place += usize::from(is_there);
        is_there.then_some(())
    }

    fn skip_spaces(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.place += 1;
        }
    }

    /// Past spaces, line ends and comments.
    fn skip_lines(&mut self) -> Option<()> {
        loop {
            self.skip_spaces();
            match self.peek() {
                Some(b'\n' | b'\r' | b'#') => self.end_line()?,
                _ => return Some(()),
            }
        }
    }

    /// Past spaces, a comment and the end of the line or of the text.
    fn end_line(&mut self) -> Option<()> {
        self.skip_spaces();
        if self.take_byte(b'#').is_some() {
            self.skip_while(|byte| byte >= b' ' && byte != 0x7f || byte == b'\t');
        }
        if self.peek().is_none() {
            return Some(());
        }
        let _ = self.take_byte(b'\r');
        self.take_byte(b'\n')
    }

    fn skip_while(&mut self, belongs: impl Fn(u8) -> bool) {
        let rest = &self.text.as_bytes()[self.place..];
        self.place += rest.iter().position(|byte| !belongs(*byte)).unwrap_or(rest.len());
    }

    /// `[a.b]` or `[[a.b]]`: the table that the fields below it belong to.
    fn take_header(&mut self) -> Option<u32> {
        let start = self.place;
        self.take_byte(b'[')?;
        let is_array = self.take_byte(b'[').is_some();
        let mut parent = 0;
        self.skip_spaces();
        let mut key = self.take_key()?;
        while self.take_byte(b'.').is_some() {
            parent = self.table_inside(parent, &key)?;
            self.skip_spaces();
            key = self.take_key()?;
        }
        self.take_byte(b']')?;
        if is_array {
            self.take_byte(b']')?;
        }
        let table = self.node("", TomlValue::Table(NodeChain::empty(ChainOrigin::Header)), start);
        if is_array {
            self.append_table(parent, key.text, table)
        } else {
            self.add_table(parent, key.text, table)
        }
    }

    /// `[key]` in a table: one that was only implied until now keeps what it has.
    fn add_table(&mut self, parent: u32, key: &'t str, table: TomlNode<'t>) -> Option<u32> {
        let Some(place) = self.tree.field_of(parent, key) else {
            return self.add_field(parent, TomlNode { key, ..table });
        };
        let known = self.tree.node_mut(place);
        let TomlValue::Table(chain) = &mut known.value else { return None };
        if chain.origin != ChainOrigin::Implied {
            return None;
        }
        chain.origin = ChainOrigin::Header;
        known.span = table.span;
        Some(place)
    }

    /// `[[key]]` in a table: one more element.
    fn append_table(&mut self, parent: u32, key: &'t str, table: TomlNode<'t>) -> Option<u32> {
        let array = match self.tree.field_of(parent, key) {
            Some(array) => array,
            None => {
                let value = TomlValue::Array(NodeChain::empty(ChainOrigin::Header));
                self.add_field(parent, TomlNode { key, value, ..table })?
            }
        };
        match self.tree.node(array).value {
            TomlValue::Array(chain) if chain.origin == ChainOrigin::Header => {}
            _ => return None,
        }
        Some(self.tree.append(array, table))
    }

    /// The table of this name in another one, made where there is none; of an array of tables its last.
    fn table_inside(&mut self, parent: u32, key: &PlainKey<'t>) -> Option<u32> {
        let Some(place) = self.tree.field_of(parent, key.text) else {
            let value = TomlValue::Table(NodeChain::empty(ChainOrigin::Implied));
            return self.add_field(parent, TomlNode::new(key.text, value, TextSpan::new(key.start..key.end)));
        };
        match self.tree.node(place).value {
            TomlValue::Table(chain) if chain.origin != ChainOrigin::Written => Some(place),
            TomlValue::Array(chain) if chain.origin == ChainOrigin::Header => Some(chain.last),
            _ => None,
        }
    }

    /// `key = value` of a table.
    fn take_field(&mut self, table: u32, depth: usize) -> Option<()> {
        let key = self.take_key()?;
        self.take_byte(b'=')?;
        self.skip_spaces();
        let is_new = self.has_room(table) && self.tree.field_of(table, key.text).is_none();
        is_new.then_some(())?;
        self.take_value(table, key.text, depth)
    }

    /// A bare or a quoted key, and the spaces behind it.
    fn take_key(&mut self) -> Option<PlainKey<'t>> {
        let start = self.place;
        let text = match self.peek()? {
            quote @ (b'"' | b'\'') => match self.take_text(quote)? {
                Cow::Borrowed(text) => text,
                Cow::Owned(_) => return None,
            },
            _ => {
                self.skip_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
                &self.text[start..self.place]
            }
        };
        let end = self.place;
        self.skip_spaces();
        (end > start).then_some(PlainKey { text, start, end })
    }

    /// A value, which becomes the last one of a table or an array.
    fn take_value(&mut self, parent: u32, key: &'t str, depth: usize) -> Option<()> {
        let start = self.place;
        let value = match self.peek()? {
            quote @ (b'"' | b'\'') => TomlValue::Text(self.take_text(quote)?),
            b'[' => return self.take_array(parent, key, depth + 1),
            b'{' => return self.take_inline_table(parent, key, depth + 1),
            _ => self.take_word()?,
        };
        let node = self.node(key, value, start);
        self.tree.append(parent, node);
        Some(())
    }

    /// The beginning of an array or an inline table, which is empty so far.
    fn open_written(
        &mut self,
        parent: u32,
        key: &'t str,
        bracket: u8,
        of_chain: fn(NodeChain) -> TomlValue<'t>,
        depth: usize,
    ) -> Option<u32> {
        let start = self.place;
        self.take_byte(bracket).filter(|()| depth <= DEEPEST)?;
        let node = self.node(key, of_chain(NodeChain::empty(ChainOrigin::Written)), start);
        Some(self.tree.append(parent, node))
    }

    fn take_array(&mut self, parent: u32, key: &'t str, depth: usize) -> Option<()> {
        let array = self.open_written(parent, key, b'[', TomlValue::Array, depth)?;
        loop {
            self.skip_lines()?;
            if self.take_byte(b']').is_some() {
                break;
            }
            self.take_value(array, "", depth)?;
            self.skip_lines()?;
            if self.take_byte(b',').is_none() {
                self.take_byte(b']')?;
                break;
            }
        }
        self.tree.node_mut(array).span.end = self.place as u32;
        Some(())
    }

    fn take_inline_table(&mut self, parent: u32, key: &'t str, depth: usize) -> Option<()> {
        let table = self.open_written(parent, key, b'{', TomlValue::Table, depth)?;
        self.skip_spaces();
        if self.take_byte(b'}').is_none() {
            loop {
                self.take_field(table, depth)?;
                self.skip_spaces();
                if self.take_byte(b'}').is_some() {
                    break;
                }
                self.take_byte(b',')?;
                self.skip_spaces();
            }
        }
        self.tree.node_mut(table).span.end = self.place as u32;
        Some(())
    }

    /// A text of one line.
    fn take_text(&mut self, quote: u8) -> Option<Cow<'t, str>> {
        self.take_byte(quote)?;
        let start = self.place;
        self.skip_text(quote);
        let plain = &self.text[start..self.place];
        if self.take_byte(quote).is_some() {
            // Three quotes begin a text of several lines.
            let is_long = plain.is_empty() && self.peek() == Some(quote);
            return (!is_long).then_some(Cow::Borrowed(plain));
        }
        let mut text = plain.to_string();
        while self.take_byte(b'\\').is_some() {
            text.push(match self.peek()? {
                b'n' => '\n',
                b't' => '\t',
                escaped @ (b'"' | b'\\') => char::from(escaped),
                _ => return None,
            });
            self.place += 1;
            let start = self.place;
            self.skip_text(quote);
            text.push_str(&self.text[start..self.place]);
        }
        self.take_byte(quote)?;
        Some(Cow::Owned(text))
    }

    /// To the end of a text, its next escape, or what may not stand in it.
    fn skip_text(&mut self, quote: u8) {
        let escape = if quote == b'"' { b'\\' } else { quote };
        self.skip_while(|byte| {
            byte != quote && byte != escape && (byte >= b' ' && byte != 0x7f || byte == b'\t')
        });
    }

    /// A number, `true` or `false`.
    fn take_word(&mut self) -> Option<TomlValue<'t>> {
        let start = self.place;
        self.skip_while(|byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.' | b'_' | b':')
        });
        match &self.text[start..self.place] {
            "true" => Some(TomlValue::Flag(true)),
            "false" => Some(TomlValue::Flag(false)),
            number => plain_number(number),
        }
    }

    fn node(&self, key: &'t str, value: TomlValue<'t>, start: usize) -> TomlNode<'t> {
        TomlNode::new(key, value, TextSpan::new(start..self.place))
    }

    fn has_room(&self, table: u32) -> bool {
        matches!(self.tree.node(table).value, TomlValue::Table(chain) if chain.length < MOST_FIELDS)
    }

    /// A field that a header makes.
    fn add_field(&mut self, table: u32, node: TomlNode<'t>) -> Option<u32> {
        self.has_room(table).then(|| self.tree.append(table, node))
    }
}

/// A key, and where it stands.
struct PlainKey<'t> {
    text: &'t str,
    start: usize,
    end: usize,
}

/// A decimal integer or a decimal fraction.
fn plain_number(text: &str) -> Option<TomlValue<'static>> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(unsigned);
    if whole == 0 || (whole > 1 && unsigned.starts_with('0')) {
        return None;
    }
    let mut rest = &unsigned[whole..];
    if rest.is_empty() {
        return text.parse().ok().map(TomlValue::Integer);
    }
    if let Some(fraction) = rest.strip_prefix('.') {
        let length = digits(fraction);
        rest = Some(&fraction[length..]).filter(|_| length > 0)?;
    }
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let length = digits(exponent);
        rest = Some(&exponent[length..]).filter(|_| length > 0)?;
    }
    let number = text.parse::<f64>().ok().filter(|number| rest.is_empty() && number.is_finite())?;
    Some(TomlValue::Float(number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::{Path, PathBuf};
    use toml::Spanned;
    use toml::de::{DeTable, DeValue};

    /// Every TOML file that travels with the program.
    fn shipped_files() -> Vec<PathBuf> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut folders = ["specs", "datasets", "assets"].map(|folder| root.join(folder)).to_vec();
        let mut files = Vec::new();
        while let Some(folder) = folders.pop() {
            for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|end| end == "toml") {
                    files.push(path);
                }
            }
        }
        files.sort();
        files
    }

    /// What the library reads there.
    fn library_value(value: &Spanned<DeValue<'_>>) -> String {
        let span = value.span();
        let shown = match value.get_ref() {
            DeValue::String(text) => format!("{text:?}"),
            DeValue::Integer(number) => {
                i64::from_str_radix(number.as_str(), number.radix()).unwrap().to_string()
            }
            DeValue::Float(number) => format!("{:?}", number.as_str().parse::<f64>().unwrap()),
            DeValue::Boolean(flag) => flag.to_string(),
            DeValue::Datetime(_) => "a date".into(),
            DeValue::Array(values) => values.iter().map(library_value).collect::<Vec<_>>().join(","),
            DeValue::Table(table) => library_table(table),
        };
        format!("{span:?} {shown}")
    }

    fn library_table(table: &DeTable<'_>) -> String {
        let mut fields: Vec<String> =
            table.iter().map(|(key, value)| format!("{}={}", key.get_ref(), library_value(value))).collect();
        fields.sort();
        format!("{{{}}}", fields.join(";"))
    }

    fn values_of<'d>(tree: &'d TomlTree<'d>, chain: NodeChain) -> impl Iterator<Item = &'d TomlNode<'d>> {
        std::iter::successors(tree.first_of(chain), |node| tree.behind(node))
    }

    /// What we read there, in the same words.
    fn plain_words(document: &TomlTree<'_>, node: &TomlNode<'_>) -> String {
        let words = |chain: &NodeChain| {
            let spanned =
                |node: &TomlNode<'_>| format!("{:?} {}", node.span.range(), plain_words(document, node));
            values_of(document, *chain).map(spanned).collect::<Vec<_>>()
        };
        match &node.value {
            TomlValue::Text(text) => format!("{text:?}"),
            TomlValue::Integer(number) => number.to_string(),
            TomlValue::Float(number) => format!("{number:?}"),
            TomlValue::Flag(flag) => flag.to_string(),
            TomlValue::Rare(value) => panic!("{value:?} is not plain"),
            TomlValue::Array(chain) => words(chain).join(","),
            TomlValue::Table(chain) => {
                let keys = values_of(document, *chain).map(|node| node.key);
                let mut fields: Vec<String> =
                    keys.zip(words(chain)).map(|(key, value)| format!("{key}={value}")).collect();
                fields.sort();
                format!("{{{}}}", fields.join(";"))
            }
        }
    }

    /// Whether it is plain; what we read is what the library reads, spans and all.
    fn reads_as_the_library(text: &str) -> bool {
        let Some(document) = plain_tree(text) else { return false };
        let table =
            DeTable::parse(text).unwrap_or_else(|why| panic!("we read what is no TOML: {why}\n{text}"));
        assert_eq!(plain_words(&document, document.root()), library_table(table.get_ref()), "{text}");
        true
    }

    #[test]
    fn every_shipped_file_is_plain_and_read_as_by_the_library() {
        let files = shipped_files();
        assert!(files.len() > 190, "{}", files.len());
        let is_left = |path: &&PathBuf| !reads_as_the_library(&std::fs::read_to_string(path).unwrap());
        let left: Vec<&PathBuf> = files.iter().filter(is_left).collect();
        // Its cautions are texts of several lines.
        let known = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/published/about.toml");
        assert_eq!(left, [&known]);
    }

    /// Numbers that are the same at every run.
    struct Chance(u64);

    impl Chance {
        fn below(&mut self, limit: usize) -> usize {
            for shift in [13, -7, 17] {
                self.0 ^= if shift > 0 { self.0 << shift } else { self.0 >> -shift };
            }
            usize::try_from(self.0 % limit as u64).unwrap()
        }
    }

    /// Some lines of a file, now and then one twice, with a few changes anywhere.
    fn changed_lines(lines: &[&str], chance: &mut Chance) -> String {
        const PIECES: [&str; 44] = [
            "\n",
            "\"",
            "'",
            "[",
            "]",
            "{",
            "}",
            "#",
            "=",
            ".",
            ",",
            "\\",
            " ",
            "\r",
            "\r\n",
            "\t",
            "0",
            "1",
            "e5",
            "-",
            "+",
            "_",
            "true",
            "a",
            "\u{7f}",
            "\u{1}",
            "é",
            "[a]\n",
            "[[a]]\n",
            "[a.b]\n",
            "a.b = 1\n",
            "a = {}\n",
            "a = [[1], [2,]]\n",
            "\"\"",
            "inf",
            "nan",
            "0x1F",
            "1_000",
            "07:32:00",
            "1979-05-27",
            "1.",
            ".5",
            "\\n",
            "\\u00e9",
        ];
        let taken = lines[chance.below(lines.len())..].iter().take(1 + chance.below(12));
        let mut text: String = taken.map(|line| line.repeat(1 + chance.below(40) / 39)).collect();
        for _ in 0..chance.below(4) {
            let mut place = chance.below(text.len() + 1);
            while !text.is_char_boundary(place) {
                place -= 1;
            }
            let end = (place..=text.len()).skip(chance.below(3)).find(|i| text.is_char_boundary(*i));
            text.replace_range(place..end.unwrap_or(place), PIECES[chance.below(PIECES.len())]);
        }
        text
    }

    #[test]
    fn what_is_changed_in_a_file_is_read_as_by_the_library_or_left_to_it() {
        let mut chance = Chance(0x9e37_79b9_7f4a_7c15);
        let (mut plain, mut left) = (0, 0);
        for name in ["specs/gpus/ada/rtx-4070.toml", "specs/kernels/matmul_tiled.toml", "specs/mig.toml"] {
            let whole = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap();
            let lines: Vec<&str> = whole.split_inclusive('\n').collect();
            for _ in 0..2_000 {
                let is_plain = reads_as_the_library(&changed_lines(&lines, &mut chance));
                *if is_plain { &mut plain } else { &mut left } += 1;
            }
        }
        assert!(plain > 1_000 && left > 1_000, "{plain} plain, {left} left");
    }

    #[test]
    fn what_is_not_plain_is_left_to_the_library() {
        let left = "a.b = 1;a = 1_000;a = 0x10;a = inf;a = 1979-05-27;a = \"\"\"x\"\"\";a = '''x''';\
                    a = \"\\u0041\";a = { b = 1, };a = 1|a = 2;[a]|[a];a = 1 b = 2;a = 01;a = \"x;a =;= 1;\
                    a = [1, 2;[a;[[a];a = {}|[a.b];a = []|[[a]];\u{feff}a = 1;a = 99999999999999999999;a = 1e999";
        for text in left.split(';').map(|text| text.replace('|', "\n")) {
            assert!(plain_tree(&text).is_none(), "{text}");
        }
        let deep = format!("a = {}{}", "[".repeat(40), "]".repeat(40));
        assert!(plain_tree(&deep).is_none());
        let wide: String = (0..600).map(|i| format!("k{i} = 1\n")).collect();
        assert!(plain_tree(&wide).is_none());
    }
}
