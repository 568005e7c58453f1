//! What somebody states of a kernel's arithmetic, in place of what its name says: pipe, types, tile, stages, instruction.
//!
//! ```
//! use roofswap_engine::kernel::{ArithmeticSource, StatedArithmetic};
//! let text = "tensor bf16 fp32 tile=128x256x64 stages=4";
//! let stated = StatedArithmetic::from_text(text, ArithmeticSource::Typed).unwrap();
//! assert!(stated.facts.is_tensor);
//! assert_eq!(stated.facts.tile, Some([128, 256, 64]));
//! assert!(StatedArithmetic::from_text("warp drive", ArithmeticSource::Typed).is_err());
//! ```

use super::name_facts::NameFacts;
use crate::catalogue::{ElementType, Feature};
use std::fmt;

/// Who states it: a later one goes before an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ArithmeticSource {
    /// Nobody: it does as many FLOPs of FP16 in a measured time as packed halves of that GPU do.
    ReachedPacked,
    /// Nobody: it does more FLOPs in a measured time than any lanes of that GPU.
    Reached,
    /// `pipe` of its kernel file.
    File,
    /// The column `pipe` of a row.
    Row,
    /// `--pipe`, or the kernel line.
    Typed,
}

/// What is stated, and by whom; a field that is not stated stays as the name says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatedArithmetic {
    /// Who says so.
    pub source: ArithmeticSource,
    /// Pipe and types as names of kernels say them: `is_tensor` false with an input means the lanes of that type.
    pub facts: NameFacts,
}

/// A text that states no arithmetic.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "pipe `{text}`: {word}; expected `tensor` and a type, or fp32, fp64, fp16 for the lanes, then tile=128x128x64, stages=4, \
     instruction=mma.sync where known, such as `tensor bf16 fp32 tile=128x256x64`"
)]
pub struct ArithmeticError {
    text: String,
    word: String,
}

/// Tensor instructions that can be stated: families as PTX calls them, as machine code does, and those in the names of cuBLAS and CUTLASS.
const INSTRUCTIONS: [&str; 17] = [
    "mma.sync", "wgmma", "tcgen05", "hmma", "imma", "dmma", "hgmma", "qgmma", "igmma", "s884", "h884",
    "d884", "s1688", "h1688", "s16816", "h16816", "i16832",
];

/// The instruction of this name; `mma` for short is `mma.sync`.
fn instruction_named(word: &str) -> Option<&'static str> {
    let word = if word == "mma" { "mma.sync" } else { word };
    INSTRUCTIONS.into_iter().find(|known| *known == word)
}

impl ArithmeticSource {
    /// Who states it, in words.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ReachedPacked => {
                "assumed: its FLOPs in this time are what packed FP16 does; else say --pipe"
            }
            Self::Reached => {
                "assumed: its FLOPs in this time are more than vector lanes do; check the units, or say --pipe"
            }
            Self::File => "stated by its kernel file",
            Self::Row => "stated by the column pipe of its row",
            Self::Typed => "typed",
        }
    }
}

impl StatedArithmetic {
    /// Reads `tensor bf16 fp32 tile=128x256x64 stages=4 instruction=hgmma`: words in any order, the second type is what
    /// products are added in.
    ///
    /// # Errors
    /// [`ArithmeticError`] with the word that is not understood.
    pub fn from_text(text: &str, source: ArithmeticSource) -> Result<Self, ArithmeticError> {
        let refuse = |word: String| ArithmeticError { text: short(text), word };
        let mut facts = NameFacts::default();
        let words = text.split([' ', ',', ';', '-']).filter(|word| !word.is_empty() && *word != "into");
        for word in words {
            let is_second = facts.instruction.is_some() && instruction_in(word).is_some();
            if is_second {
                return Err(refuse(format!("`{}` is a second instruction", short(word))));
            }
            read_word(&mut facts, word).ok_or_else(|| {
                let is_instruction = word.to_ascii_lowercase().starts_with("instruction=");
                let among = is_instruction.then(|| format!(": expected one of {}", INSTRUCTIONS.join(", ")));
                refuse(format!("`{}` is not understood{}", short(word), among.unwrap_or_default()))
            })?;
        }
        let lanes = [ElementType::Fp32, ElementType::Fp64, ElementType::Fp16];
        match facts.input {
            None if !facts.is_tensor && facts.tile.is_none() && facts.stages.is_none() => {
                Err(refuse("names no pipe".into()))
            }
            Some(ElementType::Fp32) if facts.is_tensor => {
                Err(refuse("tensor cores take no fp32: write `tensor tf32`".into()))
            }
            Some(input) if !facts.is_tensor && !lanes.contains(&input) => {
                Err(refuse(format!("{input} has no lanes of its own: write `tensor {input}`")))
            }
            _ => Ok(Self { source, facts }),
        }
    }

