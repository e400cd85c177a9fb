// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdarg>
#include <string>

namespace okksim::firmware::host {

/// Writes a line about a wrong call of the host API or a fault to standard error.
void log_host_error(const std::string& message);
/// Writes a line about a probable mistake of the host program or a kernel to standard error.
void log_host_warning(const std::string& message);
/// Writes a line that reports no mistake to standard error.
void log_host_note(const std::string& message);

/// Drops lines above a level of bmlib_runtime.h (BMLIB_LOG_ERROR, ...).
void set_host_log_level(int level);
int host_log_level();

using HostLogCallback = void (*)(int level, const char* format, std::va_list arguments);
/// Passes lines to the host program instead of standard error; nullptr ends that.
void set_host_log_callback(HostLogCallback callback);

/// Writes all further lines to standard error. A host program that has failed cannot be called.
void log_all_to_standard_error();

}  // namespace okksim::firmware::host
