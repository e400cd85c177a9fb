// SPDX-License-Identifier: Apache-2.0
// Softmax, normalisations and activation functions of fp32 in one kernel each. They run on every
// layout and axis and on several machines, against the same operators with 80-bit floating point.
#include <cfloat>
#include <cmath>
#include <functional>
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
using tests::run_group;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// Calls `row` with the positions of the elements of each row along an axis.
void for_each_row(const Shape& shape, std::size_t axis,
                  const std::function<void(const std::vector<std::size_t>&)>& row) {
    std::size_t inner = 1, outer = 1;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (i < axis) outer *= static_cast<std::size_t>(shape[i]);
        if (i > axis) inner *= static_cast<std::size_t>(shape[i]);
    }
    const auto extent = static_cast<std::size_t>(shape[axis]);
    for (std::size_t o = 0; o < outer; ++o) {
        for (std::size_t i = 0; i < inner; ++i) {
            std::vector<std::size_t> positions;
            for (std::size_t k = 0; k < extent; ++k) {
                positions.push_back((o * extent + k) * inner + i);
            }
            row(positions);
        }
    }
}

std::vector<float> floats_of(const GroupRun& run) {
    std::vector<float> values(run.output.size() / sizeof(float));
    std::memcpy(values.data(), run.output.data(), run.output.size());
    return values;
}

struct RowCase {
    graph::Graph graph;
    std::vector<HostTensor> inputs;
    Shape shape;
    std::size_t axis = 0;
    std::vector<float> x;
};

class Rows {
 public:
    Rows(RandomSource& random, const Shape& shape, std::size_t axis)
        : random_(random), shape_(shape), line_(shape), axis_(axis) {
        line_[axis] = 1;
    }

    std::vector<float> numbers(const Shape& shape, float size) {
        std::vector<float> values(*graph::element_count(shape));
        for (float& value : values) {
            value = size * static_cast<float>(random_.between(-1 << 20, 1 << 20)) / (1 << 20);
        }
        return values;
    }

    TensorIndex input(const std::vector<float>& values) {
        made.x = values;
        made.inputs.push_back(tests::fp32_tensor(shape_, values));
        return b.input(DType::kFp32, shape_);
    }
    TensorIndex number(float value) {
        return b.constant_bytes(DType::kFp32, Shape(shape_.size(), 1), tests::fp32_bytes({value}));
    }
    TensorIndex op(OpCode code, const std::vector<TensorIndex>& operands, bool is_line = false) {
        return b.add(code, NoAttributes{}, operands, DType::kFp32, is_line ? line_ : shape_);
    }
    TensorIndex multiply(TensorIndex x, TensorIndex y, bool is_line = false) {
        return op(OpCode::kMul, {x, y, b.constant(DType::kI8, {1}, {0})}, is_line);
    }
    TensorIndex sum(TensorIndex x) {
        return b.add(OpCode::kReduceSum, ReduceSumAttributes{static_cast<std::int32_t>(axis_)}, {x},
                     DType::kFp32, line_);
    }
    TensorIndex largest(TensorIndex x) {
        ReduceMaxAttributes attributes;
        attributes.axis = static_cast<std::int32_t>(axis_);
        attributes.nan_mode =
            random_.one_in(2) ? NanPropagationMode::kPropagate : NanPropagationMode::kIgnore;
        return b.add(OpCode::kReduceMax, attributes, {x}, DType::kFp32, line_);
    }
    TensorIndex softmax(TensorIndex x) {
        const TensorIndex powers = op(OpCode::kExp, {op(OpCode::kSub, {x, largest(x)})});
        const TensorIndex share = op(OpCode::kReciprocal, {sum(powers)}, true);
        return random_.one_in(2) ? multiply(powers, share) : multiply(share, powers);
    }
    RowCase finish(TensorIndex result) {
        b.output(result);
        made.graph = b.finish();
        graph::validate_graph(made.graph);
        made.shape = shape_;
        made.axis = axis_;
        return std::move(made);
    }

    const Shape& shape() const { return shape_; }
    std::size_t axis() const { return axis_; }

    GraphBuilder b;
    RowCase made;

