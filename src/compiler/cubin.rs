//! Cubins: ELF files of NVIDIA's machine.
//!
//! A kernel is a symbol with the entry bit (`STO_CUDA_ENTRY`). Its registers are attribute 0x2f of `.nv.info`, which every
//! architecture has; `sh_info >> 24` of its code has them up to 8.9 only. Its static shared memory is the size of
//! `.nv.shared.<name>`, from 9.0 on with what the driver reserves (which it does from 8.0 on). Spills are not recorded.

use super::resource_usage::without_reserve;
use super::{CodeArchitecture, Findings, ReportError, ReportPlace, quoted};
use crate::kernel::Resources;
use object::Endianness;
use object::elf::{EM_CUDA, FileHeader64, SHT_SYMTAB, SectionHeader64};
use object::read::elf::{FileHeader, SectionHeader, SectionTable, Sym, SymbolTable};
use object::read::{SectionIndex, SymbolIndex};
use std::cell::Cell;
use std::collections::HashMap;

/// What every ELF file begins with.
pub(super) const MAGIC: &[u8] = b"\x7fELF";

/// The bit of a symbol's `st_other` that marks a kernel.
const ENTRY: u8 = 0x10;

/// Attributes of `.nv.info` and `.nv.info.<name>`.
mod attribute {
    pub(super) const MAX_THREADS: u8 = 0x05;
    pub(super) const REQUIRED_BLOCK: u8 = 0x10;
    pub(super) const FRAME_SIZE: u8 = 0x11;
    pub(super) const REGISTERS: u8 = 0x2f;
    pub(super) const BARRIERS: u8 = 0x4c;
}

type Elf = FileHeader64<Endianness>;
type ElfHeader = SectionHeader64<Endianness>;

pub(super) fn read_cubin(bytes: &[u8], found: &mut Findings) -> Result<(), ReportError> {
    let elf = Cubin::open_cubin(bytes, found)?;
    let architecture = elf.architecture(found)?;
    let global = elf.global(found);
    let mut kernels = 0_usize;
    for (index, symbol) in elf.symbols.enumerate() {
        if symbol.st_other() & ENTRY == 0 {
            continue;
        }
        kernels += 1;
        let name = elf.symbols.symbol_name(elf.endian, symbol);
        let looked_at = name.map_or_else(|_| elf.rest_of_names(symbol.st_name(elf.endian)), <[u8]>::len);
        if !elf.can_afford(looked_at) {
            found.add_refusal(ReportPlace::Whole, OVERLAPPING);
            break;
        }
        let Ok(name) = name else {
            found.add_refusal(
                ReportPlace::Whole,
                format!("symbol {}: its name lies outside the file", index.0),
            );
            continue;
        };
        let name = String::from_utf8_lossy(name);
        let code = elf.symbols.symbol_section(elf.endian, symbol, index).ok().flatten();
        let place = code.and_then(|at| elf.offset(at)).map_or(ReportPlace::Whole, ReportPlace::Byte);
        match elf.resources(&name, index, code, architecture, &global) {
            Ok(resources) => found.add_resources(&name, architecture, resources, place),
            Err(why) => found.add_refusal(place, format!("kernel {}: {why}", quoted(&name))),
        }
    }
    if kernels == 0 {
        let what = "a cubin without kernels: it has device functions or data only";
        return Err(found.report_error(ReportPlace::Whole, what));
    }
    Ok(())
}

/// An ELF file of the right machine, with its tables checked.
struct Cubin<'a> {
    bytes: &'a [u8],
    endian: Endianness,
    header: &'a Elf,
    sections: SectionTable<'a, Elf>,
    symbols: SymbolTable<'a, Elf>,
    /// Sections by name. Names may be damaged one by one; such a section is nobody's.
    named: HashMap<&'a [u8], &'a ElfHeader>,
    /// How many bytes of names and attributes may still be read. In a sound file nothing overlaps; a file made to
    /// overlap would keep a reader busy for hours.
    budget: Cell<usize>,
}

const OVERLAPPING: &str = "its tables overlap: the file is damaged; what was read so far counts";

