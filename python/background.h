// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <cstdint>
#include <functional>

namespace okksim::python {

/// How far some work is: told by the work, read by whoever waits for it.
struct Progress {
    std::atomic<std::uint64_t> done{0};
    std::atomic<std::uint64_t> all{0};

    void tell(std::uint64_t now_done, std::uint64_t now_all) {
        all = now_all;
        done = now_done;
    }
};

/// Does some work in a thread of its own, without the interpreter's lock, and waits for it. While
/// it lasts, `callback(done, all)`, unless it is None, is called here now and then, and signals are
/// seen: when one of these raises, the work is asked to end, and the exception goes on. Works of
/// several Python threads come one after the other: SystemC has one kernel per process, and so has
/// the request to end. Exceptions of the work are rethrown.
void in_background(const std::function<void(Progress&)>& work, const pybind11::object& callback);

}  // namespace okksim::python
