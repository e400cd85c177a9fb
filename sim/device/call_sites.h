// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "firmware/launch/call_stack.h"
#include "models/sequencer/command_observer.h"

namespace okksim::models {
class Chip;
}

namespace okksim::sim {

/// A call of the API in a kernel: addresses inside the nested calls, innermost first.
using CallSite = std::vector<const void*>;

/// A stack that was walked, with its return addresses and where they are stored. While they are
/// unchanged, it is the same stack. Checking takes nanoseconds, and walking takes microseconds.
struct WalkedStack {
    const CallSite* site = nullptr;  ///< nullptr: cannot be recognised
    const void* frame = nullptr;     ///< the innermost one; the stack above it stays in use
    std::vector<const void* const*> slots;
    std::vector<const void*> returns;

    bool stands_for(const void* innermost, const void* call) const;
};

/// Records the kernel call that issued each command, as an address or as a whole call stack. Names
/// are only looked up on demand.
class CallSites : public models::CommandObserver {
 public:
    explicit CallSites(bool whole_stacks) : whole_stacks_(whole_stacks) {}

    /// Returns the call site of the kernel that runs on this thread, or nullptr. Valid as long as
    /// the object.
    const CallSite* here();
    /// Returns the site that issued a command of the current launch, or nullptr if unknown.
    const CallSite* of(const isa::Command& command) const;

    /// Returns the source location of a site's innermost frame.
    const firmware::CodePlace& place(const CallSite& site) { return places(site.front()).front(); }
    /// Returns "scale at kernel.c:12", or for a whole stack "scale at kernel.c:12 < run at
    /// kernel.c:40". Returns an empty text for nullptr.
    std::string text(const CallSite* site);
    /// True if the host knows a source line of the site.
    bool has_lines(const CallSite& site);

    void launch_started(models::Picoseconds time) override;
    void submitted(const isa::Command& command) override;

 private:
    const std::vector<firmware::CodePlace>& places(const void* address);

    bool whole_stacks_;
    std::set<CallSite> sites_;
    const CallSite* last_ = nullptr;
    /// The last walk from some calls. Kernels issue commands from a few calls in turn.
    std::array<WalkedStack, 64> walks_;
    std::map<const void*, std::vector<firmware::CodePlace>> places_;
    /// By kind of engine and command id.
    std::array<std::vector<const CallSite*>, isa::kEngineKinds> issued_;
};

/// Lets findings of a chip name the kernel calls in `sites`, and checks kernels like those of
/// users. `sites` must outlive the simulation.
void watch_calls(models::Chip& chip, CallSites& sites);

}  // namespace okksim::sim
