// SPDX-License-Identifier: Apache-2.0
#include "isa/codec.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "isa/base/fnv1a.h"
#include "isa/base/hex.h"
#include "isa/type_names.h"

namespace okksim::isa {
namespace {

/// Header in its file layout. Fields are naturally aligned, so there is no padding.
struct Header {
    std::array<char, 8> magic{};
    std::uint32_t version = 0;
    std::uint32_t record_bytes = 0;
    std::uint64_t hash = 0;
    std::uint64_t records = 0;
    std::int32_t lanes = 0;
    std::int32_t local_banks = 0;
    std::int64_t local_bytes = 0;
    std::uint64_t l2_start = 0;
    std::uint64_t l2_bytes = 0;
    std::uint64_t dtcm_start = 0;
    std::uint64_t dtcm_bytes = 0;
    std::uint64_t global_start = 0;
    std::uint64_t global_bytes = 0;
    std::int32_t vector_words = 0;
    std::uint32_t crc = 0;
};
static_assert(sizeof(Header) == 104 && offsetof(Header, crc) == 100);

constexpr std::array<char, 8> kMagic = {'O', 'K', 'K', 'C', 'M', 'D', 'S', '\n'};
constexpr std::size_t kTrailerBytes = sizeof(std::uint32_t);

constexpr auto make_crc_table() {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < 256; ++i) {
        std::uint32_t value = i;
        for (int bit = 0; bit < 8; ++bit) {
            value = (value >> 1) ^ ((value & 1) != 0 ? 0xEDB88320u : 0u);
        }
        table[i] = value;
    }
    return table;
}
constexpr auto kCrcTable = make_crc_table();

MachineShape machine_of(const Header& header) {
    MachineShape machine;
    machine.lanes = header.lanes;
    machine.local_banks = header.local_banks;
    machine.vector_words = header.vector_words;
    machine.features = kAllFeatures;  // the file does not say which
    machine.local_bytes = header.local_bytes;
    machine.l2_start = header.l2_start;
    machine.l2_bytes = header.l2_bytes;
    machine.dtcm_start = header.dtcm_start;
    machine.dtcm_bytes = header.dtcm_bytes;
    machine.global_start = header.global_start;
    machine.global_bytes = header.global_bytes;
    return machine;
}

Header header_of(const CommandFile& file) {
    const MachineShape& machine = file.machine;
    Header header;
    header.magic = kMagic;
    header.version = kCommandFileVersion;
    header.record_bytes = sizeof(Command);
    const auto is_beyond = [](const Command& command) {
        const InstructionInfo* info = find_instruction(static_cast<std::uint16_t>(command.opcode));
        return info != nullptr && info->feature != Feature::kBase;
    };
    header.hash =
        std::ranges::any_of(file.commands, is_beyond) ? isa_hash_with_features() : isa_hash();
    header.records = file.commands.size();
    header.lanes = machine.lanes;
    header.local_banks = machine.local_banks;
    header.vector_words = machine.vector_words;
    header.local_bytes = machine.local_bytes;
    header.l2_start = machine.l2_start;
    header.l2_bytes = machine.l2_bytes;
    header.dtcm_start = machine.dtcm_start;
    header.dtcm_bytes = machine.dtcm_bytes;
    header.global_start = machine.global_start;
    header.global_bytes = machine.global_bytes;
    header.crc = crc32(std::as_bytes(std::span(&header, 1)).first(offsetof(Header, crc)));
    return header;
}

/// Throws unless the header is intact, of this version and agrees with the number of bytes.
void validate(const Header& header, std::span<const std::byte> bytes) {
    if (header.magic != kMagic) {
        throw DecodeError(0, std::nullopt, "not a command file: it does not start with OKKCMDS");
    }
    if (header.version != kCommandFileVersion) {
        throw DecodeError(offsetof(Header, version), std::nullopt,
                          "command file version " + std::to_string(header.version) +
                              "; this okksim reads version " + std::to_string(kCommandFileVersion));
    }
    if (crc32(bytes.first(offsetof(Header, crc))) != header.crc) {
        throw DecodeError(offsetof(Header, crc), std::nullopt,
                          "the header is damaged: its CRC is wrong");
    }
    if (header.hash != isa_hash() && header.hash != isa_hash_with_features()) {
        throw DecodeError(offsetof(Header, hash), std::nullopt,
                          "written for instruction table " + hex(header.hash) +
                              ", this okksim has " + hex(isa_hash()) + "; record it again");
    }
    if (header.record_bytes != sizeof(Command)) {
        throw DecodeError(offsetof(Header, record_bytes), std::nullopt,
                          "records of " + std::to_string(header.record_bytes) +
                              " bytes; a record has " + std::to_string(sizeof(Command)) + " bytes");
    }
    if (const auto error = machine_error(machine_of(header))) {
        throw DecodeError(offsetof(Header, lanes), std::nullopt, "machine: " + *error);
    }
}

void validate_size(const Header& header, std::size_t bytes) {
    const std::uint64_t body = bytes - sizeof(Header);
    const std::uint64_t whole = body < kTrailerBytes ? 0 : (body - kTrailerBytes) / sizeof(Command);
    if (header.records > whole) {
        throw DecodeError(sizeof(Header) + whole * sizeof(Command), whole,
                          "the file ends here; its header announces " +
                              std::to_string(header.records) + " records");
    }
    const std::uint64_t end = sizeof(Header) + header.records * sizeof(Command) + kTrailerBytes;
    if (end != bytes) {
        throw DecodeError(end, std::nullopt,
                          std::to_string(bytes - end) + " bytes too many after the last record");
    }
}

std::optional<std::string> operand_error(const OperandInfo& operand, const Command& command) {
    const std::uint32_t word = command.words[operand.first_word];
    const std::string text = std::string(operand.name) + " = " + std::to_string(word);
    switch (operand.kind) {
        case OperandKind::kBool:
            return word <= 1 ? std::nullopt : std::optional(text + " is not a flag (0 or 1)");
        case OperandKind::kOpTypes:
            return op_type_name(static_cast<OpType>(word)) != nullptr
                       ? std::nullopt
                       : std::optional(text + " is not an op_type");
        case OperandKind::kMulTypes:
            return mul_type_name(static_cast<MulType>(word)) != nullptr
                       ? std::nullopt
                       : std::optional(text + " is not a mul_type");
        case OperandKind::kElement:
            return element_type_name(static_cast<ElementType>(word)) != nullptr
                       ? std::nullopt
                       : std::optional(text + " is not an element type");
        case OperandKind::kLocal:
        case OperandKind::kSystem:
        case OperandKind::kShape:
        case OperandKind::kStride:
        case OperandKind::kInt:
        case OperandKind::kFloat:
        case OperandKind::kBits:
        case OperandKind::kPadding:
        case OperandKind::kStep: return std::nullopt;
    }
    return std::nullopt;
}

/// Hash of strings, each with its end, and of little-endian numbers.
class Fingerprint {
 public:
    void add(std::string_view text) {
        hash_.add(text);
        hash_.add_byte(0);
    }
    void add(std::uint32_t value) {
        for (int shift = 0; shift < 32; shift += 8) {
            hash_.add_byte(static_cast<std::uint8_t>(value >> shift));
        }
    }
    std::uint64_t value() const { return hash_.value(); }

