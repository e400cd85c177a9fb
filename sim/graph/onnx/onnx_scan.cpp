// SPDX-License-Identifier: Apache-2.0
// Scan: the sequences have known lengths, so that no loop remains.
#include <algorithm>

#include "sim/graph/onnx/onnx_loops.h"
#include "sim/graph/onnx/onnx_operators.h"
#include "sim/graph/onnx/onnx_walk.h"

namespace okksim::sim::graph::onnx::lower {

namespace {

/// Returns one element of a sequence along an axis, without the axis.
Value& row(const Call& call, Value& sequence, std::size_t axis, std::int64_t position) {
    Shape start(sequence.rank(), 0), size = sequence.shape;
    start[axis] = position;
    size[axis] = 1;
    Value& result = call.walk().temporary();
    result.type = sequence.type;
    result.shape = sequence.shape;
    result.shape.erase(result.shape.begin() + static_cast<std::ptrdiff_t>(axis));
    OperatorBuilder& ops = call.ops();
    const TensorIndex part = ops.slice(call.tensors().declared(sequence), start, size, "row");
    result.declared = ops.reshape_step(part, result.shape, "element");
    return result;
}

std::vector<std::int64_t> list_or_zeros(const Call& call, std::string_view name,
                                        std::size_t count) {
    auto list = call.integer_list(name).value_or(std::vector<std::int64_t>(count, 0));
    call.require(list.size() == count, std::string(name), shape_text(list),
                 "the list has " + std::to_string(count) + " numbers");
    return list;
}

/// The operands of a scan: states, and sequences along their axes.
struct Scanned {
    std::vector<Value*> carried;
    std::vector<Value*> sequences;
    std::vector<std::size_t> places;
    std::vector<std::int64_t> backward;
};

/// Runs the body for all elements of the sequences. Returns the values of each scan output.
std::vector<std::vector<Value*>> scan_rows(const Call& call, const GraphProto& graph,
                                           Scanned& scanned) {
    const std::size_t states = scanned.carried.size();
    std::vector<std::vector<Value*>> rows(graph.outputs.size() - states);
    std::int64_t length = -1;
    for (std::size_t k = 0; k < scanned.sequences.size(); ++k) {
        const std::int64_t size = scanned.sequences[k]->shape[scanned.places[k]];
        call.require(length < 0 || length == size, "scan input " + std::to_string(k),
                     std::to_string(size), "the sequences have one length");
        length = size;
    }
    for (std::int64_t i = 0; i < length; ++i) {
        std::vector<Value*> arguments = scanned.carried;
        for (std::size_t k = 0; k < scanned.sequences.size(); ++k) {
            const std::int64_t at = scanned.backward[k] != 0 ? length - 1 - i : i;
            arguments.push_back(&row(call, *scanned.sequences[k], scanned.places[k], at));
        }
        const std::vector<Value*> outputs = call.walk().inline_graph(call.node(), graph, arguments);
        for (const Value* value : outputs) {
            if (value->is_unread) throw UnreadOperand();
        }
        std::copy_n(outputs.begin(), states, scanned.carried.begin());
        for (std::size_t k = 0; k < rows.size(); ++k) rows[k].push_back(outputs[states + k]);
    }
    return rows;
}

/// Refuses lengths that end a sequence early.
void require_whole_sequences(const Call& call, std::int64_t batch, std::int64_t length) {
    if (!call.has_input(0)) return;
    const std::vector<std::int64_t> lengths = call.known_integers(0, "sequence lengths");
    call.require(lengths.size() == static_cast<std::size_t>(batch), "sequence_lens",
                 shape_text(call.input(0).shape), "each element of the batch has a length");
    for (const std::int64_t each : lengths) {
        if (each != length) throw UnsupportedPart("sequences of different lengths");
    }
}

/// Scan of operator set 8: operand 0 has lengths, and the first dimension of all others is a batch,
/// whose elements are scanned separately.
void scan_batch(const Call& call, const GraphProto& graph, std::size_t sequences) {
    const std::size_t states = call.input_count() - 1 - sequences;
    call.require(graph.outputs.size() >= states, "body", std::to_string(graph.outputs.size()),
                 "the body has the states as outputs");
    for (std::size_t n = 1; n < call.input_count(); ++n) {
        const Shape& shape = call.input(n).shape;
        call.require(shape.size() >= (n > states ? 2U : 1U) &&
                         shape[0] == call.input(call.input_count() - 1).shape[0],
                     "input " + std::to_string(n), shape_text(shape),
                     "the first dimension is the batch");
    }
    const Shape& last = call.input(call.input_count() - 1).shape;
    require_whole_sequences(call, last[0], last[1]);
    std::vector<std::vector<Value*>> results(graph.outputs.size());
    for (std::int64_t element = 0; element < last[0]; ++element) {
        Scanned scanned;
        for (std::size_t n = 1; n < call.input_count(); ++n) {
            auto& list = n <= states ? scanned.carried : scanned.sequences;
            list.push_back(&row(call, call.input(n), 0, element));
        }
        scanned.places.assign(sequences, 0);
        scanned.backward = list_or_zeros(call, "directions", sequences);
        const auto rows = scan_rows(call, graph, scanned);
        for (std::size_t n = 0; n < results.size(); ++n) {
            results[n].push_back(n < states ? scanned.carried[n]
                                            : &stacked(call, n, rows[n - states], 0));
        }
    }
    for (std::size_t n = 0; n < results.size(); ++n) set_stacked(call, n, results[n], 0);
}

}  // namespace

void scan(const Call& call) {
    const GraphProto& graph = body(call, "body");
    const std::int64_t scans = call.required_integer("num_scan_inputs");
    const bool has_batch = call.opset() < 9;
    const std::int64_t inputs = static_cast<std::int64_t>(call.input_count()) - (has_batch ? 1 : 0);
    call.require(scans >= 1 && scans <= inputs, "num_scan_inputs", std::to_string(scans),
                 "the operator has 1 to " + std::to_string(inputs) + " sequences");
    const auto sequences = static_cast<std::size_t>(scans);
    if (has_batch) return scan_batch(call, graph, sequences);
    const std::size_t states = call.input_count() - sequences;
    call.require(graph.outputs.size() >= states, "body", std::to_string(graph.outputs.size()),
                 "the body has the states as outputs");
    const std::size_t results = graph.outputs.size() - states;
    const auto axes = list_or_zeros(call, "scan_input_axes", sequences);
    const auto backward = list_or_zeros(call, "scan_input_directions", sequences);
    const auto result_axes = list_or_zeros(call, "scan_output_axes", results);
    const auto result_backward = list_or_zeros(call, "scan_output_directions", results);
    Scanned scanned;
    for (std::size_t n = 0; n < states; ++n) scanned.carried.push_back(&call.input(n));
    for (std::size_t k = 0; k < sequences; ++k) {
        Value& sequence = call.input(states + k);
        scanned.sequences.push_back(&sequence);
        scanned.places.push_back(call.axis(axes[k], sequence.rank()));
    }
    scanned.backward = backward;
    auto rows = scan_rows(call, graph, scanned);
    for (std::size_t n = 0; n < states; ++n) call.set_same(n, *scanned.carried[n]);
    for (std::size_t k = 0; k < results; ++k) {
        if (rows[k].empty()) throw UnsupportedPart("loops without an iteration");
        if (result_backward[k] != 0) std::reverse(rows[k].begin(), rows[k].end());
        set_stacked(call, states + k, rows[k], call.axis(result_axes[k], rows[k][0]->rank() + 1));
    }
}

}  // namespace okksim::sim::graph::onnx::lower
