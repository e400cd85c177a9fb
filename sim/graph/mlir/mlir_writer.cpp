// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/mlir/mlir_writer.h"

#include <deque>
#include <unordered_map>
#include <unordered_set>

#include "isa/base/output_file.h"
#include "sim/files/mapped_file.h"
#include "sim/graph/captures.h"
#include "sim/graph/mlir/mlir_dense_writer.h"
#include "sim/graph/mlir/mlir_field_writer.h"
#include "sim/graph/mlir/mlir_fields.h"
#include "sim/graph/mlir/mlir_names.h"
#include "sim/graph/mlir/mlir_text_out.h"
#include "sim/graph/name_index.h"

namespace okksim::sim::graph {

namespace {

class MlirWriter {
 public:
    MlirWriter(const Graph& graph, TextOut& text) : graph_(graph), text_(text) {}

    void write() {
        text_ += "module ";
        if (lacks_locations()) text_ += "attributes {" + std::string(kLocationsNote) + "} ";
        text_ += "{\n";
        for (const Variable& variable : graph_.variables) write_variable(variable);
        const Block& main = graph_.main();
        names_.reserve(main.tensors.size());
        used_names_.reserve(main.tensors.size());
        Names names = name_values(main, nullptr, nullptr, nullptr);
        text_ += "  func.func @main(";
        for (std::size_t i = 0; i < main.inputs.size(); ++i) {
            const Tensor& tensor = main.tensors[main.inputs[i]];
            text_ += (i == 0 ? "%" : ", %") + names[main.inputs[i]] + ": " + noted_type(tensor);
        }
        text_ += ") -> (";
        for (std::size_t i = 0; i < main.outputs.size(); ++i) {
            text_ += (i == 0 ? "" : ", ") + noted_type(main.tensors[main.outputs[i]]);
        }
        text_ += ") {\n";
        write_operators(main, names, "    ");
        write_terminator(main, names, "    \"func.return\"");
        text_ += "  }\n}\n";
    }

 private:
    using Names = std::vector<Name>;  ///< of a block's tensors, without the sign

    bool lacks_locations() const {
        for (const Region& region : graph_.regions) {
            for (const Block& block : region.blocks) {
                for (const Operator& op : block.operators) {
                    if (op.location.empty()) return true;
                }
            }
        }
        return false;
    }

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

    static std::string noted_type(const Tensor& tensor) {
        if (tensor.words == FileWords::kNone) return type_text(tensor);
        return type_text(tensor) + " {" + std::string(kElementsNote) + " = " +
               std::string(words_text(tensor.words)) + "}";
    }

    /// Readers of text add the sign to the names of variables' tensors.
    static std::string symbol(const std::string& name) {
        return name.starts_with('@') ? name.substr(1) : name;
    }

    /// Chooses the names of a block's values. A valid and free name is kept. A captured value has
    /// the name that it has in the enclosing block.
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

    /// Releases the pages of names that have been written, to save host memory.
    void forget_names() {
        constexpr std::uint32_t kStep = 1 << 16;
        if (++passed_ % kStep == 0) unmap_files();
    }

    Name fresh_name(const Name& wanted) {
        forget_names();
        const std::string name = encode_value_name(wanted);
        if (use_name(name == wanted.view() ? wanted : made_name(name))) return names_.back();
        // The number of copies so far; the next copy's name is usually free.
        std::uint64_t& copies = copies_[wanted];
        while (!use_name(made_name(encode_value_name(wanted, ++copies)))) {
        }
        return names_.back();
    }

    Name made_name(std::string name) { return Name(made_names_.emplace_back(std::move(name))); }

    /// Returns false if the name is taken.
    bool use_name(const Name& name) {
        names_.push_back(name);
        if (used_names_.insert(static_cast<std::uint32_t>(names_.size() - 1))) return true;
        names_.pop_back();
        return false;
    }

    void write_operators(const Block& block, const Names& names, const std::string& indent) {
        for (std::size_t i = 0; i < block.tensors.size(); ++i) {
            const Tensor& tensor = block.tensors[i];
            // Writes constants that have no separate operator.
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
        forget_names();
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
        append_fields(fields, op.attributes, type);
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
        if (regions.empty()) return;
        text_ += "})";
        std::string notes;
        for (std::size_t i = 0; i < regions.size(); ++i) {
            notes += (i == 0 ? " {" : ", ") + block_note(i) + " = " +
                     quoted_text(graph_.block(regions[i]->block).name);
        }
        text_ += notes + "}";
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
    std::vector<Name> names_;  ///< all used names
    NameIndex<UsedNames> used_names_{UsedNames{names_}};
    std::deque<std::string> made_names_;  ///< used names that are not names of the graph
    std::unordered_map<std::string, std::uint64_t> copies_;
    std::unordered_set<std::string_view> written_;  ///< constants
    std::uint32_t passed_ = 0;                      ///< values and operators
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
