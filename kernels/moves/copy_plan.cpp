// SPDX-License-Identifier: Apache-2.0
// Commands within system memory: assignment of axes to their dimensions.
#include <algorithm>
#include <array>

#include "isa/base/errors.h"
#include "isa/types.h"
#include "kernels/moves/lane_move.h"
#include "kernels/moves/move_plan.h"

namespace okksim::kernels {
namespace {

using isa::narrow;

using CommandAxes = std::array<NdAxis, 4>;  ///< w, h, c, n

/// Keeps the `most` longest axes, in their order; the others become loops.
void move_to_loops(std::vector<NdAxis>& axes, std::size_t most, std::size_t to,
                   std::vector<CommandLoop>& loops) {
    while (axes.size() > most) {
        const auto shortest =
            std::min_element(axes.rbegin(), axes.rend(),
                             [](const NdAxis& a, const NdAxis& b) { return a.extent < b.extent; });
        loops.push_back({shortest->extent, shortest->strides[to], shortest->strides[kSource]});
        axes.erase(std::next(shortest).base());
    }
}

void set_axes(RepeatedCommand& command, const CommandAxes& axes, std::size_t to) {
    command.shape = {narrow(axes[3].extent), narrow(axes[2].extent), narrow(axes[1].extent),
                     narrow(axes[0].extent)};
    const auto strides = [&](std::size_t operand) -> dim4 {
        return {narrow(axes[3].strides[operand]), narrow(axes[2].strides[operand]),
                narrow(axes[1].strides[operand]), narrow(axes[0].strides[operand])};
    };
    command.to = strides(to);
    command.from = strides(kSource);
}

/// Assigns merged axes to a command. The innermost becomes w only if every operand has unit stride,
/// because the GDMA supports no other stride in w. The longest of the others go into the command,
/// in their order, and the rest are loops. The destination is the last operand. The source, if any,
/// is the first.
RepeatedCommand assign_axes(std::vector<NdAxis> axes, std::size_t operands) {
    const std::size_t to = operands - 1;
    RepeatedCommand command;
    CommandAxes inner;
    const auto is_unit = [&](const NdAxis& axis) {
        return std::all_of(axis.strides.begin(),
                           axis.strides.begin() + static_cast<std::ptrdiff_t>(operands),
                           [](std::int64_t stride) { return stride == 1; });
    };
    if (axes[0].extent == 1 || is_unit(axes[0])) {
        inner[0] = axes[0];
        axes.erase(axes.begin());
    }
    move_to_loops(axes, 3, to, command.loops);
    std::copy(axes.begin(), axes.end(), inner.begin() + 1);
    inner[0].strides.fill(1);
    set_axes(command, inner, to);
    return command;
}

}  // namespace

std::vector<NdAxis> halves(std::vector<NdAxis> axes, std::size_t operands) {
    for (NdAxis& axis : axes) {
        for (std::size_t k = 0; k < operands; ++k) axis.strides[k] *= 2;
    }
    NdAxis half;
    half.extent = 2;
    half.strides.fill(1);
    axes.insert(axes.begin(), half);
    // A dense innermost axis merges with its halves.
    if (axes.size() > 1) {
        bool dense = true;
        for (std::size_t k = 0; k < operands; ++k) dense = dense && axes[1].strides[k] == 2;
        if (dense) {
            axes[1].extent *= 2;
            for (std::size_t k = 0; k < operands; ++k) axes[1].strides[k] = 1;
            axes.erase(axes.begin());
        }
    }
    return axes;
}

MovePlan plan_copy(std::vector<NdAxis> axes, int element_bytes) {
    constexpr std::size_t kOperands = 2;
    axes = merged_axes(std::move(axes), kOperands);
    if (element_bytes == 8) {
        axes = halves(std::move(axes), kOperands);
        element_bytes = 4;
    }
    MovePart part;
    part.steps.push_back({MoveKind::kCopy, assign_axes(std::move(axes), kOperands)});
    return {element_bytes, {std::move(part)}};
}

MovePlan plan_transpose(std::vector<NdAxis> axes, int element_bytes) {
    constexpr std::size_t kTo = 1;
    RepeatedCommand command;
    move_to_loops(axes, std::tuple_size_v<CommandAxes>, kTo, command.loops);
    CommandAxes inner;
    std::copy(axes.begin(), axes.end(), inner.begin());
    set_axes(command, inner, kTo);
    MovePart part;
    part.steps.push_back({MoveKind::kTranspose, std::move(command)});
    return {element_bytes, {std::move(part)}};
}

FillPlan fill_plan(int element_bytes) {
    if (element_bytes == 8) return {4, true, {}};
    return {element_bytes, false, {}};
}

void add_box(FillPlan& plan, std::int64_t first, NdStrides strides,
             std::span<const std::int32_t> dims) {
    const std::int64_t step = plan.in_halves ? 2 : 1;
    for (std::int64_t& stride : strides) stride *= step;
    const std::array<NdStrides, 1> operands{strides};
    RepeatedCommand box = assign_axes(merged_axes(dims, operands), operands.size());
    box.first_to = first * step;
    plan.boxes.push_back(std::move(box));
}

}  // namespace okksim::kernels
