// SPDX-License-Identifier: Apache-2.0
#include "kernels/rows/row_builder.h"

#include <algorithm>
#include <span>
#include <utility>

#include "isa/limits.h"

namespace okksim::kernels::rows {

using tosa::DType;
using tosa::OpCode;

std::optional<okk_element_t> lane_type(DType type) {
    switch (type) {
        case DType::kBool:
        case DType::kI8: return OKK_INT8;
        case DType::kI16: return OKK_INT16;
        case DType::kI32: return OKK_INT32;
        default: return std::nullopt;
    }
}

std::optional<RowProgram> RowBuilder::run() {
    // The distance between matrices may differ from that of rows, so a block is one matrix.
    if (members_.empty() || !find_space(has_products(members_) ? 1 : kMaxRank)) return std::nullopt;
    std::optional<RowProgram> made = in_space();
    while (!made && space_.block_dimensions() > 1) {
        if (!find_space(space_.block_dimensions() - 1)) return std::nullopt;
        made = in_space();
    }
    return made;
}

std::optional<RowProgram> RowBuilder::in_space() {
    program_ = {};
    results_.clear();
    own_columns_ = 0;
    program_.rows = space_.rows();
    program_.block_rows = space_.block_rows();
    program_.columns = space_.columns();
    if (program_.columns > isa::kMostExtent) return std::nullopt;
    for (std::size_t m = 0; m < members_.size(); ++m) {
        if (!add(m)) return std::nullopt;
    }
    const DeviceTensor& output = members_.back().output;
    const std::optional<RowStrides> strides =
        own_columns_ > 0 ? matrix_strides(matrices_.back().output) : space_.strides(output);
    if (!strides || !can_move(*strides)) return std::nullopt;
    program_.result = *strides;
    program_.repeats_result = own_columns_ == 0 && space_.repeats_rows(output);
    return std::move(program_);
}

bool RowBuilder::find_space(std::size_t block_dimensions) {
    std::vector<DeviceTensor> tensors;
    std::optional<int> axis;
    const DeviceTensor* result = nullptr;
    for (std::size_t m = 0; m < members_.size(); ++m) {
        const Follower& member = members_[m];
        const auto own = static_cast<std::size_t>(row_operands(member.op));
        if (own == 0 || member.inputs.size() < own) return false;
        const bool is_product = member.op == OpCode::kMatmul;
        // A product of a result has separate columns, and so do all its followers.
        if (is_product && member.operands[0] != Follower::kStored) break;
        tensors.push_back(member.output);
        result = &member.output;
        if (is_product) continue;
        for (std::size_t k = 0; k < own; ++k) tensors.push_back(member.inputs[k]);
        if (reduces_several(matrices_[m], member)) return false;
        const std::optional<int> reduced = reduced_axis_of(matrices_[m], member);
        if (reduced && axis && *axis != *reduced) return false;
        if (reduced) axis = reduced;
    }
    if (result == nullptr) return false;
    const DeviceTensor* whole = whole_tensor(tensors, *result);
    if (whole == nullptr) return false;
    DeviceTensor order = *whole;
    const auto dims = std::span(order.dims).first(static_cast<std::size_t>(order.rank));
    // Matrices are consecutive.
    if (has_products(members_)) order.strides = row_major_strides(dims);
    const std::optional<RowSpace> space =
        RowSpace::of(tensors, axis.value_or(innermost(*whole)), order, block_dimensions);
    if (space) space_ = *space;
    return space.has_value();
}

const DeviceTensor* RowBuilder::whole_tensor(const std::vector<DeviceTensor>& tensors,
                                             const DeviceTensor& result) {
    const auto is_whole = [&](const DeviceTensor& tensor) {
        return tensor.rank > 0 &&
               std::all_of(tensors.begin(), tensors.end(), [&](const DeviceTensor& other) {
                   return other.count() <= tensor.count();
               });
    };
    if (is_whole(result)) return &result;
    const auto at = std::find_if(tensors.begin(), tensors.end(), is_whole);
    return at == tensors.end() ? nullptr : &*at;
}

bool RowBuilder::can_move(const RowStrides& strides) const {
    return strides.column <= 1 || has(isa::Feature::kDmaLayout);
}

int RowBuilder::add_value(okk_element_t type, RowExtent extent) {
    program_.values.push_back({type, extent});
    return static_cast<int>(program_.values.size()) - 1;
}

std::optional<KnownOperand> RowBuilder::operand(std::size_t m, std::size_t k) {
    const Follower& member = members_[m];
    if (member.operands[k] != Follower::kStored) {
        return results_[static_cast<std::size_t>(member.operands[k])];
    }
    const DeviceTensor& tensor = member.inputs[k];
    const std::optional<okk_element_t> type = lane_type(tensor.type);
    if (!type) return std::nullopt;
    KnownOperand operand{-1, tensor.type, type_range(tensor.type)};
    constexpr std::int64_t kMostLooked = 4096;
    const bool looks = is_list(tensor) && tensor.count() <= kMostLooked;
    if (const auto known = looks ? read_(m, k) : std::nullopt) {
        const auto [low, high] = std::minmax_element(known->begin(), known->end());
        operand.range = {*low, *high};
        if (known->size() == 1) {
            operand.constant = known->front();
            return operand;
        }
    }
    if (!load(m, k, tensor, *type, operand.value)) return std::nullopt;
    return operand;
}

bool RowBuilder::load(std::size_t m, std::size_t k, const DeviceTensor& tensor, okk_element_t type,
                      int& value) {
    const std::optional<RowStrides> strides = space_.strides(tensor);
    if (!strides || !can_move(*strides)) return false;
    value = add_value(type, space_.extent(tensor));
    program_.values.back().stored = StoredValue{m, k, *strides};
    return true;
}

bool RowBuilder::have(std::size_t m, std::size_t k, KnownOperand& operand) {
    if (operand.value >= 0) return true;
    return load(m, k, members_[m].inputs[k], *lane_type(operand.type), operand.value);
}

int RowBuilder::table(std::size_t m, int entry_bytes) {
    const std::int64_t bytes = members_[m].inputs[1].count() * entry_bytes;
    const int value = add_value(entry_bytes == 1 ? OKK_INT8 : OKK_INT16, RowExtent::kOne);
    program_.values.back().table_bytes = bytes;
    program_.values.back().stored = StoredValue{m, 1, {}};
    return value;
}

RowCommand& RowBuilder::command(RowFunction function, okk_element_t type, RowExtent extent,
                                const std::array<int, 3>& operands) {
    RowCommand command;
    command.function = function;
    command.operands = operands;
    command.result = add_value(type, extent);
    program_.values.back().columns = own_columns_;
    program_.commands.push_back(command);
    return program_.commands.back();
}

bool RowBuilder::finish(const Follower& member, ValueRange range) {
    results_.push_back({program_.commands.back().result, member.output.type, range});
    return true;
}

std::optional<RowProgram> row_program(const Members& members, const ReadConstant& read,
                                      const isa::MachineShape& machine) {
    return RowBuilder(members, read, machine).run();
}

}  // namespace okksim::kernels::rows
