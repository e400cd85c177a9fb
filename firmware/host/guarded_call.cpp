// SPDX-License-Identifier: Apache-2.0
#include "firmware/host/guarded_call.h"

#include <fmt/format.h>

#include <new>

#include "firmware/host/host_log.h"
#include "firmware/launch/call_stack.h"
#include "isa/base/fault.h"

namespace okksim::firmware::host {

bm_status_t report(const char* function, bm_status_t status, const std::string& message) {
    // Faults of kernels have been logged with their text.
    if (message.empty()) return status;
    const void* const site = calling_code();
    log_host_error(fmt::format("{}: {}{}", function, message,
                               site == nullptr ? "" : "\n    in " + locate(site).front().text()));
    return status;
}

bm_status_t report_current_exception(const char* function) {
    try {
        throw;
    } catch (const HostError& error) {
        if (error.status == BM_ERR_PARAM) Runtime::instance().note_refused_call();
        return report(function, error.status, error.message);
    } catch (const ProgramFault& fault) {
        Runtime::instance().note_refused_call();
        const bool unknown = fault.record().code == FaultCode::kUnknownKernel;
        return report(function, unknown ? BM_ERR_PARAM : BM_ERR_FAILURE, fault.what());
    } catch (const std::bad_alloc&) {
        return report(function, BM_ERR_NOMEM, "the host has no memory left; use a smaller problem");
    } catch (const std::exception& error) {
        return report(function, BM_ERR_DEVNOTREADY, error.what());
    }
}

void require(const void* pointer, const char* argument) {
    if (pointer != nullptr) return;
    throw HostError{BM_ERR_PARAM, fmt::format("{} is NULL; pass a valid pointer", argument)};
}

void require_between(const char* argument, std::int64_t value, std::int64_t least,
                     std::int64_t most) {
    if (value >= least && value <= most) return;
    throw HostError{BM_ERR_PARAM, fmt::format("{} is {}; pass a number from {} to {}", argument,
                                              value, least, most)};
}

void require_allocated(const bm_device_mem_t& mem, const char* argument) {
    const bm_mem_type_t type = mem.flags.u.mem_type;
    if (type == BM_MEM_TYPE_SYSTEM || type == BM_MEM_TYPE_INVALID) {
        throw HostError{
            BM_ERR_PARAM,
            fmt::format("{} is {}; pass a descriptor of device memory, which "
                        "bm_malloc_device_byte() fills",
                        argument,
                        type == BM_MEM_TYPE_INVALID ? "BM_MEM_NULL"
                                                    : "a descriptor of the host's memory"
                                                      " (bm_mem_from_system())")};
    }
    if (mem.size != 0 || mem.u.device.device_addr != 0) return;
    throw HostError{BM_ERR_PARAM,
                    fmt::format("{} is zeroed: it has address 0 and 0 bytes; allocate it with "
                                "bm_malloc_device_byte() first",
                                argument)};
}

std::uint64_t part_of(const bm_device_mem_t& mem, std::uint64_t size, std::uint64_t offset,
                      const char* argument) {
    if (offset > mem.size || size > mem.size - offset) {
        throw HostError{
            BM_ERR_PARAM,
            fmt::format(
                "{} bytes at offset {} pass the end of {}, which has {} bytes; copy fewer bytes",
                size, offset, argument, mem.size)};
    }
    return mem.u.device.device_addr + offset;
}

bm_device_mem_t allocated(Runtime& runtime, bm_handle_t handle, unsigned int size) {
    bm_device_mem_t mem{};
    mem.u.device.device_addr = runtime.allocate(handle, size);
    mem.flags.u.mem_type = BM_MEM_TYPE_DEVICE;
    mem.size = size;
    return mem;
}

}  // namespace okksim::firmware::host
