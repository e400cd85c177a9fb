// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "sim/why/origin_search.h"
#include "sim/why/repair_search.h"

namespace okksim::sim::why {

/// The question, and known facts that are not in the tree.
struct Question {
    std::string name;   ///< "y.npy[2,0,5]"
    std::string descr;  ///< element type, as in .npy files
    std::optional<std::string> expected;
    std::optional<std::size_t> deviates;  ///< Reexecution::deviates
    std::string parting{};                ///< parting_text(), if there is a reference run
    std::vector<Repair> repairs{};        ///< find_repairs(), if all correct results are known
};

/// Returns a value of an element type as text, e.g. "3.5 (0x40600000)".
std::string value_text(std::uint32_t bits, const std::string& descr);

/// Returns the tree as text: the line that stored the value, the line that computed it, and the
/// commands before them with their operands. Each command appears once.
std::string origin_text(const Question& question, const OriginTree& tree,
                        const Recording& recording, const isa::MachineShape& machine);
nlohmann::ordered_json origin_json(const Question& question, const OriginTree& tree,
                                   const Recording& recording, const isa::MachineShape& machine);

}  // namespace okksim::sim::why
