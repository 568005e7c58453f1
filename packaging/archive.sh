#!/usr/bin/env bash
# archive.sh TARGET [BINARY]: makes dist/roofswap-VERSION-TARGET.tar.gz (.zip for Windows) and its .sha256.
#
# Without BINARY it builds one for TARGET as published (fat LTO; static targets without the driver). The manual and the
# completions are printed by the program itself, by $ROOFSWAP where BINARY does not run on this machine.
set -euo pipefail

target=${1:?usage: archive.sh TARGET [BINARY]}
binary=${2:-}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
out=${DIST:-$root/dist}
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$root/Cargo.toml" | head -n 1)

program=roofswap
case $target in *windows*) program=roofswap.exe ;; esac

if [[ -z $binary ]]; then
    features=()
    # A static program cannot load the driver while it runs.
    case $target in *musl*) features=(--no-default-features) ;; esac
    # Paths of the machine that built it are nobody's business.
    home=${CARGO_HOME:-$HOME/.cargo}
    RUSTFLAGS="${RUSTFLAGS:-} --remap-path-prefix=$root=roofswap --remap-path-prefix=$home=cargo" \
        cargo build --manifest-path "$root/Cargo.toml" --locked --profile dist --target "$target" ${features[@]+"${features[@]}"}
    binary=${CARGO_TARGET_DIR:-$root/target}/$target/dist/$program
fi
speaks=${ROOFSWAP:-$binary}

name=roofswap-$version-$target
folder=$out/$name
rm -rf "$folder"
mkdir -p "$folder/man" "$folder/completions" "$folder/examples"
cp "$binary" "$folder/$program"
cp "$root"/{LICENSE,LICENSE-APACHE,LICENSE-MIT,README.md,CHANGELOG.md} "$folder/"
"$speaks" man --all "$folder/man"
for shell in bash zsh fish powershell elvish; do
    "$speaks" completions "$shell" >"$folder/completions/roofswap.$shell"
done
# The form of a GPU file and of a kernel file, to be copied and changed.
cp "$root/specs/gpus/ada/rtx-4070.toml" "$root/specs/kernels/saxpy.toml" "$root/specs/sources.toml" "$folder/examples/"

cd "$out"
case $target in
    *windows*)
        archive=$name.zip
        rm -f "$archive"
        python3 -m zipfile -c "$archive" "$name"
        ;;
    *)
        archive=$name.tar.gz
        tar --create --gzip --file "$archive" "$name"
        ;;
esac
if command -v sha256sum >/dev/null; then
    sha256sum "$archive" >"$archive.sha256"
else
    shasum -a 256 "$archive" >"$archive.sha256"
fi
rm -rf "$folder"
echo "$out/$archive"
