// SPDX-License-Identifier: Apache-2.0
#include "isa/command_counts.h"

#include <algorithm>
#include <cctype>

namespace okksim::isa {

const char* engine_name(Engine kind) {
    switch (kind) {
        case Engine::kGdma: return "GDMA";
        case Engine::kBdc: return "BDC";
    }
    __builtin_unreachable();
}

std::string CommandCounts::text() const {
    std::string text;
    visit([&](Engine kind, std::uint64_t count) {
        text += (text.empty() ? "" : " and ") + std::to_string(count) + " " + engine_name(kind);
    });
    return text + " commands";
}

std::string count_name(Engine kind) {
    std::string name = engine_name(kind);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return name + "_commands";
}

}  // namespace okksim::isa
