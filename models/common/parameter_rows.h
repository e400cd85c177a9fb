// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>

#include "isa/row_check.h"
#include "models/common/parameter.h"

// Rows of the tables models/**/*_params.def: one row per parameter of a machine file.
//
// OKKSIM_PARAMETER(type, key, initial, unit, low, high, default, group, meaning)
//
// type     double, std::int64_t or bool.
// key      key in the machine file and field of the params struct.
// initial  value of the field of a new struct, until a machine file is read. It is no default.
// unit     one of kUnits; "-" for counts and switches.
// low, high  range, both inclusive. For words from 0 to the number of the last word.
// default  the value if a machine file gives none. required: every machine file must give a value.
//          standard(v): v. words(n, "a b c"): a word, stored as its number; the default is word n.
//          reference: the value of the reference machine.
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

/// The units. No two of them mean the same.
inline constexpr std::string_view kUnits =
    R"u("-" "cycles" "ns" "MHz" "bytes" "words" "address" "commands" "bytes/cycle" "bytes/ns" )u"
    R"u("pJ" "pJ/byte" "pJ/GiB" "W" "mW/GiB" "mW/mm2" "um2" "um2/KiB" "mm2" "mm2/(bytes/ns)")u";

constexpr bool is_within(const Default& standard, double low, double high) {
    return !standard.value || (low <= *standard.value && *standard.value <= high);
}
template <typename Type>
constexpr bool is_value(const Default& standard) {
    const double value = standard.value.value_or(0);
    return std::is_same_v<Type, double> || static_cast<double>(static_cast<Type>(value)) == value;
}
/// True if the words, if any, have the numbers from `low` to `high`.
constexpr bool has_words(const Default& standard, double low, double high) {
    if (standard.choices == nullptr) return true;
    const std::string_view words = standard.choices;
    return low == 0 && high == static_cast<double>(std::count(words.begin(), words.end(), ' '));
}

/// Recognisers of the columns.
inline constexpr auto kColumns = std::to_array<bool (*)(std::string_view)>({
    [](std::string_view text) { return isa::is_one_of(text, "double std::int64_t bool"); },
    isa::is_lower_name,
    [](std::string_view text) { return isa::is_number(text) || text == "false"; },
    [](std::string_view text) { return isa::is_one_of(text, kUnits); },
    [](std::string_view text) { return isa::is_number(text); },
    [](std::string_view text) { return isa::is_number(text) || isa::is_constant(text); },
    [](std::string_view text) {
        return isa::is_one_of(text, "required reference") || text.starts_with("standard(") ||
               text.starts_with("words(");
    },
    [](std::string_view text) {
        return text == "every" || text.starts_with("group(") || text.starts_with("feature(");
    },
    isa::is_text,
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
        OKKSIM_PARAMETER_COLUMN(4, "unit of kUnits", row)                     \
        OKKSIM_PARAMETER_COLUMN(5, "low end of the range", row)               \
        OKKSIM_PARAMETER_COLUMN(6, "high end of the range", row)              \
        OKKSIM_PARAMETER_COLUMN(7, "default", row)                            \
        OKKSIM_PARAMETER_COLUMN(8, "group", row)                              \
        OKKSIM_PARAMETER_COLUMN(9, "meaning", row)                            \
    }
/// A row whose values contradict each other does not compile either.
#define OKKSIM_PARAMETER_RULE(rule, text, row) \
    static_assert(rule, __FILE__ ": " text " in the row " row);
#define OKKSIM_PARAMETER_VALUES(row, type, key, initial, unit, low, high, default, ...)    \
    OKKSIM_PARAMETER_RULE((low) <= (high), "low exceeds high (columns 5 and 6)", row)      \
    OKKSIM_PARAMETER_RULE(is_value<type>(standard(low)) && is_value<type>(standard(high)), \
                          "low or high (columns 5 and 6) is no value of the type", row)    \
    OKKSIM_PARAMETER_RULE(is_value<type>(default),                                         \
                          "the default (column 7) is no value of the type", row)           \
    OKKSIM_PARAMETER_RULE(is_within(default, low, high),                                   \
                          "the default (column 7) is less than low or exceeds high", row)  \
    OKKSIM_PARAMETER_RULE(has_words(default, low, high),                                   \
                          "low and high (columns 5 and 6) are not the numbers of the words", row)
