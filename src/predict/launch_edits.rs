//! What is changed of a kernel's launch: a number of a block, or the element type.

use crate::catalogue::ElementType;
use crate::gpu::relative_factor;
use crate::kernel::Kernel;
use crate::occupancy::{BlockNeeds, Carveout, register_refusal};
use crate::units::{KiloBytes, significant, typed_bytes, typed_count, typed_number};
use std::fmt;
use std::str::FromStr;

/// A number of a launch that can be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaunchNumber {
    /// Threads per block.
    Block,
    /// Registers per thread.
    Registers,
    /// Static shared memory per block in bytes.
    StaticShared,
    /// Dynamic shared memory per block in bytes.
    DynamicShared,
    /// How much of the SRAM that L1 and shared memory share is shared memory, in percent of the most there is.
    Carveout,
}

impl LaunchNumber {
    /// All of them, in the order of a list to edit.
    pub const ALL: [Self; 5] =
        [Self::Block, Self::Registers, Self::StaticShared, Self::DynamicShared, Self::Carveout];

    /// As typed: `block`.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::Registers => "regs",
            Self::StaticShared => "static",
            Self::DynamicShared => "dynamic",
            Self::Carveout => "carveout",
        }
    }

    /// Its name on screen.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Block => "threads per block",
            Self::Registers => "registers per thread",
            Self::StaticShared => "static shared",
            Self::DynamicShared => "dynamic shared",
            Self::Carveout => "shared carveout",
        }
    }

    /// The same with the unit of a value that is typed without one: `static shared, B`.
    #[must_use]
    pub fn title_with_unit(self) -> String {
        match self {
            Self::Block | Self::Registers => self.title().to_string(),
            Self::StaticShared | Self::DynamicShared => format!("{}, B", self.title()),
            Self::Carveout => format!("{}, %", self.title()),
        }
    }

    /// What its values look like.
    #[must_use]
    pub fn example(self) -> &'static str {
        match self {
            Self::Block => "256, 16x16, +25% or x2",
            Self::Registers => "32, -20% or x0.5",
            Self::StaticShared | Self::DynamicShared => "8KB, 0, +25% or x2",
            Self::Carveout => "50 (percent of the most shared memory an SM can have) or x0.5",
        }
    }

    fn is_size(self) -> bool {
        matches!(self, Self::StaticShared | Self::DynamicShared)
    }

    /// The most a program can ask for: no GPU has more, so that a larger value is a slip.
    fn most(self) -> u32 {
        match self {
            Self::Block => 1024,
            Self::Registers => 255,
            Self::StaticShared | Self::DynamicShared => 256 * 1024,
            Self::Carveout => 100,
        }
    }

    fn least(self) -> u32 {
        match self {
            Self::Block | Self::Registers => 1,
            Self::StaticShared | Self::DynamicShared | Self::Carveout => 0,
        }
    }

    /// `8.00 KiB`, `256`, `50 %`: a value in words.
    #[must_use]
    pub fn in_words(self, value: u32) -> String {
        match self {
            Self::Carveout => format!("{value} %"),
            _ if self.is_size() && value >= 1024 => {
                format!("{} KiB", significant(f64::from(value) / 1024.0))
            }
            _ if self.is_size() => format!("{value} B"),
            _ => value.to_string(),
        }
    }

    /// The value as it is typed again: `8192B`, `50%`.
    fn as_typed(self, value: u32) -> String {
        match self {
            Self::Carveout => format!("{value}%"),
            _ if self.is_size() && value > 0 => format!("{value}B"),
            _ => value.to_string(),
        }
    }

    /// How far one step goes: a warp, a register allocation unit of eight, a kibibyte, 5 %; a coarse one four to eight times as far.
    fn step(self, is_coarse: bool) -> u32 {
        match (self, is_coarse) {
            (Self::Block, false) => 32,
            (Self::Block, true) => 128,
            (Self::Registers, false) => 8,
            (Self::Registers, true) => 32,
            (Self::Carveout, false) => 5,
            (Self::Carveout, true) => 25,
            (_, false) => 1024,
            (_, true) => 8 * 1024,
        }
    }

    /// The next multiple of a step above or below this value, within what a program can ask for.
    #[must_use]
    pub fn stepped(self, now: u32, is_up: bool, is_coarse: bool) -> u32 {
        let step = self.step(is_coarse);
        let next = if is_up { (now / step + 1) * step } else { now.saturating_sub(1) / step * step };
        let least = if self.least() == 0 { 0 } else { self.step(false) };
        next.clamp(least, self.most())
    }

    /// A typed value, absolute or relative to the value now.
    ///
    /// # Errors
    /// What was expected.
    pub fn typed_value(self, text: &str, now: u32) -> Result<u32, String> {
        let text = text.trim();
        let percent = || text.strip_suffix('%').unwrap_or(text).trim().parse::<u32>().ok().map(f64::from);
        let absolute = || match self {
            Self::Carveout => percent(),
            Self::Block => typed_number(text),
            _ if self.is_size() => typed_bytes(text, KiloBytes::Binary).map(|bytes| bytes.0),
            _ => typed_count(text).map(|count| count as f64),
        };
        let relative = relative_factor(text).map(|factor| (f64::from(now) * factor).round());
        let [least, most] = [self.least(), self.most()];
        let found = relative.or_else(absolute);
        let registers =
            found.filter(|v| self == Self::Registers && v.fract() == 0.0 && *v <= f64::from(u32::MAX));
        if let Some(why) = registers.and_then(|regs| register_refusal(regs as u32)) {
            return Err(why.to_string());
        }
        found
            .filter(|v| v.fract() == 0.0 && (f64::from(least)..=f64::from(most)).contains(v))
            .map(|v| v as u32)
            .ok_or_else(|| {
                let text = crate::text::harmless_line(&crate::text::clipped_text(text, 40));
                let [least, most] = [least, most].map(|value| self.in_words(value));
                format!(
                    "`{text}`: expected {} from {least} to {most}, such as {}",
                    self.title(),
                    self.example()
                )
            })
    }

    /// What a block asks for; registers that nobody knows are 0, and a carveout that nobody prefers is all there is.
    #[must_use]
    pub fn value_of(self, needs: &BlockNeeds) -> u32 {
        match self {
            Self::Block => needs.threads,
            Self::Registers => needs.regs_per_thread,
            Self::StaticShared => needs.smem_static,
            Self::DynamicShared => needs.smem_dynamic,
            Self::Carveout => match needs.carveout {
                Carveout::Default => 100,
                Carveout::Percent(percent) => u32::from(percent),
            },
        }
    }
}

