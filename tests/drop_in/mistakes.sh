#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# mistakes.sh CXX LIBRARY_FOLDER WORK_FOLDER: every mistake of mistakes.cpp gives the expected
# finding at the line that contains it. The corrected kernel gives no finding.
set -euo pipefail
cxx=$1 library=$2 work=$3
folder=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$folder/../.." && pwd)
mkdir -p "$work"
cd "$work"
$cxx -std=c++11 -O1 -g -fno-optimize-sibling-calls -I"$source/firmware" -I"$source/firmware/host" \
    "$folder/mistakes.cpp" -o mistakes -L"$library" -lbmlib -Wl,-rpath,"$library"

failed=0 count=0
wrong() { echo "$1: $2"; cat err; failed=1; }
# finds NAME KIND TEXT: checks the finding's kind and a part of its text.
finds() {
    local code=0 line
    count=$((count + 1))
    OKKSIM_STRICT=1 ./mistakes "$1" wrong > out 2> err || code=$?
    [ $code = 3 ] || wrong "$1" "exit code $code instead of 3"
    grep -q -- "$2" err || wrong "$1" "no finding of kind $2"
    grep -q -- "$3" err || wrong "$1" "does not say: $3"
    line=$(grep -n "// $1\$" "$folder/mistakes.cpp" | cut -d: -f1 || true)
    [ -z "$line" ] || grep -q "mistakes.cpp:$line" err || wrong "$1" "not in line $line"
    code=0
    OKKSIM_STRICT=1 ./mistakes "$1" right > out 2> err || code=$?
    [ $code = 0 ] && [ ! -s err ] || wrong "$1" "a finding about the mended kernel (exit code $code)"
}
finds stores_past_the_end '(buffer)' '4096 bytes at 0x.* pass the end of the allocation of 64 bytes'
finds stores_one_too_many '(buffer)' '68 bytes at 0x.* pass the end of the allocation of 64 bytes'
finds stores_before_the_start '(buffer)' '64 bytes before the allocation of 4096 bytes'
finds loads_past_the_end '(buffer)' 'pass the end of the allocation of 4096 bytes'
finds uses_freed_memory '(buffer)' 'has been freed: byte 0 of 64 .*, allocated in main at .*, freed in main at '
finds fills_past_the_end '(buffer)' 'dst_addr'
finds moves_too_many_rows '(buffer)' '96 bytes at 0x.* pass the end of the allocation of 64 bytes'
finds moves_rows_too_far_apart '(buffer)' 'dst_addr'
finds copies_past_the_end '(buffer)' 'dst_addr'
finds strides_past_the_end '(buffer)' 'dst_addr'
finds stores_bytes_past_the_end '(buffer)' '65 bytes'
finds stores_into_the_next_buffer '(buffer)' '0 bytes past the end of the allocation of 4096 bytes'
for level in fast full; do  # at no cost
    OKKSIM_SANITIZE=$level finds sets_what_lies_behind_a_page '(buffer)' 'is stored to in memory that is not the kernel.s: .* 0 bytes past the end of the allocation of 4096 bytes'
    OKKSIM_SANITIZE=$level finds sets_what_lies_behind_the_next_buffer '(buffer)' 'is stored to in memory that is not the kernel.s: .* past the end of the allocation of 64 bytes'
    OKKSIM_SANITIZE=$level finds sets_what_lies_before_all '(buffer)' '4 bytes before the allocation of 4096 bytes'
    OKKSIM_SANITIZE=$level finds copies_what_lies_behind_a_page '(buffer)' 'is loaded from in memory that is not the kernel.s: .* past the end of the allocation of 4096 bytes'
done
for level in fast full; do
    OKKSIM_SANITIZE=$level finds stores_by_a_kept_pointer '(buffer)' 'okk_global_mem_addr: the pointer (stores_by_a_kept_pointer .* is stored to in memory that is not the kernel.s: .* has been freed: byte 4 of 64'
    OKKSIM_SANITIZE=$level finds loads_by_a_kept_pointer '(buffer)' 'is loaded from in memory that is not the kernel.s: .* has been freed: byte 12 of 4096 .*, freed in main at '
done
# Freed memory is not reused at once.
for level in fast full; do
    OKKSIM_SANITIZE=$level finds uses_memory_of_a_freed_buffer '(buffer)' 'has been freed: byte 0 of 64 .*, allocated in main at .*, freed in main at '
    OKKSIM_SANITIZE=$level finds stores_to_what_was_freed_by_a_kept_pointer '(buffer)' 'has been freed: byte 4 of 64'
