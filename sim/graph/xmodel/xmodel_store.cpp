// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/xmodel/xmodel_store.h"

#include "sim/graph/xmodel/xmodel_lowering.h"

namespace okksim::sim::graph::xmodel {

namespace {

Rounding rounding(const NodeView& node) {
    const Attribute* mode = node.output_attribute("round_mode");
    const std::string word = mode != nullptr ? mode->text() : "";
    return word.empty() ? Rounding::kHalfUp : rounding_of(node, word);
}

}  // namespace

Value declared_value(Name name, const NodeView& node) {
    const Output& output = node.wire().output();
    Value value;
    value.name = name;
    if (output.kind() < 0 || output.kind() >= kElementKindCount) {
        node.illegal("data_type", std::to_string(output.kind()), "the type is one of 0 to 5");
    }
    value.type = {static_cast<ElementKind>(output.kind()), output.bits()};
    value.shape.assign(output.dimensions().begin(), output.dimensions().end());
    const auto count = element_count(value.shape);
    if (!count || *count == 0 || value.shape.size() > 32) {
        node.illegal("output tensor", shape_text(value.shape),
                     "tensors have 1 to 2^58 elements, and at most 32 dimensions");
    }
    if (const Attribute* point = node.output_attribute("fix_point")) {
        const auto number = integer_of(*point);
        if (!number || *number < -64 || *number > 64) {
            node.illegal("fix_point", number ? std::to_string(*number) : "no number",
                         "fix_point is a number of bits, -64 to 64");
        }
        value.fix_point = static_cast<int>(*number);
    }
    value.rounding = rounding(node);
    return value;
}

void ValueStore::keep(std::uint32_t index, const Value& value) {
    Kept& kept = kept_[index];
    kept.kind = value.type.kind;
    kept.bits = static_cast<std::uint8_t>(value.type.bits);
    if (value.fix_point) kept.fix_point = static_cast<std::int8_t>(*value.fix_point);
    kept.rounding = value.rounding;
    kept.is_constant = value.is_constant;
    kept.is_unread = value.is_unread;
    kept.is_bare = true;
    keep_tensors(index, value);
    if (!kept.is_bare) return;
    kept.declared = static_cast<std::uint32_t>(constant_shapes_.size());
    constant_shapes_.push_back(shapes_.share(value.shape));
}

void ValueStore::keep_tensors(std::uint32_t index, const Value& value) {
    if (!value.declared && !value.channels_last) return;
    Kept& kept = kept_[index];
    kept.declared = value.declared ? OptionalIndex(*value.declared) : OptionalIndex();
    if (value.channels_last) kept.channels_last = *value.channels_last;
    kept.is_bare = false;
}

Value ValueStore::value(std::uint32_t index, const BlockBuilder& block) const {
    const Kept& kept = kept_[index];
    Value value;
    value.name = nodes_.name(index);
    value.is_unread = kept.is_unread;
    if (kept.is_unread) return value;
    value.type = {kept.kind, kept.bits};
    if (kept.fix_point != Kept::kNoPoint) value.fix_point = kept.fix_point;
    value.rounding = kept.rounding;
    value.is_constant = kept.is_constant;
    if (kept.is_constant) {
        const auto missing = missing_data_.find(index);
        value.data = missing == missing_data_.end() ? node_data(nodes_[index]) : missing->second;
    }
    if (kept.declared && !kept.is_bare) value.declared = *kept.declared;
    if (kept.channels_last) value.channels_last = *kept.channels_last;
    value.shape = kept.is_bare ? Shape(constant_shapes_[*kept.declared])
                               : ValueTensors::shape_in_file(block, value);
    return value;
}

std::vector<Value*> Operands::of(const NodeView& node, const char* argument) {
    std::vector<Value*> result;
    for (const std::string& operand : node.argument(argument)) {
        const std::uint32_t index = store_.nodes().find(operand, node.name());
        auto found = values_.find(index);
        if (found == values_.end()) {
            found = values_.emplace(index, store_.value(index, block_)).first;
        }
        result.push_back(&found->second);
    }
    return result;
}

}  // namespace okksim::sim::graph::xmodel
