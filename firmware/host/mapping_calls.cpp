// SPDX-License-Identifier: Apache-2.0
// Functions of the host API for device memory in the host's address space.
#include "firmware/host/bmlib_runtime.h"
#include "firmware/host/guarded_call.h"

using namespace okksim::firmware::host;

namespace {

bm_status_t map(const char* function, bm_handle_t handle, const bm_device_mem_t* dmem,
                unsigned long long* vmem, bool is_cached) {
    return host_call(function, [&](Runtime& runtime) {
        require(dmem, "dmem");
        require(vmem, "vmem");
        require_allocated(*dmem, "dmem");
        require_between("the size of dmem", dmem->size, 1, UINT32_MAX);
        void* const pages = runtime.map(handle, dmem->u.device.device_addr, dmem->size, is_cached);
        *vmem = reinterpret_cast<std::uintptr_t>(pages);
    });
}

/// Calls `copy` with the device address and the size of a part of `dmem`.
template <typename Copy>
bm_status_t with_part(const char* function, const bm_device_mem_t* dmem, unsigned int offset,
                      const unsigned int* len, const Copy& copy) {
    return host_call(function, [&](Runtime& runtime) {
        require(dmem, "dmem");
        require_allocated(*dmem, "dmem");
        const unsigned int bytes = len == nullptr ? dmem->size : *len;
        const std::uint64_t address = part_of(*dmem, bytes, offset, "dmem");
        if (bytes != 0) copy(runtime, address, bytes);
    });
}

bm_status_t flush(const char* function, bm_handle_t handle, const bm_device_mem_t* dmem,
                  unsigned int offset, const unsigned int* len) {
    return with_part(function, dmem, offset, len,
                     [&](Runtime& runtime, std::uint64_t address, std::uint64_t bytes) {
                         runtime.flush(handle, address, bytes);
                     });
}

bm_status_t invalidate(const char* function, bm_handle_t handle, const bm_device_mem_t* dmem,
                       unsigned int offset, const unsigned int* len) {
    return with_part(function, dmem, offset, len,
                     [&](Runtime& runtime, std::uint64_t address, std::uint64_t bytes) {
                         runtime.invalidate(handle, address, bytes);
                     });
}

}  // namespace

extern "C" {

bm_status_t bm_mem_mmap_device_mem(bm_handle_t handle, bm_device_mem_t* dmem,
                                   unsigned long long* vmem) {
    return map(__func__, handle, dmem, vmem, true);
}

bm_status_t bm_mem_mmap_device_mem_no_cache(bm_handle_t handle, bm_device_mem_t* dmem,
                                            unsigned long long* vmem) {
    return map(__func__, handle, dmem, vmem, false);
}

bm_status_t bm_mem_invalidate_device_mem(bm_handle_t handle, bm_device_mem_t* dmem) {
    return invalidate(__func__, handle, dmem, 0, nullptr);
}

bm_status_t bm_mem_invalidate_partial_device_mem(bm_handle_t handle, bm_device_mem_t* dmem,
                                                 unsigned int offset, unsigned int len) {
    return invalidate(__func__, handle, dmem, offset, &len);
}

bm_status_t bm_mem_flush_device_mem(bm_handle_t handle, bm_device_mem_t* dmem) {
    return flush(__func__, handle, dmem, 0, nullptr);
}

bm_status_t bm_mem_flush_partial_device_mem(bm_handle_t handle, bm_device_mem_t* dmem,
                                            unsigned int offset, unsigned int len) {
    return flush(__func__, handle, dmem, offset, &len);
}

bm_status_t bm_mem_unmap_device_mem(bm_handle_t handle, void* vmem, int size) {
    return host_call(__func__, [&](Runtime& runtime) {
        require(vmem, "vmem");
        runtime.unmap(handle, vmem, size);
    });
}

}  // extern "C"
