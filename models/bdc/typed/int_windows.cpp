// SPDX-License-Identifier: Apache-2.0
#include "models/bdc/typed/int_windows.h"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "models/bdc/typed/int_planes.h"

namespace okksim::models {
namespace {

using isa::ElementType;

/// Outputs along an axis whose window has an input, not padding, at distance `tap` from its first
/// position: [begin, end).
struct Met {
    Met(std::int64_t outputs, std::int64_t inputs, std::int64_t before, std::int64_t tap,
        std::int64_t step)
        : begin(std::clamp(isa::div_up(before - tap, step), std::int64_t{0}, outputs)),
          end(std::clamp(isa::div_up(inputs + before - tap, step), begin, outputs)) {}
    std::int64_t begin, end;
};

/// Calls each(first output pixel, its input pixel, count, tap) for every tap of every row of
/// outputs. Omits padding. Inputs of neighbouring outputs are stride.w apart.
template <typename Form, typename Each>
void each_tap(const Form& form, const isa::Dim2& dilation, const isa::Dim4& output,
              const Each& each) {
    const isa::Dim4& input = form.input_shape;
    std::int64_t tap = 0;
    for (std::int64_t y = 0; y < form.kernel_h; ++y) {
        const std::int64_t down = y * dilation.h;
        const Met rows(output.h, input.h, form.padding.top, down, form.stride.h);
        for (std::int64_t x = 0; x < form.kernel_w; ++x, ++tap) {
            const std::int64_t right = x * dilation.w;
            const Met columns(output.w, input.w, form.padding.left, right, form.stride.w);
            if (columns.begin == columns.end) continue;
            for (std::int64_t row = rows.begin; row < rows.end; ++row) {
                const std::int64_t h = row * form.stride.h + down - form.padding.top;
                const std::int64_t w = columns.begin * form.stride.w + right - form.padding.left;
                each(row * output.w + columns.begin, h * input.w + w, columns.end - columns.begin,
                     tap);
            }
        }
    }
}

/// Returns the sums of the windows of a channel, wrapped to the width of Sum. Value: a type that
/// holds the input minus the zero point.
template <typename Value, typename Sum>
std::vector<Sum> sum_windows(const isa::IntDepthwise& form, const isa::Dim4& output,
                             const IntegerRow& input, const IntegerRow& weights) {
    const std::int64_t inputs = std::int64_t{form.input_shape.h} * form.input_shape.w;
    const std::vector<std::int64_t> loaded = values_of(input, inputs);
    std::vector<Value> values(loaded.size());
    for (std::size_t i = 0; i < loaded.size(); ++i) {
        values[i] = static_cast<Value>(loaded[i] - form.input_zp);
    }
    const std::vector<std::int64_t> factors =
        values_of(weights, std::int64_t{form.kernel_h} * form.kernel_w);
    using Bits = std::make_unsigned_t<Sum>;
    const std::int64_t pixels = std::int64_t{output.h} * output.w;
    std::vector<Sum> sums(static_cast<std::size_t>(pixels), 0);
    each_tap(form, form.dilation, output,
             [&](std::int64_t pixel, std::int64_t at, std::int64_t count, std::int64_t tap) {
                 const auto factor =
                     static_cast<Value>(factors[static_cast<std::size_t>(tap)] - form.weight_zp);
                 Sum* to = &sums[static_cast<std::size_t>(pixel)];
                 const Value* from = &values[static_cast<std::size_t>(at)];
                 const auto add = [&](std::int64_t step) {
                     for (std::int64_t i = 0; i < count; ++i) {
                         to[i] = static_cast<Sum>(static_cast<Bits>(to[i]) +
                                                  static_cast<Bits>(Sum{from[i * step]} * factor));
                     }
                 };
                 // The separate case for stride 1 lets the compiler use vectors.
                 form.stride.w == 1 ? add(1) : add(form.stride.w);
             });
    return sums;
}

/// Calls channel(n, c) for all channels of all images, lane by lane.
template <typename Body>
void each_channel(const isa::Dim4& shape, std::int32_t lanes, double nanoseconds, LanePool& pool,
                  const Body& body) {
    const std::int32_t used = std::min(shape.c, lanes);
    pool.parallel_for(used, nanoseconds * static_cast<double>(shape.count()) / used,
                      [&](std::int64_t begin, std::int64_t end) {
                          for (std::int64_t lane = begin; lane < end; ++lane) {
                              for (std::int32_t n = 0; n < shape.n; ++n) {
                                  for (auto c = static_cast<std::int32_t>(lane); c < shape.c;
                                       c += lanes) {
                                      body(n, c);
                                  }
                              }
                          }
                      });
}

}  // namespace

void execute_int_depthwise(const isa::IntDepthwise& form, LocalMemory& memory, LanePool& pool) {
    const isa::Dim4 output =
        isa::window_geometry(form.input_shape, form.input_shape.c, form.kernel_h, form.kernel_w,
                             form.padding, form.stride, form.dilation)
            .output;
    const isa::Dim4 weight_shape{1, form.input_shape.c, form.kernel_h, form.kernel_w};
    const auto input = Planes::aligned(memory, form.input_addr, form.input_shape, form.input_type);
    const auto weights =
        Planes::compact(memory, form.weight_addr, weight_shape, ElementType::kInt8);
    const Channels<isa::IntDepthwise> channels(form, form.input_shape.c, memory);
    const std::int64_t taps = std::int64_t{form.kernel_h} * form.kernel_w;
    const std::int64_t pixels = std::int64_t{output.h} * output.w;
    Results results(output, form.output_type);
    // Word results are computed for many sums at once.
    const bool are_words =
        has_short_products(form) && isa::element_bytes(form.output_type) <= isa::kWordBytes;
    const auto store_words = [&](std::int32_t n, std::int32_t c) {
        const auto sums = sum_windows<std::int16_t, std::int32_t>(form, output, input.plane(n, c),
                                                                  weights.plane(0, c));
        store_word_results(channels.scaling(c), channels.bias(c), sums.data(), pixels,
                           form.output_type, results.at(n, c, 0));
    };
    const auto store = [&](std::int32_t n, std::int32_t c) {
        auto sums = sum_windows<std::int64_t, std::int64_t>(form, output, input.plane(n, c),
                                                            weights.plane(0, c));
        for (std::int64_t& sum : sums) {
            sum = channels.result(c, wrapped_sum(sum + channels.bias(c), form.input_type));
        }
        results.put(n, c, 0, pixels, sums.data());
    };
    each_channel(
        output, memory.lanes(), kProductNanoseconds / 4 * static_cast<double>(taps), pool,
        [&](std::int32_t n, std::int32_t c) { are_words ? store_words(n, c) : store(n, c); });
    results.store(Planes::aligned(memory, form.output_addr, output, form.output_type));
}

void execute_int_max_pool(const isa::IntMaxPool& form, LocalMemory& memory, LanePool& pool) {
    const isa::Dim4 output =
        isa::window_geometry(form.input_shape, form.input_shape.c, form.kernel_h, form.kernel_w,
                             form.padding, form.stride, isa::roles::kNoDilation)
            .output;
    const auto input =
        Planes::aligned(memory, form.input_addr, form.input_shape, form.element_type);
    const std::int64_t taps = std::int64_t{form.kernel_h} * form.kernel_w;
    const std::int64_t inputs = std::int64_t{form.input_shape.h} * form.input_shape.w;
    const std::int64_t pixels = std::int64_t{output.h} * output.w;
    Results results(output, form.element_type);
    each_channel(
        output, memory.lanes(), kProductNanoseconds * static_cast<double>(taps), pool,
        [&](std::int32_t n, std::int32_t c) {
            const std::vector<std::int64_t> values = values_of(input.plane(n, c), inputs);
            std::vector<std::int64_t> best(static_cast<std::size_t>(pixels),
                                           isa::element_range(form.element_type).low);
            each_tap(form, isa::roles::kNoDilation, output,
                     [&](std::int64_t pixel, std::int64_t at, std::int64_t count, std::int64_t) {
                         std::int64_t* to = &best[static_cast<std::size_t>(pixel)];
                         const std::int64_t* from = &values[static_cast<std::size_t>(at)];
                         for (std::int64_t i = 0; i < count; ++i) {
                             to[i] = std::max(to[i], from[i * form.stride.w]);
                         }
                     });
            results.put(n, c, 0, pixels, best.data());
        });
    results.store(Planes::aligned(memory, form.output_addr, output, form.element_type));
}

}  // namespace okksim::models
