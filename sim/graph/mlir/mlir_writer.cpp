// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/mlir/mlir_writer.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>

#include "isa/errors.h"
#include "isa/output_file.h"
#include "sim/graph/captures.h"
#include "sim/graph/element.h"
#include "sim/graph/mlir/mlir_fields.h"
#include "sim/graph/mlir/mlir_names.h"
#include "sim/graph/name_index.h"

namespace okksim::sim::graph {

namespace {

/// Integers of at most so many elements are written as numbers.
constexpr std::uint64_t kMostNumbers = 16;
constexpr std::string_view kHexDigits = "0123456789ABCDEF";

std::string hex_byte(std::uint8_t byte) { return {kHexDigits[byte >> 4], kHexDigits[byte & 15]}; }

std::string quoted_text(std::string_view bytes) {
    std::string text = "\"";
    for (const char c : bytes) {
        if (c >= ' ' && c < '\x7f' && c != '"' && c != '\\') {
            text += c;
        } else {
            text += "\\" + hex_byte(static_cast<std::uint8_t>(c));
        }
    }
    return text + "\"";
}

std::string type_text(DType type, const Shape& shape, bool is_unsigned) {
    if (type == DType::kShape) {
        return "!tosa.shape<" + std::to_string(shape.empty() ? 0 : shape[0]) + ">";
    }
    std::string text = "tensor<";
    for (const std::int64_t dimension : shape) text += std::to_string(dimension) + "x";
    return text + (is_unsigned ? "u" : "") + std::string(element_word(type)) + ">";
}
std::string type_text(const Tensor& tensor) {
    return type_text(tensor.type, tensor.shape, tensor.is_unsigned);
}

/// Text on its way to a file, or all of it where there is no file.
class TextOut {
 public:
    TextOut() = default;
    explicit TextOut(OutputFile& file) : file_(&file) {}

    TextOut& operator+=(std::string_view more) {
        text_ += more;
        if (file_ != nullptr && text_.size() >= kPiece) flush();
        return *this;
    }
    void flush() {
        file_->write(text_);
        text_.clear();
    }
    std::string take() { return std::move(text_); }

 private:
    static constexpr std::size_t kPiece = 1 << 20;

    OutputFile* file_ = nullptr;
    std::string text_;
};

/// Nested lists of the elements of a shape from dimension `axis` on.
void append_numbers(TextOut& text, const Shape& shape, std::size_t axis, std::uint64_t& next,
                    const ConstantData& data, DType type) {
    if (axis == shape.size()) {
        text += std::to_string(integer_element(data, type, next++));
        return;
    }
    text += "[";
    for (std::int64_t i = 0; i < shape[axis]; ++i) {
        if (i > 0) text += ", ";
        append_numbers(text, shape, axis + 1, next, data, type);
    }
    text += "]";
}

void append_hex(TextOut& text, std::span<const std::byte> data) {
    constexpr std::size_t kPiece = 64 << 10;
    std::string digits;
    text += "\"0x";
    for (std::size_t at = 0; at < data.size(); at += kPiece) {
        digits.clear();
        for (const std::byte byte : data.subspan(at, std::min(kPiece, data.size() - at))) {
            digits += kHexDigits[std::to_integer<std::uint8_t>(byte >> 4)];
            digits += kHexDigits[std::to_integer<std::uint8_t>(byte & std::byte{15})];
        }
        text += digits;
    }
    text += "\"";
}

/// All elements are the same one.
bool is_one_value(DType type, std::uint64_t count, const ConstantData& data) {
    if (data.repeated() != nullptr) return true;
    const std::span<const std::byte> bytes = data;
    if (type == DType::kI4) {
        for (std::uint64_t i = 1; i < count; ++i) {
            if (integer_element(bytes, type, i) != integer_element(bytes, type, 0)) return false;
        }
        return true;
    }
    const std::size_t each = storage_bytes(type, 1);
    return std::memcmp(bytes.data(), bytes.data() + each, (count - 1) * each) == 0;
}

/// One element, or a string of its bits where it is no integer.
void append_element(TextOut& text, DType type, const ConstantData& data) {
    if (!is_floating_point(type)) {
        text += std::to_string(integer_element(data, type, 0));
        return;
    }
    const std::span<const std::byte> bytes =
        data.repeated() != nullptr ? data.repeated()->element() : data.bytes();
    append_hex(text, bytes.first(storage_bytes(type, 1)));
}

/// "dense<...> : type". Constants may be large: nothing of them is copied.
void append_dense(TextOut& text, DType type, const Shape& shape, bool is_unsigned,
                  const ConstantData& data) {
    const std::uint64_t count = element_count(shape).value_or(0);
    const bool has_no_bytes = type == DType::kBool || type == DType::kI4 || type == DType::kShape;
    text += "dense<";
    if (count == 0) {
        text += shape.size() == 1 ? "[]" : "";
    } else if (count > kMostNumbers && is_one_value(type, count, data)) {
        append_element(text, type, data);
    } else if (!is_floating_point(type) && (has_no_bytes || count <= kMostNumbers)) {
        std::uint64_t next = 0;
        append_numbers(text, shape, 0, next, data, type);
    } else {
        append_hex(text, data.bytes().first(storage_bytes(type, count)));
    }
    // Shape values are tensors of index.
    text += "> : ";
    text += type == DType::kShape ? "tensor<" + std::to_string(count) + "xindex>"
                                  : type_text(type, shape, is_unsigned);
}

/// Writes "name = value" of each field.
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
            // Of files, the bytes may be followed by padding.
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

class MlirWriter {
 public:
    MlirWriter(const Graph& graph, TextOut& text) : graph_(graph), text_(text) {}

