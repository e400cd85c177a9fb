// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/bias_parts.h"

#include <algorithm>

#include "isa/base/errors.h"
#include "kernels/conv/block_transfer.h"
#include "kernels/conv/operand.h"
#include "kernels/conv/prepared_layout.h"
#include "kernels/prim/convert.h"
#include "kernels/prim/raw.h"

namespace okksim::kernels::conv {

using prim::LocalTensor;
using tosa::DType;

std::uint32_t BiasParts::bytes(const Bias& bias, std::int32_t channels, int lanes) {
    return bias.present ? ChannelVectors::bytes(bias_parts(bias.type), channels, lanes) : 0;
}

void BiasParts::load(prim::Scratch& scratch) const {
    if (!present()) return;
    if (bias_.prepared) {
        parts_.load(bias_.address, bias_parts(bias_.type), bias_.part_stride, bias_.stride);
        return;
    }
    // Lines per channel slot: one for packed values and one for each plane of widen().
    constexpr std::uint32_t kLines = 5;
    const auto line = static_cast<std::uint32_t>(scratch.lanes().line_bytes());
    const std::uint32_t slots = scratch.bytes_left() / (kLines * line);
    OKKSIM_CHECK(slots > 0);
    const std::int32_t round = static_cast<std::int32_t>(slots) * lanes_;
    for (std::int32_t first = 0; first < channels_; first += round) {
        prepare(first, std::min(round, channels_ - first), scratch);
    }
}

LocalTensor BiasParts::vector(int index, std::int32_t first, std::int32_t count) const {
    return {part(index, first), dim4{1, count, 1, 1}, dim4{1, 1, 1, 1}};
}

void BiasParts::upper_half_to_float() const {
    if (!present()) return;
    constexpr std::int32_t kMostSlots = 32;
    for (std::int32_t first = 0; first < channels_; first += kMostSlots * lanes_) {
        const LocalTensor upper =
            vector(1, first, std::min(kMostSlots * lanes_, channels_ - first));
        prim::signed_high_half_to_float(upper, upper, 16);
    }
}

void BiasParts::prepare(std::int32_t first, std::int32_t count, prim::Scratch& scratch) const {
    const Bias& bias = bias_;
    const int bytes = stored_bytes(bias.type);
    const std::uint64_t from =
        bias.address + static_cast<std::uint64_t>(first * bias.stride * bytes);
    const auto load_words = [&](int part, int word) {
        const std::int64_t step = bias.stride * bytes / 4;
        load_block(vector(part, first, count).address, from + static_cast<std::uint64_t>(4 * word),
                   {4, {1, count, 1, 1}, {0, step, 0, 0}, {0, 1, 0, 0}});
    };
    const auto part = [&](int index) { return vector(index, first, count); };
    switch (bias.type) {
        case DType::kFp32: load_words(0, 0); return;
        case DType::kI32:
            load_words(1, 0);
            prim::unsigned_half_to_float(part(0), part(1), prim::Half::kLow, 0);
            prim::raw::bit_and(part(1), part(1), 0xFFFF0000u);
            return;
        case DType::kI48:
            load_words(1, 0);
            load_words(2, 1);
            prim::unsigned_half_to_float(part(0), part(1), prim::Half::kLow, 0);
            prim::unsigned_half_to_float(part(1), part(1), prim::Half::kHigh, 16);
            prim::signed_low_half_to_float(part(2), part(2), 32);
            return;
        case DType::kUnknown:
        case DType::kBool:
        case DType::kI4:
        case DType::kI8:
        case DType::kI16:
        case DType::kFp16:
        case DType::kBf16:
        case DType::kFp8E4M3:
        case DType::kFp8E5M2:
        case DType::kShape: break;
    }
    prim::Scratch::Frame frame(scratch);
    const LocalTensor packed = frame.plane({1, count, 1, 1});
    const std::int64_t step = scratch.lanes().line_bytes() / bytes;
    load_block(packed.address, from,
               {bytes, {1, count, 1, 1}, {0, bias.stride, 0, 0}, {0, step, 0, 0}});
    const LocalTensor target = part(0);
    widen({&target, 1}, {packed.address, bias.type, false}, 0, scratch);
}

}  // namespace okksim::kernels::conv
