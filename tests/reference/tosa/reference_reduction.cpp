// SPDX-License-Identifier: Apache-2.0
// Sections 2.9, 2.3.1, 2.3.2, 2.3.6, 2.3.8, 2.3.9.
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "isa/base/errors.h"
#include "tests/reference/tosa/operators.h"

namespace okksim::reference {
namespace {

using tosa::NanPropagationMode;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool ignores(NanPropagationMode mode) { return mode == NanPropagationMode::kIgnore; }

/// Splits the input's shape into the axis and the dimensions before and after it.
struct Axis {
    std::int64_t left = 1, extent = 1, right = 1;

    std::size_t position(std::int64_t l, std::int64_t i, std::int64_t r) const {
        return static_cast<std::size_t>((l * extent + i) * right + r);
    }
};

Axis split(const Shape& shape, std::int32_t axis) {
    Axis result;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const auto at = static_cast<std::size_t>(axis);
        (i < at ? result.left : i == at ? result.extent : result.right) *= shape[i];
    }
    return result;
}

/// Applies combine(accumulator, value) over the axis for every output.
template <typename T, typename Combine>
void fold(const Axis& axis, const std::vector<T>& input, std::vector<T>& output, T start,
          const Combine& combine) {
    for (std::int64_t l = 0; l < axis.left; ++l) {
        for (std::int64_t r = 0; r < axis.right; ++r) {
            T sum = start;
            for (std::int64_t i = 0; i < axis.extent; ++i) {
                sum = combine(sum, input[axis.position(l, i, r)]);
            }
            output[static_cast<std::size_t>(l * axis.right + r)] = sum;
        }
    }
}

void argmax(const Node& node) {
    const auto& attributes = node.attributes<tosa::ArgmaxAttributes>();
    const Value& input = *node.in[0];
    const Axis axis = split(input.shape, attributes.axis);
    const bool ignore = ignores(attributes.nan_mode);
    // NaN compares above or below all numbers.
    const auto greater = [&](std::size_t a, std::size_t b) {
        if (!input.is_float()) return input.integer[a] > input.integer[b];
        const bool nan_a = std::isnan(input.real[a]), nan_b = std::isnan(input.real[b]);
        if (nan_a || nan_b) return ignore ? !nan_a && nan_b : nan_a && !nan_b;
        return input.real[a] > input.real[b];
    };
    for (std::int64_t l = 0; l < axis.left; ++l) {
        for (std::int64_t r = 0; r < axis.right; ++r) {
            std::int64_t best = 0;
            for (std::int64_t i = 1; i < axis.extent; ++i) {
                if (greater(axis.position(l, i, r), axis.position(l, best, r))) best = i;
            }
            node.out[0]->integer[static_cast<std::size_t>(l * axis.right + r)] = best;
        }
    }
}

void reduce_extremum(const Node& node, std::int32_t axis, NanPropagationMode mode,
                     bool is_maximum) {
    const Value& input = *node.in[0];
    Value& output = *node.out[0];
    const bool ignore = ignores(mode);
    const Axis split_axis = split(input.shape, axis);
    if (input.is_float()) {
        const double start = ignore ? kNan : is_maximum ? -kInfinity : kInfinity;
        fold(split_axis, input.real, output.real, start, [&](double a, double b) {
            return is_maximum ? maximum(a, b, ignore) : minimum(a, b, ignore);
        });
    } else {
        const std::int64_t start = is_maximum ? lowest(input.type) : highest(input.type);
        fold(split_axis, input.integer, output.integer, start, [&](std::int64_t a, std::int64_t b) {
            return is_maximum ? std::max(a, b) : std::min(a, b);
        });
    }
}

void reduce_sum(const Node& node) {
    const Value& input = *node.in[0];
    Value& output = *node.out[0];
    const Axis axis = split(input.shape, node.attributes<tosa::ReduceSumAttributes>().axis);
    if (!input.is_float()) {
        fold(axis, input.integer, output.integer, std::int64_t{0}, std::plus<std::int64_t>());
        for (std::int64_t& value : output.integer) value = wrap(output.type, value);
        return;
    }
    fold(axis, input.real, output.real, 0.0, std::plus<double>());
    if (!node.bounds) return;
    output.bound.resize(output.real.size());
    fold(axis, bound_magnitudes(input, true), output.bound, 0.0, std::plus<double>());
}

std::int64_t divide_by_scale(std::int64_t sum, std::int64_t count) {
    const int k = std::bit_width(static_cast<std::uint32_t>(count - 1));
    const std::int64_t multiplier = (((std::int64_t{1} << 30) + 1) << k) / count;
    return apply_scale(sum, multiplier, 30 + k, false);
}

/// Calls visit(flat output, flat input) for every valid position of every window, and done(flat
/// output, number of positions) after each window.
template <typename Attributes, typename Visit, typename Done>
void for_each_window(const Node& node, const Attributes& attributes, const Visit& visit,
                     const Done& done) {
    const Shape& in = node.in[0]->shape;
    for_each_position(node.out[0]->shape, [&](const Shape& index, std::int64_t flat) {
        const std::int64_t top = index[1] * attributes.stride[0] - attributes.pad[0];
        const std::int64_t left = index[2] * attributes.stride[1] - attributes.pad[2];
        std::int64_t count = 0;
        for (std::int64_t y = std::max<std::int64_t>(top, 0);
             y < std::min(top + attributes.kernel[0], in[1]); ++y) {
            for (std::int64_t x = std::max<std::int64_t>(left, 0);
                 x < std::min(left + attributes.kernel[1], in[2]); ++x) {
                ++count;
                visit(static_cast<std::size_t>(flat),
                      static_cast<std::size_t>(((index[0] * in[1] + y) * in[2] + x) * in[3] +
                                               index[3]));
            }
        }
        done(static_cast<std::size_t>(flat), count);
    });
}

void average_pool(const Node& node) {
    const auto& attributes = node.attributes<tosa::AvgPool2dAttributes>();
    const Value& input = *node.in[0];
    Value& output = *node.out[0];
    if (!input.is_float()) {
        const std::int64_t in_zero = node.in[1]->integer[0], out_zero = node.in[2]->integer[0];
        for_each_window(
            node, attributes,
            [&](std::size_t out, std::size_t in) {
                output.integer[out] += input.integer[in] - in_zero;
            },
            [&](std::size_t out, std::int64_t count) {
                output.integer[out] =
                    std::clamp(divide_by_scale(output.integer[out], count) + out_zero,
                               lowest(output.type), highest(output.type));
            });
        return;
    }
    const std::vector<double> magnitudes = bound_magnitudes(input, true);
    if (node.bounds) output.bound.resize(output.real.size());
    for_each_window(
        node, attributes,
        [&](std::size_t out, std::size_t in) {
            output.real[out] += input.real[in];
            if (node.bounds) output.bound[out] += magnitudes[in];
        },
        [&](std::size_t out, std::int64_t count) {
            output.real[out] /= static_cast<double>(count);
            if (node.bounds) output.bound[out] /= static_cast<double>(count);
        });
}

void max_pool(const Node& node) {
    const auto& attributes = node.attributes<tosa::MaxPool2dAttributes>();
    const Value& input = *node.in[0];
    Value& output = *node.out[0];
    const bool ignore = ignores(attributes.nan_mode);
    std::fill(output.real.begin(), output.real.end(), ignore ? kNan : -kInfinity);
    if (!input.is_float()) {
        std::fill(output.integer.begin(), output.integer.end(), lowest(input.type));
    }
    for_each_window(
        node, attributes,
        [&](std::size_t out, std::size_t in) {
            if (input.is_float()) {
                output.real[out] = maximum(output.real[out], input.real[in], ignore);
            } else {
                output.integer[out] = std::max(output.integer[out], input.integer[in]);
            }
        },
        [](std::size_t, std::int64_t) {});
}

}  // namespace

