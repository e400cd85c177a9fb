// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "isa/limits.h"
#include "kernels/layers/layer_placing.h"
#include "kernels/planning/decisions.h"

namespace okksim::kernels::layers {
namespace {

/// Tries sizes of parts, one kind of size after the other, from sizes that suit the machine's local
/// memory. A thorough search also starts from the sizes of smaller memories. A larger machine thus
/// tries all that a smaller one has tried, in the same order.
class LimitSearch {
 public:
    /// Plans that take longer than `most` are not of interest.
    LimitSearch(const LayerCall& call, const SlicedLayers& layers, LayerPrices& prices,
                Duration most)
        : call_(call), layers_(layers), prices_(prices), most_(most) {}

    LayerAnswer run(LayerSearch search, int from) {
        const std::int64_t all = prices_.host().machine().local_bytes, local = all >> from;
        std::optional<LayerPlan> best = run_from(local, first_sizes(local), search);
        const bool fits = tried_.fits;
        const auto keep_faster = [&](std::optional<LayerPlan> other) {
            if (other && (!best || other->time < best->time)) best = std::move(other);
        };
        // A plan for a part of local memory may use all of it. This search begins at other sizes,
        // because the final sizes of a search depend on where it begins.
        if (best && from > 0 && search != LayerSearch::kFirst) {
            keep_faster(run_from(local, early_pieces(local, all), search));
        }
        // Each smaller memory takes another full search, so only a thorough search tries them.
        const int smaller = search == LayerSearch::kThorough ? kSmallerMachines : 0;
        for (int halvings = 1; halvings <= smaller; ++halvings) {
            keep_faster(run_from(local >> halvings, first_sizes(local >> halvings), search));
        }
        if (best) best->halvings = from;
        return {std::move(best), fits};
    }

 private:
    static constexpr int kMostEager = 16, kLeastEager = 4;
    static constexpr int kHalvings = 4;  ///< of scratch, until something fits
    /// Consecutive sizes without gain before the search stops.
    static constexpr int kPatience = 2, kMorePatience = 4;
    static constexpr std::int64_t kLeastPart = 64, kSmallPiece = 8192;  ///< bytes per lane
    static constexpr int kRounds = 2, kMostRounds = 4;
    static constexpr int kSmallerMachines = 2;

    int slices() const { return layers_.counts.images * layers_.counts.rows; }
    int layers_of_slice() const { return static_cast<int>(layers_.layers.size()) / slices(); }

    /// The largest sizes of parts for a local memory, with the other limits.
    PartLimits largest_parts(std::int64_t local) const {
        // Consecutive slices may overlap by one whole slice.
        return {.weights = local / 4,
                .scratch = local / 2,
                .packed = local / 256,
                .reach = slices() == 1 ? 1 : std::max(1, layers_of_slice()),
                .room = local};
    }

    PartLimits first_sizes(std::int64_t local) const {
        PartLimits first = largest_parts(local);
        first.weights >>= 2;
        return first;
    }

    /// Limits for many small pieces of weights, which arrive early.
    PartLimits early_pieces(std::int64_t local, std::int64_t room) const {
        PartLimits first = first_sizes(local);
        first.weights = std::min(first.weights, kSmallPiece);
        first.packed = kLeastPart;
        first.eagerness = 2;
        first.room = room;
        return first;
    }

    /// Searches from these sizes up to the largest parts of `local` bytes.
    std::optional<LayerPlan> run_from(std::int64_t local, const PartLimits& first,
                                      LayerSearch search) {
        best_.reset();
        tried_.least = most_;
        tried_.fits = false;
        const PartLimits most = largest_parts(local);
        for (int halvings = 0; halvings <= kHalvings && !tried_.fits; halvings += 2) {
            PartLimits small = first;
            small.scratch >>= halvings;
            consider(small);
        }
        if (!best_ || search == LayerSearch::kFirst) return found(search);
        if (search == LayerSearch::kThorough) try_merging();
        const int rounds = search == LayerSearch::kThorough ? kMostRounds : kRounds;
        for (int round = 0; round < rounds; ++round) {
            const Duration before = best_->time;
            if (search == LayerSearch::kThorough) {
                // Weights packed with the small constants come with the same command.
                PartLimits larger = most;
                larger.packed = most.weights;
                larger.weights = most.scratch;
                try_sizes(larger, kMorePatience);
            } else {
                try_sizes(most, kPatience);
            }
            try_finer_weights();
            try_banks();
            try_eagerness();
            try_constants();
            if (search == LayerSearch::kThorough) {
                if (round > 0) try_merging();
                try_reaches(layers_of_slice() * slices());
            }
            if (slices() > 1) {
                PartLimits held = limits_;
                held.hold = !held.hold || round == 0;
                consider(held);
            }
            if (best_->time == before) break;
        }
        return found(search);
    }

    std::optional<LayerPlan> found(LayerSearch search) {
        if (best_) best_->search = search;
        return std::move(best_);
    }

    /// Varies sizes around the current ones, up to the largest, until several in a row bring no
    /// gain.
    void try_sizes(const PartLimits& most, int patience) {
        for (std::int64_t PartLimits::*size :
             {&PartLimits::packed, &PartLimits::weights, &PartLimits::scratch}) {
            const PartLimits from = limits_;
            int left = patience;
            // A size that gives the same parts as another size does not count as a failed attempt.
            const auto goes_on = [&](std::int64_t bytes) {
                const std::size_t before = tried_.choices.size();
                PartLimits other = from;
                other.*size = bytes;
                if (consider(other)) {
                    left = patience;
                } else if (tried_.choices.size() > before) {
                    --left;
                }
                return left > 0;
            };
            for (std::int64_t bytes = from.*size * 2; bytes <= most.*size; bytes *= 2) {
                if (!goes_on(bytes)) break;
            }
            left = patience;
            for (std::int64_t bytes = from.*size / 2; bytes >= kLeastPart; bytes /= 2) {
                if (!goes_on(bytes)) break;
            }
        }
    }