done
# Reused memory counts as uninitialised.
export OKKSIM_QUARANTINE=0
for level in fast full; do
    OKKSIM_SANITIZE=$level finds takes_what_a_former_buffer_left '(unwritten_read)' 'src_addr reads address 0x[0-9a-f]*, which is uninitialised'
done
OKKSIM_SANITIZE=full finds leaves_what_a_former_buffer_left '(unwritten_read)' 'makes the nearest store, 1 bytes away'
unset OKKSIM_QUARANTINE
for freedom in "OKKSIM_SANITIZE=fast OKKSIM_QUARANTINE=0" "OKKSIM_SANITIZE=full OKKSIM_QUARANTINE=0" "OKKSIM_SANITIZE=full OKKSIM_QUARANTINE=4095"; do
    env $freedom ./mistakes uses_memory_of_a_freed_buffer wrong 2> err
    [ ! -s err ] || wrong uses_memory_of_a_freed_buffer "$freedom: memory is handed out in another order"
done
finds leaves_the_last_lane 'ended with a fault' 'stay inside that memory'
finds points_past_the_end '(buffer)' 'okk_global_mem_addr'
finds stores_by_itself_past_the_end '(buffer)' 'okk_store_addr'
finds forgets_the_last_poll '(order)' 'without okk_poll() after its last commands'
finds ends_inside_a_section '(order)' 'inside a parallel section'
finds looks_at_local_memory_early '(order)' 'okk_local_mem_addr: .*bdc.32bit_set_C'
finds looks_at_l2_early '(order)' 'okk_l2_sram_addr: .*gdma.32bit_cpy_L2S'
finds looks_at_global_memory_early '(order)' 'okk_global_mem_addr: .*gdma.32bit_cpy_L2S'
finds loads_by_itself_early '(order)' 'okk_load_addr: .*writes'
finds changes_what_is_read '(order)' 'okk_store_addr: .*reads'
finds races_with_a_load '(hazard)' 'without an order between them (data race)'
finds races_with_a_store '(hazard)' 'without an order between them (data race)'
finds overlaps_in_part '(rule)' 'bdc.neg: dst_addr and src_addr share lane 0'
finds tanh_over_half_of_its_row '(rule)' 'share lane 0'
[ "$(OKKSIM_STRICT=1 ./mistakes tanh_over_half_of_its_row wrong 2>&1 | grep -c warning)" = 1 ] ||
    wrong tanh_over_half_of_its_row "is reported more than once"
finds copies_onto_itself '(rule)' 'gdma.32bit_cpy_L2L: dst_addr and src_addr share lane 0'
finds adds_onto_its_own_row '(rule)' 'dst_addr and src1_addr share lane 0'
finds adds_up_by_chance '(rule)' 'dst_addr and src1_addr share lane 0'
finds convolves_in_place '(rule)' 'output_addr and input_addr share lane 0'
finds multiplies_in_place '(rule)' 'output_addr and left_addr share lane 0'
finds computes_off_the_line '(rule)' 'dst_addr = 1028 with dst_stride = NULL'
finds loads_off_the_line '(rule)' 'dst_addr = 132 with dst_stride = NULL'
finds stores_off_the_line '(rule)' 'src_addr = 132 with src_stride = NULL'
finds does_not_initialize '(rule)' 'before okk_initialize()'
finds exp_in_place '(rule)' 'okk_bdc_exp: dst_addr = src_addr'
finds tanh_in_place '(rule)' 'okk_bdc_tanh_tunable: dst_addr = src_addr'
finds exp_of_a_hundred '(rule)' '16 of 16 elements are outside .-103, 88., the first at (0, 0, 0, 0) = 100'
finds sigmoid_far_below_zero '(rule)' '16 of 16 elements .* = 95'
finds exp_far_below_zero '(rule)' 'outside .-128, 127., the first at (0, 0, 0, 0) = -200'
finds sigmoid_far_above_zero '(rule)' 'outside .-128, 127., the first at (0, 0, 0, 0) = -150'
[ "$(OKKSIM_STRICT=1 ./mistakes sigmoid_far_above_zero wrong 2>&1 | grep -c warning)" = 1 ] ||
    wrong sigmoid_far_above_zero "is reported more than once"
finds exp_of_a_great_integer '(rule)' 'bdc.lookup_exp: 16 of 16 .* = 89'
finds computes_with_nothing '(unwritten_read)' 'src_addr'
finds stores_what_came_of_nothing '(unwritten_read)' 'the host reads 64 bytes .* depends on uninitialised memory'
finds takes_an_aligned_bias '(unwritten_read)' 'bias_addr reads lane 0, byte 0x2004'
# The first uninitialised column is at 16384 + 4 * 4.
for level in fast full; do
    OKKSIM_SANITIZE=$level finds stores_columns_of_nobody '(unwritten_read)' 'bdc.matmul.* right_addr reads lane 1, byte 0x4010'
