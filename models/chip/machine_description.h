// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "models/bdc/bdc_params.h"
#include "models/chip/chip_params.h"
#include "models/chip/compatibility_params.h"
#include "models/chip/energy_params.h"
#include "models/chip/feature_params.h"
#include "models/chip/memory_params.h"
#include "models/dram/dram_params.h"
#include "models/gdma/gdma_params.h"
#include "models/mcu/host_params.h"
#include "models/mcu/mcu_params.h"

namespace okksim::models {

/// Calls `visitor.section(name, meaning)` and then `visitor(field, key, info)` for every parameter.
/// Parameters of an instruction group are keys of [features], whichever unit uses them.
template <typename Params, typename Visitor>
void describe_machine(Params& p, Visitor& v) {
    v.section("chip", "lanes and local memory");
    describe_chip(*p.chip, v);
    v.section("features", "instruction groups of the machine, and rates of their units");
    describe_features(*p.features, v);
    describe_group_units(*p.bdc, v);
    describe_transposing(*p.gdma, v);
    v.section("l2", "L2-SRAM: the part that firmware may use");
    describe_l2(*p.l2, v);
    v.section("dtcm", "tightly coupled memory of the control processor");
    describe_system_memory(*p.dtcm, v);
    v.section("global", "global memory");
    describe_global_memory(*p.global, v);
    v.section("mcu", "control processor and command queues");
    describe_mcu(*p.mcu, v);
    v.section("host", "host interface");
    describe_host(*p.host, v);
    v.section("bdc", "compute engine");
    describe_bdc(*p.bdc, v);
    v.section("gdma", "DMA engine");
    describe_gdma(*p.gdma, v);
    v.section("dram", "global memory: channels, rows, refresh");
    describe_dram(*p.dram, v);
    v.section("l2_port", "L2-SRAM and DTCM as seen by the GDMA");
    describe_bandwidth(*p.l2_port, v);
    v.section("compat", "compatibility with the vendor's software kit");
    describe_compatibility(*p.compat, v);
    v.section("energy", "energy of events");
    describe_energy(*p.energy, v);
    v.section("area", "area of parts");
    describe_area(*p.area, v);
    for (auto& memory : *p.memories) {
        const std::string section = "memory." + memory.name;
        v.section(section.c_str(), "additional system memory");
        describe_named_memory(memory, v);
    }
}

}  // namespace okksim::models
