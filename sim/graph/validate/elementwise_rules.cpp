// SPDX-License-Identifier: Apache-2.0
// Sections 2.4 to 2.8.
#include "isa/base/errors.h"
#include "sim/graph/element.h"
#include "sim/graph/validate/operator_rules.h"

namespace okksim::sim::graph {

namespace {

/// Computes broadcast_shape (section 4.4.6) of a shape and another operand.
Shape broadcast(const OperatorCheck& check, const Shape& shape1, const Tensor& operand) {
    const Shape& shape2 = operand.shape;
    check.error_if(shape1.size() != shape2.size(), "rank(shape1) != rank(shape2)", operand);
    Shape shape = shape1;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        check.error_if(shape1[i] != 1 && shape2[i] != 1 && shape1[i] != shape2[i],
                       "shape2[i] != 1 && shape2[i] != shape[i] at dimension " + std::to_string(i) +
                           " of " + shape_text(shape1),
                       operand);
        if (shape[i] == 1) shape[i] = shape2[i];
    }
    return shape;
}

/// Checks that the first `count` inputs broadcast to the output.
void check_broadcast(const OperatorCheck& check, std::size_t count) {
    Shape shape = check.input(0).shape;
    for (std::size_t i = 1; i < count; ++i) shape = broadcast(check, shape, check.input(i));
    check.error_if(shape != check.output().shape,
                   "shape != broadcast_shape(shape1, shape2), which is " + shape_text(shape),
                   check.output());
}

void check_clamp(const OperatorCheck& check) {
    const auto& a = check.op().attributes_as<ClampAttributes>();
    const DType type = check.input(0).type;
    const std::uint64_t size = storage_bytes(type, 1);
    for (const auto& [name, element] :
         {std::pair("min_val", &a.min_val), std::pair("max_val", &a.max_val)}) {
        if (element->size < size) {
            check.fail(name, std::to_string(element->size) + " bytes",
                       "ERROR_IF the attribute is not an element of the input's data type " +
                           std::string(dtype_name(type)));
        }
    }
    const auto value = [type](const ElementBytes& element) {
        const auto bytes = std::as_bytes(std::span(element.bytes));
        return is_floating_point(type) ? decode_float(type, float_bits_element(bytes, type, 0))
                                       : static_cast<double>(integer_element(bytes, type, 0));
    };
    const double least = value(a.min_val);
    const double most = value(a.max_val);
    if (least != least || most != most) {
        check.fail(least != least ? "min_val" : "max_val", "NaN",
                   "ERROR_IF(isNaN(min_val) || isNaN(max_val))");
    }
    if (most < least) {
        check.fail("max_val", std::to_string(most),
                   "ERROR_IF(max_val < min_val), with min_val = " + std::to_string(least));
    }
    check.require_same_shape(check.input(0), check.output());
}

void check_table(const OperatorCheck& check) {
    const std::int64_t size = check.input(0).type == DType::kI8 ? 256 : 513;
    check.require_dimension(check.input(1), 0, size, "TABLE_SIZE");
    check.require_same_shape(check.input(0), check.output());
}

}  // namespace

void check_elementwise(const OperatorCheck& check) {
    const OpCode op = check.op().op;
    if (op == OpCode::kClamp) {
        check_clamp(check);
    } else if (op == OpCode::kTable) {
        check_table(check);
    } else if (op == OpCode::kMul) {
        check.require_dimension(check.input(2), 0, 1, "1");
        check_broadcast(check, 2);
    } else if (op == OpCode::kNegate) {
        check.require_same_shape(check.input(0), check.output());
        check_constant_zero_points(check);
    } else if (check.op().inputs.size() == 1) {
        check.require_same_shape(check.input(0), check.output());
    } else {
        check_broadcast(check, check.op().inputs.size());
    }
}

}  // namespace okksim::sim::graph
