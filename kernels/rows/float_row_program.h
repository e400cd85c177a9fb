// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/rows/row_program.h"

/// Row groups of fp32: softmax, normalisations, activation functions of several operators. Pure.
namespace okksim::kernels::rows {

enum class FloatRowFunction : std::uint8_t {
    kBody,          ///< an element-wise operator: float_body() of `op` with the member's attributes
    kAddConstant,   ///< `constant`
    kSubtractFrom,  ///< `constant` minus the operand
    kMultiplyConstant,  ///< by `constant`
    kLargest,           ///< of a row; NaN counts as smallest
    kSum,               ///< of a row
    kPower,             ///< e^a, where a is not above 0 or its row has a NaN
    kShare,             ///< 1 / a, where a is a sum of such powers
    kProduct,           ///< of matrices: rows of operand 0 by rows of operand 1
};

struct FloatRowCommand {
    FloatRowFunction function = FloatRowFunction::kBody;
    tosa::OpCode op = tosa::OpCode::kIdentity;
    std::size_t member = 0;               ///< whose attributes a body takes
    int result = 0;                       ///< a value
    std::array<int, 2> operands{-1, -1};  ///< values
    float constant = 0;
};

struct FloatRowValue {
    RowExtent extent = RowExtent::kFull;
    std::optional<StoredValue> stored = std::nullopt;
    /// Elements of a row, if they differ from the space: for factors and results of products.
    std::int64_t columns = 0;
    /// Rows of each matrix of a right factor of a product, distributed over the lanes. Every block
    /// has one matrix. 0: no matrices.
    std::int64_t channels = 0;
};

struct FloatRowProgram {
    std::int64_t rows = 1, columns = 1;
    std::int64_t block_rows = 1;  ///< RowStrides::block
    std::vector<FloatRowValue> values;
    std::vector<FloatRowCommand> commands;
    RowStrides result;  ///< of the last command's result, which is stored
    /// The group cannot end here. Several rows of its result are one in system memory, or its
    /// largest values of rows have no softmax yet.
    bool is_open = false;

    bool has_powers() const;
    bool has_products() const;
    std::uint64_t argument_words() const;
};

/// Number of operands that a row group takes from an operator on fp32; 0 for unsupported operators.
int float_row_operands(tosa::OpCode op);

/// True for a group of fp32 that no kernel of tiles (pointwise/fusion.h) supports.
bool is_float_row_group(const OperatorCall& call);

}  // namespace okksim::kernels::rows
