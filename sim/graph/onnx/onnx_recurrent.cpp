// SPDX-License-Identifier: Apache-2.0
// Recurrent operators.
#include <algorithm>
#include <map>

#include "sim/graph/compose/recurrent.h"
#include "sim/graph/onnx/onnx_operators.h"

namespace okksim::sim::graph::onnx::lower {

namespace {

using compose::Activation;

/// Operands of LSTM, GRU and RNN. The bias, lengths and states are optional.
constexpr std::size_t kX = 0, kW = 1, kR = 2, kBias = 3, kLengths = 4, kState = 5, kCell = 6,
                      kPeepholes = 7;

std::string lower_case(std::string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(), [](unsigned char c) { return std::tolower(c); });
    return result;
}

/// The layer under way, with its operands by direction.
class Layer {
 public:
    Layer(const Call& call, std::int64_t gates) : call_(call), gates_(gates) {
        const std::string_view direction = call.text("direction", "forward");
        call.require(
            direction == "forward" || direction == "reverse" || direction == "bidirectional",
            "direction", std::string(direction),
            "the direction is forward, reverse or bidirectional");
        directions_ = direction == "bidirectional" ? 2 : 1;
        is_reverse_ = direction == "reverse";
        is_batch_first_ = call.integer("layout", 0) != 0;
        const Value& x = call.input(kX);
        call.require(x.rank() == 3, "input X", shape_text(x.shape),
                     "X has the dimensions steps, batch and input size");
        call.require(is_real(x.type), "input X", std::string(element_name(x.type)),
                     "X has real numbers");
        steps_ = x.shape[is_batch_first_ ? 1 : 0];
        batch_ = x.shape[is_batch_first_ ? 0 : 1];
        const Value& r = call.input(kR);
        call.require(r.rank() == 3 && r.shape[2] > 0, "input R", shape_text(r.shape),
                     "R has three dimensions");
        hidden_ = call.integer("hidden_size", r.shape[2]);
        const std::int64_t rows = gates_ * hidden_;
        require_shape(kW, {directions_, rows, x.shape[2]});
        require_shape(kR, {directions_, rows, hidden_});
        require_shape(kBias, {directions_, 2 * rows});
        require_shape(kLengths, {batch_});
        const Shape state = is_batch_first_ ? Shape{batch_, directions_, hidden_}
                                            : Shape{directions_, batch_, hidden_};
        require_shape(kState, state);
        if (gates_ == 4) {
            require_shape(kCell, state);
            require_shape(kPeepholes, {directions_, 3 * hidden_});
        }
    }

    std::int64_t directions() const { return directions_; }

    /// Returns X as steps, batch, input size.
    TensorIndex x() const {
        const TensorIndex x = call_.tensor(kX);
        return is_batch_first_ ? call_.ops().transpose(x, {1, 0, 2}, "steps") : x;
    }

    compose::RecurrentWeights weights(std::int64_t direction) const {
        compose::RecurrentWeights weights;
        const std::int64_t rows = gates_ * hidden_;
        weights.w = *part(kW, direction, {rows, call_.input(kW).shape[2]});
        weights.r = *part(kR, direction, {rows, hidden_});
        if (call_.has_input(kBias)) {
            const TensorIndex bias = *part(kBias, direction, {2 * rows});
            weights.x_bias = call_.ops().slice(bias, {0}, {rows}, "x_bias");
            weights.state_bias = call_.ops().slice(bias, {rows}, {rows}, "state_bias");
        }
        weights.initial_state = state_part(kState, direction);
        if (gates_ == 4) {
            weights.initial_cell = state_part(kCell, direction);
            weights.peepholes = part(kPeepholes, direction, {3 * hidden_});
        }
        weights.is_reverse = direction == 1 || is_reverse_;
        return weights;
    }

