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

/// How row_program() makes a program, operator by operator.
namespace okksim::kernels::rows {

/// What a command makes of its operands besides their number.
struct RowWork {
    RowFunction function = RowFunction::kAdd;
    ValueRange range;
    RowCheck check = RowCheck::kNone;
    int amount = 0;
};

/// A value while the program is made.
struct KnownOperand {
    int value = -1;
    tosa::DType type = tosa::DType::kI32;
    ValueRange range;
    std::optional<std::int64_t> constant = std::nullopt;  ///< of one element, not loaded yet
    std::optional<std::int64_t> attained = std::nullopt;  ///< some element of every row is that
};

/// The type of values in the lanes; nothing for types that rows do not hold.
std::optional<okk_element_t> lane_type(tosa::DType type);

/// A member is added by the commands that carry it out, or the group cannot be one: members of the
/// class that return false say so. `m`: a member, `k`: one of its inputs.
class RowBuilder {
 public:
    RowBuilder(const Members& members, const ReadConstant& read, const isa::MachineShape& machine)
        : matrices_(members),
          members_(under_one_rank(members, row_operands)),
          read_(read),
          machine_(machine) {}
    /// With blocks of as many rows as possible.
    std::optional<RowProgram> run();

 private:
    std::optional<RowProgram> in_space();

    // ---- The space ----

    bool find_space(std::size_t block_dimensions);

    /// One that extends over all that any does: the result, or the first.
    static const DeviceTensor* whole_tensor(const std::vector<DeviceTensor>& tensors,
                                            const DeviceTensor& result);

    bool has(isa::Feature feature) const { return isa::has_feature(machine_, feature); }
    /// Elements of a column apart in system memory take moves that transpose.
    bool can_move(const RowStrides& strides) const;

    // ---- Values ----

    int add_value(okk_element_t type, RowExtent extent);

    /// An operand that is not loaded where it is one known number.
    std::optional<KnownOperand> operand(std::size_t m, std::size_t k);

    bool load(std::size_t m, std::size_t k, const DeviceTensor& tensor, okk_element_t type,
              int& value);

    /// The operand as a value.
    bool have(std::size_t m, std::size_t k, KnownOperand& operand);

    int table(std::size_t m, int entry_bytes);

    RowCommand& command(RowFunction function, okk_element_t type, RowExtent extent,
                        const std::array<int, 3>& operands);

    /// The member's result is that of the last command.
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

    /// A command with a constant in the place of an operand, where there is one.
    bool with_constant(std::size_t m, RowWork work, const KnownOperand& a, const KnownOperand& b);

    /// A rescale by the constant: a repeated operand would take longer.
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

    /// Which the kernel of the operator reports.
    static bool has_steep_slope(const std::vector<std::int64_t>& entries);

    bool rescale(std::size_t m);

    /// Another shape of the same value.
    bool view(std::size_t m);

    bool matrix_product(std::size_t m);
    /// The factors as values; nothing where they cannot be.
    std::optional<std::array<int, 2>> factors(std::size_t m);
    /// The zero point of a factor; nothing for types that products do not take.
    std::optional<int> zero_point(std::size_t m, std::size_t k) const;

    /// Factors as a tensor of the output's rank: they are those of its last dimension.
    static DeviceTensor per_channel(const Follower& member, std::size_t input);

    // ---- What is known of values beyond their ranges: softmax needs no look at its sums then ----

    /// The command that makes the value; nullptr: it is loaded.
    const RowCommand* maker(int value) const;
    /// Whether some element of every row of the value is the row's of `extreme`.
    bool is_extreme(int extreme, int value) const;
    /// Whether a shift to the left by the amount leaves the sign bit and no zero behind it.
    bool normalises(int amount, int value) const;

    const Members& matrices_;  ///< the members as they are: products have dimensions of their own
    Members members_;          ///< with tensors under the dimensions of the space
    const ReadConstant& read_;
    const isa::MachineShape& machine_;
    RowSpace space_;
    RowProgram program_;
    std::vector<KnownOperand> results_;
    RowExtent extent_ = RowExtent::kFull;  ///< of the member's result
    okk_element_t type_ = OKK_INT32;
    std::int64_t own_columns_ = 0;  ///< RowValue::columns of results: behind a product of a result
};

}  // namespace okksim::kernels::rows
