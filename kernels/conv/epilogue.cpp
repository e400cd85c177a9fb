// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/epilogue.h"

#include <algorithm>

#include "isa/errors.h"
#include "kernels/call/computing.h"
#include "kernels/call/constant_values.h"
#include "kernels/conv/operator_problem.h"

namespace okksim::kernels::conv {
namespace {

using prim::LocalTensor;

OperatorCall call_of(const Follower& follower) {
    return {follower.op, follower.attributes, follower.inputs, {&follower.output, 1}};
}

SumScale scale_of(std::span<const Follower> followers, const ReadValues& read) {
    const OperatorCall rescale = call_of(followers[0]);
    const tosa::DType type = followers[0].output.type;
    SumScale scale{read_factors(rescale, read), scale_rounding(rescale),
                   scale_output(rescale, type, read), scaled_form(rescale, type)};
    OKKSIM_CHECK(input_zero_point(rescale, read) == 0);
    for (const Follower& clamp : followers.subspan(1)) {
        const auto& limits = std::get<tosa::ClampAttributes>(*clamp.attributes);
        scale.output.low = std::max(scale.output.low, integer_value(limits.min_val, type));
        scale.output.high = std::min(scale.output.high, integer_value(limits.max_val, type));
    }
    return scale;
}

}  // namespace

prim::Rescale SumScale::plan(bool in_parts, std::int32_t first, std::int32_t count,
                             const Lanes& lanes) const {
    const auto own = per_channel() ? std::span(factors).subspan(static_cast<std::size_t>(first),
                                                                static_cast<std::size_t>(count))
                                   : std::span(factors);
    return {in_parts ? prim::ValueForm::kInt32 : prim::ValueForm::kFloat24, own, rounding, output,
            lanes};
}

bool is_scaled(const OperatorCall& call) {
    return !call.followers.empty() && call.followers.front().op == tosa::OpCode::kRescale;
}

Epilogue epilogue_of(const OperatorCall& call, const ReadValues& read) {
    Epilogue epilogue;
    if (call.followers.empty()) return epilogue;
    epilogue.prepared = call.prepared;
    if (is_scaled(call)) {
        if (read) epilogue.scale = scale_of(call.followers, read);
    } else {
        epilogue.program = TileProgram(call.followers);
        for (const DeviceTensor& tensor : epilogue.program.stored()) {
            epilogue.stored.push_back(feature_maps(tensor));
        }
    }
    return epilogue;
}

std::uint32_t EpilogueRun::bytes(const SumRule& rule, std::int32_t channels, int lanes) {
    return rule.scale ? ChannelVectors::bytes(rule.scale->constant_rows(), channels, lanes) : 0;
}

void EpilogueRun::load() const {
    const int rows = rule_.scale ? rule_.scale->constant_rows() : 0;
    if (rows == 0) return;
    rows_.load(epilogue_->prepared + rule_.scale_offset, rows, channels_, 1);
}

void EpilogueRun::run(const LocalTensor& sums, std::span<const LocalTensor> stored,
                      prim::Scratch& scratch) const {
    if (epilogue_ != nullptr) epilogue_->program.run(sums, stored, scratch);
}

EpilogueRun::Rows EpilogueRun::rows(const dim4& shape, std::int32_t first_channel) const {
    Rows rows;
    for (int i = 0; i < rule_.scale->constant_rows(); ++i) {
        rows.push_back(prim::channel_vector(rows_.at(i, first_channel), shape));
    }
    return rows;
}

void EpilogueRun::scale(const LocalTensor& sums, std::int32_t first_channel,
                        prim::Scratch& scratch) const {
    charge(OwnWork::kScaledTile);
    const Rows constants = rows(sums.shape, first_channel);
    rule_.scale->run(sums, sums, {constants.data(), constants.size()}, scratch);
}

void EpilogueRun::scale(const LocalTensor& dst, const prim::ExactSum& parts,
                        std::int32_t first_channel, prim::Scratch& scratch) const {
    charge(OwnWork::kScaledTile);
    const Rows constants = rows(dst.shape, first_channel);
    rule_.scale->run(dst, parts, {constants.data(), constants.size()}, scratch);
}

}  // namespace okksim::kernels::conv
