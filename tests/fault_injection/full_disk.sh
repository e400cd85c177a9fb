#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# full_disk.sh OKKSIM KERNELS.so WORK: runs every command that writes files on a disk that fills up
# meanwhile. The disk is a tmpfs in a separate mount namespace with 0, 1, ... free pages until all
# output fits. The test therefore covers every way to write a file. While output does not fit, exit
# code 2 and a message name the file. The file keeps its former content, files of a folder are whole
# or missing, and no temporary file remains.
set -u
okksim=$1 kernels=$2 work=$3/full_disk
if [ -z "${FULL_DISK_INSIDE:-}" ]; then
    for rights in '' --map-root-user; do
        unshare $rights --mount true 2> /dev/null || continue
        FULL_DISK_INSIDE=1 exec unshare $rights --mount "$0" "$@"
    done
    echo "skipped: no mounts allowed here (unshare --mount)"
    exit 77
fi
rm -rf "$work"
mkdir -p "$work/given" "$work/disk"
mount -t tmpfs -o size=16M full_disk "$work/disk" 2> /dev/null || { echo "skipped: no tmpfs"; exit 77; }
cd "$work/given" || exit 1
"$okksim" zoo lstm --size 2 --width 0.25 -o net || exit 1
cp -r net tree
sed -i 's/"op": "E2E"/"op": "E2E", "expected_file": ["sequence.npy"]/' tree/desc.json # any reference will do
"$okksim" run net/model.tosa --record net.trace --record-data > run.txt || exit 1
"$okksim" baseline -o base --filter add_fp32 > base.txt || exit 1
: > list
cat > sums.mlir << EOF
func.func @main(%a: tensor<1x8x8x16xf32>, %b: tensor<1x8x8x16xf32>) -> tensor<1x8x8x16xf32> {
  %0 = tosa.add %a, %b : (tensor<1x8x8x16xf32>, tensor<1x8x8x16xf32>) -> tensor<1x8x8x16xf32>
  return %0 : tensor<1x8x8x16xf32>
}
EOF
cat > sweep.toml << EOF
name = "lanes"
[[workload]]
graph = "sums.mlir"
[[axis]]
parameter = "chip.lanes"
values = [16, 32, 64]
EOF
"$okksim" sweep sweep.toml --store whole.sqlite > sweep.txt || exit 1
disk=$work/disk page=4096 runs=0 failed=0
complain() { echo "FAILED: $1"; failed=$((failed + 1)); }

free_pages() { df -B $page --output=avail "$disk" | tail -n 1; }
# leave N: leaves N free pages.
leave() { fallocate -l $((($(free_pages) - $1) * page)) "$disk/.filler"; }
clean() { find "$disk" -mindepth 1 -delete; }
undated() { sed '/^\$date/,/^\$end/d' "$1"; }
# same PATH: PATH, a file or each file of a folder, equals the one in $work/whole or does not exist.
same() {
    local file
    # SystemC writes the time of day into waveform files.
    [ -d "$1" ] || { cmp -s <(undated "$1") <(undated "$work/whole"); return; }
    while read -r file; do
        cmp -s "$1/$file" "$work/whole/$file" || return 1
    done < <(cd "$1" && find . -type f)
}

# check PAGES CODE LINE: checks the files that the run has left.
check() {
    local where="with $1 free pages: $3"
    [ -z "$(find "$disk" -name '.okksim-*' -print -quit)" ] || complain "a file is left aside $where"
    case $2 in
        "$good") same "$out" || complain "exit code $good and another output $where" ;;
        2)
            grep -qi "$name" "$work/err" || complain "the message does not name $name: $(cat "$work/err") $where"
            if [ -d "$out" ]; then
                same "$out" || complain "a damaged file in the folder $where"
            elif [ -e "$out" ]; then
                [ "$(cat "$out")" = old ] || complain "a damaged file $where"
            fi ;;
        *) complain "exit code $2: $(head -c 300 "$work/err") $where" ;;
    esac
}

