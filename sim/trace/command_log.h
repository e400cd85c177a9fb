// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "isa/base/output_file.h"
#include "sim/machine/machine.h"
#include "sim/trace/accountant.h"
#include "sim/trace/command_trace_writer.h"

namespace okksim::sim::trace {

/// Writes one row per command, in order of completion, while the machine runs. The format is CSV,
/// or an array of JSON objects if the file's name ends in ".json". docs/reference/reports.md
/// lists the columns. Add it to the listeners of the machine's accountant, run, then call finish().
class CommandLog : public AccountListener {
 public:
    /// Throws ConfigError if the file cannot be written. Beyond `most_bytes` no row is added, and
    /// finish() reports it.
    CommandLog(const std::filesystem::path& path, const Machine& machine,
               std::uint64_t most_bytes = CommandTraceWriter::kMostBytes);
    ~CommandLog() override;

    /// Sets the function that names a command's owner, e.g. a graph operator. It is called when the
    /// command completes.
    void set_owner(std::function<std::string()> owner) { owner_ = std::move(owner); }
    /// Sets the function that returns the source line of a command.
    void set_lines(std::function<std::string(const isa::Command&)> line_of) {
        line_of_ = std::move(line_of);
    }
    /// Completes the file. Throws ConfigError if the disk is full or the run exceeds the limit.
    void finish();

    void launch_begun(const std::string& name) override;
    void accounted(const isa::Command& command, const models::CommandTimes& times,
                   const CommandAccount& account) override;

 private:
    void add_row(const std::string& row);

    OutputFile file_;
    std::string path_;
    std::uint64_t most_bytes_;
    std::uint64_t bytes_ = 0;  ///< of rows
    bool is_cut_ = false;
    isa::MachineShape shape_;
    EngineList engines_;
    std::function<std::string()> owner_;
    std::function<std::string(const isa::Command&)> line_of_;
    std::string launch_;
    nlohmann::ordered_json provenance_;  ///< of the rows, for JSON
    std::string columns_;                ///< column names, for CSV
    std::uint64_t launches_ = 0;
    std::uint64_t rows_ = 0;
    bool is_json_ = false;
    bool is_finished_ = false;
};

}  // namespace okksim::sim::trace