impl<'a> Cubin<'a> {
    fn open_cubin(bytes: &'a [u8], found: &Findings) -> Result<Self, ReportError> {
        let size = bytes.len();
        let cut = |what: &str, why: object::read::Error| {
            let hint = "the file is cut off or damaged; compile or copy it again";
            found.report_error(
                ReportPlace::Whole,
                format!("{what} of an ELF file of {size} bytes: {why}; {hint}"),
            )
        };
        if bytes.get(4) == Some(&1) {
            let what = "is a 32-bit ELF file; cubins of architectures in use have 64 bits";
            return Err(found.report_error(ReportPlace::Byte(4), what));
        }
        let header = Elf::parse(bytes).map_err(|e| cut("header", e))?;
        let endian = header.endian().map_err(|e| cut("header", e))?;
        let machine = header.e_machine(endian);
        if machine != EM_CUDA {
            let what = format!("is an ELF file of machine {machine}, not a cubin (machine {EM_CUDA})");
            let how = "take its kernels out with `cuobjdump -xelf all FILE` and read the .cubin files";
            return Err(
                found.report_error(ReportPlace::Byte(18), format!("{what}: a program or a library; {how}"))
            );
        }
        let sections = header.sections(endian, bytes).map_err(|e| cut("section table", e))?;
        let symbols = sections.symbols(endian, bytes, SHT_SYMTAB).map_err(|e| cut("symbol table", e))?;
        let (named, budget) = (HashMap::new(), Cell::new(4 * size + 4096));
        let mut all = Self { bytes, endian, header, sections, symbols, named, budget };
        for section in all.sections.iter() {
            let name = all.sections.section_name(endian, section);
            let looked_at = name.map_or_else(|_| all.rest_of_sections(section), <[u8]>::len);
            if !all.can_afford(looked_at) {
                break;
            }
            if let Ok(name) = name {
                all.named.entry(name).or_insert(section);
            }
        }
        Ok(all)
    }

    /// How many bytes were looked at for a symbol's name that has no end.
    fn rest_of_names(&self, from: u32) -> usize {
        self.sections.section(self.symbols.string_section()).map_or(0, |table| self.rest(table, from))
    }

    /// How many bytes were looked at for a section's name that has no end.
    fn rest_of_sections(&self, section: &ElfHeader) -> usize {
        let index = self.header.shstrndx(self.endian, self.bytes).unwrap_or_default();
        let table = self.sections.section(SectionIndex(index as usize));
        table.map_or(0, |table| self.rest(table, section.sh_name(self.endian)))
    }

    /// What lies between this offset in a table of names and its end.
    fn rest(&self, table: &ElfHeader, from: u32) -> usize {
        let size = usize::try_from(table.sh_size(self.endian)).unwrap_or(usize::MAX);
        size.min(self.bytes.len()).saturating_sub(from as usize)
    }

    fn can_afford(&self, bytes: usize) -> bool {
        let left = self.budget.get().checked_sub(bytes);
        self.budget.set(left.unwrap_or(0));
        left.is_some()
    }

    /// The architecture in the header's flags. The layout of the flags came with the ABI version 8 of CUDA 13.
    fn architecture(&self, found: &Findings) -> Result<CodeArchitecture, ReportError> {
        let flags = self.header.e_flags(self.endian);
        let version = self.header.e_ident().abi_version;
        let (number, accelerated) = match version {
            ..8 => (flags & 0xff, flags & 0x800 != 0),
            _ => ((flags >> 8) & 0xff, flags & 0x8 != 0),
        };
        CodeArchitecture::from_number(number, accelerated.then_some('a')).ok_or_else(|| {
            let what = format!("flags {flags:#x} of ABI version {version} name no architecture");
            found.report_error(ReportPlace::Byte(48), format!("{what}; is this a cubin of a newer CUDA?"))
        })
    }

    fn offset(&self, at: SectionIndex) -> Option<u64> {
        self.sections.section(at).ok().map(|s| s.sh_offset(self.endian))
    }

    /// Registers and stack by symbol, from the table that all kernels share.
    fn global(&self, found: &mut Findings) -> Global {
        let mut global = Global::default();
        let Some(section) = self.named.get(&b".nv.info"[..]) else { return global };
        let walked = self.attributes(section, |attribute, payload| {
            let (Some(symbol), Some(value)) = (word_at(payload, 0), word_at(payload, 1)) else { return };
            match attribute {
                attribute::REGISTERS => global.registers.insert(symbol, value),
                attribute::FRAME_SIZE => global.frames.insert(symbol, value),
                _ => None,
            };
        });
        if let Err((at, why)) = walked {
            found.add_refusal(ReportPlace::Byte(at), format!("section .nv.info: {why}"));
        }
        global
    }

