// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "kernels/rows/float_row_program.h"

/// How float_row_program() makes a program, operator by operator.
namespace okksim::kernels::rows {

/// Members of the class that return false say that the group cannot be one. `m`: a member, `k`: one
/// of its inputs.
class FloatRowBuilder {
 public:
    FloatRowBuilder(const Members& members, const ReadConstant& read);
    /// With blocks of as many rows as possible.
    std::optional<FloatRowProgram> run();

 private:
    // ---- The space ----

    bool find_space(std::size_t block_dimensions);
    /// The tensors that the space is of, and the dimension that reductions reduce.
    bool find_tensors(std::vector<DeviceTensor>& tensors, std::optional<int>& axis) const;
    std::size_t dimensions_of_block() const;
    std::optional<FloatRowProgram> in_space();
    /// Of a space of one row all values have it.
    RowExtent extent_of(const DeviceTensor& tensor) const;

    // ---- Operators ----

    bool add(std::size_t m);
    /// Another shape of the same value.
    bool add_view(std::size_t m);
    /// One product reads memory alone, one a result.
    bool add_product(std::size_t m);
    /// A factor in memory as a value.
    int matrix(std::size_t m, std::size_t k, std::int64_t columns);
    void finish(FloatRowCommand command, const FloatRowValue& result);
    /// Arithmetic with one known number takes no operand for it. True: it is such; without the
    /// operand where that cannot be had.
    bool with_constant(std::size_t m, FloatRowCommand& command);
    std::optional<float> constant(std::size_t m, std::size_t k) const;
    /// A result, or what is loaded, once.
    std::optional<int> operand(std::size_t m, std::size_t k);

    FloatRowValue& value(int index) { return program_.values[static_cast<std::size_t>(index)]; }
    int result_of(int member) const { return results_[static_cast<std::size_t>(member)]; }

    // ---- Softmax: float_row_softmax.cpp ----

    std::vector<FloatRowCommand*> readers(int value);
    /// Largest values of rows do not tell of NaN, so they may only be taken from their row before
    /// an EXP whose results are divided by their sum: that gives NaN for the whole row wherever one
    /// of it is, as the operators one by one do. False: there is another use of one.
    bool settle_softmax();
    bool settle_powers(int difference);
    bool settle_shares(int power);

    const Members& members_;
    Members spread_;  ///< the same, with tensors under the dimensions of the space
    const ReadConstant& read_;
    RowSpace space_;
    FloatRowProgram program_;
    std::vector<int> results_;  ///< values, by member
    std::vector<std::pair<StoredPlace, int>> loaded_;
    std::int64_t own_columns_ = 0;  ///< of the result of a product of a result
};

}  // namespace okksim::kernels::rows
