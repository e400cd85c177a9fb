// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kernels/call/constant_values.h"
#include "kernels/call/tensor.h"
#include "kernels/prim/rescale.h"
#include "kernels/transfer/tile_io.h"

/// Converts RESCALE's operands and attributes (TOSA 1.0.1, 2.13.2) to the form that arithmetic
/// needs.
namespace okksim::kernels {

/// Returns the values of an operand: the control processor reads them, or a planner knows them.
using ReadValues = std::function<std::vector<std::int64_t>(const DeviceTensor&)>;

/// Returns multipliers with their shifts, one or one per channel. Throws ProgramFault
/// (unpredictable) if one is out of range.
std::vector<prim::ScaleFactor> read_factors(const OperatorCall& call,
                                            const ReadValues& read = all_values);
prim::ScaleRounding scale_rounding(const OperatorCall& call);
/// The input's zero point, of an unsigned type if the attributes say so.
std::int64_t input_zero_point(const OperatorCall& call, const ReadValues& read = all_values);
/// Range and zero point of the output type `type`.
prim::ScaleOutput scale_output(const OperatorCall& call, tosa::DType type,
                               const ReadValues& read = all_values);
/// Form of scaled values: fp32 integers or int32 words.
WordForm scaled_form(const OperatorCall& call, tosa::DType type);

/// Most constants per channel: a factor, its digits, double rounding, tie positions.
inline constexpr std::size_t kMostScaleRows = 16;

/// Stores constants at an address with the control processor.
void store_rows(std::uint64_t address, std::span<const float> values);
/// Stores constants in L2-SRAM with the control processor, after all earlier commands, and returns
/// their address. They are valid until the next call.
std::uint64_t place_on_chip(std::span<const float> values);

}  // namespace okksim::kernels
