// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "firmware/launch/call_stack.h"
#include "models/chip/chip.h"
#include "models/sequencer/command_observer.h"

namespace okksim::sim {

/// A place in a kernel that calls the API: addresses inside the calls, innermost first.
using CallSite = std::vector<const void*>;

/// A stack that was walked, and where its return addresses stand: while they stand there, it is
/// the stack. Walking takes microseconds, looking nanoseconds.
struct WalkedStack {
    const CallSite* site = nullptr;  ///< nullptr: cannot be told again
    const void* frame = nullptr;     ///< the innermost: what lies above it is in use while it is
    std::vector<const void* const*> slots;
    std::vector<const void*> returns;

    bool stands_for(const void* innermost, const void* call) const;
};

/// Knows which call of a kernel has issued each command, as an address, or as a whole call stack;
/// names come later, when somebody asks.
class CallSites : public models::CommandObserver {
 public:
    explicit CallSites(bool whole_stacks) : whole_stacks_(whole_stacks) {}

    /// Where the kernel that runs on this thread is calling from; nullptr: nowhere. Valid as long
    /// as this object.
    const CallSite* here();
    /// What has issued a command of the current launch; nullptr: unknown.
    const CallSite* of(const isa::Command& command) const;

    /// Where a site stands: its innermost frame.
    const firmware::CodePlace& place(const CallSite& site) { return places(site.front()).front(); }
    /// "scale at kernel.c:12"; of a whole stack "scale at kernel.c:12 < run at kernel.c:40". Empty
    /// for nullptr.
    std::string text(const CallSite* site);
    /// Whether the host knows a line of it.
    bool has_lines(const CallSite& site);

    void launch_started(models::Picoseconds time) override;
    void submitted(const isa::Command& command) override;

 private:
    const std::vector<firmware::CodePlace>& places(const void* address);

    bool whole_stacks_;
    std::set<CallSite> sites_;
    const CallSite* last_ = nullptr;
    /// The last walk from each of some calls: kernels issue commands from a few, in turns.
    std::array<WalkedStack, 64> walks_;
    std::map<const void*, std::vector<firmware::CodePlace>> places_;
    /// By kind of engine and command id.
    std::array<std::vector<const CallSite*>, isa::kEngineKinds> issued_;
};

/// Has findings of a chip name the calls of kernels that `sites` knows, and kernels looked at as
/// those of users are. `sites` must outlive the simulation.
void watch_calls(models::Chip& chip, CallSites& sites);

}  // namespace okksim::sim
