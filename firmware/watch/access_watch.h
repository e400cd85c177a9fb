// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <ucontext.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "firmware/launch/call_stack.h"
#include "firmware/launch/memory_place.h"
#include "firmware/watch/loaded_value.h"
#include "isa/command_port.h"

namespace okksim::firmware {

/// What an AccessWatch tells of. All but lost() also in signal handlers, while the kernel's own
/// code is interrupted.
class AccessListener {
 public:
    virtual ~AccessListener() = default;
    /// Whether nothing can be said of loads from these bytes.
    virtual bool is_clean(const MemoryPlace& first, std::uint64_t bytes) = 0;
    /// The kernel's own code is about to load or store there. Whether loads of undefined bytes
    /// would be the only mistake.
    virtual bool touches(const MemoryPlace& place, bool stores, const RawCallStack& stack) = 0;
    /// Which of so many bytes, 64 at most, are undefined: the first in the lowest bit.
    virtual std::uint64_t undefined_bytes(const MemoryPlace& first, std::uint64_t bytes) = 0;
    /// Whether the kernel's own code has stored all of these bytes since its last call.
    virtual bool has_stored(const MemoryPlace& first, std::uint64_t bytes) const = 0;
    /// It makes something of an undefined value that it has loaded there: copying is no use.
    virtual void uses(const MemoryPlace& place, const RawCallStack& stack) = 0;
    /// Likewise, so many bytes behind the end of a lane or memory that holds `inside`.
    virtual void leaves_memory(const MemoryPlace& first, std::uint64_t distance, bool stores,
                               const RawCallStack& stack) = 0;
    /// What is known of a store.
    struct StoreFacts {
        bool exact = true;  ///< the instruction that the stack shows, else that or later ones
        /// Of the first 64 bytes those that are undefined, since it copies such.
        std::uint64_t undefined = 0;
    };
    /// It has stored.
    virtual void stored(const MemoryPlace& first, std::span<const std::byte> data,
                        const RawCallStack& stack, StoreFacts facts) = 0;
    /// It may have stored there what was there already, which nobody can tell.
    virtual void may_have_stored(const MemoryPlace& first, std::uint64_t bytes) = 0;
    /// Whether every store is to be told by itself, whatever that costs.
    virtual bool wants_each_store() const = 0;
    /// What follows in this launch is not told: it would take too long.
    virtual void lost() = 0;
};

/// Of a launch: CPU time in which nobody has seen what the kernel's own code does through pointers.
struct UnseenTime {
    double seconds = 0;
    double of_seconds = 0;  ///< all of its time
    /// What watches of the program might take was spent, else what that of the launch might.
    bool of_program = false;
};

/// Sees the kernel's own loads and stores of memory that it has asked pointers into: access to the
/// pages is taken away, and what happens to them arrives as a signal. Plain stores are made in the
/// kernel's place; for others it is let on for one instruction at a time, and where there is
/// nothing to tell of, or the host cannot do that, until its next call. What the simulator itself
/// touches meanwhile is opened as it comes to it. Only one watch of a process works at a time.
class AccessWatch {
 public:
    /// `of_program`: so much of the program's time it may take, shared by all launches; 1: whatever
    /// it needs. Unset: each launch has its own.
    AccessWatch(isa::CommandPort& port, AccessListener& listener, std::optional<double> of_program)
        : port_(port), machine_(port.machine()), listener_(listener), of_program_(of_program) {}
    ~AccessWatch() { end_launch(); }
    AccessWatch(const AccessWatch&) = delete;
    AccessWatch& operator=(const AccessWatch&) = delete;

    void begin_launch();
    /// Gives all access back.
    void end_launch();
    /// Watches the memory around a place that the kernel has got a pointer to.
    void cover(const MemoryPlace& place);
    /// Watches memory that nobody should touch: who does so first is told, and it is open from then
    /// on.
    void cover_gap(const MemoryPlace& first, std::uint64_t bytes);
    /// Of the last launch, when it has ended; nothing when all was seen.
    std::optional<UnseenTime> unseen() const { return unseen_; }
    bool covers_any() const { return !pieces_.empty(); }
    /// Opens [begin, begin + bytes) of the host's memory, as far as it is watched, until the kernel
    /// goes on: for system calls, which get no signal.
    void open(const void* begin, std::uint64_t bytes);
    /// A system call has stored there; `stack`: what has made it.
    void stored_by_system(const void* begin, std::uint64_t bytes, const RawCallStack& stack);
    /// Whether resume() has anything to do.
    bool has_opened() const { return !opened_.empty(); }

    /// The kernel's own code runs from now on, and does not run any more. `has_changed`: commands
    /// have been issued, or have taken effect, since it ran last.
    void resume(bool has_changed);
    void stop();

