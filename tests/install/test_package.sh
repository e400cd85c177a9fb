#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# test_package.sh BUILD WORK: the Debian package holds a program that runs from where it lies, with manual
# pages and completion, and names the packages that it needs.
set -u
build=$1 work=$2/package
for tool in cpack dpkg-deb dpkg-shlibdeps; do
    command -v "$tool" >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
fail() { echo "FAILED: $1"; exit 1; }
rm -rf "$work"
mkdir -p "$work"
cpack -G DEB --config "$build/CPackConfig.cmake" -B "$work" > "$work/log" 2>&1 || { cat "$work/log"; fail "cpack"; }
package=$(ls "$work"/okksim_*.deb) || fail "no package"
depends=$(dpkg-deb -f "$package" Depends)
for needed in libc6 libfmt libsystemc; do
    case "$depends" in *"$needed"*) ;; *) fail "$needed is not among: $depends" ;; esac
done
dpkg-deb -x "$package" "$work/root" || fail "unpack"
cd "$work" || exit 1
okksim=$work/root/usr/bin/okksim
"$okksim" --version || fail "the program does not start"
"$okksim" zoo lstm --size 2 --width 0.25 -o net || fail "zoo"
"$okksim" run net/model.tosa > run.txt || fail "run"
for file in share/man/man1/okksim-run.1 share/doc/okksim/copyright share/bash-completion/completions/okksim share/zsh/site-functions/_okksim; do
    [ -s "root/usr/$file" ] || [ -s "root/usr/$file.gz" ] || fail "$file is missing"
done
package=$(find root/usr/lib -path '*/dist-packages/okksim' -type d)
if [ -n "$package" ] && /usr/bin/python3 -c 'import numpy' 2> /dev/null; then
    PYTHONPATH=${package%/okksim} /usr/bin/python3 -B -c 'import okksim; okksim.machine()' || fail "import okksim"
fi
