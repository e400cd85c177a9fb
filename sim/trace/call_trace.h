// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "firmware/launch/null_arguments.h"
#include "isa/command.h"
#include "sim/trace/line_source.h"

namespace okksim::sim::trace {

/// First line of a call trace.
struct CallTraceHeader {
    std::string op;  ///< conv2d, matmul, ...
    int case_number = 0;
    std::string params;
    std::string contestant;
    std::uint64_t calls = 0;
    std::uint64_t gdma_calls = 0;
    std::uint64_t bdc_calls = 0;
};

/// Calls that order the engines.
enum class ControlCall : std::uint8_t { kInitialize, kPoll, kParallelStart, kParallelEnd };

/// One recorded call of the okk API. It is a control call or the command of a function in the
/// instruction table. The command's NULL arguments are not yet completed (firmware/calls/issue.h).
struct RecordedCall {
    std::optional<ControlCall> control;
    isa::Command command;
    firmware::NullArguments nulls;
};

/// Reads a call trace (sim/trace/README.md) call by call. Every error is a ConfigError that names
/// file, line and, inside a call, the argument. Errors are damaged compression, lines that are not
/// calls, unknown functions and arguments of the wrong kind. A number of calls that differs from
/// the first line is an error, too.
///
/// `in`, `out` and `w` start at page boundaries in separate thirds of the global memory of
/// `machine`. `l2` and `dtcm` are the memories of that name.
class CallTraceReader {
 public:
    CallTraceReader(const std::filesystem::path& path, const isa::MachineShape& machine);

    const CallTraceHeader& header() const { return header_; }
    /// Returns the current position: "file:line".
    std::string where() const { return lines_.where(); }
    /// Reads the next call. Returns false at the end of a complete trace.
    bool next(RecordedCall& call);

 private:
    void check_end() const;

    isa::MachineShape machine_;
    LineSource lines_;
    CallTraceHeader header_;
    std::uint64_t calls_ = 0;
    std::uint64_t gdma_calls_ = 0;
    std::uint64_t bdc_calls_ = 0;
};

}  // namespace okksim::sim::trace
