// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "firmware/okk.h"
#include "firmware/okk_features.h"
#include "isa/layout.h"
#include "kernels/call/computing.h"
#include "kernels/conv/block_transfer.h"
#include "kernels/conv/byte_plan.h"
#include "kernels/conv/byte_steps.h"

namespace okksim::kernels::conv {
namespace {

using tosa::DType;

okk_element_t element_of(DType type, const ByteScale* scale) {
    // Values of unsigned types differ in their limits alone.
    const bool is_unsigned =
        scale != nullptr && scale->output.high > (type == DType::kI8 ? 127 : 32767);
    if (type == DType::kI8) return is_unsigned ? OKK_UINT8 : OKK_INT8;
    if (type == DType::kI16) return is_unsigned ? OKK_UINT16 : OKK_INT16;
    return OKK_INT32;
}

/// Carries out the steps so that one is computed while the next one's tile arrives and the one
/// before leaves.
class ByteRun {
 public:
    ByteRun(const Problem& problem, const BytePlan& plan, std::uint64_t constants)
        : problem_(problem),
          plan_(plan),
          constants_(constants),
          columns_(byte_columns(problem)),
          result_(element_of(problem.output.type, plan.scale ? &*plan.scale : nullptr)) {}

    void push(const ByteStep& step) {
        charge(OwnWork::kStep);
        const bool overlaps = computing_.has_value();
        if (overlaps) okk_parallel_start();
        if (storing_) store(*storing_);
        Stage next{step, buffer_, tile_buffer_};
        load(next);
        if (computing_) compute(*computing_);
        if (overlaps) okk_parallel_end();
        storing_ = computing_;
        computing_ = next;
        buffer_ = 1 - buffer_;
    }

    void finish() {
        if (storing_) {
            okk_parallel_start();
            store(*storing_);
            compute(*computing_);
            okk_parallel_end();
        } else {
            compute(*computing_);
        }
        store(*computing_);
    }

 private:
    struct Stage {
        ByteStep step;
        std::uint32_t output = 0;  ///< which of the two buffers
        std::uint32_t input = 0;
    };

    const ByteBlock& block_of(const Stage& stage) const {
        return plan_.blocks[static_cast<std::size_t>(stage.step.block)];
    }
    bool is_depthwise() const { return problem_.kind == ProblemKind::kDepthwise; }
    AxisSlice rows_of(const Stage& stage) const {
        return byte_rows(problem_, stage.step.rows.begin, stage.step.rows.size());
    }
    local_addr_t constants_of(const Stage& stage) const {
        return static_cast<local_addr_t>(stage.step.block & 1) * plan_.constant_bytes;
    }
    local_addr_t input_of(const Stage& stage) const {
        return plan_.input + stage.input * plan_.input_bytes;
    }
    local_addr_t output_of(const Stage& stage) const {
        return plan_.output + stage.output * plan_.output_bytes;
    }
    /// Channels of the input that a block takes, and where they begin.
    Range channels_of(const ByteBlock& block) const {
        return is_depthwise() ? Range{block.first, block.first + block.count}
                              : Range{0, problem_.input_channels};
    }
    dim4 input_shape(const Stage& stage) const {
        return {stage.step.images.size(), channels_of(block_of(stage)).size(), rows_of(stage).count,
                columns_.count};
    }
    dim4 output_shape(const Stage& stage) const {
        return {stage.step.images.size(), block_of(stage).count, stage.step.rows.size(),
                problem_.x.output};
    }
    /// Steps between elements of a tile in local memory.
    std::array<std::int64_t, 4> aligned(const dim4& shape, int bytes) const {
        const std::int64_t plane =
            plan_.lanes.whole_line_bytes(std::int64_t{shape.h} * shape.w * bytes) / bytes;
        return {plane * plan_.lanes.slots(shape.c), plane, shape.w, 1};
    }

    void load(Stage& stage) {
        if (loaded_block_ != stage.step.block) {
            load_constants(stage);
            loaded_block_ = stage.step.block;
        }
        const bool is_same = loaded_tile_ && !is_depthwise() &&
                             loaded_tile_->images.begin == stage.step.images.begin &&
                             loaded_tile_->rows.begin == stage.step.rows.begin;
        if (is_same) {
            stage.input = 1 - tile_buffer_;
            return;
        }
        load_tile(stage);
        loaded_tile_ = stage.step;
        tile_buffer_ = byte_step_count(problem_, plan_) > 1 ? 1 - tile_buffer_ : 0;
    }

    void load_constants(const Stage& stage) {
        const ByteBlock& block = block_of(stage);
        const dim4 shape{1, std::min(block.count, plan_.lanes.count), 1, block.words};
        load_block(constants_of(stage), constants_ + block.constants,
                   {isa::kWordBytes, shape, {0, block.words, 0, 1}, {0, block.words, 0, 1}});
    }

