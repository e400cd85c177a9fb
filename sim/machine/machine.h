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
    std::string source;        ///< origin of the value: built-in comment, file:line or flag
    bool is_standard = false;  ///< the default for machines that do not set it
    std::string group = {};    ///< instruction group of the parameter: features.<group>
};

/// A validated machine description with the provenance of every value.
struct Machine {
    std::string name;  ///< built-in name, or name of the file
    /// Overrides "section.key=value", as given.
    std::vector<std::string> overrides;
    models::MachineParams params;
    std::vector<ParameterRecord> parameters;  ///< in file order

    /// Returns the name with the overrides, for reports: "bm1684 with bdc.clock_mhz=700".
    std::string label() const;
    /// Returns FNV-1a of all paths and values except standard ones. Equal hashes mean equal
    /// machines.
    std::uint64_t hash() const;
};

/// Returns the names of the built-in machines, the default first.
const std::vector<std::string>& builtin_machines();

/// Loads a built-in machine by name or a TOML file by path. A file with `base = "bm1684"` only
/// needs the keys that differ. Other files must have every key without a standard value. Sections
/// [memory.NAME] add system memories. `settings` are "section.key=value" overrides. Throws
/// ConfigError with the key path for unknown or missing keys and impossible values.
Machine load_machine(const std::string& name_or_path,
                     const std::vector<std::string>& settings = {});

/// Returns the present path of a parameter's former path. Returns other paths unchanged.
std::string path_of_today(const std::string& path);

/// A base machine for many variants, whose description is read once.
class MachineFamily {
 public:
    /// Takes the arguments and throws the errors of load_machine().
    explicit MachineFamily(const std::string& name_or_path);
    /// Returns the family of a machine file's text. It must have every key, as written by
    /// dump_machine().
    static MachineFamily of_text(const std::string& text, const std::string& name);
    /// Returns the machine with the settings, like load_machine().
    Machine with(const std::vector<std::string>& settings) const;

 private:
    struct Values;
    MachineFamily(std::string name, std::shared_ptr<const Values> values)
        : name_(std::move(name)), values_(std::move(values)) {}

    std::string name_;
    std::shared_ptr<const Values> values_;
};

/// Returns a TOML file that load_machine() accepts. Each value has unit, meaning and source.
std::string dump_machine(const Machine& machine);
/// Returns the description as JSON text.
std::string dump_machine_json(const Machine& machine);

}  // namespace okksim::sim
