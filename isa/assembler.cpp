// SPDX-License-Identifier: Apache-2.0
#include "isa/assembler.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>

#include "isa/disassembler.h"
#include "isa/line_scanner.h"
#include "isa/listing.h"
#include "isa/type_names.h"

namespace okksim::isa {
namespace {

/// Reads the operands of one command from a line.
class OperandReader {
 public:
    OperandReader(LineScanner& scanner, const MachineShape& machine, Command& command)
        : scanner_(scanner), machine_(machine), command_(command) {}

    void read(const OperandInfo& operand) {
        std::uint32_t* words = command_.words.data() + operand.first_word;
        switch (operand.kind) {
            case OperandKind::kLocal: words[0] = local_address(); return;
            case OperandKind::kSystem: {
                const SystemAddr addr = SystemAddr::from(system_address());
                words[0] = addr.low;
                words[1] = addr.high;
                return;
            }
            case OperandKind::kShape:
            case OperandKind::kStride:
            case OperandKind::kPadding:
            case OperandKind::kStep: tuple(words, operand_words(operand.kind)); return;
            case OperandKind::kInt: words[0] = scanner_.word("an integer"); return;
            case OperandKind::kFloat: words[0] = scanner_.float_bits(); return;
            case OperandKind::kBits: words[0] = scanner_.word("a bit pattern"); return;
            case OperandKind::kBool: words[0] = flag(); return;
            case OperandKind::kOpTypes: words[0] = enumerator(&find_op_type, "an op_type"); return;
            case OperandKind::kMulTypes:
                words[0] = enumerator(&find_mul_type, "a mul_type");
                return;
            case OperandKind::kElement:
                words[0] = enumerator(&find_element_type, "an element type");
                return;
        }
    }

 private:
    std::uint32_t local_address() {
        const LineScanner::Mark start = scanner_.mark();
        const std::uint64_t first = scanner_.number("a local address (lane:offset or a number)");
        std::uint64_t value = first;
        if (scanner_.accept(':')) {
            const std::uint64_t offset = scanner_.number("an offset into the lane");
            const auto bytes = static_cast<std::uint64_t>(machine_.local_bytes);
            if (offset >= bytes || first > UINT32_MAX) {
                scanner_.fail_at(start, "a lane and an offset below " + std::to_string(bytes));
            }
            value = first * bytes + offset;
        }
        if (value > UINT32_MAX) scanner_.fail_at(start, "a local address of 32 bits");
        return static_cast<std::uint32_t>(value);
    }

    std::uint64_t system_address() {
        const char* expected = "a system address (global+offset, l2+offset, dtcm+offset, number)";
        if (!scanner_.at_identifier()) return scanner_.number(expected);
        const LineScanner::Mark start = scanner_.mark();
        const std::string_view name = scanner_.identifier(expected);
        for (const NamedMemory& memory : named_memories(machine_)) {
            if (name != memory.name) continue;
            scanner_.expect('+');
            const LineScanner::Mark offset_start = scanner_.mark();
            const std::uint64_t offset = scanner_.number("an offset into the memory");
            if (offset >= memory.bytes) {
                scanner_.fail_at(offset_start, "an offset below " + std::to_string(memory.bytes));
            }
            return memory.start + offset;
        }
        scanner_.fail_at(start, expected);
    }

    void tuple(std::uint32_t* words, int count) {
        scanner_.expect('(');
        for (int i = 0; i < count; ++i) {
            if (i != 0) scanner_.expect(',');
            words[i] = scanner_.word("an integer");
        }
        scanner_.expect(')');
    }

    std::uint32_t flag() {
        if (!scanner_.at_identifier()) return scanner_.word("true or false");
        const LineScanner::Mark start = scanner_.mark();
        const std::string_view name = scanner_.identifier("true or false");
        if (name != "true" && name != "false") scanner_.fail_at(start, "true or false");
        return name == "true" ? 1 : 0;
    }

    template <typename Enumerator>
    std::uint32_t enumerator(std::optional<Enumerator> (*find)(std::string_view),
                             const char* expected) {
        if (!scanner_.at_identifier()) return scanner_.word(expected);
        const LineScanner::Mark start = scanner_.mark();
        const auto value = find(scanner_.identifier(expected));
        if (!value) scanner_.fail_at(start, std::string(expected) + " of the API");
        return static_cast<std::uint32_t>(*value);
    }

