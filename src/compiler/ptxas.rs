//! `ptxas -v`, also within the log of nvcc.
//!
//! ```text
//! ptxas info    : Compiling entry function '_Z5saxpyPfS_if' for 'sm_89'
//! ptxas info    : Function properties for _Z5saxpyPfS_if
//!     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
//! ptxas info    : Used 12 registers, used 1 barriers, 1024 bytes smem, 372 bytes cmem[0]
//! ```
//!
//! Properties of device functions may stand between; they are not the kernel's. Shared memory is without the driver's
//! reserve, and left out where there is none.

use super::text::{AsciiText, contains, number_in};
use super::{CodeArchitecture, Findings, ReportPlace, quoted};
use crate::kernel::Resources;

/// A kernel whose compilation began, and what is known of it so far.
struct PtxasKernel {
    line: usize,
    symbol: String,
    architecture: CodeArchitecture,
    /// The function that the last properties were of.
    properties_of: String,
    /// Bytes of stack, spill stores, spill loads.
    frame: Option<[u32; 3]>,
    /// Whether another compilation had begun and not ended before: lines of two may be mixed.
    after_unfinished: bool,
}

pub(super) fn read_ptxas(text: &AsciiText<'_>, found: &mut Findings) {
    let mut reader = PtxasReader { found, entry: None, doubtful: None };
    for (number, line) in text.numbered_lines() {
        reader.read_line(number, line);
    }
    reader.unfinished("the log ends before its `Used … registers` line");
    if let Some(line) = text.overlong() {
        reader.found.add_refusal(ReportPlace::Line(line), "is longer than 1 MiB; it was left out");
    }
}

struct PtxasReader<'a> {
    found: &'a mut Findings,
    entry: Option<PtxasKernel>,
    /// How many kernels there were before the first that may have got another's numbers, and its line. The doubt lasts:
    /// numbers that are left over can come any time later.
    doubtful: Option<(usize, usize)>,
}

