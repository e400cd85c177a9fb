// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/conv/convolution_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>

#include "firmware/okk.h"
#include "kernels/prepared_constants.h"
#include "tests/support/catch.h"
#include "tests/support/packing_memory.h"
#include "tests/support/planned_kernel.h"
#include "tests/support/stored_tensor.h"

namespace okksim::tests {
namespace {

using kernels::DeviceTensor;
using tosa::DType;

/// Stored bits of a value that the format holds exactly.
std::uint64_t encode(DType type, double value) {
    const auto float_bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    // Exponent bias and fraction bits of the narrow formats; values are normal or zero.
    const auto narrow = [&](int exponent_bits, int fraction_bits) -> std::uint64_t {
        const std::uint64_t sign = float_bits >> 31;
        if (value == 0) return sign << (exponent_bits + fraction_bits);
        const int exponent = static_cast<int>(float_bits >> 23 & 0xFF) - 127;
        const std::uint64_t biased =
            static_cast<std::uint64_t>(exponent + (1 << (exponent_bits - 1)) - 1);
        const std::uint64_t fraction = (float_bits & 0x7FFFFF) >> (23 - fraction_bits);
        return sign << (exponent_bits + fraction_bits) | biased << fraction_bits | fraction;
    };
    switch (type) {
        case DType::kFp32: return float_bits;
        case DType::kBf16: return float_bits >> 16;
        case DType::kFp16: return narrow(5, 10);
        case DType::kFp8E4M3: return narrow(4, 3);
        case DType::kFp8E5M2: return narrow(5, 2);
        default: return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    }
}

/// Stored bits of the exact result, rounded once; the magnitudes here are normal in every format.
std::uint64_t encode_result(DType type, double value) {
    const auto rounded = [&](int fraction_bits) {
        if (value == 0) return 0.0;
        const double unit = std::ldexp(1.0, std::ilogb(value) - fraction_bits);
        return std::nearbyint(value / unit) * unit;
    };
    if (type == DType::kFp16) return encode(type, rounded(10));
    if (type == DType::kBf16) return encode(type, rounded(7));
    return encode(type, value);
}

/// Tensors in a machine's global memory.
class Operands {
 public:
    Operands(KernelMachine& machine, RandomSource& random)
        : machine_(machine), random_(random), next_(machine.port().machine().global_start) {}

    DeviceTensor tensor(DType type, const std::vector<std::int32_t>& dims, bool any_order) {
        std::vector<int> order(dims.size());
        std::iota(order.begin(), order.end(), 0);
        for (std::size_t i = order.size(); any_order && i > 1; --i) {
            std::swap(order[i - 1],
                      order[static_cast<std::size_t>(random_.below(static_cast<int>(i)))]);
        }
        const DeviceTensor value = stored_tensor(type, dims, order, next_);
        next_ += (tensor_bytes(value) + 15) / 8 * 8;
        return value;
    }

