// SPDX-License-Identifier: Apache-2.0
#include "models/bdc/typed/int_windows.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "isa/layout.h"
#include "models/bdc/typed/int_products.h"
#include "models/bdc/typed/integer_rows.h"
#include "models/bdc/typed/typed_ops.h"

namespace okksim::models {
namespace {

using isa::ElementType;

/// Host time per product of the slow paths.
constexpr double kNanoseconds = 1.0;

/// A tensor of a command in local memory, plane by plane.
class Planes {
 public:
    Planes(LocalMemory& memory, isa::LocalAddr addr, const isa::Dim4& stride, ElementType type)
        : memory_(memory), stride_(stride), type_(type) {
        lane_ = static_cast<std::int32_t>(addr.value / memory.bytes_per_lane());
        offset_ = static_cast<std::int64_t>(addr.value % memory.bytes_per_lane());
    }
    static Planes aligned(LocalMemory& memory, isa::LocalAddr addr, const isa::Dim4& shape,
                          ElementType type) {
        const auto lane = static_cast<std::int32_t>(addr.value / memory.bytes_per_lane());
        return {memory, addr,
                isa::aligned_stride(lane, shape, 8 * isa::element_bytes(type), memory.lanes(),
                                    memory.line_bytes()),
                type};
    }
    static Planes compact(LocalMemory& memory, isa::LocalAddr addr, const isa::Dim4& shape,
                          ElementType type) {
        const auto lane = static_cast<std::int32_t>(addr.value / memory.bytes_per_lane());
        return {memory, addr, isa::compact_stride(lane, shape, memory.lanes()), type};
    }

    /// Elements of a channel, side by side from (0, 0) on.
    IntegerRow plane(std::int64_t n, std::int64_t c) const {
        const std::int64_t bytes = isa::element_bytes(type_);
        const std::int64_t place = lane_ + c;
        const std::int64_t element =
            n * stride_.n + place / memory_.lanes() * std::int64_t{stride_.c};
        return {memory_.at(static_cast<std::int32_t>(place % memory_.lanes()),
                           offset_ + element * bytes),
                bytes, type_};
    }

 private:
    LocalMemory& memory_;
    isa::Dim4 stride_;
    ElementType type_;
    std::int32_t lane_ = 0;
    std::int64_t offset_ = 0;
};

std::vector<std::int64_t> values_of(const IntegerRow& row, std::int64_t count) {
    std::vector<std::int64_t> values(static_cast<std::size_t>(count));
    load_integers(row, count, values.data());
    return values;
}

/// What the sums of a channel begin with, and what becomes of them.
template <typename Form>
class Channels {
 public:
    Channels(const Form& form, std::int32_t channels, LocalMemory& memory)
        : scaling_(form), rescales_(form.rescales != 0) {
        scaling_.input_zp = 0;  // the form's is that of the inputs, not of their sums
        bias_.assign(static_cast<std::size_t>(channels), 0);
        if (form.using_bias != 0) {
            const auto bias =
                Planes::compact(memory, form.bias_addr, {1, channels, 1, 1}, ElementType::kInt32);
            for (std::int32_t c = 0; c < channels; ++c)
                at(bias_, c) = values_of(bias.plane(0, c), 1)[0];
        }
        if (!rescales_) return;
        const auto factors =
            Planes::compact(memory, form.factor_addr, {1, channels, 1, 2}, ElementType::kInt32);
        for (std::int32_t c = 0; c < channels; ++c) {
            const std::vector<std::int64_t> pair = values_of(factors.plane(0, c), 2);
            multipliers_.push_back(pair[0]);
            shifts_.push_back(pair[1]);
        }
    }

    std::int64_t bias(std::int32_t channel) const {
        return bias_[static_cast<std::size_t>(channel)];
    }
    /// The result of a sum, before it is stored.
    std::int64_t result(std::int32_t channel, std::int64_t sum) const {
        if (!rescales_) return sum;
        const auto c = static_cast<std::size_t>(channel);
        return scaling_.scaled(sum, multipliers_[c], shifts_[c]);
    }

 private:
    static std::int64_t& at(std::vector<std::int64_t>& values, std::int32_t index) {
        return values[static_cast<std::size_t>(index)];
    }

