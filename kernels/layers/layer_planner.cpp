// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <utility>

#include "isa/layout.h"
#include "kernels/layers/layer_placing.h"
#include "kernels/layers/layer_run.h"
#include "kernels/layers/layer_schedule.h"
#include "kernels/layers/layer_slices.h"
#include "kernels/layers/layer_unfold.h"
#include "kernels/layers/layer_works.h"
#include "kernels/layers/native_run.h"
#include "kernels/planning/local_room.h"

namespace okksim::kernels::layers {
namespace {

/// Sections between a load and the work that reads it, at most: earlier ones cost memory for long.
constexpr int kFarthestSection = 256;
/// Sections overlap a little, and so a plan takes less than their sum by less than this part.
constexpr int kDoubt = 128;

/// Sections [first, last] in which a map's bytes must survive.
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
    LayerPlanner(const LayerCall& call, const SlicedLayers& layers, LayerPrices& prices,
                 const PartLimits& limits, bool unfolds)
        : call_(call), prices_(prices), host_(prices.host()), limits_(limits) {
        plan_.lanes = lanes_of(host_.machine());
        plan_.slices = layers.counts;
        plan_.parts = layers.parts;
        plan_.layers = layers.layers;
        plan_.maps.assign(plan_.parts.size(), 0);
        for (const LayerOperator& op : call.operators) plan_.programs.push_back(op.program);
        for (const LayerOperator& op : call.operators) plan_.natives.push_back(op.native);
        if (unfolds) unfold_layers(call_, plan_, prices_);
    }

    /// Whether another plan of the same choices cannot help.
    bool is_settled() const { return was_tried_ || is_placed_; }
    bool has_unfolded() const {
        return std::any_of(plan_.layers.begin(), plan_.layers.end(),
                           [](const Layer& layer) { return layer.row_taps > 1; });
    }

    std::optional<LayerPlan> run(TriedLimits& tried) {
        pack_constants(plan_, limits_);
        place_prepared(call_, plan_);
        choose_zero_channels();
        plan_.works = works_of(call_, plan_, limits_);
        was_tried_ = !tried.choices.insert(choices()).second;
        if (was_tried_) return std::nullopt;
        place_native_constants(plan_);
        size_scratch();
        suppose_places();
        price_works();
        split_packed_constants();
        schedule_maps();
        const std::int64_t bank = bank_bytes();
        // Packed weights have banks of their own where the maps leave them room.
        if (!place_above(isa::align_up(plan_.packed_bytes, bank)) &&
            !place_above(plan_.packed_bytes)) {
            return std::nullopt;
        }
        // Where the maps lie, products may take longer or shorter than where they were supposed.
        for (std::size_t i = 0; i < plan_.works.size(); ++i) {
            const auto at = static_cast<std::size_t>(plan_.works[i].layer);
            if (plan_.layers[at].has_constants()) price_work(i);
        }
        if (!add_weight_transfers()) return std::nullopt;
        write_sections();
        is_placed_ = true;
        const Duration expected = sum_of_sections();
        if (expected - expected / kDoubt > tried.least) return std::nullopt;
        plan_.time = host_.time([this] { run_layers(call_, plan_); });
        tried.least = std::min(tried.least, plan_.time);
        return std::move(plan_);
    }

 private:
    /// All that the plan depends on besides the group: the parts, and limits of more than sizes.
    std::vector<std::int32_t> choices() const {
        std::vector<std::int32_t> all{has_unfolded() ? 1 : 0,
                                      limits_.reach,
                                      limits_.hold ? 1 : 0,
                                      limits_.eagerness,
                                      static_cast<std::int32_t>(limits_.banks),
                                      isa::narrow(limits_.room)};
        for (const LayerPlaces& places : plan_.places) all.push_back(places.packed_weights ? 1 : 0);
        for (const LayerWork& work : plan_.works) {
            all.insert(all.end(), {work.layer, work.image, work.channels.begin, work.channels.end,
                                   work.span.begin, work.span.end});
        }
        return all;
    }

