//! Occupancy of many configurations, one line in, one line out: the form in which calculators are compared.

use crate::gpu::{ComputeCapability, LimitsTable};
use crate::occupancy::{
    BlockNeeds, Carveout, GlobalCaching, LaunchRefusal, Occupancy, Resource, Rules, cluster_refusal,
    occupancy, register_refusal,
};
use std::io::Write;

/// The fields of a line, in order; the last two may be left out.
const FIELDS: [&str; 8] =
    ["cc", "threads", "regs", "static_smem", "dynamic_smem", "carveout", "barriers", "gc"];

/// Fields that every line has.
const NEEDED: usize = 6;

/// The letters of the flags, in their order.
const FLAGS: [(Resource, u8); 5] = [
    (Resource::Warps, b'W'),
    (Resource::Registers, b'R'),
    (Resource::SharedMemory, b'S'),
    (Resource::Blocks, b'B'),
    (Resource::Barriers, b'N'),
];

/// Why a line has no answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BatchError {
    /// Too few or too many fields.
    #[error(
        "{found} fields; expected 6 to 8: cc threads regs static_smem dynamic_smem carveout [barriers [gc]]"
    )]
    Fields {
        /// How many there are.
        found: usize,
    },
    /// A field that is not what it should be.
    #[error("{field}: `{value}`: expected {expected}")]
    Field {
        /// Its name.
        field: &'static str,
        /// What stands there, shortened.
        value: String,
        /// What should.
        expected: &'static str,
    },
    /// A compute capability that the table does not have.
    #[error("cc: `{value}`: expected one of {known}")]
    ComputeCapability {
        /// As it was read.
        value: ComputeCapability,
        /// All of the table.
        known: String,
    },
    /// A cluster that no GPU of the line's compute capability runs.
    #[error("{0}")]
    Cluster(LaunchRefusal),
}

/// What holds for every line of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchSetup {
    /// Whether kernels opted in to more than 48 KiB of shared memory.
    pub opt_in: bool,
    /// Blocks per cluster; 1 = none.
    pub cluster: u32,
}

impl Default for BatchSetup {
    fn default() -> Self {
        let BlockNeeds { opt_in, cluster, .. } = BlockNeeds::default();
        Self { opt_in, cluster }
    }
}

/// One configuration, read and checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Configuration {
    /// Of which GPU generation.
    pub compute_capability: ComputeCapability,
    /// What a block asks for.
    pub needs: BlockNeeds,
}

/// Reads a line; `None` where there is nothing but blanks and a `#` comment.
///
/// # Errors
/// [`BatchError`] with the field, what stands there and what was expected.
pub fn read_line(line: &[u8]) -> Result<Option<Configuration>, BatchError> {
    let line = line.split(|b| *b == b'#').next().unwrap_or_default();
    let mut fields = [&b""[..]; FIELDS.len()];
    let mut found = 0;
    for field in line.split(u8::is_ascii_whitespace).filter(|f| !f.is_empty()) {
        if let Some(slot) = fields.get_mut(found) {
            *slot = field;
        }
        found += 1;
    }
    match found {
        0 => Ok(None),
        n if (NEEDED..=FIELDS.len()).contains(&n) => configuration(&fields[..n]).map(Some),
        _ => Err(BatchError::Fields { found }),
    }
}

fn configuration(fields: &[&[u8]]) -> Result<Configuration, BatchError> {
    let error = |at: usize, expected| BatchError::Field {
        field: FIELDS[at],
        value: crate::text::clipped_text(String::from_utf8_lossy(fields[at]), 40),
        expected,
    };
    let number = |at: usize| std::str::from_utf8(fields[at]).ok().and_then(|f| f.parse::<i64>().ok());
    let within = |at: usize, least: i64, expected| {
        let n = number(at).filter(|n| (least..=i64::from(i32::MAX)).contains(n));
        n.map(|n| n as u32).ok_or_else(|| error(at, expected))
    };
    const COUNT: &str = "a whole number from 0 to 2147483647";
    let cc = std::str::from_utf8(fields[0]).ok().and_then(|f| f.parse().ok());
    let mut needs = BlockNeeds {
        threads: within(1, 1, "a whole number from 1 to 2147483647")?,
        regs_per_thread: within(2, 0, COUNT)?,
        smem_static: within(3, 0, COUNT)?,
        smem_dynamic: within(4, 0, COUNT)?,
        carveout: number(5)
            .and_then(Carveout::from_number)
            .ok_or_else(|| error(5, "-1 for no preference, or a percentage from 0 to 100"))?,
        ..BlockNeeds::default()
    };
    if fields.len() > 6 {
        needs.barriers = within(6, 0, COUNT)?;
    }
    if fields.len() > 7 {
        let caching = number(7).and_then(GlobalCaching::from_number);
        needs.global_caching = caching.ok_or_else(|| error(7, "0 off, 1 on or 2 strict"))?;
    }
    let compute_capability = cc.ok_or_else(|| error(0, "a compute capability such as 8.9"))?;
    Ok(Configuration { compute_capability, needs })
}