impl PtxasReader<'_> {
    fn read_line(&mut self, at: usize, line: &[u8]) {
        if contains(line, " bytes stack frame") {
            return self.frame(at, &String::from_utf8_lossy(line));
        }
        if !contains(line, "ptxas info") {
            return;
        }
        let text = String::from_utf8_lossy(line);
        let message = text.split_once("ptxas info").and_then(|(_, rest)| rest.split_once(':'));
        let message = message.map_or("", |(_, message)| message.trim());
        if let Some(rest) = message.strip_prefix("Compiling entry function ") {
            self.begin(at, rest);
        } else if let Some(name) = message.strip_prefix("Function properties for ") {
            if let Some(entry) = &mut self.entry {
                entry.properties_of = name.trim().trim_matches('\'').to_string();
            }
        } else if let Some(rest) = message.strip_prefix("Used ") {
            self.used(at, rest);
        }
    }

    /// `'NAME' for 'sm_89'`
    fn begin(&mut self, at: usize, rest: &str) {
        let after_unfinished = self.entry.is_some();
        self.unfinished(
            "another kernel begins before its `Used … registers` line; is this a log of parallel jobs?",
        );
        let named =
            rest.strip_prefix('\'').and_then(|r| r.strip_suffix('\'')).and_then(|r| r.split_once("' for '"));
        let Some((symbol, typed)) = named else {
            let what = format!("{}: expected 'NAME' for 'sm_NN'", quoted(rest));
            return self.found.add_refusal(ReportPlace::Line(at), what);
        };
        match typed.parse() {
            Ok(architecture) => {
                let (symbol, properties_of) = (symbol.to_string(), String::new());
                let frame = None;
                self.entry = Some(PtxasKernel {
                    line: at,
                    symbol,
                    architecture,
                    properties_of,
                    frame,
                    after_unfinished,
                });
            }
            Err(why) => {
                self.found.add_refusal(ReportPlace::Line(at), format!("kernel {}: {why}", quoted(symbol)))
            }
        }
    }

    /// `0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads`
    fn frame(&mut self, at: usize, line: &str) {
        let Some(entry) = &mut self.entry else { return };
        // Device functions have frames of their own; ptxas adds them up elsewhere.
        if entry.properties_of != entry.symbol {
            return;
        }
        let words = ["bytes stack frame", "bytes spill stores", "bytes spill loads"];
        let parts: Vec<&str> = line.trim().split(',').collect();
        let read = |i: usize| parts.get(i).and_then(|p| number_in(p.trim().strip_suffix(words[i])?.trim()));
        match (read(0), read(1), read(2)) {
            (Some(stack), Some(stores), Some(loads)) => entry.frame = Some([stack, stores, loads]),
            _ => {
                let expected = "expected `N bytes stack frame, N bytes spill stores, N bytes spill loads`";
                self.found.add_refusal(ReportPlace::Line(at), format!("{}: {expected}", quoted(line.trim())));
                self.entry = None;
            }
        }
    }

    /// `12 registers, used 1 barriers, 1024 bytes smem, 372 bytes cmem[0]`
    fn used(&mut self, at: usize, rest: &str) {
        let Some(entry) = self.entry.take() else {
            // The numbers of a kernel that was thought to be without: all since then may have taken another's.
            if let Some((kernels, line)) = self.doubtful.take() {
                for lost in self.found.kernels.split_off(kernels) {
                    let why = "lines of several kernels are mixed from here on; compile with one job";
                    let name = quoted(&lost.symbol);
                    self.found.add_refusal(ReportPlace::Line(line), format!("kernel {name}: {why}"));
                }
            }
            return;
        };
        let resources = match used(rest) {
            Ok(resources) => resources,
            Err(part) => {
                let what = format!("kernel {}: {}", quoted(&entry.symbol), quoted(part));
                return self
                    .found
                    .add_refusal(ReportPlace::Line(at), format!("{what}: expected a whole number"));
            }
        };
        let [stack, stores, loads] = entry.frame.map_or([None; 3], |frame| frame.map(Some));
        let resources =
            Resources { stack_bytes: stack, spill_store_bytes: stores, spill_load_bytes: loads, ..resources };
        if entry.after_unfinished {
            self.doubtful.get_or_insert((self.found.kernels.len(), at));
        }
        self.found.add_resources(&entry.symbol, entry.architecture, resources, ReportPlace::Line(at));
    }

    fn unfinished(&mut self, why: &str) {
        if let Some(entry) = self.entry.take() {
            self.found.add_refusal(
                ReportPlace::Line(entry.line),
                format!("kernel {}: {why}", quoted(&entry.symbol)),
            );
        }
    }
}

/// The parts of a `Used` line that count; a part that is not a number is returned.
fn used(rest: &str) -> Result<Resources, &str> {
    // No shared memory is not printed; barriers were not printed at all by old compilers.
    let mut resources = Resources { static_smem_bytes: Some(0), ..Resources::default() };
    for part in rest.split(',').map(str::trim) {
        let bare = part.strip_prefix("used ").unwrap_or(part);
        let Some((amount, what)) = bare.split_once(' ') else { continue };
        let amount = || number_in(amount).ok_or(part);
        match what {
            "registers" => resources.registers = amount()?,
            "barriers" => resources.barriers = Some(amount()?),
            "bytes smem" => resources.static_smem_bytes = Some(amount()?),
            _ => {}
        }
    }
    Ok(resources)
}

#[cfg(test)]
mod tests {
    use crate::compiler::{CompilerReport, ReportPlace, read_report};

