"""The terms of `components`, each taken out, and its constants, each fitted again with one family of kernels left out: tables of docs/models.md.

    python3 docs/leave_one_out.py ../shared/data [target/debug/examples/component_table]

The program writes its pairs (`tests/examples/component_table.rs`); the arithmetic of the model stands here once more, vectorised, and the script stops
where it does not agree with the program to 1e-9. A constant is chosen by the mean of the families' MAPE, a weight of the doubt by the mean likelihood
of a Laplace distribution with counts taken away step by step, its scale that of the families that choose. Needs numpy and pandas.
"""

import collections
import os
import subprocess
import sys
import tempfile

import numpy as np
import pandas as pd

Pair = collections.namedtuple("Pair", "source target")
# Seconds without waiting warps; how much of them is the power limit; seconds of FLOPs or bytes at the stated rates; the share of
# shared memory alone; whether DRAM binds, and how many times longer than all else it takes.
Bounds = collections.namedtuple("Bounds", "components power at_peak shared streamed by_dram dram_over_rest")

FILES = {
    "paper 1": "study/measurements_corrected.csv",
    "tuning": "schoonhoven_tuning/gemm_conv_dev.csv",
    "recompiled": "ktt/ktt_convolution.csv",
    "operators": "neusight/neusight_ops_dev.csv",
    "NVBench": "pmpp_nvbench/single_launch.csv",
}
PIPES = ["GlobalWarpInsts", "LsuWarpInsts", "SmemWavefronts", "Flops", "WarpInstsIssued"]
PIPE_RATES = ["GlobalPerClock", "LsuLanes", "SharedPerClock", "FlopsPerClock", "IssuePerClock"]
PRODUCTS = ["torch_linear", "torch_bmm"]
TILES = [(128, 128), (128, 64), (64, 128), (64, 64), (128, 32), (32, 128), (64, 32), (32, 64), (32, 32)]
SPLITS = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32]
# What many products at once are cut into, by architecture; (128, 128) on all others.
BATCHED = {"maxwell": TILES[2:3], "pascal": TILES[2:3], "volta": TILES[:3], "turing": TILES[:3]}

