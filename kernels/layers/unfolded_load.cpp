// SPDX-License-Identifier: Apache-2.0
#include "kernels/layers/unfolded_load.h"

#include <algorithm>

#include "isa/layout.h"
#include "isa/types.h"
#include "kernels/call/computing.h"
#include "kernels/conv/block_transfer.h"
#include "kernels/layers/layer_slices.h"

namespace okksim::kernels::layers {
namespace {

/// One row of a window as channels of an unfolded part.
class TapChannels {
 public:
    TapChannels(const LayerCall& call, const MapPart& part, const Lanes& lanes, local_addr_t to,
                std::int32_t tap)
        : tensor_(call.values[static_cast<std::size_t>(part.value)].tensor),
          from_(part_address(call, part)),
          source_(part_shape(call, part)),
          transposes_(lanes.has(isa::Feature::kDmaLayout)) {
        const dim4 shape = local_shape(call, part);
        const std::int64_t plane = lanes.whole_lines(std::int64_t{shape.h} * shape.w);
        stride_ = {isa::narrow(plane * lanes.slots(shape.c)), isa::narrow(plane), shape.w, 1};
        const std::int32_t first = tap * source_.c;
        to_ = to + static_cast<local_addr_t>(first % lanes.count) * okk_local_mem_size_per_npu() +
              static_cast<local_addr_t>(isa::kWordBytes * plane * (first / lanes.count));
    }

    void fill(const conv::Range& rows) const {
        if (rows.size() <= 0) return;
        x32 zero;
        zero.u32 = 0;
        const dim4 shape{source_.n, source_.c, rows.size(), source_.w};
        okk_gdma_32bit_set_C_local(at(rows.begin), zero, &shape, &stride_);
    }
    /// `first`: the source row of the first of `rows`; the others follow `step` apart.
    void load(const conv::Range& rows, std::int64_t first, std::int64_t step) const {
        if (rows.size() <= 0) return;
        const auto& strides = tensor_.strides;
        const auto offset = static_cast<std::uint64_t>(isa::kWordBytes * first * strides[1]);
        conv::load_block(at(rows.begin), from_ + offset,
                         {isa::kWordBytes,
                          {source_.n, source_.c, rows.size(), source_.w},
                          {strides[0], strides[3], step * strides[1], strides[2]},
                          {stride_.n, stride_.c, stride_.h, 1},
                          transposes_});
    }

 private:
    local_addr_t at(std::int32_t row) const {
        return to_ + static_cast<local_addr_t>(isa::kWordBytes * row * source_.w);
    }

    const DeviceTensor& tensor_;
    std::uint64_t from_;
    dim4 source_;
    bool transposes_;
    local_addr_t to_ = 0;
    dim4 stride_{};
};

}  // namespace

void load_unfolded(const LayerCall& call, const MapPart& part, const Lanes& lanes,
                   local_addr_t to) {
    const Unfolding& of = part.unfolding;
    for (std::int32_t tap = 0; tap < of.taps; ++tap) {
        charge(OwnWork::kLayerTap);
        const TapChannels channels(call, part, lanes, to, tap);
        // Row o of the result reads source row o * step + shift.
        const std::int64_t shift = std::int64_t{tap} * of.spacing - of.zeros_above;
        const auto first_from = [&](std::int64_t row) {
            const std::int64_t steps = std::max<std::int64_t>(row - shift, 0);
            return isa::narrow(std::min<std::int64_t>(isa::div_up(steps, of.step), of.rows));
        };
        const std::int32_t begin = first_from(0), end = first_from(part.rows.size());
        channels.fill({0, begin});
        channels.load({begin, end}, std::int64_t{begin} * of.step + shift, of.step);
        channels.fill({end, of.rows});
    }
}

}  // namespace okksim::kernels::layers
