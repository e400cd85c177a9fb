#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# usual_mistakes.sh CXX LIBRARY_FOLDER WORK_FOLDER: every mistake of usual_mistakes.cpp and
# host_mistakes.cpp gives the expected finding at its line. Corrected kernels give none.
set -euo pipefail
cxx=$1 library=$2 work=$3
folder=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$folder/../.." && pwd)
mkdir -p "$work"
cd "$work"
for program in usual_mistakes host_mistakes; do
    $cxx -std=c++11 -O1 -g -fno-optimize-sibling-calls -I"$source/firmware" -I"$source/firmware/host" \
        "$folder/$program.cpp" -o $program -L"$library" -lbmlib -Wl,-rpath,"$library"
done
export OKKSIM_STRICT=1
failed=0 count=0
wrong() { echo "$1: $2"; cat err; failed=1; }
# ends PROGRAM NAME CODE TEXT: checks the exit code, a part of the text, and the line of the mistake.
ends() {
    local code=0 line
    count=$((count + 1))
    ./"$1" "$2" wrong > out 2> err || code=$?
    [ $code = "$3" ] || wrong "$2" "exit code $code instead of $3"
    [ -z "$4" ] || grep -q -- "$4" err || wrong "$2" "does not say: $4"
    line=$(grep -n "// $2\$" "$folder/$1.cpp" | cut -d: -f1 || true)
    [ -z "$line" ] || [ "$3" = 0 ] || grep -q "$1.cpp:$line" err || wrong "$2" "not in line $line"
}
is_silent() {
    local code=0
    ./usual_mistakes "$1" right > out 2> err || code=$?
    [ $code = 0 ] && [ ! -s err ] || wrong "$1" "a finding about a correct kernel (exit code $code)"
}
finds() {
    ends usual_mistakes "$1" 3 "$2"
    is_silent "$1"
}
for level in fast full; do
    export OKKSIM_SANITIZE=$level
    for name in stores_a_row_in_one_word stores_rows_too_close stores_images_onto_each_other \
        loads_rows_too_close stores_channels_too_close sums_up_by_a_stride_of_0; do
        finds $name '(rule): .*several elements of dst_addr share memory'
    done
    finds stores_aligned_channels_as_compact '(unwritten_read)'
    finds does_one_tile_too_many '(buffer)'
    finds computes_on_a_partial_tile 'byte 48 depends on uninitialised memory'  # 12 words
    finds takes_another_lane '(unwritten_read)'
    finds loads_into_the_buffer_in_use '(hazard)'
    finds changes_what_is_being_stored '(hazard)'
    finds computes_beside_its_load '(hazard)'
    finds looks_before_the_poll '(order)'
    finds forgets_the_second_operand '(unwritten_read)'
    finds exchanges_input_and_output '(unwritten_read)'
    finds counts_bytes_as_words '(buffer)'
    finds keeps_a_size_of_former_data '(buffer)'
    finds lays_a_bias_into_one_lane '(unwritten_read)'
    finds relies_on_an_earlier_launch 'only an earlier launch has written'
    OKKSIM_KEEP_LOCAL=1 ends usual_mistakes relies_on_an_earlier_launch 0 ''
    [ ! -s err ] || wrong relies_on_an_earlier_launch "a finding about memory that is declared as kept"
    for name in fills_a_word_many_times repeats_one_value interleaves_columns \
        wraps_with_one_channel_per_lane stores_columns_as_rows; do
        is_silent $name
    done
done
# Columns of 16 bytes lie between others in a granule of 64 bytes.
OKKSIM_SANITIZE=full finds leaves_out_the_last_tile 'this byte is uninitialised: 48'
OKKSIM_SANITIZE=full finds leaves_dtcm '(buffer)'
# Without the watch of pointers, the end of the memory is the end of a host page.
OKKSIM_SANITIZE=fast finds leaves_dtcm 'ended with a fault'

for name in reads_zeroed writes_zeroed reads_part_of_zeroed writes_nothing_to_zeroed copies_zeroed \
    fills_zeroed frees_zeroed maps_zeroed; do
    ends host_mistakes $name 3 'is zeroed: it has address 0'
done
ends host_mistakes fills_null 3 'is BM_MEM_NULL'
ends host_mistakes fills_host_memory 3 "a descriptor of the host's memory"
ends host_mistakes reads_past_the_end 3 'pass the end of src'
ends host_mistakes copies_past_the_end 3 'pass the end of src'
ends host_mistakes widens_a_descriptor 3 'pass the end of the allocation'
ends host_mistakes frees_twice 3 'has been freed'
ends host_mistakes reads_freed 3 'has been freed'
ends host_mistakes has_no_handle 3 'is not open'
ends host_mistakes reads_memory_of_a_closed_handle 3 'has been freed'
# Memory that is not freed is no mistake, but a summary names it.
export OKKSIM_SUMMARY=1
ends host_mistakes keeps_memory 0 'device memory is not freed before bm_dev_free() .*: 1 allocation of 64 bytes: 64 bytes at 0x'
ends host_mistakes keeps_all 0 "not freed at the program's end: 2 allocations of 8192 bytes: 4096 bytes at "
unset OKKSIM_SUMMARY
for name in nothing frees_by_another_handle; do
    ends host_mistakes $name 0 ''
    [ ! -s err ] || wrong $name "a message about a correct program"
done
echo "$count mistakes"
exit $failed
