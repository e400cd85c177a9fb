// SPDX-License-Identifier: Apache-2.0
// Loads, stores and copies that AccessWatch carries out for the instructions that it has stopped.
#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "firmware/launch/host_pages.h"
#include "firmware/launch/interrupted_state.h"
#include "firmware/watch/access_watch.h"
#include "firmware/watch/decoded_store.h"
#include "firmware/watch/host_instruction.h"

namespace okksim::firmware {
namespace {

/// The limit of stores that the watch carries out for one instruction and page: one per word of the
/// page.
constexpr int kMostStoresInPlace = 1024;
constexpr std::size_t kMostBytesInPlace = 4096;
constexpr std::size_t kMostLoaded = 16;
/// Bytes of a copy that are checked for uninitialised bytes at once.
constexpr std::size_t kCopyPiece = 64;

}  // namespace

bool AccessWatch::is_watched(std::uintptr_t begin, std::uint64_t bytes) const {
    return std::any_of(pieces_.begin(), pieces_.end(), [&](const Piece& piece) {
        return begin < piece.end && piece.begin < begin + bytes;
    });
}

/// Carries out a store for the stopped instruction. That takes one signal and no change of access,
/// and the stored bytes are known. Returns false if the instruction is unknown.
bool AccessWatch::store_for_kernel(const Piece& piece, std::uintptr_t address, ucontext_t& state,
                                   const RawCallStack& stack) {
    if (!stepping_.empty() || steps_left_ == 0) return false;
    const std::optional<DecodedStore> store = decode_store(state);
    if (!store || store->address != address) return false;
    std::array<std::byte, kMostBytesInPlace> many;
    std::span<const std::byte> data(store->data.data(), store->bytes);
    std::uint64_t times = 1;
    if (store->repeats > 0) {
        const std::uintptr_t page_end = page_of(address) + page_bytes();
        const std::uint64_t room = std::min<std::uint64_t>(page_end - address, many.size());
        times = std::min(store->repeats, room / store->bytes);
        if (times == 0) return false;
        data = {many.data(), static_cast<std::size_t>(times * store->bytes)};
        if (store->source != 0) {
            if (is_watched(store->source, data.size())) return false;
            if (!load_carefully(store->source, {many.data(), data.size()})) return false;
        } else {
            for (std::size_t i = 0; i < data.size(); ++i) many[i] = store->data[i % store->bytes];
        }
    }
    const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(piece.host) + piece.bytes;
    if (address + data.size() > end) return false;
    if (!listener_.wants_each_store() &&
        ++stores_[{program_counter_of(state), page_of(address)}] > kMostStoresInPlace) {
        return false;
    }
    if (!store_regardless(address, data)) return false;
    --steps_left_;
    const std::uint64_t undefined = value_.stored_by(program_counter_of(state));
    pass_store(state, *store, times);
    listener_.stored(place_at(piece, address), data, stack, {true, undefined});
    // No single step reaches the next instruction.
    if (follow_steps_ > 0 && times >= store->repeats) go_on_following(state);
    return true;
}

/// Carries out a plain load for the stopped instruction if the bytes are initialised, so that no
/// stop after the instruction is needed. With `is_open` set, the page is open for the check and is
/// closed afterwards. Otherwise only bytes that the kernel has just stored count as initialised.
bool AccessWatch::load_for_kernel(const MemoryPlace& place, std::uintptr_t address,
                                  ucontext_t& state, bool is_open) {
#if OKKSIM_KNOWS_INSTRUCTIONS
    if (!stepping_.empty() || steps_left_ == 0) return false;
    const HostInstruction instruction(state);
    const HostInstruction::Operand* const from =
        instruction.is_known() ? instruction.plain_load() : nullptr;
    if (from == nullptr) return false;
    std::array<std::byte, kMostLoaded> many;
    const std::size_t bytes = from->size / 8;
    const std::uintptr_t page = page_of(address);
    if (bytes > many.size() || address + bytes > page + page_bytes() ||
        instruction.place_of(*from).begin != address) {
        return false;
    }
    const bool is_defined =
        is_open ? listener_.undefined_bytes(place, bytes) == 0 : listener_.has_stored(place, bytes);
    const std::span<std::byte> data(many.data(), bytes);
    if (!is_defined || !load_carefully(address, data)) return false;
    // The load overwrites a followed value in its destination.
    const bool follows = follow_steps_ > 0;
    if (follows && value_.load(state, 0) == LoadedValue::Fate::kGone) stop_following();
    if (!finish_load(state, instruction, data)) return false;
    if (is_open) protect(page, page + page_bytes(), PROT_NONE);
    --steps_left_;
    if (follows && follow_steps_ > 0) go_on_following(state);
    return true;
#else
    static_cast<void>(place);
    static_cast<void>(address);
    static_cast<void>(state);
    static_cast<void>(is_open);
    return false;
#endif
}

/// Carries out a copy from watched memory to watched memory (rep movs), up to the end of a page.
/// Uninitialised bytes stay uninitialised. Returns false if the instruction is no such copy.
bool AccessWatch::copy_for_kernel(ucontext_t& state, const RawCallStack& stack) {
    if (!stepping_.empty() || steps_left_ == 0) return false;
    const std::optional<DecodedStore> copy = decode_store(state);
    if (!copy || copy->repeats == 0 || copy->source == 0) return false;
    const auto inside = [&](std::uintptr_t address) -> const Piece* {
        const Piece* const piece = piece_of(address);
        const bool holds = piece != nullptr && !piece->is_gap &&
                           address - reinterpret_cast<std::uintptr_t>(piece->host) < piece->bytes;
        return holds ? piece : nullptr;
    };
    const Piece* const from = inside(copy->source);
    const Piece* const to = inside(copy->address);
    if (from == nullptr || to == nullptr) return false;
    const auto left = [](const Piece& piece, std::uintptr_t address) {
        const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(piece.host) + piece.bytes;
        return std::min(end, page_of(address) + page_bytes()) - address;
    };
    std::uintptr_t room = std::min(left(*from, copy->source), left(*to, copy->address));
    // The copy reads bytes again that it has overwritten.
    if (copy->address > copy->source) room = std::min(room, copy->address - copy->source);
    const std::uint64_t times =
        std::min(copy->repeats, std::min(room, kMostBytesInPlace) / copy->bytes);
    std::array<std::byte, kMostBytesInPlace> many;
    const std::span<std::byte> data(many.data(), static_cast<std::size_t>(times * copy->bytes));
    if (data.empty() || !load_carefully(copy->source, data)) return false;
    --steps_left_;
    // The listener may read the page. A page that is opened for the simulator would stay open
    // longer.
    const std::uintptr_t page = page_of(copy->source);
    protect(page, page + page_bytes(), PROT_READ);
    const bool is_clean = listener_.is_clean(place_at(*from, copy->source), data.size());
    const std::size_t step = is_clean ? data.size() : kCopyPiece;
    for (std::size_t at = 0; at < data.size(); at += step) {
        const std::span<std::byte> piece = data.subspan(at, std::min(step, data.size() - at));
        const MemoryPlace source = place_at(*from, copy->source + at);
        listener_.touches(place_at(*to, copy->address + at), true, stack);
        const bool may_be_undefined = !is_clean && listener_.touches(source, false, stack);
        const std::uint64_t undefined =
            may_be_undefined ? listener_.undefined_bytes(source, piece.size()) : 0;
        if (!store_regardless(copy->address + at, piece)) return at > 0;
        listener_.stored(place_at(*to, copy->address + at), piece, stack, {true, undefined});
    }
    protect(page, page + page_bytes(), PROT_NONE);
    pass_store(state, *copy, times);
    if (follow_steps_ > 0 && times >= copy->repeats) go_on_following(state);
    return true;
}

}  // namespace okksim::firmware
