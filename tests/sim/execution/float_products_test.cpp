// SPDX-License-Identifier: Apache-2.0
// Attention of fp32 in one kernel, on random shapes, strides and machines, against the same
// operators with 80-bit floating point.
#include <cfloat>
#include <cmath>
#include <limits>

#include "sim/bound/reachable_bound.h"
#include "sim/graph/builder.h"
#include "sim/graph/validate/validate.h"
#include "tests/sim/execution/fp32_tensors.h"
#include "tests/support/catch.h"
#include "tests/support/group_run.h"
#include "tests/support/random_source.h"

namespace {

using namespace okksim;
using namespace okksim::sim;
using namespace okksim::tosa;
using graph::GraphBuilder;
using graph::HostTensor;
using graph::Shape;
using graph::TensorIndex;
using tests::GroupRun;
using tests::RandomSource;
using tests::run_planned;

constexpr double kUlp = 1.0 / (1 << 23);
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// Matrices of a batch, by element.
struct Matrices {
    std::int64_t rows = 1, columns = 1;
    std::vector<float> values;

    long double at(std::int64_t batch, std::int64_t row, std::int64_t column) const {
        const std::int64_t own = (batch * rows + row) * columns + column;
        return values[static_cast<std::size_t>(own)];
    }
};

/// A product, with an optional scale and mask, a softmax of its rows, and in most cases a second
/// product.
class RandomAttention {
 public:
    explicit RandomAttention(std::uint64_t seed)
        : random_(seed),
          batch_(random_.pick({1, 2, 3, 4, 6})),
          rows_(random_.pick({1, 2, 3, 8, 19, 64, 70, 130})),
          columns_(random_.pick({2, 7, 33, 64, 130})),
          terms_(random_.pick({1, 3, 4, 17, 64, 100})),
          width_(random_.pick({1, 5, 20, 64})) {}

    graph::Graph make() {
        const TensorIndex left = input(rows_, terms_, left_);
        TensorIndex value =
            product(left, right(terms_, columns_, first_), {batch_, rows_, columns_});
        if (random_.one_in(2)) split_ = random_.pick({1, 2, 3, 6});
        if (batch_ % std::max<std::int64_t>(1, split_) != 0) split_ = batch_;
        if (split_ > 0) value = reshape(value, all());
        if (random_.one_in(2)) value = scaled(value);
        if (random_.one_in(2)) value = masked(value);
        value = softmax(value);
        if (split_ > 0) value = reshape(value, {batch_, rows_, columns_});
        if (has_second_) {
            value = product(value, right(columns_, width_, second_), {batch_, rows_, width_});
        }
        builder_.output(value);
        return builder_.finish();
    }

    const std::vector<HostTensor>& inputs() const { return inputs_; }

    /// Checks that every element is within the rounding errors of the operators.
    void check(const std::vector<float>& got) const {
        const std::int64_t width = has_second_ ? width_ : columns_;
        REQUIRE(std::ssize(got) == batch_ * rows_ * width);
        for (std::int64_t b = 0; b < batch_; ++b) {
            for (std::int64_t i = 0; i < rows_; ++i) check_row(b, i, got);
        }
    }

 private:
    TensorIndex input(std::int64_t rows, std::int64_t columns, Matrices& matrices) {
        matrices.rows = rows;
        matrices.columns = columns;
        for (std::int64_t i = 0; i < batch_ * rows * columns; ++i) {
            const float size = random_.one_in(8) ? 4.0f : 1.0f;
            matrices.values.push_back(
                size * static_cast<float>(random_.between(-1 << 20, 1 << 20)) / (1 << 20));
        }
        if (random_.one_in(12)) {
            const std::int64_t at = random_.below(std::ssize(matrices.values));
            matrices.values[static_cast<std::size_t>(at)] = kNan;
        }
        const Shape shape{batch_, rows, columns};
        inputs_.push_back(tests::fp32_tensor(shape, matrices.values));
        return builder_.input(DType::kFp32, shape);
    }

    /// [batch, terms, width], either an input or its transposition.
    TensorIndex right(std::int64_t terms, std::int64_t width, Matrices& matrices) {
        if (random_.one_in(2)) return input(terms, width, matrices);
        Matrices turned;
        const TensorIndex from = input(width, terms, turned);
        matrices = {terms, width, {}};
        for (std::int64_t b = 0; b < batch_; ++b) {
            for (std::int64_t t = 0; t < terms; ++t) {
                for (std::int64_t w = 0; w < width; ++w) {
                    matrices.values.push_back(static_cast<float>(turned.at(b, w, t)));
                }
            }
        }
        return builder_.add(OpCode::kTranspose, TransposeAttributes{{0, 2, 1}}, {from},
                            DType::kFp32, {batch_, terms, width});
    }

