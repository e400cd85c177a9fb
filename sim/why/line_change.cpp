// SPDX-License-Identifier: Apache-2.0
#include "sim/why/line_change.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <set>
#include <utility>

#include "isa/base/hex.h"
#include "isa/disassembler.h"

namespace okksim::sim::why {
namespace {

using isa::Command;
using isa::OperandInfo;
using isa::OperandKind;
using Kind = LineChange::Kind;

/// Maximum number of other addresses to try for an operand.
constexpr std::size_t kMostAddresses = 48;

bool is_address(const OperandInfo& operand) {
    return operand.kind == OperandKind::kLocal || operand.kind == OperandKind::kSystem;
}

std::uint32_t& word(Command& command, const OperandInfo& operand) {
    return command.words[operand.first_word];
}

void set_address(Command& command, const OperandInfo& operand, std::uint64_t address) {
    word(command, operand) = static_cast<std::uint32_t>(address);
    if (operand.kind == OperandKind::kSystem) {
        command.words[operand.first_word + 1u] = static_cast<std::uint32_t>(address >> 32);
    }
}

std::string operand_text(const OperandInfo& operand, std::uint32_t bits, bool is_float) {
    const bool writes_float =
        operand.kind == OperandKind::kFloat || (operand.kind == OperandKind::kBits && is_float);
    if (writes_float) return fmt::format("{}", std::bit_cast<float>(bits));
    if (operand.kind == OperandKind::kBits) return isa::hex(bits);
    return fmt::format("{}", static_cast<std::int32_t>(bits));
}

/// Returns lengths of elements, rows and channels in bytes, and small multiples: typical errors of
/// strides and sizes.
std::set<std::int64_t> usual_distances(const Command& command) {
    std::set<std::int64_t> distances;
    for (const OperandInfo& operand : command.info().operands()) {
        if (operand.kind != OperandKind::kShape) continue;
        std::int64_t bytes = 4;
        for (int i = 3; i >= 0; --i) {
            for (const std::int64_t times : {1, 2, 3, 4}) {
                distances.insert(times * bytes);
                distances.insert(-times * bytes);
            }
            bytes *= static_cast<std::int32_t>(command.words[operand.first_word + unsigned(i)]);
        }
    }
    distances.erase(0);
    return distances;
}

void add_addresses(const Command& command, const OperandInfo& operand, const KnownAddresses& known,
                   std::vector<LineChange>& changes) {
    const auto own = static_cast<std::int64_t>(address_in(command, operand));
    std::set<std::int64_t> tried{0};
    const auto add = [&](std::int64_t distance) {
        if (own + distance < 0 || !tried.insert(distance).second) return;
        LineChange change;
        change.kind = Kind::kAddress;
        change.operand = &operand;
        change.distance = distance;
        changes.push_back(change);
    };
    const bool is_local = operand.kind == OperandKind::kLocal;
    for (const std::uint64_t address : is_local ? known.local : known.system) {
        add(static_cast<std::int64_t>(address) - own);
    }
    for (const std::int64_t distance : usual_distances(command)) add(distance);
}

void add_values(const Command& command, const OperandInfo& operand,
                std::vector<LineChange>& changes) {
    std::set<std::uint32_t> values;
    const std::uint32_t own = command.words[operand.first_word];
    if (operand.kind == OperandKind::kBool) {
        values.insert(own == 0 ? 1 : 0);
    } else {
        for (const std::uint32_t value : {own + 1, own - 1, own + 2, own - 2, own * 2, own / 2,
                                          0u - own, 0u, 1u, 2u, 4u, 8u, 16u, 32u, 64u}) {
            values.insert(value);
        }
        for (const OperandInfo& other : command.info().operands()) {
            if (other.kind == operand.kind) values.insert(command.words[other.first_word]);
        }
    }
    values.erase(own);
    for (const std::uint32_t value : values) {
        LineChange change;
        change.kind = Kind::kValue;
        change.operand = &operand;
        change.value = value;
        changes.push_back(change);
    }
}

constexpr int kWords = 4;  ///< maximum words of an operand with parts

/// Returns the number of words of an operand that can be wrong separately; 0 if there are none.
int part_count(const OperandInfo& operand) {
    switch (operand.kind) {
        case OperandKind::kShape:
        case OperandKind::kStride:
        case OperandKind::kPadding: return kWords;
        case OperandKind::kStep: return 2;
        default: return 0;
    }
}

const char* part_name(const OperandInfo& operand, int word) {
    static constexpr std::array<const char*, kWords> kDims{".n", ".c", ".h", ".w"};
    static constexpr std::array<const char*, kWords> kSides{".top", ".bottom", ".left", ".right"};
    static constexpr std::array<const char*, 2> kSteps{".h", ".w"};
    const auto at = static_cast<std::size_t>(word);
    if (operand.kind == OperandKind::kPadding) return kSides[at];
    return operand.kind == OperandKind::kStep ? kSteps[at] : kDims[at];
}

std::int32_t part(const Command& command, const OperandInfo& operand, int word) {
    return static_cast<std::int32_t>(command.words[operand.first_word + unsigned(word)]);
}

/// Adds changes of single words of a shape, stride, padding or step. Also adds changes of two
/// words: exchanged, or one more and one less for a padding.
void add_parts(const Command& command, const OperandInfo& operand,
               std::vector<LineChange>& changes) {
    const int count = part_count(operand);
    const auto add = [&](std::vector<LineChange::Part> parts) {
        LineChange change;
        change.kind = Kind::kPart;
        change.operand = &operand;
        change.parts = std::move(parts);
        changes.push_back(std::move(change));
    };
    std::set<std::int32_t> seen;
    for (const OperandInfo& other : command.info().operands()) {
        for (int i = 0; i < part_count(other); ++i) seen.insert(part(command, other, i));
    }
    for (int i = 0; i < count; ++i) {
        const std::int32_t own = part(command, operand, i);
        std::set<std::int32_t> values = seen;
        for (const std::int32_t value : {own + 1, own - 1, own * 2, own / 2, 0, 1}) {
            values.insert(value);
        }
        values.erase(own);
        for (const std::int32_t value : values) add({{i, value}});
    }
    for (int i = 0; i < count; ++i) {
        for (int j = i + 1; j < count; ++j) {
            const std::int32_t first = part(command, operand, i);
            const std::int32_t second = part(command, operand, j);
            if (first != second) add({{i, second}, {j, first}});
            if (operand.kind != OperandKind::kPadding) continue;
            for (const int more : {-2, -1, 1, 2}) add({{i, first + more}, {j, second - more}});
        }
    }
}

void add_swaps(const Command& command, std::vector<LineChange>& changes) {
    const auto operands = command.info().operands();
    for (std::size_t i = 0; i < operands.size(); ++i) {
        for (std::size_t j = i + 1; j < operands.size(); ++j) {
            const bool are_alike = operands[i].kind == operands[j].kind &&
                                   operands[i].kind == OperandKind::kLocal &&
                                   operands[i].rules.access == isa::Access::kRead &&
                                   operands[j].rules.access == isa::Access::kRead;
            if (!are_alike) continue;
            LineChange change;
            change.kind = Kind::kSwap;
            change.operand = &operands[i];
            change.other = &operands[j];
            changes.push_back(change);
        }
    }
}

void add_opcodes(const Command& command, std::vector<LineChange>& changes) {
    for (const isa::InstructionInfo& info : isa::instructions()) {
        const isa::InstructionInfo& own = command.info();
        if (info.form != own.form || info.data != own.data || info.opcode == own.opcode ||
            !info.is_command() || info.engine != own.engine) {
            continue;
        }
        LineChange change;
        change.kind = Kind::kOpcode;
        change.opcode = info.opcode;
        changes.push_back(change);
    }
}

}  // namespace

std::uint64_t address_in(const Command& command, const OperandInfo& operand) {
    const std::uint64_t low = command.words[operand.first_word];
    if (operand.kind != OperandKind::kSystem) return low;
    return low | std::uint64_t{command.words[operand.first_word + 1u]} << 32;
}

bool is_number(const OperandInfo& operand) {
    return operand.kind == OperandKind::kFloat || operand.kind == OperandKind::kBits;
}

void KnownAddresses::add(const Command& command) {
    for (const OperandInfo& operand : command.info().operands()) {
        if (!is_address(operand)) continue;
        auto& list = operand.kind == OperandKind::kLocal ? local : system;
        const std::uint64_t address = address_in(command, operand);
        if (list.size() >= kMostAddresses) continue;
        if (std::find(list.begin(), list.end(), address) == list.end()) list.push_back(address);
    }
}

Command LineChange::of(const Command& command) const {
    Command changed = command;
    switch (kind) {
        case Kind::kLeftOut: break;
        case Kind::kConstant:
        case Kind::kValue: word(changed, *operand) = value; break;
        case Kind::kSwap: std::swap(word(changed, *operand), word(changed, *other)); break;
        case Kind::kOpcode: changed.opcode = opcode; break;
        case Kind::kPart:
            for (const Part& part : parts) {
                changed.words[operand->first_word + unsigned(part.word)] =
                    static_cast<std::uint32_t>(part.value);
            }
            break;
        case Kind::kAddress:
            set_address(changed, *operand,
                        address_in(command, *operand) + static_cast<std::uint64_t>(distance));
            break;
    }
    return changed;
}

std::string LineChange::text(const Command& command) const {
    const bool is_float = command.info().data == isa::DataType::kFp32 ||
                          command.info().data == isa::DataType::kBits32;
    switch (kind) {
        case Kind::kLeftOut: return "without " + isa::mnemonic(command.info());
        case Kind::kConstant:
        case Kind::kValue:
            return fmt::format(
                "{} = {} instead of {}", operand->name, operand_text(*operand, value, is_float),
                operand_text(*operand, command.words[operand->first_word], is_float));
        case Kind::kSwap: return fmt::format("{} and {} exchanged", operand->name, other->name);
        case Kind::kOpcode:
            return isa::mnemonic(isa::instruction(opcode)) + " instead of " +
                   isa::mnemonic(command.info());
        case Kind::kPart: {
            std::string text;
            for (const Part& part : parts) {
                text += fmt::format("{}{}{} = {} instead of {}", text.empty() ? "" : ", ",
                                    operand->name, part_name(*operand, part.word), part.value,
                                    why::part(command, *operand, part.word));
            }
            return text;
        }
        case Kind::kAddress: {
            const std::uint64_t before = address_in(command, *operand);
            return fmt::format("{} = {} instead of {}", operand->name,
                               isa::hex(before + static_cast<std::uint64_t>(distance)),
                               isa::hex(before));
        }
    }
    return {};
}

std::vector<LineChange> possible_changes(const Command& command, const KnownAddresses& known) {
    std::vector<LineChange> changes;
    for (const OperandInfo& operand : command.info().operands()) {
        if (!is_number(operand)) continue;
        LineChange change;
        change.kind = Kind::kConstant;
        change.operand = &operand;
        change.value = command.words[operand.first_word];
        changes.push_back(change);
    }
    add_swaps(command, changes);
    for (const OperandInfo& operand : command.info().operands()) {
        if (operand.kind == OperandKind::kInt || operand.kind == OperandKind::kBool) {
            add_values(command, operand, changes);
        }
    }
    add_opcodes(command, changes);
    for (const OperandInfo& operand : command.info().operands()) {
        if (is_address(operand)) add_addresses(command, operand, known, changes);
        add_parts(command, operand, changes);
    }
    changes.emplace_back();
    return changes;
}

}  // namespace okksim::sim::why
