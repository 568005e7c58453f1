//! Values of a tree as the types that files are read into.
//!
//! One reader for all trees: every type is built once, not once for each way a text can be read. It refuses what the library
//! refuses, at the same place, and says so in words of files in place of those of types.

use super::toml_tree::{RareValue, TextSpan, TomlNode, TomlTree, TomlValue};
use crate::text::clipped_text;
use serde::de::value::{BorrowedStrDeserializer, StrDeserializer};
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error, Expected, IntoDeserializer,
    MapAccess, SeqAccess, Unexpected, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use std::borrow::Cow;
use std::fmt::Display;

/// Reads a document as a type.
pub(super) fn tree_value<T: DeserializeOwned>(tree: &TomlTree<'_>) -> Result<T, Unfit> {
    T::deserialize(NodeReader { tree, node: tree.root() })
}

/// Why a value does not fit, and where it stands.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.message)]
pub(super) struct Unfit(Box<UnfitPlace>);

/// In a box, for results that are small.
#[derive(Debug)]
struct UnfitPlace {
    message: String,
    span: Option<TextSpan>,
}

impl Unfit {
    fn new(message: String) -> Self {
        Self(Box::new(UnfitPlace { message, span: None }))
    }

    /// What does not fit.
    pub(super) fn message(&self) -> &str {
        &self.0.message
    }

    /// Where it stands, if that is known.
    pub(super) fn span(&self) -> Option<TextSpan> {
        self.0.span
    }

    /// It stands here, if nobody inside knew better.
    fn inside(mut self, span: TextSpan) -> Self {
        self.0.span = self.0.span.or(Some(span));
        self
    }
}

impl Error for Unfit {
    fn custom<T: Display>(message: T) -> Self {
        Self::new(message.to_string())
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(format!("found {}, expected {}", found_words(found), expected_words(&expected.to_string())))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(found, expected)
    }

    fn unknown_variant(name: &str, expected: &'static [&'static str]) -> Self {
        let [only] = expected else {
            return Self::new(format!("unknown name `{name}`, expected one of `{}`", expected.join("`, `")));
        };
        Self::new(format!("unknown name `{name}`, expected `{only}`"))
    }
}

/// A value as a file writes it, or which kind it is where it may be long.
fn found_words(found: Unexpected<'_>) -> String {
    match found {
        Unexpected::Str(text) => format!("{:?}", clipped_text(text, 60)),
        Unexpected::Signed(number) => number.to_string(),
        Unexpected::Unsigned(number) => number.to_string(),
        Unexpected::Float(number) => number.to_string(),
        Unexpected::Bool(flag) => flag.to_string(),
        Unexpected::Seq => "a list".into(),
        Unexpected::Map => "a table".into(),
        Unexpected::UnitVariant => "a name alone".into(),
        other => other.to_string(),
    }
}

/// What a type of ours takes, as a file writes it.
fn expected_words(expected: &str) -> String {
    match expected {
        "u8" => "a whole number from 0 to 255".into(),
        "u16" => "a whole number from 0 to 65535".into(),
        "u32" => "a whole number from 0 to 4294967295".into(),
        "u64" | "usize" => "a whole number, 0 or more".into(),
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number".into(),
        "f32" | "f64" => "a number".into(),
        "a string" => "a text in quotes".into(),
        "a boolean" => "true or false".into(),
        "a sequence" => "a list `[…]`".into(),
        "a map" => "a table".into(),
        _ if expected.starts_with("struct ") => "a table".into(),
        _ => expected.into(),
    }
}

/// One value of a document as serde asks for it.
#[derive(Clone, Copy)]
struct NodeReader<'d, 'de> {
    tree: &'d TomlTree<'de>,
    node: &'d TomlNode<'de>,
}

impl<'d, 'de> NodeReader<'d, 'de> {
    /// The values inside.
    fn values(self) -> ElementReader<'d, 'de> {
        let next = self.node.value.chain().and_then(|chain| self.tree.first_of(chain));
        ElementReader { tree: self.tree, next }
    }

