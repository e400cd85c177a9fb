// SPDX-License-Identifier: Apache-2.0
// Reductions and normalisations of sim/graph/compose against loops in double precision.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "sim/graph/compose/normalisation.h"
#include "sim/graph/compose/reductions.h"
#include "tests/reference/tosa/value.h"
#include "tests/sim/graph/compose_support.h"
#include "tests/support/catch.h"

namespace okksim::tests {

namespace {

namespace compose = sim::graph::compose;
using compose::Reduction;
using Axes = std::vector<std::size_t>;

constexpr double kInf = std::numeric_limits<double>::infinity();

bool contains(const Axes& axes, std::size_t axis) {
    return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

/// The positions of x that belong to each result of a reduction, and the result of each position.
struct Groups {
    std::vector<std::vector<std::size_t>> members;
    std::vector<std::size_t> of;
};
Groups groups_of(const Shape& shape, const Axes& axes) {
    Groups groups;
    reference::for_each_position(shape, [&](const Shape& index, std::int64_t flat) {
        std::size_t group = 0;
        for (std::size_t i = 0; i < shape.size(); ++i) {
            if (contains(axes, i)) continue;
            group = group * static_cast<std::size_t>(shape[i]) + static_cast<std::size_t>(index[i]);
        }
        groups.of.push_back(group);
        groups.members.resize(std::max(groups.members.size(), group + 1));
        groups.members[group].push_back(static_cast<std::size_t>(flat));
    });
    return groups;
}

std::vector<double> picked(const Data& x, const std::vector<std::size_t>& members) {
    std::vector<double> values;
    for (const std::size_t at : members) values.push_back(x.values[at]);
    return values;
}

double sum_of(const std::vector<double>& values, const std::function<double(double)>& f) {
    double sum = 0;
    for (const double x : values) sum += f(x);
    return sum;
}

double reduced(Reduction kind, const std::vector<double>& values) {
    const auto self = [](double x) { return x; };
    const auto square = [](double x) { return x * x; };
    switch (kind) {
        case Reduction::kSum: return sum_of(values, self);
        case Reduction::kMean: return sum_of(values, self) / static_cast<double>(values.size());
        case Reduction::kMax:
        case Reduction::kAny: return *std::max_element(values.begin(), values.end());
        case Reduction::kMin:
        case Reduction::kAll: return *std::min_element(values.begin(), values.end());
        case Reduction::kProduct:
            return std::accumulate(values.begin(), values.end(), 1.0, std::multiplies<>());
        case Reduction::kL1: return sum_of(values, [](double x) { return std::abs(x); });
        case Reduction::kL2: return std::sqrt(sum_of(values, square));
        case Reduction::kLogSum: return std::log(sum_of(values, self));
        case Reduction::kLogSumExp:
            return std::log(sum_of(values, [](double x) { return std::exp(x); }));
        case Reduction::kSumSquare: return sum_of(values, square);
    }
    return 0;
}

std::vector<double> reduced_all(Reduction kind, const Data& x, const Axes& axes) {
    std::vector<double> results;
    for (const auto& members : groups_of(x.shape, axes).members) {
        results.push_back(reduced(kind, picked(x, members)));
    }
    return results;
}

Data reduce(Reduction kind, const Data& x, const Axes& axes, bool keep_dims) {
    return evaluate_one({x}, [&](auto& ops, const Indices& v) {
        return compose::reduce(ops, kind, v[0], axes, keep_dims);
    });
}

constexpr Reduction kArithmetic[] = {
    Reduction::kSum,       Reduction::kMean,     Reduction::kMax, Reduction::kMin,
    Reduction::kProduct,   Reduction::kL1,       Reduction::kL2,  Reduction::kLogSum,
    Reduction::kLogSumExp, Reduction::kSumSquare};

}  // namespace

TEST_CASE("composed reductions of floating-point values") {
    Data x = random_reals({2, 3, 4, 5});
    for (double& v : x.values) v = static_cast<double>(static_cast<float>(v + 1.5));
    for (const Reduction kind : kArithmetic) {
        for (const Axes& axes : {Axes{3}, Axes{1, 2}, Axes{0, 2, 3}, Axes{0, 1, 2, 3}, Axes{}}) {
            INFO("reduction " << static_cast<int>(kind) << " of " << axes.size() << " axes");
            const Data kept = reduce(kind, x, axes, true);
            CHECK(kept.shape.size() == 4);
            check_close(kept, reduced_all(kind, x, axes));
            const Data dropped = reduce(kind, x, axes, false);
            CHECK(dropped.shape.size() == 4 - axes.size());
            check_equal(dropped, kept.values);
        }
    }
    const Data half = random_reals({3, 40}, 1, DType::kFp16);
    const Data sum = reduce(Reduction::kSum, half, {1}, false);
    CHECK(sum.type == DType::kFp16);
    check_close(sum, reduced_all(Reduction::kSum, half, {1}), 0x1.1p-11, 1e-7);
}

TEST_CASE("composed log-sum-exp of large and infinite values") {
    const Data x{DType::kFp32, {4, 2}, {1000, 999, -1000, -1001, -kInf, -kInf, kInf, 0}};
    check_close(reduce(Reduction::kLogSumExp, x, {1}, false),
                {1000 + std::log1p(std::exp(-1)), -1000 + std::log1p(std::exp(-1)), -kInf, kInf});
}

TEST_CASE("composed reductions of integers and truth values") {
    const Data x = random_integers({3, 5, 2}, -4, 9);
    for (const Reduction kind :
         {Reduction::kSum, Reduction::kMean, Reduction::kMax, Reduction::kMin, Reduction::kL1,
          Reduction::kProduct, Reduction::kSumSquare, Reduction::kL2}) {
        INFO("reduction " << static_cast<int>(kind));
        std::vector<double> wanted = reduced_all(kind, x, {1});
        for (double& v : wanted) v = std::trunc(v);
        check_equal(reduce(kind, x, {1}, false), wanted);
    }
    const Data bytes = random_integers({2, 6}, -128, 127, DType::kI8);
    check_equal(reduce(Reduction::kMax, bytes, {1}, true),
                reduced_all(Reduction::kMax, bytes, {1}));
    const Data truth = random_integers({8, 2}, 0, 1, DType::kBool);
    for (const Reduction kind : {Reduction::kAll, Reduction::kAny, Reduction::kMax}) {
        const Data result = reduce(kind, truth, {1}, true);
        CHECK(result.type == DType::kBool);
        check_equal(result, reduced_all(kind, truth, {1}));
    }
}

TEST_CASE("composed global pools") {
    const Data maps = random_reals({2, 3, 5, 4});
    check_close(reduce(Reduction::kMean, maps, {1, 2}, true),
                reduced_all(Reduction::kMean, maps, {1, 2}));
    CHECK(last_operator_count() == 1);
    check_equal(reduce(Reduction::kMax, maps, {1, 2}, true),
                reduced_all(Reduction::kMax, maps, {1, 2}));
    CHECK(last_operator_count() == 1);
}

TEST_CASE("composed positions of extrema") {
    for (const DType type : {DType::kI32, DType::kI8, DType::kFp32}) {
        const Data x = random_integers({3, 9, 4}, -2, 2, type);  // with ties
        for (const bool is_max : {true, false}) {
            for (const bool is_last : {true, false}) {
                std::vector<double> wanted;
                for (const auto& members : groups_of(x.shape, {1}).members) {
                    std::vector<double> values = picked(x, members);
                    if (!is_max)
                        std::for_each(values.begin(), values.end(), [](auto& v) { v = -v; });
                    auto best = std::max_element(values.begin(), values.end());
                    if (is_last) {
                        best = std::max_element(values.rbegin(), values.rend()).base() - 1;
                    }
                    wanted.push_back(static_cast<double>(best - values.begin()));
                }
                const Data result = evaluate_one({x}, [&](auto& ops, const Indices& v) {
                    return is_max ? compose::arg_max(ops, v[0], 1, false, is_last)
                                  : compose::arg_min(ops, v[0], 1, false, is_last);
                });
                CHECK(result.shape == Shape{3, 4});
                check_equal(result, wanted);
            }
        }
    }
    // -128 is the least number, although its negative is not a number of 8 bits.
    const Data bytes{DType::kI8, {1, 3}, {-127, -128, 5}};
    check_equal(evaluate_one({bytes},
                             [](auto& ops, const Indices& v) {
                                 return compose::arg_min(ops, v[0], 1, true);
                             }),
                {1});
}

TEST_CASE("composed cumulative sums") {
    const std::vector<Data> all{random_reals({2, 7, 3}), random_integers({2, 7, 3}, -9, 9),
                                random_reals({2, 600}), random_reals({3, 1}),
                                random_integers({4, 1}, 1, 9, DType::kI8)};
    for (const Data& x : all) {
        for (const int flags : {0, 1, 2, 3}) {
            const bool exclusive = (flags & 1) != 0, reverse = (flags & 2) != 0;
            INFO("shape " << sim::graph::shape_text(x.shape) << " flags " << flags);
            std::vector<double> wanted(x.values.size());
            for (const auto& members : groups_of(x.shape, {1}).members) {
                double sum = 0;
                for (std::size_t i = 0; i < members.size(); ++i) {
                    const std::size_t at = members[reverse ? members.size() - 1 - i : i];
                    if (exclusive) wanted[at] = sum;
                    sum += x.values[at];
                    if (!exclusive) wanted[at] = sum;
                }
            }
            check_close(evaluate_one({x},
                                     [&](auto& ops, const Indices& v) {
                                         return compose::cumulative_sum(ops, v[0], 1, exclusive,
                                                                        reverse);
                                     }),
                        wanted, 1e-5, 1e-5);
        }
    }
}

TEST_CASE("composed softmax and its relatives") {
    Data x = random_reals({3, 4, 5}, 6);
    x.values[7] = 200;  // the largest value prevents an overflow
    for (const Axes& axes : {Axes{2}, Axes{1}, Axes{1, 2}, Axes{0, 2}}) {
        const Groups groups = groups_of(x.shape, axes);
        std::vector<double> share, logarithm;
        for (std::size_t i = 0; i < x.values.size(); ++i) {
            const double total =
                reduced(Reduction::kLogSumExp, picked(x, groups.members[groups.of[i]]));
            logarithm.push_back(x.values[i] - total);
            share.push_back(std::exp(logarithm.back()));
        }
        check_close(
            evaluate_one({x}, [&](auto& ops,
                                  const Indices& v) { return compose::softmax(ops, v[0], axes); }),
            share, 1e-5, 1e-37);
        check_close(evaluate_one({x},
                                 [&](auto& ops, const Indices& v) {
                                     return compose::log_softmax(ops, v[0], axes);
                                 }),
                    logarithm);
    }
    const Data ties{DType::kFp32, {2, 3}, {1, 3, 3, -1, -2, -1}};
    check_equal(
        evaluate_one({ties},
                     [](auto& ops, const Indices& v) { return compose::hardmax(ops, v[0], 1); }),
        {0, 1, 0, 1, 0, 0});
}

namespace {

/// (x - mean) / sqrt(variance + epsilon) over groups of elements.
std::vector<double> normalised(const Data& x, const Groups& groups, double epsilon, bool centred) {
    std::vector<double> results;
    for (std::size_t i = 0; i < x.values.size(); ++i) {
        const std::vector<double> values = picked(x, groups.members[groups.of[i]]);
        const double mean = centred ? reduced(Reduction::kMean, values) : 0;
        const double variance = sum_of(values, [&](double v) { return (v - mean) * (v - mean); }) /
                                static_cast<double>(values.size());
        results.push_back((x.values[i] - mean) / std::sqrt(variance + epsilon));
    }
    return results;
}

void scale_last(std::vector<double>& values, const Data& scale, const Data& bias) {
    const std::size_t channels = scale.values.size();
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = values[i] * scale.values[i % channels] + bias.values[i % channels];
    }
}

}  // namespace

TEST_CASE("composed layer and root-mean-square normalisation") {
    const Data x = random_reals({2, 3, 8}, 3), scale = random_reals({8}), bias = random_reals({8});
    const Data none{DType::kFp32, {8}, std::vector<double>(8, 0)};
    for (const Axes& axes : {Axes{2}, Axes{1, 2}}) {
        const Groups groups = groups_of(x.shape, axes);
        std::vector<double> wanted = normalised(x, groups, 1e-5, true);
        scale_last(wanted, scale, bias);
        const auto results = evaluate({x, scale, bias}, [&](auto& ops, const Indices& v) {
            const auto all = compose::layer_norm(ops, v[0], axes, 1e-5, v[1], v[2], true);
            return Indices{all.result, all.mean, all.inverse_deviation};
        });
        check_close(results[0], wanted, 1e-5, 1e-6);
        check_close(results[1], reduced_all(Reduction::kMean, x, axes), 1e-5, 1e-6);
        CHECK(results[2].shape == (axes.size() == 1 ? Shape{2, 3, 1} : Shape{2, 1, 1}));
        wanted = normalised(x, groups, 1e-6, false);
        scale_last(wanted, scale, none);
        check_close(evaluate_one({x, scale},
                                 [&](auto& ops, const Indices& v) {
                                     return compose::rms_norm(ops, v[0], axes, 1e-6, v[1]).result;
                                 }),
                    wanted);
    }
    evaluate_one({x}, [](auto& ops, const Indices& v) {
        return compose::layer_norm(ops, v[0], {2}, 1e-5, {}, {}).result;
    });
    CHECK(last_operator_count() == 9);  // as the planner fuses them: sums, means, squares, root
}

TEST_CASE("composed group and instance normalisation") {
    const Data x = random_reals({2, 3, 3, 6}, 3), scale = random_reals({6}),
               bias = random_reals({6});
    for (const std::int64_t groups : {1, 2, 3, 6}) {
        INFO(groups << " groups");
        const Data split{x.type, {2, 9, groups, 6 / groups}, x.values};
        std::vector<double> wanted = normalised(x, groups_of(split.shape, {1, 3}), 1e-5, true);
        std::vector<double> per_group = wanted;
        scale_last(wanted, scale, bias);
        check_close(evaluate_one({x, scale, bias},
                                 [&](auto& ops, const Indices& v) {
                                     return compose::group_norm(ops, v[0], groups, 1e-5, v[1],
                                                                v[2]);
                                 }),
                    wanted, 1e-5, 1e-5);
        if (groups == 6) continue;
        const Data factors = random_reals({groups});
        for (std::size_t i = 0; i < per_group.size(); ++i) {
            per_group[i] *= factors.values[i % 6 * static_cast<std::size_t>(groups) / 6];
        }
        check_close(evaluate_one({x, factors},
                                 [&](auto& ops, const Indices& v) {
                                     return compose::group_norm(ops, v[0], groups, 1e-5, v[1], {});
                                 }),
                    per_group, 1e-5, 1e-5);
    }
    std::vector<double> wanted = normalised(x, groups_of(x.shape, {0, 1, 2}), 0, true);
    check_close(evaluate_one({x},
                             [](auto& ops, const Indices& v) {
                                 return compose::mean_variance_normalisation(ops, v[0], {0, 1, 2});
                             }),
                wanted, 1e-5, 1e-5);
}

TEST_CASE("composed normalisations by norms and neighbours") {
    Data x = random_reals({2, 3, 7}, 2);
    std::fill_n(x.values.begin(), 7, 0.0);  // a norm of zero
    for (const int p : {1, 2}) {
        const Groups groups = groups_of(x.shape, {2});
        std::vector<double> wanted;
        for (std::size_t i = 0; i < x.values.size(); ++i) {
            const double norm = reduced(p == 1 ? Reduction::kL1 : Reduction::kL2,
                                        picked(x, groups.members[groups.of[i]]));
            wanted.push_back(norm == 0 ? 0 : x.values[i] / norm);
        }
        check_close(evaluate_one({x},
                                 [&](auto& ops, const Indices& v) {
                                     return compose::lp_normalisation(ops, v[0], p, 2);
                                 }),
                    wanted);
    }
    for (const std::size_t axis : {std::size_t{1}, std::size_t{2}}) {
        for (const std::int64_t size : {3, 4}) {  // (size - 1) / 2 neighbours before
            const Groups groups = groups_of(x.shape, {axis});
            std::vector<double> wanted(x.values.size());
            for (const auto& members : groups.members) {
                for (std::int64_t c = 0; c < std::ssize(members); ++c) {
                    double sum = 0;
                    for (std::int64_t n = c - (size - 1) / 2; n <= c + size / 2; ++n) {
                        if (n < 0 || n >= std::ssize(members)) continue;
                        const double v = x.values[members[static_cast<std::size_t>(n)]];
                        sum += v * v;
                    }
                    const std::size_t at = members[static_cast<std::size_t>(c)];
                    wanted[at] = x.values[at] / std::pow(1.5 + 0.3 * sum, 0.75);
                }
            }
            check_close(evaluate_one({x},
                                     [&](auto& ops, const Indices& v) {
                                         return compose::local_response_normalisation(
                                             ops, v[0], size, 0.3, 0.75, 1.5, axis);
                                     }),
                        wanted);
        }
    }
}

TEST_CASE("composed batch normalisation") {
    const Data x = random_reals({2, 4, 3}, 3);
    const std::vector<double> scale{1, 2, -1, 0.5}, bias{0, 1, 2, 3}, mean{0.5, -1, 0, 2},
        variance{1, 4, 0.25, 9};
    std::vector<double> wanted;
    for (std::size_t i = 0; i < x.values.size(); ++i) {
        const std::size_t c = i / 3 % 4;
        wanted.push_back((x.values[i] - mean[c]) / std::sqrt(variance[c] + 1e-3) * scale[c] +
                         bias[c]);
    }
    check_close(evaluate_one({x},
                             [&](auto& ops, const Indices& v) {
                                 return compose::scale_channels(
                                     ops, v[0], 1,
                                     compose::fold_batch_norm(scale, bias, mean, variance, 1e-3));
                             }),
                wanted);
    CHECK(last_operator_count() == 2);
    check_close(
        evaluate_one({x, reals(scale), reals(bias), reals(mean), reals(variance)},
                     [](auto& ops, const Indices& v) {
                         return compose::batch_norm(ops, v[0], 1, {v[1], v[2], v[3], v[4]}, 1e-3);
                     }),
        wanted);
}

}  // namespace okksim::tests
