//! Reading the suite's file, and what makes an entry unsound whatever the problem.

use super::{Argument, SuiteKernel};
use crate::catalogue::SpecFile;
use serde::Deserialize;

/// The suite that ships.
const SHIPPED: &str = include_str!("../../../assets/kernels/suite.toml");

/// What is wrong with an entry of the suite.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("suite.toml, kernel `{kernel}`, {field}: {message}")]
pub struct SuiteError {
    /// The kernel's id; empty where the file as a whole is to blame.
    pub kernel: String,
    /// The field to blame.
    pub field: String,
    /// The value, what was expected, what to do.
    pub message: String,
}

impl SuiteError {
    pub(super) fn new(kernel: &str, field: &str, message: impl std::fmt::Display) -> Self {
        Self { kernel: kernel.into(), field: field.into(), message: message.to_string() }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SuiteFile {
    #[serde(default)]
    kernel: Vec<SuiteKernel>,
}

/// The kernels of the suite that ships.
///
/// # Errors
/// [`SuiteError`]; a test holds that there is none.
pub fn shipped_suite() -> Result<Vec<SuiteKernel>, SuiteError> {
    read_suite(SHIPPED)
}

/// Reads a suite and checks each entry on its own.
///
/// # Errors
/// [`SuiteError`] with the kernel and the field to blame.
pub fn read_suite(text: &str) -> Result<Vec<SuiteKernel>, SuiteError> {
    let file: SuiteFile =
        SpecFile { name: "suite.toml", text }.parse().map_err(|e| SuiteError::new("", "file", e))?;
    for kernel in &file.kernel {
        check_kernel(kernel)?;
    }
    Ok(file.kernel)
}

fn check_kernel(kernel: &SuiteKernel) -> Result<(), SuiteError> {
    let wrong = |field: &str, message: String| Err(SuiteError::new(&kernel.id, field, message));
    let known = |name: &str| kernel.buffers.iter().any(|b| b.name == name);
    for (i, argument) in kernel.arguments.iter().enumerate() {
        if given(argument) != 1 {
            return wrong("arguments", format!("number {}: give one of buffer, u32, i32, f32, f64", i + 1));
        }
        if let Some(name) = argument.buffer.as_ref().filter(|n| !known(n)) {
            return wrong("arguments", format!("number {}: no buffer is called `{name}`", i + 1));
        }
    }
    for (i, buffer) in kernel.buffers.iter().enumerate() {
        if kernel.buffers[..i].iter().any(|b| b.name == buffer.name) {
            return wrong("buffers", format!("two are called `{}`", buffer.name));
        }
        if !kernel.arguments.iter().any(|a| a.buffer.as_ref() == Some(&buffer.name)) {
            return wrong("buffers", format!("`{}` is given to no argument", buffer.name));
        }
    }
    let checked = &kernel.check;
    if !known(&checked.buffer) {
        return wrong("check", format!("no buffer is called `{}`", checked.buffer));
    }
    if !(checked.relative >= 0.0 && checked.absolute >= 0.0) || checked.sample == Some(0) {
        return wrong("check", "tolerances must be at least 0, and at least one element is compared".into());
    }
    Ok(())
}

fn given(a: &Argument) -> usize {
    [&a.buffer, &a.u32, &a.i32, &a.f32, &a.f64].into_iter().filter(|v| v.is_some()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAXPY: &str = r#"
        [[kernel]]
        id = "saxpy"
        file = "saxpy.cu"
        symbol = "saxpy"
        buffers = [{ name = "z", type = "f32", length = "n", role = "output" }]
        arguments = [{ buffer = "z" }, { u32 = "n" }]
        check = { buffer = "z", why = "exact" }
    "#;

    fn refused(from: &str, to: &str) -> String {
        let text = SAXPY.replace(from, to);
        assert_ne!(text, SAXPY, "nothing was replaced");
        read_suite(&text).unwrap_err().to_string()
    }

    #[test]
    fn the_shipped_suite_reads() {
        assert!(!shipped_suite().unwrap().is_empty());
        assert_eq!(read_suite(SAXPY).unwrap().len(), 1);
    }

    #[test]
    fn an_unsound_entry_names_kernel_and_field() {
        assert!(refused("{ buffer = \"z\" }", "{ buffer = \"y\" }").contains("no buffer is called `y`"));
        assert!(refused("{ u32 = \"n\" }", "{ u32 = \"n\", f32 = \"1\" }").contains("number 2: give one of"));
        assert!(refused("{ buffer = \"z\" },", "").contains("`z` is given to no argument"));
        assert!(refused("check = { buffer = \"z\"", "check = { buffer = \"q\"").contains("check: no buffer"));
        assert!(refused("length", "lenght").contains("lenght"));
    }
}