    compose::RecurrentOptions options() const {
        compose::RecurrentOptions options;
        options.hidden = hidden_;
        if (call_.has_attribute("clip")) options.clip = call_.real("clip", 0);
        if (Value* lengths = call_.optional_input(kLengths)) {
            if (lengths->known) {
                options.lengths = integers(*lengths->known);
                for (const std::int64_t length : options.lengths) {
                    call_.require(length >= 0 && length <= steps_, "sequence_lens",
                                  std::to_string(length),
                                  "a sequence has at most " + std::to_string(steps_) + " steps");
                }
            } else {
                options.run_time_lengths = call_.tensor(kLengths);
            }
        }
        return options;
    }

    /// Returns function `n` of a direction; `otherwise` if the node names none.
    Activation activation(std::int64_t direction, std::size_t n, std::size_t per_direction,
                          Activation::Kind otherwise) const {
        const auto names = call_.text_list("activations");
        if (!names) return {otherwise, {}, {}};
        const std::size_t at = static_cast<std::size_t>(direction) * per_direction + n;
        call_.require(names->size() >= per_direction * static_cast<std::size_t>(directions_),
                      "activations", std::to_string(names->size()),
                      "each direction has " + std::to_string(per_direction) + " functions");
        const Activation::Kind kind = kind_of((*names)[at]);
        Activation activation{kind, {}, {}};
        activation.alpha = parameter(*names, at, "activation_alpha");
        activation.beta = parameter(*names, at, "activation_beta");
        return activation;
    }

    void set_results(const compose::RecurrentResults& results) const {
        OperatorBuilder& ops = call_.ops();
        const ElementType type = call_.input(kX).type;
        Shape y{steps_, directions_, batch_, hidden_};
        TensorIndex tensor = results.y;
        if (directions_ == 1) tensor = ops.reshape(tensor, y, "steps_by_direction");
        if (is_batch_first_) {
            tensor = ops.transpose(tensor, {2, 0, 1, 3}, "batch_first");
            y = {batch_, steps_, directions_, hidden_};
        }
        call_.set_tensor(0, type, y, tensor);
        set_state(1, results.last_state);
        if (results.last_cell) set_state(2, *results.last_cell);
    }

 private:
    void require_shape(std::size_t n, const Shape& shape) const {
        const Value* value = call_.optional_input(n);
        if (value == nullptr || value->shape == shape) return;
        call_.illegal("input " + std::to_string(n), shape_text(value->shape),
                      "the shape is " + shape_text(shape));
    }

    std::optional<TensorIndex> part(std::size_t n, std::int64_t direction, Shape shape) const {
        Value* value = call_.optional_input(n);
        if (value == nullptr) return std::nullopt;
        if (value->known) {
            HostArray array = *value->known;
            const std::size_t size = array.bytes.size() / static_cast<std::size_t>(directions_);
            array.bytes = array.bytes.subspan(static_cast<std::size_t>(direction) * size, size);
            array.shape = std::move(shape);
            return call_.tensors().constant(array, "direction");
        }
        Shape start(value->rank(), 0), extent = value->shape;
        start[0] = direction;
        extent[0] = 1;
        OperatorBuilder& ops = call_.ops();
        return ops.reshape(ops.slice(call_.tensor(n), start, extent, "direction"), std::move(shape),
                           "direction");
    }

    std::optional<TensorIndex> state_part(std::size_t n, std::int64_t direction) const {
        if (!call_.has_input(n)) return std::nullopt;
        const Shape shape{batch_, hidden_};
        if (!is_batch_first_) return part(n, direction, shape);
        OperatorBuilder& ops = call_.ops();
        const TensorIndex rows =
            ops.slice(call_.tensor(n), {0, direction, 0}, {batch_, 1, hidden_}, "direction");
        return ops.reshape(rows, shape, "direction");
    }

    Activation::Kind kind_of(std::string_view name) const {
        using Kind = Activation::Kind;
        static const std::map<std::string, Kind> kinds{
            {"relu", Kind::kRelu},
            {"tanh", Kind::kTanh},
            {"sigmoid", Kind::kSigmoid},
            {"affine", Kind::kAffine},
            {"leakyrelu", Kind::kLeakyRelu},
            {"thresholdedrelu", Kind::kThresholdedRelu},
            {"scaledtanh", Kind::kScaledTanh},
            {"hardsigmoid", Kind::kHardSigmoid},
            {"elu", Kind::kElu},
            {"softsign", Kind::kSoftsign},
            {"softplus", Kind::kSoftplus},
        };
        const auto found = kinds.find(lower_case(name));
        if (found == kinds.end()) {
            call_.illegal("activations", std::string(name), "the operator knows the function");
        }
        return found->second;
    }

