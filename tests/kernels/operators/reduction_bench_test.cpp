// SPDX-License-Identifier: Apache-2.0
// Host and simulated time of pools, reductions and transforms, hidden from plain test runs:
//     reduction_bench_test "[bench]" -s
#include <fmt/format.h>

#include "tests/support/operator_bench.h"

namespace okksim::tests {
namespace {

using tosa::DType;
using tosa::OpCode;

const std::vector<int> kChannelFirst{0, 3, 1, 2};

void print(const std::string& name, const OperatorBench::Times& times) {
    fmt::print("{:44} host {:7.2f} ms  simulated {:8.1f} us  {:5} commands\n", name, times.host_ms,
               times.simulated_us, times.commands);
}

void pool(OperatorBench& bench, OpCode op, DType type, int size, int channels, int kernel,
          int stride, int pad) {
    const int out = (size + pad - kernel) / stride + 1;
    const auto input = bench.tensor(type, {1, size, size, channels}, kChannelFirst);
    const auto zero = bench.tensor(type, {1}, {0});
    const auto output = bench.tensor(type, {1, out, out, channels}, kChannelFirst);
    const std::array<std::int32_t, 2> kernels{kernel, kernel}, strides{stride, stride};
    const std::array<std::int32_t, 4> pads{0, pad, 0, pad};
    const bool average = op == OpCode::kAvgPool2d;
    const tosa::Attributes attributes =
        average ? tosa::Attributes(tosa::AvgPool2dAttributes{kernels, strides, pads, DType::kI32})
                : tosa::Attributes(tosa::MaxPool2dAttributes{kernels, strides, pads,
                                                             tosa::NanPropagationMode::kPropagate});
    const std::vector<kernels::DeviceTensor> inputs =
        average ? std::vector{input, zero, zero} : std::vector{input};
    print(fmt::format("{} {} {}x{}x{} {}x{}/{}", tosa::op_name(op), tosa::dtype_name(type), size,
                      size, channels, kernel, kernel, stride),
          bench.best([&] { return bench.run(op, attributes, inputs, {output}); }));
}

void reduce(OperatorBench& bench, OpCode op, const tosa::Attributes& attributes, DType type,
            const std::vector<std::int32_t>& dims, int axis) {
    std::vector<std::int32_t> out = dims;
    std::vector<int> order;
    for (std::size_t i = 0; i < dims.size(); ++i) order.push_back(static_cast<int>(i));
    const auto input = bench.tensor(type, dims, order);
    if (op == OpCode::kArgmax) {
        out.erase(out.begin() + axis);
        order.pop_back();
    } else {
        out[static_cast<std::size_t>(axis)] = 1;
    }
    const auto output = bench.tensor(op == OpCode::kArgmax ? DType::kI32 : type, out, order);
    print(fmt::format("{} {} [{}] axis {}", tosa::op_name(op), tosa::dtype_name(type),
                      fmt::join(dims, ","), axis),
          bench.best([&] { return bench.run(op, attributes, {input}, {output}); }));
}

}  // namespace

TEST_CASE("pools, reductions and transforms", "[.bench]") {
    OperatorBench bench;
    for (const DType type : {DType::kFp32, DType::kI8}) {
        pool(bench, OpCode::kMaxPool2d, type, 112, 64, 3, 2, 1);
        pool(bench, OpCode::kMaxPool2d, type, 112, 64, 2, 2, 0);
        pool(bench, OpCode::kAvgPool2d, type, 7, 2048, 7, 1, 0);
        pool(bench, OpCode::kAvgPool2d, type, 35, 288, 3, 1, 2);
    }
    reduce(bench, OpCode::kReduceSum, tosa::ReduceSumAttributes{2}, DType::kFp32, {12, 128, 128},
           2);
    reduce(bench, OpCode::kReduceMax,
           tosa::ReduceMaxAttributes{2, tosa::NanPropagationMode::kPropagate}, DType::kFp32,
           {12, 128, 128}, 2);
    reduce(bench, OpCode::kReduceSum, tosa::ReduceSumAttributes{1}, DType::kI32, {64, 1000, 32}, 1);
    reduce(bench, OpCode::kReduceSum, tosa::ReduceSumAttributes{0}, DType::kFp32, {1000000}, 0);
    reduce(bench, OpCode::kArgmax, tosa::ArgmaxAttributes{1, tosa::NanPropagationMode::kPropagate},
           DType::kFp32, {1, 1000}, 1);
    const std::vector<int> order{0, 1, 2};
    const auto input = bench.tensor(DType::kFp32, {1, 512, 512}, order);
    const auto real = bench.tensor(DType::kFp32, {1, 512, 512}, order);
    const auto imaginary = bench.tensor(DType::kFp32, {1, 512, 512}, order);
    print("FFT2D 512x512", bench.best([&] {
        return bench.run(OpCode::kFft2d, tosa::Fft2dAttributes{}, {input, input},
                         {real, imaginary});
    }));
}

}  // namespace okksim::tests
