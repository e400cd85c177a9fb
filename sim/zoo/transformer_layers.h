// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/zoo/network_builder.h"

namespace okksim::sim::zoo {

/// factor * A B for A [N,H,C] and B [N,C,W], with what is expected of the result.
Feature matmul(NetworkBuilder& b, const Feature& left, const Feature& right, double factor,
               const Moments& expected);
/// Softmax over the last axis, in fp32 or, quantised, in int32 with a table of exponentials and
/// one of reciprocals; at most 512 elements. int8 results are units of 1/256.
Feature softmax(NetworkBuilder& b, const Feature& x);
/// Layer normalisation over the last axis with seeded scale and offset: in fp32, or in int32 with
/// a table of reciprocal square roots.
Feature layer_norm(NetworkBuilder& b, const Feature& x);

}  // namespace okksim::sim::zoo
