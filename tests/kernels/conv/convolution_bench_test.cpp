// SPDX-License-Identifier: Apache-2.0
// Host and simulated time of the convolutions of known networks, hidden from plain test runs:
//     convolution_bench_test "[bench]" -s
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "tests/support/operator_bench.h"

namespace okksim::tests {
namespace {

using kernels::DeviceTensor;
using tosa::DType;

/// A square convolution, `count` times in the network.
struct Layer {
    int count, input_channels, output_channels, kernel, stride, size;
    bool depthwise = false;
};

/// He et al., ResNet-50 at 224x224 with the stride in the 3x3 convolutions.
const std::vector<Layer> kResNet50 = {
    {1, 3, 64, 7, 2, 224},    {1, 64, 64, 1, 1, 56},    {3, 64, 64, 3, 1, 56},
    {4, 64, 256, 1, 1, 56},   {2, 256, 64, 1, 1, 56},   {1, 256, 128, 1, 1, 56},
    {1, 128, 128, 3, 2, 56},  {4, 128, 512, 1, 1, 28},  {1, 256, 512, 1, 2, 56},
    {3, 512, 128, 1, 1, 28},  {3, 128, 128, 3, 1, 28},  {1, 512, 256, 1, 1, 28},
    {1, 256, 256, 3, 2, 28},  {6, 256, 1024, 1, 1, 14}, {1, 512, 1024, 1, 2, 28},
    {5, 1024, 256, 1, 1, 14}, {5, 256, 256, 3, 1, 14},  {1, 1024, 512, 1, 1, 14},
    {1, 512, 512, 3, 2, 14},  {3, 512, 2048, 1, 1, 7},  {1, 1024, 2048, 1, 2, 14},
    {2, 2048, 512, 1, 1, 7},  {2, 512, 512, 3, 1, 7},   {1, 2048, 1000, 1, 1, 1},
};

/// Sandler et al., MobileNetV2 1.0 at 224x224.
const std::vector<Layer> kMobileNetV2 = {
    {1, 3, 32, 3, 2, 224},         {1, 32, 32, 3, 1, 112, true},  {1, 32, 16, 1, 1, 112},
    {1, 16, 96, 1, 1, 112},        {1, 96, 96, 3, 2, 112, true},  {1, 96, 24, 1, 1, 56},
    {2, 24, 144, 1, 1, 56},        {1, 144, 144, 3, 1, 56, true}, {1, 144, 24, 1, 1, 56},
    {1, 144, 144, 3, 2, 56, true}, {1, 144, 32, 1, 1, 28},        {3, 32, 192, 1, 1, 28},
    {2, 192, 192, 3, 1, 28, true}, {2, 192, 32, 1, 1, 28},        {1, 192, 192, 3, 2, 28, true},
    {1, 192, 64, 1, 1, 14},        {4, 64, 384, 1, 1, 14},        {4, 384, 384, 3, 1, 14, true},
    {3, 384, 64, 1, 1, 14},        {1, 384, 96, 1, 1, 14},        {3, 96, 576, 1, 1, 14},
    {2, 576, 576, 3, 1, 14, true}, {2, 576, 96, 1, 1, 14},        {1, 576, 576, 3, 2, 14, true},
    {1, 576, 160, 1, 1, 7},        {3, 160, 960, 1, 1, 7},        {3, 960, 960, 3, 1, 7, true},
    {2, 960, 160, 1, 1, 7},        {1, 960, 320, 1, 1, 7},        {1, 320, 1280, 1, 1, 7},
    {1, 1280, 1000, 1, 1, 1},
};

OperatorBench::Times run_layer(OperatorBench& bench, const Layer& l, bool int8) {
    bench.clear();
    const DType in = int8 ? DType::kI8 : DType::kFp32;
    const DType out = int8 ? DType::kI32 : DType::kFp32;
    const int size = (l.size + l.stride - 1) / l.stride;
    const int pad = std::max(0, (size - 1) * l.stride + l.kernel - l.size);
    const std::vector<int> channel_first{0, 3, 1, 2};
    const std::vector<int> row_major{0, 1, 2, 3};
    const DeviceTensor input =
        bench.constant(in, {1, l.size, l.size, l.input_channels}, channel_first);
    const DeviceTensor weight =
        l.depthwise ? bench.constant(in, {l.kernel, l.kernel, l.input_channels, 1}, row_major)
                    : bench.constant(in, {l.output_channels, l.kernel, l.kernel, l.input_channels},
                                     row_major);
    const DeviceTensor bias = bench.constant(out, {l.output_channels}, {0});
    const DeviceTensor zero = bench.constant(in, {1}, {0});
    const DeviceTensor output =
        bench.constant(out, {1, size, size, l.output_channels}, channel_first);
    const std::array<std::int32_t, 4> pads{pad / 2, pad - pad / 2, pad / 2, pad - pad / 2};
    const std::vector<DeviceTensor> inputs{input, weight, bias, zero, zero};
    if (l.depthwise) {
        return bench.run(
            tosa::OpCode::kDepthwiseConv2d,
            tosa::DepthwiseConv2dAttributes{pads, {l.stride, l.stride}, {1, 1}, false, out}, inputs,
            {output});
    }
    return bench.run(tosa::OpCode::kConv2d,
                     tosa::Conv2dAttributes{pads, {l.stride, l.stride}, {1, 1}, false, out}, inputs,
                     {output});
}

void run_network(const char* name, const std::vector<Layer>& layers, bool int8) {
    OperatorBench bench;
    double host = 0, simulated = 0, array = 0, traffic = 0;
    fmt::print("{}\n{:>4} {:>5} {:>5} {:>2} {:>2} {:>4}  {:>8} {:>9} {:>9} {:>9} {:>5} {:>5}\n",
               name, "n", "ic", "oc", "k", "s", "size", "host ms", "sim us", "array us", "bytes us",
               "used", "cmds");
    for (const Layer& l : layers) {
        run_layer(bench, l, int8);  // warms the host's caches
        const OperatorBench::Times times = run_layer(bench, l, int8);
        const double size = (l.size + l.stride - 1) / l.stride;
        const double per_output = l.kernel * l.kernel * (l.depthwise ? 1 : l.input_channels);
        const double macs = size * size * l.output_channels * per_output;
        const double element = int8 ? 1 : 4;
        const double bytes =
            element * (1.0 * l.size * l.size * l.input_channels + l.output_channels * per_output) +
            4 * size * size * l.output_channels;
        const double array_us = macs / (l.depthwise ? 1024 : 2048) / 550;
        const double bytes_us = bytes / 25000;
        fmt::print("{:4} {:5} {:5} {:2} {:2} {:4}  {:8.2f} {:9.1f} {:9.1f} {:9.1f} {:4.0f}% {:5}\n",
                   l.count, l.input_channels, l.output_channels, l.kernel, l.stride, l.size,
                   times.host_ms, times.simulated_us, array_us, bytes_us,
                   100 * std::max(array_us, bytes_us) / times.simulated_us, times.commands);
        host += l.count * times.host_ms;
        simulated += l.count * times.simulated_us;
        array += l.count * array_us;
        traffic += l.count * bytes_us;
    }
    fmt::print("{}: host {:.0f} ms, simulated {:.0f} us (array {:.0f} us, bytes {:.0f} us)\n\n",
               name, host, simulated, array, traffic);
}

void print_row(const std::string& name, const OperatorBench::Times& times, double macs,
               double bytes) {
    const double array_us = macs / 2048 / 550;
    const double bytes_us = bytes / 25000;
    fmt::print("{:44} {:8.2f} {:9.1f} {:9.1f} {:9.1f} {:4.0f}% {:5}\n", name, times.host_ms,
               times.simulated_us, array_us, bytes_us,
               100 * std::max(array_us, bytes_us) / times.simulated_us, times.commands);
}

void run_matmul(OperatorBench& bench, DType in, DType out, int n, int h, int c, int w) {
    bench.clear();
    const DeviceTensor a = bench.constant(in, {n, h, c}, {0, 1, 2});
    const DeviceTensor b = bench.constant(in, {n, c, w}, {0, 1, 2});
    const DeviceTensor zero = bench.constant(in, {1}, {0});
    const DeviceTensor output = bench.constant(out, {n, h, w}, {0, 1, 2});
    const OperatorBench::Times times =
        bench.run(tosa::OpCode::kMatmul, tosa::NoAttributes{}, {a, b, zero, zero}, {output});
    const double element = kernels::stored_bytes(in);
    print_row(
        fmt::format("matmul {} {}x{}x{}x{}", tosa::dtype_name(in), n, h, c, w), times,
        1.0 * n * h * c * w,
        n * (element * (1.0 * h * c + 1.0 * c * w) + kernels::stored_bytes(out) * 1.0 * h * w));
}

/// One image or more; dilated to `dilation`, with zero padding that keeps the size.
void run_square(OperatorBench& bench, DType in, DType out, int n, int ic, int oc, int kernel,
                int dilation, int size) {
    bench.clear();
    const DeviceTensor input = bench.constant(in, {n, size, size, ic}, {0, 3, 1, 2});
    const DeviceTensor weight = bench.constant(in, {oc, kernel, kernel, ic}, {0, 1, 2, 3});
    const DeviceTensor bias = bench.constant(out, {oc}, {0});
    const DeviceTensor zero = bench.constant(in, {1}, {0});
    const DeviceTensor output = bench.constant(out, {n, size, size, oc}, {0, 3, 1, 2});
    const int pad = (kernel - 1) * dilation / 2;
    const OperatorBench::Times times = bench.run(
        tosa::OpCode::kConv2d,
        tosa::Conv2dAttributes{{pad, pad, pad, pad}, {1, 1}, {dilation, dilation}, false, out},
        {input, weight, bias, zero, zero}, {output});
    const double pixels = 1.0 * n * size * size;
    const double weights = 1.0 * oc * ic * kernel * kernel;
    print_row(fmt::format("conv2d {} n{} {}->{} {}x{} d{} {}x{}", tosa::dtype_name(in), n, ic, oc,
                          kernel, kernel, dilation, size, size),
              times, pixels * weights,
              kernels::stored_bytes(in) * (pixels * ic + weights) +
                  kernels::stored_bytes(out) * pixels * oc);
}

void run_transpose(OperatorBench& bench, int ic, int oc, int kernel, int stride, int size) {
    bench.clear();
    const DType type = DType::kFp32;
    const int out = (size - 1) * stride + kernel;
    const DeviceTensor input = bench.constant(type, {1, size, size, ic}, {0, 3, 1, 2});
    const DeviceTensor weight = bench.constant(type, {oc, kernel, kernel, ic}, {0, 1, 2, 3});
    const DeviceTensor bias = bench.constant(type, {oc}, {0});
    const DeviceTensor zero = bench.constant(type, {1}, {0});
    const DeviceTensor output = bench.constant(type, {1, out, out, oc}, {0, 3, 1, 2});
    const OperatorBench::Times times =
        bench.run(tosa::OpCode::kTransposeConv2d,
                  tosa::TransposeConv2dAttributes{{0, 0, 0, 0}, {stride, stride}, false, type},
                  {input, weight, bias, zero, zero}, {output});
    const double weights = 1.0 * oc * ic * kernel * kernel;
    print_row(
        fmt::format("transpose {}->{} {}x{} s{} {}x{}", ic, oc, kernel, kernel, stride, size, size),
        times, 1.0 * size * size * weights,
        4 * (1.0 * size * size * ic + weights + 1.0 * out * out * oc));
}

TEST_CASE("convolutions of networks", "[.bench]") {
    run_network("ResNet-50 fp32", kResNet50, false);
    run_network("MobileNetV2 fp32", kMobileNetV2, false);
    run_network("MobileNetV2 int8", kMobileNetV2, true);
}

TEST_CASE("other products", "[.bench]") {
    OperatorBench bench;
    fmt::print("{:44} {:>8} {:>9} {:>9} {:>9} {:>5} {:>5}\n", "", "host ms", "sim us", "array us",
               "bytes us", "used", "cmds");
    const DType f32 = DType::kFp32;
    for (const auto& [in, out] :
         {std::pair(f32, f32), std::pair(DType::kFp16, f32), std::pair(DType::kI8, DType::kI32)}) {
        run_matmul(bench, in, out, 12, 384, 64, 384);
        run_matmul(bench, in, out, 12, 384, 384, 64);
        run_matmul(bench, in, out, 1, 384, 768, 3072);
        run_matmul(bench, in, out, 1, 1, 2048, 1000);
        run_matmul(bench, in, out, 1, 1024, 1024, 1024);
    }
    for (const auto& [in, out] :
         {std::pair(f32, f32), std::pair(DType::kFp16, DType::kFp16),
          std::pair(DType::kBf16, DType::kBf16), std::pair(DType::kI8, DType::kI32)}) {
        run_square(bench, in, out, 1, 64, 64, 3, 1, 224);
        run_square(bench, in, out, 1, 512, 512, 3, 1, 28);
        run_square(bench, in, out, 16, 256, 256, 3, 1, 14);
        run_square(bench, in, out, 16, 512, 2048, 1, 1, 7);
        run_square(bench, in, out, 1, 2048, 256, 3, 18, 32);
    }
    run_transpose(bench, 64, 64, 4, 2, 64);
    run_transpose(bench, 256, 128, 2, 2, 32);
    run_transpose(bench, 21, 21, 16, 8, 32);
}

}  // namespace
}  // namespace okksim::tests
