// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "isa/types.h"

namespace okksim::isa {

/// ISA extension that a machine has or lacks.
enum class Feature : std::uint8_t {
#define OKKSIM_FEATURE(name, ...) name,
#include "isa/features.def"
#undef OKKSIM_FEATURE
};

constexpr std::uint32_t feature_bit(Feature feature) {
    return std::uint32_t{1} << static_cast<unsigned>(feature);
}

/// A feature as machine files and messages name it.
struct FeatureInfo {
    Feature feature;
    const char* key;      ///< of the section [features]
    std::uint32_t needs;  ///< bits of the extensions that this one requires
    const char* meaning;
};
inline constexpr auto kFeatures = std::to_array<FeatureInfo>({
#define OKKSIM_FEATURE(name, key, needs, meaning) {Feature::name, #key, needs, meaning},
#include "isa/features.def"
#undef OKKSIM_FEATURE
});

/// Bits of all ISA extensions.
inline constexpr std::uint32_t kAllFeatures = (std::uint32_t{1} << kFeatures.size()) - 1;

constexpr bool has_feature(const MachineShape& machine, Feature feature) {
    return (machine.features & feature_bit(feature)) != 0;
}

constexpr const FeatureInfo& feature_info(Feature feature) {
    return kFeatures[static_cast<std::size_t>(feature)];
}

}  // namespace okksim::isa
