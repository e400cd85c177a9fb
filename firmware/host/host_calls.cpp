// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "firmware/host/bmlib_runtime.h"
#include "firmware/host/guarded_call.h"
#include "firmware/host/runtime.h"
#include "firmware/host/summary.h"
#include "firmware/launch/kernel_registry.h"

namespace okksim::firmware::host {
namespace {

bm_status_t copy_to_device(const char* function, bm_handle_t handle, const bm_device_mem_t& dst,
                           const void* src, unsigned int size, unsigned int offset) {
    return host_call(function, [&](Runtime& runtime) {
        require_allocated(dst, "dst");
        if (size == 0) return;
        require(src, "src");
        runtime.write(handle, part_of(dst, size, offset, "dst"),
                      {static_cast<const std::byte*>(src), size});
    });
}

bm_status_t copy_to_host(const char* function, bm_handle_t handle, void* dst,
                         const bm_device_mem_t& src, unsigned int size, unsigned int offset) {
    return host_call(function, [&](Runtime& runtime) {
        require_allocated(src, "src");
        if (size == 0) return;
        require(dst, "dst");
        runtime.read(handle, part_of(src, size, offset, "src"),
                     {static_cast<std::byte*>(dst), size});
    });
}

void launch(Runtime& runtime, bm_handle_t handle, const char* name, const void* args,
            unsigned int size) {
    require(name, "func_name");
    if (size != 0) require(args, "args");
    LaunchRequest request;
    request.name = name;
    request.entry = KernelRegistry::instance().find(name);
    const auto* bytes = static_cast<const std::byte*>(args);
    if (size != 0) request.args.assign(bytes, bytes + size);
    runtime.launch(handle, std::move(request));
}

}  // namespace
}  // namespace okksim::firmware::host

using namespace okksim::firmware::host;

