// SPDX-License-Identifier: Apache-2.0
// TOSA 1.0.1 section 2.13.2: RESCALE.
#include <algorithm>
#include <cstring>
#include <memory>
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
#include "kernels/tosa/rescale_range.h"
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

/// Puts rows of constants, one value per channel, into the on-chip memory of the control processor
/// and describes them as tensors that broadcast to `output`.
PointwiseInput constant_rows(std::span<const float> values, int rows, const DeviceTensor& output) {
    PointwiseInput input;
    input.tensor.type = DType::kFp32;
    input.tensor.rank = output.rank;
    input.tensor.dims.fill(1);
    const auto last = static_cast<std::size_t>(output.rank - 1);
    input.tensor.dims[last] = output.dims[last];
    input.tensor.strides.fill(0);
    input.tensor.strides[last] = 1;
    input.copies = rows;
    input.tensor.address = okk_l2_sram_start_addr();
    okk_poll();  // commands of the operator before may still read there
    std::memcpy(okk_l2_sram_addr(okk_l2_sram_start_addr()), values.data(), values.size_bytes());
    count_processor_bytes(values.size_bytes());
    return input;
}

/// The values of the input less its zero point that its type allows.
ValueRange input_values(const OperatorCall& call, std::int64_t input_zp) {
    const DType type = call.inputs[0].type;
    const int bits = type == DType::kI48 ? 48 : 8 * stored_bytes(type);
    const bool is_unsigned = call.attributes_as<tosa::RescaleAttributes>().input_unsigned;
    const std::int64_t low = is_unsigned ? 0 : -(std::int64_t{1} << (bits - 1));
    return {low - input_zp, low + (std::int64_t{1} << bits) - 1 - input_zp};
}

/// The operator for some of the channels.
class RescaleOperator {
 public:
    RescaleOperator(const OperatorCall& call, std::span<const ScaleFactor> factors,
                    const prim::ScaleOutput& output, std::int64_t input_zp)
        : call_(call),
          attributes_(call.attributes_as<tosa::RescaleAttributes>()),
          plan_(value_form(call.inputs[0].type), factors, rounding(attributes_.rounding_mode),
                output),
          input_zp_(static_cast<float>(input_zp)),
          words_(stored_bytes(call.inputs[0].type) / 4) {
        for (const ScaleFactor& factor : factors) {
            ranges_.push_back(attributes_.scale32 ? scale32_values(factor)
                                                  : scale16_values(factor, output.zero_point));
        }
        watched_ = suspicion_factors(ranges_, input_values(call, input_zp));
    }

    /// `input` and `output`: the channels' part of the operands. Values that may be outside their
    /// range are looked for on the way; only when there are any, all are compared exactly.
    void run(const DeviceTensor& input, const DeviceTensor& output) {
        if (!run_pointwise(scaling(input, output))) return;
        if (run_pointwise(comparison(input, output))) {
            throw_unpredictable(call_, "input", "some element",
                                attributes_.scale32
                                    ? "value >= (-1 << (shift - 1)) && value < (1 << (shift - 1))"
                                    : "result >= minimum<int32_t> && result <= maximum<int32_t>");
        }
        watched_.clear();
        run_pointwise(scaling(input, output));
    }

    std::size_t constant_bytes() const { return constants().size() * sizeof(float); }

 private:
    bool watches() const { return !watched_.empty(); }

    std::vector<float> constants() const {
        std::vector<float> values = plan_.constants();
        if (!values.empty()) values.insert(values.end(), watched_.begin(), watched_.end());
        return values;
    }

    PointwiseOperator operands(const DeviceTensor& input, const DeviceTensor& output,
                               std::span<const float> rows, int count) const {
        PointwiseOperator op;
        op.inputs.push_back(
            {input, words_ > 0 ? WordForm::kValue : float_form(attributes_.input_unsigned)});
        if (count > 0) op.inputs.push_back(constant_rows(rows, count, output));
        op.output = output;
        op.output_form =
            output.type == DType::kI32 ? WordForm::kValue : float_form(attributes_.output_unsigned);
        op.planes = input_zp_ != 0 ? 1 : 0;
        op.commands = 20;
        return op;
    }

