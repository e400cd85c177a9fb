// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/xmodel/xmodel_wire.h"

#include <algorithm>

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

std::optional<std::uint64_t> WireFields::take_varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
        const auto byte = std::to_integer<std::uint64_t>(rest_[0]);
        rest_ = rest_.subspan(1);
        value |= (byte & 0x7F) << shift;
        if (byte < 0x80) return value;
    }
    return std::nullopt;
}

bool WireFields::skip(std::uint64_t count) {
    bytes_ = rest_.first(std::min<std::uint64_t>(count, rest_.size()));
    rest_ = rest_.subspan(bytes_.size());
    missing_ = count - bytes_.size();
    return missing_ == 0;
}

bool WireFields::next() {
    enum WireType : std::uint8_t { kVarint = 0, kFixed64 = 1, kLengthDelimited = 2, kFixed32 = 5 };
    while (!rest_.empty()) {
        const std::span<const std::byte> from = rest_;
        whole_ = from;
        number_ = 0;
        is_damaged_ = true;  // unless the field is complete
        const auto tag = take_varint();
        if (!tag || *tag >> 3 == 0 || *tag >> 32 != 0) return false;
        number_ = static_cast<std::uint32_t>(*tag >> 3);
        const auto type = *tag & 7;
        std::optional<std::uint64_t> size;
        if (type == kVarint || type == kLengthDelimited) size = take_varint();
        if (type == kFixed64) size = 8;
        if (type == kFixed32) size = 4;
        if (!size || (type != kVarint && !skip(*size))) return false;
        is_damaged_ = false;
        whole_ = from.first(from.size() - rest_.size());
        if (type == kLengthDelimited) return true;
    }
    return false;
}

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
