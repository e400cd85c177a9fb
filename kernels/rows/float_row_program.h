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
    kSubtractFrom,  ///< `constant` less the operand
    kMultiplyConstant,  ///< by `constant`
    kLargest,           ///< of a row; NaN counts as smallest
    kSum,               ///< of a row
    kPower,             ///< e^a, where a is not above 0 or its row has a NaN
    kShare,             ///< 1 / a, where a is a sum of such powers
    kProduct,           ///< of matrices: the operand's rows by those of the other one
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
    /// Elements of a row where they are not the space's: of factors and results of products.
    std::int64_t columns = 0;
    /// Of the right factors of products, one matrix for every block: its rows, which go over the
    /// lanes. 0: no matrices.
    std::int64_t channels = 0;
};

struct FloatRowProgram {
    std::int64_t rows = 1, columns = 1;
    std::int64_t block_rows = 1;  ///< RowStrides::block
    std::vector<FloatRowValue> values;
    std::vector<FloatRowCommand> commands;
    RowStrides result;  ///< of the last command's result, which is stored
    /// The group cannot end here: several rows of its result are one in system memory, or its
    /// largest values of rows have no softmax yet.
    bool is_open = false;

    bool has_powers() const;
    bool has_products() const;
    std::uint64_t argument_words() const;
};

/// Operands of an operator on fp32 that a row group works on; 0 for operators that cannot be in
/// one.
int float_row_operands(tosa::OpCode op);

/// The program of a group; nothing when its operators cannot be one: no common space, a REDUCE_MAX
/// that is no part of a softmax. Results are within the specification's bounds for sequences of
/// operators (TOSA 1.0.1, 1.10). Constants of fp32 are read as bits. MATMUL begins a group or ends
/// it: the rows of its left factor lie in lanes, as weights of output channels do. RESHAPE may
/// split or join the first dimensions: it is another name for the same rows.
std::optional<FloatRowProgram> float_row_program(const Members& members, const ReadConstant& read);

/// Whether a group is one of fp32 that no kernel of tiles (pointwise/fusion.h) carries out.
bool is_float_row_group(const OperatorCall& call);

}  // namespace okksim::kernels::rows