# As shipped, and what else is tried.
CONSTANTS = {
    "norm": (10.0, [4.0, 6.0, 8.0, 12.0, 16.0]),
    "carried": (0.74, [0.66, 0.7, 0.78, 0.82, 0.86]),
    "carried_below": (0.65, [0.3, 0.5, 0.6, 0.7, 0.8, 1.0]),
    "carried_uncounted": (0.93, [0.8, 0.86, 0.9, 0.97, 1.0]),
    "carried_to_another_build": (0.3, [0.1, 0.2, 0.4, 0.5, 0.6, 0.8]),
    "far": (3.0, [2.0, 2.5, 4.0, 6.0, 1e9]),
    "usual": (1.05, [0.95, 1.0, 1.1, 1.15, 1.2]),
    "usual_of_library": (1.2, [1.05, 1.1, 1.15, 1.25, 1.3, 1.4]),
    "tile_load": (2.0, [0.01, 1.0, 3.0, 4.0, 6.0]),
    "with_roof": (0.7, [0.4, 0.5, 0.6, 0.8, 0.9]),
    "overlap_of_uncounted": (2.0, [0.0, 1.0, 3.0, 4.0, 6.0]),
    "most_tail": (1.6, [1.0, 1.3, 1.45, 2.0, 3.0]),
    "of_sms": (0.4, [0.1, 0.2, 0.6, 0.8]),
    "of_counted": (0.6, [0.2, 0.4, 0.8, 1.0]),
    "lsu_cycles": (8.0, [4.0, 6.0, 10.0, 12.0, 16.0]),
    "other_cycles": (3.0, [0.0, 1.0, 2.0, 4.0, 5.0]),
    "waiting_norm": (3.0, [1.5, 2.0, 2.5, 4.0, 6.0]),
    "launch_norm": (12.0, [3.0, 4.0, 6.0, 8.0, 20.0]),
    "gap_us": (1.8, [0.0, 1.0, 1.5, 2.2, 2.7, 3.5]),
    "dispatch_norm": (1.5, [1.0, 1.25, 2.0, 2.5, 4.0]),
    "fetching": (1.0, [0.0, 0.5, 1.5, 2.0, 3.0]),
    "near_roof": (0.3, [0.01, 0.15, 0.2, 0.4, 0.6]),
    "most_above": (1.5, [1.0, 1.25, 2.0, 3.0, 1e9]),
    "of_dram_near_roof": (1.0, [0.0, 0.5]),
}
SHIPPED = {name: value for name, (value, _) in CONSTANTS.items()}
# Weights of the doubt.
WEIGHTS = {
    "least": (0.13, [0.02, 0.06, 0.1, 0.16, 0.2]),
    "readings": (0.9, [0.35, 0.5, 0.7, 1.1]),
    "spread": (1.4, [0.6, 0.85, 1.1, 1.6]),
    "efficiency": (0.2, [0.1, 0.15, 0.3, 0.4]),
    "drawn": (0.3, [0.0, 0.1, 0.2, 0.4, 0.5, 0.8]),
    "uncounted": (0.39, [0.0, 0.1, 0.2, 0.28, 0.32, 0.4, 0.5]),
    "other_architecture": (0.08, [0.0, 0.04, 0.06, 0.1, 0.12]),
    "other_library": (0.11, [0.0, 0.06, 0.08, 0.15, 0.2]),
    "other_sm": (0.2, [0.0, 0.08, 0.12, 0.16, 0.24, 0.3]),
    "unknown_build": (0.21, [0.0, 0.08, 0.14, 0.17, 0.24, 0.3]),
    "gap": (0.3, [0.0, 0.15, 0.45]),
    "unknown_floor": (0.2, [0.0, 0.1, 0.15, 0.25, 0.3, 0.35]),
    "unknown_dispatch": (0.42, [0.2, 0.25, 0.3, 0.35, 0.5]),
    "supply": (0.25, [0.25]),
    "below_roof": (0.5, [0.5]),
    "conflicts": (0.38, [0.38]),
    "reuse": (0.86, [0.86]),
    "library": (0.8, [0.8]),
}
# What is taken away at each step, beside all that was taken away before; only of families that count it.
STEPS = [
    [],
    ["WarpInstsIssued"],
    ["GlobalWarpInsts", "GlobalWavefronts"],
    ["SmemWavefronts", "GlobalAtomicRequests", "AtomicLineSectors"],
    ["LsuWarpInsts"],
    ["L2Bytes", "L1Bytes", "WorkingSetBytes"],
    ["Flops", "ActiveThreadsPerInst"],
    ["DramBytes"],
]
# What takes a term out: constants, and columns that are blank without it or that the target has from the source.
TERMS = {
    "the model": ({}, []),
    "all of ln η carried": ({"carried": 1.0, "carried_below": 1.0, "carried_uncounted": 1.0, "carried_to_another_build": 1.0}, []),
    "none of it": ({"carried": 0.0, "carried_uncounted": 0.0, "carried_to_another_build": 0.0, "far": 1e9}, []),
    "as little where nothing was counted": ({"carried_uncounted": 0.74}, []),
    "as much where another build runs": ({"carried_to_another_build": 0.74}, []),
    "as much of a time better than typical": ({"carried_below": 1.0}, []),
    "the same share however far above the roof": ({"far": 1e9}, []),
    "no usual η of libraries": ({"usual_of_library": 1.05}, []),
    "time above the roof never goes with the roof": ({"with_roof": 0.0, "near_roof": 0.01, "of_dram_near_roof": 0.0}, []),
    "not near the roof of few counts": ({"near_roof": 0.01}, []),
    "not near that of DRAM": ({"of_dram_near_roof": 0.0}, []),
    "uncounted pipes do not overlap with the roof": ({"overlap_of_uncounted": 0.0}, []),
    "the same latency of results everywhere": ({}, ["dependent_issue"]),
    "norm 4": ({"norm": 4.0}, []),
    "no last wave": ({"most_tail": 1.0}, []),
    "no latency of DRAM in rounds": ({}, ["LoadRounds"]),
    "no waiting for results": ({"lsu_cycles": 0.0, "other_cycles": 0.0, "fetching": 0.0}, []),
    "code without loops costs nothing": ({"fetching": 0.0}, []),
    "no lines of global loads": ({}, ["GlobalWavefronts"]),
    "launch and kernel added": ({"launch_norm": 1.0, "gap_us": 0.0, "dispatch_norm": 1.0}, []),
    "no gap between kernels": ({"gap_us": 0.0}, []),
    "power slows all FP time alike": ({"power_exponent": 1.0}, []),
}
FIXED = {"dram_distance": 0.25, "of_dram": 2.0, "of_dram_beside_flops": 1.0, "of_lsu_with_shared": 4.0, "of_conflicts": 2.0, "power_exponent": 0.55, "without_ecc": 0.8}


