// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace okksim::sim::execution {

/// A task: returns the result for an index as a text.
using Task = std::function<std::string(std::size_t)>;

/// Runs task(0) ... task(count - 1) in `jobs` child processes and returns their texts in order.
/// SystemC has one kernel per process. A task whose process dies has no value; the others still
/// run. Calls `progress(done)` in this process after every task. With one job the tasks run in one
/// child. After a stop request (isa/base/stop_request.h), unfinished tasks have no value. Throws
/// ConfigError if no process can be started.
std::vector<std::optional<std::string>> run_in_processes(
    std::size_t count, int jobs, const Task& task,
    const std::function<void(std::size_t)>& progress);

/// Runs tasks in the same way, and calls `finished` in this process for every result, in any order.
void for_each_in_processes(
    std::size_t count, int jobs, const Task& task,
    const std::function<void(std::size_t index, const std::optional<std::string>& text)>& finished);

}  // namespace okksim::sim::execution
