#!/usr/bin/env python3
"""Counts the instructions of the compiled kernels: writes compiled/instructions.csv.

    python3 assets/kernels/compile.py --keep FOLDER
    pip download triton==3.3.1 --no-deps && unzip triton-*.whl 'triton/backends/nvidia/bin/nvdisasm'
    python3 assets/kernels/instructions.py FOLDER PATH_OF_NVDISASM

Every instruction stands for itself, however often a loop runs it; the subroutines for special cases of roots, divisions and
reciprocals, which finite numbers of ordinary size never call, are left out. nvdisasm 12.8.55, of that wheel, is the one that
lists code of all eleven architectures: that of 13.x begins with compute capability 7.5.
"""

import re
import subprocess
import sys
from pathlib import Path

from compile import CAPABILITIES, COMPILED, HERE, digits

VERSION = "12.8.55"
# Columns: a name, and the opcodes without their modifiers.
CLASSES = {
    "ffma": ("FFMA", "FFMA32I"),
    "fadd": ("FADD", "FADD32I"),
    "fmul": ("FMUL", "FMUL32I"),
    "mufu": ("MUFU",),
    "ldg": ("LDG",),
    "stg": ("STG",),
    "lds": ("LDS",),
    "sts": ("STS",),
    "bar": ("BAR",),
}
INSTRUCTION = re.compile(r"^\s*/\*[0-9a-f]{4,}\*/\s+\{?\s*(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9]*)")


def opcodes(listing):
    """The opcodes of the kernel itself: its subroutines stand behind it, under names of their own."""
    for line in listing.splitlines():
        if line.startswith("$__internal"):
            return
        found = INSTRUCTION.match(line)
        if found:
            yield found[1]


def main():
    folder, nvdisasm = sys.argv[1:]
    version = subprocess.run([nvdisasm, "--version"], capture_output=True, text=True, check=True).stdout
    if VERSION not in version:
        sys.exit(f"instructions.py: nvdisasm {VERSION} wrote the record; this is another:\n{version}")
    rows = [",".join(["kernel", "capability", *CLASSES])]
    for source in sorted(HERE.glob("*.cu")):
        for capability in CAPABILITIES:
            cubin = Path(folder) / f"{source.stem}.sm_{digits(capability)}.cubin"
            listing = subprocess.run([nvdisasm, "-c", cubin], capture_output=True, text=True, check=True).stdout
            found = list(opcodes(listing))
            counts = [str(sum(found.count(opcode) for opcode in names)) for names in CLASSES.values()]
            rows.append(",".join([source.stem, capability, *counts]))
    (COMPILED / "instructions.csv").write_text("\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
