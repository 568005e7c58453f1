//! Tensors as arguments of operators: elements, bytes, types.

use crate::application::trace::OperatorInputs;
use crate::catalogue::ElementType;

/// A tensor that an operator was given.
#[derive(Debug, Clone, Copy)]
pub(super) struct ArgumentTensor<'a> {
    pub(super) shape: &'a [u64],
    /// As the framework names it: `c10::BFloat16`.
    type_name: &'a str,
}

/// The tensor at this place; `None` where there is none, or its shape was not recorded.
pub(super) fn tensor(inputs: &OperatorInputs, place: usize) -> Option<ArgumentTensor<'_>> {
    let shape = inputs.shapes.get(place).filter(|s| !s.is_empty())?;
    Some(ArgumentTensor { shape, type_name: inputs.types.get(place).map_or("", |t| t) })
}

/// All tensors, those of lists included.
pub(super) fn all_tensors(inputs: &OperatorInputs) -> Vec<ArgumentTensor<'_>> {
    (0..inputs.shapes.len()).filter_map(|place| tensor(inputs, place)).collect()
}

impl ArgumentTensor<'_> {
    pub(super) fn elements(self) -> f64 {
        self.shape.iter().map(|n| *n as f64).product()
    }

    /// Bytes of one element; `None` for a type nobody knows.
    pub(super) fn element_bytes(self) -> Option<f64> {
        element_bytes(self.type_name)
    }

    pub(super) fn bytes(self) -> Option<f64> {
        Some(self.elements() * self.element_bytes()?)
    }

    pub(super) fn element(self) -> Option<ElementType> {
        element_type(self.type_name)
    }
}

/// The element type that the framework names so.
pub(super) fn element_type(name: &str) -> Option<ElementType> {
    let bare = name.rsplit("::").next().unwrap_or(name);
    if bare.starts_with("Float8") {
        return Some(ElementType::Fp8);
    }
    match bare {
        "__nv_bfloat16" => Some(ElementType::Bf16),
        "__half" => Some(ElementType::Fp16),
        "int" => Some(ElementType::Int32),
        "signed char" | "unsigned char" => Some(ElementType::Int8),
        other => ElementType::from_name(other),
    }
}

/// Bytes of an element of this type.
pub(super) fn element_bytes(name: &str) -> Option<f64> {
    let bare = name.rsplit("::").next().unwrap_or(name);
    match bare {
        "bool" => Some(1.0),
        "long int" | "long" | "int64_t" | "complex<float>" => Some(8.0),
        "short int" | "short" => Some(2.0),
        "complex<double>" => Some(16.0),
        _ => element_type(name).map(ElementType::element_bytes),
    }
}

/// The number written at this place, or the numbers of a list.
pub(super) fn scalars(inputs: &OperatorInputs, place: usize) -> Option<Vec<u64>> {
    let text = inputs.scalars.get(place)?.trim();
    let inner = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')).unwrap_or(text);
    inner.split(',').map(|n| n.trim().parse().ok()).collect()
}

/// Whether the flag at this place is set: `True`, or a mask type other than 0.
pub(super) fn flag(inputs: &OperatorInputs, place: usize) -> Option<bool> {
    match inputs.scalars.get(place)?.trim() {
        "True" | "true" => Some(true),
        "False" | "false" => Some(false),
        number => number.parse::<i64>().ok().map(|n| n != 0),
    }
}

/// Elements of the shape that all tensors broadcast to; those of the largest tensor where they do not, as an index beside the rows it names.
pub(super) fn broadcast(tensors: &[ArgumentTensor<'_>]) -> f64 {
    let rank = tensors.iter().map(|t| t.shape.len()).max().unwrap_or(0);
    let dimension = |from_end: usize| {
        let of = |t: &ArgumentTensor<'_>| t.shape.len().checked_sub(from_end).map_or(1, |at| t.shape[at]);
        let longest = tensors.iter().map(of).max().unwrap_or(1);
        tensors.iter().map(of).all(|size| size == 1 || size == longest).then_some(longest as f64)
    };
    let largest = || tensors.iter().map(|t| t.elements()).fold(0.0, f64::max);
    (1..=rank).map(dimension).product::<Option<f64>>().unwrap_or_else(largest)
}
