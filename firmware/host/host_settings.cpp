// SPDX-License-Identifier: Apache-2.0
#include "firmware/host/host_settings.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

namespace okksim::firmware::host {
namespace {

std::string_view variable(const char* name) {
    const char* text = std::getenv(name);
    return text == nullptr ? std::string_view() : std::string_view(text);
}

/// One of two words, nothing being the first; anything else is a problem of the settings.
bool is_second(const char* name, std::string_view first, std::string_view second,
               HostSettings& settings) {
    const std::string_view value = variable(name);
    if (value == second) return true;
    if (!value.empty() && value != first) {
        settings.problem = {
            name, fmt::format("\"{}\" is neither \"{}\" nor \"{}\"", value, first, second)};
    }
    return false;
}

}  // namespace

HostSettings settings_from_environment() {
    HostSettings settings;
    const std::string_view summary = variable("OKKSIM_SUMMARY");
    if (!summary.empty() && summary != "0") settings.summary_path = summary == "1" ? "" : summary;
    settings.continue_after_fault = is_second("OKKSIM_ON_FAULT", "stop", "continue", settings);
    settings.strict = is_second("OKKSIM_STRICT", "0", "1", settings);
    return settings;
}

}  // namespace okksim::firmware::host