    /// In system memory before or after the group.
    bool is_given(std::size_t part) const {
        const MapPart& own = plan_.parts[part];
        return is_in_memory(call_, own) && call_.values[static_cast<std::size_t>(own.value)].given;
    }
    bool is_wanted(std::size_t part) const {
        const MapPart& own = plan_.parts[part];
        return is_in_memory(call_, own) && call_.values[static_cast<std::size_t>(own.value)].wanted;
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
        return prices_.of(call_, plan_, work).of(isa::Engine::kBdc);
    }

    /// Constants that the first work does not read arrive while it computes, where that is faster.
    void split_packed_constants() {
        if (plan_.works.empty()) return;
        const auto load = [&](std::size_t section) {
            return host_.work([&] { load_packed_constants(call_, plan_, section); })
                .of(isa::Engine::kGdma);
        };
        const std::int64_t first =
            isa::align_up(packed_end(plan_, plan_.works.front().layer), plan_.lanes.line_bytes());
        if (first >= plan_.packed_bytes) return;
        const Duration whole = load(0);
        plan_.packed_first = static_cast<std::uint32_t>(first);
        const Duration begin = load(0), rest = load(1);
        if (begin + std::max(rest, times_.compute[1]) < whole + times_.compute[1]) {
            times_.transfer[1] += rest;
        } else {
            plan_.packed_first = plan_.packed_bytes;
        }
    }

    /// Places of maps and scratch from an address of local memory up.
    bool place_above(std::int64_t begin) {
        room_.emplace(begin, limits_.room, plan_.lanes.line_bytes());
        return place_maps() && place_scratch();
    }

    static int section_of(std::size_t work) { return static_cast<int>(work) + 1; }
    int last_section() const { return section_of(plan_.works.size()); }

    /// A result takes the place of an operand that nobody needs any more.
    void share_places(const std::vector<int>& last_reader) {
        owner_.resize(plan_.parts.size());
        for (std::size_t i = 0; i < owner_.size(); ++i) owner_[i] = static_cast<int>(i);
        for (std::size_t i = 0; i < plan_.layers.size(); ++i) {
            const Layer& layer = plan_.layers[i];
            if (!is_by_element(layer.kind)) continue;
            for (const int map : layer.maps) {
                const auto at = static_cast<std::size_t>(map);
                if (last_reader[at] != static_cast<int>(i) || is_wanted(at)) continue;
                owner_[static_cast<std::size_t>(layer.output)] = owner_[at];
                break;
            }
        }
    }

    /// When maps are there: from the first work or transfer that touches them to the last.
    void schedule_maps() {
        lives_.assign(plan_.parts.size(), {});
        written_.assign(plan_.parts.size(), 0);
        for (std::size_t i = 0; i < plan_.works.size(); ++i) note_work(i);
        for (std::size_t i = 0; i < plan_.parts.size(); ++i) {
            if (!lives_[i].used) continue;
            if (is_given(i)) schedule_load(i);
            if (is_wanted(i)) schedule_store(i);
        }
    }

    /// Maps that a work reads and writes live then.
    void note_work(std::size_t index) {
        const LayerWork& work = plan_.works[index];
        const Layer& layer = plan_.layers[static_cast<std::size_t>(work.layer)];
        const int section = section_of(index);
        for (const int map : layer.maps) {
            lives_[static_cast<std::size_t>(map)].extend(section, section);
        }
        lives_[static_cast<std::size_t>(layer.output)].extend(section, section);
        written_[static_cast<std::size_t>(layer.output)] = section;
    }

    std::int32_t layer_in(int section) const {
        return plan_.works[static_cast<std::size_t>(section) - 1].layer;
    }

    /// The latest section before the first reader that has the time, within reach.
    void schedule_load(std::size_t part) {
        Life& life = lives_[part];
        const int latest = life.first - 1;
        life.first =
            add_within(latest, std::max(0, latest - limits_.reach + 1),
                       {.layer = layer_in(life.first), .part = static_cast<std::int32_t>(part)});
    }

    /// The earliest section after the writer that has the time, within reach.
    void schedule_store(std::size_t part) {
        const int earliest = written_[part] + 1;
        const int section =
            add_within(earliest, std::min(last_section(), earliest + limits_.reach - 1),
                       {.kind = TransferKind::kStoreMap,
                        .layer = layer_in(written_[part]),
                        .part = static_cast<std::int32_t>(part)});
        lives_[part].last = std::max(lives_[part].last, section);
    }

