// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "isa/base/output_file.h"
#include "sim/machine/machine.h"
#include "sim/trace/command_trace.h"

namespace okksim::sim::trace {

/// Writes a command trace (README.md), block by block. An unfinished trace lacks its end block and
/// can be replayed only up to its last complete block.
class CommandTraceWriter {
 public:
    /// Default limit on a recording, in bytes.
    static constexpr std::uint64_t kMostBytes = 1'000'000'000;

    /// `flags`: kCrcFlag, kDataFlag. Throws ConfigError if the file cannot be written. finish()
    /// throws ConfigError if the trace exceeds `most_bytes`.
    CommandTraceWriter(const std::filesystem::path& path, const Machine& machine,
                       std::uint32_t flags, std::uint64_t most_bytes = kMostBytes);
    ~CommandTraceWriter();

    void add(const TraceEntry& entry);
    void add(const isa::Command& command, const std::optional<std::uint32_t>& data_crc);
    /// Completes the file with the totals. Throws ConfigError if the disk is full or the trace is
    /// too long.
    void finish();

    const TraceTotals& totals() const { return totals_; }
    std::uint64_t bytes() const { return bytes_; }

 private:
    void write_block(std::uint32_t kind, const std::string& payload);
    void flush_charges();
    void end_full_block();

    void write_data(std::uint64_t address, std::span<const std::byte> data);

    OutputFile file_;
    std::string path_;
    std::uint64_t most_bytes_;
    bool is_finished_ = false;
    bool is_given_up_ = false;  ///< too long; finish() reports it
    DeltaState state_;
    TraceTotals totals_;
    TraceEntry charges_;  ///< consecutive equal calls, not yet written
    std::string block_;
    std::uint64_t bytes_ = 0;
};

}  // namespace okksim::sim::trace