    /// Fills the tensor and returns its values in row-major order of the indices.
    std::vector<double> fill(const DeviceTensor& tensor, const std::function<double()>& draw) {
        std::vector<double> values(static_cast<std::size_t>(tensor.count()));
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = draw();
            const std::uint64_t bits = encode(tensor.type, values[i]);
            std::memcpy(element(tensor, i), &bits, element_bytes(tensor));
        }
        return values;
    }
    std::uint64_t bits(const DeviceTensor& tensor, std::size_t index) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, element(tensor, index), element_bytes(tensor));
        return bits;
    }

    /// Draws input values of a type.
    std::function<double()> values(DType type, bool extremes) {
        const auto ends = [this, extremes](std::int64_t low, std::int64_t high) {
            return [this, extremes, low, high] {
                return static_cast<double>(extremes ? low : random_.between(low, high));
            };
        };
        switch (type) {
            case DType::kI4: return ends(-7, 7);
            case DType::kI8: return ends(-128, 127);
            case DType::kI16: return ends(-32768, 32767);
            case DType::kI32: return ends(-(1 << 30), 1 << 30);
            case DType::kI48: return ends(-(std::int64_t{1} << 46), std::int64_t{1} << 46);
            default: return [this] { return static_cast<double>(random_.between(-7, 7)) / 4.0; };
        }
    }
    double zero_point(DType type, bool extremes) {
        if (type != DType::kI8) return 0;
        if (extremes) return 127;
        return random_.one_in(3) ? 0 : static_cast<double>(random_.between(-128, 127));
    }

    void run(tosa::OpCode op, const tosa::Attributes& attributes,
             const std::vector<DeviceTensor>& inputs, const DeviceTensor& output) {
        kernels::OperatorCall call{op, &attributes, inputs, {&output, 1}, 0};
        if (kernels::can_prepare(call)) call.prepared = (next_ + 127) / 128 * 128;
        const kernels::OperatorKernel kernel = kernels::find_operator_kernel(op);
        KernelPlanner planner(reference_with(machine_.port().machine()),
                              machine_.port().system_memory());
        const kernels::DecisionList decisions = planner.plan(kernel, call);
        const std::uint64_t prepared = kernels::prepared_bytes(call, decisions);
        if (prepared > 0) {
            next_ = call.prepared + prepared;
            kernels::prepare_constants(call, decisions,
                                       packing_memory(machine_.port().system_memory()));
        }
        machine_.run([&] {
            okk_initialize();
            KernelPlanner::run(kernel, call, decisions);
            okk_poll();
        });
    }

 private:
    std::byte* element(const DeviceTensor& tensor, std::size_t index) {
        return machine_.port().system_memory().pointer(element_address(tensor, index),
                                                       element_bytes(tensor));
    }

    KernelMachine& machine_;
    RandomSource& random_;
    std::uint64_t next_;
};

/// Index of an element of a row-major tensor.
std::size_t at(std::initializer_list<std::int64_t> dims,
               std::initializer_list<std::int64_t> index) {
    std::int64_t offset = 0;
    const auto* i = index.begin();
    for (const std::int64_t dim : dims) offset = offset * dim + *i++;
    return static_cast<std::size_t>(offset);
}

/// Input position for output `o` and tap `t`; std::nullopt for padding.
std::int64_t input_at(const ConvolutionCase& test, std::size_t axis, std::int32_t o,
                      std::int32_t t) {
    std::int64_t position = 0;
    if (test.op == ConvolutionOp::kTranspose) {
        position = o - test.pad_before[axis] - t;
        if (position % test.stride[axis] != 0) return -1;
        position /= test.stride[axis];
    } else {
        position = std::int64_t{o} * test.stride[axis] - test.pad_before[axis] +
                   std::int64_t{t} * test.dilation[axis];
    }
    return position < test.input[axis] ? std::max<std::int64_t>(position, -1) : -1;
}

struct Values {
    std::vector<double> input, weight, bias;
    double input_zero, weight_zero;
};

/// One output by the specification's loops.
double expected(const ConvolutionCase& test, const Values& v, std::int32_t n,
                const std::array<std::int32_t, 3>& o, std::int32_t oc) {
    const bool depthwise = test.op == ConvolutionOp::kDepthwise;
    const auto [kd, kh, kw] = test.kernel;
    const auto [id, ih, iw] = test.input;
    const std::int32_t channels = test.input_channels;
    double sum = v.bias[v.bias.size() == 1 ? 0 : static_cast<std::size_t>(oc)];
    for (std::int32_t tz = 0; tz < kd; ++tz) {
        const std::int64_t z = input_at(test, 0, o[0], tz);
        for (std::int32_t ty = 0; z >= 0 && ty < kh; ++ty) {
            const std::int64_t y = input_at(test, 1, o[1], ty);
            for (std::int32_t tx = 0; y >= 0 && tx < kw; ++tx) {
                const std::int64_t x = input_at(test, 2, o[2], tx);
                if (x < 0) continue;
                const std::int32_t first = depthwise ? oc / test.output_channels : 0;
                const std::int32_t last = depthwise ? first + 1 : channels;
                const double* in = &v.input[at({0, id, ih, iw, channels}, {n, z, y, x, 0})];
                for (std::int32_t c = first; c < last; ++c) {
                    const std::size_t w = depthwise
                                              ? at({kh, kw, channels, test.output_channels},
                                                   {ty, tx, c, oc % test.output_channels})
                                              : at({0, kd, kh, kw, channels}, {oc, tz, ty, tx, c});
                    sum += (in[c] - v.input_zero) * (v.weight[w] - v.weight_zero);
                }
            }
        }
    }
    return sum;
}