    fn resources(
        &self,
        name: &str,
        index: SymbolIndex,
        code: Option<SectionIndex>,
        architecture: CodeArchitecture,
        global: &Global,
    ) -> Result<Resources, String> {
        let index = u32::try_from(index.0).map_err(|_| "more symbols than an ELF file can have")?;
        let code = code.and_then(|at| self.sections.section(at).ok()).ok_or("its code is missing")?;
        let registers = global.registers.get(&index).copied();
        let mut resources = Resources {
            registers: registers.ok_or("attribute 0x2f (registers) is missing in .nv.info")?,
            static_smem_bytes: Some(self.shared(name, architecture)?),
            stack_bytes: global.frames.get(&index).copied(),
            // Up to 9.0 the flags of the code count them, later an attribute, which is left out where there are none.
            barriers: Some((code.sh_flags(self.endian) >> 20 & 0x7f) as u32),
            ..Resources::default()
        };
        if let Some(section) = self.named.get(format!(".nv.info.{name}").as_bytes()) {
            let walked = self.attributes(section, |attribute, payload| match attribute {
                attribute::BARRIERS => resources.barriers = payload.first().map(|b| u32::from(*b)),
                attribute::MAX_THREADS => {
                    resources.max_threads =
                        block(payload).map(|b| b.iter().fold(1_u32, |a, n| a.saturating_mul(*n)));
                }
                attribute::REQUIRED_BLOCK => resources.required_block = block(payload),
                _ => {}
            });
            walked.map_err(|(at, why)| format!("section .nv.info of it, byte {at:#x}: {why}"))?;
        }
        Ok(resources)
    }

    fn shared(&self, name: &str, architecture: CodeArchitecture) -> Result<u32, String> {
        let section = self.named.get(format!(".nv.shared.{name}").as_bytes());
        let size = section.map_or(0, |s| s.sh_size(self.endian));
        let size =
            u32::try_from(size).map_err(|_| format!("{size} bytes of shared memory are impossible"))?;
        Ok(without_reserve(size, architecture))
    }

    /// Calls `each` with every attribute of a section and its bytes.
    fn attributes(
        &self,
        section: &ElfHeader,
        mut each: impl FnMut(u8, &[u8]),
    ) -> Result<(), (u64, &'static str)> {
        let start = section.sh_offset(self.endian);
        let all = section.data(self.endian, self.bytes).map_err(|_| (start, "lies outside the file"))?;
        if !self.can_afford(all.len()) {
            return Err((start, OVERLAPPING));
        }
        let mut rest = all;
        while !rest.is_empty() {
            let at = start + (all.len() - rest.len()) as u64;
            let [form, attribute, low, high, after @ ..] = rest else {
                return Err((at, "an attribute is cut off"));
            };
            // Only form 4 has bytes of its own; in the others the two bytes after the attribute are the value.
            let length = usize::from(u16::from_le_bytes([*low, *high]));
            let length = if *form == 4 { length } else { 0 };
            let (payload, next) = after.split_at_checked(length).ok_or((at, "an attribute is cut off"))?;
            each(*attribute, if *form == 4 { payload } else { &rest[2..4] });
            rest = next;
        }
        Ok(())
    }
}

/// Values by symbol.
#[derive(Default)]
struct Global {
    registers: HashMap<u32, u32>,
    frames: HashMap<u32, u32>,
}

/// The n-th 32-bit number.
fn word_at(bytes: &[u8], n: usize) -> Option<u32> {
    let four = bytes.get(4 * n..)?.first_chunk()?;
    Some(u32::from_le_bytes(*four))
}

fn block(payload: &[u8]) -> Option<[u32; 3]> {
    Some([word_at(payload, 0)?, word_at(payload, 1)?, word_at(payload, 2)?])
}

#[cfg(test)]
pub(super) mod tests {
    use crate::compiler::{ReportPlace, read_report};

