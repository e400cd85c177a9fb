// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/types.h>
#include <ucontext.h>

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "firmware/launch/fault_delivery.h"
#include "firmware/leave/standstill_fault.h"
#include "isa/base/fault.h"

namespace okksim::firmware {

/// Writes all reports and files when a kernel has broken the program: its heap, its stack or the
/// simulator's data. A separate thread does that, which has waited since before the kernel ran. It
/// allocates from a part of the heap that no kernel has touched, and it frees nothing. Only the
/// first CrashThread of a process is active.
class CrashThread {
 public:
    /// Reports the fault, or completes a file. It must not take locks. `is_hosts` is set if the
    /// host program has failed outside of all launches.
    using Write = std::function<void(const FaultRecord& fault, bool is_hosts)>;

    /// Reports the fault in short when all other data of the run is lost. It must not need data in
    /// the heap.
    using LastReport = void (*)(const FaultRecord& fault);

    /// Calls `writes` one after the other; a failure of one does not affect the next. The first one
    /// reports the fault; if it fails, `last_report` does so in short. With `owns_program`, every
    /// failure of the program after a kernel has run counts as the kernel's. `signals` installs and
    /// removes the handlers of fault signals.
    struct Signals {
        void (*hold)();
        void (*release)();
    };
    CrashThread(std::vector<Write> writes, LastReport last_report, bool owns_program,
                Signals signals);
    ~CrashThread();
    CrashThread(const CrashThread&) = delete;
    CrashThread& operator=(const CrashThread&) = delete;

    /// While one lives, this thread touches memory that the host program has named. Failures in
    /// that time are the host program's.
    class HostMemory {
     public:
        HostMemory();
        ~HostMemory();
        HostMemory(const HostMemory&) = delete;
        HostMemory& operator=(const HostMemory&) = delete;
    };

    /// Returns whether okksim alone owns the program, through a living or a former writer.
    static bool owns_program();
    /// Returns whether a writer exists.
    static bool is_there();
    /// Notes that a kernel runs. Later failures may be the kernel's.
    static void kernel_runs();
    /// Every handler calls this function first. After a failure of the writer's thread, it
    /// continues with the next write.
    static void try_next();
    /// For handlers of signals after which the program cannot continue. Writes everything and ends
    /// the program with exit code 3. The call returns if no kernel has run. It also returns if the
    /// host program has failed, after everything is written.
    static void end_program(int number, const siginfo_t& info, const ucontext_t& state);
    /// For handlers, after `seconds` without progress. Writes everything and ends the program, with
    /// exit code 3 or as the user has asked.
    [[noreturn]] static void end_standstill(Standstill kind, double seconds,
                                            const ucontext_t& state);
    /// For handlers of signals that ask for the program's end, outside of all launches. Writes
    /// everything and returns.
    static void end_asked(int signal);
    /// Writes everything and ends the program after a failed check of the machine's data. Returns
    /// if no kernel has run.
    static void end_exception(const char* what);

 private:
    static void* run(void* self);
    void write_all();
    template <typename Action>
    static bool tries(const Action& action);
    void look_at_kernel(const FaultDelivery* delivery, const ucontext_t& state);
    void look_at_call(const FaultDelivery& delivery);
    void have_all_written();
    FaultRecord fault() const;
    std::vector<std::string> places() const;

    std::vector<Write> writes_;
    LastReport last_report_;
    bool owns_program_;
    Signals signals_;
    bool in_kernel_ = false;
    bool is_hosts_ = false;
    pid_t process_;
    pthread_t thread_{};
    sem_t wanted_{}, done_{};
    SignalReport report_;
    Standstill standstill_ = Standstill::kCall;
    double still_seconds_ = 0;  ///< 0: the launch makes progress
    bool is_asked_ = false;     ///< StopRequest has asked for the end
    const char* exception_ = nullptr;
    const char* function_ = nullptr;  ///< the call that does not return
    bool has_failed_ = false;
    std::atomic<bool> ends_ = false;
};

}  // namespace okksim::firmware
