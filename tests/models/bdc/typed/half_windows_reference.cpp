// SPDX-License-Identifier: Apache-2.0
// Convolutions of fp16 and bf16 straight from their definition, one result at a time.
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/models/bdc/typed/reference_numbers.h"
#include "tests/models/bdc/typed/reference_operands.h"

namespace okksim::tests {
namespace {

using isa::Dim4;
using isa::ElementType;

/// Denormals count as zeros.
float flushed(float value) {
    return std::abs(value) < std::numeric_limits<float>::min() ? std::copysign(0.0f, value) : value;
}

class HalfWindows {
 public:
    HalfWindows(const isa::Command& command, const isa::MachineShape& machine, LaneImage& image)
        : with_(command),
          machine_(machine),
          image_(image),
          sums_channels_(command.opcode == isa::Opcode::bdc_half_conv2d),
          type_(with_.type("input_type")),
          input_shape_(with_.dim4("input_shape")) {
        channels_ = sums_channels_ ? number("output_c") : input_shape_.c;
    }

    void run() {
        const ElementType type = with_.type("output_type");
        const Dim4 shape{input_shape_.n, channels_, extent(input_shape_.h, 0, "kernel_h"),
                         extent(input_shape_.w, 1, "kernel_w")};
        TypedTensorBytes to =
            TypedTensorBytes::aligned(image_, machine_, with_.word("output_addr"), shape, type);
        compute_then_write(shape, to, [&](auto n, auto c, auto h, auto w) {
            float sum = sums_channels_ ? sum_of_channels(n, c, h, w) : sum_of_channel(n, c, h, w);
            if (with_.flag("using_bias")) sum = flushed(sum + bias(c));
            if (sums_channels_ && with_.flag("result_add")) {
                sum = flushed(sum + flushed(float_number(to.get(n, c, h, w), type)));
            }
            return float_element(sum, type);
        });
    }

 private:
    std::int32_t number(const char* name, std::size_t index = 0) const {
        return static_cast<std::int32_t>(with_.word(name, index));
    }
    std::int32_t dilation(std::size_t axis) const { return number("dilation", axis); }
    /// Number of windows along an axis, counted one by one.
    std::int32_t extent(std::int32_t input, std::size_t axis, const char* kernel) const {
        const std::int32_t before = number("padding", 2 * axis);
        const std::int32_t end = input + number("padding", 2 * axis + 1);
        std::int32_t count = 0;
        for (std::int32_t at = -before; at + (number(kernel) - 1) * dilation(axis) < end;
             at += number("stride", axis)) {
            ++count;
        }
        return count;
    }

    /// Input value at a tap; padding is zero.
    float input(std::int32_t n, std::int32_t c, std::int32_t h, std::int32_t w, std::int32_t y,
                std::int32_t x) const {
        const std::int32_t row = h * number("stride", 0) + y * dilation(0) - number("padding", 0);
        const std::int32_t column =
            w * number("stride", 1) + x * dilation(1) - number("padding", 2);
        if (row < 0 || row >= input_shape_.h || column < 0 || column >= input_shape_.w) return 0;
        const auto map = TypedTensorBytes::aligned(image_, machine_, with_.word("input_addr"),
                                                   input_shape_, type_);
        return float_number(map.get(n, c, row, column), type_);
    }

    /// The unit of four channels has four elements.
    float weight(std::int32_t ic, std::int32_t oc, std::int32_t y, std::int32_t x) const {
        const Dim4 units = with_.dim4("kernel_stride");
        const TypedTensorBytes weights(
            image_, machine_, with_.word("weight_addr") + 2 * static_cast<std::uint32_t>(ic % 4),
            {units.n * 4, units.c * 4, units.h * 4, units.w * 4}, type_);
        return float_number(weights.get(ic / 4, oc, y, x), type_);
    }
    float own_weight(std::int32_t c, std::int32_t y, std::int32_t x) const {
        const Dim4 shape{1, channels_, number("kernel_h"), number("kernel_w")};
        const auto weights =
            TypedTensorBytes::dense(image_, machine_, with_.word("weight_addr"), shape, type_, 1);
        return float_number(weights.get(0, c, y, x), type_);
    }
    float bias(std::int32_t c) const {
        const auto biases = TypedTensorBytes::dense(image_, machine_, with_.word("bias_addr"),
                                                    {1, channels_, 1, 1}, ElementType::kFp32, 1);
        return flushed(float_number(biases.get(0, c, 0, 0), ElementType::kFp32));
    }

    /// Product i = tap * channels + c, channels rounded up to four, goes to sum i mod 4.
    float sum_of_channels(std::int32_t n, std::int32_t oc, std::int32_t h, std::int32_t w) const {
        std::array<float, 4> sums{};
        for (std::int32_t y = 0; y < number("kernel_h"); ++y) {
            for (std::int32_t x = 0; x < number("kernel_w"); ++x) {
                for (std::int32_t c = 0; c < input_shape_.c; ++c) {
                    float& sum = sums[static_cast<std::size_t>(c % 4)];
                    sum = flushed(sum + flushed(input(n, c, h, w, y, x) * weight(c, oc, y, x)));
                }
            }
        }
        return flushed(flushed(sums[0] + sums[2]) + flushed(sums[1] + sums[3]));
    }
    /// Product t of the window goes to sum t mod 2.
    float sum_of_channel(std::int32_t n, std::int32_t c, std::int32_t h, std::int32_t w) const {
        std::array<float, 2> sums{};
        std::size_t tap = 0;
        for (std::int32_t y = 0; y < number("kernel_h"); ++y) {
            for (std::int32_t x = 0; x < number("kernel_w"); ++x) {
                float& sum = sums[tap++ % 2];
                sum = flushed(sum + flushed(input(n, c, h, w, y, x) * own_weight(c, y, x)));
            }
        }
        return flushed(sums[0] + sums[1]);
    }

    NamedOperands with_;
    const isa::MachineShape& machine_;
    LaneImage& image_;
    bool sums_channels_;
    ElementType type_;
    Dim4 input_shape_;
    std::int32_t channels_ = 0;
};

}  // namespace

void execute_half_windows_reference(const isa::Command& command, const isa::MachineShape& machine,
                                    LaneImage& image) {
    HalfWindows(command, machine, image).run();
}

}  // namespace okksim::tests
