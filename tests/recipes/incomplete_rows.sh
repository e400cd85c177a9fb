#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# incomplete_rows.sh SOURCE WORK COMPILER: compiles files that use the tables with one defective
# row. The compiler must refuse the row, and its message must name the row and the missing column.
# The defective table is in a folder that precedes the tree in the include path.
set -u
source_dir=$1 work=$2/spoilt generated=$2/generated compiler=$3
pkg-config --exists libhwy || { echo "skipped: no libhwy"; exit 77; }
flatc --cpp --scoped-enums -o "$generated" "$source_dir/sim/graph/tosa_v1/tosa_v1.fbs" || exit 1
failures=0

# spoil NAME TABLE SED-EXPRESSION FILE EXPECTED...: checks that the messages contain every EXPECTED.
spoil() {
    local name=$1 table=$2 expression=$3 file=$4
    shift 4
    rm -rf "$work"
    mkdir -p "$work/$(dirname "$table")"
    sed -z "$expression" "$source_dir/$table" >"$work/$table"
    if cmp -s "$work/$table" "$source_dir/$table"; then
        echo "FAILED: $name: the expression changes nothing in $table"
        failures=$((failures + 1))
        return
    fi
    local messages expected
    # shellcheck disable=SC2046
    if messages=$("$compiler" -std=c++20 -fsyntax-only -I "$work" -I "$source_dir" -I "$source_dir/firmware" \
        -I "$generated" $(pkg-config --cflags libhwy) "$source_dir/$file" 2>&1); then
        echo "FAILED: $name: $file compiles"
        failures=$((failures + 1))
        return
    fi
    for expected in "$@"; do
        case $messages in
            *"$expected"*) ;;
            *)
                echo "FAILED: $name: no message contains: $expected"
                echo "$messages" | grep error | head -5
                failures=$((failures + 1))
                return
                ;;
        esac
    done
    echo "$name: refused"
}

rows=isa/instructions.def
spoil "an instruction without semantics" $rows 's/vector(Add), kBase, "dst = src0 + src1"/kBase, "dst = src0 + src1"/' \
    isa/table_checks.cpp 'instructions.def: no semantics (column 7) in the row' 'bdc_add, VectorBinary'
spoil "an instruction without timing class" $rows 's/bdc_add, VectorBinary, kFp32, kArithmetic,/bdc_add, VectorBinary, kFp32,/' \
    isa/table_checks.cpp 'no timing class (column 5) in the row' 'bdc_add, VectorBinary'
spoil "an instruction without feature" $rows 's/vector(Add), kBase,/vector(Add), ,/' \
    isa/table_checks.cpp 'no feature (column 8) in the row' 'bdc_add, VectorBinary'
spoil "an instruction without form" $rows 's/bdc_add, VectorBinary,/bdc_add,/' \
    isa/table_checks.cpp 'no form (column 3) in the row' 'bdc_add'
spoil "semantics of the other engine" $rows 's/vector(Add), kBase, "dst = src0 + src1"/mover(copy), kBase, "m"/' \
    isa/table_checks.cpp 'the semantics mover(copy) of bdc_add are not of the engine of its timing class'
spoil "an operation that does not exist" $rows 's/vector(Add), kBase, "dst = src0 + src1"/vector(Sum), kBase, "m"/' \
    models/bdc/vector/vector_rows.cpp 'Sum'
spoil "an operation with another number of sources" $rows 's/vector(Add), kBase, "dst = src0 + src1"/vector(Negate), kBase, "m"/' \
    models/bdc/vector/vector_rows.cpp 'takes another number of sources' 'VectorBinary' 'Negate'
spoil "a fixed-point operation that does not exist" $rows 's/fixed(Add, kSums)/fixed(Sum, kSums)/' \
    models/bdc/fixed/fixed_rows.cpp 'Sum'
spoil "op_types that do not exist" $rows 's/fixed(Add, kSums)/fixed(Add, kTotals)/' \
    isa/type_names.cpp 'kTotals'
