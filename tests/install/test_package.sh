#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# test_package.sh BUILD WORK: the Debian package holds a program that runs from its unpacked folder,
# with manual pages and completion. The package names the packages that it needs. It can be
# installed into a system that has only those, runs there, and can be removed.
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
# Without this library, okksim does not track undefined values inside kernels (packages.txt lists
# it).
zydis=$(sed -nE 's|^OKKSIM_ZYDIS_LIBRARY:FILEPATH=/.*|libzydis|p' "$build/CMakeCache.txt")
for needed in libc6 libfmt libsystemc $zydis; do
    case "$depends" in *"$needed"*) ;; *) fail "$needed is not among: $depends" ;; esac
done
dpkg-deb -x "$package" "$work/root" || fail "unpack"

# depended PACKAGE: true if the package, or one of the names that it provides, is a dependency.
depended() {
    local name
    for name in "$1" $(dpkg-query -W -f '${Provides}' "$1" | tr ',' '\n' | awk '{ print $1 }'); do
        case ", $depends," in *", $name "*|*", $name,"*) return 0 ;; esac
    done
    return 1
}

# Every library that a file needs is in the package or in one of its dependencies.
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

# A system with only the transitive dependencies, a shell, and ldconfig for the scripts.
clean=$work/clean
mkdir -p "$clean"/{dev,etc,tmp,usr,var/lib/dpkg/info,var/lib/dpkg/updates,var/log}
for folder in bin sbin lib lib32 lib64 libx32; do
    [ -L "/$folder" ] && mkdir -p "$clean/usr/$folder" && ln -s "usr/$folder" "$clean/$folder"
done
# names FIELDS: prints the named packages without versions and without alternatives that are not
# installed.
names() { tr ',|' '\n\n' <<< "$1" | awk '{ sub(/:.*/, "", $1); print $1 }'; }
# provider NAME: prints an installed package that has or provides this name.
dpkg-query -W -f '${db:Status-Status},${Package},${Provides}\n' > "$work/provides"
provider() {
    awk -F ',' -v name="$1" '$1 == "installed" { for (i = 2; i <= NF; ++i) { split($i, word, " "); if (word[1] == name) { print $2; exit } } }' \
        "$work/provides"
}
declare -A there=()
waiting=(dash libc-bin dpkg $(names "$depends"))
while [ ${#waiting[@]} -gt 0 ]; do
    name=$(provider "${waiting[0]}")
    waiting=("${waiting[@]:1}")
    { [ -n "$name" ] && [ -z "${there[$name]:-}" ]; } || continue
    there[$name]=yes
    dpkg-query -s "$name" >> "$clean/var/lib/dpkg/status"
    echo >> "$clean/var/lib/dpkg/status"
    dpkg-query -L "$name" | grep -E '^(/usr)?/(bin|sbin|lib[^/]*)/|^/etc/ld' |
        while read -r file; do [ -d "$file" ] || echo ".$file"; done | tar -C / -cf - -T - | tar -C "$clean" --keep-directory-symlink -xf -
    waiting+=($(names "$(dpkg-query -W -f '${Pre-Depends}, ${Depends}' "$name")"))
done

# Installs into that system with dpkg: every dependency is present in the required version.
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else unshare -r "$@"; fi; }
packages() { as_root dpkg --root="$clean" --log=/dev/null "$@" >> "$work/log" 2>&1; }
if as_root chroot "$clean" /bin/sh -c : 2>> "$work/log"; then
    inside() { as_root chroot "$clean" "$@"; }
    packages --install "$package" || { tail -n 5 "$work/log"; fail "dpkg --install"; }
    packages --verify okksim || fail "dpkg --verify"
    inside okksim --version || fail "the installed program does not start"
    inside ldconfig -p | grep -q libokksim || fail "the loader does not know libokksim"
    inside /bin/sh -c 'cd /tmp && okksim zoo lstm --size 2 --width 0.25 -o net && okksim run net/model.tosa > run.txt' ||
        fail "the installed program does not run a network"
    packages --remove okksim || fail "dpkg --remove"
    inside ldconfig -p | grep -q libokksim && fail "the loader still knows libokksim"
    left=$(find "$clean" -name '*okksim*' ! -path "$clean/var/lib/dpkg/*")
    [ -z "$left" ] || fail "files stay behind: $left"
else
    echo "not tried, since the root folder is read-only here: the package's scripts, and a separate system"
fi

cd "$work" || exit 1
okksim=$work/root/usr/bin/okksim
"$okksim" --version || fail "the program does not start"
"$okksim" zoo lstm --size 2 --width 0.25 -o net || fail "zoo"
"$okksim" run net/model.tosa > run.txt || fail "run"
for file in share/man/man1/okksim-run.1 share/doc/okksim/copyright share/bash-completion/completions/okksim share/zsh/site-functions/_okksim share/doc/okksim/examples/kernels/softmax.c; do
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
