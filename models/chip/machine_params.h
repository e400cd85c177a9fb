// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "isa/types.h"
#include "models/common/section.h"

namespace okksim::models {

struct AreaParams;
struct BandwidthParams;
struct BdcParams;
struct ChipParams;
struct CompatibilityParams;
struct DramParams;
struct EnergyParams;
struct FeatureParams;
struct GdmaParams;
struct GlobalMemoryParams;
struct HostParams;
struct L2Params;
struct McuParams;
struct NamedMemoryParams;
struct SystemMemoryParams;

/// The complete description of a machine: one struct per section of the machine file. A source that
/// reads a section includes the header of its struct.
struct MachineParams {
    Section<ChipParams> chip;
    Section<FeatureParams> features;
    Section<L2Params> l2;
    Section<SystemMemoryParams> dtcm;
    Section<GlobalMemoryParams> global;
    Section<McuParams> mcu;
    Section<HostParams> host;
    Section<BdcParams> bdc;
    Section<GdmaParams> gdma;
    Section<DramParams> dram;
    Section<BandwidthParams> l2_port;
    Section<CompatibilityParams> compat;
    Section<EnergyParams> energy;
    Section<AreaParams> area;
    Section<std::vector<NamedMemoryParams>> memories;  ///< sections [memory.NAME], by name

    /// Machine shape that commands are laid out and checked against.
    isa::MachineShape shape() const;
};

}  // namespace okksim::models
