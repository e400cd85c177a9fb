// SPDX-License-Identifier: Apache-2.0
#include "sim/why/run_parting.h"

#include <fmt/format.h>

#include "isa/disassembler.h"

namespace okksim::sim::why {
namespace {

/// Returns the first command at or after `from`, if any.
std::optional<std::size_t> next_command(const Recording& recording, std::size_t from) {
    for (std::size_t i = from; i < recording.events().size(); ++i) {
        if (recording.events()[i].is_command) return i;
    }
    return std::nullopt;
}

std::string command_text(const Event& event, const Recording& recording,
                         const isa::MachineShape& machine) {
    const std::string& line = recording.line(event);
    return isa::disassemble_operation(event.command, machine) + (line.empty() ? "" : " in " + line);
}

}  // namespace

std::optional<Parting> find_parting(const Recording& recording, const Recording& reference,
                                    const isa::MachineShape& machine) {
    std::optional<std::size_t> mine = next_command(recording, 0);
    std::optional<std::size_t> other = next_command(reference, 0);
    while (mine) {
        if (!other) return Parting{*mine, std::nullopt, false};
        const Event& a = recording.events()[*mine];
        const Event& b = reference.events()[*other];
        const bool same_command = a.command.opcode == b.command.opcode &&
                                  isa::disassemble_operation(a.command, machine) ==
                                      isa::disassemble_operation(b.command, machine);
        if (!same_command || a.data_crc != b.data_crc) return Parting{*mine, other, same_command};
        mine = next_command(recording, *mine + 1);
        other = next_command(reference, *other + 1);
    }
    return std::nullopt;
}

std::string parting_text(const Parting& parting, const Recording& recording,
                         const Recording& reference, const isa::MachineShape& machine) {
    const std::string name = reference.path().string();
    const std::string mine = command_text(recording.events()[parting.event], recording, machine);
    if (parting.same_command) {
        return fmt::format("first result that differs from {}: {}\n", name, mine);
    }
    const std::string other =
        parting.reference ? command_text(reference.events()[*parting.reference], reference, machine)
                          : "the end";
    return fmt::format("first command that differs from {}: {}\n  there: {}\n", name, mine, other);
}

}  // namespace okksim::sim::why