 private:
    RandomSource& random_;
    Shape shape_, line_;
    std::size_t axis_;
};

Shape random_shape(RandomSource& random, std::size_t& axis) {
    Shape shape;
    const auto rank = static_cast<std::size_t>(random.between(1, 4));
    for (std::size_t i = 0; i < rank; ++i) shape.push_back(random.pick({1, 2, 3, 5, 8, 19, 40}));
    axis = static_cast<std::size_t>(random.below(std::ssize(shape)));
    shape[axis] = random.pick({1, 2, 3, 7, 16, 33, 100, 130});
    return shape;
}

constexpr double kUlp = 1.0 / (1 << 23);

/// Checks one softmax result against the sequence of the operators' bounds (TOSA 1.0.1). A term's
/// difference has one rounding and its EXP an error of 3 + 2|d| ulp. The sum of n such terms adds n
/// ulp to the 3 of its largest term. RECIPROCAL adds one ulp, the product half an ulp.
void check_share(double share, double got, double d, double n) {
    if (std::isnan(share)) {
        CHECK(std::isnan(got));
        return;
    }
    const double bound = share * kUlp * (3 + 3 * std::abs(d) + 3 + n + 1.5) + FLT_MIN;
    CHECK(std::abs(got - share) <= bound);
}

void check_softmax(const RowCase& rows, const std::vector<float>& got) {
    for_each_row(rows.shape, rows.axis, [&](const std::vector<std::size_t>& row) {
        float largest = -kInfinity;
        bool has_nan = false;
        for (const std::size_t i : row) {
            has_nan = has_nan || std::isnan(rows.x[i]);
            largest = std::max(largest, rows.x[i]);
        }
        long double sum = 0;
        for (const std::size_t i : row) {
            sum += expl(static_cast<long double>(rows.x[i]) - static_cast<long double>(largest));
        }
        for (const std::size_t i : row) {
            const double d = static_cast<double>(rows.x[i]) - static_cast<double>(largest);
            auto share = static_cast<double>(expl(d) / sum);
            // If the largest value is infinite, differences are NaN.
            if (has_nan || std::isinf(largest)) share = kNan;
            CAPTURE(i, rows.x[i], largest, share, got[i]);
            check_share(share, got[i], std::isfinite(d) ? d : 0, static_cast<double>(row.size()));
        }
    });
}

/// Returns 1 if the case is one kernel.
int run_rows(const RowCase& rows, const Machine& machine,
             const std::function<void(const RowCase&, const std::vector<float>&)>& check) {
    const GroupRun together = run_group(rows.graph, rows.inputs, machine, true);
    CHECK_FALSE(together.fault);
    const auto scope = bound::scope_of(rows.graph);
    CHECK(bound::reachable_bound(scope, machine).time().microseconds() <= together.microseconds);
    check(rows, floats_of(together));
    return together.kernels == 1 ? 1 : 0;
}

struct NamedMachine {
    const char* name;
    std::vector<std::string> settings;
};

const std::vector<NamedMachine> kMachines = {
    {"bm1684", {}},
    {"bm1684", {"chip.lanes=8", "chip.local_memory_bytes=32768"}},
    {"bm1684", {"chip.lanes=4", "chip.local_memory_bytes=16384"}},
    {"bm1684", {"mcu.issue=lists", "chip.lanes=16"}},
    {"okk-next", {}},
};

void run_cases(std::uint64_t first_seed, int cases,
               const std::function<RowCase(Rows&, RandomSource&)>& make,
               const std::function<void(const RowCase&, const std::vector<float>&)>& check) {
    int shared = 0;
    for (int i = 0; i < cases; ++i) {
        const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(i);
        CAPTURE(seed);
        RandomSource random(seed);
        std::size_t axis = 0;
        const Shape shape = random_shape(random, axis);
        Rows rows(random, shape, axis);
        const RowCase made = make(rows, random);
        const NamedMachine& named = random.element(kMachines);
        const Machine machine = load_machine(named.name, named.settings);
        shared += run_rows(made, machine, check);
    }
    CHECK(shared > cases * 2 / 3);
}

}  // namespace

