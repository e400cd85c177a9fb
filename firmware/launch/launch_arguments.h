// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace okksim::firmware {

/// A kernel's own copy of its argument block. It ends where an inaccessible page begins, so that a
/// kernel that reads more than the host passed is caught instead of reading stray bytes.
class LaunchArguments {
 public:
    explicit LaunchArguments(std::span<const std::byte> bytes);
    ~LaunchArguments();
    LaunchArguments(const LaunchArguments&) = delete;
    LaunchArguments& operator=(const LaunchArguments&) = delete;

    const void* data() const { return end_ - size_; }
    const std::byte* end() const { return end_; }
    std::size_t size() const { return size_; }

 private:
    std::size_t size_;
    std::size_t mapped_bytes_;
    std::byte* mapping_;
    std::byte* end_;
};

}  // namespace okksim::firmware