 private:
    Fnv1a hash_;
};

}  // namespace

DecodeError::DecodeError(std::uint64_t byte_offset, std::optional<std::uint64_t> record,
                         const std::string& message)
    : ConfigError("command file, byte " + std::to_string(byte_offset) +
                      (record ? ", record " + std::to_string(*record) : ""),
                  message),
      byte_offset_(byte_offset),
      record_(record) {}

std::vector<std::byte> encode(const CommandFile& file) {
    const Header header = header_of(file);
    const auto records = std::as_bytes(std::span(file.commands));
    const std::uint32_t crc = crc32(records);
    std::vector<std::byte> bytes(sizeof header + records.size() + kTrailerBytes);
    std::memcpy(bytes.data(), &header, sizeof header);
    if (!records.empty()) {
        std::memcpy(bytes.data() + sizeof header, records.data(), records.size());
    }
    std::memcpy(bytes.data() + sizeof header + records.size(), &crc, sizeof crc);
    return bytes;
}

CommandFile decode(std::span<const std::byte> bytes) {
    Header header;
    if (bytes.size() < sizeof header) {
        throw DecodeError(bytes.size(), std::nullopt,
                          "not a command file: shorter than its header of " +
                              std::to_string(sizeof header) + " bytes");
    }
    std::memcpy(&header, bytes.data(), sizeof header);
    validate(header, bytes);
    validate_size(header, bytes.size());

    CommandFile file;
    file.machine = machine_of(header);
    file.commands.resize(header.records);
    const auto records = bytes.subspan(sizeof header, header.records * sizeof(Command));
    if (!records.empty()) std::memcpy(file.commands.data(), records.data(), records.size());
    for (std::size_t i = 0; i < file.commands.size(); ++i) {
        if (const auto error = record_error(file.commands[i])) {
            throw DecodeError(sizeof header + i * sizeof(Command), i, *error);
        }
    }
    std::uint32_t crc = 0;
    std::memcpy(&crc, bytes.data() + bytes.size() - sizeof crc, sizeof crc);
    if (crc != crc32(records)) {
        throw DecodeError(bytes.size() - sizeof crc, std::nullopt,
                          "the records are damaged: their CRC is wrong");
    }
    return file;
}

