// SPDX-License-Identifier: Apache-2.0
#include "sim/execution/process_pool.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>

#include "isa/errors.h"

namespace okksim::sim::execution {
namespace {

using Task = std::function<std::string(std::size_t)>;

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

/// A child and what it still has to do.
class Worker {
 public:
    Worker(std::deque<std::size_t> todo, const Task& task) : todo_(std::move(todo)), task_(task) {
        start();
    }

    int file() const { return file_; }
    bool done() const { return todo_.empty(); }

    /// Reads what has arrived. Calls `result(index, text)` for every task that is complete or lost.
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
        OKKSIM_CHECK(pipe(ends) == 0);
        std::fflush(nullptr);
        child_ = fork();
        OKKSIM_CHECK(child_ >= 0);
        if (child_ == 0) {
            close(ends[0]);
            for (const std::size_t index : todo_) {
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

    void finish() {
        close(file_);
        file_ = -1;
        int status = 0;
        waitpid(child_, &status, 0);
    }

    /// The child died in the task at the head: that one is lost, a new child does the rest.
    template <typename Result>
    void lost(const Result& result) {
        finish();
        result(todo_.front(), std::optional<std::string>());
        todo_.pop_front();
        if (!todo_.empty()) start();
    }

    std::deque<std::size_t> todo_;
    const Task& task_;
    pid_t child_ = -1;
    int file_ = -1;
    std::string buffer_;
};

}  // namespace

std::vector<std::optional<std::string>> run_in_processes(
    std::size_t count, int jobs, const Task& task,
    const std::function<void(std::size_t)>& progress) {
    std::vector<std::optional<std::string>> results(count);
    std::deque<Worker> workers;
    for (std::size_t job = 0; job < static_cast<std::size_t>(jobs); ++job) {
        std::deque<std::size_t> todo;
        for (std::size_t index = job; index < count; index += static_cast<std::size_t>(jobs)) {
            todo.push_back(index);
        }
        if (!todo.empty()) workers.emplace_back(std::move(todo), task);
    }
    std::size_t done = 0;
    while (done < count) {
        std::vector<pollfd> files;
        std::vector<Worker*> owners;
        for (Worker& worker : workers) {
            if (worker.done()) continue;
            files.push_back({worker.file(), POLLIN, 0});
            owners.push_back(&worker);
        }
        if (poll(files.data(), files.size(), -1) < 0) continue;
        for (std::size_t i = 0; i < files.size(); ++i) {
            if (files[i].revents == 0) continue;
            owners[i]->receive([&](std::size_t index, std::optional<std::string> text) {
                results[index] = std::move(text);
                progress(++done);
            });
        }
    }
    return results;
}

}  // namespace okksim::sim::execution
