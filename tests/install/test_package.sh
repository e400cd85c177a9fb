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

# depended PACKAGE: whether it, or something that it provides, is among the packages that are needed.
depended() {
    local name
    for name in "$1" $(dpkg-query -W -f '${Provides}' "$1" | tr ',' '\n' | awk '{ print $1 }'); do
        case ", $depends," in *", $name "*|*", $name,"*) return 0 ;; esac
    done
    return 1
}

# Every library that a file of the package names is in the package, or in a package that it depends on.
while read -r file; do
    readelf -hW "$file" > /dev/null 2>&1 || continue
    while read -r name; do
        path=$(ldd "$file" | awk -v name="$name" '$1 == name { print $3 }')
        [ -n "$path" ] || fail "$file: $name is not found"
        case "$path" in "$work/root"/*) continue ;; esac
        owner=$(dpkg-query -S "$(realpath "$path")" "$path" "${path#/usr}" 2> /dev/null | head -n 1 | cut -d : -f 1)
        [ -n "$owner" ] || fail "$file: $path is of no package"
        depended "$owner" || fail "$file needs $name of $owner, which is not among: $depends"
    done < <(readelf -dW "$file" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p' | grep -v '^ld-linux')
done < <(find "$work/root/usr/bin" "$work/root/usr/lib" -type f)

# Into a clean system, as dpkg does it; its script, which has the loader look again, needs a shell there.
clean=$work/clean
mkdir -p "$clean/var/lib/dpkg/info" "$clean/var/lib/dpkg/updates" "$clean/var/log"
: > "$clean/var/lib/dpkg/status"
packages() { dpkg --root="$clean" --force-not-root --force-depends --log=/dev/null "$@" >> "$work/log" 2>&1; }
packages --unpack "$package" || { tail -n 5 "$work/log"; fail "dpkg --unpack"; }
packages --verify okksim || fail "dpkg --verify"
"$clean/usr/bin/okksim" --version || fail "the installed program does not start"
ldd "$clean/usr/bin/okksim" | grep libokksim | grep -qF "$clean/" || fail "the installed program loads another libokksim"
cd "$work" || exit 1
okksim=$work/root/usr/bin/okksim
"$okksim" --version || fail "the program does not start"
"$okksim" zoo lstm --size 2 --width 0.25 -o net || fail "zoo"
"$okksim" run net/model.tosa > run.txt || fail "run"
for file in share/man/man1/okksim-run.1 share/doc/okksim/copyright share/bash-completion/completions/okksim share/zsh/site-functions/_okksim; do
    [ -s "root/usr/$file" ] || [ -s "root/usr/$file.gz" ] || fail "$file is missing"
done
bash -c 'source root/usr/share/bash-completion/completions/okksim && complete -p okksim' > /dev/null || fail "bash completion"
for page in root/usr/share/man/man1/*; do
    gzip -cdf "$page" | head -n 3 | grep -q '^\.TH' || fail "$page is no manual page"
done
package=$(find root/usr/lib -path '*/dist-packages/okksim' -type d)
if [ -n "$package" ] && /usr/bin/python3 -c 'import numpy' 2> /dev/null; then
    PYTHONPATH=${package%/okksim} /usr/bin/python3 -B -c 'import okksim; okksim.machine()' || fail "import okksim"
fi