std::optional<std::string> record_error(const Command& command) {
    const auto code = static_cast<std::uint16_t>(command.opcode);
    const InstructionInfo* info = find_instruction(code);
    if (info == nullptr) return "unknown opcode " + hex(code);
    if (!info->is_command()) {
        return "opcode " + hex(code) + " is okk_" + info->name +
               ", a function that consists of several commands";
    }
    if (command.instance != 0) {
        return "engine " + std::to_string(command.instance) +
               " of its kind; command files hold commands of the first one, number 0";
    }
    for (const OperandInfo& operand : info->operands()) {
        if (auto error = operand_error(operand, command)) return error;
    }
    for (auto i = static_cast<std::size_t>(form_words(info->form)); i < command.words.size(); ++i) {
        if (command.words[i] != 0) {
            return "word " + std::to_string(i) + " is " + hex(command.words[i]) + "; " +
                   info->name + " does not use it, so it is zero";
        }
    }
    return std::nullopt;
}

std::optional<std::string> machine_error(const MachineShape& machine) {
    // Local addresses have 32 bits.
    constexpr std::int64_t kLocalAddresses = std::int64_t{1} << 32;
    if (machine.lanes < 1) return "lanes = " + std::to_string(machine.lanes) + " is less than 1";
    if (machine.local_bytes < 1 || machine.local_bytes > kLocalAddresses / machine.lanes) {
        return "local_bytes = " + std::to_string(machine.local_bytes) + " is not in [1, " +
               std::to_string(kLocalAddresses / machine.lanes) + "]";
    }
    // Strides count lines of a vector in 32 bits.
    constexpr std::int32_t kMostVectorWords = 1 << 16;
    if (machine.vector_words < 1 || machine.vector_words > kMostVectorWords) {
        return "vector_words = " + std::to_string(machine.vector_words) + " is not in [1, " +
               std::to_string(kMostVectorWords) + "]";
    }
    const std::pair<std::uint64_t, std::uint64_t> regions[] = {
        {machine.l2_start, machine.l2_bytes},
        {machine.dtcm_start, machine.dtcm_bytes},
        {machine.global_start, machine.global_bytes}};
    constexpr std::uint64_t kSystemAddresses = std::uint64_t{1} << 62;
    for (const auto& [start, bytes] : regions) {
        if (start > kSystemAddresses || bytes > kSystemAddresses) {
            return "a system memory starts at " + hex(start) + " with " + hex(bytes) +
                   " bytes; addresses end at 2^63";
        }
    }
    return std::nullopt;
}

namespace {

/// True for rows that the fingerprint leaves out because it is older. Files without their opcodes
/// stay readable, and an okksim that lacks a row refuses its opcode.
bool is_later_row(const InstructionInfo& row) { return row.opcode == Opcode::bdc_32bit_select; }

std::uint64_t table_hash(bool beyond_reference) {
    Fingerprint print;
    for (const InstructionInfo& row : instructions()) {
        if (is_later_row(row)) continue;
        if (row.feature != Feature::kBase && !beyond_reference) continue;
        print.add(static_cast<std::uint32_t>(row.opcode));
        print.add(row.name);
        for (const OperandInfo& operand : row.operands()) {
            print.add(static_cast<std::uint32_t>(operand.kind));
            print.add(operand.name);
        }
    }
    return print.value();
}

}  // namespace

std::uint64_t isa_hash() {
    static const std::uint64_t hash = table_hash(false);
    return hash;
}

std::uint64_t isa_hash_with_features() {
    static const std::uint64_t hash = table_hash(true);
    return hash;
}

std::uint32_t crc32(std::span<const std::byte> bytes) {
    std::uint32_t crc = 0xFFFFFFFFu;
    for (const std::byte byte : bytes) {
        crc = (crc >> 8) ^ kCrcTable[(crc ^ std::to_integer<std::uint32_t>(byte)) & 0xFFu];
    }
    return ~crc;
}

}  // namespace okksim::isa
