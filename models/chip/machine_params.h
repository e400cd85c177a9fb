// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "isa/types.h"
#include "models/common/section.h"

namespace okksim::models {

#define OKKSIM_SECTION(name, type, ...) struct type;
#include "models/chip/machine_sections.def"
#undef OKKSIM_SECTION
struct NamedMemoryParams;

/// The complete description of a machine: one struct per section of the machine file. A source that
/// reads a section includes the header of its struct.
struct MachineParams {
#define OKKSIM_SECTION(name, type, ...) Section<type> name;
#include "models/chip/machine_sections.def"
#undef OKKSIM_SECTION
    Section<std::vector<NamedMemoryParams>> memories;  ///< sections [memory.NAME], by name

    /// Machine shape that commands are laid out and checked against.
    isa::MachineShape shape() const;
};

}  // namespace okksim::models
