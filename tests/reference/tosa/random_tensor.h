// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/reference/tosa/value.h"
#include "tests/support/random_source.h"

namespace okksim::tests {

/// Distribution of the elements of a random tensor.
struct Domain {
    double low = -4.0, high = 4.0;         ///< of floating-point elements
    std::int64_t lowest = 0, highest = 0;  ///< of integers; equal: the whole type
    bool specials = false;                 ///< also NaN, infinities, zeros of both signs, ties
    bool no_nan = false;                   ///< of the specials
};

/// Random elements that the type can represent, without denormals, which operators may flush.
reference::Value random_value(sim::graph::DType type, const sim::graph::Shape& shape,
                              const Domain& domain, RandomSource& random);

}  // namespace okksim::tests
