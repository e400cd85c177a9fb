#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# make_root.sh SUITE FOLDER: makes a minimal root of a Debian release, such as bookworm or trixie, in FOLDER.
# OKKSIM_MIRROR names the Debian archive. OKKSIM_ROOTS may have a finished root in SUITE, which is copied.
# Status 77 means that debootstrap or the privileges of root are missing.
set -euo pipefail
suite=$1 folder=$2
skip() { echo "skipped: $1"; exit 77; }
[ "$(id -u)" -eq 0 ] || skip "a root folder needs the privileges of root"
rm -rf "$folder"
mkdir -p "$(dirname "$folder")"
if [ -n "${OKKSIM_ROOTS:-}" ] && [ -d "$OKKSIM_ROOTS/$suite" ]; then
    cp -a "$OKKSIM_ROOTS/$suite" "$folder"
else
    command -v debootstrap > /dev/null || skip "no debootstrap; run apt-get install debootstrap"
    debootstrap --variant=minbase "$suite" "$folder" "${OKKSIM_MIRROR:-http://deb.debian.org/debian}" \
        > "$folder.log" 2>&1 || { tail -n 5 "$folder.log"; exit 1; }
fi
chroot "$folder" /bin/true || skip "chroot does not work here"
cp -L /etc/resolv.conf "$folder/etc/resolv.conf"
# Apt uses the proxy of the host, if the host has one.
if apt-config dump | grep '^Acquire::[a-z]*::Proxy' > "$folder/etc/apt/apt.conf.d/90host"; then :; fi
