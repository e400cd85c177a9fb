// SPDX-License-Identifier: Apache-2.0
// Sections 2.9 to 2.11.
#include "isa/base/errors.h"
#include "sim/graph/validate/levels.h"
#include "sim/graph/validate/operator_rules.h"

namespace okksim::sim::graph {

namespace {

std::int64_t reduction_axis(const Operator& op) {
    const auto axis = [](const auto& attributes) -> std::int64_t {
        if constexpr (requires { attributes.axis; }) return attributes.axis;
        OKKSIM_CHECK(false);
        return 0;
    };
    return std::visit(axis, op.attributes.get());
}

std::int64_t rank(const Tensor& tensor) { return static_cast<std::int64_t>(tensor.shape.size()); }

void require_same_rank(const OperatorCheck& check, const Tensor& input, const Tensor& output) {
    check.error_if(
        rank(input) != rank(output),
        "rank(shape1) != rank(shape), with rank(shape1) = " + std::to_string(rank(input)), output);
}

/// Requires `wanted` values in a list operand.
void require_length(const OperatorCheck& check, std::size_t input_index, std::int64_t wanted,
                    std::string_view symbol) {
    check.require_dimension(check.input(input_index), 0, wanted, symbol);
}

/// Shape values are constants, as the argument checks guarantee.
std::vector<std::int64_t> list(const OperatorCheck& check, std::size_t input_index) {
    auto values = check.constant(input_index);
    OKKSIM_CHECK(values.has_value());
    return std::move(*values);
}

void check_concat(const OperatorCheck& check) {
    const std::int64_t axis = check.op().attributes_as<ConcatAttributes>().axis;
    const Tensor& first = check.input(0);
    const auto count = static_cast<std::int64_t>(check.op().inputs.size());
    check.level_check(count <= static_cast<std::int64_t>(kMaxTensorListSize),
                      "tensor_list_shape(input1) <= MAX_TENSOR_LIST_SIZE", "inputs", count);
    check.error_if(axis < 0 || axis >= std::max<std::int64_t>(1, rank(first)),
                   "axis < 0 || axis >= max(1,rank(shapes1[0]))", "axis", axis);
    const auto along = static_cast<std::size_t>(axis);
    std::int64_t sum = 0;
    for (std::size_t n = 0; n < check.op().inputs.size(); ++n) {
        const Tensor& input = check.input(n);
        check.error_if(rank(input) != rank(first), "rank(shapes1[shape_index]) != rank(shapes1[0])",
                       input);
        for (std::size_t i = 0; i < input.shape.size(); ++i) {
            check.error_if(i != along && input.shape[i] != first.shape[i],
                           "shapes1[shape_index][axis_index] != shapes1[0][axis_index]", input);
        }
        sum += input.shape[along];
    }
    require_same_rank(check, first, check.output());
    for (std::size_t i = 0; i < first.shape.size(); ++i) {
        if (i != along) check.require_dimension(check.output(), i, first.shape[i], "shapes1[0][i]");
    }
    check.error_if(check.output().shape[along] != sum,
                   "axis_sum != shape[axis], with axis_sum = " + std::to_string(sum),
                   check.output());
}

void check_pad(const OperatorCheck& check) {
    const Tensor& input = check.input(0);
    require_same_rank(check, input, check.output());
    require_length(check, 1, 2 * rank(input), "2*rank(shape1)");
    check.require_dimension(check.input(2), 0, 1, "1");
    const std::vector<std::int64_t> padding = list(check, 1);
    for (std::size_t i = 0; i < input.shape.size(); ++i) {
        for (const std::int64_t pad : {padding[2 * i], padding[2 * i + 1]}) {
            check.error_if(pad < 0, "padding[i * 2] < 0 || padding[(i * 2) + 1] < 0", "padding",
                           pad);
        }
        check.error_if(
            check.output().shape[i] != padding[2 * i] + input.shape[i] + padding[2 * i + 1],
            "shape[i] != padding[i * 2] + shape1[i] + padding[(i * 2) + 1]", check.output());
    }
}

void check_reshape(const OperatorCheck& check) {
    const Tensor& output = check.output();
    check.error_if(element_count(check.input(0).shape) != element_count(output.shape),
                   "tensor_size(shape1) != tensor_size(shape), with shape1 = " +
                       shape_text(check.input(0).shape),
                   output);
    require_length(check, 1, rank(output), "rank(shape)");
    check.error_if(list(check, 1) != output.shape,
                   "shape is not the output's, but " + shape_text(list(check, 1)), output);
}

void check_slice(const OperatorCheck& check) {
    const Tensor& input = check.input(0);
    const Tensor& output = check.output();
    for (const std::size_t n : {1U, 2U}) require_length(check, n, rank(input), "rank(shape1)");
    require_same_rank(check, input, output);
    const std::vector<std::int64_t> start = list(check, 1);
    const std::vector<std::int64_t> size = list(check, 2);
    for (std::size_t i = 0; i < input.shape.size(); ++i) {
        check.error_if(start[i] < 0, "start[index] < 0", "start", start[i]);
        check.error_if(size[i] <= 0, "size[index] <= 0", "size", size[i]);
        check.error_if(start[i] + size[i] > input.shape[i],
                       "start[index] + size[index] > shape1[index]", "start + size",
                       start[i] + size[i]);
        check.error_if(output.shape[i] != size[i], "shape[index] != size[index]", output);
    }
}

void check_tile(const OperatorCheck& check) {
    const Tensor& input = check.input(0);
    require_same_rank(check, input, check.output());
    require_length(check, 1, rank(input), "rank(shape1)");
    const std::vector<std::int64_t> multiples = list(check, 1);
    for (std::size_t i = 0; i < input.shape.size(); ++i) {
        // Both factors are below 2^32 in magnitude.
        check.error_if(input.shape[i] * multiples[i] != check.output().shape[i],
                       "shape1[i] * multiples[i] != shape[i], with multiples[" + std::to_string(i) +
                           "] = " + std::to_string(multiples[i]),
                       check.output());
    }
}

void check_transpose(const OperatorCheck& check) {
    const Tensor& input = check.input(0);
    const Tensor& output = check.output();
    const std::vector<std::int32_t>& perms = check.op().attributes_as<TransposeAttributes>().perms;
    require_same_rank(check, input, output);
    check.error_if(static_cast<std::int64_t>(perms.size()) != rank(input),
                   "length(perms) != rank(shape1)", "length of perms",
                   static_cast<std::int64_t>(perms.size()));
    std::vector<bool> used(perms.size(), false);
    for (std::size_t i = 0; i < perms.size(); ++i) {
        const std::int64_t index = perms[i];
        check.error_if(index < 0 || index >= rank(input), "index >= rank(shape1) || index < 0",
                       "perms", index);
        check.error_if(used[static_cast<std::size_t>(index)], "indexes_used[index] == true",
                       "perms", index);
        used[static_cast<std::size_t>(index)] = true;
    }
    for (std::size_t i = 0; i < perms.size(); ++i) {
        check.error_if(input.shape[static_cast<std::size_t>(perms[i])] != output.shape[i],
                       "shape1[perms[i]] != shape[i]", output);
    }
}

void check_reverse(const OperatorCheck& check) {
    const std::int64_t axis = check.op().attributes_as<ReverseAttributes>().axis;
    check.error_if(axis < 0 || axis >= rank(check.input(0)), "axis < 0 || axis >= rank(shape)",
                   "axis", axis);
    check.require_same_shape(check.input(0), check.output());
}

}  // namespace

void check_reduction(const OperatorCheck& check) {
    const Tensor& input = check.input(0);
    const Tensor& output = check.output();
    const std::int64_t axis = reduction_axis(check.op());
    check.error_if(axis < 0 || axis >= rank(input), "axis < 0 || axis >= rank(shape1)", "axis",
                   axis);
    require_same_rank(check, input, output);
    const auto along = static_cast<std::size_t>(axis);
    check.error_if(output.shape[along] != 1, "shape[axis] != 1", output);
    for (std::size_t i = 0; i < input.shape.size(); ++i) {
        if (i != along) check.require_dimension(output, i, input.shape[i], "shape1[i]");
    }
}

void check_data_layout(const OperatorCheck& check) {
    const OpCode op = check.op().op;
    if (op == OpCode::kConcat) return check_concat(check);
    if (op == OpCode::kPad) return check_pad(check);
    if (op == OpCode::kReshape) return check_reshape(check);
    if (op == OpCode::kReverse) return check_reverse(check);
    if (op == OpCode::kSlice) return check_slice(check);
    if (op == OpCode::kTile) return check_tile(check);
    OKKSIM_CHECK(op == OpCode::kTranspose);
    check_transpose(check);
}

void check_scatter_gather(const OperatorCheck& check) {
    const Tensor& values = check.input(0);
    const Tensor& indices = check.input(1);
    check.require_dimension(indices, 0, values.shape[0], "N");
    if (check.op().op == OpCode::kScatter) check.require_same_shape(values, check.output());
    // [N,W,C]: GATHER's output, SCATTER's third input.
    const Tensor& rows = check.op().op == OpCode::kGather ? check.output() : check.input(2);
    check.require_dimension(rows, 0, values.shape[0], "N");
    check.require_dimension(rows, 1, indices.shape[1], "W");
    check.require_dimension(rows, 2, values.shape[2], "C");
}

}  // namespace okksim::sim::graph
