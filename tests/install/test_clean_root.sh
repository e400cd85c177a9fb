#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# test_clean_root.sh SUITE PACKAGES WORK [JOBS]: installs the Debian package and the wheel of the folder
# PACKAGES into a new root of a Debian release. Then it uses them there. Without PACKAGES (""), it copies the
# sources into the root and makes the packages there, which takes hours.
set -euo pipefail
suite=$1 packages=$2 work=$3 jobs=${4:-$(nproc)}
source=$(cd "$(dirname "$0")/../.." && pwd)
root=$work/$suite
"$source/cmake/make_root.sh" "$suite" "$root"
trap 'rm -rf "$root"' EXIT
inside() { chroot "$root" env DEBIAN_FRONTEND=noninteractive LC_ALL=C "$@"; }
inside apt-get update -q > "$work/$suite.log"
install() {
    inside apt-get install -y -q --no-install-recommends "$@" >> "$work/$suite.log" 2>&1 ||
        { tail -n 5 "$work/$suite.log"; exit 1; }
}
install python3 python3-numpy python3-pip
if [ -z "$packages" ]; then
    mkdir "$root/source"
    git -C "$source" archive HEAD | tar -C "$root/source" -xf -
    install make $(awk '!/^#/ && $2 !~ /format|long/ && $1 !~ /clang-format/ { print $1 }' "$source/packages.txt")
    inside make -C /source deb wheel JOBS="$jobs" >> "$work/$suite.log" 2>&1 || { tail -n 20 "$work/$suite.log"; exit 1; }
    packages=$root/source/build/dist
fi
mkdir -p "$root/tmp/packages"
cp "$packages"/okksim_*.deb "$packages"/okksim-*.whl "$root/tmp/packages"
run='import okksim; print(okksim.__file__, okksim.zoo("lstm", size=2, width=0.25).run("bm1684"))'
inside sh -c 'python3 -m pip install -q --break-system-packages --no-index --no-deps --target /tmp/wheel /tmp/packages/*.whl'
inside env PYTHONPATH=/tmp/wheel python3 -B -c "$run"
inside sh -c 'apt-get install -y -q --no-install-recommends /tmp/packages/*.deb' >> "$work/$suite.log" 2>&1 ||
    { tail -n 5 "$work/$suite.log"; exit 1; }
inside python3 -B -c "$run"
inside okksim --version
inside sh -c 'cd /tmp && okksim zoo lstm --size 2 --width 0.25 -o net && okksim run net/model.tosa > run.txt'
for file in share/man/man1/okksim-run.1 share/bash-completion/completions/okksim share/zsh/site-functions/_okksim \
    share/doc/okksim/copyright share/doc/okksim/examples/kernels/softmax.c; do
    [ -s "$root/usr/$file" ] || [ -s "$root/usr/$file.gz" ] || { echo "FAILED: /usr/$file is missing"; exit 1; }
done
inside apt-get remove -y -q okksim >> "$work/$suite.log" 2>&1
if inside sh -c 'ldconfig -p | grep libokksim'; then echo "FAILED: libokksim stays behind"; exit 1; fi
echo "Debian $suite: package and wheel work"
