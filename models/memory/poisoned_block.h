// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

namespace okksim::models {

/// Bytes that read as LocalMemory::kPoisonByte until they are written, and that cost the host
/// nothing until they are touched: one mapping, and one more for every piece of 4 MiB that somebody
/// has asked for. Threads may ask at the same time.
class PoisonedBlock {
 public:
    /// Reserves address space: `bytes`, or as much as a process that may not have all it wants
    /// (ulimit -v) can spare for it. Throws std::bad_alloc.
    explicit PoisonedBlock(std::uint64_t bytes);
    ~PoisonedBlock();
    PoisonedBlock(const PoisonedBlock&) = delete;
    PoisonedBlock& operator=(const PoisonedBlock&) = delete;

    /// Pointer to [offset, offset + count), which must be inside. Throws std::bad_alloc when that
    /// is more than could be reserved.
    std::byte* bytes(std::uint64_t offset, std::uint64_t count);
    /// The same for somebody who overwrites all of it: many pages that nobody has stored to get
    /// their memory of the host at once, which costs far less than page by page. What the range
    /// holds before it is overwritten is undefined.
    std::byte* bytes_to_overwrite(std::uint64_t offset, std::uint64_t count);
    /// Pointer to everything from `offset` on that is reserved. Throws std::bad_alloc as above.
    std::byte* rest(std::uint64_t offset);
    /// The bytes are as nobody has written them again, and the host has their whole pages back.
    void forget(std::uint64_t offset, std::uint64_t count);
    /// Whether nobody has stored anything on the host's pages around [offset, offset + count); not
    /// when the host does not say.
    bool is_untouched(std::uint64_t offset, std::uint64_t count) const;

 private:
    /// What a piece is made of: kHostMemory where some pages never showed the file.
    enum class Piece : std::uint8_t { kNone, kPoisonFile, kHostMemory };

    void poison(std::uint64_t piece, bool is_one_of_many);
    /// False where the host grants no more mappings: what was there stays.
    bool show_poison_file(std::uint64_t from, std::uint64_t to, bool is_one_of_many);
    bool is_ready(std::uint64_t piece) const {
        return pieces_[piece].load(std::memory_order_acquire) != Piece::kNone;
    }

    std::uint64_t reserved_;
    std::uint64_t gap_ = 0;  ///< bytes before and behind it that nobody may touch
    void* block_ = nullptr;
    std::byte* base_ = nullptr;  ///< in it
    std::unique_ptr<std::atomic<Piece>[]> pieces_;
    /// All pieces from here on are ready.
    std::atomic<std::uint64_t> first_of_ready_rest_;
    std::mutex lock_;
};

}  // namespace okksim::models
