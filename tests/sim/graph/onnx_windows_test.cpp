// SPDX-License-Identifier: Apache-2.0
// ONNX: convolutions and pools, compared with plain loops.
#include "tests/sim/graph/onnx_node.h"
#include "tests/support/catch.h"

namespace okksim::tests {
namespace {

using namespace onnx;
using Catch::Matchers::Approx;
using Catch::Matchers::Contains;
using Numbers = std::vector<double>;
using List = std::vector<std::int64_t>;

auto close_to(const Numbers& expected) { return Approx(expected).margin(1e-4).epsilon(1e-4); }

/// A convolution or pool of planes.
struct Plane {
    std::int64_t height, width, kernel_y, kernel_x, stride, dilation, top, left, bottom, right;

    std::int64_t rows() const {
        return (height + top + bottom - (kernel_y - 1) * dilation - 1) / stride + 1;
    }
    std::int64_t columns() const {
        return (width + left + right - (kernel_x - 1) * dilation - 1) / stride + 1;
    }
};

/// Calls visit(element, tap) for each tap of a window inside the feature map.
template <typename Visit>
void for_each_tap(const Plane& p, std::int64_t row, std::int64_t column, const Visit& visit) {
    for (std::int64_t ky = 0; ky < p.kernel_y; ++ky) {
        for (std::int64_t kx = 0; kx < p.kernel_x; ++kx) {
            const std::int64_t y = row * p.stride - p.top + ky * p.dilation;
            const std::int64_t x = column * p.stride - p.left + kx * p.dilation;
            if (y < 0 || x < 0 || y >= p.height || x >= p.width) continue;
            visit(static_cast<std::size_t>(y * p.width + x),
                  static_cast<std::size_t>(ky * p.kernel_x + kx));
        }
    }
}

/// The definition of Conv for one image: x [C,H,W], w [M,C / groups,KH,KW].
Numbers convolved(const Plane& p, const Numbers& x, std::int64_t channels, const Numbers& w,
                  std::int64_t filters, std::int64_t groups, const Numbers& bias) {
    const std::int64_t depth = channels / groups, per_group = filters / groups;
    Numbers result;
    for (std::int64_t m = 0; m < filters; ++m) {
        for (std::int64_t row = 0; row < p.rows(); ++row) {
            for (std::int64_t column = 0; column < p.columns(); ++column) {
                double sum = bias.empty() ? 0 : bias[static_cast<std::size_t>(m)];
                for (std::int64_t c = 0; c < depth; ++c) {
                    const auto map =
                        static_cast<std::size_t>((m / per_group * depth + c) * p.height * p.width);
                    const auto kernel =
                        static_cast<std::size_t>((m * depth + c) * p.kernel_y * p.kernel_x);
                    for_each_tap(p, row, column, [&](std::size_t at, std::size_t tap) {
                        sum += x[map + at] * w[kernel + tap];
                    });
                }
                result.push_back(sum);
            }
        }
    }
    return result;
}

/// Numbers without a pattern in small steps, exact in fp32.
Numbers scattered(std::size_t count, int seed = 1) {
    Numbers values;
    for (std::size_t i = 0; i < count; ++i) {
        values.push_back(static_cast<double>((static_cast<int>(i) * 37 + seed * 11) % 17 - 8) / 4);
    }
    return values;
}

Message list(std::string_view name, const List& values) { return attribute(name, values); }
Message number(std::string_view name, std::int64_t value) { return attribute(name, value); }
Message text(std::string_view name, std::string_view value) { return attribute(name, value); }

}  // namespace

TEST_CASE("ONNX: convolutions with groups, strides, dilations and padding", "[graph][onnx]") {
    const Plane p{7, 6, 3, 2, 2, 2, 2, 1, 1, 2};
    const Numbers x = scattered(4 * 7 * 6), bias = scattered(6, 3);
    for (const std::int64_t groups : {1, 2}) {
        const std::int64_t depth = 4 / groups;
        const Numbers w = scattered(static_cast<std::size_t>(6 * depth * 6), 2);
        for (const bool is_known : {true, false}) {
            Operand weights = real({6, depth, 3, 2}, w);
            weights.is_known = is_known;
            CHECK_THAT(values_of({"Conv",
                                  {real({1, 4, 7, 6}, x), weights, known_real({6}, bias)},
                                  {list("strides", {2, 2}), list("dilations", {2, 2}),
                                   list("pads", {2, 1, 1, 2}), number("group", groups)}}),
                       close_to(convolved(p, x, 4, w, 6, groups, bias)));
        }
    }
}

TEST_CASE("ONNX: a depthwise convolution has one group per channel", "[graph][onnx]") {
    const Plane p{5, 5, 3, 3, 1, 1, 1, 1, 1, 1};
    const Numbers x = scattered(3 * 25), w = scattered(6 * 9, 2);
    CHECK_THAT(values_of({"Conv",
                          {real({1, 3, 5, 5}, x), known_real({6, 1, 3, 3}, w)},
                          {list("pads", {1, 1, 1, 1}), number("group", 3)}}),
               close_to(convolved(p, x, 3, w, 6, 3, {})));
}

TEST_CASE("ONNX: SAME padding puts its odd element at one end", "[graph][onnx]") {
    // 4 elements, kernel 2, stride 1: one element of padding, 4 sums of 2 neighbours.
    const std::vector<Operand> operands{real({1, 1, 4}, {1, 2, 3, 4}),
                                        known_real({1, 1, 2}, {1, 10})};
    CHECK(values_of({"Conv", operands, {text("auto_pad", "SAME_UPPER")}}) ==
          Numbers{21, 32, 43, 4});
    CHECK(values_of({"Conv", operands, {text("auto_pad", "SAME_LOWER")}}) ==
          Numbers{10, 21, 32, 43});
    CHECK(values_of({"Conv", operands, {text("auto_pad", "VALID")}}) == Numbers{21, 32, 43});
}

TEST_CASE("ONNX: transposed convolutions", "[graph][onnx]") {
    const std::vector<Operand> operands{real({1, 1, 3}, {1, 2, 3}),
                                        known_real({1, 1, 3}, {1, 10, 100})};
    // Element i adds its kernel at 2 i: 1 10 100+2 20 200+3 30 300.
    CHECK(values_of({"ConvTranspose", operands, {list("strides", {2})}}) ==
          Numbers{1, 10, 102, 20, 203, 30, 300});
    CHECK(values_of({"ConvTranspose",
                     operands,
                     {list("strides", {2}), list("pads", {1, 1}), list("output_padding", {1})}}) ==
          Numbers{10, 102, 20, 203, 30, 300});
    // 7 elements become 6: SAME_UPPER removes the odd one at the end, otherwise the start loses it.
    CHECK(values_of({"ConvTranspose",
                     operands,
                     {list("strides", {2}), list("output_shape", {6}),
                      text("auto_pad", "SAME_UPPER")}}) == Numbers{1, 10, 102, 20, 203, 30});
    CHECK(
        values_of({"ConvTranspose", operands, {list("strides", {2}), list("output_shape", {6})}}) ==
        Numbers{10, 102, 20, 203, 30, 300});
    // Dilation 2: element i adds 1, 10, 100 at i, i + 2, i + 4.
    CHECK(values_of({"ConvTranspose", operands, {list("dilations", {2})}}) ==
          Numbers{1, 2, 13, 20, 130, 200, 300});
    // Two groups: each channel has its own kernel.
    CHECK(values_of({"ConvTranspose",
                     {real({1, 2, 2}, {1, 2, 3, 4}), known_real({2, 1, 2}, {1, 10, 1, 100}),
                      known_real({2}, {0, 0.5})},
                     {number("group", 2)}}) == Numbers{1, 12, 20, 3.5, 304.5, 400.5});
}

TEST_CASE("ONNX: maxima with indices, ceil_mode and dilation", "[graph][onnx]") {
    const Operand x = real({1, 1, 5}, {3, 1, 4, 1, 5});
    const auto both =
        run_node({"MaxPool",
                  {x},
                  {list("kernel_shape", {2}), list("strides", {2}), number("ceil_mode", 1)},
                  12,
                  2});
    // Windows 3 1, 4 1 and 5.
    CHECK(both[0].values == Numbers{3, 4, 5});
    CHECK(both[1].values == Numbers{0, 2, 4});
    CHECK(values_of({"MaxPool", {x}, {list("kernel_shape", {2}), list("dilations", {3})}}) ==
          Numbers{3, 5});
    Operand bytes{{1, 1, 4}, {200, 7, 3, 255}, kUint8};
    CHECK(values_of({"MaxPool", {bytes}, {list("kernel_shape", {2}), list("pads", {1, 0})}}) ==
          Numbers{200, 200, 7, 255});
    // A feature map of 2 x 2: index 1 of row-major order is index 2 if columns come first.
    const auto columns = run_node({"MaxPool",
                                   {real({1, 1, 2, 2}, {1, 9, 2, 3})},
                                   {list("kernel_shape", {2, 2}), number("storage_order", 1)},
                                   12,
                                   2});
    CHECK(columns[1].values == Numbers{2});
}

TEST_CASE("ONNX: means count the padding only if they shall", "[graph][onnx]") {
    const Operand x = real({1, 1, 4}, {2, 4, 6, 8});
    const Message kernel = list("kernel_shape", {3}), pads = list("pads", {1, 1});
    CHECK_THAT(values_of({"AveragePool", {x}, {kernel, pads}}), close_to({3, 4, 6, 7}));
    CHECK_THAT(values_of({"AveragePool", {x}, {kernel, pads, number("count_include_pad", 1)}}),
               close_to({2, 4, 6, 14.0 / 3}));
    // The third window has 8 and 10; its third element is outside the padded feature map.
    CHECK_THAT(values_of({"AveragePool",
                          {real({1, 1, 5}, {2, 4, 6, 8, 10})},
                          {kernel, list("strides", {2}), list("pads", {1, 0}),
                           number("ceil_mode", 1), number("count_include_pad", 1)},
                          13}),
               close_to({2, 6, 9}));
    CHECK_THAT(
        values_of({"AveragePool", {x}, {list("kernel_shape", {2}), list("dilations", {2})}, 19}),
        close_to({4, 6}));
}

TEST_CASE("ONNX: norms and global pools", "[graph][onnx]") {
    const Operand x = real({1, 2, 1, 2}, {3, 4, -6, 8});
    CHECK_THAT(values_of({"LpPool", {x}, {list("kernel_shape", {1, 2})}}), close_to({5, 10}));
    CHECK_THAT(values_of({"LpPool", {x}, {list("kernel_shape", {1, 2}), number("p", 1)}}),
               close_to({7, 14}));
    CHECK_THAT(values_of({"GlobalLpPool", {x}}), close_to({5, 10}));
    CHECK_THAT(values_of({"GlobalAveragePool", {x}}), close_to({3.5, 1}));
    CHECK(values_of({"GlobalMaxPool", {x}}) == Numbers{4, 8});
}

TEST_CASE("ONNX: MaxUnpool writes to the indices of MaxPool", "[graph][onnx]") {
    const Operand indices{{1, 1, 2}, {1, 2}, kInt64};
    CHECK(values_of({"MaxUnpool",
                     {real({1, 1, 2}, {7, 9}), indices},
                     {list("kernel_shape", {2}), list("strides", {2})}}) == Numbers{0, 7, 9, 0});
}

TEST_CASE("ONNX: FusedConv adds a feature map before its activation", "[graph][onnx]") {
    // 2 x + z: 2 - 5, -4 + 5, 6 + 0; LeakyRelu of slope 0.1.
    CHECK_THAT(values_of({"FusedConv",
                          {real({1, 1, 3}, {1, -2, 3}), known_real({1, 1, 1}, {2}), absent(),
                           real({1, 1, 3}, {-5, 5, 0})},
                          {text("activation", "LeakyRelu"),
                           attribute("activation_params", std::vector<float>{0.1F})},
                          17,
                          1,
                          "com.microsoft"}),
               close_to({-0.3, 1, 6}));
}

TEST_CASE("ONNX: windows that break a rule are refused", "[graph][onnx]") {
    const Operand x = real({1, 2, 4}, scattered(8)), w = known_real({2, 2, 3}, scattered(12));
    const auto refused = [&](const std::vector<Operand>& operands,
                             const std::vector<Message>& attributes, const std::string& op) {
        return refusal_of({op, operands, attributes});
    };
    CHECK_THAT(refused({x, known_real({2, 3, 3}, scattered(18))}, {}, "Conv"),
               Contains("channels of the feature map"));
    CHECK_THAT(refused({x, known_real({2, 2}, scattered(4))}, {}, "Conv"),
               Contains("equal numbers of dimensions"));
    CHECK_THAT(refused({x, w}, {list("strides", {0})}, "Conv"), Contains("numbers from 1"));
    CHECK_THAT(refused({x, w}, {list("pads", {1})}, "Conv"), Contains("2 numbers"));
    CHECK_THAT(refused({x, w}, {text("auto_pad", "SAME")}, "Conv"), Contains("SAME_UPPER"));
    CHECK_THAT(refused({x, w}, {list("kernel_shape", {2})}, "Conv"), Contains("kernel [3]"));
    CHECK_THAT(refused({x, w}, {list("dilations", {2})}, "Conv"), Contains("fits"));
    CHECK_THAT(refused({x, w, known_real({3}, {1, 2, 3})}, {}, "Conv"), Contains("bias"));
    CHECK_THAT(refused({x}, {}, "MaxPool"), Contains("kernel_shape"));
    CHECK_THAT(refused({x}, {list("kernel_shape", {2}), list("pads", {2, 0})}, "AveragePool"),
               Contains("less than the window"));
    CHECK_THAT(refused({{{1, 2, 4}, Numbers(8, 1), kInt32}}, {}, "GlobalMaxPool"),
               Contains("real numbers"));
}

}  // namespace okksim::tests
