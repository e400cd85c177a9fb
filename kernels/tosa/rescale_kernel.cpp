// SPDX-License-Identifier: Apache-2.0
// TOSA 1.0.1 section 2.13.2: RESCALE.
#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "isa/errors.h"
#include "kernels/pointwise.h"
#include "kernels/prim/magic.h"
#include "kernels/prim/raw.h"
#include "kernels/prim/rescale.h"
#include "kernels/tosa/rescale_operands.h"
#include "kernels/tosa/rescale_range.h"
#include "kernels/violations.h"

namespace okksim::kernels {
namespace {

using prim::LocalTensor;
using prim::Rescale;
using prim::ScaleFactor;
using tosa::DType;

prim::ValueForm value_form(DType type) {
    if (type == DType::kI8) return prim::ValueForm::kFloat8;
    if (type == DType::kI16) return prim::ValueForm::kFloat16;
    return type == DType::kI32 ? prim::ValueForm::kInt32 : prim::ValueForm::kInt48;
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
    input.tensor.address = place_on_chip(values);
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
          plan_(value_form(call.inputs[0].type), factors, scale_rounding(call), output),
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
        op.inputs.push_back({input, words_ > 0                   ? WordForm::kValue
                                    : attributes_.input_unsigned ? WordForm::kUnsignedFloat
                                                                 : WordForm::kFloat});
        if (count > 0) op.inputs.push_back(constant_rows(rows, count, output));
        op.output = output;
        op.output_form = scaled_form(call_, output.type);
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

}  // namespace

/// RESCALE: every combination of types and rounding. Many channels go in parts whose constants fit
/// the on-chip memory.
void rescale_kernel(const OperatorCall& call) {
    const std::vector<ScaleFactor> factors = read_factors(call);
    const std::int64_t input_zp = input_zero_point(call);
    const prim::ScaleOutput output = scale_output(call, call.outputs[0].type);
    if (factors.size() == 1) {
        RescaleOperator(call, factors, output, input_zp).run(call.inputs[0], call.outputs[0]);
        return;
    }
    const std::size_t most = okk_l2_sram_size() / (kMostScaleRows * sizeof(float));
    for (std::size_t first = 0; first < factors.size(); first += most) {
        const std::size_t count = std::min(most, factors.size() - first);
        RescaleOperator part(call, std::span(factors).subspan(first, count), output, input_zp);
        part.run(channels(call.inputs[0], first, count), channels(call.outputs[0], first, count));
    }
}

}  // namespace okksim::kernels