/// What is changed of a launch; everything else stays as it is. Typed and shown as `block=128,regs=32,dtype=fp16`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LaunchEdits {
    numbers: [Option<u32>; LaunchNumber::ALL.len()],
    element: Option<ElementType>,
}

impl LaunchEdits {
    /// Whether nothing is changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a block of these needs, or this kernel's element type, is another one with them.
    #[must_use]
    pub fn change(&self, kernel: &Kernel, needs: Option<&BlockNeeds>) -> bool {
        let is_other = |number: LaunchNumber| {
            let typed = self.changed_value(number);
            typed.is_some_and(|typed| needs.is_none_or(|needs| typed != number.value_of(needs)))
        };
        LaunchNumber::ALL.into_iter().any(is_other)
            || self.element.is_some_and(|element| !kernel.is_in_element(element))
    }

    /// Whether a number of a block is changed.
    #[must_use]
    pub fn changes_block(&self) -> bool {
        self.numbers.iter().any(Option::is_some)
    }

    /// The value that this number is changed to.
    #[must_use]
    pub fn changed_value(&self, number: LaunchNumber) -> Option<u32> {
        self.numbers[number as usize]
    }

    /// The same changes with this number at another value, or as it is.
    #[must_use]
    pub fn with(mut self, number: LaunchNumber, value: Option<u32>) -> Self {
        self.numbers[number as usize] = value;
        self
    }

    /// The element type that it is changed to.
    #[must_use]
    pub fn element(&self) -> Option<ElementType> {
        self.element
    }

    /// The same changes with another element type, or the kernel's own.
    #[must_use]
    pub fn with_element(mut self, element: Option<ElementType>) -> Self {
        self.element = element;
        self
    }

