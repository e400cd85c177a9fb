// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>

#include "isa/errors.h"
#include "isa/layout.h"
#include "kernels/conv/accumulator.h"
#include "kernels/conv/block_transfer.h"
#include "kernels/conv/operand.h"
#include "kernels/conv/problem.h"
#include "kernels/conv/step.h"
#include "kernels/conv/tile_cache.h"
#include "kernels/conv/tiling.h"
#include "kernels/prim/raw.h"

namespace okksim::kernels::conv {
namespace {

using isa::align_up;
using prim::LocalTensor;

constexpr std::int64_t kLine = 128;

/// Hands out local memory of the tiles, the same bytes in every lane.
class LocalRange {
 public:
    local_addr_t take(std::uint32_t bytes) {
        const local_addr_t address = next_;
        next_ += static_cast<std::uint32_t>(align_up(bytes, kLine));
        return address;
    }
    local_addr_t next() const { return next_; }

 private:
    local_addr_t next_ = 0;
};

/// Buffers of one operand and which tiles are in them.
class OperandStore {
 public:
    OperandStore(const OperandBuffers& buffers, LocalRange& range)
        : buffers_(buffers),
          packed_(
              range.take(static_cast<std::uint32_t>(buffers.packed_slots) * buffers.packed_bytes)),
          planes_(
              range.take(static_cast<std::uint32_t>(buffers.plane_slots) * buffers.plane_bytes)),
          packed_tiles_(buffers.packed_slots),
          plane_tiles_(std::max(buffers.plane_slots, 1)) {}

    /// Clears all buffers, so that what no load writes is zero.
    void clear(int lanes) const {
        const auto fill = [lanes](local_addr_t address, int slots, std::uint32_t bytes) {
            const auto lines =
                static_cast<int>(static_cast<std::uint32_t>(slots) * bytes / std::uint32_t{kLine});
            if (lines > 0) prim::raw::fill({address, {1, lanes, lines, 32}, std::nullopt}, 0u);
        };
        fill(packed_, buffers_.packed_slots, buffers_.packed_bytes);
        fill(planes_, buffers_.plane_slots, buffers_.plane_bytes);
    }

    /// A tile in local memory, or on its way there.
    struct Tile {
        local_addr_t packed = 0;
        local_addr_t words = 0;  ///< where products find it
        bool load = false;
        bool widen = false;
    };
    Tile find(std::int64_t key) {
        Tile tile;
        if (buffers_.plane_slots == 0) {
            const auto place = packed_tiles_.find_or_replace(key);
            tile.packed = packed(place.slot);
            tile.words = tile.packed;
            tile.load = place.fresh;
            tile.widen = place.fresh && buffers_.spread;
            return tile;
        }
        const auto plane = plane_tiles_.find_or_replace(key);
        tile.words = planes_ + static_cast<std::uint32_t>(plane.slot) * buffers_.plane_bytes;
        tile.widen = plane.fresh;
        if (!plane.fresh) return tile;
        const auto place = packed_tiles_.find_or_replace(key);
        tile.packed = packed(place.slot);
        tile.load = place.fresh;
        return tile;
    }

 private:
    local_addr_t packed(int slot) const {
        return packed_ + static_cast<std::uint32_t>(slot) * buffers_.packed_bytes;
    }

    const OperandBuffers& buffers_;
    local_addr_t packed_;
    local_addr_t planes_;
    TileCache packed_tiles_;
    TileCache plane_tiles_;
};

/// A step with the places of its tiles.
struct PlacedStep {
    const Step* step = nullptr;
    OperandStore::Tile input;
    OperandStore::Tile weights;
};

/// Carries out a tiled problem: in every parallel section the data mover stores the tile before and
/// loads what the next step needs while the compute engine works on this one.
class Runner {
 public:
    Runner(const Problem& problem, const SumRule& rule, const Tiling& tiling, LocalRange& range,
           const BiasParts& bias)
        : problem_(problem),
          rule_(rule),
          tiling_(tiling),
          lanes_(okk_npu_num()),
          inputs_(tiling.input, range),
          weights_(tiling.weights, range),
          ring_(range.take(static_cast<std::uint32_t>(tiling.ring_slots) * tiling.ring_bytes)),
          work_(range.take(static_cast<std::uint32_t>(tiling.work_planes) * tiling.plane_bytes)),
          scratch_(range.take(0), tiling.scratch_bytes, lanes_),
          sums_(rule, bias, scratch_) {}

