// SPDX-License-Identifier: Apache-2.0
// Gathers, scatters, slices and orders against the loops of ONNX's definitions.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sim/graph/compose/indexing.h"
#include "tests/sim/graph/compose_array.h"

namespace okksim::tests {

namespace {

using sim::graph::compose::KnownIndices;
using sim::graph::compose::ScatterReduction;
using sim::graph::compose::SliceRange;
namespace compose = sim::graph::compose;

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

const std::vector<DType> kMovable{DType::kFp32, DType::kFp16, DType::kBf16, DType::kI8,
                                  DType::kI16,  DType::kI32,  DType::kBool};

Data random_data(const Shape& shape, DType type) {
    if (type == DType::kBool) return random_integers(shape, 0, 1, type);
    return sim::graph::is_floating_point(type) ? random_reals(shape, 1, type)
                                               : random_integers(shape, -100, 100, type);
}

/// Indices in [-size, size).
Data random_indices(const Shape& shape, std::int64_t size) {
    return random_integers(shape, static_cast<int>(-size), static_cast<int>(size) - 1);
}

KnownIndices known(const Data& indices) {
    return {indices.shape, {indices.values.begin(), indices.values.end()}};
}

std::int64_t wrapped(double index, std::int64_t size) {
    return static_cast<std::int64_t>(index) + (index < 0 ? size : 0);
}

/// Checks known and run-time indices.
template <typename Known, typename RunTime>
void check_both(const Data& x, const Data& indices, const Array& wanted, const Known& with_known,
                const RunTime& with_run_time) {
    INFO(sim::graph::shape_text(x.shape) << " " << sim::graph::shape_text(indices.shape));
    check_array(evaluate_one({x},
                             [&](OperatorBuilder& ops, const Indices& in) {
                                 return with_known(ops, in[0], known(indices));
                             }),
                wanted, 0);
    check_array(evaluate_one({x, indices},
                             [&](OperatorBuilder& ops, const Indices& in) {
                                 return with_run_time(ops, in[0], in[1]);
                             }),
                wanted, 0);
}

}  // namespace

TEST_CASE("gather has indices of any rank and sign", "[compose][indexing]") {
    struct Case {
        Shape x, indices;
        std::size_t axis;
    };
    const std::vector<Case> cases{
        {{7}, {}, 0},       {{7}, {3}, 0},          {{4, 5}, {2, 3}, 0},    {{4, 5}, {6}, 1},
        {{2, 3, 4}, {}, 1}, {{2, 3, 4}, {2, 2}, 1}, {{2, 3, 4, 5}, {3}, 3}, {{1, 5, 2}, {1}, 1},
        {{3, 1}, {2}, 1},   {{2, 3, 20}, {2, 2}, 1}};
    for (const Case& c : cases) {
        for (const DType type : kMovable) {
            const Data x = random_data(c.x, type), indices = random_indices(c.indices, c.x[c.axis]);
            Shape shape = c.x;
            shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(c.axis));
            shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(c.axis), c.indices.begin(),
                         c.indices.end());
            const Array from(x), list(indices);
            const Array wanted = array_of(shape, [&](const Shape& at) {
                const auto first = at.begin() + static_cast<std::ptrdiff_t>(c.axis);
                const auto last = first + static_cast<std::ptrdiff_t>(c.indices.size());
                Shape source(at.begin(), first);
                source.push_back(wrapped(list[Shape(first, last)], c.x[c.axis]));
                source.insert(source.end(), last, at.end());
                return from[source];
            });
            check_both(
                x, indices, wanted,
                [&](OperatorBuilder& ops, TensorIndex in, const KnownIndices& at) {
                    return compose::gather(ops, in, at, c.axis);
                },
                [&](OperatorBuilder& ops, TensorIndex in, TensorIndex at) {
                    return compose::gather(ops, in, at, c.axis);
                });
        }
    }
}

TEST_CASE("a gather of consecutive indices is a slice", "[compose][indexing]") {
    evaluate_one({random_reals({6, 3})}, [](OperatorBuilder& ops, const Indices& in) {
        return compose::gather(ops, in[0], {{3}, {2, 3, 4}}, 0);
    });
    CHECK(last_operator_count() == 1);
}

