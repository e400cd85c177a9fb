// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace okksim {

/// The user's file or flag is wrong. `where()` names the key path or flag.
class ConfigError : public std::runtime_error {
 public:
    /// what() shows control characters in visible form, because `where` and `message` may quote
    /// input.
    ConfigError(std::string where, const std::string& message);
    const std::string& where() const { return where_; }

 private:
    std::string where_;
};

/// A broken invariant of okksim itself; never caused by input alone.
class InternalError : public std::logic_error {
 public:
    using std::logic_error::logic_error;
};

[[noreturn]] void internal_check_failed(const char* condition, const char* file, int line);

}  // namespace okksim

/// States an invariant of okksim's own code. A failure is our bug, not the user's.
#define OKKSIM_CHECK(condition)                                              \
    do {                                                                     \
        if (!(condition)) {                                                  \
            ::okksim::internal_check_failed(#condition, __FILE__, __LINE__); \
        }                                                                    \
    } while (false)
