// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "tests/models/bdc/typed/reference_numbers.h"
#include "tests/models/bdc/typed/reference_operands.h"

namespace okksim::tests {
namespace {

using isa::Dim4;
using isa::ElementType;
constexpr int kWord = 32;

/// Access to the operands of commands with windows.
class Windows {
 public:
    Windows(const isa::Command& command, const isa::MachineShape& machine, LaneImage& image)
        : with_(command), machine_(machine), image_(image), opcode_(command.opcode) {}

    void run() {
        const bool is_pool = opcode_ == isa::Opcode::bdc_int_max_pool2d;
        const bool is_sum_of_channels = opcode_ == isa::Opcode::bdc_int_conv2d;
        input_type_ = with_.type(is_pool ? "element_type" : "input_type");
        output_type_ = with_.type(is_pool ? "element_type" : "output_type");
        input_shape_ = with_.dim4("input_shape");
        if (!is_pool) dilation_ = {step("dilation", 0), step("dilation", 1)};
        const std::int32_t channels = is_sum_of_channels
                                          ? static_cast<std::int32_t>(with_.integer("output_c"))
                                          : input_shape_.c;
        const Dim4 shape{input_shape_.n, channels, extent(input_shape_.h, 0, "kernel_h"),
                         extent(input_shape_.w, 1, "kernel_w")};
        TypedTensorBytes to = TypedTensorBytes::aligned(image_, machine_, with_.word("output_addr"),
                                                        shape, output_type_);
        compute_then_write(shape, to, [&](auto n, auto c, auto h, auto w) {
            if (is_pool) return maximum(n, c, h, w);
            const bool adds = is_sum_of_channels && with_.flag("result_add");
            return result(shape.c, n, c, h, w, adds ? to.get(n, c, h, w) : bias(shape.c, c));
        });
    }

 private:
    std::int32_t step(const char* name, std::size_t axis) const {
        return static_cast<std::int32_t>(with_.word(name, axis));
    }
    /// Number of windows along an axis, counted one by one.
    std::int32_t extent(std::int32_t input, std::size_t axis, const char* kernel) const {
        const auto before = static_cast<std::int32_t>(with_.word("padding", 2 * axis));
        const auto after = static_cast<std::int32_t>(with_.word("padding", 2 * axis + 1));
        const auto reach = static_cast<std::int32_t>(with_.integer(kernel) - 1) * dilation_[axis];
        std::int32_t count = 0;
        for (std::int32_t at = -before; at + reach < input + after; at += step("stride", axis)) {
            ++count;
        }
        return count;
    }

    /// Calls tap(kernel y, kernel x, input y, input x) for the taps inside the input.
    template <typename Tap>
    void each_tap(std::int32_t h, std::int32_t w, const Tap& tap) const {
        for (std::int32_t y = 0; y < with_.integer("kernel_h"); ++y) {
            for (std::int32_t x = 0; x < with_.integer("kernel_w"); ++x) {
                const std::int32_t row = h * step("stride", 0) + y * dilation_[0] -
                                         static_cast<std::int32_t>(with_.word("padding", 0));
                const std::int32_t column = w * step("stride", 1) + x * dilation_[1] -
                                            static_cast<std::int32_t>(with_.word("padding", 2));
                const bool is_inside =
                    row >= 0 && row < input_shape_.h && column >= 0 && column < input_shape_.w;
                if (is_inside) tap(y, x, row, column);
            }
        }
    }

    TypedTensorBytes input() const {
        return TypedTensorBytes::aligned(image_, machine_, with_.word("input_addr"), input_shape_,
                                         input_type_);
    }

    Wide maximum(std::int32_t n, std::int32_t c, std::int32_t h, std::int32_t w) const {
        Wide best = facts_of(input_type_).low();
        each_tap(h, w, [&](auto, auto, auto row, auto column) {
            const Wide value = input().get(n, c, row, column);
            if (value > best) best = value;
        });
        return best;
    }

    Wide bias(std::int32_t channels, std::int32_t c) const {
        if (!with_.flag("using_bias")) return 0;
        return TypedTensorBytes::dense(image_, machine_, with_.word("bias_addr"),
                                       {1, channels, 1, 1}, ElementType::kInt32, 1)
            .get(0, c, 0, 0);
    }

    Wide result(std::int32_t channels, std::int32_t n, std::int32_t c, std::int32_t h,
                std::int32_t w, Wide start) const {
        Wide sum = start;
        const bool is_sum = opcode_ == isa::Opcode::bdc_int_conv2d;
        each_tap(h, w, [&](auto y, auto x, auto row, auto column) {
            for (std::int32_t ic = is_sum ? 0 : c; ic < (is_sum ? input_shape_.c : c + 1); ++ic) {
                sum += (input().get(n, ic, row, column) - with_.integer("input_zp")) *
                       (weight(channels, ic, c, y, x) - with_.integer("weight_zp"));
            }
        });
        sum = modulo(sum, input_type_ == ElementType::kInt16 ? 48 : kWord, true);
        if (!with_.flag("rescales")) return sum;
        const TypedTensorBytes factors =
            TypedTensorBytes::dense(image_, machine_, with_.word("factor_addr"),
                                    {1, channels, 1, 2}, ElementType::kInt32, 1);
        return rescaled(with_, sum, factors.get(0, c, 0, 0),
                        modulo(factors.get(0, c, 0, 1), 6, false));
    }

    Wide weight(std::int32_t channels, std::int32_t ic, std::int32_t oc, std::int32_t y,
                std::int32_t x) const {
        const auto kernel_h = static_cast<std::int32_t>(with_.integer("kernel_h"));
        const auto kernel_w = static_cast<std::int32_t>(with_.integer("kernel_w"));
        const std::uint32_t address = with_.word("weight_addr");
        if (opcode_ == isa::Opcode::bdc_int_depthwise2d) {
            return TypedTensorBytes::dense(image_, machine_, address,
                                           {1, channels, kernel_h, kernel_w}, ElementType::kInt8, 1)
                .get(0, oc, y, x);
        }
        // At every kernel position, four input channels are contiguous.
        return TypedTensorBytes::dense(image_, machine_, address,
                                       {1, channels, kernel_h, kernel_w * 4}, ElementType::kInt8, 1)
            .get(static_cast<std::int64_t>(ic / 4), oc, y, x * 4 + ic % 4);
    }

    NamedOperands with_;
    const isa::MachineShape& machine_;
    LaneImage& image_;
    isa::Opcode opcode_;
    ElementType input_type_{}, output_type_{};
    Dim4 input_shape_;
    std::array<std::int32_t, 2> dilation_{1, 1};
};

}  // namespace

void execute_windows_reference(const isa::Command& command, const isa::MachineShape& machine,
                               LaneImage& image) {
    Windows(command, machine, image).run();
}

}  // namespace okksim::tests
