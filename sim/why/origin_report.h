// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "sim/why/origin_search.h"
#include "sim/why/repair_search.h"

namespace okksim::sim::why {

/// What was asked, and what is known besides the tree.
struct Question {
    std::string name;   ///< "y.npy[2,0,5]"
    std::string descr;  ///< element type, as in .npy files
    std::optional<std::string> expected;
    std::optional<std::size_t> deviates;  ///< Reexecution::deviates
    std::string parting{};                ///< parting_text(), when there is a reference run
    std::vector<Repair> repairs{};        ///< find_repairs(), when all results are known
};

/// A value of an element type, "3.5 (0x40600000)".
std::string value_text(std::uint32_t bits, const std::string& descr);

/// The tree for people: the line that stored the value, the one that computed it, and the commands
/// behind them with their operands, each once.
std::string origin_text(const Question& question, const OriginTree& tree,
                        const Recording& recording, const isa::MachineShape& machine);
nlohmann::ordered_json origin_json(const Question& question, const OriginTree& tree,
                                   const Recording& recording, const isa::MachineShape& machine);

}  // namespace okksim::sim::why
