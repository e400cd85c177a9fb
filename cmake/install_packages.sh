#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# install_packages.sh LIST [TASK]: installs the Debian packages of a list that are not installed yet.
# A line of the list is a package and, when only one task needs it, that task; # begins a comment.
# The task `all` installs every package of the list.
set -euo pipefail
missing=()
while read -r package task _; do
    case "$package" in '' | '#'*) continue ;; esac
    [ -z "$task" ] || [ "$task" = "${2:-}" ] || [ "${2:-}" = all ] || continue
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done < "$1"
[ "${#missing[@]}" -eq 0 ] && exit 0
echo "installing: ${missing[*]}"
sudo=""
[ "$(id -u)" -eq 0 ] || sudo=sudo
# Quiet once (-q): one line per package and step, without a progress display.
$sudo env DEBIAN_FRONTEND=noninteractive apt-get update -q
$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}"
