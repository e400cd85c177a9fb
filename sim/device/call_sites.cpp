// SPDX-License-Identifier: Apache-2.0
#include "sim/device/call_sites.h"

#include <unwind.h>

#include <cstdint>

#include "firmware/calls/context.h"
#include "firmware/launch/kernel_invoker.h"
#include "firmware/launch/stack_reading.h"
#include "models/chip/chip.h"

namespace okksim::sim {
namespace {

struct SlotWalk {
    WalkedStack& stack;
    std::uintptr_t inner_limit;
    std::size_t frames;
    bool knows_all = true;
};

/// Records the addresses of the return addresses of the kernel's frames. On x86-64, a return
/// address is just below the frame's stack pointer after the inner call has returned.
_Unwind_Reason_Code note_slot(_Unwind_Context* frame, void* data) {
    SlotWalk& walk = *static_cast<SlotWalk*>(data);
    const auto stack_pointer = static_cast<std::uintptr_t>(_Unwind_GetCFA(frame));
    if (stack_pointer <= walk.inner_limit) return _URC_NO_REASON;
    if (walk.stack.slots.size() == walk.frames) return _URC_END_OF_STACK;
    const auto slot = reinterpret_cast<const void* const*>(stack_pointer) - 1;
    const auto back = reinterpret_cast<const void*>(_Unwind_GetIP(frame));
    walk.knows_all = walk.knows_all && *slot == back;
    walk.stack.slots.push_back(slot);
    walk.stack.returns.push_back(back);
    return _URC_NO_REASON;
}

/// Keeps the data to recognise a stack of `frames` frames again. Only supported on x86-64.
void remember_walk(WalkedStack& known, const CallSite* site, const void* innermost_frame) {
    known = {};
#if defined(__x86_64__)
    SlotWalk walk{known, reinterpret_cast<std::uintptr_t>(innermost_frame), site->size()};
    firmware::read_stack([&walk] { _Unwind_Backtrace(note_slot, &walk); });
    if (walk.knows_all && known.slots.size() == site->size()) {
        known.site = site;
        known.frame = innermost_frame;
    }
#else
    static_cast<void>(site);
    static_cast<void>(innermost_frame);
#endif
}

}  // namespace

bool WalkedStack::stands_for(const void* innermost, const void* call) const {
    if (site == nullptr || frame != innermost || returns.front() != call) return false;
    for (std::size_t i = 0; i < slots.size(); ++i) {
        if (*slots[i] != returns[i]) return false;
    }
    return true;
}

const CallSite* CallSites::here() {
    firmware::Context* const context = firmware::Context::current();
    if (context == nullptr) return nullptr;
    const void* const frame = context->delivery().function_frame;
    const void* const call = context->delivery().call();
    if (call == nullptr) return nullptr;
    // The return address may already belong to the next line.
    const void* const inside = static_cast<const char*>(call) - 1;
    // A kernel that has jumped to its last call has left its own frame, so only the call is known.
    if (!whole_stacks_ || call == context->delivery().call_after_jump()) {
        if (last_ == nullptr || last_->front() != inside) last_ = &*sites_.insert({inside}).first;
        return last_;
    }
    WalkedStack& known = walks_[reinterpret_cast<std::uintptr_t>(call) / 4 % walks_.size()];
    if (known.stands_for(frame, call)) return known.site;
    const firmware::RawCallStack stack =
        firmware::capture_call_stack(frame, firmware::kernel_invoker());
    CallSite site(stack.addresses.begin(), stack.addresses.begin() + stack.count);
    if (site.empty()) site.push_back(inside);
    if (last_ == nullptr || *last_ != site) last_ = &*sites_.insert(std::move(site)).first;
    remember_walk(known, last_, frame);
    return last_;
}

const CallSite* CallSites::of(const isa::Command& command) const {
    const auto& issued = issued_[static_cast<std::size_t>(command.info().engine)];
    // Ids count from 1.
    return command.id == 0 || command.id > issued.size() ? nullptr : issued[command.id - 1];
}

const std::vector<firmware::CodePlace>& CallSites::places(const void* address) {
    const auto known = places_.find(address);
    if (known != places_.end()) return known->second;
    return places_.emplace(address, firmware::locate(address)).first->second;
}

std::string CallSites::text(const CallSite* site) {
    std::string text;
    if (site == nullptr) return text;
    if (!whole_stacks_) return place(*site).text();
    for (const void* const address : *site) {
        for (const firmware::CodePlace& place : places(address)) {
            if (!text.empty()) text += " < ";
            text += place.text();
        }
    }
    return text;
}

bool CallSites::has_lines(const CallSite& site) {
    for (const void* const address : site) {
        for (const firmware::CodePlace& place : places(address)) {
            if (!place.file.empty()) return true;
        }
    }
    return false;
}

void CallSites::launch_started(models::Picoseconds) {
    for (auto& issued : issued_) issued.clear();
}

void CallSites::submitted(const isa::Command& command) {
    issued_[static_cast<std::size_t>(command.info().engine)].push_back(here());
}

void watch_calls(models::Chip& chip, CallSites& sites) {
    chip.add_observer(sites);
    chip.watch_users([&sites] { return sites.here(); },
                     [&sites](const void* issued) {
                         const auto* const site = static_cast<const CallSite*>(issued);
                         const bool advises = site != nullptr && !sites.has_lines(*site);
                         return sites.text(site) + (advises ? firmware::kHowToGetLines : "");
                     });
}

}  // namespace okksim::sim
