// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "kernels/layers/byte_program.h"
#include "kernels/layers/native_program.h"
#include "sim/planning/layer_fold.h"

/// The programs of folded operators, made from the values of their constants.
namespace okksim::sim::planning {

/// Returns the program of a function. Returns nullptr if there is none, or if conditions of the
/// specification (REQUIRE) depend on data.
std::shared_ptr<const kernels::layers::ByteProgram> program_of(
    const graph::Block& block, const FoldedOperator& function,
    std::span<const std::int32_t> offsets);

/// Returns the program for a machine with commands on packed feature maps. `layer` is a function of
/// bytes, or a convolution whose sums are scaled. Returns nullptr as program_of().
std::shared_ptr<const kernels::layers::NativeProgram> native_program_of(
    const graph::Block& block, const FoldedOperator& layer);

/// True for an int8 convolution whose sums and partial sums are exact in fp32.
bool has_short_sums(const graph::Block& block, const graph::Operator& op,
                    std::span<const std::int32_t> offsets);

}  // namespace okksim::sim::planning
