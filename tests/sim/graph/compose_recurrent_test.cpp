// SPDX-License-Identifier: Apache-2.0
// Recurrent layers of sim/graph/compose against a loop over rows and steps in double precision.
#include <algorithm>
#include <cmath>

#include "sim/graph/compose/recurrent.h"
#include "tests/sim/graph/compose_support.h"
#include "tests/support/catch.h"

namespace okksim::tests {

namespace {

namespace compose = sim::graph::compose;

constexpr std::int64_t kSteps = 4, kRows = 3, kInputs = 2, kHidden = 5;
constexpr auto H = static_cast<std::size_t>(kHidden);

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// Weights of one direction with `gates` gates.
struct Weights {
    Data w, r, x_bias, state_bias, peepholes, state, cell;
    explicit Weights(std::int64_t gates)
        : w(random_reals({gates * kHidden, kInputs})),
          r(random_reals({gates * kHidden, kHidden})),
          x_bias(random_reals({gates * kHidden})),
          state_bias(random_reals({gates * kHidden})),
          peepholes(random_reals({3 * kHidden})),
          state(random_reals({kRows, kHidden})),
          cell(random_reals({kRows, kHidden})) {}

    /// W x + Wb of a gate's unit.
    double of_x(const double* x, std::size_t line) const {
        double sum = x_bias.values[line];
        for (std::size_t i = 0; i < kInputs; ++i) sum += w.values[line * kInputs + i] * x[i];
        return sum;
    }
    /// R h + Rb.
    double of_state(const std::vector<double>& h, std::size_t line) const {
        double sum = state_bias.values[line];
        for (std::size_t i = 0; i < H; ++i) sum += r.values[line * H + i] * h[i];
        return sum;
    }
    std::vector<double> row(const Data& of, std::size_t b) const {
        const auto first = of.values.begin() + static_cast<std::ptrdiff_t>(b * H);
        return {first, first + kHidden};
    }
};

struct Expected {
    std::vector<double> y = std::vector<double>(kSteps * kRows * H);
    std::vector<double> state, cell;
};

/// Runs `step(x, h, c)` for every row up to its length, forwards or backwards.
template <typename Step>
Expected expected(const Data& x, const Weights& weights, const std::vector<std::int64_t>& lengths,
                  bool is_reverse, const Step& step) {
    Expected all;
    for (std::size_t b = 0; b < kRows; ++b) {
        std::vector<double> h = weights.row(weights.state, b), c = weights.row(weights.cell, b);
        const std::int64_t length = lengths.empty() ? kSteps : lengths[b];
        for (std::int64_t i = 0; i < length; ++i) {
            const std::int64_t t = is_reverse ? length - 1 - i : i;
            const std::size_t at = static_cast<std::size_t>(t) * kRows + b;
            step(&x.values[at * kInputs], h, c);
            std::copy(h.begin(), h.end(), all.y.begin() + static_cast<std::ptrdiff_t>(at * H));
        }
        all.state.insert(all.state.end(), h.begin(), h.end());
        all.cell.insert(all.cell.end(), c.begin(), c.end());
    }
    return all;
}

using Vector = std::vector<double>;

struct LstmVariant {
    bool has_peepholes = false;
    compose::GateCoupling coupling = compose::GateCoupling::kNone;
    double clip = 1e9;
    compose::LstmGates gates;
};

void lstm_step(const Weights& w, const LstmVariant& variant, const double* x, Vector& h,
               Vector& c) {
    Vector next_h(H), next_c(H);
    for (std::size_t j = 0; j < H; ++j) {
        const auto pre = [&](std::int64_t gate, int peephole, double cell) {
            const std::size_t line = static_cast<std::size_t>(gate) * H + j;
            double value = w.of_x(x, line) + w.of_state(h, line);
            if (variant.has_peepholes && peephole >= 0) {
                value += w.peepholes.values[static_cast<std::size_t>(peephole) * H + j] * cell;
            }
            return std::clamp(value, -variant.clip, variant.clip);
        };
        double i = sigmoid(pre(variant.gates.input, 0, c[j]));
        double f = sigmoid(pre(variant.gates.forget, 2, c[j]));
        if (variant.coupling == compose::GateCoupling::kForgetFromInput) f = 1 - i;
        if (variant.coupling == compose::GateCoupling::kInputFromForget) i = 1 - f;
        next_c[j] = f * c[j] + i * std::tanh(pre(variant.gates.cell, -1, 0));
        const double o = sigmoid(pre(variant.gates.output, 1, next_c[j]));
        next_h[j] = o * std::tanh(next_c[j]);
    }
    h = next_h;
    c = next_c;
}

void gru_step(const Weights& w, bool is_linear, const double* x, Vector& h) {
    Vector next(H), z(H), r(H), reset(H);
    for (std::size_t j = 0; j < H; ++j) {
        z[j] = sigmoid(w.of_x(x, j) + w.of_state(h, j));
        r[j] = sigmoid(w.of_x(x, H + j) + w.of_state(h, H + j));
        reset[j] = r[j] * h[j];
    }
    for (std::size_t j = 0; j < H; ++j) {
        const std::size_t line = 2 * H + j;
        const double inner = is_linear ? r[j] * w.of_state(h, line) : w.of_state(reset, line);
        next[j] = (1 - z[j]) * std::tanh(w.of_x(x, line) + inner) + z[j] * h[j];
    }
    h = next;
}

/// Adds the weights as constants; states are inputs of the graph.
compose::RecurrentWeights operands(OperatorBuilder& ops, const Weights& w, TensorIndex state,
                                   TensorIndex cell) {
    compose::RecurrentWeights all;
    all.w = constant(ops, w.w);
    all.r = constant(ops, w.r);
    all.x_bias = constant(ops, w.x_bias);
    all.state_bias = constant(ops, w.state_bias);
    all.initial_state = state;
    all.initial_cell = cell;
    return all;
}

std::vector<Data> run_lstm(const Data& x, const Weights& weights, const LstmVariant& variant,
                           const compose::RecurrentOptions& common, bool is_reverse) {
    return evaluate({x, weights.state, weights.cell}, [&](auto& ops, const Indices& v) {
        compose::LstmDirection direction;
        direction.weights = operands(ops, weights, v[1], v[2]);
        direction.weights.is_reverse = is_reverse;
        if (variant.has_peepholes) {
            direction.weights.peepholes = constant(ops, weights.peepholes);
        }
        compose::LstmOptions options;
        options.common = common;
        if (variant.clip < 1e9) options.common.clip = variant.clip;
        options.gates = variant.gates;
        options.coupling = variant.coupling;
        const auto all = compose::lstm(ops, v[0], {direction}, options);
        return Indices{all.y, all.last_state, *all.last_cell};
    });
}

compose::RecurrentOptions plain(std::vector<std::int64_t> lengths = {}) {
    compose::RecurrentOptions options;
    options.hidden = kHidden;
    options.lengths = std::move(lengths);
    return options;
}

}  // namespace

TEST_CASE("composed LSTM with its variants") {
    using compose::GateCoupling;
    const Data x = random_reals({kSteps, kRows, kInputs}, 2);
    const Weights weights(4);
    const LstmVariant variants[] = {{},
                                    {true, GateCoupling::kNone, 1e9, {}},
                                    {false, GateCoupling::kForgetFromInput, 1e9, {}},
                                    {true, GateCoupling::kInputFromForget, 1e9, {}},
                                    {true, GateCoupling::kNone, 0.4, {}},
                                    {false, GateCoupling::kNone, 1e9, {0, 3, 1, 2}},
                                    {false, GateCoupling::kNone, 1e9, {1, 3, 2, 0}}};
    for (const LstmVariant& variant : variants) {
        INFO("variant " << (&variant - variants));
        for (const bool is_reverse : {false, true}) {
            const auto step = [&](const double* at, Vector& h, Vector& c) {
                lstm_step(weights, variant, at, h, c);
            };
            const Expected wanted = expected(x, weights, {}, is_reverse, step);
            const auto results = run_lstm(x, weights, variant, plain(), is_reverse);
            CHECK(results[0].shape == Shape{kSteps, 1, kRows, kHidden});
            check_close(results[0], wanted.y);
            check_close(results[1], wanted.state);
            check_close(results[2], wanted.cell);
        }
    }
}

TEST_CASE("composed LSTM with lengths of rows") {
    const Data x = random_reals({kSteps, kRows, kInputs}, 2);
    const Weights weights(4);
    const std::vector<std::int64_t> lengths{2, 3, 1};
    const LstmVariant variant;
    const auto step = [&](const double* at, Vector& h, Vector& c) {
        lstm_step(weights, variant, at, h, c);
    };
    for (const bool is_reverse : {false, true}) {
        const Expected wanted = expected(x, weights, lengths, is_reverse, step);
        const auto known = run_lstm(x, weights, variant, plain(lengths), is_reverse);
        check_close(known[0], wanted.y);
        check_close(known[1], wanted.state);
        check_close(known[2], wanted.cell);
        const Data rows{DType::kI32, {kRows}, {2, 3, 1}};
        const auto run_time =
            evaluate({x, weights.state, weights.cell, rows}, [&](auto& ops, const Indices& v) {
                compose::LstmDirection direction;
                direction.weights = operands(ops, weights, v[1], v[2]);
                direction.weights.is_reverse = is_reverse;
                compose::LstmOptions options;
                options.common = plain();
                options.common.run_time_lengths = v[3];
                const auto all = compose::lstm(ops, v[0], {direction}, options);
                return Indices{all.y, all.last_state, *all.last_cell};
            });
        for (std::size_t i = 0; i < 3; ++i) check_equal(run_time[i], known[i].values);
    }
}

TEST_CASE("composed LSTM in two directions without initial states, of half precision") {
    const Data x = random_reals({kSteps, kRows, kInputs}, 2, DType::kFp16);
    Weights forward(4), backward(4);
    std::vector<Expected> wanted;
    const LstmVariant variant;
    for (Weights* weights : {&forward, &backward}) {
        for (Data* data : {&weights->w, &weights->r, &weights->x_bias, &weights->state_bias}) {
            *data = random_reals(data->shape, 1, DType::kFp16);
        }
        std::fill(weights->state.values.begin(), weights->state.values.end(), 0);
        std::fill(weights->cell.values.begin(), weights->cell.values.end(), 0);
        wanted.push_back(expected(x, *weights, {}, weights == &backward,
                                  [&](const double* at, Vector& h, Vector& c) {
                                      lstm_step(*weights, variant, at, h, c);
                                  }));
    }
    const auto results = evaluate({x}, [&](auto& ops, const Indices& v) {
        std::vector<compose::LstmDirection> directions(2);
        for (std::size_t i = 0; i < 2; ++i) {
            directions[i].weights = operands(ops, i == 0 ? forward : backward, 0, 0);
            directions[i].weights.initial_state.reset();
            directions[i].weights.initial_cell.reset();
            directions[i].weights.is_reverse = i == 1;
        }
        compose::LstmOptions options;
        options.common = plain();
        const auto all = compose::lstm(ops, v[0], directions, options);
        return Indices{all.y, all.last_state, *all.last_cell};
    });
    CHECK(results[0].type == DType::kFp16);
    CHECK(results[0].shape == Shape{kSteps, 2, kRows, kHidden});
    CHECK(results[1].shape == Shape{2, kRows, kHidden});
    Vector y, states;
    for (std::size_t t = 0; t < kSteps; ++t) {
        for (const Expected& one : wanted) {
            const auto first = one.y.begin() + static_cast<std::ptrdiff_t>(t * kRows * H);
            y.insert(y.end(), first, first + static_cast<std::ptrdiff_t>(kRows * H));
        }
    }
    for (const Expected& one : wanted) {
        states.insert(states.end(), one.state.begin(), one.state.end());
    }
    check_close(results[0], y, 2e-3, 2e-3);  // states are rounded to fp16 in every step
    check_close(results[1], states, 2e-3, 2e-3);
}

TEST_CASE("composed LSTM with a projection") {
    const Data x = random_reals({1, kRows, kInputs}, 2);
    const Data projection = random_reals({2, kHidden}), bias = random_reals({2});
    const Weights weights(4);
    const LstmVariant variant;
    Vector wanted;
    for (std::size_t b = 0; b < kRows; ++b) {
        Vector h(H, 0), c(H, 0);
        lstm_step(weights, variant, &x.values[b * kInputs], h, c);
        for (std::size_t p = 0; p < 2; ++p) {
            // R has columns for two projected states, all zero at the first step; Rb remains.
            double sum = bias.values[p];
            for (std::size_t j = 0; j < H; ++j) sum += projection.values[p * H + j] * h[j];
            wanted.push_back(std::clamp(sum, -0.3, 0.3));
        }
    }
    const auto result = evaluate_one({x}, [&](auto& ops, const Indices& v) {
        compose::LstmDirection direction;
        direction.weights = operands(ops, weights, 0, 0);
        direction.weights.r = constant(ops, random_reals({4 * kHidden, 2}));
        direction.weights.initial_state.reset();
        direction.weights.initial_cell.reset();
        direction.projection = constant(ops, projection);
        direction.projection_bias = constant(ops, bias);
        compose::LstmOptions options;
        options.common = plain();
        options.projection_clip = 0.3;
        return compose::lstm(ops, v[0], {direction}, options).y;
    });
    check_close(result, wanted);
}

TEST_CASE("composed GRU and RNN") {
    const Data x = random_reals({kSteps, kRows, kInputs}, 2);
    const std::vector<std::int64_t> lengths{4, 2, 3};
    for (const bool is_linear : {false, true}) {
        for (const bool has_state : {false, true}) {
            INFO("linear_before_reset " << is_linear << ", initial state " << has_state);
            Weights weights(3);
            if (!has_state) weights.state.values.assign(weights.state.values.size(), 0);
            const auto step = [&](const double* at, Vector& h, Vector&) {
                gru_step(weights, is_linear, at, h);
            };
            const Expected wanted = expected(x, weights, lengths, false, step);
            const auto results = evaluate({x, weights.state}, [&](auto& ops, const Indices& v) {
                compose::GruDirection direction;
                direction.weights = operands(ops, weights, v[1], v[1]);
                if (!has_state) direction.weights.initial_state.reset();
                const auto all = compose::gru(ops, v[0], {direction}, plain(lengths), is_linear);
                return Indices{all.y, all.last_state};
            });
            check_close(results[0], wanted.y);
            check_close(results[1], wanted.state);
        }
    }
    const Weights weights(1);
    const Expected wanted =
        expected(x, weights, {}, true, [&](const double* at, Vector& h, Vector&) {
            Vector next(H);
            for (std::size_t j = 0; j < H; ++j) {
                next[j] = std::max(weights.of_x(at, j) + weights.of_state(h, j), 0.0);
            }
            h = next;
        });
    const auto results = evaluate({x, weights.state}, [&](auto& ops, const Indices& v) {
        compose::RnnDirection direction;
        direction.weights = operands(ops, weights, v[1], v[1]);
        direction.weights.is_reverse = true;
        direction.hidden.kind = compose::Activation::Kind::kRelu;
        const auto all = compose::rnn(ops, v[0], {direction}, plain());
        return Indices{all.y, all.last_state};
    });
    check_close(results[0], wanted.y);
    check_close(results[1], wanted.state);
}

TEST_CASE("composed activations of recurrent layers") {
    using Kind = compose::Activation::Kind;
    const Data x = reals({-2, -0.3, 0, 0.3, 2});
    const auto check = [&](const compose::Activation& activation, auto function) {
        Vector wanted;
        for (const double v : x.values) wanted.push_back(function(v));
        check_close(evaluate_one({x},
                                 [&](auto& ops, const Indices& v) {
                                     return compose::activate(ops, v[0], activation);
                                 }),
                    wanted);
    };
    check({Kind::kAffine, 2, 1}, [](double v) { return 2 * v + 1; });
    check({Kind::kLeakyRelu, {}, {}}, [](double v) { return v < 0 ? 0.01 * v : v; });
    check({Kind::kThresholdedRelu, {}, {}}, [](double v) { return v > 1 ? v : 0; });
    check({Kind::kScaledTanh, 2, 0.5}, [](double v) { return 2 * std::tanh(0.5 * v); });
    check({Kind::kHardSigmoid, {}, {}}, [](double v) { return std::clamp(0.2 * v + 0.5, 0., 1.); });
    check({Kind::kElu, {}, {}}, [](double v) { return v < 0 ? std::expm1(v) : v; });
    check({Kind::kSoftsign, {}, {}}, [](double v) { return v / (1 + std::abs(v)); });
    check({Kind::kSoftplus, {}, {}}, [](double v) { return std::log1p(std::exp(v)); });
}

TEST_CASE("gates of separate constants are joined on the host") {
    const Data first = random_reals({2, 3}), second = random_reals({2, 3});
    Vector wanted = first.values;
    wanted.insert(wanted.end(), second.values.begin(), second.values.end());
    const auto joined = [&](OperatorBuilder& ops, TensorIndex a, TensorIndex b) {
        return ops.unary(sim::graph::OpCode::kFloor, compose::join_gates(ops, {a, b}), "floor");
    };
    const auto floors = [](Vector values) {
        for (double& v : values) v = std::floor(v);
        return values;
    };
    check_equal(evaluate_one({first},
                             [&](auto& ops, const Indices&) {
                                 return joined(ops, constant(ops, first), constant(ops, second));
                             }),
                floors(wanted));
    CHECK(last_operator_count() == 1);
    check_equal(evaluate_one({first, second},
                             [&](auto& ops, const Indices& v) { return joined(ops, v[0], v[1]); }),
                floors(wanted));
}

}  // namespace okksim::tests
