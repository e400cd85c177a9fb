// SPDX-License-Identifier: Apache-2.0
// Resizes, grid samples and boxes against the definitions of ONNX.
#include <algorithm>
#include <cmath>

#include "sim/graph/compose/resampling.h"
#include "tests/sim/graph/compose_array.h"

namespace okksim::tests {

namespace {

namespace compose = sim::graph::compose;
using compose::AspectPolicy;
using compose::Coordinates;
using compose::GridPadding;
using compose::NearestRounding;
using compose::ResizeAxis;
using compose::ResizeMethod;
using compose::ResizeOptions;

const std::vector<Coordinates> kCoordinates{
    Coordinates::kHalfPixel,      Coordinates::kHalfPixelSymmetric, Coordinates::kPytorchHalfPixel,
    Coordinates::kAlignCorners,   Coordinates::kAsymmetric,         Coordinates::kTfHalfPixelForNn,
    Coordinates::kTfCropAndResize};

double position(const ResizeAxis& a, Coordinates coordinates, std::int64_t i) {
    const auto x = static_cast<double>(i), in = static_cast<double>(a.input),
               out = static_cast<double>(a.output);
    switch (coordinates) {
        case Coordinates::kHalfPixel: return (x + 0.5) / a.scale - 0.5;
        case Coordinates::kHalfPixelSymmetric:
            return in / 2 * (1 - out / (a.scale * in)) + (x + 0.5) / a.scale - 0.5;
        case Coordinates::kPytorchHalfPixel: return out > 1 ? (x + 0.5) / a.scale - 0.5 : 0;
        case Coordinates::kAlignCorners: return out > 1 ? x * (in - 1) / (out - 1) : 0;
        case Coordinates::kAsymmetric: return x / a.scale;
        case Coordinates::kTfHalfPixelForNn: return (x + 0.5) / a.scale;
        case Coordinates::kTfCropAndResize:
            return out > 1 ? a.roi_start * (in - 1) +
                                 x * (a.roi_end - a.roi_start) * (in - 1) / (out - 1)
                           : 0.5 * (a.roi_start + a.roi_end) * (in - 1);
    }
    return 0;
}

double nearest(double at, NearestRounding rounding) {
    const bool is_tie = at - std::floor(at) == 0.5;
    switch (rounding) {
        case NearestRounding::kPreferFloor: return is_tie ? std::floor(at) : std::round(at);
        case NearestRounding::kPreferCeil: return is_tie ? std::ceil(at) : std::round(at);
        case NearestRounding::kFloor: return std::floor(at);
        case NearestRounding::kCeil: return std::ceil(at);
    }
    return 0;
}

double cubic(double d, double a) {
    d = std::abs(d);
    if (d <= 1) return (a + 2) * d * d * d - (a + 3) * d * d + 1;
    return d < 2 ? a * d * d * d - 5 * a * d * d + 8 * a * d - 4 * a : 0;
}

bool is_outside(const ResizeAxis& axis, const ResizeOptions& options, std::int64_t i) {
    const double at = position(axis, options.coordinates, i);
    return options.coordinates == Coordinates::kTfCropAndResize &&
           (at < 0 || at > static_cast<double>(axis.input - 1));
}

/// Interpolates `value(element)` of one direction; elements outside repeat the border.
template <typename Value>
double interpolated(const ResizeAxis& axis, const ResizeOptions& o, std::int64_t i,
                    const Value& value) {
    const double at = position(axis, o.coordinates, i);
    const auto inside = [&](double element) {
        return static_cast<std::int64_t>(
            std::clamp(element, 0.0, static_cast<double>(axis.input - 1)));
    };
    if (o.method == ResizeMethod::kNearest) return value(inside(nearest(at, o.rounding)));
    const double squeeze = o.antialias ? std::min(1.0, axis.scale) : 1.0;
    const double reach = std::ceil(2 / squeeze) + 1;
    double sum = 0, total = 0;
    for (double tap = std::floor(at) - reach; tap <= std::floor(at) + reach; ++tap) {
        const double d = (tap - at) * squeeze;
        const double weight = o.method == ResizeMethod::kLinear ? std::max(0.0, 1 - std::abs(d))
                                                                : cubic(d, o.cubic_coefficient);
        const bool is_inside = tap >= 0 && tap < static_cast<double>(axis.input);
        if (weight == 0 || (o.exclude_outside && !is_inside)) continue;
        sum += weight * value(inside(tap));
        total += weight;
    }
    return sum / total;
}

/// Resizes two dimensions of an array.
Array resized(const Array& x, std::size_t first, std::size_t second, const ResizeAxis& rows,
              const ResizeAxis& columns, const ResizeOptions& options) {
    Shape shape = x.shape;
    shape[first] = rows.output;
    shape[second] = columns.output;
    return array_of(shape, [&](const Shape& at) {
        if (is_outside(rows, options, at[first]) || is_outside(columns, options, at[second])) {
            return options.extrapolation_value;
        }
        return interpolated(rows, options, at[first], [&](std::int64_t row) {
            return interpolated(columns, options, at[second], [&](std::int64_t column) {
                Shape source = at;
                source[first] = row;
                source[second] = column;
                return x[source];
            });
        });
    });
}

ResizeAxis axis_of(std::int64_t input, std::int64_t output) {
    return {input, output, static_cast<double>(output) / static_cast<double>(input), 0, 1};
}

void check_resize(const ResizeAxis& rows, const ResizeAxis& columns, const ResizeOptions& options) {
    INFO(rows.input << "->" << rows.output << " " << columns.input << "->" << columns.output
                    << " method " << static_cast<int>(options.method) << " coordinates "
                    << static_cast<int>(options.coordinates) << " rounding "
                    << static_cast<int>(options.rounding));
    for (const bool channels_last : {true, false}) {
        const Shape shape = channels_last ? Shape{2, rows.input, columns.input, 3}
                                          : Shape{1, 2, rows.input, columns.input};
        const std::size_t first = channels_last ? 1 : 2;
        const Data x = random_reals(shape);
        check_array(evaluate_one({x},
                                 [&](OperatorBuilder& ops, const Indices& in) {
                                     return compose::resize(ops, in[0], {first, first + 1},
                                                            {rows, columns}, options);
                                 }),
                    resized(Array(x), first, first + 1, rows, columns, options));
    }
}

/// Sizes whose positions have no ties that single and double precision would round differently.
const std::vector<std::pair<ResizeAxis, ResizeAxis>> kSizes{{axis_of(4, 8), axis_of(3, 9)},
                                                            {axis_of(8, 4), axis_of(6, 2)},
                                                            {axis_of(5, 8), axis_of(8, 5)},
                                                            {axis_of(2, 5), axis_of(9, 1)},
                                                            {axis_of(1, 3), axis_of(4, 4)}};

}  // namespace

TEST_CASE("nearest resizes take the elements of each mode", "[compose][resampling]") {
    for (const auto& [rows, columns] : kSizes) {
        for (const Coordinates coordinates : kCoordinates) {
            for (const NearestRounding rounding :
                 {NearestRounding::kPreferFloor, NearestRounding::kPreferCeil,
                  NearestRounding::kFloor, NearestRounding::kCeil}) {
                ResizeOptions options;
                options.coordinates = coordinates;
                options.rounding = rounding;
                check_resize(rows, columns, options);
            }
        }
    }
}

TEST_CASE("linear and cubic resizes weigh the neighbours", "[compose][resampling]") {
    for (const auto& [rows, columns] : kSizes) {
        for (const Coordinates coordinates : kCoordinates) {
            for (const ResizeMethod method : {ResizeMethod::kLinear, ResizeMethod::kCubic}) {
                for (const bool antialias : {false, true}) {
                    for (const bool exclude : {false, true}) {
                        ResizeOptions options;
                        options.method = method;
                        options.coordinates = coordinates;
                        options.antialias = antialias;
                        options.cubic_coefficient = exclude ? -0.5 : -0.75;
                        options.exclude_outside =
                            exclude && (antialias || method == ResizeMethod::kCubic);
                        check_resize(rows, columns, options);
                    }
                }
            }
        }
    }
}

TEST_CASE("a crop extrapolates outside of the input", "[compose][resampling]") {
    for (const ResizeMethod method :
         {ResizeMethod::kNearest, ResizeMethod::kLinear, ResizeMethod::kCubic}) {
        ResizeOptions options;
        options.method = method;
        options.coordinates = Coordinates::kTfCropAndResize;
        options.extrapolation_value = 7.5;
        check_resize({5, 6, 1.2, 0.25, 1.5}, {4, 7, 1.75, -0.5, 0.75}, options);
        check_resize({5, 1, 0.2, 0.2, 0.6}, {4, 3, 0.75, 0.75, 0.25}, options);
    }
}

TEST_CASE("scales of the file differ from the ratio of sizes", "[compose][resampling]") {
    // floor(5 * 1.7) = 8 and floor(7 * 0.6) = 4 elements.
    const auto axes = compose::axes_of_scales({5, 7}, {1.7, 0.6});
    CHECK((axes[0].output == 8 && axes[1].output == 4));
    for (const Coordinates coordinates :
         {Coordinates::kHalfPixel, Coordinates::kHalfPixelSymmetric, Coordinates::kAsymmetric}) {
        ResizeOptions options;
        options.method = ResizeMethod::kLinear;
        options.coordinates = coordinates;
        check_resize(axes[0], axes[1], options);
    }
}

TEST_CASE("RESIZE serves linear modes and nearest modes that agree with it",
          "[compose][resampling]") {
    const auto operators = [](Coordinates coordinates, ResizeMethod method) {
        ResizeOptions options;
        options.coordinates = coordinates;
        options.method = method;
        evaluate_one({random_reals({1, 4, 6, 3})}, [&](OperatorBuilder& ops, const Indices& in) {
            return compose::resize(ops, in[0], {1, 2}, {axis_of(4, 8), axis_of(6, 9)}, options);
        });
        return last_operator_count();
    };
    CHECK(operators(Coordinates::kHalfPixel, ResizeMethod::kLinear) == 1);
    CHECK(operators(Coordinates::kAlignCorners, ResizeMethod::kLinear) == 1);
    CHECK(operators(Coordinates::kAsymmetric, ResizeMethod::kLinear) == 1);
    CHECK(operators(Coordinates::kHalfPixel, ResizeMethod::kNearest) == 1);
    CHECK(operators(Coordinates::kAsymmetric, ResizeMethod::kNearest) == 1);
    CHECK(operators(Coordinates::kHalfPixel, ResizeMethod::kCubic) > 1);
}

TEST_CASE("nearest resizes move every type", "[compose][resampling]") {
    for (const DType type :
         {DType::kI8, DType::kI16, DType::kI32, DType::kBool, DType::kFp16, DType::kBf16}) {
        const bool is_real = sim::graph::is_floating_point(type);
        const Data x = is_real ? random_reals({1, 4, 5, 2}, 1, type)
                               : random_integers({1, 4, 5, 2}, 0, 1, type);
        const ResizeOptions options;
        const ResizeAxis rows = axis_of(4, 8), columns = axis_of(5, 3);
        check_array(
            evaluate_one({x},
                         [&](OperatorBuilder& ops, const Indices& in) {
                             return compose::resize(ops, in[0], {1, 2}, {rows, columns}, options);
                         }),
            resized(Array(x), 1, 2, rows, columns, options), 0);
    }
}

TEST_CASE("three directions can be resized", "[compose][resampling]") {
    const Data x = random_reals({1, 3, 4, 5, 2});
    ResizeOptions options;
    options.method = ResizeMethod::kLinear;
    const std::vector<ResizeAxis> axes{axis_of(3, 6), axis_of(4, 2), axis_of(5, 7)};
    Array wanted = resized(Array(x), 1, 2, axes[0], axes[1], options);
    wanted = resized(wanted, 3, 4, axes[2], axis_of(2, 2), options);
    check_array(evaluate_one({x},
                             [&](OperatorBuilder& ops, const Indices& in) {
                                 return compose::resize(ops, in[0], {1, 2, 3}, axes, options);
                             }),
                wanted);
}

TEST_CASE("policies keep the aspect ratio", "[compose][resampling]") {
    // Ratios 7/2 and 8/4: the smaller one gives 4x8, the greater one 7x14.
    const auto sizes = [](AspectPolicy policy) {
        const auto axes = compose::axes_of_sizes({2, 4}, {7, 8}, policy);
        return Shape{axes[0].output, axes[1].output};
    };
    CHECK(sizes(AspectPolicy::kStretch) == Shape{7, 8});
    CHECK(sizes(AspectPolicy::kNotLarger) == Shape{4, 8});
    CHECK(sizes(AspectPolicy::kNotSmaller) == Shape{7, 14});
}

namespace {

/// Reads an element by the padding mode, from its position in all directions.
double padded_element(const Array& x, std::int64_t batch, Shape at, std::int64_t channel,
                      const compose::GridOptions& options) {
    for (std::size_t i = 0; i < at.size(); ++i) {
        const std::int64_t size = x.shape[1 + i];
        if (options.padding == GridPadding::kZeros && (at[i] < 0 || at[i] >= size)) return 0;
        if (options.padding == GridPadding::kBorder) {
            at[i] = std::clamp<std::int64_t>(at[i], 0, size - 1);
        }
        while (at[i] < 0 || at[i] >= size) {
            if (options.align_corners && size == 1) at[i] = 0;
            if (at[i] < 0) at[i] = options.align_corners ? -at[i] : -1 - at[i];
            if (at[i] >= size) {
                at[i] = options.align_corners ? 2 * (size - 1) - at[i] : 2 * size - 1 - at[i];
            }
        }
    }
    return x[shape_of({batch}, at, {channel})];
}

Array sampled(const Array& x, const Array& grid, const compose::GridOptions& options) {
    Shape shape(grid.shape.begin(), grid.shape.end() - 1);
    const std::size_t depth = shape.size() - 1;
    shape.push_back(x.shape.back());
    return array_of(shape, [&](const Shape& at) {
        std::vector<double> places;
        for (std::size_t i = 0; i < depth; ++i) {
            Shape point(at.begin(), at.end() - 1);
            point.push_back(static_cast<std::int64_t>(depth - 1 - i));
            const auto size = static_cast<double>(x.shape[1 + i]);
            places.push_back(options.align_corners ? (grid[point] + 1) / 2 * (size - 1)
                                                   : ((grid[point] + 1) * size - 1) / 2);
        }
        double sum = 0;
        for_each(Shape(depth, 4), [&](const Shape& tap) {
            Shape element;
            double weight = 1;
            for (std::size_t i = 0; i < depth; ++i) {
                const double low = std::floor(places[i]), offset = static_cast<double>(tap[i]) - 1;
                const double d = low + offset - places[i];
                if (options.method == ResizeMethod::kNearest) {
                    weight *= low + offset == std::nearbyint(places[i]) ? 1 : 0;
                } else if (options.method == ResizeMethod::kLinear) {
                    weight *= std::max(0.0, 1 - std::abs(d));
                } else {
                    weight *= cubic(d, options.cubic_coefficient);
                }
                element.push_back(static_cast<std::int64_t>(low + offset));
            }
            if (weight == 0) return;
            sum += weight * padded_element(x, at[0], element, at.back(), options);
        });
        return sum;
    });
}

}  // namespace

TEST_CASE("grid samples equal the definition", "[compose][resampling]") {
    for (const Shape& maps : {Shape{2, 5, 6, 3}, Shape{1, 3, 4, 5, 2}, Shape{1, 1, 3, 2}}) {
        const auto depth = static_cast<std::int64_t>(maps.size()) - 2;
        for (const ResizeMethod method :
             {ResizeMethod::kNearest, ResizeMethod::kLinear, ResizeMethod::kCubic}) {
            if (depth == 3 && method == ResizeMethod::kCubic) continue;  // ONNX has it in 2-D
            for (const GridPadding padding :
                 {GridPadding::kZeros, GridPadding::kBorder, GridPadding::kReflection}) {
                for (const bool align : {false, true}) {
                    INFO(sim::graph::shape_text(maps)
                         << static_cast<int>(method) << static_cast<int>(padding) << align);
                    compose::GridOptions options;
                    options.method = method;
                    options.padding = padding;
                    options.align_corners = align;
                    const Data x = random_reals(maps);
                    Shape grid_shape(static_cast<std::size_t>(depth), 3);
                    grid_shape = shape_of({maps[0]}, grid_shape, {depth});
                    const Data grid = random_reals(grid_shape, 2.2);
                    check_array(evaluate_one({x, grid},
                                             [&](OperatorBuilder& ops, const Indices& in) {
                                                 return compose::grid_sample(ops, in[0], in[1],
                                                                             options);
                                             }),
                                sampled(Array(x), Array(grid), options), 2e-5);
                }
            }
        }
    }
}

TEST_CASE("an affine grid transforms the positions of the output", "[compose][resampling]") {
    for (const Shape& spatial : {Shape{3, 4}, Shape{2, 3, 4}}) {
        for (const bool align : {false, true}) {
            const auto depth = static_cast<std::int64_t>(spatial.size());
            const Data theta = random_reals({2, depth, depth + 1});
            const Array matrix(theta);
            const Array wanted = array_of(shape_of({2}, spatial, {depth}), [&](const Shape& at) {
                double sum = matrix[{at[0], at.back(), depth}];
                for (std::int64_t i = 0; i < depth; ++i) {
                    // Column i of theta belongs to direction depth - 1 - i.
                    const auto direction = static_cast<std::size_t>(depth - 1 - i);
                    const auto size = static_cast<double>(spatial[direction]);
                    const auto p = static_cast<double>(at[1 + direction]);
                    const double place = align ? -1 + 2 * p / (size - 1) : (2 * p + 1) / size - 1;
                    sum += matrix[{at[0], at.back(), i}] * place;
                }
                return sum;
            });
            check_array(evaluate_one({theta},
                                     [&](OperatorBuilder& ops, const Indices& in) {
                                         return compose::affine_grid(ops, in[0], spatial, align);
                                     }),
                        wanted);
        }
    }
}

namespace {

/// Value of one sample, or the greatest of its four weighted corners.
double box_sample(const Array& x, std::int64_t batch, double row, double column,
                  std::int64_t channel, bool is_maximum) {
    const auto height = static_cast<double>(x.shape[1]), width = static_cast<double>(x.shape[2]);
    if (row < -1 || row > height || column < -1 || column > width) return 0;
    row = std::clamp(row, 0.0, height - 1);
    column = std::clamp(column, 0.0, width - 1);
    const double low_row = std::floor(row), low_column = std::floor(column);
    double sum = 0, greatest = -1e30;
    for (const double r : {low_row, low_row + 1}) {
        for (const double c : {low_column, low_column + 1}) {
            const double weight = (1 - std::abs(r - row)) * (1 - std::abs(c - column));
            const double term =
                weight * x[{batch, static_cast<std::int64_t>(std::min(r, height - 1)),
                            static_cast<std::int64_t>(std::min(c, width - 1)), channel}];
            sum += term;
            greatest = std::max(greatest, term);
        }
    }
    return is_maximum ? greatest : sum;
}

Array aligned(const Array& x, const compose::KnownBoxes& boxes,
              const compose::RoiOptions& options) {
    const auto count = static_cast<std::int64_t>(boxes.batch.size());
    return array_of({count, options.rows, options.columns, x.shape[3]}, [&](const Shape& at) {
        const double* corner = &boxes.corners[static_cast<std::size_t>(4 * at[0])];
        const double shift = options.half_pixel ? 0.5 : 0;
        double start[2], bin[2];
        std::int64_t samples[2];
        for (const int i : {0, 1}) {  // rows, columns
            start[i] = corner[1 - i] * options.spatial_scale - shift;
            double size = corner[3 - i] * options.spatial_scale - shift - start[i];
            if (!options.half_pixel) size = std::max(size, 1.0);
            bin[i] = size / static_cast<double>(i == 0 ? options.rows : options.columns);
            samples[i] = options.sampling_ratio > 0 ? options.sampling_ratio
                                                    : static_cast<std::int64_t>(std::ceil(bin[i]));
        }
        double sum = 0, greatest = -1e30;
        for_each({samples[0], samples[1]}, [&](const Shape& sample) {
            double place[2];
            for (const std::size_t i : {0U, 1U}) {
                const double share =
                    (static_cast<double>(sample[i]) + 0.5) / static_cast<double>(samples[i]);
                place[i] = start[i] + (static_cast<double>(at[1 + i]) + share) * bin[i];
            }
            const double value = box_sample(x, boxes.batch[static_cast<std::size_t>(at[0])],
                                            place[0], place[1], at[3], options.is_maximum);
            sum += value;
            greatest = std::max(greatest, value);
        });
        return options.is_maximum ? greatest : sum / static_cast<double>(samples[0] * samples[1]);
    });
}

}  // namespace

TEST_CASE("boxes are aligned by means and maxima of samples", "[compose][resampling]") {
    const compose::KnownBoxes boxes{{0.3, 1.2, 5.4, 4.4, -3, -2, 3.3, 8.1, 2, 2, 2.5, 2.25,  //
                                     0, 0, 12, 10},
                                    {1, 0, 1, 0}};
    const Data x = random_reals({2, 7, 8, 3});
    const Data corners{DType::kFp32, {4, 4}, boxes.corners};
    const Data batch{DType::kI32, {4}, {boxes.batch.begin(), boxes.batch.end()}};
    for (const bool half_pixel : {false, true}) {
        for (const bool is_maximum : {false, true}) {
            for (const std::int64_t ratio : {0, 1, 2, 3}) {
                INFO(half_pixel << is_maximum << ratio);
                compose::RoiOptions options;
                options.rows = 3;
                options.columns = 2;
                options.sampling_ratio = ratio;
                options.spatial_scale = 0.75;
                options.half_pixel = half_pixel;
                options.is_maximum = is_maximum;
                const Array wanted = aligned(Array(x), boxes, options);
                check_array(evaluate_one({x},
                                         [&](OperatorBuilder& ops, const Indices& in) {
                                             return compose::roi_align(ops, in[0], boxes, options);
                                         }),
                            wanted, 2e-5);
                if (ratio == 0) continue;
                check_array(evaluate_one({x, corners, batch},
                                         [&](OperatorBuilder& ops, const Indices& in) {
                                             return compose::roi_align(ops, in[0], in[1], in[2],
                                                                       options);
                                         }),
                            wanted, 2e-5);
            }
        }
    }
}

}  // namespace okksim::tests
