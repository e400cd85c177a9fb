// SPDX-License-Identifier: Apache-2.0
#include "sim/pricing/planning_port.h"

#include <utility>

#include "isa/base/errors.h"
#include "models/mcu/mcu_params.h"
#include "models/mcu/mcu_timing.h"

namespace okksim::sim::pricing {

namespace {

/// Returns the shape with one byte of global memory, which is too large to allocate for planning.
isa::MachineShape on_chip(isa::MachineShape shape) {
    shape.global_bytes = 1;
    return shape;
}

}  // namespace

PlanningMemory::PlanningMemory(const isa::MachineShape& shape, const KnownMemory& known)
    : known_(known),
      global_(shape.global()),
      on_chip_(on_chip(shape)),
      zeros_(static_cast<std::uint64_t>(shape.local_bytes) / sizeof(std::uint64_t)) {}

void PlanningMemory::check(const isa::ProcessorAccess& access) const {
    if (access.kind == isa::AccessKind::kStore) {
        OKKSIM_CHECK(!global_.holds(access.address.value()));
    } else if (known_.place(access.address.value(), access.bytes).constant == nullptr) {
        throw ValueUnknown{};
    }
}

void* PlanningMemory::system(std::uint64_t address) {
    // Firmware only loads constants (check()) and never stores to them.
    if (const auto bytes = known_.find(address, 1)) return const_cast<std::byte*>(bytes->data());
    if (global_.holds(address)) return zeros_.words();
    return on_chip_.pointer_to_rest(address);
}

WorkPort::WorkPort(const models::MachineParams& params, PlanningMemory& memory)
    : params_(params), shape_(params.shape()), memory_(memory), pricer_(params) {}

void WorkPort::submit(const isa::Command& command) {
    processor_ += models::issue_cycles(*params_.mcu, params_.mcu->fetches_lists());
    ++work_.commands;
    work_.engines[static_cast<std::size_t>(command.info().engine)] +=
        kernels::Duration(pricer_.price(command).total().value);
}

void WorkPort::charge(isa::FirmwareCall call) {
    if (!params_.mcu->fetches_lists()) processor_ += models::call_cycles(call, *params_.mcu);
}

void WorkPort::compute(const isa::Computation& computation) {
    if (params_.mcu->fetches_lists()) return;
    processor_ += models::compute_cycles(computation, *params_.mcu);
}

kernels::Work WorkPort::take() {
    const models::Cycles processor = std::exchange(processor_, {});
    work_.processor =
        kernels::Duration(models::Clock(params_.mcu->clock_mhz).duration(processor).value);
    return std::exchange(work_, {});
}

}  // namespace okksim::sim::pricing
