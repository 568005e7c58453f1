//! What `ptxas -v` says of each kernel: registers and static shared memory per architecture.

/// One kernel in one compiler log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compiled {
    /// The function's own name, without namespaces, arguments and a trailing `_kernel`.
    pub kernel: String,
    /// Compute capability it was compiled for.
    pub capability: (u8, u8),
    /// Registers per thread.
    pub registers: u32,
    /// Static shared memory per block in bytes.
    pub smem_static: u32,
    /// Where it stands.
    pub file: String,
    /// The line that says so.
    pub line: u64,
}

const ENTRY: &str = "Compiling entry function '";

pub(super) fn recognises(head: &str) -> bool {
    head.contains("ptxas info") && head.contains(ENTRY)
}

/// Every kernel of the log; lines that say something else are passed over.
pub(super) fn read(text: &str, file: &str) -> Vec<Compiled> {
    let mut found = Vec::new();
    let mut entry: Option<(String, (u8, u8))> = None;
    for (i, line) in text.lines().enumerate() {
        if let Some(rest) = line.split_once(ENTRY).map(|(_, rest)| rest) {
            entry = entry_of(rest);
        } else if let Some(rest) = line.split_once("Used ").map(|(_, rest)| rest)
            && let Some((kernel, capability)) = entry.take()
        {
            let Some(registers) = number_before(rest, " registers") else { continue };
            let smem_static = number_before(rest, " bytes smem").unwrap_or(0);
            let (file, line) = (file.to_string(), i as u64 + 1);
            found.push(Compiled { kernel, capability, registers, smem_static, file, line });
        }
    }
    found
}

/// `_Z12saxpy_kernelfPKfPfi' for 'sm_75'`.
fn entry_of(rest: &str) -> Option<(String, (u8, u8))> {
    let (mangled, rest) = rest.split_once('\'')?;
    let digits: String = rest.split_once("sm_")?.1.chars().take_while(char::is_ascii_digit).collect();
    let number: u16 = digits.parse().ok()?;
    let capability = (u8::try_from(number / 10).ok()?, (number % 10) as u8);
    Some((own_name(mangled), capability))
}

/// The last plain name of an Itanium-mangled function: `_ZN3app12saxpy_kernelEPf` is `saxpy`.
fn own_name(mangled: &str) -> String {
    let mut name = mangled;
    if let Some(rest) = mangled.strip_prefix("_Z") {
        let mut rest = rest.strip_prefix('N').unwrap_or(rest);
        loop {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            let Ok(length) = rest[..digits].parse::<usize>() else { break };
            let Some(part) = rest.get(digits..digits + length) else { break };
            name = part;
            rest = &rest[digits + length..];
            if !mangled.starts_with("_ZN") {
                break;
            }
        }
    }
    let bare = name.strip_suffix("_kernel").or_else(|| name.strip_suffix("Kernel"));
    bare.filter(|b| !b.is_empty()).unwrap_or(name).to_string()
}

/// The number that ends right before `unit`.
fn number_before(text: &str, unit: &str) -> Option<u32> {
    let before = &text[..text.find(unit)?];
    let digits = before.bytes().rev().take_while(u8::is_ascii_digit).count();
    before[before.len() - digits..].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_and_shared_memory_are_read_per_architecture() {
        let log = "ptxas info    : Compiling entry function '_Z27shared_bank_conflict_kernelPf' for 'sm_75'\n\
            ptxas info    : Function properties for _Z27shared_bank_conflict_kernelPf\n    0 bytes stack frame\n\
            ptxas info    : Used 206 registers, used 1 barriers, 4096 bytes smem, 360 bytes cmem[0]\n";
        assert!(recognises(log));
        let found = read(log, "x.log");
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].registers, found[0].smem_static, found[0].capability), (206, 4096, (7, 5)));
        assert_eq!((found[0].kernel.as_str(), found[0].line), ("shared_bank_conflict", 4));
        assert_eq!(own_name("_ZN3app12saxpy_kernelEPf"), "saxpy");
        assert_eq!(own_name("_Z4gemmILi16EEvPf"), "gemm");
        assert_eq!(own_name("_Z99broken"), "_Z99broken");
    }
}
