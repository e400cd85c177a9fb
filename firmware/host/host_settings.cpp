// SPDX-License-Identifier: Apache-2.0
#include "firmware/host/host_settings.h"

#include "firmware/host/environment_variables.h"

namespace okksim::firmware::host {

HostSettings settings_from_environment() {
    HostSettings settings;
    const std::string summary = environment_text("OKKSIM_SUMMARY");
    if (!summary.empty() && summary != "0") settings.summary_path = summary == "1" ? "" : summary;
    try {
        settings.continue_after_fault = environment_switch("OKKSIM_ON_FAULT", "stop", "continue");
        settings.strict = environment_switch("OKKSIM_STRICT");
    } catch (const ConfigError& error) {
        settings.problem = error;
    }
    return settings;
}

}  // namespace okksim::firmware::host