class Family:
    """Pairs of one family of kernels."""

    def __init__(self, name, table):
        self.name, self.table = name, table.reset_index(drop=True)
        d = self.table
        self.operator = (d.runs_as == "Operator").to_numpy()
        self.cold = d.variant.astype(str).str.contains("timing=cold").to_numpy()
        self.library = d.kernel.isin(PRODUCTS).to_numpy()
        limits = [d[f"registers_{s}"] >= 248 for s in "st"]
        self.another = self.library | (limits[0].to_numpy() & ~self.operator)
        unknown = (d.unknown_build_s == 1) | (d.unknown_build_t == 1) | limits[0] | limits[1]
        self.unknown_build = unknown.to_numpy() & ~self.operator
        self.source, self.target = d.time_s.to_numpy(), d.time_t.to_numpy()
        self.shared = np.where(self.operator, np.nan, d.uses_shared.to_numpy(float))
        known = d[["blocks", "resident_s", "resident_t"]].notna().all(axis=1)
        self.shaped = (known & (d.resident_s > 0) & (d.resident_t > 0)).to_numpy() & ~self.operator
        self.tiles = {}

    def column(self, name):
        return self.table[name].to_numpy(float)

    def library_share(self, side):
        """What a library's kernels reach of the FP32 rate, beside what they reach on other architectures."""
        older = self.table[f"architecture_{side}"].isin(["maxwell", "pascal"]).to_numpy()
        return np.where(older & (self.table.kernel == "torch_linear").to_numpy(), 0.8, 1.0)

    def tile_factor(self, side, load, power, exponent):
        """How many times longer whole tiles of a library's product take than its FLOPs, on this side, and the part of the SMs that are busy."""
        if not self.library.any():
            return np.ones((2, len(self.table)))
        if (side, load, exponent) not in self.tiles:
            rows = self.table[self.library]
            keys = [dict(p.split("=") for p in problem.split(";")) for problem in rows.problem]
            b, m, n, k = (np.array([float(p[key]) for p in keys]) for key in "bmnk")
            linear = (rows.kernel == "torch_linear").to_numpy()
            m, b = np.where(linear, b * m, m), np.where(linear, 1.0, b)
            sms = rows[f"Sms_{side}"].to_numpy(float)
            batched = [BATCHED.get(name, TILES[:1]) for name in rows[f"architecture_{side}"].str.strip("\"")]
            takes = {tile: (b == 1) | np.array([tile in tiles for tiles in batched]) for tile in TILES}
            share = power[self.library]
            shortest, best, busy = np.full(len(m), np.inf), np.full(len(m), np.inf), np.ones(len(m))
            for high, wide in TILES:
                each = high * wide / (high + wide)
                for parts in SPLITS:
                    blocks = b * np.ceil(m / high) * np.ceil(n / wide) * parts
                    work = np.ceil(blocks / sms) * high * wide * np.ceil(k / parts / 8) * 8 * (each + load) / each
                    if parts > 1:
                        work = np.where((blocks / parts < 2 * sms) & (b == 1), work, np.inf)
                    of_busy = blocks / (np.ceil(blocks / sms) * sms)
                    time = work / np.minimum(1, share * of_busy**-exponent)
                    better = takes[high, wide] & (time < shortest)
                    shortest, best = np.where(better, time, shortest), np.where(better, work, best)
                    busy = np.where(better, of_busy, busy)
            factor = np.ones((2, len(self.table)))
            factor[0, self.library] = np.where(np.minimum(m, n) > 1, np.maximum(best / (b * m * n * k / sms), 1.0), 1.0)
            factor[1, self.library] = np.where(np.minimum(m, n) > 1, busy, 1.0)
            self.tiles[side, load, exponent] = factor
        return self.tiles[side, load, exponent]


def norm_of(parts, p):
    return (parts**p).sum(axis=1) ** (1 / p)


def operand_traffic(family):
    """How far operands come from memories and not from registers, 0 to 1: by load/store instructions, else by bytes."""
    count = family.column
    flops, insts = count("Flops"), count("LsuWarpInsts")
    known = ~np.isnan(insts)
    insts = np.where(known, insts, np.nan_to_num(count("GlobalWarpInsts")) + np.nan_to_num(count("SmemWavefronts")))
    by_insts = insts * 64 * 16 / flops
    moved = np.stack([np.nan_to_num(count(name)) for name in ("DramBytes", "L2Bytes", "WorkingSetBytes")]).max(axis=0)
    by_bytes = np.where(moved > 0, np.fmax(2 * moved / np.cbrt(432 * flops**2), by_insts), 1)
    return np.where(flops > 0, np.minimum(1, np.where(known, by_insts, by_bytes)), 1)


