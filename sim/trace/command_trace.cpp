// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/command_trace.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "isa/base/errors.h"

namespace okksim::sim::trace {
namespace {

// First byte of an entry. For commands it is kFirstSlot + the slot of the opcode.
constexpr std::uint8_t kLaunchTag = 0;
constexpr std::uint8_t kFinishTag = 1;
constexpr std::uint8_t kPollTag = 2;
constexpr std::uint8_t kFirstChargeTag = 3;  ///< + FirmwareCall
constexpr std::uint8_t kCharges = 5;
constexpr std::uint8_t kNewSlotTag = 8;  ///< followed by the opcode of the next free slot
constexpr std::uint8_t kLoadTag = 9;
constexpr std::uint8_t kStoreTag = 10;
constexpr std::uint8_t kNewNameTag = 11;       ///< followed by a name, which gets the next number
constexpr std::uint8_t kFirstComputeTag = 12;  ///< + ComputeKind
constexpr std::uint8_t kComputeKinds = 2;
constexpr std::uint8_t kPlaceTag = 14;  ///< line number; a new one's text follows
constexpr std::uint8_t kBufferTag = 15;
constexpr std::uint8_t kFirstSlot = 16;
constexpr std::uint8_t kListStartTag = 254;  ///< above all slots, so that older readers reject it
constexpr std::uint8_t kListEndTag = 255;
constexpr std::size_t kMostSlots = kListStartTag - kFirstSlot;

std::uint8_t tag_of(isa::FirmwareCall call) {
    if (call == isa::FirmwareCall::kListStart) return kListStartTag;
    if (call == isa::FirmwareCall::kListEnd) return kListEndTag;
    return static_cast<std::uint8_t>(kFirstChargeTag + static_cast<std::uint8_t>(call));
}

/// Returns the call that a tag stands for, or nothing.
std::optional<isa::FirmwareCall> call_of(std::uint8_t tag) {
    if (tag == kListStartTag) return isa::FirmwareCall::kListStart;
    if (tag == kListEndTag) return isa::FirmwareCall::kListEnd;
    if (tag < kFirstChargeTag || tag >= kFirstChargeTag + kCharges) return std::nullopt;
    return static_cast<isa::FirmwareCall>(tag - kFirstChargeTag);
}

void put(std::string& bytes, std::uint64_t value) {
    constexpr std::uint64_t kMore = 0x80;
    while (value >= kMore) {
        bytes.push_back(static_cast<char>(value | kMore));
        value >>= 7;
    }
    bytes.push_back(static_cast<char>(value));
}

/// Encodes small differences of either sign as small unsigned numbers.
std::uint32_t zigzag(std::uint32_t difference) {
    return (difference << 1) ^ (0u - (difference >> 31));
}
std::uint32_t from_zigzag(std::uint32_t value) { return (value >> 1) ^ (0u - (value & 1)); }

/// Reads numbers from a range of bytes.
class Cursor {
 public:
    Cursor(const char* at, const char* end) : at_(at), end_(end) {}

    std::uint8_t byte() {
        if (at_ == end_) {
            bad_ = true;
            return 0;
        }
        return static_cast<std::uint8_t>(*at_++);
    }
    std::uint64_t number() {
        std::uint64_t value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            const std::uint8_t next = byte();
            value |= std::uint64_t{next & 0x7Fu} << shift;
            if (next < 0x80) return value;
        }
        bad_ = true;
        return 0;
    }
    std::uint32_t word() {
        const std::uint64_t value = number();
        if (value > UINT32_MAX) bad_ = true;
        return static_cast<std::uint32_t>(value);
    }
    bool take(void* target, std::size_t size) {
        if (static_cast<std::size_t>(end_ - at_) < size) {
            bad_ = true;
            return false;
        }
        std::memcpy(target, at_, size);
        at_ += size;
        return true;
    }
    bool bad() const { return bad_; }
    const char* at() const { return at_; }

