// SPDX-License-Identifier: Apache-2.0
#include "kernels/layers/layer_unfold.h"

#include <algorithm>
#include <vector>

#include "isa/limits.h"
#include "kernels/layers/layer_slices.h"

namespace okksim::kernels::layers {
namespace {

/// Input channels: commands with fewer wait for pixels; those with more do not gain from unfolding.
constexpr std::int32_t kMostUnfolded = 16;

/// Unfolds either all slices of one operator or none.
class Unfolder {
 public:
    Unfolder(const LayerCall& call, LayerPlan& plan, LayerPrices& prices)
        : call_(call), plan_(plan), prices_(prices) {}

    void run() {
        plan_.places.assign(plan_.layers.size(), {});
        for (LayerPlaces& places : plan_.places) places.packed_weights = true;
        std::vector<bool> done(call_.operators.size(), false);
        for (const Layer& layer : plan_.layers) {
            const auto op = static_cast<std::size_t>(layer.op);
            if (done[op] || layer.kind != LayerKind::kConvolution) continue;
            done[op] = true;
            consider(layer.op);
        }
    }

 private:
    MapPart& part_of(const Layer& layer) {
        return plan_.parts[static_cast<std::size_t>(layer.maps[0])];
    }

    void consider(std::int32_t op) {
        std::vector<std::size_t> slices;
        for (std::size_t i = 0; i < plan_.layers.size(); ++i) {
            if (plan_.layers[i].op != op) continue;
            if (!can_unfold(i)) return;
            slices.push_back(i);
        }
        const Layer& first = plan_.layers[slices.front()];
        const Layer plain = first;
        const MapPart part = part_of(first);
        const Duration before = time_of(slices.front());
        unfold(slices.front());
        if (time_of(slices.front()) < before) {
            for (std::size_t i = 1; i < slices.size(); ++i) unfold(slices[i]);
            return;
        }
        plan_.layers[slices.front()] = plain;
        part_of(plain) = part;
    }

    /// True if the input is an fp32 feature map in system memory with no other reader.
    bool can_unfold(std::size_t index) {
        const Layer& layer = plan_.layers[index];
        if (layer.kind != LayerKind::kConvolution) return false;
        const MapPart& part = part_of(layer);
        const LayerValue& value = call_.values[static_cast<std::size_t>(part.value)];
        const DeviceTensor& weights = call_.values[static_cast<std::size_t>(layer.weights)].tensor;
        const auto readers =
            std::count_if(plan_.layers.begin(), plan_.layers.end(), [&](const Layer& other) {
                return std::count(other.maps.begin(), other.maps.end(), layer.maps[0]) > 0;
            });
        return value.given && !value.wanted && is_in_memory(call_, part) &&
               value.tensor.type == tosa::DType::kFp32 && readers == 1 && layer.kernel.h > 1 &&
               layer.in.c <= kMostUnfolded && layer.in.c * layer.kernel.h <= isa::kMostChannels &&
               layer.out.c <= isa::kMostChannels && !takes_whole_map(layer, weights);
    }

    void unfold(std::size_t index) {
        Layer& layer = plan_.layers[index];
        part_of(layer).unfolding = {.taps = layer.kernel.h,
                                    .step = layer.stride.h,
                                    .spacing = layer.dilation.h,
                                    .zeros_above = layer.zeros.top,
                                    .rows = layer.out.h};
        layer.row_taps = layer.kernel.h;
        layer.in.c *= layer.row_taps;
        layer.in.h = layer.out.h;
        layer.kernel.h = layer.stride.h = layer.dilation.h = 1;
        layer.zeros.top = layer.zeros.bottom = 0;
    }

    /// Time of load and work together.
    Duration time_of(std::size_t index) {
        const Layer& layer = plan_.layers[index];
        const LayerTransfer load{.layer = static_cast<std::int32_t>(index), .part = layer.maps[0]};
        const LayerWork work{.layer = load.layer, .channels = {0, layer.out.c}};
        return prices_.of(call_, plan_, load) +
               prices_.of(call_, plan_, work).of(isa::Engine::kBdc);
    }

    const LayerCall& call_;
    LayerPlan& plan_;
    LayerPrices& prices_;
};

}  // namespace

void unfold_layers(const LayerCall& call, LayerPlan& plan, LayerPrices& prices) {
    Unfolder(call, plan, prices).run();
}

}  // namespace okksim::kernels::layers
