// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/fourier/fourier_transform.h"
#include "kernels/planning/decisions.h"

/// One-dimensional discrete Fourier transforms, not normalised (TOSA 1.0.1, 2.3.6). They run in the
/// lanes. If they are too long or too few for that, they run in two passes through L2-SRAM.
namespace okksim::kernels {

/// Planner: the fastest way.
TransformPlan plan_transform(const Transform& transform, Host& host);
/// All plans that plan_transform() chooses from, each with its fastest passes.
std::vector<TransformPlan> transform_candidates(const Transform& transform, Host& host);
/// All plans in the lanes; none if not even one line fits.
std::vector<LanePlan> lane_candidates(const Transform& transform, const isa::MachineShape& machine);

/// The parts of one line's transform over a matrix at `memory`: columns with factors, then rows.
/// Some rows have one more result than others.
std::vector<Transform> two_passes(const Transform& transform, std::int32_t columns,
                                  std::int64_t batch, std::int64_t line, std::uint64_t memory);

/// Firmware.
void run_transform(const Transform& transform, const TransformPlan& plan);

}  // namespace okksim::kernels
