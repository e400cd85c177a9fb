// SPDX-License-Identifier: Apache-2.0
#include "models/bdc/typed/half_windows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "models/bdc/elements/canonical_nan.h"
#include "models/bdc/layers/convolution.h"
#include "models/bdc/layers/depthwise.h"
#include "models/bdc/typed/half_planes.h"

namespace okksim::models {
namespace {

using isa::Dim4;
using isa::ElementType;
using isa::LocalAddr;

/// Input channels in a unit of weights: of 16 bits, and of fp32.
constexpr std::int32_t kQuad = 4, kPair = 2;
/// Element type with the size of a unit of weights.
constexpr ElementType kUnit = ElementType::kInt48;
/// Largest number of bytes for copies of operands. Operands with repeated elements may be far
/// larger than any local memory.
constexpr std::int64_t kMostBytes = std::int64_t{1} << 30;

/// Shapes of a command's tensors as fp32.
struct WideShapes {
    Dim4 input;
    Dim4 weights;
    std::int32_t weight_bytes;  ///< of an element of `weights`
    Dim4 output;
};

/// Operands and result of a command as fp32, in separate local memory.
template <typename Form>
class WideCommand {
 public:
    WideCommand(const Form& form, const WideShapes& shapes, LocalMemory& memory)
        : form_(form), shapes_(shapes), memory_(memory) {
        input_bytes_ = aligned_bytes(form.input_addr, shapes.input);
        output_bytes_ = aligned_bytes(form.output_addr, shapes.output);
        weight_bytes_ = compact_bytes(form.weight_addr, shapes.weights, shapes.weight_bytes);
        bias_bytes_ = compact_bytes(form.output_addr, bias_shape(), isa::kWordBytes);
    }

    std::int64_t lane_bytes() const {
        return input_bytes_ + output_bytes_ + weight_bytes_ + bias_bytes_;
    }

    /// Copies input and bias into `wide`, and points `command` at the copies and at the result's
    /// allocation.
    template <typename Command>
    void place(WideOperands& wide, Command& command) {
        command.input_shape = shapes_.input;
        command.input_addr = wide.take(form_.input_addr, input_bytes_);
        command.weight_addr = wide.take(form_.weight_addr, weight_bytes_);
        command.output_addr = wide.take(form_.output_addr, output_bytes_);
        command.kernel_h = form_.kernel_h;
        command.kernel_w = form_.kernel_w;
        command.padding = form_.padding;
        command.stride = form_.stride;
        command.dilation = form_.dilation;
        command.using_bias = form_.using_bias;
        widen_input(wide.memory(), command.input_addr);
        if (form_.using_bias == 0) return;
        command.bias_addr = wide.take(form_.bias_addr, bias_bytes_);
        const auto from =
            Planes::compact(memory_, form_.bias_addr, bias_shape(), ElementType::kFp32);
        const auto to =
            Planes::compact(wide.memory(), command.bias_addr, bias_shape(), ElementType::kFp32);
        for (std::int32_t c = 0; c < shapes_.output.c; ++c) {
            std::memcpy(to.plane(0, c).data, from.plane(0, c).data, sizeof(float));
        }
    }

    Planes result() const {
        return Planes::aligned(memory_, form_.output_addr, shapes_.output, form_.output_type);
    }
    Planes wide_result(WideOperands& wide, LocalAddr addr) const {
        return Planes::aligned(wide.memory(), addr, shapes_.output, ElementType::kFp32);
    }
    /// Calls body(plane of the result, its fp32 plane, elements) for every channel.
    template <typename Body>
    void each_result(WideOperands& wide, LocalAddr addr, const Body& body) const {
        const Planes narrow = result();
        const Planes words = wide_result(wide, addr);
        const std::int64_t count = std::int64_t{shapes_.output.h} * shapes_.output.w;
        for (std::int32_t n = 0; n < shapes_.output.n; ++n) {
            for (std::int32_t c = 0; c < shapes_.output.c; ++c) {
                body(narrow.plane(n, c), floats(words.plane(n, c)), count);
            }
        }
    }

    static float* floats(const IntegerRow& row) { return reinterpret_cast<float*>(row.data); }

 private:
    Dim4 bias_shape() const { return {1, shapes_.output.c, 1, 1}; }
    std::int32_t lane_of(LocalAddr addr) const {
        return static_cast<std::int32_t>(addr.value / memory_.bytes_per_lane());
    }
    std::int64_t aligned_bytes(LocalAddr addr, const Dim4& shape) const {
        const Dim4 stride = isa::aligned_stride(lane_of(addr), shape, isa::kWordBits,
                                                memory_.lanes(), memory_.line_bytes());
        return std::int64_t{shape.n} * stride.n * isa::kWordBytes;
    }
    std::int64_t compact_bytes(LocalAddr addr, const Dim4& shape, int bytes) const {
        const std::int64_t slots = isa::channels_per_lane(lane_of(addr), shape.c, memory_.lanes());
        return std::int64_t{shape.n} * slots * shape.h * shape.w * bytes;
    }

