// SPDX-License-Identifier: Apache-2.0
#include "models/chip/diagnostics.h"

#include <utility>

#include "isa/disassembler.h"
#include "models/chip/value_check.h"

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

Diagnostics::Diagnostics(const isa::MachineShape& machine, std::size_t engines, LocalMemory& local,
                         SystemMemory& system, UndefinedWords::Effect effect)
    : machine_(machine),
      local_(local),
      system_(system),
      written_(machine, PaddingReads::kTolerated),
      undefined_(machine, std::move(effect)),
      order_(machine, engines) {}

void Diagnostics::watch_users(std::function<const void*()> issuing,
                              std::function<std::string(const void*)> describe) {
    issuing_ = std::move(issuing);
    describe_ = std::move(describe);
}

void Diagnostics::launch_started(Picoseconds) {
    order_.clear();
    for (auto& sites : sites_) sites.clear();
}

std::string Diagnostics::text_of(const isa::Command& command) const {
    std::string text = isa::disassemble(command, machine_);
    const auto& sites = sites_[static_cast<std::size_t>(command.info().engine)];
    // Ids count from 1.
    if (command.id == 0 || command.id > sites.size()) return text;
    const std::string site = describe_(sites[command.id - 1]);
    return site.empty() ? text : text + " in " + site;
}

void Diagnostics::add(Key key, std::string message, std::vector<std::string> commands) {
    found_.push_back({key.kind, std::move(message), std::move(commands), {}});
}

void Diagnostics::submitted(const isa::Command& command) {
    if (issuing_) {
        sites_[static_cast<std::size_t>(command.info().engine)].push_back(issuing_());
        const Key key{FindingKind::kRule, {command.opcode, command.opcode}, {"overlap", ""}};
        if (!seen_.contains(key)) {
            if (auto overlap = find_overlap(command, machine_)) {
                seen_.insert(key);
                add(key, std::move(*overlap), {text_of(command)});
            }
        }
    }
    const std::optional<Hazard> hazard = order_.submitted(command);
    if (!hazard) return;
    const Key key{FindingKind::kHazard,
                  {hazard->first.opcode, hazard->second.opcode},
                  {hazard->first_operand, hazard->second_operand}};
    if (!seen_.insert(key).second) return;
    add(key, hazard_message(*hazard), {text_of(hazard->first), text_of(hazard->second)});
}

void Diagnostics::take_effect(const isa::Command& command) {
    if (issuing_) {
        const Key key{FindingKind::kRule, {command.opcode, command.opcode}, {"values", ""}};
        if (!seen_.contains(key)) {
            if (auto bad = find_bad_values(command, local_, machine_)) {
                seen_.insert(key);
                add(key, std::move(*bad), {text_of(command)});
            }
        }
    }
    follow_undefined(command);
    written_.mark_results(command);
    undefined_.settle(command);
}

void Diagnostics::follow_undefined(const isa::Command& command) {
    const std::optional<PoisonRead> read = written_.find_unwritten(command, local_, system_);
    const bool reads_undefined = undefined_.reads(command);
    if (!read && !reads_undefined) return;
    if (undefined_.carry(command, written_, local_, system_)) {
        if (read && !origin_) {
            origin_ = text_of(command) + ": " + read->message();
        }
        return;
    }
    const char* const operand = read ? read->operand : "";
    const Key key{
        FindingKind::kUnwrittenRead, {command.opcode, command.opcode}, {operand, operand}};
    if (!seen_.insert(key).second) return;
    if (read) {
        return add(key, isa::mnemonic(command.info()) + ": " + read->message(), {text_of(command)});
    }
    add(key,
        isa::mnemonic(command.info()) +
            ": a result depends on values that nobody has written, "
            "first read by the first command below",
        {origin_.value_or("a command of an earlier launch"), text_of(command)});
}

std::vector<Finding> Diagnostics::take() {
    seen_.clear();
    origin_.reset();
    return std::exchange(found_, {});
}

}  // namespace okksim::models
