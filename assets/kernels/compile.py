#!/usr/bin/env python3
"""Compiles the kernels of this folder for eleven architectures and records what each needs of an SM.

No GPU and no CUDA toolkit is needed: NVRTC (CUDA C++ to PTX) and ptxas (PTX to machine code) come from two wheels of the
Python Package Index. README.md says how to run this and what is done with the answer.
"""

import argparse
import contextlib
import ctypes
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
COMPILED = HERE / "compiled"
SPECS = HERE.parent.parent / "specs" / "kernels"

VERSION = "12.9.86"
WHEELS = ("nvidia-cuda-nvrtc-cu12", "nvidia-cuda-nvcc-cu12")

# Every compute capability of specs/compute-capabilities.toml that a shipped GPU has.
CAPABILITIES = ("5.2", "6.0", "6.1", "7.0", "7.5", "8.0", "8.6", "8.9", "9.0", "10.0", "12.0")

# The fallback where a machine has no NVRTC: PTX of the oldest architecture, which every later GPU's driver translates. NVRTC
# heads it with its own ISA version, which only drivers of its own age or younger take; the code needs no more than this one
# (shfl.sync), and ptxas, which knows the first version of every instruction, says so. CUDA 9.0, driver 384.
FALLBACK = "5.2"
ISA = "6.0"

# The same for the micro-benchmarks of `roofswap probe`: each at the oldest architecture that has what it measures, with the ISA
# version that this needs (half precision: 5.3; the three forms of mma.sync: 7.0, 7.5, 8.0).
PROBE = {
    "empty": {"5.2": "6.0"},
    "stream": {"5.2": "6.0"},
    "cache": {"5.2": "6.0"},
    "shared": {"5.2": "6.0"},
    "chase": {"5.2": "6.0"},
    "fma": {"5.2": "6.0", "6.0": "6.0"},
    "tensor": {"7.0": "6.4", "7.5": "6.5", "8.0": "7.0"},
    "one_thread": {"5.2": "6.0"},  # no micro-benchmark: what paper 3 compares launches with
}

SOURCE = "roofswap-ptxas"
# The table of a kernel file that is ours, as block() writes it.
BLOCK = re.compile(
    rf'^\[\[compiled\]\]\nsource = "{SOURCE}"\n\[compiled\.resources\]\n(?:"[^\n]*\n)*', re.MULTILINE
)


def digits(capability):
    """`8.9` as the compilers write it: `89`."""
    return capability.replace(".", "")


# ----------------------------------------------------------------------------------------------------------------------
# The tools


def unpack(wheels, folder):
    """Puts NVRTC's libraries and ptxas into `folder`; returns the paths of the library and the program."""
    if wheels is None:
        for name in WHEELS:
            command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--quiet"]
            subprocess.run([*command, "--dest", str(folder), f"{name}=={VERSION}"], check=True)
        wheels = folder
    for name in WHEELS:
        found = sorted(Path(wheels).glob(f"{name.replace('-', '_')}-{VERSION}-*.whl"))
        if not found:
            sys.exit(f"compile.py: no {name}=={VERSION} wheel in {wheels}; leave --wheels out to download it")
        with zipfile.ZipFile(found[0]) as wheel:
            wanted = re.compile(r".*/(lib/libnvrtc[^/]*|bin/nvrtc[^/]*\.dll|bin/ptxas(\.exe)?)$")
            for member in filter(wanted.match, wheel.namelist()):
                wheel.extract(member, folder)
    libraries = [p for p in folder.rglob("*nvrtc*") if re.fullmatch(r"libnvrtc\.so\.12|nvrtc64_120_0\.dll", p.name)]
    programs = [p for p in folder.rglob("ptxas*") if p.is_file()]
    if not libraries or not programs:
        sys.exit(f"compile.py: the wheels of {VERSION} hold no NVRTC or no ptxas for this machine")
    programs[0].chmod(0o755)  # zipfile forgets that a program may be run
    said = subprocess.run([str(programs[0]), "--version"], capture_output=True, text=True, check=True).stdout
    if f"V{VERSION}" not in said:
        sys.exit(f"compile.py: this is not ptxas {VERSION}: {said}")
    return libraries[0], programs[0]