def side_of(family, side, c):
    """Roof, what bounds any time, paces, and how much less is issued, of one side."""
    column = lambda name: family.column(f"{name}_{side}")
    count = family.column
    blocks = np.where(family.shaped, count("blocks"), np.nan)
    resident = np.where(family.shaped, column("resident"), np.nan)
    threads, sms, clock = count("threads"), column("Sms"), column("Clock")
    waves, fills = blocks / (sms * resident), family.shaped & (blocks >= sms)
    dram = np.nan_to_num(count("DramBytes"))
    each = np.clip(dram / (blocks * threads), 4, 24)
    waiting = np.minimum(blocks * threads * each, resident * threads * each * sms)
    bandwidth, l2_rate = column("DramBandwidth"), column("L2Bandwidth")
    in_flight = bandwidth / np.cbrt(1 + (bandwidth / (waiting / column("dram_latency"))) ** 3)
    bandwidth = np.where(family.shaped & (dram > 0), in_flight, bandwidth)
    few = family.shaped & (blocks < sms)
    busy = np.where(few, blocks, sms)
    bandwidth, l2_rate = (np.where(few, np.minimum(r, 64 * busy * clock), r) for r in (bandwidth, l2_rate))
    power = column("PowerShare")
    power = np.where(power < 1, np.minimum(1, power * column("register_gain") ** (1 - operand_traffic(family))), power)
    longer_by_tiles, with_tiles = family.tile_factor(side, c["tile_load"], power, c["power_exponent"])
    power = np.minimum(1, power * with_tiles ** -c["power_exponent"])
    power = np.where(few, np.minimum(1, power * (sms / busy) ** c["power_exponent"]), power)
    rate = busy * clock
    share = family.library_share(side)
    flops_rate = column("FlopsPerClock") * share / longer_by_tiles
    working_set = np.where(np.isnan(count("WorkingSetBytes")), dram, count("WorkingSetBytes"))
    holds_all = np.nan_to_num(column("l2_holds_all_until"), nan=0.75)
    holds_none = np.nan_to_num(column("l2_holds_none_from"), nan=1.25)
    residency = lambda touched: np.clip((holds_none - touched / column("L2Size")) / (holds_none - holds_all), 0, 1)
    in_l2 = np.where(family.cold, 0, residency(working_set))
    # What stays there if a stated working set is a tenth larger; of one that is not stated nothing may.
    least_in_l2 = np.nan_to_num(residency(1.1 * count("WorkingSetBytes")))
    l2 = np.where(np.isnan(count("L2Bytes")), dram, count("L2Bytes"))
    active = np.clip(np.nan_to_num(count("ActiveThreadsPerInst"), nan=32), 1, 32)
    loads, wavefronts = np.nan_to_num(count("GlobalWarpInsts")), np.nan_to_num(count("SmemWavefronts"))
    shared_rate = column("SharedPerClock") / 128 * rate
    passes = np.where(column("unified_l1") == 1, np.nan_to_num(count("GlobalWavefronts")), 0)
    lsu = np.where(np.isnan(count("LsuWarpInsts")), loads + wavefronts, count("LsuWarpInsts"))
    cached = np.nan_to_num(column("cached_insts"), nan=np.inf)
    missed = np.clip((np.nan_to_num(count("StraightLineInsts")) / cached - 1) * 3, 0, 1)
    streamed = np.fmin(column("streamed_per_clock"), column("IssuePerClock"))
    issue = 1 / ((1 - missed) / column("IssuePerClock") + missed / streamed)
    parts = [
        (1 - in_l2) * dram / bandwidth,
        l2 / l2_rate,
        np.maximum(np.maximum(loads, np.nan_to_num(count("L1Bytes")) / 128) / (column("GlobalPerClock") * rate), passes / shared_rate),
        lsu / (column("LsuLanes") / 32 * rate),
        wavefronts / shared_rate,
        np.nan_to_num(count("Flops")) * 32 / active / (flops_rate * rate),
        np.nan_to_num(count("WarpInstsIssued")) / (issue * rate),
        np.maximum(1.45 * np.nan_to_num(count("GlobalAtomicRequests")), 4 * np.nan_to_num(count("AtomicLineSectors"))) / clock,
    ]
    parts = np.stack(parts, axis=1)
    roof, flops = norm_of(parts, c["norm"]), parts[:, 5]
    by_dram = parts.argmax(axis=1) == 0
    streamed = np.concatenate([((1 - least_in_l2) * dram / bandwidth)[:, None], parts[:, 1:]], axis=1)
    unsure = least_in_l2 < in_l2
    streamed = np.where(unsure & (roof > 0), norm_of(streamed, c["norm"]) / roof, 1)
    turned = np.where(waves < 1, blocks / sms, waves)
    sm_tail = np.where(fills, np.minimum(np.ceil(turned) / turned, c["most_tail"]), 1)
    of_sms = norm_of(parts[:, 2:7], c["norm"]) / roof
    longer = np.where(roof > 0, (1 + (sm_tail ** c["norm"] - 1) * of_sms ** c["norm"]) ** (1 / c["norm"]), 1)
    even = roof
    p, pipes = c["norm"], norm_of(parts[:, 2:7], c["norm"])
    by_share = roof * (flops / roof) ** c["power_exponent"] / power
    # L2 keeps its clock.
    slowed = lambda tail: (even**p + pipes**p * ((tail / power) ** p - 1)) ** (1 / p)
    is_limited = (power < 1) & (flops > 0)
    limited = np.where(is_limited, np.minimum(by_share, slowed(1.0)), 0)
    roof = roof * longer
    by_share = by_share * sm_tail ** c["power_exponent"] * longer ** (1 - c["power_exponent"])
    with_tail = np.where(is_limited, np.minimum(by_share, slowed(sm_tail)), 0)
    even, limited = np.maximum(even, limited), with_tail
    power = np.maximum(limited / roof, 1)
    roof = np.maximum(roof, limited)
    components, at_peak = roof, np.maximum(parts[:, 0] * column("dram_share"), flops * share)
    turns = np.maximum(blocks / busy, 1)
    together = np.clip(resident, 1, turns)
    rounds = count("LoadRounds")
    of_rounds = turns / together * column("dram_latency")
    exposed = of_rounds * rounds + norm_of(parts[:, 2:7], c["norm"]) / together
    exposed = np.where(family.shaped & ~np.isnan(rounds), exposed, 0)
    knows_bytes = ~np.isnan(family.column("DramBytes"))
    starting = np.where(family.shaped & knows_bytes, blocks / (0.8 * clock), 0)
    # What warps take for their own instructions, and fetching them.
    multiply_adds = lsu + np.nan_to_num(count("Flops")) / 64 * 32 / active
    issued = np.where(np.isnan(count("WarpInstsIssued")), multiply_adds, count("WarpInstsIssued"))
    cycles = c["lsu_cycles"] * lsu + c["other_cycles"] * np.maximum(issued - lsu, 0)
    cycles = cycles + c["fetching"] * np.nan_to_num(column("fetch_cycles")) * missed * issued
    warps = blocks * np.ceil(threads / 32)
    least_rounds = np.where(np.isnan(rounds), np.where(dram > 0, 1, 0), rounds)
    waiting = of_rounds * least_rounds + turns / together * cycles / warps / clock
    waiting = np.where(family.shaped, waiting, 0)
    q = c["waiting_norm"]
    # Blocks that an SM holds at once wait at the same time.
    wave_tail = np.where(fills & (waves >= 1), sm_tail, 1)
    # Every block starts once, however full the last wave is.
    exposed = np.maximum(exposed * wave_tail, starting)
    latency = (np.maximum(1, exposed / roof) ** q + (waiting * wave_tail / roof) ** q) ** (1 / q)
    roof = np.where(roof > 0, roof * latency, roof)
    changed = {"FlopsPerClock": flops_rate, "IssuePerClock": issue}
    paces = [rate, bandwidth] + [rate * changed.get(r, column(r)) for r in PIPE_RATES]
    bounds = Bounds(components, power, at_peak, np.where(even > 0, parts[:, 4] / even, 0), streamed, by_dram, parts[:, 0] / parts[:, 1:].max(axis=1))
    return roof, bounds, np.log(np.stack(paces, axis=1)), np.log(column("IssuePerClock") / issue)


