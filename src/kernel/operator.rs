//! Operators of tensor libraries: what is computed, whichever kernel a library picks for it on each GPU.

use super::Problem;
use crate::catalogue::ElementType;

/// What an operator computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OperatorKind {
    /// C (m x n) = A (m x k) B (k x n): a linear layer.
    Linear,
    /// The same, `b` times.
    Bmm,
    /// The linear layers of a mixture of experts: `tokens` rows go to `top_k` of `experts` layers (n x k) each.
    MoeGemm,
    /// Causal attention of `s` new tokens over themselves.
    AttentionPrefill,
    /// Attention of one new token over `s` cached ones.
    AttentionDecode,
    /// Every element read, changed and written: norms, softmax, rotary embedding, activations.
    Streaming,
}

/// How an operator is declared: `[operator]` of a kernel file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OperatorType {
    /// What it computes.
    pub kind: OperatorKind,
    /// Type of its operands.
    pub input: ElementType,
    /// Type that products are added in.
    pub accumulate: ElementType,
    /// Type of its result.
    pub output: ElementType,
}

/// An operator at one size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Operator {
    /// What it computes, and in which types.
    pub types: OperatorType,
    /// Its sizes.
    pub sizes: OperatorSizes,
}

/// The sizes of an operator, each a whole number of at least 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum OperatorSizes {
    /// Matrix products.
    Product(ProductSizes),
    /// Attention.
    Attention(AttentionSizes),
    /// Nothing beside the bytes that its work states.
    Stream,
}

/// `batch` products of m x k by k x n.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProductSizes {
    /// Products.
    pub batch: f64,
    /// Rows of the result.
    pub m: f64,
    /// Columns of the result.
    pub n: f64,
    /// Inner dimension.
    pub k: f64,
}

/// Attention of a batch of sequences.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AttentionSizes {
    /// Sequences.
    pub batch: f64,
    /// Tokens of each: new ones in prefill, cached ones in decode.
    pub sequence: f64,
    /// Query heads.
    pub heads: f64,
    /// Key and value heads.
    pub kv_heads: f64,
    /// Elements per head.
    pub head_size: f64,
}

impl OperatorKind {
    /// The word in kernel files.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Bmm => "bmm",
            Self::MoeGemm => "moe_gemm",
            Self::AttentionPrefill => "attention_prefill",
            Self::AttentionDecode => "attention_decode",
            Self::Streaming => "streaming",
        }
    }

    /// The problem keys that it needs; a kernel file may have more.
    #[must_use]
    pub fn needed_keys(self) -> &'static [&'static str] {
        match self {
            Self::Linear => &["m", "n", "k"],
            Self::Bmm => &["b", "m", "n", "k"],
            Self::MoeGemm => &["tokens", "experts", "top_k", "n", "k"],
            Self::AttentionPrefill | Self::AttentionDecode => &["b", "s", "h", "kv", "d"],
            Self::Streaming => &[],
        }
    }

    /// Whether tensor cores do its arithmetic.
    #[must_use]
    pub fn uses_tensor_cores(self) -> bool {
        self != Self::Streaming
    }
}

impl OperatorType {
    /// The operator at this size; `None` where a key that it needs has no number.
    #[must_use]
    pub fn sized(self, problem: &Problem) -> Option<Operator> {
        let number = |key: &str| problem.number_at(key).filter(|n| *n >= 1.0);
        let sizes = match self.kind {
            OperatorKind::Linear => {
                let (m, n, k) = (number("m")?, number("n")?, number("k")?);
                OperatorSizes::Product(ProductSizes { batch: 1.0, m, n, k })
            }
            OperatorKind::Bmm => {
                let (m, n, k) = (number("m")?, number("n")?, number("k")?);
                OperatorSizes::Product(ProductSizes { batch: number("b")?, m, n, k })
            }
            OperatorKind::MoeGemm => {
                let rows = number("tokens")? * number("top_k")?;
                let product =
                    ProductSizes { batch: number("experts")?, m: rows, n: number("n")?, k: number("k")? };
                OperatorSizes::Product(product.spread_over_experts())
            }
            OperatorKind::AttentionPrefill | OperatorKind::AttentionDecode => {
                OperatorSizes::Attention(AttentionSizes {
                    batch: number("b")?,
                    sequence: number("s")?,
                    heads: number("h")?,
                    kv_heads: number("kv")?,
                    head_size: number("d")?,
                })
            }
            OperatorKind::Streaming => OperatorSizes::Stream,
        };
        Some(Operator { types: self, sizes })
    }
}

impl ProductSizes {
    /// `m` rows that choose among `batch` experts at random: as many products as experts are chosen at all, of equally many
    /// rows.
    fn spread_over_experts(self) -> Self {
        let chosen = self.batch * (1.0 - (1.0 - 1.0 / self.batch).powf(self.m));
        let batch = chosen.round().max(1.0);
        Self { batch, m: (self.m / batch).ceil(), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(kind: OperatorKind) -> OperatorType {
        let (input, accumulate) = (ElementType::Bf16, ElementType::Fp32);
        OperatorType { kind, input, accumulate, output: input }
    }

    #[test]
    fn every_kind_is_sized_by_the_keys_it_needs() {
        let all = "b=2;m=3;n=4;k=5;tokens=6;experts=8;top_k=2;s=7;h=8;kv=2;d=64";
        let all: Problem = all.parse().unwrap();
        for kind in [
            OperatorKind::Linear,
            OperatorKind::Bmm,
            OperatorKind::MoeGemm,
            OperatorKind::AttentionPrefill,
            OperatorKind::AttentionDecode,
            OperatorKind::Streaming,
        ] {
            assert!(declared(kind).sized(&all).is_some(), "{}", kind.as_str());
            for key in kind.needed_keys() {
                let pairs = all.pairs().iter().filter(|(k, _)| k.as_str() != *key).cloned();
                let without = Problem::from_pairs(pairs.collect());
                assert!(declared(kind).sized(&without).is_none(), "{} without {key}", kind.as_str());
            }
        }
    }

    #[test]
    fn few_tokens_wake_few_experts_and_many_wake_all() {
        let sizes = |m: f64| ProductSizes { batch: 64.0, m, n: 1.0, k: 1.0 }.spread_over_experts();
        assert_eq!((sizes(1.0).batch, sizes(1.0).m), (1.0, 1.0));
        assert_eq!((sizes(65_536.0).batch, sizes(65_536.0).m), (64.0, 1024.0));
    }
}
