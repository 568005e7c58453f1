# Recipes for people; `.ci/run` needs none of them. https://just.systems

# List the recipes.
default:
    @just --list

# Open the dashboard, or run a command: `just run gpus`.
run *args:
    cargo run --release -- {{ args }}

# What is published: fat LTO, half the size; `cargo run --release` is the quick build.
dist:
    cargo build --locked --profile dist

# All tests, or those whose name contains a word: `just test occupancy`.
test *args:
    cargo test --locked {{ args }}

# Format and clippy, as CI asks for.
lint:
    cargo fmt --check
    cargo clippy --all-targets --locked -- -D warnings

# What a reviewer counts first: sizes, names, circles of files, per room. Needs no dependency, only rustc.
measures:
    mkdir -p target
    rustc --edition 2024 -O --test tests/architecture.rs -o target/measures
    target/measures --ignored --nocapture measures

# The library's documentation; a warning is an error.
docs *args:
    RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --lib --locked {{ args }}

# Everything that must pass before a change goes in.
ci:
    ./.ci/run

# Frame times and start-up, with criterion.
bench *args:
    cargo bench --locked --features bench {{ args }}

# Write the figures of README.md and docs/*.md anew from what the program prints (docs/figures.toml); read `git diff` afterwards.
docs-figures:
    cargo build --release --locked
    ROOFSWAP_BINARY=target/release/roofswap ROOFSWAP_REDRAW=1 cargo test --locked --test cli docs_figures -- --include-ignored

# Fuzz one of tests/fuzz/fuzz_targets for this many seconds, at low priority: `just fuzz reports 3600`. Needs a nightly toolchain.
fuzz target seconds="3600":
    tests/fuzz/run.sh {{ target }} {{ seconds }}

# Licences, sources, duplicates and advisories of the dependencies (cargo install cargo-deny).
deny:
    cargo deny check

# Draw the stored screens again; read `git diff` afterwards.
screenshots:
    INSTA_UPDATE=always ROOFSWAP_REDRAW=1 cargo test --locked --test tui screens pictures
    ROOFSWAP_REDRAW=1 cargo test --locked --test tui demo
