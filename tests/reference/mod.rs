//! NVIDIA's own occupancy calculator as an outside judge: `cuda_occupancy.h` of the wheel `nvidia-cuda-runtime-cu12`, built
//! with the C compiler at hand. The header is NVIDIA's: it is looked for, or downloaded, and never kept in the repository.

use crate::dice;

pub use dice::Dice;
use roofswap::gpu::{ComputeCapability, LimitsTable};
use roofswap::occupancy::{BlockNeeds, Carveout, GlobalCaching, Occupancy, Resource};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The wheel the answers are from.
pub const WHEEL: &str = "nvidia-cuda-runtime-cu12==12.9.79";

/// A record for the reference: compute capability x 10, threads, registers, static, dynamic, carveout, barriers, caching, 0.
pub type Asked = [i32; 9];

/// Its answer: active, flags, limits by warps, registers, shared memory, blocks, barriers, allocated registers and shared
/// memory, caching in effect.
pub type Answered = [i32; 10];

/// The reference, built; `Err` says what is missing. `ROOFSWAP_CUDA_OCCUPANCY_H` names the header where it is at hand.
pub fn build(folder: &Path) -> Result<PathBuf, String> {
    let header = match std::env::var_os("ROOFSWAP_CUDA_OCCUPANCY_H") {
        Some(path) => PathBuf::from(path),
        None => downloaded(folder)?,
    };
    let include = header.parent().ok_or("the header has no folder")?;
    let program = folder.join("occupancy-reference");
    let source = concat!(env!("ROOFSWAP_CHECKOUT"), "/tests/reference/occupancy.c");
    let mut compiler = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()));
    compiler.args(["-O3", "-x", "c", source, "-I"]).arg(include).arg("-o").arg(&program);
    said(&mut compiler).map(|()| program)
}

/// The header of the wheel: from an earlier run, else from the package index.
fn downloaded(folder: &Path) -> Result<PathBuf, String> {
    let header = folder.join("wheel/nvidia/cuda_runtime/include/cuda_occupancy.h");
    if header.exists() {
        return Ok(header);
    }
    let python = |args: &[&str]| said(Command::new("python3").args(args).current_dir(folder));
    let pip = ["-m", "pip", "--quiet", "--disable-pip-version-check", "--retries", "0", "--timeout", "10"];
    python(&[&pip[..], &["download", "--no-deps", "--only-binary=:all:", WHEEL]].concat())?;
    let wheels = std::fs::read_dir(folder).map_err(|e| e.to_string())?.flatten().map(|e| e.path());
    let wheel =
        wheels.into_iter().find(|p| p.extension().is_some_and(|e| e == "whl")).ok_or("no wheel came")?;
    python(&["-m", "zipfile", "-e", &wheel.display().to_string(), "wheel"])?;
    Ok(header)
}

fn said(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let done = command.stdin(Stdio::null()).output().map_err(|e| format!("{name}: {e}"))?;
    let text = String::from_utf8_lossy(&done.stderr);
    done.status
        .success()
        .then_some(())
        .ok_or_else(|| format!("{name}: {}", text.lines().last().unwrap_or_default()))
}

/// What the reference answers, one for one.
pub fn ask(program: &Path, asked: &[Asked]) -> std::io::Result<Vec<Answered>> {
    Ok(piped(program, "answer", asked)?.as_chunks::<10>().0.to_vec())
}

/// The block size that the reference suggests, and how many such blocks fill an SM; 0 where none can launch.
pub fn ask_for_block(program: &Path, asked: &[Asked]) -> std::io::Result<Vec<[i32; 2]>> {
    Ok(piped(program, "suggest", asked)?.as_chunks::<2>().0.to_vec())
}

fn piped(program: &Path, mode: &str, asked: &[Asked]) -> std::io::Result<Vec<i32>> {
    let mut child = Command::new(program).arg(mode).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let records: Vec<u8> = asked.iter().flatten().flat_map(|n| n.to_ne_bytes()).collect();
    let mut stdin = child.stdin.take().expect("stdin is piped");
    let writer = std::thread::spawn(move || stdin.write_all(&records));
    let mut bytes = Vec::with_capacity(asked.len() * size_of::<Answered>());
    child.stdout.take().expect("stdout is piped").read_to_end(&mut bytes)?;
    writer.join().expect("the writer does not panic")?;
    child.wait()?;
    Ok(bytes.as_chunks::<4>().0.iter().map(|b| i32::from_ne_bytes(*b)).collect())
}

