// SPDX-License-Identifier: Apache-2.0
// Functions of the host API that allocate and describe device memory and copy within it.
#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <initializer_list>
#include <utility>

#include "firmware/host/bmlib_runtime.h"
#include "firmware/host/guarded_call.h"

using namespace okksim::firmware::host;

namespace {

constexpr std::int64_t kCopiedWordBytes = 4;
constexpr int kLastHeap = 31;  ///< a mask of heaps has 32 bits
constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;

/// Returns the bytes of a tensor of 32-bit words. Throws HostError if a descriptor cannot hold
/// them.
unsigned int bytes_of_words(std::initializer_list<std::pair<const char*, int>> extents) {
    std::int64_t bytes = kCopiedWordBytes;
    for (const auto& [name, extent] : extents) {
        require_between(name, extent, 1, INT_MAX);
        bytes *= extent;
        if (bytes > UINT_MAX) {
            throw HostError{BM_ERR_PARAM,
                            fmt::format("the words up to {} = {} have {} bytes, but a descriptor "
                                        "holds at most {}; allocate several smaller parts",
                                        name, extent, bytes, UINT_MAX)};
        }
    }
    return static_cast<unsigned int>(bytes);
}

bm_status_t convert(const char* function, bm_handle_t handle, bm_mem_desc* dev_mem,
                    const bm_mem_desc& sys_mem, bool need_copy,
                    std::initializer_list<std::pair<const char*, int>> extents) {
    return host_call(function, [&](Runtime& runtime) {
        require(dev_mem, "dev_mem");
        const unsigned int bytes = bytes_of_words(extents);
        const void* const source = sys_mem.u.system.system_addr;
        if (need_copy) require(source, "sys_mem's address");
        const bm_device_mem_t mem = allocated(runtime, handle, bytes);
        if (need_copy) {
            runtime.write(handle, mem.u.device.device_addr,
                          {static_cast<const std::byte*>(source), bytes});
        }
        *dev_mem = mem;
    });
}

void set_type(bm_mem_desc& mem, bm_mem_type_t type) {
    mem.flags.rawflags = 0;
    mem.flags.u.mem_type = type;
}

unsigned int heap_bytes(std::uint64_t bytes) {
    return static_cast<unsigned int>(std::min<std::uint64_t>(bytes, UINT_MAX));
}

}  // namespace

