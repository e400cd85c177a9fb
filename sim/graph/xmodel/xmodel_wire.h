// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace okksim::sim::graph::xmodel {

/// The bytes of a protobuf message field by field. A container has very many operators, or very
/// large constants: they are found where they are, and only one operator at a time is unpacked.
class WireFields {
 public:
    /// Numbers of the fields of xmodel.proto that are looked at here.
    static constexpr std::uint32_t kFileNodes = 5;
    static constexpr std::uint32_t kNodeName = 1;
    static constexpr std::uint32_t kNodeAttributes = 3;
    static constexpr std::uint32_t kNodeArguments = 4;
    static constexpr std::uint32_t kArgumentNodes = 2;

    explicit WireFields(std::span<const std::byte> message) : rest_(message) {}

    /// The next field that has a length, or nothing at the end; others are passed over.
    bool next();
    std::uint32_t number() const { return number_; }
    std::span<const std::byte> bytes() const { return bytes_; }
    /// The field with its number and its length; of a damaged one all from its beginning.
    std::span<const std::byte> whole() const { return whole_; }
    /// How many bytes of a damaged field are behind the end; 0 when it is no field.
    std::uint64_t missing() const { return missing_; }
    std::string_view text() const {
        return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
    }
    /// The bytes end within a field, of which bytes() has what there is, or are no message.
    bool is_damaged() const { return is_damaged_; }

 private:
    std::optional<std::uint64_t> take_varint();
    bool skip(std::uint64_t count);

    std::span<const std::byte> rest_;
    std::span<const std::byte> bytes_;
    std::span<const std::byte> whole_;
    std::uint32_t number_ = 0;
    std::uint64_t missing_ = 0;
    bool is_damaged_ = false;
};

/// Name of the operator whose message this is.
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

/// The bytes of a constant, in the file; none when the operator has none.
std::span<const std::byte> node_data(std::span<const std::byte> node);
/// The field of the operator's message that holds them; none when there is none. It is left out of
/// what is unpacked: constants are most of a file, and are never copied.
std::span<const std::byte> node_data_field(std::span<const std::byte> node);

}  // namespace okksim::sim::graph::xmodel
