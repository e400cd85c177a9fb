// SPDX-License-Identifier: Apache-2.0
#include "kernels/layers/section_merge.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/layers/layer_run.h"
#include "kernels/layers/layer_slices.h"
#include "kernels/planning/local_room.h"

namespace okksim::kernels::layers {
namespace {

/// Most sections in one: more would save little.
constexpr std::size_t kMostTogether = 16;

using Regions = std::vector<Addresses>;

bool meet(const Regions& a, const Regions& b) {
    return std::ranges::any_of(a, [&](const Addresses& one) {
        return std::ranges::any_of(b, [&](const Addresses& other) {
            return one.begin < other.end && other.begin < one.end;
        });
    });
}

void append(Regions& to, const Regions& from) { to.insert(to.end(), from.begin(), from.end()); }

/// Bytes of every lane that the engines of a section touch, and the busy times of the engines.
struct SectionUse {
    Regions loaded, stored;  ///< by the GDMA
    Regions read, written;   ///< by the compute engine
    Duration compute{}, transfer{};
    bool stands_alone = false;  ///< its work uses both engines

    Duration time() const { return std::max(compute, transfer); }
    void add(const SectionUse& next) {
        append(loaded, next.loaded);
        append(stored, next.stored);
        append(read, next.read);
        append(written, next.written);
        compute += next.compute;
        transfer += next.transfer;
    }
};

/// True if two sections can be one: neither engine needs data or memory of the other engine.
bool can_merge(const SectionUse& first, const SectionUse& second) {
    if (first.stands_alone || second.stands_alone) return false;
    const auto meets_work = [](const Regions& loaded, const SectionUse& use) {
        return meet(loaded, use.read) || meet(loaded, use.written);
    };
    if (meets_work(first.loaded, second) || meets_work(second.loaded, first)) return false;
    if (meet(second.stored, first.written) || meet(first.stored, second.written)) return false;
    return !meet(first.loaded, second.loaded) && !meet(first.loaded, second.stored) &&
           !meet(first.stored, second.loaded);
}

class SectionUses {
 public:
    SectionUses(const LayerCall& call, const LayerPlan& plan, LayerPrices& prices)
        : call_(call), plan_(plan), prices_(prices) {}

    std::vector<SectionUse> all() {
        std::vector<SectionUse> uses;
        auto transfer = plan_.transfers.begin();
        auto work = plan_.works.begin();
        for (const LayerSection& section : plan_.sections) {
            SectionUse use;
            add_packed(uses.size(), use);
            for (std::int32_t i = 0; i < section.transfers; ++i) add(*transfer++, use);
            for (std::int32_t i = 0; i < section.works; ++i) add(*work++, use);
            uses.push_back(std::move(use));
        }
        return uses;
    }

 private:
    Addresses map(int part) const {
        const std::int64_t begin = plan_.maps[static_cast<std::size_t>(part)];
        return {begin, begin + part_bytes(call_, plan_.parts[static_cast<std::size_t>(part)],
                                          plan_.lanes)};
    }

    void add_packed(std::size_t section, SectionUse& use) {
        const std::int64_t first = plan_.packed_first, end = plan_.packed_bytes;
        const Addresses packed = section == 0 ? Addresses{0, first} : Addresses{first, end};
        if (section > 1 || packed.begin == packed.end) return;
        use.loaded.push_back(packed);
        use.transfer += prices_.host()
                            .work([&] { load_packed_constants(call_, plan_, section); })
                            .of(isa::Engine::kGdma);
    }

    void add(const LayerTransfer& transfer, SectionUse& use) {
        use.transfer += prices_.of(call_, plan_, transfer);
        if (transfer.kind == TransferKind::kStoreMap) {
            use.stored.push_back(map(transfer.part));
        } else if (transfer.kind == TransferKind::kLoadMap) {
            use.loaded.push_back(map(transfer.part));
        } else {
            use.loaded.push_back(weights(transfer.layer, transfer.channels, transfer.local));
        }
    }
    Addresses weights(std::int32_t layer, const conv::Range& channels, std::int64_t begin) const {
        const Layer& own = plan_.layers[static_cast<std::size_t>(layer)];
        return {begin, begin + weight_bytes(own, channels.size(), plan_.lanes)};
    }

    void add(const LayerWork& work, SectionUse& use) {
        const Work price = prices_.of(call_, plan_, work);
        use.compute += std::max(price.of(isa::Engine::kBdc), price.processor);
        use.stands_alone |= price.of(isa::Engine::kGdma) > Duration{};
        const Layer& layer = plan_.layers[static_cast<std::size_t>(work.layer)];
        for (const int part : layer.maps) use.read.push_back(map(part));
        use.written.push_back(map(layer.output));
        const std::int64_t scratch = work.scratch;
        if (work.scratch_bytes > 0) use.written.push_back({scratch, scratch + work.scratch_bytes});
        if (!layer.has_constants() && layer.bias < 0) return;
        use.read.push_back({0, plan_.packed_bytes});
        const bool has_pieces = is_convolution(layer.kind) &&
                                !plan_.places[static_cast<std::size_t>(work.layer)].packed_weights;
        if (has_pieces) use.read.push_back(weights(work.layer, work.channels, work.weights));
    }

    const LayerCall& call_;
    const LayerPlan& plan_;
    LayerPrices& prices_;
};

}  // namespace

namespace {

/// Sections [begin, end) merged into one.
struct SectionRange {
    std::size_t begin = 0;
    Duration before{};  ///< least time of all sections before `begin`
};

/// For every end, the range before it that minimises the total time up to that end.
std::vector<SectionRange> best_ranges(const std::vector<SectionUse>& uses) {
    std::vector<SectionRange> best(uses.size() + 1);
    std::vector<Duration> least(uses.size() + 1, Duration::max());
    least[0] = Duration{};
    for (std::size_t begin = 0; begin < uses.size(); ++begin) {
        SectionUse together = uses[begin];
        for (std::size_t end = begin + 1;; ++end) {
            const Duration time = least[begin] + together.time();
            if (time < least[end]) {
                least[end] = time;
                best[end] = {begin, least[begin]};
            }
            // The first section stays separate: it loads operands of the first work.
            if (begin == 0 || end == uses.size() || end - begin == kMostTogether) break;
            if (!can_merge(together, uses[end])) break;
            together.add(uses[end]);
        }
    }
    best[0].before = least.back();
    return best;
}

}  // namespace

Duration merge_sections(const LayerCall& call, LayerPlan& plan, LayerPrices& prices) {
    const std::vector<SectionUse> uses = SectionUses(call, plan, prices).all();
    const std::vector<SectionRange> ranges = best_ranges(uses);
    std::vector<LayerSection> sections;  // the last one first
    for (std::size_t end = uses.size(); end > 0; end = ranges[end].begin) {
        LayerSection together;
        for (std::size_t i = ranges[end].begin; i < end; ++i) {
            together.transfers += plan.sections[i].transfers;
            together.works += plan.sections[i].works;
        }
        sections.push_back(together);
    }
    plan.sections.assign(sections.rbegin(), sections.rend());
    return ranges[0].before;
}

}  // namespace okksim::kernels::layers
