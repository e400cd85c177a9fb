// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "isa/types.h"
#include "models/common/parameter_field.h"
#include "models/dram/dram_params.h"

namespace okksim::models {

// A struct inherits the rows of another table.
#define OKKSIM_PARAMETERS_OF(...)

/// One system memory: its address range and the part that the firmware may use.
struct SystemMemoryParams {
#define OKKSIM_PARAMETER OKKSIM_PARAMETER_FIELD
#include "models/chip/system_memory_params.def"
#undef OKKSIM_PARAMETER

    isa::MemoryRegion region() const {
        return {static_cast<std::uint64_t>(start), static_cast<std::uint64_t>(bytes)};
    }
};

/// A system memory other than the three that okk.h names. GDMA and the control processor reach it
/// by its addresses.
struct NamedMemoryParams : SystemMemoryParams {
    std::string name;
    BandwidthParams port;
};

/// Global memory and the part that host allocations come from.
struct GlobalMemoryParams : SystemMemoryParams {
#define OKKSIM_PARAMETER OKKSIM_PARAMETER_FIELD
#include "models/chip/global_memory_params.def"
#undef OKKSIM_PARAMETER
};

/// L2-SRAM: the part that firmware sees, and the firmware library's lookup tables.
struct L2Params : SystemMemoryParams {
#define OKKSIM_PARAMETER OKKSIM_PARAMETER_FIELD
#include "models/chip/l2_params.def"
#undef OKKSIM_PARAMETER
};

#undef OKKSIM_PARAMETERS_OF

}  // namespace okksim::models