def distance(family):
    rate = lambda side, name: np.log(family.column(f"{name}_{side}"))
    blocks = np.where(family.shaped, family.column("blocks"), np.nan)
    busy = lambda side: np.fmin(family.column(f"Sms_{side}"), blocks)
    sms = lambda side: np.log(busy(side)) + rate(side, "Clock")
    apart = [np.abs(sms("s") + rate("s", name) - sms("t") - rate("t", name)) for name in PIPE_RATES]
    dram = np.abs(rate("s", "DramBandwidth") - rate("t", "DramBandwidth"))
    apart += [np.abs(sms("s") - sms("t")), np.where(np.isnan(family.column("DramBytes")), FIXED["dram_distance"] * dram, 0)]
    return np.max(apart, axis=0)


def weights_of(family, c):
    known = np.stack([~np.isnan(family.column(name)) for name in PIPES], axis=1)
    weights = np.zeros((len(family.table), 7))
    weights[:, 0] = c["of_sms"]
    unknown_bytes, unknown_flops = (np.isnan(family.column(name)) for name in ("DramBytes", "Flops"))
    weights[:, 1] = np.where(unknown_bytes, np.where(unknown_flops, c["of_dram"], c["of_dram_beside_flops"]), 0)
    weights[:, 2:] = np.where(known, c["of_counted"], 1.0)
    shared = family.shared == 1
    weights[:, 3] = np.where(~known[:, 1] & shared, c["of_lsu_with_shared"], weights[:, 3])
    weights[:, 4] = np.where(~known[:, 2] & shared & known[:, 1], c["of_conflicts"], weights[:, 4])
    weights[:, 4] = np.where(~known[:, 2] & (family.shared == 0), 0, weights[:, 4])
    missing = (~known).sum(axis=1) + np.isnan(family.column("DramBytes"))
    return weights / weights.sum(axis=1, keepdims=True), np.minimum(missing / len(PIPES), 1)


@np.errstate(all="ignore")
def in_reach(family, there, body, roofs, bounds, slower, uncounted):
    """Bodies on the target, in seconds, no further from those of the source than what differs can move them."""
    has_roof, is_kernel = roofs.source > 0, ~family.operator & ~family.library
    no_sooner = lambda where, source, target: np.where(where, np.fmax(there, np.minimum(body / source, 1) * target), there)
    there = no_sooner(has_roof, bounds.source.components, bounds.target.components)
    there = no_sooner(has_roof & is_kernel, bounds.source.components / bounds.source.power, bounds.target.components)
    clock = np.log(family.column("Clock_s") / family.column("Clock_t"))
    # What DRAM makes of a time is in the roof where its bytes were counted.
    slower[:, 1] = np.where(np.isnan(family.column("DramBytes")), slower[:, 1], np.nan)
    moved = np.concatenate([slower, clock[:, None], np.log(roofs.target / roofs.source)[:, None]], axis=1)
    least, most = (body * np.exp(end(moved, axis=1)) for end in (np.nanmin, np.nanmax))
    alike = (family.table.architecture_s == family.table.architecture_t).to_numpy()
    little_counted = family.another & ~family.library & (uncounted >= 0.5)
    below_roof = body / roofs.source
    gains_no_more, loses_no_more = alike | little_counted, alike | (below_roof < 1)
    # The nearer the roof, the less a time says that counts are too high.
    nearer = np.maximum((below_roof - 0.85) / 0.15, 0)
    most = np.where(alike, most, (1 + nearer**2) * most)
    there = np.where(is_kernel & has_roof & gains_no_more, np.fmax(there, least), there)
    there = np.where(is_kernel & has_roof & loses_no_more, np.fmin(there, most), there)
    return no_sooner(has_roof & is_kernel, bounds.source.at_peak, bounds.target.at_peak)


@np.errstate(all="ignore")
def in_order(family, there, body, own, roofs, slower):
    """The same on a board of the source's architecture that is less of some rates and more of none no sooner, and on one that is more no later."""
    alike = (family.table.architecture_s == family.table.architecture_t).to_numpy() & (roofs.source > 0) & (roofs.target > 0)
    no_faster, no_slower = (np.all(np.nan_to_num(s) >= 0, axis=1) for s in (slower, -slower))
    changed = np.any(slower != 0, axis=1) | (roofs.source != roofs.target)
    is_less = alike & changed & no_faster & (roofs.target >= roofs.source)
    is_more = alike & changed & no_slower & (roofs.target <= roofs.source)
    there = np.where(is_less, np.fmax(there, own * body), there)
    return np.where(is_more, np.fmin(there, body / own), there)


