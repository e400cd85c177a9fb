// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "sim/graph/operator_builder.h"

namespace okksim::tests {

using sim::graph::DType;
using sim::graph::OperatorBuilder;
using sim::graph::Shape;
using sim::graph::TensorIndex;

/// A tensor of a test; integers and kBool as numbers.
struct Data {
    DType type = DType::kFp32;
    Shape shape;
    std::vector<double> values;
};
/// An fp32 tensor [n].
Data reals(std::vector<double> values);
/// Seeded values in [-range, range], rounded to the type.
Data random_reals(Shape shape, double range = 1, DType type = DType::kFp32);
Data random_integers(Shape shape, int low, int high, DType type = DType::kI32);

using Indices = std::vector<TensorIndex>;
using Composition = std::function<Indices(OperatorBuilder&, const Indices&)>;

/// Builds a graph of run-time inputs and the composition, validates it, and evaluates it with the
/// reference executor, which rounds every result to its type.
std::vector<Data> evaluate(const std::vector<Data>& inputs, const Composition& compose);
/// Evaluates a composition with one result.
Data evaluate_one(const std::vector<Data>& inputs,
                  const std::function<TensorIndex(OperatorBuilder&, const Indices&)>& compose);
/// Operators of the last graph, without constants.
std::size_t last_operator_count();

/// Checks every element: |result - wanted| <= relative |wanted| + absolute. NaN equals NaN, and
/// infinities are equal.
void check_close(const Data& result, const std::vector<double>& wanted, double relative = 1e-5,
                 double absolute = 1e-6);
void check_equal(const Data& result, const std::vector<double>& wanted);

/// Adds a constant of the data.
TensorIndex constant(OperatorBuilder& ops, const Data& data);

}  // namespace okksim::tests
