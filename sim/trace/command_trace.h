// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "isa/command.h"
#include "isa/command_counts.h"
#include "isa/command_port.h"
#include "models/common/units.h"

namespace okksim::sim::trace {

/// Version of the binary layout (README.md). It changes if an older reader would misread the file.
inline constexpr std::uint32_t kCommandTraceVersion = 3;
inline constexpr std::array<char, 8> kCommandTraceMagic{'O', 'K', 'K', 'T', 'R', 'A', 'C', 'E'};

/// Separates the name of a trace's machine and the settings that differ from it.
inline constexpr char kOverrideMark = '\t';

/// Kinds of entries; a trace holds its entries in program order.
enum class EntryKind : std::uint8_t {
    kLaunch,   ///< a launch of program `name` begins
    kFinish,   ///< the launch has ended, `duration` after its first instruction
    kPoll,     ///< a wait for both engines
    kCharge,   ///< `count` equal calls without a command; `call`
    kCompute,  ///< the control processor computes: `computation`, `name`
    kAccess,   ///< the control processor itself loads or stores: `access`
    kCommand,  ///< `command`, and `data_crc` if the trace has CRCs
    kPlace,    ///< the commands that follow come from the line `name`
    kBuffer,   ///< the host's buffer `name`, e.g. "y.npy:f32[2,3]", is at `access.address`
    kData,     ///< the host or the processor has written `data` to `access.address`
};

struct TraceEntry {
    EntryKind kind = EntryKind::kPoll;
    isa::Command command;
    std::optional<std::uint32_t> data_crc;  ///< CRC-32 of the bytes that the command wrote
    isa::FirmwareCall call{};
    std::uint64_t count = 1;
    isa::ProcessorAccess access;
    isa::Computation computation;  ///< without `what`, which is in `name`
    std::string name;
    models::Picoseconds duration;
    std::span<const std::byte> data;  ///< valid as long as the reader or the writer's caller
};

/// Totals at the end of a trace.
struct TraceTotals {
    std::uint64_t launches = 0;
    isa::CommandCounts commands;
    std::uint64_t polls = 0;
    std::uint64_t calls = 0;  ///< that issue no command
    std::uint64_t accesses = 0;
    std::uint64_t computations = 0;
    models::Picoseconds duration;  ///< of all launches, from first instruction to idle

    void add(const TraceEntry& entry);
    void count(const isa::Command& command) { ++commands[command.info().engine]; }
    bool operator==(const TraceTotals&) const = default;
};

/// Kinds of blocks after the header.
inline constexpr std::uint32_t kEntryBlock = 1;
inline constexpr std::uint32_t kEndBlock = 2;
inline constexpr std::uint32_t kDataBlock = 3;  ///< an address, and the bytes written there
/// Bytes of a full block of entries. A writer ends a block with the entry that reaches this size.
inline constexpr std::size_t kBlockBytes = 64 << 10;
/// Maximum number of equal calls in one entry.
inline constexpr std::uint64_t kMostCalls = 1'000'000'000;
/// Maximum bytes of a name and of an entry. A command takes at most 2 + 3 + 10 + 5 + 32 * 5 + 4
/// bytes; longer names are cut.
inline constexpr std::size_t kLongestName = 200;
inline constexpr std::size_t kLongestEntry = 512;
/// Maximum bytes of data in one block.
inline constexpr std::size_t kMostData = 1 << 20;
/// Flags of the header.
inline constexpr std::uint32_t kCrcFlag = 1;
inline constexpr std::uint32_t kDataFlag = 2;
inline constexpr std::size_t kBlockHeaderBytes = 12;

/// State that writer and reader keep of earlier commands. A command's entry holds only operand
/// words that differ from the last command with the same opcode.
struct DeltaState {
    struct Slot {
        isa::Opcode opcode{};
        std::array<std::uint32_t, isa::Command::kOperandWords> words{};
    };
    std::vector<Slot> slots;
    /// By opcode: 1 + its slot, or 0.
    std::vector<std::uint8_t> slot_of = std::vector<std::uint8_t>(std::size_t{1} << 16);
    std::array<isa::CommandId, 2> last{};  ///< ids issued so far in this launch, by engine
    /// Names of computations: number by name, and names by number.
    std::map<std::string, std::uint64_t, std::less<>> number_of;
    std::vector<std::string> names;
    /// Source lines: number by line, and lines by number.
    std::map<std::string, std::uint64_t, std::less<>> number_of_place;
    std::vector<std::string> places;

    /// Returns the slot of an opcode; a new opcode gets a new slot.
    std::size_t slot(isa::Opcode opcode);
};

/// Appends one command.
void encode_command(const isa::Command& command, const std::optional<std::uint32_t>& data_crc,
                    DeltaState& state, std::string& bytes);
/// Appends one entry.
void encode_entry(const TraceEntry& entry, DeltaState& state, std::string& bytes);
/// Reads one entry from `at`, which must be below `end`. Returns the first byte after the entry, or
/// nullptr with `problem` if the bytes are not an entry.
const char* decode_entry(const char* at, const char* end, bool with_crc, DeltaState& state,
                         TraceEntry& entry, const char*& problem);

}  // namespace okksim::sim::trace
