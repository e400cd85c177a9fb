// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

#include "firmware/launch/context_options.h"
#include "firmware/launch/launch_state.h"
#include "isa/base/fault.h"
#include "isa/command_counts.h"
#include "isa/command_port.h"

namespace okksim::firmware {

/// Commands and calls since the launch began.
struct CallCounts {
    isa::CommandCounts commands;
    std::uint64_t api_calls = 0;
    std::uint64_t computations = 0;  ///< reported by okk_compute()
};

class KernelChecks;

/// The object that a kernel's okk calls act on. It has the port for commands and the state of the
/// sequencer (command ids, parallel mode). One thread of control at a time uses a context.
class Context : public LaunchState {
 public:
    explicit Context(isa::CommandPort& port, ContextOptions options = {});
    ~Context();
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    /// The context that okk functions called on this thread act on, or nullptr.
    static Context* current();

    /// Makes a context the current one of this thread while alive; restores the previous one.
    class Binding {
     public:
        explicit Binding(Context& context);
        ~Binding();
        Binding(const Binding&) = delete;
        Binding& operator=(const Binding&) = delete;

     private:
        Context* previous_;
    };

    const CallCounts& counts() const { return counts_; }

    /// Starts numbering commands from 1, ends parallel mode, clears counts and a pending fault.
    void begin_launch();

    /// Gives a checked command its id and what it waits for, and hands it to the port.
    ///
    /// In serial mode, the command waits for every earlier command. In parallel mode, it waits for
    /// the earlier commands of the same engine. It also waits for the commands that the other
    /// engine had before parallel mode began.
    void issue(isa::Command command);

    /// The checks for mistakes of the kernel; nullptr without ContextOptions::report and
    /// ContextOptions::processor_stored.
    KernelChecks* checks() { return checks_.get(); }

    void compute(const isa::Computation& computation) {
        ++counts_.computations;
        port().compute(computation);
    }
    /// Calls compute() before every command from now on, until the end of the launch. The name must
    /// stay alive.
    void compute_per_command(const isa::Computation& computation) { per_command_ = computation; }
    void initialize();
    /// Throws ProgramFault (kBadState) in parallel mode.
    void poll();
    /// Throws ProgramFault (kBadState) in parallel mode.
    void parallel_start();
    /// Throws ProgramFault (kBadState) outside parallel mode.
    void parallel_end();
    bool parallel() const { return parallel_; }
    /// Commands until list_end() are known before the launch.
    void list_start() { port().charge(isa::FirmwareCall::kListStart); }
    void list_end() { port().charge(isa::FirmwareCall::kListEnd); }

    void log(std::string_view text) const;

    void count_api_call() { ++counts_.api_calls; }

 private:
    void check_budget() const;

    CallCounts counts_;
    /// Ids by kind of engine.
    using Ids = std::array<isa::CommandId, isa::kEngineKinds>;
    Ids last_{};
    Ids at_parallel_start_{};
    bool parallel_ = false;
    std::unique_ptr<KernelChecks> checks_;
    isa::Computation per_command_;
};

}  // namespace okksim::firmware