spoil "a layer that does not exist" $rows 's/array(convolution)/array(correlation)/' \
    models/bdc/bdc_semantics.cpp 'execute_correlation'
spoil "a layer of another form" $rows 's/array(convolution)/array(depthwise)/' \
    models/bdc/bdc_semantics.cpp 'execute_depthwise' 'Convolution'
spoil "a transfer that does not exist" $rows 's/mover(fill)/mover(pour)/' \
    models/gdma/gdma_semantics.cpp 'pour'
spoil "a sequence that does not exist" $rows 's/sequence(sigmoid)/sequence(logistic)/' \
    firmware/calls/okk_sequences.cpp 'issue_logistic'
spoil "a sequence without text" $rows 's/sequence(sigmoid)/sequence(logistic)/' \
    isa/isa_document.cpp 'logistic'
spoil "a law that does not take the operands" $rows 's/bdc_add, VectorBinary, kFp32, kArithmetic/bdc_add, VectorBinary, kFp32, kSeries/' \
    models/bdc/bdc_timing.cpp 'num_series' 'VectorBinary'
classes=isa/timing_classes.def
spoil "a timing class without law" $classes 's/kCopy, kBdc, elementwise,/kCopy, kBdc,/' \
    isa/table_checks.cpp 'timing_classes.def: no law (column 3) in the row kCopy'
spoil "a timing class without operations" $classes 's/cycles(p.copy_cycles), 1,/cycles(p.copy_cycles),/' \
    isa/table_checks.cpp 'timing_classes.def: no operations (column 5) in the row kCopy'
spoil "a law that does not exist" $classes 's/kCopy, kBdc, elementwise,/kCopy, kBdc, free,/' \
    models/bdc/bdc_timing.cpp 'free'
spoil "a law of the data mover that does not exist" $classes 's/kGdmaFill, kGdma, transfer,/kGdmaFill, kGdma, pour,/' \
    models/gdma/gdma_timing.cpp 'pour'
spoil "a law with too few parameters" $classes 's/cycles(p.copy_cycles)/cycles()/' \
    models/bdc/bdc_timing.cpp 'the row kCopy gives the formula elementwise another number of parameters'
forms=isa/forms.def
spoil "an operand without role" $forms 's/dst_addr, writes(0), elements(shape, dst_stride)/dst_addr, writes(0)/' \
    isa/table_checks.cpp 'forms.def: no role (column 4) in the row Local, dst_addr'
spoil "a tensor without a stride that its form has" $forms 's/words(shape, src0_stride)/words(shape, src1_stride)/' \
    isa/operands.cpp 'in the form VectorBinary' 'every stride is named by a role'
spoil "a parameter that okk.h has not" $forms 's/OPERAND(Float, C, plain(), constant(C))/OPERAND(Int, C, plain(), constant(C))/' \
    firmware/calls/okk_commands.cpp 'conflicting declaration' 'okk_bdc_add_C'
spoil "a function without declaration" firmware/okk.h 's/void okk_bdc_add(/void okk_bdc_plus(/' \
    firmware/calls/call_by_name.cpp 'okk_bdc_add'
description=models/chip/machine_description.cpp
bdc=models/bdc/bdc_params.def
spoil "a parameter without unit" $bdc 's/copy_cycles, 0, "cycles", 0,/copy_cycles, 0, 0,/' \
    $description 'bdc_params.def: no unit of kUnits (column 4) in the row std::int64_t, copy_cycles'
spoil "a parameter with an empty unit" $bdc 's/copy_cycles, 0, "cycles"/copy_cycles, 0, ""/' \
    $description 'bdc_params.def: no unit of kUnits (column 4) in the row std::int64_t, copy_cycles'