 private:
    const char* at_;
    const char* end_;
    bool bad_ = false;
};

const char* decode_command(Cursor& cursor, std::size_t slot, bool with_crc, DeltaState& state,
                           TraceEntry& entry, const char*& problem) {
    if (slot >= state.slots.size()) {
        problem = "a command has an undefined opcode";
        return nullptr;
    }
    entry.kind = EntryKind::kCommand;
    auto& words = state.slots[slot].words;
    isa::Command& command = entry.command;
    command.opcode = state.slots[slot].opcode;
    const std::uint32_t behind_gdma = cursor.word();
    const std::uint32_t behind_bdc = cursor.word();
    for (std::uint32_t rest = cursor.word(); rest != 0 && !cursor.bad(); rest &= rest - 1) {
        words[static_cast<std::size_t>(std::countr_zero(rest))] += from_zigzag(cursor.word());
    }
    if (behind_gdma > state.last[0] || behind_bdc > state.last[1]) {
        problem = "a command waits for a command before the first";
        return nullptr;
    }
    command.wait_gdma = state.last[0] - behind_gdma;
    command.wait_bdc = state.last[1] - behind_bdc;
    command.id = ++state.last[static_cast<std::size_t>(command.info().engine)];
    command.words = words;
    entry.data_crc.reset();
    if (with_crc) {
        std::uint32_t crc = 0;
        cursor.take(&crc, sizeof crc);
        entry.data_crc = crc;
    }
    return cursor.bad() ? nullptr : cursor.at();
}

/// Reads a name of at most kLongestName bytes.
bool take_name(Cursor& cursor, std::string& name) {
    const std::uint64_t size = cursor.number();
    if (cursor.bad() || size > kLongestName) return false;
    name.resize(size);
    return cursor.take(name.data(), size);
}

const char* decode_computation(Cursor& cursor, std::uint8_t tag, const DeltaState& state,
                               TraceEntry& entry, const char*& problem) {
    entry.kind = EntryKind::kCompute;
    entry.computation.kind = static_cast<isa::ComputeKind>(tag - kFirstComputeTag);
    const std::uint64_t name = cursor.number();
    entry.computation.operations = cursor.number();
    if (cursor.bad()) return nullptr;
    if (name >= state.names.size() || entry.computation.operations > isa::Computation::kMost) {
        problem = "a computation has no name or too many operations";
        return nullptr;
    }
    entry.name = state.names[name];
    return cursor.at();
}

const char* decode_place(Cursor& cursor, DeltaState& state, TraceEntry& entry,
                         const char*& problem) {
    entry.kind = EntryKind::kPlace;
    const std::uint64_t place = cursor.number();
    if (cursor.bad()) return nullptr;
    if (place > state.places.size()) {
        problem = "an operator has no name";
        return nullptr;
    }
    if (place == state.places.size() && !take_name(cursor, state.places.emplace_back())) {
        problem = "a name is too long";
        return nullptr;
    }
    entry.name = state.places[place];
    return cursor.at();
}

const char* decode_buffer(Cursor& cursor, TraceEntry& entry, const char*& problem) {
    entry.kind = EntryKind::kBuffer;
    entry.access.address = isa::SystemAddr::from(cursor.number());
    entry.access.bytes = cursor.number();
    if (take_name(cursor, entry.name) && !cursor.bad()) return cursor.at();
    problem = "a buffer has no name";
    return nullptr;
}

/// Adds a slot for the opcode that follows.
bool add_slot(Cursor& cursor, DeltaState& state) {
    const std::uint64_t opcode = cursor.number();
    if (cursor.bad() || opcode > UINT16_MAX || state.slots.size() == kMostSlots) return false;
    const isa::InstructionInfo* info = isa::find_instruction(static_cast<std::uint16_t>(opcode));
    if (info == nullptr || !info->is_command()) return false;
    state.slot(info->opcode);
    return true;
}

}  // namespace

