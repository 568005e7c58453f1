//! The kernels' sources built for the CPU (`cuda.h`) with the C++ compiler at hand, and asked for one launch.

use crate::types;

use roofswap::device::suite::{BufferData, BufferRole, Scalar, SuiteCase, SuiteKernel};
use std::fmt::Write as _;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use types::c_type;

/// The program that runs every kernel of `suite`; `Err` says what is missing or wrong.
///
/// Every argument is given with the type that the suite's file says, so that a source with other parameters does not build.
pub fn build(suite: &[SuiteKernel], folder: &Path) -> Result<PathBuf, String> {
    let here = Path::new(env!("ROOFSWAP_CHECKOUT"));
    let mut text = format!("#include \"{}\"\n", here.join("tests/on_cpu/cuda.h").display());
    let mut files: Vec<&str> = suite.iter().map(|kernel| kernel.file.as_str()).collect();
    files.dedup();
    for file in files {
        let source = std::fs::read_to_string(here.join("assets/kernels").join(file));
        text += &for_cpu(&source.map_err(|e| format!("{file}: {e}"))?);
    }
    for kernel in suite {
        let _ =
            writeln!(text, "static void call_{}() {{ {}({}); }}", kernel.id, kernel.symbol, passed(kernel));
    }
    let calls: Vec<String> = suite.iter().map(|k| format!("call_{}", k.id)).collect();
    let _ = writeln!(text, "static void (*const KERNELS[])() = {{ {} }};", calls.join(", "));
    let _ = writeln!(text, "int main() {{ return serve(KERNELS, {}); }}", suite.len());
    let (source, program) = (folder.join("kernels.cpp"), folder.join("kernels"));
    std::fs::write(&source, text).map_err(|e| e.to_string())?;
    let compiler = std::env::var_os("CXX").unwrap_or_else(|| "c++".into());
    // Without -ffp-contract=off a CPU with fused multiply-add would fuse what the GPU's source does not.
    let mut command = Command::new(&compiler);
    command.args(["-std=c++17", "-O1", "-ffp-contract=off", "-Wno-unknown-pragmas", "-o"]);
    let done = command.arg(&program).arg(&source).output();
    let done = done.map_err(|e| format!("no C++ compiler: {}: {e}", compiler.display()))?;
    if done.status.success() { Ok(program) } else { Err(String::from_utf8_lossy(&done.stderr).into_owned()) }
}

/// Shared memory whose size is chosen at launch is a declaration in CUDA, and a pointer here.
fn for_cpu(source: &str) -> String {
    let line = |line: &str| match line.trim().strip_prefix("extern __shared__ ") {
        Some(rest) => {
            let (kind, name) = rest.trim_end_matches("[];").rsplit_once(' ').expect("type and name");
            format!("{kind} *{name} = ({kind} *)dynamic_shared;\n")
        }
        None => format!("{line}\n"),
    };
    source.lines().map(line).collect()
}

/// The arguments of the call, with the types of the suite's file.
fn passed(kernel: &SuiteKernel) -> String {
    let one = |(i, a): (usize, &roofswap::device::suite::Argument)| match &a.buffer {
        Some(name) => {
            let buffer = kernel.buffers.iter().find(|b| b.name == *name).expect("checked when it was read");
            let constant = if buffer.role == BufferRole::Input { "const " } else { "" };
            format!("pointer<{constant}{}>({i})", c_type(buffer.element))
        }
        None if a.u32.is_some() => format!("scalar<unsigned int>({i})"),
        None if a.i32.is_some() => format!("scalar<int>({i})"),
        None => format!("scalar<float>({i})"),
    };
    kernel.arguments.iter().enumerate().map(one).collect::<Vec<_>>().join(", ")
}

/// Every buffer of this filled case after one launch, in the order of its buffers.
pub fn launch(
    program: &Path,
    kernel: usize,
    case: &SuiteCase,
    descending: bool,
) -> Result<Vec<BufferData>, String> {
    let mut request = Vec::new();
    let mut number = |n: u32| request.extend(n.to_le_bytes());
    number(kernel as u32);
    number(u32::from(descending));
    case.launch.grid.iter().for_each(|n| number(*n as u32));
    case.launch.block.iter().for_each(|n| number(*n));
    number(case.dynamic_smem);
    number(case.arguments.len() as u32);
    for (_, argument) in &case.arguments {
        let scalar = match *argument {
            Scalar::Buffer(at) => {
                let bytes = case.contents()[at].as_bytes();
                request.extend((bytes.len() as u32).to_le_bytes());
                request.extend(bytes);
                continue;
            }
            Scalar::U32(v) => v,
            Scalar::I32(v) => v as u32,
            Scalar::F32(v) => v.to_bits(),
            Scalar::F64(_) => return Err("no kernel takes a double".into()),
        };
        request.extend(0_u32.to_le_bytes());
        request.extend(scalar.to_le_bytes());
    }
    let asked = program.with_extension(format!("{kernel}.request"));
    std::fs::write(&asked, request).map_err(|e| e.to_string())?;
    let input = File::open(&asked).map_err(|e| e.to_string())?;
    let done = Command::new(program).stdin(input).output().map_err(|e| e.to_string())?;
    if !done.status.success() {
        return Err(format!("{}: {}", done.status, String::from_utf8_lossy(&done.stderr)));
    }
    Ok(answered(case, &done.stdout))
}

/// Buffers come in the order of the arguments.
fn answered(case: &SuiteCase, mut bytes: &[u8]) -> Vec<BufferData> {
    let mut all = vec![BufferData::U32(Vec::new()); case.buffers.len()];
    for (_, argument) in &case.arguments {
        let Scalar::Buffer(at) = *argument else { continue };
        let (own, rest) = bytes.split_at(case.contents()[at].as_bytes().len());
        all[at] = BufferData::from_bytes(case.buffers[at].element, own);
        bytes = rest;
    }
    assert!(bytes.is_empty(), "{} bytes too many", bytes.len());
    all
}
