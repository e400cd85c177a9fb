// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <vector>

#include "models/bdc/typed/byte_convolution.h"
#include "models/bdc/typed/byte_products.h"
#include "models/bdc/typed/int_planes.h"
#include "models/bdc/typed/int_products.h"
#include "models/bdc/typed/int_windows.h"

namespace okksim::models {
namespace {

using isa::ElementType;

/// The pixels of an image with contiguous channels, as many as a row of products takes per kernel
/// position. Value: a type that holds the input minus the zero point.
template <typename Value>
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
        constexpr std::int64_t kPart = 64;  // pixels whose channels all fit the caches
        const std::int64_t all = std::int64_t{form_.input_shape.h} * form_.input_shape.w;
        std::array<std::int64_t, kPart> part{};
        for (std::int64_t first = 0; first < all; first += kPart) {
            const std::int64_t count = std::min(kPart, all - first);
            for (std::int32_t c = 0; c < channels_; ++c) {
                load_integers(input_.plane(n, c).behind(first), count, part.data());
                Value* to = &values_[static_cast<std::size_t>(first * channels_ + c)];
                for (std::int64_t i = 0; i < count; ++i) {
                    to[i * channels_] =
                        static_cast<Value>(part[static_cast<std::size_t>(i)] - form_.input_zp);
                }
            }
        }
    }

    /// Gathers the row of products of an output pixel.
    void gather(std::int64_t pixel, std::int32_t output_w, Value* row) const {
        const std::int64_t top = pixel / output_w * form_.stride.h - form_.padding.top;
        const std::int64_t left = pixel % output_w * form_.stride.w - form_.padding.left;
        for (std::int32_t y = 0; y < form_.kernel_h; ++y) {
            const std::int64_t h = top + std::int64_t{y} * form_.dilation.h;
            for (std::int32_t x = 0; x < form_.kernel_w; ++x, row += channels_) {
                const std::int64_t w = left + std::int64_t{x} * form_.dilation.w;
                const bool is_inside =
                    h >= 0 && h < form_.input_shape.h && w >= 0 && w < form_.input_shape.w;
                if (is_inside) {
                    std::copy_n(&values_[static_cast<std::size_t>((h * form_.input_shape.w + w) *
                                                                  channels_)],
                                channels_, row);
                } else {
                    std::fill_n(row, channels_, Value{0});
                }
            }
        }
    }

 private:
    const isa::IntConvolution& form_;
    std::int32_t channels_;
    Planes input_;
    std::vector<Value> values_;
};

/// A convolution as products of rows: one per output channel, one per output pixel.
template <typename Value>
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
        const auto to = Planes::aligned(memory_, form_.output_addr, output_, form_.output_type);
        Results results(output_, form_.output_type);
        constexpr std::int64_t kBlock = 32;  // pixels whose rows of products fit the caches
        const std::int64_t blocks = isa::div_up(plane_pixels(), kBlock);
        const double cost =
            kProductNanoseconds / 8 * static_cast<double>(kBlock * depth_ * output_.c);
        for (std::int32_t n = 0; n < output_.n; ++n) {
            pixels_.take_image(n);
            pool.parallel_for(blocks, cost, [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t block = begin; block < end; ++block) {
                    const std::int64_t first = block * kBlock;
                    sum_pixels(n, first, std::min(kBlock, plane_pixels() - first), to, results);
                }
            });
        }
        results.store(to);
    }

 private:
    std::int64_t plane_pixels() const { return std::int64_t{output_.h} * output_.w; }
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

    /// Computes the results of `count` pixels of the current image.
    void sum_pixels(std::int32_t n, std::int64_t first, std::int64_t count, const Planes& to,
                    Results& results) const {
        std::vector<std::int64_t> sums(static_cast<std::size_t>(output_.c * count));
        std::vector<Value> rows(static_cast<std::size_t>(count * depth_));
        for (std::int64_t p = 0; p < count; ++p) {
            pixels_.gather(first + p, output_.w, &rows[static_cast<std::size_t>(p * depth_)]);
        }
        sum_rows(rows, count, sums);
        for (std::int32_t c = 0; c < output_.c; ++c) {
            std::int64_t* channel = &sums[static_cast<std::size_t>(c * count)];
            finish(to.plane(n, c).behind(first), c, count, channel);
            results.put(n, c, first, count, channel);
        }
    }

    /// Computes sums channel by channel, without the bias.
    void sum_rows(const std::vector<std::int16_t>& rows, std::int64_t count,
                  std::vector<std::int64_t>& sums) const {
        std::vector<std::int32_t> products(sums.size());
        sum_products({weights_.data(), output_.c, depth_}, {rows.data(), count, depth_},
                     products.data(), count);
        std::copy(products.begin(), products.end(), sums.begin());
    }
    void sum_rows(const std::vector<std::int32_t>& rows, std::int64_t count,
                  std::vector<std::int64_t>& sums) const {
        for (std::int32_t c = 0; c < output_.c; ++c) {
            const std::int16_t* weights = &weights_[static_cast<std::size_t>(c * depth_)];
            for (std::int64_t p = 0; p < count; ++p) {
                const std::int32_t* row = &rows[static_cast<std::size_t>(p * depth_)];
                std::int64_t& sum = sums[static_cast<std::size_t>(c * count + p)];
                for (std::int64_t k = 0; k < terms_; ++k) sum += std::int64_t{row[k]} * weights[k];
            }
        }
    }

    /// Computes results from the sums of a channel; `old` is the previous content of the output.
    void finish(const IntegerRow& old, std::int32_t channel, std::int64_t count,
                std::int64_t* sums) const {
        std::vector<std::int64_t> begin;
        if (form_.result_add != 0) begin = values_of(old, count);
        const std::int64_t bias = channels_.bias(channel);
        for (std::int64_t i = 0; i < count; ++i) {
            const std::int64_t start = begin.empty() ? bias : begin[static_cast<std::size_t>(i)];
            sums[i] = channels_.result(channel, wrapped_sum(start + sums[i], form_.input_type));
        }
    }

    const isa::IntConvolution& form_;
    LocalMemory& memory_;
    isa::Dim4 output_;
    Pixels<Value> pixels_;
    Channels<isa::IntConvolution> channels_;
    std::int64_t terms_;                 ///< of a sum
    std::int64_t depth_;                 ///< terms of a sum with zero padding
    std::vector<std::int16_t> weights_;  ///< minus their zero point
};

}  // namespace

void execute_int_convolution(const isa::IntConvolution& operands, LocalMemory& memory,
                             LanePool& pool) {
    if (has_byte_products() && is_byte_convolution(operands)) {
        execute_byte_convolution(operands, memory, pool);
    } else if (has_short_products(operands)) {
        Convolution<std::int16_t>(operands, memory).run(pool);
    } else {
        Convolution<std::int32_t>(operands, memory).run(pool);
    }
}

}  // namespace okksim::models
