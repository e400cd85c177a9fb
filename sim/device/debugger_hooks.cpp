// SPDX-License-Identifier: Apache-2.0
#include "sim/device/debugger_hooks.h"

#include <fmt/format.h>

#include <string>

#include "models/chip/chip.h"
#include "models/chip/execute.h"
#include "sim/device/tensor_text.h"

namespace {

okksim::sim::DebuggerHooks* the_hooks = nullptr;

/// The result of the last function that returned text. Debuggers do not free it.
std::string& kept_text() {
    static std::string text;
    return text;
}

const char* keep(std::string text) {
    kept_text() = std::move(text);
    return kept_text().c_str();
}

}  // namespace

// sim/debugger/okksim-gdb.py uses these names.
extern "C" {

/// The location of breakpoints: command `number` (from 1) is issued, and takes effect on return.
[[gnu::noinline, gnu::used, gnu::visibility("default")]] void okksim_debugger_command(
    unsigned long long number, const char* operation) {
    asm volatile("" : : "r"(number), "r"(operation) : "memory");
}

/// Returns the host pointer to a byte of a lane, or of a system memory; NULL out of bounds.
[[gnu::used, gnu::visibility("default")]] void* okksim_debugger_pointer(int local, int lane,
                                                                        unsigned long long at) {
    if (the_hooks == nullptr) return nullptr;
    okksim::models::Chip& chip = the_hooks->chip();
    if (local == 0) return chip.system_memory().pointer_to_rest(at);
    const okksim::isa::MachineShape& machine = the_hooks->machine();
    const auto offset = static_cast<std::int64_t>(at);
    if (lane < 0 || lane >= machine.lanes || offset < 0 || offset >= machine.local_bytes) {
        return nullptr;
    }
    return chip.local_memory().at(lane, offset);
}

/// Returns a tensor of floats (form 0), integers (1), unsigned integers (2) or bits (3) as text.
[[gnu::used, gnu::visibility("default")]] const char* okksim_debugger_tensor(int local, int lane,
                                                                             unsigned long long at,
                                                                             int n, int c, int h,
                                                                             int w, int form) {
    if (the_hooks == nullptr) return "no launch has begun\n";
    if (okksim_debugger_pointer(local, lane, at) == nullptr || n < 1 || c < 1 || h < 1 || w < 1) {
        return "this is no tensor of this machine\n";
    }
    okksim::models::Chip& chip = the_hooks->chip();
    const auto text = okksim::sim::tensor_text(
        okksim::sim::tensor_at(local != 0, lane, at, {n, c, h, w}, the_hooks->machine()),
        the_hooks->machine(), chip.local_memory(), chip.system_memory(),
        static_cast<okksim::sim::WordText>(form & 3));
    return keep(text.value_or("the tensor leaves its memory\n"));
}

/// Returns the state of the engines: commands issued, completed and in flight.
[[gnu::used, gnu::visibility("default")]] const char* okksim_debugger_state() {
    if (the_hooks == nullptr) return "no launch has begun\n";
    std::string text;
    constexpr const char* kNames[] = {"GDMA", "BDC"};
    for (std::size_t i = 0; i < the_hooks->issued().size(); ++i) {
        const std::uint64_t issued = the_hooks->issued()[i];
        const std::uint64_t completed = the_hooks->completed()[i];
        text += fmt::format("{}: {} commands issued, {} complete, {} queued or running\n",
                            kNames[i], issued, completed, issued - completed);
    }
    return keep(text + fmt::format("the last one ended at {:.3f} us\n",
                                   the_hooks->last_end().microseconds()));
}
}

namespace okksim::sim {

DebuggerHooks::DebuggerHooks(models::Chip& chip, const isa::MachineShape& machine)
    : chip_(chip), machine_(machine) {
    the_hooks = this;
}

DebuggerHooks::~DebuggerHooks() {
    if (the_hooks == this) the_hooks = nullptr;
}

void DebuggerHooks::submitted(const isa::Command& command) {
    ++issued_[static_cast<std::size_t>(command.info().engine)];
    okksim_debugger_command(++number_, command.info().name);
    models::execute(command, {chip_.local_memory(), chip_.system_memory(), pool_});
}

void DebuggerHooks::retired(const isa::Command& command, const models::CommandTimes& times) {
    ++completed_[static_cast<std::size_t>(command.info().engine)];
    last_end_ = times.end;
}

}  // namespace okksim::sim
