//! What compilers say of kernels: whatever the bytes, resources that a kernel can have, or an error that names the file.

use roofswap::compiler::{CodeArchitecture, read_report};

/// Reads with and without an architecture to fall back on.
pub fn body(bytes: &[u8]) {
    let arch: Option<CodeArchitecture> = "sm_89".parse().ok();
    assert!(arch.is_some());
    for assumed in [None, arch] {
        match read_report(bytes, "f.log", assumed) {
            Ok(report) => {
                assert!(!report.kernels.is_empty() && report.kernels.len() <= 1 + bytes.len());
                assert!(report.refused.len() <= report.refused_count);
                for kernel in &report.kernels {
                    assert!(kernel.resources.registers <= 255, "{kernel:?}");
                    assert!(!kernel.symbol.is_empty() && !kernel.symbol.contains(char::is_control));
                }
            }
            Err(e) => assert!(e.to_string().starts_with("f.log") && e.to_string().len() < 1000, "{e}"),
        }
    }
}
