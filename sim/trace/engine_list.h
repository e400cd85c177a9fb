// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "isa/command.h"
#include "models/chip/machine_params.h"

namespace okksim::sim::trace {

/// An engine of a machine in accounts and reports.
struct ListedEngine {
    std::string name;                 ///< "GDMA", "BDC", "BDC1", "MCU"
    std::optional<isa::Engine> kind;  ///< empty for the control processor
};

/// The engines of a machine. Engines that take commands come first, in the order of
/// models::engine_entries(); the control processor is last.
class EngineList {
 public:
    explicit EngineList(const models::MachineParams& machine);

    std::size_t size() const { return engines_.size(); }
    const ListedEngine& operator[](std::size_t engine) const { return engines_[engine]; }
    std::vector<ListedEngine>::const_iterator begin() const { return engines_.begin(); }
    std::vector<ListedEngine>::const_iterator end() const { return engines_.end(); }

    std::size_t processor() const { return engines_.size() - 1; }
    /// Returns the engine that executes a command of this machine.
    std::size_t of(const isa::Command& command) const {
        return by_kind_[static_cast<std::size_t>(command.info().engine)].at(command.instance);
    }

 private:
    std::vector<ListedEngine> engines_;
    std::array<std::vector<std::size_t>, isa::kEngineKinds> by_kind_;
};

/// Returns a column name or key, e.g. "gdma_busy" for "GDMA busy".
std::string column_name(std::string text);

}  // namespace okksim::sim::trace
