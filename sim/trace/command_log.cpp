// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/command_log.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "isa/base/errors.h"
#include "isa/disassembler.h"
#include "sim/machine/provenance.h"
#include "sim/trace/account_report.h"
#include "sim/trace/size_limit.h"

namespace okksim::sim::trace {
namespace {

/// Causes that a command can have. Idle is not one: an engine is idle only after its last command.
constexpr Cause kCommandCauses[] = {
    Cause::kQueue,           Cause::kComputing,     Cause::kOtherEngine, Cause::kBusy,
    Cause::kMemoryBandwidth, Cause::kMemoryLatency, Cause::kBankConflict};
constexpr const char* kCauseColumns[] = {"queue_us",        "mcu_computing_us",  "other_engine_us",
                                         "busy_us",         "dram_bandwidth_us", "dram_latency_us",
                                         "bank_conflict_us"};
constexpr std::size_t kColumns = std::size(kCommandCauses);
static_assert(kColumns == std::size(kCauseColumns));

}  // namespace

CommandLog::CommandLog(const std::filesystem::path& path, const Machine& machine,
                       std::uint64_t most_bytes)
    : file_(path.string()),
      path_(path.string()),
      most_bytes_(most_bytes),
      shape_(machine.params.shape()),
      engines_(machine.params),
      is_json_(path.extension() == ".json") {
    columns_ = provenance_columns(machine);
    add_provenance(provenance_, machine);
    if (is_json_) {
        file_ << '[';
        return;
    }
    file_ << "launch,kernel,operator,engine,id,class,queued_us,start_us,end_us";
    for (const char* column : kCauseColumns) file_ << ',' << column;
    file_ << ",operations,dram_bytes_read,dram_bytes_written,command,line"
          << provenance_column_names() << '\n';
}

CommandLog::~CommandLog() {
    // A run that ended early still leaves a file that can be read.
    if (is_finished_ || launches_ == 0) return;
    try {
        finish();
    } catch (const std::exception&) {  // the error that ended the run is reported instead
    }
}

void CommandLog::launch_begun(const std::string& name) {
    launch_ = name;
    ++launches_;
}

void CommandLog::add_row(const std::string& row) {
    is_cut_ = is_cut_ || bytes_ + row.size() > most_bytes_;
    if (is_cut_) return;
    if (is_json_) file_ << (rows_ == 0 ? "\n" : ",\n");
    file_ << row;
    bytes_ += row.size();
    ++rows_;
}

void CommandLog::accounted(const isa::Command& command, const models::CommandTimes& times,
                           const CommandAccount& account) {
    if (is_cut_) return;
    const isa::InstructionInfo& info = command.info();
    const std::string& engine = engines_[engines_.of(command)].name;
    const char* kind = work_class_name(static_cast<std::size_t>(info.timing));
    const std::string owner = owner_ ? owner_() : std::string();
    const std::string text = isa::disassemble_operation(command, shape_);
    const std::string line = line_of_ ? line_of_(command) : std::string();
    if (is_json_) {
        nlohmann::ordered_json row{{"launch", launches_ - 1},
                                   {"kernel", launch_},
                                   {"operator", owner},
                                   {"engine", engine},
                                   {"id", command.id},
                                   {"class", kind},
                                   {"queued_us", times.queued.microseconds()},
                                   {"start_us", times.start.microseconds()},
                                   {"end_us", times.end.microseconds()}};
        for (std::size_t i = 0; i < kColumns; ++i) {
            row[kCauseColumns[i]] = account[kCommandCauses[i]].microseconds();
        }
        row["operations"] = account.operations;
        row["dram_bytes_read"] = account.dram.read;
        row["dram_bytes_written"] = account.dram.written;
        row["command"] = text;
        row["line"] = line;
        row.update(provenance_);
        add_row(row.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    } else {
        std::string row = fmt::format("{},{},{},{},{},{},{:.6f},{:.6f},{:.6f}", launches_ - 1,
                                      csv_field(launch_), csv_field(owner), engine, command.id,
                                      csv_field(kind), times.queued.microseconds(),
                                      times.start.microseconds(), times.end.microseconds());
        for (const Cause cause : kCommandCauses) {
            row += fmt::format(",{:.6f}", account[cause].microseconds());
        }
        row += fmt::format(",{},{},{},{},{}{}\n", account.operations, account.dram.read,
                           account.dram.written, csv_field(text), csv_field(line), columns_);
        add_row(row);
    }
}

void CommandLog::finish() {
    is_finished_ = true;
    if (is_json_) file_ << "\n]\n";
    file_.commit();
    if (is_cut_) {
        throw beyond_limit(path_, "list of commands", "has only the first commands", most_bytes_);
    }
}

}  // namespace okksim::sim::trace
