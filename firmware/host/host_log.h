// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace okksim::firmware::host {

/// Writes a line about a wrong call of the host API or a fault to standard error.
void log_host_error(const std::string& message);
/// Writes a line about a probable mistake of the host program or a kernel to standard error.
void log_host_warning(const std::string& message);
/// Writes a line that reports no mistake to standard error.
void log_host_note(const std::string& message);

}  // namespace okksim::firmware::host
