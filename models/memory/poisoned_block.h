// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

namespace okksim::models {

/// Memory that reads as LocalMemory::kPoisonByte until it is written. It uses no host memory until
/// it is touched: one mapping, and one more for every requested piece of 4 MiB. Threads may request
/// pieces concurrently.
class PoisonedBlock {
 public:
    /// Reserves `bytes` of address space, or a part of it if the address space is limited (ulimit
    /// -v). Throws std::bad_alloc.
    explicit PoisonedBlock(std::uint64_t bytes);
    ~PoisonedBlock();
    PoisonedBlock(const PoisonedBlock&) = delete;
    PoisonedBlock& operator=(const PoisonedBlock&) = delete;

    /// Returns a pointer to [offset, offset + count), which must be inside the block. Throws
    /// std::bad_alloc if the range exceeds the reserved bytes.
    std::byte* bytes(std::uint64_t offset, std::uint64_t count);
    /// Returns a pointer to a range that the caller will overwrite completely. The host allocates
    /// untouched pages at once, which is far cheaper than page by page. The content before the
    /// write is undefined.
    std::byte* bytes_to_overwrite(std::uint64_t offset, std::uint64_t count);
    /// Returns a pointer to all reserved bytes from `offset` on. Throws std::bad_alloc as above.
    std::byte* rest(std::uint64_t offset);
    /// Makes the bytes uninitialised again and returns their whole pages to the host.
    void forget(std::uint64_t offset, std::uint64_t count);
    /// True if no store has touched the host's pages around [offset, offset + count). False if the
    /// host does not report it.
    bool is_untouched(std::uint64_t offset, std::uint64_t count) const;

 private:
    /// Backing of a piece. kHostMemory: some pages never mapped the poison file.
    enum class Piece : std::uint8_t { kNone, kPoisonFile, kHostMemory };

    void poison(std::uint64_t piece, bool is_one_of_many);
    /// False if the host grants no more mappings; the old content stays.
    bool show_poison_file(std::uint64_t from, std::uint64_t to, bool is_one_of_many);
    bool is_ready(std::uint64_t piece) const {
        return pieces_[piece].load(std::memory_order_acquire) != Piece::kNone;
    }

    std::uint64_t reserved_;
    std::uint64_t gap_ = 0;  ///< inaccessible bytes on each side
    void* block_ = nullptr;
    std::byte* base_ = nullptr;  ///< inside block_
    std::unique_ptr<std::atomic<Piece>[]> pieces_;
    /// All pieces from here on are ready.
    std::atomic<std::uint64_t> first_of_ready_rest_;
    std::mutex lock_;
};

}  // namespace okksim::models