void reduction(const Node& node) {
    const Value& input = *node.in[0];
    Value& output = *node.out[0];
    const auto logical = [&](std::int32_t axis, std::int64_t start, const auto& combine) {
        fold(split(input.shape, axis), input.integer, output.integer, start, combine);
    };
    switch (node.op.op) {
        case OpCode::kArgmax: argmax(node); return;
        case OpCode::kReduceSum: reduce_sum(node); return;
        case OpCode::kReduceAll:
            logical(node.attributes<tosa::ReduceAllAttributes>().axis, 1,
                    [](std::int64_t a, std::int64_t b) { return a & b; });
            return;
        case OpCode::kReduceAny:
            logical(node.attributes<tosa::ReduceAnyAttributes>().axis, 0,
                    [](std::int64_t a, std::int64_t b) { return a | b; });
            return;
        case OpCode::kReduceMax: {
            const auto& attributes = node.attributes<tosa::ReduceMaxAttributes>();
            reduce_extremum(node, attributes.axis, attributes.nan_mode, true);
            return;
        }
        case OpCode::kReduceMin: {
            const auto& attributes = node.attributes<tosa::ReduceMinAttributes>();
            reduce_extremum(node, attributes.axis, attributes.nan_mode, false);
            return;
        }
        case OpCode::kReduceProduct:
            fold(split(input.shape, node.attributes<tosa::ReduceProductAttributes>().axis),
                 input.real, output.real, 1.0, std::multiplies<double>());
            return;
        default: OKKSIM_CHECK(false);
    }
}

