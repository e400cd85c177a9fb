// SPDX-License-Identifier: Apache-2.0
#include "sim/study/gate/kernel_lines.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "isa/base/input_file.h"

namespace okksim::sim::gate {
namespace {

/// Returns the text of a source line without spaces around it; empty if it cannot be read.
std::string source_text(const firmware::CodePlace& place) {
    if (place.file.empty() || may_have_no_end(place.file)) return {};
    std::ifstream file(place.file);
    std::string text;
    for (std::size_t i = 0; i < place.line; ++i) {
        if (!std::getline(file, text)) return {};
    }
    const std::size_t first = text.find_first_not_of(" \t");
    const std::size_t last = text.find_last_not_of(" \t\r");
    return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

}  // namespace

std::vector<LineTime> lines_of(const trace::LineProfile& profile) {
    std::vector<LineTime> lines;
    for (const trace::LineAccount& account : profile.lines()) {
        if (account.place.file.empty()) continue;
        models::Picoseconds time;
        for (std::size_t engine = 0; engine < account.time.size(); ++engine) {
            time += account.occupied(engine);
        }
        lines.push_back(
            {fmt::format("{}:{}", std::filesystem::path(account.place.file).filename().string(),
                         account.place.line),
             source_text(account.place), account.commands, time.microseconds()});
    }
    return lines;
}

}  // namespace okksim::sim::gate
