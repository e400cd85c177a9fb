// SPDX-License-Identifier: Apache-2.0
// Attention and rotary embedding of sim/graph/compose against loops in double precision.
#include <cmath>
#include <limits>

#include "sim/graph/compose/attention.h"
#include "tests/sim/graph/compose_support.h"
#include "tests/support/catch.h"

namespace okksim::tests {

namespace {

namespace compose = sim::graph::compose;

constexpr std::int64_t kImages = 2, kHeads = 4, kKeyHeads = 2, kQueries = 3, kKeys = 5, kDepth = 4,
                       kWidth = 6;
constexpr double kInf = std::numeric_limits<double>::infinity();

struct Operands {
    Data q = random_reals({kImages, kHeads, kQueries, kDepth}, 2);
    Data k = random_reals({kImages, kKeyHeads, kKeys, kDepth}, 2);
    Data v = random_reals({kImages, kKeyHeads, kKeys, kWidth}, 2);
};

double at(const Data& data, std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
    const Shape& s = data.shape;
    return data.values[static_cast<std::size_t>(((a * s[1] + b) * s[2] + c) * s[3] + d)];
}

/// `finish(b, h, i, j, score)` applies masks and softcap to the scaled score.
template <typename Finish>
std::vector<double> expected(const Operands& x, double scale, const Finish& finish) {
    std::vector<double> results;
    for (std::int64_t b = 0; b < kImages; ++b) {
        for (std::int64_t h = 0; h < kHeads; ++h) {
            const std::int64_t shared = h / (kHeads / kKeyHeads);
            for (std::int64_t i = 0; i < kQueries; ++i) {
                std::vector<double> powers;
                double total = 0;
                for (std::int64_t j = 0; j < kKeys; ++j) {
                    double score = 0;
                    for (std::int64_t d = 0; d < kDepth; ++d) {
                        score += at(x.q, b, h, i, d) * at(x.k, b, shared, j, d);
                    }
                    powers.push_back(std::exp(finish(b, h, i, j, score * scale)));
                    total += powers.back();
                }
                for (std::int64_t d = 0; d < kWidth; ++d) {
                    double sum = 0;
                    for (std::int64_t j = 0; j < kKeys; ++j) {
                        sum += powers[static_cast<std::size_t>(j)] * at(x.v, b, shared, j, d);
                    }
                    results.push_back(sum / total);
                }
            }
        }
    }
    return results;
}

using Prepare = std::function<void(compose::AttentionOptions&, const Indices&)>;

Data attention(const Operands& x, const std::vector<Data>& masks, const Prepare& prepare) {
    std::vector<Data> inputs{x.q, x.k, x.v};
    inputs.insert(inputs.end(), masks.begin(), masks.end());
    return evaluate_one(inputs, [&](auto& ops, const Indices& operands) {
        compose::AttentionOptions options;
        prepare(options, operands);
        return compose::attention(ops, operands[0], operands[1], operands[2], options).result;
    });
}

}  // namespace

TEST_CASE("composed attention with shared keys, causal and windowed") {
    const Operands x;
    using Options = compose::AttentionOptions;
    const auto same = [](auto, auto, auto, auto, double score) { return score; };
    check_close(attention(x, {}, [](Options&, const Indices&) {}), expected(x, 0.5, same));
    CHECK(last_operator_count() == 13);  // 2 products, transpose, scale, softmax, 4 reshapes
    check_close(attention(x, {}, [](Options& o, const Indices&) { o.scale = 0.3; }),
                expected(x, 0.3, same));
    const auto causal = [](auto, auto, auto i, auto j, double score) {
        return j > i + 2 ? -kInf : score;
    };
    check_close(attention(x, {},
                          [](Options& o, const Indices&) {
                              o.is_causal = true;
                              o.past = 2;
                          }),
                expected(x, 0.5, causal));
    const auto window = [](auto, auto, auto i, auto j, double score) {
        return j > i + 2 || j <= i ? -kInf : score;
    };
    check_close(attention(x, {},
                          [](Options& o, const Indices&) {
                              o.is_causal = true;
                              o.past = 2;
                              o.left_window = 2;
                          }),
                expected(x, 0.5, window));
    const auto both_sides = [](auto, auto, auto i, auto j, double score) {
        return j > i + 1 || j < i ? -kInf : score;
    };
    check_close(attention(x, {},
                          [](Options& o, const Indices&) {
                              o.left_window = 1;
                              o.right_window = 1;
                          }),
                expected(x, 0.5, both_sides));
}

TEST_CASE("composed attention with masks of run time and softcap") {
    const Operands x;
    using Options = compose::AttentionOptions;
    const Data added = random_reals({kImages, 1, kQueries, kKeys}, 3);
    const auto add = [&](auto b, auto, auto i, auto j, double score) {
        return score + at(added, b, 0, i, j);
    };
    check_close(attention(x, {added}, [](Options& o, const Indices& v) { o.mask = v[3]; }),
                expected(x, 0.5, add));
    const auto cap = [](double score) { return 2 * std::tanh(score / 2); };
    for (const bool before : {false, true}) {
        check_close(attention(x, {added},
                              [&](Options& o, const Indices& v) {
                                  o.mask = v[3];
                                  o.softcap = 2;
                                  o.is_mask_before_softcap = before;
                              }),
                    expected(x, 0.5, [&](auto b, auto, auto i, auto j, double score) {
                        const double mask = at(added, b, 0, i, j);
                        return before ? cap(score + mask) : cap(score) + mask;
                    }));
    }
    Data seen = random_integers({kQueries, kKeys}, 0, 1, DType::kBool);
    for (std::size_t i = 0; i < kQueries; ++i) seen.values[i * kKeys] = 1;
    const Data lengths{DType::kI32, {kImages}, {3, 4}};
    check_close(attention(x, {seen, lengths},
                          [](Options& o, const Indices& v) {
                              o.mask = v[3];
                              o.key_lengths = v[4];
                              o.is_causal = true;
                              o.past = 1;
                          }),
                expected(x, 0.5, [&](auto b, auto, auto i, auto j, double score) {
                    const bool is_seen =
                        seen.values[static_cast<std::size_t>(i * kKeys + j)] != 0 && j <= i + 1 &&
                        j < (b == 0 ? 3 : 4);
                    return is_seen ? score : -kInf;
                }));
}

TEST_CASE("composed attention without visible keys gives means, and stages on request") {
    const Operands x;
    using Options = compose::AttentionOptions;
    const Data seen{DType::kBool, {kKeys}, {0, 0, 0, 0, 0}};
    check_close(attention(x, {seen}, [](Options& o, const Indices& v) { o.mask = v[3]; }),
                expected(x, 0.5, [](auto, auto, auto, auto, double) { return 0.0; }));
    const auto results = evaluate({x.q, x.k, x.v}, [](auto& ops, const Indices& v) {
        Options options;
        options.stage = compose::AttentionStage::kWeights;
        const auto all = compose::attention(ops, v[0], v[1], v[2], options);
        return Indices{all.result, *all.stage};
    });
    CHECK(results[1].shape == Shape{kImages, kHeads, kQueries, kKeys});
    double sum = 0;
    for (const double weight : results[1].values) sum += weight;
    CHECK(sum == Approx(static_cast<double>(kImages * kHeads * kQueries)));
}

TEST_CASE("composed attention of half precision") {
    Operands x;
    for (Data* data : {&x.q, &x.k, &x.v}) *data = random_reals(data->shape, 1, DType::kFp16);
    const Data result = attention(x, {}, [](auto&, const Indices&) {});
    CHECK(result.type == DType::kFp16);
    const auto same = [](auto, auto, auto, auto, double score) { return score; };
    check_close(result, expected(x, 0.5, same), 2e-3, 1e-3);
}

TEST_CASE("composed heads are split and joined") {
    const Data x = random_reals({kImages, kQueries, kHeads * kDepth});
    const auto results = evaluate({x}, [](auto& ops, const Indices& v) {
        const TensorIndex heads = compose::split_heads(ops, v[0], kHeads);
        return Indices{heads, compose::join_heads(ops, heads)};
    });
    CHECK(results[0].shape == Shape{kImages, kHeads, kQueries, kDepth});
    CHECK(at(results[0], 1, 2, 1, 3) ==
          x.values[static_cast<std::size_t>((kQueries + 1) * kHeads * kDepth + 2 * kDepth + 3)]);
    check_equal(results[1], x.values);
}

TEST_CASE("composed rotary embedding") {
    constexpr std::int64_t kSize = 8, kPositions = 7;
    const Data x = random_reals({2, 3, 2, kSize});
    const Data turns{DType::kI32, {2, 2}, {1, 2, 5, 6}};
    for (const bool interleaved : {false, true}) {
        for (const std::int64_t rotated : {std::int64_t{8}, std::int64_t{4}}) {
            const std::int64_t pairs = rotated / 2;
            const Data cosines = random_reals({kPositions, pairs}),
                       sines = random_reals({kPositions, pairs});
            std::vector<double> wanted = x.values, constant_positions = x.values;
            for (std::size_t line = 0; line < 12; ++line) {
                const std::size_t image = line / 6, step = line % 2;
                for (std::int64_t i = 0; i < pairs; ++i) {
                    const auto first =
                        line * kSize + static_cast<std::size_t>(interleaved ? 2 * i : i);
                    const auto second = first + static_cast<std::size_t>(interleaved ? 1 : pairs);
                    const auto turn = [&](double position, std::vector<double>& to) {
                        const auto angle =
                            static_cast<std::size_t>(position) * static_cast<std::size_t>(pairs) +
                            static_cast<std::size_t>(i);
                        const double c = cosines.values[angle], s = sines.values[angle];
                        to[first] = x.values[first] * c - x.values[second] * s;
                        to[second] = x.values[first] * s + x.values[second] * c;
                    };
                    turn(turns.values[image * 2 + step], wanted);
                    turn(3.0 + static_cast<double>(step), constant_positions);
                }
            }
            const compose::RotaryOptions options{interleaved, rotated};
            check_close(evaluate_one({x, cosines, sines, turns},
                                     [&](auto& ops, const Indices& v) {
                                         return compose::rotary_embedding(
                                             ops, v[0], compose::rotary_rows(ops, v[1], v[3]),
                                             compose::rotary_rows(ops, v[2], v[3]), options);
                                     }),
                        wanted);
            check_close(evaluate_one({x, cosines, sines},
                                     [&](auto& ops, const Indices& v) {
                                         return compose::rotary_embedding(
                                             ops, v[0], compose::rotary_rows(ops, v[1], 3, 2),
                                             compose::rotary_rows(ops, v[2], 3, 2), options);
                                     }),
                        constant_positions);
        }
    }
}

}  // namespace okksim::tests
