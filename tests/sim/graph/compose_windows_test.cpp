// SPDX-License-Identifier: Apache-2.0
// Convolutions and pools against the loops of ONNX's definitions, on feature maps N, spatial, C.
#include <cmath>
#include <limits>

#include "sim/graph/compose/windows.h"
#include "tests/sim/graph/compose_array.h"
#include "tests/support/catch.h"

namespace okksim::tests {

namespace {

using sim::graph::compose::ConvolutionOptions;
using sim::graph::compose::OddPadding;
using sim::graph::compose::Windows;
namespace compose = sim::graph::compose;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Shape spatial_of(const Shape& maps) { return {maps.begin() + 1, maps.end() - 1}; }
Shape kernel_of(const Windows& windows) {
    Shape result;
    for (const auto& axis : windows) result.push_back(axis.kernel);
    return result;
}

/// Element of a window: its position in the feature map.
Shape tap_of(const Shape& window, const Shape& tap, const Windows& windows) {
    Shape at;
    for (std::size_t i = 0; i < windows.size(); ++i) {
        at.push_back(window[i] * windows[i].stride - windows[i].before +
                     tap[i] * windows[i].dilation);
    }
    return at;
}

Shape counts_of(const Shape& spatial, const Windows& windows, bool ceil_mode = false) {
    Shape result;
    for (std::size_t i = 0; i < windows.size(); ++i) {
        const auto& axis = windows[i];
        const double room = static_cast<double>(spatial[i] + axis.before + axis.after -
                                                (axis.kernel - 1) * axis.dilation - 1);
        const double steps = room / static_cast<double>(axis.stride);
        auto count =
            static_cast<std::int64_t>(ceil_mode ? std::ceil(steps) : std::floor(steps)) + 1;
        // The last window starts in the feature map or in the padding before it.
        if (ceil_mode && (count - 1) * axis.stride >= spatial[i] + axis.before) --count;
        result.push_back(count);
    }
    return result;
}

/// Weights are [O, I / groups, spatial...]; elements outside are the zero point.
Array convolved(const Array& x, const Array& weights, const Array& bias, const Windows& windows,
                std::int64_t groups, double zero = 0) {
    const Shape spatial = spatial_of(x.shape);
    const std::int64_t outputs = weights.shape[0], inputs = weights.shape[1];
    const Shape counts = counts_of(spatial, windows);
    return array_of(shape_of({x.shape[0]}, counts, {outputs}), [&](const Shape& at) {
        const std::int64_t group = at.back() / (outputs / groups);
        double sum = bias[{at.back()}];
        for_each(kernel_of(windows), [&](const Shape& tap) {
            const Shape place = tap_of(spatial_of(at), tap, windows);
            for (std::int64_t i = 0; i < inputs; ++i) {
                const Shape from = shape_of({at[0]}, place, {group * inputs + i});
                if (!x.contains(from)) continue;
                sum += (x[from] - zero) * weights[shape_of({at.back(), i}, tap, {})];
            }
        });
        return sum;
    });
}

/// Weights are [I, O / groups, spatial...]; each element is added to the outputs that it reaches.
Array transposed(const Array& x, const Array& weights, const Array& bias, const Windows& windows,
                 std::int64_t groups, const Shape& added, double zero = 0) {
    const Shape spatial = spatial_of(x.shape);
    const std::int64_t inputs = weights.shape[0], filters = weights.shape[1];
    Shape size;
    for (std::size_t i = 0; i < windows.size(); ++i) {
        size.push_back((spatial[i] - 1) * windows[i].stride + windows[i].reach() -
                       windows[i].before - windows[i].after + added[i]);
    }
    Array result = array_of(shape_of({x.shape[0]}, size, {filters * groups}),
                            [&](const Shape& at) { return bias[{at.back()}]; });
    for_each(x.shape, [&](const Shape& from) {
        const std::int64_t group = from.back() / (inputs / groups);
        for_each(kernel_of(windows), [&](const Shape& tap) {
            const Shape place = tap_of(spatial_of(from), tap, windows);
            for (std::int64_t f = 0; f < filters; ++f) {
                const Shape to = shape_of({from[0]}, place, {group * filters + f});
                if (!result.contains(to)) continue;
                result[to] += (x[from] - zero) * weights[shape_of({from.back(), f}, tap, {})];
            }
        });
    });
    return result;
}

struct ConvolutionCase {
    Shape maps, weights;
    Windows windows;
    std::int64_t groups = 1;
};

const std::vector<ConvolutionCase> kConvolutions{
    {{2, 7, 3}, {4, 3, 3}, {{3, 2, 1, 1, 0}}},
    {{1, 9, 4}, {6, 2, 2}, {{2, 1, 3, 2, 2}}, 2},
    {{1, 8, 4}, {8, 1, 3}, {{3, 3, 1, 0, 0}}, 4},
    {{2, 5, 6, 3}, {5, 3, 1, 1}, {{1}, {1}}},
    {{1, 7, 6, 3}, {2, 3, 3, 2}, {{3, 2, 1, 1, 1}, {2, 3, 2, 0, 1}}},
    {{1, 8, 9, 6}, {4, 3, 3, 3}, {{3, 2, 1, 2, 0}, {3, 1, 2, 1, 2}}, 2},
    {{2, 7, 7, 3}, {6, 1, 3, 3}, {{3, 2, 1, 1, 1}, {3, 2, 1, 0, 1}}, 3},
    {{1, 6, 6, 2}, {3, 2, 2, 3}, {{2, 1, 1, -1, 0}, {3, 2, 1, 1, -2}}},
    {{1, 3, 3, 1}, {2, 1, 1, 1}, {{1, 5, 1, 2, 0}, {1, 1, 1, 1, 1}}},
    {{1, 4, 5, 6, 2}, {3, 2, 2, 3, 2}, {{2, 2, 1, 1, 0}, {3, 1, 1, 1, 1}, {2, 3, 2, 0, 0}}},
    {{1, 4, 5, 4, 4}, {4, 2, 2, 2, 3}, {{2, 1, 2, 0, 1}, {2, 2, 1, 0, 0}, {3, 1, 1, 1, 1}}, 2},
    {{2, 5, 4, 5, 3}, {6, 1, 3, 2, 2}, {{3, 2, 1, 1, 1}, {2, 1, 1, 0, 1}, {2, 2, 1, -1, 0}}, 3},
};

void check_convolution(const ConvolutionCase& c, DType type, bool is_constant) {
    INFO(sim::graph::shape_text(c.maps) << " " << sim::graph::shape_text(c.weights));
    const Data x = random_reals(c.maps, 1, type), w = random_reals(c.weights, 1, type);
    const Data bias = random_reals({c.weights[0]}, 1, type);
    const Array wanted = convolved(Array(x), Array(w), Array(bias), c.windows, c.groups);
    const Data found = evaluate_one({x, w, bias}, [&](OperatorBuilder& ops, const Indices& in) {
        const TensorIndex given = is_constant ? constant(ops, w) : in[1];
        const TensorIndex weights =
            compose::arranged_weights(ops, given, compose::weights_layout(c.weights, c.groups));
        ConvolutionOptions options;
        options.groups = c.groups;
        return compose::convolution(ops, in[0], weights, in[2], c.windows, options);
    });
    check_array(found, wanted, type == DType::kFp32 ? 1e-5 : 2e-2);
}

}  // namespace

TEST_CASE("convolutions of 1 to 3 directions equal the definition", "[compose][windows]") {
    for (const ConvolutionCase& c : kConvolutions) {
        check_convolution(c, DType::kFp32, false);
        check_convolution(c, DType::kFp32, true);
    }
    check_convolution(kConvolutions[4], DType::kFp16, true);
    check_convolution(kConvolutions[5], DType::kBf16, true);
}

TEST_CASE("integer convolutions pad with the zero point", "[compose][windows]") {
    for (const ConvolutionCase& c : kConvolutions) {
        INFO(sim::graph::shape_text(c.maps));
        const Data x = random_integers(c.maps, -128, 127, DType::kI8);
        const Data w = random_integers(c.weights, -127, 127, DType::kI8);
        const Data bias = random_integers({c.weights[0]}, -1000, 1000);
        const Array wanted = convolved(Array(x), Array(w), Array(bias), c.windows, c.groups, -7);
        const Data found = evaluate_one({x, bias}, [&](OperatorBuilder& ops, const Indices& in) {
            ConvolutionOptions options;
            options.groups = c.groups;
            options.input_zero_point = -7;
            const TensorIndex weights = compose::arranged_weights(
                ops, constant(ops, w), compose::weights_layout(c.weights, c.groups));
            return compose::convolution(ops, in[0], weights, in[1], c.windows, options);
        });
        CHECK(found.type == DType::kI32);
        check_array(found, wanted, 0);
    }
}

TEST_CASE("convolutions of i16 have i48 sums, which finish narrows", "[compose][windows]") {
    for (const ConvolutionCase& c : kConvolutions) {
        INFO(sim::graph::shape_text(c.maps) << " " << sim::graph::shape_text(c.weights));
        const Data x = random_integers(c.maps, -9000, 9000, DType::kI16);
        const Data w = random_integers(c.weights, -127, 127, DType::kI8);
        const Array wanted =
            convolved(Array(x), Array(w), Array(Shape{c.weights[0]}), c.windows, c.groups);
        const Data found = evaluate_one({x, w}, [&](OperatorBuilder& ops, const Indices& in) {
            ConvolutionOptions options;
            options.groups = c.groups;
            options.finish = narrowed(ops);
            const TensorIndex weights =
                compose::arranged_weights(ops, in[1], compose::weights_layout(c.weights, c.groups));
            return compose::convolution(ops, in[0], weights, {}, c.windows, options);
        });
        CHECK(found.type == DType::kI32);
        check_array(found, wanted, 0);
    }
}

TEST_CASE("transposed convolutions equal the definition", "[compose][windows]") {
    struct Case {
        Shape maps, weights;
        Windows windows;
        std::int64_t groups = 1;
        Shape added;
    };
    const std::vector<Case> cases{
        {{2, 5, 3}, {3, 4, 3}, {{3, 2, 1, 1, 1}}, 1, {1}},
        {{1, 5, 4}, {4, 3, 3}, {{3, 2, 2, 1, 0}}, 2, {0}},
        {{1, 4, 5, 3}, {3, 2, 3, 3}, {{3, 2, 1, 1, 1}, {3, 3, 1, 0, 2}}, 1, {1, 2}},
        {{1, 4, 5, 3}, {3, 2, 2, 3}, {{2, 2, 1, 3, 2}, {3, 1, 1, -1, 4}}, 1, {0, 0}},
        {{2, 3, 4, 4}, {4, 3, 3, 2}, {{3, 2, 1, 1, 1}, {2, 2, 1, 0, 0}}, 2, {1, 0}},
        {{1, 4, 4, 3}, {3, 1, 3, 3}, {{3, 2, 1, 1, 1}, {3, 2, 1, 1, 1}}, 3, {1, 1}},
        {{1, 4, 4, 3}, {3, 2, 2, 2}, {{2, 3, 1, 0, 0}, {2, 1, 1, 0, 0}}, 3, {0, 0}},
        {{1, 5, 4, 2}, {2, 3, 3, 2}, {{3, 2, 3, 2, 1}, {2, 1, 2, 0, 1}}, 1, {0, 1}},
        {{1, 3, 2, 3, 2},
         {2, 3, 2, 3, 2},
         {{2, 2, 1, 0, 1}, {3, 1, 1, 1, 0}, {2, 2, 1, 0, 0}},
         1,
         {1, 0, 1}},
        {{1, 3, 2, 3, 4},
         {4, 1, 2, 3, 2},
         {{2, 2, 1, 0, 0}, {3, 1, 1, 1, 1}, {2, 3, 1, 0, 0}},
         2,
         {0, 0, 0}},
    };
    for (const Case& c : cases) {
        for (const bool is_constant : {false, true}) {
            INFO(sim::graph::shape_text(c.maps) << " " << sim::graph::shape_text(c.weights));
            const Data x = random_reals(c.maps), w = random_reals(c.weights);
            const Data bias = random_reals({c.weights[1] * c.groups});
            const Array wanted =
                transposed(Array(x), Array(w), Array(bias), c.windows, c.groups, c.added);
            const Data found =
                evaluate_one({x, w, bias}, [&](OperatorBuilder& ops, const Indices& in) {
                    ConvolutionOptions options;
                    options.groups = c.groups;
                    options.output_padding = c.added;
                    const TensorIndex weights = compose::arranged_weights(
                        ops, is_constant ? constant(ops, w) : in[1],
                        compose::transposed_weights_layout(c.weights, c.groups));
                    return compose::transposed_convolution(ops, in[0], weights, in[2], c.windows,
                                                           options);
                });
            check_array(found, wanted);
        }
    }
}

TEST_CASE("an integer transposed convolution adds zero points between elements",
          "[compose][windows]") {
    for (const std::int64_t groups : {1, 2}) {
        const Windows windows{{3, 2, 1, 1, 1}, {2, 2, 1, 0, 0}};
        const Shape shape{4, 3, 3, 2};
        const Data x = random_integers({1, 3, 4, 4}, -128, 127, DType::kI8);
        const Data w = random_integers(shape, -127, 127, DType::kI8);
        const Array wanted =
            transposed(Array(x), Array(w), Array(Shape{3 * groups}), windows, groups, {1, 0}, 5);
        const Data found = evaluate_one({x, w}, [&](OperatorBuilder& ops, const Indices& in) {
            ConvolutionOptions options;
            options.groups = groups;
            options.input_zero_point = 5;
            options.output_padding = {1, 0};
            return compose::transposed_convolution(
                ops, in[0],
                compose::arranged_weights(ops, in[1],
                                          compose::transposed_weights_layout(shape, groups)),
                {}, windows, options);
        });
        check_array(found, wanted, 0);
    }
}

TEST_CASE("SAME padding puts the odd element on the named side", "[compose][windows]") {
    // Output ceil(6 / 4) = 2; windows reach (2 - 1) * 4 + 5 = 9, so 3 elements are missing.
    const compose::WindowAxis axis{5, 4, 1, 0, 0};
    const auto upper = compose::same_padded(axis, 6, OddPadding::kAfter);
    const auto lower = compose::same_padded(axis, 6, OddPadding::kBefore);
    CHECK((upper.before == 1 && upper.after == 2));
    CHECK((lower.before == 2 && lower.after == 1));
    // A kernel of 1 with stride 3 needs no padding: ceil(7 / 3) = 3 windows reach 7 elements.
    CHECK(compose::same_padded({1, 3, 1, 0, 0}, 7, OddPadding::kAfter).after == 0);
    // ConvTranspose: (3 - 1) * 2 + 4 + 1 = 9 elements for 6, so 3 are cropped.
    const auto cropped = compose::transposed_padding({4, 2, 1, 0, 0}, 3, 6, 1, OddPadding::kAfter);
    CHECK((cropped.before == 1 && cropped.after == 2));
    const auto grown = compose::transposed_padding({1, 2, 1, 0, 0}, 3, 6, 0, OddPadding::kAfter);
    CHECK((grown.before == 0 && grown.after == -1));
}

namespace {

struct PoolCase {
    Shape maps;
    Windows windows;
    bool ceil_mode = false;
};

const std::vector<PoolCase> kPools{
    {{2, 8, 3}, {{3, 2, 1, 1, 1}}},
    {{1, 9, 2}, {{2, 3, 1, 0, 0}}, true},
    {{1, 9, 2}, {{3, 2, 2, 1, 2}}},
    {{1, 7, 8, 3}, {{3, 2, 1, 1, 1}, {2, 2, 1, 0, 0}}},
    {{2, 6, 7, 2}, {{3, 2, 1, 0, 1}, {3, 3, 1, 1, 0}}, true},
    {{1, 8, 8, 2}, {{2, 1, 3, 1, 1}, {3, 2, 1, 0, 0}}},
    {{1, 7, 9, 1}, {{3, 2, 2, 2, 2}, {2, 3, 2, 0, 1}}, true},
    {{1, 5, 5, 2}, {{2, 3, 1, 1, 1}, {2, 3, 1, 1, 1}}, true},
    {{1, 5, 6, 7, 2}, {{2, 2, 1, 0, 1}, {3, 1, 1, 1, 1}, {2, 3, 1, 0, 0}}},
    {{1, 5, 6, 7, 2}, {{2, 2, 2, 0, 0}, {3, 2, 1, 1, 1}, {3, 2, 1, 1, 0}}, true},
};

/// Reduces each window; visit(sum, value) gets the elements in the feature map.
template <typename Visit, typename Finish>
Array pooled(const Array& x, const PoolCase& c, double start, const Visit& visit,
             const Finish& finish) {
    const Shape spatial = spatial_of(x.shape);
    const Shape counts = counts_of(spatial, c.windows, c.ceil_mode);
    return array_of(shape_of({x.shape[0]}, counts, {x.shape.back()}), [&](const Shape& at) {
        double sum = start, in_image = 0, in_padding = 0;
        for_each(kernel_of(c.windows), [&](const Shape& tap) {
            const Shape place = tap_of(spatial_of(at), tap, c.windows);
            const Shape from = shape_of({at[0]}, place, {at.back()});
            bool is_padding = true;
            for (std::size_t i = 0; i < place.size(); ++i) {
                is_padding = is_padding && place[i] >= -c.windows[i].before &&
                             place[i] < spatial[i] + c.windows[i].after;
            }
            in_padding += is_padding ? 1 : 0;
            if (!x.contains(from)) return;
            in_image += 1;
            sum = visit(sum, x[from]);
        });
        return finish(sum, in_image, in_padding);
    });
}

double same(double sum, double, double) { return sum; }

}  // namespace

TEST_CASE("maxima of windows equal the definition", "[compose][windows]") {
    for (const PoolCase& c : kPools) {
        for (const DType type : {DType::kFp32, DType::kI8}) {
            INFO(sim::graph::shape_text(c.maps));
            const Data x = type == DType::kI8 ? random_integers(c.maps, -128, 127, type)
                                              : random_reals(c.maps);
            const double least = type == DType::kI8 ? -128 : -kInfinity;
            const Array wanted = pooled(
                Array(x), c, least, [](double a, double b) { return std::max(a, b); }, same);
            check_array(evaluate_one({x},
                                     [&](OperatorBuilder& ops, const Indices& in) {
                                         return compose::max_pool(ops, in[0], c.windows,
                                                                  c.ceil_mode);
                                     }),
                        wanted, 0);
        }
    }
}

TEST_CASE("means of windows divide by image, or by image and padding", "[compose][windows]") {
    for (const PoolCase& c : kPools) {
        for (const bool with_pad : {false, true}) {
            INFO(sim::graph::shape_text(c.maps) << " " << with_pad);
            const Data x = random_reals(c.maps);
            const Array wanted = pooled(Array(x), c, 0, std::plus<double>(),
                                        [&](double sum, double image, double padded) {
                                            return sum / (with_pad ? padded : image);
                                        });
            check_array(evaluate_one({x},
                                     [&](OperatorBuilder& ops, const Indices& in) {
                                         return compose::average_pool(ops, in[0], c.windows,
                                                                      {c.ceil_mode, with_pad});
                                     }),
                        wanted);
        }
    }
}

TEST_CASE("norms of windows equal the definition", "[compose][windows]") {
    for (const PoolCase& c : kPools) {
        for (const double p : {1.0, 2.0, 3.0}) {
            const Data x = random_reals(c.maps);
            const Array wanted = pooled(
                Array(x), c, 0, [&](double a, double b) { return a + std::pow(std::abs(b), p); },
                [&](double sum, double, double) { return std::pow(sum, 1 / p); });
            check_array(evaluate_one({x},
                                     [&](OperatorBuilder& ops, const Indices& in) {
                                         return compose::lp_pool(ops, in[0], c.windows, p,
                                                                 c.ceil_mode);
                                     }),
                        wanted);
        }
    }
}

TEST_CASE("global pools reduce all directions", "[compose][windows]") {
    for (const Shape& maps : {Shape{2, 7, 3}, Shape{1, 4, 5, 3}, Shape{2, 3, 2, 4, 2}}) {
        const Data data = random_reals(maps);
        const Array x(data);
        const double count =
            static_cast<double>(x.values.size()) / static_cast<double>(maps.front() * maps.back());
        Array greatest(shape_of({maps.front()}, Shape(maps.size() - 2, 1), {maps.back()}),
                       -kInfinity);
        Array mean(greatest.shape), norm(greatest.shape);
        for_each(maps, [&](const Shape& at) {
            const Shape to = shape_of({at.front()}, Shape(maps.size() - 2, 0), {at.back()});
            greatest[to] = std::max(greatest[to], x[at]);
            mean[to] += x[at] / count;
            norm[to] += x[at] * x[at];
        });
        for (double& value : norm.values) value = std::sqrt(value);
        const auto all = evaluate({data}, [&](OperatorBuilder& ops, const Indices& in) {
            return Indices{compose::global_max_pool(ops, in[0]),
                           compose::global_average_pool(ops, in[0]),
                           compose::global_lp_pool(ops, in[0], 2)};
        });
        check_array(all[0], greatest, 0);
        check_array(all[1], mean);
        check_array(all[2], norm);
    }
}

TEST_CASE("maxima have indices in the order of the file", "[compose][windows]") {
    for (const PoolCase& c : kPools) {
        for (const bool column_major : {false, true}) {
            INFO(sim::graph::shape_text(c.maps) << " " << column_major);
            // Few values, so that windows have several equal maxima; the first one counts.
            const Data data = random_integers(c.maps, 0, 5, DType::kFp32);
            const Array x(data);
            const Shape spatial = spatial_of(c.maps);
            const Shape counts = counts_of(spatial, c.windows, c.ceil_mode);
            Array maxima(shape_of({c.maps[0]}, counts, {c.maps.back()}), -kInfinity);
            Array indices(maxima.shape);
            for_each(maxima.shape, [&](const Shape& at) {
                for_each(kernel_of(c.windows), [&](const Shape& tap) {
                    const Shape place = tap_of(spatial_of(at), tap, c.windows);
                    const Shape from = shape_of({at[0]}, place, {at.back()});
                    if (!x.contains(from) || x[from] <= maxima[at]) return;
                    maxima[at] = x[from];
                    std::int64_t flat = 0;
                    for (std::size_t i = 0; i < place.size(); ++i) {
                        const std::size_t axis = column_major ? place.size() - 1 - i : i;
                        flat = flat * spatial[axis] + place[axis];
                    }
                    indices[at] = static_cast<double>(
                        (at[0] * c.maps.back() + at.back()) * compose::extent(spatial) + flat);
                });
            });
            const auto all = evaluate({data}, [&](OperatorBuilder& ops, const Indices& in) {
                const auto found = compose::max_pool_with_indices(ops, in[0], c.windows,
                                                                  c.ceil_mode, column_major);
                return Indices{found.maxima, found.indices};
            });
            check_array(all[0], maxima, 0);
            check_array(all[1], indices, 0);
        }
    }
}

TEST_CASE("an unpool puts maxima where they were", "[compose][windows]") {
    const Data data = random_reals({2, 4, 6, 3});
    const Array x(data);
    const Windows windows{{2, 2, 1, 0, 0}, {3, 3, 1, 0, 0}};
    Array wanted(x.shape);
    for_each({2, 2, 2, 3}, [&](const Shape& at) {
        Shape best;
        for_each({2, 3}, [&](const Shape& tap) {
            const Shape from{at[0], 2 * at[1] + tap[0], 3 * at[2] + tap[1], at[3]};
            if (best.empty() || x[from] > x[best]) best = from;
        });
        wanted[best] = x[best];
    });
    check_array(
        evaluate_one({data},
                     [&](OperatorBuilder& ops, const Indices& in) {
                         const auto found = compose::max_pool_with_indices(ops, in[0], windows);
                         return compose::max_unpool(ops, found.maxima, found.indices, {2, 4, 6, 3});
                     }),
        wanted, 0);
}

}  // namespace okksim::tests