spoil "a parameter without lowest value" $bdc 's/copy_cycles, 0, "cycles", 0, 1e6, required/copy_cycles, 0, "cycles", , 1e6, required/' \
    $description 'bdc_params.def: no low end of the range (column 5) in the row std::int64_t, copy_cycles'
spoil "a parameter without range" $bdc 's/copy_cycles, 0, "cycles", 0, 1e6,/copy_cycles, 0, "cycles",/' \
    $description 'bdc_params.def: no low end of the range (column 5) in the row std::int64_t, copy_cycles'
spoil "a parameter without highest value" $bdc 's/copy_cycles, 0, "cycles", 0, 1e6,/copy_cycles, 0, "cycles", 0,/' \
    $description 'bdc_params.def: no high end of the range (column 6) in the row std::int64_t, copy_cycles'
spoil "a parameter without default" $bdc 's/copy_cycles, 0, "cycles", 0, 1e6, required,/copy_cycles, 0, "cycles", 0, 1e6,/' \
    $description 'bdc_params.def: no default (column 7) in the row std::int64_t, copy_cycles'
spoil "a parameter without group" models/gdma/gdma_params.def 's/setup_cycles, 0, "cycles", 0, 1e6, required, every,/setup_cycles, 0, "cycles", 0, 1e6, required,/' \
    $description 'gdma_params.def: no group (column 8) in the row std::int64_t, setup_cycles'
spoil "a parameter without meaning" models/chip/energy_params.def 's/,\n    "any other fp32 operation")/)/' \
    $description 'energy_params.def: no meaning (column 9) in the row double, fp32_picojoules'
spoil "a parameter of a group that does not exist" models/gdma/gdma_params.def 's/feature("dma_layout"/feature("dma_layouts"/' \
    $description 'isa/features.def has no group of this name'
spoil "a parameter with a blank meaning" $bdc 's/"per step of a copy or fill"/" "/' \
    $description 'bdc_params.def: no meaning (column 9) in the row std::int64_t, copy_cycles'
spoil "a unit that does not exist" $bdc 's/copy_cycles, 0, "cycles"/copy_cycles, 0, "cycels"/' \
    $description 'bdc_params.def: no unit of kUnits (column 4) in the row std::int64_t, copy_cycles'
spoil "a blank unit" $bdc 's/copy_cycles, 0, "cycles"/copy_cycles, 0, " "/' \
    $description 'bdc_params.def: no unit of kUnits (column 4) in the row std::int64_t, copy_cycles'
spoil "a unit in the place of the meaning" $bdc 's/copy_cycles, 0, "cycles", 0, 1e6, required, every,\n    "per step of a copy or fill"/copy_cycles, 0, "per step", 0, 1e6, required, every, "cycles"/' \
    $description 'bdc_params.def: no unit of kUnits (column 4) in the row std::int64_t, copy_cycles'
spoil "a range from high to low" $bdc 's/copy_cycles, 0, "cycles", 0, 1e6/copy_cycles, 0, "cycles", 10, 1/' \
    $description 'bdc_params.def: low exceeds high (columns 5 and 6) in the row std::int64_t, copy_cycles'
spoil "a fraction in the range of an integer" $bdc 's/copy_cycles, 0, "cycles", 0, 1e6/copy_cycles, 0, "cycles", 0.5, 1e6/' \
    $description 'low or high (columns 5 and 6) is no value of the type in the row std::int64_t, copy_cycles'
spoil "a default beyond the range" $bdc 's/standard(1), feature("int_alu"/standard(2e6), feature("int_alu"/' \
    $description 'the default (column 7) is less than low or exceeds high in the row std::int64_t, compare_cycles'
spoil "a default that is no integer" $bdc 's/standard(1), feature("int_alu"/standard(0.5), feature("int_alu"/' \
    $description 'the default (column 7) is no value of the type in the row std::int64_t, compare_cycles'
spoil "a default past the last word" $bdc 's/words(0, "batch pixels either")/words(3, "batch pixels either")/' \
    $description 'the default (column 7) is less than low or exceeds high in the row std::int64_t, mac_packing'