    void run() {
        const std::vector<Step> steps = make_steps(problem_, tiling_);
        if (tiling_.zero_channels > 0) {
            inputs_.clear(lanes_);
            weights_.clear(lanes_);
        }
        PlacedStep next = prepare(steps.front());
        const Step* finished = nullptr;
        for (std::size_t i = 0; i < steps.size(); ++i) {
            const PlacedStep current = next;
            okk_parallel_start();
            if (finished != nullptr) store(*finished, ring_slot(tile_ - 1));
            if (i + 1 < steps.size()) next = prepare(steps[i + 1]);
            compute(current);
            okk_parallel_end();
            finished = current.step->last ? current.step : nullptr;
            if (current.step->last) ++tile_;
        }
        store(*finished, ring_slot(tile_ - 1));
    }

 private:
    bool depthwise() const { return problem_.kind == ProblemKind::kDepthwise; }
    local_addr_t ring_slot(std::int64_t tile) const {
        return ring_ + static_cast<std::uint32_t>(tile % tiling_.ring_slots) * tiling_.ring_bytes;
    }
    int slots(std::int32_t channels) const { return (channels + lanes_ - 1) / lanes_; }
    /// Strides n, c, h, w of the aligned layout.
    std::array<std::int64_t, 4> aligned(const dim4& shape, int element_bytes) const {
        const std::int64_t channel =
            align_up(std::int64_t{shape.h} * shape.w * element_bytes, kLine) / element_bytes;
        return {channel * slots(shape.c), channel, shape.w, 1};
    }

    // ---- Loads and stores. ----

    PlacedStep prepare(const Step& step) {
        PlacedStep placed;
        placed.step = &step;
        if (step.empty) return placed;
        placed.input = inputs_.find(step.input_key);
        placed.weights = weights_.find(step.weight_key);
        if (placed.weights.load) load_weights(step, placed.weights.packed);
        if (placed.input.load) load_input(step, placed.input.packed);
        return placed;
    }

    dim4 input_shape(const Step& step) const {
        return {step.images.size(), step.inputs.size(), step.slice_y.count, step.slice_x.count};
    }

    void load_input(const Step& step, local_addr_t to) {
        const FeatureMaps& maps = problem_.input;
        const int bytes = stored_bytes(maps.type);
        const std::int64_t offset = step.images.begin * maps.image +
                                    step.inputs.begin * maps.channel + step.input_z * maps.z +
                                    step.slice_y.first * maps.y + step.slice_x.first * maps.x;
        BlockTransfer block;
        block.element_bytes = bytes;
        block.shape = input_shape(step);
        block.system = {maps.image, maps.channel, maps.y * step.slice_y.load_step,
                        maps.x * step.slice_x.load_step};
        block.local =
            tiling_.input.spread ? spread(aligned(block.shape, 4)) : aligned(block.shape, bytes);
        load_block(to, maps.address + static_cast<std::uint64_t>(offset * bytes), block);
    }

    /// Strides of words in bytes.
    static std::array<std::int64_t, 4> spread(std::array<std::int64_t, 4> strides) {
        for (std::int64_t& stride : strides) stride *= 4;
        return strides;
    }

    /// Words of one output channel's weights in a tile.
    std::int64_t weight_row(const Step& step) const {
        const std::int64_t taps = std::int64_t{step.taps_y.size()} * step.taps_x.size();
        return depthwise() ? taps : taps * align_up(step.inputs.size(), 2);
    }

