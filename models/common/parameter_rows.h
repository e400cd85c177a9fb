// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "isa/row_check.h"
#include "models/common/parameter.h"

// Rows of the tables models/**/*_params.def: one row per parameter of a machine file.
//
// OKKSIM_PARAMETER(type, key, initial, unit, low, high, default, group, meaning)
//
// type     double, std::int64_t or bool.
// key      key in the machine file and field of the params struct.
// initial  value of the field of a new struct.
// unit     "cycles", "bytes", "MHz", ...; "-" for counts and switches.
// low, high  range, both inclusive.
// default  required: every machine file must give a value. standard(v): v. words(n, "a b c"): a
//          word, stored as its number; the default is word n. reference: the value of the
//          reference machine.
// group    every: any machine has it. group("g"): a parameter of the instruction group g of
//          isa/features.def. feature("g", "path"): likewise, and a key of the section [features];
//          "path" is its former path, which is still accepted.
// meaning  one sentence; for words also their meanings.
//
// OKKSIM_PARAMETERS_OF(Base, name): the rows of name_params.def stand here; the struct inherits
// Base.

namespace okksim::models::rows {

/// The column `default`.
struct Default {
    std::optional<double> value;
    const char* choices = nullptr;
    bool is_of_reference = false;
};
inline constexpr Default required{};
inline constexpr Default reference{std::nullopt, nullptr, true};
constexpr Default standard(double value) { return {value}; }
constexpr Default words(double value, const char* choices) { return {value, choices}; }

/// The column `group`.
struct Group {
    const char* name = nullptr;
    const char* former_path = nullptr;
    bool in_features = false;
};
inline constexpr Group every{};
/// A name that isa/features.def lacks does not compile.
consteval const char* known_group(const char* name) {
    bool known = false;
#define OKKSIM_FEATURE(feature, key, ...) known = known || std::string_view(#key) == name;
#include "isa/features.def"
#undef OKKSIM_FEATURE
    return known ? name : throw "isa/features.def has no group of this name";
}
consteval Group group(const char* name) { return {known_group(name)}; }
consteval Group feature(const char* name, const char* former_path) {
    return {known_group(name), former_path, true};
}

constexpr ParameterInfo info(const char* unit, double low, double high, const Default& standard,
                             const Group& group, const char* meaning) {
    return {unit,
            low,
            high,
            meaning,
            standard.value,
            standard.choices,
            standard.is_of_reference,
            group.name,
            group.former_path};
}

/// Recognisers of the columns.
inline constexpr auto kColumns = std::to_array<bool (*)(std::string_view)>({
    [](std::string_view text) { return isa::is_one_of(text, "double std::int64_t bool"); },
    isa::is_lower_name,
    [](std::string_view text) { return isa::is_number(text) || text == "false"; },
    [](std::string_view text) { return isa::is_text(text) && text.size() > 2; },
    [](std::string_view text) { return isa::is_number(text); },
    [](std::string_view text) { return isa::is_number(text) || isa::is_constant(text); },
    [](std::string_view text) {
        return isa::is_one_of(text, "required reference") || text.starts_with("standard(") ||
               text.starts_with("words(");
    },
    [](std::string_view text) {
        return text == "every" || text.starts_with("group(") || text.starts_with("feature(");
    },
    [](std::string_view text) { return isa::is_text(text) && text.size() > 2; },
});

}  // namespace okksim::models::rows

/// A row that lacks a column does not compile; the message names row and column.
#define OKKSIM_PARAMETER_COLUMN(number, name, row) \
    static_assert(lacking != (number),             \
                  __FILE__ ": no " name " (column " #number ") in the row " row);
#define OKKSIM_PARAMETER_CHECK(row)                                           \
    {                                                                         \
        [[maybe_unused]] constexpr std::size_t lacking =                      \
            okksim::isa::missing_column(row, okksim::models::rows::kColumns); \
        OKKSIM_PARAMETER_COLUMN(1, "type", row)                               \
        OKKSIM_PARAMETER_COLUMN(2, "key", row)                                \
        OKKSIM_PARAMETER_COLUMN(3, "initial value", row)                      \
        OKKSIM_PARAMETER_COLUMN(4, "unit", row)                               \
        OKKSIM_PARAMETER_COLUMN(5, "low end of the range", row)               \
        OKKSIM_PARAMETER_COLUMN(6, "high end of the range", row)              \
        OKKSIM_PARAMETER_COLUMN(7, "default", row)                            \
        OKKSIM_PARAMETER_COLUMN(8, "group", row)                              \
        OKKSIM_PARAMETER_COLUMN(9, "meaning", row)                            \
    }
