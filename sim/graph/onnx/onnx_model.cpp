// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/onnx/onnx_model.h"

#include "sim/graph/graph_errors.h"
#include "sim/graph/protobuf/protobuf_fields.h"

namespace okksim::sim::graph::onnx {

namespace {

using Bytes = std::span<const std::byte>;

/// Unpacks messages. The path of the message under way is kept for error messages.
class ModelReader {
 public:
    explicit ModelReader(const GraphSource& source) : source_(source) {}

    Model read() { return read_file<Model>(&ModelReader::model_field); }
    TensorProto read_tensor() { return read_file<TensorProto>(&ModelReader::tensor_field); }

 private:
    template <typename Whole>
    Whole read_file(void (ModelReader::*read)(const ProtobufFields&, Whole&)) {
        Whole whole;
        try {
            read_message(source_.bytes, [&](const ProtobufFields& f) { (this->*read)(f, whole); });
        } catch (const ProtobufDamage& damage) {
            throw GraphFileError(source_.name, path(), offset(damage.at()),
                                 std::string(damage.what()) + kFetchOrCorrect);
        }
        return whole;
    }

    // Each part of a message takes memory: a hostile file has millions of empty ones.
    static constexpr std::size_t kMostParts = 4'000'000;
    // Graphs of control flow contain graphs. Exporters nest a few.
    static constexpr int kMostDepth = 100;

    [[noreturn]] void fail(const std::string& message) const {
        throw GraphFileError(source_.name, path(), std::nullopt, message);
    }

    std::uint64_t offset(const std::byte* at) const {
        return static_cast<std::uint64_t>(at - source_.bytes.data());
    }

    std::string path() const {
        std::string text;
        for (const std::string_view part : path_)
            text += (text.empty() ? "" : ".") + std::string(part);
        return text;
    }

    template <typename Visit>
    void read_message(Bytes bytes, Visit&& visit) {
        for (ProtobufFields fields(bytes); fields.next();) visit(fields);
    }

    /// Reads a message in a field: `read(fields, part)` for each of its fields.
    template <typename Part>
    void read_part(const ProtobufFields& field, std::string_view name, Part& part,
                   void (ModelReader::*read)(const ProtobufFields&, Part&)) {
        if (++parts_ > kMostParts) {
            fail("the file has more than " + std::to_string(kMostParts) + " nodes and values");
        }
        path_.push_back(name);
        if (path_.size() > kMostDepth) {
            path_.resize(6);
            fail("graphs are nested more than " + std::to_string(kMostDepth / 3) +
                 " times; simplify the model");
        }
        read_message(field.bytes(), [&](const ProtobufFields& f) { (this->*read)(f, part); });
        path_.pop_back();
    }
    template <typename Part>
    void add_part(const ProtobufFields& field, std::string_view name, std::vector<Part>& parts,
                  void (ModelReader::*read)(const ProtobufFields&, Part&)) {
        read_part(field, name, parts.emplace_back(), read);
    }
    template <typename Part>
    void set_part(const ProtobufFields& field, std::string_view name, std::unique_ptr<Part>& part,
                  void (ModelReader::*read)(const ProtobufFields&, Part&)) {
        if (part == nullptr) part = std::make_unique<Part>();
        read_part(field, name, *part, read);
    }

    static std::string_view domain_of(std::string_view text) {
        return text == "ai.onnx" ? std::string_view() : text;
    }

    void model_field(const ProtobufFields& f, Model& model) {
        switch (f.number()) {
            case 1: model.ir_version = static_cast<std::int64_t>(f.integer()); break;
            case 2: model.producer = f.text(); break;
            case 7:
                model.has_graph = true;
                read_part(f, "graph", model.graph, &ModelReader::graph_field);
                break;
            case 8: add_opset(f, model.opsets); break;
            case 25: add_part(f, "functions", model.functions, &ModelReader::function_field); break;
            default: break;
        }
    }

    void add_opset(const ProtobufFields& field, OpsetVersions& opsets) {
        std::string_view domain;
        std::int64_t version = 0;
        read_message(field.bytes(), [&](const ProtobufFields& f) {
            if (f.number() == 1) domain = domain_of(f.text());
            if (f.number() == 2) version = static_cast<std::int64_t>(f.integer());
        });
        const auto [place, is_new] = opsets.emplace(domain, version);
        if (!is_new) place->second = std::max(place->second, version);
    }

    void graph_field(const ProtobufFields& f, GraphProto& graph) {
        switch (f.number()) {
            case 1: add_part(f, "node", graph.nodes, &ModelReader::node_field); break;
            case 2: graph.name = f.text(); break;
            case 5:
                add_part(f, "initializer", graph.initializers, &ModelReader::tensor_field);
                break;
            case 11: add_part(f, "input", graph.inputs, &ModelReader::value_field); break;
            case 12: add_part(f, "output", graph.outputs, &ModelReader::value_field); break;
            case 13: add_part(f, "value_info", graph.value_info, &ModelReader::value_field); break;
            case 15:
                add_part(f, "sparse_initializer", graph.sparse_initializers,
                         &ModelReader::sparse_field);
                break;
            default: break;
        }
    }

