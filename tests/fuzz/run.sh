#!/usr/bin/env bash
# run.sh TARGET [SECONDS]: builds the fuzz targets with the instrumentation of libFuzzer, which needs a nightly toolchain and a C++
# compiler but neither cargo-fuzz nor clang, and runs one: its seeds are tests/fuzz/seeds, what it finds lies below target/fuzz.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

target=${1:?usage: run.sh TARGET [SECONDS]}
seconds=${2:-3600}
host=$(rustc -vV | sed -n 's/^host: //p')
kept=$PWD/../../target/fuzz
mkdir -p "$kept/corpus/$target"
if [[ -f corpus/$target.tar.gz ]]; then
    tar xzf "corpus/$target.tar.gz" -C "$kept/corpus/$target"
fi

# Coverage by edges, and what is compared with what; assertions stay on. A host of its own name, so that build scripts have none of it.
export RUSTFLAGS="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
-Cllvm-args=-sanitizer-coverage-trace-compares --cfg fuzzing -Cdebug-assertions -Ccodegen-units=16"
export CARGO_TARGET_DIR=$kept/build CARGO_PROFILE_RELEASE_OPT_LEVEL=2
cargo +nightly build --release --target "$host" --bin "$target"

exec nice -n 19 "$kept/build/$host/release/$target" "$kept/corpus/$target" seeds \
    -max_total_time="$seconds" -timeout=20 -rss_limit_mb=3000 -max_len=65536 -artifact_prefix="$kept/$target-"