    /// Tries sizes between the previous ones: pieces with other numbers of channel slots.
    void try_finer_weights() {
        const PartLimits from = limits_;
        for (const std::int64_t quarters : {3, 5, 6}) {
            PartLimits other = from;
            other.weights = from.weights * quarters / 4;
            consider(other);
        }
    }

    void try_banks() {
        for (const WeightBanks banks : {WeightBanks::kCheapest, WeightBanks::kEarliest}) {
            if (banks == limits_.banks) continue;
            PartLimits other = limits_;
            other.banks = banks;
            consider(other);
        }
    }

    /// Increases eagerness while that is faster, or decreases it a little.
    void try_eagerness() {
        const PartLimits from = limits_;
        const auto is_faster = [&](int eighths) {
            PartLimits other = from;
            other.eagerness = eighths;
            return consider(other);
        };
        int eighths = 1;
        while (eighths <= kMostEager && is_faster(eighths)) eighths *= 2;
        if (eighths > 1) return;
        for (int less = 1; less <= kLeastEager && is_faster(-less); less *= 2) {
        }
    }

    /// Merged sections issue GDMA commands before those of works, which may delay them with calls.
    void try_merging() {
        const PartLimits from = limits_;
        for (const SectionMerge merge :
             {SectionMerge::kNone, SectionMerge::kWhereFree, SectionMerge::kWithRoom}) {
            PartLimits other = from;
            other.merge = merge;
            if (merge != from.merge) consider(other);
        }
    }

    /// Tries all packed constants in one command instead of two.
    void try_constants() {
        if (best_->packed_first == best_->packed_bytes) return;
        PartLimits other = limits_;
        other.constants_at_once = true;
        consider(other);
    }

    /// Tries to move transfers of feature maps earlier or later than the section next to their
    /// work.
    void try_reaches(int layers) {
        const PartLimits from = limits_;
        for (int reach = 1; reach <= 2 * layers; reach *= 2) {
            PartLimits other = from;
            other.reach = reach;
            if (reach != from.reach) consider(other);
        }
    }

    /// Returns true if these limits give a faster plan than the best so far.
    bool consider(const PartLimits& limits) {
        std::optional<LayerPlan> plan = place_layers(call_, layers_, limits, prices_, tried_);
        if (!plan || (best_ && plan->time >= best_->time)) return false;
        best_ = std::move(plan);
        limits_ = limits;
        return true;
    }

    const LayerCall& call_;
    const SlicedLayers& layers_;
    LayerPrices& prices_;
    Duration most_;
    std::optional<LayerPlan> best_;
    PartLimits limits_;  ///< of the best
    TriedLimits tried_;
};

template <typename Program>
std::uint64_t program_words(const std::vector<std::shared_ptr<const Program>>& programs) {
    std::uint64_t words = 0;
    for (const auto& program : programs) words += program ? program->argument_words() : 0;
    return words;
}

}  // namespace

std::uint64_t LayerPlan::argument_words() const {
    // Kind, inputs and result, window, steps and padding of a layer in fields of 8 and 16 bits.
    // Shapes come with the values.
    constexpr std::uint64_t kLayerWords = 6;
    constexpr std::uint64_t kPartWords = 3;
    constexpr std::uint64_t kUnfoldingWords = 2;
    const std::size_t cut = slices.is_whole() ? 0 : parts.size();
    const auto unfolded = static_cast<std::uint64_t>(std::count_if(
        parts.begin(), parts.end(), [](const MapPart& part) { return part.unfolding.taps > 1; }));
    return 4 + kPartWords * cut + kUnfoldingWords * unfolded + kernels::argument_words(transfers) +
           kernels::argument_words(works) + kernels::argument_words(sections) +
           kernels::argument_words(places) + maps.size() + kLayerWords * layers.size() +
           kernels::argument_words(rows) + kernels::argument_words(weights) +
           program_words(programs) + program_words(natives) +
           (native_parts.empty() ? 0 : kernels::argument_words(native_parts));
}

LayerAnswer plan_layers(const LayerCall& call, const SliceCounts& slices, LayerSearch search,
                        LayerPrices& prices, int halvings, Duration most) {
    const isa::MachineShape& machine = prices.host().machine();
    std::vector<Layer> layers;
    for (const LayerOperator& op : call.operators) {
        std::optional<Layer> layer = layer_of(op, call.values, machine);
        if (!layer) return {};
        layer->op = static_cast<std::int32_t>(layers.size());
        layers.push_back(*std::move(layer));
    }
    const std::optional<SlicedLayers> sliced = cut_layers(call, layers, slices);
    if (!sliced) return {};
    // Slices may need additional copy layers.
    for (const Layer& layer : sliced->layers) {
        const bool copies = layer.kind == LayerKind::kCrop || layer.kind == LayerKind::kPackedCrop;
        if (!has_commands(layer.kind, machine) || (copies && layer.out.c > isa::kMostChannels)) {
            return {};
        }
    }
    return LimitSearch(call, *sliced, prices, most).run(search, halvings);
}

}  // namespace okksim::kernels::layers
