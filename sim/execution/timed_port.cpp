// SPDX-License-Identifier: Apache-2.0
#include "sim/execution/timed_port.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/base/fault.h"
#include "isa/base/hex.h"
#include "models/chip/chip_params.h"

namespace okksim::sim::execution {
namespace {

constexpr const char* kOnlyKnown =
    "without data the control processor can load only constants and values that it has stored";
constexpr const char* kKeepValues =
    "run the model once with data: okksim run MODEL --keep-values v.json, then --no-data --values "
    "v.json; in a sweep: values = \"v.json\"";

[[noreturn]] void throw_needs_data(std::string argument, std::string value, const char* rule) {
    throw ProgramFault({.code = FaultCode::kUnpredictable,
                        .function = kRunWithoutData,
                        .argument = std::move(argument),
                        .value = std::move(value),
                        .rule = rule,
                        .advice = kKeepValues,
                        .unit = "mcu",
                        .call_stack = {}});
}

[[noreturn]] void throw_custom() {
    throw ProgramFault({.code = FaultCode::kUnpredictable,
                        .function = kRunWithoutData,
                        .argument = "memory access in the kernel of a CUSTOM operator",
                        .value = {},
                        .rule = "without data such a kernel cannot read or write memory",
                        .advice = "run the model with data",
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
        throw_needs_data(fmt::format("load {} ({} bytes)", next_value_ + 1, bytes), "", kOnlyKnown);
    }
    const std::vector<std::byte>& value = (*values_)[next_value_++];
    if (value.size() != bytes) {
        throw_needs_data(
            fmt::format("load {} ({} bytes)", next_value_, bytes),
            fmt::format("{} bytes in the values file", value.size()),
            "the values must come from a run of this model with the same input shapes");
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
    throw_needs_data("pointer to system memory", isa::hex(addr), kOnlyKnown);
}

}  // namespace okksim::sim::execution
