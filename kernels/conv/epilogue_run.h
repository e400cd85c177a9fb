// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/container/static_vector.hpp>
#include <cstdint>
#include <span>

#include "kernels/conv/channel_vectors.h"
#include "kernels/conv/epilogue.h"
#include "kernels/conv/sum_rule.h"
#include "kernels/prim/exact_sum.h"

namespace okksim::kernels::conv {

/// Runs the epilogue on the tiles of one problem. Without an epilogue it does nothing.
class EpilogueRun {
 public:
    /// Bytes per lane of the constants per channel.
    static std::uint32_t bytes(const SumRule& rule, std::int32_t channels, int lanes);
    /// Constants at `address`, now or after load(). The rule must outlive this object.
    EpilogueRun(const Problem& problem, const SumRule& rule, local_addr_t address, int lanes)
        : epilogue_(problem.epilogue),
          rule_(rule),
          channels_(problem.output_channels),
          rows_(address, problem.output_channels, lanes) {}
    /// Loads the constants; serial mode.
    void load() const;

    /// Processes a tile of floating-point sums in place; `stored`: the tiles of Epilogue::stored.
    void run(const prim::LocalTensor& sums, std::span<const prim::LocalTensor> stored,
             prim::Scratch& scratch) const;
    /// Scales integer sums that are one fp32 number each, in place. The tile's first channel is a
    /// multiple of the lanes.
    void scale(const prim::LocalTensor& sums, std::int32_t first_channel,
               prim::Scratch& scratch) const;
    /// Scales integer sums in parts, which are overwritten.
    void scale(const prim::LocalTensor& dst, const prim::ExactSum& parts,
               std::int32_t first_channel, prim::Scratch& scratch) const;
    /// Form of finished values.
    WordForm form() const { return rule_.scale ? rule_.scale_form : WordForm::kValue; }

 private:
    using Rows = boost::container::static_vector<prim::LocalTensor, kMostScaleRows>;
    Rows rows(const dim4& shape, std::int32_t first_channel) const;

    const Epilogue* epilogue_;
    const SumRule& rule_;
    std::int32_t channels_;
    ChannelVectors rows_;  ///< constants of the scale
};

}  // namespace okksim::kernels::conv