    /// Another type of the operands on the pipe that the kernel has: on tensor cores where it uses them, or nothing else can.
    #[must_use]
    pub fn with_dtype(dtype: ElementType, uses_tensor_cores: bool) -> Self {
        let is_tensor = uses_tensor_cores || dtype.is_of_tensor_cores();
        Self {
            source: ArithmeticSource::Typed,
            facts: NameFacts { is_tensor, input: Some(dtype), ..NameFacts::default() },
        }
    }

    /// What a GPU must have for the tensor cores that it names; `None` for other pipes. TF32 has FP32 to fall back to.
    #[must_use]
    pub fn tensor_feature(&self) -> Option<Feature> {
        let input = self.facts.input.filter(|_| self.facts.is_tensor)?;
        match input {
            ElementType::Bf16 => Some(Feature::Bf16),
            ElementType::Fp8 => Some(Feature::Fp8),
            ElementType::Fp4 => Some(Feature::Fp4),
            ElementType::Fp16 => Some(Feature::Tensor),
            _ => None,
        }
    }

    /// Whether it says which pipe does the arithmetic.
    #[must_use]
    pub fn names_pipe(&self) -> bool {
        self.facts.is_tensor || self.facts.input.is_some()
    }

    /// What the name says, with what is stated in its place.
    #[must_use]
    pub fn over_name(&self, named: &NameFacts) -> NameFacts {
        let stated = self.facts.clone();
        let (is_tensor, input, accumulate) = if self.names_pipe() {
            let input = stated.input.or(named.input);
            // A sum of other operands is none of these.
            let kept = named.accumulate.filter(|_| stated.input.is_none() || stated.input == named.input);
            (stated.is_tensor, input, stated.accumulate.or(kept))
        } else {
            (named.is_tensor, named.input, named.accumulate)
        };
        NameFacts {
            is_tensor,
            input,
            accumulate,
            tile: stated.tile.or(named.tile),
            stages: stated.stages.or(named.stages),
            instruction: stated.instruction.or_else(|| named.instruction.clone()),
        }
    }
}

/// `tensor-bf16-fp32-tile=128x256x64`, as [`StatedArithmetic::from_text`] reads it.
impl fmt::Display for StatedArithmetic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NameFacts { is_tensor, input, accumulate, tile, stages, instruction } = &self.facts;
        let mut words: Vec<String> = is_tensor.then(|| "tensor".to_string()).into_iter().collect();
        words.extend(input.iter().chain(accumulate).map(ToString::to_string));
        words.extend(
            tile.map(|[m, n, k]| if k == 0 { format!("tile={m}x{n}") } else { format!("tile={m}x{n}x{k}") }),
        );
        words.extend(stages.map(|n| format!("stages={n}")));
        words.extend(instruction.iter().map(|name| format!("instruction={name}")));
        f.write_str(&words.join("-"))
    }
}

/// The instruction that this word states, by itself or behind `instruction=`.
fn instruction_in(word: &str) -> Option<&'static str> {
    let lower = word.to_ascii_lowercase();
    instruction_named(lower.strip_prefix("instruction=").unwrap_or(&lower))
}

