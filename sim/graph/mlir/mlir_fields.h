// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/graph/graph.h"

namespace okksim::sim::graph {

/// Calls visit(name in the dialect, field) for every field of an attribute struct that is an
/// attribute of the operation in the text; references to blocks and variables are none.
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

/// The dialect's word for a mode; empty for kUnknown.
std::string_view mode_word(ResizeMode mode);
std::string_view mode_word(NanPropagationMode mode);
std::string_view mode_word(RoundingMode mode);
/// The dialect's name of the enumeration in #tosa.name<WORD>.
std::string_view mode_type(ResizeMode mode);
std::string_view mode_type(NanPropagationMode mode);
std::string_view mode_type(RoundingMode mode);

/// The attribute of a function's argument or result, a pair of words per element, that says what
/// the elements are in files: "int64", ...
inline constexpr std::string_view kElementsNote = "okksim.elements";
/// The attribute of a module that was written from a graph: operations without a location come
/// from where nobody knows, and not from this text.
inline constexpr std::string_view kLocationsNote = "okksim.all_locations";
/// The attribute of an operation that says the name of the block of its region number `n`.
inline std::string block_note(std::size_t n) { return "okksim.block" + std::to_string(n); }
/// The word for them with its quotes, and what such a word says.
std::string_view words_text(FileWords words);
FileWords words_named(std::string_view text);
/// "i8", "f32", "bf16": an element type of the dialect.
std::string_view element_word(DType type);

/// The operation's name without "tosa.", e.g. "avg_pool2d", and the operator of such a name.
std::string operation_name(OpCode op);
std::optional<OpCode> find_operation(std::string_view name);
/// "; did you mean \"tosa.abs\"?" for the name of an operation that does not exist, or nothing.
std::string operation_meant(std::string_view name);
/// The operands and the result of the operation have one type, whatever it is.
bool has_one_type(OpCode op);
/// The attribute struct of an operator, with nothing filled in.
Attributes empty_attributes(OpCode op);

}  // namespace okksim::sim::graph
