// SPDX-License-Identifier: Apache-2.0
// Conversions of known values between real and quantised numbers.
#include <algorithm>
#include <cmath>

#include "sim/graph/onnx/onnx_host.h"
#include "sim/graph/onnx/onnx_operators.h"
#include "sim/graph/onnx/onnx_quantised.h"

namespace okksim::sim::graph::onnx::fold {

namespace {

/// Returns for each element of the operand the position of its scale.
std::vector<std::size_t> parameter_positions(const ParameterPlace& place, const Value& scale) {
    const auto count = static_cast<std::size_t>(element_count(place.shape).value_or(0));
    std::vector<std::size_t> result(count, 0);
    if (element_count(scale.shape).value_or(1) == 1) return result;
    std::size_t inner = 1;
    for (std::size_t i = place.axis + 1; i < place.shape.size(); ++i) {
        inner *= static_cast<std::size_t>(place.shape[i]);
    }
    const auto size = static_cast<std::size_t>(place.shape[place.axis]);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t at = i / inner % size;
        if (place.block == 0) {
            result[i] = at;
            continue;
        }
        const auto block = static_cast<std::size_t>(place.block);
        const std::size_t blocks = (size + block - 1) / block;
        result[i] = (i / (inner * size) * blocks + at / block) * inner + i % inner;
    }
    return result;
}

std::vector<double> zero_points(const Quantisation& q, std::size_t count) {
    if (q.zero_point == nullptr) return std::vector<double>(count, 0);
    return reals(*q.zero_point->known);
}

}  // namespace

bool dequantize_linear(const Call& call) {
    call.require_inputs(2, 3);
    const Value& x = call.input(0);
    if (!is_quantised_type(x.type) && x.type != ElementType::kInt32) return false;
    const Quantisation q = quantisation(call, x.type, 1, 2);
    const ParameterPlace place = parameter_place(call, x, q);
    const std::vector<double> scales = reals(*q.scale->known);
    const std::vector<double> zeros = zero_points(q, scales.size());
    const std::vector<std::size_t> at = parameter_positions(place, *q.scale);
    std::vector<double> values = reals(*x.known);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = (values[i] - zeros[at[i]]) * scales[at[i]];
    }
    call.set_known(0, make_array(q.scale->type, x.shape, values));
    return true;
}

bool quantize_linear(const Call& call) {
    call.require_inputs(2, 3);
    const Value& x = call.input(0);
    const Value* zero = call.optional_input(2);
    const ElementType type = zero != nullptr ? zero->type : ElementType::kUint8;
    const bool is_supported =
        is_real(x.type) && is_quantised_type(type) && !call.has_attribute("output_dtype");
    if (!is_supported) return false;
    const Quantisation q = quantisation(call, type, 1, 2);
    const ParameterPlace place = parameter_place(call, x, q);
    const std::vector<double> scales = reals(*q.scale->known);
    const std::vector<double> zeros = zero_points(q, scales.size());
    const std::vector<std::size_t> at = parameter_positions(place, *q.scale);
    const NumberRange range = number_range(type);
    const std::vector<double> values = reals(*x.known);
    std::vector<std::int64_t> numbers(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const float steps = static_cast<float>(values[i]) / static_cast<float>(scales[at[i]]);
        const double number = std::nearbyint(static_cast<double>(steps)) + zeros[at[i]];
        numbers[i] =
            std::llround(std::isnan(number) ? 0 : std::clamp(number, range.low, range.high));
    }
    call.set_known(0, make_array(type, x.shape, numbers));
    return true;
}

}  // namespace okksim::sim::graph::onnx::fold
