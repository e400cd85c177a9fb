// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
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

/// Times and results of a run: the contents of a *.time.trace file.
struct TimeRecord {
    std::string name;
    std::string machine;
    std::string machine_hash;
    double simulated_us = 0;
    std::vector<EngineTime> engines;
    std::vector<OperatorTime> operators;
    std::vector<OutputHash> outputs;
};

std::vector<EngineTime> engine_times(const trace::Account& account);

/// Save and load JSON text. They throw ConfigError with file and key if the file cannot be written
/// or is not a time record. In a time record, the causes of each engine must add up to the time.
void save_time_record(const TimeRecord& record, const std::filesystem::path& path);
TimeRecord load_time_record(const std::filesystem::path& path);

}  // namespace okksim::sim::gate