extern "C" {

bm_status_t bm_dev_request(bm_handle_t* handle, int devid) {
    return host_call(__func__, [&](Runtime& runtime) {
        require(handle, "handle");
        *handle = runtime.open(devid);
    });
}

void bm_dev_free(bm_handle_t handle) {
    host_call(__func__, [&](Runtime& runtime) { runtime.close(handle); });
}

bm_status_t bm_dev_getcount(int* count) {
    return host_call(__func__, [&](Runtime&) {
        require(count, "count");
        *count = 1;
    });
}

bm_status_t bm_malloc_device_byte(bm_handle_t handle, bm_device_mem_t* pmem, unsigned int size) {
    return host_call(__func__, [&](Runtime& runtime) {
        require(pmem, "pmem");
        *pmem = allocated(runtime, handle, size);
    });
}

void bm_free_device(bm_handle_t handle, bm_device_mem_t mem) {
    host_call(__func__, [&](Runtime& runtime) {
        require_allocated(mem, "mem");
        runtime.release(handle, mem.u.device.device_addr);
    });
}

bm_status_t bm_memcpy_s2d(bm_handle_t handle, bm_device_mem_t dst, void* src) {
    return copy_to_device(__func__, handle, dst, src, dst.size, 0);
}

bm_status_t bm_memcpy_s2d_partial(bm_handle_t handle, bm_device_mem_t dst, void* src,
                                  unsigned int size) {
    return copy_to_device(__func__, handle, dst, src, size, 0);
}

bm_status_t bm_memcpy_s2d_partial_offset(bm_handle_t handle, bm_device_mem_t dst, void* src,
                                         unsigned int size, unsigned int offset) {
    return copy_to_device(__func__, handle, dst, src, size, offset);
}

bm_status_t bm_memcpy_d2s(bm_handle_t handle, void* dst, bm_device_mem_t src) {
    return copy_to_host(__func__, handle, dst, src, src.size, 0);
}

bm_status_t bm_memcpy_d2s_partial(bm_handle_t handle, void* dst, bm_device_mem_t src,
                                  unsigned int size) {
    return copy_to_host(__func__, handle, dst, src, size, 0);
}

bm_status_t bm_memcpy_d2s_partial_offset(bm_handle_t handle, void* dst, bm_device_mem_t src,
                                         unsigned int size, unsigned int offset) {
    return copy_to_host(__func__, handle, dst, src, size, offset);
}

bm_status_t bm_memcpy_d2d_byte(bm_handle_t handle, bm_device_mem_t dst, size_t dst_offset,
                               bm_device_mem_t src, size_t src_offset, size_t size) {
    return host_call(__func__, [&](Runtime& runtime) {
        require_allocated(dst, "dst");
        require_allocated(src, "src");
        const std::uint64_t to = part_of(dst, size, dst_offset, "dst");
        const std::uint64_t from = part_of(src, size, src_offset, "src");
        if (size == 0) return;
        runtime.copy(handle, to, from, size);
    });
}

bm_status_t bm_memset_device(bm_handle_t handle, const int value, bm_device_mem_t mem) {
    return host_call(__func__, [&](Runtime& runtime) {
        require_allocated(mem, "mem");
        if (mem.size == 0) return;
        std::vector<std::byte> buffer(mem.size);
        for (std::size_t i = 0; i < buffer.size(); i += sizeof value) {
            std::memcpy(&buffer[i], &value, std::min(sizeof value, buffer.size() - i));
        }
        runtime.write(handle, mem.u.device.device_addr, buffer);
    });
}

bm_status_t okkernel_load_firmware(bm_handle_t, const char*, const char*) { return BM_SUCCESS; }

bm_status_t okkernel_launch_sync(bm_handle_t handle, const char* func_name, const void* args,
                                 unsigned int size) {
    return host_call(__func__, [&](Runtime& runtime) {
        launch(runtime, handle, func_name, args, size);
        runtime.synchronise(handle);
    });
}

bm_status_t okkernel_launch_async(bm_handle_t handle, const char* func_name, const void* args,
                                  unsigned int size) {
    return host_call(__func__,
                     [&](Runtime& runtime) { launch(runtime, handle, func_name, args, size); });
}

bm_status_t okkernel_sync(bm_handle_t handle) {
    return host_call(__func__, [&](Runtime& runtime) { runtime.synchronise(handle); });
}

bm_status_t bm_thread_sync(bm_handle_t handle) {
    return host_call(__func__, [&](Runtime& runtime) { runtime.synchronise(handle); });
}

bm_status_t bm_handle_sync(bm_handle_t handle) {
    return host_call(__func__, [&](Runtime& runtime) { runtime.synchronise(handle); });
}

bm_status_t bm_flush_s(bm_handle_t handle) {
    return host_call(__func__, [&](Runtime& runtime) { runtime.synchronise(handle); });
}

void bm_flush(bm_handle_t handle) {
    host_call(__func__, [&](Runtime& runtime) { runtime.finish(handle); });
}

double okksim_simulated_us(bm_handle_t handle) {
    double time = 0;
    host_call(__func__, [&](Runtime& runtime) {
        runtime.finish(handle);
        time = runtime.simulated_us(handle);
    });
    return time;
}

double okksim_last_launch_us(bm_handle_t handle) {
    double time = 0;
    host_call(__func__, [&](Runtime& runtime) {
        runtime.finish(handle);
        const auto& reports = runtime.history().kept();
        if (!reports.empty()) time = reports.back().simulated_us;
    });
    return time;
}

bm_status_t okksim_write_summary(bm_handle_t handle, const char* path) {
    return host_call(__func__, [&](Runtime& runtime) {
        runtime.finish(handle);
        if (!write_summary(runtime.history(), runtime.provenance(), path == nullptr ? "" : path)) {
            throw HostError{BM_ERR_FAILURE,
                            fmt::format("cannot write {}; name a file in a folder that can be "
                                        "written",
                                        path == nullptr ? "standard error" : path)};
        }
    });
}

}  // extern "C"
