// SPDX-License-Identifier: Apache-2.0
#include "sim/zoo/xmodel_networks.h"

#include <algorithm>
#include <map>

#include "isa/base/errors.h"
#include "sim/graph/element.h"
#include "sim/graph/xmodel/xmodel_writer.h"

namespace okksim::sim::zoo {

using namespace graph;

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

    /// Returns a constant operand. Shape and order follow existing .xmodel files.
    std::string constant(TensorIndex index, bool is_depthwise = false) {
        const Tensor& tensor = main_.tensors[index];
        if (!tensor.has_data)
            throw ConfigError(tensor.name, "must be a constant in a .xmodel file");
        if (!written_.insert({index, true}).second) return tensor.name;
        if (!is_depthwise) {
            writer_.constant("const", tensor.name, result(index), tensor.data);
            return tensor.name;
        }
        // Reorders [kh,kw,C,M] to [M,kh,kw,C].
        const auto taps =
            static_cast<std::size_t>(tensor.shape[0] * tensor.shape[1] * tensor.shape[2]);
        const auto multiplier = static_cast<std::size_t>(tensor.shape[3]);
        std::vector<std::byte> data(tensor.data.size());
        const std::size_t size = type(index).bytes();
        for (std::size_t i = 0; i < taps * multiplier; ++i) {
            const std::size_t to = i % multiplier * taps + i / multiplier;
            std::copy_n(tensor.data.bytes().begin() + static_cast<std::ptrdiff_t>(size * i), size,
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
            // Windows of existing .xmodel files skip the elements that this SLICE removes.
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
            default:
                throw ConfigError(std::string(op_name(op.op)),
                                  "has no operator in .xmodel files: --form xmodel writes the "
                                  "convolutional networks in floating point");
        }
    }

    const Block& main_;
    XmodelWriter writer_;
    std::map<TensorIndex, bool> written_;
    std::map<TensorIndex, TensorIndex> whole_;  ///< result of a SLICE to its input
};

}  // namespace

std::vector<std::uint8_t> write_xmodel(const Graph& graph) { return GraphWriter(graph).write(); }

}  // namespace okksim::sim::zoo
