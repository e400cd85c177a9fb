// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "sim/graph/compose/host_values.h"
#include "tests/sim/graph/compose_support.h"
#include "tests/support/catch.h"

namespace okksim::tests {

/// A tensor of doubles with access by position, for the loops of definitions.
struct Array {
    Shape shape;
    std::vector<double> values;

    explicit Array(Shape s, double value = 0)
        : shape(std::move(s)),
          values(static_cast<std::size_t>(sim::graph::compose::extent(shape)), value) {}
    explicit Array(const Data& data) : shape(data.shape), values(data.values) {}

    std::size_t flat(const Shape& at) const {
        std::int64_t index = 0;
        for (std::size_t i = 0; i < shape.size(); ++i) index = index * shape[i] + at[i];
        return static_cast<std::size_t>(index);
    }
    double& operator[](const Shape& at) { return values[flat(at)]; }
    double operator[](const Shape& at) const { return values[flat(at)]; }
    bool contains(const Shape& at) const {
        for (std::size_t i = 0; i < shape.size(); ++i) {
            if (at[i] < 0 || at[i] >= shape[i]) return false;
        }
        return true;
    }
};

/// Calls visit(position) for every position of a shape.
template <typename Visit>
void for_each(const Shape& shape, const Visit& visit) {
    Shape at(shape.size(), 0);
    do {
        visit(static_cast<const Shape&>(at));
    } while (sim::graph::compose::next_position(at, shape));
}

/// Makes an array from a function of the position.
template <typename Value>
Array array_of(const Shape& shape, const Value& value) {
    Array result(shape);
    for_each(shape, [&](const Shape& at) { result[at] = value(at); });
    return result;
}

inline Shape shape_of(std::initializer_list<std::int64_t> front, const Shape& middle,
                      std::initializer_list<std::int64_t> back) {
    Shape result(front);
    result.insert(result.end(), middle.begin(), middle.end());
    result.insert(result.end(), back.begin(), back.end());
    return result;
}

inline void check_array(const Data& result, const Array& wanted, double tolerance = 1e-5) {
    CHECK(result.shape == wanted.shape);
    check_close(result, wanted.values, tolerance, tolerance);
}

/// Returns a RESCALE of i48 to i32 by 1 = 2^14 / 2^14.
inline std::function<TensorIndex(TensorIndex)> narrowed(OperatorBuilder& ops) {
    return [&ops](TensorIndex x) {
        using namespace sim::graph;
        RescaleAttributes attributes;
        attributes.rounding_mode = RoundingMode::kSingleRound;
        const TensorList operands{x, ops.number(DType::kI16, 1, 1 << 14),
                                  ops.number(DType::kI8, 1, 14), ops.number(DType::kI48, 1, 0),
                                  ops.number(DType::kI32, 1, 0)};
        return ops.block().add(OpCode::kRescale, attributes, operands, DType::kI32, ops.shape(x),
                               "narrowed");
    };
}

}  // namespace okksim::tests
