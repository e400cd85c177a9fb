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
    std::optional<isa::Engine> kind;  ///< nothing: the control processor
};

/// The engines of a machine: those that take commands, in the order of models::engine_entries(),
/// then the control processor.
class EngineList {
 public:
    explicit EngineList(const models::MachineParams& machine);

    std::size_t size() const { return engines_.size(); }
    const ListedEngine& operator[](std::size_t engine) const { return engines_[engine]; }
    std::vector<ListedEngine>::const_iterator begin() const { return engines_.begin(); }
    std::vector<ListedEngine>::const_iterator end() const { return engines_.end(); }

    std::size_t processor() const { return engines_.size() - 1; }
    /// The engine that carries out a command of this machine.
    std::size_t of(const isa::Command& command) const {
        return by_kind_[static_cast<std::size_t>(command.info().engine)].at(command.instance);
    }

 private:
    std::vector<ListedEngine> engines_;
    std::array<std::vector<std::size_t>, isa::kEngineKinds> by_kind_;
};

/// "GDMA busy" as a column or key: "gdma_busy".
std::string column_name(std::string text);

}  // namespace okksim::sim::trace
