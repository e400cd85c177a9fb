// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace okksim::sim::execution {

/// What a process does for a number: its result as a text.
using Task = std::function<std::string(std::size_t)>;

/// Runs task(0) ... task(count - 1) in `jobs` child processes (SystemC has one kernel per process)
/// and returns their texts in order. A task whose process dies gives nothing; the others still run.
/// `progress(done)` is called here after every task. With one job the tasks run in one child. When
/// the user asks for an end (isa/stop_request.h), tasks that are not done give nothing. ConfigError
/// when no process can be started.
std::vector<std::optional<std::string>> run_in_processes(
    std::size_t count, int jobs, const Task& task,
    const std::function<void(std::size_t)>& progress);

/// The same, where `finished` is told here of every result as it comes, in any order.
void for_each_in_processes(
    std::size_t count, int jobs, const Task& task,
    const std::function<void(std::size_t index, const std::optional<std::string>& text)>& finished);

}  // namespace okksim::sim::execution
