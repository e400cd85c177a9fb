// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "sim/machine/machine.h"
#include "sim/trace/engine_list.h"

namespace okksim::tests {

/// Engines in accounts of the reference machine.
inline constexpr std::size_t kGdma = 0, kBdc = 1, kMcu = 2;

inline sim::trace::EngineList reference_engines() {
    return sim::trace::EngineList(sim::load_machine("bm1684").params);
}

}  // namespace okksim::tests
