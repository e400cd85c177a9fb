// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/onnx/onnx_checks.h"

#include <set>

namespace okksim::sim::graph::onnx {

namespace {

void require_type(const Call& call, std::size_t n, bool is_legal, const char* what) {
    call.require(is_legal, "input " + std::to_string(n),
                 std::string(element_name(call.input(n).type)),
                 std::string("the operand has ") + what);
}

}  // namespace

void require_reals(const Call& call, std::size_t n) {
    require_type(call, n, is_real(call.input(n).type), "real numbers");
}

void require_numbers(const Call& call, std::size_t n) {
    const ElementType type = call.input(n).type;
    require_type(call, n, is_real(type) || is_whole(type), "numbers");
}

void require_integers(const Call& call, std::size_t n) {
    require_type(call, n, is_whole(call.input(n).type), "integers");
}

void require_bool(const Call& call, std::size_t n) {
    require_type(call, n, call.input(n).type == ElementType::kBool, "elements of type bool");
}

void require_indices(const Call& call, std::size_t n) {
    const ElementType type = call.input(n).type;
    require_type(call, n, type == ElementType::kInt64 || type == ElementType::kInt32,
                 "elements of type int32 or int64");
}

void require_rank(const Call& call, std::size_t n, std::size_t least) {
    const Value& value = call.input(n);
    call.require(value.rank() >= least, "input " + std::to_string(n), shape_text(value.shape),
                 "the operand has at least " + std::to_string(least) + " dimensions");
}

void require_broadcasts(const Call& call, const Value& value) {
    const Shape& to = call.input(0).shape;
    bool fits = value.rank() <= to.size();
    for (std::size_t i = 0; fits && i < value.rank(); ++i) {
        const std::int64_t size = value.shape[i];
        fits = size == 1 || size == to[to.size() - value.rank() + i];
    }
    call.require(fits, std::string(value.name), shape_text(value.shape),
                 "the operand broadcasts to " + shape_text(to));
}

void check_unary(const Call& call) {
    static const std::set<std::string_view> of_numbers{"Abs", "Neg", "Relu", "Sign"};
    call.require_inputs(1, 1);
    const std::string_view type = call.op_type();
    if (type == "Not") return require_bool(call);
    if (type == "BitwiseNot") return require_integers(call);
    if (of_numbers.contains(type)) return require_numbers(call);
    require_reals(call);
}

void check_binary(const Call& call) {
    call.require_inputs(2, 2);
    const std::string_view type = call.op_type();
    const ElementType x = call.input(0).type;
    if (type == "Pow") {
        require_numbers(call, 1);
    } else {
        call.require_same_type({&call.input(0), &call.input(1)});
    }
    if (type == "Equal") return;
    if (type == "And" || type == "Or" || type == "Xor") return require_bool(call);
    if (type.starts_with("Bitwise")) return require_integers(call);
    require_numbers(call);
    if (type == "BitShift") {
        require_type(call, 0, is_unsigned(x), "unsigned integers");
    }
    if (type == "Mod" && call.integer("fmod", 0) == 0) {
        call.require(!is_real(x), "fmod", "0", "the remainder of real numbers has fmod = 1");
    }
}

void check_variadic(const Call& call) {
    const bool has_integers = call.op_type() == "Max" || call.op_type() == "Min";
    call.require(call.input_count() > 0, "inputs", "0", "the operator has an input");
    for (std::size_t n = 0; n < call.input_count(); ++n) {
        if (has_integers) {
            require_numbers(call, n);
        } else {
            require_reals(call, n);
        }
    }
    call.require_same_type(call.inputs());
}

void check_where(const Call& call) {
    call.require_inputs(3, 3);
    require_bool(call, 0);
    call.require_same_type({&call.input(1), &call.input(2)});
}

Value& viewed(const Call& call, Value& value, const Shape& shape) {
    if (value.shape == shape) return value;
    Value& copy = call.context().temporary();
    copy.name = value.name;
    copy.type = value.type;
    copy.shape = shape;
    if (value.known) {
        copy.known = reshaped(*value.known, shape);
    } else {
        copy.declared = call.ops().reshape(call.tensors().declared(value), shape, "ranked");
    }
    return copy;
}

Value& second_operand(const Call& call) {
    Value& y = call.input(1);
    if (call.opset() >= 7 || !call.has_attribute("axis")) return y;
    const Value& x = call.input(0);
    const std::size_t axis = call.axis(call.integer("axis", 0), x.rank());
    if (axis + y.rank() > x.rank()) {
        call.illegal("axis", std::to_string(axis), "the second operand fits into the first one");
    }
    Shape shape = y.shape;
    shape.insert(shape.end(), x.rank() - axis - y.rank(), 1);
    return viewed(call, y, shape);
}

std::int64_t elements_of(const Shape& shape) {
    const auto count = element_count(shape);
    if (!count) throw UnsupportedPart("a result with too many elements " + shape_text(shape));
    return static_cast<std::int64_t>(*count);
}

void set_empty(const Call& call, std::size_t n, ElementType type, const Shape& shape) {
    call.set_known(n, make_array(type, shape, std::vector<std::byte>()));
}

}  // namespace okksim::sim::graph::onnx
