// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "models/chip/machine_params.h"

namespace okksim::sim {

/// One parameter of an effective machine description, as printed by `okksim machine --dump`.
struct ParameterRecord {
    std::string path;   ///< "bdc.clock_mhz"
    std::string value;  ///< as written in TOML
    std::string unit;
    std::string meaning;
    std::string source;        ///< where the value comes from: built-in comment, file:line or flag
    bool is_standard = false;  ///< what machines have that do not say otherwise
};

/// A validated machine description with the provenance of every value.
struct Machine {
    std::string name;  ///< built-in name, or that of the file
    /// "section.key=value" that changed it, as they were given.
    std::vector<std::string> overrides;
    models::MachineParams params;
    std::vector<ParameterRecord> parameters;  ///< in file order

    /// The name with what was changed: "bm1684 with bdc.clock_mhz=700". What reports call it.
    std::string label() const;
    /// FNV-1a of all paths and values but standard ones; equal hashes mean equal machines.
    std::uint64_t hash() const;
};

/// Names of the built-in machines, the default first.
const std::vector<std::string>& builtin_machines();

/// Loads a built-in machine by name or a TOML file by path. A file may say `base = "bm1684"` and
/// change a few keys, else it must give every key that has no standard value. Sections
/// [memory.NAME] add system memories. `settings` are "section.key=value" overrides.
/// Throws ConfigError with the key path for unknown or missing keys and impossible values.
Machine load_machine(const std::string& name_or_path,
                     const std::vector<std::string>& settings = {});

/// The description as a TOML file that load_machine accepts, each value with unit, meaning, source.
std::string dump_machine(const Machine& machine);
/// The same as JSON text.
std::string dump_machine_json(const Machine& machine);

}  // namespace okksim::sim
