// SPDX-License-Identifier: Apache-2.0
#include "models/bdc/layers/local_operand.h"

#include <algorithm>
#include <cstring>

namespace okksim::models::bdc {
namespace {

// Floats of slack after a copy, so that whole vectors may be read from its last elements.
constexpr std::int64_t kCopySlack = 64;

}  // namespace

LocalOperand local_operand(LocalMemory& memory, isa::LocalAddr addr, const isa::Dim4& stride,
                           int floats_per_element) {
    LocalOperand operand;
    operand.lane_pitch = memory.lane_pitch() / static_cast<std::int64_t>(sizeof(float));
    operand.start_lane = static_cast<std::int32_t>(addr.value / memory.bytes_per_lane());
    operand.base = memory.floats(0, addr.value % memory.bytes_per_lane());
    operand.begin = memory.floats(0, 0);
    operand.end = memory.floats(0, memory.storage_bytes());
    operand.lanes = memory.lanes();
    operand.n_stride = std::int64_t{stride.n} * floats_per_element;
    operand.c_stride = std::int64_t{stride.c} * floats_per_element;
    operand.h_stride = std::int64_t{stride.h} * floats_per_element;
    operand.w_stride = std::int64_t{stride.w} * floats_per_element;
    return operand;
}

FloatInterval touched(const LocalOperand& operand, const isa::Dim4& shape, int floats_per_element) {
    const std::int64_t slots = isa::channels_per_lane(operand.start_lane, shape.c, operand.lanes);
    FloatInterval span{0, floats_per_element};
    for (const std::int64_t reach :
         {operand.n_stride * (shape.n - 1), operand.c_stride * (slots - 1),
          operand.h_stride * (shape.h - 1), operand.w_stride * (shape.w - 1)}) {
        span.low += std::min<std::int64_t>(reach, 0);
        span.high += std::max<std::int64_t>(reach, 0);
    }
    return span;
}

void separate_from_output(LocalOperand& source, const FloatInterval& source_span,
                          const LocalOperand& output, const FloatInterval& output_span,
                          Scratch& copy) {
    const std::int64_t distance = source.base - output.base;
    if (source_span.low + distance >= output_span.high ||
        output_span.low >= source_span.high + distance) {
        return;
    }
    const std::int64_t pitch = source_span.high - source_span.low;
    float* data = copy.floats(pitch * source.lanes + kCopySlack);
    for (std::int64_t lane = 0; lane < source.lanes; ++lane) {
        std::memcpy(data + lane * pitch, source.base + lane * source.lane_pitch + source_span.low,
                    static_cast<std::size_t>(pitch) * sizeof(float));
    }
    source.base = data - source_span.low;
    source.lane_pitch = pitch;
    source.begin = data;
    source.end = data + pitch * source.lanes + kCopySlack;
}

}  // namespace okksim::models::bdc
