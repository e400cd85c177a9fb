// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <ucontext.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "firmware/launch/call_stack.h"
#include "firmware/launch/fault_delivery.h"
#include "firmware/launch/memory_place.h"
#include "isa/command.h"
#include "isa/command_port.h"
#include "isa/tensors.h"

namespace okksim::firmware {

/// Sees the kernel's own accesses to memory that running commands use. Loads count if a command
/// writes there, and stores also if a command reads there. The pages are closed while the kernel's
/// own code runs, and each access arrives as a signal. Pages also hold other bytes, so each access
/// is compared with the elements of the commands. The watch needs a port whose memory has separate
/// pages.
class PointerWatch final : public MemoryWatch {
 public:
    /// An access of the kernel that was too early, and its call stack.
    struct EarlyUse {
        PendingCommand pending;
        GivenPointer pointer;
        bool writes = false;  ///< the command writes; otherwise it reads
        RawCallStack stack;
    };

    explicit PointerWatch(isa::CommandPort& port) : port_(port), machine_(port.machine()) {}

    void begin_launch();
    void give(const GivenPointer& pointer);
    /// The kernel does not use the pointers any more that it got so far.
    void forget_pointers();
    /// Returns whether a command touches memory that pointers may be used for.
    bool is_touched_by(const isa::Command& command) const {
        return !pointers_.empty() && finds_pointer(command);
    }
    void add(const PendingCommand& pending);
    /// All issued commands are done.
    void clear();
    /// Returns whether the watch has anything to look for.
    bool is_needed() const { return !commands_.empty() && !pointers_.empty(); }

    /// Closes the pages before the kernel's own code runs, and opens them afterwards.
    void close();
    void open();
    bool is_closed() const { return is_closed_; }
    /// Handles a signal in its handler while memory is closed. Returns whether the watch has caused
    /// it, so that the kernel may continue.
    bool handles(int signal, const siginfo_t& info, ucontext_t& state) override;

    /// Returns the first early use since the last call.
    std::optional<EarlyUse> take();

 private:
    /// The address of a piece of the machine's memory on the host: a lane, or a system memory.
    struct Place {
        std::byte* host = nullptr;
        std::uint64_t bytes = 0;
        GivenPointer pointer;  ///< the last pointer into it; its address is the piece's first byte
        /// The range that the pointers may be used for, from the piece's first byte.
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
    };
    struct Pages {
        std::uintptr_t begin = 0;
        std::uintptr_t end = 0;
        bool readable = false;
    };

    bool finds_pointer(const isa::Command& command) const;
    bool note_early_use(std::uintptr_t address, bool stores, const ucontext_t& state);
    void let_pass(std::uintptr_t address, ucontext_t& state);
    void apply(std::uintptr_t begin, std::uintptr_t end) const;
    void find_pages();
    void add_pages(const isa::TensorView& view);

    isa::CommandPort& port_;
    isa::MachineShape machine_;
    std::vector<Place> pointers_;
    std::vector<PendingCommand> commands_;
    std::vector<Pages> pages_;
    bool pages_are_known_ = false;
    bool is_closed_ = false;
    bool has_use_ = false;
    std::uint64_t effort_left_ = 0;  ///< in changes of access, and pages of which it is changed
    /// The number of accesses to other data in closed pages that may pass one by one. After that,
    /// their pages stay open until the next call.
    std::uint64_t steps_left_ = 0;
    /// Pages that are open for one instruction.
    std::array<std::uintptr_t, 4> passing_{};
    std::size_t passing_count_ = 0;
    EarlyUse use_;
};

}  // namespace okksim::firmware
