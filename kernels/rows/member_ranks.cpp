// SPDX-License-Identifier: Apache-2.0
#include "kernels/rows/member_ranks.h"

#include <algorithm>

#include "kernels/rows/reduced_axis.h"

namespace okksim::kernels::rows {

Members under_one_rank(Members members, int (*operands_of)(tosa::OpCode)) {
    if (members.empty()) return members;
    const DeviceTensor other =
        std::max_element(members.begin(), members.end(), [](const Follower& a, const Follower& b) {
            return a.output.rank < b.output.rank;
        })->output;
    for (Follower& member : members) {
        member.output = under_dimensions(member.output, other);
        const auto own = static_cast<std::size_t>(operands_of(member.op));
        for (std::size_t k = 0; k < own && k < member.inputs.size(); ++k) {
            member.inputs[k] = under_dimensions(member.inputs[k], other);
        }
    }
    return members;
}

bool reduces_several(const Follower& member, const Follower& spread) {
    const std::optional<int> axis = reduced_axis_of(member, spread);
    return axis && spread.inputs[0].dims[static_cast<std::size_t>(*axis)] !=
                       member.inputs[0].dims[static_cast<std::size_t>(*reduced_axis(member))];
}

std::optional<int> reduced_axis_of(const Follower& member, const Follower& spread) {
    const std::optional<int> axis = reduced_axis(member);
    if (!axis) return std::nullopt;
    return *axis + spread.output.rank - member.output.rank;
}

bool is_same_rows(const Follower& spread) {
    const DeviceTensor& from = spread.inputs[0];
    const DeviceTensor& to = spread.output;
    return spread.operands[0] >= 0 && from.rank == to.rank &&
           std::equal(from.dims.begin(), from.dims.begin() + from.rank, to.dims.begin());
}

bool has_products(const Members& members) {
    return std::any_of(members.begin(), members.end(),
                       [](const Follower& member) { return member.op == tosa::OpCode::kMatmul; });
}

RowStrides matrix_strides(const DeviceTensor& tensor) {
    return {.row = tensor.strides[1], .column = tensor.strides[2], .block = tensor.strides[0]};
}

int innermost(const DeviceTensor& tensor) {
    int axis = tensor.rank - 1;
    for (int i = tensor.rank; i-- > 0;) {
        const auto at = static_cast<std::size_t>(i), best = static_cast<std::size_t>(axis);
        if (tensor.dims[at] == 1) continue;
        if (tensor.dims[best] == 1 || tensor.strides[at] < tensor.strides[best]) axis = i;
    }
    return axis;
}

}  // namespace okksim::kernels::rows
