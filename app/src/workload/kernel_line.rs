//! The one-line form of a kernel: `4.2ms on 3090, 256 thr, grid 4096, 40 regs, 8KB smem, 17.2 GFLOP, 50MB dram, 120MB l2, bf16`,
//! in any order, read word by word.

use super::facts::Fact;
use super::typed_kernel::TypedKernel;
use crate::catalogue::{Catalogue, ElementType};
use crate::gpu::{Gpu, derived_gpu};
use crate::kernel::{Kernel, Problem};
use crate::units::{
    KiloBytes, TypedRate, bytes_per, flops_per, is_thousands_comma, number_and_unit, rate_of, seconds_per,
    typed_dimensions, typed_number, typed_rate,
};
use std::borrow::Cow;

/// Words that may stand between facts and mean nothing.
const FILLERS: [&str; 8] = ["a", "an", "the", "and", "with", "in", "at", "rate"];

/// What became of a few words of the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chip {
    /// Byte offset of its first character in the line.
    pub start: usize,
    /// Byte offset behind its last character.
    pub end: usize,
    /// What was understood (`time 4.20 ms`), or why nothing was and what to write.
    pub meaning: Result<String, String>,
}

/// A line, read.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelLine {
    /// What was understood.
    pub kernel: TypedKernel,
    /// LineWord by word, in the order of the line.
    pub chips: Vec<Chip>,
    /// A rate in place of the time, and the chip that it stands in.
    rate: Option<(TypedRate, usize)>,
}

/// A word of the line.
#[derive(Debug, Clone, Copy)]
struct LineWord<'t> {
    text: &'t str,
    start: usize,
    end: usize,
    /// Which part between commas it is of.
    part: usize,
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit()
}

/// The catalogues that names are looked up in.
#[derive(Clone, Copy)]
struct LineCatalogues<'a> {
    gpus: &'a Catalogue<Gpu>,
    kernels: &'a Catalogue<Kernel>,
    /// The first kernel that the line names: its sizes may stand before it.
    named: Option<&'a Kernel>,
}

