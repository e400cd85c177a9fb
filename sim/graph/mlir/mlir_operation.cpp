// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/mlir/mlir_operation.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "isa/base/closest_word.h"
#include "sim/graph/element.h"
#include "sim/graph/mlir/mlir_fields.h"
#include "sim/graph/mlir/mlir_lexer.h"
#include "sim/graph/mlir/mlir_older.h"
#include "sim/graph/mlir/mlir_real.h"

namespace okksim::sim::graph {

namespace {

using Kind = MlirAttribute::Kind;

/// True for integer types: i32, si32, ui32, index. All others are floating-point types.
bool is_integer_word(std::string_view word) {
    return word.starts_with("i") || word.starts_with("si") || word.starts_with("ui");
}

/// Fills the fields of one operator's attributes.
class FieldReader {
 public:
    FieldReader(const MlirOperation& op, TextReport& report) : op_(op), report_(report) {}

    void operator()(std::string_view name, std::int32_t& field) {
        std::int64_t value = 0;
        const auto* a = required(name, Kind::kNumber, "an integer");
        if (a != nullptr && has_type(*a, name, "i32")) {
            value = integer(*a, name, DType::kI32);
        }
        field = static_cast<std::int32_t>(value);
    }
    void operator()(std::string_view name, bool& field) {
        const MlirAttribute* a = op_.find(name);
        if (a == nullptr && name == "local_bound") return;
        if (a == nullptr) return missing(name);
        if (a->kind == Kind::kNumber) {
            field = has_type(*a, name, "i1") && integer(*a, name, DType::kBool) != 0;
        } else if (a->kind == Kind::kBool) {
            field = a->truth;
        } else {
            wrong(name, "true or false");
        }
    }
    template <std::size_t N>
    void operator()(std::string_view name, std::array<std::int32_t, N>& field) {
        const auto* a = required(name, Kind::kIntegers, "array<i64: ...>");
        if (a == nullptr || !has_type(*a, name, "i64")) return;
        if (a->integers.size() != N) {
            return wrong(name, std::to_string(N) + " elements, and not " +
                                   std::to_string(a->integers.size()));
        }
        for (std::size_t i = 0; i < N; ++i) field[i] = in_range(a->integers[i], name);
    }
    void operator()(std::string_view name, std::vector<std::int32_t>& field) {
        const auto* a = required(name, Kind::kIntegers, "array<i32: ...>");
        if (a == nullptr || !has_type(*a, name, "i32")) return;
        for (const std::int64_t value : a->integers) field.push_back(in_range(value, name));
    }
    void operator()(std::string_view name, DType& field) {
        const auto* a = required(name, Kind::kType, "a type");
        if (a == nullptr) return;
        field = a->type.type;
        const bool is_accumulator = field == DType::kI32 || field == DType::kI48 ||
                                    field == DType::kFp16 || field == DType::kFp32;
        if (!is_accumulator) wrong(name, "one of i32, i48, f16 and f32");
    }
    void operator()(std::string_view name, NanPropagationMode& field) {
        field = NanPropagationMode::kPropagate;
        if (const auto* a = op_.find(name)) {
            mode(*a, name, field, NanPropagationMode::kPropagate, NanPropagationMode::kIgnore);
        }
    }
    void operator()(std::string_view name, ResizeMode& field) {
        const MlirAttribute* a = op_.find(name);
        if (a == nullptr) return missing(name);
        mode(*a, name, field, ResizeMode::kNearestNeighbor, ResizeMode::kBilinear);
    }
    void operator()(std::string_view name, RoundingMode& field) {
        const MlirAttribute* a = op_.find(name);
        if (a == nullptr) return missing(name);
        mode(*a, name, field, RoundingMode::kSingleRound, RoundingMode::kInexactRound,
             RoundingMode::kDoubleRound);
    }
    void operator()(std::string_view name, ElementBytes& field) {
        const auto* a = required(name, Kind::kNumber, "a number");
        if (a == nullptr || op_.operand_types.empty()) return;
        const DType type = op_.operand_types[0].type;
        if (type == DType::kUnknown || !has_type(*a, name, element_word(type))) return;
        field.size = static_cast<std::uint32_t>(storage_bits(type) + 7) / 8;
        const std::uint64_t bits = is_floating_point(type)
                                       ? encode_float(type, real(*a, name, type))
                                       : static_cast<std::uint64_t>(integer(*a, name, type));
        std::memcpy(field.bytes.data(), &bits, std::min<std::size_t>(field.size, sizeof bits));
    }
    void operator()(std::string_view name, std::string& field) {
        if (const auto* a = required(name, Kind::kString, "a string")) field = unquoted(a->text);
    }
    void operator()(std::string_view name, std::vector<std::uint8_t>& field) {
        const auto* a = required(name, Kind::kString, "a string");
        if (a == nullptr) return;
        const std::string text = unquoted(a->text);
        field.assign(text.begin(), text.end());
    }

