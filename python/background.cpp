// SPDX-License-Identifier: Apache-2.0
#include "python/background.h"

#include <chrono>
#include <csignal>
#include <exception>
#include <future>
#include <mutex>
#include <optional>
#include <thread>

#include "isa/base/stop_request.h"

namespace okksim::python {
namespace {

namespace py = pybind11;

/// Interval between two checks for signals and two calls of the progress callback.
constexpr std::chrono::milliseconds kBetweenLooks{50};

std::timed_mutex& one_work() {
    static std::timed_mutex mutex;
    return mutex;
}

void look_for_signals() {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

/// Takes the lock. A signal ends the wait.
std::unique_lock<std::timed_mutex> wait_for_turn() {
    std::unique_lock lock(one_work(), std::defer_lock);
    for (;;) {
        bool is_taken = false;
        {
            const py::gil_scoped_release release;
            is_taken = lock.try_lock_for(kBetweenLooks);
        }
        if (is_taken) return lock;
        look_for_signals();
    }
}

class Work {
 public:
    explicit Work(const std::function<void(Progress&)>& work)
        : finished_(promise_.get_future()), thread_([this, &work] {
              try {
                  work(progress_);
              } catch (...) {
                  failure_ = std::current_exception();
              }
              promise_.set_value();
          }) {}

    bool is_finished_soon() {
        const py::gil_scoped_release release;
        return finished_.wait_for(kBetweenLooks) == std::future_status::ready;
    }
    void join() {
        const py::gil_scoped_release release;
        thread_.join();
    }
    const Progress& progress() const { return progress_; }
    const std::exception_ptr& failure() const { return failure_; }

 private:
    Progress progress_;
    std::exception_ptr failure_;
    std::promise<void> promise_;
    std::future<void> finished_;
    std::thread thread_;
};

void tell(const Progress& progress, const py::object& callback) {
    if (!callback.is_none() && progress.all > 0) {
        callback(progress.done.load(), progress.all.load());
    }
}

}  // namespace

void in_background(const std::function<void(Progress&)>& work, const py::object& callback) {
    const std::unique_lock turn = wait_for_turn();
    Work running(work);
    std::optional<py::error_already_set> ended;
    while (!ended && !running.is_finished_soon()) {
        try {
            look_for_signals();
            tell(running.progress(), callback);
        } catch (py::error_already_set& error) {
            ended.emplace(std::move(error));
            StopRequest::ask(SIGINT);
        }
    }
    running.join();
    StopRequest::withdraw();
    if (ended) throw std::move(*ended);
    if (running.failure()) std::rethrow_exception(running.failure());
    tell(running.progress(), callback);
}

}  // namespace okksim::python
