#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# make_image.sh FOLDER: makes a root of Debian 12 with the Debian package of FOLDER, and packs it as
# FOLDER/okksim-VERSION-image.tar.gz. `podman import` and `docker import` read this file.
set -euo pipefail
folder=$1
here=$(dirname "$0")
package=$(ls "$folder"/okksim_*.deb)
version=$(dpkg-deb -f "$package" Version)
root=$folder/image
"$here/make_root.sh" bookworm "$root"
cp "$package" "$root/tmp/okksim.deb"
inside() { chroot "$root" env DEBIAN_FRONTEND=noninteractive "$@"; }
inside apt-get update -q > "$root.log"
inside apt-get install -y -q --no-install-recommends /tmp/okksim.deb python3 python3-numpy >> "$root.log" 2>&1 ||
    { tail -n 5 "$root.log"; exit 1; }
inside okksim --version
inside python3 -c 'import okksim; print(okksim.machine())'
inside apt-get clean
rm -rf "$root"/tmp/* "$root"/var/lib/apt/lists/* "$root"/etc/apt/apt.conf.d/90host "$root"/etc/resolv.conf
image=$folder/okksim-$version-image.tar.gz
tar -C "$root" --numeric-owner -czf "$image" .
rm -rf "$root"
echo "$image"
echo "podman import --change 'CMD [\"okksim\"]' $image okksim:$version"
