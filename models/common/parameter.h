// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

namespace okksim::models {

/// Describes one parameter of a machine file. Every params struct has a function template
/// `describe(params, visitor)` that calls `visitor(field, "key", ParameterInfo{...})` once per
/// field; the reader, the dump and the documentation of machine files derive from it. Fields are
/// std::int64_t, double or bool. The numbers themselves live in machine files only.
struct ParameterInfo {
    const char* unit;     ///< "cycles", "bytes", "MHz", ...; "-" for counts and switches
    double low;           ///< inclusive
    double high;          ///< inclusive
    const char* meaning;  ///< one sentence; of a choice: with what the words mean
    /// What machines have that do not say otherwise; they need not give it, and it does not change
    /// what a machine is (its hash). Nothing: every machine file says.
    std::optional<double> standard = std::nullopt;
    /// Words of an enumerated value, in the order of its numbers, with a space between them.
    const char* choices = nullptr;
    /// Like `standard`, with the reference machine's value: figures of a technology, not of a chip.
    bool is_of_reference = false;
    /// Group of instructions that it is a parameter of: its key in [features]. nullptr: of none.
    const char* group = nullptr;
    /// "section.key" that it was given by before it had its place, still understood. nullptr: none.
    const char* former_path = nullptr;
};

}  // namespace okksim::models