    void load_weights(const Step& step, local_addr_t to) {
        const Weights& weights = problem_.weights;
        const int bytes = stored_bytes(weights.type);
        const std::int64_t offset =
            step.images.begin * weights.image + step.channels.begin * weights.output +
            (depthwise() ? 0 : step.inputs.begin * weights.input) + step.tap_z * weights.z +
            step.taps_y.begin * weights.y + step.taps_x.begin * weights.x;
        const std::int64_t row = weight_row(step);
        const std::int64_t pairs = depthwise() ? 1 : align_up(step.inputs.size(), 2);
        const bool compact = depthwise() && !is_narrow(weights.type);
        BlockTransfer block;
        block.element_bytes = bytes;
        block.shape = {step.taps_y.size(), step.channels.size(), step.taps_x.size(),
                       depthwise() ? 1 : step.inputs.size()};
        block.system = {weights.y, weights.output, weights.x, weights.input};
        const bool spread_out = tiling_.weights.spread;
        const int width = spread_out ? 4 : bytes;
        block.local = {pairs * step.taps_x.size(),
                       compact ? row : align_up(row * width, kLine) / width, pairs, 1};
        if (spread_out) block.local = spread(block.local);
        load_block(to, weights.address + static_cast<std::uint64_t>(offset * bytes), block);
    }

    void store(const Step& step, local_addr_t from) {
        const FeatureMaps& maps = problem_.output;
        const int bytes = stored_bytes(maps.type);
        const std::int64_t offset = step.images.begin * maps.image +
                                    step.channels.begin * maps.channel + step.z * maps.z +
                                    step.y.begin * maps.y + step.x.begin * maps.x;
        BlockTransfer block;
        block.element_bytes = bytes;
        block.shape = output_shape(step);
        block.system = {maps.image, maps.channel, maps.y, maps.x};
        block.local = aligned(block.shape, bytes);
        store_block(maps.address + static_cast<std::uint64_t>(offset * bytes), from, block);
    }

    // ---- Computation. ----

    dim4 output_shape(const Step& step) const {
        return {step.images.size(), step.channels.size(), step.y.size(), step.x.size()};
    }
    /// The input as products see it: with its zeros where the tile holds them.
    dim4 window_shape(const Step& step) const {
        if (!tiling_.zeros_in_tile) return input_shape(step);
        return {step.images.size(), step.inputs.size(), step.slice_y.span(), step.slice_x.span()};
    }

    void compute(const PlacedStep& placed) {
        const Step& step = *placed.step;
        if (step.first) begin_tile(step);
        if (placed.weights.widen) widen_weights(placed);
        if (placed.input.widen) widen_input(placed);
        if (!step.empty) {
            const int input_limbs = limbs_of(problem_.input.type);
            const int weight_limbs = limbs_of(problem_.weights.type);
            for (int i = 0; i < input_limbs; ++i) {
                for (int w = 0; w < weight_limbs; ++w) {
                    add_products(placed, i, w);
                    if (input_limbs * weight_limbs > 1) sums_.end_pass();
                }
            }
        }
        if (step.last) sums_.finish();
    }

    void begin_tile(const Step& step) {
        const dim4 shape = output_shape(step);
        int taken = 0;
        const auto work = [&] {
            return LocalTensor{work_ + static_cast<std::uint32_t>(taken++) * tiling_.plane_bytes,
                               shape, std::nullopt};
        };
        Accumulator::Buffers buffers;
        buffers.result = ring_slot(tile_);
        const SumMemory memory = sum_memory(rule_);
        buffers.sum =
            memory.ring_planes > 0 ? LocalTensor{buffers.result, shape, std::nullopt} : work();
        if (rule_.exact() && !rule_.single_pass) {
            buffers.high = work();
            buffers.low = work();
            if (rule_.output == tosa::DType::kI48) buffers.top = work();
        }
        sum_ = buffers.sum;
        if (taken < tiling_.work_planes) partial_ = work();
        sums_.begin(buffers, step.channels.begin);
    }

    void widen_weights(const PlacedStep& placed) {
        const Step& step = *placed.step;
        const dim4 shape{1, step.channels.size(), 1, static_cast<int>(weight_row(step))};
        std::array<LocalTensor, kMostLimbs> targets;
        const auto limbs = static_cast<std::size_t>(limbs_of(problem_.weights.type));
        for (std::size_t i = 0; i < limbs; ++i) {
            targets[i] = {limb(placed.weights.words, tiling_.weights, i, limbs), shape,
                          std::nullopt};
            if (depthwise()) targets[i].stride = dim4{0, shape.w, 0, 1};
        }
        widen(std::span(targets).first(limbs),
              {placed.weights.packed, problem_.weights.type, tiling_.weights.spread},
              problem_.weight_zero_point, scratch_);
    }

