// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "sim/files/mapped_file.h"
#include "sim/machine/machine.h"
#include "sim/trace/command_trace.h"

namespace okksim::sim::trace {

/// Reads a command trace from a mapped file, block by block, each checked by its CRC before it is
/// used. Complaints are ConfigErrors that name file and byte: another version or instruction table,
/// damaged, edited or missing blocks, entries that are none, totals that do not fit.
class CommandTraceReader {
 public:
    explicit CommandTraceReader(const std::filesystem::path& path);

    /// True when the file begins like a command trace.
    static bool recognises(const std::filesystem::path& path);

    bool has_data_crc() const { return with_crc_; }
    /// Whether it has what the host wrote (kData) and where its buffers are (kBuffer).
    bool has_data() const { return with_data_; }
    std::uint64_t machine_hash() const { return machine_hash_; }
    /// The machine that the trace was recorded on, changed by `settings` ("section.key=value").
    /// ConfigError when this okksim does not know them all.
    Machine machine(const std::vector<std::string>& settings = {}) const;

    /// The next entry, or false at the end of a complete trace.
    bool next(TraceEntry& entry);
    /// Where the reader is: "file: byte n, command m".
    std::string where() const;
    const TraceTotals& totals() const { return totals_; }
    std::uint64_t bytes() const { return file_.bytes.size(); }

 private:
    void read_header();
    /// Opens the next block; false at the end block.
    bool open_block();
    /// Takes the block of data that was opened.
    void take_data(TraceEntry& entry);
    void check_end(const char* payload, std::uint32_t size);
    [[noreturn]] void fail(const std::string& problem) const;

    std::filesystem::path path_;
    MappedFile file_;
    bool with_crc_ = false;
    bool with_data_ = false;
    std::uint64_t machine_hash_ = 0;
    std::string description_;
    const char* at_ = nullptr;
    const char* block_end_ = nullptr;
    bool is_data_ = false;  ///< the open block is one of data
    bool ended_ = false;
    DeltaState state_;
    TraceTotals totals_;
};

}  // namespace okksim::sim::trace