    /// A block so changed.
    #[must_use]
    pub fn changed_needs(&self, needs: BlockNeeds) -> BlockNeeds {
        let value = |number: LaunchNumber| self.changed_value(number).unwrap_or(number.value_of(&needs));
        let percent = self.changed_value(LaunchNumber::Carveout).map(|percent| percent.min(100) as u8);
        BlockNeeds {
            threads: value(LaunchNumber::Block),
            regs_per_thread: value(LaunchNumber::Registers),
            smem_static: value(LaunchNumber::StaticShared),
            smem_dynamic: value(LaunchNumber::DynamicShared),
            carveout: percent.map_or(needs.carveout, Carveout::Percent),
            ..needs
        }
    }
}

impl fmt::Display for LaunchEdits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |number: &LaunchNumber| {
            let value = self.changed_value(*number)?;
            Some(format!("{}={}", number.key(), number.as_typed(value)))
        };
        let element = self.element.map(|element| format!("dtype={element}"));
        let all: Vec<String> = LaunchNumber::ALL.iter().filter_map(number).chain(element).collect();
        f.write_str(&all.join(","))
    }
}

impl FromStr for LaunchEdits {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut edits = Self::default();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let shown = crate::text::harmless_line(&crate::text::clipped_text(part, 40));
            let Some((key, value)) = part.split_once('=') else {
                return Err(format!("`{shown}`: expected key=value, such as block=128"));
            };
            let (key, value) = (key.trim(), value.trim());
            if key == "dtype" {
                let found = ElementType::from_name(value);
                let expected = || format!("{shown}: expected an element type, such as fp16");
                edits.element = Some(found.ok_or_else(expected)?);
                continue;
            }
            let number =
                LaunchNumber::ALL.into_iter().find(|number| number.key() == key).ok_or_else(|| {
                    let keys = LaunchNumber::ALL.map(LaunchNumber::key).join(", ");
                    format!("{shown}: `{}` is no number of a launch; the keys are {keys}, dtype", key)
                })?;
            if number != LaunchNumber::Carveout && relative_factor(value).is_some() {
                return Err(format!("{shown}: expected a value, such as {}=128", number.key()));
            }
            let value = number.typed_value(value, 0).map_err(|why| format!("{key}: {why}"))?;
            edits = edits.with(number, Some(value));
        }
        Ok(edits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_read_as_they_are_shown() {
        for text in ["block=128", "regs=32,static=1024B,dynamic=0", "carveout=50%,dtype=fp16", ""] {
            assert_eq!(text.parse::<LaunchEdits>().unwrap().to_string(), text);
        }
        let sized: LaunchEdits = "dynamic=8KB, block=16x16".parse().unwrap();
        assert_eq!(sized.to_string(), "block=256,dynamic=8192B");
    }

    #[test]
    fn what_cannot_be_read_says_what_was_expected() {
        for (text, said) in [
            ("block", "expected key=value"),
            ("grid=4", "the keys are block, regs, static, dynamic, carveout, dtype"),
            ("block=0", "expected threads per block from 1 to 1024"),
            ("regs=256", "cannot launch: 256 registers per thread, and no compiler gives one more than 255"),
            ("regs=0", "expected registers per thread from 1 to 255"),
            ("carveout=101%", "expected shared carveout from 0 % to 100 %"),
            ("dynamic=1GB", "expected dynamic shared from 0 B to 256 KiB"),
            ("dtype=fp7", "expected an element type"),
            ("block=+20%", "expected a value, such as block=128"),
        ] {
            let why = text.parse::<LaunchEdits>().unwrap_err();
            assert!(why.contains(said), "{text}: {why}");
        }
    }

    #[test]
    fn a_carveout_of_nobody_is_all_there_is() {
        let needs = BlockNeeds::default();
        assert_eq!(LaunchNumber::Carveout.value_of(&needs), 100);
        let half = LaunchEdits::default().with(LaunchNumber::Carveout, Some(50));
        assert_eq!(half.changed_needs(needs).carveout, Carveout::Percent(50));
        assert_eq!(LaunchNumber::Carveout.stepped(100, false, false), 95);
        assert_eq!(LaunchNumber::Carveout.stepped(10, false, true), 0);
    }
}
