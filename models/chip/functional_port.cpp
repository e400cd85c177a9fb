// SPDX-License-Identifier: Apache-2.0
#include "models/chip/functional_port.h"

#include "models/chip/execute.h"

namespace okksim::models {

FunctionalPort::FunctionalPort(const isa::MachineShape& shape, int threads)
    : shape_(shape), local_(shape), system_(shape), pool_(threads) {}

void FunctionalPort::submit(const isa::Command& command) {
    if (observer_) observer_(command);
    execute(command, {local_, system_, pool_});
}

void* FunctionalPort::local_pointer(isa::LocalAddr addr) {
    return addr.value < local_.bytes() ? local_.pointer(addr) : nullptr;
}

void* FunctionalPort::system_pointer(std::uint64_t addr) { return system_.pointer_to_rest(addr); }

void* FunctionalPort::system_bytes(std::uint64_t addr, std::uint64_t bytes) {
    return system_.pointer(addr, bytes);
}

}  // namespace okksim::models
