// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "models/bdc/bdc_params.h"
#include "models/chip/chip_params.h"
#include "models/chip/compatibility_params.h"
#include "models/chip/energy_params.h"
#include "models/chip/feature_params.h"
#include "models/chip/machine_params.h"
#include "models/chip/memory_params.h"
#include "models/common/parameter_rows.h"
#include "models/dram/channel_count.h"
#include "models/dram/dram_params.h"
#include "models/gdma/gdma_params.h"
#include "models/mcu/host_params.h"
#include "models/mcu/mcu_params.h"

namespace okksim::models {

/// Section of the machine file that has the key of a parameter.
enum class KeySection : std::uint8_t {
    kOwn,       ///< that of the struct
    kFeatures,  ///< [features]: parameters of instruction groups, whichever unit uses them
};

// describe_<table><kKeys>(params, visitor) calls `visitor(field, key, info)` for every row of the
// table whose key is in that section.
namespace rows {

#define OKKSIM_DESCRIBE_PARAMETER(type, key, initial, unit, low, high, default, group, meaning) \
    if constexpr ((group).in_features == (kKeys == KeySection::kFeatures)) {                    \
        v(p.key, #key, info(unit, low, high, default, group, meaning));                         \
    }
#define OKKSIM_PARAMETER(...)                          \
    OKKSIM_PARAMETER_CHECK(#__VA_ARGS__)               \
    OKKSIM_PARAMETER_VALUES(#__VA_ARGS__, __VA_ARGS__) \
    OKKSIM_DESCRIBE_PARAMETER(__VA_ARGS__)
#define OKKSIM_PARAMETERS_OF(base, table) describe_##table<kKeys>(p, v);

template <KeySection kKeys, typename Params, typename Visitor>
void describe_system_memory(Params& p, Visitor& v) {
#include "models/chip/system_memory_params.def"
}
template <KeySection kKeys, typename Params, typename Visitor>
void describe_bandwidth(Params& p, Visitor& v) {
#include "models/dram/bandwidth_params.def"
}
template <KeySection kKeys, typename Params, typename Visitor>
void describe_chip(Params& p, Visitor& v) {
#include "models/chip/chip_params.def"
}
template <KeySection kKeys, typename Params, typename Visitor>
void describe_l2(Params& p, Visitor& v) {
#include "models/chip/l2_params.def"
}
template <KeySection kKeys, typename Params, typename Visitor>
void describe_global_memory(Params& p, Visitor& v) {
#include "models/chip/global_memory_params.def"
}
template <KeySection kKeys, typename Params, typename Visitor>
void describe_mcu(Params& p, Visitor& v) {
#include "models/mcu/mcu_params.def"
}
template <KeySection kKeys, typename Params, typename Visitor>
void describe_host(Params& p, Visitor& v) {
#include "models/mcu/host_params.def"
}
template <KeySection kKeys, typename Params, typename Visitor>
void describe_bdc(Params& p, Visitor& v) {
#include "models/bdc/bdc_params.def"
}
template <KeySection kKeys, typename Params, typename Visitor>
void describe_gdma(Params& p, Visitor& v) {
#include "models/gdma/gdma_params.def"
}
template <KeySection kKeys, typename Params, typename Visitor>
void describe_dram(Params& p, Visitor& v) {
#include "models/dram/dram_params.def"
}
template <KeySection kKeys, typename Params, typename Visitor>
void describe_compatibility(Params& p, Visitor& v) {
#include "models/chip/compatibility_params.def"
}
template <KeySection kKeys, typename Params, typename Visitor>
void describe_energy(Params& p, Visitor& v) {
#include "models/chip/energy_params.def"
}
template <KeySection kKeys, typename Params, typename Visitor>
void describe_area(Params& p, Visitor& v) {
#include "models/chip/area_params.def"
}
#undef OKKSIM_PARAMETER
#undef OKKSIM_PARAMETERS_OF
#undef OKKSIM_DESCRIBE_PARAMETER

template <KeySection kKeys, typename Params, typename Visitor>
void describe_features(Params& p, Visitor& v) {
    if constexpr (kKeys == KeySection::kOwn) {
        // Every machine file must say whether the machine has the API reference's functions. Other
        // groups are absent unless the file names them.
#define OKKSIM_FEATURE(name, key, needs, meaning)                                                \
    v(p.key, #key,                                                                               \
      info("-", 0, 1, isa::Feature::name == isa::Feature::kBase ? required : standard(0), every, \
           meaning));
#include "isa/features.def"
#undef OKKSIM_FEATURE
    }
}

/// The parameters of all sections whose keys are in [features].
template <typename Params, typename Visitor>
void describe_group_parameters(Params& p, Visitor& v) {
#define OKKSIM_SECTION(name, type, table, ...) describe_##table<KeySection::kFeatures>(*p.name, v);
#include "models/chip/machine_sections.def"
#undef OKKSIM_SECTION
}

}  // namespace rows

/// Calls `visitor.section(name, meaning)` and then `visitor(field, key, info)` for every parameter.
template <typename Params, typename Visitor>
void describe_machine(Params& p, Visitor& v) {
#define OKKSIM_SECTION(name, type, table, meaning)         \
    v.section(#name, meaning);                             \
    rows::describe_##table<KeySection::kOwn>(*p.name, v);  \
    if constexpr (std::string_view(#name) == "features") { \
        rows::describe_group_parameters(p, v);             \
    }
#include "models/chip/machine_sections.def"
#undef OKKSIM_SECTION
    for (auto& memory : *p.memories) {
        const std::string section = "memory." + memory.name;
        v.section(section.c_str(), "additional system memory");
        rows::describe_system_memory<KeySection::kOwn>(memory, v);
        rows::describe_bandwidth<KeySection::kOwn>(memory.port, v);
    }
}

}  // namespace okksim::models
