//! Element types as CUDA C++ writes them.

use roofswap::device::suite::Element;

/// As CUDA C++ writes it.
pub fn c_type(element: Element) -> &'static str {
    match element {
        Element::F32 => "float",
        Element::F64 => "double",
        Element::I32 => "int",
        Element::U32 => "unsigned int",
    }
}
