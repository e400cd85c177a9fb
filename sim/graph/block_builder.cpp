// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/block_builder.h"

#include <utility>

#include "sim/graph/element.h"

namespace okksim::sim::graph {

std::optional<TensorIndex> BlockBuilder::find(std::string_view name) const {
    return names_.find(name);
}

std::optional<TensorIndex> BlockBuilder::declare(Tensor tensor) {
    const auto index = static_cast<TensorIndex>(block_.tensors.size());
    tensor.shape = shapes_.share(tensor.shape);
    block_.tensors.push_back(std::move(tensor));
    if (names_.insert(index)) return index;
    block_.tensors.pop_back();
    return std::nullopt;
}

TensorIndex BlockBuilder::find_or_capture(Name name) {
    if (const auto index = find(name)) return *index;
    Tensor capture;
    capture.name = name;
    capture.is_capture = true;
    const TensorIndex index = *declare(std::move(capture));
    block_.captures.push_back(index);
    return index;
}

void BlockBuilder::begin_operator(const Source& source) {
    source_ = source;
    name_ = source.name;
    source_.name = name_;
}

Name BlockBuilder::free_name(const std::string& wanted) {
    if (!names_.find(wanted)) return graph_.own_text(wanted);
    std::string name;
    int& number = repeats_.emplace(wanted, 1).first->second;
    do {
        name = wanted + "." + std::to_string(++number);
    } while (names_.find(name));
    return graph_.own_text(name);
}

void BlockBuilder::rename(TensorIndex index, Name name) {
    Tensor& tensor = block_.tensors[index];
    if (tensor.name == name) return;
    if (const auto other = find(name)) {
        const Name second = free_name(name + ".2");
        names_.erase(name);
        block_.tensors[*other].name = second;
        names_.insert(*other);
    }
    names_.erase(tensor.name);
    graph_.disown_text(std::exchange(tensor.name, name));
    names_.insert(index);
}

TensorIndex BlockBuilder::temporary(DType type, Shape shape, std::string_view role) {
    Tensor tensor;
    tensor.type = type;
    tensor.shape = std::move(shape);
    tensor.name = free_name(name_ + "." + std::string(role));
    return *declare(std::move(tensor));
}

TensorIndex BlockBuilder::constant_bytes(DType type, Shape shape, const ConstantData& data,
                                         std::string_view role) {
    const TensorIndex index = temporary(type, std::move(shape), role);
    block_.tensors[index].data = data;
    block_.tensors[index].has_data = true;
    add(type == DType::kShape ? OpCode::kConstShape : OpCode::kConst, NoAttributes{}, {}, {index});
    return index;
}

TensorIndex BlockBuilder::constant(DType type, Shape shape, const std::vector<std::int64_t>& values,
                                   std::string_view role) {
    return constant_bytes(type, std::move(shape), graph_.own_bytes(pack_integers(type, values)),
                          role);
}

TensorIndex BlockBuilder::real_constant(DType type, Shape shape, double value,
                                        std::string_view role) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(storage_bits(type)) / 8);
    const std::uint32_t bits = encode_float(type, value);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<std::byte>(bits >> (8 * i));
    }
    return constant_bytes(type, std::move(shape), graph_.own_bytes(std::move(bytes)), role);
}

TensorIndex BlockBuilder::shape_value(const std::vector<std::int64_t>& values,
                                      std::string_view role) {
    return constant(DType::kShape, {static_cast<std::int64_t>(values.size())}, values, role);
}

void BlockBuilder::add(OpCode op, Attributes attributes, const TensorList& inputs,
                       const TensorList& outputs) {
    Operator added;
    added.op = op;
    added.attributes = attributes_.share(std::move(attributes));
    added.inputs = inputs;
    added.outputs = outputs;
    added.index = source_.index;
    added.line = source_.line;
    added.column = source_.column;
    added.location = source_.location;
    block_.operators.push_back(std::move(added));
}

TensorIndex BlockBuilder::add(OpCode op, Attributes attributes, const TensorList& inputs,
                              DType type, Shape shape, std::string_view role) {
    const TensorIndex result = temporary(type, std::move(shape), role);
    add(op, std::move(attributes), inputs, {result});
    return result;
}

}  // namespace okksim::sim::graph
