// SPDX-License-Identifier: Apache-2.0
// Control flow: branches and loops that are known before the run vanish.
#include <algorithm>

#include "sim/graph/onnx/onnx_host.h"
#include "sim/graph/onnx/onnx_loops.h"
#include "sim/graph/onnx/onnx_operators.h"
#include "sim/graph/onnx/onnx_run_time_loop.h"
#include "sim/graph/onnx/onnx_walk.h"

namespace okksim::sim::graph::onnx {

const GraphProto& body(const Call& call, std::string_view name) {
    const GraphProto* graph = call.graph(name);
    if (graph == nullptr) call.illegal(std::string(name), "missing", "the operator has this graph");
    return *graph;
}

Value& stacked(const Call& call, std::size_t n, const std::vector<Value*>& parts,
               std::size_t axis) {
    if (parts.empty()) throw UnsupportedPart("loops without an iteration");
    Shape one = parts[0]->shape;
    one.insert(one.begin() + static_cast<std::ptrdiff_t>(axis), 1);
    OperatorBuilder& ops = call.ops();
    std::vector<TensorIndex> tensors;
    for (Value* part : parts) {
        if (part->shape != parts[0]->shape) {
            call.illegal("scan output " + std::to_string(n), shape_text(part->shape),
                         "each iteration gives the shape " + shape_text(parts[0]->shape));
        }
        tensors.push_back(ops.reshape_step(call.tensors().declared(*part), one, "row"));
    }
    Shape shape = one;
    shape[axis] = static_cast<std::int64_t>(parts.size());
    Value& result = call.walk().temporary();
    result.type = parts[0]->type;
    result.shape = shape;
    result.declared = ops.concat(tensors, axis, "rows");
    return result;
}

void set_stacked(const Call& call, std::size_t n, const std::vector<Value*>& parts,
                 std::size_t axis) {
    if (call.has_output(n)) call.set_same(n, stacked(call, n, parts, axis));
}

namespace lower {

namespace {

/// Returns the truth of a known condition; nothing if it is known only at run time.
std::optional<bool> known_condition(const Call& call, const Value& value) {
    call.require(value.type == ElementType::kBool, "condition",
                 std::string(element_name(value.type)), "the condition is bool");
    call.require(element_count(value.shape) == std::uint64_t{1}, "condition",
                 shape_text(value.shape), "the condition has one element");
    if (!value.known) return std::nullopt;
    return integers(*value.known)[0] != 0;
}

void require_agreement(const Call& call, const std::vector<Value*>& first,
                       const std::vector<Value*>& second) {
    for (std::size_t i = 0; i < first.size(); ++i) {
        if (first[i]->type != second[i]->type) {
            call.illegal("output " + std::to_string(i), std::string(element_name(second[i]->type)),
                         "both branches give " + std::string(element_name(first[i]->type)));
        }
        if (first[i]->shape != second[i]->shape) {
            throw UnsupportedPart(
                "a condition that is known only at run time, with branches of "
                "different shapes");
        }
    }
}

/// Adds an operator with blocks; its results have the types of `values`.
void add_control(const Call& call, OpCode op, Attributes attributes, const TensorList& inputs,
                 const std::vector<Value*>& values, std::vector<TensorIndex>& results) {
    BlockBuilder& block = call.ops().block();
    for (const Value* value : values) {
        results.push_back(block.temporary(device_type(value->type), value->shape, "result"));
    }
    block.add(op, std::move(attributes), inputs, results);
}

}  // namespace

void branch(const Call& call) {
    Value& condition = call.input(0);
    Walk& walk = call.walk();
    const GraphProto& then_graph = body(call, "then_branch");
    const GraphProto& else_graph = body(call, "else_branch");
    if (const auto truth = known_condition(call, condition)) {
        const std::vector<Value*> results =
            walk.inline_graph(call.node(), *truth ? then_graph : else_graph, {});
        for (std::size_t n = 0; n < std::min(call.output_count(), results.size()); ++n) {
            if (results[n]->is_unread) throw UnreadOperand();
            call.set_same(n, *results[n]);
        }
        return;
    }
    call.require(then_graph.outputs.size() == else_graph.outputs.size(), "else_branch",
                 std::to_string(else_graph.outputs.size()) + " outputs",
                 "both branches have the same number of outputs");
    const TensorIndex test = call.tensor(0);
    CondIfAttributes attributes;
    std::vector<Value*> then_values, else_values;
    attributes.then_graph.block = walk.lower_block(call.node(), then_graph, {}, then_values);
    attributes.else_graph.block = walk.lower_block(call.node(), else_graph, {}, else_values);
    require_agreement(call, then_values, else_values);
    std::vector<TensorIndex> results;
    add_control(call, OpCode::kCondIf, attributes, {test}, then_values, results);
    for (std::size_t n = 0; n < results.size(); ++n) {
        call.set_tensor(n, then_values[n]->type, then_values[n]->shape, results[n]);
    }
}

namespace {

/// The state of Loop while it is unrolled.
struct Unrolled {
    std::vector<Value*> carried;
    std::vector<std::vector<Value*>> rows;  ///< of each scan output
};

/// Unrolls a loop. Returns nothing if its end depends on values of the run.
std::optional<Unrolled> unrolled(const Call& call, const GraphProto& graph,
                                 std::optional<std::int64_t> trips, bool goes_on) {
    Walk& walk = call.walk();
    Unrolled state;
    for (std::size_t n = 2; n < call.input_count(); ++n) state.carried.push_back(&call.input(n));
    const std::size_t count = state.carried.size();
    state.rows.resize(graph.outputs.size() - std::min(graph.outputs.size(), count + 1));
    for (std::int64_t i = 0; goes_on && (!trips || i < *trips); ++i) {
        std::vector<Value*> inputs{
            &known_temporary(walk, make_array(ElementType::kInt64, {}, Shape{i})),
            &known_temporary(walk,
                             make_array(ElementType::kBool, {}, std::vector<std::int64_t>{1}))};
        inputs.insert(inputs.end(), state.carried.begin(), state.carried.end());
        const std::vector<Value*> outputs = walk.inline_graph(call.node(), graph, inputs);
        for (const Value* value : outputs) {
            if (value->is_unread) throw UnreadOperand();
        }
        call.require(outputs.size() >= count + 1, "body", std::to_string(outputs.size()),
                     "the body has a condition and the carried values as outputs");
        const auto truth = known_condition(call, *outputs[0]);
        if (!truth) return std::nullopt;
        goes_on = *truth;
        std::copy_n(outputs.begin() + 1, count, state.carried.begin());
        for (std::size_t k = 0; k < state.rows.size(); ++k) {
            state.rows[k].push_back(outputs[count + 1 + k]);
        }
    }
    return state;
}

}  // namespace

void loop(const Call& call) {
    const GraphProto& graph = body(call, "body");
    std::optional<std::int64_t> trips;
    bool is_open = false;
    if (Value* limit = call.optional_input(0)) {
        if (limit->known) {
            trips = call.known_integer(0, "loop lengths");
        } else {
            is_open = true;
        }
    }
    bool goes_on = true;
    if (Value* condition = call.optional_input(1)) {
        const auto truth = known_condition(call, *condition);
        is_open = is_open || !truth;
        goes_on = truth.value_or(true);
    }
    if (is_open) return lower_run_time_loop(call, graph);
    const auto state = unrolled(call, graph, trips, goes_on);
    if (!state) return lower_run_time_loop(call, graph);
    for (std::size_t n = 0; n < state->carried.size(); ++n) call.set_same(n, *state->carried[n]);
    for (std::size_t k = 0; k < state->rows.size(); ++k) {
        set_stacked(call, state->carried.size() + k, state->rows[k], 0);
    }
}

}  // namespace lower

}  // namespace okksim::sim::graph::onnx
