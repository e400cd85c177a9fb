// SPDX-License-Identifier: Apache-2.0
#include "kernels/pointwise_memory.h"

#include <algorithm>
#include <cmath>

#include "firmware/okk.h"
#include "isa/errors.h"
#include "isa/layout.h"
#include "kernels/spread_io.h"

namespace okksim::kernels {
namespace {

/// The aligned layout counts in rows of 32 words.
constexpr std::int64_t kRow = 32;
/// Largest extents that all compute commands take (API reference: w up to 65535, c up to 4095).
constexpr std::int64_t kMostWords = 65535 / kRow * kRow;
constexpr std::int64_t kMostChannels = 4095;
/// Bytes that the data mover moves while the control processor issues a command: about 3.6 us at
/// 25 GB/s on the reference machine. Only steers how many tiles overlap.
constexpr double kBytesPerCommand = 90e3;
/// Commands to convert an operand that is not stored as words, roughly.
constexpr int kConversionCommands = 8;

std::int64_t round_down(std::int64_t value, std::int64_t unit) { return value / unit * unit; }

/// How many tiles hide most of the data movement behind computation without paying more for their
/// commands than they save: the number where both are equal.
std::int64_t wanted_tiles(const PointwiseOperator& op) {
    double bytes = 0;
    double commands = op.commands;
    const auto add = [&](const DeviceTensor& tensor, WordForm form) {
        bytes += static_cast<double>(tensor.count() * stored_bytes(tensor.type));
        if (needs_words(tensor.type, form)) commands += kConversionCommands;
    };
    for (const PointwiseInput& input : op.inputs) add(input.tensor, input.form);
    add(op.output, op.output_form);
    const double tiles = std::sqrt(bytes / (commands * kBytesPerCommand));
    return std::max<std::int64_t>(1, std::lround(tiles));
}

}  // namespace

PointwiseMemory::PointwiseMemory(const PointwiseOperator& op)
    : lanes_(okk_npu_num()), local_bytes_(okk_local_mem_size_per_npu()) {
    const auto rank = static_cast<std::size_t>(op.output.rank);
    dims_.assign(op.output.dims.begin(), op.output.dims.begin() + op.output.rank);
    for (const PointwiseInput& input : op.inputs) {
        strides_.push_back(broadcast_strides(input.tensor, std::span(dims_).first(rank)));
    }
    strides_.push_back(op.output.strides);
    choose_limits(op);
    place(op, limits_, buffers_);
}

void PointwiseMemory::choose_limits(const PointwiseOperator& op) {
    const std::int64_t per_lane = isa::div_up(op.output.count(), lanes_);
    const std::int64_t tiles = wanted_tiles(op);
    // Room to round dimensions up without one tile more.
    const std::int64_t whole = isa::align_up(isa::div_up(2 * per_lane, 2 * tiles - 1), kRow);
    // One tile needs no second buffers.
    for (buffers_ = tiles == 1 ? 1 : 2;; buffers_ = 2) {
        std::int64_t fewest = 0;
        for (std::int64_t slots = 1; slots * lanes_ <= kMostChannels; slots *= 2) {
            NdLimits limits{lanes_, static_cast<std::int32_t>(slots * lanes_), 0};
            std::int64_t words =
                std::min(isa::align_up(isa::div_up(whole, slots), kRow), kMostWords);
            while (words >= kRow) {
                limits.words_per_channel = static_cast<std::int32_t>(words);
                const std::uint64_t needed = place(op, limits, buffers_);
                if (needed <= local_bytes_) break;
                const auto scaled = static_cast<std::int64_t>(
                    static_cast<double>(words) * local_bytes_ / static_cast<double>(needed));
                words = std::min(round_down(scaled, kRow), words - kRow);
            }
            if (words < kRow) break;
            const std::int64_t count =
                isa::div_up(op.output.count(), largest_tile(dims_, strides_, limits).count());
            if (fewest == 0 || count < fewest) {
                fewest = count;
                limits_ = limits;
            }
            if (words == kRow) break;
        }
        OKKSIM_CHECK(fewest > 0);
        if (buffers_ == 2 || fewest == 1) return;
    }
}

PointwiseMemory::Region PointwiseMemory::input_region(const PointwiseInput& input,
                                                      const dim4& loaded) const {
    const tosa::DType type = input.tensor.type;
    Region region;
    region.spread = pays_to_spread_load(type, input.form, input.tensor.count());
    region.copies = static_cast<std::uint32_t>(input.copies);
    region.buffer_bytes =
        region.spread ? prim::plane_bytes(loaded, lanes_) : packed_tile_bytes(type, loaded, lanes_);
    if (!region.spread && needs_words(type, input.form)) {
        region.words_bytes = prim::plane_bytes(loaded, lanes_);
    }
    return region;
}

PointwiseMemory::Region PointwiseMemory::output_region(const PointwiseOperator& op,
                                                       const dim4& shape) const {
    const tosa::DType type = op.output.type;
    Region region;
    region.spread = pays_to_spread_store(type, op.output_form, op.output.count());
    region.buffer_bytes = region.spread ? plane_bytes_ : packed_tile_bytes(type, shape, lanes_);
    if (!region.spread && needs_words(type, op.output_form)) region.words_bytes = plane_bytes_;
    return region;
}

std::uint64_t PointwiseMemory::place(const PointwiseOperator& op, const NdLimits& limits,
                                     int buffers) {
    const NdTile tile = largest_tile(dims_, strides_, limits);
    const dim4 shape{1, tile.c, tile.h, tile.w};
    plane_bytes_ = prim::plane_bytes(shape, lanes_);
    std::uint64_t next = 0;
    int planes = op.planes;
    const auto settle = [&](Region& region) {
        region.buffer = static_cast<local_addr_t>(next);
        next += std::uint64_t{region.buffer_bytes} * region.copies *
                static_cast<std::uint64_t>(buffers);
        region.words = static_cast<local_addr_t>(next);
        next += std::uint64_t{region.words_bytes} * region.copies;
    };
    inputs_.clear();
    for (std::size_t k = 0; k < op.inputs.size(); ++k) {
        const PointwiseInput& input = op.inputs[k];
        const TileOperand block = tile_operand(input.tensor, tile, k);
        inputs_.push_back(input_region(input, loaded_shape(block, lanes_)));
        settle(inputs_.back());
        planes = std::max(planes, widen_planes(input.tensor.type, input.form));
    }
    output_ = output_region(op, shape);
    settle(output_);
    planes = std::max(planes, narrow_planes(op.output.type, op.output_form));
    violations_ = static_cast<local_addr_t>(next);
    if (op.checks) next += plane_bytes_;
    scratch_begin_ = static_cast<local_addr_t>(next);
    scratch_bytes_ = plane_bytes_ * static_cast<std::uint32_t>(planes);
    return next + scratch_bytes_;
}

local_addr_t PointwiseMemory::input_buffer(std::size_t input, int buffer, int copy) const {
    const Region& region = inputs_[input];
    const auto index =
        static_cast<std::uint32_t>(buffer) * region.copies + static_cast<std::uint32_t>(copy);
    return region.buffer + index * region.buffer_bytes;
}

local_addr_t PointwiseMemory::input_words(std::size_t input, int copy) const {
    const Region& region = inputs_[input];
    return region.words + static_cast<std::uint32_t>(copy) * region.words_bytes;
}

local_addr_t PointwiseMemory::output_buffer(int buffer) const {
    return output_.buffer + static_cast<std::uint32_t>(buffer) * output_.buffer_bytes;
}

prim::Scratch PointwiseMemory::scratch() const { return {scratch_begin_, scratch_bytes_, lanes_}; }

}  // namespace okksim::kernels