std::vector<std::int32_t> spatial_dims(const ConvolutionCase& test,
                                       const std::array<std::int32_t, 3>& extents) {
    if (test.op == ConvolutionOp::kConv3d) return {extents[0], extents[1], extents[2]};
    return {extents[1], extents[2]};
}

std::vector<std::int32_t> joined(std::vector<std::int32_t> front,
                                 const std::vector<std::int32_t>& middle,
                                 const std::vector<std::int32_t>& back) {
    front.insert(front.end(), middle.begin(), middle.end());
    front.insert(front.end(), back.begin(), back.end());
    return front;
}

std::pair<tosa::OpCode, tosa::Attributes> operation(const ConvolutionCase& t) {
    const std::array<std::int32_t, 4> pad{t.pad_before[1], t.pad_after[1], t.pad_before[2],
                                          t.pad_after[2]};
    const std::array<std::int32_t, 2> stride{t.stride[1], t.stride[2]};
    const std::array<std::int32_t, 2> dilation{t.dilation[1], t.dilation[2]};
    switch (t.op) {
        case ConvolutionOp::kConv3d:
            return {tosa::OpCode::kConv3d, tosa::Conv3dAttributes{{t.pad_before[0], t.pad_after[0],
                                                                   pad[0], pad[1], pad[2], pad[3]},
                                                                  t.stride,
                                                                  t.dilation,
                                                                  false,
                                                                  DType::kFp32}};
        case ConvolutionOp::kDepthwise:
            return {tosa::OpCode::kDepthwiseConv2d,
                    tosa::DepthwiseConv2dAttributes{pad, stride, dilation, false, DType::kFp32}};
        case ConvolutionOp::kTranspose:
            return {tosa::OpCode::kTransposeConv2d,
                    tosa::TransposeConv2dAttributes{pad, stride, false, DType::kFp32}};
        default:
            return {tosa::OpCode::kConv2d,
                    tosa::Conv2dAttributes{pad, stride, dilation, false, DType::kFp32}};
    }
}

std::string describe(const ConvolutionCase& t) {
    return fmt::format(
        "op {} types {}x{}->{} n {} ic {} oc {} input {}x{}x{} kernel {}x{}x{} stride {}x{}x{} "
        "dilation {}x{}x{} pad {},{},{},{},{},{}",
        static_cast<int>(t.op), tosa::dtype_name(t.types.input), tosa::dtype_name(t.types.weight),
        tosa::dtype_name(t.types.output), t.images, t.input_channels, t.output_channels, t.input[0],
        t.input[1], t.input[2], t.kernel[0], t.kernel[1], t.kernel[2], t.stride[0], t.stride[1],
        t.stride[2], t.dilation[0], t.dilation[1], t.dilation[2], t.pad_before[0], t.pad_after[0],
        t.pad_before[1], t.pad_after[1], t.pad_before[2], t.pad_after[2]);
}

/// Compares stored bits; first() describes the first difference, if any.
class Comparison {
 public:
    Comparison(Operands& operands, const DeviceTensor& output)
        : operands_(operands), output_(output) {}

