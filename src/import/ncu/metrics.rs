//! Which of ncu's metrics the models need, and the counts that follow from them.
//!
//! Values are in ncu's base units: ns, byte, 1/s, byte/s, counts, percent.

use super::number::Dimension;
use crate::measurement::Number;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Bytes in a sector of L1, L2 and DRAM.
const SECTOR: f64 = 32.0;

pub(super) const TIME: &str = "gpu__time_duration.sum";
pub(super) const BLOCK_SIZE: &str = "launch__block_size";
pub(super) const GRID_SIZE: &str = "launch__grid_size";
pub(super) const BLOCK_DIM: [&str; 3] = ["launch__block_dim_x", "launch__block_dim_y", "launch__block_dim_z"];
pub(super) const GRID_DIM: [&str; 3] = ["launch__grid_dim_x", "launch__grid_dim_y", "launch__grid_dim_z"];
pub(super) const REGISTERS: &str = "launch__registers_per_thread";
pub(super) const SMEM_STATIC: &str = "launch__shared_mem_per_block_static";
pub(super) const SMEM_DYNAMIC: &str = "launch__shared_mem_per_block_dynamic";
pub(super) const SMEM_DRIVER: &str = "launch__shared_mem_per_block_driver";
pub(super) const LIMIT_REGS: &str = "launch__occupancy_limit_registers";
pub(super) const LIMIT_SMEM: &str = "launch__occupancy_limit_shared_mem";
pub(super) const LIMIT_WARPS: &str = "launch__occupancy_limit_warps";
pub(super) const LIMIT_BLOCKS: &str = "launch__occupancy_limit_blocks";
pub(super) const THEORETICAL: &str = "sm__maximum_warps_per_active_cycle_pct";
pub(super) const ACHIEVED: &str = "sm__warps_active.avg.pct_of_peak_sustained_active";
pub(super) const ACTIVE_THREADS: &str = "smsp__thread_inst_executed_per_inst_executed.ratio";
const SMEM_WAVEFRONTS: &str = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum";
/// The same by kind. On Hopper the sum counts stores to global memory, shuffles and barriers too.
const SMEM_WAVEFRONTS_OF: [&str; 3] = [
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
];
/// Bytes that threads asked of shared memory.
pub(super) const SMEM_DATA: [&str; 2] =
    ["smsp__sass_data_bytes_mem_shared.sum", "sm__sass_data_bytes_mem_shared.sum"];
pub(super) const CC: [&str; 2] =
    ["device__attribute_compute_capability_major", "device__attribute_compute_capability_minor"];
