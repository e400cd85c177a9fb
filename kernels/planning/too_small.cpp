// SPDX-License-Identifier: Apache-2.0
#include "kernels/planning/too_small.h"

#include <string>

#include "isa/base/fault.h"

namespace okksim::kernels {

void throw_too_small(const char* what, std::int64_t local_bytes) {
    throw ProgramFault({.code = FaultCode::kOutOfMemory,
                        .function = what,
                        .argument = "local memory",
                        .value = std::to_string(local_bytes) + " bytes per lane",
                        .rule = "the smallest tile fits",
                        .advice = "raise chip.local_memory_bytes in the machine file",
                        .unit = "kernel",
                        .call_stack = {}});
}

}  // namespace okksim::kernels
