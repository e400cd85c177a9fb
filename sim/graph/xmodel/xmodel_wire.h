// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "sim/graph/protobuf/protobuf_fields.h"

namespace okksim::sim::graph::xmodel {

/// Iterates over the fields of a protobuf message. A container has many operators or large
/// constants, so they stay in the file, and operators are unpacked one at a time.
class WireFields {
 public:
    /// Field numbers of xmodel.proto that are used here.
    static constexpr std::uint32_t kFileNodes = 5;
    static constexpr std::uint32_t kNodeName = 1;
    static constexpr std::uint32_t kNodeAttributes = 3;
    static constexpr std::uint32_t kNodeArguments = 4;
    static constexpr std::uint32_t kArgumentNodes = 2;

    explicit WireFields(std::span<const std::byte> message) : fields_(message) {}

    /// Moves to the next field that has a length. Returns false at the end; other fields are
    /// skipped.
    bool next() {
        while (fields_.advance()) {
            if (fields_.kind() == ProtobufFields::Kind::kBytes) return true;
        }
        return false;
    }
    std::uint32_t number() const { return fields_.number(); }
    std::span<const std::byte> bytes() const { return fields_.present_bytes(); }
    std::span<const std::byte> whole() const { return fields_.whole(); }
    /// Returns the bytes of a damaged field that are past the end; 0 if it is not a field.
    std::uint64_t missing() const { return fields_.missing(); }
    std::string_view text() const {
        return {reinterpret_cast<const char*>(bytes().data()), bytes().size()};
    }
    /// True if the bytes end within a field, or are not a message. For a truncated field, bytes()
    /// has the available bytes.
    bool is_damaged() const { return fields_.is_damaged(); }

 private:
    ProtobufFields fields_;
};

/// Returns the name of the operator in this message.
std::string_view node_name(std::span<const std::byte> node);

/// Calls visit(name) for each operator whose result the operator takes.
template <typename Visit>
void for_each_operand(std::span<const std::byte> node, Visit&& visit) {
    for (WireFields fields(node); fields.next();) {
        if (fields.number() != WireFields::kNodeArguments) continue;
        for (WireFields argument(fields.bytes()); argument.next();) {
            if (argument.number() == WireFields::kArgumentNodes) visit(argument.text());
        }
    }
}

/// Returns the bytes of a constant in the file; empty if the operator has none.
std::span<const std::byte> node_data(std::span<const std::byte> node);
/// Returns the field of the operator's message with these bytes; empty if there is none. The field
/// is not unpacked, as constants are most of a file and are never copied.
std::span<const std::byte> node_data_field(std::span<const std::byte> node);

}  // namespace okksim::sim::graph::xmodel
