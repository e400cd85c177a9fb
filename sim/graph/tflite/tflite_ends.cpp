// SPDX-License-Identifier: Apache-2.0
// Inputs and outputs of subgraphs. Those of the main subgraph have the types of the file.
#include "sim/graph/flatbuffer/file_parts.h"
#include "sim/graph/open_dimensions.h"
#include "sim/graph/tflite/tflite_numbers.h"
#include "sim/graph/tflite/tflite_subgraph.h"

namespace okksim::sim::graph::tflite {

std::string Subgraph::end_name(const Value& value, const char* kind, std::size_t position) {
    const std::string wanted = value.name.empty() ? kind + std::to_string(position) : value.name;
    std::string name = wanted;
    for (int i = 2; !end_names_.insert(name).second; ++i) name = wanted + "_" + std::to_string(i);
    return name;
}

namespace {

TensorIndex with_other_sign(OperatorBuilder& ops, TensorIndex x, bool is_input) {
    constexpr double kOne = 1 << 30, kShift = 30, kHalf = 128;
    RescaleAttributes attributes;
    attributes.scale32 = true;
    attributes.rounding_mode = RoundingMode::kSingleRound;
    attributes.input_unsigned = is_input;
    attributes.output_unsigned = !is_input;
    return ops.block().add(OpCode::kRescale, attributes,
                           {x, ops.number(DType::kI32, 1, kOne), ops.number(DType::kI8, 1, kShift),
                            ops.number(DType::kI8, 1, is_input ? kHalf : 0),
                            ops.number(DType::kI8, 1, is_input ? 0 : kHalf)},
                           DType::kI8, ops.shape(x), is_input ? "as_int8" : "as_uint8");
}

}  // namespace

// uint8 becomes int8, and int64 its low word.
TensorIndex Subgraph::received(const Value& value, TensorIndex tensor) {
    OperatorBuilder& ops = lowering_.tensors().ops();
    if (value.type == TensorType::UINT8) return with_other_sign(ops, tensor, true);
    if (value.type != TensorType::INT64) return tensor;
    Shape size = value.shape;
    size.push_back(1);
    const TensorIndex low = ops.slice(tensor, Shape(size.size(), 0), size, "low");
    return ops.reshape(low, value.shape, "as_int32");
}

TensorIndex Subgraph::returned(const Value& value, TensorIndex tensor) {
    OperatorBuilder& ops = lowering_.tensors().ops();
    if (value.type == TensorType::UINT8) return with_other_sign(ops, tensor, false);
    if (value.type != TensorType::INT64) return tensor;
    Shape shape = value.shape;
    shape.push_back(1);
    const TensorIndex low = ops.reshape(tensor, shape, "low");
    constexpr int kSignBit = 31;
    const TensorIndex high = ops.binary(OpCode::kArithmeticRightShift, low,
                                        ops.number(DType::kI32, shape.size(), kSignBit), "high");
    return ops.concat({low, high}, shape.size() - 1, "as_int64");
}

// The file has a size for an open dimension, too.
void Subgraph::bind_shape(Value& value, const std::string& name) {
    const Shape signature = integers(source_.tensors()->Get(value.index)->shape_signature());
    if (value.has_shape || signature.size() != value.shape.size()) return;
    std::vector<std::string>& warnings = model_.graph().warnings;
    const ReadOptions& options = model_.options();
    if (options.input_shape && options.input_shape(name)) {
        const Shape given = bind_input_shapes({{name, signature, {}}}, options, warnings)[0];
        is_bound_ = is_bound_ || given != value.shape;
        value.shape = given;
        return;
    }
    warnings.push_back("input " + name + " is " + shape_text(value.shape) +
                       ": the file leaves dimensions open, and --shape " + name +
                       "=SHAPE gives other ones");
}

void Subgraph::add_input(Value& value, std::size_t position) {
    const std::string where = "subgraphs[0].inputs";
    if (value.device() == DType::kUnknown || value.type == TensorType::INT4) {
        throw UnsupportedPart("inputs of " + type_name(value.type), true);
    }
    const std::string name = end_name(value, "input", position);
    bind_shape(value, name);
    for (const std::int64_t size : value.shape) {
        if (size < 1) {
            file_.fail(where, "input " + name + " has the shape " + shape_text(value.shape) +
                                  ": sizes are at least 1");
        }
    }
    Tensor tensor;
    tensor.name = model_.graph().own_text(name);
    tensor.type = value.device();
    Shape shape = value.shape;
    if (value.type == TensorType::INT64) shape.push_back(2);
    tensor.shape = shape;
    tensor.is_unsigned = value.type == TensorType::UINT8;
    if (value.type == TensorType::INT64) tensor.words = FileWords::kInt64;
    block_.begin_operator({0, name, tensor.name});
    const TensorIndex index = *block_.declare(std::move(tensor));
    block_.block().inputs.push_back(index);
    ends_.insert(index);
    value.is_known = false;
    value.tensor = index;
}

// All inputs precede the values that are made from them, so that they keep their names.
void Subgraph::read_main() {
    const std::vector<std::int64_t> inputs = integers(source_.inputs());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        Value& input = value(inputs[i], "subgraphs[0].inputs");
        inputs_.push_back(input.index);
        if (input.is_unread) continue;
        try {
            add_input(input, i);
        } catch (const UnsupportedPart& part) {
            model_.note_unread(part.what(), "subgraphs[0].inputs", part.is_type());
            input.is_unread = true;
        }
    }
    for (const std::uint32_t index : inputs_) {
        Value& input = values_[index];
        if (!input.tensor || !ends_.contains(*input.tensor)) continue;
        block_.begin_operator({0, block_.tensor(*input.tensor).name, {}});
        input.tensor = received(input, *input.tensor);
    }
    lower_all();
}