    /// In a signal handler: whether the signal came of a watch, of whatever thread; what was
    /// interrupted may go on. `by_kernel`: it is the kernel's own code.
    static bool handles(int signal, const siginfo_t& info, ucontext_t& state, bool by_kernel);

 private:
    /// A lane, or what lies around pointers into another memory.
    struct Piece {
        std::byte* host = nullptr;  ///< of its first byte
        std::uint64_t bytes = 0;
        MemoryPlace first;
        std::uintptr_t begin = 0, end = 0;  ///< its pages
        bool is_gap = false;
    };
    struct Pages {
        std::uintptr_t begin = 0, end = 0;
    };
    /// A page that is open to the kernel's own code.
    struct OpenPage {
        std::uintptr_t page = 0;
        std::unique_ptr<std::byte[]> before;  ///< what it held, if stores are possible
        std::uintptr_t at = 0;                ///< what was touched first
        bool stores = false;                  ///< certainly
        std::uintptr_t most_stored = 0;       ///< from `at` on, by one instruction
        const RawCallStack* stack = nullptr;
        std::uint64_t undefined = 0;  ///< of what that instruction stores, byte by byte
    };
    /// Stacks by program counter and stack pointer: reading one takes microseconds.
    struct KnownStack {
        const void* counter = nullptr;
        const void* pointer = nullptr;
        RawCallStack stack;
    };

    bool sees(int signal, const siginfo_t& info, ucontext_t& state, bool by_kernel);
    const Piece* piece_of(std::uintptr_t address) const;
    Piece piece_around(const MemoryPlace& place) const;
    MemoryPlace place_at(const Piece& piece, std::uintptr_t address) const;
    bool open_for_simulator(const Piece& piece, std::uintptr_t address);
    bool may_step(const ucontext_t& state, std::uintptr_t page, bool may_store);
    void open_for_kernel(const Piece& piece, std::uintptr_t address, ucontext_t& state);
    bool store_for_kernel(const Piece& piece, std::uintptr_t address, ucontext_t& state,
                          const RawCallStack& stack);
    bool load_for_kernel(const MemoryPlace& place, std::uintptr_t address, ucontext_t& state,
                         bool is_open);
    bool copy_for_kernel(ucontext_t& state, const RawCallStack& stack);
    void follow(const MemoryPlace& place, const RawCallStack& stack, ucontext_t& state);
    void look_at_result(const MemoryPlace& place, const RawCallStack& stack,
                        const ucontext_t& state);
    void go_on_following(ucontext_t& state);
    void stop_following();
    bool is_watched(std::uintptr_t begin, std::uint64_t bytes) const;
    void earn();
    const RawCallStack& stack_of(const ucontext_t& state);
    void keep_open(std::uintptr_t begin, std::uintptr_t end);
    void close_opened();
    /// Tells what has changed in a page.
    void compare(const OpenPage& open, bool exact);
    void finish_step();
    void give_up();
    bool spend(std::uint64_t effort);

    isa::CommandPort& port_;
    isa::MachineShape machine_;
    AccessListener& listener_;
    std::vector<Piece> pieces_;
    std::vector<Pages> opened_;        ///< to be closed when the kernel goes on
    std::vector<Pages> readable_;      ///< likewise, when commands have done anything
    std::vector<OpenPage> stepping_;   ///< open for one instruction
    const void* stepped_ = nullptr;    ///< that instruction
    std::vector<OpenPage> left_open_;  ///< until the kernel's next call
    LoadedValue value_;                ///< what has been loaded of undefined bytes
    int follow_steps_ = 0;             ///< so many more instructions; 0: none is followed
    bool is_stepping_ = false;         ///< the host stops behind every instruction
    MemoryPlace value_place_;
    const RawCallStack* value_stack_ = nullptr;
    std::vector<std::unique_ptr<KnownStack>> stacks_;
    /// Since the kernel has gone on, how often each instruction has stored to each page.
    std::map<std::pair<const void*, std::uintptr_t>, int> stores_;
    std::uint64_t steps_left_ = 0;
    /// What a watch may still take.
    struct Budget {
        std::uint64_t left = 0;
        double earned_until = 0;  ///< CPU seconds
        bool is_begun = false;
    };
    Budget& budget() { return of_program_ ? program_budget_ : own_budget_; }

    std::optional<double> of_program_;
    Budget own_budget_;
    static Budget program_budget_;  ///< the_watch is one at a time
    bool is_lost_ = false;
    double begun_ = 0, lost_at_ = 0;  ///< CPU seconds of the program
    std::optional<UnseenTime> unseen_;
    std::atomic_flag lock_ = ATOMIC_FLAG_INIT;  ///< of handlers: the simulator may have threads
};

}  // namespace okksim::firmware
