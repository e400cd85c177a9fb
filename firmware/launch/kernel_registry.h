// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "firmware/launch/kernel_entry.h"

namespace okksim::firmware {

/// The kernels that may be launched, by name. Filled by OKKERNEL_FUNC_REGISTER before main() and
/// whenever a kernel library is loaded. Thread safe.
class KernelRegistry {
 public:
    static KernelRegistry& instance();

    /// A later kernel of the same name replaces an earlier one, as reloaded libraries need.
    void add(std::string_view name, KernelEntry entry);

    /// The kernel; throws ProgramFault (kUnknownKernel) that lists the known names and suggests the
    /// closest.
    KernelEntry find(std::string_view name) const;

    /// The kernel that begins at an address, or is the last one that begins before it.
    std::string at_or_before(const void* address) const;

    /// Sorted.
    std::vector<std::string> names() const;

 private:
    mutable std::mutex mutex_;
    std::map<std::string, KernelEntry, std::less<>> kernels_;
};

}  // namespace okksim::firmware
