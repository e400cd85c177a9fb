// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "firmware/leave/kernel_runner.h"

namespace okksim::sim {

/// A shared library with kernels. Loading it registers them (OKKERNEL_FUNC_REGISTER), for launches
/// by name and for CUSTOM operators; it stays loaded until the program ends.
class KernelLibrary {
 public:
    /// A path without a folder is a file of the working directory. ConfigError when the file cannot
    /// be loaded.
    explicit KernelLibrary(const std::string& path);

    /// The kernel registered as `name`, or else exported as this symbol. ProgramFault
    /// kUnknownKernel with the known names when there is neither.
    firmware::KernelEntry kernel(const std::string& name) const;

 private:
    void* handle_;
};

}  // namespace okksim::sim