void Subgraph::read_called(const std::vector<Value*>& inputs, const Call& call) {
    const std::vector<std::int64_t> names = integers(source_.inputs());
    if (names.size() != inputs.size()) {
        call.illegal("inputs", std::to_string(inputs.size()),
                     "the subgraph has " + std::to_string(names.size()) + " inputs");
    }
    is_bound_ = true;  // the shapes are those of the call
    for (std::size_t i = 0; i < names.size(); ++i) {
        Value& input = value(names[i], "subgraphs[" + std::to_string(index_) + "].inputs");
        if (inputs[i] == nullptr || inputs[i]->device() != input.device() ||
            input.device() == DType::kUnknown) {
            throw UnsupportedPart("operands of subgraphs of other types");
        }
        input.shape = inputs[i]->shape;
        Tensor tensor;
        tensor.name = model_.graph().own_text(end_name(input, "input", i));
        tensor.type = input.device();
        tensor.shape = input.shape;
        input.tensor = block_.declare(std::move(tensor));
        input.is_known = false;
        inputs_.push_back(input.index);
        block_.block().inputs.push_back(*input.tensor);
        ends_.insert(*input.tensor);
    }
    lower_all();
}

TensorIndex Subgraph::own_result(Value& value) {
    if (!value.is_known && !value.tensor) {
        file_.fail("subgraphs[" + std::to_string(index_) + "].outputs",
                   "tensor " + std::to_string(value.index) + " \"" + value.name +
                       "\" has no value: no operator and no buffer gives it");
    }
    return lowering_.tensors().of(value);
}

void Subgraph::add_outputs() {
    const std::vector<std::int64_t> outputs = integers(source_.outputs());
    if (outputs.empty()) file_.fail("subgraphs[0].outputs", "the model has no output");
    OperatorBuilder& ops = lowering_.tensors().ops();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        Value& output = value(outputs[i], "subgraphs[0].outputs");
        const std::string name = end_name(output, "output", i);
        block_.begin_operator({operators().size(), name, model_.graph().own_text(name)});
        TensorIndex tensor = returned(output, own_result(output));
        if (block_.tensor(tensor).has_data || ends_.contains(tensor)) {
            tensor = ops.unary(OpCode::kIdentity, tensor, "result");
        }
        block_.rename(tensor, model_.graph().own_text(name));
        Tensor& result = block_.block().tensors[tensor];
        result.is_unsigned = output.type == TensorType::UINT8;
        if (output.type == TensorType::INT64) result.words = FileWords::kInt64;
        block_.block().outputs.push_back(tensor);
        ends_.insert(tensor);
    }
}

std::vector<Value> Subgraph::add_results() {
    std::vector<Value> results;
    for (const std::int64_t index : integers(source_.outputs())) {
        Value& output = value(index, "subgraphs[" + std::to_string(index_) + "].outputs");
        block_.begin_operator({operators().size(), "result", Name("result")});
        TensorIndex tensor = own_result(output);
        if (block_.tensor(tensor).has_data || ends_.contains(tensor)) {
            tensor = lowering_.tensors().ops().unary(OpCode::kIdentity, tensor, "result");
        }
        block_.block().outputs.push_back(tensor);
        ends_.insert(tensor);
        results.push_back(output);
    }
    return results;
}

void Subgraph::read_assignments() {
    for (const std::uint32_t index : order()) {
        const Call call = call_of(index);
        if (call.number == kVarHandle) {
            lowering_.var_handle(call);
            continue;
        }
        const bool is_constant = call.number == kAssignVariable && call.has(1) &&
                                 call.input(1).is_known && call.input(0).variable;
        if (!is_constant) throw UnsupportedPart("an initialisation that computes values");
        const Value& source = call.input(1);
        Variable& variable = model_.graph().variables[*call.input(0).variable];
        variable.type = source.device();
        variable.shape = source.shape;
        variable.initial_value = device_bytes(source, model_.graph());
    }
}

}  // namespace okksim::sim::graph::tflite
