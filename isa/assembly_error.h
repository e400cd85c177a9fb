// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "isa/base/errors.h"

namespace okksim::isa {

/// Reports text that is not a command. `where()` names line and column (both from 1); the message
/// says what was expected there and what was found.
class AssemblyError : public ConfigError {
 public:
    AssemblyError(int line, int column, const std::string& message)
        : ConfigError("line " + std::to_string(line) + ", column " + std::to_string(column),
                      message),
          line_(line),
          column_(column) {}
    int line() const { return line_; }
    int column() const { return column_; }

 private:
    int line_;
    int column_;
};

}  // namespace okksim::isa
