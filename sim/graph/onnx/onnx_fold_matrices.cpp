// SPDX-License-Identifier: Apache-2.0
// Determinants and inverses of known matrices.
#include <cmath>
#include <numeric>

#include "sim/graph/onnx/onnx_operators.h"
#include "sim/graph/onnx/onnx_window_attributes.h"

namespace okksim::sim::graph::onnx::fold {

namespace {

/// A square matrix under elimination, with the same operations on a unit matrix.
struct Elimination {
    std::vector<double> matrix, inverse;
    double determinant = 1;
};

void exchange_rows(std::vector<double>& matrix, std::size_t size, std::size_t a, std::size_t b) {
    for (std::size_t i = 0; i < size; ++i) std::swap(matrix[a * size + i], matrix[b * size + i]);
}

/// Subtracts `factor` times row `from` from row `to` in both matrices.
void subtract_row(std::vector<double>& matrix, std::size_t size, std::size_t to, std::size_t from,
                  double factor, std::vector<double>& inverse) {
    for (std::size_t i = 0; i < size; ++i) {
        matrix[to * size + i] -= factor * matrix[from * size + i];
        inverse[to * size + i] -= factor * inverse[from * size + i];
    }
}

Elimination eliminated(std::vector<double> matrix, std::size_t size) {
    Elimination state{std::move(matrix), std::vector<double>(size * size, 0), 1};
    for (std::size_t i = 0; i < size; ++i) state.inverse[i * size + i] = 1;
    for (std::size_t column = 0; column < size; ++column) {
        std::size_t pivot = column;
        for (std::size_t row = column; row < size; ++row) {
            const double here = std::fabs(state.matrix[row * size + column]);
            if (here > std::fabs(state.matrix[pivot * size + column])) pivot = row;
        }
        if (pivot != column) {
            exchange_rows(state.matrix, size, pivot, column);
            exchange_rows(state.inverse, size, pivot, column);
            state.determinant = -state.determinant;
        }
        const double head = state.matrix[column * size + column];
        state.determinant *= head;
        if (head == 0) return state;
        subtract_row(state.matrix, size, column, column, 1 - 1 / head, state.inverse);
        for (std::size_t row = 0; row < size; ++row) {
            if (row == column) continue;
            subtract_row(state.matrix, size, row, column, state.matrix[row * size + column],
                         state.inverse);
        }
    }
    return state;
}

/// Applies elimination to each matrix of operand 0.
std::vector<Elimination> eliminations(const Call& call) {
    call.require_inputs(1, 1);
    const Value& x = call.input(0);
    require_real(call, x);
    const std::size_t rank = x.rank();
    constexpr std::int64_t kMost = 1024;
    call.require(rank >= 2 && x.shape[rank - 1] == x.shape[rank - 2] && x.shape.back() <= kMost,
                 "input 0", shape_text(x.shape),
                 "the matrices are square and have up to 1024 rows");
    const auto size = static_cast<std::size_t>(x.shape.back());
    const std::vector<double> values = reals(*x.known);
    std::vector<Elimination> result;
    for (std::size_t at = 0; size > 0 && at < values.size(); at += size * size) {
        const auto first = values.begin() + static_cast<std::ptrdiff_t>(at);
        result.push_back(
            eliminated({first, first + static_cast<std::ptrdiff_t>(size * size)}, size));
    }
    return result;
}

}  // namespace

bool determinant(const Call& call) {
    std::vector<double> values;
    for (const Elimination& each : eliminations(call)) values.push_back(each.determinant);
    const Value& x = call.input(0);
    call.set_known(0, make_array(x.type, {x.shape.begin(), x.shape.end() - 2}, values));
    return true;
}

bool inverse(const Call& call) {
    std::vector<double> values;
    for (const Elimination& each : eliminations(call)) {
        call.require(each.determinant != 0, "input 0", "singular", "the matrix has an inverse");
        values.insert(values.end(), each.inverse.begin(), each.inverse.end());
    }
    call.set_known(0, make_array(call.input(0).type, call.input(0).shape, values));
    return true;
}

}  // namespace okksim::sim::graph::onnx::fold