    /// The shape of the softmax: images and heads as separate dimensions, as exporters write
    /// attention.
    Shape all() const { return space(batch_, rows_, columns_); }
    Shape space(std::int64_t batch, std::int64_t rows, std::int64_t columns) const {
        if (split_ == 0) return {batch, rows, columns};
        return {batch == 1 ? 1 : split_, batch == 1 ? 1 : batch / split_, rows, columns};
    }

    TensorIndex reshape(TensorIndex value, const Shape& shape) {
        const TensorIndex to =
            builder_.constant(DType::kShape, {static_cast<std::int64_t>(shape.size())}, shape);
        return builder_.add(OpCode::kReshape, NoAttributes{}, {value, to}, DType::kFp32, shape);
    }

    TensorIndex number(const Shape& shape, float value) {
        return builder_.constant_bytes(DType::kFp32, shape, tests::fp32_bytes({value}));
    }

    TensorIndex product(TensorIndex left, TensorIndex right, const Shape& shape) {
        return builder_.add(OpCode::kMatmul, NoAttributes{},
                            {left, right, number({1}, 0), number({1}, 0)}, DType::kFp32, shape);
    }

    TensorIndex multiply(TensorIndex a, TensorIndex b) {
        return builder_.add(OpCode::kMul, NoAttributes{},
                            {a, b, builder_.constant(DType::kI8, {1}, {0})}, DType::kFp32, all());
    }

    TensorIndex scaled(TensorIndex value) {
        factor_ = 0.125f;
        return multiply(value, number(space(1, 1, 1), factor_));
    }

    /// A mask of any shape that broadcasts to the scores: it hides columns, or adds to rows.
    TensorIndex masked(TensorIndex value) {
        const Shape whole = all();
        Shape shape = whole;
        for (std::int64_t& extent : shape) extent = random_.one_in(2) ? 1 : extent;
        std::vector<float> values(*graph::element_count(shape));
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto column = static_cast<std::int64_t>(i) % shape.back();
            if (column > 0 && random_.one_in(4)) values[i] = -1e9f;
            if (shape.back() == 1) values[i] = random_.one_in(2) ? 0.5f : -0.25f;
        }
        mask_ = {rows_, columns_, {}};
        for (std::int64_t i = 0; i < batch_ * rows_ * columns_; ++i) {
            std::int64_t left = i, at = 0, step = 1;
            for (std::size_t d = whole.size(); d-- > 0;) {
                at += left % whole[d] % shape[d] * step;
                left /= whole[d];
                step *= shape[d];
            }
            mask_.values.push_back(values[static_cast<std::size_t>(at)]);
        }
        const TensorIndex mask =
            builder_.constant_bytes(DType::kFp32, shape, tests::fp32_bytes(values));
        return builder_.add(OpCode::kAdd, NoAttributes{}, {value, mask}, DType::kFp32, whole);
    }

    TensorIndex softmax(TensorIndex value) {
        const Shape whole = all(), one = space(batch_, rows_, 1);
        const auto axis = static_cast<std::int32_t>(whole.size() - 1);
        const TensorIndex most =
            builder_.add(OpCode::kReduceMax, ReduceMaxAttributes{axis}, {value}, DType::kFp32, one);
        const TensorIndex less =
            builder_.add(OpCode::kSub, NoAttributes{}, {value, most}, DType::kFp32, whole);
        const TensorIndex powers =
            builder_.add(OpCode::kExp, NoAttributes{}, {less}, DType::kFp32, whole);
        const TensorIndex sum = builder_.add(OpCode::kReduceSum, ReduceSumAttributes{axis},
                                             {powers}, DType::kFp32, one);
        const TensorIndex share =
            builder_.add(OpCode::kReciprocal, NoAttributes{}, {sum}, DType::kFp32, one);
        return multiply(powers, share);
    }

    /// Elements of a row before its softmax, and the largest error that any of them may have.
    struct Scores {
        std::vector<long double> values;
        double error = 0;
    };

