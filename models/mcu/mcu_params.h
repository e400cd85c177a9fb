// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/common/parameter.h"

namespace okksim::models {

/// Source of commands that are known before a launch.
enum class CommandIssue : std::uint8_t {
    kCalls,  ///< firmware issues them like all others
    kLists   ///< the engines fetch lists of them from memory
};

/// Control processor: what firmware calls cost, and the command queues it writes to.
struct McuParams {
    double clock_mhz = 0;
    std::int64_t command_cycles = 0;
    std::int64_t query_cycles = 0;
    std::int64_t initialize_cycles = 0;
    std::int64_t parallel_start_cycles = 0;
    std::int64_t parallel_end_cycles = 0;
    std::int64_t poll_cycles = 0;
    std::int64_t pointer_cycles = 0;
    double integer_operation_cycles = 0;
    double soft_float_operation_cycles = 0;
    std::int64_t queue_depth = 0;
    std::int64_t parallel_end_waits_from_id = 0;
    std::int64_t line_bytes = 1;
    std::int64_t issue = 0;  ///< a CommandIssue
    std::int64_t list_start_cycles = 0;
    std::int64_t list_command_cycles = 0;
    std::int64_t list_section_cycles = 0;
    double list_bytes_per_cycle = 0;

    bool fetches_lists() const { return issue == static_cast<std::int64_t>(CommandIssue::kLists); }
};

template <typename Params, typename Visitor>
void describe_mcu(Params& p, Visitor&& v) {
    v(p.clock_mhz, "clock_mhz", ParameterInfo{"MHz", 1, 100000, "clock of the control processor"});
    v(p.command_cycles, "command_cycles",
      ParameterInfo{"cycles", 0, 1e6, "checking, encoding and writing one command"});
    v(p.query_cycles, "query_cycles",
      ParameterInfo{"cycles", 0, 1e6, "call that returns machine facts or strides"});
    v(p.initialize_cycles, "initialize_cycles", ParameterInfo{"cycles", 0, 1e6, "okk_initialize"});
    v(p.parallel_start_cycles, "parallel_start_cycles",
      ParameterInfo{"cycles", 0, 1e6, "okk_parallel_start"});
    v(p.parallel_end_cycles, "parallel_end_cycles",
      ParameterInfo{"cycles", 0, 1e6, "okk_parallel_end"});
    v(p.poll_cycles, "poll_cycles",
      ParameterInfo{"cycles", 0, 1e6, "okk_poll after both engines are done"});
    v(p.pointer_cycles, "pointer_cycles",
      ParameterInfo{"cycles", 0, 1e6, "call that returns a pointer to memory"});
    v(p.integer_operation_cycles, "integer_operation_cycles",
      ParameterInfo{"cycles", 0, 1000, "an integer operation of the firmware"});
    v(p.soft_float_operation_cycles, "soft_float_operation_cycles",
      ParameterInfo{"cycles", 0, 1000, "an operation on floats or doubles in software"});
    v(p.queue_depth, "queue_depth",
      ParameterInfo{"commands", 1, 65536, "commands that each engine's queue holds"});
    v(p.parallel_end_waits_from_id, "parallel_end_waits_from_id",
      ParameterInfo{"commands", 1, 4294967295.0,
                    "okk_parallel_end waits for the engines after this number of commands since "
                    "the last wait"});
    v(p.line_bytes, "line_bytes",
      ParameterInfo{
          "bytes", 4, 4096,
          "bytes that a load or store of the processor moves before the next one begins"});
    v(p.issue, "issue",
      ParameterInfo{"-", 0, 1,
                    "issue of commands that are known before a launch: by firmware calls, or by "
                    "the engines from lists in memory",
                    0, "calls lists"});
    v(p.list_start_cycles, "list_start_cycles",
      ParameterInfo{"cycles", 0, 1e6, "handing a command list to the engines"});
    v(p.list_command_cycles, "list_command_cycles",
      ParameterInfo{"cycles", 0, 1e6, "per command of a list, in addition to its bytes"});
    v(p.list_section_cycles, "list_section_cycles",
      ParameterInfo{"cycles", 0, 1e6,
                    "wait at the end of a parallel section in a list, from idle engines to the "
                    "next fetched command; 0: lists are prefetched",
                    0});
    v(p.list_bytes_per_cycle, "list_bytes_per_cycle",
      ParameterInfo{"bytes/cycle", 0.001, 1e6, "rate at which lists are fetched"});
}

}  // namespace okksim::models
