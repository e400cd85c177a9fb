// SPDX-License-Identifier: Apache-2.0
#include "models/chip/command_price.h"

#include "models/bdc/bdc_timing.h"
#include "models/chip/machine_units.h"
#include "models/gdma/gdma_timing.h"

namespace okksim::models {
namespace {

/// Every request finds its memory idle.
class MemoriesAtRest : public MemorySystem {
 public:
    explicit MemoriesAtRest(const MachineParams& params) : params_(params) {}
    MemoryReply serve(const MemoryAccess& access) override {
        MemoryPort port(memory_law(params_, access.request.address));
        return port.serve(access.request, access.direction, access.arrival, access.arbitration);
    }

 private:
    const MachineParams& params_;
};

}  // namespace

CommandCost price_alone(const isa::Command& command, const isa::MachineShape& shape,
                        const MachineParams& params) {
    switch (command.info().engine) {
        case isa::Engine::kBdc:
            return bdc_time(bdc_cost(command, shape, params.bdc), Clock(params.bdc.clock_mhz));
        case isa::Engine::kGdma: {
            MemoriesAtRest memories(params);
            return gdma_time(command, shape, params.gdma, Clock(params.gdma.clock_mhz), {},
                             memories);
        }
    }
    __builtin_unreachable();
}

}  // namespace okksim::models
