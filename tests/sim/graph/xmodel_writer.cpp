// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/graph/xmodel_writer.h"

#include <map>
#include <stdexcept>

#include "sim/graph/element.h"

namespace okksim::tests {

using namespace sim::graph;

namespace {

void set(xmodel::Attribute& to, bool value) { to.set_flag(value); }
void set(xmodel::Attribute& to, std::int64_t value) {
    to.set_int32(static_cast<std::int32_t>(value));
}
void set(xmodel::Attribute& to, double value) { to.set_float32(static_cast<float>(value)); }
void set(xmodel::Attribute& to, const std::string& value) { to.set_text(value); }
void set(xmodel::Attribute& to, const Shape& values) {
    to.mutable_int32_list();
    for (const std::int64_t value : values) {
        to.mutable_int32_list()->add_values(static_cast<std::int32_t>(value));
    }
}
void set(xmodel::Attribute& to, const std::vector<double>& values) {
    to.mutable_float_list();
    for (const double value : values) {
        to.mutable_float_list()->add_values(static_cast<float>(value));
    }
}

template <typename Entries>
void add(Entries& entries, const std::string& key, const XmodelAttribute& value) {
    xmodel::AttributeEntry& entry = *entries.Add();
    entry.set_key(key);
    std::visit([&](const auto& held) { set(*entry.mutable_value(), held); }, value);
}

void set_output(xmodel::Node& node, const XmodelResult& result) {
    xmodel::Output& output = *node.mutable_output();
    output.set_name(node.name());
    for (const std::int64_t size : result.shape) {
        output.add_dimensions(static_cast<std::uint32_t>(size));
    }
    output.set_kind(static_cast<std::int32_t>(result.type.kind));
    output.set_bits(result.type.bits);
    if (!result.fix_point) return;
    add(*output.mutable_attributes(), "fix_point", std::int64_t{*result.fix_point});
    add(*output.mutable_attributes(), "round_mode", result.round_mode);
}

}  // namespace

void XmodelWriter::node(const std::string& type, const std::string& name,
                        const XmodelArguments& arguments, const XmodelAttributes& attributes,
                        const XmodelResult& result) {
    xmodel::Node& node = *file_.add_nodes();
    node.set_name(name);
    node.set_type(type);
    for (const auto& [argument, nodes] : arguments) {
        xmodel::Argument& list = *node.add_arguments();
        list.set_name(argument);
        for (const std::string& each : nodes) list.add_nodes(each);
    }
    for (const auto& [key, value] : attributes) add(*node.mutable_attributes(), key, value);
    set_output(node, result);
}

void XmodelWriter::constant(const std::string& type, const std::string& name,
                            const XmodelResult& result, std::span<const std::byte> data) {
    node(type, name, {}, {}, result);
    xmodel::AttributeEntry& entry = *file_.mutable_nodes(file_.nodes_size() - 1)->add_attributes();
    entry.set_key("data");
    entry.mutable_value()->mutable_bytes()->set_value(
        std::string(reinterpret_cast<const char*>(data.data()), data.size()));
}

std::vector<std::uint8_t> XmodelWriter::bytes() const {
    const std::string text = file_.SerializeAsString();
    return {text.begin(), text.end()};
}

namespace {

/// Writes one graph.
class GraphWriter {
 public:
    explicit GraphWriter(const Graph& graph) : main_(graph.main()) {}

    std::vector<std::uint8_t> write() {
        for (const TensorIndex input : main_.inputs) {
            writer_.node("data", name(input), {}, {}, result(input));
        }
        for (const Operator& op : main_.operators) write(op);
        return writer_.bytes();
    }

 private:
    std::string name(TensorIndex tensor) const {
        const auto same = whole_.find(tensor);
        return main_.tensors[same == whole_.end() ? tensor : same->second].name;
    }
    xmodel::ElementType type(TensorIndex tensor) const {
        return {xmodel::ElementKind::kFloat, storage_bits(main_.tensors[tensor].type)};
    }
    XmodelResult result(TensorIndex tensor) const {
        return {type(tensor), main_.tensors[tensor].shape};
    }

    /// A constant operand, in another shape or order where files in use have it so.
    std::string constant(TensorIndex index, bool is_depthwise = false) {
        const Tensor& tensor = main_.tensors[index];
        if (!tensor.has_data) throw std::runtime_error(tensor.name + " is no constant");
        if (!written_.insert({index, true}).second) return tensor.name;
        if (!is_depthwise) {
            writer_.constant("const", tensor.name, result(index), tensor.data);
            return tensor.name;
        }
        // [kh,kw,C,M] as [M,kh,kw,C].
        const auto taps =
            static_cast<std::size_t>(tensor.shape[0] * tensor.shape[1] * tensor.shape[2]);
        const auto multiplier = static_cast<std::size_t>(tensor.shape[3]);
        std::vector<std::byte> data(tensor.data.size());
        const std::size_t size = type(index).bytes();
        for (std::size_t i = 0; i < taps * multiplier; ++i) {
            const std::size_t to = i % multiplier * taps + i / multiplier;
            std::copy_n(tensor.data.begin() + static_cast<std::ptrdiff_t>(size * i), size,
                        data.begin() + static_cast<std::ptrdiff_t>(size * to));
        }
        XmodelResult packed{type(index),
                            {tensor.shape[3], tensor.shape[0], tensor.shape[1], tensor.shape[2]}};
        writer_.constant("const", tensor.name, packed, data);
        return tensor.name;
    }

