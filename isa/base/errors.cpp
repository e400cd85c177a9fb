// SPDX-License-Identifier: Apache-2.0
#include "isa/base/errors.h"

#include <utility>

#include "isa/base/printable.h"

namespace okksim {

ConfigError::ConfigError(std::string where, const std::string& message)
    : std::runtime_error(printable(where) + ": " + printable_lines(message)),
      where_(std::move(where)) {}

void internal_check_failed(const char* condition, const char* file, int line) {
    throw InternalError(std::string("internal check failed: ") + condition + " at " + file + ":" +
                        std::to_string(line) + "; this is a bug in okksim, please report it");
}

}  // namespace okksim