    void widen_input(const PlacedStep& placed) {
        const Step& step = *placed.step;
        const dim4 shape = input_shape(step);
        const dim4 window = window_shape(step);
        std::array<LocalTensor, kMostLimbs> targets;
        const auto limbs = static_cast<std::size_t>(limbs_of(problem_.input.type));
        for (std::size_t i = 0; i < limbs; ++i) {
            const local_addr_t plane = limb(placed.input.words, tiling_.input, i, limbs);
            targets[i] = {plane, shape, std::nullopt};
            if (!tiling_.zeros_in_tile) continue;
            prim::raw::fill({plane, window, std::nullopt}, 0u);
            const std::array<std::int64_t, 4> stride = aligned(window, 4);
            targets[i].address += static_cast<local_addr_t>(
                4 * (step.slice_y.before * window.w + step.slice_x.before));
            targets[i].stride =
                dim4{static_cast<int>(stride[0]), static_cast<int>(stride[1]), window.w, 1};
        }
        widen(std::span(targets).first(limbs),
              {placed.input.packed, problem_.input.type, tiling_.input.spread},
              problem_.input_zero_point, scratch_);
    }

    static local_addr_t limb(local_addr_t words, const OperandBuffers& buffers, std::size_t index,
                             std::size_t limbs) {
        return words + static_cast<local_addr_t>(buffers.plane_bytes / limbs * index);
    }

    void add_products(const PlacedStep& placed, int input_limb, int weight_limb) {
        const Step& step = *placed.step;
        const local_addr_t input =
            limb(placed.input.words, tiling_.input, static_cast<std::size_t>(input_limb),
                 static_cast<std::size_t>(limbs_of(problem_.input.type)));
        const local_addr_t weights =
            limb(placed.weights.words, tiling_.weights, static_cast<std::size_t>(weight_limb),
                 static_cast<std::size_t>(limbs_of(problem_.weights.type)));
        const std::int64_t taps = std::int64_t{step.taps_y.size()} * step.taps_x.size();
        if (depthwise()) {
            sums_.add(taps, [&](bool add, std::optional<local_addr_t> bias) {
                depthwise_command(step, input, weights, add, bias);
            });
            return;
        }
        // As many channels at a time as stay exact.
        std::int32_t most = step.inputs.size();
        if (rule_.exact() && most * taps > rule_.exact_terms) {
            most = static_cast<std::int32_t>(rule_.exact_terms / taps / 2 * 2);
        }
        for (std::int32_t begin = 0; begin < step.inputs.size(); begin += most) {
            const Range channels{begin, std::min(begin + most, step.inputs.size())};
            sums_.add(channels.size() * taps, [&](bool add, std::optional<local_addr_t> bias) {
                convolution_command(step, channels, input, weights, add, bias);
            });
        }
    }

    Padding padding(const Step& step) const {
        if (tiling_.zeros_in_tile) return {0, 0, 0, 0};
        return {step.slice_y.before, step.slice_y.after, step.slice_x.before, step.slice_x.after};
    }
    static int command_step(const WindowAxis& axis, AxisMode mode) {
        return mode == AxisMode::kSingleTap ? 1 : axis.step;
    }
    static int command_spacing(const WindowAxis& axis, const Range& taps) {
        return taps.size() == 1 ? 1 : axis.spacing;
    }
    dim2 steps() const {
        return {command_step(problem_.y, tiling_.mode_y), command_step(problem_.x, tiling_.mode_x)};
    }
    dim2 spacings(const Step& step) const {
        return {command_spacing(problem_.y, step.taps_y), command_spacing(problem_.x, step.taps_x)};
    }

    void convolution_command(const Step& step, const Range& channels, local_addr_t input,
                             local_addr_t weights, bool add, std::optional<local_addr_t> bias) {
        dim4 shape = window_shape(step);
        const std::array<std::int64_t, 4> stride = aligned(shape, 4);
        shape.c = channels.size() + tiling_.zero_channels;
        const auto first = static_cast<local_addr_t>(channels.begin);
        const auto lanes = static_cast<local_addr_t>(lanes_);
        const local_addr_t from = input + first % lanes * okk_local_mem_size_per_npu() +
                                  first / lanes * static_cast<local_addr_t>(stride[1] * 4);
        const dim4 input_stride{static_cast<int>(stride[0]), static_cast<int>(stride[1]), shape.w,
                                1};
        const auto pairs = static_cast<int>(align_up(step.inputs.size(), 2) / 2);
        const auto row = static_cast<int>(align_up(weight_row(step) * 4, kLine) / 8);
        const dim4 weight_stride{1, row, pairs * step.taps_x.size(), pairs};
        const Padding zeros = padding(step);
        const dim2 by = steps();
        const dim2 spacing = spacings(step);
        okk_bdc_conv2d(sum_.address, from, weights + first * 4, bias.value_or(0), &shape,
                       step.channels.size(), step.taps_y.size(), step.taps_x.size(), &input_stride,
                       &weight_stride, bias.has_value(), add, &zeros, &by, &spacing);
    }

