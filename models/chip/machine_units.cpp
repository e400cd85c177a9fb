// SPDX-License-Identifier: Apache-2.0
#include "models/chip/machine_units.h"

#include <string>

#include "models/bdc/bdc_params.h"
#include "models/bdc/bdc_timing.h"
#include "models/chip/chip_params.h"
#include "models/chip/memory_params.h"
#include "models/dram/dram_params.h"
#include "models/gdma/gdma_params.h"
#include "models/gdma/gdma_timing.h"
#include "models/mcu/mcu_params.h"

namespace okksim::models {

std::vector<EngineEntry> engine_entries(const MachineParams& params) {
    const auto depth = static_cast<std::size_t>(params.mcu->queue_depth);
    const isa::MachineShape shape = params.shape();
    const auto move = [=, gdma = *params.gdma, clock = Clock(params.gdma->clock_mhz)](
                          const isa::Command& command, Picoseconds start, MemorySystem& memories) {
        return gdma_time(command, shape, gdma, clock, start, memories);
    };
    const auto compute = [=, bdc = *params.bdc, clock = Clock(params.bdc->clock_mhz)](
                             const isa::Command& command, Picoseconds, MemorySystem&) {
        return bdc_time(bdc_cost(command, shape, bdc), clock);
    };
    std::vector<EngineEntry> entries{{"gdma", isa::Engine::kGdma, depth, true, move}};
    for (std::int64_t i = 0; i < params.chip->compute_engines; ++i) {
        const std::string name = i == 0 ? "bdc" : "bdc" + std::to_string(i);
        entries.push_back({name, isa::Engine::kBdc, depth, false, compute});
    }
    return entries;
}

std::vector<MemoryEntry> memory_entries(const MachineParams& params) {
    const isa::MachineShape shape = params.shape();
    const Section<DramParams> on_chip(DramParams{*params.l2_port});
    std::vector<MemoryEntry> entries{{"dram", shape.global(), params.dram, true},
                                     {"l2", shape.l2(), on_chip},
                                     {"dtcm", shape.dtcm(), on_chip}};
    for (const NamedMemoryParams& memory : *params.memories) {
        entries.push_back({"memory_" + memory.name, memory.region(),
                           Section<DramParams>(DramParams{memory.port})});
    }
    return entries;
}

Sequencer make_sequencer(const MachineParams& params) {
    return Sequencer(engine_entries(params), params.shape(), params.chip->bank_interference);
}

}  // namespace okksim::models
