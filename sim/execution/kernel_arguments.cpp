// SPDX-License-Identifier: Apache-2.0
#include "sim/execution/kernel_arguments.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <map>
#include <type_traits>

#include "isa/base/errors.h"

namespace okksim::sim {
namespace {

[[noreturn]] void bad_argument(const std::string& text, const std::string& why) {
    throw ConfigError("--arg " + text, why);
}

template <typename Number>
Number parse_number(const std::string& text, const std::string& value) {
    Number number{};
    const char* begin = value.data();
    const char* end = begin + value.size();
    std::from_chars_result result{};
    if constexpr (std::is_integral_v<Number>) {
        const bool hex = value.starts_with("0x") || value.starts_with("0X");
        result = std::from_chars(begin + (hex ? 2 : 0), end, number, hex ? 16 : 10);
    } else {
        result = std::from_chars(begin, end, number);
    }
    if (result.ec != std::errc() || result.ptr != end) {
        bad_argument(text, fmt::format("\"{}\" is not a number that fits the type", value));
    }
    return number;
}

}  // namespace

void ArgumentBlock::add(const void* value, std::size_t size) {
    if (!packed_) {
        bytes_.resize((bytes_.size() + size - 1) / size * size);
        alignment_ = std::max(alignment_, size);
    }
    const auto* first = static_cast<const std::byte*>(value);
    bytes_.insert(bytes_.end(), first, first + size);
}

std::vector<std::byte> ArgumentBlock::bytes() const {
    std::vector<std::byte> block = bytes_;
    block.resize((block.size() + alignment_ - 1) / alignment_ * alignment_);
    return block;
}

void ArgumentBlock::add_text(const std::string& text) {
    const auto equals = text.find('=');
    if (equals == std::string::npos) bad_argument(text, "expected TYPE=VALUE, e.g. i32=64");
    const std::string type = text.substr(0, equals);
    const std::string value = text.substr(equals + 1);
    const auto append = [&]<typename Number>(Number) {
        const auto number = parse_number<Number>(text, value);
        add(&number, sizeof number);
    };
    if (type == "i8") return append(std::int8_t{});
    if (type == "u8") return append(std::uint8_t{});
    if (type == "i16") return append(std::int16_t{});
    if (type == "u16") return append(std::uint16_t{});
    if (type == "i32") return append(std::int32_t{});
    if (type == "u32") return append(std::uint32_t{});
    if (type == "i64") return append(std::int64_t{});
    if (type == "u64") return append(std::uint64_t{});
    if (type == "f32") return append(float{});
    if (type == "f64") return append(double{});
    bad_argument(text, "unknown type; use i8 u8 i16 u16 i32 u32 i64 u64 f32 or f64");
}

OutputBuffer parse_output(const std::string& text) {
    static const std::map<std::string, std::pair<const char*, std::uint64_t>> types{
        {"f32", {"<f4", 4}}, {"f16", {"<f2", 2}}, {"i32", {"<i4", 4}}, {"u32", {"<u4", 4}},
        {"i16", {"<i2", 2}}, {"u16", {"<u2", 2}}, {"i8", {"|i1", 1}},  {"u8", {"|u1", 1}}};
    const auto colon = text.rfind(':');
    const auto bracket = text.find('[', colon == std::string::npos ? 0 : colon);
    if (colon == std::string::npos || bracket == std::string::npos || text.back() != ']') {
        throw ConfigError("--out " + text,
                          "expected FILE.npy:TYPE[d0,d1,...], e.g. y.npy:f32[1,64]");
    }
    const auto type = types.find(text.substr(colon + 1, bracket - colon - 1));
    if (type == types.end()) {
        throw ConfigError("--out " + text, "unknown type; use f32 f16 i32 u32 i16 u16 i8 or u8");
    }
    OutputBuffer output;
    output.file = text.substr(0, colon);
    output.descr = type->second.first;
    std::string dims = text.substr(bracket + 1, text.size() - bracket - 2);
    for (std::size_t at = 0; at < dims.size();) {
        const std::size_t comma = std::min(dims.find(',', at), dims.size());
        output.shape.push_back(
            parse_number<std::uint32_t>("--out " + text, dims.substr(at, comma - at)));
        at = comma + 1;
    }
    const auto count = graph::element_count(output.shape);
    if (!count || *count == 0) throw ConfigError("--out " + text, "dimensions must be at least 1");
    output.bytes = *count * type->second.second;
    return output;
}

}  // namespace okksim::sim
