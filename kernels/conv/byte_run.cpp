// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "firmware/okk.h"
#include "firmware/okk_features.h"
#include "isa/layout.h"
#include "kernels/call/computing.h"
#include "kernels/conv/block_transfer.h"
#include "kernels/conv/byte_plan.h"
#include "kernels/conv/byte_steps.h"
#include "kernels/conv/byte_unfold.h"
#include "kernels/tiling/tile_pipeline.h"

namespace okksim::kernels::conv {
namespace {

using tosa::DType;

okk_element_t element_of(DType type, const ByteScale* scale) {
    // Unsigned types differ only in their limits.
    const bool is_unsigned =
        scale != nullptr && scale->output.high > (type == DType::kI8 ? 127 : 32767);
    if (type == DType::kI8) return is_unsigned ? OKK_UINT8 : OKK_INT8;
    if (type == DType::kI16) return is_unsigned ? OKK_UINT16 : OKK_INT16;
    return OKK_INT32;
}

/// Stages of a TilePipeline step.
class ByteStages {
 public:
    /// `seen`: the problem after folding or unfolding.
    ByteStages(const Problem& problem, const Problem& seen, const BytePlan& plan,
               std::uint64_t constants)
        : whole_(problem),
          problem_(seen),
          plan_(plan),
          constants_(constants),
          columns_(byte_columns(seen)),
          result_(element_of(seen.output.type, plan.scale ? &*plan.scale : nullptr)),
          shares_input_(!is_depthwise() && byte_tile_count(seen, plan) == 1) {}

    void load(const ByteStep& step, int buffer) const {
        charge(OwnWork::kStep);
        if (step.images.begin == 0 && step.rows.begin == 0) {
            load_byte_block(constants_of(step), constants_, block_of(step), plan_.lanes);
        }
        if (has_own_weights() && step.rows.begin == 0) load_weights(step);
        if (step.block == 0 || !shares_input_) load_tile(step, buffer);
    }

    void compute(const ByteStep& step, int buffer) const {
        const bool is_separate = plan_.scale && !plan_.scale->is_fused;
        const local_addr_t to = is_separate ? plan_.sums : output_of(buffer);
        if (has_own_weights()) {
            compute_images(step, buffer, to, is_separate);
        } else {
            issue(step, {to, input_of(buffer), packed_weights_of(step)});
        }
        if (is_separate) scale(step, buffer);
    }

    void store(const ByteStep& step, int buffer) const {
        const FeatureMaps& maps = problem_.output;
        const int bytes = stored_bytes(maps.type);
        const std::int64_t first = step.images.begin * maps.image +
                                   block_of(step).first * maps.channel + step.rows.begin * maps.y;
        const dim4 shape = output_shape(step);
        store_block(maps.address + static_cast<std::uint64_t>(first * bytes), output_of(buffer),
                    {bytes,
                     shape,
                     {maps.image, maps.channel, maps.y, maps.x},
                     aligned(shape, bytes),
                     transposes()});
    }