/// Takes one word in; `None` where it is not understood.
fn read_word(facts: &mut NameFacts, word: &str) -> Option<()> {
    let lower = word.to_ascii_lowercase();
    if let Some((key, value)) = lower.split_once('=') {
        return match key {
            "tile" => value_of_tile(value).map(|tile| facts.tile = Some(tile)),
            "stages" => value.parse().ok().filter(|n| (1..=64).contains(n)).map(|n| facts.stages = Some(n)),
            "instruction" => instruction_named(value).map(|name| facts.instruction = Some(name.to_string())),
            _ => None,
        };
    }
    if lower == "tensor" {
        facts.is_tensor = true;
        return Some(());
    }
    if let Some(name) = instruction_named(&lower) {
        (facts.is_tensor, facts.instruction) = (true, Some(name.to_string()));
        return Some(());
    }
    let element = ElementType::from_name(&lower)?;
    match (facts.input, facts.accumulate) {
        (None, _) => facts.input = Some(element),
        (Some(_), None) => facts.accumulate = Some(element),
        _ => return None,
    }
    Some(())
}

/// `128x256`, `128x256x64`.
fn value_of_tile(text: &str) -> Option<[u32; 3]> {
    let sides: Vec<u32> = text.split('x').map(str::parse).collect::<Result<_, _>>().ok()?;
    let fits = sides.iter().all(|n| (1..=4096).contains(n));
    match sides.as_slice() {
        [m, n] if fits => Some([*m, *n, 0]),
        [m, n, k] if fits => Some([*m, *n, *k]),
        _ => None,
    }
}

fn short(text: &str) -> String {
    crate::text::harmless_line(&crate::text::clipped_text(text, 60))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stated_goes_before_the_name_and_the_rest_stays() {
        let named = NameFacts::of_name("ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn");
        assert_eq!((named.input, named.tile), (Some(ElementType::Bf16), Some([128, 128, 0])));
        let over = |text: &str| {
            StatedArithmetic::from_text(text, ArithmeticSource::Typed).unwrap().over_name(&named)
        };
        let tile = over("tile=64x64");
        assert_eq!((tile.tile, tile.input, tile.is_tensor), (Some([64, 64, 0]), named.input, true));
        let half = over("tensor fp16 fp16");
        assert_eq!((half.input, half.accumulate), (Some(ElementType::Fp16), Some(ElementType::Fp16)));
        assert_eq!(half.stages, named.stages);
        let lanes = over("fp32");
        assert_eq!((lanes.is_tensor, lanes.input, lanes.accumulate), (false, Some(ElementType::Fp32), None));
    }

    #[test]
    fn what_is_shown_is_read_back() {
        for text in [
            "tensor-bf16-fp32-tile=128x256x64-stages=4-instruction=hgmma",
            "tensor-fp16-fp32-instruction=mma.sync",
            "tensor-fp8-instruction=tcgen05",
            "fp32",
            "tile=64x64",
            "tensor-fp4",
        ] {
            let stated = StatedArithmetic::from_text(text, ArithmeticSource::Typed).unwrap();
            assert_eq!(stated.to_string(), text);
        }
    }

    #[test]
    fn instructions_are_words_of_their_own_or_behind_their_key() {
        for (text, shown) in [
            ("tensor fp16 fp32 instruction=mma", "tensor-fp16-fp32-instruction=mma.sync"),
            ("fp16 fp32 mma.sync", "tensor-fp16-fp32-instruction=mma.sync"),
            ("WGMMA bf16", "tensor-bf16-instruction=wgmma"),
            ("tcgen05", "tensor-instruction=tcgen05"),
        ] {
            let stated = StatedArithmetic::from_text(text, ArithmeticSource::Typed).unwrap();
            assert_eq!(stated.to_string(), shown, "{text}");
        }
        let why = StatedArithmetic::from_text("tensor fp16 instruction=mna", ArithmeticSource::Typed);
        let why = why.unwrap_err().to_string();
        assert!(why.contains("expected one of mma.sync, wgmma, tcgen05"), "{why}");
    }

    #[test]
    fn nonsense_is_refused_with_what_was_expected() {
        for (text, said) in [
            ("", "names no pipe"),
            ("tensr bf16", "`tensr` is not understood"),
            ("int8", "write `tensor int8`"),
            ("tensor bf16 tile=0x3", "`tile=0x3` is not understood"),
            ("tensor bf16 stages=0", "`stages=0` is not understood"),
            ("tensor bf16 fp32 fp16", "`fp16` is not understood"),
        ] {
            let why = StatedArithmetic::from_text(text, ArithmeticSource::Row).unwrap_err().to_string();
            assert!(why.contains(said) && why.contains("expected `tensor` and a type"), "{text}: {why}");
        }
    }
}
