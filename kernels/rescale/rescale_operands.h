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

/// RESCALE's operands and attributes (TOSA 1.0.1, 2.13.2) in the form that arithmetic takes them
/// in.
namespace okksim::kernels {

/// How the values of an operand are come by: the control processor reads them, or a planner knows
/// them.
using ReadValues = std::function<std::vector<std::int64_t>(const DeviceTensor&)>;

/// Multipliers with their shifts, one or one per channel. Throws ProgramFault (unpredictable) when
/// one is out of its range.
std::vector<prim::ScaleFactor> read_factors(const OperatorCall& call,
                                            const ReadValues& read = all_values);
prim::ScaleRounding scale_rounding(const OperatorCall& call);
/// The input's zero point, of an unsigned type where the attributes say so.
std::int64_t input_zero_point(const OperatorCall& call, const ReadValues& read = all_values);
/// Range and zero point of `type`, the output's.
prim::ScaleOutput scale_output(const OperatorCall& call, tosa::DType type,
                               const ReadValues& read = all_values);
/// How scaled values are held, fp32 integers or int32 words.
WordForm scaled_form(const OperatorCall& call, tosa::DType type);

/// Constants per channel at most: a factor, its digits, double rounding, tie positions.
inline constexpr std::size_t kMostScaleRows = 16;

/// Puts constants at an address by the control processor's own stores.
void store_rows(std::uint64_t address, std::span<const float> values);
/// Puts constants into L2-SRAM by the control processor's own stores, after all earlier commands,
/// and gives their address. They are valid until the next call.
std::uint64_t place_on_chip(std::span<const float> values);

}  // namespace okksim::kernels