    template <typename A>
    static XmodelAttributes windows(const A& a) {
        return {{"pad", Shape{a.pad[2], a.pad[3], a.pad[0], a.pad[1]}},
                {"stride", Shape{a.stride[1], a.stride[0]}},
                {"pad_mode", std::string("FLOOR")}};
    }
    template <typename A>
    static XmodelAttributes pool(const A& a) {
        XmodelAttributes attributes = windows(a);
        attributes.push_back({"kernel", Shape{a.kernel[1], a.kernel[0]}});
        attributes.push_back({"count_include_pad", false});
        return attributes;
    }
    void unary(const Operator& op, const std::string& type, const XmodelAttributes& attributes) {
        writer_.node(type, name(op.outputs[0]), {{"input", {name(op.inputs[0])}}}, attributes,
                     result(op.outputs[0]));
    }
    void convolution(const Operator& op, const std::string& type, XmodelAttributes attributes,
                     bool is_depthwise) {
        const std::string weights = constant(op.inputs[1], is_depthwise);
        const std::string bias = constant(op.inputs[2]);
        writer_.node(type, name(op.outputs[0]),
                     {{"input", {name(op.inputs[0])}}, {"weights", {weights}}, {"bias", {bias}}},
                     attributes, result(op.outputs[0]));
    }
    void clamp(const Operator& op) {
        const auto& a = op.attributes_as<ClampAttributes>();
        std::uint32_t top = 0;
        const DType elements = main_.tensors[op.inputs[0]].type;
        for (std::size_t i = a.max_val.size; i-- > 0;) top = top << 8 | a.max_val.bytes[i];
        const double limit = decode_float(elements, top);
        unary(op, limit == 6.0 ? "relu6" : "relu", {});
    }

    void write(const Operator& op) {
        switch (op.op) {
            case OpCode::kConst:
            case OpCode::kConstShape: return;
            // Windows of files in use leave out by themselves what is cut off here.
            case OpCode::kSlice: whole_.emplace(op.outputs[0], op.inputs[0]); return;
            case OpCode::kConv2d: {
                const auto& a = op.attributes_as<Conv2dAttributes>();
                return convolution(op, "conv2d", windows(a), false);
            }
            case OpCode::kDepthwiseConv2d: {
                const auto& a = op.attributes_as<DepthwiseConv2dAttributes>();
                return convolution(op, "depthwise-conv2d", windows(a), true);
            }
            case OpCode::kAvgPool2d:
                return unary(op, "avgpool2d", pool(op.attributes_as<AvgPool2dAttributes>()));
            case OpCode::kMaxPool2d:
                return unary(op, "maxpool2d", pool(op.attributes_as<MaxPool2dAttributes>()));
            case OpCode::kClamp: return clamp(op);
            case OpCode::kReshape:
                return unary(op, "reshape", {{"shape", main_.tensors[op.outputs[0]].shape}});
            case OpCode::kAdd:
                return writer_.node("add", name(op.outputs[0]),
                                    {{"input", {name(op.inputs[0]), name(op.inputs[1])}}}, {},
                                    result(op.outputs[0]));
            default: throw std::runtime_error(std::string(op_name(op.op)) + " is not written");
        }
    }

    const Block& main_;
    XmodelWriter writer_;
    std::map<TensorIndex, bool> written_;
    std::map<TensorIndex, TensorIndex> whole_;  ///< results of SLICE, and what they are cut from
};

}  // namespace

std::vector<std::uint8_t> write_xmodel(const Graph& graph) { return GraphWriter(graph).write(); }

std::vector<std::vector<std::uint8_t>> sample_xmodels() {
    using xmodel::ElementKind;
    const std::vector<std::byte> weights(2 * 3 * 3 * 3, std::byte{1});
    std::vector<std::vector<std::uint8_t>> files;
    for (const ElementKind kind : {ElementKind::kInt, ElementKind::kFixed}) {
        const xmodel::ElementType type{kind, 8};
        XmodelWriter file;
        file.node("Input", "x", {}, {}, {type, {1, 3, 6, 6}, 4});
        file.constant("Const", "w", {type, {2, 3, 3, 3}, 3}, weights);
        file.node("Conv2d", "c", {{"input", {"x"}}, {"weights", {"w"}}},
                  {{"strides", Shape{2, 2}}, {"pad_mode", std::string("SAME")}},
                  {type, {1, 2, 3, 3}, 2});
        file.node("Pad", "p", {{"input", {"c"}}},
                  {{"pad_with", Shape{0, 0, 0, 0, 1, 2, 2, 1}}, {"mode", std::string("SYMMETRIC")}},
                  {type, {1, 2, 6, 6}, 2});
        file.node("Output", "out", {{"input", {"p"}}}, {}, {type, {1, 2, 6, 6}, 2});
        files.push_back(file.bytes());
    }
    XmodelWriter file;
    file.node("data", "x", {}, {}, {{ElementKind::kFloat, 32}, {1, 6, 6, 3}});
    file.node("avgpool2d", "a", {{"input", {"x"}}},
              {{"kernel", Shape{3, 3}}, {"stride", Shape{2, 2}}, {"pad_mode", std::string("CEIL")}},
              {{ElementKind::kFloat, 32}, {1, 3, 3, 3}});
    file.node("reduction_mean", "m", {{"input", {"a"}}}, {{"axis", Shape{1, 2}}},
              {{ElementKind::kFloat, 32}, {1, 3}});
    files.push_back(file.bytes());
    return files;
}

}  // namespace okksim::tests
