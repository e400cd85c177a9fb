// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "firmware/launch/launch_state.h"
#include "firmware/launch/null_arguments.h"
#include "firmware/watch/own_accesses.h"
#include "firmware/watch/pointer_watch.h"
#include "isa/command.h"
#include "isa/command_port.h"
#include "isa/tensors.h"

namespace okksim::firmware {

/// Bytes of global memory that a launch has touched.
struct TouchedBytes {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    bool written = false;
    const void* site = nullptr;  ///< return address of the last call that has touched them
};

/// Looks for mistakes of a kernel that the machine does not report. Such mistakes are accesses
/// outside of buffers and uses of pointers before the engines are done. Other ones are broken rules
/// of the API reference that no argument check sees. The mistakes go to LaunchState::report().
class KernelChecks {
 public:
    explicit KernelChecks(LaunchState& launch);

    void begin_launch();
    /// okk_initialize() or okk_poll(): everything issued is done.
    void engines_are_done();
    void initialized() { is_initialized_ = true; }
    /// A call of an API function was checked and completed. `nulls` are the arguments that were
    /// NULL.
    void called(const isa::Command& call, const NullArguments& nulls);
    /// A command goes to its engine.
    void issued(const isa::Command& command);
    /// The control processor asks for pointers.
    void pointer_to(isa::LocalAddr address);
    void pointer_to(std::uint64_t address, std::uint64_t bytes, isa::AccessKind kind);
    /// The kernel's own code starts to run, or stops.
    void kernel_goes_on() {
        if (own_accesses_) own_accesses_->kernel_goes_on();
        if (watch_.is_needed()) watch_pointers();
    }
    void kernel_stops();
    /// The pointers that were asked for so far are no longer in use.
    void pointers_are_done();
    /// The kernel's own code calls the system, which will use these bytes of the host's memory, or
    /// has stored some. `site` is the return address of the call.
    void system_uses(const void* begin, std::uint64_t bytes);
    void system_stored(const void* begin, std::uint64_t bytes, const void* site) {
        if (sees_all_) own_accesses_->system_stored(begin, bytes, site);
    }
    /// The kernel's own code does not run again in this launch.
    void kernel_has_left();
    /// A parallel section begins.
    void parallel_started() { section_ = launch_.delivery().call(); }
    /// The kernel has returned without a fault.
    void returned(bool in_parallel_section);

    /// Returns whether all accesses of the kernel's own code through pointers were checked.
    bool sees_all() const { return sees_all_ || !has_given_; }
    /// The latest pointers of the launch.
    std::vector<GivenPointer> given_pointers() const {
        return own_accesses_ ? own_accesses_->pointers() : std::vector<GivenPointer>();
    }
    /// The unseen time of a launch that has ended (OwnAccesses::unseen()).
    std::optional<UnseenTime> unseen() const {
        return own_accesses_ ? own_accesses_->unseen() : std::nullopt;
    }
    /// The global memory that the launch has touched, in ascending order.
    const std::vector<TouchedBytes>& touched() const { return touched_; }

 private:
    void check_layouts(const isa::Command& call, const NullArguments& nulls);
    void check_buffers(const isa::Command& command);
    void report_buffer(const std::string& function, const std::string& operand,
                       const std::string& problem);
    void report_undefined(const std::optional<std::string>& problem);
    void note(std::uint64_t address, std::uint64_t bytes, bool written);
    void watch_pointers();
    void report_early_use(const PointerWatch::EarlyUse& use);
    void watch_pending();
    void give(GivenPointer pointer);
    void report_early_pointer(const PendingCommand& pending, const char* does);

    LaunchState& launch_;
    /// The latest commands that the kernel has not waited for; a ring when it is full.
    std::vector<PendingCommand> pending_;
    std::size_t latest_ = 0;  ///< index of the latest command
    std::vector<TouchedBytes> touched_;
    bool has_given_ = false;         ///< a pointer without an announced use
    const void* section_ = nullptr;  ///< begin of the last parallel section
    bool is_initialized_ = false;
    bool can_watch_;
    bool sees_all_;       ///< with own_accesses_ instead of watch_
    PointerWatch watch_;  ///< sees uses before the engines are done
    std::optional<OwnAccesses>
        own_accesses_;  ///< sees accesses outside of allocations, or all accesses
};

}  // namespace okksim::firmware
