// SPDX-License-Identifier: Apache-2.0
// TOSA 1.0.1 section 2.13.2: RESCALE.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "isa/errors.h"
#include "kernels/constant_values.h"
#include "kernels/pointwise.h"
#include "kernels/prim/magic.h"
#include "kernels/prim/raw.h"
#include "kernels/prim/rescale.h"
#include "kernels/processor_bytes.h"
#include "kernels/violations.h"

namespace okksim::kernels {
namespace {

using prim::LocalTensor;
using prim::Rescale;
using prim::ScaleFactor;
using tosa::DType;

/// The operands in the specification's order.
struct Operands {
    const DeviceTensor& input;
    const DeviceTensor& multiplier;
    const DeviceTensor& shift;
    const DeviceTensor& input_zp;
    const DeviceTensor& output_zp;
};
Operands operands_of(const OperatorCall& call) {
    return {call.inputs[0], call.inputs[1], call.inputs[2], call.inputs[3], call.inputs[4]};
}

std::vector<ScaleFactor> read_factors(const OperatorCall& call) {
    const Operands operands = operands_of(call);
    const std::vector<std::int64_t> multipliers = all_values(operands.multiplier);
    const std::vector<std::int64_t> shifts = all_values(operands.shift);
    std::vector<ScaleFactor> factors;
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

std::int64_t zero_point(const DeviceTensor& tensor, bool is_unsigned) {
    const std::int64_t value = zero_point(tensor);
    if (!is_unsigned) return value;
    return tensor.type == DType::kI8 ? value & 0xFF : value & 0xFFFF;
}

prim::ValueForm value_form(DType type) {
    if (type == DType::kI8) return prim::ValueForm::kFloat8;
    if (type == DType::kI16) return prim::ValueForm::kFloat16;
    return type == DType::kI32 ? prim::ValueForm::kInt32 : prim::ValueForm::kInt48;
}

prim::ScaleRounding rounding(tosa::RoundingMode mode) {
    switch (mode) {
        case tosa::RoundingMode::kDoubleRound: return prim::ScaleRounding::kDouble;
        case tosa::RoundingMode::kInexactRound: return prim::ScaleRounding::kInexact;
        case tosa::RoundingMode::kSingleRound:
        case tosa::RoundingMode::kUnknown: return prim::ScaleRounding::kSingle;
    }
    OKKSIM_CHECK(false);
}

prim::ScaleOutput scale_output(const OperatorCall& call) {
    const DType type = call.outputs[0].type;
    if (type == DType::kI32) return prim::kInt32Output;
    const bool is_unsigned = call.attributes_as<tosa::RescaleAttributes>().output_unsigned;
    const std::int32_t span = type == DType::kI8 ? 256 : 65536;
    const std::int32_t low = is_unsigned ? 0 : -span / 2;
    return {low, low + span - 1,
            static_cast<std::int32_t>(zero_point(operands_of(call).output_zp, is_unsigned))};
}

WordForm float_form(bool is_unsigned) {
    return is_unsigned ? WordForm::kUnsignedFloat : WordForm::kFloat;
}

/// Puts a plan's constants, [rows][channels], into the on-chip memory of the control processor and
/// describes them as tensors that broadcast to `output`.
PointwiseInput constant_rows(const Rescale& plan, const DeviceTensor& output) {
    const std::vector<float> values = plan.constants();
    PointwiseInput rows;
    rows.tensor.type = DType::kFp32;
    rows.tensor.rank = output.rank;
    rows.tensor.dims.fill(1);
    const auto last = static_cast<std::size_t>(output.rank - 1);
    rows.tensor.dims[last] = output.dims[last];
    rows.tensor.strides.fill(0);
    rows.tensor.strides[last] = 1;
    rows.copies = plan.constant_rows();
    rows.tensor.address = okk_l2_sram_start_addr();
    okk_poll();  // commands of the operator before may still read there
    std::memcpy(okk_l2_sram_addr(okk_l2_sram_start_addr()), values.data(),
                values.size() * sizeof(float));
    count_processor_bytes(values.size() * sizeof(float));
    return rows;
}

/// apply_scale_32 takes values in -2^(shift-1) .. 2^(shift-1)-1: the exponent shift - 1 of the
/// widest channel, or nothing where every value of the input is inside.
std::optional<int> value_limit(const OperatorCall& call, std::span<const ScaleFactor> factors,
                               float input_zp) {
    const auto& attributes = call.attributes_as<tosa::RescaleAttributes>();
    if (!attributes.scale32) return std::nullopt;
    int exponent = 0;
    for (const ScaleFactor& factor : factors) exponent = std::max(exponent, factor.shift - 1);
    const int bits = 8 * stored_bytes(call.inputs[0].type);
    const double low = (attributes.input_unsigned ? 0.0 : -std::ldexp(1.0, bits - 1)) - input_zp;
    const double high = low + std::ldexp(1.0, bits) - 1;
    const double limit = std::ldexp(1.0, exponent);
    if (low >= -limit && high < limit) return std::nullopt;
    return exponent;
}

/// Sets the sign bit of `violations` where a value is not in -2^exponent .. 2^exponent - 1.
void check_float_values(const LocalTensor& violations, const LocalTensor& value, int exponent,
                        prim::Scratch& scratch) {
    prim::Scratch::Frame frame(scratch);
    const LocalTensor hit = frame.plane(violations.shape);
    const auto limit = static_cast<float>(std::ldexp(1.0, exponent));
    prim::raw::select_less(hit, value, -limit, prim::kSignBit);
    prim::raw::bit_or(violations, violations, hit);
    prim::raw::select_greater(hit, value, limit - 0.5f, prim::kSignBit);
    prim::raw::bit_or(violations, violations, hit);
}
void check_words(const LocalTensor& violations, const LocalTensor& value, int exponent,
                 prim::Scratch& scratch) {
    prim::Scratch::Frame frame(scratch);
    const LocalTensor upper = frame.plane(violations.shape);
    const LocalTensor sign = frame.plane(violations.shape);
    // The bits above are all zeros or all ones.
    prim::raw::shift_right_arithmetic(upper, value, exponent);
    prim::raw::shift_right_arithmetic(sign, value, 31);
    prim::raw::select_equal(upper, upper, sign, prim::kSignBit);
    prim::raw::bit_xor(upper, upper, prim::kSignBit);
    prim::raw::bit_or(violations, violations, upper);
}
constexpr int kValueCheckPlanes = 2;

/// The operator for some of the channels.
class RescaleOperator {
 public:
    RescaleOperator(const OperatorCall& call, std::span<const ScaleFactor> factors,
                    const prim::ScaleOutput& output, float input_zp)
        : plan_(value_form(call.inputs[0].type), factors,
                rounding(call.attributes_as<tosa::RescaleAttributes>().rounding_mode), output),
          input_zp_(input_zp),
          is_word_(stored_bytes(call.inputs[0].type) >= 4),
          value_limit_(value_limit(call, factors, input_zp)) {}

    /// `input` and `output`: the channels' part of the operands.
    void run(const OperatorCall& call, const DeviceTensor& input, const DeviceTensor& output) {
        const auto& attributes = call.attributes_as<tosa::RescaleAttributes>();
        PointwiseOperator op;
        op.inputs.push_back(
            {input, is_word_ ? WordForm::kValue : float_form(attributes.input_unsigned)});
        if (plan_.constant_rows() > 0) op.inputs.push_back(constant_rows(plan_, output));
        op.output = output;
        op.output_form =
            output.type == DType::kI32 ? WordForm::kValue : float_form(attributes.output_unsigned);
        op.checks = value_limit_.has_value();
        op.planes = std::max(plan_.planes(), kValueCheckPlanes) + (input_zp_ != 0 ? 1 : 0);
        op.commands = 20;
        op.body = [this](const PointwiseTile& tile) { scale(tile); };
        if (run_pointwise(op)) {
            throw_unpredictable(call, "input", "some element",
                                "value >= (-1 << (shift - 1)) && value < (1 << (shift - 1))");
        }
    }

    std::size_t constant_bytes() const { return plan_.constants().size() * sizeof(float); }

 private:
    void scale(const PointwiseTile& tile) {
        prim::Scratch::Frame frame(tile.scratch);
        const LocalTensor& value = tile.inputs[0];
        const std::size_t values = is_wide(tile) ? 2 : 1;
        const auto rows = tile.inputs.subspan(values);
        if (is_wide(tile)) {
            plan_.run(tile.output, prim::WideTensor{value, tile.inputs[1]}, rows, tile.scratch);
        } else if (input_zp_ != 0) {
            const LocalTensor shifted = frame.plane(tile.output.shape);
            prim::raw::subtract(shifted, value, input_zp_);
            scale_value(tile, shifted, rows);
        } else {
            scale_value(tile, value, rows);
        }
    }
    void scale_value(const PointwiseTile& tile, const LocalTensor& value,
                     std::span<const LocalTensor> rows) const {
        if (value_limit_) {
            const auto check = is_word_ ? check_words : check_float_values;
            check(*tile.violations, value, *value_limit_, tile.scratch);
        }
        plan_.run(tile.output, value, rows, tile.scratch);
    }
    bool is_wide(const PointwiseTile& tile) const {
        return static_cast<int>(tile.inputs.size()) == plan_.constant_rows() + 2;
    }

    Rescale plan_;
    float input_zp_;
    bool is_word_;  ///< values are words, not floats
    std::optional<int> value_limit_;
};

/// Channels [first, first + count) of a tensor.
DeviceTensor channels(DeviceTensor tensor, std::size_t first, std::size_t count) {
    const auto last = static_cast<std::size_t>(tensor.rank - 1);
    tensor.address += first * static_cast<std::size_t>(tensor.strides[last]) *
                      static_cast<std::size_t>(stored_bytes(tensor.type));
    tensor.dims[last] = static_cast<std::int32_t>(count);
    return tensor;
}

/// Constants per channel at most: a factor, its digits, double rounding, tie positions.
constexpr std::size_t kMostRows = 16;

}  // namespace

/// RESCALE: every combination of types and rounding. Many channels go in parts whose constants fit
/// the on-chip memory.
void rescale_kernel(const OperatorCall& call) {
    const auto& attributes = call.attributes_as<tosa::RescaleAttributes>();
    const std::vector<ScaleFactor> factors = read_factors(call);
    const auto input_zp =
        static_cast<float>(zero_point(operands_of(call).input_zp, attributes.input_unsigned));
    const prim::ScaleOutput output = scale_output(call);
    if (factors.size() == 1) {
        RescaleOperator(call, factors, output, input_zp).run(call, call.inputs[0], call.outputs[0]);
        return;
    }
    const std::size_t most = okk_l2_sram_size() / (kMostRows * sizeof(float));
    for (std::size_t first = 0; first < factors.size(); first += most) {
        const std::size_t count = std::min(most, factors.size() - first);
        RescaleOperator part(call, std::span(factors).subspan(first, count), output, input_zp);
        OKKSIM_CHECK(part.constant_bytes() <= okk_l2_sram_size());
        part.run(call, channels(call.inputs[0], first, count),
                 channels(call.outputs[0], first, count));
    }
}

}  // namespace okksim::kernels
