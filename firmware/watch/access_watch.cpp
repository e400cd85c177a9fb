// SPDX-License-Identifier: Apache-2.0
#include "firmware/watch/access_watch.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <ctime>
#include <optional>
#include <span>

#include "firmware/launch/host_pages.h"
#include "firmware/launch/interrupted_state.h"
#include "firmware/watch/decoded_store.h"

namespace okksim::firmware {
namespace {

/// The watched distance around a pointer, in bytes.
constexpr std::uint64_t kReach = std::uint64_t{64} << 20;
/// The limit of single steps of a launch, about a fifth of a second. Beyond it, a page stays open
/// until the kernel's next call, and its stores are reported less exactly.
constexpr std::uint64_t kMostSteps = 30'000;
/// The limit of access changes of a launch: about a tenth of a second at first, then half of its
/// time.
constexpr std::uint64_t kFirstEffort = 25'000;
constexpr double kSecondsPerChange = 4e-6, kShareOfLaunch = 0.5;
/// If launches share a budget, signals and their effects count, too. The shortest programs run for
/// kShortestProgram without a watch.
constexpr double kSecondsPerEffort = 6e-6, kShortestProgram = 0.02;
constexpr double kAllTime = 1;
/// The number of single steps in which an instruction may store to a page. After that, the page
/// stays open until the kernel's next call.
constexpr int kMostStoresToPage = 64;
/// Opened at once for the simulator.
constexpr std::uintptr_t kChunkPages = 16;
/// Pages that are told apart.
constexpr std::size_t kMostOpened = 4096;
constexpr std::size_t kMostStacks = 1024;
/// Some instructions touch more pages, but they are rare.
constexpr std::size_t kMostStepping = 8;
/// The number of instructions after a load of uninitialised bytes that are followed. memcpy() loads
/// its last 128 bytes first and then copies up to 8192 bytes in 64 rounds of 12 instructions.
constexpr int kMostFollowed = 1000;
/// The least bytes of a store that has changed nothing.
constexpr std::uintptr_t kStoredBytes = 4;
/// Bytes that are compared at once. The size of a page is a multiple of them.
constexpr std::uintptr_t kWord = 8;
/// Changes at most this far apart are reported as one.
constexpr std::uintptr_t kJoined = 8;

/// The active watch: it has closed pages.
std::atomic<AccessWatch*> the_watch = nullptr;

double seconds_of(clockid_t clock) {
    timespec used{};
    clock_gettime(clock, &used);
    return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

class Locked {
 public:
    explicit Locked(std::atomic_flag& flag) : flag_(flag) {
        while (flag_.test_and_set(std::memory_order_acquire)) {
        }
    }
    ~Locked() { flag_.clear(std::memory_order_release); }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;

 private:
    std::atomic_flag& flag_;
};

}  // namespace

AccessWatch::Budget AccessWatch::program_budget_;

void AccessWatch::begin_launch() {
    end_launch();
    stacks_.clear();
    steps_left_ = kMostSteps;
    if (!of_program_) {
        own_budget_ = {kFirstEffort, seconds_of(CLOCK_THREAD_CPUTIME_ID), true};
    } else if (!program_budget_.is_begun && *of_program_ < kAllTime) {
        // A share S of a program that takes 1 s without the watch is S / (1 - S) s.
        const double first = *of_program_ / (1 - *of_program_) * kShortestProgram;
        program_budget_ = {static_cast<std::uint64_t>(first / kSecondsPerEffort), 0, true};
    }
    is_lost_ = false;
    unseen_.reset();
    begun_ = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

void AccessWatch::end_launch() {
    stop();
    for (const Piece& piece : pieces_) protect(piece.begin, piece.end, PROT_READ | PROT_WRITE);
    pieces_.clear();
    opened_.clear();
    readable_.clear();
    AccessWatch* self = this;
    the_watch.compare_exchange_strong(self, nullptr);
    if (!is_lost_ || unseen_) return;
    const double now = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    unseen_ = {now - lost_at_, now - begun_, of_program_.has_value()};
}

AccessWatch::Piece AccessWatch::piece_around(const MemoryPlace& place) const {
    Piece piece;
    bool ends_memory = false;
    piece.first = place;
    if (place.local) {
        const auto lane = static_cast<std::uint64_t>(machine_.lane_of(place.local_address));
        piece.bytes = static_cast<std::uint64_t>(machine_.local_bytes);
        piece.first.local_address.value = static_cast<std::uint32_t>(lane * piece.bytes);
        piece.host = static_cast<std::byte*>(port_.local_pointer(piece.first.local_address));
    } else {
        for (const isa::MemoryRegion& region : machine_.memories()) {
            if (!region.holds(place.address)) continue;
            const std::uint64_t at = place.address - region.start;
            const std::uint64_t low = at - std::min(at, kReach);
            piece.first.address = region.start + low;
            piece.bytes = std::min(region.bytes, at + kReach) - low;
            ends_memory = region.bytes <= at + kReach && region.bytes % page_bytes() != 0;
            piece.host = static_cast<std::byte*>(port_.system_pointer(piece.first.address));
        }
    }
    const auto host = reinterpret_cast<std::uintptr_t>(piece.host);
    piece.begin = page_of(host);
    piece.end = page_of(host + piece.bytes - 1) + page_bytes();
    // Addresses past the last byte of a lane or a memory are unmapped.
    if (place.local || ends_memory) piece.end += page_bytes();
    return piece;
}

void AccessWatch::cover(const MemoryPlace& place) {
    if (is_lost_) return;
    for (const Piece& piece : pieces_) {
        if (piece.first.local != place.local) continue;
        const std::uint64_t offset =
            place.local ? std::uint64_t{place.local_address.value} - piece.first.local_address.value
                        : place.address - piece.first.address;
        // A pointer near the end of the watched memory extends it.
        const std::uint64_t enough = place.local ? 0 : std::min(kReach / 2, piece.bytes / 2);
        if (offset < piece.bytes - enough) return;
    }
    AccessWatch* nobody = nullptr;
    if (!the_watch.compare_exchange_strong(nobody, this) && nobody != this) return give_up();
    const Piece piece = piece_around(place);
    if (piece.host == nullptr) return;
    // The memory is closed when the kernel continues.
    keep_open(piece.begin, piece.end);
    pieces_.push_back(piece);
}

void AccessWatch::cover_gap(const MemoryPlace& first, std::uint64_t bytes) {
    auto* const host = static_cast<std::byte*>(port_.system_pointer(first.address));
    const auto begin = reinterpret_cast<std::uintptr_t>(host);
    if (is_lost_ || host == nullptr || page_of(begin) != begin) return;
    for (const Piece& piece : pieces_) {
        if (piece.begin == begin) return;
    }
    AccessWatch* nobody = nullptr;
    if (!the_watch.compare_exchange_strong(nobody, this) && nobody != this) return;
    const std::uintptr_t end = page_of(begin + bytes);
    if (end == begin) return;
    keep_open(begin, end);
    pieces_.push_back({host, end - begin, first, begin, end, true});
}

void AccessWatch::keep_open(std::uintptr_t begin, std::uintptr_t end) {
    opened_.push_back({begin, end});
}

void AccessWatch::give_up() {
    for (const Piece& piece : pieces_) protect(piece.begin, piece.end, PROT_READ | PROT_WRITE);
    pieces_.clear();
    opened_.clear();
    readable_.clear();
    if (!is_lost_) {
        lost_at_ = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
        listener_.lost();
    }
    is_lost_ = true;
}

/// A longer run earns a larger budget.
void AccessWatch::earn() {
    const double now = seconds_of(of_program_ ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_THREAD_CPUTIME_ID);
    // Launches may run on separate threads, whose clocks begin at 0.
    const double passed = now - std::min(now, budget().earned_until);
    const double rate =
        of_program_ ? *of_program_ / kSecondsPerEffort : kShareOfLaunch / kSecondsPerChange;
    const auto earned = static_cast<std::uint64_t>(passed * rate);
    budget().left += earned;
    if (earned > 0 || passed == 0) budget().earned_until = now;
}

bool AccessWatch::spend(std::uint64_t effort) {
    if (of_program_ >= kAllTime) return true;
    if (effort > budget().left) earn();
    if (effort > budget().left) return false;
    budget().left -= effort;
    return true;
}

void AccessWatch::close_opened() {
    if (opened_.size() > 1) {
        std::sort(opened_.begin(), opened_.end(),
                  [](const Pages& a, const Pages& b) { return a.begin < b.begin; });
    }
    std::size_t i = 0;
    while (i < opened_.size()) {
        Pages joined = opened_[i++];
        while (i < opened_.size() && opened_[i].begin <= joined.end) {
            joined.end = std::max(joined.end, opened_[i++].end);
        }
        protect(joined.begin, joined.end, PROT_NONE);
    }
    opened_.clear();
}

void AccessWatch::resume(bool has_changed) {
    if (pieces_.empty()) return;
    if (has_changed) {
        opened_.insert(opened_.end(), readable_.begin(), readable_.end());
        readable_.clear();
    }
    if (!spend(opened_.size())) return give_up();
    if (stacks_.size() > kMostStacks) stacks_.clear();
    close_opened();
}

void AccessWatch::stop() {
    stop_following();
    finish_step();
    for (const OpenPage& open : left_open_) {
        compare(open, false);
        keep_open(open.page, open.page + page_bytes());
    }
    left_open_.clear();
    stores_.clear();
}

void AccessWatch::open(const void* begin, std::uint64_t bytes) {
    const auto at = reinterpret_cast<std::uintptr_t>(begin);
    for (const Piece& piece : pieces_) {
        const std::uintptr_t first = std::max(piece.begin, page_of(at));
        const std::uintptr_t last = std::min(piece.end, page_of(at + bytes - 1) + page_bytes());
        if (first >= last) continue;
        protect(first, last, PROT_READ | PROT_WRITE);
        keep_open(first, last);
    }
}

void AccessWatch::stored_by_system(const void* begin, std::uint64_t bytes,
                                   const RawCallStack& stack) {
    const auto at = reinterpret_cast<std::uintptr_t>(begin);
    for (const Piece& piece : pieces_) {
        const auto host = reinterpret_cast<std::uintptr_t>(piece.host);
        if (piece.is_gap || at < host || at + bytes > host + piece.bytes) continue;
        return listener_.stored(place_at(piece, at), {static_cast<const std::byte*>(begin), bytes},
                                stack, {});
    }
}

const AccessWatch::Piece* AccessWatch::piece_of(std::uintptr_t address) const {
    const Piece* around = nullptr;
    for (const Piece& piece : pieces_) {
        const auto host = reinterpret_cast<std::uintptr_t>(piece.host);
        if (address - host < piece.bytes) return &piece;
        if (piece.begin <= address && address < piece.end) around = &piece;
    }
    return around;
}

MemoryPlace AccessWatch::place_at(const Piece& piece, std::uintptr_t address) const {
    MemoryPlace place = piece.first;
    const std::uintptr_t offset = address - reinterpret_cast<std::uintptr_t>(piece.host);
    place.local_address.value += place.local ? static_cast<std::uint32_t>(offset) : 0;
    place.address += place.local ? 0 : offset;
    return place;
}

bool AccessWatch::handles(int signal, const siginfo_t& info, ucontext_t& state, bool by_kernel) {
    AccessWatch* const watch = the_watch.load();
    if (watch == nullptr) return false;
    // The memory that the watch reads may be closed, too.
    static thread_local bool is_looking = false;
    if (is_looking) return watch->sees(signal, info, state, false);
    const Locked locked(watch->lock_);
    is_looking = true;
    const bool seen = watch->sees(signal, info, state, by_kernel);
    is_looking = false;
    return seen;
}

bool AccessWatch::sees(int signal, const siginfo_t& info, ucontext_t& state, bool by_kernel) {
    if (signal == SIGTRAP) {
        if (!is_stepping_) return false;
        // An instruction that repeats itself (rep stos) has not ended yet.
        if (!stepping_.empty() && program_counter_of(state) == stepped_) return true;
        finish_step();
        if (by_kernel) {
            go_on_following(state);
        } else {
            stop_following();
            set_stepping(state, is_stepping_ = false);
        }
        return true;
    }
    const auto address = reinterpret_cast<std::uintptr_t>(info.si_addr);
    const Piece* const piece = signal == SIGSEGV ? piece_of(address) : nullptr;
    if (piece == nullptr) return false;
    if (!by_kernel) return open_for_simulator(*piece, address);
    // If each launch has its own budget, the watch counts its steps.
    const bool may = !of_program_ || spend(1);
    may ? open_for_kernel(*piece, address, state) : give_up();
    return true;
}

bool AccessWatch::open_for_simulator(const Piece& piece, std::uintptr_t address) {
    if (piece.is_gap) {
        protect(piece.begin, piece.end, PROT_READ | PROT_WRITE);
        return true;
    }
    const std::uintptr_t chunk = kChunkPages * page_bytes();
    const std::uintptr_t begin = std::max(piece.begin, address / chunk * chunk);
    const std::uintptr_t end = std::min(piece.end, address / chunk * chunk + chunk);
    if (!spend(1) || opened_.size() >= kMostOpened) {
        give_up();
        return true;
    }
    protect(begin, end, PROT_READ | PROT_WRITE);
    keep_open(begin, end);
    return true;
}

const RawCallStack& AccessWatch::stack_of(const ucontext_t& state) {
    const void* const counter = program_counter_of(state);
    const void* const pointer = stack_pointer_of(state);
    constexpr std::size_t kRecent = 16;
    const std::size_t recent = stacks_.size() - std::min(kRecent, stacks_.size());
    for (std::size_t i = stacks_.size(); i-- > recent;) {
        if (stacks_[i]->counter == counter && stacks_[i]->pointer == pointer) {
            return stacks_[i]->stack;
        }
    }
    stacks_.push_back(std::make_unique<KnownStack>(KnownStack{counter, pointer, {}}));
    capture_interrupted(stacks_.back()->stack, state);
    return stacks_.back()->stack;
}

bool AccessWatch::may_step(const ucontext_t& state, std::uintptr_t page, bool may_store) {
    if (steps_left_ == 0 || stepping_.size() >= kMostStepping) return false;
    if (may_store && !listener_.wants_each_store() &&
        ++stores_[{program_counter_of(state), page}] > kMostStoresToPage) {
        return false;
    }
    --steps_left_;
    return true;
}

void AccessWatch::follow(const MemoryPlace& place, const RawCallStack& stack, ucontext_t& state) {
    if (steps_left_ == 0) return;
    const std::size_t bytes = std::max<std::size_t>(LoadedValue::loaded_bytes(state), 1);
    const std::uint64_t undefined = listener_.undefined_bytes(place, bytes);
    if (undefined == 0) return;
    MemoryPlace first = place;
    first.move(static_cast<std::uint64_t>(std::countr_zero(undefined)));
    const LoadedValue::Fate fate = value_.load(state, undefined);
    if (fate == LoadedValue::Fate::kUsed) {
        listener_.uses(first, stack);
        return;
    }
    if (fate == LoadedValue::Fate::kGone || !set_stepping(state, true)) return;
    is_stepping_ = true;
    if (follow_steps_ == 0) {
        value_place_ = first;
        value_stack_ = &stack;
    }
    follow_steps_ = kMostFollowed;
}

/// Checks an instruction that computes with uninitialised bytes and overwrites its operand with the
/// result.
void AccessWatch::look_at_result(const MemoryPlace& place, const RawCallStack& stack,
                                 const ucontext_t& state) {
    const std::size_t bytes = LoadedValue::used_bytes(state);
    const std::uint64_t undefined = bytes == 0 ? 0 : listener_.undefined_bytes(place, bytes);
    if (undefined == 0) return;
    MemoryPlace first = place;
    first.move(static_cast<std::uint64_t>(std::countr_zero(undefined)));
    listener_.uses(first, stack);
}

/// The kernel has reached the next instruction.
void AccessWatch::go_on_following(ucontext_t& state) {
    if (follow_steps_ > 0) {
        const LoadedValue::Fate fate = value_.step(state);
        if (fate == LoadedValue::Fate::kUsed) listener_.uses(value_place_, *value_stack_);
        --follow_steps_;
        if (steps_left_ > 0) --steps_left_;
        if (fate != LoadedValue::Fate::kCarried || steps_left_ == 0 || follow_steps_ == 0) {
            stop_following();
        }
    }
    is_stepping_ = follow_steps_ > 0;
    set_stepping(state, is_stepping_);
}

void AccessWatch::stop_following() {
    if (follow_steps_ == 0) return;
    follow_steps_ = 0;
    value_.forget();
}

void AccessWatch::open_for_kernel(const Piece& piece, std::uintptr_t address, ucontext_t& state) {
    const std::uintptr_t page = page_of(address);
    const bool may_store = is_store(state).value_or(true);
    const bool is_inside = address - reinterpret_cast<std::uintptr_t>(piece.host) < piece.bytes;
    const RawCallStack& stack = stack_of(state);
    if (is_inside && copy_for_kernel(state, stack)) return;
    const MemoryPlace place = place_at(piece, address);
    const std::uintptr_t behind = reinterpret_cast<std::uintptr_t>(piece.host) + piece.bytes;
    bool may_be_undefined = false;
    if (is_inside) {
        may_be_undefined = listener_.touches(place, may_store, stack);
    } else if (address >= behind && (piece.first.local || !machine_.in_one_memory(place.address))) {
        listener_.leaves_memory(piece.first, address - behind, may_store, stack);
    }
    if (piece.is_gap) return protect(piece.begin, piece.end, PROT_READ | PROT_WRITE);
    if (!may_store) {
        if (is_inside && load_for_kernel(place, address, state, false)) return;
        const auto host = reinterpret_cast<std::uintptr_t>(piece.host);
        const std::uintptr_t first = std::max(page, host);
        const std::uintptr_t last = std::min(page + page_bytes(), host + piece.bytes);
        protect(page, page + page_bytes(), PROT_READ);
        const bool is_known = std::any_of(stepping_.begin(), stepping_.end(),
                                          [&](const OpenPage& o) { return o.page == page; });
        if (is_inside && !is_known && readable_.size() < kMostOpened &&
            listener_.is_clean(place_at(piece, first), last - first)) {
            readable_.push_back({page, page + page_bytes()});
            return;
        }
        if (is_inside && load_for_kernel(place, address, state, true)) return;
    } else if (is_inside && store_for_kernel(piece, address, state, stack)) {
        return;
    } else {
        protect(page, page + page_bytes(), PROT_READ | PROT_WRITE);
        if (may_be_undefined) look_at_result(place, stack, state);
    }
    OpenPage open{page, nullptr, address, is_store(state).value_or(false), 0, &stack, 0};
    if (may_store) {
        const std::uintptr_t known = LoadedValue::stored_bytes(state);
        open.most_stored = known != 0 ? known : most_stored_by(program_counter_of(state));
        open.before = std::make_unique<std::byte[]>(page_bytes());
        std::memcpy(open.before.get(), reinterpret_cast<const void*>(page), page_bytes());
    }
    open.undefined = value_.stored_by(program_counter_of(state));
    if (may_step(state, page, may_store) && set_stepping(state, true)) {
        is_stepping_ = true;
        stepping_.push_back(std::move(open));
        stepped_ = program_counter_of(state);
    } else {
        left_open_.push_back(std::move(open));
    }
    if (may_be_undefined && !may_store) follow(place, stack, state);
}

void AccessWatch::compare(const OpenPage& open, bool exact) {
    if (!open.before) return;
    const Piece* const piece = piece_of(open.at);
    if (piece == nullptr) return;
    const auto host = reinterpret_cast<std::uintptr_t>(piece->host);
    const std::uintptr_t low = std::max(open.page, host);
    const std::uintptr_t high = std::min(open.page + page_bytes(), host + piece->bytes);
    const auto* const now = reinterpret_cast<const std::byte*>(open.page);
    const auto tell = [&](std::uintptr_t begin, std::uintptr_t end) {
        listener_.stored(place_at(*piece, begin), {now + (begin - open.page), end - begin},
                         *open.stack, {exact, exact ? open.undefined : 0});
    };
    if (exact && open.undefined != 0 && low <= open.at) {
        return tell(open.at, std::min(high, open.at + open.most_stored));
    }
    // Unchanged bytes do not show that they were stored.
    const std::uintptr_t first = exact ? std::max(low, open.at) : low;
    const std::uintptr_t last = exact ? std::min(high, first + open.most_stored) : high;
    if (first < last) listener_.may_have_stored(place_at(*piece, first), last - first);
    std::uintptr_t begin = 0, end = 0;  // of a change
    bool has_changed = false;
    for (std::uintptr_t at = low; at < high; ++at) {
        const std::size_t offset = at - open.page;
        if (at % kWord == 0 && std::memcmp(now + offset, &open.before[offset], kWord) == 0) {
            at += kWord - 1;
            continue;
        }
        if (now[offset] == open.before[offset]) continue;
        if (has_changed && at - end >= kJoined) {
            tell(begin, end);
            begin = at;
        }
        if (!has_changed) begin = at;
        has_changed = true;
        end = at + 1;
    }
    if (has_changed) {
        tell(exact && open.stores ? std::max(low, std::min(begin, open.at)) : begin, end);
    } else if (open.stores && low <= open.at && open.at < high) {
        tell(open.at, std::min(high, open.at + kStoredBytes));
    }
}

void AccessWatch::finish_step() {
    for (const OpenPage& open : stepping_) compare(open, true);
    for (const OpenPage& open : stepping_) {
        protect(open.page, open.page + page_bytes(), PROT_NONE);
    }
    stepping_.clear();
}

}  // namespace okksim::firmware