void TraceTotals::add(const TraceEntry& entry) {
    switch (entry.kind) {
        case EntryKind::kLaunch: ++launches; return;
        case EntryKind::kFinish: duration += entry.duration; return;
        case EntryKind::kPoll: ++polls; return;
        case EntryKind::kCharge: calls += entry.count; return;
        case EntryKind::kCompute: ++computations; return;
        case EntryKind::kAccess: ++accesses; return;
        case EntryKind::kCommand: count(entry.command); return;
        case EntryKind::kPlace:
        case EntryKind::kBuffer:
        case EntryKind::kData: return;
    }
}

std::size_t DeltaState::slot(isa::Opcode opcode) {
    std::uint8_t& known = slot_of[static_cast<std::size_t>(opcode)];
    if (known == 0) {
        OKKSIM_CHECK(slots.size() < kMostSlots);
        slots.push_back({opcode, {}});
        known = static_cast<std::uint8_t>(slots.size());
    }
    return known - std::size_t{1};
}

void encode_command(const isa::Command& command, const std::optional<std::uint32_t>& data_crc,
                    DeltaState& state, std::string& bytes) {
    const std::size_t known = state.slots.size();
    const std::size_t slot = state.slot(command.opcode);
    if (state.slots.size() > known) {
        bytes.push_back(static_cast<char>(kNewSlotTag));
        put(bytes, static_cast<std::uint64_t>(command.opcode));
    }
    bytes.push_back(static_cast<char>(kFirstSlot + slot));
    put(bytes, state.last[0] - command.wait_gdma);
    put(bytes, state.last[1] - command.wait_bdc);
    auto& words = state.slots[slot].words;
    std::uint32_t changed = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
        changed |= static_cast<std::uint32_t>(words[i] != command.words[i]) << i;
    }
    put(bytes, changed);
    for (std::uint32_t rest = changed; rest != 0; rest &= rest - 1) {
        const auto i = static_cast<std::size_t>(std::countr_zero(rest));
        put(bytes, zigzag(command.words[i] - words[i]));
    }
    words = command.words;
    state.last[static_cast<std::size_t>(command.info().engine)] = command.id;
    if (data_crc) bytes.append(reinterpret_cast<const char*>(&*data_crc), sizeof *data_crc);
}

void encode_computation(const TraceEntry& entry, DeltaState& state, std::string& bytes) {
    const std::string_view name = std::string_view(entry.name).substr(0, kLongestName);
    auto known = state.number_of.find(name);
    if (known == state.number_of.end()) {
        bytes.push_back(static_cast<char>(kNewNameTag));
        put(bytes, name.size());
        bytes.append(name);
        known = state.number_of.emplace(name, state.number_of.size()).first;
    }
    bytes.push_back(
        static_cast<char>(kFirstComputeTag + static_cast<std::uint8_t>(entry.computation.kind)));
    put(bytes, known->second);
    put(bytes, entry.computation.operations);
}

void encode_name(const std::string& name, std::string& bytes) {
    const std::size_t size = std::min(name.size(), kLongestName);
    put(bytes, size);
    bytes.append(name, 0, size);
}

void encode_place(const std::string& place, DeltaState& state, std::string& bytes) {
    const auto [known, is_new] = state.number_of_place.emplace(place, state.number_of_place.size());
    bytes.push_back(static_cast<char>(kPlaceTag));
    put(bytes, known->second);
    if (is_new) encode_name(place, bytes);
}

