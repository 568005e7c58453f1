//! All of TOML, as the library reads it.

use super::toml_tree::{ChainOrigin, NodeChain, RareValue, TextSpan, TomlNode, TomlTree, TomlValue};
use std::borrow::Cow;
use toml::Spanned;
use toml::de::{DeFloat, DeInteger, DeTable, DeValue};

/// The one field of a date: `toml_datetime` calls it so.
const DATE_FIELD: &str = "$__toml_private_datetime";

/// The tree of a document of the library, its fields in the library's order.
pub(super) fn library_tree<'t>(document: &'t Spanned<DeTable<'_>>) -> TomlTree<'t> {
    let mut tree = TomlTree::with_room(1, TextSpan::new(document.span()));
    add_fields(&mut tree, TomlTree::ROOT, document.get_ref());
    tree
}

fn add_fields<'t>(tree: &mut TomlTree<'t>, parent: u32, table: &'t DeTable<'_>) {
    for (key, value) in table {
        let key_span = TextSpan::new(key.span());
        add_value(tree, parent, TomlNode { key_span, ..node_of(key.get_ref(), value) }, value);
    }
}

/// Adds a value and what is inside it.
fn add_value<'t>(tree: &mut TomlTree<'t>, parent: u32, node: TomlNode<'t>, value: &'t Spanned<DeValue<'_>>) {
    let span = node.span;
    let place = tree.append(parent, node);
    match value.get_ref() {
        DeValue::Array(values) => {
            for value in values.iter() {
                add_value(tree, place, node_of("", value), value);
            }
        }
        DeValue::Table(table) => add_fields(tree, place, table),
        DeValue::Datetime(date) => {
            let text = TomlValue::Rare(RareValue::DateText(date.to_string()));
            let field = TomlNode::new(DATE_FIELD, text, span);
            tree.append(place, TomlNode { key_span: span, ..field });
        }
        _ => {}
    }
}

/// A value without what is inside it.
fn node_of<'t>(key: &'t str, value: &'t Spanned<DeValue<'_>>) -> TomlNode<'t> {
    let none = NodeChain::empty(ChainOrigin::Written);
    let found = match value.get_ref() {
        DeValue::String(text) => TomlValue::Text(Cow::Borrowed(text)),
        DeValue::Integer(number) => integer(number),
        DeValue::Float(number) => float(number),
        DeValue::Boolean(flag) => TomlValue::Flag(*flag),
        DeValue::Datetime(_) => TomlValue::Rare(RareValue::Date(none)),
        DeValue::Array(_) => TomlValue::Array(none),
        DeValue::Table(_) => TomlValue::Table(none),
    };
    TomlNode::new(key, found, TextSpan::new(value.span()))
}

fn integer(number: &DeInteger<'_>) -> TomlValue<'static> {
    let (digits, radix) = (number.as_str(), number.radix());
    if let Ok(number) = i64::from_str_radix(digits, radix) {
        return TomlValue::Integer(number);
    }
    TomlValue::Rare(if let Ok(number) = u64::from_str_radix(digits, radix) {
        RareValue::Unsigned(number)
    } else if let Ok(number) = i128::from_str_radix(digits, radix) {
        RareValue::Wide(format!("integer `{number}` as i128"))
    } else if let Ok(number) = u128::from_str_radix(digits, radix) {
        RareValue::Wide(format!("integer `{number}` as u128"))
    } else {
        RareValue::TooLarge("integer number overflowed")
    })
}

fn float(number: &DeFloat<'_>) -> TomlValue<'static> {
    let text = number.as_str();
    let fits = |number: &f64| number.is_finite() || number.is_nan() || text.contains("inf");
    match text.parse().ok().filter(fits) {
        Some(number) => TomlValue::Float(number),
        None => TomlValue::Rare(RareValue::TooLarge("floating-point number overflowed")),
    }
}
