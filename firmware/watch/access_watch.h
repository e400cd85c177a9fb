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

/// Receives the findings of an AccessWatch. All functions but lost() also run in signal handlers,
/// while the kernel's own code is interrupted.
class AccessListener {
 public:
    virtual ~AccessListener() = default;
    /// Returns whether loads of these bytes have no problem.
    virtual bool is_clean(const MemoryPlace& first, std::uint64_t bytes) = 0;
    /// The kernel's own code is about to load or store at an address. Returns whether a load of
    /// uninitialised bytes would be the only mistake.
    virtual bool touches(const MemoryPlace& place, bool stores, const RawCallStack& stack) = 0;
    /// Returns which of up to 64 bytes are uninitialised: the first one in the lowest bit.
    virtual std::uint64_t undefined_bytes(const MemoryPlace& first, std::uint64_t bytes) = 0;
    /// Returns whether the kernel's own code has stored all of these bytes since its last call.
    virtual bool has_stored(const MemoryPlace& first, std::uint64_t bytes) const = 0;
    /// The kernel uses an uninitialised value that it has loaded from this address. A copy is no
    /// use.
    virtual void uses(const MemoryPlace& place, const RawCallStack& stack) = 0;
    /// The kernel accesses memory `distance` bytes past the end of a lane or memory that holds
    /// `first`.
    virtual void leaves_memory(const MemoryPlace& first, std::uint64_t distance, bool stores,
                               const RawCallStack& stack) = 0;
    /// The facts about a store.
    struct StoreFacts {
        bool exact = true;  ///< the stack shows the instruction; otherwise that one or a later one
        /// The uninitialised bytes among the first 64, which the store copies.
        std::uint64_t undefined = 0;
    };
    /// The kernel has stored these bytes.
    virtual void stored(const MemoryPlace& first, std::span<const std::byte> data,
                        const RawCallStack& stack, StoreFacts facts) = 0;
    /// The kernel may have stored the bytes that the memory already held, which is undetectable.
    virtual void may_have_stored(const MemoryPlace& first, std::uint64_t bytes) = 0;
    /// Returns whether every store must be reported separately, at any cost.
    virtual bool wants_each_store() const = 0;
    /// The rest of the launch is not reported, because it would take too long.
    virtual void lost() = 0;
};

/// The CPU time of a launch in which the accesses of the kernel's own code were not seen.
struct UnseenTime {
    double seconds = 0;
    double of_seconds = 0;  ///< all CPU time of the launch
    /// Set if the program's budget was used up; unset if the launch's budget was.
    bool of_program = false;

    UnseenTime& operator+=(const UnseenTime& other) {
        seconds += other.seconds;
        of_seconds += other.of_seconds;
        of_program = other.of_program;
        return *this;
    }
};

/// Sees the kernel's own loads and stores of memory that it has pointers into. The watch closes the
/// pages, and each access arrives as a signal. The watch carries out plain stores for the kernel.
/// Other instructions run in single steps. If there is nothing to report, or if the host cannot
/// step, the page stays open until the kernel's next call. Accesses of the simulator open the
/// memory. Only one watch of a process is active at a time.
class AccessWatch {
 public:
    /// `of_program` is the share of the program's time that the watch may take, shared by all
    /// launches; 1 sets no limit. Unset: each launch has its own budget.
    AccessWatch(isa::CommandPort& port, AccessListener& listener, std::optional<double> of_program)
        : port_(port), machine_(port.machine()), listener_(listener), of_program_(of_program) {}
    ~AccessWatch() { end_launch(); }
    AccessWatch(const AccessWatch&) = delete;
    AccessWatch& operator=(const AccessWatch&) = delete;

