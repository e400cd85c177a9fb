// SPDX-License-Identifier: Apache-2.0
#include "models/chip/diagnostics.h"

#include <cstdio>
#include <utility>

#include "isa/disassembler.h"

namespace okksim::models {
namespace {

std::string operand_of(const isa::Command& command, const char* operand) {
    return isa::mnemonic(command.info()) + " " + operand;
}

std::string hazard_message(const Hazard& hazard) {
    char place[64];
    std::snprintf(place, sizeof place, "lane %d, byte 0x%llx", hazard.place.lane,
                  static_cast<unsigned long long>(hazard.place.offset));
    return operand_of(hazard.first, hazard.first_operand) + " and " +
           operand_of(hazard.second, hazard.second_operand) + " both touch " + place +
           " and nothing orders them; use separate buffers or put them in different parallel "
           "sections";
}

}  // namespace

std::string_view finding_kind_name(FindingKind kind) {
    switch (kind) {
        case FindingKind::kUnwrittenRead: return "unwritten_read";
        case FindingKind::kHazard: return "hazard";
    }
    return "unknown";
}

Diagnostics::Diagnostics(const isa::MachineShape& machine, LocalMemory& local, SystemMemory& system)
    : machine_(machine),
      local_(local),
      system_(system),
      written_(machine, PaddingReads::kTolerated),
      order_(machine) {}

void Diagnostics::launch() { order_.clear(); }

void Diagnostics::submitted(const isa::Command& command) {
    const std::optional<Hazard> hazard = order_.submitted(command);
    if (!hazard) return;
    const Key key{FindingKind::kHazard,
                  {hazard->first.opcode, hazard->second.opcode},
                  {hazard->first_operand, hazard->second_operand}};
    if (!is_new(key)) return;
    found_.findings.push_back(
        {FindingKind::kHazard,
         hazard_message(*hazard),
         {isa::disassemble(hazard->first, machine_), isa::disassemble(hazard->second, machine_)}});
}

void Diagnostics::take_effect(const isa::Command& command) {
    const std::optional<PoisonRead> read = written_.track_command(command, local_, system_);
    if (!read) return;
    const Key key{FindingKind::kUnwrittenRead,
                  {command.opcode, command.opcode},
                  {read->operand, read->operand}};
    if (!is_new(key)) return;
    found_.findings.push_back({FindingKind::kUnwrittenRead,
                               isa::mnemonic(command.info()) + ": " + read->message(),
                               {isa::disassemble(command, machine_)}});
}

bool Diagnostics::is_new(const Key& key) {
    ++found_.total;
    return seen_.insert(key).second;
}

FindingList Diagnostics::take() {
    seen_.clear();
    return std::exchange(found_, {});
}

}  // namespace okksim::models