    void load_tile(const Stage& stage) {
        const FeatureMaps& maps = problem_.input;
        const Range channels = channels_of(block_of(stage));
        const std::int64_t first = stage.step.images.begin * maps.image +
                                   channels.begin * maps.channel + rows_of(stage).first * maps.y +
                                   columns_.first * maps.x;
        const dim4 shape = input_shape(stage);
        load_block(input_of(stage), maps.address + static_cast<std::uint64_t>(first),
                   {1, shape, {maps.image, maps.channel, maps.y, maps.x}, aligned(shape, 1)});
    }

    void compute(const Stage& stage) {
        const bool is_separate = plan_.scale && !plan_.scale->is_fused;
        issue(stage, is_separate ? plan_.sums : output_of(stage));
        if (is_separate) scale(stage);
    }

    void issue(const Stage& stage, local_addr_t to) {
        const ByteBlock& block = block_of(stage);
        const AxisSlice rows = rows_of(stage);
        const Padding zeros{rows.before, rows.after, columns_.before, columns_.after};
        const dim2 stride{problem_.y.step, problem_.x.step};
        const dim2 dilation{problem_.y.spacing, problem_.x.spacing};
        const dim4 shape = input_shape(stage);
        const local_addr_t constants = constants_of(stage);
        const local_addr_t factors = constants + words(block.factor_word);
        const local_addr_t weights = constants + words(block.weight_word);
        const bool is_fused = plan_.scale && plan_.scale->is_fused;
        const ByteScale none;
        const ByteScale& scale = is_fused ? *plan_.scale : none;
        const auto input_zp = static_cast<int>(*problem_.input_zero.value);
        const auto weight_zp = static_cast<int>(*problem_.weight_zero.value);
        const okk_element_t type = is_fused ? result_ : OKK_INT32;
        if (is_depthwise()) {
            okk_bdc_int_depthwise2d(to, input_of(stage), weights, constants, factors, &shape,
                                    problem_.y.taps, problem_.x.taps, true, is_fused, &zeros,
                                    &stride, &dilation, type, OKK_INT8, input_zp, weight_zp,
                                    scale.output.zero_point, scale.output.low, scale.output.high,
                                    scale.rounds_twice);
        } else {
            okk_bdc_int_conv2d(to, input_of(stage), weights, constants, factors, &shape,
                               block.count, problem_.y.taps, problem_.x.taps, true, is_fused, false,
                               &zeros, &stride, &dilation, type, OKK_INT8, input_zp, weight_zp,
                               scale.output.zero_point, scale.output.low, scale.output.high,
                               scale.rounds_twice);
        }
    }

    /// Sums by a command of its own.
    void scale(const Stage& stage) {
        const dim4 shape = output_shape(stage);
        const ByteBlock& block = block_of(stage);
        const local_addr_t factors = constants_of(stage) + words(block.factor_word);
        const dim4 stride{0, 2, 0, 0};
        const ByteScale& scale = *plan_.scale;
        okk_bdc_rescale(output_of(stage), plan_.sums, factors, factors + isa::kWordBytes, &shape,
                        nullptr, nullptr, &stride, result_, OKK_INT32, 0, scale.output.zero_point,
                        scale.output.low, scale.output.high, scale.rounds_twice);
    }

    void store(const Stage& stage) {
        const FeatureMaps& maps = problem_.output;
        const int bytes = stored_bytes(maps.type);
        const std::int64_t first = stage.step.images.begin * maps.image +
                                   block_of(stage).first * maps.channel +
                                   stage.step.rows.begin * maps.y;
        const dim4 shape = output_shape(stage);
        store_block(
            maps.address + static_cast<std::uint64_t>(first * bytes), output_of(stage),
            {bytes, shape, {maps.image, maps.channel, maps.y, maps.x}, aligned(shape, bytes)});
    }

    static local_addr_t words(std::int32_t count) {
        return static_cast<local_addr_t>(count * isa::kWordBytes);
    }

    const Problem& problem_;
    const BytePlan& plan_;
    std::uint64_t constants_;
    AxisSlice columns_;
    okk_element_t result_;
    std::uint32_t buffer_ = 0;
    std::uint32_t tile_buffer_ = 0;
    std::int32_t loaded_block_ = -1;
    std::optional<ByteStep> loaded_tile_;
    std::optional<Stage> computing_;
    std::optional<Stage> storing_;
};

}  // namespace

void run_bytes(const Problem& problem, const BytePlan& plan, std::uint64_t constants,
               std::int64_t most) {
    charge(OwnWork::kRound);
    ByteRun run(problem, plan, constants);
    const std::int64_t steps = std::min(byte_step_count(problem, plan), most);
    for (std::int64_t i = 0; i < steps; ++i) run.push(byte_step(problem, plan, i));
    run.finish();
}

}  // namespace okksim::kernels::conv