pub(super) const L1_HIT: &str = "l1tex__t_sector_hit_rate.pct";
pub(super) const L2_HIT: &str = "lts__t_sector_hit_rate.pct";
pub(super) const EXECUTED: &str = "smsp__inst_executed.sum";
pub(super) const ISSUED: &str = "smsp__inst_issued.sum";
pub(super) const DRAM_RATE: &str = "dram__bytes.sum.per_second";
pub(super) const DRAM_CLOCK: &str = "dram__cycles_elapsed.avg.per_second";
/// The SM's clock, then the clock that older versions call so.
pub(super) const SM_CLOCKS: [&str; 3] = [
    "sm__cycles_elapsed.avg.per_second",
    "smsp__cycles_elapsed.avg.per_second",
    "gpc__cycles_elapsed.avg.per_second",
];
/// How much of the time DRAM transfers bytes, in percent.
pub(super) const DRAM_BUSY: &str = "dram__cycles_active.avg.pct_of_peak_sustained_elapsed";
/// Width of the memory bus in bits.
pub(super) const BUS_BITS: &str = "device__attribute_global_memory_bus_width";
/// SMs of the GPU.
pub(super) const SM_COUNT: &str = "device__attribute_multiprocessor_count";
pub(super) const LSU: [&str; 2] = ["smsp__inst_executed_pipe_lsu.sum", "sm__inst_executed_pipe_lsu.sum"];
/// Instructions of the load/store unit by kind, where the pipe's own sum was not kept (`--set full` keeps none). Without the
/// first six the rest would pass for the whole.
const LSU_PARTS: [&str; 6] = [
    "smsp__sass_inst_executed_op_global_ld.sum",
    "smsp__sass_inst_executed_op_global_st.sum",
    "smsp__sass_inst_executed_op_local_ld.sum",
    "smsp__sass_inst_executed_op_local_st.sum",
    "smsp__sass_inst_executed_op_shared_ld.sum",
    "smsp__sass_inst_executed_op_shared_st.sum",
];
/// Further kinds, which not every version counts: atomics, asynchronous copies, matrix loads.
const LSU_FURTHER: [&str; 6] = [
    "smsp__inst_executed_op_global_red.sum",
    "smsp__inst_executed_op_generic_atom_dot_alu.sum",
    "smsp__inst_executed_op_generic_atom_dot_cas.sum",
    "smsp__inst_executed_op_shared_atom.sum",
    "smsp__inst_executed_op_ldsm.sum",
    L1_ASYNC,
];
/// Pipes and what of each is used: as ncu calls its busy cycles, and its instructions.
const PIPES: [(Number, &str); 6] = [
    (Number::PipeFma, "fma"),
    (Number::PipeAlu, "alu"),
    (Number::PipeXu, "xu"),
    (Number::PipeLsu, "lsu"),
    (Number::PipeFp64, "fp64"),
    (Number::PipeTensor, "tensor"),
];
/// What stands before a pipe's name, and behind it up to the cycles: busy ones before issued instructions.
const PIPE_FORMS: [(&str, &str); 2] = [
    ("sm__pipe_", "_cycles_active.avg.pct_of_peak_sustained_"),
    ("sm__inst_executed_pipe_", ".avg.pct_of_peak_sustained_"),
];
/// Of which cycles a percentage is: all of the launch, or those in which an SM had a warp.
const OF_CYCLES: [&str; 2] = ["elapsed", "active"];
const ACTIVE_CYCLES: &str = "sm__cycles_active.avg";
const GLOBAL: [[&str; 2]; 2] = [
    ["smsp__sass_inst_executed_op_global_ld.sum", "smsp__sass_inst_executed_op_global_st.sum"],
    ["smsp__inst_executed_op_global_ld.sum", "smsp__inst_executed_op_global_st.sum"],
];
/// Sectors through L1's tag stage by instruction: together they are `l1tex__t_sectors.sum` of a kernel without
/// asynchronous copies.
const L1_PARTS: [&str; 11] = [
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    ATOMIC_SECTORS[0],
    ATOMIC_SECTORS[1],
    "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
    "l1tex__t_sectors_pipe_tex_mem_surface_op_ld.sum",
    "l1tex__t_sectors_pipe_tex_mem_surface_op_st.sum",
    "l1tex__t_sectors_pipe_tex_mem_surface_op_red.sum",
    "l1tex__t_sectors_pipe_tex_mem_surface_op_atom.sum",
    "l1tex__t_sectors_pipe_tex_mem_texture.sum",
];
/// Requests of atomics on global memory, by warp: those that do not return the old value, and those that do.
const ATOMICS: [&str; 2] =
    ["l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum"];
/// The sectors that they touch.
const ATOMIC_SECTORS: [&str; 2] =
    ["l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum"];
/// Sectors of a request from which on its lanes are not on one address.
const SPREAD_SECTORS: f64 = 1.1;
/// Asynchronous copies pass L1 beside those parts.
const L1_ASYNC: &str = "smsp__inst_executed_op_ldgsts.sum";
const L2_FROM_L1: &str = "lts__t_sectors_srcunit_tex.sum";
const PLAIN: [&str; 6] = [
    L2_FROM_L1,
    "smsp__cycles_elapsed.avg",
    "lts__t_sectors.sum",
    "l1tex__t_sectors.sum",
    "dram__sectors_read.sum",
    "dram__sectors_write.sum",
];
const BYTES: [&str; 5] = [
    "dram__bytes.sum",
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "lts__t_bytes.sum",
    "l1tex__t_bytes.sum",
];
const OP_PREFIXES: [&str; 2] = ["smsp__sass_thread_inst_executed_op_", "sm__sass_thread_inst_executed_op_"];
const OP_SUM: &str = "_pred_on.sum";
const OP_PER_CYCLE: &str = "_pred_on.sum.per_cycle_elapsed";
/// Signs that a tensor pipe worked.
const TENSOR_SIGNS: [&str; 3] =
    ["sm__inst_executed_pipe_tensor", "smsp__inst_executed_pipe_tensor", "sm__pipe_tensor"];