@np.errstate(all="ignore")
def answered(family, constants):
    """The times on the targets in seconds, and what makes each uncertain, in ln at a weight of 1."""
    c = {**FIXED, **constants}
    (from_roof, from_bounds, from_pace, supply), (to_roof, to_bounds, to_pace, supply_there) = (side_of(family, side, c) for side in "st")
    weights, uncounted = weights_of(family, c)
    longer = (weights * (from_pace - to_pace)).sum(axis=1)
    floor, to_floor, time = family.column("floor_s"), family.column("floor_t"), family.source
    # What of the time is the launch, and what the kernel's own.
    norm = c["launch_norm"]
    own = 1 - np.minimum(floor / time, 1) ** norm
    is_plain = ~(family.operator | family.cold)
    beside_floor = time * own ** (1 / norm)
    room = np.clip(beside_floor - 0.1 * time, 0, 1e-6 * c["gap_us"])
    gap = np.where(is_plain, np.minimum(floor, room), 0)
    # Between a time at its floor and one well above it the kernel's own comes step by step.
    above_gap, off_floor = np.maximum(beside_floor - gap, 0.1 * time), np.minimum(own / 0.4, 1)
    at_floor = np.minimum(np.where(from_roof > 0, 1.3 * from_roof, 0.3 * time), time)
    body = at_floor * (above_gap / at_floor) ** off_floor
    gap_there = np.where(is_plain, np.minimum(to_floor, off_floor * gap), 0)
    own = np.maximum(own, 0.3)
    cold = np.maximum(time - floor, 0.03 * time)
    dispatch_norm = c["dispatch_norm"]
    of_dispatch = np.maximum(1 - (floor / time) ** dispatch_norm, 0)
    behind_dispatch = time * np.maximum(of_dispatch ** (1 / dispatch_norm), 0.03)
    body = np.select([family.operator, family.cold], [behind_dispatch, cold], body)
    own = np.select([family.operator, family.cold], [of_dispatch, cold**2 / (cold**2 + (0.1 * floor) ** 2)], own)
    carried = c["carried"] + uncounted * (c["carried_uncounted"] - c["carried"])
    by_pipes = np.where(family.library, 0, uncounted)
    drawn_on = c["carried_to_another_build"] + by_pipes * (c["carried_uncounted"] - c["carried_to_another_build"])
    carried = np.where(family.another, drawn_on, carried)
    # DRAM that binds a source whose ECC may be off: a shorter time says that it is.
    may_lack_ecc = from_bounds.by_dram & (family.column("has_ecc_s") == 1)
    without_ecc = np.minimum(from_roof, np.maximum(body, FIXED["without_ecc"] * from_roof))
    stated_roof, from_roof = from_roof, np.where(may_lack_ecc, without_ecc, from_roof)
    usual = np.log(np.where(family.library, c["usual_of_library"], c["usual"]))
    unusual = np.log(body / from_roof) - usual
    carried = np.where(unusual < 0, c["carried_below"], 1) * carried
    # On GPUs so much alike that a rate differs by less than a tenth, more holds.
    drawn = np.minimum(distance(family) / 0.1, 1)
    carried, held = 1 - drawn * (1 - carried), 1 - drawn * (1 - own)
    ln = usual + held * unusual * (1 - (1 - carried) / (1 + np.where(family.another, 0, unusual / c["far"]) ** 2))
    counted = (1 - uncounted) ** 2
    q = 1 + c["overlap_of_uncounted"] * uncounted
    latency = np.log(family.column("dependent_issue_t") / family.column("dependent_issue_s"))
    as_long = np.exp(longer + counted * np.clip(ln, 0, 1) * latency)

    of_dram = c["of_dram_near_roof"] * np.clip((np.nan_to_num(from_bounds.dram_over_rest) - 2) / 3, 0, 1)

    def near_share(ln):
        within = lambda far: np.exp(-((np.maximum(ln, 0) / far) ** 2))
        return np.maximum(uncounted**2 * within(c["near_roof"]), of_dram * within(0.3))

    def under(ln):
        """Seconds on the target at this ln η: all as much slower than the roof, the time above it added, and in between."""
        eta = np.exp(ln)
        near = near_share(ln)
        with_roof = near + (1 - near) * c["with_roof"] * counted / (1 + ln**2)
        beside = np.maximum(eta**q - 1, 0) ** (1 / q) * from_roof
        everything, added = to_roof * eta, (to_roof**q + (beside * as_long) ** q) ** (1 / q)
        added = np.minimum(added, to_roof + c["most_above"] * (eta - 1) * from_roof * as_long)
        return everything, added, np.where(beside <= 0, everything, (1 - with_roof) * added + with_roof * everything)

    eta = np.exp(ln)
    everything, added, there = under(ln)
    # A time further above its roof is no shorter on the target than one of which most goes with the roof.
    longest = c["near_roof"] / np.sqrt(2)
    further = (near_share(np.full(len(ln), longest)) > 0) & (ln > longest) & (everything > added)
    there = np.where(further, np.maximum(there, under(np.full(len(ln), longest))[2]), there)
    there = np.where(from_roof > 0, there, body * np.exp(longer))
    there = in_reach(family, there, body, Pair(stated_roof, to_roof), Pair(from_bounds, to_bounds), from_pace - to_pace, uncounted)
    there = in_order(family, there, body, own, Pair(stated_roof, to_roof), from_pace - to_pace)
    norms = np.select([family.operator, family.cold], [dispatch_norm, 1.0], norm)
    after_gap = gap_there + there
    longer_of_both = np.maximum(to_floor, after_gap)
    answer = longer_of_both * ((to_floor / longer_of_both) ** norms + (after_gap / longer_of_both) ** norms) ** (1 / norms)
    in_both = np.minimum(after_gap / answer, 1) ** norms
    in_body, in_gap = in_both * there / after_gap, in_both * gap_there / after_gap
    has_roof, slower = from_roof > 0, (eta > 1) | (from_roof <= 0)
    above = np.where(slower, np.maximum(np.where(has_roof, there - to_roof, there), 0), 0)
    ratios = from_pace - to_pace
    spread = np.sqrt((weights * (ratios - longer[:, None]) ** 2).sum(axis=1))
    knows_bytes = ~np.isnan(family.column("DramBytes"))
    spread = np.where(knows_bytes, spread, np.hypot(spread, 0.32 * np.abs(ratios[:, 1] - ratios[:, 0])))
    efficiency = np.where(has_roof, np.log(body / from_roof), 0)
    hidden = np.minimum(to_floor / answer, 1)
    hidden = hidden**norms
    hidden = np.where(family.table.floor_known_t == 1, 0, hidden)
    table = family.table
    wavefronts_alone = ~np.isnan(family.column("SmemWavefronts")) & np.isnan(family.column("LsuWarpInsts"))
    conflicts = np.where(wavefronts_alone, np.abs(ratios[:, 3] - ratios[:, 4]), 0)
    longer_streamed = np.abs(np.log(to_bounds.streamed / from_bounds.streamed))
    before_volta = [table[f"architecture_{side}"].str.strip('"').str.lower().isin(["maxwell", "pascal"]) for side in "st"]
    other_architecture = (table.architecture_s != table.architecture_t).to_numpy()
    other_sm = (before_volta[0] != before_volta[1]).to_numpy() & ~family.operator
    causes = {
        "least": np.ones(len(answer)),
        "readings": in_body * np.where((above > 0) & has_roof, np.abs(np.log(added / everything)) / (1 + (efficiency / 3) ** 4), 0),
        "spread": in_body * above / there * spread,
        "below_roof": in_body * np.where(has_roof, np.maximum(np.log(0.85) - efficiency, 0), 0),
        "efficiency": in_body * counted * np.maximum(efficiency, 0) / (1 + (efficiency / 3) ** 4),
        "drawn": in_body * np.where(family.another & has_roof, np.abs(ln - efficiency), 0) * np.where(family.library, 1, 2),
        "uncounted": in_body * np.sqrt(uncounted),
        "other_architecture": 1.0 * (other_architecture & ~other_sm & ~family.operator),
        "other_library": 1.0 * (other_architecture & family.operator),
        "other_sm": 1.0 * other_sm,
        "unknown_build": in_body * family.unknown_build,
        "gap": in_gap,
        "unknown_floor": np.where(family.operator, 0, hidden),
        "unknown_dispatch": np.where(family.operator, hidden, 0),
        "supply": in_body * np.abs(supply - supply_there),
        "conflicts": in_body * np.maximum(from_bounds.shared, to_bounds.shared) * conflicts,
        "library": in_body * np.abs(np.log(family.library_share("s") / family.library_share("t"))),
        "reuse": np.minimum(to_roof / there, 1) * np.log1p(in_body * np.expm1(longer_streamed)),
    }
    # What nobody knows of a kernel is the same on boards that are alike, but for their hosts.
    of_dram = np.maximum(1 - np.abs(ratios[:, 1]) / 0.1, 0)
    alike = np.maximum(1 - distance(family) / 0.1, 0) * of_dram * np.maximum(1 - to_floor / answer, 0)
    for name in ("efficiency", "below_roof", "drawn", "uncounted", "unknown_build"):
        causes[name] = (1 - alike) * causes[name]
    return answer, np.stack([causes[name] for name in WEIGHTS], axis=1)


