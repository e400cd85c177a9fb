// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/graph/compose_support.h"

#include <cmath>
#include <random>

#include "sim/graph/compose/host_values.h"
#include "sim/graph/constant_operator.h"
#include "sim/graph/validate/validate.h"
#include "tests/reference/tosa/tosa_reference.h"
#include "tests/support/catch.h"

namespace okksim::tests {

namespace {

using reference::Value;
using sim::graph::Block;
using sim::graph::Graph;
using sim::graph::Tensor;

std::size_t g_operators = 0;

sim::graph::HostTensor to_host(const Data& data) {
    Value value = reference::make_value(data.type, data.shape);
    for (std::size_t i = 0; i < data.values.size(); ++i) {
        if (value.is_float()) {
            value.real[i] = data.values[i];
        } else {
            value.integer[i] = static_cast<std::int64_t>(data.values[i]);
        }
    }
    return reference::to_host(value);
}

Data from_value(const Value& value) {
    Data data{value.type, value.shape, value.real};
    for (const std::int64_t x : value.integer) data.values.push_back(static_cast<double>(x));
    return data;
}

/// Each call continues a sequence that is equal in every run.
double next_random() {
    static std::mt19937 engine(1);
    return static_cast<double>(engine()) / 4294967296.0;
}

}  // namespace

Data reals(std::vector<double> values) {
    const auto count = static_cast<std::int64_t>(values.size());
    return {DType::kFp32, {count}, std::move(values)};
}

Data random_reals(Shape shape, double range, DType type) {
    Data data{type, std::move(shape), {}};
    const std::int64_t count = reference::elements(data.shape);
    for (std::int64_t i = 0; i < count; ++i) {
        data.values.push_back(reference::round_to(type, (2 * next_random() - 1) * range));
    }
    return data;
}

Data random_integers(Shape shape, int low, int high, DType type) {
    Data data{type, std::move(shape), {}};
    const std::int64_t count = reference::elements(data.shape);
    for (std::int64_t i = 0; i < count; ++i) {
        data.values.push_back(low + std::floor(next_random() * (high - low + 1)));
    }
    return data;
}

std::vector<Data> evaluate(const std::vector<Data>& inputs, const Composition& compose) {
    Graph graph;
    graph.regions.push_back({"main", {}});
    graph.regions[0].blocks.emplace_back();
    Block& block = graph.regions[0].blocks[0];
    block.name = "main";
    sim::graph::BlockBuilder builder(graph, block);
    Indices operands;
    std::vector<sim::graph::HostTensor> values;
    for (const Data& input : inputs) {
        Tensor tensor;
        tensor.name = graph.own_text("input" + std::to_string(operands.size()));
        tensor.type = input.type;
        tensor.shape = input.shape;
        tensor.is_block_input = true;
        operands.push_back(*builder.declare(std::move(tensor)));
        values.push_back(to_host(input));
    }
    block.inputs = operands;
    builder.begin_operator({0, "op"});
    OperatorBuilder ops(builder);
    block.outputs = compose(ops, operands);
    sim::graph::validate_graph(graph);
    g_operators = 0;
    for (const auto& op : block.operators) g_operators += sim::graph::is_constant(op) ? 0 : 1;
    const auto results =
        reference::run_reference(graph, values, {.bounds = false, .is_rounding = true});
    std::vector<Data> all;
    for (const Value& value : results.outputs) all.push_back(from_value(value));
    return all;
}

Data evaluate_one(const std::vector<Data>& inputs,
                  const std::function<TensorIndex(OperatorBuilder&, const Indices&)>& compose) {
    return evaluate(inputs, [&](OperatorBuilder& ops, const Indices& x) {
        return Indices{compose(ops, x)};
    })[0];
}

std::size_t last_operator_count() { return g_operators; }

void check_close(const Data& result, const std::vector<double>& wanted, double relative,
                 double absolute) {
    REQUIRE(result.values.size() == wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const double found = result.values[i];
        const double want = wanted[i];
        const bool is_special = !std::isfinite(want) || !std::isfinite(found);
        const bool is_same = std::isnan(want) ? std::isnan(found) : found == want;
        const double error = std::abs(found - want);
        if (is_special ? is_same : error <= relative * std::abs(want) + absolute) continue;
        INFO("element " << i);
        CHECK(found == want);
    }
}

void check_equal(const Data& result, const std::vector<double>& wanted) {
    check_close(result, wanted, 0, 0);
}

TensorIndex constant(OperatorBuilder& ops, const Data& data) {
    return sim::graph::compose::real_values(ops, data.type, data.shape, data.values, "constant");
}

}  // namespace okksim::tests
