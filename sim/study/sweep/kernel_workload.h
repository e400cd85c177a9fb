// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "firmware/host/device_memory.h"
#include "sim/device/chip_device.h"
#include "sim/execution/kernel_arguments.h"

namespace okksim::sim::sweep {

/// A field of a kernel's argument struct: "in=a.npy", "out=f32[64]", "i32=64".
struct KernelField {
    std::string kind, value;
};
/// ConfigError for other texts.
KernelField kernel_field(const std::string& text);

/// Allocates the buffers of a kernel in global memory, and lays out its argument struct.
class KernelBuffers {
 public:
    /// Writes the inputs into memory. The device's memory must outlive the object. ConfigError if a
    /// file cannot be read, or if the buffers do not fit.
    KernelBuffers(const std::vector<KernelField>& fields, ChipDevice& device,
                  firmware::host::DeviceMemory& memory, bool packed = false);

    std::vector<std::byte> arguments() const { return block_.bytes(); }
    /// The "out" fields in order, with their addresses.
    const std::vector<OutputBuffer>& outputs() const { return outputs_; }

 private:
    std::uint64_t allocate(std::uint64_t bytes);

    firmware::host::DeviceMemory& memory_;
    ArgumentBlock block_;
    std::vector<OutputBuffer> outputs_;
};

}  // namespace okksim::sim::sweep
