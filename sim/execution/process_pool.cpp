// SPDX-License-Identifier: Apache-2.0
#include "sim/execution/process_pool.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>

#include "isa/base/errors.h"
#include "isa/base/stop_request.h"

namespace okksim::sim::execution {
namespace {

// Interval in milliseconds to check for a stop request, and the number of intervals in which
// children may end before they are killed.
constexpr int kWaitMilliseconds = 100;
constexpr int kMostWaits = 30;

void write_all(int file, const void* data, std::size_t bytes) {
    const char* at = static_cast<const char*>(data);
    while (bytes > 0) {
        const ssize_t written = write(file, at, bytes);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) _exit(1);
        at += written;
        bytes -= static_cast<std::size_t>(written);
    }
}

/// A child process and its remaining tasks.
class Worker {
 public:
    Worker(std::deque<std::size_t> todo, const Task& task) : todo_(std::move(todo)), task_(task) {
        start();
    }

    ~Worker() {
        if (file_ < 0) return;
        kill(child_, SIGKILL);
        finish();
    }
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    /// Asks the child to end, once.
    void ask_to_stop() {
        if (!was_asked_ && file_ >= 0) kill(child_, SIGTERM);
        was_asked_ = true;
    }
    int file() const { return file_; }
    bool done() const { return todo_.empty(); }

    /// Reads available data. Calls `result(index, text)` for every task that is complete or lost.
    template <typename Result>
    void receive(const Result& result) {
        std::array<char, 65536> block;
        const ssize_t got = read(file_, block.data(), block.size());
        if (got < 0 && errno == EINTR) return;
        if (got <= 0) {
            lost(result);
            return;
        }
        buffer_.append(block.data(), static_cast<std::size_t>(got));
        std::uint64_t length = 0;
        while (buffer_.size() >= sizeof length) {
            std::memcpy(&length, buffer_.data(), sizeof length);
            if (buffer_.size() < sizeof length + length) break;
            result(todo_.front(), std::optional(buffer_.substr(sizeof length, length)));
            buffer_.erase(0, sizeof length + length);
            todo_.pop_front();
        }
        if (todo_.empty()) finish();
    }

 private:
    void start() {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0) refuse_worker();
        std::fflush(nullptr);
        child_ = fork();
        if (child_ < 0) refuse_worker();
        if (child_ == 0) {
            close(ends[0]);
            for (const std::size_t index : todo_) {
                if (StopRequest::signal() != 0) break;
                const std::string text = task_(index);
                const std::uint64_t length = text.size();
                write_all(ends[1], &length, sizeof length);
                write_all(ends[1], text.data(), text.size());
            }
            std::fflush(nullptr);
            _exit(0);
        }
        close(ends[1]);
        file_ = ends[0];
        buffer_.clear();
    }

    [[noreturn]] static void refuse_worker() {
        throw ConfigError("--jobs",
                          std::string("cannot start another process: ") + std::strerror(errno));
    }

    void finish() {
        close(file_);
        file_ = -1;
        int status = 0;
        waitpid(child_, &status, 0);
    }

    /// Handles the child's death. Its present task is lost, and a new child does the rest.
    template <typename Result>
    void lost(const Result& result) {
        finish();
        if (was_asked_) {
            todo_.clear();
            return;
        }
        result(todo_.front(), std::optional<std::string>());
        todo_.pop_front();
        if (!todo_.empty()) start();
    }

    std::deque<std::size_t> todo_;
    const Task& task_;
    pid_t child_ = -1;
    int file_ = -1;
    bool was_asked_ = false;
    std::string buffer_;
};

}  // namespace

std::vector<std::optional<std::string>> run_in_processes(
    std::size_t count, int jobs, const Task& task,
    const std::function<void(std::size_t)>& progress) {
    std::vector<std::optional<std::string>> results(count);
    std::size_t done = 0;
    for_each_in_processes(count, jobs, task,
                          [&](std::size_t index, const std::optional<std::string>& text) {
                              results[index] = text;
                              progress(++done);
                          });
    return results;
}

void for_each_in_processes(
    std::size_t count, int jobs, const Task& task,
    const std::function<void(std::size_t, const std::optional<std::string>&)>& finished) {
    std::deque<Worker> workers;
    for (std::size_t job = 0; job < static_cast<std::size_t>(jobs); ++job) {
        std::deque<std::size_t> todo;
        for (std::size_t index = job; index < count; index += static_cast<std::size_t>(jobs)) {
            todo.push_back(index);
        }
        if (!todo.empty()) workers.emplace_back(std::move(todo), task);
    }
    std::size_t done = 0;
    int waits = 0;  // since the user asked to stop
    while (done < count) {
        std::vector<pollfd> files;
        const bool stops = StopRequest::signal() != 0;
        std::vector<Worker*> owners;
        for (Worker& worker : workers) {
            if (worker.done()) continue;
            if (stops) worker.ask_to_stop();
            files.push_back({worker.file(), POLLIN, 0});
            owners.push_back(&worker);
        }
        if (files.empty() || (stops && ++waits > kMostWaits)) break;
        if (poll(files.data(), files.size(), kWaitMilliseconds) < 0) continue;
        for (std::size_t i = 0; i < files.size(); ++i) {
            if (files[i].revents == 0) continue;
            owners[i]->receive([&](std::size_t index, const std::optional<std::string>& text) {
                ++done;
                finished(index, text);
            });
        }
    }
}

}  // namespace okksim::sim::execution
