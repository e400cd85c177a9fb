// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "isa/command_port.h"
#include "models/common/units.h"

namespace okksim::models {

/// One kernel launch. The control processor runs `body`. It calls `finished` when `body` has
/// returned and all engines are idle.
struct ProcessorProgram {
    std::function<void(isa::CommandPort&)> body;
    std::function<void(Picoseconds start, Picoseconds end)> finished;
};

}  // namespace okksim::models