    void write() {
        text_ += "module {\n";
        for (const Variable& variable : graph_.variables) write_variable(variable);
        const Block& main = graph_.main();
        Names names = name_values(main, nullptr, nullptr, nullptr);
        text_ += "  func.func @main(";
        for (std::size_t i = 0; i < main.inputs.size(); ++i) {
            const Tensor& tensor = main.tensors[main.inputs[i]];
            text_ += (i == 0 ? "%" : ", %") + names[main.inputs[i]] + ": " + type_text(tensor);
        }
        text_ += ") -> (";
        for (std::size_t i = 0; i < main.outputs.size(); ++i) {
            text_ += (i == 0 ? "" : ", ") + type_text(main.tensors[main.outputs[i]]);
        }
        text_ += ") {\n";
        write_operators(main, names, "    ");
        write_terminator(main, names, "    \"func.return\"");
        text_ += "  }\n}\n";
    }

 private:
    using Names = std::vector<Name>;  ///< of a block's tensors, without the sign

    void write_variable(const Variable& variable) {
        text_ += "  tosa.variable @" + quoted_text(symbol(variable.name));
        if (variable.initial_value.empty()) {
            text_ += " : " + type_text(variable.type, variable.shape, false);
        } else {
            text_ += " = ";
            append_dense(text_, variable.type, variable.shape, false, variable.initial_value);
        }
        text_ += "\n";
    }

    /// Readers of text put the sign before the names of variables' tensors.
    static std::string symbol(const std::string& name) {
        return name.starts_with('@') ? name.substr(1) : name;
    }

    /// Names for the values of a block: its own where they are allowed and free, those of the
    /// enclosing block for values that it takes from there.
    Names name_values(const Block& block, const Block* outer, const Names* outer_names,
                      const SubGraph* use) {
        Names names(block.tensors.size());
        for (std::size_t i = 0; use != nullptr && i < use->captures.size(); ++i) {
            names[block.captures[i]] = (*outer_names)[use->captures[i]];
        }
        std::unordered_map<std::string_view, std::size_t> constants;
        for (std::size_t i = 0; outer != nullptr && i < outer->tensors.size(); ++i) {
            if (outer->tensors[i].has_data) constants.emplace(outer->tensors[i].name, i);
        }
        for (std::size_t i = 0; i < block.tensors.size(); ++i) {
            const Tensor& tensor = block.tensors[i];
            if (!names[i].empty() || tensor.variable) continue;
            if (tensor.has_data && !tensor.producer) {
                const auto same = constants.find(tensor.name);
                if (same != constants.end() &&
                    outer->tensors[same->second].data.identity() == tensor.data.identity()) {
                    names[i] = (*outer_names)[same->second];
                    continue;
                }
            }
            names[i] = fresh_name(tensor.name);
        }
        return names;
    }

    Name fresh_name(const Name& wanted) {
        const std::string name = encode_value_name(wanted);
        if (use_name(name == wanted.view() ? wanted : made_name(name))) return names_.back();
        // How often the name was taken: the next copy is mostly free.
        std::uint64_t& copies = copies_[wanted];
        while (!use_name(made_name(encode_value_name(wanted, ++copies)))) {
        }
        return names_.back();
    }

    Name made_name(std::string name) { return Name(made_names_.emplace_back(std::move(name))); }

    /// False when the name is taken.
    bool use_name(const Name& name) {
        names_.push_back(name);
        if (used_names_.insert(static_cast<std::uint32_t>(names_.size() - 1))) return true;
        names_.pop_back();
        return false;
    }

    void write_operators(const Block& block, const Names& names, const std::string& indent) {
        for (std::size_t i = 0; i < block.tensors.size(); ++i) {
            const Tensor& tensor = block.tensors[i];
            // Constants without an operator of their own.
            if (!tensor.has_data || tensor.producer || tensor.variable || tensor.is_capture ||
                !written_.insert(names[i]).second) {
                continue;
            }
            write_constant(tensor, names[i], indent);
        }
        for (const Operator& op : block.operators) write_operator(block, op, names, indent);
    }

