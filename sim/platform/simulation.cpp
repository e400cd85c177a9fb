// SPDX-License-Identifier: Apache-2.0
#include "sim/platform/simulation.h"

#include "models/common/npu_module.h"

namespace okksim::sim {

Simulation::Simulation(Machine machine, const models::ChipOptions& options)
    : machine_(std::move(machine)) {
    const SystemCContext::Scope scope(context_);
    chip_ = std::make_unique<models::Chip>("chip", machine_.params, options);
}

Simulation::~Simulation() {
    const SystemCContext::Scope scope(context_);
    chip_.reset();
}

void Simulation::launch(models::Mcu::Program program) {
    const SystemCContext::Scope scope(context_);
    chip_->mcu.launch(std::move(program));
}

void Simulation::run() {
    const SystemCContext::Scope scope(context_);
    sc_core::sc_start();
}

void Simulation::advance(models::Picoseconds duration) {
    const SystemCContext::Scope scope(context_);
    sc_core::sc_start(models::to_sc_time(duration));
}

models::Picoseconds Simulation::time() const {
    const SystemCContext::Scope scope(context_);
    return models::now();
}

}  // namespace okksim::sim
