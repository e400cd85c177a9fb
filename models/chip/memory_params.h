// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "isa/types.h"
#include "models/common/parameter.h"
#include "models/dram/dram_params.h"

namespace okksim::models {

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

}  // namespace okksim::models
