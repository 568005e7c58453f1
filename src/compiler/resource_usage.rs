//! `cuobjdump --dump-resource-usage` of a cubin or of a program.
//!
//! ```text
//! Fatbin elf code:
//! ================
//! arch = sm_90
//!
//! Resource usage:
//!  Common:
//!   GLOBAL:0
//!  Function _Z5saxpyPfS_if:
//!   REG:12 STACK:0 SHARED:2048 LOCAL:0 CONSTANT[0]:556 TEXTURE:0 SURFACE:0 SAMPLER:0
//! ```
//!
//! Of a cubin alone no `arch` is printed. The driver reserves 1,024 bytes per block from 8.0 on; from 9.0 on `SHARED`
//! contains them. They are taken off, because every other number in this program is without them. Barriers and spills are not in this table.

use super::text::{AsciiText, number_in};
use super::{CodeArchitecture, Findings, ReportPlace, quoted};
use crate::kernel::Resources;

/// Bytes that the driver reserves per block from 8.0 on; the linker's sizes contain them from 9.0 on only.
pub(super) const RESERVE: u32 = 1024;

pub(super) fn read_resource_usage(
    text: &AsciiText<'_>,
    found: &mut Findings,
    assumed: Option<CodeArchitecture>,
) {
    let from_name = CodeArchitecture::in_name(&found.file);
    let fallback = assumed.or(from_name);
    let mut arch: Option<CodeArchitecture> = None;
    let mut of_ptx = false;
    let mut function: Option<(usize, String)> = None;
    let (mut unknown, mut used_fallback) = (0_usize, false);
    for (at, line) in text.numbered_lines() {
        let line = String::from_utf8_lossy(line.trim_ascii());
        if line.starts_with("Fatbin ") {
            (arch, of_ptx) = (None, line.contains("ptx"));
        } else if let Some(typed) = line.strip_prefix("arch = ") {
            match typed.parse() {
                Ok(known) if of_ptx => found.ptx.push(known),
                Ok(known) => arch = Some(known),
                Err(why) => found.add_refusal(ReportPlace::Line(at), why.to_string()),
            }
        } else if let Some(name) = line.strip_prefix("Function ").and_then(|r| r.strip_suffix(':')) {
            without_numbers(function.replace((at, name.to_string())), found);
        } else if line.starts_with("REG:") {
            let Some((_, name)) = function.take() else {
                found.add_refusal(
                    ReportPlace::Line(at),
                    "numbers without a `Function NAME:` line before them",
                );
                continue;
            };
            used_fallback |= arch.is_none() && fallback.is_some();
            match (arch.or(fallback), numbers_in(&line)) {
                (None, _) => unknown += 1,
                (Some(arch), Ok(row)) => {
                    found.add_resources(&name, arch, row.resources(arch), ReportPlace::Line(at))
                }
                (_, Err(why)) => {
                    found.add_refusal(ReportPlace::Line(at), format!("kernel {}: {why}", quoted(&name)))
                }
            }
        }
    }
    without_numbers(function, found);
    if unknown > 0 {
        let what = format!("{unknown} kernels of an unknown architecture: cuobjdump prints none for a cubin");
        found.add_refusal(
            ReportPlace::Whole,
            format!("{what}; say which with --arch sm_89 of `roofswap import` or `roofswap check`, or read the cubin itself"),
        );
    }
    if let Some(known) = fallback.filter(|_| used_fallback && assumed.is_none()) {
        found.remarks.push(format!(
            "{}: {known} is taken from the file's name; --arch of `roofswap import` and `roofswap check` sets another",
            found.file
        ));
    }
}

fn without_numbers(function: Option<(usize, String)>, found: &mut Findings) {
    if let Some((at, name)) = function {
        let what = format!("kernel {}: expected a line `REG:… STACK:… SHARED:…` after it", quoted(&name));
        found.add_refusal(ReportPlace::Line(at), what);
    }
}

/// What counts of one line.
struct UsageCounts {
    registers: u32,
    stack: Option<u32>,
    shared: Option<u32>,
}

