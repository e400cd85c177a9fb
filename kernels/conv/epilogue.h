// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/container/static_vector.hpp>
#include <optional>
#include <span>
#include <vector>

#include "kernels/conv/channel_vectors.h"
#include "kernels/conv/problem.h"
#include "kernels/conv/sum_rule.h"
#include "kernels/pointwise/tile_program.h"
#include "kernels/prim/exact_sum.h"
#include "kernels/prim/rescale.h"
#include "kernels/rescale/rescale_operands.h"
#include "kernels/transfer/tile_io.h"

namespace okksim::kernels::conv {

/// RESCALE of int32 sums; the range of its output is narrowed by a CLAMP that follows.
struct SumScale {
    std::vector<prim::ScaleFactor> factors;  ///< one, or one per output channel
    prim::ScaleRounding rounding = prim::ScaleRounding::kSingle;
    prim::ScaleOutput output;
    WordForm form = WordForm::kFloat;  ///< of scaled values

    bool per_channel() const { return factors.size() > 1; }
    /// The plan for channels [first, first + count) of sums that are one fp32 integer below 2^24,
    /// or kept in parts.
    prim::Rescale plan(bool in_parts, std::int32_t first, std::int32_t count,
                       const Lanes& lanes) const;
};

/// What the followers of a convolution do to its sums before they are stored
/// (kernels/pointwise/fusion.h).
struct Epilogue {
    TileProgram program;              ///< floating point
    std::vector<FeatureMaps> stored;  ///< operands of the program that lie in memory
    std::optional<SumScale> scale;    ///< integers
    std::uint64_t prepared = 0;       ///< where the operator's prepared constants begin
};
/// Whether the followers scale sums of integers.
bool is_scaled(const OperatorCall& call);
/// The followers' work. RESCALE's factors are read by `read`; without it, by firmware that has them
/// from its plan (SumRule::scale), they are left out.
Epilogue epilogue_of(const OperatorCall& call, const ReadValues& read = {});

/// The epilogue at work on the tiles of one problem. Without one it does nothing.
class EpilogueRun {
 public:
    /// Bytes per lane that constants per channel take.
    static std::uint32_t bytes(const SumRule& rule, std::int32_t channels, int lanes);
    /// They lie, or will lie, at `address`. The rule must outlive this.
    EpilogueRun(const Problem& problem, const SumRule& rule, local_addr_t address, int lanes)
        : epilogue_(problem.epilogue),
          rule_(rule),
          channels_(problem.output_channels),
          rows_(address, problem.output_channels, lanes) {}
    /// Brings them there; serial mode.
    void load() const;

    /// A tile of floating-point sums, in place; `stored`: the tiles of Epilogue::stored.
    void run(const prim::LocalTensor& sums, std::span<const prim::LocalTensor> stored,
             prim::Scratch& scratch) const;
    /// Integer sums that are one fp32 number each, in place; the tile's first channel is a multiple
    /// of the lanes.
    void scale(const prim::LocalTensor& sums, std::int32_t first_channel,
               prim::Scratch& scratch) const;
    /// Integer sums in parts, which are destroyed.
    void scale(const prim::LocalTensor& dst, const prim::ExactSum& parts,
               std::int32_t first_channel, prim::Scratch& scratch) const;
    /// How finished values are held.
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
