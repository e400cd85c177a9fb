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
    kListStart,      ///< start of a command list, which is known before the launch
    kListEnd,
};

/// Unit of the control processor's own arithmetic.
enum class ComputeKind : std::uint8_t {
    kInteger,    ///< an instruction: integer arithmetic, a branch, a load that hits the cache
    kSoftFloat,  ///< a float or double operation in software: the processor has no FPU
};

/// Arithmetic that firmware declares to run on the control processor, without a command.
struct Computation {
    /// Largest number of operations in one Computation. Firmware may report several in a row.
    static constexpr std::uint64_t kMost = 1'000'000'000;

    std::string_view what;  ///< for reports, e.g. "index list"
    ComputeKind kind = ComputeKind::kInteger;
    std::uint64_t operations = 0;

    bool operator==(const Computation&) const = default;
};

enum class AccessKind : std::uint8_t { kLoad, kStore };

/// A load or store of the control processor itself on [address, address + bytes) of global memory,
/// L2-SRAM or DTCM, in ascending order.
struct ProcessorAccess {
    SystemAddr address;
    std::uint64_t bytes = 0;
    AccessKind kind = AccessKind::kLoad;

    bool operator==(const ProcessorAccess&) const = default;
};

/// Interface between firmware and a machine. The recorder, the functional model and the timed chip
/// implement it. Only the kernel's thread of control calls these methods, between launch and
/// return.
class CommandPort {
 public:
    virtual ~CommandPort() = default;

    /// The machine shape that commands are laid out and checked against. It never changes.
    virtual const MachineShape& machine() const = 0;

    /// Queues a checked command; blocks in simulated time while the queue is full. The effect on
    /// memory takes place when the command completes, not when this returns.
    virtual void submit(const Command& command) = 0;

    /// Blocks in simulated time until every submitted command has completed.
    virtual void wait_until_idle() = 0;

    /// Charges the control processor for a call that issues no command.
    virtual void charge(FirmwareCall call) = 0;

    /// Charges the control processor for its own arithmetic.
    virtual void compute(const Computation& computation) = 0;

    /// Announces that the control processor will access bytes through a pointer. Blocks in
    /// simulated time until the memory has served the access. The bytes must be inside one memory.
    virtual void access(const ProcessorAccess& access) = 0;

    /// Host pointers for the control processor's own loads and stores; nullptr when the address is
    /// outside the memory. `system_pointer` covers global memory, L2-SRAM and DTCM.
    virtual void* local_pointer(LocalAddr addr) = 0;
    virtual void* system_pointer(std::uint64_t addr) = 0;
    /// Returns a host pointer to [addr, addr + bytes) only, which must be within one memory. It
    /// costs less than system_pointer(), which covers all bytes up to the end of the memory.
    virtual void* system_bytes(std::uint64_t addr, std::uint64_t /*bytes*/) {
        return system_pointer(addr);
    }
    /// True if these pointers refer to pages that the machine owns. Access to such pages may be
    /// removed while the firmware's own code runs.
    virtual bool owns_pages() const { return false; }
    /// True if the pointer shows the current content of memory. False for memory outside the chip
    /// without direct access: its pointer shows only bytes that access() has reported.
    virtual bool shows_memory(std::uint64_t addr) const {
        (void)addr;
        return true;
    }

    /// A counter that changes whenever a command completes. May be called in signal handlers.
    virtual std::uint64_t progress() const { return 0; }
};

}  // namespace okksim::isa
