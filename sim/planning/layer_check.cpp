// SPDX-License-Identifier: Apache-2.0
#include "sim/planning/layer_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/icl/interval_map.hpp>
#include <boost/icl/interval_set.hpp>
#include <vector>

#include "isa/errors.h"
#include "isa/layout.h"

namespace okksim::sim::planning {
namespace {

using namespace kernels::layers;
using Interval = boost::icl::interval<std::int64_t>::interval_type;
using Region = boost::icl::interval_set<std::int64_t>;

/// What bytes of every lane hold: nothing (0), the packed constants, a value, or the weights of a
/// layer's channel slot.
using Content = std::int64_t;
constexpr Content kNothing = 0;
constexpr Content kPacked = 1;
constexpr Content kFirstValue = 2;
Content of_value(int value) { return kFirstValue + value; }
Content of_weights(int layer, std::int64_t slot) {
    constexpr Content kLayers = Content{1} << 40, kSlots = Content{1} << 20;
    return kLayers + layer * kSlots + slot;
}

class LayerChecker {
 public:
    LayerChecker(const LayerCall& call, const LayerPlan& plan, const isa::MachineShape& machine)
        : call_(call), plan_(plan), machine_(machine) {
        bytes_.insert({whole(0, machine.local_bytes), kNothing});
    }

    void run() {
        auto transfer = plan_.transfers.begin();
        auto work = plan_.works.begin();
        for (section_ = 0; section_ < plan_.sections.size(); ++section_) {
            const LayerSection& section = plan_.sections[section_];
            moved_.clear();
            left_.clear();
            if (section_ == 0 && plan_.packed_bytes > 0) {
                load(Region(whole(0, plan_.packed_bytes)), kPacked);
            }
            for (int i = 0; i < section.transfers; ++i) note(*transfer++);
            for (int i = 0; i < section.works; ++i) compute(*work++);
            for (const auto& [region, content] : loads_) put(region, content);
            loads_.clear();
        }
        require(transfer == plan_.transfers.end() && work == plan_.works.end(), 0,
                "parts are left over");
        for (std::size_t i = 0; i < call_.values.size(); ++i) {
            const bool stored =
                std::find(stored_.begin(), stored_.end(), static_cast<int>(i)) != stored_.end();
            require(stored == call_.values[i].wanted, static_cast<int>(i),
                    "a value that is wanted is not stored, or another one is");
        }
    }

 private:
    static Interval whole(std::int64_t begin, std::int64_t bytes) {
        return Interval(begin, begin + bytes);
    }

    void require(bool holds, int which, const char* rule) const {
        if (holds) return;
        throw InternalError(fmt::format("layer group: section {}, {}: {}", section_, which, rule));
    }

    const Layer& layer(int index) const { return plan_.layers[static_cast<std::size_t>(index)]; }

    dim4 shape_of(int value) const {
        const auto& dims = call_.values[static_cast<std::size_t>(value)].tensor.dims;
        return {dims[0], dims[3], dims[1], dims[2]};
    }
    std::int64_t slots(std::int64_t channels) const {
        return isa::div_up(channels, machine_.lanes);
    }
    std::int64_t line(std::int64_t bytes) const {
        return isa::align_up(bytes, std::int64_t{machine_.vector_words} * isa::kWordBytes);
    }
    /// Bytes of a channel slot of a map.
    std::int64_t slot_bytes(const dim4& shape) const {
        return line(std::int64_t{shape.h} * shape.w * isa::kWordBytes);
    }

    Region map_region(int value) const {
        const dim4 shape = shape_of(value);
        return Region(whole(plan_.maps[static_cast<std::size_t>(value)],
                            shape.n * slots(shape.c) * slot_bytes(shape)));
    }

    /// The part of a map that a work is about; `spans`: its rows or words, or all.
    Region part_region(int value, const LayerWork& work, bool spans) const {
        if (work.image == LayerWork::kAllImages && covers(value, work)) return map_region(value);
        const dim4 shape = shape_of(value);
        const std::int64_t slot = slot_bytes(shape);
        Region region;
        for (int image = 0; image < shape.n; ++image) {
            if (work.image != LayerWork::kAllImages && work.image != image) continue;
            const std::int64_t begin = plan_.maps[static_cast<std::size_t>(value)] +
                                       image * slots(shape.c) * slot +
                                       work.channels.begin / machine_.lanes * slot;
            const std::int64_t count = slots(work.channels.size());
            if (!spans || work.span.size() == 0) {
                region.add(whole(begin, count * slot));
                continue;
            }
            const bool rows = layer(work.layer).kind == LayerKind::kMaximum;
            const std::int64_t unit = std::int64_t{isa::kWordBytes} * (rows ? shape.w : 1);
            // What lies behind the last row, up to the next line, is nobody's: the last part has
            // it.
            const bool is_last = work.span.end == (rows ? shape.h : shape.h * shape.w);
            const std::int64_t end = is_last ? slot : work.span.end * unit;
            region.add(Interval(begin + work.span.begin * unit, begin + end));
        }
        return region;
    }
    bool covers(int value, const LayerWork& work) const {
        return work.channels.begin == 0 && work.channels.end == shape_of(value).c;
    }

