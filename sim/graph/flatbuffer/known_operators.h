// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "sim/graph/graph_errors.h"

namespace okksim::sim::graph {

/// Throws GraphFileError (kUnsupported, with all of them) if a verified TOSA FlatBuffer has
/// operators with the number 0, or with numbers from `end` on. `version` is the version of the file
/// as text.
template <typename Root>
void check_known_operators(const Root& root, std::uint32_t end, const std::string& file,
                           const std::string& version) {
    std::map<std::uint32_t, UnreadItem> unknown;
    for (std::uint32_t r = 0; root.regions() != nullptr && r < root.regions()->size(); ++r) {
        const auto* blocks = root.regions()->Get(r)->blocks();
        for (std::uint32_t b = 0; blocks != nullptr && b < blocks->size(); ++b) {
            const auto* operators = blocks->Get(b)->operators();
            for (std::uint32_t i = 0; operators != nullptr && i < operators->size(); ++i) {
                const auto number = static_cast<std::uint32_t>(operators->Get(i)->op());
                if (number > 0 && number < end) continue;
                UnreadItem& item = unknown[number];
                if (++item.count > 1) continue;
                item.what = "operator number " + std::to_string(number);
                item.place = "regions[" + std::to_string(r) + "].blocks[" + std::to_string(b) +
                             "].operators[" + std::to_string(i) + "].op";
            }
        }
    }
    if (unknown.empty()) return;
    UnreadItems items;
    for (auto& [number, item] : unknown) items.push_back(std::move(item));
    const UnreadItem& first = items.front();
    const std::string others =
        items.size() == 1 ? "" : " (and " + std::to_string(items.size() - 1) + " other numbers)";
    throw GraphFileError(file, first.place, std::nullopt,
                         first.what + others + " does not exist in TOSA " + version +
                             ": write the model for TOSA " + version,
                         FileProblem::kUnsupported, items);
}

}  // namespace okksim::sim::graph