class Nvrtc:
    """The four calls of NVRTC that turn a source into PTX."""

    def __init__(self, path):
        # The builtins are looked for by name only; loaded first, they are found wherever the wheel was unpacked.
        for builtins in path.parent.glob("*nvrtc-builtins*"):
            ctypes.CDLL(str(builtins))
        self.library = ctypes.CDLL(str(path))
        self.library.nvrtcGetErrorString.restype = ctypes.c_char_p
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.check(self.library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)))
        if f"{major.value}.{minor.value}." != VERSION[: VERSION.rindex(".") + 1]:
            sys.exit(f"compile.py: this is NVRTC {major.value}.{minor.value}, not {VERSION}")

    def check(self, status):
        if status != 0:
            raise RuntimeError(f"NVRTC: {self.library.nvrtcGetErrorString(status).decode()}")

    def text(self, what, program):
        size = ctypes.c_size_t()
        self.check(getattr(self.library, f"nvrtcGet{what}Size")(program, ctypes.byref(size)))
        buffer = ctypes.create_string_buffer(size.value)
        self.check(getattr(self.library, f"nvrtcGet{what}")(program, buffer))
        return buffer.value.decode()

    def ptx(self, source, capability):
        """The PTX of the file `source`."""
        # Nothing but the architecture: C++17, fused multiply-add, no line information and no fast arithmetic are NVRTC's
        # defaults, and every function is marked __global__, so -default-device would change nothing.
        options = [f"--gpu-architecture=compute_{digits(capability)}".encode()]
        program = ctypes.c_void_p()
        text = source.read_bytes()
        create = self.library.nvrtcCreateProgram
        self.check(create(ctypes.byref(program), text, source.name.encode(), 0, None, None))
        array = (ctypes.c_char_p * len(options))(*options)
        if self.library.nvrtcCompileProgram(program, len(options), array) != 0:
            sys.exit(f"{source.name}, {capability}:\n{self.text('ProgramLog', program)}")
        ptx = self.text("PTX", program)
        self.library.nvrtcDestroyProgram(ctypes.byref(program))
        return ptx


# ----------------------------------------------------------------------------------------------------------------------
# From source to record