    /// A cubin as small as one can be: one kernel `k` with code, attributes and shared memory.
    pub(crate) fn tiny(abi: u8, flags: u32, shared: u64, info: &[u8], own: &[u8]) -> Vec<u8> {
        const NAMES: &[u8] = b"\0.shstrtab\0.symtab\0.nv.info\0.nv.info.k\0.text.k\0.nv.shared.k\0k\0";
        let name = |text: &str| {
            let with_end = format!("{text}\0");
            NAMES.windows(with_end.len()).position(|w| w == with_end.as_bytes()).unwrap() as u32
        };
        let mut out = vec![0; 64];
        let mut put = |bytes: &[u8]| {
            let at = out.len() as u64;
            out.extend_from_slice(bytes);
            (at, bytes.len() as u64)
        };
        let names = put(NAMES);
        let mut symbols = vec![0; 24];
        symbols.extend_from_slice(&name("k").to_le_bytes());
        symbols.extend_from_slice(&[0x12, 0x10, 5, 0]);
        symbols.extend_from_slice(&[0; 16]);
        let symbols = put(&symbols);
        let (info, own) = (put(info), put(own));
        let code = put(&[0; 16]);
        let mut sections: Vec<u8> = vec![0; 64];
        let mut section =
            |text: &str, kind: u32, flags: u64, (at, size): (u64, u64), link: u32, each: u64| {
                sections.extend_from_slice(&name(text).to_le_bytes());
                sections.extend_from_slice(&kind.to_le_bytes());
                for n in [flags, 0, at, size] {
                    sections.extend_from_slice(&n.to_le_bytes());
                }
                sections.extend_from_slice(&link.to_le_bytes());
                sections.extend_from_slice(&0_u32.to_le_bytes());
                for n in [1, each] {
                    sections.extend_from_slice(&n.to_le_bytes());
                }
            };
        section(".shstrtab", 3, 0, names, 0, 0);
        section(".symtab", 2, 0, symbols, 1, 24);
        section(".nv.info", 0x7000_0000, 0, info, 2, 0);
        section(".nv.info.k", 0x7000_0000, 0, own, 2, 0);
        section(".text.k", 1, 1 << 20 | 6, code, 2, 0);
        section(".nv.shared.k", 8, 3, (code.0, shared), 0, 0);
        let table = out.len() as u64;
        out.extend_from_slice(&sections);
        out[..16].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, 1, 1, 0x33, abi, 0, 0, 0, 0, 0, 0, 0]);
        out[16..20].copy_from_slice(&[2, 0, 190, 0]);
        out[20] = 1;
        out[40..48].copy_from_slice(&table.to_le_bytes());
        out[48..52].copy_from_slice(&flags.to_le_bytes());
        out[52..64].copy_from_slice(&[64, 0, 56, 0, 0, 0, 64, 0, 7, 0, 1, 0]);
        out
    }

    /// Attribute in form 4.
    fn long(attribute: u8, words: &[u32]) -> Vec<u8> {
        let size = 4 * words.len() as u16;
        let head = [4, attribute, size.to_le_bytes()[0], size.to_le_bytes()[1]];
        head.into_iter().chain(words.iter().flat_map(|w| w.to_le_bytes())).collect()
    }

    fn info() -> Vec<u8> {
        [long(0x2f, &[1, 40]), long(0x11, &[1, 16])].concat()
    }

    #[test]
    fn a_kernel_has_registers_shared_memory_barriers_and_bounds() {
        let own = [long(0x05, &[64, 4, 1]), vec![1, 0x2a, 0, 0], long(0x10, &[32, 2, 1])].concat();
        let old = read_report(&tiny(7, 0x34_0534, 4096, &info(), &own), "k.cubin", None).unwrap();
        let (kernel, r) = (&old.kernels[0], &old.kernels[0].resources);
        assert_eq!((kernel.symbol.as_str(), kernel.architecture.to_string().as_str()), ("k", "sm_52"));
        assert_eq!((r.registers, r.static_smem_bytes, r.barriers), (40, Some(4096), Some(1)));
        assert_eq!((r.stack_bytes, r.max_threads, r.required_block), (Some(16), Some(256), Some([32, 2, 1])));
        assert_eq!((r.spill_store_bytes, r.spill_load_bytes), (None, None), "not recorded");
    }

    #[test]
    fn newer_architectures_keep_things_elsewhere() {
        let new =
            read_report(&tiny(8, 0x600_7802, 2048, &info(), &[2, 0x4c, 3, 0]), "k.cubin", None).unwrap();
        let r = &new.kernels[0].resources;
        assert_eq!(new.kernels[0].architecture.to_string(), "sm_120");
        assert_eq!((r.static_smem_bytes, r.barriers), (Some(1024), Some(3)));
        let special = read_report(&tiny(7, 0x5a_0d5a, 0, &info(), &[]), "k.cubin", None).unwrap();
        assert_eq!(special.kernels[0].architecture.to_string(), "sm_90a");
    }

    /// A cubin whose table of names, `names` bytes long, has no end, with this many kernels that all point into it.
    fn endless_names(names: usize, kernels: usize) -> Vec<u8> {
        let mut out = vec![0; 64];
        out.resize(64 + names, b'k');
        let symbols = out.len() as u64;
        out.resize(out.len() + 24, 0);
        (0..kernels).for_each(|_| out.extend([&[1, 0, 0, 0, 0x12, 0x10, 0, 0][..], &[0; 16]].concat()));
        let table = out.len() as u64;
        let symbols = (symbols, table - symbols);
        out.resize(out.len() + 64, 0);
        for (kind, (at, size), link, each) in [(3_u32, (64, names as u64), 0_u32, 0_u64), (2, symbols, 1, 24)]
        {
            out.extend([1_u32.to_le_bytes(), kind.to_le_bytes()].concat());
            out.extend([0, 0, at, size].map(u64::to_le_bytes).concat());
            out.extend([link.to_le_bytes(), 0_u32.to_le_bytes()].concat());
            out.extend([1, each].map(u64::to_le_bytes).concat());
        }
        let head = tiny(7, 0x34_0534, 0, &[], &[]);
        out[..64].copy_from_slice(&head[..64]);
        out[40..48].copy_from_slice(&table.to_le_bytes());
        out[60..64].copy_from_slice(&[3, 0, 1, 0]);
        out
    }

    #[test]
    fn names_without_an_end_use_the_budget_up() {
        let error = read_report(&endless_names(4 << 20, 2), "k.cubin", None).unwrap_err();
        assert!(error.message.contains("its name lies outside the file"), "{error}");
        let file = endless_names(4 << 20, 200_000);
        let mut found = crate::compiler::Findings::new("k.cubin", file.len());
        super::read_cubin(&file, &mut found).unwrap();
        assert!(found.refused_count < 20, "{}", found.refused_count);
        assert!(found.refused.last().unwrap().message.contains("its tables overlap"), "{:?}", found.refused);
    }

    #[test]
    fn what_is_no_cubin_says_what_it_is_and_where() {
        let mut host = tiny(7, 0x34_0534, 0, &info(), &[]);
        host[18] = 62;
        let error = read_report(&host, "a.out", None).unwrap_err();
        assert_eq!(error.place, ReportPlace::Byte(18));
        assert!(error.message.contains("cuobjdump -xelf all"), "{error}");
        let bare = read_report(&tiny(7, 0x34_0534, 0, &[], &[]), "k.cubin", None).unwrap_err();
        assert!(bare.message.contains("attribute 0x2f"), "{bare}");
        let cut = read_report(&tiny(7, 0x34_0534, 0, &info(), &[4, 5, 99, 0]), "k.cubin", None).unwrap_err();
        assert!(cut.message.contains("an attribute is cut off"), "{cut}");
        // Tables may stand at any offset.
        let odd = tiny(7, 0x34_0534, 0, &[info(), vec![1, 0x2a, 0, 0]].concat(), &[]);
        assert_eq!(read_report(&[&odd[..], &[0; 3]].concat(), "k.cubin", None).unwrap().kernels.len(), 1);
        let mut shifted = vec![0];
        shifted.extend_from_slice(&odd);
        assert_eq!(read_report(&shifted[1..], "k.cubin", None).unwrap().kernels.len(), 1);
        let whole = tiny(7, 0x34_0534, 0, &info(), &[]);
        for length in 4..whole.len() {
            let error = read_report(&whole[..length], "cut.cubin", None).unwrap_err().to_string();
            assert!(error.starts_with("cut.cubin"), "{length}: {error}");
        }
    }
}