TEST_CASE("a softmax of fp32 is one kernel within the bounds of its operators") {
    run_cases(
        1, 120,
        [](Rows& rows, RandomSource& random) {
            const auto size = static_cast<float>(random.pick({1, 10, 60, 1000}));
            return rows.finish(rows.softmax(rows.input(rows.numbers(rows.shape(), size))));
        },
        check_softmax);
}

TEST_CASE("a softmax of infinities and NaN is that of its operators") {
    run_cases(
        500, 80,
        [](Rows& rows, RandomSource& random) {
            std::vector<float> x = rows.numbers(rows.shape(), 8);
            for (float& value : x) {
                if (random.one_in(4)) value = random.one_in(2) ? -kInfinity : -1e9f;
                if (random.one_in(60)) value = random.one_in(2) ? kNan : kInfinity;
                if (random.one_in(60)) value = random.one_in(2) ? FLT_MAX : -FLT_MAX;
            }
            return rows.finish(rows.softmax(rows.input(x)));
        },
        check_softmax);
}

TEST_CASE("a layer normalisation of fp32 is one kernel") {
    std::vector<float> scales, offsets;
    run_cases(
        1000, 80,
        [&](Rows& rows, RandomSource& random) {
            const auto n = static_cast<float>(rows.shape()[rows.axis()]);
            const TensorIndex x = rows.input(rows.numbers(rows.shape(), 4));
            const bool centres = random.one_in(2);
            TensorIndex centred = x;
            if (centres) {
                const TensorIndex mean = rows.multiply(rows.sum(x), rows.number(1 / n), true);
                centred = rows.op(OpCode::kSub, {x, mean});
            }
            const TensorIndex variance =
                rows.multiply(rows.sum(rows.multiply(centred, centred)), rows.number(1 / n), true);
            const TensorIndex root =
                rows.op(OpCode::kRsqrt,
                        {rows.op(OpCode::kAdd, {variance, rows.number(1e-3f)}, true)}, true);
            Shape columns(rows.shape().size(), 1);
            columns[rows.axis()] = rows.shape()[rows.axis()];
            scales = rows.numbers(columns, 1);
            offsets = rows.numbers(columns, 1);
            scales.push_back(centres ? 1.0f : 0.0f);
            const TensorIndex scale = rows.b.constant_bytes(
                DType::kFp32, columns, tests::fp32_bytes({scales.begin(), scales.end() - 1}));
            const TensorIndex offset =
                rows.b.constant_bytes(DType::kFp32, columns, tests::fp32_bytes(offsets));
            const TensorIndex scaled = rows.multiply(rows.multiply(centred, root), scale);
            return rows.finish(rows.op(OpCode::kAdd, {scaled, offset}));
        },
        [&](const RowCase& rows, const std::vector<float>& got) {
            for_each_row(rows.shape, rows.axis, [&](const std::vector<std::size_t>& row) {
                const auto n = static_cast<double>(row.size());
                double mean = 0, variance = 0;
                for (const std::size_t i : row) mean += static_cast<double>(rows.x[i]) / n;
                if (scales.back() == 0.0f) mean = 0;
                for (const std::size_t i : row) {
                    variance += (rows.x[i] - mean) * (rows.x[i] - mean) / n;
                }
                const double root = 1 / std::sqrt(variance + 1e-3f);
                for (std::size_t k = 0; k < row.size(); ++k) {
                    const double scaled = (rows.x[row[k]] - mean) * root * scales[k];
                    // The mean has an error of n ulp of 4, which root and scale enlarge. The
                    // variance adds the same relative error. A few roundings of the result follow.
                    const double bound =
                        kUlp * ((n + 2) * 4 * root * std::abs(static_cast<double>(scales[k])) +
                                (n + 12) * (std::abs(scaled) + 1));
                    CAPTURE(k, got[row[k]], scaled + offsets[k]);
                    CHECK(std::abs(got[row[k]] - (scaled + offsets[k])) <= bound);
                }
            });
        });
}