TEST_CASE("a batched gather has own indices for each batch element", "[compose][indexing]") {
    // result[b, m, i, j, c] = x[b, m, indices[b, i, j], c]
    const Data x = random_reals({2, 3, 4, 5}), indices = random_indices({2, 3, 2}, 4);
    const Array from(x), list(indices);
    const Array wanted = array_of({2, 3, 3, 2, 5}, [&](const Shape& at) {
        return from[{at[0], at[1], wrapped(list[{at[0], at[2], at[3]}], 4), at[4]}];
    });
    check_array(evaluate_one({x, indices},
                             [](OperatorBuilder& ops, const Indices& in) {
                                 return compose::gather_batched(ops, in[0], in[1], 2, 1);
                             }),
                wanted, 0);
    const Data ids = random_integers({2, 3}, 0, 6);
    const Data table = random_reals({7, 4});
    const Array rows(table), id(ids);
    check_array(evaluate_one({table, ids},
                             [](OperatorBuilder& ops, const Indices& in) {
                                 return compose::embedding(ops, in[0], in[1]);
                             }),
                array_of({2, 3, 4},
                         [&](const Shape& at) {
                             return rows[{static_cast<std::int64_t>(id[{at[0], at[1]}]), at[2]}];
                         }),
                0);
}

TEST_CASE("gather_elements takes an element for each index", "[compose][indexing]") {
    struct Case {
        Shape x, indices;
        std::size_t axis;
    };
    const std::vector<Case> cases{
        {{5}, {3}, 0}, {{3, 4}, {5, 4}, 0}, {{3, 4}, {2, 6}, 1}, {{2, 3, 4}, {2, 2, 3}, 1}};
    for (const Case& c : cases) {
        for (const DType type : {DType::kFp32, DType::kI8, DType::kBool}) {
            const Data x = random_data(c.x, type), indices = random_indices(c.indices, c.x[c.axis]);
            const Array from(x), list(indices);
            const Array wanted = array_of(c.indices, [&](const Shape& at) {
                Shape source = at;
                source[c.axis] = wrapped(list[at], c.x[c.axis]);
                return from[source];
            });
            check_both(
                x, indices, wanted,
                [&](OperatorBuilder& ops, TensorIndex in, const KnownIndices& at) {
                    return compose::gather_elements(ops, in, at, c.axis);
                },
                [&](OperatorBuilder& ops, TensorIndex in, TensorIndex at) {
                    return compose::gather_elements(ops, in, at, c.axis);
                });
        }
    }
}

TEST_CASE("gather_nd takes parts at positions", "[compose][indexing]") {
    struct Case {
        Shape x, indices;
        std::size_t batch_dims;
    };
    const std::vector<Case> cases{
        {{4, 5}, {3, 2}, 0},    {{4, 5, 2}, {2, 3, 1}, 0},    {{2, 3, 4, 2}, {2, 3}, 0},
        {{2, 3, 4}, {2, 1}, 1}, {{2, 3, 4, 5}, {2, 4, 2}, 1}, {{2, 2, 3, 4}, {2, 2, 3, 1}, 2},
        {{5}, {1}, 0}};
    for (const Case& c : cases) {
        const auto depth = static_cast<std::size_t>(c.indices.back());
        const Data x = random_reals(c.x);
        Data indices{DType::kI32, c.indices, {}};
        for_each(c.indices, [&](const Shape& at) {
            const std::int64_t size = c.x[c.batch_dims + static_cast<std::size_t>(at.back())];
            indices.values.push_back(random_indices({1}, size).values[0]);
        });
        const Array from(x), list(indices);
        Shape shape(c.indices.begin(), c.indices.end() - 1);
        shape.insert(shape.end(), c.x.begin() + static_cast<std::ptrdiff_t>(c.batch_dims + depth),
                     c.x.end());
        const Array wanted = array_of(shape, [&](const Shape& at) {
            const auto rank = static_cast<std::ptrdiff_t>(c.indices.size()) - 1;
            Shape source(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(c.batch_dims));
            for (std::size_t d = 0; d < depth; ++d) {
                Shape position(at.begin(), at.begin() + rank);
                position.push_back(static_cast<std::int64_t>(d));
                source.push_back(wrapped(list[position], c.x[c.batch_dims + d]));
            }
            source.insert(source.end(), at.begin() + rank, at.end());
            return from[source];
        });
        check_both(
            x, indices, wanted,
            [&](OperatorBuilder& ops, TensorIndex in, const KnownIndices& at) {
                return compose::gather_nd(ops, in, at, c.batch_dims);
            },
            [&](OperatorBuilder& ops, TensorIndex in, TensorIndex at) {
                return compose::gather_nd(ops, in, at, c.batch_dims);
            });
    }
}

