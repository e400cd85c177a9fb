// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/mlir/mlir_dense.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "sim/graph/mlir/hex_digits.h"
#include "sim/graph/mlir/mlir_characters.h"
#include "sim/graph/mlir/mlir_elements.h"
#include "sim/graph/mlir/mlir_fields.h"

namespace okksim::sim::graph {

namespace {

constexpr std::size_t kAlignmentBytes = 4;
// Limit on the memory of a splat, as its size does not depend on the text. TOSA's levels permit no
// more.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 31;

/// Returns the size of the elements in a hexadecimal string, which has whole bytes per element.
std::uint64_t text_bytes(DType type, std::uint64_t count) {
    return count * static_cast<std::uint64_t>((storage_bits(type) + 7) / 8);
}

}  // namespace

std::size_t DenseReader::find_end(std::string_view text, std::size_t begin) {
    // A string is skipped as a whole; numbers and brackets contain no '>'.
    std::size_t at = begin;
    while (at < text.size() && is_space(text[at])) ++at;
    if (at < text.size() && text[at] == '"') {
        at = text.find('"', at + 1);
        if (at == std::string_view::npos) report_.fatal(begin, "the string does not end");
    }
    for (;;) {
        const std::size_t close = text.find('>', at);
        if (close == std::string_view::npos) break;
        const std::size_t comment = text.substr(at, close - at).find('/');
        if (comment == std::string_view::npos) return close;
        at = text.find('\n', at + comment);
        if (at == std::string_view::npos) break;
    }
    report_.fatal(begin, "expected '>' after the elements");
}

void DenseReader::check_size(std::size_t at, const MlirType& type) const {
    if (!type.is_value() || type.type == DType::kUnknown) {
        report_.fatal(at, "a constant is a tensor, tensor<2x3xf32>, of a type that TOSA has");
    }
    const auto count = element_count(type.shape);
    if (count && storage_bytes(type.type, *count) <= kMostBytes) return;
    report_.fatal(at, "a constant of " + shape_text(type.shape) + " " +
                          std::string(element_word(type.type)) +
                          " is larger than a tensor may be: 2 GiB");
}

ConstantData DenseReader::read(std::string_view text, std::size_t begin, std::size_t end,
                               const MlirType& type, std::size_t at) {
    check_size(at, type);
    while (begin < end && is_space(text[begin])) ++begin;
    if (begin < end && text[begin] == '"') {
        const std::size_t close = text.find('"', begin + 1);
        const std::string_view digits = text.substr(begin + 1, close - begin - 1);
        if (!digits.starts_with("0x"))
            report_.fatal(begin, "expected a string that begins with 0x");
        return read_hex(digits.substr(2), begin, type);
    }
    return read_list(text, begin, end, type, at);
}

ConstantData DenseReader::read_list(std::string_view text, std::size_t begin, std::size_t end,
                                    const MlirType& type, std::size_t at) {
    const std::uint64_t count = element_count(type.shape).value_or(0);
    // Every element of a list takes at least two characters, so the text limits the memory.
    ElementPacker packer(report_, type, std::min<std::uint64_t>(count, (end - begin) / 2 + 1));
    std::vector<std::uint64_t> sizes;  // of the open brackets
    std::size_t deepest = 0;
    bool is_regular = true;
    const auto close = [&] {
        const std::size_t depth = sizes.size();
        is_regular = is_regular && depth <= type.shape.size() &&
                     sizes.back() == static_cast<std::uint64_t>(type.shape[depth - 1]);
        sizes.pop_back();
        if (!sizes.empty()) ++sizes.back();
    };
    bool is_behind_value = false;
    for (std::size_t i = begin; i < end;) {
        const char c = text[i];
        if (is_space(c)) {
            ++i;
        } else if (c == '/') {
            i = std::min(text.find('\n', i), end);
        } else if (c == ',' || c == ']') {
            const bool is_empty_list = c == ']' && !sizes.empty() && sizes.back() == 0;
            if (sizes.empty() || (!is_behind_value && !is_empty_list)) {
                report_.fatal(i, "expected an element, found '" + std::string(1, c) + "'");
            }
            if (c == ']') close();
            is_behind_value = c == ']';
            ++i;
        } else if (is_behind_value) {
            report_.fatal(i, "expected ',' or ']' after an element");
        } else if (c == '[') {
            sizes.push_back(0);
            deepest = std::max(deepest, sizes.size());
            if (sizes.size() > type.shape.size() + 1)
                report_.fatal(i, "the list is nested deeper than its type");
            ++i;
        } else {
            const std::uint64_t before = packer.size();
            i = sizes.empty() ? packer.add_one(text, i, end) : packer.add(text, i, end);
            is_regular = is_regular && (sizes.empty() || sizes.size() == type.shape.size());
            if (!sizes.empty()) sizes.back() += packer.size() - before;
            is_behind_value = true;
        }
    }
    const bool is_splat = deepest == 0 && packer.size() == 1;
    if (!sizes.empty()) report_.fatal(end, "expected ']'");
    const bool is_none = packer.size() == 0 && count == 0;
    if (!is_none && !is_splat && (!is_regular || packer.size() != count)) {
        report_.error(at,
                      "the elements do not have the shape of the type, " + shape_text(type.shape));
        packer.fill(count);
    }
    if (is_splat) {
        packer.fill(type.type == DType::kI4 ? 2 : 1);
        return repeat(packer.take(), type);
    }
    return graph_.own_bytes(packer.take());
}

ConstantData DenseReader::repeat(std::span<const std::byte> element, const MlirType& type) {
    const std::uint64_t size = storage_bytes(type.type, element_count(type.shape).value_or(0));
    return size == 0 ? ConstantData() : graph_.own_repeated(element, size);
}

ConstantData DenseReader::read_hex(std::string_view digits, std::size_t at, const MlirType& type) {
    const std::uint64_t count = element_count(type.shape).value_or(0);
    std::vector<std::byte> bytes(digits.size() / 2);
    if (digits.size() % 2 != 0 || !decode_hex(digits, bytes.data())) {
        report_.fatal(at, "the string must consist of pairs of hexadecimal digits");
    }
    const std::uint64_t wanted = text_bytes(type.type, count);
    const std::uint64_t each = text_bytes(type.type, 1);
    const bool is_packed =
        type.type == DType::kBool && bytes.size() == (count + 7) / 8 && bytes.size() != wanted;
    if (is_packed) {
        std::vector<std::byte> values(count);
        for (std::uint64_t i = 0; i < count; ++i) {
            values[i] = (bytes[i / 8] >> static_cast<int>(i % 8)) & std::byte{1};
        }
        return graph_.own_bytes(std::move(values));
    }
    if (bytes.size() == each && count > 1) {  // a splat: one element for all
        const std::byte nibble = bytes[0] & std::byte{0x0F};
        if (type.type == DType::kI4) bytes[0] = nibble | nibble << 4;
        return repeat(bytes, type);
    }
    if (bytes.size() != wanted) {
        report_.error(at, "the string holds " + std::to_string(bytes.size()) + " bytes; the type " +
                              shape_text(type.shape) + " of " + std::string(dtype_name(type.type)) +
                              " takes " + std::to_string(wanted));
        bytes.resize(wanted);
    }
    if (type.type == DType::kI4) {
        for (std::uint64_t i = 0; i < count; ++i) {
            const std::byte nibble = bytes[i] & std::byte{0x0F};
            bytes[i / 2] = i % 2 == 0 ? nibble : bytes[i / 2] | nibble << 4;
        }
        bytes.resize(storage_bytes(DType::kI4, count));
    }
    return graph_.own_bytes(std::move(bytes));
}

/// Checks the alignment prefix of a resource: little-endian, and not 0.
void DenseReader::check_alignment(std::string_view digits, std::size_t at) const {
    std::array<std::byte, kAlignmentBytes> bytes{};
    if (!decode_hex(digits, bytes.data())) return;  // reported with the data
    std::uint32_t alignment = 0;
    std::memcpy(&alignment, bytes.data(), sizeof alignment);
    if (alignment == 0 || std::has_single_bit(alignment)) return;
    report_.fatal(at, "the first 4 bytes are the alignment, a power of two, and not " +
                          std::to_string(alignment) + " (08000000 is 8)");
}

void DenseReader::check_resource(std::string_view quoted, std::string_view text) const {
    const auto at = static_cast<std::size_t>(quoted.data() - text.data());
    std::string_view digits = resource_digits(quoted, at);
    const bool are_digits =
        std::all_of(digits.begin(), digits.end(), [](char c) { return hex_digit(c) >= 0; });
    if (digits.size() % 2 != 0 || !are_digits) {
        report_.fatal(at, "the string must consist of pairs of hexadecimal digits");
    }
}

/// Returns the digits behind the alignment of a resource.
std::string_view DenseReader::resource_digits(std::string_view quoted, std::size_t at) const {
    const std::string_view digits = quoted.substr(1, quoted.size() - 2);
    if (!digits.starts_with("0x") || digits.size() < 2 + 2 * kAlignmentBytes) {
        report_.fatal(at, "expected a string of 0x, the alignment in 4 bytes, and the data");
    }
    check_alignment(digits.substr(2, 2 * kAlignmentBytes), at + 3);
    return digits.substr(2 + 2 * kAlignmentBytes);
}

ConstantData DenseReader::read_resource(std::string_view quoted, std::string_view text,
                                        const MlirType& type) {
    const auto at = static_cast<std::size_t>(quoted.data() - text.data());
    check_size(at, type);
    return read_hex(resource_digits(quoted, at), at, type);
}

}  // namespace okksim::sim::graph
