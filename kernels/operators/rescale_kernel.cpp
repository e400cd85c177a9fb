// SPDX-License-Identifier: Apache-2.0
// TOSA 1.0.1 section 2.13.2: RESCALE.
#include <algorithm>
#include <boost/container/static_vector.hpp>
#include <optional>
#include <vector>

#include "isa/base/errors.h"
#include "kernels/call/computing.h"
#include "kernels/call/prepared_space.h"
#include "kernels/call/violations.h"
#include "kernels/pointwise/pointwise_planner.h"
#include "kernels/pointwise/pointwise_run.h"
#include "kernels/prim/magic.h"
#include "kernels/prim/raw.h"
#include "kernels/prim/rescale.h"
#include "kernels/rescale/rescale_operands.h"
#include "kernels/rescale/rescale_range.h"
#include "kernels/rescale/rescale_rows.h"

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

/// Rows of constants, one value per channel, at `address` as tensors that broadcast to `output`.
PointwiseInput constant_rows(std::uint64_t address, int rows, const DeviceTensor& output) {
    PointwiseInput input;
    input.tensor.type = DType::kFp32;
    input.tensor.rank = output.rank;
    input.tensor.dims.fill(1);
    const auto last = static_cast<std::size_t>(output.rank - 1);
    input.tensor.dims[last] = output.dims[last];
    input.tensor.strides.fill(0);
    input.tensor.strides[last] = 1;
    input.copies = rows;
    input.tensor.address = address;
    return input;
}

/// Channels [first, first + count) of a tensor.
DeviceTensor channels(DeviceTensor tensor, std::size_t first, std::size_t count) {
    const auto last = static_cast<std::size_t>(tensor.rank - 1);
    tensor.address += first * static_cast<std::size_t>(tensor.strides[last]) *
                      static_cast<std::size_t>(stored_bytes(tensor.type));
    tensor.dims[last] = static_cast<std::int32_t>(count);
    return tensor;
}

/// The operands of a part.
struct Channels {
    DeviceTensor input;
    DeviceTensor output;
};

/// A single factor applies to all channels.
Channels channels_of(const OperatorCall& call, std::size_t first, std::size_t count) {
    if (call.inputs[1].count() == 1) return {call.inputs[0], call.outputs[0]};
    return {channels(call.inputs[0], first, count), channels(call.outputs[0], first, count)};
}

/// Range of the input minus its zero point, from its type.
ValueRange input_values(const OperatorCall& call, std::int64_t input_zp) {
    const DType type = call.inputs[0].type;
    const int bits = type == DType::kI48 ? 48 : 8 * stored_bytes(type);
    const bool is_unsigned = call.attributes_as<tosa::RescaleAttributes>().input_unsigned;
    const std::int64_t low = is_unsigned ? 0 : -(std::int64_t{1} << (bits - 1));
    return {low - input_zp, low + (std::int64_t{1} << bits) - 1 - input_zp};
}

/// The values of RESCALE's operands.
struct RescaleValues {
    std::vector<ScaleFactor> factors;
    std::int64_t input_zp = 0;
    prim::ScaleOutput output;
};

/// Scales some of the channels. Owns all values that it uses.
class RescaleOperator {
 public:
    RescaleOperator(const OperatorCall& call, std::span<const ScaleFactor> factors,
                    const RescaleValues& values, const Lanes& lanes)
        : attributes_(call.attributes_as<tosa::RescaleAttributes>()),
          plan_(value_form(call.inputs[0].type), factors, scale_rounding(call), values.output,
                lanes),
          input_zp_(static_cast<float>(values.input_zp)),
          words_(stored_bytes(call.inputs[0].type) / 4),
          output_form_(scaled_form(call, call.outputs[0].type)) {
        for (const ScaleFactor& factor : factors) {
            ranges_.push_back(attributes_.scale32
                                  ? scale32_values(factor)
                                  : scale16_values(factor, values.output.zero_point));
        }
        watched_ = suspicion_factors(ranges_, input_values(call, values.input_zp));
    }

    bool watches() const { return !watched_.empty(); }
    /// Number of rows that scaling() loads from memory, and the rows.
    int constant_row_count() const {
        const int planned = plan_.constant_rows();
        return planned > 0 && watches() ? planned + 1 : planned;
    }
    std::vector<float> constants() const {
        std::vector<float> values = plan_.constants();
        if (!values.empty()) values.insert(values.end(), watched_.begin(), watched_.end());
        return values;
    }

    /// Scales, and detects values that may be outside their range. `rows`: address of the rows.
    PointwiseOperator scaling(const Channels& channels, std::uint64_t rows, bool watch) const {
        PointwiseOperator op = operands(channels, rows, constant_row_count());
        op.checks = watch;
        op.planes += plan_.planes() + (watch ? 1 : 0);
        op.body = [this, watch](const PointwiseTile& tile) { scale(tile, watch); };
        return op;
    }