    /// Adds a transfer to the first of the sections [from, to], in this direction, in which the
    /// data mover has the time, or to the one with most time when none has; gives that section.
    int add_within(int from, int to, const LayerTransfer& transfer) {
        const Duration time = transfer_time(transfer);
        const int section = roomiest(from, to, time);
        times_.transfer[static_cast<std::size_t>(section)] += time;
        transfers_.push_back({section, transfer});
        return section;
    }
    int roomiest(int from, int to, Duration time) const {
        const int step = to < from ? -1 : 1;
        int best = from;
        for (int section = from;; section += step) {
            if (times_.slack(section) >= time) return section;
            if (times_.slack(section) > times_.slack(best)) best = section;
            if (section == to) return best;
        }
    }

    bool place_maps() {
        std::vector<int> last_reader(plan_.parts.size(), -1);
        for (std::size_t i = 0; i < plan_.layers.size(); ++i) {
            for (const int map : plan_.layers[i].maps) {
                last_reader[static_cast<std::size_t>(map)] = static_cast<int>(i);
            }
        }
        share_places(last_reader);
        std::map<int, Life> owners;
        for (std::size_t i = 0; i < lives_.size(); ++i) {
            if (!lives_[i].used) continue;
            owners[owner_[i]].extend(lives_[i].first, lives_[i].last);
        }
        if (!place(owners)) return false;
        for (PlacedTransfer& placed : transfers_) {
            placed.transfer.local = plan_.maps[static_cast<std::size_t>(placed.transfer.part)];
        }
        return true;
    }

    std::int64_t bank_bytes() const {
        return host_.machine().local_bytes / host_.machine().local_banks;
    }
    std::int64_t map_bytes(int part) const {
        return part_bytes(call_, plan_.parts[static_cast<std::size_t>(part)], plan_.lanes);
    }

    /// The largest first: small ones find a gap.
    bool place(const std::map<int, Life>& owners) {
        std::vector<std::pair<std::int64_t, int>> order;
        for (const auto& [part, life] : owners) order.emplace_back(-map_bytes(part), part);
        std::sort(order.begin(), order.end());
        for (const auto& [bytes, part] : order) {
            const Life& life = owners.at(part);
            const auto address = room_->place(-bytes, life.first, life.last);
            if (!address) return false;
            plan_.maps[static_cast<std::size_t>(part)] = static_cast<local_addr_t>(*address);
        }
        for (std::size_t i = 0; i < owner_.size(); ++i) {
            plan_.maps[i] = plan_.maps[static_cast<std::size_t>(owner_[i])];
        }
        return true;
    }

    void size_scratch() {
        for (LayerWork& work : plan_.works) {
            const Layer& layer = plan_.layers[static_cast<std::size_t>(work.layer)];
            work.scratch_bytes =
                static_cast<std::uint32_t>(scratch_bytes(call_, plan_, layer, work));
        }
    }

    bool place_scratch() {
        for (std::size_t i = 0; i < plan_.works.size(); ++i) {
            LayerWork& work = plan_.works[i];
            if (work.scratch_bytes == 0) continue;
            const auto address = room_->place(work.scratch_bytes, section_of(i), section_of(i));
            if (!address) return false;
            work.scratch = static_cast<local_addr_t>(*address);
        }
        return true;
    }

    /// Before anything has its place: maps behind the banks of packed weights, weights at the end,
    /// where most will lie, so that works do not seem to wait for banks that they share.
    void suppose_places() {
        const std::int64_t line = plan_.lanes.line_bytes();
        const auto before_end = [&](std::int64_t bytes) {
            return std::max<std::int64_t>(0, (host_.machine().local_bytes - bytes) / line * line);
        };
        const std::int64_t behind = isa::align_up(plan_.packed_bytes, bank_bytes());
        for (std::size_t i = 0; i < plan_.parts.size(); ++i) {
            plan_.maps[i] = static_cast<local_addr_t>(
                std::min(behind, before_end(map_bytes(static_cast<int>(i)))));
        }
        for (LayerWork& work : plan_.works) {
            const Layer& layer = plan_.layers[static_cast<std::size_t>(work.layer)];
            if (!loads_weights(work)) continue;
            work.weights = static_cast<local_addr_t>(
                before_end(weight_bytes(layer, work.channels.size(), plan_.lanes)));
        }
    }