/// Operations of the tensor pipes, a multiply-add as two: `…src_fp16_dst_fp32.sum`, `…src_fp64.sum`.
const TENSOR_OPS: &str = "sm__ops_path_tensor_src_";

/// The dimension of a metric that is wanted.
pub(super) fn wanted(name: &str) -> Option<Dimension> {
    let is = |names: &[&str]| names.contains(&name);
    if name == TIME {
        return Some(Dimension::Time);
    }
    if name == DRAM_RATE {
        return Some(Dimension::BytesPerSecond);
    }
    if is(&BYTES) || is(&SMEM_DATA) || is(&[SMEM_STATIC, SMEM_DYNAMIC, SMEM_DRIVER]) {
        return Some(Dimension::Bytes);
    }
    if is(&SM_CLOCKS) || name == DRAM_CLOCK {
        return Some(Dimension::PerSecond);
    }
    let plain = is(&[BLOCK_SIZE, GRID_SIZE, REGISTERS, LIMIT_REGS, LIMIT_SMEM, LIMIT_WARPS, LIMIT_BLOCKS])
        || is(&[
            THEORETICAL,
            ACHIEVED,
            ACTIVE_THREADS,
            SMEM_WAVEFRONTS,
            L1_HIT,
            L2_HIT,
            EXECUTED,
            ISSUED,
            L1_ASYNC,
        ])
        || is(&BLOCK_DIM)
        || is(&GRID_DIM)
        || is(&LSU)
        || is(&CC)
        || is(&[DRAM_BUSY, BUS_BITS, SM_COUNT, ACTIVE_CYCLES])
        || is(GLOBAL.as_flattened())
        || is(&L1_PARTS)
        || is(&SMEM_WAVEFRONTS_OF)
        || is(&ATOMICS)
        || is(&PLAIN)
        || is(&LSU_PARTS)
        || is(&LSU_FURTHER)
        || is_pipe_use(name)
        || is_operation(name)
        || is_tensor(name);
    plain.then_some(Dimension::Plain)
}

fn is_operation(name: &str) -> bool {
    let op = OP_PREFIXES.iter().find_map(|p| name.strip_prefix(p));
    op.and_then(|op| op.strip_suffix(OP_SUM).or_else(|| op.strip_suffix(OP_PER_CYCLE)))
        .is_some_and(|op| NcuPrecision::ALL.into_iter().any(|p| p.operations().contains(&op)))
}

fn is_pipe_use(name: &str) -> bool {
    let Some(name) = OF_CYCLES.iter().find_map(|cycles| name.strip_suffix(cycles)) else { return false };
    let named = |(before, behind): &(&str, &str)| name.strip_prefix(before)?.strip_suffix(behind);
    PIPE_FORMS.iter().filter_map(named).any(|pipe| PIPES.iter().any(|(_, known)| *known == pipe))
}

fn is_tensor(name: &str) -> bool {
    is_tensor_sign(name) || tensor_path(name).is_some()
}

/// What the pipe could do at most is no sign that it did.
fn is_tensor_sign(name: &str) -> bool {
    TENSOR_SIGNS.iter().any(|sign| name.starts_with(sign)) && !name.contains(".peak_sustained")
}

/// A path of the tensor pipes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct TensorPath<'a> {
    /// The type of its operands.
    from: &'a str,
    /// That of its results, where they are told apart.
    to: Option<&'a str>,
    /// Without the sparse ones, which are no part of it.
    is_dense: bool,
}