extern "C" {

bm_status_t bm_malloc_device_dword(bm_handle_t handle, bm_device_mem_t* pmem, int count) {
    return host_call(__func__, [&](Runtime& runtime) {
        require(pmem, "pmem");
        *pmem = allocated(runtime, handle, bytes_of_words({{"count", count}}));
    });
}

bm_status_t bm_malloc_neuron_device(bm_handle_t handle, bm_device_mem_t* pmem, int n, int c, int h,
                                    int w) {
    return host_call(__func__, [&](Runtime& runtime) {
        require(pmem, "pmem");
        *pmem =
            allocated(runtime, handle, bytes_of_words({{"n", n}, {"c", c}, {"h", h}, {"w", w}}));
    });
}

bm_status_t bm_malloc_device_byte_heap(bm_handle_t handle, bm_device_mem_t* pmem, int heap_id,
                                       unsigned int size) {
    return host_call(__func__, [&](Runtime& runtime) {
        require(pmem, "pmem");
        require_between("heap_id", heap_id, 0, kLastHeap);
        *pmem = allocated(runtime, handle, size);
    });
}

bm_status_t bm_malloc_device_byte_heap_mask(bm_handle_t handle, bm_device_mem_t* pmem,
                                            int heap_id_mask, unsigned int size) {
    return host_call(__func__, [&](Runtime& runtime) {
        require(pmem, "pmem");
        if (heap_id_mask == 0) {
            throw HostError{BM_ERR_PARAM,
                            "heap_id_mask is 0 and allows no heap; set the bit of a heap, such as "
                            "bit 0"};
        }
        *pmem = allocated(runtime, handle, size);
    });
}

bm_status_t bm_free_device_s(bm_handle_t handle, bm_device_mem_t mem) {
    return host_call(__func__, [&](Runtime& runtime) {
        require_allocated(mem, "mem");
        runtime.release(handle, mem.u.device.device_addr);
    });
}

bm_status_t bm_get_gmem_total_heap_num(bm_handle_t handle, unsigned int* heap_num) {
    return host_call(__func__, [&](Runtime& runtime) {
        runtime.memory_state(handle);
        require(heap_num, "heap_num");
        *heap_num = 1;
    });
}

bm_status_t bm_get_gmem_heap_id(bm_handle_t handle, bm_device_mem_t* pmem, unsigned int* heapid) {
    return host_call(__func__, [&](Runtime& runtime) {
        require(pmem, "pmem");
        require(heapid, "heapid");
        require_allocated(*pmem, "pmem");
        runtime.require_inside(handle, pmem->u.device.device_addr, pmem->size, "pmem");
        *heapid = 0;
    });
}

bm_status_t bm_get_gmem_heap_stat_byte_by_id(bm_handle_t handle, bm_heap_stat_byte_t* pheap_byte,
                                             unsigned int heap_id) {
    return host_call(__func__, [&](Runtime& runtime) {
        require(pheap_byte, "pheap_byte");
        require_between("heap_id", heap_id, 0, 0);
        const MemoryState state = runtime.memory_state(handle);
        *pheap_byte = {heap_bytes(state.bytes), heap_bytes(state.bytes - state.used),
                       heap_bytes(state.used), 0};
    });
}

bm_status_t bm_get_stat(bm_handle_t handle, bm_dev_stat_t* stat) {
    return host_call(__func__, [&](Runtime& runtime) {
        require(stat, "stat");
        const MemoryState state = runtime.memory_state(handle);
        const auto total = static_cast<unsigned int>(state.bytes / kMebibyte);
        const auto used = static_cast<unsigned int>((state.used + kMebibyte - 1) / kMebibyte);
        *stat = {};
        stat->mem_total = static_cast<int>(total);
        stat->mem_used = static_cast<int>(used);
        stat->heap_num = 1;
        stat->heap_stat[0] = {total, total - std::min(used, total), used};
    });
}

unsigned long long bm_mem_get_device_addr(struct bm_mem_desc mem) {
    return mem.u.device.device_addr;
}

unsigned int bm_mem_get_device_size(struct bm_mem_desc mem) { return mem.size; }

bm_mem_type_t bm_mem_get_type(struct bm_mem_desc mem) { return mem.flags.u.mem_type; }

void bm_mem_set_device_addr(struct bm_mem_desc* pmem, unsigned long long addr) {
    host_call(__func__, [&](Runtime&) {
        require(pmem, "pmem");
        pmem->u.device.device_addr = addr;
    });
}

void bm_mem_set_device_size(struct bm_mem_desc* pmem, unsigned int size) {
    host_call(__func__, [&](Runtime&) {
        require(pmem, "pmem");
        pmem->size = size;
    });
}

void bm_set_device_mem(bm_device_mem_t* pmem, unsigned int size, unsigned long long addr) {
    host_call(__func__, [&](Runtime&) {
        require(pmem, "pmem");
        *pmem = {};
        pmem->u.device.device_addr = addr;
        pmem->size = size;
        set_type(*pmem, BM_MEM_TYPE_DEVICE);
    });
}

bm_device_mem_t bm_mem_from_device(unsigned long long device_addr, int len) {
    bm_device_mem_t mem = bm_mem_null();
    host_call(__func__, [&](Runtime&) {
        require_between("len", len, 0, INT_MAX);
        mem.u.device.device_addr = device_addr;
        mem.size = static_cast<unsigned int>(len);
        set_type(mem, BM_MEM_TYPE_DEVICE);
    });
    return mem;
}

bm_system_mem_t bm_mem_from_system(void* system_addr) {
    bm_system_mem_t mem{};
    mem.u.system.system_addr = system_addr;
    set_type(mem, BM_MEM_TYPE_SYSTEM);
    return mem;
}

void* bm_mem_get_system_addr(struct bm_mem_desc mem) { return mem.u.system.system_addr; }

void bm_mem_set_system_addr(struct bm_mem_desc* pmem, void* addr) {
    host_call(__func__, [&](Runtime&) {
        require(pmem, "pmem");
        pmem->u.system.system_addr = addr;
        set_type(*pmem, BM_MEM_TYPE_SYSTEM);
    });
}

bm_device_mem_t bm_mem_null(void) {
    bm_device_mem_t mem{};
    mem.u.device.device_addr = BM_MEM_ADDR_NULL;
    set_type(mem, BM_MEM_TYPE_INVALID);
    return mem;
}

bm_status_t bm_mem_convert_system_to_device_neuron(bm_handle_t handle, struct bm_mem_desc* dev_mem,
                                                   struct bm_mem_desc sys_mem, bool need_copy,
                                                   int n, int c, int h, int w) {
    return convert(__func__, handle, dev_mem, sys_mem, need_copy,
                   {{"n", n}, {"c", c}, {"h", h}, {"w", w}});
}

bm_status_t bm_mem_convert_system_to_device_coeff(bm_handle_t handle, struct bm_mem_desc* dev_mem,
                                                  struct bm_mem_desc sys_mem, bool need_copy,
                                                  int coeff_count) {
    return convert(__func__, handle, dev_mem, sys_mem, need_copy, {{"coeff_count", coeff_count}});
}

bm_status_t bm_memcpy_d2d(bm_handle_t handle, bm_device_mem_t dst, int dst_offset,
                          bm_device_mem_t src, int src_offset, int len) {
    return host_call(__func__, [&](Runtime& runtime) {
        require_allocated(dst, "dst");
        require_allocated(src, "src");
        require_between("dst_offset", dst_offset, 0, INT_MAX);
        require_between("src_offset", src_offset, 0, INT_MAX);
        require_between("len", len, 0, INT_MAX);
        const auto bytes = static_cast<std::uint64_t>(len * kCopiedWordBytes);
        const std::uint64_t to =
            part_of(dst, bytes, static_cast<std::uint64_t>(dst_offset * kCopiedWordBytes), "dst");
        const std::uint64_t from =
            part_of(src, bytes, static_cast<std::uint64_t>(src_offset * kCopiedWordBytes), "src");
        if (len != 0) runtime.copy(handle, to, from, bytes);
    });
}

bm_status_t bm_memcpy_d2d_stride(bm_handle_t handle, bm_device_mem_t dst, int dst_stride,
                                 bm_device_mem_t src, int src_stride, int count, int format_size) {
    return host_call(__func__, [&](Runtime& runtime) {
        require_allocated(dst, "dst");
        require_allocated(src, "src");
        require_between("dst_stride", dst_stride, 1, INT_MAX);
        require_between("src_stride", src_stride, 1, INT_MAX);
        require_between("count", count, 0, INT_MAX);
        if (format_size != 1 && format_size != 2 && format_size != 4) {
            throw HostError{BM_ERR_PARAM,
                            fmt::format("format_size is {}; pass 1, 2 or 4 bytes", format_size)};
        }
        if (count == 0) return;
        StridedCopy copy;
        copy.to_stride = static_cast<std::uint64_t>(dst_stride);
        copy.from_stride = static_cast<std::uint64_t>(src_stride);
        copy.count = static_cast<std::uint64_t>(count);
        copy.element_bytes = static_cast<std::uint64_t>(format_size);
        copy.to = part_of(dst, copy.spanned(copy.to_stride), 0, "dst");
        copy.from = part_of(src, copy.spanned(copy.from_stride), 0, "src");
        runtime.copy_strided(handle, copy);
    });
}

}  // extern "C"
