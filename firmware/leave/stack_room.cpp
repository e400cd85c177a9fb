// SPDX-License-Identifier: Apache-2.0
#include "firmware/leave/stack_room.h"

#include <sys/resource.h>

#include <cstdio>
#include <cstring>

namespace okksim::firmware {
namespace {

/// A memory mapping of the program.
struct Mapping {
    std::uintptr_t begin = 0, end = 0;
    bool grows = false;  ///< grows down, like the stack of the program's first thread
};

/// Returns the mapping that holds an address; empty if there is none.
Mapping mapping_of(std::uintptr_t address) {
    std::FILE* const maps = std::fopen("/proc/self/maps", "re");
    if (maps == nullptr) return {};
    Mapping found;
    char line[512];
    while (found.end == 0 && std::fgets(line, sizeof line, maps) != nullptr) {
        Mapping mapping;
        if (std::sscanf(line, "%lx-%lx", &mapping.begin, &mapping.end) != 2) continue;
        mapping.grows = std::strstr(line, "[stack]") != nullptr;
        if (mapping.begin <= address && address < mapping.end) found = mapping;
    }
    std::fclose(maps);
    return found;
}

}  // namespace

std::uintptr_t lowest_kernel_frame() {
    // Reading the mappings takes longer than a small launch, and a stack does not move.
    static thread_local Mapping known;
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    if (here < known.begin || here >= known.end) {
        known = mapping_of(here);
        rlimit limit{};
        if (known.grows && getrlimit(RLIMIT_STACK, &limit) == 0 &&
            limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < known.end) {
            known.begin = known.end - limit.rlim_cur;
        } else if (known.grows) {
            known = {};
        }
    }
    if (known.end == 0 || here - known.begin < 2 * kSimulatorStackBytes) return 0;
    return known.begin + kSimulatorStackBytes;
}

}  // namespace okksim::firmware