/// `fp16` and `fp32` of `sm__ops_path_tensor_src_fp16_dst_fp32.sum`, `fp64` alone of `sm__ops_path_tensor_src_fp64.sum`, `fp8` of
/// `sm__ops_path_tensor_src_fp8_sparsity_off.sum`, which is all that is counted of FP8 on Hopper.
fn tensor_path(name: &str) -> Option<TensorPath<'_>> {
    let path = name.strip_prefix(TENSOR_OPS)?.strip_suffix(".sum")?;
    let (path, is_dense) = path.strip_suffix("_sparsity_off").map_or((path, false), |dense| (dense, true));
    let (from, to) = path.split_once("_dst_").map_or((path, None), |(from, to)| (from, Some(to)));
    let float = ["fp", "bf", "tf"].iter().any(|f| from.starts_with(f));
    let is_whole = ![from, to.unwrap_or_default()].iter().any(|end| end.contains('_'));
    (float && is_whole).then_some(TensorPath { from, to, is_dense })
}

/// A floating-point width that the vector pipes count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NcuPrecision {
    Half,
    Single,
    Double,
}

impl NcuPrecision {
    pub(super) const ALL: [Self; 3] = [Self::Half, Self::Single, Self::Double];

    /// Add, multiply, fused multiply-add.
    pub(super) fn operations(self) -> [&'static str; 3] {
        match self {
            Self::Half => ["hadd", "hmul", "hfma"],
            Self::Single => ["fadd", "fmul", "ffma"],
            Self::Double => ["dadd", "dmul", "dfma"],
        }
    }

    /// As the canonical rows write it.
    pub(super) fn dtype(self) -> &'static str {
        match self {
            Self::Half => "fp16",
            Self::Single => "fp32",
            Self::Double => "fp64",
        }
    }
}

/// What ncu measured of one launch, by metric.
#[derive(Debug, Clone, Default)]
pub(super) struct Values(HashMap<Arc<str>, f64>);

