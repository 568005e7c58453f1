#!/usr/bin/env bash
# stamp.sh OWNER VERSION SHA256: writes who hosts it, the version and the checksum of the source archive into the recipes.
set -euo pipefail

owner=${1:?usage: stamp.sh OWNER VERSION SHA256}
version=${2:?usage: stamp.sh OWNER VERSION SHA256}
sum=${3:?usage: stamp.sh OWNER VERSION SHA256}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

if [[ ! $sum =~ ^[0-9a-f]{64}$ ]]; then
    echo "stamp.sh: SHA256: 64 hexadecimal digits expected, not \`$sum\`" >&2
    exit 2
fi
for recipe in "$here/homebrew/roofswap.rb" "$here/arch/PKGBUILD"; do
    sed -E -e "s|github.com/[A-Za-z0-9_-]+/roofswap|github.com/$owner/roofswap|g" \
        -e "s|refs/tags/v[0-9.]+\.tar|refs/tags/v$version.tar|" \
        -e "s|^pkgver=.*|pkgver=$version|" \
        -e "s|(sha256 \")[^\"]*(\")|\1$sum\2|" \
        -e "s|^(sha256sums=\(')[^']*|\1$sum|" "$recipe" >"$recipe.new"
    mv "$recipe.new" "$recipe"
done
