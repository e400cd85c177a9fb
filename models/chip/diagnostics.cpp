// SPDX-License-Identifier: Apache-2.0
#include "models/chip/diagnostics.h"

#include <utility>

#include "isa/disassembler.h"

namespace okksim::models {
namespace {

std::string operand_of(const isa::Command& command, const char* operand) {
    return isa::mnemonic(command.info()) + " " + operand;
}

std::string hazard_message(const Hazard& hazard) {
    return operand_of(hazard.first, hazard.first_operand) + " and " +
           operand_of(hazard.second, hazard.second_operand) + " both touch " + hazard.place.text() +
           " and nothing orders them; use separate buffers or put them in different parallel "
           "sections";
}

}  // namespace

Diagnostics::Diagnostics(const isa::MachineShape& machine, LocalMemory& local, SystemMemory& system)
    : machine_(machine),
      local_(local),
      system_(system),
      written_(machine, PaddingReads::kTolerated),
      order_(machine) {}

void Diagnostics::launch_started(Picoseconds) { order_.clear(); }

void Diagnostics::submitted(const isa::Command& command) {
    const std::optional<Hazard> hazard = order_.submitted(command);
    if (!hazard) return;
    const Key key{FindingKind::kHazard,
                  {hazard->first.opcode, hazard->second.opcode},
                  {hazard->first_operand, hazard->second_operand}};
    if (!seen_.insert(key).second) return;
    found_.push_back(
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
    if (!seen_.insert(key).second) return;
    found_.push_back({FindingKind::kUnwrittenRead,
                      isa::mnemonic(command.info()) + ": " + read->message(),
                      {isa::disassemble(command, machine_)}});
}

std::vector<Finding> Diagnostics::take() {
    seen_.clear();
    return std::exchange(found_, {});
}

}  // namespace okksim::models
