// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "firmware/context.h"
#include "isa/fault.h"

namespace okksim::firmware {

/// Why a launch does not go on.
enum class Standstill : std::uint8_t {
    kCall,   ///< an API function does not return
    kWaits,  ///< the kernel's own code sleeps or waits
    kLoops,  ///< it computes, where no jump can leave it
};

/// The fault of a launch that has been ended because of that. `function`: the call, if any.
FaultRecord standstill_fault(Standstill kind, double seconds, const char* function);

/// What a thread that does not run waits in.
struct Waiting {
    bool is_asleep = false;  ///< neither running, nor about to, nor stopped, nor at a disk
    long call = -1;          ///< to the system; -1: unknown
    int file = -1;           ///< its first argument, of calls that take a file
};

/// What another thread sees of the launch that began last of all that run.
class LaunchWatch {
 public:
    /// The calling thread launches; the launch before it counts again at the end of this one's
    /// life.
    explicit LaunchWatch(Context& context);
    ~LaunchWatch();
    LaunchWatch(const LaunchWatch&) = delete;
    LaunchWatch& operator=(const LaunchWatch&) = delete;

    /// What is to be done about the launch: nothing, or a signal to its thread.
    struct Wake {
        int thread = 0;  ///< 0: nothing
        /// For so long the kernel's own code has waited, in seconds; 0: it is not that.
        double waited_seconds = 0;
        std::uint64_t commands = 0;  ///< that it had issued
    };
    /// To be called every `seconds` by one thread: a program that was stopped for hours, or that
    /// gets no CPU time, has not waited.
    static Wake look(double seconds);

 private:
    Wake look_at_own_code(const Waiting& waiting, double seconds);

    Context& context_;
    int thread_;
    int process_;
    LaunchWatch* outer_ = nullptr;
    double waited_seconds_ = 0;
    double cpu_seconds_ = 0;  ///< used at the last look
    std::uint64_t commands_ = 0;
};

}  // namespace okksim::firmware
