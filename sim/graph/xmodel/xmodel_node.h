// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "xmodel.pb.h"

namespace okksim::sim::graph::xmodel {

/// An operator of a .xmodel file, with its attributes by name and of any numeric width. Every
/// function may throw a ProgramFault kIllegalGraph that names operator, attribute and value.
class NodeView {
 public:
    explicit NodeView(const Node& wire) : wire_(&wire) {}

    const Node& wire() const { return *wire_; }
    const std::string& name() const { return wire_->name(); }
    const std::string& type() const { return wire_->type(); }

    /// Returns the names of the attributes that no function has read.
    std::vector<std::string> unread_attributes() const;

    bool has(std::string_view key) const { return find(key) != nullptr; }
    bool flag(std::string_view key, bool otherwise) const;
    std::int64_t integer(std::string_view key, std::int64_t otherwise) const;
    double real(std::string_view key, double otherwise) const;
    std::string text(std::string_view key, const std::string& otherwise) const;
    /// Returns a list of whole numbers, which may be written as floating point; nothing if it is
    /// missing.
    std::optional<std::vector<std::int64_t>> integers(std::string_view key) const;
    std::optional<std::vector<double>> reals(std::string_view key) const;

    /// Returns the names of an argument's operators in order; empty if the argument is missing.
    std::vector<std::string> argument(std::string_view name) const;

    /// Returns an attribute of the result: "fix_point", "round_mode".
    const Attribute* output_attribute(std::string_view key) const;

    /// Reports a broken rule of the operator.
    [[noreturn]] void illegal(const std::string& argument, const std::string& value,
                              const std::string& rule) const;

 private:
    const Attribute* find(std::string_view key) const;

    const Node* wire_;
    mutable std::vector<bool> is_read_;  ///< by attribute, as far as needed
};

/// Returns the number of an attribute; nothing for another kind of value.
std::optional<std::int64_t> integer_of(const Attribute& value);

/// Returns "[1,2]".
std::string list_text(const std::vector<std::int64_t>& values);

}  // namespace okksim::sim::graph::xmodel