def predicted(family, constants):
    return answered(family, constants)[0]


def doubt_of(causes, weights):
    return np.sqrt(((causes * np.array([weights[name] for name in WEIGHTS])) ** 2).sum(axis=1))


def scores_step_by_step(family):
    """|ln(measured / predicted)| and its causes of doubt, at every step that this family has counts for."""
    table, steps = family.table, []
    for gone in STEPS:
        had = [name for name in gone if table[name].notna().any()]
        if steps and not had:
            continue
        table = table.assign(**{name: np.nan for name in had})
        fewer = Family(family.name, table)
        fewer.tiles = family.tiles
        answer, causes = answered(fewer, SHIPPED)
        steps.append((np.abs(np.log(fewer.target / answer)), causes))
    return steps


def unlikelihood(families, weights, scale):
    """Nats of an answer, the mean over families, each the mean of its steps."""
    def of_step(errors, causes):
        wide = scale * doubt_of(causes, weights)
        return np.mean(np.log(2 * wide) + errors / wide)

    return np.mean([np.mean([of_step(*step) for step in steps]) for steps in families])


def scale_of(families, weights):
    means = [[np.mean(errors / doubt_of(causes, weights)) for errors, causes in steps] for steps in families]
    return np.mean([np.mean(each) for each in means])


