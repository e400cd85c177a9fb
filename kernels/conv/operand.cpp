// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/operand.h"

#include "isa/base/errors.h"
#include "kernels/prim/convert.h"
#include "kernels/prim/exact_sum.h"
#include "kernels/prim/float_formats.h"
#include "kernels/prim/raw.h"

namespace okksim::kernels::conv {
namespace {

using prim::LocalTensor;
using prim::Scratch;
using tosa::DType;

constexpr int kLimbUnit = 8;

/// Converts fp16 to fp32. Denormals become zero, which convolutions allow (TOSA 1.0.1, 2.3.3), and
/// this takes fewer commands.
void fp16_to_float(const LocalTensor& words, local_addr_t packed, Scratch& scratch) {
    constexpr std::uint32_t kSignAndValue = 0x8FFFE000u;  // in place for fp32
    constexpr std::uint32_t kInfinity = 0x7F800000u;
    constexpr float kRebias = 0x1p112f;      // 2^(127 - 15)
    constexpr float kBeyondFp16 = 65535.0f;  // infinity and NaN give 65536 and more
    if (scratch.lanes().has(isa::Feature::kConvert)) {
        return prim::unpack_half(words, packed, OKK_FP16, scratch);
    }
    prim::unpack_16bit(words, packed, true, scratch);
    prim::raw::shift_left(words, words, 13);
    prim::raw::bit_and(words, words, kSignAndValue);
    prim::raw::multiply(words, words, kRebias);
    Scratch::Frame frame(scratch);
    const LocalTensor special = frame.plane(words.shape);
    prim::raw::bit_and(special, words, 0x7FFFFFFFu);
    prim::raw::select_greater(special, special, kBeyondFp16, kInfinity);
    prim::raw::bit_or(words, words, special);
}

/// fp32 words of the packed elements.
void to_float(const LocalTensor& words, local_addr_t packed, DType type, Scratch& scratch) {
    switch (type) {
        case DType::kI4:
        case DType::kI8: prim::unpack_8bit_to_float(words, packed, true, scratch); return;
        case DType::kI16: prim::unpack_16bit_to_float(words, packed, true, scratch); return;
        case DType::kFp16: fp16_to_float(words, packed, scratch); return;
        case DType::kBf16: prim::unpack_half(words, packed, OKK_BF16, scratch); return;
        case DType::kFp8E4M3:
            prim::unpack_8bit(words, packed, false, scratch);
            prim::fp8e4m3_to_float(words, words, scratch);
            return;
        case DType::kFp8E5M2:
            prim::unpack_8bit(words, packed, false, scratch);
            prim::fp8e5m2_to_float(words, words, scratch);
            return;
        case DType::kUnknown:
        case DType::kBool:
        case DType::kI32:
        case DType::kI48:
        case DType::kFp32:
        case DType::kShape: break;
    }
    OKKSIM_CHECK(false);
}

}  // namespace

int widen_planes(DType type) {
    const bool small_float =
        type == DType::kFp16 || type == DType::kFp8E4M3 || type == DType::kFp8E5M2;
    return small_float ? prim::kWidenPlanes : 0;
}

void widen(std::span<const LocalTensor> targets, const Loaded& loaded, std::int64_t zero_point,
           Scratch& scratch) {
    const LocalTensor& last = targets.back();
    const LocalTensor source{loaded.address, last.shape, std::nullopt};
    if (!is_narrow(loaded.type)) {
        prim::raw::copy(last, source);
        return;
    }
    Scratch::Frame frame(scratch);
    LocalTensor words = source;
    if (loaded.spread) {
        prim::raw::byte_to_float(words, words);
    } else {
        words = last.stride ? frame.plane(last.shape) : last;
        to_float(words, loaded.address, loaded.type, scratch);
    }
    if (targets.size() == kMostLimbs) {
        prim::split_float(targets[0], last, words, kLimbUnit);
    } else if (zero_point != 0) {
        prim::raw::subtract(last, words, static_cast<float>(zero_point));
    } else if (words.address != last.address) {
        prim::raw::copy(last, words);
    }
}

}  // namespace okksim::kernels::conv
