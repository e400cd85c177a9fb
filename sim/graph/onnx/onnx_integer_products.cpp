// SPDX-License-Identifier: Apache-2.0
// Products of quantised matrices.
#include <algorithm>

#include "sim/graph/compose/products.h"
#include "sim/graph/onnx/onnx_integer_sums.h"
#include "sim/graph/onnx/onnx_matrix_shapes.h"
#include "sim/graph/onnx/onnx_operators.h"
#include "sim/graph/onnx/onnx_quantised.h"
#include "sim/graph/onnx/onnx_window_attributes.h"

namespace okksim::sim::graph::onnx {

void require_bytes(const Call& call, const Value& value) {
    call.require(value.type == ElementType::kInt8 || value.type == ElementType::kUint8,
                 std::string(value.name), std::string(element_name(value.type)),
                 "the operand is int8 or uint8");
}

IntegerFactor integer_factor(const Call& call, std::size_t at, std::size_t zero_at, bool is_first) {
    const Value& x = call.input(at);
    require_bytes(call, x);
    IntegerFactor result;
    result.held = call.tensor(at);
    Value* zero = call.optional_input(zero_at);
    if (zero == nullptr) {
        result.zero_point = -device_offset(x.type);
        return result;
    }
    const std::string name = "input " + std::to_string(zero_at);
    call.require(zero->type == x.type, name, std::string(element_name(zero->type)),
                 "the zero point has the type " + std::string(element_name(x.type)));
    const auto count = static_cast<std::int64_t>(element_count(zero->shape).value_or(0));
    const std::size_t rank = x.rank();
    const std::int64_t lines = rank < 2 ? 1 : x.shape[is_first ? rank - 2 : rank - 1];
    call.require(count == 1 || count == lines || zero->rank() == rank, name,
                 shape_text(zero->shape),
                 "the zero point has one element, or one per " +
                     std::string(is_first ? "row" : "column") + ", here " + std::to_string(lines));
    const Quantisation quantisation{zero, zero, x.type};
    if (const auto known = quantisation.known_zero_point()) {
        result.zero_point = *known;
        return result;
    }
    OperatorBuilder& ops = call.ops();
    TensorIndex zeros = ops.cast(call.tensor(zero_at), DType::kI32, "zero_points");
    if (count == 1) {
        zeros = ops.reshape(zeros, {}, "zero_point");
    } else if (is_first && zero->rank() == 1) {
        zeros = ops.reshape(zeros, {count, 1}, "row_zero_points");
    }
    result.zero_points = zeros;
    return result;
}

namespace {

/// Returns a factor of ones that sums the rows or columns of another one over `count` elements.
TensorIndex ones(OperatorBuilder& ops, std::size_t rank, std::int64_t count, bool is_row) {
    const Shape shape = rank == 1 ? Shape{count} : is_row ? Shape{1, count} : Shape{count, 1};
    return ops.block().constant(
        DType::kI8, shape, std::vector<std::int64_t>(static_cast<std::size_t>(count), 1), "ones");
}

TensorIndex minus_product(OperatorBuilder& ops, TensorIndex sums, TensorIndex x, TensorIndex y) {
    return ops.binary(OpCode::kSub, sums, ops.product(x, y, "correction"), "corrected");
}

}  // namespace

// (A - za)(B - zb) = A B - za sum(B) - zb sum(A) + K za zb. Known zero points are MATMUL's own.
TensorIndex integer_matmul(OperatorBuilder& ops, const IntegerFactor& a, const IntegerFactor& b,
                           bool transpose_a, bool transpose_b) {
    compose::MatmulOptions options;
    options.transpose_a = transpose_a;
    options.transpose_b = transpose_b;
    options.zero_point_a = a.zero_point;
    options.zero_point_b = b.zero_point;
    TensorIndex sums = compose::matmul(ops, a.held, b.held, options);
    const Shape left = ops.shape(a.held);
    const std::int64_t count = transpose_a && left.size() > 1 ? left[left.size() - 2] : left.back();
    if (a.zero_points) {
        compose::MatmulOptions only_b = options;
        only_b.transpose_a = false;
        only_b.zero_point_a = 0;
        const TensorIndex total =
            compose::matmul(ops, ones(ops, left.size(), count, true), b.held, only_b);
        sums = minus_product(ops, sums, total, *a.zero_points);
    }
    if (b.zero_points) {
        compose::MatmulOptions only_a = options;
        only_a.transpose_b = false;
        only_a.zero_point_b = 0;
        const TensorIndex total =
            compose::matmul(ops, a.held, ones(ops, ops.rank(b.held), count, false), only_a);
        sums = minus_product(ops, sums, total, *b.zero_points);
    }
    if (a.zero_points && b.zero_points) {
        const TensorIndex both = ops.product(*a.zero_points, *b.zero_points, "zero_points");
        const TensorIndex terms =
            ops.number(DType::kI32, ops.rank(both), -static_cast<double>(count));
        sums = minus_product(ops, sums, both, terms);
    }
    return sums;
}

namespace {

/// Relates a scale to sums: `axis` if it has more than one element.
ParameterPlace sum_place(const Shape& shape, std::size_t axis) { return {shape, axis, 0, false}; }

std::size_t row_axis(const Shape& shape) { return shape.size() < 2 ? 0 : shape.size() - 2; }
std::size_t last_axis(const Shape& shape) { return shape.empty() ? 0 : shape.size() - 1; }

}  // namespace

TensorIndex real_sums(const Call& call, TensorIndex sums, const SumScales& scales) {
    OperatorBuilder& ops = call.ops();
    const Shape shape = ops.shape(sums);
    TensorIndex real = ops.cast(sums, DType::kFp32, "real");
    TensorIndex scale =
        ops.product(scale_tensor(call, scales.x, sum_place(shape, row_axis(shape))),
                    scale_tensor(call, scales.w, sum_place(shape, last_axis(shape))), "scales");
    if (scales.factor != 1) {
        scale = ops.product(scale, ops.number(DType::kFp32, ops.rank(scale), scales.factor),
                            "scaled_scales");
    }
    return ops.product(real, scale, "real_sums");
}

TensorIndex quantised_sums(const Call& call, TensorIndex sums, const SumScales& scales,
                           const Quantisation& y) {
    const auto x = scales.x.known_scales(), w = scales.w.known_scales(), out = y.known_scales();
    const auto zero = y.known_zero_point();
    const Shape shape = call.ops().shape(sums);
    if (x && w && out && zero && x->size() == 1 && out->size() == 1) {
        std::vector<double> factors = *w;
        for (double& each : factors) each *= scales.factor * x->front() / out->front();
        if (const auto result = rescaled_sums(call.ops(), sums, factors, y.type, *zero)) {
            return *result;
        }
    }
    return quantised(call, real_sums(call, sums, scales), y, sum_place(shape, row_axis(shape)));
}

namespace lower {

namespace {

/// Refuses scales that have neither one element nor one per row or column of the product.
void check_product_scales(const Call& call, const SumScales& scales, const Shape& shape) {
    check_parameter_count(call, scales.x, shape.size() < 2 ? 1 : shape[row_axis(shape)]);
    check_parameter_count(call, scales.w, shape.empty() ? 1 : shape.back());
}

/// Adds the optional bias at operand `n`.
TensorIndex with_optional_bias(const Call& call, TensorIndex x, std::size_t n, const Shape& shape) {
    if (!call.has_input(n)) return x;
    require_real(call, call.input(n));
    check_addend(call, n, shape);
    return call.ops().binary(OpCode::kAdd, x, call.tensor(n), "with_bias");
}

}  // namespace

void integer_matrix_product(const Call& call) {
    call.require_inputs(2, 4);
    const Shape shape = matrix_product_shape(call, 0, 1);
    const TensorIndex sums = integer_matmul(call.ops(), integer_factor(call, 0, 2, true),
                                            integer_factor(call, 1, 3, false));
    call.set_tensor(0, ElementType::kInt32, shape, sums);
}

void quantised_matrix_product(const Call& call) {
    call.require_inputs(8, 8);
    const Shape shape = matrix_product_shape(call, 0, 3);
    require_bytes(call, call.input(7));
    const SumScales scales{quantisation(call, call.input(0).type, 1, 2),
                           quantisation(call, call.input(3).type, 4, 5)};
    check_product_scales(call, scales, shape);
    const Quantisation y = quantisation(call, call.input(7).type, 6, 7);
    check_parameter_count(call, y, shape.size() < 2 ? 1 : shape[row_axis(shape)]);
    const TensorIndex sums = integer_matmul(call.ops(), integer_factor(call, 0, 2, true),
                                            integer_factor(call, 3, 5, false));
    call.set_tensor(0, y.type, shape, quantised_sums(call, sums, scales, y));
}

void quantised_gemm(const Call& call) {
    call.require_inputs(6, 9);
    const bool transpose_a = call.integer("transA", 0) != 0;
    const bool transpose_b = call.integer("transB", 0) != 0;
    call.require(call.input(0).rank() == 2 && call.input(3).rank() == 2, "operands",
                 shape_text(call.input(0).shape) + " and " + shape_text(call.input(3).shape),
                 "the operands are matrices");
    const Shape shape = matrix_product_shape(call, 0, 3, transpose_a, transpose_b);
    const IntegerFactor a = integer_factor(call, 0, 2, true);
    const IntegerFactor b = integer_factor(call, 3, 5, false);
    const SumScales scales{quantisation(call, call.input(0).type, 1, 2),
                           quantisation(call, call.input(3).type, 4, 5), call.real("alpha", 1)};
    check_product_scales(call, scales, shape);
    OperatorBuilder& ops = call.ops();
    TensorIndex sums = integer_matmul(ops, a, b, transpose_a, transpose_b);
    if (call.has_input(6)) {
        call.require(call.input(6).type == ElementType::kInt32, "input 6",
                     std::string(element_name(call.input(6).type)), "the addend is int32");
        check_addend(call, 6, shape);
        sums = ops.binary(OpCode::kAdd, sums, call.tensor(6), "with_c");
    }
    if (!call.has_input(7)) {
        return call.set_tensor(0, ElementType::kFloat32, shape, real_sums(call, sums, scales));
    }
    const ElementType type = call.has_input(8) ? call.input(8).type : call.input(0).type;
    const Quantisation y = quantisation(call, type, 7, 8);
    check_parameter_count(call, y, 1);
    call.set_tensor(0, type, shape, quantised_sums(call, sums, scales, y));
}

void integer_product_to_float(const Call& call) {
    call.require_inputs(4, 7);
    const Shape shape = matrix_product_shape(call, 0, 1);
    const SumScales scales{quantisation(call, call.input(0).type, 2, 4),
                           quantisation(call, call.input(1).type, 3, 5)};
    check_product_scales(call, scales, shape);
    const TensorIndex sums = integer_matmul(call.ops(), integer_factor(call, 0, 4, true),
                                            integer_factor(call, 1, 5, false));
    const TensorIndex real = real_sums(call, sums, scales);
    call.set_tensor(0, ElementType::kFloat32, shape, with_optional_bias(call, real, 6, shape));
}

void dynamic_matrix_product(const Call& call) {
    call.require_inputs(3, 5);
    const Value& a = call.input(0);
    call.require(a.type == ElementType::kFloat32, "input 0", std::string(element_name(a.type)),
                 "the operand is float");
    const Shape shape = matrix_product_shape(call, 0, 1);
    OperatorBuilder& ops = call.ops();
    const DynamicQuantisation dynamic = dynamically_quantised(ops, call.tensor(0));
    const IntegerFactor left{dynamic.held, 0, dynamic.held_zero_point};
    const TensorIndex sums = integer_matmul(ops, left, integer_factor(call, 1, 3, false));
    const Quantisation b = quantisation(call, call.input(1).type, 2, 3);
    check_parameter_count(call, b, shape.empty() ? 1 : shape.back());
    const TensorIndex scale = ops.product(scale_tensor(call, b, sum_place(shape, last_axis(shape))),
                                          dynamic.scale, "scales");
    const TensorIndex real = ops.product(ops.cast(sums, DType::kFp32, "real"), scale, "real_sums");
    call.set_tensor(0, a.type, shape, with_optional_bias(call, real, 4, shape));
}

}  // namespace lower
}  // namespace okksim::sim::graph::onnx
