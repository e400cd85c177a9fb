// SPDX-License-Identifier: Apache-2.0
#include "firmware/host/host_log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>

namespace okksim::firmware::host {
namespace {

void log_line(spdlog::level::level_enum level, const std::string& message) {
    // The host program may configure spdlog's default logger, so this module has its own.
    // The logger is never destroyed: messages also appear while the program ends.
    static const auto& logger = *new auto([] {
        auto made = std::make_shared<spdlog::logger>(
            "okksim", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
        made->set_pattern("[%n] [%^%l%$] %v");
        return made;
    }());
    logger->log(level, "{}", message);
    logger->flush();
}

}  // namespace

void log_host_error(const std::string& message) { log_line(spdlog::level::err, message); }
void log_host_warning(const std::string& message) { log_line(spdlog::level::warn, message); }
void log_host_note(const std::string& message) { log_line(spdlog::level::info, message); }

}  // namespace okksim::firmware::host
