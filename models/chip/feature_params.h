// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/features.h"

namespace okksim::models {

/// Instruction groups that the machine has: one flag per row of isa/features.def.
struct FeatureParams {
#define OKKSIM_FEATURE(name, key, ...) bool key = false;
#include "isa/features.def"
#undef OKKSIM_FEATURE

    /// Feature bits in the form of MachineShape::features.
    std::uint32_t present() const {
        std::uint32_t bits = 0;
#define OKKSIM_FEATURE(name, key, ...) \
    if (key) bits |= isa::feature_bit(isa::Feature::name);
#include "isa/features.def"
#undef OKKSIM_FEATURE
        return bits;
    }
};

}  // namespace okksim::models
