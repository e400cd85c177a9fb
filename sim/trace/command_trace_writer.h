// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "isa/output_file.h"
#include "sim/machine/machine.h"
#include "sim/trace/command_trace.h"

namespace okksim::sim::trace {

/// Writes a command trace (README.md), block by block. A trace that is not finished lacks its end
/// block and can be replayed only as far as it goes.
class CommandTraceWriter {
 public:
    /// Bytes beyond which a recording ends, unless another limit is given.
    static constexpr std::uint64_t kMostBytes = 1'000'000'000;

    /// `flags`: kCrcFlag, kDataFlag. ConfigError when the file cannot be written; from any of the
    /// functions below when it grows beyond `most_bytes`.
    CommandTraceWriter(const std::filesystem::path& path, const Machine& machine,
                       std::uint32_t flags, std::uint64_t most_bytes = kMostBytes);
    ~CommandTraceWriter();

    void add(const TraceEntry& entry);
    void add(const isa::Command& command, const std::optional<std::uint32_t>& data_crc);
    /// Writes what is left and the totals. ConfigError when the disk is full.
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
    bool is_given_up_ = false;  ///< too long: finish() says so
    DeltaState state_;
    TraceTotals totals_;
    TraceEntry charges_;  ///< equal calls in a row, not yet written
    std::string block_;
    std::uint64_t bytes_ = 0;
};

}  // namespace okksim::sim::trace