spoil "a range past the last word" $bdc 's/mac_packing, 0, "-", 0, 2/mac_packing, 0, "-", 0, 3/' \
    $description 'low and high (columns 5 and 6) are not the numbers of the words in the row std::int64_t, mac_packing'
spoil "an initial value that is no integer" $bdc 's/copy_cycles, 0,/copy_cycles, 0.5,/' \
    $description 'narrowing conversion' 'bdc_params.def' 'copy_cycles'
spoil "a section without table" models/chip/machine_sections.def 's/AreaParams, area,/AreaParams, areas,/' \
    $description 'describe_areas'
operators=kernels/tosa/operators.def checks=kernels/tosa/operator_checks.cpp
spoil "an operator without kernel" $operators 's/kernel(argmax_kernel),\n    /\n    /' \
    kernels/tosa/operator_checks.cpp 'operators.def: no kernel (column 3) in the row kArgmax'
spoil "an operator without work" $operators 's/kernel(argmax_kernel),\n    kReduction, /kernel(argmax_kernel),\n    /' \
    kernels/tosa/operator_checks.cpp 'operators.def: no work (column 4) in the row kArgmax'
spoil "an operator without fusion" $operators 's/kReduction, kRowMajor, alone,/kReduction, kRowMajor,/' \
    kernels/tosa/operator_checks.cpp 'operators.def: no fusion (column 6) in the row kArgmax'
spoil "an operator without reads" $operators 's/kRowMajor, alone, kFirstTwo,/kRowMajor, alone,/' \
    kernels/tosa/operator_checks.cpp 'operators.def: no reads (column 7) in the row kArgmax'
spoil "an operator without bound" $operators 's/kFirstTwo, kReductionBound,/kFirstTwo,/' \
    kernels/tosa/operator_checks.cpp 'operators.def: no bound (column 8) in the row kArgmax'
spoil "an operator without layer" $operators 's/kReductionBound, kNoLayer,/kReductionBound,/' \
    kernels/tosa/operator_checks.cpp 'operators.def: no layer (column 9) in the row kArgmax'
spoil "a bound that does not exist" $operators 's/kReductionBound/kReductionsBound/' \
    kernels/tosa/operator_row.cpp 'kReductionsBound'
spoil "a kernel without function" $operators 's/kernel(argmax_kernel)/kernel()/' \
    $checks 'operators.def: no kernel (column 3) in the row kArgmax'
spoil "a body without function" $operators 's/body(1, clamp_body)/body(1)/' \
    $checks 'operators.def: no fusion (column 6) in the row kClamp'
spoil "a body of nine operands" $operators 's/body(1, clamp_body)/body(9, clamp_body)/' \
    $checks 'operators.def: no fusion (column 6) in the row kClamp'
spoil "an operator of the runner with work" $operators 's/kernel(abs_kernel)/runner/' \
    $checks 'operators.def: column 4 (work) does not fit column 3 (kernel) in the row kAbs'
spoil "an operator of the runner that moves data" $operators 's/kernel(pad_kernel)/runner/' \
    $checks 'operators.def: column 10 (rules) does not fit column 3 (kernel) in the row kPad'
spoil "sums of an operator without sums" $operators 's/kReduction, kRowMajor, alone/kReduction, kRowMajor, sums/' \
    $checks 'operators.def: column 4 (work) does not fit column 6 (fusion) in the row kArgmax'
spoil "a body of an operator that reads parts" $operators 's/body(1, clamp_body), kElements/body(1, clamp_body), kParts/' \
    $checks 'operators.def: column 7 (reads) does not fit column 6 (fusion) in the row kClamp'
spoil "a body with another storage order" $operators 's/kFollowsInput, body(1, clamp_body)/kRowMajor, body(1, clamp_body)/' \
    $checks 'operators.def: column 5 (storage order) does not fit column 6 (fusion) in the row kClamp'
