// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/epilogue.h"

#include <algorithm>

#include "isa/errors.h"
#include "isa/layout.h"
#include "kernels/constant_values.h"
#include "kernels/conv/block_transfer.h"
#include "kernels/conv/operator_problem.h"
#include "kernels/conv/sum_rule.h"
#include "kernels/tosa/rescale_operands.h"

namespace okksim::kernels::conv {
namespace {

using prim::LocalTensor;

OperatorCall call_of(const Follower& follower) {
    return {follower.op, follower.attributes, follower.inputs, {&follower.output, 1}};
}

SumScale scale_of(std::span<const Follower> followers) {
    const OperatorCall rescale = call_of(followers[0]);
    const tosa::DType type = followers[0].output.type;
    SumScale scale{read_factors(rescale), scale_rounding(rescale), scale_output(rescale, type),
                   scaled_form(rescale, type)};
    OKKSIM_CHECK(input_zero_point(rescale) == 0);
    for (const Follower& clamp : followers.subspan(1)) {
        const auto& limits = std::get<tosa::ClampAttributes>(*clamp.attributes);
        scale.output.low = std::max(scale.output.low, integer_value(limits.min_val, type));
        scale.output.high = std::min(scale.output.high, integer_value(limits.max_val, type));
    }
    return scale;
}

std::uint32_t bytes_of_row(std::int32_t channels, int lanes) {
    return static_cast<std::uint32_t>(isa::div_up(channels, lanes)) * 4;
}

}  // namespace

prim::Rescale SumScale::plan(bool in_parts, std::int32_t first, std::int32_t count) const {
    const auto own = per_channel() ? std::span(factors).subspan(static_cast<std::size_t>(first),
                                                                static_cast<std::size_t>(count))
                                   : std::span(factors);
    return {in_parts ? prim::ValueForm::kInt32 : prim::ValueForm::kFloat24, own, rounding, output};
}

Epilogue epilogue_of(const OperatorCall& call) {
    Epilogue epilogue;
    if (call.followers.empty()) return epilogue;
    if (call.followers.front().op == tosa::OpCode::kRescale) {
        epilogue.scale = scale_of(call.followers);
    } else {
        epilogue.program = TileProgram(call.followers);
        for (const DeviceTensor& tensor : epilogue.program.stored()) {
            epilogue.stored.push_back(feature_maps(tensor));
        }
    }
    return epilogue;
}

std::uint32_t EpilogueRun::bytes(const Problem& problem, const SumRule& rule, int lanes) {
    if (!rule.scaled) return 0;
    const prim::Rescale plan = problem.epilogue->scale->plan(
        !rule.single_pass, problem.first_channel, problem.output_channels);
    return static_cast<std::uint32_t>(plan.constant_rows()) *
           bytes_of_row(problem.output_channels, lanes);
}

EpilogueRun::EpilogueRun(const Problem& problem, const SumRule& rule, local_addr_t address,
                         int lanes)
    : epilogue_(problem.epilogue), address_(address), lanes_(lanes) {
    if (!rule.scaled) return;
    const std::int32_t channels = problem.output_channels;
    plan_ = epilogue_->scale->plan(!rule.single_pass, problem.first_channel, channels);
    const int rows = plan_->constant_rows();
    if (rows == 0) return;
    row_bytes_ = bytes_of_row(channels, lanes);
    load_block(address, place_on_chip(plan_->constants()),
               {4, {rows, channels, 1, 1}, {channels, 1, 0, 0}, {row_bytes_ / 4, 1, 0, 0}});
}

void EpilogueRun::run(const LocalTensor& sums, std::span<const LocalTensor> stored,
                      prim::Scratch& scratch) const {
    if (epilogue_ != nullptr) epilogue_->program.run(sums, stored, scratch);
}

std::vector<LocalTensor> EpilogueRun::rows(const dim4& shape, std::int32_t first_channel) const {
    OKKSIM_CHECK(first_channel % lanes_ == 0);
    const local_addr_t first = address_ + static_cast<local_addr_t>(first_channel / lanes_) * 4;
    std::vector<LocalTensor> rows;
    for (int i = 0; i < plan_->constant_rows(); ++i) {
        rows.push_back(
            {first + static_cast<local_addr_t>(i) * row_bytes_, shape, dim4{0, 1, 0, 0}});
    }
    return rows;
}

void EpilogueRun::scale(const LocalTensor& sums, std::int32_t first_channel,
                        prim::Scratch& scratch) const {
    plan_->run(sums, sums, rows(sums.shape, first_channel), scratch);
}

void EpilogueRun::scale(const LocalTensor& dst, const prim::ExactSum& parts,
                        std::int32_t first_channel, prim::Scratch& scratch) const {
    plan_->run(dst, parts, rows(dst.shape, first_channel), scratch);
}

WordForm EpilogueRun::form() const {
    return epilogue_ != nullptr && epilogue_->scale ? epilogue_->scale->form : WordForm::kValue;
}

}  // namespace okksim::kernels::conv