    /// Only functions with the parameter take a number of the list.
    std::optional<double> parameter(const std::vector<std::string_view>& names, std::size_t at,
                                    std::string_view list) const {
        using Kind = Activation::Kind;
        const auto takes = [&](std::size_t n) {
            const Kind kind = kind_of(names[n]);
            const bool has_beta =
                kind == Kind::kAffine || kind == Kind::kScaledTanh || kind == Kind::kHardSigmoid;
            const bool has_alpha = has_beta || kind == Kind::kLeakyRelu ||
                                   kind == Kind::kThresholdedRelu || kind == Kind::kElu;
            return list == "activation_alpha" ? has_alpha : has_beta;
        };
        const auto numbers = call_.real_list(list);
        if (!numbers || !takes(at)) return std::nullopt;
        std::size_t place = 0;
        for (std::size_t n = 0; n < at; ++n) place += takes(n) ? 1 : 0;
        if (place >= numbers->size()) return std::nullopt;
        return static_cast<double>((*numbers)[place]);
    }

    void set_state(std::size_t n, TensorIndex tensor) const {
        Shape shape{directions_, batch_, hidden_};
        if (is_batch_first_) {
            tensor = call_.ops().transpose(tensor, {1, 0, 2}, "batch_first");
            shape = {batch_, directions_, hidden_};
        }
        call_.set_tensor(n, call_.input(kX).type, shape, tensor);
    }

    const Call& call_;
    std::int64_t gates_;
    std::int64_t directions_ = 1;
    bool is_reverse_ = false;
    bool is_batch_first_ = false;
    std::int64_t steps_ = 0;
    std::int64_t batch_ = 0;
    std::int64_t hidden_ = 0;
};

}  // namespace

void lstm(const Call& call) {
    const Layer layer(call, 4);
    compose::LstmOptions options;
    options.common = layer.options();
    if (call.integer("input_forget", 0) != 0) {
        options.coupling = compose::GateCoupling::kForgetFromInput;
    }
    std::vector<compose::LstmDirection> directions;
    for (std::int64_t d = 0; d < layer.directions(); ++d) {
        compose::LstmDirection direction;
        direction.weights = layer.weights(d);
        direction.gate = layer.activation(d, 0, 3, Activation::Kind::kSigmoid);
        direction.cell = layer.activation(d, 1, 3, Activation::Kind::kTanh);
        direction.hidden = layer.activation(d, 2, 3, Activation::Kind::kTanh);
        directions.push_back(std::move(direction));
    }
    layer.set_results(compose::lstm(call.ops(), layer.x(), directions, options));
}

void gru(const Call& call) {
    const Layer layer(call, 3);
    std::vector<compose::GruDirection> directions;
    for (std::int64_t d = 0; d < layer.directions(); ++d) {
        compose::GruDirection direction;
        direction.weights = layer.weights(d);
        direction.gate = layer.activation(d, 0, 2, Activation::Kind::kSigmoid);
        direction.hidden = layer.activation(d, 1, 2, Activation::Kind::kTanh);
        directions.push_back(std::move(direction));
    }
    const bool is_linear_first = call.integer("linear_before_reset", 0) != 0;
    layer.set_results(
        compose::gru(call.ops(), layer.x(), directions, layer.options(), is_linear_first));
}

void rnn(const Call& call) {
    const Layer layer(call, 1);
    std::vector<compose::RnnDirection> directions;
    for (std::int64_t d = 0; d < layer.directions(); ++d) {
        compose::RnnDirection direction;
        direction.weights = layer.weights(d);
        direction.hidden = layer.activation(d, 0, 1, Activation::Kind::kTanh);
        directions.push_back(std::move(direction));
    }
    layer.set_results(compose::rnn(call.ops(), layer.x(), directions, layer.options()));
}

}  // namespace okksim::sim::graph::onnx::lower
