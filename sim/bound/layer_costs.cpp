// SPDX-License-Identifier: Apache-2.0
#include "sim/bound/layer_costs.h"

#include <algorithm>
#include <utility>

#include "kernels/layers/layer_run.h"
#include "sim/bound/window_need.h"

namespace okksim::sim::bound {

using kernels::layers::Layer;
using kernels::layers::LayerKind;
using kernels::layers::LayerTransfer;
using kernels::layers::LayerWork;
using kernels::layers::MapPart;
using kernels::layers::TransferKind;

namespace {

/// The kind of a priced item, which is part of its key.
enum class Priced : std::uint8_t { kWork, kWeights, kMap, kPacked };

/// Returns the windows of a work: one image or all images, and some output channels.
WindowSums windows_of(const Layer& layer, const LayerWork& work) {
    const bool all = work.image == LayerWork::kAllImages;
    return {all ? layer.in.n : 1,
            layer.in.c,
            work.channels.size(),
            {layer.in.h, layer.out.h, layer.kernel.h, layer.stride.h, layer.dilation.h,
             layer.zeros.top},
            {layer.in.w, layer.out.w, layer.kernel.w, layer.stride.w, layer.dilation.w,
             layer.zeros.left}};
}

}  // namespace

LayerCosts::LayerCosts(pricing::MachineHost& host)
    : host_(host), times_(host.params()), prices_(host) {}

LeastWork LayerCosts::of(const CutGroup& group, const LayerWork& which) {
    const Layer& layer = group.plan.layers[static_cast<std::size_t>(which.layer)];
    const auto& op = group.bound.operators[static_cast<std::size_t>(layer.op)];
    Key key{static_cast<std::int64_t>(Priced::kWork),
            static_cast<std::int64_t>(layer.kind),
            reinterpret_cast<std::intptr_t>(op.attributes),
            static_cast<std::int64_t>(op.op),
            which.image,
            which.channels.size(),
            layer.zeros.top,
            layer.zeros.bottom,
            layer.row_taps};
    for (const dim4& shape : {layer.in, layer.out}) {
        key.insert(key.end(), {shape.n, shape.c, shape.h, shape.w});
    }
    const auto call = group.bound.call();
    LayerWork work = which;
    work.scratch_bytes = static_cast<std::uint32_t>(scratch_bytes(call, group.plan, layer, work));
    const LeastWork least = priced(std::move(key), [&] { run_work(call, group.plan, work); });
    const bool may_have_zeros = layer.kind == LayerKind::kConvolution && layer.in.c % 2 != 0;
    return may_have_zeros ? with_channel_of_zeros(least, layer, which) : least;
}

LeastWork LayerCosts::with_channel_of_zeros(LeastWork work, const Layer& layer,
                                            const LayerWork& which) const {
    models::Picoseconds& time = work.engines[static_cast<std::size_t>(isa::Engine::kBdc)];
    const std::int64_t cycles = convolution_cycles(windows_of(layer, which), host_.params());
    time = std::min(time, times_.compute({cycles, 1}));
    return work;
}

LeastWork LayerCosts::of(const CutGroup& group, const LayerTransfer& transfer) {
    const auto slot = [&](int value) -> std::int64_t {
        return group.bound.slots[static_cast<std::size_t>(value)];
    };
    Key key;
    if (transfer.kind == TransferKind::kLoadWeights) {
        const Layer& layer = group.plan.layers[static_cast<std::size_t>(transfer.layer)];
        key = {static_cast<std::int64_t>(Priced::kWeights), slot(layer.weights),
               transfer.channels.begin, transfer.channels.end};
    } else {
        const MapPart& part = group.plan.parts[static_cast<std::size_t>(transfer.part)];
        const auto& value = group.bound.values[static_cast<std::size_t>(part.value)];
        key = {static_cast<std::int64_t>(Priced::kMap),
               static_cast<std::int64_t>(transfer.kind),
               slot(part.value),
               value.tensor.strides[3],
               part.images.begin,
               part.images.end,
               part.rows.begin,
               part.rows.end,
               part.unfolding.taps};
    }
    const auto call = group.bound.call();
    return priced(std::move(key), [&] { run_transfer(call, group.plan, transfer); });
}

LeastWork LayerCosts::of_packed(const CutGroup& group, std::size_t section) {
    const auto call = group.bound.call();
    return priced({static_cast<std::int64_t>(Priced::kPacked), group.plan.packed_bytes,
                   group.plan.packed_first, static_cast<std::int64_t>(section)},
                  [&] { load_packed_constants(call, group.plan, section); });
}

LeastWork LayerCosts::priced(Key key, const kernels::Firmware& firmware) {
    const auto known = known_.find(key);
    if (known != known_.end()) return known->second;
    return known_.emplace(std::move(key), prices_.of(firmware)).first->second;
}

}  // namespace okksim::sim::bound
