// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/graph/graph.h"

namespace okksim::sim::graph {

/// Calls visit(name in the dialect, field) for every field that is an attribute of the operation in
/// the text. References to blocks and variables are not.
template <typename A, typename Visit>
void visit_fields(A& a, Visit&& visit) {
    if constexpr (requires { a.axis; }) visit("axis", a.axis);
    if constexpr (requires { a.kernel; }) visit("kernel", a.kernel);
    if constexpr (requires { a.out_pad; }) visit("out_pad", a.out_pad);
    if constexpr (requires { a.pad; }) visit("pad", a.pad);
    if constexpr (requires { a.stride; }) visit("stride", a.stride);
    if constexpr (requires { a.dilation; }) visit("dilation", a.dilation);
    if constexpr (requires { a.perms; }) visit("perms", a.perms);
    if constexpr (requires { a.inverse; }) visit("inverse", a.inverse);
    if constexpr (requires { a.min_val; }) visit("min_val", a.min_val);
    if constexpr (requires { a.max_val; }) visit("max_val", a.max_val);
    if constexpr (requires { a.round; }) visit("round", a.round);
    if constexpr (requires { a.mode; }) visit("mode", a.mode);
    if constexpr (requires { a.scale32; }) visit("scale32", a.scale32);
    if constexpr (requires { a.rounding_mode; }) visit("rounding_mode", a.rounding_mode);
    if constexpr (requires { a.per_channel; }) visit("per_channel", a.per_channel);
    if constexpr (requires { a.input_unsigned; }) visit("input_unsigned", a.input_unsigned);
    if constexpr (requires { a.output_unsigned; }) visit("output_unsigned", a.output_unsigned);
    if constexpr (requires { a.operator_name; }) visit("operator_name", a.operator_name);
    if constexpr (requires { a.domain_name; }) visit("domain_name", a.domain_name);
    if constexpr (requires { a.implementation_attrs; }) {
        visit("implementation_attrs", a.implementation_attrs);
    }
    if constexpr (requires { a.acc_type; }) visit("acc_type", a.acc_type);
    if constexpr (requires { a.nan_mode; }) visit("nan_mode", a.nan_mode);
    if constexpr (requires { a.local_bound; }) visit("local_bound", a.local_bound);
}

/// Returns the dialect's word for a mode; empty for kUnknown.
std::string_view mode_word(ResizeMode mode);
std::string_view mode_word(NanPropagationMode mode);
std::string_view mode_word(RoundingMode mode);
/// Returns the dialect's name of the enumeration in #tosa.name<WORD>.
std::string_view mode_type(ResizeMode mode);
std::string_view mode_type(NanPropagationMode mode);
std::string_view mode_type(RoundingMode mode);

/// Attribute of a function's argument or result whose elements are pairs of words. Its value is the
/// element type in files: "int64", ...
inline constexpr std::string_view kElementsNote = "okksim.elements";
/// Attribute of a module that was written from a graph. Operations without a location then have no
/// known origin; the position in this text is not their origin.
inline constexpr std::string_view kLocationsNote = "okksim.all_locations";
/// Returns the attribute of an operation that names the block of its region number `n`.
inline std::string block_note(std::size_t n) { return "okksim.block" + std::to_string(n); }
/// Return the quoted word for the file's element type, and the type for such a word.
std::string_view words_text(FileWords words);
FileWords words_named(std::string_view text);
/// Returns an element type of the dialect: "i8", "f32", "bf16".
std::string_view element_word(DType type);

/// Return the operation's name without "tosa.", such as "avg_pool2d", and the operator of such a
/// name.
std::string operation_name(OpCode op);
std::optional<OpCode> find_operation(std::string_view name);
/// Returns "; did you mean \"tosa.abs\"?" for an unknown operation, or an empty text.
std::string operation_meant(std::string_view name);
/// True if the operation's operands and results have the same type, whatever it is.
bool has_one_type(OpCode op);

}  // namespace okksim::sim::graph
