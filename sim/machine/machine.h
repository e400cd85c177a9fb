// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
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
    std::string group = {};    ///< of instructions that it is a parameter of: features.<group>
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

/// The path that a parameter has today, of one that it had once; others as they are.
std::string path_of_today(const std::string& path);

/// A machine that many are made of: its description is read once.
class MachineFamily {
 public:
    /// As load_machine().
    explicit MachineFamily(const std::string& name_or_path);
    /// Of the text of a machine file that gives every key, as dump_machine() has written it.
    static MachineFamily of_text(const std::string& text, const std::string& name);
    /// load_machine() of it with the settings.
    Machine with(const std::vector<std::string>& settings) const;

 private:
    struct Values;
    MachineFamily(std::string name, std::shared_ptr<const Values> values)
        : name_(std::move(name)), values_(std::move(values)) {}

    std::string name_;
    std::shared_ptr<const Values> values_;
};

/// The description as a TOML file that load_machine accepts, each value with unit, meaning, source.
std::string dump_machine(const Machine& machine);
/// The same as JSON text.
std::string dump_machine_json(const Machine& machine);

}  // namespace okksim::sim
