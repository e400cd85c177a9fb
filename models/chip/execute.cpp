// SPDX-License-Identifier: Apache-2.0
#include "models/chip/execute.h"

#include "models/bdc/bdc_semantics.h"
#include "models/gdma/gdma_semantics.h"

namespace okksim::models {

void execute(const isa::Command& command, const ChipState& state) {
    switch (command.info().engine) {
        case isa::Engine::kGdma: return execute_gdma(command, state.local, state.system);
        case isa::Engine::kBdc: return execute_bdc(command, state.local, state.pool);
    }
    __builtin_unreachable();
}

}  // namespace okksim::models
