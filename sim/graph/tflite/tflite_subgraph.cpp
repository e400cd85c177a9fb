// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/tflite/tflite_subgraph.h"

#include <algorithm>
#include <queue>

#include "sim/graph/flatbuffer/file_parts.h"
#include "sim/graph/tflite/tflite_fold.h"
#include "sim/graph/tflite/tflite_numbers.h"
#include "sim/graph/tflite/tflite_operators.h"

namespace okksim::sim::graph::tflite {

Subgraph::Subgraph(Model& model, BlockBuilder& block, std::uint32_t index)
    : model_(model),
      file_(model.file()),
      block_(block),
      lowering_(block, model.rounding(), model),
      index_(index),
      source_(file_.subgraph(index, "subgraphs")) {
    read_values();
}

const flatbuffers::Vector<flatbuffers::Offset<wire::Operator>>& Subgraph::operators() const {
    static const flatbuffers::Vector<flatbuffers::Offset<wire::Operator>>* const kNone = [] {
        static const std::uint32_t zero = 0;
        return reinterpret_cast<const flatbuffers::Vector<flatbuffers::Offset<wire::Operator>>*>(
            &zero);
    }();
    return source_.operators() == nullptr ? *kNone : *source_.operators();
}

std::string Subgraph::operator_path(std::uint32_t index) const {
    return "subgraphs[" + std::to_string(index_) + "].operators[" + std::to_string(index) + "]";
}

void Subgraph::read_values() {
    if (source_.tensors() == nullptr) return;
    values_.reserve(source_.tensors()->size());
    for (std::uint32_t i = 0; i < source_.tensors()->size(); ++i) {
        const std::string where =
            "subgraphs[" + std::to_string(index_) + "].tensors[" + std::to_string(i) + "]";
        try {
            values_.push_back(
                read_tensor(file_, *source_.tensors()->Get(i), i, where, model_.graph()));
        } catch (const UnsupportedPart& part) {
            model_.note_unread(part.what(), where, part.is_type());
            Value unread;
            unread.is_unread = true;
            values_.push_back(unread);
        }
    }
}

Value& Subgraph::value(std::int64_t index, const std::string& where) {
    if (index < 0 || index >= static_cast<std::int64_t>(values_.size())) {
        file_.fail(where, "names tensor " + std::to_string(index) + "; the subgraph has " +
                              std::to_string(values_.size()));
    }
    return values_[static_cast<std::size_t>(index)];
}

const OperatorRow* Subgraph::row_of(const wire::Operator& op, std::int32_t number) const {
    return number == kCustom ? find_custom_operator(file_.custom_name(op)) : find_operator(number);
}

Call Subgraph::call_of(std::uint32_t index) {
    const wire::Operator& op = *operators().Get(index);
    const std::string path = operator_path(index);
    const std::int32_t number = file_.operator_number(op, path);
    const OperatorRow* row = row_of(op, number);
    Call call{op, number, row == nullptr ? std::string_view() : row->name, path, {}, {}};
    if (row != nullptr) call.where += " " + std::string(row->name);
    for (const std::int64_t input : integers(op.inputs())) {
        call.inputs.push_back(input == -1 ? nullptr : &value(input, path + ".inputs"));
    }
    for (const std::int64_t output : integers(op.outputs())) {
        call.outputs.push_back(&value(output, path + ".outputs"));
    }
    return call;
}

// The first operator of the file that is ready comes first: files may be unsorted.
std::vector<std::uint32_t> Subgraph::order() {
    const std::uint32_t count = operators().size();
    std::vector<std::vector<std::uint32_t>> users(values_.size());
    std::vector<std::int32_t> producer(values_.size(), -1);
    std::vector<std::uint32_t> missing(count, 0);
    std::vector<bool> is_input(values_.size(), false);
    for (const std::uint32_t i : inputs_) is_input[i] = true;
    for (std::uint32_t i = 0; i < count; ++i) {
        for (const std::int64_t output : integers(operators().Get(i)->outputs())) {
            Value& made = value(output, operator_path(i) + ".outputs");
            if (producer[made.index] >= 0 || is_input[made.index] || made.is_known) {
                file_.fail(operator_path(i) + ".outputs",
                           "tensor " + std::to_string(output) + " already has a value");
            }
            producer[made.index] = static_cast<std::int32_t>(i);
        }
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        for (const std::int64_t input : integers(operators().Get(i)->inputs())) {
            if (input == -1) continue;
            Value& used = value(input, operator_path(i) + ".inputs");
            if (producer[used.index] >= 0) {
                users[used.index].push_back(i);
                ++missing[i];
            } else if (element_count(used.shape) == std::uint64_t{0}) {
                used.is_known = true;
            }
        }
    }
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
    std::vector<std::uint32_t> result;
    for (std::uint32_t i = 0; i < count; ++i) {
        if (missing[i] == 0) ready.push(i);
    }
    while (!ready.empty()) {
        const std::uint32_t next = ready.top();
        ready.pop();
        result.push_back(next);
        for (const std::int64_t output : integers(operators().Get(next)->outputs())) {
            for (const std::uint32_t user : users[static_cast<std::size_t>(output)]) {
                if (--missing[user] == 0) ready.push(user);
            }
        }
    }
    if (result.size() != count) {
        file_.fail("subgraphs[" + std::to_string(index_) + "].operators",
                   "operators need their own results: the graph has a cycle");
    }
    return result;
}

void Subgraph::lower_all() {
    for (const std::uint32_t index : order()) lower(index);
}

void Subgraph::lower(std::uint32_t index) {
    Call call = call_of(index);
    std::string name = call.outputs.empty() ? "" : call.outputs[0]->name;
    if (name.empty()) {
        name =
            (call.name.empty() ? "operator" : std::string(call.name)) + "_" + std::to_string(index);
    }
    block_.begin_operator({index, name, model_.graph().own_text(name)});
    try {
        lower_call(call);
        finish(call);
        return;
    } catch (const UnsupportedPart& part) {
        std::string what = std::string(call.name);
        if (call.name.empty()) what = "operator number " + std::to_string(call.number);
        if (call.number == kCustom) {
            what = "custom operator " + std::string(file_.custom_name(call.op));
        }
        model_.note_unread(what + (*part.what() == '\0' ? "" : ": ") + part.what(), call.where,
                           part.is_type());
    } catch (const UnreadOperand&) {
    }
    for (Value* output : call.outputs) output->is_unread = true;
}

void Subgraph::lower_call(Call& call) {
    const OperatorRow* row = row_of(call.op, call.number);
    if (row == nullptr) {
        const bool is_flex = file_.custom_name(call.op).starts_with("Flex");
        throw UnsupportedPart(
            is_flex && call.number == kCustom ? "an operator of TensorFlow itself (Flex)" : "");
    }
    for (const Value* input : call.inputs) {
        if (input == nullptr) continue;
        if (input->is_unread) throw UnreadOperand();
        const bool has_value =
            input->is_known || input->tensor || input->variable || input->is_variable;
        if (!has_value) {
            file_.fail(call.where, "tensor " + std::to_string(input->index) + " \"" + input->name +
                                       "\" has no value: no operator and no buffer gives it");
        }
    }
    for (const Value* output : call.outputs) {
        const bool is_handle = output->type == TensorType::RESOURCE;
        if (output->device() == DType::kUnknown && !is_handle) {
            throw UnsupportedPart("a result of " + type_name(output->type), true);
        }
    }
    if (const auto folded = fold(call)) {
        for (std::size_t i = 0; i < folded->size(); ++i) {
            Value& output = *call.outputs[i];
            output.shape = (*folded)[i].shape;
            output.data = model_.graph().own_bytes((*folded)[i].data);
            output.is_known = true;
        }
        return;
    }
    (lowering_.*row->lower)(call);
}

void Subgraph::finish(Call& call) {
    const auto* tensors = source_.tensors();
    for (Value* output : call.outputs) {
        const Shape declared = integers(tensors->Get(output->index)->shape());
        if (!is_bound_ && output->has_shape && !output->variable && !declared.empty() &&
            element_count(declared) != element_count(output->shape)) {
            call.illegal("output " + output->name, shape_text(declared),
                         "the result has the shape that operands and options give, " +
                             shape_text(output->shape));
        }
        if (!output->tensor || output->name.empty() || block_.find(output->name)) continue;
        const std::string_view made = block_.tensor(*output->tensor).name.view();
        if (block_.tensor(*output->tensor).has_data || ends_.contains(*output->tensor)) continue;
        if (made.find('.') == std::string_view::npos) continue;
        block_.rename(*output->tensor, Name(view(tensors->Get(output->index)->name())));
    }
}

}  // namespace okksim::sim::graph::tflite
