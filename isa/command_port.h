// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "isa/command.h"

namespace okksim::isa {

/// Kinds of firmware calls that cost the control processor time without issuing a command.
enum class FirmwareCall : std::uint8_t {
    kQuery,          ///< machine facts, stride helpers
    kInitialize,     ///< okk_initialize
    kParallelStart,  ///< okk_parallel_start
    kParallelEnd,    ///< okk_parallel_end
    kPointer,        ///< pointer accessors for the MCU's own loads and stores
    kListStart,      ///< commands up to kListEnd are known before the launch: a list of them
    kListEnd,
};

/// What a unit of firmware's own computing is.
enum class ComputeKind : std::uint8_t {
    kInteger,    ///< an instruction: arithmetic on integers, a branch, a load that the cache serves
    kSoftFloat,  ///< an operation on floats or doubles, in software: the processor has no unit
};

/// What firmware says that it computes by itself, without a command.
struct Computation {
    /// Most operations of one; firmware may tell of several.
    static constexpr std::uint64_t kMost = 1'000'000'000;

    std::string_view what;  ///< for reports: "index list"
    ComputeKind kind = ComputeKind::kInteger;
    std::uint64_t operations = 0;

    bool operator==(const Computation&) const = default;
};

enum class AccessKind : std::uint8_t { kLoad, kStore };

/// Loads or stores by which the control processor itself touches [address, address + bytes) of
/// global memory, L2-SRAM or DTCM, in ascending order.
struct ProcessorAccess {
    SystemAddr address;
    std::uint64_t bytes = 0;
    AccessKind kind = AccessKind::kLoad;

    bool operator==(const ProcessorAccess&) const = default;
};

/// Where firmware meets a machine: the recorder, the functional model and the timed chip implement
/// it. All methods are called from the kernel's thread of control only, between launch and return.
class CommandPort {
 public:
    virtual ~CommandPort() = default;

    /// Facts that commands are laid out and checked against; constant for the port's life.
    virtual const MachineShape& machine() const = 0;

    /// Queues a checked command; blocks in simulated time while the queue is full. The effect on
    /// memory takes place when the command completes, not when this returns.
    virtual void submit(const Command& command) = 0;

    /// Blocks in simulated time until every submitted command has completed.
    virtual void wait_until_idle() = 0;

    /// Charges the control processor for a call that issues no command.
    virtual void charge(FirmwareCall call) = 0;

    /// Charges the control processor for computing of its own.
    virtual void compute(const Computation& computation) = 0;

    /// The control processor is about to touch bytes through a pointer; blocks in simulated time
    /// until the memory has served it. The bytes must lie wholly inside one memory.
    virtual void access(const ProcessorAccess& access) = 0;

    /// Host pointers for the control processor's own loads and stores; nullptr when the address is
    /// outside the memory. `system_pointer` covers global memory, L2-SRAM and DTCM.
    virtual void* local_pointer(LocalAddr addr) = 0;
    virtual void* system_pointer(std::uint64_t addr) = 0;
    /// The same of [addr, addr + bytes), which lies in one memory, and of nothing beyond: that
    /// costs less than a pointer to all that follows.
    virtual void* system_bytes(std::uint64_t addr, std::uint64_t /*bytes*/) {
        return system_pointer(addr);
    }
    /// Whether what these pointers show lies in pages of the machine's own, so that access to them
    /// may be taken away while its firmware's own code runs.
    virtual bool owns_pages() const { return false; }
    /// Whether the pointer shows by itself what memory holds. False for memory outside the chip
    /// that gives no direct access: there it shows only what access() has told of.
    virtual bool shows_memory(std::uint64_t addr) const {
        (void)addr;
        return true;
    }

    /// Another number whenever a command has been completed. Also in signal handlers.
    virtual std::uint64_t progress() const { return 0; }
};

}  // namespace okksim::isa
