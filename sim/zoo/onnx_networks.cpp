// SPDX-License-Identifier: Apache-2.0
#include "sim/zoo/onnx_networks.h"

#include <map>
#include <set>
#include <vector>

#include "isa/base/errors.h"
#include "sim/graph/element.h"
#include "sim/graph/host_tensor.h"

namespace okksim::sim::zoo {

using namespace graph;

namespace {

/// An encoded message of Protocol Buffers.
using Message = std::string;
using Names = std::vector<std::string>;

Message varint(std::uint64_t value) {
    Message bytes;
    for (; value > 127; value >>= 7) bytes += static_cast<char>((value & 127) | 128);
    return bytes + static_cast<char>(value);
}

Message number(std::uint64_t field, std::int64_t value) {
    return varint(field << 3) + varint(static_cast<std::uint64_t>(value));
}

Message part(std::uint64_t field, std::string_view bytes) {
    return varint(field << 3 | 2) + varint(bytes.size()) + Message(bytes);
}

Message attribute(std::string_view name, std::int64_t value) {
    constexpr int kInteger = 2;
    return part(5, part(1, name) + number(3, value) + number(20, kInteger));
}

Message attribute(std::string_view name, const Shape& values) {
    constexpr int kIntegers = 7;
    Message message = part(1, name);
    for (const std::int64_t value : values) message += number(8, value);
    return part(5, message + number(20, kIntegers));
}

std::int64_t element_type(DType type) {
    constexpr std::int64_t kFloat = 1, kInt64 = 7, kFloat16 = 10;
    if (type == DType::kShape) return kInt64;
    if (type != DType::kFp32 && type != DType::kFp16) {
        throw ConfigError("precision", "--form onnx writes fp32 and fp16 networks");
    }
    return type == DType::kFp32 ? kFloat : kFloat16;
}

Shape channels_first(const Shape& shape) {
    return shape.size() == 4 ? Shape{shape[0], shape[3], shape[1], shape[2]} : shape;
}

/// Writes one graph. Feature maps have the order N, C, H, W; names of other orders have a suffix.
class OnnxWriter {
 public:
    OnnxWriter(const Graph& graph, OnnxBias bias) : main_(graph.main()), bias_(bias) {}

    std::string write() {
        for (const TensorIndex input : main_.inputs) add_input(input);
        for (const Operator& op : main_.operators) write(op);
        for (const TensorIndex output : main_.outputs) add_output(output);
        const Message graph = part(2, "network") + nodes_ + weights_ + ends_;
        constexpr std::int64_t kIrVersion = 8, kOperatorSet = 17;
        return number(1, kIrVersion) + part(2, "okksim zoo") + part(7, graph) +
               part(8, part(1, "") + number(2, kOperatorSet));
    }

 private:
    const Tensor& tensor(TensorIndex index) const { return main_.tensors[index]; }
    bool is_map(TensorIndex index) const { return tensor(index).shape.get().size() == 4; }

    /// Returns the name of a run-time operand.
    std::string name(TensorIndex index) const {
        const auto other = names_.find(index);
        if (other != names_.end()) return other->second;
        if (tensor(index).has_data) {
            throw ConfigError(tensor(index).name, "is a constant operand, which --form onnx lacks");
        }
        return std::string(tensor(index).name);
    }

    std::string node(std::string_view type, const Names& inputs, const std::string& output,
                     const Message& attributes = {}) {
        Message message;
        for (const std::string& input : inputs) message += part(1, input);
        nodes_ += part(1, message + part(2, output) + part(3, output) + part(4, type) + attributes);
        return output;
    }

    Message end(TensorIndex index) const {
        Message dimensions;
        for (const std::int64_t size : tensor(index).shape.get()) {
            dimensions += part(1, number(1, size));
        }
        const Message type = number(1, element_type(tensor(index).type)) + part(2, dimensions);
        return part(1, tensor(index).name) + part(2, part(1, type));
    }

    void add_input(TensorIndex index) {
        ends_ += part(11, end(index));
        if (!is_map(index)) return;
        const std::string own(tensor(index).name);
        names_[index] =
            node("Transpose", {own}, own + ".nchw", attribute("perm", Shape{0, 3, 1, 2}));
    }
    void add_output(TensorIndex index) {
        ends_ += part(12, end(index));
        if (!is_map(index)) return;
        node("Transpose", {name(index)}, std::string(tensor(index).name),
             attribute("perm", Shape{0, 2, 3, 1}));
    }

