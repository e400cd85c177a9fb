// SPDX-License-Identifier: Apache-2.0
#include "firmware/host/host_log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <memory>

#include "firmware/host/bmlib_runtime.h"

namespace okksim::firmware::host {
namespace {

std::atomic<int> most_level{BMLIB_LOG_INFO};
std::atomic<HostLogCallback> callback{nullptr};

void call_back(HostLogCallback to, int level, const char* format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    to(level, format, arguments);
    va_end(arguments);
}

void log_line(int host_level, spdlog::level::level_enum level, const std::string& message) {
    if (host_level > most_level) return;
    if (const HostLogCallback to = callback) {
        return call_back(to, host_level, "%s\n", message.c_str());
    }
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

void log_host_error(const std::string& message) {
    log_line(BMLIB_LOG_ERROR, spdlog::level::err, message);
}
void log_host_warning(const std::string& message) {
    log_line(BMLIB_LOG_WARNING, spdlog::level::warn, message);
}
void log_host_note(const std::string& message) {
    log_line(BMLIB_LOG_INFO, spdlog::level::info, message);
}

void set_host_log_level(int level) { most_level = level; }
int host_log_level() { return most_level; }
void set_host_log_callback(HostLogCallback to) { callback = to; }

void log_all_to_standard_error() {
    callback = nullptr;
    most_level = BMLIB_LOG_INFO;
}

}  // namespace okksim::firmware::host
