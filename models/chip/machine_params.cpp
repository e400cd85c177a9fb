// SPDX-License-Identifier: Apache-2.0
#include "models/chip/machine_params.h"

#include "models/chip/chip_params.h"
#include "models/chip/feature_params.h"
#include "models/chip/memory_params.h"

namespace okksim::models {

isa::MachineShape MachineParams::shape() const {
    isa::MachineShape shape;
    shape.lanes = static_cast<std::int32_t>(chip->lanes);
    shape.local_bytes = chip->local_memory_bytes;
    shape.local_banks = static_cast<std::int32_t>(chip->local_memory_banks);
    shape.vector_words = static_cast<std::int32_t>(chip->vector_words);
    shape.features = features->present();
    shape.l2_start = static_cast<std::uint64_t>(l2->start);
    shape.l2_bytes = static_cast<std::uint64_t>(l2->bytes);
    shape.dtcm_start = static_cast<std::uint64_t>(dtcm->start);
    shape.dtcm_bytes = static_cast<std::uint64_t>(dtcm->bytes);
    shape.global_start = static_cast<std::uint64_t>(global->start);
    shape.global_bytes = static_cast<std::uint64_t>(global->bytes);
    for (const NamedMemoryParams& memory : *memories)
        shape.more_memories.push_back(memory.region());
    return shape;
}

}  // namespace okksim::models
