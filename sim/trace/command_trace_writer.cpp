// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/command_trace_writer.h"

#include <lzma.h>

#include <algorithm>
#include <utility>

#include "isa/base/errors.h"
#include "isa/codec.h"
#include "models/chip/feature_params.h"

namespace okksim::sim::trace {
namespace {

template <typename Number>
void append(std::string& bytes, Number number) {
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

std::uint32_t crc_of(const std::string& bytes) {
    return lzma_crc32(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), 0);
}

/// Describes the machine for load_machine(): its name with its changes, then one setting per line.
/// Parameters at their standard values are left out.
std::string description(const Machine& machine) {
    std::string text = machine.name;
    for (const std::string& setting : machine.overrides) text += kOverrideMark + setting;
    text += '\n';
    for (const ParameterRecord& parameter : machine.parameters) {
        if (parameter.is_standard) continue;
        text += parameter.path + '=' + parameter.value + '\n';
    }
    return text;
}

/// Returns the hash of the instruction table. Groups beyond the API reference count only if the
/// machine has one, so that other recordings do not depend on them.
std::uint64_t table_hash(const Machine& machine) {
    const bool is_beyond =
        (machine.params.features->present() & ~isa::feature_bit(isa::Feature::kBase)) != 0;
    return is_beyond ? isa::isa_hash_with_features() : isa::isa_hash();
}

}  // namespace

CommandTraceWriter::CommandTraceWriter(const std::filesystem::path& path, const Machine& machine,
                                       std::uint32_t flags, std::uint64_t most_bytes)
    : file_(path.string()), path_(path.string()), most_bytes_(most_bytes) {
    const std::string text = description(machine);
    std::string header(kCommandTraceMagic.begin(), kCommandTraceMagic.end());
    append(header, kCommandTraceVersion);
    append(header, flags);
    append(header, table_hash(machine));
    append(header, machine.hash());
    append(header, static_cast<std::uint32_t>(text.size()));
    header += text;
    append(header, crc_of(header));
    file_ << header;
    bytes_ = header.size();
    charges_.kind = EntryKind::kCharge;
    charges_.count = 0;
}

CommandTraceWriter::~CommandTraceWriter() {
    if (is_finished_ || is_given_up_ || totals_.launches == 0) return;
    try {
        if (!block_.empty()) write_block(kEntryBlock, block_);
        file_.commit();
    } catch (const std::exception&) {  // the error that ended the run is reported instead
    }
}

void CommandTraceWriter::write_block(std::uint32_t kind, const std::string& payload) {
    // The run continues after the limit: its own result or error is still wanted.
    is_given_up_ = is_given_up_ || (kind != kEndBlock && bytes_ + payload.size() > most_bytes_);
    if (is_given_up_) return;
    std::string header;
    append(header, kind);
    append(header, static_cast<std::uint32_t>(payload.size()));
    append(header, crc_of(payload));
    file_ << header << payload;
    bytes_ += header.size() + payload.size();
}

void CommandTraceWriter::flush_charges() {
    if (charges_.count == 0) return;
    encode_entry(charges_, state_, block_);
    charges_.count = 0;
}

void CommandTraceWriter::add(const TraceEntry& entry) {
    totals_.add(entry);
    if (entry.kind == EntryKind::kCharge) {
        if (entry.call != charges_.call || charges_.count + entry.count > kMostCalls)
            flush_charges();
        charges_.call = entry.call;
        charges_.count += entry.count;
        return;
    }
    flush_charges();
    if (entry.kind == EntryKind::kData) {
        return write_data(entry.access.address.value(), entry.data);
    }
    encode_entry(entry, state_, block_);
    end_full_block();
}

void CommandTraceWriter::write_data(std::uint64_t address, std::span<const std::byte> data) {
    if (!block_.empty()) write_block(kEntryBlock, std::exchange(block_, {}));
    while (!data.empty()) {
        const std::size_t size = std::min(data.size(), kMostData);
        std::string payload;
        append(payload, address);
        payload.append(reinterpret_cast<const char*>(data.data()), size);
        write_block(kDataBlock, payload);
        address += size;
        data = data.subspan(size);
    }
}

void CommandTraceWriter::add(const isa::Command& command,
                             const std::optional<std::uint32_t>& data_crc) {
    totals_.count(command);
    flush_charges();
    encode_command(command, data_crc, state_, block_);
    end_full_block();
}

void CommandTraceWriter::end_full_block() {
    if (block_.size() < kBlockBytes) return;
    write_block(kEntryBlock, block_);
    block_.clear();
}

void CommandTraceWriter::finish() {
    flush_charges();
    if (!block_.empty()) write_block(kEntryBlock, block_);
    block_.clear();
    if (is_given_up_) {
        throw ConfigError(path_, "the recording is larger than " + std::to_string(most_bytes_) +
                                     " bytes; record less of the run, or raise --record-limit");
    }
    std::string end;
    for (const std::uint64_t number :
         {totals_.launches, totals_.commands[isa::Engine::kGdma],
          totals_.commands[isa::Engine::kBdc], totals_.polls, totals_.calls, totals_.accesses,
          totals_.computations, static_cast<std::uint64_t>(totals_.duration.value)}) {
        append(end, number);
    }
    write_block(kEndBlock, end);
    is_finished_ = true;
    file_.commit();
}

}  // namespace okksim::sim::trace
