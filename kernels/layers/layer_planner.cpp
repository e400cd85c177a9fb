// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <utility>

#include "isa/layout.h"
#include "kernels/layers/layer_run.h"
#include "kernels/layers/layer_schedule.h"
#include "kernels/layers/layer_works.h"
#include "kernels/layers/local_room.h"
#include "kernels/planning/decisions.h"
#include "kernels/prim/local_tensor.h"

namespace okksim::kernels::layers {
namespace {

/// Sections between a load and the work that reads it, at most: earlier ones cost memory for long.
constexpr int kFarthestSection = 256;

/// Sections [first, last] in which a value's bytes must survive.
struct Life {
    int first = 0;
    int last = 0;
    bool used = false;

    void extend(int begin, int end) {
        first = used ? std::min(first, begin) : begin;
        last = used ? std::max(last, end) : end;
        used = true;
    }
};

/// A transfer and its section.
struct PlacedTransfer {
    int section = 0;
    LayerTransfer transfer;
};

class LayerPlanner {
 public:
    LayerPlanner(const LayerCall& call, Host& host, const PartLimits& limits)
        : call_(call), host_(host), limits_(limits) {
        plan_.lanes = lanes_of(host.machine());
    }

    std::optional<LayerPlan> run() {
        if (!describe()) return std::nullopt;
        pack_constants(plan_, limits_);
        choose_zero_channels();
        plan_.works = works_of(call_, plan_, limits_);
        room_.emplace(plan_.packed_bytes, host_.machine().local_bytes, plan_.lanes.line_bytes());
        if (!place_maps() || !place_scratch()) return std::nullopt;
        price_works();
        add_map_transfers();
        if (!add_weight_transfers()) return std::nullopt;
        write_sections();
        plan_.time = host_.time([this] { run_layers(call_, plan_); });
        return std::move(plan_);
    }

 private:
    bool describe() {
        for (const LayerOperator& op : call_.operators) {
            std::optional<Layer> layer = layer_of(op, call_.values, host_.machine());
            if (!layer) return false;
            plan_.layers.push_back(*std::move(layer));
        }
        plan_.maps.assign(call_.values.size(), 0);
        return true;
    }

    /// Odd channel counts may take the array longer than the next even one.
    void choose_zero_channels() {
        for (std::size_t i = 0; i < plan_.layers.size(); ++i) {
            const Layer& layer = plan_.layers[i];
            if (layer.kind != LayerKind::kConvolution || layer.in.c % 2 == 0) continue;
            if (!plan_.places[i].packed_weights || layer.in.c % plan_.lanes.count == 0) continue;
            const LayerWork work{.layer = static_cast<std::int32_t>(i),
                                 .channels = {0, layer.out.c}};
            const Duration odd = compute_time(work);
            plan_.places[i].zero_channels = 1;
            if (compute_time(work) >= odd) plan_.places[i].zero_channels = 0;
        }
    }

    Duration compute_time(const LayerWork& work) {
        return host_.work([&] { run_work(call_, plan_, work); }).of(isa::Engine::kBdc);
    }

    static int section_of(std::size_t work) { return static_cast<int>(work) + 1; }
    int last_section() const { return section_of(plan_.works.size()); }

    /// A result takes the place of an operand that nobody needs any more.
    void share_places(const std::vector<int>& last_reader) {
        owner_.resize(call_.values.size());
        for (std::size_t i = 0; i < owner_.size(); ++i) owner_[i] = static_cast<int>(i);
        for (std::size_t i = 0; i < plan_.layers.size(); ++i) {
            const Layer& layer = plan_.layers[i];
            if (layer.kind != LayerKind::kBody) continue;
            for (const int map : layer.maps) {
                const auto at = static_cast<std::size_t>(map);
                if (last_reader[at] != static_cast<int>(i) || call_.values[at].wanted) continue;
                owner_[static_cast<std::size_t>(layer.output)] = owner_[at];
                break;
            }
        }
    }

    bool place_maps() {
        std::vector<int> last_reader(call_.values.size(), -1);
        for (std::size_t i = 0; i < plan_.layers.size(); ++i) {
            for (const int map : plan_.layers[i].maps) {
                last_reader[static_cast<std::size_t>(map)] = static_cast<int>(i);
            }
        }
        share_places(last_reader);
        lives_.assign(call_.values.size(), {});
        for (std::size_t i = 0; i < plan_.works.size(); ++i) note_work(i);
        std::map<int, Life> owners;
        for (std::size_t i = 0; i < lives_.size(); ++i) {
            if (!lives_[i].used) continue;
            owners[owner_[i]].extend(lives_[i].first, lives_[i].last);
        }
        return place(owners);
    }