    void widen_input(LocalMemory& words, LocalAddr addr) const {
        const Dim4& shape = form_.input_shape;
        const auto from = Planes::aligned(memory_, form_.input_addr, shape, form_.input_type);
        const auto to = Planes::aligned(words, addr, shapes_.input, ElementType::kFp32);
        const std::int64_t count = std::int64_t{shape.h} * shape.w;
        for (std::int32_t n = 0; n < shape.n; ++n) {
            for (std::int32_t c = 0; c < shapes_.input.c; ++c) {
                float* const plane = floats(to.plane(n, c));
                if (c < shape.c) {
                    widen_row(from.plane(n, c), count, plane);
                } else {
                    std::fill_n(plane, count, 0.0f);
                }
            }
        }
    }

    const Form& form_;
    const WideShapes shapes_;
    LocalMemory& memory_;
    std::int64_t input_bytes_, output_bytes_, weight_bytes_, bias_bytes_;
};

/// The weights of an output channel, unit by unit.
class Quads {
 public:
    Quads(const isa::HalfConvolution& form, LocalMemory& memory)
        : form_(form), units_(memory, form.weight_addr, form.kernel_stride, kUnit) {}

    /// Returns the weights of four input channels. A missing channel is -0, which adds nothing.
    std::array<float, kQuad> at(std::int32_t quad, std::int32_t oc, std::int32_t y,
                                std::int32_t x) const {
        const IntegerRow unit = units_.plane(quad, oc).behind(
            std::int64_t{y} * form_.kernel_stride.h + std::int64_t{x} * form_.kernel_stride.w);
        std::array<float, kQuad> values;
        values.fill(-0.0f);
        const std::int32_t there = std::min(kQuad, form_.input_shape.c - quad * kQuad);
        widen_row({unit.data, isa::element_bytes(form_.input_type), form_.input_type}, there,
                  values.data());
        return values;
    }

