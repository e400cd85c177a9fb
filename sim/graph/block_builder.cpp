// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/block_builder.h"

#include "sim/graph/element.h"

namespace okksim::sim::graph {

std::optional<TensorIndex> BlockBuilder::find(std::string_view name) const {
    const auto found = names_.find(std::string(name));
    if (found == names_.end()) return std::nullopt;
    return found->second;
}

std::optional<TensorIndex> BlockBuilder::declare(Tensor tensor) {
    const auto index = static_cast<TensorIndex>(block_.tensors.size());
    if (!names_.emplace(tensor.name, index).second) return std::nullopt;
    block_.tensors.push_back(std::move(tensor));
    return index;
}

TensorIndex BlockBuilder::find_or_capture(std::string_view name) {
    if (const auto index = find(name)) return *index;
    Tensor capture;
    capture.name = name;
    capture.is_capture = true;
    const TensorIndex index = *declare(std::move(capture));
    block_.captures.push_back(index);
    return index;
}

void BlockBuilder::begin_operator(std::uint32_t index, std::string name, std::string origin,
                                  std::string location) {
    index_ = index;
    origin_ = std::move(origin);
    location_ = std::move(location);
    name_ = std::move(name);
}

std::string BlockBuilder::free_name(const std::string& wanted) {
    if (names_.count(wanted) == 0) return wanted;
    std::string name;
    int& number = repeats_.emplace(wanted, 1).first->second;
    do {
        name = wanted + "." + std::to_string(++number);
    } while (names_.count(name) > 0);
    return name;
}

void BlockBuilder::rename(TensorIndex index, std::string name) {
    if (block_.tensors[index].name == name) return;
    if (const auto other = find(name)) {
        names_.erase(name);
        std::string second = free_name(name + ".2");
        names_.emplace(second, *other);
        block_.tensors[*other].name = std::move(second);
    }
    names_.erase(block_.tensors[index].name);
    names_.emplace(name, index);
    block_.tensors[index].name = std::move(name);
}

TensorIndex BlockBuilder::temporary(DType type, Shape shape, std::string_view role) {
    Tensor tensor;
    tensor.type = type;
    tensor.shape = std::move(shape);
    tensor.name = free_name(name_ + "." + std::string(role));
    return *declare(std::move(tensor));
}

TensorIndex BlockBuilder::constant_bytes(DType type, Shape shape, std::span<const std::byte> bytes,
                                         std::string_view role) {
    const TensorIndex index = temporary(type, std::move(shape), role);
    block_.tensors[index].data = bytes;
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

void BlockBuilder::add(OpCode op, Attributes attributes, std::vector<TensorIndex> inputs,
                       std::vector<TensorIndex> outputs) {
    Operator added;
    added.op = op;
    added.attributes = std::move(attributes);
    added.inputs = std::move(inputs);
    added.outputs = std::move(outputs);
    added.index = index_;
    added.origin = origin_;
    added.location = location_;
    block_.operators.push_back(std::move(added));
}

TensorIndex BlockBuilder::add(OpCode op, Attributes attributes, std::vector<TensorIndex> inputs,
                              DType type, Shape shape, std::string_view role) {
    const TensorIndex result = temporary(type, std::move(shape), role);
    add(op, std::move(attributes), std::move(inputs), {result});
    return result;
}

}  // namespace okksim::sim::graph