    typed_ops::Scaling scaling_;
    bool rescales_;
    std::vector<std::int64_t> bias_, multipliers_, shifts_;
};

/// Sums are of 32 bits, or of 48 where inputs have 16.
std::int64_t wrapped_sum(std::int64_t sum, ElementType input) {
    return input == ElementType::kInt16 ? accumulator(sum) : static_cast<std::int32_t>(sum);
}

/// The pixels of an image less the zero point, channels side by side, as many as a row of products
/// takes per kernel position.
class Pixels {
 public:
    Pixels(const isa::IntConvolution& form, LocalMemory& memory)
        : form_(form),
          channels_(form.input_shape.c),
          input_(Planes::aligned(memory, form.input_addr, form.input_shape, form.input_type)) {
        values_.resize(static_cast<std::size_t>(std::int64_t{form.input_shape.h} *
                                                form.input_shape.w * channels_));
    }

    void take_image(std::int32_t n) {
        const std::int64_t count = std::int64_t{form_.input_shape.h} * form_.input_shape.w;
        std::vector<std::int64_t> plane(static_cast<std::size_t>(count));
        for (std::int32_t c = 0; c < channels_; ++c) {
            load_integers(input_.plane(n, c), count, plane.data());
            for (std::int64_t i = 0; i < count; ++i) {
                values_[static_cast<std::size_t>(i * channels_ + c)] =
                    static_cast<std::int32_t>(plane[static_cast<std::size_t>(i)] - form_.input_zp);
            }
        }
    }

    /// The row of products of an output pixel; `row` holds zeros.
    template <typename Value>
    void gather(std::int64_t pixel, std::int32_t output_w, Value* row) const {
        const std::int64_t top = pixel / output_w * form_.stride.h - form_.padding.top;
        const std::int64_t left = pixel % output_w * form_.stride.w - form_.padding.left;
        for (std::int32_t y = 0; y < form_.kernel_h; ++y) {
            const std::int64_t h = top + std::int64_t{y} * form_.dilation.h;
            for (std::int32_t x = 0; x < form_.kernel_w; ++x, row += channels_) {
                const std::int64_t w = left + std::int64_t{x} * form_.dilation.w;
                const bool is_inside =
                    h >= 0 && h < form_.input_shape.h && w >= 0 && w < form_.input_shape.w;
                if (!is_inside) {
                    std::fill_n(row, channels_, Value{0});
                    continue;
                }
                const std::int32_t* from =
                    &values_[static_cast<std::size_t>((h * form_.input_shape.w + w) * channels_)];
                for (std::int32_t c = 0; c < channels_; ++c) row[c] = static_cast<Value>(from[c]);
            }
        }
    }

 private:
    const isa::IntConvolution& form_;
    std::int32_t channels_;
    Planes input_;
    std::vector<std::int32_t> values_;
};

/// A convolution as products of rows: one per output channel, one per output pixel.
class Convolution {
 public:
    Convolution(const isa::IntConvolution& form, LocalMemory& memory)
        : form_(form),
          memory_(memory),
          output_(isa::window_geometry(form.input_shape, form.output_c, form.kernel_h,
                                       form.kernel_w, form.padding, form.stride, form.dilation)
                      .output),
          pixels_(form, memory),
          channels_(form, form.output_c, memory),
          terms_(std::int64_t{form.kernel_h} * form.kernel_w * form.input_shape.c),
          depth_(isa::align_up(terms_, kProductAlignment)) {
        take_weights();
    }

    void run(LanePool& pool) {
        const auto results =
            Planes::aligned(memory_, form_.output_addr, output_, form_.output_type);
        // Inputs may share bytes with results: every image is read first.
        std::vector<std::vector<std::int64_t>> sums;
        for (std::int32_t n = 0; n < output_.n; ++n) {
            pixels_.take_image(n);
            sums.push_back(image(pool));
        }
        for (std::int32_t n = 0; n < output_.n; ++n) {
            for (std::int32_t c = 0; c < output_.c; ++c) {
                store(results.plane(n, c), c, &sums[static_cast<std::size_t>(n)][plane_at(c)]);
            }
        }
    }

 private:
    std::int64_t plane_pixels() const { return std::int64_t{output_.h} * output_.w; }
    std::size_t plane_at(std::int32_t channel) const {
        return static_cast<std::size_t>(channel * plane_pixels());
    }