 private:
    const isa::HalfConvolution& form_;
    Planes units_;
};

void widen_weights(const isa::HalfConvolution& form, const Dim4& pairs, LocalMemory& memory,
                   LocalMemory& words, LocalAddr addr) {
    const Quads quads(form, memory);
    const auto to = Planes::compact(words, addr, pairs, kUnit);
    for (std::int32_t oc = 0; oc < form.output_c; ++oc) {
        for (std::int32_t quad = 0; quad < pairs.n / kPair; ++quad) {
            const IntegerRow first = to.plane(kPair * quad, oc);
            const IntegerRow second = to.plane(kPair * quad + 1, oc);
            for (std::int32_t y = 0; y < form.kernel_h; ++y) {
                for (std::int32_t x = 0; x < form.kernel_w; ++x) {
                    const std::array<float, kQuad> values = quads.at(quad, oc, y, x);
                    const std::int64_t tap = std::int64_t{y} * form.kernel_w + x;
                    constexpr std::size_t kPairBytes = kPair * sizeof(float);
                    std::memcpy(first.behind(tap).data, values.data(), kPairBytes);
                    std::memcpy(second.behind(tap).data, values.data() + kPair, kPairBytes);
                }
            }
        }
    }
}

/// Returns a sum computed by the definition, without bias.
float direct_sum(const isa::HalfConvolution& form, const Planes& input, const Quads& quads,
                 const Dim4& at) {
    std::array<float, kQuad> sums{};
    for (std::int32_t y = 0; y < form.kernel_h; ++y) {
        for (std::int32_t x = 0; x < form.kernel_w; ++x) {
            const std::int64_t row = std::int64_t{at.h} * form.stride.h +
                                     std::int64_t{y} * form.dilation.h - form.padding.top;
            const std::int64_t column = std::int64_t{at.w} * form.stride.w +
                                        std::int64_t{x} * form.dilation.w - form.padding.left;
            const bool inside =
                row >= 0 && row < form.input_shape.h && column >= 0 && column < form.input_shape.w;
            for (std::int32_t c = 0; c < form.input_shape.c; ++c) {
                float value = 0;
                if (inside) {
                    widen_row(input.plane(at.n, c).behind(row * form.input_shape.w + column), 1,
                              &value);
                }
                const auto lane = static_cast<std::size_t>(c % kQuad);
                sums[lane] += value * quads.at(c / kQuad, at.c, y, x)[lane];
            }
        }
    }
    return (sums[0] + sums[2]) + (sums[1] + sums[3]);
}

/// Computes without copies of the operands, for operands that are far larger than local memory.
void convolve_directly(const isa::HalfConvolution& form, const Dim4& shape, LocalMemory& memory) {
    const FlushDenormals mode;
    const auto input = Planes::aligned(memory, form.input_addr, form.input_shape, form.input_type);
    const auto output = Planes::aligned(memory, form.output_addr, shape, form.output_type);
    const auto bias =
        Planes::compact(memory, form.bias_addr, {1, shape.c, 1, 1}, ElementType::kFp32);
    const Quads quads(form, memory);
    std::vector<float> sums;
    const auto each = [&](const auto& body) {
        for (std::int32_t n = 0; n < shape.n; ++n) {
            for (std::int32_t c = 0; c < shape.c; ++c) {
                for (std::int32_t i = 0; i < shape.h * shape.w; ++i) {
                    body(Dim4{n, c, i / shape.w, i % shape.w}, output.plane(n, c).behind(i));
                }
            }
        }
    };
    each([&](const Dim4& at, const IntegerRow& old) {
        float sum = direct_sum(form, input, quads, at);
        const auto add = [&sum](const IntegerRow& element) {
            float value = 0;
            widen_row(element, 1, &value);
            sum += value;
        };
        if (form.using_bias != 0) add(bias.plane(0, at.c));
        if (form.result_add != 0) add(old);
        sums.push_back(bdc::canonical_nan(sum));
    });
    auto next = sums.cbegin();
    each([&](const Dim4&, const IntegerRow& to) { narrow_row(&*next++, 1, to); });
}

template <typename Form>
Dim4 output_of(const Form& form, std::int32_t channels) {
    return isa::window_geometry(form.input_shape, channels, form.kernel_h, form.kernel_w,
                                form.padding, form.stride, form.dilation)
        .output;
}

}  // namespace

void execute_half_convolution(const isa::HalfConvolution& form, LocalMemory& memory,
                              LanePool& pool) {
    WideShapes shapes{
        form.input_shape, {}, kPair * isa::kWordBytes, output_of(form, form.output_c)};
    if (shapes.output.h <= 0 || shapes.output.w <= 0) return;
    shapes.input.c = isa::narrow(isa::align_up(form.input_shape.c, kQuad));
    shapes.weights =
        isa::weight_2ic_shape(shapes.input.c, form.output_c, form.kernel_h, form.kernel_w);
    WideCommand<isa::HalfConvolution> command(form, shapes, memory);
    if (command.lane_bytes() > kMostBytes / memory.lanes()) {
        return convolve_directly(form, shapes.output, memory);
    }
    WideOperands wide(memory, command.lane_bytes());
    isa::Convolution words{};
    command.place(wide, words);
    words.output_c = form.output_c;
    words.result_add = form.result_add;
    words.input_stride = isa::aligned_stride(wide.lane_of(words.input_addr), shapes.input,
                                             isa::kWordBits, memory.lanes(), memory.line_bytes());
    words.kernel_stride =
        isa::compact_stride(wide.lane_of(words.weight_addr), shapes.weights, memory.lanes());
    widen_weights(form, shapes.weights, memory, wide.memory(), words.weight_addr);
    if (form.result_add != 0) {
        command.each_result(wide, words.output_addr,
                            [](const IntegerRow& old, float* to, std::int64_t count) {
                                widen_row(old, count, to);
                            });
    }
    execute_convolution(words, wide.memory(), pool);
    command.each_result(wide, words.output_addr,
                        [](const IntegerRow& to, const float* from, std::int64_t count) {
                            narrow_row(from, count, to);
                        });
}

void execute_half_depthwise(const isa::HalfDepthwise& form, LocalMemory& memory, LanePool& pool) {
    const std::int32_t channels = form.input_shape.c;
    const Dim4 kernel{1, channels, form.kernel_h, form.kernel_w};
    const WideShapes shapes{form.input_shape, kernel, isa::kWordBytes, output_of(form, channels)};
    if (shapes.output.h <= 0 || shapes.output.w <= 0) return;
    WideCommand<isa::HalfDepthwise> command(form, shapes, memory);
    WideOperands wide(memory, command.lane_bytes());
    isa::Depthwise words{};
    command.place(wide, words);
    const auto from = Planes::compact(memory, form.weight_addr, kernel, form.input_type);
    const auto to = Planes::compact(wide.memory(), words.weight_addr, kernel, ElementType::kFp32);
    for (std::int32_t c = 0; c < channels; ++c) {
        widen_row(from.plane(0, c), std::int64_t{form.kernel_h} * form.kernel_w,
                  command.floats(to.plane(0, c)));
    }
    execute_depthwise(words, wide.memory(), pool);
    command.each_result(wide, words.output_addr,
                        [](const IntegerRow& result, const float* sums, std::int64_t count) {
                            narrow_row(sums, count, result);
                        });
}

}  // namespace okksim::models
