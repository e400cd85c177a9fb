// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "isa/base/errors.h"
#include "isa/command.h"

namespace okksim::isa {

/// Commands in the order in which they were issued, with the machine they are laid out for.
struct CommandFile {
    MachineShape machine;
    std::vector<Command> commands;
};

/// Version of the binary layout; changes when a reader of the old one would misread the new one.
inline constexpr std::uint32_t kCommandFileVersion = 2;

/// Says why bytes are not a command file. `where()` names the byte offset and, inside the records,
/// the record's index.
class DecodeError : public ConfigError {
 public:
    DecodeError(std::uint64_t byte_offset, std::optional<std::uint64_t> record,
                const std::string& message);
    std::uint64_t byte_offset() const { return byte_offset_; }
    std::optional<std::uint64_t> record() const { return record_; }

 private:
    std::uint64_t byte_offset_;
    std::optional<std::uint64_t> record_;
};

/// Binary form of a command file. Everything is little-endian. Columns: byte offset, bytes,
/// content.
///
///   0   8  magic "OKKCMDS\n".
///   8   4  version (kCommandFileVersion).
///  12   4  bytes of one record (sizeof(Command)).
///  16   8  isa_hash() of the writer's instruction table.
///  24   8  number of records.
///  32   4  machine: lanes.
///  36   4  machine: banks of a lane's local memory.
///  40  56  machine: local_bytes, l2_start, l2_bytes, dtcm_start, dtcm_bytes, global_start,
///          global_bytes.
///  96   4  machine: 32-bit words of a vector.
/// 100   4  CRC-32 of bytes 0 to 99.
/// 104      records, each as struct Command.
/// end   4  CRC-32 of all records.
std::vector<std::byte> encode(const CommandFile& file);

/// Reads the binary form. Returns well-formed records; check() decides whether they keep the rules
/// of the API. Throws DecodeError when the bytes are damaged or have another version or instruction
/// table. Throws DecodeError also when a record is not a command or the machine is impossible.
CommandFile decode(std::span<const std::byte> bytes);

/// Returns the error of a malformed record, or nothing. A record is malformed if its opcode is
/// unknown, its function is not a command, or its engine instance is not the first. It is also
/// malformed if an unused word is not zero or a value is not an enumerator or a flag.
std::optional<std::string> record_error(const Command& command);

/// Returns the error of an impossible machine shape, or nothing.
std::optional<std::string> machine_error(const MachineShape& machine);

/// Fingerprints of the instruction table (codes, names, operands). Files of another table do not
/// decode. isa_hash() covers the functions of the API reference; isa_hash_with_features() covers
/// all instruction groups. Files that use only base instructions carry the first.
std::uint64_t isa_hash();
std::uint64_t isa_hash_with_features();

/// CRC-32 of IEEE 802.3 (reflected polynomial 0xEDB88320).
std::uint32_t crc32(std::span<const std::byte> bytes);

}  // namespace okksim::isa