    void take_weights() {
        const isa::Dim4 shape = isa::weight_4ic_shape(form_.input_shape.c, form_.output_c,
                                                      form_.kernel_h, form_.kernel_w);
        const std::int64_t taps = std::int64_t{form_.kernel_h} * form_.kernel_w;
        const auto words = Planes::compact(memory_, form_.weight_addr, shape, ElementType::kInt32);
        weights_.assign(static_cast<std::size_t>(form_.output_c * depth_), 0);
        for (std::int32_t oc = 0; oc < form_.output_c; ++oc) {
            std::int16_t* row = &weights_[static_cast<std::size_t>(oc * depth_)];
            for (std::int32_t ic = 0; ic < form_.input_shape.c; ++ic) {
                const IntegerRow quads = words.plane(ic / isa::kWordBytes, oc);
                for (std::int64_t tap = 0; tap < taps; ++tap) {
                    const auto weight = static_cast<std::int8_t>(
                        quads.data[tap * isa::kWordBytes + ic % isa::kWordBytes]);
                    row[tap * form_.input_shape.c + ic] =
                        static_cast<std::int16_t>(weight - form_.weight_zp);
                }
            }
        }
    }

    /// Sums of an image, channel by channel.
    std::vector<std::int64_t> image(LanePool& pool) {
        std::vector<std::int64_t> sums(static_cast<std::size_t>(output_.c * plane_pixels()));
        constexpr std::int64_t kBlock = 32;
        const std::int64_t blocks = isa::div_up(plane_pixels(), kBlock);
        const double cost = kNanoseconds / 8 * static_cast<double>(kBlock * depth_ * output_.c);
        pool.parallel_for(blocks, cost, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t block = begin; block < end; ++block) {
                const std::int64_t first = block * kBlock;
                const std::int64_t count = std::min(kBlock, plane_pixels() - first);
                if (has_short_products()) {
                    short_products(first, count, sums);
                } else {
                    long_products(first, count, sums);
                }
            }
        });
        return sums;
    }

    /// Whether pairs of products fit 32 bits: bytes, with a zero point of theirs.
    bool has_short_products() const {
        constexpr std::int32_t kMostZeroPoint = 1 << 13;
        return form_.input_type != ElementType::kInt16 && form_.input_zp > -kMostZeroPoint &&
               form_.input_zp < kMostZeroPoint;
    }

    void short_products(std::int64_t first, std::int64_t count,
                        std::vector<std::int64_t>& sums) const {
        std::vector<std::int16_t> rows(static_cast<std::size_t>(count * depth_));
        std::vector<std::int32_t> products(static_cast<std::size_t>(count * output_.c));
        for (std::int64_t p = 0; p < count; ++p) {
            pixels_.gather(first + p, output_.w, &rows[static_cast<std::size_t>(p * depth_)]);
        }
        sum_products({weights_.data(), output_.c, depth_}, {rows.data(), count, depth_},
                     products.data(), count);
        for (std::int32_t c = 0; c < output_.c; ++c) {
            for (std::int64_t p = 0; p < count; ++p) {
                sums[plane_at(c) + static_cast<std::size_t>(first + p)] =
                    products[static_cast<std::size_t>(c * count + p)];
            }
        }
    }

    void long_products(std::int64_t first, std::int64_t count,
                       std::vector<std::int64_t>& sums) const {
        std::vector<std::int64_t> row(static_cast<std::size_t>(depth_));
        for (std::int64_t p = 0; p < count; ++p) {
            pixels_.gather(first + p, output_.w, row.data());
            for (std::int32_t c = 0; c < output_.c; ++c) {
                const std::int16_t* weights = &weights_[static_cast<std::size_t>(c * depth_)];
                std::int64_t sum = 0;
                for (std::int64_t k = 0; k < terms_; ++k) {
                    sum += row[static_cast<std::size_t>(k)] * weights[k];
                }
                sums[plane_at(c) + static_cast<std::size_t>(first + p)] = sum;
            }
        }
    }

    void store(const IntegerRow& to, std::int32_t channel, std::int64_t* sums) const {
        const std::int64_t count = plane_pixels();
        std::vector<std::int64_t> begin;
        if (form_.result_add != 0) begin = values_of(to, count);
        const std::int64_t bias = channels_.bias(channel);
        for (std::int64_t i = 0; i < count; ++i) {
            const std::int64_t start = begin.empty() ? bias : begin[static_cast<std::size_t>(i)];
            sums[i] = channels_.result(channel, wrapped_sum(start + sums[i], form_.input_type));
        }
        store_integers(to, count, sums, false);
    }

