// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>

#include "isa/base/errors.h"
#include "kernels/call/constant_values.h"
#include "kernels/conv/byte_plan.h"
#include "kernels/conv/folded_plan.h"
#include "kernels/conv/operator_problem.h"
#include "kernels/conv/prepared_layout.h"

namespace okksim::kernels::conv {
namespace {

using tosa::DType;

constexpr std::uint32_t kInfinity = 0x7F800000u;

std::uint32_t word_of(float value) { return std::bit_cast<std::uint32_t>(value); }

/// A floating-point format with five bits of exponent, left-aligned in 16 bits, as fp32.
/// Denormals become zero.
std::uint32_t widened_half(std::uint32_t bits) {
    constexpr std::uint32_t kRebias = (127 - 15) << 23;
    const std::uint32_t sign = (bits & 0x8000u) << 16;
    const std::uint32_t magnitude = (bits & 0x7FFFu) << 13;
    if (magnitude >= 0x1Fu << 23) return sign | kInfinity | (magnitude & 0x007FFFFFu);
    return sign | (magnitude < 1u << 23 ? 0 : magnitude + kRebias);
}

/// fp8 as fp32, with denormals. `fraction`: bits of the fraction.
std::uint32_t widened_fp8(std::uint32_t bits, int fraction, int bias) {
    const std::uint32_t sign = (bits & 0x80u) << 24;
    const std::uint32_t magnitude = bits & 0x7Fu;
    if (magnitude >> fraction == 0) {
        const float unit =
            std::bit_cast<float>(static_cast<std::uint32_t>(128 - bias - fraction) << 23);
        return sign | word_of(static_cast<float>(magnitude) * unit);
    }
    const std::uint32_t word =
        (magnitude << (23 - fraction)) + (static_cast<std::uint32_t>(127 - bias) << 23);
    return sign | word;
}

/// The word that convolutions compute with, before the zero point is subtracted.
std::uint32_t widened(DType type, const unsigned char* bytes) {
    switch (type) {
        case DType::kI4:
        case DType::kI8: return word_of(stored_value<std::int8_t>(bytes));
        case DType::kI16: return word_of(stored_value<std::int16_t>(bytes));
        case DType::kFp16: return widened_half(stored_value<std::uint16_t>(bytes));
        case DType::kBf16: return std::uint32_t{stored_value<std::uint16_t>(bytes)} << 16;
        case DType::kFp8E4M3: {
            constexpr std::uint32_t kNan = 0x7FC00000u;
            const std::uint32_t word = widened_fp8(*bytes, 3, 7);
            return (*bytes & 0x7Fu) == 0x7Fu ? word | kNan : word;
        }
        case DType::kFp8E5M2: {
            const std::uint32_t word = widened_fp8(*bytes, 2, 15);
            return (*bytes & 0x7Cu) == 0x7Cu ? word | kInfinity : word;
        }
        case DType::kUnknown:
        case DType::kBool:
        case DType::kI32:
        case DType::kI48:
        case DType::kFp32:
        case DType::kShape: break;
    }
    OKKSIM_CHECK(false);
}

/// Parts of a bias in the form of BiasParts.
std::array<std::uint32_t, 3> parts_of(DType type, const unsigned char* bytes) {
    if (type == DType::kI32) {
        const auto value = stored_value<std::uint32_t>(bytes);
        return {word_of(static_cast<float>(value & 0xFFFFu)), value & 0xFFFF0000u, 0};
    }
    if (type == DType::kI48) {
        const auto value = stored_value<std::int64_t>(bytes);
        const auto low = static_cast<std::uint32_t>(value);
        return {word_of(static_cast<float>(low & 0xFFFFu)),
                word_of(static_cast<float>(low >> 16) * 0x1p16f),
                word_of(static_cast<float>(static_cast<std::int16_t>(value >> 32)) * 0x1p32f)};
    }
    return {widened(type, bytes), 0, 0};
}

void prepare_bias(const DeviceTensor& bias, std::uint64_t to, const ConstantMemory& memory) {
    const auto count = static_cast<std::size_t>(bias.count());
    const auto parts = static_cast<std::size_t>(bias_parts(bias.type));
    const auto step = static_cast<std::size_t>(stored_bytes(bias.type));
    const unsigned char* const values = memory.read(bias.address, count * step);
    std::vector<std::uint32_t> words(parts * count);
    for (std::size_t c = 0; c < count; ++c) {
        const auto own = parts_of(bias.type, values + c * step);
        for (std::size_t i = 0; i < parts; ++i) words[i * count + c] = own[i];
    }
    memory.write_values(to, words);
}

/// Writes the rows of the RESCALE that follows.
void prepare_scales(const OperatorCall& call, const DecisionList& decisions,
                    const ConstantMemory& memory) {
    for (const RoundPlan* round : rounds_of(decisions)) {
        if (!round->rule.scale) continue;
        memory.write_values(call.prepared + round->rule.scale_offset,
                            round->rule.scale->constants());
    }
}

std::int64_t zero_point(const DeviceTensor& operand, const ConstantMemory& memory) {
    if (tosa::is_floating_point(operand.type)) return 0;
    const auto bytes = static_cast<std::size_t>(stored_bytes(operand.type));
    const auto* value = reinterpret_cast<const std::byte*>(memory.read(operand.address, bytes));
    return integer_values(operand.type, {value, bytes}, 1).front();
}

}  // namespace

void prepare_values(const DeviceTensor& values, std::int64_t zero_point, std::uint64_t to,
                    const ConstantMemory& memory) {
    // Values that are converted at a time: 4 MiB of words.
    constexpr std::int64_t kMost = std::int64_t{1} << 20;
    const std::int64_t bytes = stored_bytes(values.type);
    const std::int64_t all = values.count();
    std::vector<std::uint32_t> words;
    for (std::int64_t first = 0; first < all; first += kMost) {
        const std::int64_t count = std::min(kMost, all - first);
        const unsigned char* from =
            memory.read(values.address + static_cast<std::uint64_t>(first * bytes),
                        static_cast<std::uint64_t>(count * bytes));
        words.resize(static_cast<std::size_t>(count));
        for (std::uint32_t& word : words) {
            word = widened(values.type, from);
            if (zero_point != 0) {
                word = word_of(std::bit_cast<float>(word) - static_cast<float>(zero_point));
            }
            from += bytes;
        }
        memory.write_values(to + static_cast<std::uint64_t>(4 * first), words);
    }
}

std::vector<std::size_t> operands_only_prepared(const DecisionList& decisions) {
    constexpr std::size_t kWeights = 1, kBias = 2;
    if (!folded_plans_of(decisions).empty()) return {kWeights, kBias};
    if (const auto plans = byte_plans_of(decisions); !plans.empty()) {
        // A product of matrices has no bias, and its factors are not packed.
        if (!plans.front()->packed.bias.present) return {};
        return {kWeights, kBias};
    }
    const PreparedLayout layout = prepared_layout(decisions);
    std::vector<std::size_t> operands;
    if (layout.weights) operands.push_back(kWeights);
    if (layout.bias) operands.push_back(kBias);
    return operands;
}

void prepare_operands(const OperatorCall& call, const DecisionList& decisions,
                      const ConstantMemory& memory) {
    const PreparedLayout layout = prepared_layout(decisions);
    const auto operand = [&](std::size_t index, std::int64_t offset) {
        return call.inputs[index].address + static_cast<std::uint64_t>(offset);
    };
    for (const BytePlan* plan : byte_plans_of(decisions)) {
        pack_constants(*plan, operand(1, plan->weight_offset), operand(2, plan->bias_offset),
                       call.prepared + plan->prepared, memory);
    }
    for (const FoldedPlan* plan : folded_plans_of(decisions)) {
        pack_folded(*plan, operand(1, plan->weight_offset), operand(2, plan->bias_offset),
                    call.prepared + plan->prepared, memory);
    }
    prepare_scales(call, decisions, memory);
    if (layout.bias) prepare_bias(call.inputs[2], call.prepared, memory);
    if (layout.weights) {
        prepare_values(call.inputs[1], zero_point(call.inputs[4], memory),
                       call.prepared + layout.weights_offset, memory);
    }
}

}  // namespace okksim::kernels::conv
