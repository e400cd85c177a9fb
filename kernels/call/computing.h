// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/call/tensor.h"

/// Charges for the control processor's computing in kernels (firmware/okk_access.h). Each kind of
/// work has a number of instructions, which tests/kernels/computing measures. The machine
/// determines the time of an instruction.
namespace okksim::kernels {

enum class OwnWork : std::uint8_t {
    kCall,             ///< evaluation of a call, and the common start of every kernel
    kArgumentWord,     ///< of the launch's arguments
    kCommand,          ///< address, shape and strides of one more command
    kConvolution,      ///< a convolution is described
    kRound,            ///< local memory and loops of a round of a convolution's channels
    kStep,             ///< of a round of a convolution
    kOutputTile,       ///< of a round of a convolution
    kWidening,         ///< of a tile of a convolution's operand
    kProducts,         ///< of a step, in one pass
    kScaledTile,       ///< a tile of sums is rescaled
    kTransfer,         ///< of a block of a convolution's operands
    kTileLoops,        ///< an element-wise operator sets up
    kTile,             ///< of an element-wise operator
    kTileOperand,      ///< of such a tile
    kFollower,         ///< an operator on the tiles of another one
    kReduction,        ///< a reduction sets up
    kReductionStep,    ///< of a reduction
    kCombination,      ///< of two planes of a reduction or a pool
    kWindowTiles,      ///< tiles of windows set up
    kWindowTile,       ///< of those
    kPool,             ///< a pool sets up
    kPoolStep,         ///< of a pool
    kPoolWindows,      ///< a step of one that a command combines
    kResize,           ///< a RESIZE sets up
    kResizeTile,       ///< of a RESIZE
    kTransform,        ///< a Fourier transform sets up
    kTransformTile,    ///< of a Fourier transform
    kRescale,          ///< a RESCALE computes terms that no plan knew
    kScaleFactor,      ///< of such a RESCALE
    kPhases,           ///< the convolutions that make up a transposed one
    kConstantValue,    ///< of rows of constants
    kRowMoves,         ///< GATHER or SCATTER sets up
    kRowIndex,         ///< of GATHER or SCATTER
    kViolationOfLane,  ///< one lane is checked for violations
    kLayers,           ///< a layer group sets up
    kLayerWork,        ///< part of a layer of a group
    kLayerTap,         ///< a row of a window that is laid out as channels
    kRowCommand,       ///< of a row group of fp32, on a tile
    kCount
};

/// Instructions for one unit of work.
std::uint64_t instructions(OwnWork work);
/// Charges `count` units of work, which the kernel has done or is about to do.
void charge(OwnWork work, std::uint64_t count = 1);
/// From now on every command also charges for the loops around it (OwnWork::kCommand).
void charge_commands();
/// Ends charge_commands().
void end_charging_commands();
/// Charges the start of a kernel: OwnWork::kCall and the words of the call.
void charge_call(const OperatorCall& call);

/// A kernel with its charges: the result of find_operator_kernel().
template <OperatorKernel kernel>
void charged(const OperatorCall& call) {
    charge_call(call);
    charge_commands();
    kernel(call);
    end_charging_commands();
}

}  // namespace okksim::kernels
