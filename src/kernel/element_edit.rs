//! A kernel in another element type: only of operators, whose bytes and pipes follow from their declared types.
//!
//! | operator | bytes of a launch in another type | types |
//! |---|---|---|
//! | linear layer, batched product | operands x their width + result x its width, exactly | fp16, bf16, fp8 in and bf16 out |
//! | mixture of experts, attention | counted bytes x the ratio of widths: all tensors are of one type | fp16, bf16 |
//! | streaming (norms, softmax, …) | the same | fp16, bf16, fp32 |
//!
//! FLOPs stay. A kernel of one source was counted as it was compiled: its registers, instructions and bytes say nothing of another type.

use super::{Count, Instance, Kernel, Operator, OperatorKind, OperatorSizes, OperatorType, Work};
use crate::catalogue::{ElementType, Feature};

/// Why a kernel cannot be had in another element type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FixedElement {
    /// It is no operator with declared types.
    #[error(
        "element type of {kernel}: its bytes and instructions were counted as {} and do not hold for another type; type it anew \
         (--dtype, --dram-bytes), or add a kernel file",
        if dtype.is_empty() { "those of an unstated type" } else { dtype }
    )]
    Counted {
        /// The kernel.
        kernel: String,
        /// Its element type.
        dtype: String,
    },
    /// It is one, but not in this type.
    #[error("element type of {kernel}: {element} is not modelled for it; expected {expected}")]
    NotModelled {
        /// The kernel.
        kernel: String,
        /// The type that was asked for.
        element: ElementType,
        /// Those there are.
        expected: String,
    },
}

impl OperatorType {
    /// The element types that such an operator is modelled in.
    fn modelled_elements(self) -> &'static [ElementType] {
        match self.kind {
            OperatorKind::Linear | OperatorKind::Bmm => {
                &[ElementType::Bf16, ElementType::Fp16, ElementType::Fp8]
            }
            OperatorKind::Streaming => &[ElementType::Fp32, ElementType::Bf16, ElementType::Fp16],
            OperatorKind::MoeGemm | OperatorKind::AttentionPrefill | OperatorKind::AttentionDecode => {
                &[ElementType::Bf16, ElementType::Fp16]
            }
        }
    }

    /// The same operator with operands of this type; FP8 products write bf16, as `linear_fp8` does.
    fn in_element(self, element: ElementType) -> Self {
        let output = if element == ElementType::Fp8 { ElementType::Bf16 } else { element };
        Self { input: element, accumulate: element.usual_accumulate(), output, ..self }
    }
}

impl Operator {
    /// Operands and result once, where they are those of plain products.
    fn product_bytes(&self) -> Option<f64> {
        let OperatorSizes::Product(sizes) = self.sizes else { return None };
        if !matches!(self.types.kind, OperatorKind::Linear | OperatorKind::Bmm) {
            return None;
        }
        let operands = sizes.m * sizes.k + sizes.n * sizes.k;
        let [read, written] = [self.types.input, self.types.output].map(ElementType::element_bytes);
        Some(sizes.batch * (operands * read + sizes.m * sizes.n * written))
    }
}

