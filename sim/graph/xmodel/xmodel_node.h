// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "xmodel.pb.h"

namespace okksim::sim::graph::xmodel {

/// An operator of a .xmodel file as the reader asks it: attributes by name, of any numeric width.
/// Every question may end in a ProgramFault kIllegalGraph that names operator, attribute and value.
class NodeView {
 public:
    explicit NodeView(const Node& wire) : wire_(&wire) {}

    const Node& wire() const { return *wire_; }
    const std::string& name() const { return wire_->name(); }
    const std::string& type() const { return wire_->type(); }

    /// Names of the attributes that nobody has asked for.
    std::vector<std::string> unread_attributes() const;

    bool has(std::string_view key) const { return find(key) != nullptr; }
    bool flag(std::string_view key, bool otherwise) const;
    std::int64_t integer(std::string_view key, std::int64_t otherwise) const;
    double real(std::string_view key, double otherwise) const;
    std::string text(std::string_view key, const std::string& otherwise) const;
    /// A list of whole numbers, which may be written as floating point; nothing when it is missing.
    std::optional<std::vector<std::int64_t>> integers(std::string_view key) const;
    std::optional<std::vector<double>> reals(std::string_view key) const;

    /// Names of the operators that give an argument, in order; empty when it is missing.
    std::vector<std::string> argument(std::string_view name) const;

    /// Attribute of the result: "fix_point", "round_mode".
    const Attribute* output_attribute(std::string_view key) const;

    /// Reports a broken rule of the operator.
    [[noreturn]] void illegal(const std::string& argument, const std::string& value,
                              const std::string& rule) const;

 private:
    const Attribute* find(std::string_view key) const;

    const Node* wire_;
    mutable std::vector<bool> is_read_;  ///< of the attributes, as far as one was asked for
};

/// The number that an attribute holds; nothing for another kind of value.
std::optional<std::int64_t> integer_of(const Attribute& value);

/// "[1,2]".
std::string list_text(const std::vector<std::int64_t>& values);

}  // namespace okksim::sim::graph::xmodel
