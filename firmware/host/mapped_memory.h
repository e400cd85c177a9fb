// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "firmware/host/device.h"

namespace okksim::firmware::host {

/// Device memory that the host program has mapped. Each mapping is a copy in separate pages, so
/// that a kernel sees only flushed bytes. A use after the end of a mapping is a signal.
class MappedMemory {
 public:
    /// Maps a range, whose bytes a copy without a finding delivers. `is_cached`: the host flushes
    /// and invalidates. Other mappings count as written. Throws std::bad_alloc.
    std::byte* map(Device& device, std::uint64_t address, std::uint64_t bytes, bool is_cached);

    /// Copies the part of every mapping in the range to the device. Returns false if there is none.
    bool flush(Device& device, std::uint64_t address, std::uint64_t bytes);
    /// Copies from the device, and otherwise likewise.
    bool invalidate(Device& device, std::uint64_t address, std::uint64_t bytes);

    /// True if the host has changed bytes of a mapping without a cache.
    bool has_changes() const;
    /// Copies these changes to the device, in cache lines.
    void publish(Device& device);
    /// Updates the mappings without a cache, because launches or copies have changed the device.
    void refresh(Device& device);
    /// Separates mappings from the device whose memory `is_freed`. Their pages stay.
    void separate(const std::function<bool(std::uint64_t address, std::uint64_t bytes)>& is_freed);

    /// The end of a mapping: its size and the bytes that the host has changed but not flushed.
    struct End {
        std::uint64_t bytes = 0;
        std::uint64_t unflushed = 0;
    };
    /// Returns the size of the mapping that starts at `pages`; 0 if there is none.
    std::uint64_t bytes_at(const void* pages) const;
    /// Ends the mapping that starts at `pages`, which exists.
    End unmap(Device& device, const void* pages);

 private:
    struct Unmapper {
        std::uint64_t bytes;
        void operator()(std::byte* pages) const;
    };
    struct Mapping {
        std::uint64_t address = 0;
        std::uint64_t bytes = 0;
        bool is_cached = true;
        bool is_separate = false;  ///< the memory has been freed
        std::unique_ptr<std::byte[], Unmapper> pages{};
        std::vector<std::byte> known{};  ///< the bytes after the last copy
    };
    using Copy = std::function<void(Mapping&, std::uint64_t offset, std::uint64_t bytes)>;
    bool for_parts(std::uint64_t address, std::uint64_t bytes, const Copy& copy);
    static void write(Device& device, Mapping& mapping, std::uint64_t offset, std::uint64_t bytes);

    std::map<const void*, Mapping> mappings_;  ///< by their pages
    /// Pages of the last mapping that ended. While they are closed, nothing else gets their
    /// addresses, and a late use is a signal.
    std::unique_ptr<std::byte[], Unmapper> ended_;
};

}  // namespace okksim::firmware::host