    void begin_launch();
    /// Opens all pages.
    void end_launch();
    /// Watches the memory around a pointer of the kernel.
    void cover(const MemoryPlace& place);
    /// Watches unallocated memory. The first access is reported and opens the memory.
    void cover_gap(const MemoryPlace& first, std::uint64_t bytes);
    /// The unseen time of the last launch after its end; nothing if all accesses were seen.
    std::optional<UnseenTime> unseen() const { return unseen_; }
    bool covers_any() const { return !pieces_.empty(); }
    /// Opens [begin, begin + bytes) of the host's memory until the kernel continues, as far as it
    /// is watched. System calls need that, because they get no signal.
    void open(const void* begin, std::uint64_t bytes);
    /// A system call has stored bytes there. `stack` is the call stack of its caller.
    void stored_by_system(const void* begin, std::uint64_t bytes, const RawCallStack& stack);
    /// Returns whether resume() has anything to do.
    bool has_opened() const { return !opened_.empty(); }

    /// The kernel's own code starts to run, or stops. `has_changed` is set if commands were issued
    /// or completed since it ran last.
    void resume(bool has_changed);
    void stop();

    /// Handles a signal in its handler, on any thread. Returns whether a watch has caused the
    /// signal, so that the interrupted code may continue. `by_kernel` is set if that code is the
    /// kernel's own.
    static bool handles(int signal, const siginfo_t& info, ucontext_t& state, bool by_kernel);

 private:
    /// A lane, or the memory around pointers into another memory.
    struct Piece {
        std::byte* host = nullptr;  ///< address of its first byte
        std::uint64_t bytes = 0;
        MemoryPlace first;
        std::uintptr_t begin = 0, end = 0;  ///< pages that hold it
        bool is_gap = false;
    };
    struct Pages {
        std::uintptr_t begin = 0, end = 0;
    };
    /// A page that is open to the kernel's own code.
    struct OpenPage {
        std::uintptr_t page = 0;
        std::unique_ptr<std::byte[]> before;  ///< the bytes before, if stores are possible
        std::uintptr_t at = 0;                ///< first address that was touched
        bool stores = false;                  ///< whether a store is certain
        std::uintptr_t most_stored =
            0;  ///< the most bytes that one instruction stores from `at` on
        const RawCallStack* stack = nullptr;
        std::uint64_t undefined =
            0;  ///< uninitialised bytes among those that the instruction stores
    };
    /// A known call stack, by program counter and stack pointer. Reading a stack takes
    /// microseconds.
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
    /// Reports the changes of a page.
    void compare(const OpenPage& open, bool exact);
    void finish_step();
    void give_up();
    bool spend(std::uint64_t effort);

    isa::CommandPort& port_;
    isa::MachineShape machine_;
    AccessListener& listener_;
    std::vector<Piece> pieces_;
    std::vector<Pages> opened_;        ///< to be closed when the kernel continues
    std::vector<Pages> readable_;      ///< to be closed when commands have completed
    std::vector<OpenPage> stepping_;   ///< open for one instruction
    const void* stepped_ = nullptr;    ///< the instruction that they are open for
    std::vector<OpenPage> left_open_;  ///< until the kernel's next call
    LoadedValue value_;                ///< the followed bytes
    int follow_steps_ = 0;      ///< number of instructions left to follow; 0: no value is followed
    bool is_stepping_ = false;  ///< the host stops after every instruction
    MemoryPlace value_place_;
    const RawCallStack* value_stack_ = nullptr;
    std::vector<std::unique_ptr<KnownStack>> stacks_;
    /// The number of stores of each instruction to each page since the kernel last continued.
    std::map<std::pair<const void*, std::uintptr_t>, int> stores_;
    std::uint64_t steps_left_ = 0;
    /// The effort that a watch may still spend.
    struct Budget {
        std::uint64_t left = 0;
        double earned_until = 0;  ///< CPU seconds
        bool is_begun = false;
    };
    Budget& budget() { return of_program_ ? program_budget_ : own_budget_; }

    std::optional<double> of_program_;
    Budget own_budget_;
    static Budget program_budget_;  ///< shared, because only one watch is active
    bool is_lost_ = false;
    double begun_ = 0, lost_at_ = 0;  ///< CPU seconds of the program
    std::optional<UnseenTime> unseen_;
    std::atomic_flag lock_ =
        ATOMIC_FLAG_INIT;  ///< lock of the handlers, because the simulator may have threads
};

}  // namespace okksim::firmware
