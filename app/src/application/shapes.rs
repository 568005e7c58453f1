//! What an operator computed, at its size: products and attention, which the operator models know.

use crate::catalogue::ElementType;

/// A matrix product.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProductShape {
    /// Products.
    pub batch: f64,
    /// Rows of the result.
    pub m: f64,
    /// Columns of the result.
    pub n: f64,
    /// Inner dimension.
    pub k: f64,
    /// Type of the factors.
    pub element: ElementType,
}

/// Attention of a batch of sequences.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AttentionShape {
    /// Sequences.
    pub batch: f64,
    /// New tokens of each.
    pub queries: f64,
    /// Tokens that each looks at.
    pub keys: f64,
    /// Query heads.
    pub heads: f64,
    /// Key and value heads.
    pub kv_heads: f64,
    /// Elements of a head.
    pub head_size: f64,
    /// Whether a token looks only at those before it.
    pub is_causal: bool,
    /// Type of queries, keys and values.
    pub element: ElementType,
}

/// What an operator computed, at its size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum OperatorShape {
    /// A matrix product.
    Product(ProductShape),
    /// Attention, forward.
    Attention(AttentionShape),
}
