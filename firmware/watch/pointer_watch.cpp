// SPDX-License-Identifier: Apache-2.0
#include "firmware/watch/pointer_watch.h"

#include <algorithm>

#include "firmware/launch/host_pages.h"
#include "firmware/launch/tensor_rows.h"

namespace okksim::firmware {
namespace {

/// The numbers of commands and of separate pages that are kept.
constexpr std::size_t kMostCommands = 1024;
constexpr std::size_t kMostPages = 4096;
/// The range around a pointer's address in which the kernel may use it. In a lane, the range
/// extends to the lane's end.
constexpr std::uint64_t kBefore = 4096;
constexpr std::uint64_t kBehind = 65536;
/// The limits of a launch, about a tenth of a second each.
constexpr std::uint64_t kMostPointerSteps = 20'000;
constexpr std::uint64_t kMostEffort = 10'000;

}  // namespace

void PointerWatch::begin_launch() {
    forget_pointers();
    has_use_ = false;
    steps_left_ = kMostPointerSteps;
    effort_left_ = kMostEffort;
}

void PointerWatch::forget_pointers() {
    if (is_closed_) open();
    pointers_.clear();
    clear();
}

void PointerWatch::clear() {
    commands_.clear();
    pages_.clear();
    pages_are_known_ = true;
}

void PointerWatch::give(const GivenPointer& pointer) {
    Place place;
    place.pointer = pointer;
    std::uint64_t shown = 0;
    if (pointer.place.local) {
        const auto bytes = static_cast<std::uint64_t>(machine_.local_bytes);
        const auto lane = static_cast<std::uint64_t>(machine_.lane_of(pointer.place.local_address));
        place.pointer.place.local_address.value = static_cast<std::uint32_t>(lane * bytes);
        place.bytes = bytes;
        shown = pointer.place.local_address.value - place.pointer.place.local_address.value;
        place.end = bytes;
        place.host =
            static_cast<std::byte*>(port_.local_pointer(place.pointer.place.local_address));
    } else {
        for (const isa::MemoryRegion& region : machine_.memories()) {
            if (!region.holds(pointer.place.address)) continue;
            place.pointer.place.address = region.start;
            place.bytes = region.bytes;
            shown = pointer.place.address - region.start;
            place.end = std::min(place.bytes, shown + kBehind);
            // The memory before the pointer may not exist yet.
            place.host = static_cast<std::byte*>(port_.system_pointer(pointer.place.address)) -
                         (pointer.place.address - region.start);
        }
    }
    place.begin = shown - std::min(shown, kBefore);
    pages_are_known_ = false;
    for (Place& known : pointers_) {
        if (known.host != place.host) continue;
        place.begin = std::min(place.begin, known.begin);
        place.end = std::max(place.end, known.end);
        known = place;
        return;
    }
    pointers_.push_back(place);
}

void PointerWatch::add(const PendingCommand& pending) {
    if (commands_.size() >= kMostCommands) return;
    commands_.push_back(pending);
    pages_are_known_ = false;
}

bool PointerWatch::finds_pointer(const isa::Command& command) const {
    for (const isa::TensorView& view : isa::tensor_views(command, machine_)) {
        const isa::ByteInterval touched = isa::touched_bytes(view, machine_);
        for (const Place& place : pointers_) {
            if (place.pointer.place.local != view.local) continue;
            const auto first =
                view.local ? 0 : static_cast<std::int64_t>(place.pointer.place.address);
            if (touched.low < first + static_cast<std::int64_t>(place.end) &&
                first + static_cast<std::int64_t>(place.begin) < touched.high) {
                return true;
            }
        }
    }
    return false;
}

/// Adds the pages of a tensor in the pieces of memory that the kernel has pointers into.
void PointerWatch::add_pages(const isa::TensorView& view) {
    const isa::ByteInterval touched = isa::touched_bytes(view, machine_);
    const bool reads = view.access == isa::Access::kRead;
    for (const Place& place : pointers_) {
        if (place.pointer.place.local != view.local || pages_.size() >= kMostPages) continue;
        std::int64_t first = touched.low;
        std::int64_t last = touched.high;
        if (!view.local) {
            first -= static_cast<std::int64_t>(place.pointer.place.address);
            last -= static_cast<std::int64_t>(place.pointer.place.address);
        }
        first = std::max(first, static_cast<std::int64_t>(place.begin));
        last = std::min(last, static_cast<std::int64_t>(place.end));
        if (first >= last) continue;
        const auto host = reinterpret_cast<std::uintptr_t>(place.host);
        const Pages pages{page_of(host + static_cast<std::uintptr_t>(first)),
                          page_of(host + static_cast<std::uintptr_t>(last) - 1) + page_bytes(),
                          reads};
        pages_.push_back(pages);
    }
}

void PointerWatch::find_pages() {
    pages_.clear();
    for (const PendingCommand& pending : commands_) {
        for (const isa::TensorView& view : isa::tensor_views(pending.command, machine_)) {
            add_pages(view);
        }
    }
    // Pages without any access come last, because they override pages that are also readable.
    std::sort(pages_.begin(), pages_.end(), [](const Pages& a, const Pages& b) {
        return a.readable != b.readable ? a.readable : a.begin < b.begin;
    });
    std::vector<Pages> joined;
    for (const Pages& pages : pages_) {
        if (!joined.empty() && joined.back().readable == pages.readable &&
            pages.begin <= joined.back().end) {
            joined.back().end = std::max(joined.back().end, pages.end);
        } else {
            joined.push_back(pages);
        }
    }
    pages_ = std::move(joined);
    pages_are_known_ = true;
}

/// Closes the pages in [begin, end).
void PointerWatch::apply(std::uintptr_t begin, std::uintptr_t end) const {
    for (const Pages& pages : pages_) {
        const std::uintptr_t first = std::max(begin, pages.begin);
        const std::uintptr_t last = std::min(end, pages.end);
        if (first < last) protect(first, last, pages.readable ? PROT_READ : PROT_NONE);
    }
}

void PointerWatch::close() {
    if (effort_left_ == 0) return;
    if (!pages_are_known_) find_pages();
    std::uint64_t effort = 1;
    for (const Pages& pages : pages_) effort += 1 + (pages.end - pages.begin) / page_bytes() / 16;
    effort_left_ -= std::min(effort, effort_left_);
    apply(0, UINTPTR_MAX);
    passing_count_ = 0;
    is_closed_ = true;
}

void PointerWatch::open() {
    if (!is_closed_) return;
    for (const Pages& pages : pages_) protect(pages.begin, pages.end, PROT_READ | PROT_WRITE);
    is_closed_ = false;
}

bool PointerWatch::handles(int signal, const siginfo_t& info, ucontext_t& state) {
    if (!is_closed_) return false;
    if (signal == SIGTRAP) {
        if (passing_count_ == 0) return false;
        set_stepping(state, false);
        for (; passing_count_ > 0; --passing_count_) {
            const std::uintptr_t page = passing_[passing_count_ - 1];
            apply(page, page + page_bytes());
        }
        return true;
    }
    const auto address = reinterpret_cast<std::uintptr_t>(info.si_addr);
    const Pages* hit = nullptr;
    for (const Pages& pages : pages_) {
        if (pages.begin <= address && address < pages.end) hit = &pages;
    }
    if (signal != SIGSEGV || hit == nullptr) return false;
    if (note_early_use(address, is_store(state).value_or(hit->readable), state)) {
        set_stepping(state, false);
        open();
    } else {
        let_pass(address, state);
    }
    return true;
}

bool PointerWatch::note_early_use(std::uintptr_t address, bool stores, const ucontext_t& state) {
    for (const Place& place : pointers_) {
        const auto host = reinterpret_cast<std::uintptr_t>(place.host);
        if (address < host || address >= host + place.bytes) continue;
        for (const PendingCommand& pending : commands_) {
            MemoryPlace at = place.pointer.place;
            at.move(address - host);
            const auto early = early_use(pending.command, at, stores, machine_);
            if (!early) continue;
            if (!has_use_) {
                use_ = {pending, place.pointer, *early, {}};
                capture_interrupted(use_.stack, state);
                has_use_ = true;
            }
            return true;
        }
    }
    return false;
}

/// Opens a page for an access to other data in it.
void PointerWatch::let_pass(std::uintptr_t address, ucontext_t& state) {
    const std::uintptr_t page = page_of(address);
    protect(page, page + page_bytes(), PROT_READ | PROT_WRITE);
    if (steps_left_ == 0 || passing_count_ == passing_.size()) return;
    if (!set_stepping(state, true)) return;
    --steps_left_;
    passing_[passing_count_++] = page;
}

std::optional<PointerWatch::EarlyUse> PointerWatch::take() {
    if (!has_use_) return std::nullopt;
    has_use_ = false;
    return use_;
}

}  // namespace okksim::firmware
