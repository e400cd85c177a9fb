// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "sim/files/mapped_file.h"
#include "sim/machine/machine.h"
#include "sim/trace/command_trace.h"

namespace okksim::sim::trace {

/// Reads a command trace from a mapped file, block by block; the CRC of each block is checked
/// first. Errors are ConfigErrors that name file and byte. Errors are another version or
/// instruction table, damaged, edited or missing blocks, invalid entries, and wrong totals.
class CommandTraceReader {
 public:
    explicit CommandTraceReader(const std::filesystem::path& path);

    /// True if the file begins like a command trace.
    static bool recognises(const std::filesystem::path& path);

    bool has_data_crc() const { return with_crc_; }
    /// True if the trace has the host's data (kData) and buffers (kBuffer).
    bool has_data() const { return with_data_; }
    std::uint64_t machine_hash() const { return machine_hash_; }
    /// Returns the recorded machine, changed by `settings` ("section.key=value"). Throws
    /// ConfigError if this okksim does not know all its parameters.
    Machine machine(const std::vector<std::string>& settings = {}) const;

    /// Reads the next entry. Returns false at the end of a complete trace.
    bool next(TraceEntry& entry);
    /// Returns the current position: "file: byte n, command m".
    std::string where() const;
    const TraceTotals& totals() const { return totals_; }
    std::uint64_t bytes() const { return file_.bytes.size(); }

 private:
    void read_header();
    /// Opens the next block. Returns false at the end block.
    bool open_block();
    /// Reads the open block of data.
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
    bool is_data_ = false;  ///< the open block holds data
    bool ended_ = false;
    DeltaState state_;
    TraceTotals totals_;
};

}  // namespace okksim::sim::trace
