// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "kernels/layers/byte_program.h"
#include "kernels/layers/native_program.h"
#include "sim/planning/layer_fold.h"

/// What folded operators compute, from the values of their constants.
namespace okksim::sim::planning {

/// The program of a function; nullptr where there is none, or where the specification's conditions
/// (REQUIRE) depend on data.
std::shared_ptr<const kernels::layers::ByteProgram> program_of(
    const graph::Block& block, const FoldedOperator& function,
    std::span<const std::int32_t> offsets);

/// The same for a machine with commands on packed maps: of functions of bytes, and of convolutions
/// whose sums are scaled.
std::shared_ptr<const kernels::layers::NativeProgram> native_program_of(
    const graph::Block& block, const FoldedOperator& layer);

/// A convolution of int8 whose sums, with all that they are on the way, fp32 holds.
bool has_short_sums(const graph::Block& block, const graph::Operator& op,
                    std::span<const std::int32_t> offsets);

}  // namespace okksim::sim::planning
