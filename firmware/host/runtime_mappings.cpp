// SPDX-License-Identifier: Apache-2.0
// The part of the runtime for device memory in the host's address space.
#include <fmt/format.h>

#include "firmware/host/host_log.h"
#include "firmware/host/runtime.h"
#include "firmware/leave/crash_writer.h"

namespace okksim::firmware::host {

void* Runtime::map(bm_handle_t handle, std::uint64_t address, std::uint64_t bytes, bool is_cached) {
    check_handle(handle);
    finish(handle);
    check_range(address, bytes, "dmem");
    return mapped_.map(*device_, address, bytes, is_cached);
}

void Runtime::flush(bm_handle_t handle, std::uint64_t address, std::uint64_t bytes) {
    check_handle(handle);
    finish_before(HostUse::kWrites, handle, address, bytes);
    check_range(address, bytes, "dmem");
    if (!mapped_.flush(*device_, address, bytes)) throw_unmapped(address, bytes);
}

void Runtime::invalidate(bm_handle_t handle, std::uint64_t address, std::uint64_t bytes) {
    check_handle(handle);
    finish_before(HostUse::kReads, handle, address, bytes);
    check_range(address, bytes, "dmem");
    if (!mapped_.invalidate(*device_, address, bytes)) throw_unmapped(address, bytes);
    log_read_findings();
}

void Runtime::throw_unmapped(std::uint64_t address, std::uint64_t bytes) {
    throw HostError{BM_ERR_PARAM,
                    fmt::format("{} bytes at 0x{:x} are not mapped; call bm_mem_mmap_device_mem() "
                                "first",
                                bytes, address)};
}

void Runtime::unmap(bm_handle_t handle, const void* pages, std::int64_t bytes) {
    check_handle(handle);
    finish(handle);
    const auto mapped = static_cast<std::int64_t>(mapped_.bytes_at(pages));
    if (mapped == 0) {
        throw HostError{BM_ERR_PARAM, fmt::format("no mapping starts at {}; pass the address that "
                                                  "bm_mem_mmap_device_mem() returned, once",
                                                  fmt::ptr(pages))};
    }
    if (mapped != bytes) {
        throw HostError{BM_ERR_PARAM,
                        fmt::format("size is {}, but the mapping at {} has {} bytes; pass the size "
                                    "of the mapped memory",
                                    bytes, fmt::ptr(pages), mapped)};
    }
    const MappedMemory::End end = mapped_.unmap(*device_, pages);
    if (end.unflushed == 0) return;
    guest_failed_ = true;
    log_host_warning(fmt::format(
        "host program (order): bm_mem_unmap_device_mem(){} ends a mapping of {} bytes, and changes "
        "of {} bytes are lost; call bm_mem_flush_device_mem() first",
        host_place(), end.bytes, end.unflushed));
}

}  // namespace okksim::firmware::host