 private:
    const ByteBlock& block_of(const ByteStep& step) const {
        return plan_.blocks[static_cast<std::size_t>(step.block)];
    }
    bool transposes() const { return plan_.lanes.has(isa::Feature::kDmaLayout); }
    bool is_depthwise() const { return problem_.kind == ProblemKind::kDepthwise; }
    AxisSlice rows_of(const ByteStep& step) const {
        return byte_rows(problem_, step.rows.begin, step.rows.size());
    }
    local_addr_t constants_of(const ByteStep& step) const {
        return static_cast<local_addr_t>(step.block & 1) * plan_.constant_bytes;
    }
    bool has_own_weights() const { return problem_.weights.of_each_image(); }
    local_addr_t packed_weights_of(const ByteStep& step) const {
        return constants_of(step) + words(block_of(step).weight_word);
    }
    /// Weights of single images alternate between two buffers.
    local_addr_t own_weights_of(const ByteStep& step) const {
        const std::int64_t number = step.block * isa::div_up(problem_.images, plan_.images) +
                                    step.images.begin / plan_.images;
        return plan_.weights + static_cast<local_addr_t>(number & 1) * plan_.weight_bytes;
    }
    local_addr_t input_of(int buffer) const {
        return plan_.input +
               static_cast<local_addr_t>(shares_input_ ? 0 : buffer) * plan_.input_bytes;
    }
    local_addr_t output_of(int buffer) const {
        return plan_.output + static_cast<local_addr_t>(buffer) * plan_.output_bytes;
    }
    /// Input channels that a block reads.
    Range channels_of(const ByteBlock& block) const {
        return is_depthwise() ? Range{block.first, block.first + block.count}
                              : Range{0, problem_.input_channels};
    }
    dim4 input_shape(const ByteStep& step) const {
        return {step.images.size(), channels_of(block_of(step)).size(), rows_of(step).count,
                columns_.count};
    }
    dim4 output_shape(const ByteStep& step) const {
        return {step.images.size(), block_of(step).count, step.rows.size(), problem_.x.output};
    }
    /// Element strides of a tile in local memory.
    std::array<std::int64_t, 4> aligned(const dim4& shape, int bytes) const {
        const std::int64_t plane =
            plan_.lanes.whole_line_bytes(std::int64_t{shape.h} * shape.w * bytes) / bytes;
        return {plane * plan_.lanes.slots(shape.c), plane, shape.w, 1};
    }

    /// Loads weights slot by slot. Four input channels of an output channel are a word.
    void load_weights(const ByteStep& step) const {
        const ByteBlock& block = block_of(step);
        const Weights& from = problem_.weights;
        const std::int32_t groups = problem_.input_channels / isa::kWordBytes;
        const std::int32_t rest = problem_.input_channels % isa::kWordBytes;
        const std::int32_t images = step.images.size();
        const std::int64_t image_bytes = block.weight_words * isa::kWordBytes;
        const std::int64_t group_stride = std::int64_t{isa::kWordBytes} * block.slots;
        const auto load = [&](std::int32_t slot, std::int32_t first_group, const dim4& shape) {
            const std::int64_t first = step.images.begin * from.image +
                                       (block.first + slot * plan_.lanes.count) * from.output +
                                       first_group * isa::kWordBytes * from.input;
            const std::int64_t to = first_group * group_stride + slot * isa::kWordBytes;
            load_block(own_weights_of(step) + static_cast<local_addr_t>(to),
                       from.address + static_cast<std::uint64_t>(first),
                       {1,
                        shape,
                        {from.image, from.output, isa::kWordBytes * from.input, from.input},
                        {image_bytes, image_bytes, group_stride, 1},
                        transposes()});
        };
        for (std::int32_t slot = 0; slot < block.slots; ++slot) {
            const std::int32_t count =
                std::min(plan_.lanes.count, block.count - slot * plan_.lanes.count);
            if (groups > 0) load(slot, 0, {images, count, groups, isa::kWordBytes});
            if (rest > 0) load(slot, groups, {images, count, 1, rest});
        }
    }

    void load_tile(const ByteStep& step, int buffer) const {
        if (plan_.unfolds) {
            return load_unfolded(whole_, {step.images, rows_of(step), input_of(buffer)},
                                 plan_.lanes);
        }
        const FeatureMaps& maps = problem_.input;
        const Range channels = channels_of(block_of(step));
        const std::int64_t first = step.images.begin * maps.image + channels.begin * maps.channel +
                                   rows_of(step).first * maps.y + columns_.first * maps.x;
        const dim4 shape = input_shape(step);
        const int bytes = stored_bytes(maps.type);
        load_block(input_of(buffer), maps.address + static_cast<std::uint64_t>(first * bytes),
                   {bytes,
                    shape,
                    {maps.image, maps.channel, maps.y, maps.x},
                    aligned(shape, bytes),
                    transposes()});
    }

    /// Addresses of a command's operands in local memory.
    struct Places {
        local_addr_t to, input, weights;
    };