TEST_CASE("activation functions of several operators are one kernel") {
    run_cases(
        2000, 40,
        [](Rows& rows, RandomSource&) {
            // GELU: x / 2 (1 + erf(x / sqrt 2)).
            const TensorIndex x = rows.input(rows.numbers(rows.shape(), 4));
            const TensorIndex erf =
                rows.op(OpCode::kErf, {rows.multiply(x, rows.number(std::sqrt(0.5f)))});
            const TensorIndex share = rows.op(OpCode::kAdd, {erf, rows.number(1.0f)});
            return rows.finish(rows.multiply(rows.multiply(x, share), rows.number(0.5f)));
        },
        [](const RowCase& rows, const std::vector<float>& got) {
            for (std::size_t i = 0; i < got.size(); ++i) {
                const double x = rows.x[i];
                const double share = 1 + std::erf(x * std::sqrt(0.5f));
                // erf has an error of 5 ulp of at most 1, with a rounded argument; the sum is at
                // least as exact.
                CAPTURE(x, got[i]);
                CHECK(std::abs(got[i] - x / 2 * share) <= kUlp * 8 * std::abs(x) + FLT_MIN);
            }
        });
}

TEST_CASE("the largest of a row stays apart from what is no softmax") {
    RandomSource random(7);
    Rows rows(random, {6, 20}, 1);
    const TensorIndex x = rows.input(rows.numbers({6, 20}, 4));
    // NaN must propagate.
    const RowCase made = rows.finish(rows.multiply(x, rows.largest(x)));
    const GroupRun run = run_group(made.graph, made.inputs, load_machine("bm1684", {}), true);
    CHECK(run.kernels == 2);
}

TEST_CASE("sums of split dimensions and of the rows of products are no rows of a group") {
    RandomSource random(11);
    const std::vector<Shape> operands{{12}, {1, 4, 3}, {1, 3, 3}};
    for (std::size_t i = 0; i < operands.size(); ++i) {
        CAPTURE(i);
        Rows rows(random, operands[i], operands[i].size() == 1 ? 0 : 1);
        const auto op = [&](OpCode code, const std::vector<TensorIndex>& inputs, const Shape& of) {
            return rows.b.add(code, NoAttributes{}, inputs, DType::kFp32, of);
        };
        const auto reshape = [&](TensorIndex x, const Shape& to) {
            return op(OpCode::kReshape, {x, rows.b.shape_value(to)}, to);
        };
        TensorIndex x = rows.input(rows.numbers(operands[i], 4));
        if (i > 0) {
            const TensorIndex zero =
                rows.b.constant_bytes(DType::kFp32, {1}, tests::fp32_bytes({0.0F}));
            const TensorIndex y = rows.b.constant_bytes(
                DType::kFp32, {1, 3, 3}, tests::fp32_bytes({1, 2, 3, 4, 5, 6, 7, 8, 9}));
            x = op(OpCode::kMatmul, {x, y, zero, zero}, operands[i]);
        }
        // All elements of a vector or of a product, and the rows of a square product.
        const Shape line = i < 2 ? Shape{12} : operands[i];
        if (i == 1) x = reshape(x, line);
        const TensorIndex total = rows.b.add(OpCode::kReduceSum, ReduceSumAttributes{i < 2 ? 0 : 1},
                                             {x}, DType::kFp32, i < 2 ? Shape{1} : Shape{1, 1, 3});
        TensorIndex result = op(OpCode::kSub, {x, total}, line);
        if (i == 0) {
            const TensorIndex factor = rows.b.constant_bytes(
                DType::kFp32, {4, 3}, tests::fp32_bytes({1, 2, 3, 4, 5, 6, 7, 8, 9, 8, 7, 6}));
            result = op(OpCode::kMul,
                        {reshape(result, {4, 3}), factor, rows.b.constant(DType::kI8, {1}, {0})},
                        {4, 3});
        }
        const RowCase made = rows.finish(result);
        const Machine machine = load_machine("bm1684");
        const auto expected = floats_of(run_group(made.graph, made.inputs, machine, false));
        const auto found = floats_of(run_group(made.graph, made.inputs, machine, true));
        REQUIRE(found.size() == expected.size());
        for (std::size_t k = 0; k < found.size(); ++k) {
            CHECK(found[k] == Approx(expected[k]).epsilon(1e-4).margin(1e-4));
        }
    }
}