    void depthwise_command(const Step& step, local_addr_t input, local_addr_t weights, bool add,
                           std::optional<local_addr_t> bias) {
        const dim4 shape = window_shape(step);
        const Padding zeros = padding(step);
        const dim2 by = steps();
        const dim2 spacing = spacings(step);
        const LocalTensor& to = add ? partial_ : sum_;
        okk_bdc_depthwise2d(to.address, input, weights, bias.value_or(0), &shape,
                            step.taps_y.size(), step.taps_x.size(), bias.has_value(), &zeros, &by,
                            &spacing);
        if (add) prim::raw::add(sum_, sum_, partial_);
    }

    const Problem& problem_;
    const SumRule& rule_;
    const Tiling& tiling_;
    int lanes_;
    OperandStore inputs_;
    OperandStore weights_;
    local_addr_t ring_;
    local_addr_t work_;
    prim::Scratch scratch_;
    Accumulator sums_;
    std::int64_t tile_ = 0;  ///< output tiles completed
    LocalTensor sum_;        ///< of the present output tile
    LocalTensor partial_;
};

/// Bytes that the bias of all channels may take of local memory.
std::uint32_t bias_room(std::uint32_t local_bytes) { return local_bytes / 4; }

/// Output channels [first, first + count) of a problem as one of its own.
Problem channels_of(const Problem& problem, std::int32_t first, std::int32_t count) {
    Problem part = problem;
    part.output_channels = count;
    const auto move = [first](std::uint64_t& address, std::int64_t stride, tosa::DType type) {
        address += static_cast<std::uint64_t>(first * stride * stored_bytes(type));
    };
    move(part.output.address, problem.output.channel, problem.output.type);
    move(part.weights.address, problem.weights.output, problem.weights.type);
    if (problem.bias.present) {
        move(part.bias.address, problem.bias.stride, problem.bias.type);
    }
    if (problem.kind == ProblemKind::kDepthwise) {
        part.input_channels = count;
        move(part.input.address, problem.input.channel, problem.input.type);
    }
    return part;
}

void run_channels(const Problem& problem) {
    const SumRule rule = sum_rule(problem);
    const std::uint32_t local_bytes = okk_local_mem_size_per_npu();
    const int lanes = okk_npu_num();
    LocalRange range;
    const std::uint32_t bias_bytes = BiasParts::bytes(problem.bias, problem.output_channels, lanes);
    const local_addr_t bias_address = range.take(bias_bytes);
    constexpr std::uint32_t kAlignmentLosses = 8 * kLine;
    const Machine machine{lanes, local_bytes - range.next() - kAlignmentLosses};
    const Tiling tiling = choose_tiling(problem, rule, machine);
    prim::Scratch scratch(range.next(), machine.local_bytes, lanes);
    const BiasParts bias(problem.bias, problem.output_channels, bias_address, scratch);
    Runner(problem, rule, tiling, range, bias).run();
}

}  // namespace

void run(const Problem& problem) {
    const int lanes = okk_npu_num();
    const std::uint32_t per_slot =
        std::max(BiasParts::bytes(problem.bias, lanes, lanes), std::uint32_t{1});
    const std::int64_t slots = bias_room(okk_local_mem_size_per_npu()) / per_slot;
    const auto most =
        static_cast<std::int32_t>(std::min<std::int64_t>(slots * lanes, problem.output_channels));
    for (std::int32_t first = 0; first < problem.output_channels; first += most) {
        run_channels(channels_of(problem, first, std::min(most, problem.output_channels - first)));
    }
}

}  // namespace okksim::kernels::conv