    void check(std::size_t index, double value) {
        const std::size_t bits = 8 * element_bytes(output_);
        const std::uint64_t mask = bits == 64 ? ~0ull : (1ull << bits) - 1;
        const std::uint64_t got = operands_.bits(output_, index);
        const std::uint64_t want = encode_result(output_.type, value) & mask;
        const bool zeros =
            tosa::is_floating_point(output_.type) && value == 0 && (got << (64 - bits + 1)) == 0;
        if (got == want || zeros || !first_.empty()) return;
        first_ = fmt::format("output {}: got {:#x}, expected {:#x} ({})", index, got, want, value);
    }
    const std::string& first() const { return first_; }

 private:
    Operands& operands_;
    const DeviceTensor& output_;
    std::string first_;
};

}  // namespace

const std::vector<ConvolutionTypes>& convolution_types() {
    static const std::vector<ConvolutionTypes> kTypes{
        {DType::kFp32, DType::kFp32, DType::kFp32},
        {DType::kI8, DType::kI8, DType::kI32},
        {DType::kI16, DType::kI8, DType::kI48},
        {DType::kI8, DType::kI4, DType::kI32},
        {DType::kFp16, DType::kFp16, DType::kFp16},
        {DType::kBf16, DType::kBf16, DType::kBf16},
        {DType::kFp8E4M3, DType::kFp8E4M3, DType::kFp16},
        {DType::kFp8E5M2, DType::kFp8E5M2, DType::kFp16}};
    return kTypes;
}

const std::vector<ConvolutionTypes>& matmul_types() {
    static const std::vector<ConvolutionTypes> kTypes{
        {DType::kFp32, DType::kFp32, DType::kFp32},
        {DType::kI8, DType::kI8, DType::kI32},
        {DType::kI16, DType::kI16, DType::kI48},
        {DType::kFp16, DType::kFp16, DType::kFp16},
        {DType::kFp16, DType::kFp16, DType::kFp32},
        {DType::kBf16, DType::kBf16, DType::kFp32},
        {DType::kFp8E4M3, DType::kFp8E4M3, DType::kFp16},
        {DType::kFp8E5M2, DType::kFp8E5M2, DType::kFp16}};
    return kTypes;
}

std::array<std::int32_t, 3> ConvolutionCase::output() const {
    std::array<std::int32_t, 3> extents{};
    for (std::size_t i = 0; i < 3; ++i) {
        const std::int32_t zeros = pad_before[i] + pad_after[i];
        extents[i] = op == ConvolutionOp::kTranspose && i > 0
                         ? (input[i] - 1) * stride[i] + zeros + kernel[i]
                         : (input[i] - 1 + zeros - (kernel[i] - 1) * dilation[i]) / stride[i] + 1;
    }
    return extents;
}

