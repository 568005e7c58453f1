//! How fast code without loops is fetched: multiply-adds in loops of more and more instructions, as PTX that is written here.
//!
//! A loop that the caches of an SM hold runs at the rate of the pipes; a longer one at that of its supply. A source with as many
//! instructions would be half a million characters; its lines are all alike.

use super::Reading;
use std::fmt::Write;

/// Name of the kernel.
pub(super) const SYMBOL: &str = "probe_straight_line";

/// Instructions of the loops.
pub(super) const SIZES: [u32; 7] = [512, 1024, 2048, 3072, 4096, 8192, 16_384];

/// Of the highest rate, what a loop that is cached still reaches.
const CACHED_SHARE: f64 = 0.9;

/// Chains of multiply-adds that do not wait for each other.
const CHAINS: u32 = 8;

/// PTX of a kernel (sink, a, b, rounds) whose loop has so many multiply-adds, a multiple of eight, x = a x + b in eight chains, and
/// whose sum is looked at so that nothing of it can be left out. FLOPs per launch: 2 x threads x rounds x instructions.
pub(super) fn ptx(instructions: u32) -> String {
    let mut text = format!(
        ".version 4.3\n.target sm_50\n.address_size 64\n\
         .visible .entry {SYMBOL}(.param .u64 sink, .param .f32 a, .param .f32 b, .param .u32 rounds)\n{{\n\
         .reg .pred %p<3>;\n.reg .f32 %a, %b, %x<{CHAINS}>;\n.reg .b32 %round, %rounds, %lane;\n.reg .b64 %sink;\n\
         ld.param.u64 %sink, [sink];\nld.param.f32 %a, [a];\nld.param.f32 %b, [b];\nld.param.u32 %rounds, [rounds];\n\
         mov.u32 %lane, %tid.x;\nmov.u32 %round, 0;\n"
    );
    for chain in 0..CHAINS {
        let _ = writeln!(text, "cvt.rn.f32.u32 %x{chain}, %lane;");
    }
    text.push_str("next:\n");
    for i in 0..instructions {
        let chain = i % CHAINS;
        let _ = writeln!(text, "fma.rn.f32 %x{chain}, %x{chain}, %a, %b;");
    }
    text.push_str("add.u32 %round, %round, 1;\nsetp.lt.u32 %p1, %round, %rounds;\n@%p1 bra next;\n");
    for chain in 1..CHAINS {
        let _ = writeln!(text, "add.f32 %x0, %x0, %x{chain};");
    }
    text.push_str("setp.eq.f32 %p2, %x0, 0fBF800000;\n@%p2 st.global.f32 [%sink], %x0;\nret;\n}\n");
    text
}

/// What readings of the loops say.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct InstructionSupply {
    /// Instructions of the longest loop that still ran at the rate of the pipes.
    pub(super) cached: f64,
    /// FLOP/s of the longest loop of all, where that is less.
    pub(super) beyond: Option<f64>,
}

impl InstructionSupply {
    /// By the readings, the shortest loop first; `None` for fewer than all of them.
    pub(super) fn from_readings<'r>(readings: impl Iterator<Item = &'r Reading>) -> Option<Self> {
        let rates: Vec<f64> = readings.map(|r| r.median).collect();
        let best = rates.iter().copied().fold(0.0, f64::max);
        let last = *rates.last().filter(|_| rates.len() == SIZES.len())?;
        let is_cached = |rate: &&f64| **rate >= CACHED_SHARE * best;
        let held = rates.iter().take_while(is_cached).count();
        let cached = f64::from(SIZES[held.checked_sub(1)?]);
        Some(Self { cached, beyond: (held < SIZES.len()).then_some(last) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::probe::ReadingUnit;

    fn readings(rates: &[f64]) -> Vec<Reading> {
        let reading = |median: &f64| Reading {
            id: "straight_line",
            at: String::new(),
            unit: ReadingUnit::FlopsPerSecond,
            median: *median,
            best: *median,
            spread: 0.0,
            repeats: 1,
            sm_clock_hz: None,
            method: String::new(),
        };
        rates.iter().map(reading).collect()
    }

    #[test]
    fn a_loop_has_as_many_multiply_adds_as_were_asked_for() {
        let text = ptx(512);
        assert_eq!(text.matches("fma.rn.f32").count(), 512);
        assert!((0..8).all(|chain| text.matches(&format!("fma.rn.f32 %x{chain},")).count() == 64));
        assert!(SIZES.iter().all(|n| n % CHAINS == 0) && text.is_ascii());
    }

    /// A driver refuses a register that is called as a special one: `%tid` was.
    #[test]
    fn no_register_has_the_name_of_a_special_one() {
        const SPECIAL: [&str; 9] =
            ["tid", "ntid", "ctaid", "nctaid", "laneid", "warpid", "smid", "clock", "gridid"];
        let text = ptx(512);
        let declared = text.lines().filter_map(|line| line.strip_prefix(".reg .")?.split_once(' '));
        let names: Vec<&str> = declared.flat_map(|(_, names)| names.split(", ")).collect();
        assert!(names.len() >= 8, "{names:?}");
        for name in names {
            let bare = name.trim_start_matches('%').trim_end_matches(';').split('<').next().unwrap();
            assert!(!SPECIAL.contains(&bare), "{name}");
        }
    }

    #[test]
    fn the_rate_falls_where_the_caches_end() {
        let supply = |rates: &[f64]| InstructionSupply::from_readings(readings(rates).iter());
        let falls = supply(&[9.8, 10.0, 10.0, 9.5, 7.0, 4.0, 3.9]).unwrap();
        assert_eq!(falls, InstructionSupply { cached: 3072.0, beyond: Some(3.9) });
        let never = supply(&[10.0; 7]).unwrap();
        assert_eq!(never, InstructionSupply { cached: 16_384.0, beyond: None });
        assert_eq!(supply(&[10.0; 3]), None, "the rest was not measured");
    }
}
