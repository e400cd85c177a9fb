// SPDX-License-Identifier: Apache-2.0
// RESCALE, CLAMP, TABLE, RESIZE, data layout operators and control flow.
#include <bit>
#include <cstring>

#include "sim/graph/element.h"
#include "sim/graph/tosa_v090/tosa_v090_lowering.h"

namespace okksim::sim::graph {

namespace {

/// pad_const_fp, min_fp and max_fp are one float32 for every tensor type; absent means zero.
float stored_float(const flatbuffers::Vector<std::uint8_t>* bytes) {
    float value = 0.0F;
    if (bytes != nullptr && bytes->size() >= sizeof value) {
        std::memcpy(&value, bytes->data(), sizeof value);
    }
    return value;
}

ElementBytes element_of(DType type, std::int32_t integer, float real) {
    ElementBytes element;
    element.size = static_cast<std::uint32_t>(storage_bits(type) + 7) / 8;
    const std::uint32_t bits = is_floating_point(type)
                                   ? encode_float(type, static_cast<double>(real))
                                   : static_cast<std::uint32_t>(integer);
    for (std::uint32_t i = 0; i < std::min<std::uint32_t>(element.size, sizeof bits); ++i) {
        element.bytes[i] = static_cast<std::uint8_t>(bits >> (8 * i));
    }
    return element;
}

}  // namespace

void LoweringV090::lower_clamp(const OperatorV090& op) {
    require_operands(op, 1, 1);
    const auto& a = attribute<wire090::ClampAttribute>(op, "ClampAttribute");
    const DType type = input(op, 0).type;
    if (is_integer(type)) {
        const std::int64_t limit = std::int64_t{1} << (storage_bits(type) - 1);
        for (const std::int64_t value : {a.min_int(), a.max_int()}) {
            if (value >= -limit && value < limit) continue;
            illegal(op, "min_int, max_int", std::to_string(value),
                    "the limits are values of " + std::string(dtype_name(type)));
        }
    }
    const ClampAttributes attributes{element_of(type, a.min_int(), stored_float(a.min_fp())),
                                     element_of(type, a.max_int(), stored_float(a.max_fp())),
                                     NanPropagationMode::kPropagate};
    b_.add(OpCode::kClamp, attributes, op.inputs, op.outputs);
}

void LoweringV090::lower_rescale(const OperatorV090& op) {
    const bool has_operands = op.inputs.size() == 3;  // as in the specification's profile MT
    require_operands(op, has_operands ? 3 : 1, 1);
    const auto& a = attribute<wire090::RescaleAttribute>(op, "RescaleAttribute");
    const auto has_values = [](const auto* list) { return list != nullptr && list->size() > 0; };
    refuse_second_value(op, has_operands && has_values(a.multiplier()), "multiplier");
    refuse_second_value(op, has_operands && has_values(a.shift()), "shift");
    const bool input_unsigned = a.input_unsigned() || input(op, 0).is_unsigned;
    const bool output_unsigned = a.output_unsigned() || output(op).is_unsigned;
    const DType multiplier_type = a.scale32() ? DType::kI32 : DType::kI16;
    const auto list = [&](const flatbuffers::Vector<std::int32_t>* values, DType type,
                          const char* name) {
        std::vector<std::int64_t> numbers;
        if (values != nullptr) numbers.assign(values->begin(), values->end());
        const std::int64_t limit = std::int64_t{1} << (storage_bits(type) - 1);
        for (const std::int64_t value : numbers) {
            if (value >= -limit && value < limit) continue;
            illegal(op, name, std::to_string(value),
                    std::string("the values are ") + std::string(dtype_name(type)));
        }
        return b_.constant(type, {static_cast<std::int64_t>(numbers.size())}, numbers, name);
    };
    const std::vector<TensorIndex> inputs{
        op.inputs[0],
        has_operands ? op.inputs[1] : list(a.multiplier(), multiplier_type, "multiplier"),
        has_operands ? op.inputs[2] : list(a.shift(), DType::kI8, "shift"),
        scalar(op, input(op, 0).type, a.input_zp(), "input_zp", input_unsigned),
        scalar(op, output(op).type, a.output_zp(), "output_zp", output_unsigned)};
    const RescaleAttributes attributes{
        a.scale32(), a.double_round() ? RoundingMode::kDoubleRound : RoundingMode::kSingleRound,
        a.per_channel(), input_unsigned, output_unsigned};
    b_.add(OpCode::kRescale, attributes, inputs, op.outputs);
}

void LoweringV090::lower_table(const OperatorV090& op) {
    OperatorV090 lookup = op;
    if (op.inputs.size() == 1) {
        const auto& a = attribute<wire090::TableAttribute>(op, "TableAttribute");
        std::vector<std::int64_t> values;
        if (a.table() != nullptr) values.assign(a.table()->begin(), a.table()->end());
        const bool is_small = input(op, 0).type == DType::kI8;
        for (const std::int64_t value : values) {
            if (!is_small || (value >= -128 && value <= 127)) continue;
            illegal(op, "table", std::to_string(value), "a table for int8_t holds int8_t");
        }
        lookup.inputs.push_back(b_.constant(is_small ? DType::kI8 : DType::kI16,
                                            {static_cast<std::int64_t>(values.size())}, values,
                                            "table"));
    } else if (const auto* a = op.wire->attribute_as_TableAttribute()) {
        refuse_second_value(op, a->table() != nullptr && a->table()->size() > 0, "table");
    }
    lower_plain<OpCode::kTable>(lookup);
}

void LoweringV090::lower_resize(const OperatorV090& op) {
    const auto& a = attribute<wire090::ResizeAttribute>(op, "ResizeAttribute");
    OperatorV090 resize = op;
    if (op.inputs.size() == 1) {
        resize.inputs.push_back(shape_operand(op, 1, a.scale(), "scale"));
        resize.inputs.push_back(shape_operand(op, 2, a.offset(), "offset"));
        resize.inputs.push_back(shape_operand(op, 3, a.border(), "border"));
    } else {
        const char* const names[] = {"", "scale", "offset", "border"};
        require_operands(op, std::size(names), 1);
        for (std::size_t i = 1; i < std::size(names); ++i) {
            resize.inputs[i] = known_shape(op, i, nullptr, names[i]);
        }
    }
    if (a.mode() > wire090::ResizeMode::MAX) fail(op, "mode", "is unknown");
    const auto mode = static_cast<ResizeMode>(static_cast<std::uint32_t>(a.mode()));
    b_.add(OpCode::kResize, ResizeAttributes{mode}, resize.inputs, resize.outputs);
}

void LoweringV090::lower_custom(const OperatorV090& op) {
    const auto& a = attribute<wire090::CustomAttribute>(op, "CustomAttribute");
    CustomAttributes custom;
    if (a.operator_name() != nullptr) custom.operator_name = a.operator_name()->str();
    if (a.domain_name() != nullptr) custom.domain_name = a.domain_name()->str();
    if (const auto* bytes = a.implementation_attrs()) {
        custom.implementation_attrs.assign(bytes->begin(), bytes->end());
    }
    b_.add(OpCode::kCustom, std::move(custom), op.inputs, op.outputs);
}

// The reader adds the blocks after it has read all of them.
void LoweringV090::lower_cond_if(const OperatorV090& op) {
    attribute<wire090::CondIfAttribute>(op, "CondIfAttribute");
    b_.add(OpCode::kCondIf, CondIfAttributes{}, op.inputs, op.outputs);
}

void LoweringV090::lower_while_loop(const OperatorV090& op) {
    attribute<wire090::WhileLoopAttribute>(op, "WhileLoopAttribute");
    b_.add(OpCode::kWhileLoop, WhileLoopAttributes{}, op.inputs, op.outputs);
}

}  // namespace okksim::sim::graph
