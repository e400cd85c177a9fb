// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/tosa/tosa_types.h"

namespace okksim::tosa {

/// Number of useful operations of an operator, by its definition and independent of its kernel.
enum class Work : std::uint8_t {
    kUnknown,               ///< a user's kernel
    kNone,                  ///< moves data, or control flow
    kResults,               ///< one per element of the result
    kReduction,             ///< one per element of the first input
    kPool,                  ///< one per tap of the window and result
    kConvolution,           ///< two per multiply-accumulate; input 1: output channels, then taps
    kDepthwise,             ///< likewise; input 1: height, width, channels, multiplier
    kTransposeConvolution,  ///< likewise; every input element uses all weights of its channel
    kMatmul,                ///< likewise; the last dimension of input 0 is summed
    kFourier,               ///< 5 n log2(n) for the n points of the last two dimensions
    kHalfFourier,           ///< half of that: real input
};

/// Storage order that an operator needs for its inputs and uses for its results.
enum class Storage : std::uint8_t {
    kRowMajor,        ///< results as the specification lists the dimensions, inputs in any order
    kFeatureMap,      ///< input 0 and the result channel first
    kFollowsInput,    ///< result like input 0 (other inputs of its rank should have the same order)
    kRowMajorInputs,  ///< everything row major: a user's kernel
};

/// Ways in which an operator shares a kernel with others.
enum class Fusion : std::uint8_t {
    kAlone,
    kSums,        ///< element-wise operators are applied to its sums
    kScaledSums,  ///< a RESCALE with one factor is applied to its integer sums
    kRescale,     ///< is applied to integer sums
    kBody,        ///< element-wise, with commands on fp32 words
};

/// Elements of its operands that an operator reads for its whole result.
enum class Reads : std::uint8_t {
    kParts,     ///< some, or some that other values select
    kFirst,     ///< all of operand 0
    kFirstTwo,  ///< all of operands 0 and 1
    kAll,       ///< all of every operand
    kElement,   ///< all of operand 0, where an element of the result is computed from the element
                ///< there
    kElements,  ///< the same for operands 0 and 1, which may be broadcast
    kWindows,   ///< what the windows on operand 0 cover, and all weights
};

/// Formula for the least work of the compute engine (sim/bound).
enum class Bound : std::uint8_t {
    kNoBound,  ///< no work: copies, views, control flow, and operators that other units execute
    kElementBound,
    kReductionBound,  ///< like kElementBound; a reduction of one element is a copy
    kMatmulBound,
    kConvolutionBound,
    kDepthwiseBound,
    kMeanBound,
    kMaximumBound,
};

/// The layer that an operator is in a layer group (kernels/layers). Element-wise operators become
/// layers by their column `fusion`.
enum class LayerFamily : std::uint8_t {
    kNoLayer,
    kConvolutionLayer,
    kDepthwiseLayer,
    kMeanLayer,
    kMaximumLayer,
    kConcatLayer,
    kCropLayer,
};

/// True if operators are applied to its sums.
constexpr bool gives_sums(Fusion fusion) {
    return fusion == Fusion::kSums || fusion == Fusion::kScaledSums;
}

/// True if the work of an operator is multiply-accumulates, of which each counts twice.
constexpr bool multiplies_and_adds(Work work) {
    return work == Work::kConvolution || work == Work::kDepthwise ||
           work == Work::kTransposeConvolution || work == Work::kMatmul;
}

/// Properties of an operator from operators.def.
struct OperatorRow {
    OpCode op;
    Work work;
    Storage storage;
    Fusion fusion;
    /// Operands that it reads element by element in a shared kernel; the others are constants.
    int leading_operands;
    Reads reads;
    Bound bound;
    LayerFamily layer;
};

/// The row of an operator.
const OperatorRow& operator_row(OpCode op);

}  // namespace okksim::tosa
