// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/protobuf/protobuf_fields.h"

#include <algorithm>

namespace okksim::sim::graph {

std::optional<std::uint64_t> ProtobufFields::take_varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
        const auto byte = std::to_integer<std::uint64_t>(rest_.front());
        rest_ = rest_.subspan(1);
        value |= (byte & 0x7F) << shift;
        if (byte < 0x80) return value;
    }
    return std::nullopt;
}

std::optional<std::uint64_t> ProtobufFields::take_fixed(std::size_t size) {
    if (rest_.size() < size) {
        missing_ = size - rest_.size();
        rest_ = {};
        return std::nullopt;
    }
    std::uint64_t value = 0;
    for (std::size_t i = size; i-- > 0;) {
        value = value << 8 | std::to_integer<std::uint64_t>(rest_[i]);
    }
    rest_ = rest_.subspan(size);
    return value;
}

bool ProtobufFields::take_bytes() {
    const auto size = take_varint();
    if (!size) return false;
    bytes_ = rest_.first(std::min<std::uint64_t>(*size, rest_.size()));
    rest_ = rest_.subspan(bytes_.size());
    missing_ = *size - bytes_.size();
    return missing_ == 0;
}

bool ProtobufFields::take_value() {
    std::optional<std::uint64_t> value;
    switch (kind_) {
        case Kind::kBytes: return take_bytes();
        case Kind::kVarint: value = take_varint(); break;
        case Kind::kFixed64: value = take_fixed(8); break;
        case Kind::kFixed32: value = take_fixed(4); break;
    }
    value_ = value.value_or(0);
    return value.has_value();
}

bool ProtobufFields::advance() {
    if (rest_.empty()) return false;
    const std::span<const std::byte> from = rest_;
    whole_ = from;
    bytes_ = {};
    number_ = 0;
    is_damaged_ = true;  // unless the field is complete
    const auto tag = take_varint();
    if (!tag || *tag >> 3 == 0 || *tag >> 32 != 0) return false;
    number_ = static_cast<std::uint32_t>(*tag >> 3);
    kind_ = static_cast<Kind>(*tag & 7);
    if (!take_value()) return false;
    whole_ = from.first(from.size() - rest_.size());
    is_damaged_ = false;
    return true;
}

std::string ProtobufFields::damage() const {
    if (number_ == 0) return "the bytes are not the beginning of a field";
    const std::string field = "field " + std::to_string(number_);
    if (missing_ != 0) {
        return "the message ends within " + field + ", " + std::to_string(missing_) +
               " bytes before its end";
    }
    return field + " has no value of the wire type " + std::to_string(static_cast<int>(kind_));
}

void ProtobufFields::require(Kind kind) const {
    if (kind_ == kind) return;
    fail("field " + std::to_string(number_) + " has the wire type " +
         std::to_string(static_cast<int>(kind_)) + " instead of " +
         std::to_string(static_cast<int>(kind)));
}

std::uint64_t ProtobufFields::integer() const {
    require(Kind::kVarint);
    return value_;
}

float ProtobufFields::real32() const {
    require(Kind::kFixed32);
    return std::bit_cast<float>(static_cast<std::uint32_t>(value_));
}

std::span<const std::byte> ProtobufFields::bytes() const {
    require(Kind::kBytes);
    return bytes_;
}

std::string_view ProtobufFields::text() const {
    const std::span<const std::byte> view = bytes();
    return {reinterpret_cast<const char*>(view.data()), view.size()};
}

void ProtobufFields::append_integers(std::vector<std::int64_t>& values) const {
    if (kind_ != Kind::kBytes) {
        values.push_back(static_cast<std::int64_t>(integer()));
        return;
    }
    for (ProtobufFields packed(bytes_); !packed.rest_.empty();) {
        const auto value = packed.take_varint();
        if (!value) fail("field " + std::to_string(number_) + " ends within a number");
        values.push_back(static_cast<std::int64_t>(*value));
    }
}

void ProtobufFields::append_reals(std::vector<float>& values) const {
    if (kind_ != Kind::kBytes) {
        values.push_back(real32());
        return;
    }
    for (ProtobufFields packed(bytes_); !packed.rest_.empty();) {
        const auto bits = packed.take_fixed(4);
        if (!bits) fail("field " + std::to_string(number_) + " ends within a number");
        values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(*bits)));
    }
}

void ProtobufFields::append_doubles(std::vector<double>& values) const {
    if (kind_ != Kind::kBytes) {
        require(Kind::kFixed64);
        values.push_back(std::bit_cast<double>(value_));
        return;
    }
    for (ProtobufFields packed(bytes_); !packed.rest_.empty();) {
        const auto bits = packed.take_fixed(8);
        if (!bits) fail("field " + std::to_string(number_) + " ends within a number");
        values.push_back(std::bit_cast<double>(*bits));
    }
}

}  // namespace okksim::sim::graph