# try NAME LINE: LINE is a command line with output DISK/NAME. If the output is a file, an old one
# exists.
try() {
    local line=${2//DISK/$disk} pages=0 code whole
    name=$1 out=$disk/$1
    clean
    cd "$work/given" || exit 1
    eval "$line" > "$work/out" 2> "$work/err" < /dev/null
    good=$?
    [ $good -lt 2 ] || { complain "$2: $(cat "$work/err")"; return; }
    rm -rf "$work/whole"
    cp -r "$out" "$work/whole"
    whole=$(($(du -s -B $page "$out" | cut -f 1) + 8))
    while :; do
        clean
        [ -d "$work/whole" ] || echo old > "$out"
        leave $pages
        eval "$line" > "$work/out" 2> "$work/err" < /dev/null
        code=$?
        runs=$((runs + 1))
        check $pages $code "$2"
        [ $code -ne $good ] || break
        [ $pages -le $((4 * whole)) ] || { complain "$2: does not fit into $pages pages"; break; }
        if [ $pages -lt 3 ]; then pages=$((pages + 1)); else pages=$((pages + (whole + 5) / 6)); fi
    done
}

try report '"$okksim" run net/model.tosa --timeline DISK/report'
try report '"$okksim" run net/model.tosa --csv=DISK/report'
try report '"$okksim" run net/model.tosa --record DISK/report --record-data'
try report '"$okksim" run net/model.tosa --commands DISK/report'
try report.vcd '"$okksim" run net/model.tosa --vcd DISK/report.vcd'
try report '"$okksim" run net/model.tosa --keep-values DISK/report'
try values '"$okksim" run net/model.tosa --out DISK/values'
try report '"$okksim" kernel "$kernels" --launch cli_computes --timeline DISK/report'
try report '"$okksim" kernel "$kernels" --launch cli_computes --json=DISK/report'
try report '"$okksim" kernel "$kernels" --launch cli_computes --lines=DISK/report'
try report '"$okksim" plan net/model.tosa --json=DISK/report'
try report '"$okksim" inspect net/model.tosa --no-time --json=DISK/report'
try net.tosa '"$okksim" convert net/model.tosa -o DISK/net.tosa'
try net.mlir '"$okksim" convert net/model.tosa -o DISK/net.mlir'
try net '"$okksim" zoo lstm --size 2 --width 0.25 -o DISK/net'
try report '"$okksim" replay net.trace --timeline DISK/report'
try report '"$okksim" replay net.trace --record DISK/report'
try report '"$okksim" trace show net.trace --json=DISK/report'
try report '"$okksim" compare base base --junit DISK/report'
try base '"$okksim" baseline --filter add_fp32 -o DISK/base'
try values '"$okksim" conformance tree -o DISK/values'
try report '"$okksim" isa --json=DISK/report'
try report '"$okksim" asm list --machine bm1684 -o DISK/report'
try report '"$okksim" machine --json=DISK/report'
try pages '"$okksim" man -o DISK/pages'
try page.html '"$okksim" report whole.sqlite -o DISK/page.html'

# Output to standard output only.
for pages in 0 1; do
    clean
    leave $pages
    "$okksim" isa --json > "$disk/out" 2> "$work/err" && complain "standard output: exit code 0 with $pages pages"
    runs=$((runs + 1))
done

# A store keeps the points that fit and resumes when there is space again.
clean
cd "$work/given" || exit 1
for pages in 0 1 3 5 7 9 11 13 15 20 30; do
    leave $pages
    "$okksim" sweep sweep.toml --store "$disk/store.sqlite" > "$work/out" 2> "$work/err"
    code=$?
    runs=$((runs + 1))
    case $code in 0|2) ;; *) complain "sweep: exit code $code with $pages free pages: $(cat "$work/err")" ;; esac
    rm -f "$disk/.filler"
done
"$okksim" sweep sweep.toml --store "$disk/store.sqlite" > "$work/out" 2> "$work/err" ||
    complain "a sweep does not continue its store on a disk that was full: $(cat "$work/err")"
for store in "$disk/store.sqlite" whole.sqlite; do
    "$okksim" sweep "$store" --csv > "$work/$(basename "$store").csv" || complain "sweep $store --csv"
done
cmp "$work/store.sqlite.csv" "$work/whole.sqlite.csv" || complain "the store's points differ"
echo "$runs runs, $failed wrong"
[ "$failed" -eq 0 ]