    void price_works() {
        const auto sections = static_cast<std::size_t>(last_section()) + 1;
        times_.compute.assign(sections, Duration{});
        computed_.assign(sections, Duration{});
        moved_.resize(sections, Duration{});
        times_.transfer.resize(sections, Duration{});
        for (std::size_t i = 0; i < plan_.works.size(); ++i) price_work(i);
    }
    void price_work(std::size_t index) {
        const Work work = prices_.of(call_, plan_, plan_.works[index]);
        constexpr int kEighths = 8;
        const Duration time = std::max(work.of(isa::Engine::kBdc), work.processor);
        computed_[index + 1] = work.of(isa::Engine::kBdc);
        // The data mover carries channels to other lanes.
        Duration& moved = moved_[index + 1];
        times_.transfer[index + 1] += work.of(isa::Engine::kGdma) - moved;
        moved = work.of(isa::Engine::kGdma);
        times_.compute[index + 1] = time * (kEighths + limits_.eagerness) / kEighths;
    }

    Duration transfer_time(const LayerTransfer& transfer) {
        return prices_.of(call_, plan_, transfer);
    }

    /// Its weights come in pieces.
    bool loads_weights(const LayerWork& work) const {
        const auto at = static_cast<std::size_t>(work.layer);
        return is_convolution(plan_.layers[at].kind) && !plan_.places[at].packed_weights;
    }

    bool add_weight_transfers() {
        for (std::size_t i = 0; i < plan_.works.size(); ++i) {
            LayerWork& work = plan_.works[i];
            if (!loads_weights(work)) continue;
            const auto held = held_.find(piece_of(work));
            if (held != held_.end() && held->second.last >= section_of(i)) {
                work.weights = held->second.address;
            } else if (!load_weights(i)) {
                return false;
            }
            price_work(i);
        }
        return true;
    }

    /// Operator and first channel.
    using Piece = std::pair<std::int32_t, std::int32_t>;
    Piece piece_of(const LayerWork& work) const {
        return {plan_.layers[static_cast<std::size_t>(work.layer)].op, work.channels.begin};
    }

    /// The last work that reads the same piece: of the same layer, whose other images follow, or of
    /// the last slice.
    std::size_t last_reader_of_piece(std::size_t index, bool of_all_slices) const {
        std::size_t last = index;
        for (std::size_t i = index + 1; i < plan_.works.size(); ++i) {
            const bool same_layer = plan_.works[i].layer == plan_.works[index].layer;
            if (!same_layer && !of_all_slices) break;
            if (piece_of(plan_.works[i]) == piece_of(plan_.works[index])) last = i;
        }
        return last;
    }

    /// Whole banks that a layer's maps lie in: products are slower with their weights in them.
    std::vector<Addresses> banks_of_maps(const Layer& layer) const {
        const std::int64_t bank = bank_bytes();
        std::vector<int> maps = layer.maps;
        maps.push_back(layer.output);
        std::vector<Addresses> banks;
        for (const int map : maps) {
            const std::int64_t begin = plan_.maps[static_cast<std::size_t>(map)];
            banks.push_back({begin / bank * bank, isa::align_up(begin + map_bytes(map), bank)});
        }
        return banks;
    }

    /// Where a piece of weights lies, from which section on.
    struct WeightPlace {
        std::int64_t address = 0;
        int first = 0, last = 0;
    };

    static int earliest_of(const LoadRequest& request) {
        return std::max(0, request.needed - kFarthestSection);
    }

