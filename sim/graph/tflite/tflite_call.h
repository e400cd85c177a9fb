// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/graph/tflite/tflite_value.h"

namespace okksim::sim::graph::tflite {

/// Returns a table without fields: all fields have their defaults.
template <typename T>
const T& default_options() {
    alignas(8) static constexpr std::uint8_t kEmpty[] = {4, 0, 4, 0, 4, 0, 0, 0};
    return *reinterpret_cast<const T*>(kEmpty + 4);
}

/// An operator of the file with its operands.
struct Call {
    const wire::Operator& op;
    std::int32_t number = 0;
    std::string_view name;       ///< "CONV_2D"
    std::string where;           ///< "subgraphs[0].operators[3] CONV_2D"
    std::vector<Value*> inputs;  ///< nullptr: omitted
    std::vector<Value*> outputs;

    /// Throws ProgramFault kIllegalGraph.
    [[noreturn]] void illegal(const std::string& argument, const std::string& value,
                              const std::string& rule) const;

    bool has(std::size_t n) const { return n < inputs.size() && inputs[n] != nullptr; }
    Value& input(std::size_t n) const;
    Value* optional(std::size_t n) const { return has(n) ? inputs[n] : nullptr; }
    Value& output(std::size_t n = 0) const;

    /// The options; defaults if the file has none.
    template <typename T>
    const T& options() const {
        const T* table = op.builtin_options_as<T>();
        return table == nullptr ? default_options<T>() : *table;
    }
    /// The options, which the operator needs.
    template <typename T>
    const T& needed_options() const {
        const T* table = op.builtin_options_as<T>();
        if (table == nullptr) illegal("builtin_options", "missing", "the operator has options");
        return *table;
    }

    void require_rank(const Value& value, std::size_t rank) const;
    /// Returns the integers of an input that must be known. UnsupportedPart if they depend on data.
    std::vector<std::int64_t> known(std::size_t n, const char* what) const;
    /// Returns known sizes or amounts. They are at most 2^31, the limit of the file's shapes.
    std::vector<std::int64_t> known_sizes(std::size_t n, const char* what) const;
    /// Returns an axis of a value of `rank` dimensions; negative ones count from the end.
    std::size_t axis(std::int64_t axis, std::size_t rank, const char* what = "axis") const;
    /// Returns sorted axes without repetitions.
    std::vector<std::size_t> axes(const std::vector<std::int64_t>& axes, std::size_t rank) const;
};

}  // namespace okksim::sim::graph::tflite
