// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "firmware/okk_features.h"
#include "isa/types.h"
#include "kernels/call/tensor.h"
#include "kernels/rows/row_space.h"

/// Row groups: operators on integers, element by element or along rows, in one kernel on rows in
/// local memory. They use instruction groups beyond the API reference. Examples are softmax and
/// normalisations of int8 networks. Pure.
namespace okksim::kernels::rows {

/// The operators of a group. The first one is a follower that reads nothing of the group.
using Members = std::vector<Follower>;

/// Returns the values of input `input` of member `member`, if it is a constant that the planner may
/// read (is_list()).
using ReadConstant =
    std::function<std::optional<std::vector<std::int64_t>>(std::size_t member, std::size_t input)>;

/// Number of operands that a row group takes from an operator; 0 for unsupported operators.
int row_operands(tosa::OpCode op);
/// True for operators along rows. A group that begins with a matrix product needs one as well.
bool works_along_rows(tosa::OpCode op);

enum class RowFunction : std::uint8_t {
    kAdd,
    kSubtract,
    kMultiply,  ///< `amount`: the shift
    kMaximum,
    kMinimum,
    kShiftLeft,
    kShiftRight,
    kShiftRightRound,
    kShiftRightLogical,
    kGreater,
    kGreaterEqual,
    kEqual,
    kSelect,
    kAddConstant,      ///< `amount`
    kSubtractFrom,     ///< `amount` minus the operand
    kMaximumConstant,  ///< `amount`
    kMinimumConstant,  ///< `amount`
    kAbsolute,
    kLeadingZeros,
    kRescale,      ///< `scale`
    kRescaleRows,  ///< `scale`, with operands 1 and 2 as multipliers and shifts
    kLookUp8,      ///< operand 1: the table
    kLookUp16,
    kCast,
    kSum,  ///< this and the next two: along the columns
    kLargest,
    kLeast,
    kProduct,  ///< of matrices; zero points: `amount` of operand 0, scale.input_zp of operand 1
};

/// Check of a condition of the specification that values may break.
enum class RowCheck : std::uint8_t {
    kNone,
    kFits,    ///< the result equals that of the same command with saturation
    kSign,    ///< the result is not below zero
    kAmount,  ///< operand 1 is 0 .. 31
};

/// Parameters of okk_bdc_rescale.
struct RowScale {
    int multiplier = 0, shift = 0;
    int input_zp = 0, output_zp = 0;
    int low = 0, high = 0;
    bool rounds_twice = false;
    bool input_unsigned = false, output_unsigned = false;

    bool operator==(const RowScale&) const = default;
};

struct RowCommand {
    RowFunction function = RowFunction::kAdd;
    RowCheck check = RowCheck::kNone;
    int result = 0;                           ///< a value
    std::array<int, 3> operands{-1, -1, -1};  ///< values
    int amount = 0;
    RowScale scale;
};

/// A tensor in system memory.
struct StoredValue {
    std::size_t member = 0;
    std::size_t input = 0;
    RowStrides strides;
};

struct RowValue {
    okk_element_t type = OKK_INT32;
    RowExtent extent = RowExtent::kFull;
    /// Bytes of a table in every lane, which has no extent.
    std::int64_t table_bytes = 0;
    std::optional<StoredValue> stored = std::nullopt;
    /// Elements of a row, if they differ from the space: for factors and results of products.
    std::int64_t columns = 0;
    /// Rows of each matrix of a right factor of a product, distributed over the lanes.
    /// RowProgram::matrix_rows rows share one matrix. 0: no matrices.
    std::int64_t channels = 0;
};

struct RowProgram {
    std::int64_t rows = 1, columns = 1;
    std::int64_t block_rows = 1;   ///< RowStrides::block
    std::int64_t matrix_rows = 0;  ///< of the left factors of products; 0 if there are none
    std::vector<RowValue> values;
    std::vector<RowCommand> commands;
    RowStrides result;  ///< of the last command's result, which is stored
    /// Several rows of the result are one row in system memory: the group cannot end here.
    bool repeats_result = false;

    bool checks() const;
    std::uint64_t argument_words() const {
        const std::size_t own = matrix_rows > 0 ? 17 : 15;
        return 9 + own * values.size() + 15 * commands.size();
    }
};

/// Elements per row of the value in its lane.
std::int64_t columns_of(const RowProgram& program, const RowValue& value);

/// Extent of the words that a command's check reads.
RowExtent checked_extent(const RowProgram& program, const RowCommand& command);
int element_bytes(okk_element_t type);

/// Returns the members of a call that is a row group. `operands`: number of operands of the first
/// one.
Members members_of(const OperatorCall& call, int operands);
/// True if the followers of a call make it a row group.
bool is_row_group(const OperatorCall& call);

}  // namespace okksim::kernels::rows