    PointwiseOperator scaling(const DeviceTensor& input, const DeviceTensor& output) const {
        const int planned = plan_.constant_rows();
        const int rows = planned > 0 && watches() ? planned + 1 : planned;
        PointwiseOperator op = operands(input, output, constants(), rows);
        op.checks = watches();
        op.planes += plan_.planes() + (watches() ? 1 : 0);
        op.body = [this](const PointwiseTile& tile) { scale(tile); };
        return op;
    }

    PointwiseOperator comparison(const DeviceTensor& input, const DeviceTensor& output) const {
        const auto check = std::make_shared<RangeCheck>(ranges_, words_ + 1);
        PointwiseOperator op = operands(input, output, check->constants(), check->constant_rows());
        op.checks = true;
        op.planes += RangeCheck::kPlanes;
        op.body = [this, check](const PointwiseTile& tile) {
            prim::Scratch::Frame frame(tile.scratch);
            const std::vector<LocalTensor> value = value_of(tile, frame);
            check->run(*tile.violations, value, tile.inputs.subspan(value.size()), tile.scratch);
            prim::raw::fill(tile.output, 0u);
        };
        return op;
    }

    /// The input less its zero point: one tensor, or the two words of int48.
    std::vector<LocalTensor> value_of(const PointwiseTile& tile,
                                      prim::Scratch::Frame& frame) const {
        if (words_ > 1) return {tile.inputs[0], tile.inputs[1]};
        if (input_zp_ == 0) return {tile.inputs[0]};
        const LocalTensor shifted = frame.plane(tile.output.shape);
        prim::raw::subtract(shifted, tile.inputs[0], input_zp_);
        return {shifted};
    }

    void scale(const PointwiseTile& tile) const {
        prim::Scratch::Frame frame(tile.scratch);
        const std::vector<LocalTensor> value = value_of(tile, frame);
        const auto rows = tile.inputs.subspan(value.size());
        std::optional<prim::ValueWatch> watch;
        if (watches()) {
            watch = {*tile.violations, watched_[0], std::nullopt, kSuspectMagnitude};
            if (!rows.empty()) watch->row = rows.back();
        }
        const prim::ValueWatch* to_watch = watch ? &*watch : nullptr;
        if (words_ > 1) {
            plan_.run(tile.output, prim::WideTensor{value[0], value[1]}, rows, tile.scratch,
                      to_watch);
        } else {
            plan_.run(tile.output, value[0], rows, tile.scratch, to_watch);
        }
    }

    const OperatorCall& call_;
    const tosa::RescaleAttributes& attributes_;
    Rescale plan_;
    float input_zp_;
    int words_;  ///< of a value; 0: values are floats
    std::vector<ValueRange> ranges_;
    std::vector<float> watched_;  ///< suspicion_factors(); empty: nothing can be out of range
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
    const std::int64_t input_zp = zero_point(operands_of(call).input_zp, attributes.input_unsigned);
    const prim::ScaleOutput output = scale_output(call);
    if (factors.size() == 1) {
        RescaleOperator(call, factors, output, input_zp).run(call.inputs[0], call.outputs[0]);
        return;
    }
    const std::size_t most = okk_l2_sram_size() / (kMostRows * sizeof(float));
    for (std::size_t first = 0; first < factors.size(); first += most) {
        const std::size_t count = std::min(most, factors.size() - first);
        RescaleOperator part(call, std::span(factors).subspan(first, count), output, input_zp);
        OKKSIM_CHECK(part.constant_bytes() <= okk_l2_sram_size());
        part.run(channels(call.inputs[0], first, count), channels(call.outputs[0], first, count));
    }
}

}  // namespace okksim::kernels
