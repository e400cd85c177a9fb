// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "isa/features.h"
#include "isa/types.h"
#include "models/common/parameter.h"
#include "models/dram/dram_params.h"

namespace okksim::models {

/// Lanes and their local memory.
struct ChipParams {
    std::int64_t lanes = 0;
    std::int64_t local_memory_bytes = 0;
    std::int64_t local_memory_banks = 0;
    double bank_interference = 0;
    std::int64_t local_memory_start = 0;
    std::int64_t vector_words = 0;
    std::int64_t compute_engines = 1;
};

template <typename Params, typename Visitor>
void describe_chip(Params& p, Visitor&& v) {
    v(p.lanes, "lanes", ParameterInfo{"-", 1, 1024, "NPU lanes"});
    v(p.local_memory_bytes, "local_memory_bytes",
      ParameterInfo{"bytes", 1024, 16777216,
                    "local memory of one lane; a multiple of vector * banks"});
    v(p.local_memory_banks, "local_memory_banks",
      ParameterInfo{"-", 1, 64, "banks of one lane's local memory"});
    v(p.bank_interference, "bank_interference",
      ParameterInfo{
          "-", 0, 1,
          "share of the time of a simultaneous bank access that the later command loses"});
    v(p.local_memory_start, "local_memory_start",
      ParameterInfo{"address", 0, 4294967295.0, "value of okk_local_mem_start_addr()"});
    v(p.vector_words, "vector_words",
      ParameterInfo{"words", 1, 1024,
                    "32-bit words of a vector, the unit of aligned layouts (okk_eu_num())"});
    v(p.compute_engines, "compute_engines",
      ParameterInfo{"-", 1, 64, "compute engines on the lanes, each with a separate queue", 1});
}

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

/// One system memory: its address range and the part that the firmware may use.
struct SystemMemoryParams {
    std::int64_t start = 0;
    std::int64_t bytes = 0;

    isa::MemoryRegion region() const {
        return {static_cast<std::uint64_t>(start), static_cast<std::uint64_t>(bytes)};
    }
};

template <typename Params, typename Visitor>
void describe_system_memory(Params& p, Visitor&& v) {
    v(p.start, "start", ParameterInfo{"address", 0, 9.0e15, "first system address"});
    v(p.bytes, "bytes", ParameterInfo{"bytes", 4096, 1.2e12, "size"});
}

/// A system memory other than the three that okk.h names. GDMA and the control processor reach it
/// by its addresses.
struct NamedMemoryParams : SystemMemoryParams {
    std::string name;
    BandwidthParams port;
};

template <typename Params, typename Visitor>
void describe_named_memory(Params& p, Visitor&& v) {
    describe_system_memory(p, v);
    describe_bandwidth(p.port, v);
}

/// Global memory and the part that host allocations come from.
struct GlobalMemoryParams : SystemMemoryParams {
    std::int64_t reserved_bytes = 0;
};

template <typename Params, typename Visitor>
void describe_global_memory(Params& p, Visitor&& v) {
    describe_system_memory(p, v);
    v(p.reserved_bytes, "reserved_bytes",
      ParameterInfo{"bytes", 0, 1.2e12, "bytes before the first host allocation"});
}

/// L2-SRAM: the part that firmware sees, and the firmware library's lookup tables.
struct L2Params : SystemMemoryParams {
    std::int64_t lookup_table_start = 0;
    std::int64_t lookup_table_bytes = 0;
};

template <typename Params, typename Visitor>
void describe_l2(Params& p, Visitor&& v) {
    describe_system_memory(p, v);
    v(p.lookup_table_start, "lookup_table_start",
      ParameterInfo{"address", 0, 9.0e15, "value of okk_lookup_table_start_addr()"});
    v(p.lookup_table_bytes, "lookup_table_bytes",
      ParameterInfo{"bytes", 0, 1.2e12, "value of okk_lookup_table_size()"});
}

/// Behaviours of the vendor's software kit that contradict the API reference.
struct CompatibilityParams {
    bool sdk_quirks = false;
    bool strict_limits = false;
};

template <typename Params, typename Visitor>
void describe_compatibility(Params& p, Visitor&& v) {
    v(p.sdk_quirks, "sdk_quirks",
      ParameterInfo{"-", 0, 1, "follow the vendor's kit where it contradicts the API reference"});
    v(p.strict_limits, "strict_limits",
      ParameterInfo{
          "-", 0, 1,
          "sizes beyond the API reference are faults, also those that the vendor's models accept"});
}

}  // namespace okksim::models
