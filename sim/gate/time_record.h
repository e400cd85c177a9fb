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
    std::string name;  ///< operator and output
    double us = 0;
};

/// An output's bytes in short.
struct OutputHash {
    std::string name;
    std::string hash;  ///< FNV-1a, 64 bits
};

/// What a run took and gave: the content of a *.time.trace file.
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

/// JSON text. ConfigError, naming file and key, when it cannot be written or is no time record:
/// one whose engines' causes do not add up to the time is none, either.
void save_time_record(const TimeRecord& record, const std::filesystem::path& path);
TimeRecord load_time_record(const std::filesystem::path& path);

}  // namespace okksim::sim::gate