impl Values {
    /// Keeps a value; negative ones are none.
    pub(super) fn set(&mut self, name: Arc<str>, value: f64) {
        if value.is_finite() && value >= 0.0 {
            self.0.insert(name, value);
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<f64> {
        self.0.get(name).copied()
    }

    pub(super) fn first(&self, names: &[&str]) -> Option<f64> {
        names.iter().find_map(|n| self.get(n))
    }

    fn sum(&self, names: &[&str]) -> Option<f64> {
        names.iter().map(|n| self.get(n)).sum()
    }

    pub(super) fn seconds(&self) -> Option<f64> {
        self.get(TIME).map(|ns| ns * 1e-9)
    }

    /// Add, multiply and fused multiply-add instructions by thread. Where only their rate per cycle was kept (the
    /// roofline sections do so), it is that rate x the cycles, as ncu's own roofline has it.
    pub(super) fn operations(&self, of: NcuPrecision) -> Option<[f64; 3]> {
        let cycles = self
            .get("smsp__cycles_elapsed.avg")
            .or_else(|| Some(self.get("smsp__cycles_elapsed.avg.per_second")? * self.seconds()?));
        let one = |op: &str| {
            OP_PREFIXES.iter().find_map(|p| {
                let rate = || Some((self.get(&format!("{p}{op}{OP_PER_CYCLE}"))? * cycles?).round());
                self.get(&format!("{p}{op}{OP_SUM}")).or_else(rate)
            })
        };
        let [add, mul, fma] = of.operations().map(one);
        Some([add?, mul?, fma?])
    }

    /// Whether a tensor pipe did anything but move constants; `None` where nobody looked.
    pub(super) fn tensor_active(&self) -> Option<bool> {
        let signs = || self.0.iter().filter(|(n, _)| is_tensor_sign(n));
        let worked = signs().next().map(|_| signs().any(|(_, v)| *v > 0.0));
        worked.map(|worked| worked && !self.tensor_moves_constants())
    }

    /// Add, multiply and fused multiply-add instructions of half precision that compute something. From compute capability 7.5
    /// on compilers load constants with `HFMA2 R, -RZ, RZ, c, c`, which counts as a multiply-add: where there is no other
    /// half-precision instruction, and fewer of them than of single or double precision, they are that.
    pub(super) fn half_operations(&self) -> Option<[f64; 3]> {
        let counted = self.operations(NcuPrecision::Half)?;
        let [add, mul, fma] = counted;
        let wider = [NcuPrecision::Single, NcuPrecision::Double].map(|p| self.operations(p));
        let wider: f64 = wider.into_iter().flatten().flatten().sum();
        Some(if add == 0.0 && mul == 0.0 && fma < wider { [0.0; 3] } else { counted })
    }

    /// Whether all that the tensor pipes did is to move constants, which they do from compute capability 8.0 on (`HFMA2.MMA`):
    /// each floating-point path was counted and did nothing.
    fn tensor_moves_constants(&self) -> bool {
        let counted = |of: &str| self.0.keys().filter_map(|n| tensor_path(n)).any(|path| path.from == of);
        let moved = self.operations(NcuPrecision::Half).is_some_and(|[.., fma]| fma > 0.0);
        moved
            && self.half_operations() == Some([0.0; 3])
            && ["fp16", "bf16", "tf32"].into_iter().all(counted)
            && self.tensor_flops() == Some(0.0)
    }

    /// FLOPs of the tensor pipes, where they were counted: of each source its destinations, else its whole, else its dense ones.
    pub(super) fn tensor_flops(&self) -> Option<f64> {
        let counted = self.0.iter().filter_map(|(name, v)| tensor_path(name).map(|path| (path, *v)));
        let paths: BTreeMap<_, _> = counted.collect();
        let has = |of: &TensorPath<'_>, part: fn(&TensorPath<'_>) -> bool| {
            paths.keys().any(|path| path.from == of.from && part(path))
        };
        let once = paths.iter().filter(|(path, _)| match path {
            TensorPath { is_dense: true, .. } => !has(path, |other| !other.is_dense),
            TensorPath { to: None, .. } => !has(path, |other| !other.is_dense && other.to.is_some()),
            _ => true,
        });
        (!paths.is_empty()).then(|| once.map(|(_, v)| v).sum())
    }

    /// The one type of operands that the tensor pipes were counted to read, where there is one.
    pub(super) fn tensor_source(&self) -> Option<&'static str> {
        let worked = |of: &str| {
            let path = |(name, v): (&Arc<str>, &f64)| {
                *v > 0.0 && tensor_path(name).is_some_and(|path| path.from == of)
            };
            self.0.iter().any(path)
        };
        let mut sources = ["fp16", "bf16", "tf32", "fp8", "fp64"].into_iter().filter(|of| worked(of));
        sources.next().filter(|_| sources.next().is_none())
    }

    /// Whether a tensor pipe worked and no counted path did: its operations are unknown.
    pub(super) fn tensor_uncounted(&self) -> bool {
        self.tensor_active() == Some(true) && self.tensor_flops().is_none_or(|flops| flops == 0.0)
    }

    /// Bytes between L2 and DRAM.
    pub(super) fn dram_bytes(&self) -> Option<f64> {
        self.get("dram__bytes.sum")
            .or_else(|| self.sum(&["dram__bytes_read.sum", "dram__bytes_write.sum"]))
            .or_else(|| self.sum(&["dram__sectors_read.sum", "dram__sectors_write.sum"]).map(|s| s * SECTOR))
            .or_else(|| Some((self.get(DRAM_RATE)? * self.seconds()?).round()))
    }

    /// Whether those bytes are a printed rate x the time, which has the digits of the rate.
    pub(super) fn dram_is_rate(&self) -> bool {
        let exact = ["dram__bytes.sum", "dram__bytes_read.sum", "dram__sectors_read.sum"];
        self.first(&exact).is_none() && self.dram_bytes().is_some()
    }

    /// Bytes that L1 asks L2 for; else all through L2's tag stage. On GPUs whose L2 has two parts (A100, H100) that counts once
    /// more what passes from one part to the other: 1.6 times the bytes of a vector addition on an H200.
    pub(super) fn l2_bytes(&self) -> Option<f64> {
        let sectors = |name: &str| self.get(name).map(|s| s * SECTOR);
        sectors(L2_FROM_L1).or_else(|| self.get("lts__t_bytes.sum")).or_else(|| sectors("lts__t_sectors.sum"))
    }

