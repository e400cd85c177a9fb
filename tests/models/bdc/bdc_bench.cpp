// SPDX-License-Identifier: Apache-2.0
// Speed of the neural-network commands on one thread, as a share of the host's measured peak of
// separate fp32 multiplications and additions. Not a test: prints figures.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "isa/layout.h"
#include "models/bdc/convolution.h"
#include "models/bdc/depthwise.h"
#include "models/bdc/matmul.h"
#include "models/bdc/max_pool.h"
#include "sim/bench/host_limits.h"

namespace okksim::tests {
namespace {

using sim::bench::measure_multiply_add_peak;
using sim::bench::thread_seconds;

constexpr std::int32_t kLanes = 64;
constexpr std::int64_t kLocalBytes = 512 * 1024;

class Bench {
 public:
    Bench() : memory_(kLanes, kLocalBytes), pool_(1) {
        float* data = memory_.floats(0, 0);
        for (std::int64_t i = 0; i < memory_.storage_bytes() / 4; ++i) {
            data[i] = static_cast<float>(i % 1009 - 504) * 0.001f;
        }
    }

    // Runs and peak measurements alternate, because the host's speed changes with its load; the
    // share is the median of the rounds.
    void report(const std::string& name, double products, const std::function<void()>& body) {
        constexpr int kRounds = 25;
        constexpr double kRoundSeconds = 0.002;
        std::vector<double> shares;
        double best_seconds = 1e9;
        body();
        for (int round = 0; round < kRounds; ++round) {
            const double before = measure_multiply_add_peak(kRoundSeconds / 2);
            const double start = thread_seconds();
            double end = start;
            int runs = 0;
            do {
                body();
                ++runs;
                end = thread_seconds();
            } while (end - start < kRoundSeconds);
            const double after = measure_multiply_add_peak(kRoundSeconds / 2);
            const double seconds = (end - start) / runs;
            best_seconds = std::min(best_seconds, seconds);
            shares.push_back(products / seconds * 1e-9 / ((before + after) / 2));
        }
        std::nth_element(shares.begin(), shares.begin() + kRounds / 2, shares.end());
        std::printf("%-44s %9.2f us %7.2f GMAC/s  %5.1f %% of peak\n", name.c_str(),
                    best_seconds * 1e6, products / best_seconds * 1e-9, 100 * shares[kRounds / 2]);
    }

    void convolution(const char* name, const isa::Dim4& shape, int output_c, int kernel, int pad,
                     int stride) {
        isa::Convolution o;
        o.input_shape = shape;
        o.output_c = output_c;
        o.kernel_h = o.kernel_w = kernel;
        o.padding = {pad, pad, pad, pad};
        o.stride = {stride, stride};
        o.dilation = {1, 1};
        o.input_stride = isa::aligned_stride(0, shape, 32, kLanes);
        o.kernel_stride = isa::compact_stride(
            0, isa::weight_2ic_shape(shape.c, output_c, kernel, kernel), kLanes);
        o.output_addr = {0};
        o.input_addr = {128 * 1024};
        o.weight_addr = {256 * 1024};
        const double out =
            static_cast<double>(isa::window_output(shape.h, 2 * pad, kernel, 1, stride)) *
            static_cast<double>(isa::window_output(shape.w, 2 * pad, kernel, 1, stride));
        report(name, out * shape.n * output_c * shape.c * kernel * kernel,
               [&] { models::execute_convolution(o, memory_, pool_); });
    }

    void matmul(const char* name, int rows, int depth, int cols) {
        isa::MatrixMultiply o;
        o.left_rows = rows;
        o.left_cols = depth;
        o.right_cols = cols;
        o.left_cols_per_channel = std::max(1, depth / kLanes);
        o.right_cols_per_channel = std::max(1, cols / kLanes);
        o.output_addr = {0};
        o.left_addr = {128 * 1024};
        o.right_addr = {256 * 1024};
        report(name, 1.0 * rows * depth * cols, [&] { models::execute_matmul(o, memory_, pool_); });
    }