void pooling(const Node& node) {
    if (node.op.op == OpCode::kAvgPool2d) {
        average_pool(node);
    } else {
        max_pool(node);
    }
}

void fourier(const Node& node) {
    const Value& input = *node.in[0];
    const Value* imaginary = node.op.op == OpCode::kFft2d ? node.in[1] : nullptr;
    const bool local = imaginary != nullptr ? node.attributes<tosa::Fft2dAttributes>().local_bound
                                            : node.attributes<tosa::Rfft2dAttributes>().local_bound;
    const std::vector<double> real_bound = bound_magnitudes(input, local);
    const std::vector<double> imaginary_bound = imaginary != nullptr
                                                    ? bound_magnitudes(*imaginary, local)
                                                    : std::vector<double>(real_bound.size(), 0.0);
    const double sign =
        imaginary != nullptr && node.attributes<tosa::Fft2dAttributes>().inverse ? -1.0 : 1.0;
    const std::int64_t height = input.shape[1], width = input.shape[2];
    for (Value* output : node.out) output->bound.assign(output->real.size(), 0.0);
    for_each_position(node.out[0]->shape, [&](const Shape& index, std::int64_t flat) {
        double sum[2] = {0, 0}, bound[2] = {0, 0};
        for (std::int64_t y = 0; y < height; ++y) {
            for (std::int64_t x = 0; x < width; ++x) {
                const auto at = static_cast<std::size_t>((index[0] * height + y) * width + x);
                const std::int64_t ay = y * index[1] % height, ax = x * index[2] % width;
                const double turn = static_cast<double>(ay) / static_cast<double>(height) +
                                    static_cast<double>(ax) / static_cast<double>(width);
                const double angle = sign * 2.0 * std::numbers::pi * turn;
                const double re = input.real[at];
                const double im = imaginary != nullptr ? imaginary->real[at] : 0.0;
                sum[0] += re * std::cos(angle) + im * std::sin(angle);
                const double cosine = std::abs(std::cos(angle)), sine = std::abs(std::sin(angle));
                bound[0] += real_bound[at] * cosine + imaginary_bound[at] * sine;
                // A real input omits the terms whose factor is exactly zero.
                const bool zero_factor = std::fmod(2.0 * turn, 1.0) == 0.0;
                if (imaginary == nullptr && zero_factor) continue;
                sum[1] += im * std::cos(angle) - re * std::sin(angle);
                bound[1] += imaginary_bound[at] * cosine + real_bound[at] * sine;
            }
        }
        for (std::size_t part = 0; part < 2; ++part) {
            node.out[part]->real[static_cast<std::size_t>(flat)] = sum[part];
            node.out[part]->bound[static_cast<std::size_t>(flat)] = bound[part];
        }
    });
}

}  // namespace okksim::reference