/// Our answer in the reference's form.
pub fn answered(o: &Occupancy) -> Answered {
    const BITS: [(Resource, i32); 5] = [
        (Resource::Warps, 1),
        (Resource::Registers, 2),
        (Resource::SharedMemory, 4),
        (Resource::Blocks, 8),
        (Resource::Barriers, 16),
    ];
    let flags = BITS.iter().filter(|(resource, _)| o.is_flagged(*resource)).map(|(_, bit)| bit).sum();
    let limit = |l: Option<u32>| l.map_or(-1, |l| l as i32);
    [
        o.active_blocks as i32,
        flags,
        o.by_warps as i32,
        limit(o.by_registers),
        limit(o.by_shared_memory),
        o.by_blocks as i32,
        limit(o.by_barriers),
        o.allocated_registers as i32,
        o.allocated_shared_memory as i32,
        o.global_caching as i32,
    ]
}

/// The needs of a record.
pub fn needs(asked: &Asked) -> BlockNeeds {
    let count = |at: usize| asked[at] as u32;
    BlockNeeds {
        threads: count(1),
        regs_per_thread: count(2),
        smem_static: count(3),
        smem_dynamic: count(4),
        carveout: Carveout::from_number(asked[5].into()).expect("-1 to 100"),
        barriers: count(6),
        global_caching: GlobalCaching::from_number(asked[7].into()).expect("0 to 2"),
        ..BlockNeeds::default()
    }
}

/// Every compute capability of the limits.
pub fn compute_capabilities() -> Vec<ComputeCapability> {
    LimitsTable::shipped().expect("the shipped table reads").iter().map(|(cc, _)| cc).collect()
}

/// A number from 0 to n - 1.
fn below(dice: &mut Dice, n: i32) -> i32 {
    dice.below(n as usize) as i32
}

fn one_of(dice: &mut Dice, of: &[i32]) -> i32 {
    of[dice.below(of.len())]
}

/// A configuration that looks for trouble: odd block sizes, too many registers, shared memory around every boundary,
/// every carveout, barriers and caching modes.
pub fn adversarial(dice: &mut Dice, cc: ComputeCapability) -> Asked {
    let threads = match below(dice, 4) {
        0 => 1 + below(dice, 1100),
        1 => one_of(dice, &[1, 31, 32, 33, 64, 96, 128, 256, 512, 704, 768, 1023, 1024, 1025, 2048]),
        _ => 32 * (1 + below(dice, 32)),
    };
    let regs = match below(dice, 8) {
        0 => one_of(dice, &[0, 1, 8, 9, 254, 255, 256, 257]),
        1..=3 => below(dice, 64),
        _ => below(dice, 260),
    };
    let [fixed, dynamic] = adversarial_smem(dice);
    let carveout = if below(dice, 3) == 0 { -1 } else { below(dice, 101) };
    let barriers = if below(dice, 4) == 0 { below(dice, 70) } else { below(dice, 3) };
    let caching = if below(dice, 2) == 0 { 0 } else { below(dice, 3) };
    let cc = i32::from(cc.major) * 10 + i32::from(cc.minor);
    [cc, threads, regs, fixed, dynamic, carveout, barriers, caching, 0]
}

fn adversarial_smem(dice: &mut Dice) -> [i32; 2] {
    let around = |dice: &mut Dice| {
        let kib = one_of(
            dice,
            &[0, 1, 2, 8, 16, 24, 32, 47, 48, 49, 63, 64, 96, 99, 100, 132, 163, 164, 196, 227, 228],
        );
        (kib * 1024 + one_of(dice, &[-1024, -129, -128, -1, 0, 1, 127, 128, 129, 256, 1024])).max(0)
    };
    match below(dice, 6) {
        0 => [0, 0],
        1 => [around(dice), 0],
        2 => [0, around(dice)],
        3 => [below(dice, 50_000), below(dice, 250_000)],
        4 => [below(dice, 8_192), 0],
        _ => [below(dice, 4_096), below(dice, 48 * 1024)],
    }
}

/// A configuration as kernels have them: whole warps, registers that launch, little shared memory, no preference.
pub fn launchable(dice: &mut Dice, cc: ComputeCapability) -> Asked {
    let threads = 32 * (1 + below(dice, 32));
    let most = (65_536 / threads / 8).min(30);
    let regs = 8 * (2 + below(dice, (most - 1).max(1)));
    let cc = i32::from(cc.major) * 10 + i32::from(cc.minor);
    let smem = if below(dice, 2) == 0 { 0 } else { below(dice, 32 * 1024) };
    [cc, threads, regs, smem, 0, -1, 1, 0, 0]
}

/// A record's compute capability.
pub fn compute_capability(asked: &Asked) -> ComputeCapability {
    ComputeCapability { major: (asked[0] / 10) as u8, minor: (asked[0] % 10) as u8 }
}
