// SPDX-License-Identifier: Apache-2.0
// Lowers islands of quantised values to integer products, as QLinearConv, QLinearMatMul and QGemm.
#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/graph/onnx/onnx_integer_sums.h"
#include "sim/graph/onnx/onnx_operators.h"
#include "sim/graph/onnx/onnx_quantised_islands.h"
#include "sim/graph/onnx/onnx_walk.h"

namespace okksim::sim::graph::onnx {

namespace {

/// A quantised operand of an island: number, scale and zero point. Nothing is set if integers do
/// not represent it.
struct IslandOperand {
    Value* number = nullptr;
    Value* scale = nullptr;
    Value* zero_point = nullptr;

    std::vector<double> scales() const { return reals(*scale->known); }
};

bool is_byte(ElementType type) { return type == ElementType::kInt8 || type == ElementType::kUint8; }

/// Gives an operand without a zero point one of 0.
bool complete(Walk& walk, IslandOperand& operand, ElementType type) {
    if (!is_byte(type) || operand.scale == nullptr || !operand.scale->known) return false;
    if (operand.zero_point == nullptr) {
        const HostArray& scale = *operand.scale->known;
        operand.zero_point = &known_temporary(
            walk, make_array(type, scale.shape, std::vector<std::int64_t>(scale.count(), 0)));
    }
    return operand.zero_point->known && operand.zero_point->type == type &&
           operand.zero_point->known->count() == operand.scale->known->count() &&
           std::ranges::all_of(operand.scales(), [](double s) { return s > 0; });
}

/// An island as an integer product.
class IntegerIsland {
 public:
    IntegerIsland(Walk& walk, const Scope& scope, const QuantisedIsland& island)
        : walk_(walk), scope_(scope), island_(island), core_(*island.core) {}

    /// Returns false if integers do not represent the island.
    bool fits(const NodeProto& end) {
        x_ = operand(*island_.x);
        w_ = operand(*island_.w);
        if (x_.number == nullptr || w_.number == nullptr) return false;
        if (!complete(walk_, x_, x_.number->type) || !complete(walk_, w_, w_.number->type)) {
            return false;
        }
        y_ = operand(end);
        if (!complete(walk_, y_, result_type(end))) return false;
        return x_.scale->known->count() == 1 && y_.scale->known->count() == 1 &&
               has_channel_scales() && take_bias() && take_limits();
    }

    void lower(const Call& call) const {
        if (core_.op_type == "Conv") lower::quantised_convolution(call);
        if (core_.op_type == "MatMul") lower::quantised_matrix_product(call);
        if (core_.op_type == "Gemm") lower::quantised_gemm(call);
        apply_limits(call);
    }

    std::vector<Value*> inputs() const {
        std::vector<Value*> result{x_.number, x_.scale, x_.zero_point,
                                   w_.number, w_.scale, w_.zero_point};
        if (core_.op_type == "Gemm") result.push_back(bias_);
        result.push_back(y_.scale);
        result.push_back(y_.zero_point);
        if (core_.op_type == "Conv" && bias_ != nullptr) result.push_back(bias_);
        return result;
    }

 private:
    Value* value(const NodeProto& node, std::size_t input) const {
        const bool is_given = input < node.inputs.size() && !node.inputs[input].empty();
        Value* found = is_given ? walk_.local(walk_.find(scope_, node.inputs[input])) : nullptr;
        return found != nullptr && found->is_unread ? nullptr : found;
    }
    IslandOperand operand(const NodeProto& node) const {
        return {value(node, 0), value(node, 1), value(node, 2)};
    }
    std::int64_t integer(const NodeProto& node, std::string_view name,
                         std::int64_t otherwise) const {
        for (const AttributeProto& each : node.attributes) {
            if (each.name == name) return each.i;
        }
        return otherwise;
    }
    double real(std::string_view name, double otherwise) const {
        for (const AttributeProto& each : core_.attributes) {
            if (each.name == name) return static_cast<double>(each.f);
        }
        return otherwise;
    }

    ElementType result_type(const NodeProto& end) const {
        const std::int64_t number = integer(end, "output_dtype", 0);
        if (y_.zero_point != nullptr) return y_.zero_point->type;
        return number == 0 ? ElementType::kUint8 : element_type(number);
    }

