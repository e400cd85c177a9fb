// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/channel_round.h"

#include "kernels/conv/bias_parts.h"
#include "kernels/conv/epilogue_run.h"

namespace okksim::kernels::conv {

Problem channels_of(const Problem& problem, std::int32_t first, std::int32_t count) {
    Problem part = problem;
    part.output_channels = count;
    part.first_channel += first;
    const auto move = [first](std::uint64_t& address, std::int64_t stride, int bytes) {
        address += static_cast<std::uint64_t>(first * stride * bytes);
    };
    move(part.output.address, problem.output.channel, stored_bytes(problem.output.type));
    move(part.weights.address, problem.weights.output, stored_bytes(problem.weights.stored_type()));
    if (problem.bias.present) {
        move(part.bias.address, problem.bias.stride, problem.bias.stored_bytes());
    }
    if (problem.kind == ProblemKind::kDepthwise) {
        part.input_channels = count;
        move(part.input.address, problem.input.channel, stored_bytes(problem.input.type));
    }
    return part;
}

Room room_for(const Problem& problem, const SumRule& rule, const Lanes& lanes,
              std::uint32_t local_bytes) {
    Room room{LocalRange(lanes, local_bytes), 0, 0, {lanes, 0}};
    room.bias =
        room.range.take(BiasParts::bytes(problem.bias, problem.output_channels, lanes.count));
    room.epilogue = room.range.take(EpilogueRun::bytes(rule, problem.output_channels, lanes.count));
    room.machine.local_bytes = local_bytes - room.range.next();
    return room;
}

}  // namespace okksim::kernels::conv