    void write_constant(const Tensor& tensor, const Name& name, const std::string& indent,
                        const std::string& location = {}) {
        const char* op = tensor.type == DType::kShape ? "tosa.const_shape" : "tosa.const";
        text_ += indent + "%" + name + " = \"" + op + "\"() <{values = ";
        append_dense(text_, tensor.type, tensor.shape, tensor.is_unsigned, tensor.data);
        text_ += "}> : () -> " + type_text(tensor);
        if (!location.empty()) text_ += " loc(" + quoted_text(location) + ")";
        text_ += "\n";
    }

    void write_operator(const Block& block, const Operator& op, const Names& names,
                        const std::string& indent) {
        if (op.op == OpCode::kConst || op.op == OpCode::kConstShape) {
            const TensorIndex index = op.outputs[0];
            written_.insert(names[index]);
            return write_constant(block.tensors[index], names[index], indent, op.location);
        }
        text_ += indent;
        for (std::size_t i = 0; i < op.outputs.size(); ++i) {
            text_ += (i == 0 ? "%" : ", %") + names[op.outputs[i]];
        }
        text_ += (op.outputs.empty() ? "\"tosa." : " = \"tosa.") + operation_name(op.op) + "\"(" +
                 list(op.inputs, names) + ")";
        write_attributes(block, op);
        write_regions(block, op, names, indent);
        text_ += " : " + signature(block, op.inputs, op.outputs);
        if (!op.location.empty()) text_ += " loc(" + quoted_text(op.location) + ")";
        text_ += "\n";
    }

    void write_attributes(const Block& block, const Operator& op) {
        std::string fields;
        if (const auto* access = op.attributes_if<VariableAttributes>()) {
            fields = "name = " + quoted_text(symbol(graph_.variables[access->variable].name));
        }
        const DType type = op.inputs.empty() ? DType::kUnknown : block.tensors[op.inputs[0]].type;
        std::visit([&](const auto& a) { visit_fields(a, FieldWriter(fields, type)); },
                   op.attributes.get());
        if (!fields.empty()) text_ += " <{" + fields + "}>";
    }

    void write_regions(const Block& block, const Operator& op, const Names& names,
                       const std::string& indent) {
        const auto regions = sub_graphs(op);
        for (std::size_t i = 0; i < regions.size(); ++i) {
            const Block& inner = graph_.block(regions[i]->block);
            const Names inner_names = name_values(inner, &block, &names, regions[i]);
            text_ += i == 0 ? " ({\n" : "}, {\n";
            if (!inner.inputs.empty()) {
                text_ += indent + "^bb0(";
                for (std::size_t k = 0; k < inner.inputs.size(); ++k) {
                    text_ += (k == 0 ? "%" : ", %") + inner_names[inner.inputs[k]] + ": " +
                             type_text(inner.tensors[inner.inputs[k]]);
                }
                text_ += "):\n";
            }
            write_operators(inner, inner_names, indent + "  ");
            write_terminator(inner, inner_names, indent + "  \"tosa.yield\"");
            text_ += indent;
        }
        if (!regions.empty()) text_ += "})";
    }

    void write_terminator(const Block& block, const Names& names, const std::string& op) {
        text_ += op + "(" + list(block.outputs, names) +
                 ") : " + signature(block, block.outputs, {}) + "\n";
    }

    static std::string list(std::span<const TensorIndex> values, const Names& names) {
        std::string text;
        for (const TensorIndex value : values) text += (text.empty() ? "%" : ", %") + names[value];
        return text;
    }

    static std::string signature(const Block& block, std::span<const TensorIndex> inputs,
                                 std::span<const TensorIndex> outputs) {
        std::string text = "(";
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            text += (i == 0 ? "" : ", ") + type_text(block.tensors[inputs[i]]);
        }
        text += ") -> (";
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            text += (i == 0 ? "" : ", ") + type_text(block.tensors[outputs[i]]);
        }
        return text + ")";
    }

    const Graph& graph_;
    TextOut& text_;
    struct UsedNames {
        const std::vector<Name>& names;
        std::string_view operator()(std::uint32_t position) const { return names[position]; }
    };
    std::vector<Name> names_;  ///< all that are used
    NameIndex<UsedNames> used_names_{UsedNames{names_}};
    std::deque<std::string> made_names_;  ///< those of them that are no names of the graph
    std::unordered_map<std::string, std::uint64_t> copies_;
    std::unordered_set<std::string_view> written_;  ///< constants
};

}  // namespace

std::string write_mlir(const Graph& graph) {
    TextOut text;
    MlirWriter(graph, text).write();
    return text.take();
}

void save_mlir(const Graph& graph, const std::filesystem::path& path) {
    OutputFile file(path.string());
    TextOut text(file);
    MlirWriter(graph, text).write();
    text.flush();
    file.commit();
}

}  // namespace okksim::sim::graph