namespace {

const std::vector<ScatterReduction> kReductions{
    ScatterReduction::kNone, ScatterReduction::kAdd, ScatterReduction::kMultiply,
    ScatterReduction::kMaximum, ScatterReduction::kMinimum};

double combined(ScatterReduction reduction, double old, double update) {
    switch (reduction) {
        case ScatterReduction::kNone: return update;
        case ScatterReduction::kAdd: return old + update;
        case ScatterReduction::kMultiply: return old * update;
        case ScatterReduction::kMaximum: return std::max(old, update);
        case ScatterReduction::kMinimum: return std::min(old, update);
    }
    return 0;
}

/// Run-time indices must not repeat without a reduction, and products need floating point.
bool is_run_time(ScatterReduction reduction, DType type) {
    return reduction != ScatterReduction::kMultiply || sim::graph::is_floating_point(type);
}

struct Scatter {
    Data x, indices, updates;
    ScatterReduction reduction;
};

template <typename Known, typename RunTime>
void check_scatter(const Scatter& s, const Array& wanted, const Known& with_known,
                   const RunTime& with_run_time) {
    INFO(sim::graph::shape_text(s.x.shape) << " " << static_cast<int>(s.reduction));
    check_array(evaluate_one({s.x, s.updates},
                             [&](OperatorBuilder& ops, const Indices& in) {
                                 return with_known(ops, in[0], known(s.indices), in[1]);
                             }),
                wanted, 1e-5);
    if (!is_run_time(s.reduction, s.x.type)) return;
    check_array(evaluate_one({s.x, s.indices, s.updates},
                             [&](OperatorBuilder& ops, const Indices& in) {
                                 return with_run_time(ops, in[0], in[1], in[2]);
                             }),
                wanted, 1e-5);
}

}  // namespace

TEST_CASE("scatter_nd combines repeated updates", "[compose][indexing]") {
    struct Case {
        Shape x, indices;
    };
    for (const Case& c : {Case{{8}, {4, 1}}, Case{{4, 5}, {3, 2}}, Case{{4, 3, 2}, {2, 3, 1}},
                          Case{{3, 4, 2, 2}, {5, 2}}}) {
        for (const ScatterReduction reduction : kReductions) {
            for (const DType type : {DType::kFp32, DType::kI32}) {
                const auto depth = static_cast<std::ptrdiff_t>(c.indices.back());
                Shape updates(c.indices.begin(), c.indices.end() - 1);
                const std::size_t outer = updates.size();
                updates.insert(updates.end(), c.x.begin() + depth, c.x.end());
                Scatter s{random_data(c.x, type),
                          {DType::kI32, c.indices, {}},
                          random_data(updates, type),
                          reduction};
                for_each(c.indices, [&](const Shape& at) {
                    const std::int64_t size = c.x[static_cast<std::size_t>(at.back())];
                    s.indices.values.push_back(random_indices({1}, size).values[0]);
                });
                Array wanted(s.x), list(s.indices), update(s.updates);
                for_each(updates, [&](const Shape& at) {
                    Shape to;
                    for (std::ptrdiff_t d = 0; d < depth; ++d) {
                        Shape position(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(outer));
                        position.push_back(d);
                        to.push_back(wrapped(list[position], c.x[static_cast<std::size_t>(d)]));
                    }
                    to.insert(to.end(), at.begin() + static_cast<std::ptrdiff_t>(outer), at.end());
                    wanted[to] = combined(reduction, wanted[to], update[at]);
                });
                check_scatter(
                    s, wanted,
                    [&](OperatorBuilder& ops, TensorIndex x, const KnownIndices& at,
                        TensorIndex u) { return compose::scatter_nd(ops, x, at, u, reduction); },
                    [&](OperatorBuilder& ops, TensorIndex x, TensorIndex at, TensorIndex u) {
                        return compose::scatter_nd(ops, x, at, u, reduction);
                    });
            }
        }
    }
}