    const TWO: &str = "x.cu(3): warning #177-D: variable \"t\" was declared but never referenced\n\
        ptxas info    : 0 bytes gmem\n\
        ptxas info    : Compiling entry function '_Z1kPf' for 'sm_75'\n\
        ptxas info    : Function properties for _Z1kPf\n\
        \x20   16 bytes stack frame, 24 bytes spill stores, 12 bytes spill loads\n\
        ptxas info    : Function properties for _Z6devicev\n\
        \x20   99 bytes stack frame, 98 bytes spill stores, 97 bytes spill loads\n\
        ptxas info    : Used 40 registers, used 1 barriers, 4096 bytes smem, 360 bytes cmem[0]\n\
        ptxas info    : Compiling entry function '_Z1kPf' for 'sm_90a'\r\n\
        ptxas info    : Function properties for _Z1kPf\r\n\
        \x20   0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\r\n\
        ptxas info    : Used 32 registers, used 0 barriers\r\n";

    fn report(text: &str) -> CompilerReport {
        read_report(text.as_bytes(), "build.log", None).unwrap()
    }

    #[test]
    fn a_log_gives_every_kernel_for_every_architecture() {
        let report = report(TWO);
        let [old, new] = &report.kernels[..] else { panic!("{report:?}") };
        let r = &old.resources;
        assert_eq!((r.registers, r.static_smem_bytes, r.barriers), (40, Some(4096), Some(1)));
        assert_eq!((r.stack_bytes, r.spills()), (Some(16), Some((24, 12))), "not the device function's");
        assert_eq!((new.architecture.to_string().as_str(), new.name.as_str()), ("sm_90a", "k"));
        assert_eq!((new.resources.static_smem_bytes, report.refused_count), (Some(0), 0));
    }

    #[test]
    fn a_kernel_without_numbers_is_refused_with_its_line_and_the_rest_stays() {
        let cut = TWO.replace("Used 40 registers", "Used many registers");
        let cut = report(&cut);
        assert_eq!((cut.kernels.len(), cut.refused[0].place), (1, ReportPlace::Line(8)));
        assert!(cut.refused[0].to_string().starts_with("build.log:8: kernel `_Z1kPf`: `many registers`"));
        let lost: String = TWO.lines().filter(|l| !l.contains("Used 40")).map(|l| format!("{l}\n")).collect();
        let lost = report(&lost);
        assert_eq!((lost.kernels.len(), lost.refused[0].place), (1, ReportPlace::Line(3)));
    }

    #[test]
    fn mixed_lines_of_two_jobs_are_not_believed() {
        let begin = |k: &str| format!("ptxas info : Compiling entry function '{k}' for 'sm_75'\n");
        let used = |n: u32| format!("ptxas info : Used {n} registers\n");
        let text = [begin("a"), begin("b"), used(10), used(20), begin("c"), used(30)].concat();
        let report = report(&text);
        let names: Vec<&str> = report.kernels.iter().map(|k| k.name.as_str()).collect();
        assert_eq!((names, report.refused_count), (vec!["c"], 2));
        // The numbers that are left over come after a kernel that looked whole.
        let first = [begin("before"), used(8)].concat();
        let mixed = [begin("a"), begin("b"), used(10), begin("c"), used(20), used(30)].concat();
        let report = self::report(&(first + &mixed));
        let names: Vec<&str> = report.kernels.iter().map(|k| k.name.as_str()).collect();
        assert_eq!((names, report.refused_count), (vec!["before"], 3), "{:?}", report.refused);
    }

    #[test]
    fn other_encodings_do_not_hide_kernels() {
        let latin = [b"/home/Andr\xe9/x.cu: warning\n", TWO.as_bytes()].concat();
        assert_eq!(read_report(&latin, "l", None).unwrap().kernels.len(), 2);
        for bytes_of in [u16::to_le_bytes, u16::to_be_bytes] {
            let utf16: Vec<u8> =
                "\u{feff}".encode_utf16().chain(TWO.encode_utf16()).flat_map(bytes_of).collect();
            assert_eq!(read_report(&utf16, "w", None).unwrap().kernels.len(), 2);
        }
        let nul = TWO.replace("_Z1kPf' for 'sm_75", "_Z1k\0f' for 'sm_75");
        let report = read_report(nul.as_bytes(), "n", None).unwrap();
        assert_eq!((report.kernels.len(), report.refused_count), (1, 1));
    }
}
