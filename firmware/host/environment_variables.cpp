// SPDX-License-Identifier: Apache-2.0
#include "firmware/host/environment_variables.h"

#include <fmt/format.h>

#include <cstdlib>

#include "isa/base/errors.h"

namespace okksim::firmware::host {

std::string environment_text(const char* name) {
    const char* const text = std::getenv(name);
    return text == nullptr ? "" : text;
}

bool environment_switch(const char* name, std::string_view first, std::string_view second) {
    const std::string text = environment_text(name);
    if (text.empty() || text == first || text == second) return text == second;
    throw ConfigError(name,
                      fmt::format("\"{}\" is neither \"{}\" nor \"{}\"", text, first, second));
}

}  // namespace okksim::firmware::host
