// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <cstdint>
#include <functional>

namespace okksim::python {

/// The progress of a task: written by its thread, read by the waiting thread.
struct Progress {
    std::atomic<std::uint64_t> done{0};
    std::atomic<std::uint64_t> all{0};

    void tell(std::uint64_t now_done, std::uint64_t now_all) {
        all = now_all;
        done = now_done;
    }
};

/// Runs a task in a separate thread without the interpreter's lock, and waits for it. Meanwhile
/// this thread calls `callback(done, all)`, unless it is None, and checks for signals. If either
/// raises, the task is asked to stop and the exception propagates. Tasks of several Python threads
/// run one after the other, as SystemC has one kernel per process and a stop request concerns the
/// process. Exceptions of the task are rethrown.
void in_background(const std::function<void(Progress&)>& work, const pybind11::object& callback);

}  // namespace okksim::python
