//! The files that the documentation's commands name, as a user would have them: own ones, as small as they can be.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use crate::app_stories::trace;
use crate::desk::Desk;
use crate::small_sqlite::{Table, Val, database};
use flate2::{Compression, write::GzEncoder};
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;

/// Puts every sample into this folder.
pub fn put_samples(folder: &Path) {
    fs::create_dir_all(folder).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(concat!(env!("ROOFSWAP_CHECKOUT"), "/datasets"), folder.join("datasets"))
        .unwrap();
    for (name, bytes) in samples() {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

fn samples() -> Vec<(&'static str, Vec<u8>)> {
    let mut all: Vec<(&str, Vec<u8>)> = vec![
        // Measurements: of one GPU, and of several.
        ("runs.csv", rows(&["rtx-3090"]).into()),
        ("all-gpus.csv", rows(&["titan-v", "rtx-2080-ti", "rtx-3090", "rtx-4070"]).into()),
        ("tuning.csv", tuning().into()),
        ("fleet.parquet", b"PAR1".to_vec()),
        // Profilers, tuners, traces.
        ("report.ncu-rep", seed("own.ncu-rep")),
        (
            "report.csv",
            renamed(
                "ncu-raw.csv",
                "void ns::blend<float, (int)4>(float const *, float)",
                "vector_add(float*)",
            ),
        ),
        ("trace.csv", renamed("nvprof-trace.csv", "void axpy<float>(float*, int)", "saxpy(float*)")),
        ("trace.json.gz", gzipped(&trace())),
        ("report.sqlite", export()),
        // Compilers.
        ("build.log", seed("ptxas.log")),
        ("ptxas.log", (log(80) + &log(90)).into()),
        ("build/sm_80.log", log(80).into()),
        ("build/sm_90.log", log(90).into()),
        ("gpu_metrics.json", seed("calibration.json")),
        ("kernels.sm_90.cubin", seed("own.sm_90.cubin")),
        ("build/kernels.sm_80.cubin", seed("own.sm_80.cubin")),
        ("build/kernels.sm_90.cubin", seed("own.sm_90.cubin")),
        ("app.sm_70.txt", listing(70, "FFMA").into()),
        ("app.sm_90.txt", listing(90, "HFMA2").into()),
        ("source.csv", "kernel,address,threads\nmy_kernel,0x0000,1048576\n".into()),
        // What a user types: prices, a mix of kernels, launches.
        ("prices.csv", PRICES.into()),
        ("mix.toml", MIX.into()),
        ("configurations.txt", "7.0 256 37 8192 0 -1\n8.9 1024 32 0 0 -1\n".into()),
    ];
    all.push(("resources.json", baseline()));
    all
}

const PRICES: &str = "gpu,usd_per_hour,provider,region,date\n\
    l40s,1.10,mycloud,eu,2026-11-20\n\
    h100-sxm5,2.90,mycloud,eu,2026-11-20\n\
    h200,3.60,mycloud,eu,2026-11-20\n\
    rtx-4090,0.50,mycloud,eu,2026-11-20\n";

const MIX: &str = "[[kernel]]\nkernel = \"saxpy\"\nsize = \"n=1048576\"\ncalls = 100\n\n\
    [[kernel]]\nkernel = \"matmul_tiled\"\nsize = \"n=1024\"\ncalls = 3\n";

/// What `ptxas -v` says of `own.sm_*.cubin`: the project's own saxpy (assets/kernels), compiled by NVRTC 12.9.86, the
/// version of `assets/kernels/compile.py`.
fn log(capability: u32) -> String {
    format!(
        "ptxas info    : Compiling entry function 'saxpy' for 'sm_{capability}'\n\
         ptxas info    : Function properties for saxpy\n\
         \x20   0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n\
         ptxas info    : Used 12 registers\n"
    )
}

/// A report among the seeds of a kernel that the catalogue has, so that a problem can be given for it.
fn renamed(name: &str, kernel: &str, known: &str) -> Vec<u8> {
    String::from_utf8(seed(name)).unwrap().replace(kernel, known).into()
}

/// A file of `tests/fuzz/seeds`.
fn seed(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("ROOFSWAP_CHECKOUT")).join("tests/fuzz/seeds").join(name)).unwrap()
}

fn gzipped(text: &str) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::fast());
    out.write_all(text.as_bytes()).unwrap();
    out.finish().unwrap()
}