TEST_CASE("scatter_elements combines repeated updates", "[compose][indexing]") {
    struct Case {
        Shape x, indices;
        std::size_t axis;
    };
    for (const Case& c : {Case{{6}, {4}, 0}, Case{{4, 3}, {5, 3}, 0}, Case{{3, 5}, {2, 4}, 1},
                          Case{{2, 4, 3}, {2, 3, 2}, 1}, Case{{2, 3, 4}, {1, 3, 2}, 2}}) {
        for (const ScatterReduction reduction : kReductions) {
            for (const DType type : {DType::kFp32, DType::kI32, DType::kI8}) {
                Scatter s{random_data(c.x, type), random_indices(c.indices, c.x[c.axis]),
                          random_data(c.indices, type), reduction};
                // Small factors, so that narrow results do not wrap.
                if (type == DType::kI8) s.x = random_integers(c.x, -3, 3, type);
                if (type == DType::kI8) s.updates = random_integers(c.indices, -2, 2, type);
                Array wanted(s.x), list(s.indices), update(s.updates);
                for_each(c.indices, [&](const Shape& at) {
                    Shape to = at;
                    to[c.axis] = wrapped(list[at], c.x[c.axis]);
                    wanted[to] = combined(reduction, wanted[to], update[at]);
                });
                check_scatter(
                    s, wanted,
                    [&](OperatorBuilder& ops, TensorIndex x, const KnownIndices& at,
                        TensorIndex u) {
                        return compose::scatter_elements(ops, x, at, u, c.axis, reduction);
                    },
                    [&](OperatorBuilder& ops, TensorIndex x, TensorIndex at, TensorIndex u) {
                        return compose::scatter_elements(ops, x, at, u, c.axis, reduction);
                    });
            }
        }
    }
}

TEST_CASE("one_hot wraps negative indices on request", "[compose][indexing]") {
    const Data indices{DType::kI32, {2, 3}, {0, 2, -1, 3, -4, 7}};
    for (const bool wraps : {false, true}) {
        for (const std::size_t axis : {0U, 1U, 2U}) {
            Shape shape{2, 3};
            shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), 4);
            const Array list(indices);
            const Array wanted = array_of(shape, [&](const Shape& at) {
                Shape own = at;
                own.erase(own.begin() + static_cast<std::ptrdiff_t>(axis));
                const double index = list[own] + (wraps && list[own] < 0 ? 4 : 0);
                return index == static_cast<double>(at[axis]) ? 5.0 : -2.0;
            });
            const Data on = reals({5}), off = reals({-2});
            check_array(evaluate_one({indices, on, off},
                                     [&](OperatorBuilder& ops, const Indices& in) {
                                         return compose::one_hot(ops, in[0], 4, in[1], in[2], axis,
                                                                 wraps);
                                     }),
                        wanted, 0);
        }
    }
}

