// SPDX-License-Identifier: Apache-2.0
#include "kernels/rescale/rescale_operands.h"

#include <cstring>
#include <string>

#include "firmware/okk_access.h"
#include "isa/base/errors.h"
#include "kernels/call/computing.h"
#include "kernels/call/violations.h"

namespace okksim::kernels {
namespace {

using tosa::DType;

/// Positions of the operands in the specification's order.
enum Operand : std::size_t {
    kMultiplier = 1,
    kShift = 2,
    kInputZeroPoint = 3,
    kOutputZeroPoint = 4
};

std::int64_t signed_or_unsigned(const DeviceTensor& tensor, bool is_unsigned,
                                const ReadValues& read) {
    const std::int64_t value = read(tensor).front();
    if (!is_unsigned) return value;
    return tensor.type == DType::kI8 ? value & 0xFF : value & 0xFFFF;
}

}  // namespace

std::vector<prim::ScaleFactor> read_factors(const OperatorCall& call, const ReadValues& read) {
    const std::vector<std::int64_t> multipliers = read(call.inputs[kMultiplier]);
    const std::vector<std::int64_t> shifts = read(call.inputs[kShift]);
    std::vector<prim::ScaleFactor> factors;
    for (std::size_t c = 0; c < multipliers.size(); ++c) {
        const std::string index = "[" + std::to_string(c) + "]";
        if (multipliers[c] < 0) {
            throw_unpredictable(call, "multiplier" + index, std::to_string(multipliers[c]),
                                "multiplier >= 0");
        }
        if (shifts[c] < 2 || shifts[c] > 62) {
            throw_unpredictable(call, "shift" + index, std::to_string(shifts[c]),
                                "2 <= shift && shift <= 62");
        }
        factors.push_back({static_cast<std::int32_t>(multipliers[c]), static_cast<int>(shifts[c])});
    }
    return factors;
}

prim::ScaleRounding scale_rounding(const OperatorCall& call) {
    switch (call.attributes_as<tosa::RescaleAttributes>().rounding_mode) {
        case tosa::RoundingMode::kDoubleRound: return prim::ScaleRounding::kDouble;
        case tosa::RoundingMode::kInexactRound: return prim::ScaleRounding::kInexact;
        case tosa::RoundingMode::kSingleRound:
        case tosa::RoundingMode::kUnknown: return prim::ScaleRounding::kSingle;
    }
    OKKSIM_CHECK(false);
}

std::int64_t input_zero_point(const OperatorCall& call, const ReadValues& read) {
    return signed_or_unsigned(call.inputs[kInputZeroPoint],
                              call.attributes_as<tosa::RescaleAttributes>().input_unsigned, read);
}

prim::ScaleOutput scale_output(const OperatorCall& call, DType type, const ReadValues& read) {
    if (type == DType::kI32) return prim::kInt32Output;
    const bool is_unsigned = call.attributes_as<tosa::RescaleAttributes>().output_unsigned;
    const std::int32_t span = type == DType::kI8 ? 256 : 65536;
    const std::int32_t low = is_unsigned ? 0 : -span / 2;
    const std::int64_t zero = signed_or_unsigned(call.inputs[kOutputZeroPoint], is_unsigned, read);
    return {low, low + span - 1, static_cast<std::int32_t>(zero)};
}

WordForm scaled_form(const OperatorCall& call, DType type) {
    if (type == DType::kI32) return WordForm::kValue;
    const bool is_unsigned = call.attributes_as<tosa::RescaleAttributes>().output_unsigned;
    return is_unsigned ? WordForm::kUnsignedFloat : WordForm::kFloat;
}

void store_rows(std::uint64_t address, std::span<const float> values) {
    if (values.empty()) return;
    charge(OwnWork::kConstantValue, values.size());
    std::memcpy(okk_store_addr(address, values.size_bytes()), values.data(), values.size_bytes());
}

std::uint64_t place_on_chip(std::span<const float> values) {
    OKKSIM_CHECK(values.size_bytes() <= okk_l2_sram_size());
    const std::uint64_t address = okk_l2_sram_start_addr();
    okk_poll();  // earlier commands may still read this memory
    store_rows(address, values);
    return address;
}

}  // namespace okksim::kernels
