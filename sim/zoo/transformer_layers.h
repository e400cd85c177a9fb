// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/zoo/network_builder.h"

namespace okksim::sim::zoo {

/// Computes factor * A B for A [N,H,C] and B [N,C,W]. `expected` is the distribution of the result.
Feature matmul(NetworkBuilder& b, const Feature& left, const Feature& right, double factor,
               const Moments& expected);
/// Computes the softmax over the last axis in fp32. Quantised, it uses int32 with tables of
/// exponentials and reciprocals, for at most 512 elements. int8 results are in units of 1/256.
Feature softmax(NetworkBuilder& b, const Feature& x);
/// Computes the layer normalisation over the last axis with seeded scale and offset. It uses fp32,
/// or int32 with a table of reciprocal square roots.
Feature layer_norm(NetworkBuilder& b, const Feature& x);

}  // namespace okksim::sim::zoo