    /// Issues a command for each image.
    void compute_images(const ByteStep& step, int buffer, local_addr_t to, bool is_separate) const {
        const int bytes = is_separate ? isa::kWordBytes : stored_bytes(problem_.output.type);
        const auto output_bytes =
            static_cast<local_addr_t>(aligned(output_shape(step), bytes)[0] * bytes);
        const auto input_bytes = static_cast<local_addr_t>(aligned(input_shape(step), 1)[0]);
        const auto weight_bytes =
            static_cast<local_addr_t>(block_of(step).weight_words * isa::kWordBytes);
        Places places{to, input_of(buffer), own_weights_of(step)};
        ByteStep own = step;
        for (std::int32_t i = step.images.begin; i < step.images.end; ++i) {
            own.images = {i, i + 1};
            issue(own, places);
            places.to += output_bytes;
            places.input += input_bytes;
            places.weights += weight_bytes;
        }
    }

    void issue(const ByteStep& step, const Places& places) const {
        const ByteBlock& block = block_of(step);
        const AxisSlice rows = rows_of(step);
        const Padding zeros{rows.before, rows.after, columns_.before, columns_.after};
        const dim2 stride{problem_.y.step, problem_.x.step};
        const dim2 dilation{problem_.y.spacing, problem_.x.spacing};
        const dim4 shape = input_shape(step);
        const local_addr_t constants = constants_of(step);
        const local_addr_t factors = constants + words(block.factor_word);
        const bool is_fused = plan_.scale && plan_.scale->is_fused;
        const ByteScale none;
        const ByteScale& scale = is_fused ? *plan_.scale : none;
        const auto input_zp = static_cast<int>(*problem_.input_zero.value);
        const auto weight_zp = static_cast<int>(*problem_.weight_zero.value);
        const bool is_wide = problem_.input.type == DType::kI16;
        const okk_element_t input = is_wide ? OKK_INT16 : OKK_INT8;
        const okk_element_t type = is_fused ? result_ : is_wide ? OKK_INT48 : OKK_INT32;
        if (is_depthwise()) {
            okk_bdc_int_depthwise2d(places.to, places.input, places.weights, constants, factors,
                                    &shape, problem_.y.taps, problem_.x.taps, true, is_fused,
                                    &zeros, &stride, &dilation, type, input, input_zp, weight_zp,
                                    scale.output.zero_point, scale.output.low, scale.output.high,
                                    scale.rounds_twice);
        } else {
            okk_bdc_int_conv2d(places.to, places.input, places.weights, constants, factors, &shape,
                               block.count, problem_.y.taps, problem_.x.taps, problem_.bias.present,
                               is_fused, false, &zeros, &stride, &dilation, type, input, input_zp,
                               weight_zp, scale.output.zero_point, scale.output.low,
                               scale.output.high, scale.rounds_twice);
        }
    }

    /// Scales sums by a separate command.
    void scale(const ByteStep& step, int buffer) const {
        const dim4 shape = output_shape(step);
        const ByteBlock& block = block_of(step);
        const local_addr_t factors = constants_of(step) + words(block.factor_word);
        const dim4 stride{0, 2, 0, 0};
        const ByteScale& scale = *plan_.scale;
        okk_bdc_rescale(output_of(buffer), plan_.sums, factors, factors + isa::kWordBytes, &shape,
                        nullptr, nullptr, &stride, result_, OKK_INT32, 0, scale.output.zero_point,
                        scale.output.low, scale.output.high, scale.rounds_twice);
    }

    static local_addr_t words(std::int32_t count) {
        return static_cast<local_addr_t>(count * isa::kWordBytes);
    }

    const Problem& whole_;
    const Problem& problem_;
    const BytePlan& plan_;
    std::uint64_t constants_;
    AxisSlice columns_;
    okk_element_t result_;
    bool shares_input_;  ///< all blocks of channels use one tile that stays in memory
};

}  // namespace

void run_bytes(const Problem& problem, const BytePlan& plan, std::uint64_t constants,
               std::int64_t most) {
    charge(OwnWork::kRound);
    const Problem seen = plan.unfolds ? unfolded(problem) : folded(problem);
    ByteStages stages(problem, seen, plan, constants);
    TilePipeline<ByteStep, ByteStages> pipeline(stages);
    const std::int64_t steps = std::min(byte_step_count(seen, plan), most);
    for (std::int64_t i = 0; i < steps; ++i) pipeline.push(byte_step(seen, plan, i));
    pipeline.finish();
}

}  // namespace okksim::kernels::conv