    void read(const Region& region, Content content, int which) {
        require(!boost::icl::intersects(moved_, region), which,
                "the data mover writes what the compute engine reads");
        for (const Interval& part : region) {
            const auto range = bytes_.equal_range(part);
            for (auto at = range.first; at != range.second; ++at) {
                require(at->second == content, which, "what is read was never written, or is gone");
            }
        }
    }
    void put(const Region& region, Content content) {
        for (const Interval& part : region) {
            require(part.lower() >= 0 && part.upper() <= machine_.local_bytes, 0,
                    "outside of local memory");
            bytes_.set({part, content});
        }
    }
    void write(const Region& region, Content content, int which) {
        require(!boost::icl::intersects(moved_, region) && !boost::icl::intersects(left_, region),
                which, "the compute engine writes what the data mover moves");
        put(region, content);
    }

    void load(const Region& region, Content content) {
        require(!boost::icl::intersects(moved_, region), 0, "two loads to one place");
        moved_ += region;
        loads_.emplace_back(region, content);
    }

    void note(const LayerTransfer& transfer) {
        switch (transfer.kind) {
            case TransferKind::kLoadMap:
                require(call_.values[static_cast<std::size_t>(transfer.value)].given,
                        transfer.value, "a value is loaded that memory does not hold");
                require(transfer.local == plan_.maps[static_cast<std::size_t>(transfer.value)],
                        transfer.value, "a map is loaded to another place");
                load(map_region(transfer.value), of_value(transfer.value));
                return;
            case TransferKind::kStoreMap:
                check_whole(transfer.value);
                stored_.push_back(transfer.value);
                left_ += map_region(transfer.value);
                return;
            case TransferKind::kLoadWeights: {
                const std::int64_t first = transfer.channels.begin / machine_.lanes;
                const std::int64_t bytes = row_bytes(layer(transfer.layer));
                for (std::int64_t i = 0; i < slots(transfer.channels.size()); ++i) {
                    load(Region(whole(transfer.local + i * bytes, bytes)),
                         of_weights(transfer.layer, first + i));
                }
                return;
            }
        }
    }
    /// Bytes of the weights of a convolution's channel slot.
    std::int64_t row_bytes(const Layer& layer) const {
        const std::int64_t pairs = isa::div_up(layer.in.c, 2);
        return line(pairs * 2 * layer.kernel.h * layer.kernel.w * isa::kWordBytes);
    }

    void check_whole(int value) {
        const Region moved = moved_;
        moved_.clear();  // loads of this section come after what it stores
        read(map_region(value), of_value(value), value);
        moved_ = moved;
    }

    void compute(const LayerWork& work) {
        const Layer& own = layer(work.layer);
        const bool in_parts = own.kind == LayerKind::kBody || own.kind == LayerKind::kMaximum;
        for (const int map : own.maps) {
            const Region region =
                in_parts ? part_region(map, work, own.kind == LayerKind::kBody) : map_region(map);
            read(region, of_value(map), work.layer);
        }
        read_constants(own, work);
        if (work.scratch_bytes > 0) {
            write(Region(whole(work.scratch, work.scratch_bytes)), kNothing, work.layer);
        }
        write(part_region(own.output, work, in_parts), of_value(own.output), work.layer);
    }

    void read_constants(const Layer& own, const LayerWork& work) {
        const LayerPlaces& places = plan_.places[static_cast<std::size_t>(work.layer)];
        if (own.bias >= 0) {
            read(Region(whole(places.bias, slots(own.out.c) * isa::kWordBytes)), kPacked,
                 work.layer);
        }
        if (own.kind != LayerKind::kConvolution) return;
        const std::int64_t bytes = row_bytes(own);
        if (places.packed_weights) {
            return read(Region(whole(places.weights, slots(own.out.c) * bytes)), kPacked,
                        work.layer);
        }
        const std::int64_t first = work.channels.begin / machine_.lanes;
        for (std::int64_t i = 0; i < slots(work.channels.size()); ++i) {
            read(Region(whole(work.weights + i * bytes, bytes)), of_weights(work.layer, first + i),
                 work.layer);
        }
    }

    const LayerCall& call_;
    const LayerPlan& plan_;
    const isa::MachineShape& machine_;
    boost::icl::interval_map<std::int64_t, Content, boost::icl::partial_enricher> bytes_;
    Region moved_;  ///< by loads of the section
    Region left_;   ///< by its stores
    std::vector<std::pair<Region, Content>> loads_;
    std::vector<int> stored_;
    std::size_t section_ = 0;
};

}  // namespace

void check_layers(const LayerCall& call, const LayerPlan& plan, const isa::MachineShape& machine) {
    LayerChecker(call, plan, machine).run();
}

}  // namespace okksim::sim::planning
