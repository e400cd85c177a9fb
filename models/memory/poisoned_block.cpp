// SPDX-License-Identifier: Apache-2.0
#include "models/memory/poisoned_block.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <string>
#include <vector>

#include "isa/base/errors.h"
#include "models/memory/local_memory.h"

namespace okksim::models {
namespace {

constexpr std::uint64_t kPieceBytes = std::uint64_t{4} << 20;
constexpr std::uint64_t kManyPieces = 64;
constexpr std::uint64_t kHugePageBytes = std::uint64_t{2} << 20;
/// Smallest write, in bytes, for which it pays to allocate all host pages at once.
constexpr std::uint64_t kLargeWrite = std::uint64_t{256} << 10;
/// Inaccessible bytes on each side of the block.
constexpr std::uint64_t kGapBytes = std::uint64_t{64} << 20;
/// Divisor of a limited address space (ulimit -v). One block takes at most this share, because
/// other blocks and the program need the rest.
constexpr std::uint64_t kShareOfLimit = 4;

int make_poison_file(std::uint64_t bytes) {
    const int made = memfd_create("okksim-poison", MFD_CLOEXEC);
    if (made < 0) throw std::bad_alloc();
    const std::vector<std::byte> pattern(bytes, LocalMemory::kPoisonByte);
    std::size_t done = 0;
    ssize_t written = 1;
    for (; written > 0 && done < pattern.size(); done += static_cast<std::size_t>(written)) {
        written = std::max<ssize_t>(write(made, pattern.data() + done, pattern.size() - done), 0);
    }
    if (done < pattern.size()) {
        const bool is_limited = errno == EFBIG;
        close(made);
        if (!is_limited) throw std::bad_alloc();
        throw ConfigError("ulimit -f", "limits files to less than the " + std::to_string(bytes) +
                                           " bytes that simulated memory begins with; raise it");
    }
    return made;
}

/// A file of poison bytes, and its length in bytes.
struct PoisonFile {
    int file;
    std::uint64_t bytes;
};

/// Returns the file that backs a new piece. The first pieces map a short file repeatedly, which
/// needs few pages. Later pieces map a longer file, because the number of mappings is limited.
PoisonFile next_poison_file(bool is_one_of_many) {
    constexpr std::uint64_t kShortBytes = kPieceBytes / 16;
    constexpr int kOfShort = 100;
    static const int short_file = make_poison_file(kShortBytes);
    static std::atomic<int> shown = 0;
    if (!is_one_of_many && shown.fetch_add(1, std::memory_order_relaxed) < kOfShort) {
        return {short_file, kShortBytes};
    }
    static const int whole_file = make_poison_file(kPieceBytes);
    return {whole_file, kPieceBytes};
}

std::uint64_t page_bytes() {
    static const auto bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    return bytes;
}

/// True if the page around an address still maps the poison file. The pagemap of the Linux kernel
/// shows a separate page after the first store.
bool shows_poison_file(const std::byte* at) {
    static const int file = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    constexpr std::uint64_t kPresent = std::uint64_t{1} << 63;
    constexpr std::uint64_t kSwapped = std::uint64_t{1} << 62;
    constexpr std::uint64_t kOfFile = std::uint64_t{1} << 61;
    std::uint64_t entry = 0;
    const auto page = reinterpret_cast<std::uintptr_t>(at) / page_bytes();
    if (pread(file, &entry, sizeof entry, static_cast<off_t>(page * sizeof entry)) !=
        sizeof entry) {
        return false;
    }
    return (entry & kSwapped) == 0 && ((entry & kPresent) == 0 || (entry & kOfFile) != 0);
}

std::uint64_t spared(std::uint64_t bytes) {
    rlimit limit{};
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return bytes;
    const std::uint64_t share = limit.rlim_cur / kShareOfLimit / kPieceBytes * kPieceBytes;
    return std::min(bytes, std::max(share, kPieceBytes));
}

}  // namespace

PoisonedBlock::PoisonedBlock(std::uint64_t bytes) : reserved_(spared(bytes)) {
    const std::uint64_t pieces = (reserved_ + kPieceBytes - 1) / kPieceBytes;
    pieces_ = std::make_unique<std::atomic<Piece>[]>(pieces);
    first_of_ready_rest_ = pieces;
    if (reserved_ == 0) return;
    // The gap keeps pointers that leave the memory away from other data.
    gap_ = reserved_ == bytes ? kGapBytes : 0;
    void* block = mmap(nullptr, reserved_ + 2 * gap_, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (block == MAP_FAILED) throw std::bad_alloc();
    block_ = block;
    base_ = static_cast<std::byte*>(block) + gap_;
    // Huge pages need pieces that begin on a huge-page boundary.
    if (gap_ != 0) base_ += -reinterpret_cast<std::uintptr_t>(base_) % kHugePageBytes;
    if (mprotect(base_, reserved_, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
}

PoisonedBlock::~PoisonedBlock() {
    if (block_ != nullptr) munmap(block_, reserved_ + 2 * gap_);
}

bool PoisonedBlock::show_poison_file(std::uint64_t from, std::uint64_t to, bool is_one_of_many) {
    const PoisonFile poison = next_poison_file(is_one_of_many);
    for (std::uint64_t at = from; at < to;) {
        const std::uint64_t offset = at % poison.bytes;
        const std::uint64_t bytes = std::min(to - at, poison.bytes - offset);
        if (mmap(base_ + at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE,
                 poison.file, static_cast<off_t>(offset)) == MAP_FAILED) {
            return false;
        }
        at += bytes;
    }
    return true;
}

void PoisonedBlock::poison(std::uint64_t piece, bool is_one_of_many) {
    const std::lock_guard guard(lock_);
    if (is_ready(piece)) return;
    const std::uint64_t at = piece * kPieceBytes;
    if (!show_poison_file(at, std::min(at + kPieceBytes, reserved_), is_one_of_many)) {
        throw std::bad_alloc();
    }
    pieces_[piece].store(Piece::kPoisonFile, std::memory_order_release);
}

std::byte* PoisonedBlock::bytes(std::uint64_t offset, std::uint64_t count) {
    if (offset + count > reserved_) throw std::bad_alloc();
    const std::uint64_t first = offset / kPieceBytes, last = (offset + count - 1) / kPieceBytes;
    for (std::uint64_t piece = first; piece <= last; ++piece) {
        if (!is_ready(piece)) poison(piece, last - first >= kManyPieces);
    }
    return base_ + offset;
}

std::byte* PoisonedBlock::bytes_to_overwrite(std::uint64_t offset, std::uint64_t count) {
    std::byte* const data = bytes(offset, count);
    // Only whole pages: the pages at the ends hold other bytes, too.
    const std::uint64_t page = page_bytes();
    const std::uint64_t first = (offset + page - 1) / page * page;
    const std::uint64_t last = (offset + count) / page * page;
    if (last < first + kLargeWrite) return data;
    // Pages that were written before already have host memory.
    if (!shows_poison_file(base_ + first) || !shows_poison_file(base_ + last - 1)) return data;
    const std::lock_guard guard(lock_);
    if (mmap(base_ + first, last - first, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) == MAP_FAILED) {
        throw std::bad_alloc();
    }
    // A refused madvise only costs time.
    madvise(base_ + first, last - first, MADV_HUGEPAGE);
    madvise(base_ + first, last - first, MADV_POPULATE_WRITE);
    for (std::uint64_t piece = first / kPieceBytes; piece <= (last - 1) / kPieceBytes; ++piece) {
        pieces_[piece].store(Piece::kHostMemory, std::memory_order_release);
    }
    return data;
}

std::byte* PoisonedBlock::rest(std::uint64_t offset) {
    if (offset >= reserved_) throw std::bad_alloc();
    const std::uint64_t first = offset / kPieceBytes;
    if (first < first_of_ready_rest_.load(std::memory_order_acquire)) {
        bytes(offset, reserved_ - offset);
        first_of_ready_rest_.store(first, std::memory_order_release);
    }
    return base_ + offset;
}

void PoisonedBlock::forget(std::uint64_t offset, std::uint64_t count) {
    // Memory past the reserved bytes was never used. The rest of a piece may not be ready.
    const std::uint64_t end = std::min(offset + count, reserved_);
    const std::uint64_t page = page_bytes();
    const std::uint64_t first = std::min((offset + page - 1) / page * page, end);
    const std::uint64_t last = std::max(end / page * page, first);
    const auto overwrite = [&](std::uint64_t from, std::uint64_t to) {
        if (from < to) std::fill_n(bytes(from, to - from), to - from, LocalMemory::kPoisonByte);
    };
    overwrite(offset, first);
    for (std::uint64_t from = first; from < last;) {
        const std::uint64_t piece = from / kPieceBytes;
        const std::uint64_t to = std::min(last, (piece + 1) * kPieceBytes);
        // Dropped pages map the poison file again, where they mapped it before.
        const bool is_dropped = pieces_[piece].load(std::memory_order_acquire) == Piece::kHostMemory
                                    ? show_poison_file(from, to, false)
                                    : madvise(base_ + from, to - from, MADV_DONTNEED) == 0;
        if (!is_dropped) overwrite(from, to);
        from = to;
    }
    overwrite(last, end);
}

bool PoisonedBlock::is_untouched(std::uint64_t offset, std::uint64_t count) const {
    // A granule does not span pages, so its first and last byte represent all.
    return offset + count <= reserved_ && shows_poison_file(base_ + offset) &&
           shows_poison_file(base_ + offset + count - 1);
}

}  // namespace okksim::models
