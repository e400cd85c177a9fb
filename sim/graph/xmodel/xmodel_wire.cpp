// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/xmodel/xmodel_wire.h"

#include <optional>

namespace okksim::sim::graph::xmodel {

namespace {

/// Returns the last field of this number, which protobuf uses if there are several.
std::span<const std::byte> last_field(std::span<const std::byte> message, std::uint32_t number) {
    std::span<const std::byte> found;
    for (WireFields fields(message); fields.next();) {
        if (fields.number() == number) found = fields.bytes();
    }
    return found;
}

/// AttributeEntry {key = 1, value = 2}.
constexpr std::uint32_t kEntryKey = 1, kEntryValue = 2;

/// Returns the fields positioned at the attribute "data", if the operator has it.
std::optional<WireFields> data_attribute(std::span<const std::byte> node) {
    constexpr std::string_view kData = "data";
    for (WireFields fields(node); fields.next();) {
        if (fields.number() != WireFields::kNodeAttributes) continue;
        const auto key = last_field(fields.bytes(), kEntryKey);
        if (std::string_view(reinterpret_cast<const char*>(key.data()), key.size()) == kData) {
            return fields;
        }
    }
    return std::nullopt;
}

}  // namespace

std::string_view node_name(std::span<const std::byte> node) {
    const auto name = last_field(node, WireFields::kNodeName);
    return {reinterpret_cast<const char*>(name.data()), name.size()};
}

std::span<const std::byte> node_data_field(std::span<const std::byte> node) {
    const auto field = data_attribute(node);
    return field ? field->whole() : std::span<const std::byte>();
}

std::span<const std::byte> node_data(std::span<const std::byte> node) {
    // Attribute {bytes = 12}, Bytes {value = 1}.
    constexpr std::uint32_t kBytes = 12, kBytesValue = 1;
    const auto field = data_attribute(node);
    if (!field) return {};
    return last_field(last_field(last_field(field->bytes(), kEntryValue), kBytes), kBytesValue);
}

}  // namespace okksim::sim::graph::xmodel
