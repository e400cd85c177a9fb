// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/command_trace_reader.h"

#include <fmt/format.h>
#include <lzma.h>

#include <cstring>
#include <fstream>

#include "isa/base/errors.h"
#include "isa/base/input_file.h"
#include "isa/base/text_stream.h"
#include "isa/codec.h"

namespace okksim::sim::trace {
namespace {

constexpr std::size_t kFixedHeader = 36;
constexpr std::size_t kLongestDescription = 1 << 20;
constexpr std::size_t kEndBytes = 8 * sizeof(std::uint64_t);

template <typename Number>
Number load(const char* at) {
    Number number;
    std::memcpy(&number, at, sizeof number);
    return number;
}

std::uint32_t crc_of(const char* at, std::size_t size) {
    return lzma_crc32(reinterpret_cast<const std::uint8_t*>(at), size, 0);
}

}  // namespace

bool CommandTraceReader::recognises(const std::filesystem::path& path) {
    std::array<char, kCommandTraceMagic.size()> magic{};
    if (may_have_no_end(path)) return false;
    std::ifstream(path, std::ios::binary).read(magic.data(), magic.size());
    return magic == kCommandTraceMagic;
}

CommandTraceReader::CommandTraceReader(const std::filesystem::path& path)
    : path_(path), file_(map_file(path)) {
    at_ = block_end_ = reinterpret_cast<const char*>(file_.bytes.data());
    read_header();
}

std::string CommandTraceReader::where() const {
    const char* begin = reinterpret_cast<const char*>(file_.bytes.data());
    return fmt::format("{}: byte {}, after command {}", path_.string(), at_ - begin,
                       totals_.commands.total());
}

void CommandTraceReader::fail(const std::string& problem) const {
    throw ConfigError(where(), problem);
}

void CommandTraceReader::read_header() {
    const std::size_t size = file_.bytes.size();
    if (size < kFixedHeader || std::memcmp(at_, kCommandTraceMagic.data(), 8) != 0) {
        fail(
            "is no command trace; okksim run MODEL --record FILE or okksim kernel LIBRARY --record "
            "FILE makes one");
    }
    const auto version = load<std::uint32_t>(at_ + 8);
    if (version != kCommandTraceVersion) {
        fail(fmt::format("has version {}, this okksim reads version {}; record it again", version,
                         kCommandTraceVersion));
    }
    const auto length = load<std::uint32_t>(at_ + 32);
    if (length > kLongestDescription || size < kFixedHeader + length + 4) {
        fail("the header is cut off or damaged");
    }
    if (load<std::uint32_t>(at_ + kFixedHeader + length) != crc_of(at_, kFixedHeader + length)) {
        fail("the header is damaged: its CRC is wrong");
    }
    with_crc_ = (load<std::uint32_t>(at_ + 12) & kCrcFlag) != 0;
    with_data_ = (load<std::uint32_t>(at_ + 12) & kDataFlag) != 0;
    const auto table = load<std::uint64_t>(at_ + 16);
    if (table != isa::isa_hash() && table != isa::isa_hash_with_features()) {
        fail("was written with another instruction table; record it again");
    }
    machine_hash_ = load<std::uint64_t>(at_ + 24);
    description_.assign(at_ + kFixedHeader, length);
    at_ = block_end_ = at_ + kFixedHeader + length + 4;
}

Machine CommandTraceReader::machine(const std::vector<std::string>& changes) const {
    TextReader lines(description_);
    std::string first;
    std::getline(lines, first);
    std::vector<std::string> overrides;  // the parts after the name
    TextReader parts(first);
    for (std::string part; std::getline(parts, part, kOverrideMark);) overrides.push_back(part);
    std::vector<std::string> settings;
    for (std::string line; std::getline(lines, line);) settings.push_back(line);
    settings.insert(settings.end(), changes.begin(), changes.end());
    try {
        Machine machine = load_machine(builtin_machines().front(), settings);
        machine.name = overrides.empty() ? "" : overrides.front();
        if (!overrides.empty()) overrides.erase(overrides.begin());
        overrides.insert(overrides.end(), changes.begin(), changes.end());
        machine.overrides = std::move(overrides);
        return machine;
    } catch (const ConfigError& error) {
        throw ConfigError(path_.string(), std::string("the recorded machine cannot be loaded: ") +
                                              error.what() + "; name another with --machine");
    }
}

bool CommandTraceReader::open_block() {
    const char* end = reinterpret_cast<const char*>(file_.bytes.data()) + file_.bytes.size();
    if (static_cast<std::size_t>(end - at_) < kBlockHeaderBytes) {
        fail("the trace is cut off: its end block is missing");
    }
    const auto kind = load<std::uint32_t>(at_);
    const auto size = load<std::uint32_t>(at_ + 4);
    const auto crc = load<std::uint32_t>(at_ + 8);
    is_data_ = kind == kDataBlock;
    if (kind != kEntryBlock && kind != kEndBlock && !is_data_) fail("a block of an unknown kind");
    const std::size_t longest =
        is_data_ ? kMostData + sizeof(std::uint64_t) : kBlockBytes + 2 * kLongestEntry;
    if (size > longest || (is_data_ && size <= sizeof(std::uint64_t))) {
        fail("a block has an impossible length");
    }
    if (static_cast<std::size_t>(end - at_) - kBlockHeaderBytes < size) {
        fail("the trace is cut off inside a block");
    }
    const char* payload = at_ + kBlockHeaderBytes;
    if (crc_of(payload, size) != crc) fail("a block is damaged: its CRC is wrong");
    if (kind == kEndBlock) {
        check_end(payload, size);
        at_ = payload + size;
        if (at_ != end) fail("bytes follow the end block");
        ended_ = true;
        return false;
    }
    at_ = payload;
    block_end_ = payload + size;
    return true;
}

void CommandTraceReader::check_end(const char* payload, std::uint32_t size) {
    if (size != kEndBytes) fail("the end block has another size");
    const auto number = [&](std::size_t i) { return load<std::uint64_t>(payload + 8 * i); };
    TraceTotals told{.launches = number(0),
                     .commands = {},
                     .polls = number(3),
                     .calls = number(4),
                     .accesses = number(5),
                     .computations = number(6),
                     .duration = {static_cast<std::int64_t>(number(7))}};
    told.commands[isa::Engine::kGdma] = number(1);
    told.commands[isa::Engine::kBdc] = number(2);
    if (!(told == totals_)) {
        fail(fmt::format(
            "the end block announces {} launches and {} commands, but the trace has {} and {}",
            told.launches, told.commands.total(), totals_.launches, totals_.commands.total()));
    }
}

void CommandTraceReader::take_data(TraceEntry& entry) {
    entry.kind = EntryKind::kData;
    entry.access.address = isa::SystemAddr::from(load<std::uint64_t>(at_));
    const char* const bytes = at_ + sizeof(std::uint64_t);
    entry.data = std::as_bytes(std::span(bytes, block_end_));
    entry.access.bytes = entry.data.size();
    at_ = block_end_;
}

bool CommandTraceReader::next(TraceEntry& entry) {
    if (ended_) return false;
    while (at_ == block_end_) {
        if (!open_block()) return false;
    }
    if (is_data_) {
        take_data(entry);
        return true;
    }
    const char* problem = nullptr;
    const char* behind = decode_entry(at_, block_end_, with_crc_, state_, entry, problem);
    if (behind == nullptr) fail(problem);
    at_ = behind;
    totals_.add(entry);
    return true;
}

}  // namespace okksim::sim::trace
