// SPDX-License-Identifier: Apache-2.0
#include "sim/device/call_sites.h"

#include "firmware/context.h"
#include "firmware/kernel_runner.h"

namespace okksim::sim {

const CallSite* CallSites::here() {
    firmware::Context* const context = firmware::Context::current();
    if (context == nullptr) return nullptr;
    const void* const frame = context->delivery().function_frame;
    const void* const call = firmware::call_site(frame);
    if (call == nullptr) return nullptr;
    // An address behind a call may be the next line's.
    const void* const inside = static_cast<const char*>(call) - 1;
    if (!whole_stacks_) {
        if (last_ == nullptr || last_->front() != inside) last_ = &*sites_.insert({inside}).first;
        return last_;
    }
    const firmware::RawCallStack stack =
        firmware::capture_call_stack(frame, firmware::kernel_invoker());
    CallSite site(stack.addresses.begin(), stack.addresses.begin() + stack.count);
    if (site.empty()) site.push_back(inside);
    if (last_ == nullptr || *last_ != site) last_ = &*sites_.insert(std::move(site)).first;
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

void CallSites::launch_started(models::Picoseconds) {
    for (auto& issued : issued_) issued.clear();
}

void CallSites::submitted(const isa::Command& command) {
    issued_[static_cast<std::size_t>(command.info().engine)].push_back(here());
}

}  // namespace okksim::sim