TEST_CASE("slice ranges follow numpy", "[compose][indexing]") {
    // numpy: list(range(n))[start:end:step]
    struct Case {
        SliceRange range;
        std::int64_t size, first, count;
    };
    const std::vector<Case> cases{
        {{0, kMost, 1}, 5, 0, 5},     {{1, 4, 2}, 5, 1, 2},         {{-3, -1, 1}, 5, 2, 2},
        {{7, kMost, 1}, 5, 5, 0},     {{-9, 2, 1}, 5, 0, 2},        {{4, kLeast, -1}, 5, 4, 5},
        {{-1, -6, -2}, 5, 4, 3},      {{9, 1, -3}, 5, 4, 1},        {{0, kLeast, -1}, 5, 0, 1},
        {{3, 0, -1}, 5, 3, 3},        {{1, kMost, kMost}, 5, 1, 1}, {{4, kLeast, kLeast}, 5, 4, 1},
        {{kLeast, kMost, 1}, 5, 0, 5}};
    for (const Case& c : cases) {
        const auto found = compose::slice_elements(c.range, c.size);
        INFO(c.range.start << ":" << c.range.end << ":" << c.range.step);
        CHECK(found.count == c.count);
        if (c.count > 0) CHECK(found.first == c.first);
    }
}

TEST_CASE("strided slices take steps of both signs", "[compose][indexing]") {
    const std::vector<std::vector<SliceRange>> all{{{0, kMost, 2}, {1, kMost, 3}, {0, 4, 1}},
                                                   {{2, kLeast, -1}, {6, 0, -2}, {-1, kLeast, -3}},
                                                   {{1, 2, 1}, {0, kMost, 6}, {0, kMost, kMost}},
                                                   {{0, kMost, 1}, {5, 1, -3}, {1, kMost, 2}}};
    for (const auto& ranges : all) {
        for (const DType type : kMovable) {
            const Data x = random_data({3, 7, 5}, type);
            const Array from(x);
            Shape shape, first;
            for (std::size_t i = 0; i < 3; ++i) {
                const auto elements = compose::slice_elements(ranges[i], from.shape[i]);
                shape.push_back(elements.count);
                first.push_back(elements.first);
            }
            const Array wanted = array_of(shape, [&](const Shape& at) {
                Shape source;
                for (std::size_t i = 0; i < 3; ++i) {
                    source.push_back(first[i] + (at[i] == 0 ? 0 : at[i] * ranges[i].step));
                }
                return from[source];
            });
            check_array(evaluate_one({x},
                                     [&](OperatorBuilder& ops, const Indices& in) {
                                         return compose::strided_slice(ops, in[0], ranges);
                                     }),
                        wanted, 0);
        }
    }
}

TEST_CASE("dynamic slices clamp their start", "[compose][indexing]") {
    const std::vector<std::pair<Shape, Shape>> cases{
        {{4, 5, 3}, {2, 3, 3}}, {{4, 5, 3}, {2, 5, 3}}, {{6}, {2}}, {{3, 4}, {3, 2}}};
    for (const auto& [shape, size] : cases) {
        for (const std::vector<double>& start :
             {std::vector<double>{0, 1, 0}, {1, 2, 0}, {-3, 9, 2}, {7, -1, 0}}) {
            const Data x = random_reals(shape), update = random_reals(size);
            Data at{DType::kI32, {static_cast<std::int64_t>(shape.size())}, start};
            at.values.resize(shape.size());
            Shape first;
            for (std::size_t i = 0; i < shape.size(); ++i) {
                first.push_back(std::clamp<std::int64_t>(static_cast<std::int64_t>(start[i]), 0,
                                                         shape[i] - size[i]));
            }
            const Array from(x), added(update);
            Array changed(x);
            const Array wanted = array_of(size, [&](const Shape& p) {
                Shape source = p;
                for (std::size_t i = 0; i < source.size(); ++i) source[i] += first[i];
                changed[source] = added[p];
                return from[source];
            });
            const auto found =
                evaluate({x, at, update}, [&](OperatorBuilder& ops, const Indices& in) {
                    return Indices{compose::dynamic_slice(ops, in[0], in[1], size),
                                   compose::dynamic_update_slice(ops, in[0], in[2], in[1])};
                });
            check_array(found[0], wanted, 0);
            check_array(found[1], changed, 0);
        }
    }
}

