// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/byte_steps.h"

#include <algorithm>

#include "isa/layout.h"

namespace okksim::kernels::conv {

AxisSlice byte_columns(const Problem& problem) {
    return slice_of(problem.x, AxisMode::kWindow, {0, problem.x.output}, {0, problem.x.taps});
}

AxisSlice byte_rows(const Problem& problem, std::int32_t first, std::int32_t rows) {
    const Range outputs{first, std::min(first + rows, problem.y.output)};
    return slice_of(problem.y, AxisMode::kWindow, outputs, {0, problem.y.taps});
}

std::int64_t byte_tile_count(const Problem& problem, const BytePlan& plan) {
    return isa::div_up(problem.images, plan.images) * isa::div_up(problem.y.output, plan.rows);
}

std::int64_t byte_step_count(const Problem& problem, const BytePlan& plan) {
    return static_cast<std::int64_t>(plan.blocks.size()) * byte_tile_count(problem, plan);
}

ByteStep byte_step(const Problem& problem, const BytePlan& plan, std::int64_t number) {
    const std::int64_t rows = isa::div_up(problem.y.output, plan.rows);
    const std::int64_t tiles = byte_tile_count(problem, plan);
    const std::int64_t tile = number % tiles;
    return {static_cast<std::int32_t>(number / tiles),
            part_of(problem.images, plan.images, static_cast<std::int32_t>(tile / rows)),
            part_of(problem.y.output, plan.rows, static_cast<std::int32_t>(tile % rows))};
}

}  // namespace okksim::kernels::conv
