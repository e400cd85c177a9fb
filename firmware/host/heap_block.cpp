// SPDX-License-Identifier: Apache-2.0
#include "firmware/host/heap_block.h"

#include <cstdint>
#include <cstdio>
#include <string>

#include "firmware/watch/decoded_store.h"

namespace okksim::firmware::host {
namespace {

#if defined(__x86_64__) && defined(__GLIBC__)

// Blocks of the GNU C library's heap begin with two words. The second one is the size with flags.
constexpr std::uintptr_t kHeader = 16, kLeastBlock = 32;
constexpr std::uint64_t kFlags = 15, kIsMapped = 2, kIsOfThread = 4;
/// A block also uses the first word of the next block.
constexpr std::uint64_t kSharedBytes = 8;
constexpr std::uintptr_t kPage = 4096;

struct Range {
    std::uintptr_t begin = 0, end = 0;
};

/// The heap of the program's first thread.
Range main_heap() {
    Range heap;
    std::FILE* const maps = std::fopen("/proc/self/maps", "re");
    if (maps == nullptr) return heap;
    char line[512];
    while (std::fgets(line, sizeof line, maps) != nullptr) {
        if (std::string(line).find("[heap]") == std::string::npos) continue;
        unsigned long begin = 0, end = 0;
        if (std::sscanf(line, "%lx-%lx", &begin, &end) != 2) continue;
        if (heap.end == begin) {
            heap.end = end;
        } else if (heap.begin == 0) {
            heap = {begin, end};
        }
    }
    std::fclose(maps);
    return heap;
}

std::uint64_t size_of(std::uintptr_t block) {
    std::uint64_t size = 0;
    // Another thread may shrink the heap meanwhile.
    const bool is_there =
        load_carefully(block + kHeader / 2, {reinterpret_cast<std::byte*>(&size), sizeof size});
    return is_there ? size : 0;
}

/// Returns whether a walk over the heap, from block to block, reaches this one. Other data that
/// resembles a block is not reached.
bool lies_in_heap(std::uintptr_t block) {
    const Range heap = main_heap();
    if (block < heap.begin || block >= heap.end) return false;
    std::uintptr_t at = heap.begin;
    while (at < block) {
        // The heap is mapped as a whole, so plain loads are safe.
        const std::uint64_t bytes =
            *reinterpret_cast<const volatile std::uint64_t*>(at + kHeader / 2) & ~kFlags;
        if (bytes < kLeastBlock || bytes > heap.end - at) return false;
        at += bytes;
    }
    return at == block;
}

#endif

}  // namespace

std::optional<std::size_t> too_small_heap_block([[maybe_unused]] const void* begin,
                                                [[maybe_unused]] std::size_t wanted) {
#if defined(__x86_64__) && defined(__GLIBC__)
    const auto at = reinterpret_cast<std::uintptr_t>(begin);
    if (at % kHeader != 0 || at < kHeader) return std::nullopt;
    const std::uintptr_t block = at - kHeader;
    const std::uint64_t size = size_of(block);
    const std::uint64_t bytes = size & ~kFlags;
    if (bytes < kLeastBlock || (size & kIsOfThread) != 0 || (size & 8) != 0) return std::nullopt;
    if ((size & kIsMapped) != 0) {
        // A block that is mapped separately consists of whole pages and starts at the first one.
        const bool is_whole = block % kPage == 0 && bytes % kPage == 0 && (size & 1) == 0;
        if (!is_whole || wanted <= bytes - kHeader) return std::nullopt;
        return bytes - kHeader;
    }
    const std::size_t room = bytes - kHeader + kSharedBytes;
    if (wanted <= room || !lies_in_heap(block)) return std::nullopt;
    return room;
#else
    return std::nullopt;
#endif
}

}  // namespace okksim::firmware::host
