// SPDX-License-Identifier: Apache-2.0
// Sections 2.3.3 to 2.3.5, 2.3.7 and 2.3.10: sums of products.
#include <cmath>

#include "isa/base/errors.h"
#include "tests/reference/tosa/operators.h"

namespace okksim::reference {
namespace {

/// Sum of products, with four partial sums to avoid a chain of dependent additions.
template <typename T>
T dot(const T* a, const T* b, std::int64_t count) {
    T sum[4] = {};
    std::int64_t i = 0;
    for (; i + 4 <= count; i += 4) {
        for (int k = 0; k < 4; ++k) sum[k] += a[i + k] * b[i + k];
    }
    for (; i < count; ++i) sum[0] += a[i] * b[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/// A convolution over depth, height and width; depth is 1 in two dimensions.
struct Geometry {
    std::int64_t batch, out_channels, in_channels;
    std::array<std::int64_t, 3> input, kernel, output, stride, dilation, pad;
    bool transposed = false;  ///< stride spreads the input instead of the windows

    /// Input position under tap k of output position o, or -1.
    std::int64_t source(std::size_t axis, std::int64_t o, std::int64_t k) const {
        std::int64_t position;
        if (transposed) {
            position = o - pad[axis] - k;
            if (position < 0 || position % stride[axis] != 0) return -1;
            position /= stride[axis];
        } else {
            position = o * stride[axis] - pad[axis] + k * dilation[axis];
        }
        return position >= 0 && position < input[axis] ? position : -1;
    }
};

std::array<std::int64_t, 3> spatial(const Shape& shape, std::size_t first) {
    if (shape.size() - first == 4) return {shape[first], shape[first + 1], shape[first + 2]};
    return {1, shape[first], shape[first + 1]};
}

template <typename Attributes>
Geometry geometry_2d(const Attributes& attributes) {
    Geometry geometry{};
    geometry.stride = {1, attributes.stride[0], attributes.stride[1]};
    geometry.dilation = {1, 1, 1};
    if constexpr (requires { attributes.out_pad; }) {
        geometry.pad = {0, attributes.out_pad[0], attributes.out_pad[2]};
        geometry.transposed = true;
    } else {
        geometry.pad = {0, attributes.pad[0], attributes.pad[2]};
        geometry.dilation = {1, attributes.dilation[0], attributes.dilation[1]};
    }
    return geometry;
}

Geometry geometry_of(const Node& node) {
    Geometry geometry{};
    switch (node.op.op) {
        case OpCode::kConv2d:
            geometry = geometry_2d(node.attributes<tosa::Conv2dAttributes>());
            break;
        case OpCode::kDepthwiseConv2d:
            geometry = geometry_2d(node.attributes<tosa::DepthwiseConv2dAttributes>());
            break;
        case OpCode::kTransposeConv2d:
            geometry = geometry_2d(node.attributes<tosa::TransposeConv2dAttributes>());
            break;
        default: {
            const auto& attributes = node.attributes<tosa::Conv3dAttributes>();
            for (std::size_t i = 0; i < 3; ++i) {
                geometry.stride[i] = attributes.stride[i];
                geometry.dilation[i] = attributes.dilation[i];
                geometry.pad[i] = attributes.pad[2 * i];
            }
        }
    }
    const Shape& input = node.in[0]->shape;
    const Shape& weight = node.in[1]->shape;
    geometry.batch = input[0];
    geometry.in_channels = input.back();
    geometry.out_channels = node.out[0]->shape.back();
    geometry.input = spatial(input, 1);
    geometry.output = spatial(node.out[0]->shape, 1);
    geometry.kernel = node.op.op == OpCode::kDepthwiseConv2d
                          ? std::array<std::int64_t, 3>{1, weight[0], weight[1]}
                          : spatial(weight, 1);
    return geometry;
}

/// Calls visit(flat output position without channels, tap, flat input position without channels)
/// for every tap inside the input.
template <typename Visit>
void for_each_tap(const Geometry& g, const Visit& visit) {
    std::int64_t out = 0;
    for (std::int64_t n = 0; n < g.batch; ++n) {
        for (std::int64_t oz = 0; oz < g.output[0]; ++oz) {
            for (std::int64_t oy = 0; oy < g.output[1]; ++oy) {
                for (std::int64_t ox = 0; ox < g.output[2]; ++ox, ++out) {
                    for (std::int64_t kz = 0; kz < g.kernel[0]; ++kz) {
                        const std::int64_t z = g.source(0, oz, kz);
                        for (std::int64_t ky = 0; z >= 0 && ky < g.kernel[1]; ++ky) {
                            const std::int64_t y = g.source(1, oy, ky);
                            for (std::int64_t kx = 0; y >= 0 && kx < g.kernel[2]; ++kx) {
                                const std::int64_t x = g.source(2, ox, kx);
                                if (x < 0) continue;
                                visit(out, (kz * g.kernel[1] + ky) * g.kernel[2] + kx,
                                      ((n * g.input[0] + z) * g.input[1] + y) * g.input[2] + x);
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Weights [OC, taps, IC].
template <typename T>
void convolve(const Geometry& g, const std::vector<T>& input, const std::vector<T>& weight,
              std::vector<T>& output) {
    const std::int64_t taps = g.kernel[0] * g.kernel[1] * g.kernel[2];
    for_each_tap(g, [&](std::int64_t out, std::int64_t tap, std::int64_t in) {
        const T* values = input.data() + in * g.in_channels;
        for (std::int64_t oc = 0; oc < g.out_channels; ++oc) {
            output[static_cast<std::size_t>(out * g.out_channels + oc)] +=
                dot(values, weight.data() + (oc * taps + tap) * g.in_channels, g.in_channels);
        }
    });
}

/// Weights [taps, C, M].
template <typename T>
void convolve_depthwise(const Geometry& g, const std::vector<T>& input,
                        const std::vector<T>& weight, std::vector<T>& output) {
    const std::int64_t multiplier = g.out_channels / g.in_channels;
    for_each_tap(g, [&](std::int64_t out, std::int64_t tap, std::int64_t in) {
        for (std::int64_t oc = 0; oc < g.out_channels; ++oc) {
            output[static_cast<std::size_t>(out * g.out_channels + oc)] +=
                input[static_cast<std::size_t>(in * g.in_channels + oc / multiplier)] *
                weight[static_cast<std::size_t>(tap * g.out_channels + oc)];
        }
    });
}

/// A [N, H, C] times B [N, C, W].
template <typename T>
void multiply(const Node& node, const std::vector<T>& a, const std::vector<T>& b,
              std::vector<T>& output) {
    const Shape& left = node.in[0]->shape;
    const std::int64_t batch = left[0], height = left[1], depth = left[2];
    const std::int64_t width = node.in[1]->shape[2];
    std::vector<T> column(static_cast<std::size_t>(depth));
    for (std::int64_t n = 0; n < batch; ++n) {
        for (std::int64_t x = 0; x < width; ++x) {
            for (std::int64_t c = 0; c < depth; ++c) {
                column[static_cast<std::size_t>(c)] =
                    b[static_cast<std::size_t>((n * depth + c) * width + x)];
            }
            for (std::int64_t y = 0; y < height; ++y) {
                output[static_cast<std::size_t>((n * height + y) * width + x)] =
                    dot(a.data() + (n * height + y) * depth, column.data(), depth);
            }
        }
    }
}

template <typename T>
void sum_products(const Node& node, const std::vector<T>& input, const std::vector<T>& weight,
                  std::vector<T>& output) {
    switch (node.op.op) {
        case OpCode::kMatmul: multiply(node, input, weight, output); return;
        case OpCode::kDepthwiseConv2d:
            convolve_depthwise(geometry_of(node), input, weight, output);
            return;
        default: convolve(geometry_of(node), input, weight, output);
    }
}

template <typename T>
void add_bias(std::vector<T>& output, const std::vector<T>& bias) {
    for (std::size_t i = 0; i < output.size(); ++i) output[i] += bias[i % bias.size()];
}

bool local_bound(const Node& node) {
    switch (node.op.op) {
        case OpCode::kConv2d: return node.attributes<tosa::Conv2dAttributes>().local_bound;
        case OpCode::kConv3d: return node.attributes<tosa::Conv3dAttributes>().local_bound;
        case OpCode::kDepthwiseConv2d:
            return node.attributes<tosa::DepthwiseConv2dAttributes>().local_bound;
        case OpCode::kTransposeConv2d:
            return node.attributes<tosa::TransposeConv2dAttributes>().local_bound;
        default: return true;
    }
}

std::vector<std::int64_t> without_zero_point(const Value& value, const Value& zero_point) {
    std::vector<std::int64_t> values = value.integer;
    for (std::int64_t& element : values) element -= zero_point.integer[0];
    return values;
}

}  // namespace

void convolution(const Node& node) {
    const Value& input = *node.in[0];
    const Value& weight = *node.in[1];
    Value& output = *node.out[0];
    const bool has_bias = node.op.op != OpCode::kMatmul;
    const std::size_t zero_points = has_bias ? 3 : 2;
    if (!output.is_float()) {
        sum_products(node, without_zero_point(input, *node.in[zero_points]),
                     without_zero_point(weight, *node.in[zero_points + 1]), output.integer);
        if (has_bias) add_bias(output.integer, node.in[2]->integer);
        for (std::int64_t& value : output.integer) value = wrap(output.type, value);
        return;
    }
    sum_products(node, input.real, weight.real, output.real);
    if (has_bias) add_bias(output.real, node.in[2]->real);
    if (!node.bounds) return;
    output.bound.resize(output.real.size());
    sum_products(node, bound_magnitudes(input, local_bound(node)), bound_magnitudes(weight, true),
                 output.bound);
    if (has_bias) add_bias(output.bound, bound_magnitudes(*node.in[2], true));
}

}  // namespace okksim::reference