    /// Bytes through L1's tag stage.
    pub(super) fn l1_bytes(&self) -> Option<f64> {
        let parts = || {
            let complete = self.get(L1_ASYNC).is_some_and(|copies| copies == 0.0);
            self.sum(&L1_PARTS).filter(|_| complete)
        };
        self.get("l1tex__t_bytes.sum")
            .or_else(|| self.get("l1tex__t_sectors.sum").or_else(parts).map(|s| s * SECTOR))
    }

    /// Instructions of the load/store unit by warp, as its pipe counted them.
    pub(super) fn lsu_insts(&self) -> Option<f64> {
        self.first(&LSU)
    }

    /// The sum of the kinds of load/store instructions that were counted: without special registers and barriers, which the pipe
    /// takes too.
    pub(super) fn lsu_parts(&self) -> Option<f64> {
        let further = LSU_FURTHER.iter().filter_map(|name| self.get(name)).sum::<f64>();
        Some(self.sum(&LSU_PARTS)? + further)
    }

    /// How much of each pipe was used, in percent of the elapsed cycles, where the report says. Those of active cycles
    /// count where it says how many these were.
    pub(super) fn pipe_uses(&self) -> impl Iterator<Item = (Number, f64)> {
        let active = self.active_share();
        PIPES.iter().filter_map(move |(column, pipe)| {
            let used = |cycles: &str| {
                let of_form =
                    |(before, behind): &(&str, &str)| self.get(&format!("{before}{pipe}{behind}{cycles}"));
                PIPE_FORMS.iter().find_map(of_form)
            };
            let [elapsed, of_active] = OF_CYCLES;
            let scaled = || Some(used(of_active)? * active?);
            Some((*column, used(elapsed).or_else(scaled)?))
        })
    }

    /// The share of the elapsed cycles in which an SM had a warp, in the mean.
    fn active_share(&self) -> Option<f64> {
        let elapsed = self.first(&SM_CLOCKS)? * self.seconds()?;
        Some((self.get(ACTIVE_CYCLES)? / elapsed).min(1.0))
    }

    /// Passes through shared memory: of loads, stores and atomics where each was counted.
    pub(super) fn smem_wavefronts(&self) -> Option<f64> {
        self.sum(&SMEM_WAVEFRONTS_OF).or_else(|| self.get(SMEM_WAVEFRONTS))
    }

    /// Requests of atomics on global memory by warp whose lanes may be on one address: none where they touch more sectors than one each.
    pub(super) fn same_address_atomics(&self) -> Option<f64> {
        let requests = self.sum(&ATOMICS)?;
        let are_spread = self.sum(&ATOMIC_SECTORS).is_some_and(|sectors| sectors > SPREAD_SECTORS * requests);
        Some(if are_spread { 0.0 } else { requests })
    }

    /// Global load and store instructions by warp.
    pub(super) fn global_insts(&self) -> Option<f64> {
        GLOBAL.iter().find_map(|pair| self.sum(pair))
    }
}