/// Writes the answer to a line, or `err`, with a line feed; nothing for a line without a configuration. The answer is that of NVIDIA's
/// calculator; given back is why no such kernel can be launched, where the calculator has blocks of it all the same.
///
/// # Errors
/// [`BatchError`] says why the answer was `err`.
pub fn answer_line(
    limits: &LimitsTable,
    setup: BatchSetup,
    line: &[u8],
    out: &mut Vec<u8>,
) -> Result<Option<LaunchRefusal>, BatchError> {
    let answered = read_line(line).and_then(|read| {
        let Some(asked) = read else { return Ok(None) };
        let limits = limits.limits_at(asked.compute_capability).ok_or_else(|| {
            let known: Vec<String> = limits.iter().map(|(cc, _)| cc.to_string()).collect();
            BatchError::ComputeCapability { value: asked.compute_capability, known: known.join(", ") }
        })?;
        let needs = BlockNeeds { opt_in: setup.opt_in, cluster: setup.cluster, ..asked.needs };
        if let Some(refusal) = cluster_refusal(&limits, needs.cluster) {
            return Err(BatchError::Cluster(refusal));
        }
        Ok(Some((needs, occupancy(&limits, needs, Rules::Exact))))
    });
    match answered {
        Ok(None) => Ok(None),
        Ok(Some((needs, answer))) => {
            write_answer(&answer, out);
            Ok(register_refusal(needs.regs_per_thread).filter(|_| answer.active_blocks > 0))
        }
        Err(why) => {
            out.extend_from_slice(b"err\n");
            Err(why)
        }
    }
}

/// `active flags lim_warps lim_regs lim_smem lim_blocks lim_barriers alloc_regs alloc_smem`
fn write_answer(o: &Occupancy, out: &mut Vec<u8>) {
    let limit = |l: Option<u32>| l.map_or(-1, i64::from);
    let number = |out: &mut Vec<u8>, n: i64| {
        // Writing into memory cannot fail.
        let _ = write!(out, " {n}");
    };
    let _ = write!(out, "{} ", o.active_blocks);
    let start = out.len();
    for (_, letter) in FLAGS.iter().filter(|(resource, _)| o.is_flagged(*resource)) {
        if out.len() > start {
            out.push(b'|');
        }
        out.push(*letter);
    }
    if out.len() == start {
        out.push(b'-');
    }
    for n in [
        i64::from(o.by_warps),
        limit(o.by_registers),
        limit(o.by_shared_memory),
        i64::from(o.by_blocks),
        limit(o.by_barriers),
        i64::from(o.allocated_registers),
        i64::from(o.allocated_shared_memory),
    ] {
        number(out, n);
    }
    out.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(line: &str) -> (String, Option<String>) {
        let mut out = Vec::new();
        let table = LimitsTable::shipped().unwrap();
        let why = answer_line(&table, BatchSetup::default(), line.as_bytes(), &mut out).err();
        (String::from_utf8(out).unwrap(), why.map(|e| e.to_string()))
    }

    #[test]
    fn a_line_in_is_a_line_out() {
        // 8 x 8 threads of paper 4's tiled GEMM, tile 8, on 8.9: all 24 block slots, and barriers are no limit there.
        assert_eq!(answered("8.9 64 32 0 512 -1"), ("24 W|B 24 32 66 24 -1 2048 1536\n".into(), None));
        assert_eq!(answered("  9.0 32 0 0 0 -1 4 0 # four barriers").0, "16 B|N 64 -1 228 32 16 0 1024\n");
        assert_eq!(answered("# nothing here"), (String::new(), None));
        assert_eq!(answered("\t \r"), (String::new(), None));
    }

    #[test]
    fn a_setup_holds_for_every_line() {
        let table = LimitsTable::shipped().unwrap();
        let answer = |setup, line: &str| {
            let mut out = Vec::new();
            let why = answer_line(&table, setup, line.as_bytes(), &mut out).err().map(|e| e.to_string());
            (String::from_utf8(out).unwrap(), why)
        };
        let plain = BatchSetup::default();
        let line = "9.0 64 32 0 60000 -1";
        assert_ne!(answer(plain, line).0.split(' ').next(), Some("0"));
        assert_eq!(answer(BatchSetup { opt_in: false, ..plain }, line).0.split(' ').next(), Some("0"));
        let clustered = BatchSetup { cluster: 8, ..plain };
        assert_eq!(answer(clustered, line), answer(plain, line));
        let (out, why) = answer(clustered, "8.9 64 32 0 512 -1");
        assert!(
            out == "err\n" && why.as_ref().is_some_and(|w| w.contains("clusters of 8 blocks")),
            "{why:?}"
        );
    }

    #[test]
    fn impossible_input_is_err_and_named() {
        for (line, why) in [
            ("8.9 64 32 0 512", "5 fields"),
            ("8.9 64 32 0 512 -1 1 0 7", "9 fields"),
            ("8.8 64 32 0 512 -1", "cc: `8.8`: expected one of 3.5, 3.7, 5.0, "),
            ("4090 64 32 0 512 -1", "cc: `4090`"),
            ("8.9 0 32 0 512 -1", "threads: `0`: expected a whole number from 1"),
            ("8.9 64 -1 0 512 -1", "regs: `-1`"),
            ("8.9 64 32 0x10 512 -1", "static_smem: `0x10`"),
            ("8.9 64 32 0 99999999999999999999 -1", "dynamic_smem"),
            ("8.9 64 32 0 512 101", "carveout: `101`"),
            ("8.9 64 32 0 512 -1 -1", "barriers: `-1`"),
            ("8.9 64 32 0 512 -1 1 3", "gc: `3`"),
        ] {
            let (out, said) = answered(line);
            assert_eq!(out, "err\n", "{line}");
            assert!(said.as_ref().unwrap().contains(why), "{line}: {said:?}");
        }
    }
}
