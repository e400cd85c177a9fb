// SPDX-License-Identifier: Apache-2.0
// Sections 2.10 and 2.11: operators that copy elements unchanged.
#include "isa/base/errors.h"
#include "tests/reference/tosa/operators.h"

namespace okksim::reference {
namespace {

std::size_t flat_index(const Shape& shape, const Shape& index) {
    std::int64_t flat = 0;
    for (std::size_t i = 0; i < shape.size(); ++i) flat = flat * shape[i] + index[i];
    return static_cast<std::size_t>(flat);
}

void copy_element(Value& to, std::size_t to_flat, const Value& from, std::size_t from_flat) {
    if (to.is_float()) {
        to.real[to_flat] = from.real[from_flat];
    } else {
        to.integer[to_flat] = from.integer[from_flat];
    }
}

/// output[index] = input[source(index)] for every index.
template <typename Source>
void gather_by(const Value& input, Value& output, const Source& source) {
    for_each_position(output.shape, [&](const Shape& index, std::int64_t flat) {
        copy_element(output, static_cast<std::size_t>(flat), input,
                     flat_index(input.shape, source(index)));
    });
}

void concat(const Node& node) {
    const auto axis = static_cast<std::size_t>(node.attributes<tosa::ConcatAttributes>().axis);
    std::int64_t start = 0;
    for (const Value* input : node.in) {
        for_each_position(input->shape, [&](Shape index, std::int64_t flat) {
            index[axis] += start;
            copy_element(*node.out[0], flat_index(node.out[0]->shape, index), *input,
                         static_cast<std::size_t>(flat));
        });
        start += input->shape[axis];
    }
}

void pad(const Node& node) {
    const Value& input = *node.in[0];
    const std::vector<std::int64_t>& padding = node.in[1]->integer;
    Value& output = *node.out[0];
    for_each_position(output.shape, [&](Shape index, std::int64_t flat) {
        bool inside = true;
        for (std::size_t i = 0; i < index.size(); ++i) {
            index[i] -= padding[2 * i];
            inside = inside && index[i] >= 0 && index[i] < input.shape[i];
        }
        const auto to = static_cast<std::size_t>(flat);
        if (inside) {
            copy_element(output, to, input, flat_index(input.shape, index));
        } else {
            copy_element(output, to, *node.in[2], 0);
        }
    });
}

void gather(const Node& node) {
    const Shape& shape = node.out[0]->shape;
    gather_by(*node.in[0], *node.out[0], [&](const Shape& index) {
        const auto at = static_cast<std::size_t>(index[0] * shape[1] + index[1]);
        return Shape{index[0], node.in[1]->integer[at], index[2]};
    });
}

void scatter(const Node& node) {
    *node.out[0] = *node.in[0];
    const Value& input = *node.in[2];
    for_each_position(input.shape, [&](const Shape& index, std::int64_t flat) {
        const auto at = static_cast<std::size_t>(index[0] * input.shape[1] + index[1]);
        copy_element(*node.out[0],
                     flat_index(node.out[0]->shape, {index[0], node.in[1]->integer[at], index[2]}),
                     input, static_cast<std::size_t>(flat));
    });
}

}  // namespace

void data_layout(const Node& node) {
    const Value& input = *node.in[0];
    Value& output = *node.out[0];
    switch (node.op.op) {
        case OpCode::kConcat: concat(node); return;
        case OpCode::kPad: pad(node); return;
        case OpCode::kReshape:
            output.real = input.real;
            output.integer = input.integer;
            return;
        case OpCode::kReverse: {
            const auto axis =
                static_cast<std::size_t>(node.attributes<tosa::ReverseAttributes>().axis);
            gather_by(input, output, [&](Shape index) {
                index[axis] = input.shape[axis] - 1 - index[axis];
                return index;
            });
            return;
        }
        case OpCode::kSlice:
            gather_by(input, output, [&](Shape index) {
                for (std::size_t i = 0; i < index.size(); ++i) index[i] += node.in[1]->integer[i];
                return index;
            });
            return;
        case OpCode::kTile:
            gather_by(input, output, [&](Shape index) {
                for (std::size_t i = 0; i < index.size(); ++i) index[i] %= input.shape[i];
                return index;
            });
            return;
        case OpCode::kTranspose: {
            const auto& perms = node.attributes<tosa::TransposeAttributes>().perms;
            gather_by(input, output, [&](const Shape& index) {
                Shape source(index.size());
                for (std::size_t i = 0; i < index.size(); ++i) {
                    source[static_cast<std::size_t>(perms[i])] = index[i];
                }
                return source;
            });
            return;
        }
        case OpCode::kGather: gather(node); return;
        case OpCode::kScatter: scatter(node); return;
        default: OKKSIM_CHECK(false);
    }
}

}  // namespace okksim::reference