/// The metric behind a label of the details page. Labels that mean different metrics in different sections are told apart
/// by their unit.
pub(super) fn of_label(label: &str, unit: Option<Dimension>) -> Option<&'static str> {
    Some(match label {
        "Duration" => TIME,
        "SM Frequency" => SM_CLOCKS[0],
        "DRAM Frequency" => DRAM_CLOCK,
        "Registers Per Thread" => REGISTERS,
        "Static Shared Memory Per Block" => SMEM_STATIC,
        "Dynamic Shared Memory Per Block" => SMEM_DYNAMIC,
        "Driver Shared Memory Per Block" => SMEM_DRIVER,
        "Block Size" => BLOCK_SIZE,
        "Grid Size" => GRID_SIZE,
        "Block Limit Registers" => LIMIT_REGS,
        "Block Limit Shared Mem" => LIMIT_SMEM,
        "Block Limit Warps" => LIMIT_WARPS,
        "Block Limit SM" => LIMIT_BLOCKS,
        "Theoretical Occupancy" => THEORETICAL,
        "Achieved Occupancy" => ACHIEVED,
        "Avg. Active Threads Per Warp" => ACTIVE_THREADS,
        "Executed Instructions" => EXECUTED,
        "Issued Instructions" => ISSUED,
        "L1/TEX Hit Rate" => L1_HIT,
        "L2 Hit Rate" => L2_HIT,
        "Memory Throughput" if unit == Some(Dimension::BytesPerSecond) => DRAM_RATE,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(all: &[(&str, f64)]) -> Values {
        let mut values = Values::default();
        for (name, value) in all {
            assert!(wanted(name).is_some(), "{name}");
            values.set((*name).into(), *value);
        }
        values
    }

    #[test]
    fn a_rate_per_cycle_times_the_cycles_is_the_count() {
        let op = |op: &str| format!("smsp__sass_thread_inst_executed_op_{op}_pred_on.sum.per_cycle_elapsed");
        let v = values(&[
            (TIME, 2000.0),
            ("smsp__cycles_elapsed.avg.per_second", 1e9),
            (&op("fadd"), 8.0),
            (&op("fmul"), 0.0),
            (&op("ffma"), 16.5),
        ]);
        assert_eq!(v.operations(NcuPrecision::Single), Some([16_000.0, 0.0, 33_000.0]));
        assert_eq!(v.operations(NcuPrecision::Double), None);
    }

    #[test]
    fn bytes_come_from_the_most_direct_metric() {
        assert_eq!(
            values(&[("dram__bytes.sum", 7.0), ("dram__bytes_read.sum", 5.0)]).dram_bytes(),
            Some(7.0)
        );
        let both = values(&[("dram__bytes_read.sum", 5.0), ("dram__bytes_write.sum", 3.0)]);
        assert_eq!((both.dram_bytes(), both.dram_is_rate()), (Some(8.0), false));
        assert_eq!(values(&[("dram__bytes_read.sum", 5.0)]).dram_bytes(), None);
        let rate = values(&[(DRAM_RATE, 4e9), (TIME, 1e6)]);
        assert_eq!((rate.dram_bytes(), rate.dram_is_rate()), (Some(4e6), true));
        let all_of_l2 = [("lts__t_sectors.sum", 621_966.0), (L2_FROM_L1, 393_216.0)]; // a vector addition on an H200
        assert_eq!(values(&all_of_l2).l2_bytes(), Some(12.0 * 1_048_576.0));
        assert_eq!(values(&[("lts__t_sectors.sum", 2.0)]).l2_bytes(), Some(64.0));
        let mut parts: Vec<(&str, f64)> = L1_PARTS.iter().map(|n| (*n, 1.0)).collect();
        assert_eq!(values(&parts).l1_bytes(), None, "nobody said that there were no asynchronous copies");
        parts.push((L1_ASYNC, 0.0));
        assert_eq!(values(&parts).l1_bytes(), Some(11.0 * 32.0));
    }

    #[test]
    fn atomics_are_those_that_return_and_those_that_do_not() {
        let both = [(ATOMICS[0], 3.0), (ATOMICS[1], 4.0)];
        assert_eq!(values(&both).same_address_atomics(), Some(7.0));
        assert_eq!(values(&both[..1]).same_address_atomics(), None);
        assert_eq!(values(&[(ATOMICS[0], 0.0), (ATOMICS[1], 0.0)]).same_address_atomics(), Some(0.0));
        let touching = |sectors| {
            let sectors = [(ATOMIC_SECTORS[0], sectors), (ATOMIC_SECTORS[1], 0.0)];
            values(&[both, sectors].concat()).same_address_atomics()
        };
        assert_eq!((touching(7.0), touching(14.0)), (Some(7.0), Some(0.0)));
    }

    #[test]
    fn tensor_paths_are_counted_once() {
        let v = values(&[
            ("sm__ops_path_tensor_src_fp16_dst_fp32.sum", 100.0),
            ("sm__inst_executed_pipe_tensor.sum", 4.0),
        ]);
        assert_eq!((v.tensor_flops(), v.tensor_active()), (Some(100.0), Some(true)));
        assert_eq!(v.tensor_source(), Some("fp16"));
        let off = |of: &'static str| match of {
            "fp16" => ("sm__ops_path_tensor_src_fp16_sparsity_off.sum", 70.0),
            _ => ("sm__ops_path_tensor_src_fp8_sparsity_off.sum", 7.0),
        };
        let whole = ("sm__ops_path_tensor_src_fp16.sum", 100.0);
        assert_eq!(values(&[whole, off("fp16")]).tensor_flops(), Some(100.0), "a part of it");
        let fp8 = values(&[off("fp8"), ("sm__ops_path_tensor_src_fp16.sum", 0.0)]);
        assert_eq!((fp8.tensor_flops(), fp8.tensor_source()), (Some(7.0), Some("fp8")));
        let two = [("sm__ops_path_tensor_src_tf32.sum", 1.0), ("sm__ops_path_tensor_src_bf16.sum", 1.0)];
        assert_eq!((values(&two).tensor_source(), values(&[]).tensor_source()), (None, None));
        assert_eq!(wanted("sm__ops_path_tensor_src_fp16_dst_fp32_sparsity_on.sum"), None);
        assert_eq!(wanted("sm__ops_path_tensor_src_int8_dst_int32.sum"), None);
        assert_eq!(Values::default().tensor_active(), None);
    }

    #[test]
    fn constants_that_half_precision_moves_are_no_operations() {
        let op =
            |op: &str, count: f64| (format!("smsp__sass_thread_inst_executed_op_{op}_pred_on.sum"), count);
        // matmul_tiled of our suite, 512 x 512 x 512, as ncu 2025.3 counted it on an H200.
        let counted = |half: [f64; 3]| {
            let [hadd, hmul, hfma] = half;
            let single = [op("fadd", 0.0), op("fmul", 0.0), op("ffma", 134_217_728.0)];
            let double = ["dadd", "dmul", "dfma"].map(|name| op(name, 0.0));
            let half = [op("hadd", hadd), op("hmul", hmul), op("hfma", hfma)];
            let paths = ["fp16", "bf16_dst_fp32", "tf32_dst_fp32", "fp64"]
                .map(|path| (format!("sm__ops_path_tensor_src_{path}.sum"), 0.0));
            let busy = ("sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed".into(), 0.77);
            let all = single.into_iter().chain(double).chain(half).chain(paths).chain([busy]);
            let all: Vec<(String, f64)> = all.collect();
            values(&all.iter().map(|(name, value)| (name.as_str(), *value)).collect::<Vec<_>>())
        };
        let moved = counted([0.0, 0.0, 4_718_592.0]);
        assert_eq!(moved.half_operations(), Some([0.0; 3]));
        assert_eq!((moved.tensor_active(), moved.tensor_uncounted()), (Some(false), false));
        for computed in [[0.0, 0.0, 2e8], [1.0, 0.0, 4_718_592.0]] {
            let worked = counted(computed);
            assert_eq!(worked.half_operations(), Some(computed));
            assert!(worked.tensor_uncounted(), "the pipe did what no path explains");
        }
    }

    #[test]
    fn a_source_without_destinations_is_a_path_of_its_own() {
        let double = ("sm__ops_path_tensor_src_fp64.sum", 512.0);
        let active = ("sm__inst_executed_pipe_tensor.sum", 4.0);
        let idle = ("sm__ops_path_tensor_src_fp16_dst_fp32.sum", 0.0);
        let v = values(&[double, idle, active]);
        assert_eq!((v.tensor_flops(), v.tensor_uncounted()), (Some(512.0), false));
        let v = values(&[
            ("sm__ops_path_tensor_src_fp16.sum", 100.0),
            ("sm__ops_path_tensor_src_fp16_dst_fp16.sum", 40.0),
            ("sm__ops_path_tensor_src_fp16_dst_fp32.sum", 60.0),
        ]);
        assert_eq!(v.tensor_flops(), Some(100.0), "the whole is not added to its parts");
        assert_eq!(wanted("sm__ops_path_tensor_src_fp64_sparsity_on.sum"), None);
        assert!(values(&[idle, active]).tensor_uncounted() && values(&[active]).tensor_uncounted());
        assert!(!values(&[idle]).tensor_uncounted());
    }
}
