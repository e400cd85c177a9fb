// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

namespace okksim::models {

/// Description of a parameter of a machine file, from its row (parameter_rows.h). The reader, the
/// dump and the documentation of machine files use it. The values are in machine files only.
struct ParameterInfo {
    const char* unit;     ///< "cycles", "bytes", "MHz", ...; "-" for counts and switches
    double low;           ///< inclusive
    double high;          ///< inclusive
    const char* meaning;  ///< one sentence; for a choice also the meaning of its words
    /// Default value. Files need not give it, and it is not part of the machine's hash. Nothing:
    /// every machine file must give a value.
    std::optional<double> standard = std::nullopt;
    /// Words of an enumerated value in the order of its numbers, separated by spaces.
    const char* choices = nullptr;
    /// True if the default is the reference machine's value: a value of a technology, not of a
    /// chip.
    bool is_of_reference = false;
    /// Key in [features] of the instruction group of the parameter; nullptr: none.
    const char* group = nullptr;
    /// Former path "section.key" that is still accepted; nullptr: none.
    const char* former_path = nullptr;
};

}  // namespace okksim::models
