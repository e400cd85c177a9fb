// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/command_groups.h"

namespace okksim::sim::cli {
namespace {

/// Commands by purpose, in the order of help.
const CommandGroup kGroups[] = {
    {"Models", {"inspect", "run", "plan", "convert", "check", "zoo"}},
    {"Kernels", {"kernel", "manual", "isa", "asm", "disasm"}},
    {"Recordings", {"record", "replay", "why", "debug", "trace"}},
    {"Verdicts", {"conformance", "golden", "gate", "baseline", "compare", "fidelity", "bench"}},
    {"Machines", {"machine", "sweep", "worth", "report"}},
    {"Help", {"help", "completion", "man"}},
};

}  // namespace

std::span<const CommandGroup> command_groups() { return kGroups; }

}  // namespace okksim::sim::cli
