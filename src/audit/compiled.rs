//! What compilers say of each kernel, under the names that measurements give them.

use crate::compiler::{CompiledKernel, CompilerReport, ReportPlace};
use std::collections::HashMap;

/// One kernel in one compiler's report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompiledReport {
    /// The function's own name, without namespaces, arguments and a trailing `_kernel`.
    pub kernel: String,
    /// Compute capability it was compiled for.
    pub capability: (u8, u8),
    /// Registers per thread.
    pub registers: u32,
    /// Static shared memory per block in bytes.
    pub smem_static: u32,
    /// Where it stands, as messages name it: `build.log:12`.
    pub place: String,
}

/// Every kernel of a report.
pub(super) fn compiled_kernels(report: &CompilerReport) -> Vec<CompiledReport> {
    let one = |k: &CompiledKernel| CompiledReport {
        kernel: own_name(&k.name).to_string(),
        capability: k.architecture.capability,
        registers: k.resources.registers,
        smem_static: k.resources.static_smem_bytes.unwrap_or(0),
        place: match k.place {
            ReportPlace::Whole => report.file.clone(),
            place => format!("{}{place}", report.file),
        },
    };
    report.kernels.iter().map(one).collect()
}

/// The last name of a readable one: `app::saxpy_kernel<16>` is `saxpy`.
fn own_name(readable: &str) -> &str {
    let (mut start, mut end, mut depth) = (0, readable.len(), 0_usize);
    for (at, c) in readable.char_indices() {
        match c {
            '<' => {
                if depth == 0 {
                    end = at;
                }
                depth += 1;
            }
            '>' => depth = depth.saturating_sub(1),
            ':' if depth == 0 => (start, end) = (at + 1, readable.len()),
            _ => {}
        }
    }
    let name = readable.get(start..end).filter(|n| !n.is_empty()).unwrap_or(readable);
    let bare = name.strip_suffix("_kernel").or_else(|| name.strip_suffix("Kernel"));
    bare.filter(|b| !b.is_empty()).unwrap_or(name)
}

/// Kernels by name in lower case and capability: their place, unless the reports contradict each other.
pub(super) type Index = HashMap<(String, (u8, u8)), Option<usize>>;

pub(super) fn index(all: &[CompiledReport]) -> Index {
    let mut index = Index::new();
    for (i, c) in all.iter().enumerate() {
        let known = index.entry((c.kernel.to_ascii_lowercase(), c.capability)).or_insert(Some(i));
        *known = known.filter(|first| all[*first].registers == c.registers);
    }
    index
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_read_under_the_names_of_measurements() {
        let log = |symbol: &str| {
            let text = format!(
                "ptxas info    : Compiling entry function '{symbol}' for 'sm_75'\n\
                ptxas info    : Used 206 registers, used 1 barriers, 4096 bytes smem, 360 bytes cmem[0]\n"
            );
            compiled_kernels(&crate::compiler::read_report(text.as_bytes(), "x.log", None).unwrap()).remove(0)
        };
        let found = log("_Z27shared_bank_conflict_kernelPf");
        assert_eq!((found.registers, found.smem_static, found.capability), (206, 4096, (7, 5)));
        assert_eq!((found.kernel.as_str(), found.place.as_str()), ("shared_bank_conflict", "x.log:2"));
        for (symbol, name) in [
            ("_ZN3app12saxpy_kernelEPf", "saxpy"),
            ("_ZL12saxpy_kernelPf", "saxpy"),
            ("_Z4gemmILi16EEvPf", "gemm"),
            ("_Z18446744073709551615x", "_Z18446744073709551615x"),
            ("plain", "plain"),
        ] {
            assert_eq!(log(symbol).kernel, name, "{symbol}");
        }
        assert_eq!(own_name("a<b::c>::f<(int)1>"), "f");
    }
}