done
finds stores_with_compact_strides '(unwritten_read)' 'src_addr reads lane 0, byte 0x4020'
export OKKSIM_SANITIZE=full  # with blocks of 64 bytes it stays hidden; pointers are watched
finds leaves_half_of_its_output '(unwritten_read)' 'this byte is uninitialised: 32'
finds leaves_half_of_its_output '(unwritten_read)' 'makes the nearest store, 1 bytes away'
finds leaves_half_between_its_rows '(unwritten_read)' 'does not store to it, but before and after it'
finds leaves_half_to_nobody '(unwritten_read)' 'no command has stored into these bytes'
finds takes_a_factor_of_nobody '(unwritten_read)' 'okk_dtcm_addr: the pointer .* loads address 0x[0-9a-f]*, which is uninitialised'
finds takes_a_shape_of_nobody '(unwritten_read)' 'okk_l2_sram_addr: the pointer .* loads address'
finds looks_at_a_lane_of_nobody '(unwritten_read)' 'okk_local_mem_addr: the pointer .* loads lane 5, byte 0x9c40'
finds looks_at_its_own_output '(unwritten_read)' 'okk_global_mem_addr: the pointer .* loads address'
finds adds_up_nothing_by_itself '(unwritten_read)' 'okk_dtcm_addr: the pointer .* loads address'
finds copies_nothing_by_itself '(unwritten_read)' 'this byte is uninitialised: 32'
finds copies_nothing_by_vectors '(unwritten_read)' 'this byte is uninitialised: 32'
finds copies_nothing_by_vectors '(unwritten_read)' 'code has copied uninitialised bytes to it, in copies_nothing_by_vectors at .*mistakes.cpp'
# The undefined byte within the last 64 copied bytes: 64 - 8.
for bytes in 100 300 3000 20000; do
    finds copies_${bytes}_bytes_by_the_library '(unwritten_read)' 'this byte is uninitialised: 56'
done
finds counts_up_what_is_not_there '(unwritten_read)' 'okk_dtcm_addr: the pointer .* loads address'
finds sets_one_too_many_by_itself '(buffer)' '0 bytes past the end of the allocation of 64 bytes'
finds passes_the_end_behind_many_stores '(buffer)' '0 bytes past the end of the allocation of 64 bytes'
finds leaves_half_behind_many_stores '(unwritten_read)' 'this byte is uninitialised: 32'
finds sets_what_is_far_away '(buffer)' 'bytes past the end of the allocation of'
finds clears_too_much_by_itself '(buffer)' 'the allocation of 64 bytes'
finds leaves_its_lane '(buffer)' 'is stored to 8 bytes past the end of lane 2, which has 524288 bytes'
finds leaves_dtcm_by_itself '(buffer)' 'bytes past the end of the memory at 0x2020000, which has 390144 bytes'
finds leaves_l2_by_itself 'ended with a fault' 'stay inside that memory'
unset OKKSIM_SANITIZE
for level in fast full; do
    OKKSIM_SANITIZE=$level finds uses_an_old_pointer '(order)' 'okk_local_mem_addr: the pointer .*mistakes.cpp.* is used to access memory that bdc.add_C'
    OKKSIM_SANITIZE=$level finds uses_an_old_pointer_into_l2 '(order)' 'okk_l2_sram_addr: .*gdma.32bit_cpy_L2S .* writes, and the kernel has not waited for it'
    OKKSIM_SANITIZE=$level finds stores_what_is_being_read '(order)' 'okk_local_mem_addr: .*bdc.mul_C .* reads, and the kernel has not waited for it'
    OKKSIM_SANITIZE=$level finds stores_beside_a_load '(order)' 'okk_global_mem_addr: .*gdma.32bit_cpy_S2L .* reads, and the kernel has not waited for it'
done
finds hands_nothing_to_the_processor '(unwritten_read)' 'okk_local_mem_addr: the pointer gives access to values from uninitialised memory'
finds parks_nothing_in_l2 '(unwritten_read)' 'src_addr reads lane 0, byte 0x10000'
finds adds_a_bias_of_nothing '(unwritten_read)' 'bias_addr'
finds takes_dummies_for_nothing '(unwritten_read)' 'of which byte 3 depends on uninitialised memory'
finds loads_its_own_output '(unwritten_read)' 'src_addr'
finds works_in_a_thread '(rule)' 'pthread_create: the kernel makes a thread, but a device has no threads'
finds frees_twice 'bm_free_device' 'has been freed.*, allocated in main at .*mistakes.cpp:[0-9]*, freed in main at .*mistakes.cpp:'
finds frees_while_running '(order)' 'the host frees 4096 bytes'
finds reads_while_running '(order)' 'the host reads 64 bytes'
finds writes_while_running '(order)' 'the host writes 4096 bytes'
# With whole call stacks.
OKKSIM_SANITIZE=full ./mistakes overlaps_in_part wrong 2> err
grep -q 'in overlaps_in_part at .*mistakes.cpp:[0-9]* < launched at .*mistakes.cpp:[0-9]*$' err ||
    wrong overlaps_in_part "has no call stack"