    void node_field(const ProtobufFields& f, NodeProto& node) {
        switch (f.number()) {
            case 1: node.inputs.push_back(f.text()); break;
            case 2: node.outputs.push_back(f.text()); break;
            case 3: node.name = f.text(); break;
            case 4: node.op_type = f.text(); break;
            case 5: add_part(f, "attribute", node.attributes, &ModelReader::attribute_field); break;
            case 7: node.domain = domain_of(f.text()); break;
            case 8: node.overload = f.text(); break;
            default: break;
        }
    }

    void attribute_field(const ProtobufFields& f, AttributeProto& attribute) {
        switch (f.number()) {
            case 1: attribute.name = f.text(); break;
            case 2: attribute.f = f.real32(); break;
            case 3: attribute.i = static_cast<std::int64_t>(f.integer()); break;
            case 4: attribute.s = f.text(); break;
            case 5: set_part(f, "t", attribute.tensor, &ModelReader::tensor_field); break;
            case 6: set_part(f, "g", attribute.graph, &ModelReader::graph_field); break;
            case 7: f.append_reals(attribute.floats); break;
            case 8: f.append_integers(attribute.ints); break;
            case 9: attribute.strings.push_back(f.text()); break;
            case 20: attribute.type = type_of(f.integer()); break;
            case 21: attribute.reference = f.text(); break;
            case 22:
                set_part(f, "sparse_tensor", attribute.sparse_tensor, &ModelReader::sparse_field);
                break;
            default: break;
        }
    }

    static AttributeType type_of(std::uint64_t number) {
        return number <= static_cast<std::uint64_t>(AttributeType::kSparseTensor)
                   ? static_cast<AttributeType>(number)
                   : AttributeType::kUndefined;
    }

    void tensor_field(const ProtobufFields& f, TensorProto& tensor) {
        switch (f.number()) {
            case 1: f.append_integers(tensor.dims); break;
            case 2: tensor.data_type = static_cast<std::int64_t>(f.integer()); break;
            case 4: f.append_reals(tensor.floats); break;
            case 5:
            case 7:
            case 11: f.append_integers(tensor.integers); break;
            case 6: ++tensor.strings; break;
            case 8: tensor.name = f.text(); break;
            case 9: tensor.raw_data = f.bytes(); break;
            case 10: f.append_doubles(tensor.doubles); break;
            case 13: add_external(f, tensor); break;
            case 14: tensor.is_external = f.integer() == 1; break;
            default: break;
        }
    }

    void add_external(const ProtobufFields& field, TensorProto& tensor) {
        std::string_view key, value;
        read_message(field.bytes(), [&](const ProtobufFields& f) {
            if (f.number() == 1) key = f.text();
            if (f.number() == 2) value = f.text();
        });
        tensor.external[key] = value;
    }

    void sparse_field(const ProtobufFields& f, SparseTensorProto& tensor) {
        switch (f.number()) {
            case 1: read_part(f, "values", tensor.values, &ModelReader::tensor_field); break;
            case 2: read_part(f, "indices", tensor.indices, &ModelReader::tensor_field); break;
            case 3: f.append_integers(tensor.dims); break;
            default: break;
        }
    }

    void value_field(const ProtobufFields& f, ValueInfo& value) {
        if (f.number() == 1) value.name = f.text();
        if (f.number() == 2) read_part(f, "type", value, &ModelReader::type_field);
    }

    void type_field(const ProtobufFields& f, ValueInfo& value) {
        switch (f.number()) {
            case 1:
                value.is_tensor = true;
                read_part(f, "tensor_type", value, &ModelReader::tensor_type_field);
                break;
            case 4: value.kind = "sequence"; break;
            case 5: value.kind = "map"; break;
            case 8: value.kind = "sparse tensor"; break;
            case 9: value.kind = "optional"; break;
            default: break;
        }
    }

    void tensor_type_field(const ProtobufFields& f, ValueInfo& value) {
        if (f.number() == 1) value.element_type = static_cast<std::int64_t>(f.integer());
        if (f.number() != 2) return;
        value.has_shape = true;
        read_message(f.bytes(), [&](const ProtobufFields& shape) {
            if (shape.number() == 1) add_dimension(shape, value.dims);
        });
    }

    void add_dimension(const ProtobufFields& field, std::vector<Dimension>& dims) {
        Dimension dimension;
        read_message(field.bytes(), [&](const ProtobufFields& f) {
            if (f.number() == 1) dimension.value = static_cast<std::int64_t>(f.integer());
            if (f.number() == 2) dimension.name = f.text();
        });
        dims.push_back(dimension);
    }

    void function_field(const ProtobufFields& f, FunctionProto& function) {
        switch (f.number()) {
            case 1: function.name = f.text(); break;
            case 4: function.inputs.push_back(f.text()); break;
            case 5: function.outputs.push_back(f.text()); break;
            case 7: add_part(f, "node", function.nodes, &ModelReader::node_field); break;
            case 9: add_opset(f, function.opsets); break;
            case 10: function.domain = domain_of(f.text()); break;
            case 11:
                add_part(f, "attribute", function.defaults, &ModelReader::attribute_field);
                break;
            case 13: function.overload = f.text(); break;
            default: break;
        }
    }

    const GraphSource& source_;
    std::vector<std::string_view> path_;
    std::size_t parts_ = 0;
};

}  // namespace

TensorProto read_tensor_file(const GraphSource& source) {
    return ModelReader(source).read_tensor();
}

Model read_model(const GraphSource& source) { return ModelReader(source).read(); }

}  // namespace okksim::sim::graph::onnx