    /// Values that a work reads and writes live then.
    void note_work(std::size_t index) {
        const LayerWork& work = plan_.works[index];
        const Layer& layer = plan_.layers[static_cast<std::size_t>(work.layer)];
        const int section = section_of(index);
        for (const int map : layer.maps) {
            const auto at = static_cast<std::size_t>(map);
            const bool arrives = call_.values[at].given && !lives_[at].used;
            lives_[at].extend(arrives ? section - 1 : section, section);
        }
        const auto output = static_cast<std::size_t>(layer.output);
        const bool stored = call_.values[output].wanted;
        lives_[output].extend(section, stored ? section + 1 : section);
    }

    std::int64_t map_bytes(int value) const {
        const dim4 shape = map_shape(call_.values[static_cast<std::size_t>(value)].tensor);
        return prim::plane_bytes(shape, plan_.lanes);
    }

    /// The largest first: small ones find a gap.
    bool place(const std::map<int, Life>& owners) {
        std::vector<std::pair<std::int64_t, int>> order;
        for (const auto& [value, life] : owners) order.emplace_back(-map_bytes(value), value);
        std::sort(order.begin(), order.end());
        for (const auto& [bytes, value] : order) {
            const Life& life = owners.at(value);
            const auto address = room_->place(-bytes, life.first, life.last);
            if (!address) return false;
            plan_.maps[static_cast<std::size_t>(value)] = static_cast<local_addr_t>(*address);
        }
        for (std::size_t i = 0; i < owner_.size(); ++i) {
            plan_.maps[i] = plan_.maps[static_cast<std::size_t>(owner_[i])];
        }
        return true;
    }

    bool place_scratch() {
        for (std::size_t i = 0; i < plan_.works.size(); ++i) {
            LayerWork& work = plan_.works[i];
            const auto layer = static_cast<std::size_t>(work.layer);
            const std::int64_t bytes =
                scratch_bytes(call_.operators[layer], plan_.layers[layer], work, plan_.lanes);
            if (bytes == 0) continue;
            const auto address = room_->place(bytes, section_of(i), section_of(i));
            if (!address) return false;
            work.scratch = static_cast<local_addr_t>(*address);
            work.scratch_bytes = static_cast<std::uint32_t>(bytes);
        }
        return true;
    }

    void price_works() {
        const auto sections = static_cast<std::size_t>(last_section()) + 1;
        times_.compute.assign(sections, Duration{});
        times_.transfer.assign(sections, Duration{});
        for (std::size_t i = 0; i < plan_.works.size(); ++i) {
            const Work work = host_.work([&] { run_work(call_, plan_, plan_.works[i]); });
            times_.compute[i + 1] = std::max(work.of(isa::Engine::kBdc), work.processor);
        }
    }

    Duration transfer_time(const LayerTransfer& transfer) {
        return host_.work([&] { run_transfer(call_, plan_, transfer); }).of(isa::Engine::kGdma);
    }

    void add_transfer(int section, const LayerTransfer& transfer) {
        times_.transfer[static_cast<std::size_t>(section)] += transfer_time(transfer);
        transfers_.push_back({section, transfer});
    }

    /// Maps arrive in the section before their first reader and leave in the one after their
    /// writer.
    void add_map_transfers() {
        for (std::size_t i = 0; i < call_.values.size(); ++i) {
            if (!lives_[i].used) continue;
            LayerTransfer transfer{.layer = reader_of(static_cast<int>(i)),
                                   .value = static_cast<std::int32_t>(i),
                                   .local = plan_.maps[i]};
            if (call_.values[i].given) add_transfer(lives_[i].first, transfer);
            transfer.kind = TransferKind::kStoreMap;
            transfer.layer = writer_of(static_cast<int>(i));
            if (call_.values[i].wanted)
                add_transfer(written_section(static_cast<int>(i)) + 1, transfer);
        }
    }

    /// The first layer that reads a value; 0 when none does.
    std::int32_t reader_of(int value) const {
        for (std::size_t i = 0; i < plan_.layers.size(); ++i) {
            const std::vector<int>& maps = plan_.layers[i].maps;
            if (std::find(maps.begin(), maps.end(), value) != maps.end()) {
                return static_cast<std::int32_t>(i);
            }
        }
        return 0;
    }

    std::int32_t writer_of(int value) const {
        for (std::size_t i = 0; i < plan_.layers.size(); ++i) {
            if (plan_.layers[i].output == value) return static_cast<std::int32_t>(i);
        }
        return 0;
    }

    /// The section of the last work that writes a value.
    int written_section(int value) const {
        const std::int32_t writer = writer_of(value);
        int section = 0;
        for (std::size_t i = 0; i < plan_.works.size(); ++i) {
            if (plan_.works[i].layer == writer) section = section_of(i);
        }
        return section;
    }

    bool add_weight_transfers() {
        for (std::size_t i = 0; i < plan_.works.size(); ++i) {
            LayerWork& work = plan_.works[i];
            const auto at = static_cast<std::size_t>(work.layer);
            if (plan_.layers[at].kind != LayerKind::kConvolution ||
                plan_.places[at].packed_weights) {
                continue;
            }
            const bool again = i > 0 && plan_.works[i - 1].layer == work.layer &&
                               plan_.works[i - 1].channels.begin == work.channels.begin;
            if (again) {
                work.weights = plan_.works[i - 1].weights;
            } else if (!load_weights(i)) {
                return false;
            }
        }
        return true;
    }

