// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sim/graph/graph.h"
#include "tests/reference/tosa/value.h"

namespace okksim::reference {

using sim::graph::OpCode;

/// An operator with its operands. Outputs have their type and shape and hold zeros.
struct Node {
    const sim::graph::Operator& op;
    std::vector<const Value*> in;
    std::vector<Value*> out;
    bool bounds = false;  ///< fill Value::bound where the operator has one

    template <typename T>
    const T& attributes() const {
        return op.attributes_as<T>();
    }
};

/// Limit of an integer type's range as a value; bool has 0 and 1.
std::int64_t lowest(DType type);
std::int64_t highest(DType type);
/// The low bits of `value` as a number of the type.
std::int64_t wrap(DType type, std::int64_t value);
double maximum(double a, double b, bool ignore_nan);
double minimum(double a, double b, bool ignore_nan);
/// (value * multiplier + rounding) >> shift (4.5.5); both scales.
std::int64_t apply_scale(std::int64_t value, std::int64_t multiplier, int shift, bool double_round);

/// Magnitudes for the bound of a dot product (1.10.3): all equal to the largest one unless `local`.
/// The smallest normal number is no lower limit here, so the bound of zeros is zero, as in the
/// vectors.
std::vector<double> bound_magnitudes(const Value& value, bool local);

// One function per group of operators; each evaluates the operator's pseudo-code position by
// position.
void elementwise(const Node& node);  ///< sections 2.4 to 2.8, but TABLE
void convolution(const Node& node);  ///< CONV2D, CONV3D, DEPTHWISE_, TRANSPOSE_CONV2D, MATMUL
void reduction(const Node& node);    ///< section 2.9 and ARGMAX
void pooling(const Node& node);      ///< AVG_POOL2D, MAX_POOL2D
void fourier(const Node& node);      ///< FFT2D, RFFT2D
void data_layout(const Node& node);  ///< sections 2.10, 2.11
void resize(const Node& node);       ///< RESIZE
void conversion(const Node& node);   ///< CAST, RESCALE, TABLE

}  // namespace okksim::reference
