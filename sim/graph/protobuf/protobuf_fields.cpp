// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/protobuf/protobuf_fields.h"

namespace okksim::sim::graph {

std::uint64_t ProtobufFields::take_varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        if (rest_.empty()) fail("the message ends within a number");
        const auto byte = std::to_integer<std::uint64_t>(rest_.front());
        rest_ = rest_.subspan(1);
        value |= (byte & 0x7F) << shift;
        if (byte < 0x80) return value;
    }
    fail("a number has more than ten bytes");
}

std::uint64_t ProtobufFields::take_fixed(std::size_t size) {
    if (rest_.size() < size) fail("the message ends within a number");
    std::uint64_t value = 0;
    for (std::size_t i = size; i-- > 0;) {
        value = value << 8 | std::to_integer<std::uint64_t>(rest_[i]);
    }
    rest_ = rest_.subspan(size);
    return value;
}

bool ProtobufFields::next() {
    if (rest_.empty()) return false;
    const std::uint64_t tag = take_varint();
    if (tag >> 3 == 0 || tag >> 3 > 0x1FFFFFFF) {
        fail("a field has the number " + std::to_string(tag >> 3) + "; numbers are 1 to 2^29 - 1");
    }
    number_ = static_cast<std::uint32_t>(tag >> 3);
    kind_ = static_cast<Kind>(tag & 7);
    switch (kind_) {
        case Kind::kVarint: value_ = take_varint(); return true;
        case Kind::kFixed64: value_ = take_fixed(8); return true;
        case Kind::kFixed32: value_ = take_fixed(4); return true;
        case Kind::kBytes: {
            const std::uint64_t size = take_varint();
            if (size > rest_.size()) {
                fail("field " + std::to_string(number_) + " has " + std::to_string(size) +
                     " bytes, but the message has only " + std::to_string(rest_.size()) + " more");
            }
            bytes_ = rest_.first(size);
            rest_ = rest_.subspan(size);
            return true;
        }
    }
    fail("field " + std::to_string(number_) + " has the wire type " + std::to_string(tag & 7) +
         "; wire types are 0, 1, 2 and 5");
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
        values.push_back(static_cast<std::int64_t>(packed.take_varint()));
    }
}

void ProtobufFields::append_reals(std::vector<float>& values) const {
    if (kind_ != Kind::kBytes) {
        values.push_back(real32());
        return;
    }
    for (ProtobufFields packed(bytes_); !packed.rest_.empty();) {
        const auto bits = static_cast<std::uint32_t>(packed.take_fixed(4));
        values.push_back(std::bit_cast<float>(bits));
    }
}

void ProtobufFields::append_doubles(std::vector<double>& values) const {
    if (kind_ != Kind::kBytes) {
        require(Kind::kFixed64);
        values.push_back(std::bit_cast<double>(value_));
        return;
    }
    for (ProtobufFields packed(bytes_); !packed.rest_.empty();) {
        values.push_back(std::bit_cast<double>(packed.take_fixed(8)));
    }
}

}  // namespace okksim::sim::graph
