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

/// Sees the kernel's own loads and stores of memory that commands nobody has waited for write (or,
/// of stores, read): while the kernel's own code runs, it has no access to the pages, and what it
/// does to them arrives as a signal. Pages hold other bytes, too, so an access is looked up among
/// the commands' elements before it counts. Only for ports whose memory has pages of its own.
class PointerWatch final : public MemoryWatch {
 public:
    /// What the kernel has touched too early, and from where.
    struct EarlyUse {
        PendingCommand pending;
        GivenPointer pointer;
        bool writes = false;  ///< the command does; otherwise it reads
        RawCallStack stack;
    };

    explicit PointerWatch(isa::CommandPort& port) : port_(port), machine_(port.machine()) {}

    void begin_launch();
    void give(const GivenPointer& pointer);
    /// The pointers given so far are not used any more.
    void forget_pointers();
    /// Whether a command touches what pointers may be used for.
    bool is_touched_by(const isa::Command& command) const {
        return !pointers_.empty() && finds_pointer(command);
    }
    void add(const PendingCommand& pending);
    /// Everything issued is done.
    void clear();
    /// Whether there is anything to look for.
    bool is_needed() const { return !commands_.empty() && !pointers_.empty(); }

    /// Takes access away, and gives it back: the kernel's own code runs in between.
    void close();
    void open();
    bool is_closed() const { return is_closed_; }
    /// In a signal handler, while closed: whether the signal came of that; the kernel may go on.
    bool handles(int signal, const siginfo_t& info, ucontext_t& state) override;

    /// The first early use since it was asked for.
    std::optional<EarlyUse> take();

 private:
    /// Where a piece of the machine's memory lies on the host: a lane, or a system memory.
    struct Place {
        std::byte* host = nullptr;
        std::uint64_t bytes = 0;
        GivenPointer pointer;  ///< the last one into it; its address is the piece's first byte
        /// What the pointers may be used for, from the piece's first byte.
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
    /// Accesses to something else in the same pages that may be let pass one by one; after that
    /// their pages stay open until the next call.
    std::uint64_t steps_left_ = 0;
    /// Pages that are open for one instruction.
    std::array<std::uintptr_t, 4> passing_{};
    std::size_t passing_count_ = 0;
    EarlyUse use_;
};

}  // namespace okksim::firmware
