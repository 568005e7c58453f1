"""How time and memory of roofswap grow with the rows of a table: the tables of docs/fleet.md.

    python3 docs/growth.py target/release/roofswap [rows,rows... 10000,100000,1000000,5000000]

Makes its own tables (operators with noise on five GPUs, every size its own; nothing measured) and prints CPU seconds, the largest memory
in MB, and the exponent by which the CPU seconds of the last step grow.
"""

import math
import os
import random
import subprocess
import sys
import tempfile

GPUS = [("v100-pcie-32gb", 0.90), ("p100-pcie-16gb", 0.73), ("t4", 0.32), ("a100-pcie-40gb", 1.55), ("p4", 0.19)]
COMMANDS = {
    "load": "predict --data {} --from t4 --to l4 --kernel op_0 --model components",
    "audit": "audit {}",
    "evaluate": "evaluate --data {} --model components --format csv",
    "train": "train hybrid --data {}",
    "predict --batch": "predict --batch {} --to h100-sxm5",
    "rank --batch": "rank --batch {} --to h100-sxm5,l4",
}


def write_rows(path, rows):
    dice = random.Random(rows)
    with open(path, "w") as out:
        out.write("gpu,kernel,problem,variant,dtype,block,grid,regs_per_thread,flops,dram_bytes,time_ms,trials,source\n")
        for i in range(rows):
            (gpu, terabytes), config = GPUS[i % 5], i // 5
            n = 20_000 + 37 * config
            flops, bytes_moved = n * (1 + config % 7), 12 * n
            ms = 0.004 + bytes_moved / terabytes / 1e9 * math.exp(dice.gauss(0.1, 0.08))
            out.write(f"{gpu},op_{config % 8},n={n},,fp32,256,{n // 256 + 1},32,{flops},{bytes_moved},{ms:.7f},25,made-up:row{i}\n")


def measured(words, cache):
    environment = {**os.environ, "ROOFSWAP_CONFIG": cache, "ROOFSWAP_CACHE": cache}
    with open(os.devnull, "w") as nothing:
        process = subprocess.Popen(words, stdout=nothing, stderr=nothing, env=environment)
        _, status, used = os.wait4(process.pid, 0)
    code = os.waitstatus_to_exitcode(status)
    # The audit answers with 1 where it has found something.
    if code not in (0, 1):
        raise SystemExit(f"{' '.join(words)} ended with {code}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main():
    steps = [int(rows) for rows in (sys.argv[2:] or ["10000,100000,1000000,5000000"])[0].split(",")]
    if len(sys.argv) < 2 or len(steps) < 2:
        raise SystemExit(__doc__)
    roofswap = sys.argv[1]
    found = {name: [] for name in COMMANDS}
    sizes = []
    for rows in steps:
        with tempfile.TemporaryDirectory() as folder:
            table = os.path.join(folder, "rows.csv")
            write_rows(table, rows)
            sizes.append(os.path.getsize(table) / 1e6)
            for name, words in COMMANDS.items():
                found[name].append(measured([roofswap, *words.format(table).split()], folder))
                print(f"{rows} rows, {name}: {found[name][-1]}", file=sys.stderr)
    heads = [f"{rows:,} rows ({size:.0f} MB)" for rows, size in zip(steps, sizes)]
    print("| CPU s (MB) | " + " | ".join(heads) + " | exponent |")
    print("|---" * (len(steps) + 2) + "|")
    for name, figures in found.items():
        exponent = math.log(figures[-1][0] / figures[-2][0]) / math.log(steps[-1] / steps[-2])
        cells = " | ".join(f"{seconds:.2f} ({megabytes:.0f})" for seconds, megabytes in figures)
        print(f"| {name} | {cells} | {exponent:.2f} |")


if __name__ == "__main__":
    main()
