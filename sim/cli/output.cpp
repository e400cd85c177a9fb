// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "firmware/host/report_json.h"
#include "isa/errors.h"

namespace okksim::sim::cli {
namespace {

constexpr const char* kClearLine = "\r\033[K";

}  // namespace

void print_json(const nlohmann::ordered_json& json) {
    fmt::print("{}", firmware::host::json_text(json));
}

Progress::Progress(std::string unit)
    : unit_(std::move(unit)), is_watched_(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
    if (is_watched_) std::fputs(kClearLine, stderr);
}

void Progress::show(std::size_t done, std::size_t all) const {
    if (is_watched_) fmt::print(stderr, "{}{}/{} {}", kClearLine, done, all, unit_);
}

}  // namespace okksim::sim::cli