    Scores scores_of(std::int64_t b, std::int64_t i) const {
        Scores scores;
        for (std::int64_t j = 0; j < columns_; ++j) {
            long double sum = 0, size = 0;
            for (std::int64_t t = 0; t < terms_; ++t) {
                const long double term = left_.at(b, i, t) * first_.at(b, t, j);
                sum += term;
                size += std::abs(term);
            }
            sum *= static_cast<long double>(factor_);
            const long double hidden = mask_.values.empty() ? 0 : mask_.at(b, i, j);
            scores.values.push_back(sum + hidden);
            // One rounding for every term and sum, for the scaled and for the masked sum. Hidden
            // elements add no visible error.
            const long double seen = std::abs(hidden) < 1 ? 2 * std::abs(hidden) : 0;
            const long double own =
                (size * factor_ * static_cast<double>(terms_ + 2) + seen) * kUlp;
            scores.error = std::max(scores.error, static_cast<double>(own));
        }
        return scores;
    }

    void check_row(std::int64_t b, std::int64_t i, const std::vector<float>& got) const {
        const Scores scores = scores_of(b, i);
        long double largest = -std::numeric_limits<long double>::infinity(), sum = 0;
        for (const long double score : scores.values) largest = std::max(largest, score);
        for (const long double score : scores.values) sum += expl(score - largest);
        const std::int64_t width = has_second_ ? width_ : columns_;
        for (std::int64_t w = 0; w < width; ++w) {
            long double value = 0, bound = 0;
            for (std::int64_t j = 0; j < columns_; ++j) {
                if (!has_second_ && j != w) continue;
                const long double d = scores.values[static_cast<std::size_t>(j)] - largest;
                const long double share = expl(d) / sum;
                const long double with = has_second_ ? second_.at(b, j, w) : 1.0L;
                value += share * with;
                // The bound of check_share() in float_row_groups_test.cpp, plus the roundings of
                // the second product.
                const long double relative =
                    kUlp * (3 + 3 * std::abs(d) + 4.5L + 2 * static_cast<double>(columns_)) +
                    4 * scores.error;
                bound += share * std::abs(with) * relative + FLT_MIN;
            }
            CAPTURE(b, i, w);
            const auto own =
                static_cast<double>(got[static_cast<std::size_t>((b * rows_ + i) * width + w)]);
            if (std::isnan(value)) {
                CHECK(std::isnan(own));
            } else {
                CHECK(std::abs(own - static_cast<double>(value)) <= static_cast<double>(bound));
            }
        }
    }

    RandomSource random_;
    std::int64_t batch_, rows_, columns_, terms_, width_;
    bool has_second_ = !random_.one_in(4);
    float factor_ = 1;
    std::int64_t split_ = 0;  ///< images of the softmax's space; 0: it has the products' dimensions
    Matrices left_, first_, second_, mask_;
    GraphBuilder builder_;
    std::vector<HostTensor> inputs_;
};

std::vector<float> floats_of(const GroupRun& run) {
    std::vector<float> values(run.output.size() / sizeof(float));
    std::memcpy(values.data(), run.output.data(), run.output.size());
    return values;
}

void check_attention(const char* name, const std::vector<std::string>& settings,
                     std::uint64_t first_seed, std::uint64_t cases) {
    const Machine machine = load_machine(name, settings);
    std::uint64_t chained = 0;
    for (std::uint64_t seed = first_seed; seed < first_seed + cases; ++seed) {
        CAPTURE(machine.label(), seed);
        RandomAttention attention(seed);
        const graph::Graph graph = attention.make();
        graph::validate_graph(graph);
        planning::PlanOptions chains{.chained = {&graph.main()}};
        if (seed % 2 == 0) chains.strided = {&graph.main()};  // else the kernel waits for copies
        const GroupRun chain = run_planned(graph, attention.inputs(), machine, chains);
        REQUIRE_FALSE(chain.fault);
        attention.check(floats_of(chain));
        const auto scope = bound::scope_of(graph);
        CHECK(bound::reachable_bound(scope, machine).time().microseconds() <= chain.microseconds);
        const GroupRun apart = run_planned(graph, attention.inputs(), machine, {});
        if (chain.kernels < apart.kernels) ++chained;
    }
    CHECK(chained == cases);
}

}  // namespace

TEST_CASE("attention of fp32 is one kernel within the bounds of its operators") {
    check_attention("bm1684", {}, 1, 60);
    check_attention("bm1684", {"mcu.issue=lists", "chip.lanes=16"}, 1000, 30);
    check_attention("okk-next", {}, 2000, 30);
}

TEST_CASE("attention of fp32 in many tiles is within the bounds of its operators") {
    check_attention("bm1684", {"chip.lanes=8", "chip.local_memory_bytes=65536"}, 3000, 40);
    check_attention("bm1684", {"chip.lanes=64", "chip.local_memory_bytes=16384"}, 4000, 40);
}