    /// The exact comparison of all values with their ranges.
    RangeCheck range_check() const { return RangeCheck(ranges_, words_ + 1); }
    PointwiseOperator comparison(const Channels& channels, std::uint64_t rows,
                                 const RangeCheck& check) const {
        PointwiseOperator op = operands(channels, rows, check.constant_rows());
        op.checks = true;
        op.planes += RangeCheck::kPlanes;
        op.body = [this, &check](const PointwiseTile& tile) {
            prim::Scratch::Frame frame(tile.scratch);
            const Value value = value_of(tile, frame);
            check.run(*tile.violations, {value.data(), value.size()},
                      tile.inputs.subspan(value.size()), tile.scratch);
            prim::raw::fill(tile.output, 0u);
        };
        return op;
    }

    std::uint64_t argument_words() const {
        return plan_.argument_words() + constants().size() + 2 * ranges_.size() + 4;
    }

 private:
    PointwiseOperator operands(const Channels& channels, std::uint64_t rows, int count) const {
        PointwiseOperator op;
        op.inputs.push_back({channels.input, words_ > 0                   ? WordForm::kValue
                                             : attributes_.input_unsigned ? WordForm::kUnsignedFloat
                                                                          : WordForm::kFloat});
        if (count > 0) op.inputs.push_back(constant_rows(rows, count, channels.output));
        op.output = channels.output;
        op.output_form = output_form_;
        op.planes = input_zp_ != 0 ? 1 : 0;
        return op;
    }

    /// The input minus its zero point: one tensor, or the two words of int48.
    using Value = boost::container::static_vector<LocalTensor, 2>;
    Value value_of(const PointwiseTile& tile, prim::Scratch::Frame& frame) const {
        if (words_ > 1) return {tile.inputs[0], tile.inputs[1]};
        if (input_zp_ == 0) return {tile.inputs[0]};
        const LocalTensor shifted = frame.plane(tile.output.shape);
        prim::raw::subtract(shifted, tile.inputs[0], input_zp_);
        return {shifted};
    }

