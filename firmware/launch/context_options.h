// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firmware/launch/memory_place.h"
#include "isa/base/finding.h"
#include "isa/command_port.h"

namespace okksim::firmware {

/// Answers of address and size queries that commands do not depend on. Defaults: BM1684.
struct MachineFacts {
    std::uint32_t local_memory_start = 0x08000000;
    std::uint32_t lookup_table_start = 0x00323C00;
    std::uint32_t lookup_table_bytes = 0x000DC400;
};

struct ContextOptions {
    /// Follows the vendor's kit where it contradicts the API reference.
    bool sdk_quirks = false;
    /// Reports sizes beyond the API reference as faults and not as findings, even if the model
    /// supports them.
    bool strict_limits = false;
    MachineFacts facts;
    /// The number of commands that one launch may issue. A launch that issues more ends with
    /// FaultCode::kBudget.
    std::optional<std::uint64_t> command_budget;
    /// The number of API calls that one launch may make. A launch that makes more ends with
    /// FaultCode::kBudget.
    std::optional<std::uint64_t> call_budget;
    /// The CPU seconds that firmware may compute without issuing a command. After that, the launch
    /// ends with FaultCode::kBudget.
    std::optional<double> idle_seconds;
    /// Seconds that a call may last without a completed command, or that the kernel may wait
    /// without issuing one. After that the program ends, because nothing can make the kernel
    /// continue. Unset: no limit.
    std::optional<double> call_seconds;
    /// Fills FaultRecord::call_stack, which takes about 0.1 ms per fault.
    bool call_stacks = true;
    /// Receives the text of OKKERNEL_LOG. Unset: the text goes to standard output.
    std::function<void(std::string_view)> log;
    /// Receives probable mistakes of the kernel. Unset: the checks do not run.
    std::function<void(Finding)> report;
    /// Watches every use of every pointer that the kernel has asked for. Otherwise only pointers
    /// into memory that commands are writing are watched.
    bool watch_pointers = false;
    /// The share of the program's time that watch_pointers may take, above 0; 1 sets no limit. It
    /// applies if no function receives stores. With the default, programs take at most 2.5 times as
    /// long.
    double pointer_share = kPointerShare;
    static constexpr double kPointerShare = 0.4;
    /// Receives all stores of the kernel's own code, before its next call does anything. Needs
    /// watch_pointers. `site` is the instruction, or with `exact` unset an earlier one.
    std::function<void(const MemoryPlace& first, std::uint64_t bytes, const void* site, bool exact)>
        processor_stored;
    /// Receives the addresses where a store may have left the bytes unchanged. Needs
    /// watch_pointers.
    std::function<void(const MemoryPlace& first, std::uint64_t bytes)> processor_may_have_stored;
    /// Receives the destinations of copies of uninitialised bytes. Needs watch_pointers.
    std::function<void(const MemoryPlace& first, std::uint64_t bytes, const void* site)>
        processor_copied_undefined;
    /// Called when the stores of the rest of the launch are not reported. Needs watch_pointers.
    std::function<void()> processor_stores_lost;
    /// Returns the problem of a load from a lane, if any. Unset: no check.
    std::function<std::optional<std::string>(isa::LocalAddr address, std::uint64_t bytes)>
        check_local_load;
    /// Returns the problem of an access to global memory, if any. Unset: no check.
    std::function<std::optional<std::string>(std::uint64_t address, std::uint64_t bytes)>
        check_global;
    /// Returns the unallocated memory around the allocation that holds an address, in whole pages
    /// of the host. Unset: no check.
    std::function<std::vector<GlobalRange>(std::uint64_t address)> gaps_around;
    /// Pointers that the kernel may have kept from earlier launches.
    std::vector<StalePointer> stale_pointers;
    /// Returns the problem of an access by the kernel's own code, if any. With `loads` set, the
    /// kernel loads all bytes. Otherwise it stores them, or it asks for a pointer with one byte.
    /// Unset: no check.
    std::function<std::optional<std::string>(std::uint64_t address, std::uint64_t bytes,
                                             bool loads)>
        look_at_system;
    std::function<std::optional<std::string>(isa::LocalAddr address)> look_at_local;
};

}  // namespace okksim::firmware
