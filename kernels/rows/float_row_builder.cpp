// SPDX-License-Identifier: Apache-2.0
#include "kernels/rows/float_row_builder.h"

#include <algorithm>
#include <bit>
#include <span>

#include "isa/limits.h"
#include "kernels/rows/member_ranks.h"
#include "kernels/rows/reduced_axis.h"

namespace okksim::kernels::rows {

using tosa::DType;
using tosa::OpCode;

FloatRowBuilder::FloatRowBuilder(const Members& members, const ReadConstant& read)
    : members_(members), spread_(under_one_rank(members, float_row_operands)), read_(read) {}

std::optional<FloatRowProgram> FloatRowBuilder::run() {
    // The distance between matrices may differ from that of rows, so a block is one matrix.
    if (members_.empty() || !find_space(dimensions_of_block())) return std::nullopt;
    std::optional<FloatRowProgram> made = in_space();
    while (!made && space_.block_dimensions() > 1) {
        if (!find_space(space_.block_dimensions() - 1)) return std::nullopt;
        made = in_space();
    }
    return made;
}

/// Most dimensions of a block. A matrix of one row is a block without dimensions.
std::size_t FloatRowBuilder::dimensions_of_block() const {
    const auto product = std::find_if(members_.begin(), members_.end(), [](const Follower& member) {
        return member.op == OpCode::kMatmul;
    });
    if (product == members_.end()) return kMaxRank;
    return product->output.dims[1] == 1 ? 0 : 1;
}

bool FloatRowBuilder::find_tensors(std::vector<DeviceTensor>& tensors,
                                   std::optional<int>& axis) const {
    for (std::size_t m = 0; m < spread_.size(); ++m) {
        const Follower& member = spread_[m];
        const auto own = static_cast<std::size_t>(float_row_operands(member.op));
        if (own == 0 || member.inputs.size() < own) return false;
        const bool is_product = member.op == OpCode::kMatmul;
        // A product of a result has separate columns and ends the group.
        if (is_product && m > 0) break;
        tensors.push_back(member.output);
        if (is_product) continue;
        for (std::size_t k = 0; k < own; ++k) tensors.push_back(member.inputs[k]);
        if (reduces_several(members_[m], member)) return false;
        const std::optional<int> reduced = reduced_axis_of(members_[m], member);
        if (!reduced) continue;
        if (axis && *axis != *reduced) return false;
        axis = reduced;
    }
    return std::all_of(tensors.begin(), tensors.end(), [](const DeviceTensor& tensor) {
        return tensor.type == DType::kFp32 && tensor.rank > 0;
    });
}

bool FloatRowBuilder::find_space(std::size_t block_dimensions) {
    std::vector<DeviceTensor> tensors;
    std::optional<int> axis;
    if (!find_tensors(tensors, axis)) return false;
    // The rows have the order of the result, or of the tensor with the most elements. Matrices are
    // consecutive.
    DeviceTensor whole =
        spread_.back().op == OpCode::kMatmul ? tensors.front() : spread_.back().output;
    for (const DeviceTensor& tensor : tensors) {
        if (tensor.count() > whole.count()) whole = tensor;
    }
    const auto dims = std::span(whole.dims).first(static_cast<std::size_t>(whole.rank));
    if (has_products(members_)) whole.strides = row_major_strides(dims);
    const std::optional<RowSpace> space =
        RowSpace::of(tensors, axis.value_or(innermost(whole)), whole, block_dimensions);
    if (space) space_ = *space;
    return space.has_value();
}

std::optional<FloatRowProgram> FloatRowBuilder::in_space() {
    program_ = {};
    results_.clear();
    loaded_.clear();
    own_columns_ = 0;
    program_.rows = space_.rows();
    program_.columns = space_.columns();
    program_.block_rows = space_.block_rows();
    for (std::size_t m = 0; m < members_.size(); ++m) {
        if (!add(m)) return std::nullopt;
    }
    const DeviceTensor& output = spread_.back().output;
    const std::optional<RowStrides> strides =
        own_columns_ > 0 ? matrix_strides(members_.back().output) : space_.strides(output);
    if (!strides || !settle_softmax()) return std::nullopt;
    program_.result = *strides;
    program_.is_open = program_.is_open || (own_columns_ == 0 && space_.repeats_rows(output)) ||
                       !has_rows(value(results_.back()).extent);
    return std::move(program_);
}

RowExtent FloatRowBuilder::extent_of(const DeviceTensor& tensor) const {
    const RowExtent extent = space_.extent(tensor);
    if (space_.rows() > 1) return extent;
    return has_columns(extent) ? RowExtent::kFull : RowExtent::kRows;
}

bool FloatRowBuilder::add(std::size_t m) {
    const Follower& member = members_[m];
    if (own_columns_ > 0) return false;
    if (member.op == OpCode::kMatmul) return add_product(m);
    if (member.op == OpCode::kReshape) return add_view(m);
    FloatRowCommand command;
    command.op = member.op;
    command.member = m;
    const auto own = static_cast<std::size_t>(float_row_operands(member.op));
    if (!with_constant(m, command)) {
        for (std::size_t k = 0; k < own; ++k) {
            const std::optional<int> known = operand(m, k);
            if (!known) return false;
            command.operands[k] = *known;
        }
    } else if (command.operands[0] < 0) {
        return false;
    }
    if (reduced_axis(member)) {
        const bool is_sum = member.op == OpCode::kReduceSum;
        command.function = is_sum ? FloatRowFunction::kSum : FloatRowFunction::kLargest;
        if (value(command.operands[0]).extent != RowExtent::kFull) return false;
    }
    finish(command, {extent_of(spread_[m].output)});
    return true;
}

bool FloatRowBuilder::add_view(std::size_t m) {
    if (!is_same_rows(spread_[m])) return false;
    results_.push_back(result_of(members_[m].operands[0]));
    return true;
}

bool FloatRowBuilder::add_product(std::size_t m) {
    const Follower& member = members_[m];
    const bool is_first = m == 0;
    const std::int64_t rows = member.output.dims[1], columns = member.output.dims[2];
    const std::int64_t terms = member.inputs[1].dims[1];
    const bool is_space = space_.is_matrix() && space_.columns() > 1 &&
                          space_.block_rows() == rows &&
                          (is_first ? columns : terms) == space_.columns();
    if (!is_space || is_first != (member.operands[0] < 0) || member.operands[1] >= 0) return false;
    if (member.inputs[0].type != DType::kFp32 || member.inputs[1].type != DType::kFp32 ||
        member.output.type != DType::kFp32) {
        return false;
    }
    if (columns > isa::kMostWindowExtent || terms > isa::kMostChannels) return false;
    FloatRowCommand command{FloatRowFunction::kProduct, member.op, m};
    if (is_first) {
        command.operands[0] = matrix(m, 0, terms);
    } else {
        command.operands[0] = result_of(member.operands[0]);
        if (value(command.operands[0]).extent != RowExtent::kFull) return false;
        own_columns_ = columns;
    }
    command.operands[1] = matrix(m, 1, columns);
    value(command.operands[1]).channels = terms;
    finish(command, {RowExtent::kFull, std::nullopt, own_columns_});
    return true;
}

int FloatRowBuilder::matrix(std::size_t m, std::size_t k, std::int64_t columns) {
    const StoredValue stored{m, k, matrix_strides(members_[m].inputs[k])};
    program_.values.push_back({RowExtent::kFull, stored, columns});
    return static_cast<int>(program_.values.size()) - 1;
}

void FloatRowBuilder::finish(FloatRowCommand command, const FloatRowValue& result) {
    program_.values.push_back(result);
    command.result = static_cast<int>(program_.values.size()) - 1;
    results_.push_back(command.result);
    program_.commands.push_back(command);
}

bool FloatRowBuilder::with_constant(std::size_t m, FloatRowCommand& command) {
    const Follower& member = members_[m];
    const bool can =
        member.op == OpCode::kAdd || member.op == OpCode::kSub || member.op == OpCode::kMul;
    if (!can) return false;
    for (const std::size_t k : {std::size_t{1}, std::size_t{0}}) {
        const std::optional<float> number = constant(m, k);
        if (!number) continue;
        command.constant = *number;
        command.function = FloatRowFunction::kAddConstant;
        if (member.op == OpCode::kMul) command.function = FloatRowFunction::kMultiplyConstant;
        if (member.op == OpCode::kSub && k == 1) command.constant = -*number;
        if (member.op == OpCode::kSub && k == 0) {
            command.function = FloatRowFunction::kSubtractFrom;
        }
        command.operands[0] = operand(m, 1 - k).value_or(-1);
        return true;
    }
    return false;
}

std::optional<float> FloatRowBuilder::constant(std::size_t m, std::size_t k) const {
    const Follower& member = members_[m];
    if (member.operands[k] >= 0 || member.inputs[k].count() != 1) return std::nullopt;
    const auto known = read_(m, k);
    if (!known || known->size() != 1) return std::nullopt;
    return std::bit_cast<float>(static_cast<std::uint32_t>(known->front()));
}

std::optional<int> FloatRowBuilder::operand(std::size_t m, std::size_t k) {
    const Follower& member = spread_[m];
    if (member.operands[k] >= 0) return result_of(member.operands[k]);
    StoredPlace place{m, k};
    if (const auto earlier = Follower::earlier(member.operands[k])) place = *earlier;
    for (const auto& [known, loaded] : loaded_) {
        if (known.member == place.member && known.input == place.input) return loaded;
    }
    const DeviceTensor& tensor = member.inputs[k];
    const std::optional<RowStrides> strides = space_.strides_of_blocks(tensor);
    if (!strides) return std::nullopt;
    program_.values.push_back({extent_of(tensor), StoredValue{m, k, *strides}});
    const int loaded = static_cast<int>(program_.values.size()) - 1;
    loaded_.emplace_back(place, loaded);
    return loaded;
}

std::optional<FloatRowProgram> float_row_program(const Members& members, const ReadConstant& read) {
    return FloatRowBuilder(members, read).run();
}

}  // namespace okksim::kernels::rows
