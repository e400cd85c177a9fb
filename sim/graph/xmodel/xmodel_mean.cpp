// SPDX-License-Identifier: Apache-2.0
// The mean over dimensions.
#include <algorithm>
#include <cstdlib>

#include "sim/graph/xmodel/xmodel_lowering.h"

namespace okksim::sim::graph::xmodel {

void Lowering::mean(const Call& call, Value& result) {
    require_arithmetic(call.input());
    Value& input = call.input();
    const ElementType& type = input.type;
    std::vector<bool> is_reduced(input.rank(), false);
    for (std::int64_t axis : call.node.integers("axis").value_or(std::vector<std::int64_t>{})) {
        const auto rank = static_cast<std::int64_t>(input.rank());
        const std::int64_t wrapped = axis < 0 ? axis + rank : axis;
        if (wrapped < 0 || wrapped >= rank || is_reduced[static_cast<std::size_t>(wrapped)]) {
            call.node.illegal("axis", std::to_string(axis),
                              "each axis is a dimension of the input, and once only");
        }
        is_reduced[static_cast<std::size_t>(wrapped)] = true;
    }
    const Aligned operand = aligned({&input});
    std::vector<TensorIndex> sums{operand.tensors[0]};
    if (type.is_integer()) {
        sums = digits_.split(type, sums[0], true);
        for (TensorIndex& sum : sums) sum = ops_.cast(sum, DType::kI32, "digit");
    } else if (type.is_fixed()) {
        sums[0] = ops_.cast(sums[0], DType::kI32, "widened");
    } else {
        sums[0] = ops_.cast(sums[0], DType::kFp32, "widened");
    }
    Value kept = result;
    kept.shape = input.shape;
    std::int64_t count = 1;
    for (std::size_t axis = 0; axis < input.rank(); ++axis) {
        if (!is_reduced[axis]) continue;
        count *= input.shape[axis];
        kept.shape[axis] = 1;
        const std::size_t at = operand.is_channels_last ? kPlaceInChannelsLast[axis] : axis;
        for (TensorIndex& sum : sums) sum = ops_.reduce_sum(sum, at, "sum");
    }
    if (count >= std::int64_t{1} << 22) {
        throw UnsupportedPart("mean over " + std::to_string(count) + " values", false);
    }
    const auto divisor = static_cast<double>(count);
    const std::size_t rank = input.rank();
    TensorIndex means;
    if (type.is_integer()) {
        means = digits_.join(type, digits_.divide(sums, ops_.number(DType::kI32, rank, divisor)));
    } else if (type.is_fixed()) {
        const int up = fix_point(call, result) - fix_point(call, input);
        if (std::abs(up) > 10 || count >= std::int64_t{1} << 12) {
            throw UnsupportedPart("fixed-point mean over " + std::to_string(count) + " values",
                                  false);
        }
        const TensorIndex shift = ops_.number(DType::kI32, rank, std::max(up, 0));
        const TensorIndex numerator =
            ops_.binary(OpCode::kLogicalLeftShift, sums[0], shift, "aligned");
        means = fixed_.divided(numerator, static_cast<std::int32_t>(count << std::max(-up, 0)),
                               result.rounding);
    } else {
        means = ops_.product(sums[0], ops_.number(DType::kFp32, rank, 1.0 / divisor), "mean");
        means = ops_.cast(means, type.device_type(), "narrowed");
    }
    set_aligned(operand, kept, means);
    if (!call.node.flag("keep_dims", false)) {
        const TensorIndex ordered = tensors_.declared(kept);
        kept.channels_last.reset();
        kept.shape.clear();
        for (std::size_t axis = 0; axis < rank; ++axis) {
            if (!is_reduced[axis]) kept.shape.push_back(input.shape[axis]);
        }
        kept.declared = tensors_.reshape(type, ordered, kept.shape, "reduced");
    }
    result = kept;
}

}  // namespace okksim::sim::graph::xmodel
