// SPDX-License-Identifier: Apache-2.0
// Pools and resizing.
#include <algorithm>
#include <cmath>

#include "sim/graph/compose/float_functions.h"
#include "sim/graph/tflite/tflite_lowering.h"
#include "sim/graph/tflite/tflite_numbers.h"

namespace okksim::sim::graph::tflite {

namespace {

/// Returns the number of input elements of each window in one direction.
std::vector<std::int64_t> counts_of(const compose::WindowAxis& axis, std::int64_t input) {
    std::vector<std::int64_t> counts;
    for (std::int64_t i = 0; i < compose::window_count(axis, input); ++i) {
        const std::int64_t first = i * axis.stride - axis.before;
        counts.push_back(std::min(first + axis.kernel, input) - std::max<std::int64_t>(first, 0));
    }
    return counts;
}

}  // namespace

Lowering::Pool Lowering::read_pool(const Call& call) {
    const auto& options = call.needed_options<wire::Pool2DOptions>();
    const Value& x = call.input(0);
    call.require_rank(x, 4);
    if (options.padding() != wire::Padding::SAME && options.padding() != wire::Padding::VALID) {
        call.illegal("padding", std::to_string(static_cast<int>(options.padding())),
                     "it is SAME or VALID");
    }
    Pool pool{{{options.filter_height(), options.stride_h()},
               {options.filter_width(), options.stride_w()}},
              options.activation()};
    for (std::size_t i = 0; i < 2; ++i) {
        compose::WindowAxis& axis = pool.windows[i];
        if (axis.kernel < 1 || axis.stride < 1) {
            call.illegal("filter and stride",
                         std::to_string(axis.kernel) + " and " + std::to_string(axis.stride),
                         "filter and stride are at least 1");
        }
        constexpr std::int64_t kMostFilter = 1024;
        if (axis.kernel > kMostFilter) throw UnsupportedPart("a filter of more than 1024 elements");
        if (options.padding() == wire::Padding::SAME) {
            axis = compose::same_padded(axis, x.shape[i + 1], compose::OddPadding::kAfter);
        }
        if (compose::window_count(axis, x.shape[i + 1]) < 1) {
            call.illegal("filter", std::to_string(axis.kernel),
                         "the filter fits into the input, " + shape_text(x.shape));
        }
    }
    return pool;
}

// TOSA rounds halves up. This rounds them away from zero: it moves the sum by half of the count
// away from zero, and divides towards zero.
TensorIndex Lowering::rounded_means(TensorIndex sums, const std::vector<std::int64_t>& counts,
                                    const Shape& shape) {
    std::vector<std::int64_t> halves;
    for (const std::int64_t count : counts) halves.push_back(count / 2);
    BlockBuilder& block = ops_.block();
    const TensorIndex half = block.constant(DType::kI32, shape, halves, "half");
    const TensorIndex count = block.constant(DType::kI32, shape, counts, "count");
    const TensorIndex zero = ops_.number(DType::kI32, shape.size(), 0);
    const TensorIndex moved = t_.select(t_.test(OpCode::kGreaterEqual, sums, zero, "is_positive"),
                                        ops_.binary(OpCode::kAdd, sums, half, "up"),
                                        ops_.binary(OpCode::kSub, sums, half, "down"), "moved");
    return ops_.binary(OpCode::kIntdiv, moved, count, "mean");
}

TensorIndex Lowering::integer_means(const Call& call, const Pool& pool, Value& x) {
    constexpr std::uint64_t kMostNumbers = 1 << 24;  // of the constants below
    const auto windows = element_count({compose::window_count(pool.windows[0], x.shape[1]),
                                        compose::window_count(pool.windows[1], x.shape[2])});
    const auto taps = element_count({x.shape[3], pool.windows[0].kernel, pool.windows[1].kernel});
    if (!windows || *windows > kMostNumbers || !taps || *taps > kMostNumbers) {
        throw UnsupportedPart("more than 2^24 windows or filter elements");
    }
    const std::vector<std::int64_t> rows = counts_of(pool.windows[0], x.shape[1]);
    const std::vector<std::int64_t> columns = counts_of(pool.windows[1], x.shape[2]);
    std::vector<std::int64_t> counts;
    for (const std::int64_t y : rows) {
        for (const std::int64_t each : columns) counts.push_back(y * each);
    }
    Shape shape{1, static_cast<std::int64_t>(rows.size()),
                static_cast<std::int64_t>(columns.size()), 1};
    if (std::count(counts.begin(), counts.end(), counts[0]) ==
        static_cast<std::ptrdiff_t>(counts.size())) {
        counts.resize(1);
        shape = {1, 1, 1, 1};
    }
    const std::int64_t channels = x.shape[3];
    const Shape filter_shape{channels, pool.windows[0].kernel, pool.windows[1].kernel, 1};
    const TensorIndex ones = ops_.block().constant(
        DType::kI8, filter_shape,
        std::vector<std::int64_t>(static_cast<std::size_t>(*element_count(filter_shape)), 1),
        "ones");
    compose::ConvolutionOptions options;
    options.groups = channels;
    // The means of UINT8 are those of numbers from 0.
    const bool is_unsigned = x.type == TensorType::UINT8;
    options.input_zero_point = is_unsigned ? -128 : 0;
    TensorIndex sums = compose::convolution(ops_, t_.of(x), filter(ones, channels, channels),
                                            std::nullopt, pool.windows, options);
    if (ops_.type(sums) == DType::kI48) sums = t_.narrowed(sums);
    TensorIndex mean = rounded_means(sums, counts, shape);
    if (is_unsigned) {
        mean = ops_.binary(OpCode::kSub, mean, ops_.number(DType::kI32, 4, 128), "as_int8");
    }
    return ops_.cast(mean, call.output().device(), "narrow");
}

void Lowering::average_pool(const Call& call) {
    Value& x = call.input(0);
    const Pool pool = read_pool(call);
    if (!is_quantised(call)) {
        return in_reals(call, compose::average_pool(ops_, t_.real(x), pool.windows),
                        pool.activation);
    }
    const TensorIndex mean = requantised(integer_means(call, pool, x), x, call.output());
    give(call, t_.activated(mean, call.output(), pool.activation));
}

void Lowering::max_pool(const Call& call) {
    Value& x = call.input(0);
    const Pool pool = read_pool(call);
    const TensorIndex operand = x.is_real() ? t_.real(x) : t_.of(x);
    const TensorIndex maxima =
        requantised(compose::max_pool(ops_, operand, pool.windows), x, call.output());
    give(call, t_.activated(maxima, call.output(), pool.activation));
}

void Lowering::l2_pool(const Call& call) {
    const Pool pool = read_pool(call);
    const TensorIndex squares = compose::square(ops_, t_.real(call.input(0)));
    const TensorIndex means = compose::average_pool(ops_, squares, pool.windows);
    in_reals(call, compose::square_root(ops_, means), pool.activation);
}

std::vector<compose::ResizeAxis> Lowering::resize_axes(const Call& call) {
    const Value& x = call.input(0);
    call.require_rank(x, 4);
    const std::vector<std::int64_t> size = call.known(1, "a size");
    if (size.size() != 2 || size[0] < 1 || size[1] < 1) {
        call.illegal("size", shape_text(size), "the size is a height and a width of at least 1");
    }
    constexpr std::int64_t kMostSize = 16384;  // of RESIZE
    if (std::max(size[0], size[1]) > kMostSize) throw UnsupportedPart("a size above 16384");
    std::vector<compose::ResizeAxis> axes;
    for (std::size_t i = 0; i < 2; ++i) {
        const auto scale = static_cast<double>(size[i]) / static_cast<double>(x.shape[i + 1]);
        axes.push_back({x.shape[i + 1], size[i], scale});
    }
    return axes;
}

// The reference kernels have coordinates with 10 fraction bits.
std::optional<compose::ResizeTerms> Lowering::integer_terms(const compose::ResizeAxis& axis,
                                                            bool aligns, bool has_half_pixels) {
    constexpr std::int64_t kOne = 1 << 10, kMostStep = 16 * kOne, kLeastStep = 4;
    const bool is_aligned = aligns && axis.output > 1;
    const std::int64_t from = axis.input - (is_aligned ? 1 : 0);
    const std::int64_t to = axis.output - (is_aligned ? 1 : 0);
    const std::int64_t step = (kOne * from + to / 2) / to;
    if (step < kLeastStep || step >= kMostStep) return std::nullopt;
    const std::int64_t offset = has_half_pixels ? step / 2 - kOne / 2 : 0;
    const std::int64_t border = (axis.output - 1) * step - (axis.input - 1) * kOne + offset;
    if (border < -kMostStep || border >= kOne) return std::nullopt;
    return compose::ResizeTerms{kOne, step, offset, border, axis.output};
}

TensorIndex Lowering::resized_integers(Value& x, const compose::ResizeTerms& rows,
                                       const compose::ResizeTerms& columns) {
    constexpr int kBits = 20;
    const TensorIndex sums =
        compose::resize_by_terms(ops_, t_.of(x), rows, columns, compose::ResizeMethod::kLinear);
    // Halves of uint8 round up: the numbers are not negative there.
    const bool is_up = x.type == TensorType::UINT8 || x.type == TensorType::INT16;
    return is_up ? t_.rescaled(sums, std::ldexp(1.0, -kBits), x.device(), {0, 0},
                               RoundingMode::kSingleRound)
                 : t_.divided(sums, kBits, x.device());
}

void Lowering::resize_bilinear(const Call& call) {
    const auto& options = call.options<wire::ResizeBilinearOptions>();
    const std::vector<compose::ResizeAxis> axes = resize_axes(call);
    Value& x = call.input(0);
    if (x.is_quantised() && call.output().is_quantised()) {
        const bool aligns = options.align_corners(), halves = options.half_pixel_centers();
        const auto rows = integer_terms(axes[0], aligns, halves);
        const auto columns = integer_terms(axes[1], aligns, halves);
        if (rows && columns) return give_moved(call, resized_integers(x, *rows, *columns), x);
    }
    compose::ResizeOptions with;
    with.method = compose::ResizeMethod::kLinear;
    with.coordinates = options.align_corners()        ? compose::Coordinates::kAlignCorners
                       : options.half_pixel_centers() ? compose::Coordinates::kHalfPixel
                                                      : compose::Coordinates::kAsymmetric;
    in_reals(call, compose::resize(ops_, t_.real(x), {1, 2}, axes, with));
}

void Lowering::resize_nearest(const Call& call) {
    const auto& options = call.options<wire::ResizeNearestNeighborOptions>();
    const std::vector<compose::ResizeAxis> axes = resize_axes(call);
    Value& x = call.input(0);
    TensorIndex result = t_.of(x);
    for (std::size_t i = 0; i < 2; ++i) {
        const auto& [input, output, scale, start, end] = axes[i];
        const bool aligns = options.align_corners() && output > 1;
        const float step = aligns ? static_cast<float>(input - 1) / static_cast<float>(output - 1)
                                  : static_cast<float>(input) / static_cast<float>(output);
        std::vector<std::int64_t> table;
        for (std::int64_t at = 0; at < output; ++at) {
            const float offset = options.half_pixel_centers() ? 0.5F : 0.0F;
            const float position = (static_cast<float>(at) + offset) * step;
            const float whole =
                options.align_corners() ? std::round(position) : std::floor(position);
            table.push_back(
                std::clamp<std::int64_t>(static_cast<std::int64_t>(whole), 0, input - 1));
        }
        result = compose::resize_axis_table(ops_, result, i + 1, table, 0);
    }
    give_moved(call, result, x);
}

}  // namespace okksim::sim::graph::tflite
