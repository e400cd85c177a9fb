// SPDX-License-Identifier: Apache-2.0
// MATMUL in row_program(). Rows of the left factor are in lanes, like weights of output channels.
// The right factor is a feature map whose channels are summed.
#include "isa/limits.h"
#include "kernels/rows/row_builder.h"

namespace okksim::kernels::rows {

using tosa::DType;

bool RowBuilder::matrix_product(std::size_t m) {
    const Follower& member = matrices_[m];
    const bool is_first = member.operands[0] == Follower::kStored;
    const std::int64_t rows = member.output.dims[1];
    const std::int64_t columns = member.output.dims[2];
    const std::int64_t terms = member.inputs[1].dims[1];
    if (member.operands[1] != Follower::kStored || member.output.type != DType::kI32) return false;
    // The first product reads only memory, the second a result. All lanes have rows of one matrix.
    if (is_first != (m == 0) || own_columns_ > 0 || rows % machine_.lanes != 0) return false;
    if (columns > isa::kMostWindowExtent || terms > isa::kMostChannels) return false;
    const bool has_space = space_.is_matrix() && space_.columns() > 1 &&
                           space_.block_rows() == rows &&
                           (is_first ? columns : terms) == space_.columns();
    const std::optional<int> left_zero = zero_point(m, 0), right_zero = zero_point(m, 1);
    if (!has_space || !left_zero || !right_zero) return false;
    const ValueRange bytes = type_range(DType::kI8);
    const ValueRange term = product(difference(bytes, {*left_zero, *left_zero}),
                                    difference(bytes, {*right_zero, *right_zero}));
    const ValueRange sums{term.low * terms, term.high * terms};
    if (!is_word(sums)) return false;
    const auto values = factors(m);
    if (!values) return false;
    program_.matrix_rows = rows;
    if (!is_first) own_columns_ = columns;
    extent_ = RowExtent::kFull;
    RowCommand& made =
        command(RowFunction::kProduct, OKK_INT32, extent_, {(*values)[0], (*values)[1], -1});
    made.amount = *left_zero;
    made.scale.input_zp = *right_zero;
    return finish(member, sums);
}

std::optional<std::array<int, 2>> RowBuilder::factors(std::size_t m) {
    const Follower& member = matrices_[m];
    std::array<int, 2> values{-1, -1};
    if (member.operands[0] == Follower::kStored) {
        values[0] = add_value(OKK_INT8, RowExtent::kFull);
        RowValue& left = program_.values.back();
        left.stored = StoredValue{m, 0, matrix_strides(member.inputs[0])};
        left.columns = member.inputs[0].dims[2];
    } else {
        values[0] = results_[static_cast<std::size_t>(member.operands[0])].value;
        const RowValue& left = program_.values[static_cast<std::size_t>(values[0])];
        if (left.extent != RowExtent::kFull || left.type != OKK_INT8) return std::nullopt;
    }
    values[1] = add_value(OKK_INT8, RowExtent::kFull);
    RowValue& right = program_.values.back();
    right.stored = StoredValue{m, 1, matrix_strides(member.inputs[1])};
    right.channels = member.inputs[1].dims[1];
    right.columns = member.inputs[1].dims[2];
    return values;
}

std::optional<int> RowBuilder::zero_point(std::size_t m, std::size_t k) const {
    const auto values = read_(m, k + 2);
    if (matrices_[m].inputs[k].type != DType::kI8 || !values) return std::nullopt;
    return static_cast<int>(values->front());
}

}  // namespace okksim::kernels::rows