spoil "a convolution without layer" $operators 's/kConvolutionLayer/kNoLayer/' \
    $checks 'operators.def: column 9 (layer) does not fit column 8 (bound) in the row kConv2d'
spoil "a bound of other work" $operators 's/kReductionBound/kMeanBound/' \
    $checks 'operators.def: column 4 (work) does not fit column 8 (bound) in the row kArgmax'
spoil "a window bound without windows" $operators 's/kWindows, kMeanBound/kParts, kMeanBound/' \
    $checks 'operators.def: column 7 (reads) does not fit column 8 (bound) in the row kAvgPool2d'
spoil "an element-wise operator without bound" $operators 's/kernel(abs_kernel),\n    kResults, kFollowsInput, body(1, abs_body), kElements, kElementBound/kernel(abs_kernel),\n    kResults, kFollowsInput, body(1, abs_body), kElements, kNoBound/' \
    $checks 'operators.def: column 10 (rules) does not fit column 8 (bound) in the row kAbs'
spoil "a layer of other rules" $operators 's/kNoBound, kNoLayer, check_resize/kNoBound, kCropLayer, check_resize/' \
    $checks 'operators.def: column 10 (rules) does not fit column 9 (layer) in the row kResize'
codes=kernels/tosa/op_codes.def
spoil "an operator without name" $codes 's/75, "CONST_SHAPE"/75, ""/' \
    $checks 'op_codes.def: no name (column 3) in the row kConstShape'
spoil "an operator without number" $codes 's/kConstShape, 75,/kConstShape,/' \
    $checks 'op_codes.def: no number (column 2) in the row kConstShape'
spoil "an operator without section" $codes 's/"CONST_SHAPE", "2.18.1"/"CONST_SHAPE"/' \
    $checks 'op_codes.def: no section (column 4) in the row kConstShape'
spoil "an operator with an empty section" $codes 's/"2.18.1"/""/' \
    $checks 'op_codes.def: no section (column 4) in the row kConstShape'
spoil "a name of two operators" $codes 's/"CONST_SHAPE"/"CONST"/' \
    $checks 'op_codes.def: two rows have the name (column 3) of the row kConstShape'
spoil "a section of two operators" $codes 's/"2.18.1"/"2.14.1"/' \
    $checks 'op_codes.def: two rows have the section (column 4) of the row kConstShape'
spoil "an operator without properties" kernels/tosa/op_codes.def \
    's/(kConstShape, 75, "CONST_SHAPE", "2.18.1")/&\nOKKSIM_OP_CODE(kLast, 76, "LAST", "2.18.2")/' \
    kernels/tosa/operator_row.cpp 'every operator of op_codes.def needs a row'
spoil "a kind of work that does not exist" $operators 's/kReduction/kReductions/' \
    kernels/tosa/operator_row.cpp 'kReductions'
spoil "a storage order that does not exist" $operators 's/kFeatureMap/kFeatureMaps/' \
    kernels/tosa/operator_checks.cpp 'operators.def: no storage order (column 5) in the row kAvgPool2d'
spoil "attributes without a reader" kernels/tosa/attributes.h \
    's/using Attributes =/struct LastAttributes {};\n&/;s/VariableAttributes>;/VariableAttributes, LastAttributes>;/' \
    sim/graph/tosa_v1/tosa_v1_attributes.cpp 'AttributeReader' 'LastAttributes'
spoil "rules that do not exist" $operators 's/check_resize/check_size/' \
    sim/graph/validate/validate.cpp 'check_size'
spoil "an operator without types" sim/graph/validate/signatures.def \
    's/OKKSIM_TOSA_TYPES(kConstShape, [^\n]*\n//' \
    sim/graph/validate/type_rows.cpp 'every operator of kernels/tosa/operators.def needs'
rm -rf "$work" "$generated"
[ $failures = 0 ] || { echo "$failures failures"; exit 1; }
