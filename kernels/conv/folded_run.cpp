// SPDX-License-Identifier: Apache-2.0
// Firmware of depthwise convolutions with images and rows distributed over the lanes.
#include <algorithm>

#include "firmware/okk.h"
#include "isa/layout.h"
#include "kernels/call/computing.h"
#include "kernels/conv/block_transfer.h"
#include "kernels/conv/folded_plan.h"
#include "kernels/tiling/tile_pipeline.h"

namespace okksim::kernels::conv {
namespace {

/// Output rows of a tile.
struct FoldedStep {
    std::int32_t first = 0;
    std::int32_t pieces = 0;
};

/// Stages of a TilePipeline step.
class FoldedStages {
 public:
    FoldedStages(const Problem& problem, const FoldedPlan& plan, std::uint64_t constants)
        : problem_(problem),
          plan_(plan),
          constants_(constants),
          channels_(problem.output_channels),
          planes_(problem.images * channels_),
          lane_bytes_(okk_local_mem_size_per_npu()),
          columns_(
              slice_of(problem.x, AxisMode::kWindow, {0, problem.x.output}, {0, problem.x.taps})),
          span_(isa::narrow(span_of(problem.y, AxisMode::kWindow, plan.rows, problem.y.taps))) {
        const FeatureMaps &in = problem.input, &out = problem.output;
        merges_ = problem.images == 1 ||
                  (in.image == channels_ * in.channel && out.image == channels_ * out.channel);
    }

    void load(const FoldedStep& step, int buffer) const {
        charge(OwnWork::kStep);
        if (step.first == 0) load_constants(step.pieces);
        for (std::int32_t piece = 0; piece < step.pieces; ++piece) load_piece(step, piece, buffer);
    }

    void compute(const FoldedStep& step, int buffer) const {
        const dim4 shape{1, step.pieces * planes_, span_, columns_.count};
        const Padding zeros{0, 0, columns_.before, columns_.after};
        const dim2 stride{problem_.y.step, problem_.x.step};
        const dim2 dilation{problem_.y.spacing, problem_.x.spacing};
        okk_bdc_depthwise2d(output_of(buffer), input_of(buffer), plan_.constants + isa::kWordBytes,
                            plan_.constants, &shape, problem_.y.taps, problem_.x.taps, true, &zeros,
                            &stride, &dilation);
    }

    void store(const FoldedStep& step, int buffer) const {
        const FeatureMaps& maps = problem_.output;
        for (std::int32_t piece = 0; piece < step.pieces; ++piece) {
            const std::int32_t first = step.first + piece * plan_.rows;
            const std::int32_t rows = std::min(plan_.rows, problem_.y.output - first);
            for_each_block([&](std::int32_t image, std::int32_t planes) {
                const std::int64_t at = image * maps.image + first * maps.y;
                store_block(address_of(maps, at), lane_of(piece, image) + output_of(buffer),
                            {isa::kWordBytes,
                             {1, planes, rows, problem_.x.output},
                             {0, maps.channel, maps.y, maps.x},
                             {0, 0, problem_.x.output, 1}});
            });
        }
    }

 private:
    local_addr_t input_of(int buffer) const {
        return plan_.input + static_cast<local_addr_t>(buffer) * plan_.input_bytes;
    }
    local_addr_t output_of(int buffer) const {
        return plan_.output + static_cast<local_addr_t>(buffer) * plan_.output_bytes;
    }
    local_addr_t lane_of(std::int32_t piece, std::int32_t image) const {
        return static_cast<local_addr_t>(piece * planes_ + image * channels_) * lane_bytes_;
    }
    static std::uint64_t address_of(const FeatureMaps& maps, std::int64_t element) {
        return maps.address + static_cast<std::uint64_t>(isa::kWordBytes * element);
    }

    /// Calls `body` with the first image and the number of channels for each command of a piece.
    template <typename Body>
    void for_each_block(const Body& body) const {
        if (merges_) return body(0, planes_);
        for (std::int32_t image = 0; image < problem_.images; ++image) body(image, channels_);
    }

    void load_constants(std::int32_t pieces) const {
        const int words = isa::narrow(1 + problem_.terms());
        load_block(
            plan_.constants, constants_,
            {isa::kWordBytes, {1, pieces * planes_, 1, words}, {0, words, 0, 1}, {0, words, 0, 1}});
    }

    void load_piece(const FoldedStep& step, std::int32_t piece, int buffer) const {
        const std::int32_t first = step.first + piece * plan_.rows;
        const AxisSlice rows = slice_of(problem_.y, AxisMode::kWindow, {first, first + plan_.rows},
                                        {0, problem_.y.taps});
        fill_rows(piece, 0, rows.before, buffer);
        fill_rows(piece, rows.before + rows.count, rows.after, buffer);
        if (rows.count == 0) return;
        const FeatureMaps& maps = problem_.input;
        const auto skipped =
            static_cast<local_addr_t>(isa::kWordBytes * rows.before * columns_.count);
        for_each_block([&](std::int32_t image, std::int32_t planes) {
            const std::int64_t at =
                image * maps.image + rows.first * maps.y + columns_.first * maps.x;
            load_block(lane_of(piece, image) + input_of(buffer) + skipped, address_of(maps, at),
                       {isa::kWordBytes,
                        {1, planes, rows.count, columns_.count},
                        {0, maps.channel, maps.y, maps.x},
                        {0, 0, columns_.count, 1}});
        });
    }

    /// Fills padding rows with zeros.
    void fill_rows(std::int32_t piece, std::int32_t first, std::int32_t count, int buffer) const {
        if (count == 0) return;
        const dim4 shape{1, planes_, 1, count * columns_.count};
        const dim4 stride{0, 0, 0, 1};
        x32 zero;
        zero.u32 = 0;
        const auto skipped = static_cast<local_addr_t>(isa::kWordBytes * first * columns_.count);
        okk_gdma_32bit_set_C_local(lane_of(piece, 0) + input_of(buffer) + skipped, zero, &shape,
                                   &stride);
    }

    const Problem& problem_;
    const FoldedPlan& plan_;
    std::uint64_t constants_;
    std::int32_t channels_, planes_;
    std::uint32_t lane_bytes_;
    AxisSlice columns_;
    std::int32_t span_;
    bool merges_ = false;
};

}  // namespace

void run_folded(const Problem& problem, const FoldedPlan& plan, std::uint64_t constants,
                std::int64_t most) {
    charge(OwnWork::kRound);
    FoldedStages stages(problem, plan, constants);
    TilePipeline<FoldedStep, FoldedStages> pipeline(stages);
    const std::int32_t rows = plan.pieces * plan.rows;
    for (std::int32_t first = 0; first < problem.y.output && most > 0; first += rows, --most) {
        const std::int32_t left = problem.y.output - first;
        pipeline.push({first, std::min(plan.pieces, isa::narrow(isa::div_up(left, plan.rows)))});
    }
    pipeline.finish();
}

}  // namespace okksim::kernels::conv