TEST_CASE("top_k orders equal elements by index", "[compose][indexing]") {
    struct Case {
        Shape shape;
        std::int64_t k;
        std::size_t axis;
    };
    for (const Case& c :
         {Case{{9}, 3, 0}, Case{{4, 6}, 6, 1}, Case{{5, 3}, 2, 0}, Case{{2, 7, 3}, 5, 1},
          Case{{2, 3, 4}, 1, 2}, Case{{3, 1}, 1, 1}, Case{{2, 2200}, 5, 1}}) {
        for (const bool largest : {true, false}) {
            for (const DType type : {DType::kFp32, DType::kFp16, DType::kI32, DType::kI8}) {
                if (c.shape.back() > 1000 && type != DType::kFp32) continue;
                INFO(sim::graph::shape_text(c.shape) << " " << largest);
                const Data data = random_integers(c.shape, -4, 4, type);
                const Array x(data);
                const Shape shape = compose::with_dimension(c.shape, c.axis, c.k);
                Array values(shape), indices(shape);
                for_each(compose::with_dimension(c.shape, c.axis, 1), [&](const Shape& line) {
                    std::vector<std::int64_t> order = compose::counting(c.shape[c.axis]);
                    const auto value = [&](std::int64_t i) {
                        const double v = x[compose::with_dimension(line, c.axis, i)];
                        return largest ? -v : v;
                    };
                    std::stable_sort(
                        order.begin(), order.end(),
                        [&](std::int64_t a, std::int64_t b) { return value(a) < value(b); });
                    for (std::int64_t i = 0; i < c.k; ++i) {
                        const std::int64_t from = order[static_cast<std::size_t>(i)];
                        const Shape to = compose::with_dimension(line, c.axis, i);
                        values[to] = x[compose::with_dimension(line, c.axis, from)];
                        indices[to] = static_cast<double>(from);
                    }
                });
                const auto found = evaluate({data}, [&](OperatorBuilder& ops, const Indices& in) {
                    const auto top = compose::top_k(ops, in[0], c.k, c.axis, largest);
                    return Indices{top.values, top.indices};
                });
                check_array(found[0], values, 0);
                check_array(found[1], indices, 0);
            }
        }
    }
}

TEST_CASE("trilu keeps a triangle", "[compose][indexing]") {
    for (const std::int64_t k : {-2, 0, 1, 9}) {
        for (const bool upper : {false, true}) {
            const Data x = random_reals({2, 4, 5});
            const Array from(x);
            const Array wanted = array_of({2, 4, 5}, [&](const Shape& at) {
                const bool is_kept = upper ? at[2] >= at[1] + k : at[2] <= at[1] + k;
                return is_kept ? from[at] : 0.0;
            });
            check_array(evaluate_one({x},
                                     [&](OperatorBuilder& ops, const Indices& in) {
                                         return compose::trilu(ops, in[0], upper, k);
                                     }),
                        wanted, 0);
        }
    }
}

TEST_CASE("reverse_sequence reverses the start of each sequence", "[compose][indexing]") {
    const Data lengths{DType::kI32, {3}, {1, 4, 2}};
    for (const auto& [batch_axis, time_axis] :
         {std::pair<std::size_t, std::size_t>{0, 1}, {1, 0}, {2, 0}, {1, 2}}) {
        Shape shape(3, 2);
        shape[batch_axis] = 3;
        shape[time_axis] = 4;
        const Data x = random_reals(shape);
        const Array from(x);
        const std::size_t batch = batch_axis, time = time_axis;
        const Array wanted = array_of(shape, [&](const Shape& at) {
            Shape source = at;
            const auto length =
                static_cast<std::int64_t>(lengths.values[static_cast<std::size_t>(at[batch])]);
            if (at[time] < length) source[time] = length - 1 - at[time];
            return from[source];
        });
        check_both(
            x, lengths, wanted,
            [&](OperatorBuilder& ops, TensorIndex in, const KnownIndices& list) {
                return compose::reverse_sequence(ops, in, list.values, batch, time);
            },
            [&](OperatorBuilder& ops, TensorIndex in, TensorIndex list) {
                return compose::reverse_sequence(ops, in, list, batch, time);
            });
    }
}

}  // namespace okksim::tests