    const isa::IntConvolution& form_;
    LocalMemory& memory_;
    isa::Dim4 output_;
    Pixels pixels_;
    Channels<isa::IntConvolution> channels_;
    std::int64_t terms_;  ///< of a sum
    std::int64_t depth_;  ///< the same with zeros behind them
    std::vector<std::int16_t> weights_;
};

/// Calls each(output pixel, input pixel, tap) for every tap of every window; the input pixel is
/// nothing in the padding.
template <typename Form, typename Each>
void each_tap(const Form& form, const isa::Dim2& dilation, const isa::Dim4& output,
              const Each& each) {
    for (std::int64_t pixel = 0; pixel < std::int64_t{output.h} * output.w; ++pixel) {
        const std::int64_t top = pixel / output.w * form.stride.h - form.padding.top;
        const std::int64_t left = pixel % output.w * form.stride.w - form.padding.left;
        std::int64_t tap = 0;
        for (std::int32_t y = 0; y < form.kernel_h; ++y) {
            const std::int64_t h = top + std::int64_t{y} * dilation.h;
            for (std::int32_t x = 0; x < form.kernel_w; ++x, ++tap) {
                const std::int64_t w = left + std::int64_t{x} * dilation.w;
                if (h < 0 || h >= form.input_shape.h || w < 0 || w >= form.input_shape.w) continue;
                each(pixel, h * form.input_shape.w + w, tap);
            }
        }
    }
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

/// Results of all channels before any of them is stored.
class Results {
 public:
    explicit Results(const isa::Dim4& shape)
        : shape_(shape), values_(static_cast<std::size_t>(shape.count())) {}

    std::int64_t* plane(std::int32_t n, std::int32_t c) {
        const std::int64_t plane = std::int64_t{shape_.h} * shape_.w;
        return &values_[static_cast<std::size_t>((std::int64_t{n} * shape_.c + c) * plane)];
    }
    void store(const Planes& to) {
        const std::int64_t count = std::int64_t{shape_.h} * shape_.w;
        for (std::int32_t n = 0; n < shape_.n; ++n) {
            for (std::int32_t c = 0; c < shape_.c; ++c) {
                store_integers(to.plane(n, c), count, plane(n, c), false);
            }
        }
    }

 private:
    isa::Dim4 shape_;
    std::vector<std::int64_t> values_;
};

}  // namespace

void execute_int_convolution(const isa::IntConvolution& operands, LocalMemory& memory,
                             LanePool& pool) {
    Convolution(operands, memory).run(pool);
}

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
    Results results(output);
    each_channel(output, memory.lanes(), kNanoseconds * static_cast<double>(taps), pool,
                 [&](std::int32_t n, std::int32_t c) {
                     const std::vector<std::int64_t> values = values_of(
                         input.plane(n, c), std::int64_t{form.input_shape.h} * form.input_shape.w);
                     const std::vector<std::int64_t> factors = values_of(weights.plane(0, c), taps);
                     std::int64_t* sums = results.plane(n, c);
                     std::fill_n(sums, pixels, channels.bias(c));
                     each_tap(form, form.dilation, output,
                              [&](std::int64_t pixel, std::int64_t at, std::int64_t tap) {
                                  sums[pixel] +=
                                      (values[static_cast<std::size_t>(at)] - form.input_zp) *
                                      (factors[static_cast<std::size_t>(tap)] - form.weight_zp);
                              });
                     for (std::int64_t i = 0; i < pixels; ++i) {
                         sums[i] = channels.result(c, wrapped_sum(sums[i], form.input_type));
                     }
                 });
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
    Results results(output);
    each_channel(output, memory.lanes(), kNanoseconds * static_cast<double>(taps), pool,
                 [&](std::int32_t n, std::int32_t c) {
                     const std::vector<std::int64_t> values = values_of(
                         input.plane(n, c), std::int64_t{form.input_shape.h} * form.input_shape.w);
                     std::int64_t* best = results.plane(n, c);
                     std::fill_n(best, std::int64_t{output.h} * output.w,
                                 isa::element_range(form.element_type).low);
                     each_tap(form, isa::roles::kNoDilation, output,
                              [&](std::int64_t pixel, std::int64_t at, std::int64_t) {
                                  best[pixel] =
                                      std::max(best[pixel], values[static_cast<std::size_t>(at)]);
                              });
                 });
    results.store(Planes::aligned(memory, form.output_addr, output, form.element_type));
}

}  // namespace okksim::models
