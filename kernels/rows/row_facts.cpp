// SPDX-License-Identifier: Apache-2.0
// Facts about values of row programs beyond their ranges.
#include <algorithm>

#include "kernels/rows/row_builder.h"

namespace okksim::kernels::rows {

const RowCommand* RowBuilder::maker(int value) const {
    const auto at =
        std::find_if(program_.commands.begin(), program_.commands.end(),
                     [&](const RowCommand& command) { return command.result == value; });
    return at == program_.commands.end() ? nullptr : &*at;
}

bool RowBuilder::is_extreme(int extreme, int value) const {
    const RowCommand* const made = maker(extreme);
    if (made == nullptr) return false;
    const bool reduces =
        made->function == RowFunction::kLargest || made->function == RowFunction::kLeast;
    if (reduces) return made->operands[0] == value;
    // One factor scales the extreme and the equal element in the same way.
    const RowCommand* const other = maker(value);
    return other != nullptr && made->function == RowFunction::kRescale &&
           other->function == RowFunction::kRescale && made->scale == other->scale &&
           is_extreme(made->operands[0], other->operands[0]);
}

bool RowBuilder::normalises(int amount, int value) const {
    const RowCommand* const made = maker(amount);
    if (made == nullptr || made->function != RowFunction::kAddConstant || made->amount != -1) {
        return false;
    }
    const RowCommand* const zeros = maker(made->operands[0]);
    return zeros != nullptr && zeros->function == RowFunction::kLeadingZeros &&
           zeros->operands[0] == value;
}

}  // namespace okksim::kernels::rows