    void windows(const char* name, const isa::Dim4& shape, int kernel, int pad, int stride) {
        isa::Depthwise d;
        d.input_shape = shape;
        d.kernel_h = d.kernel_w = kernel;
        d.padding = {pad, pad, pad, pad};
        d.stride = {stride, stride};
        d.dilation = {1, 1};
        d.output_addr = {0};
        d.input_addr = {128 * 1024};
        d.weight_addr = {256 * 1024};
        const isa::Pool p{d.output_addr, d.input_addr, shape, kernel, kernel, d.padding, d.stride};
        const double out =
            static_cast<double>(isa::window_output(shape.h, 2 * pad, kernel, 1, stride)) *
            static_cast<double>(isa::window_output(shape.w, 2 * pad, kernel, 1, stride));
        const double products = out * shape.n * shape.c * kernel * kernel;
        const std::string text = name;
        report("depthwise " + text, products,
               [&] { models::execute_depthwise(d, memory_, pool_); });
        report("average pool " + text, products,
               [&] { models::execute_average_pool(p, memory_, pool_); });
        report("max pool " + text, products, [&] { models::execute_max_pool(p, memory_, pool_); });
    }

 private:
    models::LocalMemory memory_;
    models::LanePool pool_;
};

}  // namespace
}  // namespace okksim::tests

int main() {
    okksim::tests::Bench bench;
    bench.convolution("conv2d 1x64x56x56 -> 64, 3x3", {1, 64, 56, 56}, 64, 3, 1, 1);
    bench.convolution("conv2d 1x256x14x14 -> 256, 3x3", {1, 256, 14, 14}, 256, 3, 1, 1);
    bench.convolution("conv2d 1x128x28x28 -> 128, 3x3 stride 2", {1, 128, 28, 28}, 128, 3, 1, 2);
    bench.convolution("conv2d 1x256x14x14 -> 1024, 1x1", {1, 256, 14, 14}, 1024, 1, 0, 1);
    bench.convolution("conv2d 1x64x56x56 -> 64, 1x1", {1, 64, 56, 56}, 64, 1, 0, 1);
    bench.convolution("conv2d 1x512x7x7 -> 512, 3x3", {1, 512, 7, 7}, 512, 3, 1, 1);
    bench.convolution("conv2d 1x3x112x112 -> 64, 7x7 stride 2", {1, 3, 112, 112}, 64, 7, 3, 2);
    bench.convolution("conv2d 4x64x14x14 -> 64, 3x3", {4, 64, 14, 14}, 64, 3, 1, 1);
    bench.convolution("conv2d 1x64x1x1 -> 64, 1x1", {1, 64, 1, 1}, 64, 1, 0, 1);
    bench.convolution("conv2d 1x8x4x4 -> 8, 1x1", {1, 8, 4, 4}, 8, 1, 0, 1);
    bench.matmul("matmul 256x768x3072", 256, 768, 3072);
    bench.matmul("matmul 128x512x1024", 128, 512, 1024);
    bench.matmul("matmul 64x256x768", 64, 256, 768);
    bench.matmul("matmul 1x768x3072", 1, 768, 3072);
    bench.matmul("matmul 1x64x64", 1, 64, 64);
    bench.windows("1x64x56x56, 3x3", {1, 64, 56, 56}, 3, 1, 1);
    bench.windows("1x64x112x112, 3x3 stride 2", {1, 64, 112, 112}, 3, 1, 2);
    bench.windows("1x64x112x112, 2x2 stride 2", {1, 64, 112, 112}, 2, 0, 2);
    bench.windows("1x256x14x14, 3x3", {1, 256, 14, 14}, 3, 1, 1);
    bench.windows("1x512x7x7, 7x7", {1, 512, 7, 7}, 7, 0, 1);
    bench.windows("1x64x1x1, 1x1", {1, 64, 1, 1}, 1, 0, 1);
    return 0;
}
