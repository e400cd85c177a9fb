// SPDX-License-Identifier: Apache-2.0
#include "firmware/host/mapped_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <span>
#include <utility>

namespace okksim::firmware::host {
namespace {

/// Unit in which the host's changes reach the device, in bytes: a line of the host's cache.
constexpr std::uint64_t kLineBytes = 64;

}  // namespace

void MappedMemory::Unmapper::operator()(std::byte* pages) const { munmap(pages, bytes); }

std::byte* MappedMemory::map(Device& device, std::uint64_t address, std::uint64_t bytes,
                             bool is_cached) {
    std::vector<std::byte> known(bytes);
    device.look(address, known);
    void* const pages =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) throw std::bad_alloc();
    auto* const start = static_cast<std::byte*>(pages);
    std::copy(known.begin(), known.end(), start);
    Mapping mapping{address, bytes, is_cached, false, {start, Unmapper{bytes}}, std::move(known)};
    // Stores to such a mapping cannot be seen if they do not change a byte.
    if (!is_cached) write(device, mapping, 0, bytes);
    mappings_.emplace(start, std::move(mapping));
    return start;
}

void MappedMemory::write(Device& device, Mapping& mapping, std::uint64_t offset,
                         std::uint64_t bytes) {
    const std::byte* const from = mapping.pages.get() + offset;
    std::copy(from, from + bytes, mapping.known.begin() + static_cast<std::ptrdiff_t>(offset));
    device.write(mapping.address + offset, {from, bytes});
}

bool MappedMemory::for_parts(std::uint64_t address, std::uint64_t bytes, const Copy& copy) {
    bool found = false;
    for (auto& [pages, mapping] : mappings_) {
        const std::uint64_t begin = std::max(address, mapping.address);
        const std::uint64_t end = std::min(address + bytes, mapping.address + mapping.bytes);
        if (mapping.is_separate || begin >= end) continue;
        found = true;
        copy(mapping, begin - mapping.address, end - begin);
    }
    return found;
}

bool MappedMemory::flush(Device& device, std::uint64_t address, std::uint64_t bytes) {
    return for_parts(address, bytes, [&](Mapping& mapping, std::uint64_t offset, std::uint64_t n) {
        write(device, mapping, offset, n);
    });
}

bool MappedMemory::invalidate(Device& device, std::uint64_t address, std::uint64_t bytes) {
    return for_parts(address, bytes, [&](Mapping& mapping, std::uint64_t offset, std::uint64_t n) {
        std::byte* const to = mapping.pages.get() + offset;
        device.read(mapping.address + offset, {to, n});
        std::copy(to, to + n, mapping.known.begin() + static_cast<std::ptrdiff_t>(offset));
    });
}

bool MappedMemory::has_changes() const {
    return std::any_of(mappings_.begin(), mappings_.end(), [](const auto& entry) {
        const Mapping& mapping = entry.second;
        return !mapping.is_cached && !mapping.is_separate &&
               std::memcmp(mapping.pages.get(), mapping.known.data(), mapping.bytes) != 0;
    });
}

void MappedMemory::publish(Device& device) {
    for (auto& [pages, mapping] : mappings_) {
        if (mapping.is_cached || mapping.is_separate) continue;
        const auto changed = [&mapping = mapping](std::uint64_t at) {
            return std::memcmp(mapping.pages.get() + at, &mapping.known[at],
                               std::min(kLineBytes, mapping.bytes - at)) != 0;
        };
        for (std::uint64_t begin = 0; begin < mapping.bytes; begin += kLineBytes) {
            if (!changed(begin)) continue;
            std::uint64_t end = begin + kLineBytes;
            while (end < mapping.bytes && changed(end)) end += kLineBytes;
            write(device, mapping, begin, std::min(end, mapping.bytes) - begin);
            begin = end;
        }
    }
}

void MappedMemory::refresh(Device& device) {
    for (auto& [pages, mapping] : mappings_) {
        if (mapping.is_cached || mapping.is_separate) continue;
        device.look(mapping.address, mapping.known);
        std::copy(mapping.known.begin(), mapping.known.end(), mapping.pages.get());
    }
}

void MappedMemory::separate(const std::function<bool(std::uint64_t, std::uint64_t)>& is_freed) {
    for (auto& [pages, mapping] : mappings_) {
        mapping.is_separate = mapping.is_separate || is_freed(mapping.address, mapping.bytes);
    }
}

std::uint64_t MappedMemory::bytes_at(const void* pages) const {
    const auto found = mappings_.find(pages);
    return found == mappings_.end() ? 0 : found->second.bytes;
}

MappedMemory::End MappedMemory::unmap(Device& device, const void* pages) {
    publish(device);
    const auto found = mappings_.find(pages);
    Mapping& mapping = found->second;
    End end{mapping.bytes, 0};
    for (std::uint64_t i = 0; !mapping.is_separate && i < mapping.bytes; ++i) {
        end.unflushed += mapping.pages[i] != mapping.known[i] ? 1 : 0;
    }
    madvise(mapping.pages.get(), mapping.bytes, MADV_DONTNEED);
    mprotect(mapping.pages.get(), mapping.bytes, PROT_NONE);
    ended_ = std::move(mapping.pages);
    mappings_.erase(found);
    return end;
}

}  // namespace okksim::firmware::host