    /// The text of a date is asked for as it is, whatever is wanted.
    fn is_date_text(self) -> bool {
        matches!(self.node.value, TomlValue::Rare(RareValue::DateText(_)))
    }

    /// The name of a variant, and the value of one that has a value.
    fn variant(self) -> Result<VariantReader<'d, 'de>, Unfit> {
        let plain = |name| Ok(VariantReader { name, name_span: self.node.span, value: None });
        let valued = |node: &'d TomlNode<'de>| VariantReader {
            name: node.key,
            name_span: node.key_span,
            value: Some(NodeReader { tree: self.tree, node }),
        };
        match &self.node.value {
            TomlValue::Text(name) => plain(name),
            TomlValue::Rare(RareValue::DateText(name)) => plain(name),
            TomlValue::Table(chain) => match (chain.length, self.tree.first_of(*chain)) {
                (1, Some(node)) => Ok(valued(node)),
                (0, _) => Err(Unfit::custom("wanted exactly 1 element, found 0 elements")),
                _ => Err(Unfit::custom("wanted exactly 1 element, more than 1 element")),
            },
            value => Err(unexpected(value, &"a name in quotes")),
        }
    }

    /// A value for what takes nothing but arrays and tables.
    fn read_inside<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unfit> {
        match &self.node.value {
            TomlValue::Array(_) => visitor.visit_seq(self.values()),
            TomlValue::Table(_) | TomlValue::Rare(RareValue::Date(_)) => {
                visitor.visit_map(FieldReader::new(self.values()))
            }
            value => Err(unexpected(value, &visitor)),
        }
        .map_err(|why| why.inside(self.node.span))
    }

    /// A number that no type holds is wrong even where nobody wants it.
    fn refuse_too_large(self) -> Result<(), Unfit> {
        if let TomlValue::Rare(RareValue::TooLarge(why)) = self.node.value {
            return Err(Unfit::custom(why).inside(self.node.span));
        }
        let mut values = self.values();
        while let Some(value) = values.next_element() {
            value.refuse_too_large()?;
        }
        Ok(())
    }
}

/// What is said of a value where something else is expected.
fn unexpected(value: &TomlValue<'_>, expected: &dyn Expected) -> Unfit {
    let found = match value {
        TomlValue::Text(text) => Unexpected::Str(text),
        TomlValue::Integer(number) => Unexpected::Signed(*number),
        TomlValue::Float(number) => Unexpected::Float(*number),
        TomlValue::Flag(flag) => Unexpected::Bool(*flag),
        TomlValue::Array(_) => Unexpected::Seq,
        TomlValue::Table(_) | TomlValue::Rare(RareValue::Date(_)) => Unexpected::Map,
        TomlValue::Rare(RareValue::DateText(text)) => Unexpected::Str(text),
        TomlValue::Rare(RareValue::Unsigned(number)) => Unexpected::Unsigned(*number),
        TomlValue::Rare(RareValue::Wide(words)) => Unexpected::Other(words),
        TomlValue::Rare(RareValue::TooLarge(why)) => return Unfit::custom(why),
    };
    Unfit::invalid_type(found, expected)
}

