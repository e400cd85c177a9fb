// SPDX-License-Identifier: Apache-2.0
#include "firmware/watch/own_accesses.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "firmware/launch/call_stack.h"
#include "isa/base/hex.h"
#include "isa/disassembler.h"

namespace okksim::firmware {
namespace {

constexpr std::size_t kMostPointers = 256;
constexpr std::size_t kMostUndefinedCopies = 64;
/// The limit of mistakes that are reported between two calls.
constexpr std::size_t kMostUses = 16;

/// Returns whether two addresses are in the same memory, or lane.
bool share_memory(const MemoryPlace& a, const MemoryPlace& b, const isa::MachineShape& machine) {
    if (a.local || b.local) {
        return a.local == b.local &&
               machine.lane_of(a.local_address) == machine.lane_of(b.local_address);
    }
    for (const isa::MemoryRegion& region : machine.memories()) {
        if (region.holds(a.address)) return region.holds(b.address);
    }
    return false;
}

/// Returns the memory around an address: "lane 2, which has 524288 bytes".
std::string memory_text(const MemoryPlace& place, const isa::MachineShape& machine) {
    if (place.local) {
        return "lane " + std::to_string(machine.lane_of(place.local_address)) + ", which has " +
               std::to_string(machine.local_bytes) + " bytes";
    }
    for (const isa::MemoryRegion& region : machine.memories()) {
        if (!region.holds(place.address)) continue;
        return "the memory at " + isa::hex(region.start) + ", which has " +
               std::to_string(region.bytes) + " bytes";
    }
    return "the memory";
}

/// Returns whether a command may touch an address. The check is cheap, because stores between
/// commands would otherwise build the tensors of all running commands each time.
bool may_meet(const PendingCommand& pending, const MemoryPlace& place) {
    return place.local || pending.command.info().engine == isa::Engine::kGdma;
}

std::uint64_t offset_of(const MemoryPlace& place) {
    return place.local ? place.local_address.value : place.address;
}

/// Keys of local memory sort after all others.
std::uint64_t memory_key(const MemoryPlace& place) {
    constexpr std::uint64_t kLocal = std::uint64_t{1} << 63;
    return place.local ? kLocal | place.local_address.value : place.address;
}

}  // namespace

OwnAccesses::OwnAccesses(LaunchState& launch, const std::vector<PendingCommand>& pending,
                         bool only_gaps)
    : launch_(launch),
      pending_(pending),
      only_gaps_(only_gaps),
      watch_(launch.port(), *this,
             only_gaps || wants_each_store() ? std::nullopt
                                             : std::optional(launch.options().pointer_share)) {}

void OwnAccesses::begin_launch() {
    watch_.begin_launch();
    pointers_.clear();
    uses_.clear();
    stores_.clear();
    possible_stores_.clear();
    undefined_copies_.clear();
    is_lost_ = is_lost_told_ = false;
    for (const StalePointer& stale : launch_.options().stale_pointers) {
        pointers_.push_back(stale.pointer);
        watch_.cover_gap({false, {}, stale.freed.begin}, stale.freed.end - stale.freed.begin);
    }
}

void OwnAccesses::end_launch() {
    kernel_stops();
    watch_.end_launch();
}

void OwnAccesses::given(const GivenPointer& pointer) {
    if (pointers_.size() == kMostPointers) pointers_.erase(pointers_.begin());
    pointers_.push_back(pointer);
    if (!only_gaps_) return watch_.cover(pointer.place);
    const auto& gaps_around = launch_.options().gaps_around;
    if (pointer.place.local || !gaps_around) return;
    for (const GlobalRange& gap : gaps_around(pointer.place.address)) {
        watch_.cover_gap({false, {}, gap.begin}, gap.end - gap.begin);
    }
}

void OwnAccesses::resume() {
    const std::uint64_t issued = launch_.issued(), done = launch_.port().progress();
    const bool has_changed = issued != std::exchange(issued_, issued);
    watch_.resume(done != std::exchange(done_, done) || has_changed);
    if (!only_gaps_ && watch_.covers_any()) launch_.delivery().watches_accesses = true;
}

void OwnAccesses::kernel_stops() {
    launch_.delivery().watches_accesses = false;
    watch_.stop();
    const auto& tell = launch_.options().processor_stored;
    for (const Store& store : stores_) {
        if (tell) tell(store.first, store.bytes, store.site, store.exact);
    }
    stores_.clear();
    const auto& tell_possible = launch_.options().processor_may_have_stored;
    for (const auto& [first, bytes] : possible_stores_) {
        if (tell_possible) tell_possible(first, bytes);
    }
    possible_stores_.clear();
    const auto& tell_copies = launch_.options().processor_copied_undefined;
    for (const Store& copy : undefined_copies_) {
        if (tell_copies) tell_copies(copy.first, copy.bytes, copy.site);
    }
    undefined_copies_.clear();
    written_.clear();
    for (const Use& use : std::exchange(uses_, {})) report(use);
    if (is_lost_ && !std::exchange(is_lost_told_, true)) tell_lost();
}

/// From now on, the kernel's accesses through the pointers that it has are not seen.
void OwnAccesses::tell_lost() {
    const ContextOptions& options = launch_.options();
    if (options.processor_stores_lost) options.processor_stores_lost();
    for (const GivenPointer& pointer : pointers_) {
        const MemoryPlace& place = pointer.place;
        if (place.local && options.look_at_local) options.look_at_local(place.local_address);
        if (!place.local && options.look_at_system) options.look_at_system(place.address, 1, false);
    }
}

std::optional<std::string> OwnAccesses::problem_outside(const MemoryPlace& place,
                                                        std::uint64_t bytes) const {
    const auto& check = launch_.options().check_global;
    if (place.local || !check || !launch_.machine().global().holds(place.address)) return {};
    return check(place.address, bytes);
}

std::optional<std::string> OwnAccesses::problem_of_load(const MemoryPlace& place,
                                                        std::uint64_t bytes) const {
    const ContextOptions& options = launch_.options();
    if (place.local) {
        return options.check_local_load ? options.check_local_load(place.local_address, bytes)
                                        : std::nullopt;
    }
    return options.look_at_system ? options.look_at_system(place.address, bytes, true)
                                  : std::nullopt;
}

bool OwnAccesses::is_clean(const MemoryPlace& first, std::uint64_t bytes) {
    if (!launch_.options().report) return true;
    for (const PendingCommand& pending : pending_) {
        if (!may_meet(pending, first)) continue;
        for (const isa::TensorView& view : isa::tensor_views(pending.command, launch_.machine())) {
            if (view.local != first.local || view.access == isa::Access::kRead) continue;
            const isa::ByteInterval touched = isa::touched_bytes(view, launch_.machine());
            const auto low = static_cast<std::int64_t>(
                first.local
                    ? static_cast<std::uint64_t>(launch_.machine().offset_of(first.local_address))
                    : first.address);
            if (touched.low < low + static_cast<std::int64_t>(bytes) && low < touched.high) {
                return false;
            }
        }
    }
    return !problem_outside(first, bytes) && !problem_of_load(first, bytes);
}

bool OwnAccesses::touches(const MemoryPlace& place, bool stores, const RawCallStack& stack) {
    if (!launch_.options().report) return false;
    if (uses_.size() == kMostUses) return true;
    const auto note = [&](Mistake mistake, const PendingCommand& pending, bool writes) {
        uses_.push_back({mistake, place, 1, stores, writes, pending, stack, {}});
    };
    for (const PendingCommand& pending : pending_) {
        if (!may_meet(pending, place)) continue;
        const auto early = early_use(pending.command, place, stores, launch_.machine());
        if (!early) continue;
        note(Mistake::kEarly, pending, *early);
        return false;
    }
    if (problem_outside(place, 1)) {
        // The report follows at the next call.
        launch_.delivery().watches_accesses = true;
        note(Mistake::kOutside, {}, false);
        return false;
    }
    return true;
}

std::uint64_t OwnAccesses::undefined_bytes(const MemoryPlace& first, std::uint64_t bytes) {
    const std::uint64_t most = std::min<std::uint64_t>(bytes, 64);
    if (!problem_of_load(first, most)) return 0;
    std::uint64_t undefined = 0;
    MemoryPlace place = first;
    for (std::uint64_t i = 0; i < most; ++i, place.move(1)) {
        if (is_written(place) || !problem_of_load(place, 1)) continue;
        undefined |= std::uint64_t{1} << i;
    }
    return undefined;
}

bool OwnAccesses::has_stored(const MemoryPlace& first, std::uint64_t bytes) const {
    const std::uint64_t key = memory_key(first);
    const auto behind = written_.upper_bound(key);
    return behind != written_.begin() && std::prev(behind)->second >= key + bytes;
}

void OwnAccesses::uses(const MemoryPlace& place, const RawCallStack& stack) {
    // The kernel gets the results of the C library's functions, so they are checked there.
    if (uses_.size() == kMostUses || stack.count == 0 || is_library_code(stack.addresses[0])) {
        return;
    }
    uses_.push_back({Mistake::kUnwritten,
                     place,
                     1,
                     false,
                     false,
                     {},
                     stack,
                     problem_of_load(place, 1).value_or("gives access to uninitialised memory")});
}

void OwnAccesses::leaves_memory(const MemoryPlace& first, std::uint64_t distance, bool stores,
                                const RawCallStack& stack) {
    if (!launch_.options().report || uses_.size() == kMostUses) return;
    uses_.push_back({Mistake::kBehind, first, distance, stores, false, {}, stack, {}});
}

void OwnAccesses::note_written(const MemoryPlace& first, std::uint64_t bytes) {
    std::uint64_t begin = memory_key(first);
    std::uint64_t end = begin + bytes;
    auto known = written_.upper_bound(end);
    while (known != written_.begin() && std::prev(known)->second >= begin) {
        --known;
        begin = std::min(begin, known->first);
        end = std::max(end, known->second);
        known = written_.erase(known);
    }
    written_.emplace(begin, end);
}

bool OwnAccesses::is_written(const MemoryPlace& place) const {
    const std::uint64_t key = memory_key(place);
    const auto behind = written_.upper_bound(key);
    return behind != written_.begin() && std::prev(behind)->second > key;
}

void OwnAccesses::system_stored(const void* begin, std::uint64_t bytes, const void* site) {
    RawCallStack stack;
    stack.addresses[0] = static_cast<const char*>(site) - 1;
    stack.count = 1;
    watch_.stored_by_system(begin, bytes, stack);
}

void OwnAccesses::stored(const MemoryPlace& first, std::span<const std::byte> data,
                         const RawCallStack& stack, StoreFacts facts) {
    // A copy of uninitialised bytes is uninitialised, too. Recordings need the bytes.
    if (facts.undefined != 0 && !wants_each_store()) {
        return stored_in_part(first, data, stack, facts);
    }
    const bool exact = facts.exact;
    note_written(first, data.size());
    const void* site = stack.count > 0 ? stack.addresses[0] : nullptr;
    // The lookup of an address's library takes longer than the rest of this function.
    if (site != last_own_site_) {
        const RawCallStack own = without_library_frames(stack);
        if (site == own.addresses[0]) last_own_site_ = site;
        site = own.count > 0 ? own.addresses[0] : nullptr;
    }
    // A store may begin inside of an allocation and end outside.
    if (launch_.options().report && uses_.size() < kMostUses &&
        problem_outside(first, data.size())) {
        uses_.push_back({Mistake::kOutside, first, data.size(), true, false, {}, stack, {}});
    }
    if (!stores_.empty()) {
        Store& last = stores_.back();
        const std::uint64_t begin = offset_of(first);
        const std::uint64_t known = offset_of(last.first);
        if (last.site == site && last.exact == exact && last.first.local == first.local &&
            share_memory(last.first, first, launch_.machine()) && begin >= known &&
            begin <= known + last.bytes) {
            last.bytes = std::max(last.bytes, begin + data.size() - known);
            return;
        }
    }
    stores_.push_back({first, data.size(), site, exact});
}

/// Notes the stores of the initialised bytes.
void OwnAccesses::stored_in_part(const MemoryPlace& first, std::span<const std::byte> data,
                                 const RawCallStack& stack, StoreFacts facts) {
    const auto is_undefined = [&](std::size_t i) {
        return i < 64 && (facts.undefined >> i & 1) != 0;
    };
    for (std::size_t begin = 0; begin < data.size();) {
        std::size_t end = begin + 1;
        while (end < data.size() && is_undefined(end) == is_undefined(begin)) ++end;
        MemoryPlace place = first;
        place.move(begin);
        if (!is_undefined(begin)) {
            stored(place, data.subspan(begin, end - begin), stack, {facts.exact, 0});
        } else if (undefined_copies_.size() < kMostUndefinedCopies) {
            const RawCallStack own = without_library_frames(stack);
            undefined_copies_.push_back(
                {place, end - begin, own.count > 0 ? own.addresses[0] : nullptr, true});
        }
        begin = end;
    }
}

void OwnAccesses::may_have_stored(const MemoryPlace& first, std::uint64_t bytes) {
    note_written(first, bytes);
    if (!possible_stores_.empty()) {
        auto& [known, known_bytes] = possible_stores_.back();
        const std::uint64_t begin = offset_of(first);
        if (known.local == first.local && share_memory(known, first, launch_.machine()) &&
            begin >= offset_of(known) && begin <= offset_of(known) + known_bytes) {
            known_bytes = std::max(known_bytes, begin + bytes - offset_of(known));
            return;
        }
    }
    possible_stores_.emplace_back(first, bytes);
}

/// Recordings want each store.
bool OwnAccesses::wants_each_store() const {
    return static_cast<bool>(launch_.options().processor_stores_lost);
}

const GivenPointer& OwnAccesses::pointer_to(const MemoryPlace& place) const {
    const GivenPointer* best = &pointers_.back();
    bool is_before = false;
    for (const GivenPointer& pointer : pointers_) {
        if (!share_memory(pointer.place, place, launch_.machine())) continue;
        const bool lies_before = offset_of(pointer.place) <= offset_of(place);
        if (is_before && (!lies_before || offset_of(pointer.place) < offset_of(best->place))) {
            continue;
        }
        best = &pointer;
        is_before = lies_before;
    }
    return *best;
}

std::string OwnAccesses::text_of(const Use& use, const std::string& pointer) const {
    switch (use.mistake) {
        case Mistake::kEarly: {
            const std::string site = describe_address(use.pending.site);
            return pointer + " is used to access memory that " +
                   isa::disassemble(use.pending.command, launch_.machine()) +
                   (site.empty() ? "" : " (" + site + ")") + " " +
                   (use.writes ? "writes" : "reads") +
                   ", and the kernel has not waited for it; call okk_poll() first";
        }
        case Mistake::kOutside:
            return pointer + (use.stores ? " is stored to" : " is loaded from") +
                   " in memory that is not the kernel's: " +
                   problem_outside(use.place, use.bytes).value_or("") +
                   "; access only the buffers that the host passes";
        case Mistake::kBehind:
            return pointer + (use.stores ? " is stored to " : " is loaded from ") +
                   std::to_string(use.bytes) + " bytes past the end of " +
                   memory_text(use.place, launch_.machine());
        case Mistake::kUnwritten: return pointer + " " + use.problem;
    }
    return {};
}

void OwnAccesses::report(const Use& use) {
    const GivenPointer& pointer = pointer_to(use.place);
    const std::string given = describe_address(pointer.site);
    const std::string function = pointer.function;
    const std::string text =
        text_of(use, function + ": the pointer" + (given.empty() ? "" : " (" + given + ")"));
    switch (use.mistake) {
        case Mistake::kEarly:
            return launch_.report(FindingKind::kOrder, function + "early", text, use.stack);
        case Mistake::kOutside:
        case Mistake::kBehind:
            return launch_.report(FindingKind::kBuffer, function + "addr", text, use.stack);
        case Mistake::kUnwritten:
            return launch_.report(FindingKind::kUnwrittenRead, function + "undefined", text,
                                  use.stack);
    }
}

}  // namespace okksim::firmware
