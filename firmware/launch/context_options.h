// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firmware/launch/memory_place.h"
#include "isa/command_port.h"
#include "isa/finding.h"

namespace okksim::firmware {

/// Answers of address and size queries that commands do not depend on. Defaults: BM1684.
struct MachineFacts {
    std::uint32_t local_memory_start = 0x08000000;
    std::uint32_t lookup_table_start = 0x00323C00;
    std::uint32_t lookup_table_bytes = 0x000DC400;
};

struct ContextOptions {
    /// Follow the vendor's kit where it contradicts the API reference.
    bool sdk_quirks = false;
    /// Sizes beyond the API reference that the model can carry out are faults, not findings.
    bool strict_limits = false;
    MachineFacts facts;
    /// Commands that one launch may issue; a launch that wants more ends with FaultCode::kBudget.
    std::optional<std::uint64_t> command_budget;
    /// API calls that one launch may make, commands or not; FaultCode::kBudget beyond.
    std::optional<std::uint64_t> call_budget;
    /// CPU time that firmware may compute without issuing a command, in seconds, before the launch
    /// ends with FaultCode::kBudget.
    std::optional<double> idle_seconds;
    /// Time that a call may last without a command being completed, or that the kernel may wait
    /// without issuing one, in seconds, before the program ends: nothing can be told to go on then.
    /// Unset: nobody looks.
    std::optional<double> call_seconds;
    /// Fill FaultRecord::call_stack. Costs about 0.1 ms per fault.
    bool call_stacks = true;
    /// Receives the text of OKKERNEL_LOG; unset: standard output.
    std::function<void(std::string_view)> log;
    /// Receives what is probably wrong with the kernel; unset: nobody looks.
    std::function<void(Finding)> report;
    /// See every use of a pointer that the kernel has asked for, not only of one that it has asked
    /// for while a command was writing there.
    bool watch_pointers = false;
    /// With watch_pointers, and nobody told of stores: how much of the program's time that may
    /// take, above 0; 1: whatever it needs. The default makes programs 2.5 times as long at most.
    double pointer_share = kPointerShare;
    static constexpr double kPointerShare = 0.4;
    /// With watch_pointers: told of everything that the kernel's own code stores, before its next
    /// call does anything. `site`: the instruction, or with `exact` unset one before it.
    std::function<void(const MemoryPlace& first, std::uint64_t bytes, const void* site, bool exact)>
        processor_stored;
    /// Likewise, of where it may have stored what was there already.
    std::function<void(const MemoryPlace& first, std::uint64_t bytes)> processor_may_have_stored;
    /// Likewise, of where it has copied bytes to that nobody had written.
    std::function<void(const MemoryPlace& first, std::uint64_t bytes, const void* site)>
        processor_copied_undefined;
    /// Likewise: from here on what this launch's own code stores is not told.
    std::function<void()> processor_stores_lost;
    /// What is wrong with loading bytes of a lane, if anything. Unset: nobody knows.
    std::function<std::optional<std::string>(isa::LocalAddr address, std::uint64_t bytes)>
        check_local_load;
    /// What is wrong with touching bytes of global memory, if anything; unset: nobody knows.
    std::function<std::optional<std::string>(std::uint64_t address, std::uint64_t bytes)>
        check_global;
    /// What belongs to nobody before and behind the allocation that holds an address, in whole
    /// pages of the host's. Unset: nobody knows.
    std::function<std::vector<GlobalRange>(std::uint64_t address)> gaps_around;
    /// What the kernel may have kept of earlier launches.
    std::vector<StalePointer> stale_pointers;
    /// What is wrong with the kernel's own looking at memory, if anything: `loads` when it is known
    /// to load all of the bytes; else it is known to store them, or asks for a pointer with one
    /// byte. Unset: nobody knows.
    std::function<std::optional<std::string>(std::uint64_t address, std::uint64_t bytes,
                                             bool loads)>
        look_at_system;
    std::function<std::optional<std::string>(isa::LocalAddr address)> look_at_local;
};

}  // namespace okksim::firmware
