// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sim/study/sweep/sweep_spec.h"

namespace okksim::tests {

/// A specification with a workload that is never loaded.
inline sim::sweep::SweepSpec spec_of(const std::string& text) {
    return sim::sweep::parse_sweep(text + "\n[[workload]]\ntrace = \"none.trace\"\n", "s.toml",
                                   sim::load_machine("bm1684"));
}

}  // namespace okksim::tests
