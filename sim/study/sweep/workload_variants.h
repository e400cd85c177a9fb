// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/study/sweep/axis.h"
#include "sim/study/sweep/point_names.h"
#include "sim/study/sweep/workload_spec.h"

namespace okksim::sim::sweep {

/// True if the parameter is a property of a network, such as its precision, not of a machine.
bool is_of_workload(const std::string& path);

/// Replaces axes of properties of networks by variants of every network of the zoo, because such an
/// axis makes no machines: "mobilenet_v2 fp32", "mobilenet_v2 int8". ConfigError with `where` for
/// an axis that also varies a machine, that has no list of values, or that no workload follows.
void make_variants(std::vector<WorkloadSpec>& workloads, std::vector<Axis>& axes,
                   const std::string& where);

/// Gives a point of an older okksim, whose settings contain properties of networks, the name of its
/// variant. Its settings are then those of the machine.
void name_variant(const std::vector<WorkloadSpec>& workloads, std::string& workload,
                  PointSettings& settings);

}  // namespace okksim::sim::sweep
