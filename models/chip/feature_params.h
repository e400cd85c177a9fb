// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "isa/features.h"
#include "models/common/parameter.h"

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

template <typename Params, typename Visitor>
void describe_features(Params& p, Visitor&& v) {
    // Every machine file must say whether the machine has the API reference's functions. Other
    // groups are absent unless the file names them.
    const auto standard = [](isa::Feature feature) {
        return feature == isa::Feature::kBase ? std::nullopt : std::optional<double>(0);
    };
#define OKKSIM_FEATURE(name, key, needs, meaning) \
    v(p.key, #key, ParameterInfo{"-", 0, 1, meaning, standard(isa::Feature::name)});
#include "isa/features.def"
#undef OKKSIM_FEATURE
}

}  // namespace okksim::models
