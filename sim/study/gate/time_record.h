// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/trace/account.h"

namespace okksim::sim::gate {

/// Time of one engine by cause (sim/trace/account.h), in microseconds.
struct EngineTime {
    std::string engine;
    std::vector<std::pair<std::string, double>> by_cause;  ///< every cause once
    std::vector<std::pair<std::string, double>> by_class;  ///< busy time by kind of work
};

struct OperatorTime {
    std::string name;  ///< name of operator and output
    double us = 0;
};

/// Hash of an output's bytes.
struct OutputHash {
    std::string name;
    std::string hash;  ///< FNV-1a, 64 bits
};

/// Work of a run, which a gate limits.
struct RunTotals {
    std::uint64_t commands = 0;
    std::uint64_t dram_bytes = 0;  ///< read and written
    double energy_uj = 0;
};

/// Commands and occupied time of a source line of a kernel.
struct LineTime {
    std::string line;  ///< "add.c:12"
    std::string text;  ///< the source, by which changed files are compared; empty if unknown
    std::uint64_t commands = 0;
    double us = 0;  ///< of all engines and the processor
};

/// Times and results of a run: the contents of a *.time.trace file.
struct TimeRecord {
    std::string name;
    std::string machine;
    std::string machine_hash;
    double simulated_us = 0;
    std::vector<EngineTime> engines;
    std::vector<OperatorTime> operators;
    std::vector<OutputHash> outputs;
    std::optional<RunTotals> totals{};  ///< of `okksim gate`; its runs may have no outputs
    std::vector<LineTime> lines{};      ///< of a kernel with line numbers
};

std::vector<EngineTime> engine_times(const trace::Account& account);

/// Write and read JSON text. They throw ConfigError with file and key if the file cannot be written
/// or is not a time record. In a time record, the causes of each engine must add up to the time.
std::string time_record_text(const TimeRecord& record);
/// `file` names the text in messages. The outputs, engines and sums are checked.
TimeRecord parse_time_record(const std::string& text, const std::string& file);
void save_time_record(const TimeRecord& record, const std::filesystem::path& path);
TimeRecord load_time_record(const std::filesystem::path& path);

}  // namespace okksim::sim::gate