    /// The last work that reads the same piece: the other images follow.
    std::size_t last_reader_of_piece(std::size_t index) const {
        std::size_t last = index;
        while (last + 1 < plan_.works.size() &&
               plan_.works[last + 1].layer == plan_.works[index].layer &&
               plan_.works[last + 1].channels.begin == plan_.works[index].channels.begin) {
            ++last;
        }
        return last;
    }

    bool load_weights(std::size_t index) {
        LayerWork& work = plan_.works[index];
        const auto at = static_cast<std::size_t>(work.layer);
        const Layer& layer = plan_.layers[at];
        const LoadRequest request = request_of(work, section_of(index));
        const std::int64_t bytes = weight_bytes(layer, work.channels.size(), plan_.lanes);
        const int last = section_of(last_reader_of_piece(index));
        int first = std::max(0, request.needed - kFarthestSection);
        std::optional<std::int64_t> address;
        for (; first < request.needed; ++first) {
            first = first_with_slack(request, first, times_);
            address = room_->find(bytes, first, last);
            if (address) break;
        }
        if (!address) return false;
        room_->take(*address, bytes, first, last);
        work.weights = static_cast<local_addr_t>(*address);
        const std::int64_t slot = weight_bytes(layer, plan_.lanes.count, plan_.lanes);
        for (const UnitLoad& load : deal_out(request, first, times_)) {
            const auto begin = work.channels.begin + isa::narrow(load.first * plan_.lanes.count);
            const auto end = begin + isa::narrow(load.count * plan_.lanes.count);
            transfers_.push_back(
                {load.section,
                 {.kind = TransferKind::kLoadWeights,
                  .layer = work.layer,
                  .channels = {begin, std::min(end, work.channels.end)},
                  .local = work.weights + static_cast<local_addr_t>(load.first * slot)}});
        }
        return true;
    }

    /// A piece of weights in units of channel slots.
    LoadRequest request_of(const LayerWork& work, int needed) {
        const std::int64_t units = plan_.lanes.slots(work.channels.size());
        LayerTransfer transfer{
            .kind = TransferKind::kLoadWeights, .layer = work.layer, .channels = work.channels};
        const Duration all = transfer_time(transfer);
        LoadRequest request{.units = units, .unit_time = all, .needed = needed};
        if (units == 1) return request;
        transfer.channels.end = transfer.channels.begin + plan_.lanes.count;
        const Duration one = transfer_time(transfer);
        request.unit_time = std::max(Duration{}, (all - one) / (units - 1));
        request.setup = std::max(Duration{}, one - request.unit_time);
        return request;
    }

    void write_sections() {
        std::stable_sort(
            transfers_.begin(), transfers_.end(),
            [](const PlacedTransfer& a, const PlacedTransfer& b) { return a.section < b.section; });
        plan_.sections.assign(static_cast<std::size_t>(last_section()) + 1, {});
        for (const PlacedTransfer& placed : transfers_) {
            plan_.transfers.push_back(placed.transfer);
            ++plan_.sections[static_cast<std::size_t>(placed.section)].transfers;
        }
        for (std::size_t i = 0; i < plan_.works.size(); ++i) plan_.sections[i + 1].works = 1;
        if (plan_.sections.back().transfers == 0) plan_.sections.pop_back();
    }

    const LayerCall& call_;
    Host& host_;
    PartLimits limits_;
    LayerPlan plan_;
    std::optional<LocalRoom> room_;
    std::vector<int> owner_;  ///< value whose place a value has
    std::vector<Life> lives_;
    SectionTimes times_;
    std::vector<PlacedTransfer> transfers_;
};

}  // namespace

std::uint64_t LayerPlan::argument_words() const {
    // Kind, maps and result, window, steps and zeros of a layer in fields of 8 and 16 bits; shapes
    // come with the values.
    constexpr std::uint64_t kLayerWords = 6;
    return 4 + kernels::argument_words(transfers) + kernels::argument_words(works) +
           kernels::argument_words(sections) + kernels::argument_words(places) + maps.size() +
           kLayerWords * layers.size();
}

std::optional<LayerPlan> plan_layers(const LayerCall& call, Host& host) {
    std::optional<LayerPlan> best;
    const std::int64_t local = host.machine().local_bytes;
    // Shares of local memory for a piece of weights and for the scratch of a part.
    struct Shares {
        std::int64_t weights, scratch;
    };
    constexpr Shares kShares[] = {{4, 2}, {8, 2}, {16, 2}, {4, 8}, {16, 8}};
    for (const Shares& share : kShares) {
        const PartLimits limits{local / share.weights, local / share.scratch, local / 256};
        std::optional<LayerPlan> plan = LayerPlanner(call, host, limits).run();
        if (plan && (!best || plan->time < best->time)) best = std::move(plan);
    }
    return best;
}

}  // namespace okksim::kernels::layers
