// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "isa/features.h"
#include "kernels/rows/member_ranks.h"
#include "kernels/rows/row_program.h"
#include "kernels/rows/row_ranges.h"
#include "kernels/rows/row_space.h"

/// Construction of a program for row_program(), operator by operator.
namespace okksim::kernels::rows {

/// Function of a command, its range and its check.
struct RowWork {
    RowFunction function = RowFunction::kAdd;
    ValueRange range;
    RowCheck check = RowCheck::kNone;
    int amount = 0;
};

/// A value while the program is built.
struct KnownOperand {
    int value = -1;
    tosa::DType type = tosa::DType::kI32;
    ValueRange range;
    std::optional<std::int64_t> constant = std::nullopt;  ///< value of one element, not loaded yet
    std::optional<std::int64_t> attained = std::nullopt;  ///< an element of every row is this
};

/// The type of values in the lanes. Nothing for unsupported types.
std::optional<okk_element_t> lane_type(tosa::DType type);

/// Adds members by appending their commands. Member functions return false if the operators cannot
/// form a group. `m`: a member, `k`: one of its inputs.
class RowBuilder {
 public:
    RowBuilder(const Members& members, const ReadConstant& read, const isa::MachineShape& machine)
        : matrices_(members),
          members_(under_one_rank(members, row_operands)),
          read_(read),
          machine_(machine) {}
    /// Builds the program with the largest possible blocks of rows.
    std::optional<RowProgram> run();

 private:
    std::optional<RowProgram> in_space();

    // ---- The space ----

    bool find_space(std::size_t block_dimensions);

    /// A tensor that extends over the whole space: the result, or the first such tensor.
    static const DeviceTensor* whole_tensor(const std::vector<DeviceTensor>& tensors,
                                            const DeviceTensor& result);

    bool has(isa::Feature feature) const { return isa::has_feature(machine_, feature); }
    /// True if a tensor can be loaded. Columns that are not contiguous need transposing copies.
    bool can_move(const RowStrides& strides) const;

    // ---- Values ----

    int add_value(okk_element_t type, RowExtent extent);

    /// Returns an operand, which is not loaded if it is one known number.
    std::optional<KnownOperand> operand(std::size_t m, std::size_t k);

    bool load(std::size_t m, std::size_t k, const DeviceTensor& tensor, okk_element_t type,
              int& value);

    /// Turns the operand into a value.
    bool have(std::size_t m, std::size_t k, KnownOperand& operand);

    int table(std::size_t m, int entry_bytes);

    RowCommand& command(RowFunction function, okk_element_t type, RowExtent extent,
                        const std::array<int, 3>& operands);

    /// Makes the last command's result the member's result.
    bool finish(const Follower& member, ValueRange range);

    // ---- Operators ----

    bool add(std::size_t m);

    bool arithmetic(std::size_t m);

    void issue(const RowWork& work, const std::array<int, 3>& operands);

    std::optional<RowWork> arithmetic_work(std::size_t m, const KnownOperand& a,
                                           const KnownOperand& b) const;

    std::optional<RowWork> product_work(std::size_t m, const KnownOperand& a,
                                        const KnownOperand& b) const;

    static RowWork fitting(RowFunction function, ValueRange range);

    /// Uses a command with a constant operand, if there is one.
    bool with_constant(std::size_t m, RowWork work, const KnownOperand& a, const KnownOperand& b);

    /// Uses a rescale by the constant, because a broadcast operand would take longer.
    bool product_with_constant(const RowWork& work, const KnownOperand& other,
                               std::int64_t constant);

    bool shift(std::size_t m);

    bool comparison(std::size_t m);

    bool selection(std::size_t m);

    bool unary(std::size_t m);

    bool clamp(std::size_t m);

    bool reduction(std::size_t m);

    bool look_up(std::size_t m);
    static std::int64_t interpolated(const std::vector<std::int64_t>& entries, std::int64_t at);

    /// True for slopes that the operator's kernel reports.
    static bool has_steep_slope(const std::vector<std::int64_t>& entries);

    bool rescale(std::size_t m);

    /// A RESHAPE to another shape of the same value.
    bool view(std::size_t m);

    bool matrix_product(std::size_t m);
    /// Returns the factors as values, or nothing if they cannot be loaded.
    std::optional<std::array<int, 2>> factors(std::size_t m);
    /// The zero point of a factor. Nothing for types that products do not support.
    std::optional<int> zero_point(std::size_t m, std::size_t k) const;

    /// Returns the factors as a tensor of the output's rank, along its last dimension.
    static DeviceTensor per_channel(const Follower& member, std::size_t input);

    // ---- Facts about values beyond their ranges: softmax then needs no checks of its sums ----

    /// The command that computes the value; nullptr: it is loaded.
    const RowCommand* maker(int value) const;
    /// True if some element of every row of the value is that row's `extreme`.
    bool is_extreme(int extreme, int value) const;
    /// True if a left shift by the amount leaves the sign bit and no zero after it.
    bool normalises(int amount, int value) const;

    const Members& matrices_;  ///< the original members; products have separate dimensions
    Members members_;          ///< with tensors under the dimensions of the space
    const ReadConstant& read_;
    const isa::MachineShape& machine_;
    RowSpace space_;
    RowProgram program_;
    std::vector<KnownOperand> results_;
    RowExtent extent_ = RowExtent::kFull;  ///< of the member's result
    okk_element_t type_ = OKK_INT32;
    std::int64_t own_columns_ = 0;  ///< RowValue::columns of results after a product of a result
};

/// Returns the program of a group for a machine with its instruction groups. Returns nothing if the
/// operators cannot form a group: no common space, conditions that cannot be checked, missing
/// instructions. Results equal those of separate operators bit for bit.
std::optional<RowProgram> row_program(const Members& members, const ReadConstant& read,
                                      const isa::MachineShape& machine);

}  // namespace okksim::kernels::rows