void encode_entry(const TraceEntry& entry, DeltaState& state, std::string& bytes) {
    switch (entry.kind) {
        case EntryKind::kLaunch: {
            bytes.push_back(static_cast<char>(kLaunchTag));
            encode_name(entry.name, bytes);
            state.last = {};
            return;
        }
        case EntryKind::kFinish:
            bytes.push_back(static_cast<char>(kFinishTag));
            put(bytes, static_cast<std::uint64_t>(entry.duration.value));
            return;
        case EntryKind::kPoll: bytes.push_back(static_cast<char>(kPollTag)); return;
        case EntryKind::kCharge:
            bytes.push_back(static_cast<char>(tag_of(entry.call)));
            put(bytes, entry.count);
            return;
        case EntryKind::kCompute: encode_computation(entry, state, bytes); return;
        case EntryKind::kAccess:
            bytes.push_back(static_cast<char>(
                entry.access.kind == isa::AccessKind::kLoad ? kLoadTag : kStoreTag));
            put(bytes, entry.access.address.value());
            put(bytes, entry.access.bytes);
            return;
        case EntryKind::kCommand:
            encode_command(entry.command, entry.data_crc, state, bytes);
            return;
        case EntryKind::kPlace: encode_place(entry.name, state, bytes); return;
        case EntryKind::kBuffer:
            bytes.push_back(static_cast<char>(kBufferTag));
            put(bytes, entry.access.address.value());
            put(bytes, entry.access.bytes);
            encode_name(entry.name, bytes);
            return;
        case EntryKind::kData: OKKSIM_CHECK(false);  // data have separate blocks
    }
}

const char* decode_entry(const char* at, const char* end, bool with_crc, DeltaState& state,
                         TraceEntry& entry, const char*& problem) {
    problem = "an entry is cut off";
    Cursor cursor(at, end);
    std::uint8_t tag = cursor.byte();
    if (tag == kNewSlotTag) {
        if (!add_slot(cursor, state)) {
            problem = "an opcode is unknown";
            return nullptr;
        }
        tag = cursor.byte();
        if (tag < kFirstSlot || tag >= kListStartTag) {
            problem = "an opcode is defined without a command";
            return nullptr;
        }
    }
    if (tag == kNewNameTag) {
        if (!take_name(cursor, state.names.emplace_back())) {
            problem = "a name is too long";
            return nullptr;
        }
        tag = cursor.byte();
        if (tag < kFirstComputeTag || tag >= kFirstComputeTag + kComputeKinds) {
            problem = "a name is defined without a computation";
            return nullptr;
        }
    }
    if (tag >= kFirstSlot && tag < kListStartTag) {
        return decode_command(cursor, tag - kFirstSlot, with_crc, state, entry, problem);
    }
    if (tag == kPlaceTag) return decode_place(cursor, state, entry, problem);
    if (tag == kBufferTag) return decode_buffer(cursor, entry, problem);
    if (tag == kLaunchTag) {
        entry.kind = EntryKind::kLaunch;
        if (!take_name(cursor, entry.name)) {
            problem = "a name is too long";
            return nullptr;
        }
        state.last = {};
    } else if (tag == kFinishTag) {
        entry.kind = EntryKind::kFinish;
        entry.duration = {static_cast<std::int64_t>(cursor.number() & INT64_MAX)};
    } else if (tag == kPollTag) {
        entry.kind = EntryKind::kPoll;
    } else if (const auto call = call_of(tag)) {
        entry.kind = EntryKind::kCharge;
        entry.call = *call;
        entry.count = cursor.number();
        if (entry.count > kMostCalls) {
            problem = "a count of calls is too large";
            return nullptr;
        }
    } else if (tag == kLoadTag || tag == kStoreTag) {
        entry.kind = EntryKind::kAccess;
        entry.access.kind = tag == kLoadTag ? isa::AccessKind::kLoad : isa::AccessKind::kStore;
        entry.access.address = isa::SystemAddr::from(cursor.number());
        entry.access.bytes = cursor.number();
    } else if (tag >= kFirstComputeTag && tag < kFirstComputeTag + kComputeKinds) {
        return decode_computation(cursor, tag, state, entry, problem);
    } else {
        problem = "an entry of an unknown kind";
        return nullptr;
    }
    return cursor.bad() ? nullptr : cursor.at();
}

}  // namespace okksim::sim::trace