impl Kernel {
    /// The element types that it can be modelled in, its own among them.
    ///
    /// # Errors
    /// [`FixedElement::Counted`] for all but operators with declared types.
    pub fn modelled_elements(&self) -> Result<&'static [ElementType], FixedElement> {
        let counted =
            || FixedElement::Counted { kernel: self.label().to_string(), dtype: self.dtype.clone() };
        self.operator.map(OperatorType::modelled_elements).ok_or_else(counted)
    }

    /// Whether this element type is the kernel's own.
    #[must_use]
    pub fn is_in_element(&self, element: ElementType) -> bool {
        self.operator.is_some_and(|own| own == own.in_element(element))
    }

    /// This kernel in another element type, whatever its size.
    ///
    /// # Errors
    /// [`FixedElement`].
    pub fn retyped(&self, element: ElementType) -> Result<Self, FixedElement> {
        let modelled = self.modelled_elements()?;
        let not_modelled = || FixedElement::NotModelled {
            kernel: self.label().to_string(),
            element,
            expected: modelled.iter().map(|e| e.as_str()).collect::<Vec<_>>().join(", "),
        };
        let own = self.operator.filter(|_| modelled.contains(&element)).ok_or_else(not_modelled)?;
        let mut retyped = self.clone();
        retyped.dtype = element.as_str().to_string();
        retyped.needs = needs_of(&self.needs, element);
        retyped.operator = Some(own.in_element(element));
        Ok(retyped)
    }

    /// This kernel in another element type, with what a launch of it does then.
    ///
    /// # Errors
    /// [`FixedElement`].
    pub fn in_element(
        &self,
        instance: &Instance,
        element: ElementType,
    ) -> Result<(Self, Instance), FixedElement> {
        let kernel = self.retyped(element)?;
        let (Some(own), Some(types)) = (self.operator, kernel.operator) else {
            return Ok((kernel, instance.clone()));
        };
        let operator = instance.operator.map(|operator| Operator { types, ..operator });
        let bytes = |of: Option<&Operator>| of.and_then(Operator::product_bytes);
        let by_type = types.input.element_bytes() / own.input.element_bytes();
        let ratio = bytes(operator.as_ref())
            .zip(bytes(instance.operator.as_ref()))
            .map_or(by_type, |(changed, as_it_is)| changed / as_it_is);
        let instance = Instance { operator, work: scaled_bytes(instance.work, ratio), ..instance.clone() };
        Ok((kernel, instance))
    }
}

/// What it needs of a GPU in this type: the features of element types are those of the new one.
fn needs_of(needs: &[Feature], element: ElementType) -> Vec<Feature> {
    let of_elements = [Feature::Fp16, Feature::Bf16, Feature::Fp8];
    let new = match element {
        ElementType::Fp16 => Some(Feature::Fp16),
        ElementType::Bf16 => Some(Feature::Bf16),
        ElementType::Fp8 => Some(Feature::Fp8),
        _ => None,
    };
    needs.iter().copied().filter(|need| !of_elements.contains(need)).chain(new).collect()
}

fn scaled_bytes(work: Work, ratio: f64) -> Work {
    let counts = [Count::DramBytes, Count::L2Bytes, Count::WorkingSetBytes];
    counts.into_iter().fold(work, |work, count| work.with(count, work.get(count).map(|b| b * ratio)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::shipped_sources;
    use crate::kernel::load_shipped;

    fn in_element(id: &str, size: &str, element: ElementType) -> Result<(Kernel, Instance), FixedElement> {
        let (kernels, _) = load_shipped(&shipped_sources().unwrap());
        let kernel = &kernels[kernels.id_named(id).unwrap()];
        let instance = kernel.instance(&size.parse().unwrap(), "").unwrap();
        kernel.in_element(&instance, element)
    }

    #[test]
    fn a_linear_layer_in_another_type_is_the_shipped_one_of_that_type() {
        let size = "m=256;n=4096;k=8192";
        for (from, element, to) in [
            ("linear_bf16", ElementType::Fp8, "linear_fp8"),
            ("linear_bf16", ElementType::Fp16, "linear_fp16"),
            ("linear_fp8", ElementType::Bf16, "linear_bf16"),
        ] {
            let (kernel, made) = in_element(from, size, element).unwrap();
            let (shipped, expected) = in_element(to, size, element).unwrap();
            for count in [Count::Flops, Count::DramBytes, Count::WorkingSetBytes] {
                assert_eq!(made.work.get(count), expected.work.get(count), "{from} as {element}: {count:?}");
            }
            assert_eq!(made.operator, expected.operator, "{from} as {element}");
            let sorted = |mut needs: Vec<Feature>| {
                needs.sort();
                needs
            };
            assert_eq!(
                (&kernel.dtype, sorted(kernel.needs.clone())),
                (&shipped.dtype, sorted(shipped.needs.clone()))
            );
        }
    }

    #[test]
    fn what_was_counted_in_one_type_stays_in_it() {
        let why = in_element("saxpy", "n=1024", ElementType::Fp16).unwrap_err().to_string();
        assert!(why.contains("counted as fp32"), "{why}");
        let why = in_element("rmsnorm_bf16", "rows=64;cols=64", ElementType::Fp8).unwrap_err().to_string();
        assert!(why.contains("expected fp32, bf16, fp16"), "{why}");
    }
}
