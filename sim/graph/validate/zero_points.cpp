// SPDX-License-Identifier: Apache-2.0
#include "isa/base/errors.h"
#include "sim/graph/element.h"
#include "sim/graph/validate/operator_rules.h"
#include "sim/graph/validate/signatures.h"
#include "sim/graph/validate/validate.h"

namespace okksim::sim::graph {

namespace {

/// Checks the zero point of RESCALE for `type` (section 2.13.2).
void check_rescale_zero_point(const OperatorCheck& check, const char* name, DType type,
                              bool is_unsigned, std::int64_t value) {
    if (type == DType::kI8) return;
    const bool is_unsigned_16 = type == DType::kI16 && is_unsigned;
    check.error_if(!is_unsigned_16 && value != 0,
                   std::string(name) + " != 0 for a type that is neither i8_t nor unsigned i16_t",
                   name, value);
    const std::int64_t stored = value & 0xFFFF;
    check.error_if(is_unsigned_16 && stored != 0 && stored != 32768,
                   std::string(name) + " != 0 && " + name + " != 32768 for unsigned i16_t", name,
                   stored);
}

/// Returns the stored value. Floating-point zeros of either sign are 0; other values are only
/// nonzero.
std::int64_t stored_value(std::span<const std::byte> data, DType type) {
    if (!is_floating_point(type)) return integer_element(data, type, 0);
    const double value = decode_float(type, float_bits_element(data, type, 0));
    if (value == 0.0) return 0;
    return value > -1e9 && value < 1e9 && static_cast<std::int64_t>(value) != 0
               ? static_cast<std::int64_t>(value)
               : 1;
}

}  // namespace

bool is_zero_point(OpCode op, std::size_t input_index) {
    const auto rules = input_rules(op);
    return input_index < rules.size() && rules[input_index].name.ends_with("_zp");
}

void check_zero_point(const OperatorCheck& check, std::size_t input_index, std::int64_t value) {
    OKKSIM_CHECK(is_zero_point(check.op().op, input_index));
    const std::string name(input_rule(check.op().op, input_index).name);
    const DType type = check.input(input_index).type;
    if (check.op().op == OpCode::kRescale) {
        const auto& attributes = check.op().attributes_as<RescaleAttributes>();
        const bool is_input = name == "input_zp";
        check_rescale_zero_point(check, name.c_str(), type,
                                 is_input ? attributes.input_unsigned : attributes.output_unsigned,
                                 value);
        return;
    }
    check.error_if(type != DType::kI8 && value != 0,
                   "zero point only for int8_t: " + name + " != 0", name.c_str(), value);
}

void check_constant_zero_points(const OperatorCheck& check) {
    for (std::size_t i = 0; i < check.op().inputs.size(); ++i) {
        if (!is_zero_point(check.op().op, i) || !check.input(i).has_data) continue;
        check_zero_point(check, i, stored_value(check.input(i).data, check.input(i).type));
    }
}

void validate_input_value(const Graph& graph, const Block& block, const Operator& op,
                          std::size_t input_index, const HostTensor& value) {
    if (!is_zero_point(op.op, input_index)) return;
    const std::vector<std::byte> bytes = constant_bytes(value);
    check_zero_point(OperatorCheck(graph, block, op), input_index, stored_value(bytes, value.type));
}

}  // namespace okksim::sim::graph
