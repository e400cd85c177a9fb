// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "firmware/launch/launch_state.h"

namespace okksim::firmware {

/// The state of a thread that does not run.
struct Waiting {
    bool is_asleep = false;  ///< not running, ready, stopped, or waiting for a disk
    long call = -1;          ///< number of the system call; -1: unknown
    int file = -1;           ///< first argument of a system call that takes a file
};

/// Watches the launch that began last, from another thread.
class LaunchWatch {
 public:
    /// The calling thread begins a launch. At the end of this object's life, the launch before it
    /// is watched again.
    explicit LaunchWatch(LaunchState& state);
    ~LaunchWatch();
    LaunchWatch(const LaunchWatch&) = delete;
    LaunchWatch& operator=(const LaunchWatch&) = delete;

    /// Sends wake_signal() to the thread of a launch that waits, uses no CPU time, or has been
    /// asked to end. One thread calls this function every kWakeSeconds. A program that was stopped
    /// for hours, or that gets no CPU time, has not waited.
    static void wake();
    static constexpr int kWakeSeconds = 1;
    static int wake_signal();

    /// The seconds that the kernel's own code had waited at the last wake(); 0 if it had not waited
    /// for too long. The next call returns 0.
    static double take_waited_seconds();
    /// The number of commands that the launch had issued at the last wake().
    static std::uint64_t waited_commands();

 private:
    /// The action that a launch needs: none, or a signal to its thread.
    struct Wake {
        int thread = 0;  ///< 0: no action
        /// Seconds that the kernel's own code has waited; 0 if it has not waited too long.
        double waited_seconds = 0;
        std::uint64_t commands = 0;  ///< number of commands that the launch had issued
    };
    static Wake look(double seconds);
    Wake look_at_own_code(const Waiting& waiting, double seconds);

    LaunchState& state_;
    int thread_;
    int process_;
    LaunchWatch* outer_ = nullptr;
    double waited_seconds_ = 0;
    double cpu_seconds_ = 0;  ///< CPU seconds at the last look
    std::uint64_t commands_ = 0;
};

}  // namespace okksim::firmware
