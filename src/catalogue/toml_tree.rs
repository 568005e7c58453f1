//! A TOML document as a tree: what a text is read into, whoever reads it, and what types are read from.

use std::borrow::Cow;
use std::ops::Range;

/// Every value of a document, the root table first.
#[derive(Debug)]
pub(super) struct TomlTree<'t> {
    nodes: Vec<TomlNode<'t>>,
}

/// One value, with the key it stands under.
#[derive(Debug)]
pub(super) struct TomlNode<'t> {
    /// Empty for an element of an array.
    pub(super) key: &'t str,
    /// Where the key stands; known in a tree of the library, which has to say what is wrong with it.
    pub(super) key_span: TextSpan,
    pub(super) value: TomlValue<'t>,
    /// Where in the text the value stands; of a table with a header, where its header does.
    pub(super) span: TextSpan,
    /// Where the value behind it stands, in the same table or array.
    pub(super) next: Option<u32>,
}

/// What stands under a key.
#[derive(Debug)]
pub(super) enum TomlValue<'t> {
    Text(Cow<'t, str>),
    Integer(i64),
    Float(f64),
    Flag(bool),
    Array(NodeChain),
    Table(NodeChain),
    /// What only the library reads.
    Rare(RareValue),
}

/// Values that no file of ours has.
#[derive(Debug)]
pub(super) enum RareValue {
    /// An integer above the largest `i64`.
    Unsigned(u64),
    /// An integer of more than 64 bits, as serde names it.
    Wide(String),
    /// A number that no type holds, and what is wrong with it.
    TooLarge(&'static str),
    /// A date or a time: one field, whose value is its text.
    Date(NodeChain),
    /// The text of a date.
    DateText(String),
}

/// A piece of the text, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct TextSpan {
    pub(super) start: u32,
    pub(super) end: u32,
}

impl TextSpan {
    /// The piece; a place beyond 4 GiB, which no file has, is the last one that can be named.
    pub(super) fn new(range: Range<usize>) -> Self {
        let place = |place: usize| u32::try_from(place).unwrap_or(u32::MAX);
        Self { start: place(range.start), end: place(range.end) }
    }

    /// Both ends as one number.
    pub(super) fn number(self) -> u64 {
        u64::from(self.start) << 32 | u64::from(self.end)
    }

    /// The ends in such a number.
    pub(super) fn from_number(number: u64) -> Self {
        Self { start: (number >> 32) as u32, end: number as u32 }
    }

    pub(super) fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// The values of a table or an array, in their order.
#[derive(Debug, Clone, Copy)]
pub(super) struct NodeChain {
    pub(super) first: Option<u32>,
    pub(super) last: u32,
    pub(super) length: u32,
    pub(super) origin: ChainOrigin,
}

/// How a table or an array came to be, which decides what may be added to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChainOrigin {
    /// Written where it stands: `[1, 2]`, `{ a = 1 }`.
    Written,
    /// By a header of its own.
    Header,
    /// By the header of a table inside it.
    Implied,
}

impl NodeChain {
    pub(super) fn empty(origin: ChainOrigin) -> Self {
        Self { first: None, last: 0, length: 0, origin }
    }
}

impl<'t> TomlNode<'t> {
    pub(super) fn new(key: &'t str, value: TomlValue<'t>, span: TextSpan) -> Self {
        Self { key, key_span: TextSpan::default(), value, span, next: None }
    }
}

impl TomlValue<'_> {
    /// The values inside, where it may have some.
    pub(super) fn chain(&self) -> Option<NodeChain> {
        match self {
            Self::Array(chain) | Self::Table(chain) | Self::Rare(RareValue::Date(chain)) => Some(*chain),
            _ => None,
        }
    }

    fn chain_mut(&mut self) -> Option<&mut NodeChain> {
        match self {
            Self::Array(chain) | Self::Table(chain) | Self::Rare(RareValue::Date(chain)) => Some(chain),
            _ => None,
        }
    }

    /// The kind of value, as TOML names it.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Text(_) | Self::Rare(RareValue::DateText(_)) => "string",
            Self::Integer(_) | Self::Rare(RareValue::Unsigned(_) | RareValue::Wide(_)) => "integer",
            Self::Float(_) | Self::Rare(RareValue::TooLarge(_)) => "float",
            Self::Flag(_) => "boolean",
            Self::Array(_) => "array",
            Self::Table(_) => "table",
            Self::Rare(RareValue::Date(_)) => "datetime",
        }
    }
}

impl<'t> TomlTree<'t> {
    /// Where the root table stands.
    pub(super) const ROOT: u32 = 0;

    /// An empty root table, with room for this many values.
    pub(super) fn with_room(values: usize, span: TextSpan) -> Self {
        let mut nodes = Vec::with_capacity(values);
        let root = TomlValue::Table(NodeChain::empty(ChainOrigin::Header));
        nodes.push(TomlNode::new("", root, span));
        Self { nodes }
    }

    /// The root table.
    pub(super) fn root(&self) -> &TomlNode<'t> {
        self.node(Self::ROOT)
    }

    #[inline]
    pub(super) fn node(&self, place: u32) -> &TomlNode<'t> {
        &self.nodes[place as usize]
    }

    #[inline]
    pub(super) fn node_mut(&mut self, place: u32) -> &mut TomlNode<'t> {
        &mut self.nodes[place as usize]
    }

    /// The value behind this one in its table or array.
    pub(super) fn behind(&self, node: &TomlNode<'t>) -> Option<&TomlNode<'t>> {
        node.next.map(|place| self.node(place))
    }

    /// The first value in a chain.
    pub(super) fn first_of(&self, chain: NodeChain) -> Option<&TomlNode<'t>> {
        chain.first.map(|place| self.node(place))
    }

    /// Where the field of this name of a table stands.
    pub(super) fn field_of(&self, table: u32, key: &str) -> Option<u32> {
        let TomlValue::Table(chain) = &self.node(table).value else { return None };
        std::iter::successors(chain.first, |place| self.node(*place).next)
            .find(|place| self.node(*place).key == key)
    }

    /// The fields that lead to the innermost value, or key, that stands at this place.
    pub(super) fn path_to(&self, span: TextSpan) -> Vec<&'t str> {
        self.path_below(self.root(), span).unwrap_or_default()
    }

    fn path_below(&self, parent: &TomlNode<'t>, span: TextSpan) -> Option<Vec<&'t str>> {
        let first = parent.value.chain().and_then(|chain| self.first_of(chain));
        std::iter::successors(first, |node| self.behind(node)).find_map(|node| {
            let inside = self.path_below(node, span);
            let stands_there = node.span == span || (!node.key.is_empty() && node.key_span == span);
            let mut path = inside.or_else(|| stands_there.then(Vec::new))?;
            if !node.key.is_empty() {
                path.insert(0, node.key);
            }
            Some(path)
        })
    }

    /// Puts a value behind the last one of a table or an array; where it stands now.
    #[inline]
    pub(super) fn append(&mut self, parent: u32, node: TomlNode<'t>) -> u32 {
        let place = self.nodes.len() as u32;
        self.nodes.push(node);
        let value = &mut self.node_mut(parent).value;
        let Some(chain) = value.chain_mut() else { unreachable!("{value:?} holds no values") };
        let last = chain.first.map(|_| chain.last);
        chain.first = chain.first.or(Some(place));
        chain.length += 1;
        chain.last = place;
        if let Some(last) = last {
            self.node_mut(last).next = Some(place);
        }
        place
    }
}
