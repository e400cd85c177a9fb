// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "firmware/leave/kernel_runner.h"

namespace okksim::sim {

/// A shared library with kernels. Loading it registers them (OKKERNEL_FUNC_REGISTER) for launches
/// by name and for CUSTOM operators. It stays loaded until the program ends.
class KernelLibrary {
 public:
    /// Loads the library. A path without a folder is a file of the working directory. Throws
    /// ConfigError if the file cannot be loaded.
    explicit KernelLibrary(const std::string& path);

    /// Returns the kernel registered as `name`, or exported with this symbol. Throws ProgramFault
    /// kUnknownKernel with the known names if there is neither.
    firmware::KernelEntry kernel(const std::string& name) const;

 private:
    void* handle_;
};

}  // namespace okksim::sim