def weights_table(families):
    names = [f.name for f in families]
    steps = {f.name: scores_step_by_step(f) for f in families}
    shipped = {name: value for name, (value, _) in WEIGHTS.items()}
    off = max(np.nanmax(np.abs(doubt_of(steps[f.name][0][1], shipped) / f.column("doubt") - 1)) for f in families)
    assert off < 1e-9, f"this script and the program differ by {off} in their doubt"
    print("\n| weight of the doubt, shipped | " + " | ".join(names) + " |\n|---|" + "---|" * len(names))
    for weight, (value, others) in WEIGHTS.items():
        if others == [value]:
            continue
        cells = []
        for left in names:
            rest = [steps[n] for n in names if n != left]
            tried = {}
            for v in [value, *others]:
                w = {**shipped, weight: v}
                scale = scale_of(rest, w)
                tried[v] = unlikelihood(rest, w, scale), unlikelihood([steps[left]], w, scale)
            best = min(tried, key=lambda v: tried[v][0])
            gain = tried[best][1] - tried[value][1]
            cells.append(cell_of(best, value, gain, 3))
        print(f"| {weight.replace('_', ' ')}, {value:g} | " + " | ".join(cells) + " |", flush=True)


def cell_of(best, shipped, gain, decimals):
    value = "none" if best >= 1e9 else f"{best:g}"
    change = f"{gain:+.{decimals}f}"
    return value if best == shipped else f"{value}: {change if float(change) else change[1:]}"


def errors_of(family, constants):
    error = 100 * np.abs(predicted(family, constants) / family.target - 1)
    return error[np.isfinite(error)]


def mape(family, constants):
    return errors_of(family, constants).mean()


def without(family, names):
    """The pairs without these columns; the target has the source's where each GPU has its own."""
    table = family.table
    for name in names:
        own = f"{name}_t" in table
        table = table.assign(**({f"{name}_t": table[f"{name}_s"]} if own else {name: np.nan}))
    return Family(family.name, table)


def terms_table(families):
    print("| | " + " | ".join(f.name for f in families) + " |\n|---|" + "---|" * len(families))
    with_all = []
    for term, (constants, columns) in TERMS.items():
        errors = [errors_of(without(f, columns), {**SHIPPED, **constants}) for f in families]
        pairs = [f"{e.mean():.1f}, {np.median(e):.1f}" for e in errors]
        with_all = with_all or pairs
        # A family that the term has no part in has an empty cell.
        cells = [pair if term == "the model" or pair != all_of_it else "" for pair, all_of_it in zip(pairs, with_all)]
        print(f"| {term} | " + " | ".join(cells) + " |", flush=True)
    print()


def load_families(data, program):
    families = []
    with tempfile.TemporaryDirectory() as folder:
        for name, file in FILES.items():
            path = os.path.join(data, file)
            if not os.path.exists(path):
                print(f"skipped: {path} is not there", file=sys.stderr)
                continue
            out = os.path.join(folder, f"{name}.tsv")
            subprocess.run([program, out, path], check=True)
            table = pd.read_csv(out, sep="\t", low_memory=False)
            if name == "paper 1":
                table = table[(table.gpu_s != "gtx-titan-x") & (table.gpu_t != "gtx-titan-x")]
            parts = {"GEMM": "clblast_xgemm", "convolution": "convolution2d_15x15"} if name == "tuning" else {name: None}
            for part, kernel in parts.items():
                families.append(Family(part, table if kernel is None else table[table.kernel == kernel]))
    return families


def main():
    data, program = sys.argv[1], (sys.argv + ["target/debug/examples/component_table"])[2]
    families = load_families(data, program)
    for family in families:
        off = np.nanmax(np.abs(predicted(family, SHIPPED) / family.column("predicted") - 1))
        assert off < 1e-9, f"{family.name}: this script and the program differ by {off}"
    terms_table(families)
    base = {f.name: mape(f, SHIPPED) for f in families}
    names = list(base)
    print("| constant, shipped | " + " | ".join(names) + " |\n|---|" + "---|" * len(names))
    print("| error as shipped, % | " + " | ".join(f"{base[n]:.1f}" for n in names) + " |")
    for constant, (shipped, others) in CONSTANTS.items():
        tried = {v: {f.name: mape(f, {**SHIPPED, constant: v}) for f in families} for v in others}
        tried[shipped] = base
        cells = []
        for left in names:
            best = min(tried, key=lambda v: np.mean([tried[v][n] for n in names if n != left]))
            gain = tried[best][left] - base[left]
            cells.append(cell_of(best, shipped, gain, 2))
        print(f"| {constant.replace('_', ' ')}, {shipped:g} | " + " | ".join(cells) + " |", flush=True)
    weights_table(families)


if __name__ == "__main__":
    main()
