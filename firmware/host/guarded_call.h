// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>

#include "firmware/host/bmlib_runtime.h"
#include "firmware/host/runtime.h"

namespace okksim::firmware::host {

/// Logs the exception that is being handled, unless it was logged before, and returns its status.
bm_status_t report_current_exception(const char* function);
/// Logs a line with the function's name and the line of the call, and returns `status`.
bm_status_t report(const char* function, bm_status_t status, const std::string& message);

/// Runs a host call under the runtime's lock and turns exceptions into a status and a log line.
template <typename Body>
bm_status_t host_call(const char* function, const Body& body) {
    try {
        Runtime& runtime = Runtime::instance();
        const std::scoped_lock lock(runtime.mutex());
        body(runtime);
        return BM_SUCCESS;
    } catch (...) {
        return report_current_exception(function);
    }
}

/// Refuses a NULL pointer.
void require(const void* pointer, const char* argument);
/// Refuses a number outside of [least, most].
void require_between(const char* argument, std::int64_t value, std::int64_t least,
                     std::int64_t most);
/// Refuses a descriptor that describes no device memory. Copies of 0 bytes are allowed otherwise.
void require_allocated(const bm_device_mem_t& mem, const char* argument);

/// Returns the part [offset, offset + size) of device memory; throws if it is outside.
std::uint64_t part_of(const bm_device_mem_t& mem, std::uint64_t size, std::uint64_t offset,
                      const char* argument);

/// Returns newly allocated memory of the handle.
bm_device_mem_t allocated(Runtime& runtime, bm_handle_t handle, unsigned int size);

}  // namespace okksim::firmware::host