    std::string weight(const std::string& name, DType type, const Shape& shape,
                       std::span<const std::byte> bytes) {
        if (!written_.insert(name).second) return name;
        Message message;
        for (const std::int64_t size : shape) message += number(1, size);
        message += number(2, element_type(type)) + part(8, name);
        const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        weights_ += part(5, message + part(9, text));
        return name;
    }

    /// Returns a constant with permuted dimensions; `shape` is that in the file.
    std::string arranged(TensorIndex index, const std::vector<std::size_t>& perms,
                         const Shape& shape) {
        const Tensor& from = tensor(index);
        if (!from.has_data) throw ConfigError(from.name, "must be a constant in an ONNX file");
        const HostTensor value =
            transposed(constant_value(from.type, from.shape, from.data), perms);
        return weight(std::string(from.name), from.type, shape, value.data);
    }

    /// Returns a constant of equal numbers.
    std::string equal(DType type, const Shape& shape, double value) {
        const auto width = static_cast<std::size_t>(storage_bits(type) / 8);
        const std::uint32_t bits = encode_float(type, value);
        std::vector<std::byte> bytes(element_count(shape).value_or(0) * width);
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            bytes[i] = static_cast<std::byte>(bits >> (8 * (i % width)));
        }
        const std::string name = (value == 0 ? "zeros" : "ones") + shape_text(shape);
        return weight(name, type, shape, bytes);
    }

    std::string result(const Operator& op) {
        const bool is_end = is_map(op.outputs[0]) && is_output(op.outputs[0]);
        const std::string own(tensor(op.outputs[0]).name);
        if (is_end) names_[op.outputs[0]] = own + ".nchw";
        return is_end ? own + ".nchw" : own;
    }
    bool is_output(TensorIndex index) const {
        for (const TensorIndex output : main_.outputs)
            if (output == index) return true;
        return false;
    }

    void simple(std::string_view type, const Operator& op, std::size_t operands,
                const Message& attributes = {}) {
        Names inputs;
        for (std::size_t i = 0; i < operands; ++i) inputs.push_back(name(op.inputs[i]));
        node(type, inputs, result(op), attributes);
    }

    template <typename A>
    static Message windows(const A& a, const Shape& kernel) {
        return attribute("kernel_shape", kernel) +
               attribute("strides", Shape{a.stride[0], a.stride[1]}) +
               attribute("pads", Shape{a.pad[0], a.pad[2], a.pad[1], a.pad[3]});
    }

    template <typename A>
    void convolution(const Operator& op, bool is_depthwise) {
        const auto& a = op.attributes_as<A>();
        const Shape& w = tensor(op.inputs[1]).shape;
        const Shape kernel = is_depthwise ? Shape{w[0], w[1]} : Shape{w[1], w[2]};
        Message attributes =
            windows(a, kernel) + attribute("dilations", Shape{a.dilation[0], a.dilation[1]});
        std::string weights;
        if (is_depthwise) {
            attributes += attribute("group", w[2]);
            weights = arranged(op.inputs[1], {2, 3, 0, 1}, {w[2] * w[3], 1, w[0], w[1]});
        } else {
            weights = arranged(op.inputs[1], {0, 3, 1, 2}, channels_first(w));
        }
        const Shape channels = tensor(op.inputs[2]).shape;
        const std::string bias = arranged(op.inputs[2], {0}, channels);
        if (bias_ == OnnxBias::kConvolution) {
            node("Conv", {name(op.inputs[0]), weights, bias}, result(op), attributes);
            return;
        }
        // The scale 1 / sqrt(1 + 0) keeps the weights.
        const DType type = tensor(op.inputs[2]).type;
        const std::string sums =
            node("Conv", {name(op.inputs[0]), weights},
                 std::string(tensor(op.outputs[0]).name) + ".sums", attributes);
        const std::string ones = equal(type, channels, 1);
        const Message no_epsilon =
            part(5, part(1, "epsilon") + varint(2 << 3 | 5) + Message(4, '\0') + number(20, 1));
        node("BatchNormalization", {sums, ones, bias, equal(type, channels, 0), ones}, result(op),
             no_epsilon);
    }

