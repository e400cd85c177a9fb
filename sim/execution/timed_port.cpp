// SPDX-License-Identifier: Apache-2.0
#include "sim/execution/timed_port.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/fault.h"
#include "isa/hex.h"
#include "models/chip/chip_params.h"

namespace okksim::sim::execution {
namespace {

[[noreturn]] void throw_needs_data(std::string argument, std::string value) {
    throw ProgramFault({.code = FaultCode::kUnpredictable,
                        .function = kRunWithoutData,
                        .argument = std::move(argument),
                        .value = std::move(value),
                        .rule = "what the control processor loads must be known: constants, what "
                                "it has stored, values of a recorded run",
                        .advice = "run it with data, or give the values of a run with data "
                                  "(--keep-values, --values)",
                        .unit = "mcu",
                        .call_stack = {}});
}

[[noreturn]] void throw_custom() {
    throw ProgramFault({.code = FaultCode::kUnpredictable,
                        .function = kRunWithoutData,
                        .argument = "a pointer",
                        .value = "to memory, taken by the kernel of a CUSTOM operator",
                        .rule = "nobody knows what such a kernel looks at",
                        .advice = "run the graph with data",
                        .unit = "mcu",
                        .call_stack = {}});
}

}  // namespace

TimedPort::TimedPort(const models::MachineParams& params, const pricing::KnownMemory& constants,
                     const LoadedValues* values)
    : timing_(params),
      constants_(constants),
      values_(values),
      zeros_(static_cast<std::size_t>(params.chip->local_memory_bytes) / sizeof(std::uint64_t)) {}

void TimedPort::access(const isa::ProcessorAccess& access) {
    if (custom_) throw_custom();
    if (access.kind == isa::AccessKind::kStore) {
        own_.store(access.address.value(), access.bytes);
    } else {
        load(access.address.value(), access.bytes);
    }
    timing_.access(access);
}

const std::vector<std::byte>& TimedPort::next_value(std::uint64_t bytes) {
    if (values_ == nullptr || next_value_ == values_->size()) {
        throw_needs_data(fmt::format("load {} of the run's values", next_value_ + 1),
                         fmt::format("{} bytes that nobody has given", bytes));
    }
    const std::vector<std::byte>& value = (*values_)[next_value_++];
    if (value.size() != bytes) {
        throw_needs_data(fmt::format("load {} of the run's values", next_value_),
                         fmt::format("{} bytes where {} are given", bytes, value.size()));
    }
    return value;
}

void TimedPort::load(std::uint64_t address, std::uint64_t bytes) {
    if (constants_.place(address, bytes).constant != nullptr) return;
    if (own_.find(address, bytes) != nullptr) return;
    const std::vector<std::byte>& value = next_value(bytes);
    given_.store(address, bytes);
    std::ranges::copy(value, given_.find(address, bytes));
}

void* TimedPort::local_pointer(isa::LocalAddr) {
    if (custom_) throw_custom();
    return zeros_.data();
}

void* TimedPort::system_pointer(std::uint64_t addr) {
    if (const auto bytes = constants_.find(addr, 1)) return const_cast<std::byte*>(bytes->data());
    if (std::byte* bytes = own_.find(addr, 1)) return bytes;
    if (std::byte* bytes = given_.find(addr, 1)) return bytes;
    throw_needs_data("a pointer to system memory", isa::hex(addr));
}

}  // namespace okksim::sim::execution