    /// True if the weights have one scale, or one per channel of the result.
    bool has_channel_scales() const {
        const Shape& shape = w_.number->shape;
        if (w_.scale->known->count() == 1) return true;
        const auto rank = static_cast<std::int64_t>(shape.size());
        std::int64_t axis = integer(*island_.w, "axis", 1);
        axis += axis < 0 ? rank : 0;
        std::int64_t wanted = 0;
        if (core_.op_type != "Conv") {
            if (rank != 2) return false;
            const bool is_transposed = core_.op_type == "Gemm" && integer(core_, "transB", 0) != 0;
            wanted = is_transposed ? 0 : 1;
        }
        return axis == wanted && w_.scale->shape.size() == 1 && wanted < rank &&
               w_.scale->shape[0] == shape[static_cast<std::size_t>(wanted)];
    }

    /// Converts a known bias to the scale of the sums.
    bool take_bias() {
        if (core_.op_type == "MatMul" || core_.inputs.size() < 3 || core_.inputs[2].empty()) {
            return true;
        }
        const Value* bias = value(core_, 2);
        if (bias == nullptr || !bias->known || !is_real(bias->type)) return false;
        if (core_.op_type == "Gemm" && real("beta", 1) != 1) return false;
        const double alpha = core_.op_type == "Gemm" ? real("alpha", 1) : 1;
        const std::vector<double> scales = w_.scales(), values = reals(*bias->known);
        if (scales.size() > 1 && (bias->rank() != 1 || values.size() != scales.size())) {
            return false;
        }
        std::vector<std::int64_t> numbers;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double scale = alpha * x_.scales()[0] * scales[scales.size() == 1 ? 0 : i];
            const double number = std::nearbyint(values[i] / scale);
            constexpr double kMost = 1 << 30;
            if (!(std::fabs(number) < kMost)) return false;
            numbers.push_back(static_cast<std::int64_t>(number));
        }
        bias_ = &known_temporary(walk_, make_array(ElementType::kInt32, bias->shape, numbers));
        return true;
    }

    /// Reads the limits of Relu or Clip.
    bool take_limits() {
        if (island_.limit == nullptr) return true;
        const NodeProto& node = *island_.limit;
        if (node.op_type == "Relu") {
            low_ = 0;
            return true;
        }
        for (const AttributeProto& each : node.attributes) {
            if (each.name == "min") low_ = static_cast<double>(each.f);
            if (each.name == "max") high_ = static_cast<double>(each.f);
        }
        return take_limit(node, 1, low_) && take_limit(node, 2, high_);
    }
    bool take_limit(const NodeProto& node, std::size_t input, double& limit) const {
        if (input >= node.inputs.size() || node.inputs[input].empty()) return true;
        const Value* given = value(node, input);
        if (given == nullptr || !given->known || given->known->count() != 1) return false;
        limit = reals(*given->known)[0];
        return true;
    }

    /// Quantisation is monotonic: the limits apply to the numbers in the same way.
    void apply_limits(const Call& call) const {
        const auto zero = static_cast<double>(integers(*y_.zero_point->known)[0] -
                                              device_offset(y_.zero_point->type));
        const auto held = [&](double limit) {
            return std::clamp(std::nearbyint(limit / y_.scales()[0]) + zero, -128.0, 127.0);
        };
        const double high = held(high_), low = std::min(held(low_), high);
        if (low == -128 && high == 127) return;
        Value& result = call.output(0);
        std::optional<TensorIndex>& tensor =
            result.declared ? result.declared : result.channels_last;
        tensor = call.ops().clamp(*tensor, low, high, "limited");
    }

    Walk& walk_;
    const Scope& scope_;
    const QuantisedIsland& island_;
    const NodeProto& core_;
    IslandOperand x_, w_, y_;
    Value* bias_ = nullptr;
    double low_ = -std::numeric_limits<double>::infinity();
    double high_ = std::numeric_limits<double>::infinity();
};

}  // namespace

bool Walk::lower_island(Scope& scope, const NodeProto& node, std::uint32_t index,
                        const std::vector<Value*>& outputs) {
    const QuantisedIsland* island = islands_.ending_at(node);
    if (island == nullptr) return false;
    IntegerIsland integers(*this, scope, *island);
    if (!integers.fits(node)) {
        for (const NodeProto* inner : island->inner) lower_declared(scope, *inner, index);
        return false;
    }
    const NodeProto& core = *island->core;
    const std::string_view name = core.name.empty() ? core.outputs[0] : core.name;
    ops().block().begin_operator({index, name, Name(name)});
    const Call call(*this, *this, core, opset_of(scope, core), integers.inputs(), outputs);
    integers.lower(call);
    finish(call);
    return true;
}

}  // namespace okksim::sim::graph::onnx
