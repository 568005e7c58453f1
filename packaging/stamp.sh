#!/usr/bin/env bash
# stamp.sh OWNER: writes the account on github.com that hosts the repository wherever it stands, the manifests included.
# stamp.sh OWNER VERSION SHA256: the version and the checksum of its source archive into the recipes as well.
# ROOT names another checkout than this one.
set -euo pipefail

usage="usage: stamp.sh OWNER [VERSION SHA256]"
owner=${1:?$usage}
version=${2:-}
sum=${3:-}
root=${ROOT:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)}
url="https://github.com/$owner/roofswap"

if [[ ! $owner =~ ^[A-Za-z0-9][A-Za-z0-9-]*$ ]]; then
    echo "stamp.sh: OWNER: the name of an account expected, not \`$owner\`" >&2
    exit 2
fi
if [[ -n $version && ! $sum =~ ^[0-9a-f]{64}$ ]]; then
    echo "stamp.sh: SHA256: 64 hexadecimal digits expected, not \`$sum\`" >&2
    exit 2
fi

# Changes a file by the expressions that follow, whole or not at all.
change() {
    local file=$1
    shift
    sed -E "$@" "$file" >"$file.new"
    mv "$file.new" "$file"
}

recipes=("$root/packaging/homebrew/roofswap.rb" "$root/packaging/arch/PKGBUILD")
for recipe in "${recipes[@]}"; do
    change "$recipe" -e "s|https://github.com/[A-Za-z0-9-]+/roofswap|$url|g"
done
manifest="$root/Cargo.toml"
change "$manifest" -e "/^repository = /d" -e "s|^(license = .*)|\1\nrepository = \"$url\"|"
# Both crates take it from there.
for crate in "$manifest" "$root/app/Cargo.toml"; do
    change "$crate" -e "/^repository\.workspace/d" -e "s|^license\.workspace = true|&\nrepository.workspace = true|"
done

if [[ -n $version ]]; then
    for recipe in "${recipes[@]}"; do
        change "$recipe" -e "s|refs/tags/v[0-9.]+\.tar|refs/tags/v$version.tar|" \
            -e "s|^pkgver=.*|pkgver=$version|" \
            -e "s|(sha256 \")[^\"]*(\")|\1$sum\2|" \
            -e "s|^(sha256sums=\(')[^']*|\1$sum|"
    done
fi