def report(ptxas, ptx, capability, keep):
    """What `ptxas -v` says about `ptx`, without the lines that differ from run to run."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "kernel.ptx"
        source.write_text(ptx)
        output = keep.with_suffix(".cubin") if keep else Path(folder) / "kernel.cubin"
        command = [ptxas, "-v", f"-arch=sm_{digits(capability)}", "-O3", "-o", output, source]
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"ptxas, {capability}:\n{done.stderr}")
    lines = (done.stdout + done.stderr).splitlines()
    return [line for line in lines if "Compile time" not in line]


def fallback(ptx, capability=FALLBACK, isa=ISA):
    """`ptx` as older drivers take it, with a head that says where it is from."""
    body, found = re.subn(r"^\.version \S+$", f".version {isa}", ptx, flags=re.MULTILINE)
    if found != 1:
        sys.exit(f"compile.py: PTX with {found} lines of .version")
    body = body[body.index(".version") :]
    head = f"// NVRTC {VERSION}, compute_{digits(capability)}, written by compile.py; .version lowered to what the code needs"
    return f"{head}\n\n{body.rstrip()}\n"


def fingerprint(text):
    """FNV-1a, 64 bits: whether a record is of this source. No secret hangs on it."""
    value = 0xCBF29CE484222325
    for byte in text:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value:016x}"


def write_fallback(nvrtc, sources):
    """Writes the PTX of the fallback and the fingerprints of the sources; returns the PTX by kernel."""
    (COMPILED / "ptx").mkdir(parents=True, exist_ok=True)
    all_ptx = {source.stem: fallback(nvrtc.ptx(source, FALLBACK)) for source in sources}
    for kernel, ptx in all_ptx.items():
        (COMPILED / "ptx" / f"{kernel}.compute_{digits(FALLBACK)}.ptx").write_text(ptx)
    rows = ["kernel,fnv1a_64", *(f"{s.stem},{fingerprint(s.read_bytes())}" for s in sources)]
    (COMPILED / "sources.csv").write_text("\n".join(rows) + "\n")
    return all_ptx


def write_probe(nvrtc, ptxas):
    """Writes the fallback of the micro-benchmarks; every architecture from theirs on must take it."""
    folder = COMPILED / "probe"
    folder.mkdir(parents=True, exist_ok=True)
    rows = ["source,fnv1a_64"]
    for name, versions in sorted(PROBE.items()):
        source = HERE / "probe" / f"{name}.cu"
        rows.append(f"{name},{fingerprint(source.read_bytes())}")
        for capability, isa in versions.items():
            ptx = fallback(nvrtc.ptx(source, capability), capability, isa)
            (folder / f"{name}.compute_{digits(capability)}.ptx").write_text(ptx)
            for later in CAPABILITIES[CAPABILITIES.index(capability) :]:
                report(ptxas, ptx, later, None)
    (folder / "sources.csv").write_text("\n".join(rows) + "\n")


def compile_all(wheels, keep):
    """Writes one report per architecture, and the fallback, which every architecture must take."""
    sources = sorted(HERE.glob("*.cu"))
    COMPILED.mkdir(exist_ok=True)
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        library, ptxas = unpack(wheels, folder)
        nvrtc = Nvrtc(library)
        fallbacks = write_fallback(nvrtc, sources)
        write_probe(nvrtc, ptxas)
        for capability in CAPABILITIES:
            arch = f"sm_{digits(capability)}"
            head = f"# ptxas {VERSION} -v -arch={arch} -O3 on the PTX of NVRTC {VERSION}; lines with the compile time left out"
            lines = [head]
            for source in sources:
                ptx = nvrtc.ptx(source, capability)
                kept = keep / f"{source.stem}.{arch}.ptx" if keep else None
                if kept:
                    kept.write_text(ptx)
                lines += report(ptxas, ptx, capability, kept)
                report(ptxas, fallbacks[source.stem], capability, None)
            (COMPILED / f"ptxas_v.{arch}.txt").write_text("\n".join(lines) + "\n")
            print(f"{arch}: {len(sources)} kernels", file=sys.stderr)


def recorded():
    """The recorded resources: `{kernel: {capability: {key: number}}}`, keys as in a kernel file."""
    keys = {
        "registers": r"Used (\d+) registers",
        "static_smem_bytes": r"(\d+) bytes smem",
        "barriers": r"used (\d+) barriers",
        "stack_bytes": r"(\d+) bytes stack frame",
        "spill_store_bytes": r"(\d+) bytes spill stores",
        "spill_load_bytes": r"(\d+) bytes spill loads",
    }
    always = ("registers", "static_smem_bytes", "barriers")
    answer = {}
    for capability in CAPABILITIES:
        text = (COMPILED / f"ptxas_v.sm_{digits(capability)}.txt").read_text()
        for part in text.split("Compiling entry function '")[1:]:
            values = {}
            for key, pattern in keys.items():
                found = re.search(pattern, part)
                values[key] = int(found[1]) if found else 0
            kept = {k: v for k, v in values.items() if v or k in always}
            answer.setdefault(part[: part.index("'")], {})[capability] = kept
    return answer


def write_registers(resources):
    """The registers per thread as one small table, to look at."""
    rows = [",".join(["kernel", *CAPABILITIES])]
    for kernel, by_capability in sorted(resources.items()):
        rows.append(",".join([kernel, *(str(by_capability[c]["registers"]) for c in CAPABILITIES)]))
    (COMPILED / "registers.csv").write_text("\n".join(rows) + "\n")


# ----------------------------------------------------------------------------------------------------------------------
# From record to kernel files


def block(by_capability):
    """The table of a kernel file."""
    lines = ["[[compiled]]", f'source = "{SOURCE}"', "[compiled.resources]"]
    for capability in CAPABILITIES:
        numbers = ", ".join(f"{k} = {v}" for k, v in by_capability[capability].items())
        lines.append(f'"{capability}" = {{ {numbers} }}')
    return "\n".join(lines) + "\n"


def with_block(text, new):
    """`text` with `new` in place of our table; at the end where there is none."""
    replaced, found = BLOCK.subn(lambda _: new, text)
    return replaced if found else text.rstrip("\n") + "\n\n" + new


def write_specs(resources):
    """Puts the record into the kernel files, and says which ones changed."""
    for kernel, by_capability in sorted(resources.items()):
        path = SPECS / f"{kernel}.toml"
        old = path.read_text()
        new = with_block(old, block(by_capability))
        if new != old:
            path.write_text(new)
            print(f"specs/kernels/{kernel}.toml", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wheels", type=Path, help="a folder with the two wheels, instead of downloading them")
    parser.add_argument("--keep", type=Path, help="also write every PTX and cubin into this folder")
    parser.add_argument("--probe", action="store_true", help="write the fallback of the micro-benchmarks, and nothing else")
    parser.add_argument("--specs", action="store_true", help="compile nothing: write what is recorded into specs/kernels")
    arguments = parser.parse_args()
    if arguments.specs:
        write_specs(recorded())
        return
    if arguments.probe:
        with tempfile.TemporaryDirectory() as folder:
            library, ptxas = unpack(arguments.wheels, Path(folder))
            write_probe(Nvrtc(library), ptxas)
        return
    if arguments.keep:
        arguments.keep.mkdir(parents=True, exist_ok=True)
    compile_all(arguments.wheels, arguments.keep)
    write_registers(recorded())


if __name__ == "__main__":
    main()