 private:
    void missing(std::string_view name) {
        report_.error(op_.at, "'" + std::string(op_.name) + "' needs the attribute '" +
                                  std::string(name) + "'");
    }
    void wrong(std::string_view name, const std::string& wanted) { wrong(op_.at, name, wanted); }
    void wrong(std::size_t at, std::string_view name, const std::string& wanted) {
        report_.error(at, "the attribute '" + std::string(name) + "' of '" + std::string(op_.name) +
                              "' must be " + wanted);
    }
    /// Checks a number's type, which may be missing. Another type of the same kind is unambiguous,
    /// so it causes a warning. A type of another kind is an error.
    bool has_type(const MlirAttribute& attribute, std::string_view name, std::string_view wanted) {
        const MlirType& written = attribute.type;
        std::string_view word = written.spelling;
        if (written.kind == MlirType::Kind::kNone || word == wanted) return true;
        if (is_integer_word(word) != is_integer_word(wanted)) {
            wrong(attribute.at, name,
                  "of type " + std::string(wanted) + ", and not " + std::string(word));
            return false;
        }
        if (word.substr(1) == wanted) return true;  // si32: already warned of
        report_.warning(attribute.at, "the attribute '" + std::string(name) + "' of '" +
                                          std::string(op_.name) + "' is read as " +
                                          std::string(wanted) + ", its type in the dialect, and " +
                                          "not " + std::string(word));
        return true;
    }
    const MlirAttribute* required(std::string_view name, Kind kind, const char* wanted) {
        const MlirAttribute* attribute = op_.find(name);
        if (attribute == nullptr) {
            missing(name);
        } else if (attribute->kind != kind) {
            wrong(name, wanted);
            attribute = nullptr;
        }
        return attribute;
    }

    std::int32_t in_range(std::int64_t value, std::string_view name) {
        if (value != static_cast<std::int32_t>(value)) {
            wrong(name, "made of numbers of 32 bits, and not " + std::to_string(value));
        }
        return static_cast<std::int32_t>(value);
    }
    /// Returns an integer that fits both its written type and `type`. If the types are equal, any
    /// bit pattern is accepted, as in the dialect.
    std::int64_t integer(const MlirAttribute& attribute, std::string_view name, DType type) {
        const bool is_negative = attribute.text.starts_with('-');
        std::string_view digits = attribute.text.substr(is_negative ? 1 : 0);
        const bool is_hex = digits.starts_with("0x");
        if (is_hex) digits.remove_prefix(2);
        std::int64_t value = 0;
        const auto result =
            std::from_chars(digits.data(), digits.data() + digits.size(), value, is_hex ? 16 : 10);
        if (result.ec == std::errc::invalid_argument ||
            result.ptr != digits.data() + digits.size()) {
            wrong(name, "an integer");
            return 0;
        }
        if (is_negative) value = -value;
        const MlirType& written = attribute.type;
        const bool is_typed = written.type != DType::kUnknown;
        const int bits = std::min(storage_bits(type), storage_bits(is_typed ? written.type : type));
        const bool is_pattern = written.type == type && !written.is_unsigned;
        const std::int64_t half = std::int64_t{1} << (bits - 1);
        const std::int64_t least = written.is_unsigned ? 0 : -half;
        const std::int64_t most = is_pattern ? 2 * half - 1 : half - 1;
        if (result.ec != std::errc{} || value < least || value > most) {
            wrong(attribute.at, name,
                  std::to_string(least) + " to " + std::to_string(most) + ", and not " +
                      std::string(attribute.text));
        }
        return value;
    }
    double real(const MlirAttribute& attribute, std::string_view name, DType type) {
        const DType written = attribute.type.type;
        if (attribute.text.starts_with("0x")) {
            const DType pattern = is_floating_point(written) ? written : type;
            std::uint64_t bits = 0;
            const auto result = std::from_chars(
                attribute.text.data() + 2, attribute.text.data() + attribute.text.size(), bits, 16);
            if (result.ec != std::errc{} || (bits >> storage_bits(pattern)) != 0) {
                wrong(attribute.at, name,
                      "a pattern of " + std::to_string(storage_bits(pattern)) + " bits, and not " +
                          std::string(attribute.text));
            }
            return decode_float(pattern, static_cast<std::uint32_t>(bits));
        }
        const double value = read_real(attribute.text).value;
        return is_floating_point(written) ? decode_float(written, encode_float(written, value))
                                          : value;
    }

    template <typename Mode, typename... Modes>
    void mode(const MlirAttribute& attribute, std::string_view name, Mode& field, Modes... modes) {
        std::string_view word = attribute.text;
        if (attribute.kind == Kind::kString) word = word.substr(1, word.size() - 2);
        std::string known;
        bool is_known = false;
        for (const Mode candidate : {modes...}) {
            known += (known.empty() ? "" : ", ") + std::string(mode_word(candidate));
            if (mode_word(candidate) != word) continue;
            field = candidate;
            is_known = true;
        }
        if (!is_known) wrong(name, "one of " + known);
    }

    const MlirOperation& op_;
    TextReport& report_;
};

/// Returns "; did you mean ..." with an attribute that the operation has and the text omits.
std::string attribute_meant(const std::string& name, const MlirOperation& op, OpCode code) {
    std::vector<std::string> known;
    Attributes attributes = empty_attributes(code);
    std::visit(
        [&](auto& fields) {
            visit_fields(fields, [&](std::string_view field, const auto&) {
                if (op.find(field) == nullptr) known.emplace_back(field);
            });
        },
        attributes);
    if (code == OpCode::kConst || code == OpCode::kConstShape) known.push_back("values");
    return did_you_mean(name, known);
}

}  // namespace

Attributes read_mlir_attributes(const MlirOperation& op, OpCode code, TextReport& report) {
    Attributes attributes = empty_attributes(code);
    std::visit([&](auto& fields) { visit_fields(fields, FieldReader(op, report)); }, attributes);
    for (const MlirNamedAttribute& attribute : op.attributes) {
        // Names with a dot belong to other dialects and do not affect the result.
        if (attribute.is_used || attribute.name.find('.') != std::string_view::npos) continue;
        const std::string what(attribute.name);
        const std::string_view older = advice_for_older_attribute(what);
        report.unread(attribute.at, "attribute " + what + " of " + std::string(op.name),
                      "'" + std::string(op.name) + "' has no attribute '" + what + "'" +
                          (!older.empty()      ? std::string(older)
                           : report.is_heard() ? attribute_meant(what, op, code)
                                               : ""));
    }
    return attributes;
}

}  // namespace okksim::sim::graph
