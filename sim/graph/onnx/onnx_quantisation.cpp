// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/onnx/onnx_quantisation.h"

#include <algorithm>
#include <cmath>

#include "sim/graph/compose/float_functions.h"
#include "sim/graph/compose/host_values.h"
#include "sim/graph/compose/moves.h"
#include "sim/graph/onnx/onnx_elements.h"

namespace okksim::sim::graph::onnx {

NumberRange number_range(ElementType type) {
    const double values = std::ldexp(1.0, integer_bits(type));
    if (is_unsigned(type)) return {0, values - 1};
    return {-values / 2, values / 2 - 1};
}

bool is_quantised_type(ElementType type) { return is_whole(type) && integer_bits(type) <= 16; }

std::optional<std::vector<double>> Quantisation::known_scales() const {
    if (!scale->known) return std::nullopt;
    return reals(*scale->known);
}

std::optional<std::vector<std::int64_t>> Quantisation::known_zero_points() const {
    const std::int64_t offset = device_offset(type);
    if (zero_point == nullptr) {
        const auto count = static_cast<std::size_t>(element_count(scale->shape).value_or(1));
        return std::vector<std::int64_t>(count, -offset);
    }
    if (!zero_point->known || !is_whole(type)) return std::nullopt;
    std::vector<std::int64_t> values = integers(*zero_point->known);
    for (std::int64_t& value : values) value -= offset;
    return values;
}

std::optional<std::int64_t> Quantisation::known_zero_point() const {
    const auto all = known_zero_points();
    if (!all || all->empty()) return std::nullopt;
    const bool is_one = std::all_of(all->begin(), all->end(),
                                    [&](std::int64_t each) { return each == all->front(); });
    return is_one ? std::optional(all->front()) : std::nullopt;
}

Quantisation quantisation(const Call& call, ElementType type, std::size_t scale_at,
                          std::size_t zero_at) {
    Quantisation result{&call.input(scale_at), call.optional_input(zero_at), type};
    const Value& scale = *result.scale;
    call.require(is_real(scale.type), "input " + std::to_string(scale_at),
                 std::string(element_name(scale.type)), "the scale has real numbers");
    call.require(element_count(scale.shape).value_or(0) > 0, "input " + std::to_string(scale_at),
                 shape_text(scale.shape), "the scale has elements");
    if (result.zero_point == nullptr) return result;
    const Value& zero = *result.zero_point;
    call.require(zero.type == type, "input " + std::to_string(zero_at),
                 std::string(element_name(zero.type)),
                 "the zero point has the type " + std::string(element_name(type)));
    const auto count = element_count(zero.shape);
    call.require(
        count == 1 || count == element_count(scale.shape), "input " + std::to_string(zero_at),
        shape_text(zero.shape),
        "the zero point has one element, or the shape of the scale " + shape_text(scale.shape));
    return result;
}

void check_parameter_count(const Call& call, const Quantisation& q, std::int64_t count) {
    const auto size = static_cast<std::int64_t>(element_count(q.scale->shape).value_or(0));
    call.require(size == 1 || size == count, std::string(q.scale->name), shape_text(q.scale->shape),
                 "the scale has one element or " + std::to_string(count));
}

namespace {

/// Returns an array that broadcasts to the operand of `place`, in the file's order.
HostArray placed_array(HostArray array, const ParameterPlace& place) {
    const std::size_t rank = place.shape.size();
    if (place.block == 0) {
        Shape shape(rank, 1);
        if (array.count() != 1) shape[place.axis] = static_cast<std::int64_t>(array.count());
        return reshaped(std::move(array), shape);
    }
    const std::vector<double> values = reals(array);
    const std::int64_t size = place.shape[place.axis], blocks = array.shape[place.axis];
    std::int64_t inner = 1;
    for (std::size_t i = place.axis + 1; i < rank; ++i) inner *= place.shape[i];
    const auto outer = static_cast<std::int64_t>(array.count()) / (blocks * inner);
    std::vector<double> all;
    for (std::int64_t row = 0; row < outer * size; ++row) {
        const std::int64_t from = (row / size * blocks + row % size / place.block) * inner;
        for (std::int64_t i = 0; i < inner; ++i) {
            all.push_back(values[static_cast<std::size_t>(from + i)]);
        }
    }
    return make_array(array.type, place.shape, all);
}

/// Returns a parameter as fp32; `convert` changes known values.
template <typename Convert>
TensorIndex parameter_tensor(const Call& call, Value& value, const ParameterPlace& place,
                             const Convert& convert) {
    OperatorBuilder& ops = call.ops();
    const std::size_t rank = place.shape.size();
    if (value.known) {
        const HostArray array = placed_array(*value.known, place);
        std::vector<double> values = reals(array);
        for (double& each : values) each = convert(each);
        HostArray real = make_array(ElementType::kFloat32, array.shape, values);
        if (place.is_channels_last) {
            const std::vector<std::int32_t> perms = to_channels_last(rank);
            real = transposed(real, {perms.begin(), perms.end()});
        }
        return call.tensors().constant(real, "parameter");
    }
    TensorIndex real = call.tensors().declared(value);
    real = is_floating_point(ops.type(real))
               ? ops.cast(real, DType::kFp32, "parameter")
               : onnx::cast(ops, ElementType::kInt32, ElementType::kFloat32,
                            ops.cast(real, DType::kI32, "wide"));
    if (place.block == 0) {
        Shape shape(rank, 1);
        const auto count = static_cast<std::int64_t>(element_count(value.shape).value_or(1));
        const std::size_t axis = !place.is_channels_last || place.axis == 0 ? place.axis
                                 : place.axis == 1                          ? rank - 1
                                                                            : place.axis - 1;
        if (count != 1) shape[axis] = count;
        return ops.reshape(real, shape, "parameter");
    }
    real = compose::repeat(ops, real, place.axis, place.block);
    real = compose::part(ops, real, place.axis, 0, place.shape[place.axis]);
    return place.is_channels_last ? ops.transpose(real, to_channels_last(rank), "parameter") : real;
}

}  // namespace

TensorIndex scale_tensor(const Call& call, const Quantisation& q, const ParameterPlace& place) {
    return parameter_tensor(call, *q.scale, place, [](double scale) { return scale; });
}

TensorIndex zero_point_tensor(const Call& call, const Quantisation& q,
                              const ParameterPlace& place) {
    const std::int64_t offset = device_offset(q.type);
    if (q.zero_point == nullptr) {
        return call.ops().number(DType::kFp32, place.shape.size(), static_cast<double>(-offset));
    }
    return parameter_tensor(call, *q.zero_point, place,
                            [offset](double zero) { return zero - static_cast<double>(offset); });
}

TensorIndex dequantised(const Call& call, TensorIndex held, const Quantisation& q,
                        const ParameterPlace& place) {
    OperatorBuilder& ops = call.ops();
    TensorIndex real = ops.cast(held, DType::kFp32, "real");
    const bool has_zero_point = is_whole(q.type) && q.known_zero_point() != std::int64_t{0};
    if (has_zero_point) {
        real = ops.binary(OpCode::kSub, real, zero_point_tensor(call, q, place), "difference");
    }
    const auto scales = q.known_scales();
    if (scales && std::all_of(scales->begin(), scales->end(), [](double s) { return s == 1; })) {
        return real;
    }
    return ops.product(real, scale_tensor(call, q, place), "dequantised");
}

TensorIndex quantised(const Call& call, TensorIndex real, const Quantisation& q,
                      const ParameterPlace& place) {
    OperatorBuilder& ops = call.ops();
    if (!q.scale->known) {
        return rounded_steps(call, compose::divide(ops, real, scale_tensor(call, q, place)), q,
                             place);
    }
    const TensorIndex factor =
        parameter_tensor(call, *q.scale, place, [](double scale) { return 1 / scale; });
    return rounded_steps(call, ops.product(real, factor, "steps"), q, place);
}

TensorIndex rounded_steps(const Call& call, TensorIndex steps, const Quantisation& q,
                          const ParameterPlace& place) {
    OperatorBuilder& ops = call.ops();
    const DType device = device_type(q.type);
    NumberRange range = number_range(q.type);
    const auto offset = static_cast<double>(device_offset(q.type));
    range = {range.low - offset, range.high - offset};
    if (const auto zero = q.known_zero_point()) {
        const auto z = static_cast<double>(*zero);
        const bool is_saturated_by_cast =
            z == 0 && integer_bits(q.type) == static_cast<int>(storage_bits(device));
        if (!is_saturated_by_cast) {
            steps = ops.clamp(steps, range.low - z, range.high - z, "limited");
        }
        if (z == 0) return ops.cast(steps, device, "quantised");
        const TensorIndex whole = ops.cast(steps, DType::kI32, "whole");
        const TensorIndex moved =
            ops.binary(OpCode::kAdd, whole, ops.number(DType::kI32, ops.rank(whole), z), "moved");
        return ops.cast(moved, device, "quantised");
    }
    // Sums of the rounded steps and any zero point fit i32.
    constexpr double kMost = 1 << 20;
    const TensorIndex whole =
        ops.cast(ops.clamp(steps, -kMost, kMost, "limited"), DType::kI32, "whole");
    const TensorIndex zero = ops.cast(zero_point_tensor(call, q, place), DType::kI32, "zero_point");
    TensorIndex moved = ops.binary(OpCode::kAdd, whole, zero, "moved");
    const std::size_t rank = ops.rank(moved);
    moved = ops.binary(OpCode::kMaximum, moved, ops.number(DType::kI32, rank, range.low), "low");
    moved = ops.binary(OpCode::kMinimum, moved, ops.number(DType::kI32, rank, range.high), "high");
    return ops.cast(moved, device, "quantised");
}

std::optional<TensorIndex> rescaled_sums(OperatorBuilder& ops, TensorIndex sums,
                                         const std::vector<double>& factors, ElementType type,
                                         std::int64_t held_zero_point) {
    std::vector<std::int64_t> multipliers, shifts;
    for (const double factor : factors) {
        constexpr double kMost = 1 << 28, kLeast = 1.0 / (1 << 30);
        if (!(factor >= kLeast && factor <= kMost)) return std::nullopt;
        int exponent = 0;
        auto multiplier =
            static_cast<std::int64_t>(std::llround(std::ldexp(std::frexp(factor, &exponent), 31)));
        // Rounding up to 2^31 leaves the range of a multiplier.
        if (multiplier == (std::int64_t{1} << 31)) {
            multiplier /= 2;
            ++exponent;
        }
        multipliers.push_back(multiplier);
        shifts.push_back(31 - exponent);
    }
    RescaleAttributes attributes;
    attributes.scale32 = true;
    attributes.rounding_mode = RoundingMode::kSingleRound;
    attributes.per_channel = factors.size() > 1;
    const auto count = static_cast<std::int64_t>(factors.size());
    const DType device = device_type(type);
    BlockBuilder& block = ops.block();
    const TensorIndex zero = ops.number(device, 1, static_cast<double>(held_zero_point));
    return block.add(
        OpCode::kRescale, attributes,
        {sums, block.constant(DType::kI32, {count}, multipliers, "multiplier"),
         block.constant(DType::kI8, {count}, shifts, "shift"), ops.number(DType::kI32, 1, 0), zero},
        device, ops.shape(sums), "rescaled");
}

}  // namespace okksim::sim::graph::onnx
