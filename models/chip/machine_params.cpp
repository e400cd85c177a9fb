// SPDX-License-Identifier: Apache-2.0
#include "models/chip/machine_params.h"

#include "models/chip/machine_description.h"

namespace okksim::models {

template <typename Params>
Section<Params>::Section() : params_(std::make_unique<Params>()) {}
template <typename Params>
Section<Params>::Section(const Params& params) : params_(std::make_unique<Params>(params)) {}
template <typename Params>
Section<Params>::Section(const Section& other) : Section(*other) {}
template <typename Params>
Section<Params>& Section<Params>::operator=(const Section& other) {
    *params_ = *other.params_;
    return *this;
}
template <typename Params>
Section<Params>::~Section() = default;

template class Section<AreaParams>;
template class Section<BandwidthParams>;
template class Section<BdcParams>;
template class Section<ChipParams>;
template class Section<CompatibilityParams>;
template class Section<DramParams>;
template class Section<EnergyParams>;
template class Section<FeatureParams>;
template class Section<GdmaParams>;
template class Section<GlobalMemoryParams>;
template class Section<HostParams>;
template class Section<L2Params>;
template class Section<McuParams>;
template class Section<SystemMemoryParams>;
template class Section<std::vector<NamedMemoryParams>>;

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