impl<'de> Deserializer<'de> for NodeReader<'_, 'de> {
    type Error = Unfit;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unfit> {
        match &self.node.value {
            TomlValue::Text(Cow::Borrowed(text)) => visitor.visit_borrowed_str(text),
            TomlValue::Text(Cow::Owned(text)) | TomlValue::Rare(RareValue::DateText(text)) => {
                visitor.visit_str(text)
            }
            TomlValue::Integer(number) => visitor.visit_i64(*number),
            TomlValue::Float(number) => visitor.visit_f64(*number),
            TomlValue::Flag(flag) => visitor.visit_bool(*flag),
            TomlValue::Array(_) => visitor.visit_seq(self.values()),
            TomlValue::Table(_) | TomlValue::Rare(RareValue::Date(_)) => {
                visitor.visit_map(FieldReader::new(self.values()))
            }
            TomlValue::Rare(RareValue::Unsigned(number)) => visitor.visit_u64(*number),
            value @ TomlValue::Rare(RareValue::Wide(_) | RareValue::TooLarge(_)) => {
                Err(unexpected(value, &visitor))
            }
        }
        .map_err(|why| why.inside(self.node.span))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unfit> {
        if self.is_date_text() {
            return self.deserialize_any(visitor);
        }
        visitor.visit_some(self).map_err(|why| why.inside(self.node.span))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Unfit> {
        if self.is_date_text() {
            return self.deserialize_any(visitor);
        }
        visitor.visit_newtype_struct(self).map_err(|why| why.inside(self.node.span))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unfit> {
        self.read_inside(visitor)
    }

    /// Nothing but [`Spanned`](super::Spanned) asks for it.
    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Unfit> {
        if self.is_date_text() {
            return Err(unexpected(&self.node.value, &visitor).inside(self.node.span));
        }
        visitor.visit_seq(SpannedReader::new(self))
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unfit> {
        self.read_inside(visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Unfit> {
        self.read_inside(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unfit> {
        self.read_inside(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unfit> {
        self.variant()
            .and_then(|variant| visitor.visit_enum(variant))
            .map_err(|why| why.inside(self.node.span))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unfit> {
        self.refuse_too_large()?;
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct identifier
    }
}

/// The elements of an array, one after another.
struct ElementReader<'d, 'de> {
    tree: &'d TomlTree<'de>,
    next: Option<&'d TomlNode<'de>>,
}

impl<'d, 'de> ElementReader<'d, 'de> {
    fn next_element(&mut self) -> Option<NodeReader<'d, 'de>> {
        let node = self.next?;
        self.next = self.tree.behind(node);
        Some(NodeReader { tree: self.tree, node })
    }
}

impl<'de> SeqAccess<'de> for ElementReader<'_, 'de> {
    type Error = Unfit;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Unfit> {
        self.next_element().map(|element| seed.deserialize(element)).transpose()
    }
}

/// A value behind its place, as [`Spanned`](super::Spanned) asks for them.
struct SpannedReader<'d, 'de> {
    value: NodeReader<'d, 'de>,
    place: Option<TomlNode<'de>>,
}

impl<'d, 'de> SpannedReader<'d, 'de> {
    fn new(value: NodeReader<'d, 'de>) -> Self {
        let span = value.node.span;
        let number = TomlValue::Rare(RareValue::Unsigned(span.number()));
        Self { value, place: Some(TomlNode::new("", number, span)) }
    }
}

impl<'de> SeqAccess<'de> for SpannedReader<'_, 'de> {
    type Error = Unfit;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Unfit> {
        let place = self.place.take();
        let node = place.as_ref().unwrap_or(self.value.node);
        seed.deserialize(NodeReader { tree: self.value.tree, node }).map(Some)
    }
}

/// The fields of a table.
struct FieldReader<'d, 'de> {
    fields: ElementReader<'d, 'de>,
    taken: Option<NodeReader<'d, 'de>>,
}

impl<'d, 'de> FieldReader<'d, 'de> {
    fn new(fields: ElementReader<'d, 'de>) -> Self {
        Self { fields, taken: None }
    }
}

impl<'de> MapAccess<'de> for FieldReader<'_, 'de> {
    type Error = Unfit;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Unfit> {
        self.taken = self.fields.next_element();
        let Some(NodeReader { node, .. }) = self.taken else { return Ok(None) };
        let key = seed.deserialize(BorrowedStrDeserializer::new(node.key));
        key.map(Some).map_err(|why: Unfit| why.inside(node.key_span))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Unfit> {
        let value =
            self.taken.take().ok_or_else(|| Unfit::custom("a value was asked for without its key"))?;
        seed.deserialize(value).map_err(|why| why.inside(value.node.span))
    }
}

/// A variant by its name, and the value of one that is written as a table.
struct VariantReader<'d, 'de> {
    name: &'d str,
    name_span: TextSpan,
    value: Option<NodeReader<'d, 'de>>,
}

impl VariantReader<'_, '_> {
    fn without_value(expected: &'static str) -> Unfit {
        Unfit::invalid_type(Unexpected::UnitVariant, &expected)
    }
}

impl<'de> EnumAccess<'de> for VariantReader<'_, 'de> {
    type Error = Unfit;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), Unfit> {
        let name: StrDeserializer<'_, Unfit> = self.name.into_deserializer();
        let variant = seed.deserialize(name).map_err(|why| why.inside(self.name_span))?;
        Ok((variant, self))
    }
}

impl<'de> VariantAccess<'de> for VariantReader<'_, 'de> {
    type Error = Unfit;

    fn unit_variant(self) -> Result<(), Unfit> {
        let Some(NodeReader { node, .. }) = self.value else { return Ok(()) };
        let why = match &node.value {
            TomlValue::Array(chain) | TomlValue::Table(chain) if chain.length == 0 => return Ok(()),
            TomlValue::Array(_) => "expected empty array".into(),
            TomlValue::Table(_) => "expected empty table".into(),
            value => format!("expected table, found {}", value.kind()),
        };
        Err(Unfit::new(why).inside(node.span))
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Unfit> {
        seed.deserialize(self.value.ok_or_else(|| Self::without_value("newtype variant"))?)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Unfit> {
        self.value.ok_or_else(|| Self::without_value("tuple variant"))?.deserialize_any(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unfit> {
        self.value.ok_or_else(|| Self::without_value("struct variant"))?.deserialize_any(visitor)
    }
}

#[cfg(test)]
mod tests {
    use crate::catalogue::SpecFile;
    use serde::Deserialize;

    #[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Word {
        Read,
        Write,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Wrapped(u8);

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(try_from = "String")]
    struct Short(String);

    impl TryFrom<String> for Short {
        type Error = String;

        fn try_from(text: String) -> Result<Self, String> {
            if text.len() < 6 { Ok(Self(text)) } else { Err(format!("{text:?} is too long")) }
        }
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
    enum Tagged {
        Round { radius: f64 },
        Flat,
    }

    /// The same types with spans of ours and of the library.
    macro_rules! types_with_spans_of {
        ($family:ident, $spanned:path) => {
            mod $family {
                use super::{Short, Tagged, Word, Wrapped};
                use serde::Deserialize;
                use std::collections::BTreeMap;
                use $spanned as Spanned;

                #[derive(Debug, PartialEq, Deserialize)]
                #[serde(deny_unknown_fields)]
                pub(super) struct Inner {
                    name: Spanned<String>,
                    share: Option<Spanned<f64>>,
                }

                /// A field of every kind that a file of ours has.
                #[derive(Debug, PartialEq, Deserialize)]
                pub(super) struct Everything {
                    id: Spanned<String>,
                    count: Option<u32>,
                    large: Option<u64>,
                    number: Option<f64>,
                    flag: Option<bool>,
                    word: Option<Word>,
                    spanned_word: Option<Spanned<Word>>,
                    wrapped: Option<Wrapped>,
                    short: Option<Short>,
                    shorts: Option<Vec<Spanned<Short>>>,
                    tagged: Option<Tagged>,
                    pair: Option<(u8, String)>,
                    #[serde(default)]
                    names: Vec<Spanned<String>>,
                    #[serde(default)]
                    by_word: BTreeMap<Word, f64>,
                    #[serde(default)]
                    inner: BTreeMap<String, Inner>,
                    #[serde(default)]
                    several: Vec<Inner>,
                    #[serde(default)]
                    anything: BTreeMap<String, Spanned<toml::Value>>,
                }
            }
        };
    }

    types_with_spans_of!(ours, crate::catalogue::Spanned);
    types_with_spans_of!(theirs, toml::Spanned);

    const FIELDS: &str = "id count large number flag word spanned_word wrapped short shorts tagged pair names by_word inner \
        several anything unknown anything.deep";

    /// One a line: right for some field, wrong for most.
    const VALUES: &str = r#"1
        -1
        300
        1.5
        1e999
        -1e999
        inf
        nan
        true
        "read"
        "write"
        "other word"
        "\u00e9\n"
        '''long'''
        []
        [1]
        [1, "a"]
        ["a", "far too long", 3]
        ["read", 1979-05-27, 1e999]
        {}
        { read = 1 }
        { read = {} }
        { read = [] }
        { read = 1979-05-27, write = 2 }
        { kind = "round", radius = 1 }
        { kind = "flat", radius = 1 }
        { kind = "square" }
        { name = "a", share = "b" }
        { "\u00e9" = { name = "a", nmae = 1 } }
        { a = { name = "a", share = 1 } }
        { z = 1e999, a = { b = 1e999 } }
        [{ name = "a" }, { share = 1 }]
        1979-05-27
        07:32:00
        18446744073709551615
        99999999999999999999
        300000000000000000000000000000000000000
        0xfffffffffffffffffffffffffffffffffffffffff"#;

    /// What is read, or the line of the error: by us, and by the library alone, which has words of its own for it.
    fn by_both(text: &str) -> [String; 2] {
        let ours = SpecFile { name: "x", text }.parse::<ours::Everything>().map_err(|why| why.line);
        let theirs = toml::from_str::<theirs::Everything>(text)
            .map_err(|why| why.span().map(|span| 1 + text[..span.start].matches('\n').count()));
        [format!("{ours:?}"), format!("{theirs:?}")]
    }

    #[test]
    fn errors_name_the_field_the_value_and_what_is_expected_in_words_of_files() {
        for (text, words) in [
            ("count = \"x\"", "count: found \"x\", expected a whole number from 0 to 4294967295"),
            ("count = -1", "count: found -1, expected a whole number from 0 to 4294967295"),
            ("number = true", "number: found true, expected a number"),
            ("flag = 1.5", "flag: found 1.5, expected true or false"),
            ("word = \"rd\"", "word: unknown name `rd`, expected one of `read`, `write`"),
            ("word = 1", "word: found 1, expected a name in quotes"),
            ("names = \"a\"", "names: found \"a\", expected a list `[…]`"),
            ("names = [\"a\", 2]", "names: found 2, expected a text in quotes"),
            ("[names]", "names: found a table, expected a list `[…]`"),
            ("[inner]\na = 1", "inner.a: found 1, expected a table"),
            ("[inner.\"8.9\"]\nname = 1", "inner.\"8.9\".name: found 1, expected a text in quotes"),
            ("inner = { a = { share = 1 } }", "inner.a: missing field `name`"),
            ("[by_word]\nrd = 1", "by_word.rd: unknown name `rd`, expected one of `read`, `write`"),
            ("[[several]]\nname = \"a\"\nshare = \"b\"", "several.share: found \"b\", expected a number"),
        ] {
            let text = format!("id = 'x'\n{text}\n");
            let why = SpecFile { name: "x", text: &text }.parse::<ours::Everything>().unwrap_err();
            assert_eq!(why.message, words, "{text}");
        }
    }

    #[test]
    fn every_value_in_every_field_is_read_or_refused_as_by_the_library() {
        let mut read = 0;
        for (field, value) in
            FIELDS.split(' ').flat_map(|field| VALUES.lines().map(move |value| (field, value)))
        {
            for id in ["id = \"x\"\n", ""] {
                let text = format!("# a comment\n{id}\n{field} = {value}\n");
                let [ours, theirs] = by_both(&text);
                read += usize::from(ours.starts_with("Ok"));
                assert_eq!(ours, theirs, "{text}");
            }
        }
        assert!(read > 100, "{read}");
    }

    #[test]
    fn tables_with_headers_are_refused_where_the_library_refuses_them() {
        for text in [
            "id = 'x'\n[inner.a]\nname = 'b'\n[inner.b]\nshare = 1\n",
            "id = 'x'\n[[several]]\nname = 'b'\n[[several]]\nnme = 'b'\n[[several]]\n",
            "[word.read]\n[count]\na = 1\n",
            "[id]\n",
            "id = 'x'\n[by_word]\nread = 1\nwrite = 'a'\nneither = 2\n",
            "[anything]\na = { b = [1979-05-27, 1e999] }\n",
            "id = 'x'\n[anything]\na = 1\na = 2\n",
        ] {
            let [ours, theirs] = by_both(text);
            assert!(ours.starts_with("Err"), "{text}");
            assert_eq!(ours, theirs, "{text}");
        }
    }
}
