// SPDX-License-Identifier: Apache-2.0
// Types and ranks that 0.90 does not permit, although 1.0 or an operator of the lowering does.
#include <algorithm>
#include <array>
#include <string>

#include "sim/graph/tosa_v090/tosa_v090_lowering.h"

namespace okksim::sim::graph {

namespace {

using W = wire090::Op;

/// Types that an operator's first input, or else its output, must not have. 0.90 lists neither.
struct ExcludedTypes {
    W op;
    std::array<DType, 2> types;
};
constexpr ExcludedTypes kExcluded[] = {
    {W::IDENTITY, {DType::kI4, DType::kI48}},
    {W::RESHAPE, {DType::kI4, DType::kI48}},  // 48 bits: only inside FULLY_CONNECTED
    {W::DIM, {DType::kI4, DType::kI48}},
};

/// The tools of 0.90 limit reductions to four dimensions.
constexpr std::size_t kMostReducedRank = 4;

bool is_reduction(W op) {
    constexpr W kReductions[] = {W::REDUCE_ANY, W::REDUCE_ALL,     W::REDUCE_MAX,
                                 W::REDUCE_MIN, W::REDUCE_PRODUCT, W::REDUCE_SUM};
    return std::find(std::begin(kReductions), std::end(kReductions), op) != std::end(kReductions);
}

bool is_convolution(W op) {
    return op == W::CONV2D || op == W::CONV3D || op == W::DEPTHWISE_CONV2D ||
           op == W::TRANSPOSE_CONV2D || op == W::FULLY_CONNECTED;
}

}  // namespace

void LoweringV090::refuse_second_value(const OperatorV090& op, bool has_value,
                                       const char* operand) const {
    if (!has_value) return;
    illegal(op, operand, "an input and an attribute",
            std::string("the operator has one ") + operand);
}

void LoweringV090::refuse_later_forms(const OperatorV090& op) const {
    if (op.inputs.empty() || op.outputs.empty()) return;  // the number of operands is checked later
    const W code = op.wire->op();
    const Tensor& tensor = input(op, 0);
    const auto refuse_type = [&](const Tensor& of) {
        illegal(op, "tensor " + of.name, std::string(dtype_name(of.type)),
                "the table of supported data types of the operator lacks this type");
    };
    for (const ExcludedTypes& row : kExcluded) {
        if (row.op != code) continue;
        for (const DType type : row.types) {
            for (const Tensor* of : {&tensor, &output(op)}) {
                if (of->type == type) refuse_type(*of);
            }
        }
    }
    if (is_convolution(code) && output(op).type == DType::kBf16) refuse_type(output(op));
    if (is_reduction(code) && tensor.shape.size() > kMostReducedRank) {
        illegal(op, "tensor " + tensor.name, shape_text(tensor.shape),
                "the input of a reduction has rank 1 to " + std::to_string(kMostReducedRank));
    }
}

}  // namespace okksim::sim::graph