    void scale(const PointwiseTile& tile, bool watched) const {
        prim::Scratch::Frame frame(tile.scratch);
        const Value value = value_of(tile, frame);
        const auto rows = tile.inputs.subspan(value.size());
        std::optional<prim::ValueWatch> watch;
        if (watched) {
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

    tosa::RescaleAttributes attributes_;
    Rescale plan_;
    float input_zp_;
    int words_;  ///< of a value; 0: values are floats
    WordForm output_form_;
    std::vector<ValueRange> ranges_;
    std::vector<float> watched_;  ///< suspicion_factors(); empty: nothing can be out of range
};

// ---- Planning ----

/// Some of the channels, processed together.
struct RescalePart {
    std::size_t first = 0, count = 0;
    std::optional<RescaleOperator> known;  ///< nothing: firmware reads the values
    /// Byte offsets of its constants in prepared memory.
    std::uint64_t rows_offset = 0, rows_end = 0;
    PointwisePlan scaling;
    std::optional<PointwisePlan> comparison;  ///< if values can be outside their range

    std::uint64_t argument_words() const {
        return 4 + (known ? known->argument_words() : 0) + scaling.argument_words() +
               (comparison ? comparison->argument_words() : 0);
    }
};

/// Stand-ins for unknown factors. They need at least the memory and commands of any others.
std::vector<ScaleFactor> longest_factors(const OperatorCall& call, std::size_t count) {
    // No digit is zero, and both sides of double rounding occur.
    const bool is_short = !call.attributes_as<tosa::RescaleAttributes>().scale32;
    const std::int32_t multiplier = is_short ? 0x5A5B : 0x2D2D2D2D;
    std::vector<ScaleFactor> factors(count, ScaleFactor{multiplier, 20});
    if (count > 1) factors.back().shift = 40;
    return factors;
}

/// Additional planes that unknown values may need compared with longest_factors(): the input minus
/// its zero point, watched values, double rounding.
constexpr int kUnknownPlanes = 3;

RescalePart plan_part(const OperatorCall& call, const RescaleOperator& op, const Channels& channels,
                      bool is_known, Host& host) {
    const std::uint64_t rows = is_known ? call.prepared : host.machine().l2_start;
    RescalePart part;
    // Unknown values may need all checks.
    const bool watches = !is_known || op.watches();
    PointwiseOperator scaling = op.scaling(channels, rows, op.watches());
    const RangeCheck check = op.range_check();
    PointwiseOperator comparison = op.comparison(channels, rows, check);
    if (!is_known) {
        scaling.checks = true;
        scaling.planes += kUnknownPlanes;
        comparison.planes += kUnknownPlanes;
        if (scaling.inputs.size() > 1) scaling.inputs[1].copies = kMostScaleRows + 1;
    }
    part.scaling = plan_pointwise(scaling, host);
    if (watches) part.comparison = plan_pointwise(comparison, host);
    if (is_known) part.known = op;
    return part;
}

RescaleValues read_rescale(const OperatorCall& call, const ReadValues& read) {
    return {read_factors(call, read), input_zero_point(call, read),
            scale_output(call, call.outputs[0].type, read)};
}

std::optional<RescaleValues> known_values(const OperatorCall& call, Host& host) {
    for (const DeviceTensor& tensor : call.inputs.subspan(1)) {
        if (!host.values(tensor)) return std::nullopt;
    }
    return read_rescale(call, [&](const DeviceTensor& tensor) { return *host.values(tensor); });
}

std::vector<RescalePart> plan_parts(const OperatorCall& call, Host& host) {
    const auto known = known_values(call, host);
    const auto channel_count = static_cast<std::size_t>(call.inputs[1].count());
    const RescaleValues values =
        known ? *known
              : RescaleValues{longest_factors(call, channel_count), 0,
                              scale_output(call, call.outputs[0].type, [](const DeviceTensor&) {
                                  return std::vector<std::int64_t>{0};
                              })};
    // The constants of a part fit the on-chip memory.
    const std::size_t most = host.machine().l2_bytes / ((kMostScaleRows + 1) * sizeof(float));
    std::vector<RescalePart> parts;
    std::uint64_t end = 0;  // of the rows
    for (std::size_t first = 0; first < channel_count; first += most) {
        const std::size_t count = std::min(most, channel_count - first);
        const RescaleOperator op(call, std::span(values.factors).subspan(first, count), values,
                                 lanes_of(host.machine()));
        RescalePart part =
            plan_part(call, op, channels_of(call, first, count), known.has_value(), host);
        part.first = first;
        part.count = count;
        part.rows_offset = take_prepared(end, part.known ? 4 * part.known->constants().size() : 0);
        part.rows_end = end;
        parts.push_back(std::move(part));
    }
    return parts;
}

// ---- Firmware ----

void run_part(const OperatorCall& call, const RescaleOperator& op, const RescalePart& part) {
    const Channels channels = channels_of(call, part.first, part.count);
    const auto placed = [](const std::vector<float>& rows) {
        return rows.empty() ? 0 : place_on_chip(rows);
    };
    const auto place_scaling = [&] {
        return part.known ? call.prepared + part.rows_offset : placed(op.constants());
    };
    const bool watch = op.watches();
    const PointwiseOperator scaling = op.scaling(channels, place_scaling(), watch);
    // Scaling detects values that may be outside their range. Only if there are any, all values are
    // compared exactly.
    if (!run_pointwise(scaling, part.scaling)) return;
    const RangeCheck check = op.range_check();
    const PointwiseOperator comparison = op.comparison(channels, placed(check.constants()), check);
    if (run_pointwise(comparison, *part.comparison)) {
        const bool scale32 = call.attributes_as<tosa::RescaleAttributes>().scale32;
        throw_unpredictable(call, "input", "some element",
                            scale32 ? "value >= (-1 << (shift - 1)) && value < (1 << (shift - 1))"
                                    : "result >= minimum<int32_t> && result <= maximum<int32_t>");
    }
    run_pointwise(op.scaling(channels, place_scaling(), false), part.scaling);
}

}  // namespace

/// RESCALE: every combination of types and rounding. Many channels are split into parts whose
/// constants fit the on-chip memory.
void rescale_kernel(const OperatorCall& call) {
    const std::vector<RescalePart>& parts =
        call.decisions->take("parts", [&](Host& host) { return plan_parts(call, host); });
    std::optional<RescaleValues> values;
    for (const RescalePart& part : parts) {
        if (part.known) {
            run_part(call, *part.known, part);
            continue;
        }
        if (!values) values = read_rescale(call, all_values);
        const auto factors = std::span(values->factors).subspan(part.first, part.count);
        charge(OwnWork::kRescale);
        charge(OwnWork::kScaleFactor, factors.size());
        run_part(call, RescaleOperator(call, factors, *values, part.scaling.lanes), part);
    }
}

// ---- Prepared constants ----

bool has_rows(const OperatorCall& call) {
    return call.op == tosa::OpCode::kRescale && call.inputs[1].count() > 1 &&
           std::all_of(call.inputs.begin() + 1, call.inputs.end(),
                       [](const DeviceTensor& tensor) { return tensor.constant; });
}

std::uint64_t rows_bytes(const DecisionList& decisions) {
    // 0 for a call that its kernel rejects: the run reports values that TOSA does not allow.
    const auto* parts = decisions.find<std::vector<RescalePart>>();
    return parts == nullptr ? 0 : parts->back().rows_end;
}

void prepare_rows(const OperatorCall& call, const DecisionList& decisions,
                  const ConstantMemory& memory) {
    for (const RescalePart& part : *decisions.find<std::vector<RescalePart>>()) {
        if (part.known) {
            memory.write_values(call.prepared + part.rows_offset, part.known->constants());
        }
    }
}

}  // namespace okksim::kernels