    /// The earliest section with slack from which on there is room for a piece.
    std::optional<WeightPlace> find_weights(const LoadRequest& request, std::int64_t bytes,
                                            int last, const LocalRoom::Taken& taken) const {
        // What there is room for from a section on, there is from every later one on.
        int low = earliest_of(request), high = request.needed;
        while (low < high) {
            const int middle = low + (high - low) / 2;
            if (taken.find_last(bytes, middle)) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        if (low == request.needed) return std::nullopt;
        const int first = first_with_slack(request, low, times_);
        return WeightPlace{*taken.find_last(bytes, first), first, last};
    }

    /// In banks of its own or anywhere, up to a last section.
    std::optional<WeightPlace> better_place(const LayerWork& work, const LoadRequest& request,
                                            std::int64_t bytes, int last) {
        const Layer& layer = plan_.layers[static_cast<std::size_t>(work.layer)];
        LocalRoom::Taken taken = room_->taken(earliest_of(request), last);
        taken.avoid(banks_of_maps(layer));
        const auto apart = find_weights(request, bytes, last, taken);
        if (apart && limits_.banks == WeightBanks::kApart) return apart;
        taken.avoid({});
        const auto anywhere = find_weights(request, bytes, last, taken);
        if (!apart || !anywhere) return apart ? apart : anywhere;
        if (limits_.banks == WeightBanks::kEarliest) {
            return anywhere->first < apart->first ? anywhere : apart;
        }
        const auto cost = [&](const WeightPlace& place) {
            LayerWork placed = work;
            placed.weights = static_cast<local_addr_t>(place.address);
            return added_time(request, place.first, times_) + compute_time(placed);
        };
        return cost(*anywhere) < cost(*apart) ? anywhere : apart;
    }

    bool load_weights(std::size_t index) {
        LayerWork& work = plan_.works[index];
        const auto at = static_cast<std::size_t>(work.layer);
        const Layer& layer = plan_.layers[at];
        const LoadRequest request = request_of(work, section_of(index));
        const std::int64_t bytes = weight_bytes(layer, work.channels.size(), plan_.lanes);
        const auto find = [&](bool of_all_slices) {
            return better_place(work, request, bytes,
                                section_of(last_reader_of_piece(index, of_all_slices)));
        };
        std::optional<WeightPlace> place;
        if (limits_.hold) place = find(true);
        if (!place) place = find(false);
        if (!place) return false;
        room_->take(place->address, bytes, place->first, place->last);
        work.weights = static_cast<local_addr_t>(place->address);
        held_[piece_of(work)] = {work.weights, place->last};
        const std::int64_t slot = weight_bytes(layer, plan_.lanes.count, plan_.lanes);
        if (is_native(layer.kind)) {
            const int section = deal_out(request, place->first, times_).front().section;
            transfers_.push_back({section,
                                  {.kind = TransferKind::kLoadWeights,
                                   .layer = work.layer,
                                   .channels = work.channels,
                                   .local = work.weights}});
            return true;
        }
        for (const UnitLoad& load : deal_out(request, place->first, times_)) {
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
        // Packed constants of several slots lie interleaved: one piece.
        const bool is_whole = is_native(plan_.layers[static_cast<std::size_t>(work.layer)].kind);
        const std::int64_t units = is_whole ? 1 : plan_.lanes.slots(work.channels.size());
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

    /// One after the other, the engines side by side.
    Duration sum_of_sections() const {
        Duration sum{};
        for (std::size_t i = 0; i < computed_.size(); ++i) {
            sum += std::max(computed_[i], times_.transfer[i]);
        }
        return sum;
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
    LayerPrices& prices_;
    Host& host_;
    PartLimits limits_;
    bool was_tried_ = false, is_placed_ = false;
    LayerPlan plan_;
    std::optional<LocalRoom> room_;
    std::vector<int> owner_;  ///< map whose place a map has
    std::vector<Life> lives_;
    std::vector<int> written_;  ///< section of the last work that writes a map
    SectionTimes times_;
    /// What works take in each section of the compute engine, and of the data mover, which is part
    /// of times_.transfer.
    std::vector<Duration> computed_, moved_;
    std::vector<PlacedTransfer> transfers_;
    /// A piece of weights that is there up to a section.
    struct HeldWeights {
        local_addr_t address = 0;
        int last = 0;
    };
    std::map<Piece, HeldWeights> held_;
};

}  // namespace

std::optional<LayerPlan> place_layers(const LayerCall& call, const SlicedLayers& layers,
                                      const PartLimits& limits, LayerPrices& prices,
                                      TriedLimits& tried) {
    LayerPlanner unfolding(call, layers, prices, limits, true);
    const bool has_other = unfolding.has_unfolded();
    std::optional<LayerPlan> plan = unfolding.run(tried);
    if (plan || !has_other || unfolding.is_settled()) return plan;
    // Maps that are unfolded may take more channel slots.
    return LayerPlanner(call, layers, prices, limits, false).run(tried);
}

}  // namespace okksim::kernels::layers
