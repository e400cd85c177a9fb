#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mutations.sh SOURCE BUILD WORK COMPILER: exchanges columns of the tables and compiles the files
# that use them. The objects replace those of BUILD's libraries in a test, which must then fail.
# Needs the tests of a finished build.
set -u
source_dir=$1 build=$2 work=$3/mutations compiler=$4
[ -f "$build/build.ninja" ] || { echo "skipped: not a ninja build"; exit 77; }
[ -x "$build/tests/reference/okksim_okk_differential_test" ] || { echo "skipped: no tests"; exit 77; }
rm -rf "$work"
mkdir -p "$work"
failures=0
expected=noticed

# mutate NAME TABLE SED-EXPRESSION FILES TEST ARGUMENTS...
mutate() {
    local name=$1 table=$2 expression=$3 files=$4 test=$5
    shift 5
    rm -rf "$work/table"
    mkdir -p "$work/table/$(dirname "$table")"
    sed -z "$expression" "$source_dir/$table" >"$work/table/$table"
    if cmp -s "$work/table/$table" "$source_dir/$table"; then
        echo "FAILED: $name: the expression changes nothing in $table"
        failures=$((failures + 1))
        return
    fi
    local file objects="" link
    for file in $files; do
        # shellcheck disable=SC2046
        "$compiler" -std=c++20 -O1 -fPIC -ffp-contract=off -c -I "$work/table" -I "$source_dir" \
            "-DHWY_DISABLED_TARGETS=(HWY_SSSE3|HWY_SSE4|HWY_AVX3_DL)" \
            $(pkg-config --cflags libhwy) "$source_dir/$file" -o "$work/$(basename "$file").o" ||
            { echo "FAILED: $name does not compile"; failures=$((failures + 1)); return; }
        objects="$objects $work/$(basename "$file").o"
    done
    link=$(cd "$build" && ninja -t commands "$test" | tail -1)
    link=$(echo "$link" | sed -E "s# -o [^ ]+# -Wl,--allow-multiple-definition -o $work/mutant$objects#")
    (cd "$build" && eval "$link") || { echo "FAILED: $name does not link"; failures=$((failures + 1)); return; }
    local outcome=noticed
    OKKSIM_SOURCE_DIR=$source_dir "$work/mutant" "$@" >"$work/output" 2>&1
    # 77: a part was skipped and no test failed.
    case $? in 0|77) outcome=passed ;; esac
    echo "$name: $outcome by $test"
    [ $outcome = $expected ] || { echo "FAILED: it should be $expected"; failures=$((failures + 1)); }
}

rows=isa/instructions.def forms=isa/forms.def classes=isa/timing_classes.def
differential="okksim_okk_differential_test *16*"
vector=models/bdc/vector/vector_rows.cpp fixed=models/bdc/fixed/fixed_rows.cpp
semantics=models/bdc/bdc_semantics.cpp mover=models/gdma/gdma_semantics.cpp
# Semantics of another row.
set -f
# shellcheck disable=SC2086
{
    # A change of white space in the table must not change any result.
    expected=passed
    mutate "nothing" $rows 's/vector(Maximum)/vector( Maximum )/g' $vector $differential
    expected=noticed
    mutate "max computes min" $rows 's/vector(Maximum)/vector(Minimum)/g' $vector $differential
    mutate "C_sub computes sub_C" $rows 's/vector(Swapped<Subtract>)/vector(Subtract)/' $vector $differential
    mutate "exp_tail computes exp" $rows 's/vector(SeriesTail)/vector(Series)/' $vector $differential
    mutate "packed sub computes add" $rows 's/fixed(Subtract, /fixed(Add, /' $fixed $differential
    mutate "logical shifts are arithmetic" $rows 's/fixed(LogicalShift/fixed(ArithmeticShift/' $fixed $differential
    mutate "mean is maximum" $rows 's/array(average_pool), kBase,\n\s*"mean/array(max_pool), kBase, "mean/' $semantics $differential
    mutate "matrices are copied" $rows 's/mover(matrix)/mover(copy)/' $mover $differential
    # Roles of another operand.
    mutate "sources exchange their strides" $forms 's/words(shape, src0_stride)/words(shape, @)/; s/words(shape, src1_stride)/words(shape, src0_stride)/; s/@/src1_stride/' \
        $semantics $differential
    mutate "a bias has the layout of its source" $forms 's/OPERAND(Local, bias_addr, reads(4), per_channel(shape.c))/OPERAND(Local, bias_addr, reads(4), words(shape, src_stride))/' \
        $semantics $differential
    mutate "a constant takes the type of the tensor" $forms 's/constant(C, second_of(op_type))/constant(C, first_of(op_type))/g' \
        $semantics $differential
    mutate "an accumulator is not read" $forms 's/updates(4), words(shape, dst_stride)/writes(4), words(shape, dst_stride)/' \
        isa/tensors.cpp isa_test
    mutate "a matrix lies like a tensor" $forms 's/moved_matrix(rows, cols, cols_per_channel)/matrix(rows, cols, cols_per_channel)/' \
        isa/tensors.cpp $differential
    # Cost models and parameters of another class.
    mutate "a multiplication costs a copy" $classes 's/cycles(p.tensor_cycles)/cycles(p.copy_cycles)/' \
        models/bdc/bdc_timing.cpp timing_laws_test
    mutate "a depthwise convolution costs a matrix product" $classes 's/depthwise, cycles(p.depthwise_group_cycles), 2/depthwise, cycles(p.matmul_row_cycles), 2/' \
        models/bdc/bdc_timing.cpp timing_laws_test
    mutate "a multiply-add counts once" $classes 's/cycles(p.mac_cycles), 2/cycles(p.mac_cycles), 1/g' \
        models/bdc/bdc_work.cpp okksim_trace_test
}
# Columns of another operator.
operators=kernels/tosa/operators.def
types="kernels/tosa/operator_row.cpp"
# shellcheck disable=SC2086
{
    mutate "CLZ runs the kernel of ABS" $operators 's/kernel(clz_kernel)/kernel(abs_kernel)/' \
        kernels/kernel_table.cpp okksim_duel_operators 3 1 CLZ
    mutate "ceil computes floor" $operators 's/body(1, ceil_body)/body(1, floor_body)/' \
        kernels/pointwise/float_body.cpp okksim_duel_operators 3 1 CEIL
    mutate "a matrix product counts its results" $operators 's/kMatmul, kRowMajor/kResults, kRowMajor/' \
        $types operator_work_test
    mutate "a depthwise convolution counts all channels" $operators 's/kDepthwise, kFeatureMap/kConvolution, kFeatureMap/' \
        $types operator_work_test
    mutate "pooled maps are stored row major" $operators 's/kPool, kFeatureMap/kPool, kRowMajor/g' \
        $types storage_order_test
    mutate "sums of convolutions share no kernel" $operators 's/kConvolution, kFeatureMap, sums/kConvolution, kFeatureMap, alone/g' \
        $types operator_groups_test
    mutate "a resize keeps the rules of another chapter" $operators 's/kNoLayer, check_resize/kNoLayer, check_tensor_operator/' \
        sim/graph/validate/validate.cpp okksim_graph_test
}
[ $failures = 0 ] || { echo "$failures failures"; exit 1; }