    LineScanner& scanner_;
    const MachineShape& machine_;
    Command& command_;
};

const InstructionInfo& read_mnemonic(LineScanner& scanner) {
    const LineScanner::Mark start = scanner.mark();
    const std::string_view name = scanner.mnemonic();
    const InstructionInfo* info = find_instruction(name);
    if (info == nullptr || mnemonic(*info) != name) {
        scanner.fail_at(start, "a mnemonic such as bdc.add");
    }
    if (!info->is_command()) {
        scanner.fail_at(start, "a command (okk_" + std::string(info->name) +
                                   " is a function that consists of several)");
    }
    return *info;
}

void read_operands(LineScanner& scanner, const InstructionInfo& info, const MachineShape& machine,
                   Command& command) {
    const auto operands = info.operands();
    OperandReader reader(scanner, machine, command);
    std::uint32_t seen = 0;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        if (i != 0) scanner.expect(',');
        const LineScanner::Mark start = scanner.mark();
        const std::string_view name = scanner.identifier("the name of an operand");
        std::size_t index = 0;
        while (index < operands.size() && name != operands[index].name) ++index;
        if (index == operands.size() || (seen >> index & 1) != 0) {
            std::string missing;
            for (std::size_t j = 0; j < operands.size(); ++j) {
                if ((seen >> j & 1) == 0) missing += std::string(" ") + operands[j].name;
            }
            scanner.fail_at(start, "one of the operands not given yet:" + missing);
        }
        seen |= 1u << index;
        scanner.expect('=');
        reader.read(operands[index]);
    }
}

/// True when ids were given.
bool read_ids(LineScanner& scanner, Command& command) {
    if (!scanner.accept('|')) return false;
    while (!scanner.at_end()) {
        const LineScanner::Mark start = scanner.mark();
        const std::string_view name = scanner.identifier("id, wait_gdma or wait_bdc");
        CommandId* id = name == "id"          ? &command.id
                        : name == "wait_gdma" ? &command.wait_gdma
                        : name == "wait_bdc"  ? &command.wait_bdc
                                              : nullptr;
        if (id == nullptr) scanner.fail_at(start, "id, wait_gdma or wait_bdc");
        scanner.expect('=');
        *id = scanner.word("a command id");
    }
    return true;
}

bool read_command(LineScanner& scanner, const MachineShape& machine, Command& command) {
    const InstructionInfo& info = read_mnemonic(scanner);
    command.opcode = info.opcode;
    read_operands(scanner, info, machine, command);
    const bool has_ids = read_ids(scanner, command);
    if (!scanner.at_end()) scanner.fail("'|' or the end of the line");
    return has_ids;
}

MachineShape read_machine(LineScanner& scanner) {
    MachineShape machine;
    machine.features = kAllFeatures;  // the line does not say which
    std::uint32_t seen = 0;
    const LineScanner::Mark line_start = scanner.mark();
    while (!scanner.at_end()) {
        const LineScanner::Mark start = scanner.mark();
        const std::string_view name = scanner.identifier("a field of the machine");
        std::size_t index = 0;
        while (index < kMachineFields.size() && name != kMachineFields[index].name) ++index;
        if (index == kMachineFields.size()) {
            std::string names;
            for (const MachineField& field : kMachineFields) names += std::string(" ") + field.name;
            scanner.fail_at(start, "one of the fields of a machine:" + names);
        }
        scanner.expect('=');
        const LineScanner::Mark value_start = scanner.mark();
        const std::uint64_t value = scanner.number("a number");
        kMachineFields[index].set(machine, value);
        if (kMachineFields[index].get(machine) != value) {
            scanner.fail_at(value_start, "a smaller number");
        }
        seen |= 1u << index;
    }
    for (std::size_t i = 0; i < kMachineFields.size(); ++i) {
        if ((seen >> i & 1) == 0) scanner.fail(std::string("the field ") + kMachineFields[i].name);
    }
    if (const auto error = machine_error(machine)) {
        scanner.fail_at(line_start, "a possible machine (" + *error + ")");
    }
    return machine;
}

}  // namespace

Command assemble_line(std::string_view text, const MachineShape& machine, int line_number) {
    LineScanner scanner(text, line_number);
    Command command;
    read_command(scanner, machine, command);
    return command;
}

CommandFile assemble(std::string_view text, std::optional<MachineShape> machine) {
    CommandFile file;
    std::array<CommandId, kEngineKinds> last_ids{};
    int line_number = 0;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        LineScanner scanner(text.substr(0, end), ++line_number);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (scanner.at_end()) continue;
        if (scanner.accept('.')) {
            const LineScanner::Mark start = scanner.mark();
            if (scanner.identifier("machine") != "machine") scanner.fail_at(start, "machine");
            machine = read_machine(scanner);
            continue;
        }
        if (!machine) scanner.fail("a .machine line before the first command");
        Command& command = file.commands.emplace_back();
        const bool has_ids = read_command(scanner, *machine, command);
        CommandId& last = last_ids[static_cast<std::size_t>(command.info().engine)];
        if (!has_ids) {
            command.id = last + 1;
            for (std::size_t kind = 0; kind < kEngineKinds; ++kind) {
                command.set_wait(static_cast<Engine>(kind), last_ids[kind]);
            }
        }
        last = command.id;
    }
    if (!machine) throw AssemblyError(1, 1, "expected a .machine line; the text is empty");
    file.machine = *machine;
    return file;
}

}  // namespace okksim::isa
