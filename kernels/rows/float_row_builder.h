// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "kernels/rows/float_row_program.h"

/// Construction of a program for float_row_program(), operator by operator.
namespace okksim::kernels::rows {

/// Member functions return false if the operators cannot form a group. `m`: a member, `k`: one of
/// its inputs.
class FloatRowBuilder {
 public:
    FloatRowBuilder(const Members& members, const ReadConstant& read);
    /// Builds the program with the largest possible blocks of rows.
    std::optional<FloatRowProgram> run();

 private:
    // ---- The space ----

    bool find_space(std::size_t block_dimensions);
    /// Finds the tensors of the space, and the dimension that reductions reduce.
    bool find_tensors(std::vector<DeviceTensor>& tensors, std::optional<int>& axis) const;
    std::size_t dimensions_of_block() const;
    std::optional<FloatRowProgram> in_space();
    /// In a space of one row all values have rows.
    RowExtent extent_of(const DeviceTensor& tensor) const;

    // ---- Operators ----

    bool add(std::size_t m);
    /// A RESHAPE to another shape of the same value.
    bool add_view(std::size_t m);
    /// The first product reads only memory; the second one reads a result.
    bool add_product(std::size_t m);
    /// Returns a factor in memory as a value.
    int matrix(std::size_t m, std::size_t k, std::int64_t columns);
    void finish(FloatRowCommand command, const FloatRowValue& result);
    /// Uses a command with a constant for arithmetic with one known number. Returns true if it
    /// applies. The other operand is then absent if it cannot be loaded.
    bool with_constant(std::size_t m, FloatRowCommand& command);
    std::optional<float> constant(std::size_t m, std::size_t k) const;
    /// Returns a result, or a tensor that is loaded once.
    std::optional<int> operand(std::size_t m, std::size_t k);

    FloatRowValue& value(int index) { return program_.values[static_cast<std::size_t>(index)]; }
    int result_of(int member) const { return results_[static_cast<std::size_t>(member)]; }

    // ---- Softmax: float_row_softmax.cpp ----

    std::vector<FloatRowCommand*> readers(int value);
    /// The largest values of rows do not propagate NaN. They may only be subtracted from their
    /// row before an EXP whose results are divided by their sum. The whole row is then NaN if one
    /// element is, as with separate operators. Returns false if there is another use.
    bool settle_softmax();
    bool settle_powers(int difference);
    bool settle_shares(int power);

    const Members& members_;
    Members spread_;  ///< the members, with tensors under the dimensions of the space
    const ReadConstant& read_;
    RowSpace space_;
    FloatRowProgram program_;
    std::vector<int> results_;  ///< values, by member
    std::vector<std::pair<StoredPlace, int>> loaded_;
    std::int64_t own_columns_ = 0;  ///< of the result of a product of a result
};

/// Returns the program of a group. Returns nothing if the operators cannot form a group: no common
/// space, or a REDUCE_MAX outside a softmax. Results are within the specification's bounds for
/// sequences of operators (TOSA 1.0.1, 1.10). Constants of fp32 are read as bits. MATMUL begins or
/// ends a group: the rows of its left factor are in lanes, like weights of output channels. RESHAPE
/// may split or join the first dimensions, which gives a view of the same rows.
std::optional<FloatRowProgram> float_row_program(const Members& members, const ReadConstant& read);

}  // namespace okksim::kernels::rows