void check_convolution(KernelMachine& machine, const ConvolutionCase& test, RandomSource& random) {
    INFO(describe(test));
    Operands operands(machine, random);
    const bool depthwise = test.op == ConvolutionOp::kDepthwise;
    const std::int32_t outputs = test.output_channels * (depthwise ? test.input_channels : 1);
    const std::array<std::int32_t, 3> extents = test.output();
    const auto [types, any] = std::pair(test.types, test.any_order);
    const DeviceTensor input = operands.tensor(
        types.input, joined({test.images}, spatial_dims(test, test.input), {test.input_channels}),
        any);
    const DeviceTensor weight =
        depthwise
            ? operands.tensor(
                  types.weight,
                  {test.kernel[1], test.kernel[2], test.input_channels, test.output_channels}, any)
            : operands.tensor(
                  types.weight,
                  joined({outputs}, spatial_dims(test, test.kernel), {test.input_channels}), any);
    const DeviceTensor bias = operands.tensor(types.output, {test.one_bias ? 1 : outputs}, false);
    const DeviceTensor input_zero = operands.tensor(types.input, {1}, false);
    const DeviceTensor weight_zero = operands.tensor(types.weight, {1}, false);
    const DeviceTensor output = operands.tensor(
        types.output, joined({test.images}, spatial_dims(test, extents), {outputs}), any);

    Values v;
    v.input = operands.fill(input, operands.values(types.input, test.extremes));
    v.weight = operands.fill(weight, operands.values(types.weight, test.extremes));
    v.bias = operands.fill(bias, operands.values(types.output, false));
    v.input_zero = operands.zero_point(types.input, test.extremes);
    v.weight_zero = operands.zero_point(types.weight, test.extremes);
    operands.fill(input_zero, [&] { return v.input_zero; });
    operands.fill(weight_zero, [&] { return v.weight_zero; });
    const auto [op, attributes] = operation(test);
    std::vector<DeviceTensor> inputs{input, weight, bias, input_zero, weight_zero};
    for (std::size_t i = 1; i < inputs.size(); ++i) inputs[i].constant = test.constants;
    operands.run(op, attributes, inputs, output);

    Comparison comparison(operands, output);
    std::size_t index = 0;
    for (std::int32_t n = 0; n < test.images; ++n) {
        for (std::int32_t z = 0; z < extents[0]; ++z) {
            for (std::int32_t y = 0; y < extents[1]; ++y) {
                for (std::int32_t x = 0; x < extents[2]; ++x) {
                    for (std::int32_t oc = 0; oc < outputs; ++oc) {
                        comparison.check(index++, expected(test, v, n, {z, y, x}, oc));
                    }
                }
            }
        }
    }
    CHECK(comparison.first() == "");
}

void check_matmul(KernelMachine& machine, const MatmulCase& test, RandomSource& random) {
    INFO(fmt::format("{}x{}->{} n {} {}x{}x{}", tosa::dtype_name(test.types.input),
                     tosa::dtype_name(test.types.weight), tosa::dtype_name(test.types.output),
                     test.images, test.rows, test.depth, test.columns));
    Operands operands(machine, random);
    const auto [types, any] = std::pair(test.types, test.any_order);
    const DeviceTensor a = operands.tensor(types.input, {test.images, test.rows, test.depth}, any);
    const DeviceTensor b =
        operands.tensor(types.weight, {test.images, test.depth, test.columns}, any);
    const DeviceTensor a_zero = operands.tensor(types.input, {1}, false);
    const DeviceTensor b_zero = operands.tensor(types.weight, {1}, false);
    const DeviceTensor output =
        operands.tensor(types.output, {test.images, test.rows, test.columns}, any);
    const std::vector<double> left = operands.fill(a, operands.values(types.input, test.extremes));
    const std::vector<double> right =
        operands.fill(b, operands.values(types.weight, test.extremes));
    const double left_zero = operands.zero_point(types.input, test.extremes);
    const double right_zero = operands.zero_point(types.weight, test.extremes);
    operands.fill(a_zero, [&] { return left_zero; });
    operands.fill(b_zero, [&] { return right_zero; });
    operands.run(tosa::OpCode::kMatmul, tosa::NoAttributes{}, {a, b, a_zero, b_zero}, output);

    Comparison comparison(operands, output);
    std::size_t index = 0;
    for (std::int32_t n = 0; n < test.images; ++n) {
        for (std::int32_t h = 0; h < test.rows; ++h) {
            for (std::int32_t w = 0; w < test.columns; ++w) {
                double sum = 0;
                for (std::int32_t c = 0; c < test.depth; ++c) {
                    sum += (left[at({0, test.rows, test.depth}, {n, h, c})] - left_zero) *
                           (right[at({0, test.depth, test.columns}, {n, c, w})] - right_zero);
                }
                comparison.check(index++, sum);
            }
        }
    }
    CHECK(comparison.first() == "");
}

}  // namespace okksim::tests
