// SPDX-License-Identifier: Apache-2.0
#include "models/chip/machine_description.h"

#include <memory>
#include <vector>

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

#define OKKSIM_SECTION(name, type, ...) template class Section<type>;
#include "models/chip/machine_sections.def"
#undef OKKSIM_SECTION
template class Section<std::vector<NamedMemoryParams>>;

}  // namespace okksim::models
