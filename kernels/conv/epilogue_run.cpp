// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/epilogue_run.h"

#include "kernels/call/computing.h"

namespace okksim::kernels::conv {
namespace {

using prim::LocalTensor;

}  // namespace

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
