// SPDX-License-Identifier: Apache-2.0
// Moves of elements against the definitions.
#include <algorithm>
#include <numeric>

#include "sim/graph/compose/moves.h"
#include "tests/sim/graph/compose_array.h"

namespace okksim::tests {

namespace {

namespace compose = sim::graph::compose;
using compose::BlockOrder;
using compose::PadMode;

using Move = std::function<TensorIndex(OperatorBuilder&, TensorIndex)>;

/// Checks a move of fp32, i8, i32 and bool elements. `source` is the position that an element of
/// the result copies, or empty for `other`.
template <typename Source>
void check_move(const Shape& shape, const Shape& result, const Move& move, const Source& source,
                double other = 0) {
    INFO(sim::graph::shape_text(shape) << " " << sim::graph::shape_text(result));
    for (const DType type : {DType::kFp32, DType::kI8, DType::kI32, DType::kBool}) {
        const Data x =
            type == DType::kFp32 ? random_reals(shape) : random_integers(shape, 0, 1, type);
        const Array from(x);
        const Array wanted = array_of(result, [&](const Shape& at) {
            const Shape place = source(at);
            return place.empty() ? other : from[place];
        });
        check_array(evaluate_one({x}, [&](OperatorBuilder& ops,
                                          const Indices& in) { return move(ops, in[0]); }),
                    wanted, 0);
    }
}

}  // namespace

TEST_CASE("expand broadcasts in both directions", "[compose][moves]") {
    struct Case {
        Shape x, shape, result;
    };
    for (const Case& c : {Case{{3}, {2, 3}, {2, 3}}, Case{{2, 1, 3}, {4, 1}, {2, 4, 3}},
                          Case{{}, {2, 2}, {2, 2}}, Case{{1, 3}, {1, 2, 1, 1}, {1, 2, 1, 3}}}) {
        CHECK(compose::broadcast_shape(c.x, c.shape) == c.result);
        check_move(
            c.x, c.result,
            [&](OperatorBuilder& ops, TensorIndex x) { return compose::expand(ops, x, c.shape); },
            [&](const Shape& at) {
                Shape place(at.end() - static_cast<std::ptrdiff_t>(c.x.size()), at.end());
                for (std::size_t i = 0; i < place.size(); ++i) place[i] %= c.x[i];
                if (place.empty()) place.push_back(0);
                return place;
            });
    }
}

TEST_CASE("tile repeats tensors, repeat repeats elements", "[compose][moves]") {
    check_move(
        {2, 3}, {4, 9},
        [](OperatorBuilder& ops, TensorIndex x) {
            return compose::tile(ops, x, {2, 3});
        },
        [](const Shape& at) {
            return Shape{at[0] % 2, at[1] % 3};
        });
    check_move(
        {2, 3, 2}, {2, 12, 2},
        [](OperatorBuilder& ops, TensorIndex x) { return compose::repeat(ops, x, 1, 4); },
        [](const Shape& at) {
            return Shape{at[0], at[1] / 4, at[2]};
        });
}

TEST_CASE("padding copies the elements of its mode", "[compose][moves]") {
    struct Case {
        Shape x, padding;
        PadMode mode;
    };
    const std::vector<Case> cases{
        {{4}, {2, 3}, PadMode::kConstant},        {{3, 4}, {1, -1, -2, 3}, PadMode::kConstant},
        {{5}, {4, 2}, PadMode::kReflect},         {{3, 4}, {2, 1, 0, 3}, PadMode::kReflect},
        {{3}, {5, 7}, PadMode::kReflect},         {{3, 2}, {3, 1, 2, 2}, PadMode::kSymmetric},
        {{4}, {1, 9}, PadMode::kSymmetric},       {{2, 3}, {3, 0, 1, 4}, PadMode::kEdge},
        {{3, 4}, {2, 1, 4, 3}, PadMode::kWrap},   {{3}, {7, 5}, PadMode::kWrap},
        {{5, 6}, {-1, 2, 2, -2}, PadMode::kEdge}, {{5, 6}, {-1, 2, 2, -2}, PadMode::kReflect}};
    for (const Case& c : cases) {
        Shape result, cut, start;
        for (std::size_t i = 0; i < c.x.size(); ++i) {
            start.push_back(std::max<std::int64_t>(-c.padding[2 * i], 0));
            cut.push_back(c.x[i] - start[i] - std::max<std::int64_t>(-c.padding[2 * i + 1], 0));
            result.push_back(c.x[i] + c.padding[2 * i] + c.padding[2 * i + 1]);
        }
        check_move(
            c.x, result,
            [&](OperatorBuilder& ops, TensorIndex x) {
                return compose::pad(ops, x, c.padding, c.mode, 1);
            },
            [&](const Shape& at) {
                Shape place;
                for (std::size_t i = 0; i < at.size(); ++i) {
                    std::int64_t p = at[i] - std::max<std::int64_t>(c.padding[2 * i], 0);
                    // Walks back into the tensor step by step.
                    while (p < 0 || p >= cut[i]) {
                        if (c.mode == PadMode::kConstant) return Shape{};
                        if (c.mode == PadMode::kEdge)
                            p = std::clamp<std::int64_t>(p, 0, cut[i] - 1);
                        if (c.mode == PadMode::kWrap) p += p < 0 ? cut[i] : -cut[i];
                        if (c.mode == PadMode::kReflect) p = p < 0 ? -p : 2 * (cut[i] - 1) - p;
                        if (c.mode == PadMode::kSymmetric) p = p < 0 ? -1 - p : 2 * cut[i] - 1 - p;
                    }
                    place.push_back(p + start[i]);
                }
                return place;
            },
            1);
    }
}

TEST_CASE("padding can have a run-time value", "[compose][moves]") {
    const Data x = random_reals({2, 3}), value = reals({7});
    const Array from(x);
    const Array wanted = array_of({4, 4}, [&](const Shape& at) {
        const Shape place{at[0] - 1, at[1]};
        return from.contains(place) ? from[place] : 7.0;
    });
    check_array(evaluate_one({x, value},
                             [](OperatorBuilder& ops, const Indices& in) {
                                 return compose::pad_with(ops, in[0], {1, 1, 0, 1}, in[1]);
                             }),
                wanted, 0);
}

TEST_CASE("depth moves to space in both orders and layouts", "[compose][moves]") {
    const std::int64_t b = 2, depth = 3;
    for (const BlockOrder order : {BlockOrder::kDcr, BlockOrder::kCrd}) {
        const auto channel = [&](std::int64_t c, std::int64_t i, std::int64_t j) {
            return order == BlockOrder::kDcr ? (i * b + j) * depth + c : (c * b + i) * b + j;
        };
        const auto to_space = [&](std::size_t axis) {
            return [&, axis](OperatorBuilder& ops, TensorIndex x) {
                return compose::depth_to_space(ops, x, b, order, axis);
            };
        };
        check_move({2, 12, 3, 4}, {2, 3, 6, 8}, to_space(1), [&](const Shape& at) {
            return Shape{at[0], channel(at[1], at[2] % b, at[3] % b), at[2] / b, at[3] / b};
        });
        check_move({2, 3, 4, 12}, {2, 6, 8, 3}, to_space(3), [&](const Shape& at) {
            return Shape{at[0], at[1] / b, at[2] / b, channel(at[3], at[1] % b, at[2] % b)};
        });
    }
    const auto to_depth = [&](std::size_t axis) {
        return [&, axis](OperatorBuilder& ops, TensorIndex x) {
            return compose::space_to_depth(ops, x, b, axis);
        };
    };
    check_move({2, 3, 4, 6}, {2, 12, 2, 3}, to_depth(1), [&](const Shape& at) {
        const std::int64_t block = at[1] / depth;
        return Shape{at[0], at[1] % depth, at[2] * b + block / b, at[3] * b + block % b};
    });
    check_move({1, 4, 6, 3}, {1, 2, 3, 12}, to_depth(3), [&](const Shape& at) {
        const std::int64_t block = at[3] / depth;
        return Shape{at[0], at[1] * b + block / b, at[2] * b + block % b, at[3] % depth};
    });
}

TEST_CASE("space moves to batch and back", "[compose][moves]") {
    // Batch element (i * 3 + j) * 2 + n has rows 2 r + i and columns 3 c + j after padding.
    check_move(
        {2, 3, 5, 2}, {12, 2, 3, 2},
        [](OperatorBuilder& ops, TensorIndex x) {
            return compose::space_to_batch_nd(ops, x, {2, 3}, {1, 0, 1, 3}, 1);
        },
        [](const Shape& at) {
            const std::int64_t block = at[0] / 2;
            const Shape place{at[0] % 2, at[1] * 2 + block / 3 - 1, at[2] * 3 + block % 3 - 1,
                              at[3]};
            const bool is_inside = place[1] >= 0 && place[1] < 3 && place[2] >= 0 && place[2] < 5;
            return is_inside ? place : Shape{};
        },
        1);
    check_move(
        {12, 2, 3, 2}, {2, 3, 5, 2},
        [](OperatorBuilder& ops, TensorIndex x) {
            return compose::batch_to_space_nd(ops, x, {2, 3}, {1, 0, 1, 3});
        },
        [](const Shape& at) {
            const std::int64_t row = at[1] + 1, column = at[2] + 1;
            return Shape{(row % 2 * 3 + column % 3) * 2 + at[0], row / 2, column / 3, at[3]};
        });
    check_move(
        {3, 6, 2}, {6, 3, 2},
        [](OperatorBuilder& ops, TensorIndex x) {
            return compose::space_to_batch_nd(ops, x, {2}, {0, 0});
        },
        [](const Shape& at) {
            return Shape{at[0] % 3, at[1] * 2 + at[0] / 3, at[2]};
        });
}

TEST_CASE("split and concat are inverse, also of many parts", "[compose][moves]") {
    const Data x = random_reals({2, 7, 3});
    check_array(
        evaluate_one({x},
                     [](OperatorBuilder& ops, const Indices& in) {
                         return compose::concat(ops, compose::split(ops, in[0], {1, 4, 2}, 1), 1);
                     }),
        Array(x), 0);
    // CONCAT takes at most 64 tensors.
    const Data many = random_reals({130, 2});
    check_array(evaluate_one({many},
                             [](OperatorBuilder& ops, const Indices& in) {
                                 const std::vector<std::int64_t> ones(130, 1);
                                 return compose::concat(ops, compose::split(ops, in[0], ones, 0),
                                                        0);
                             }),
                Array(many), 0);
}

TEST_CASE("roll moves elements around the end", "[compose][moves]") {
    for (const std::int64_t shift : {0, 2, -1, 12}) {
        check_move(
            {2, 5}, {2, 5},
            [&](OperatorBuilder& ops, TensorIndex x) { return compose::roll(ops, x, shift, 1); },
            [&](const Shape& at) {
                return Shape{at[0], (at[1] - shift + 15) % 5};
            });
    }
}

TEST_CASE("col2im adds the columns of all windows", "[compose][moves]") {
    struct Case {
        Shape image;
        compose::Windows windows;
    };
    for (const Case& c :
         {Case{{5, 6}, {{2, 1, 1, 0, 0}, {3, 2, 1, 1, 0}}},
          Case{{7, 7}, {{3, 2, 2, 1, 1}, {2, 3, 1, 0, 0}}}, Case{{6}, {{3, 2, 1, 1, 1}}},
          Case{{4, 3, 5}, {{2}, {2, 1, 1, 1, 0}, {2, 3}}}}) {
        Shape counts, kernel;
        for (std::size_t i = 0; i < c.image.size(); ++i) {
            counts.push_back(compose::window_count(c.windows[i], c.image[i]));
            kernel.push_back(c.windows[i].kernel);
        }
        const std::int64_t taps = compose::extent(kernel);
        const Data x = random_reals({2, 3 * taps, compose::extent(counts)});
        const Array from(x);
        Array wanted(shape_of({2, 3}, c.image, {}));
        for_each({2, 3}, [&](const Shape& map) {
            std::int64_t tap_number = 0;
            for_each(kernel, [&](const Shape& tap) {
                std::int64_t window_number = 0;
                for_each(counts, [&](const Shape& window) {
                    Shape to = map;
                    for (std::size_t i = 0; i < window.size(); ++i) {
                        const auto& axis = c.windows[i];
                        to.push_back(window[i] * axis.stride + tap[i] * axis.dilation -
                                     axis.before);
                    }
                    const std::int64_t row = map[1] * taps + tap_number;
                    if (wanted.contains(to)) wanted[to] += from[{map[0], row, window_number}];
                    ++window_number;
                });
                ++tap_number;
            });
        });
        check_array(evaluate_one({x},
                                 [&](OperatorBuilder& ops, const Indices& in) {
                                     return compose::col2im(ops, in[0], c.image, c.windows);
                                 }),
                    wanted);
    }
}

}  // namespace okksim::tests