impl KernelLine {
    /// Reads a line; never fails: what is not understood is a chip that says so.
    ///
    /// ```
    /// use roofswap::{session::Session, workload::KernelLine};
    /// let session = Session::load(None)?;
    /// let line = KernelLine::read("4.2ms on 3090, 16x16 thr, 17.2 GFLOP, 8KB smem", &session.gpus, &session.kernels);
    /// assert!(line.chips.iter().all(|chip| chip.meaning.is_ok()));
    /// assert_eq!(line.kernel.to_string(), "4.2ms on rtx-3090, 16x16 thr, 8192B smem, 17200000000FLOP");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn read(line: &str, gpus: &Catalogue<Gpu>, kernels: &Catalogue<Kernel>) -> Self {
        let words = words_of(line);
        let mut bare =
            words.iter().map(|word| word.text.split_once('=').map_or(word.text, |(_, value)| value));
        let named = bare.find_map(|word| kernels.id_named(word)).map(|at| &kernels[at]);
        let names = LineCatalogues { gpus, kernels, named };
        let mut read = Self { kernel: TypedKernel::default(), chips: Vec::new(), rate: None };
        let mut rest = &words[..];
        while let Some(first) = rest.first() {
            let part = rest.iter().take_while(|word| word.part == first.part).count();
            let used = read.take_words(&rest[..part], names).clamp(1, part);
            read.explain_comma(&rest[used - 1..]);
            rest = &rest[used..];
        }
        read.take_time_of_rate(names);
        read
    }

    /// Adds to what was not understood that its decimals stand behind a comma, which parts facts: `4,2ms`.
    fn explain_comma(&mut self, words: &[LineWord<'_>]) {
        let [last, next, ..] = words else { return };
        let is_cut = next.part != last.part
            && next.start == last.end + 1
            && [last.text.ends_with(is_digit), next.text.starts_with(is_digit)] == [true; 2];
        if let Some(Err(why)) = self.chips.last_mut().map(|chip| &mut chip.meaning).filter(|_| is_cut) {
            why.push_str("; decimals have a point");
        }
    }

    /// Makes the time of a rate, once all that it takes is read.
    fn take_time_of_rate(&mut self, names: LineCatalogues<'_>) {
        let Some((rate, chip)) = self.rate else { return };
        let known = self.kernel.name.as_deref().and_then(|name| names.kernels.id_named(name));
        let known = known.map(|at| &names.kernels[at]);
        self.chips[chip].meaning = match self.kernel.time {
            Some(time) => Err(format!("{rate} beside {time}: give one of them")),
            None => match self.kernel.set_time_at_rate(rate, known) {
                Ok(time) => Ok(format!("{rate}: time {time}")),
                Err(why) => Err(crate::text::harmless_line(&why.to_string())),
            },
        };
    }

    /// `700TFLOPS`, `900 GB/s`; whether it is a rate.
    fn take_rate(&mut self, first: LineWord<'_>, last: LineWord<'_>, value: &str) -> bool {
        let Some(rate) = typed_rate(value) else { return false };
        let meaning = match self.rate {
            Some((before, _)) => Err(format!("a second rate: {before} stands already")),
            None => Ok(rate.to_string()),
        };
        self.rate.get_or_insert((rate, self.chips.len()));
        self.push(first, last, meaning);
        true
    }

    /// The chips that were not understood.
    pub fn unread(&self) -> impl Iterator<Item = &str> {
        self.chips.iter().filter_map(|chip| chip.meaning.as_ref().err()).map(String::as_str)
    }

    /// Reads the first fact of these words; how many of them it took.
    fn take_words(&mut self, words: &[LineWord<'_>], names: LineCatalogues<'_>) -> usize {
        let first = words[0];
        let lower = first.text.to_lowercase();
        if matches!(lower.as_str(), "on" | "from" | "@" | "gpu") && words.len() > 1 {
            return 1 + self.take_gpu(&words[1..], first, names);
        }
        if let Some((key, value)) = first.text.split_once('=').filter(|(key, _)| !key.is_empty()) {
            self.take_pair(first, key, value, names);
            return 1;
        }
        if let Some(fact) = Fact::named(first.text) {
            return self.take_named(fact, words);
        }
        if let Some(used) = self.take_value(words) {
            return used;
        }
        self.take_bare(first, &lower, names);
        1
    }

    /// `on rtx 3090 ti`: as many words as name a GPU.
    fn take_gpu(&mut self, words: &[LineWord<'_>], on: LineWord<'_>, names: LineCatalogues<'_>) -> usize {
        for used in (1..=words.len()).rev() {
            let name = joined(&words[..used]);
            if let Ok(gpu) = gpu_named(names.gpus, &name) {
                let meaning = self.set_gpu(&gpu);
                self.push(on, words[used - 1], meaning);
                return used;
            }
        }
        // One word at least is meant to be a name: the error says which there are.
        let why = gpu_named(names.gpus, words[0].text).err().unwrap_or_default();
        self.push(on, words[0], Err(why));
        1
    }

    fn set_gpu(&mut self, gpu: &Gpu) -> Result<String, String> {
        match self.kernel.gpu.replace(gpu.id.clone()) {
            Some(before) => {
                let why = format!("a second GPU: the time was measured on one; {before} stands already");
                self.kernel.gpu = Some(before);
                Err(why)
            }
            None => Ok(format!("on {}", gpu.short_name())),
        }
    }

    /// `regs=40`, `gpu=3090`, `n=2048`.
    fn take_pair(&mut self, word: LineWord<'_>, key: &str, value: &str, names: LineCatalogues<'_>) {
        if key.eq_ignore_ascii_case("rate") && self.take_rate(word, word, value) {
            return;
        }
        let meaning = match (key.to_lowercase().as_str(), Fact::named(key)) {
            ("gpu" | "on" | "from", _) => gpu_named(names.gpus, value).and_then(|gpu| self.set_gpu(&gpu)),
            (_, Some(fact)) => fact.set(&mut self.kernel, value),
            (_, None) => self.set_size(key, value, names.named),
        };
        self.push(word, word, meaning);
    }

    /// A problem key, kept beside those before it.
    fn set_size(&mut self, key: &str, value: &str, named: Option<&Kernel>) -> Result<String, String> {
        let before = self.kernel.problem.to_string();
        let parts = [before.as_str(), &format!("{key}={value}")];
        let all = parts.iter().filter(|p| !p.is_empty()).copied().collect::<Vec<_>>().join(";");
        let may_be_zero = |key: &str| named.is_some_and(|kernel| kernel.may_be_zero(key));
        self.kernel.problem = Problem::typed(&all, may_be_zero).map_err(|e| e.to_string())?;
        Ok(format!("size {key}={}", self.kernel.problem.number_at(key).unwrap_or_default()))
    }

    /// `grid 4096`, `dynamic smem 8 KB`: the name first.
    fn take_named(&mut self, fact: Fact, words: &[LineWord<'_>]) -> usize {
        // `static smem`, `shared memory`: the second word says no more.
        let second = words.get(1).is_some_and(|w| is_second_name(w.text));
        let at = 1 + usize::from(second);
        let Some(value) = words.get(at) else {
            let why = format!("`{}` without a value; such as `{} 40`", words[0].text, words[0].text);
            self.push(words[0], words[at - 1], Err(why));
            return at;
        };
        let unit = words.get(at + 1).filter(|unit| is_unit_of(value.text, unit.text));
        let text =
            unit.map_or_else(|| value.text.to_string(), |unit| format!("{} {}", value.text, unit.text));
        let meaning = fact.set(&mut self.kernel, &text);
        let used = at + 1 + usize::from(unit.is_some());
        self.push(words[0], words[used - 1], meaning);
        used
    }

    /// `256 thr`, `40regs`, `17.2 GFLOP`, `50 MB dram`, `4.2ms`: the value first. `None` where it is no value.
    fn take_value(&mut self, words: &[LineWord<'_>]) -> Option<usize> {
        let first = words[0];
        let is_shape = typed_dimensions(first.text).is_some() && !first.text.ends_with(char::is_alphabetic);
        let glued = number_and_unit(first.text).map_or("", |(_, unit)| unit);
        let is_number =
            is_shape || typed_number(first.text).is_some() || number_and_unit(first.text).is_some();
        if !is_number {
            return None;
        }
        let glued = if is_shape { "" } else { glued };
        let unit = if glued.is_empty() {
            words.get(1).map(|w| w.text).filter(|w| is_unit_of(first.text, w)).unwrap_or_default()
        } else {
            glued
        };
        let apart = usize::from(glued.is_empty() && !unit.is_empty());
        let value = if apart == 1 { format!("{} {unit}", first.text) } else { first.text.to_string() };
        let by_unit = fact_of_unit(unit);
        if let Some(fact) = by_unit {
            let meaning = fact.set(&mut self.kernel, &value);
            self.push(first, words[apart], meaning);
            return Some(1 + apart);
        }
        if self.take_rate(first, words[apart], &value) {
            return Some(1 + apart);
        }
        if let Some(fact) = Fact::named(glued).filter(|_| !glued.is_empty()) {
            let bare = first.text.strip_suffix(glued).unwrap_or(first.text);
            let meaning = fact.set(&mut self.kernel, bare);
            self.push(first, first, meaning);
            return Some(1);
        }
        Some(self.take_name_behind(words, apart, &value))
    }

    /// The name behind a value: `8KB smem`, `256 thr`, `8 KB static smem`.
    fn take_name_behind(&mut self, words: &[LineWord<'_>], apart: usize, value: &str) -> usize {
        let name = words.get(1 + apart).and_then(|w| Fact::named(w.text));
        let Some(fact) = name else {
            let last = words[apart.min(words.len() - 1)];
            let why = format!(
                "`{value}`: of what? write thr, grid, regs, smem, GFLOP, dram or l2 beside it, or a unit of time"
            );
            self.push(words[0], last, Err(why));
            return 1 + apart;
        };
        let second = words.get(2 + apart).is_some_and(|w| is_second_name(w.text));
        let used = 2 + apart + usize::from(second);
        let meaning = fact.set(&mut self.kernel, value);
        self.push(words[0], words[used - 1], meaning);
        used
    }

    /// A word alone: a type, a GPU, a kernel's name.
    fn take_bare(&mut self, word: LineWord<'_>, lower: &str, names: LineCatalogues<'_>) {
        if FILLERS.contains(&lower) {
            return;
        }
        let meaning = if ElementType::from_name(word.text).is_some() {
            Fact::Type.set(&mut self.kernel, word.text)
        } else if let Some(gpu) = names.gpus.id_named(word.text) {
            self.set_gpu(&names.gpus[gpu])
        } else if let Some(made) = derived_gpu(names.gpus, word.text) {
            made.map_err(|why| why.to_string()).and_then(|gpu| self.set_gpu(&gpu))
        } else if let Some(kernel) = names.kernels.id_named(word.text) {
            Fact::Name.set(&mut self.kernel, &names.kernels[kernel].id.clone())
        } else if self.kernel.name.is_none() && is_name(word.text) {
            Fact::Name.set(&mut self.kernel, word.text)
        } else {
            Err(format!(
                "`{}` is not understood; a kernel's name is written name=…",
                crate::text::clipped_text(word.text, 30)
            ))
        };
        self.push(word, word, meaning);
    }

    fn push(&mut self, first: LineWord<'_>, last: LineWord<'_>, meaning: Result<String, String>) {
        let harmless = |text: String| crate::text::harmless_line(&text);
        let meaning = meaning.map(harmless).map_err(harmless);
        self.chips.push(Chip { start: first.start, end: last.end, meaning });
    }
}

/// The fact that a unit alone makes clear.
fn fact_of_unit(unit: &str) -> Option<Fact> {
    if seconds_per(unit).is_some() {
        return Some(Fact::Time);
    }
    flops_per(unit).map(|_| Fact::Flops)
}

/// Whether this word is the unit of a value without one.
fn is_unit_of(value: &str, word: &str) -> bool {
    let bare = number_and_unit(value).is_some_and(|(_, unit)| unit.is_empty());
    // `4 k` is no unit by itself: a prefix stands at its number.
    let is_bytes = word.len() > 1 && bytes_per(word, KiloBytes::Decimal).is_some() || word == "B";
    let is_of_work = flops_per(word).is_some() || rate_of(word, 1.0).is_some();
    bare && (seconds_per(word).is_some() || is_of_work || is_bytes)
}

/// `memory` behind `shared`, `smem` behind `static` or `dynamic`.
fn is_second_name(word: &str) -> bool {
    let lower = word.to_lowercase();
    let first = lower.split('/').next().unwrap_or_default();
    matches!(first, "memory" | "mem" | "smem" | "shared" | "traffic" | "bytes")
}

/// Whether a word that nothing else knows may be a kernel's name.
fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic() || c == '_') && word.chars().count() >= 2
}

fn joined(words: &[LineWord<'_>]) -> String {
    words.iter().map(|w| w.text).collect::<Vec<_>>().join(" ")
}

/// The words between spaces, commas and semicolons; a comma between thousands and what is in the brackets of a template
/// part nothing.
fn words_of(line: &str) -> Vec<LineWord<'_>> {
    let mut words = Vec::new();
    let (mut start, mut part, mut depth) = (None, 0, 0_u32);
    for (i, c) in line.char_indices() {
        depth = match c {
            // `1<<20` opens nothing.
            '<' if !line[..i].ends_with(|c: char| c.is_ascii_digit() || c == '<') => depth + 1,
            '>' => depth.saturating_sub(1),
            _ => depth,
        };
        let ends_part = depth == 0 && (c == ';' || c == ',' && !is_thousands_comma(line, i));
        if ends_part || c.is_whitespace() && depth == 0 {
            if let Some(begin) = start.take() {
                words.push(LineWord { text: &line[begin..i], start: begin, end: i, part });
            }
            part += usize::from(ends_part);
        } else if start.is_none() {
            start = Some(i);
        }
    }
    if let Some(begin) = start {
        words.push(LineWord { text: &line[begin..], start: begin, end: line.len(), part });
    }
    words
}

/// The GPU of this name, also one that is named by rule.
fn gpu_named<'g>(gpus: &'g Catalogue<Gpu>, name: &str) -> Result<Cow<'g, Gpu>, String> {
    match derived_gpu(gpus, name) {
        Some(made) => made.map(Cow::Owned).map_err(|why| why.to_string()),
        None => gpus.entry_named(name).map(Cow::Borrowed).map_err(|why| why.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Session;
    use crate::units::{Bytes, Flops};
    use proptest::prelude::*;
    use std::sync::LazyLock;

    static SESSION: LazyLock<Session> = LazyLock::new(|| Session::load(None).expect("what ships loads"));

    fn read(line: &str) -> KernelLine {
        KernelLine::read(line, &SESSION.gpus, &SESSION.kernels)
    }

    #[test]
    fn the_line_of_the_design_is_understood_in_any_order() {
        let line =
            "4.2ms on 3090, 256 thr, grid 4096, 40 regs, 8KB smem, 17.2 GFLOP, 50MB dram, 120MB l2, bf16";
        let kernel = read(line).kernel;
        assert_eq!(read(line).unread().count(), 0, "{:?}", read(line).chips);
        assert_eq!(
            (kernel.gpu.as_deref(), kernel.time.map(|t| t.to_string())),
            (Some("rtx-3090"), Some("4.20 ms".into()))
        );
        assert_eq!((kernel.block, kernel.grid), (Some([256, 1, 1]), Some([4096, 1, 1])));
        assert_eq!((kernel.regs_per_thread, kernel.smem_static_bytes), (Some(40), Some(8192)));
        assert_eq!(
            (kernel.flops, kernel.dram_bytes, kernel.l2_bytes),
            (Some(Flops(17.2e9)), Some(Bytes(50e6)), Some(Bytes(120e6)))
        );
        assert_eq!(kernel.dtype, Some(ElementType::Bf16));
        let mut parts: Vec<&str> = line.split(", ").collect();
        for _ in 0..parts.len() {
            parts.rotate_left(1);
            assert_eq!(read(&parts.join("; ")).kernel, kernel);
            assert_eq!(read(&parts.join(" ")).kernel, kernel, "{}", parts.join(" "));
        }
        assert_eq!(read(&kernel.to_string()).kernel, kernel);
    }

    #[test]
    fn other_ways_to_say_the_same_are_understood() {
        for (line, same) in [
            ("regs=40 time=4.2ms gpu=3090", "4.2ms on 3090, 40 regs"),
            ("threads 16x16, grid 64x64", "16x16 thr, 64x64 blocks"),
            ("8 KB static smem, 16KB dynamic smem", "smem 8192, dsmem 16KiB"),
            ("1,048,576 blocks", "grid 2^20"),
            ("40regs 256thr", "256 threads/block, 40 regs/thread"),
            ("4.2 ms on RTX 3090 Ti, name my_matmul", "my_matmul 4.2ms @ rtx-3090-ti"),
            ("gemm_tiled n=2k 4.2ms on 3090", "name gemm_tiled, n=2000, on 3090, 4.2ms"),
            ("name blend<float, 4>, 3us on v100-pcie-16gb", "3us on v100-pcie-16gb; kernel blend<float, 4>"),
        ] {
            let (found, same) = (read(line), read(same));
            assert_eq!(found.unread().collect::<Vec<_>>(), Vec::<&str>::new(), "{line}");
            assert_eq!(found.kernel, same.kernel, "{line}");
        }
    }

    #[test]
    fn what_is_not_understood_says_what_to_write() {
        for (line, why) in [
            ("4.2ms on 4711", "unknown GPU `4711`"),
            ("256", "of what?"),
            ("256 thrads", "of what?"),
            ("4,2ms", "decimals have a point"),
            ("8KB", "of what?"),
            ("1000 regs", "1000 registers per thread, and no compiler gives one more than 255"),
            ("0 regs", "1 to 255"),
            ("17.2 GFLOP/s", "of how many FLOPs?"),
            ("40 regs, 41 regs", "stands twice"),
            ("grid", "without a value"),
            ("n=0", "expected a whole number"),
            ("on 3090, on 4090", "a second GPU"),
            ("0ms on 3090", "expected a time above 0, such as 4.2ms"),
            ("my_kernel other_kernel", "is not understood"),
        ] {
            let found = read(line);
            let unread: Vec<&str> = found.unread().collect();
            assert!(unread.iter().any(|text| text.contains(why)), "{line}: {unread:?}");
        }
    }

    #[test]
    fn chips_are_of_the_words_they_explain() {
        let line = "4.2 ms on 3090,  256 thr";
        let of = |chip: &Chip| line[chip.start..chip.end].to_string();
        assert_eq!(read(line).chips.iter().map(of).collect::<Vec<_>>(), ["4.2 ms", "on 3090", "256 thr"]);
        assert_eq!(read(line).chips[2].meaning, Ok("block 256 threads".into()));
    }

    #[test]
    fn zero_is_a_size_where_the_kernel_has_a_use_for_it() {
        for line in ["4ms on 3090, torch_conv, hw=20, pad=0", "pad=0 hw=20 4ms on 3090 name=torch_conv"] {
            let line = read(line);
            assert_eq!(line.unread().count(), 0, "{:?}", line.chips);
            assert_eq!(line.kernel.problem.number_at("pad"), Some(0.0));
        }
        assert_eq!(read("4ms on 3090, mine, pad=0").unread().count(), 1);
        assert_eq!(read("4ms on 3090, torch_conv, hw=0").unread().count(), 1);
    }

    #[test]
    fn a_rate_is_a_time_once_its_work_is_read() {
        for (line, shown) in [
            ("700 TFLOPS on h100-sxm5, 7 TFLOP, bf16", "10ms on h100-sxm5, 7000000000000FLOP, bf16"),
            ("9GB dram at 900GB/s on h100-sxm5", "10ms on h100-sxm5, 9000000000B dram"),
            ("rate=700TFLOP/s on h100-sxm5 7TFLOP", "10ms on h100-sxm5, 7000000000000FLOP"),
        ] {
            let line = read(line);
            assert_eq!(line.unread().count(), 0, "{:?}", line.chips);
            assert_eq!(line.kernel.to_string(), shown);
        }
        let of_kernel = read("linear_bf16 n=8192 700TFLOPS on h100-sxm5");
        let ms = of_kernel.kernel.time.unwrap().millis();
        assert!((ms / (2.0 * 8192f64.powi(3) / 700e12 * 1e3) - 1.0).abs() < 1e-9, "{ms}");
        for (line, said) in [
            ("700TFLOPS on h100-sxm5", "700 TFLOP/s of how many FLOPs?"),
            ("700TFLOPS on h100-sxm5, 1ms, 1TFLOP", "700 TFLOP/s beside 1.00 ms: give one of them"),
            ("700TFLOPS 900GB/s on h100-sxm5 1TFLOP", "a second rate"),
            ("700TFLOPS linear_bf16 on h100-sxm5", "at which size?"),
        ] {
            let line = read(line);
            assert!(line.unread().any(|why| why.contains(said)), "{said}: {:?}", line.chips);
        }
    }

    proptest! {
        #[test]
        fn any_line_is_read_without_a_panic(line in "\\PC{0,60}") {
            for chip in read(&line).chips {
                prop_assert!(line.is_char_boundary(chip.start) && line.is_char_boundary(chip.end));
            }
        }

        #[test]
        fn any_facts_are_read_without_a_panic(
            words in proptest::collection::vec("(on|grid|8|KB|smem|16x16|4.2|ms|3090|=|n=|regs|static|GFLOP|,|;|1,000)", 0..12)
        ) {
            let _ = read(&words.join(" "));
            let _ = read(&words.concat());
        }
    }
}
