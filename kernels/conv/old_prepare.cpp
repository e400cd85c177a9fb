// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels/call/computing.h"
#include "kernels/call/constant_values.h"
#include "kernels/conv/bias_parts.h"
#include "kernels/conv/block_transfer.h"
#include "kernels/conv/operand.h"
#include "kernels/conv/operator_problem.h"
#include "kernels/conv/prepared_layout.h"
#include "kernels/conv/step_shapes.h"
#include "kernels/rescale/rescale_operands.h"

namespace okksim::kernels::conv {
namespace {

/// Prepares the parts of the bias, in rounds of channels that always fit local memory.
void prepare_bias(const DeviceTensor& bias, std::uint64_t to) {
    constexpr std::int32_t kSlots = 8;
    const Lanes lanes = chip_lanes();
    const auto all = static_cast<std::int32_t>(bias.count());
    for (std::int32_t first = 0; first < all; first += kSlots * lanes.count) {
        const std::int32_t count = std::min(kSlots * lanes.count, all - first);
        Bias part{.present = true, .address = bias.address, .type = bias.type, .stride = 1};
        part.address += static_cast<std::uint64_t>(first * stored_bytes(bias.type));
        const std::uint32_t taken = static_cast<std::uint32_t>(
            lanes.whole_line_bytes(BiasParts::bytes(part, count, lanes.count)));
        prim::Scratch scratch(taken, okk_local_mem_size_per_npu() - taken, lanes);
        const BiasParts parts(part, count, 0, lanes.count);
        parts.load(scratch);
        for (int i = 0; i < bias_parts(bias.type); ++i) {
            store_block(to + static_cast<std::uint64_t>(4 * (std::int64_t{i} * all + first)),
                        parts.part(i, 0), {4, {1, count, 1, 1}, {0, 1, 0, 0}, {0, 1, 0, 0}});
        }
    }
}

}  // namespace

void prepare_values(const DeviceTensor& values, std::int64_t zero_point, std::uint64_t to) {
    const Lanes lanes = chip_lanes();
    const int bytes = stored_bytes(values.type);
    // Planes for packed values, words and the scratch of widen().
    constexpr std::int64_t kPlanes = 4;
    const std::int64_t most = std::int64_t{okk_local_mem_size_per_npu()} / (4 * kPlanes) /
                              lanes.line_bytes() * lanes.line_bytes();
    const std::int64_t all = values.count();
    const std::int64_t row = std::min(most, lanes.whole_line_bytes(lanes.slots(all)));
    for (std::int64_t first = 0; first < all;) {
        const std::int64_t rest = all - first;
        const auto rows = static_cast<int>(std::clamp<std::int64_t>(rest / row, 1, lanes.count));
        const auto width = static_cast<int>(std::min(row, rest));
        const dim4 shape{1, rows, 1, width};
        const std::uint32_t plane = prim::plane_bytes(shape, lanes);
        prim::Scratch scratch(2 * plane, okk_local_mem_size_per_npu() - 2 * plane, lanes);
        const prim::LocalTensor words{plane, shape, std::nullopt};
        load_block(0, values.address + static_cast<std::uint64_t>(first * bytes),
                   {bytes, shape, {0, width, 0, 1}, aligned_strides(shape, bytes, lanes)});
        widen({&words, 1}, {0, values.type, false}, zero_point, scratch);
        store_block(to + static_cast<std::uint64_t>(first * 4), plane,
                    {4, shape, {0, width, 0, 1}, aligned_strides(shape, 4, lanes)});
        first += std::int64_t{rows} * width;
    }
}

namespace {

/// Stores the rows of the RESCALE that follows. The control processor stores them itself.
void prepare_scales(const OperatorCall& call, const DecisionList& decisions) {
    for (const RoundPlan* round : rounds_of(decisions)) {
        if (!round->rule.scale) continue;
        store_rows(call.prepared + round->rule.scale_offset, round->rule.scale->constants());
    }
}

}  // namespace

void prepare_operands(const OperatorCall& call, const DecisionList& decisions) {
    charge(OwnWork::kPreparing);
    const PreparedLayout layout = prepared_layout(decisions);
    for (const BytePlan* plan : byte_plans_of(decisions)) {
        pack_constants(*plan,
                       call.inputs[1].address + static_cast<std::uint64_t>(plan->weight_offset),
                       call.inputs[2].address + static_cast<std::uint64_t>(plan->bias_offset),
                       call.prepared + plan->prepared);
    }
    for (const FoldedPlan* plan : folded_plans_of(decisions)) {
        pack_folded(*plan, call.inputs[1].address + static_cast<std::uint64_t>(plan->weight_offset),
                    call.inputs[2].address + static_cast<std::uint64_t>(plan->bias_offset),
                    call.prepared + plan->prepared);
    }
    prepare_scales(call, decisions);
    if (layout.bias) prepare_bias(call.inputs[2], call.prepared);
    if (layout.weights) {
        prepare_values(call.inputs[1], zero_point(call.inputs[4]),
                       call.prepared + layout.weights_offset);
    }
}

}  // namespace okksim::kernels::conv
