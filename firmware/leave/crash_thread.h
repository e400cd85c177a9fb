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

    /// Reports the fault when nothing else is left of the run. What it needs must not lie in the
    /// heap.
    using LastReport = void (*)(const FaultRecord& fault);

    /// `writes`: one after the other; what one of them fails at does not keep the next from trying.
    /// When the first one fails, which reports the fault, `last_report` does so in short.
    /// `owns_program`: whatever ends the program after a kernel has run is the kernel's doing.
    /// `signals` installs and removes the handlers of fault signals.
    struct Signals {
        void (*hold)();
        void (*release)();
    };
    CrashThread(std::vector<Write> writes, LastReport last_report, bool owns_program,
                Signals signals);
    ~CrashThread();
    CrashThread(const CrashThread&) = delete;
    CrashThread& operator=(const CrashThread&) = delete;

    /// While one lives, this thread touches memory that the host program has named: what that fails
    /// at is the host program's failure.
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
    /// A kernel runs: from now on it may have been one.
    static void kernel_runs();
    /// In any handler first: what the writer's own thread fails at is left, and the next tried.
    static void try_next();
    /// For handlers of signals after which the program cannot continue. Writes everything and ends
    /// the program with exit code 3. The call returns if no kernel has run. It also returns if the
    /// host program has failed, after everything is written.
    static void end_program(int number, const siginfo_t& info, const ucontext_t& state);
    /// In a handler: nothing has gone on for `seconds`. Has everything written and ends the
    /// program, with exit code 3 or as the user has asked.
    [[noreturn]] static void end_standstill(Standstill kind, double seconds,
                                            const ucontext_t& state);
    /// In a handler, outside of all launches: a signal asks for the program's end. Has everything
    /// written and returns.
    static void end_asked(int signal);
    /// The machine has found that its data cannot be: likewise. Returns when no kernel has run.
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
    double still_seconds_ = 0;  ///< 0: it is not that
    bool is_asked_ = false;     ///< by StopRequest
    const char* exception_ = nullptr;
    const char* function_ = nullptr;  ///< of the call that does not come back
    bool has_failed_ = false;
    std::atomic<bool> ends_ = false;
};

}  // namespace okksim::firmware
