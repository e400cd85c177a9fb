// SPDX-License-Identifier: Apache-2.0
#include "firmware/launch/launch_arguments.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <new>

namespace okksim::firmware {

LaunchArguments::LaunchArguments(std::span<const std::byte> bytes) : size_(bytes.size()) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t data_bytes = (size_ + page - 1) / page * page;
    mapped_bytes_ = data_bytes + page;
    void* const mapping =
        mmap(nullptr, mapped_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED) throw std::bad_alloc();
    mapping_ = static_cast<std::byte*>(mapping);
    end_ = mapping_ + data_bytes;
    if (size_ == 0) return;
    if (mprotect(mapping, data_bytes, PROT_READ | PROT_WRITE) != 0) {
        munmap(mapping, mapped_bytes_);
        throw std::bad_alloc();
    }
    std::memcpy(end_ - size_, bytes.data(), size_);
}

LaunchArguments::~LaunchArguments() { munmap(mapping_, mapped_bytes_); }

}  // namespace okksim::firmware
