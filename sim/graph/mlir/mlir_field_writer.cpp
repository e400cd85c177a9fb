// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/mlir/mlir_field_writer.h"

#include <array>
#include <type_traits>

#include "sim/graph/element.h"
#include "sim/graph/mlir/mlir_fields.h"
#include "sim/graph/mlir/mlir_text_out.h"

namespace okksim::sim::graph {

namespace {

/// Writes "name = value" for each field.
class FieldWriter {
 public:
    FieldWriter(std::string& text, DType type) : text_(text), type_(type) {}

    void operator()(std::string_view name, std::int32_t field) {
        put(name, std::to_string(field) + " : i32");
    }
    void operator()(std::string_view name, bool field) {
        if (name == "local_bound" && !field) return;
        put(name, field ? "true" : "false");
    }
    template <std::size_t N>
    void operator()(std::string_view name, const std::array<std::int32_t, N>& field) {
        put_list(name, field, "i64");
    }
    void operator()(std::string_view name, const std::vector<std::int32_t>& field) {
        put_list(name, field, "i32");
    }
    void operator()(std::string_view name, DType field) {
        put(name, std::string(element_word(field)));
    }
    template <typename Mode>
    requires std::is_enum_v<Mode>
    void operator()(std::string_view name, Mode field) {
        if (mode_word(field).empty()) return;
        put(name,
            "#tosa." + std::string(mode_type(field)) + "<" + std::string(mode_word(field)) + ">");
    }
    void operator()(std::string_view name, const ElementBytes& field) {
        const auto data = std::as_bytes(std::span(field.bytes));
        std::string value;
        if (is_floating_point(type_)) {
            value = "0x";
            // In files, padding may follow the bytes.
            for (auto i = static_cast<std::size_t>(storage_bits(type_)) / 8; i > 0; --i) {
                value += hex_byte(field.bytes[i - 1]);
            }
        } else {
            value = std::to_string(integer_element(data, type_, 0));
        }
        put(name, value + " : " + std::string(element_word(type_)));
    }
    void operator()(std::string_view name, const std::string& field) {
        put(name, quoted_text(field));
    }
    void operator()(std::string_view name, const std::vector<std::uint8_t>& field) {
        put(name, quoted_text({reinterpret_cast<const char*>(field.data()), field.size()}));
    }

 private:
    void put(std::string_view name, const std::string& value) {
        text_ += (text_.empty() ? "" : ", ") + std::string(name) + " = " + value;
    }
    template <typename List>
    void put_list(std::string_view name, const List& list, const char* type) {
        std::string value = std::string("array<") + type;
        for (std::size_t i = 0; i < list.size(); ++i) {
            value += (i == 0 ? ": " : ", ") + std::to_string(list[i]);
        }
        put(name, value + ">");
    }

    std::string& text_;
    DType type_;
};

}  // namespace

void append_fields(std::string& text, const Attributes& attributes, DType type) {
    std::visit([&](const auto& a) { visit_fields(a, FieldWriter(text, type)); }, attributes);
}

}  // namespace okksim::sim::graph