# Without line numbers: the function, the offset, and how to get lines.
cp mistakes bare
strip --strip-debug bare
./bare overlaps_in_part wrong 2> err
grep -q 'overlaps_in_part.* in .*bare+0x[0-9a-f]* (for its line compile it with -g' err ||
    wrong overlaps_in_part "does not tell how to get lines"
# is_silent NAME: a correct kernel.
is_silent() {
    local code=0
    OKKSIM_STRICT=1 ./mistakes "$1" right > out 2> err || code=$?
    [ $code = 0 ] && [ ! -s err ] || wrong "$1" "a finding about a correct kernel (exit code $code)"
}
is_silent computes_whole_lines
is_silent parks_whole_lines_in_l2
is_silent adds_halves_in_place
is_silent pools_all_lanes
is_silent filters_all_lanes
is_silent convolves_for_all_lanes
is_silent multiplies_whole_lines
is_silent asks_before_it_waits
is_silent looks_beside_what_is_written
OKKSIM_SANITIZE=full is_silent asks_before_it_waits
for level in fast full; do
    OKKSIM_SANITIZE=$level is_silent adds_up_in_its_output
    OKKSIM_SANITIZE=$level is_silent keeps_memory_in_a_file
    OKKSIM_SANITIZE=$level is_silent stores_bytes_of_fresh_memory
    OKKSIM_SANITIZE=$level is_silent stores_fresh_memory_by_vectors
    OKKSIM_SANITIZE=$level is_silent stores_fresh_memory_for_commands
done
# Watching each launch as long as the first one would take 15 s or more.
unseen='pointer accesses unchecked for .* of .* s of launched, because .*OKKSIM_POINTER_SHARE=1 checks all of them'
(ulimit -t 6 && OKKSIM_STRICT=1 OKKSIM_SANITIZE=full OKKSIM_SUMMARY=run.json ./mistakes stores_in_many_launches right 2> err) ||
    wrong stores_in_many_launches "does not end well in 6 s"
# Under full, a note states how long pointers were not watched; it is the only message.
grep -q "^\[okksim\] \[info\] $unseen" err && [ $(wc -l < err) = 1 ] ||
    wrong stores_in_many_launches "does not say once how long pointers were unchecked"
grep -q '"of_seconds": [0-9.]' run.json ||
    wrong stores_in_many_launches "the summary does not say how long pointers were unchecked"
OKKSIM_SANITIZE=full OKKSIM_SUMMARY=1 ./mistakes sets_one_too_many_behind_all_others right 2> err
[ $(grep -c "$unseen" err) = 1 ] || wrong sets_one_too_many_behind_all_others "is not reported once"
export OKKSIM_POINTER_SHARE=1
OKKSIM_SANITIZE=full finds sets_one_too_many_behind_all_others '(buffer)' 'is stored to in memory that is not the kernel.s'
unset OKKSIM_POINTER_SHARE
# Without full, a note states where only full would see a mistake.
OKKSIM_SUMMARY=1 ./mistakes adds_up_in_its_output right 2>&1 | grep -q 'pointer accesses checked in part: launched (OKKSIM_SANITIZE=full' ||
    wrong adds_up_in_its_output "does not say that its pointers are checked in part"
OKKSIM_SANITIZE=full is_silent looks_beside_what_is_written
# Copying uninitialised bytes is not a use, whichever instructions the compiler emits.
for flags in -O0 -O1 -O2 "-O3 -march=native"; do
    $cxx -std=c++11 $flags -g -fno-optimize-sibling-calls -I"$source/firmware" \
        -I"$source/firmware/host" "$folder/mistakes.cpp" -o mistakes -L"$library" -lbmlib \
        -Wl,-rpath,"$library"
    OKKSIM_SANITIZE=full is_silent moves_rows_with_holes
    OKKSIM_SANITIZE=full is_silent turns_items_round
    OKKSIM_SANITIZE=full finds adds_up_nothing_by_itself '(unwritten_read)' 'loads address'
done
echo "$count mistakes"
exit $failed