/// Rows of two kernels at eight sizes; the time falls with the place of the GPU.
fn rows(gpus: &[&str]) -> String {
    let mut text = String::from("gpu,kernel,problem,block,grid,regs_per_thread,flops,dram_bytes,time_ms\n");
    for (place, gpu) in gpus.iter().enumerate() {
        for n in (20..28).map(|power| 1_u64 << power) {
            let (grid, bytes) = (n / 256, 12 * n);
            let time = (n as f64 / 5e7 + 0.004) / (1.0 + 0.2 * place as f64);
            writeln!(text, "{gpu},saxpy,n={n},,,,,,{time:.6}").unwrap();
            writeln!(text, "{gpu},my_kernel,n={n},256,{grid},40,{},{bytes},{:.6}", 2 * n, 1.1 * time)
                .unwrap();
        }
    }
    text
}

/// Rows of a matrix product in several blocks, the one-thread block among them.
fn tuning() -> String {
    let mut text = String::from("gpu,kernel,problem,block,grid,regs_per_thread,flops,dram_bytes,time_ms\n");
    for n in [256_u64, 512, 1024, 2048] {
        for side in [1_u64, 2, 4, 8, 16, 32] {
            let (block, grid, work) = (side * side, (n / side).pow(2), 2 * n.pow(3));
            let time = work as f64 / (1e8 * (side as f64).powf(1.5));
            writeln!(text, "rtx-4070,my_product,n={n},{block},{grid},32,{work},{},{time:.6}", 12 * n * n)
                .unwrap();
        }
    }
    text
}

/// A listing of machine code, as `nvdisasm` and `cuobjdump -sass` print it.
fn listing(capability: u32, product: &str) -> String {
    let mut text = format!("\t.target\tsm_{capability}\n\t\tFunction : my_kernel\n");
    let code = ["MOV R1, c[0x0][0x28]", "LDG.E R2, [R4]", "R5, R2, R3, R5", "STG.E [R6], R5", "EXIT"];
    for (i, line) in code.iter().enumerate() {
        let line = if line.starts_with("R5") { format!("{product} {line}") } else { (*line).to_string() };
        writeln!(text, "        /*{:04x}*/                   {line} ;", 16 * i).unwrap();
    }
    text
}

/// What `roofswap check --update` writes of the samples.
fn baseline() -> Vec<u8> {
    let desk = Desk::new();
    let names = ["80.cubin", "90.cubin", "ptxas.log"];
    let bytes = [seed("own.sm_80.cubin"), seed("own.sm_90.cubin"), (log(80) + &log(90)).into()];
    names.iter().zip(bytes).for_each(|(name, bytes)| drop(desk.file(name, bytes)));
    desk.types("check 80.cubin 90.cubin ptxas.log --baseline resources.json --update").works();
    fs::read(desk.path("resources.json")).unwrap()
}

/// An export of Nsight Systems: four marked steps of two kernels each.
fn export() -> Vec<u8> {
    let row = |all: &[i64]| all.iter().map(|n| Val::Int(*n)).collect::<Vec<_>>();
    let names = ["void axpy<float>(int)", "void dot<float>(int)", "cudaLaunchKernel_v7000", "step"];
    let strings =
        names.iter().enumerate().map(|(i, text)| vec![Val::Null, Val::from(*text), Val::Int(i as i64 + 1)]);
    let (mut kernels, mut calls, mut ranges) = (Vec::new(), Vec::new(), Vec::new());
    for step in 0..4 {
        let start = 1_000_000 * step;
        for kernel in 0..2 {
            let (at, id) = (start + 300_000 * kernel, 2 * step + kernel + 1);
            calls.push(row(&[at, at + 5_000, 1, id, 3]));
            kernels.push(row(&[
                at + 10_000,
                at + 250_000,
                0,
                7,
                id,
                kernel + 1,
                4096,
                1,
                1,
                256,
                1,
                1,
                40,
                0,
                0,
            ]));
        }
        ranges.push(row(&[start, start + 900_000, 59, 1, 4]));
    }
    database(&[
        Table {
            name: "StringIds",
            columns: "id INTEGER PRIMARY KEY, value TEXT, extra INTEGER",
            rows: strings.collect(),
        },
        Table {
            name: "CUPTI_ACTIVITY_KIND_KERNEL",
            columns: "start INTEGER, \"end\" INTEGER, deviceId INTEGER, streamId INTEGER, correlationId INTEGER, demangledName INTEGER, gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER, registersPerThread INTEGER, staticSharedMemory INTEGER, dynamicSharedMemory INTEGER",
            rows: kernels,
        },
        Table {
            name: "CUPTI_ACTIVITY_KIND_RUNTIME",
            columns: "start INTEGER, \"end\" INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER",
            rows: calls,
        },
        Table {
            name: "NVTX_EVENTS",
            columns: "start INTEGER, \"end\" INTEGER, eventType INTEGER, globalTid INTEGER, textId INTEGER",
            rows: ranges,
        },
        Table {
            name: "TARGET_INFO_GPU",
            columns: "id INTEGER, name TEXT",
            rows: vec![vec![0.into(), "NVIDIA H100 80GB HBM3".into()]],
        },
    ])
}
