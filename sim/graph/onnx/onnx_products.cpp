// SPDX-License-Identifier: Apache-2.0
// Products of matrices.
#include <algorithm>
#include <numeric>

#include "sim/graph/compose/products.h"
#include "sim/graph/onnx/onnx_elements.h"
#include "sim/graph/onnx/onnx_matrix_shapes.h"
#include "sim/graph/onnx/onnx_operators.h"
#include "sim/graph/onnx/onnx_window_attributes.h"

namespace okksim::sim::graph::onnx {

Shape matrix_product_shape(const Call& call, std::size_t a_at, std::size_t b_at, bool transpose_a,
                           bool transpose_b) {
    return matrix_product_shape(call, call.input(a_at).shape, call.input(b_at).shape, transpose_a,
                                transpose_b);
}

Shape matrix_product_shape(const Call& call, Shape a, Shape b, bool transpose_a, bool transpose_b) {
    const std::string both = shape_text(a) + " and " + shape_text(b);
    call.require(!a.empty() && !b.empty(), "operands", both,
                 "the operands have one or more dimensions");
    const bool is_row = a.size() == 1, is_column = b.size() == 1;
    if (is_row) a.insert(a.begin(), 1);
    if (is_column) b.push_back(1);
    if (transpose_a && !is_row) std::swap(a[a.size() - 1], a[a.size() - 2]);
    if (transpose_b && !is_column) std::swap(b[b.size() - 1], b[b.size() - 2]);
    call.require(a.back() == b[b.size() - 2], "operands", both,
                 "columns of the first matrix are rows of the second one");
    Value left, right;
    left.name = "the first matrix";
    right.name = "the second matrix";
    left.shape = {a.begin(), a.end() - 2};
    right.shape = {b.begin(), b.end() - 2};
    Shape result = call.broadcast({&left, &right});
    if (!is_row) result.push_back(a[a.size() - 2]);
    if (!is_column) result.push_back(b.back());
    return result;
}

void check_addend(const Call& call, std::size_t n, const Shape& result) {
    const Value& c = call.input(n);
    bool is_right = c.rank() <= result.size();
    for (std::size_t i = 0; is_right && i < c.rank(); ++i) {
        const std::int64_t size = c.shape[c.rank() - 1 - i];
        is_right = size == 1 || size == result[result.size() - 1 - i];
    }
    call.require(is_right, std::string(c.name), shape_text(c.shape),
                 "the operand broadcasts to " + shape_text(result));
}

namespace lower {

namespace {

/// Refuses operands whose types have no product: real numbers and integers of 32 or 64 bits have.
void check_factors(const Call& call) {
    std::vector<Value*> factors{&call.input(0), &call.input(1)};
    call.require_same_type(factors);
    const ElementType type = factors[0]->type;
    call.require(is_real(type) || (is_whole(type) && integer_bits(type) >= 32), "input 0",
                 std::string(element_name(type)),
                 "the operands are real numbers or integers of 32 or 64 bits");
}

/// Returns an operand whose first dimension, if the attribute says so, moves behind the batches.
TensorIndex with_batches_first(const Call& call, std::size_t n, std::string_view attribute) {
    const std::size_t rank = call.input(n).rank();
    if (call.integer(attribute, 0) == 0 || rank < 3) return call.tensor(n);
    std::vector<std::int32_t> perms(rank);
    std::iota(perms.begin(), perms.end(), 0);
    std::rotate(perms.begin(), perms.begin() + 1, perms.end() - 1);
    return call.tensors().arranged(call.input(n), perms, "batches_first");
}

/// Returns the determinant of the rows from `row` on and of some columns, by the first row.
TensorIndex minor_of(OperatorBuilder& ops, TensorIndex matrices, std::int64_t row,
                     const std::vector<std::int64_t>& columns) {
    const std::int64_t count = ops.shape(matrices)[0];
    std::optional<TensorIndex> sum;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        TensorIndex term = ops.slice(matrices, {0, row, columns[i]}, {count, 1, 1}, "element");
        if (columns.size() > 1) {
            std::vector<std::int64_t> others = columns;
            others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
            term = ops.product(term, minor_of(ops, matrices, row + 1, others), "term");
        }
        sum = sum ? ops.binary(i % 2 == 0 ? OpCode::kAdd : OpCode::kSub, *sum, term, "sum") : term;
    }
    return *sum;
}

}  // namespace

void matrix_product(const Call& call) {
    call.require_inputs(2, 2);
    check_factors(call);
    const Shape shape = matrix_product_shape(call, 0, 1);
    call.set_tensor(0, call.input(0).type, shape,
                    compose::matmul(call.ops(), call.tensor(0), call.tensor(1)));
}

void general_product(const Call& call) {
    call.require_inputs(2, 3);
    check_factors(call);
    const Value& a = call.input(0);
    compose::GemmOptions options;
    options.alpha = call.real("alpha", 1);
    options.beta = call.real("beta", 1);
    options.transpose_a = call.integer("transA", 0) != 0;
    options.transpose_b = call.integer("transB", 0) != 0;
    call.require(a.rank() == 2 && call.input(1).rank() == 2, "operands",
                 shape_text(a.shape) + " and " + shape_text(call.input(1).shape),
                 "the operands are matrices");
    const Shape shape = matrix_product_shape(call, 0, 1, options.transpose_a, options.transpose_b);
    std::optional<TensorIndex> c;
    if (call.has_input(2)) {
        call.require_same_type({&call.input(0), &call.input(2)});
        check_addend(call, 2, shape);
        c = call.tensor(2);
    }
    call.set_tensor(0, a.type, shape,
                    compose::gemm(call.ops(), call.tensor(0), call.tensor(1), c, options));
}

void fused_matrix_product(const Call& call) {
    call.require_inputs(2, 2);
    check_factors(call);
    compose::MatmulOptions options;
    options.transpose_a = call.integer("transA", 0) != 0;
    options.transpose_b = call.integer("transB", 0) != 0;
    OperatorBuilder& ops = call.ops();
    const TensorIndex a = with_batches_first(call, 0, "transBatchA");
    const TensorIndex b = with_batches_first(call, 1, "transBatchB");
    const Shape shape = matrix_product_shape(call, ops.shape(a), ops.shape(b), options.transpose_a,
                                             options.transpose_b);
    TensorIndex result = compose::matmul(ops, a, b, options);
    const double alpha = call.real("alpha", 1);
    if (alpha != 1) {
        result =
            ops.product(result, ops.number(ops.type(result), ops.rank(result), alpha), "scaled");
    }
    call.set_tensor(0, call.input(0).type, shape, result);
}

void determinant(const Call& call) {
    call.require_inputs(1, 1);
    const Value& x = call.input(0);
    require_real(call, x);
    const std::size_t rank = x.rank();
    call.require(rank >= 2 && x.shape[rank - 1] == x.shape[rank - 2], "input 0",
                 shape_text(x.shape), "the matrices are square");
    const std::int64_t size = x.shape.back();
    constexpr std::int64_t kMost = 4;
    if (size > kMost) {
        throw UnsupportedPart("matrices of more than 4 rows that are known only at run time");
    }
    OperatorBuilder& ops = call.ops();
    const Shape batch(x.shape.begin(), x.shape.end() - 2);
    const auto count = static_cast<std::int64_t>(element_count(batch).value_or(1));
    const TensorIndex matrices = ops.reshape(call.tensor(0), {count, size, size}, "matrices");
    std::vector<std::int64_t> columns(static_cast<std::size_t>(size));
    std::iota(columns.begin(), columns.end(), 0);
    const TensorIndex result = minor_of(ops, matrices, 0, columns);
    call.set_tensor(0, x.type, batch, ops.reshape(result, batch, "determinant"));
}

void einsum(const Call& call) {
    call.require(call.input_count() >= 1, "inputs", "0", "the operator has operands");
    call.require(call.has_attribute("equation"), "equation", "missing", "the operator has it");
    std::vector<Shape> shapes;
    for (std::size_t n = 0; n < call.input_count(); ++n) {
        const Value& value = call.input(n);
        call.require(
            is_real(value.type) || (is_whole(value.type) && integer_bits(value.type) >= 32),
            std::string(value.name), std::string(element_name(value.type)),
            "the operands are real numbers or integers of 32 or 64 bits");
        shapes.push_back(value.shape);
    }
    call.require_same_type(call.inputs());
    const std::string_view equation = call.text("equation", "");
    const std::string problem = compose::einsum_problem(equation, shapes);
    call.require(problem.empty(), "equation", std::string(equation), problem);
    std::vector<TensorIndex> operands;
    for (std::size_t n = 0; n < call.input_count(); ++n) operands.push_back(call.tensor(n));
    const TensorIndex result = compose::einsum(call.ops(), equation, operands);
    const Shape shape = call.ops().shape(result);
    call.set_tensor(0, call.input(0).type, shape, result);
}

}  // namespace lower
}  // namespace okksim::sim::graph::onnx
