//! Values of a plain document as the types that files are read into.

use super::plain_toml::{PlainDocument, PlainNode, PlainValue};
use serde::de::value::BorrowedStrDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use serde_spanned::de::{SpannedDeserializer, is_spanned};
use std::borrow::Cow;

/// Reads a plain document; nothing where it is not plain, or does not fit the type: the library says what is wrong then.
pub(super) fn plain_value<T: DeserializeOwned>(text: &str) -> Option<T> {
    let document = PlainDocument::read(text)?;
    T::deserialize(NodeReader { document: &document, node: document.root() }).ok()
}

/// Why a value does not fit; never shown.
#[derive(Debug, thiserror::Error)]
#[error("does not fit")]
struct Unfit;

impl serde::de::Error for Unfit {
    fn custom<T: std::fmt::Display>(_: T) -> Self {
        Self
    }
}

/// One value of a document as serde asks for it.
struct NodeReader<'d, 'de> {
    document: &'d PlainDocument<'de>,
    node: &'d PlainNode<'de>,
}

impl<'de> IntoDeserializer<'de, Unfit> for NodeReader<'_, 'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'d, 'de> NodeReader<'d, 'de> {
    fn values(&self) -> impl Iterator<Item = &'d PlainNode<'de>> + use<'d, 'de> {
        let document = self.document;
        let chain = match &self.node.value {
            PlainValue::Array(chain) | PlainValue::Table(chain) => Some(*chain),
            _ => None,
        };
        chain.into_iter().flat_map(|chain| document.values_of(chain))
    }
}

impl<'de> Deserializer<'de> for NodeReader<'_, 'de> {
    type Error = Unfit;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unfit> {
        match &self.node.value {
            PlainValue::Text(Cow::Borrowed(text)) => visitor.visit_borrowed_str(text),
            PlainValue::Text(Cow::Owned(text)) => visitor.visit_str(text),
            PlainValue::Integer(number) => visitor.visit_i64(*number),
            PlainValue::Float(number) => visitor.visit_f64(*number),
            PlainValue::Flag(flag) => visitor.visit_bool(*flag),
            PlainValue::Array(_) => {
                visitor.visit_seq(ElementReader { values: self.values(), document: self.document })
            }
            PlainValue::Table(_) => {
                visitor.visit_map(FieldReader { values: self.values(), document: self.document, node: None })
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unfit> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Unfit> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unfit> {
        if is_spanned(name) {
            let span = self.node.span();
            return visitor.visit_map(SpannedDeserializer::new(self, span));
        }
        self.deserialize_any(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unfit> {
        match &self.node.value {
            PlainValue::Text(text) => visitor.visit_enum((**text).into_deserializer()),
            _ => Err(Unfit),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unfit> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map identifier
    }
}

/// The elements of an array.
struct ElementReader<'d, 'de, I> {
    document: &'d PlainDocument<'de>,
    values: I,
}

impl<'d, 'de: 'd, I: Iterator<Item = &'d PlainNode<'de>>> SeqAccess<'de> for ElementReader<'d, 'de, I> {
    type Error = Unfit;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Unfit> {
        let document = self.document;
        self.values.next().map(|node| seed.deserialize(NodeReader { document, node })).transpose()
    }
}

/// The fields of a table.
struct FieldReader<'d, 'de, I> {
    document: &'d PlainDocument<'de>,
    values: I,
    node: Option<&'d PlainNode<'de>>,
}

impl<'d, 'de: 'd, I: Iterator<Item = &'d PlainNode<'de>>> MapAccess<'de> for FieldReader<'d, 'de, I> {
    type Error = Unfit;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Unfit> {
        self.node = self.values.next();
        self.node.map(|node| seed.deserialize(BorrowedStrDeserializer::new(node.key))).transpose()
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Unfit> {
        let node = self.node.ok_or(Unfit)?;
        seed.deserialize(NodeReader { document: self.document, node })
    }
}