    void clamp(const Operator& op) {
        const auto& a = op.attributes_as<ClampAttributes>();
        const DType type = tensor(op.inputs[0]).type;
        const auto limit = [](const ElementBytes& value) {
            std::uint32_t bits = 0;
            for (std::size_t i = value.size; i-- > 0;) bits = bits << 8 | value.bytes[i];
            return bits;
        };
        const double low = decode_float(type, limit(a.min_val));
        const double high = decode_float(type, limit(a.max_val));
        const bool is_open = high >= (type == DType::kFp16 ? 65504.0 : 3.4e38);
        if (low == 0 && is_open) return simple("Relu", op, 1);
        const auto bound = [&](const ElementBytes& value) {
            const auto width = static_cast<std::size_t>(storage_bits(type) / 8);
            return weight("limit " + std::to_string(limit(value)), type, {},
                          std::as_bytes(std::span(value.bytes)).first(width));
        };
        node("Clip", {name(op.inputs[0]), bound(a.min_val), bound(a.max_val)}, result(op));
    }

    /// A reshape of feature maps needs the order N, H, W, C, unless it only drops the pixel.
    void reshape(const Operator& op) {
        const Shape& from = tensor(op.inputs[0]).shape;
        const Shape& to = tensor(op.outputs[0]).shape;
        const std::string own(tensor(op.outputs[0]).name);
        if (from.size() == 4 && from[1] * from[2] == 1 && to == Shape{from[0], from[3]}) {
            return simple("Flatten", op, 1);
        }
        std::string x = name(op.inputs[0]);
        if (from.size() == 4) {
            x = node("Transpose", {x}, own + ".nhwc", attribute("perm", Shape{0, 2, 3, 1}));
        }
        const Shape count{static_cast<std::int64_t>(to.size())};
        const std::string shape =
            weight(own + ".shape", DType::kShape, count, std::as_bytes(std::span(to)));
        if (to.size() != 4) return void(node("Reshape", {x, shape}, result(op)));
        x = node("Reshape", {x, shape}, own + ".reshaped");
        node("Transpose", {x}, result(op), attribute("perm", Shape{0, 3, 1, 2}));
    }

    void concat(const Operator& op) {
        std::int64_t axis = op.attributes_as<ConcatAttributes>().axis;
        if (is_map(op.outputs[0]) && axis > 0) axis = axis == 3 ? 1 : axis + 1;
        simple("Concat", op, op.inputs.size(), attribute("axis", axis));
    }

    void write(const Operator& op) {
        switch (op.op) {
            case OpCode::kConst:
            case OpCode::kConstShape: return;
            // Windows of ONNX skip the elements that this SLICE removes.
            case OpCode::kSlice: names_[op.outputs[0]] = name(op.inputs[0]); return;
            case OpCode::kConv2d: return convolution<Conv2dAttributes>(op, false);
            case OpCode::kDepthwiseConv2d: return convolution<DepthwiseConv2dAttributes>(op, true);
            case OpCode::kAvgPool2d: {
                const auto& a = op.attributes_as<AvgPool2dAttributes>();
                return simple("AveragePool", op, 1, windows(a, {a.kernel[0], a.kernel[1]}));
            }
            case OpCode::kMaxPool2d: {
                const auto& a = op.attributes_as<MaxPool2dAttributes>();
                return simple("MaxPool", op, 1, windows(a, {a.kernel[0], a.kernel[1]}));
            }
            case OpCode::kClamp: return clamp(op);
            case OpCode::kSigmoid: return simple("Sigmoid", op, 1);
            case OpCode::kAdd: return simple("Add", op, 2);
            case OpCode::kMul: return simple("Mul", op, 2);
            case OpCode::kConcat: return concat(op);
            case OpCode::kReshape: return reshape(op);
            default:
                throw ConfigError(std::string(op_name(op.op)),
                                  "is no operator of --form onnx, which writes the convolutional "
                                  "networks in floating point");
        }
    }

    const Block& main_;
    OnnxBias bias_;
    Message nodes_, weights_, ends_;
    std::set<std::string> written_;
    std::map<TensorIndex, std::string> names_;  ///< that differ from the names of tensors
};

}  // namespace

std::string write_onnx(const Graph& graph, OnnxBias bias) {
    return OnnxWriter(graph, bias).write();
}

}  // namespace okksim::sim::zoo