impl UsageCounts {
    fn resources(&self, arch: CodeArchitecture) -> Resources {
        Resources {
            registers: self.registers,
            static_smem_bytes: self.shared.map(|bytes| without_reserve(bytes, arch)),
            stack_bytes: self.stack,
            ..Resources::default()
        }
    }
}

/// Shared memory as the source asked for it. A kernel without any has no reserve either.
pub(super) fn without_reserve(bytes: u32, arch: CodeArchitecture) -> u32 {
    if arch.sizes_contain_reserve() { bytes.checked_sub(RESERVE).unwrap_or(bytes) } else { bytes }
}

fn numbers_in(line: &str) -> Result<UsageCounts, String> {
    let mut row = UsageCounts { registers: 0, stack: None, shared: None };
    for pair in line.split_ascii_whitespace() {
        let (key, value) = pair.split_once(':').ok_or_else(|| format!("{}: expected KEY:N", quoted(pair)))?;
        let value = number_in(value).ok_or_else(|| format!("{}: expected a whole number", quoted(pair)))?;
        match key {
            "REG" => row.registers = value,
            "STACK" => row.stack = Some(value),
            "SHARED" => row.shared = Some(value),
            _ => {}
        }
    }
    Ok(row)
}

#[cfg(test)]
mod tests {
    use crate::compiler::{ReportPlace, read_report};

    const ONE: &str = "\nResource usage:\n Common:\n  GLOBAL:0\n Function k:\n  REG:24 STACK:8 SHARED:2048 LOCAL:0 \
                       CONSTANT[0]:340 TEXTURE:0\n";

    #[test]
    fn the_reserve_is_taken_off_from_9_0_on() {
        for (arch, smem) in [("sm_89", 2048), ("sm_90", 1024), ("sm_120", 1024)] {
            let report = read_report(ONE.as_bytes(), "u.txt", arch.parse().ok()).unwrap();
            let r = &report.kernels[0].resources;
            assert_eq!(
                (r.registers, r.stack_bytes, r.static_smem_bytes),
                (24, Some(8), Some(smem)),
                "{arch}"
            );
            assert_eq!((r.barriers, r.spill_store_bytes), (None, None), "not in this table");
        }
        let none = ONE.replace("SHARED:2048", "SHARED:0");
        let report = read_report(none.as_bytes(), "u.txt", "sm_90".parse().ok()).unwrap();
        assert_eq!(report.kernels[0].resources.static_smem_bytes, Some(0));
    }

    #[test]
    fn the_architecture_is_that_of_the_section_or_said_to_be_taken_from_the_name() {
        let section = |arch: &str| format!("Fatbin elf code:\n================\narch = {arch}\n{ONE}");
        let program =
            format!("{}{}\nFatbin ptx code:\n====\narch = sm_90\n", section("sm_52"), section("sm_90"));
        let report = read_report(program.as_bytes(), "u.sm_70.txt", None).unwrap();
        let all: Vec<String> = report.kernels.iter().map(|k| k.architecture.to_string()).collect();
        assert_eq!((all, report.remarks.len()), (vec!["sm_52".to_string(), "sm_90".to_string()], 0));
        let named = read_report(ONE.as_bytes(), "u.sm_70.txt", None).unwrap();
        assert!(named.remarks[0].contains("sm_70 is taken from the file's name"), "{:?}", named.remarks);
        let error = read_report(ONE.as_bytes(), "u.txt", None).unwrap_err().to_string();
        assert!(error.contains("--arch sm_89"), "{error}");
    }

    #[test]
    fn what_does_not_fit_is_refused_with_its_line() {
        let text =
            format!("{ONE} Function a:\n Function b:\n  REG:x STACK:0 SHARED:0\n  REG:1 STACK:0 SHARED:0\n");
        let report = read_report(text.as_bytes(), "u", "sm_70".parse().ok()).unwrap();
        let places: Vec<ReportPlace> = report.refused.iter().map(|r| r.place).collect();
        assert_eq!(places, [7, 9, 10].map(ReportPlace::Line));
        assert_eq!(report.kernels.len(), 1);
    }
}
