// SPDX-License-Identifier: Apache-2.0
// Operators that are equal in 1.0, and those whose attributes only moved.
#include "sim/graph/tosa_v090/tosa_v090_lowering.h"

#include <iterator>

#include "sim/graph/element.h"
#include "sim/graph/graph_errors.h"

namespace okksim::sim::graph {

std::string_view op_name_v090(const OperatorV090& op) { return wire090::EnumNameOp(op.wire->op()); }

DType type_of_v090(wire090::DType type) {
    constexpr DType kTypes[] = {DType::kUnknown, DType::kBool, DType::kI8,   DType::kI4,
                                DType::kI8,      DType::kI16,  DType::kI32,  DType::kI48,
                                DType::kFp32,    DType::kI16,  DType::kFp16, DType::kBf16,
                                DType::kShape};
    static_assert(std::size(kTypes) == static_cast<std::size_t>(wire090::DType::MAX) + 1);
    return kTypes[std::min(static_cast<std::size_t>(type), std::size(kTypes)) % std::size(kTypes)];
}

const Tensor& LoweringV090::input(const OperatorV090& op, std::size_t n) const {
    return b_.tensor(op.inputs[n]);
}

const Tensor& LoweringV090::output(const OperatorV090& op, std::size_t n) const {
    return b_.tensor(op.outputs[n]);
}

void LoweringV090::fail(const OperatorV090& op, const std::string& field,
                        const std::string& message) const {
    fail_(op, field, message);
    throw GraphFileError("", field, std::nullopt, message);  // fail_ does not return
}

void LoweringV090::illegal(const OperatorV090& op, const std::string& tensor,
                           const std::string& value, const std::string& rule) const {
    throw_broken_rule("operator " + std::to_string(op.index) + " " + std::string(op_name_v090(op)),
                      tensor, value, rule + " (TOSA 0.90)");
}

void LoweringV090::require_operands(const OperatorV090& op, std::size_t inputs,
                                    std::size_t outputs) const {
    const auto check = [&](const char* what, std::size_t has, std::size_t wanted) {
        if (has == wanted) return;
        illegal(op, what, std::to_string(has),
                "the operator has " + std::to_string(wanted) + " " + what);
    };
    check("inputs", op.inputs.size(), inputs);
    check("outputs", op.outputs.size(), outputs);
}

TensorIndex LoweringV090::scalar(const OperatorV090& op, DType type, std::int64_t value,
                                 const char* name, bool is_unsigned) {
    if (is_floating_point(type)) {
        return b_.real_constant(type, {1}, static_cast<double>(value), name);
    }
    if (is_integer(type)) {
        const std::int64_t limit = std::int64_t{1} << (storage_bits(type) - 1);
        const std::int64_t least = is_unsigned ? 0 : -limit;
        const std::int64_t most = is_unsigned ? 2 * limit - 1 : limit - 1;
        if (value < least || value > most) {
            illegal(op, name, std::to_string(value),
                    std::string("the attribute is a value of ") + std::string(dtype_name(type)));
        }
    }
    return b_.constant(type, {1}, {value}, name);
}

TensorIndex LoweringV090::cast(TensorIndex value, DType type, std::string_view role) {
    if (b_.tensor(value).type == type) return value;
    return b_.add(OpCode::kCast, NoAttributes{}, {value}, type, b_.tensor(value).shape, role);
}

void LoweringV090::refuse_unsigned(const OperatorV090& op) const {
    switch (op.wire->op()) {
        case wire090::Op::RESCALE:
        case wire090::Op::CONST:
        case wire090::Op::IDENTITY:
        case wire090::Op::CUSTOM:
        case wire090::Op::COND_IF:
        case wire090::Op::WHILE_LOOP: return;
        default: break;
    }
    for (const auto* list : {&op.inputs, &op.outputs}) {
        for (const TensorIndex index : *list) {
            const Tensor& tensor = b_.tensor(index);
            if (!tensor.is_unsigned) continue;
            illegal(op, "tensor " + tensor.name, tensor.type == DType::kI8 ? "uint8" : "uint16",
                    "unsigned types are RESCALE's: rescale the value first");
        }
    }
}

void LoweringV090::lower_right_shift(const OperatorV090& op) {
    const auto& a =
        attribute<wire090::ArithmeticRightShiftAttribute>(op, "ArithmeticRightShiftAttribute");
    b_.add(OpCode::kArithmeticRightShift, ArithmeticRightShiftAttributes{a.round()}, op.inputs,
           op.outputs);
}

void LoweringV090::lower_mul(const OperatorV090& op) {
    if (op.inputs.size() == 3) {  // as in the specification's profile MT
        const auto* a = op.wire->attribute_as_MulAttribute();
        refuse_second_value(op, a != nullptr && a->shift() != 0, "shift");
        const Tensor& amount = input(op, 2);
        if (amount.type != DType::kI8 || element_count(amount.shape) != 1 || !amount.has_data) {
            illegal(op, "tensor " + amount.name, shape_text(amount.shape),
                    "the third input of MUL is its shift, one constant of int8_t");
        }
        const TensorIndex shift = constant_view(op.inputs[2], {1}, "shift");
        b_.add(OpCode::kMul, NoAttributes{}, {op.inputs[0], op.inputs[1], shift}, op.outputs);
        return;
    }
    require_operands(op, 2, 1);
    const auto& a = attribute<wire090::MulAttribute>(op, "MulAttribute");
    const TensorIndex shift = scalar(op, DType::kI8, a.shift(), "shift");
    b_.add(OpCode::kMul, NoAttributes{}, {op.inputs[0], op.inputs[1], shift}, op.outputs);
}

void LoweringV090::lower_negate(const OperatorV090& op) {
    require_operands(op, 1, 1);
    const auto& a = attribute<wire090::NegateAttribute>(op, "NegateAttribute");
    const TensorIndex input_zp = scalar(op, input(op, 0).type, a.input1_zp(), "input1_zp");
    const TensorIndex output_zp = scalar(op, output(op).type, a.output_zp(), "output_zp");
    b_.add(OpCode::kNegate, NoAttributes{}, {op.inputs[0], input_zp, output_zp}, op.outputs);
}

void LoweringV090::refuse(const OperatorV090& op) {
    fail(op, "op", std::string(op_name_v090(op)) + " is no operator that a graph may have here");
}

/// One row per number of the Op enumeration.
struct LoweringTableV090 {
    using L = LoweringV090;
    using W = wire090::Op;
    struct Row {
        W op;
        void (L::*lower)(const OperatorV090&);
    };
    static constexpr Row kRows[] = {
        {W::UNKNOWN, &L::refuse},
        {W::ARGMAX, &L::lower_axis<OpCode::kArgmax, ArgmaxAttributes>},
        {W::AVG_POOL2D, &L::lower_avg_pool},
        {W::CONV2D, &L::lower_convolution<OpCode::kConv2d, Conv2dAttributes>},
        {W::CONV3D, &L::lower_convolution<OpCode::kConv3d, Conv3dAttributes>},
        {W::DEPTHWISE_CONV2D,
         &L::lower_convolution<OpCode::kDepthwiseConv2d, DepthwiseConv2dAttributes>},
        {W::FULLY_CONNECTED, &L::lower_fully_connected},
        {W::MATMUL, &L::lower_matmul},
        {W::MAX_POOL2D, &L::lower_max_pool},
        {W::TRANSPOSE_CONV2D, &L::lower_transpose_convolution},
        {W::CLAMP, &L::lower_clamp},
        {W::RESERVED, &L::refuse},
        {W::SIGMOID, &L::lower_plain<OpCode::kSigmoid>},
        {W::TANH, &L::lower_plain<OpCode::kTanh>},
        {W::ADD, &L::lower_plain<OpCode::kAdd>},
        {W::ARITHMETIC_RIGHT_SHIFT, &L::lower_right_shift},
        {W::BITWISE_AND, &L::lower_plain<OpCode::kBitwiseAnd>},
        {W::BITWISE_OR, &L::lower_plain<OpCode::kBitwiseOr>},
        {W::BITWISE_XOR, &L::lower_plain<OpCode::kBitwiseXor>},
        {W::INTDIV, &L::lower_plain<OpCode::kIntdiv>},
        {W::LOGICAL_AND, &L::lower_plain<OpCode::kLogicalAnd>},
        {W::LOGICAL_LEFT_SHIFT, &L::lower_logical_shift<OpCode::kLogicalLeftShift>},
        {W::LOGICAL_RIGHT_SHIFT, &L::lower_logical_shift<OpCode::kLogicalRightShift>},
        {W::LOGICAL_OR, &L::lower_plain<OpCode::kLogicalOr>},
        {W::LOGICAL_XOR, &L::lower_plain<OpCode::kLogicalXor>},
        {W::MAXIMUM, &L::lower_extremum<OpCode::kMaximum, MaximumAttributes>},
        {W::MINIMUM, &L::lower_extremum<OpCode::kMinimum, MinimumAttributes>},
        {W::MUL, &L::lower_mul},
        {W::POW, &L::lower_pow},
        {W::SUB, &L::lower_plain<OpCode::kSub>},
        {W::TABLE, &L::lower_table},
        {W::ABS, &L::lower_plain<OpCode::kAbs>},
        {W::BITWISE_NOT, &L::lower_plain<OpCode::kBitwiseNot>},
        {W::CEIL, &L::lower_plain<OpCode::kCeil>},
        {W::CLZ, &L::lower_plain<OpCode::kClz>},
        {W::EXP, &L::lower_exp},
        {W::FLOOR, &L::lower_plain<OpCode::kFloor>},
        {W::LOG, &L::lower_plain<OpCode::kLog>},
        {W::LOGICAL_NOT, &L::lower_plain<OpCode::kLogicalNot>},
        {W::NEGATE, &L::lower_negate},
        {W::RECIPROCAL, &L::lower_plain<OpCode::kReciprocal>},
        {W::RSQRT, &L::lower_plain<OpCode::kRsqrt>},
        {W::SELECT, &L::lower_plain<OpCode::kSelect>},
        {W::EQUAL, &L::lower_plain<OpCode::kEqual>},
        {W::GREATER, &L::lower_plain<OpCode::kGreater>},
        {W::GREATER_EQUAL, &L::lower_plain<OpCode::kGreaterEqual>},
        {W::REDUCE_ANY, &L::lower_axis<OpCode::kReduceAny, ReduceAnyAttributes>},
        {W::REDUCE_ALL, &L::lower_axis<OpCode::kReduceAll, ReduceAllAttributes>},
        {W::REDUCE_MAX, &L::lower_axis<OpCode::kReduceMax, ReduceMaxAttributes>},
        {W::REDUCE_MIN, &L::lower_axis<OpCode::kReduceMin, ReduceMinAttributes>},
        {W::REDUCE_PRODUCT, &L::lower_axis<OpCode::kReduceProduct, ReduceProductAttributes>},
        {W::REDUCE_SUM, &L::lower_axis<OpCode::kReduceSum, ReduceSumAttributes>},
        {W::CONCAT, &L::lower_concat},
        {W::PAD, &L::lower_pad},
        {W::RESHAPE, &L::lower_reshape},
        {W::REVERSE, &L::lower_axis<OpCode::kReverse, ReverseAttributes>},
        {W::SLICE, &L::lower_slice},
        {W::TILE, &L::lower_tile},
        {W::TRANSPOSE, &L::lower_transpose},
        {W::GATHER, &L::lower_plain<OpCode::kGather>},
        {W::SCATTER, &L::lower_plain<OpCode::kScatter>},
        {W::RESIZE, &L::lower_resize},
        {W::CAST, &L::lower_plain<OpCode::kCast>},
        {W::RESCALE, &L::lower_rescale},
        {W::CONST, &L::lower_plain<OpCode::kConst>},
        {W::IDENTITY, &L::lower_plain<OpCode::kIdentity>},
        {W::CUSTOM, &L::lower_custom},
        {W::COND_IF, &L::lower_cond_if},
        {W::WHILE_LOOP, &L::lower_while_loop},
        {W::FFT2D, &L::lower_fft},
        {W::RFFT2D, &L::lower_rfft},
        {W::ERF, &L::lower_plain<OpCode::kErf>},
        // Folded by fold_shape().
        {W::DIM, &L::refuse},
        {W::CONST_SHAPE, &L::refuse},
        {W::CONCAT_SHAPE, &L::refuse},
        {W::ADD_SHAPE, &L::refuse},
        {W::SUB_SHAPE, &L::refuse},
        {W::MUL_SHAPE, &L::refuse},
        {W::DIV_SHAPE, &L::refuse},
    };
    static constexpr bool is_complete() {
        for (std::size_t i = 0; i < std::size(kRows); ++i) {
            if (static_cast<std::size_t>(kRows[i].op) != i) return false;
        }
        return std::size(kRows) == static_cast<std::size_t>(W::MAX) + 1;
    }
};
static_assert(LoweringTableV090::is_complete(), "a row per operator, in the order of the numbers");

void LoweringV090::lower(const OperatorV090& op) {
    const auto number = static_cast<std::size_t>(op.wire->op());  // checked by the reader
    b_.begin_operator(
        {op.index, op.outputs.empty() ? op_name_v090(op) : std::string_view(output(op).name)});
    refuse_unsigned(op);
    refuse_later_forms(op);
    (this->*LoweringTableV090::kRows[number].lower)(op);
}

}  // namespace okksim::sim::graph
