//! A matrix product that a library computes on vector pipes: its sizes, by which any tile of any kernel can be counted.

use super::{Formula, FormulaError, ProductSizes};
use crate::catalogue::Spanned;
use serde::Deserialize;

/// `[product]` of a kernel file: m x k by k x n, `batch` times, each a formula of the problem's keys.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LibraryProductFile {
    batch: Spanned<String>,
    m: Spanned<String>,
    n: Spanned<String>,
    k: Spanned<String>,
}

impl LibraryProductFile {
    /// Its formulas, each read by `parse` from the name of its field and its text.
    pub(super) fn formulas<E>(
        &self,
        parse: impl Fn(&str, &Spanned<String>) -> Result<Formula, E>,
    ) -> Result<LibraryProductFormulas, E> {
        Ok(LibraryProductFormulas {
            batch: parse("product.batch", &self.batch)?,
            m: parse("product.m", &self.m)?,
            n: parse("product.n", &self.n)?,
            k: parse("product.k", &self.k)?,
        })
    }
}

/// The sizes of a product as formulas of a problem.
#[derive(Debug)]
pub(super) struct LibraryProductFormulas {
    batch: Formula,
    m: Formula,
    n: Formula,
    k: Formula,
}

impl LibraryProductFormulas {
    /// The product of one problem; sizes of at least 1.
    pub(super) fn sizes_in_scope(&self, scope: &[f64]) -> Result<ProductSizes, FormulaError> {
        let size = |formula: &Formula| formula.eval(scope).map(|size| size.max(1.0));
        Ok(ProductSizes {
            batch: size(&self.batch)?,
            m: size(&self.m)?,
            n: size(&self.n)?,
            k: size(&self.k)?,
        })
    }
}
