// SPDX-License-Identifier: Apache-2.0
#include "tests/models/bdc/layer_reference.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <functional>
#include <vector>

#include "models/common/lane_pool.h"

namespace okksim::tests {
namespace {

int start_lane(const models::LocalMemory& memory, isa::LocalAddr addr) {
    return static_cast<int>(addr.value / memory.bytes_per_lane());
}

int slots(const models::LocalMemory& memory, isa::LocalAddr addr, int channels) {
    return (start_lane(memory, addr) + channels + memory.lanes() - 1) / memory.lanes();
}

// 128-byte aligned layout of fp32 elements.
ReferenceTensor aligned(models::LocalMemory& memory, isa::LocalAddr addr, const isa::Dim4& shape) {
    const int plane = (shape.h * shape.w + 31) / 32 * 32;
    return {memory, addr, {plane * slots(memory, addr, shape.c), plane, shape.w, 1}};
}

ReferenceTensor compact(models::LocalMemory& memory, isa::LocalAddr addr, const isa::Dim4& shape) {
    const int plane = shape.h * shape.w;
    return {memory, addr, {plane * slots(memory, addr, shape.c), plane, shape.w, 1}};
}

// One element of a matrix with `per_channel` columns in each channel.
ReferenceTensor matrix(models::LocalMemory& memory, isa::LocalAddr addr, int rows, int cols,
                       int per_channel) {
    return aligned(memory, addr, {rows, (cols + per_channel - 1) / per_channel, 1, per_channel});
}

float stored(float value) {
    if (!std::isnan(value)) return value;
    const std::uint32_t bits = 0x7FC00000;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

// Tests the bits, because comparisons treat denormals as zero in this floating-point mode.
float without_denormals(float value) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    if ((bits & 0x7F800000) == 0) bits &= 0x80000000;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

struct Window {
    isa::Dim4 input;
    int kernel_h, kernel_w;
    isa::Padding padding;
    isa::Dim2 stride;
    isa::Dim2 dilation;

    int output_h() const {
        const int rows = input.h + padding.top + padding.bottom;
        return (rows - ((kernel_h - 1) * dilation.h + 1)) / stride.h + 1;
    }
    int output_w() const {
        const int columns = input.w + padding.left + padding.right;
        return (columns - ((kernel_w - 1) * dilation.w + 1)) / stride.w + 1;
    }
};

// Calls visit(tap, inside, y, x) for every tap of the output pixel, in order.
void for_each_tap(const Window& window, int row, int column,
                  const std::function<void(int, bool, int, int)>& visit) {
    for (int kh = 0; kh < window.kernel_h; ++kh) {
        for (int kw = 0; kw < window.kernel_w; ++kw) {
            const int y = row * window.stride.h + kh * window.dilation.h - window.padding.top;
            const int x = column * window.stride.w + kw * window.dilation.w - window.padding.left;
            const bool inside = y >= 0 && y < window.input.h && x >= 0 && x < window.input.w;
            visit(kh * window.kernel_w + kw, inside, y, x);
        }
    }
}

struct OutputElement {
    int n, c, h, w;
    float value;
};

// Computes every element first and stores afterwards, so operands may overlap the output.
void run_window(const Window& window, int output_c, ReferenceTensor output,
                const std::function<float(int, int, int, int)>& element) {
    const models::FlushDenormals mode;
    std::vector<OutputElement> results;
    for (int n = 0; n < window.input.n; ++n) {
        for (int c = 0; c < output_c; ++c) {
            for (int h = 0; h < window.output_h(); ++h) {
                for (int w = 0; w < window.output_w(); ++w) {
                    results.push_back({n, c, h, w, element(n, c, h, w)});
                }
            }
        }
    }
    for (const OutputElement& e : results) output.set(e.n, e.c, e.h, e.w, stored(e.value));
}

// Sum of products over the window of one channel in two accumulators by tap parity.
float window_sum(const Window& window, const ReferenceTensor& input, int n, int c, int row,
                 int column, const std::function<float(int)>& weight) {
    float sums[2] = {0.0f, 0.0f};
    for_each_tap(window, row, column, [&](int tap, bool inside, int y, int x) {
        const float value = inside ? input.get(n, c, y, x) : 0.0f;
        const float product = value * weight(tap);
        sums[tap % 2] = sums[tap % 2] + product;
    });
    return sums[0] + sums[1];
}

void reference_mean(const Window& window, isa::LocalAddr output_addr, isa::LocalAddr input_addr,
                    float scale, models::LocalMemory& memory) {
    const isa::Dim4 output_shape{window.input.n, window.input.c, window.output_h(),
                                 window.output_w()};
    const ReferenceTensor input = aligned(memory, input_addr, window.input);
    run_window(window, window.input.c, aligned(memory, output_addr, output_shape),
               [&](int n, int c, int h, int w) {
                   return window_sum(window, input, n, c, h, w, [&](int) { return scale; });
               });
}

}  // namespace

std::byte* ReferenceTensor::place(int n, int c, int h, int w, int word) const {
    const std::int64_t lane_bytes = memory_.bytes_per_lane();
    const std::int64_t at = addr_.value / lane_bytes + c;
    const std::int64_t element = std::int64_t{n} * stride_.n + at / memory_.lanes() * stride_.c +
                                 std::int64_t{h} * stride_.h + std::int64_t{w} * stride_.w;
    return memory_.at(static_cast<std::int32_t>(at % memory_.lanes()),
                      addr_.value % lane_bytes + element * element_bytes_ + 4 * word);
}

float ReferenceTensor::get(int n, int c, int h, int w, int word) const {
    float value = 0;
    std::memcpy(&value, place(n, c, h, w, word), sizeof value);
    return value;
}

void ReferenceTensor::set(int n, int c, int h, int w, float value) {
    std::memcpy(place(n, c, h, w, 0), &value, sizeof value);
}

void reference_convolution(const isa::Convolution& o, models::LocalMemory& memory) {
    const Window window{o.input_shape, o.kernel_h, o.kernel_w, o.padding, o.stride, o.dilation};
    const isa::Dim4 output_shape{o.input_shape.n, o.output_c, window.output_h(), window.output_w()};
    const ReferenceTensor output = aligned(memory, o.output_addr, output_shape);
    const ReferenceTensor input(memory, o.input_addr, o.input_stride);
    const ReferenceTensor weight(memory, o.weight_addr, o.kernel_stride, 8);
    const ReferenceTensor bias = compact(memory, o.bias_addr, {1, o.output_c, 1, 1});
    const int even_channels = (o.input_shape.c + 1) / 2 * 2;
    run_window(window, o.output_c, output, [&](int n, int oc, int h, int w) {
        float sums[4] = {0.0f, 0.0f, 0.0f, 0.0f};
        for_each_tap(window, h, w, [&](int tap, bool inside, int y, int x) {
            for (int c = 0; c < o.input_shape.c; ++c) {
                const float value = inside ? input.get(n, c, y, x) : 0.0f;
                const float product =
                    value * weight.get(c / 2, oc, tap / o.kernel_w, tap % o.kernel_w, c % 2);
                float& sum = sums[(tap * even_channels + c) % 4];
                sum = sum + product;
            }
        });
        float result = (sums[0] + sums[2]) + (sums[1] + sums[3]);
        if (o.using_bias != 0) result = result + bias.get(0, oc, 0, 0);
        if (o.result_add != 0) result = result + output.get(n, oc, h, w);
        return result;
    });
}

void reference_depthwise(const isa::Depthwise& o, models::LocalMemory& memory) {
    const Window window{o.input_shape, o.kernel_h, o.kernel_w, o.padding, o.stride, o.dilation};
    const isa::Dim4 output_shape{o.input_shape.n, o.input_shape.c, window.output_h(),
                                 window.output_w()};
    const ReferenceTensor input = aligned(memory, o.input_addr, o.input_shape);
    const ReferenceTensor weight =
        compact(memory, o.weight_addr, {1, o.input_shape.c, o.kernel_h, o.kernel_w});
    const ReferenceTensor bias = compact(memory, o.bias_addr, {1, o.input_shape.c, 1, 1});
    run_window(window, o.input_shape.c, aligned(memory, o.output_addr, output_shape),
               [&](int n, int c, int h, int w) {
                   float result = window_sum(window, input, n, c, h, w, [&](int tap) {
                       return weight.get(0, c, tap / o.kernel_w, tap % o.kernel_w);
                   });
                   if (o.using_bias != 0) result = result + bias.get(0, c, 0, 0);
                   return result;
               });
}

void reference_average_pool(const isa::Pool& o, models::LocalMemory& memory) {
    const Window window{o.input_shape, o.kernel_h, o.kernel_w, o.padding, o.stride, {1, 1}};
    reference_mean(window, o.output_addr, o.input_addr,
                   1.0f / static_cast<float>(o.kernel_h * o.kernel_w), memory);
}

void reference_scaled_pool(const isa::PoolScaled& o, models::LocalMemory& memory) {
    const Window window{o.input_shape, o.kernel_h, o.kernel_w, o.padding, o.stride, {1, 1}};
    reference_mean(window, o.output_addr, o.input_addr, o.scale.as_float(), memory);
}

void reference_max_pool(const isa::Pool& o, models::LocalMemory& memory) {
    const Window window{o.input_shape, o.kernel_h, o.kernel_w, o.padding, o.stride, {1, 1}};
    const isa::Dim4 output_shape{o.input_shape.n, o.input_shape.c, window.output_h(),
                                 window.output_w()};
    const ReferenceTensor input = aligned(memory, o.input_addr, o.input_shape);
    run_window(window, o.input_shape.c, aligned(memory, o.output_addr, output_shape),
               [&](int n, int c, int h, int w) {
                   float largest = -FLT_MAX;
                   for_each_tap(window, h, w, [&](int, bool inside, int y, int x) {
                       float value = inside ? input.get(n, c, y, x) : -FLT_MAX;
                       value = without_denormals(value);
                       if (value > largest) largest = value;
                   });
                   return largest;
               });
}

void reference_matmul(const isa::MatrixMultiply& o, models::LocalMemory& memory) {
    const models::FlushDenormals mode;
    const int lw = std::min(o.left_cols_per_channel, o.left_cols);
    const int rw = o.right_cols_per_channel;
    const int columns = (o.right_cols + rw - 1) / rw * rw;  // the last channel as a whole
    const ReferenceTensor left = matrix(memory, o.left_addr, o.left_rows, o.left_cols, lw);
    const ReferenceTensor right = matrix(memory, o.right_addr, o.left_cols, columns, rw);
    const ReferenceTensor bias = matrix(memory, o.bias_addr, 1, columns, rw);
    ReferenceTensor output = matrix(memory, o.output_addr, o.left_rows, columns, rw);
    std::vector<float> results;
    for (int row = 0; row < o.left_rows; ++row) {
        for (int col = 0; col < columns; ++col) {
            float sums[2] = {0.0f, 0.0f};
            for (int k = 0; k < o.left_cols; ++k) {
                const float product =
                    left.get(row, k / lw, 0, k % lw) * right.get(k, col / rw, 0, col % rw);
                sums[k % 2] = sums[k % 2] + product;
            }
            float result = sums[0] + sums[1];
            if (o.using_bias != 0) result = result + bias.get(0, col / rw, 0, col % rw);
            if (o.result_add != 0) result = result + output.get(row, col / rw, 0, col % rw);
            results.push_back(stored(result));
        }
    }
    for (int i = 0; i < o.left_rows * columns; ++i) {
        const int col = i % columns;
        output.set(i / columns, col / rw, 0, col % rw, results[static_cast<std::size_t>(i)]);
    }
}

}  // namespace okksim::tests
