// SPDX-License-Identifier: Apache-2.0
#include "sim/planning/layer_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/icl/interval_map.hpp>
#include <boost/icl/interval_set.hpp>
#include <vector>

#include "isa/base/errors.h"
#include "isa/layout.h"

namespace okksim::sim::planning {
namespace {

using namespace kernels::layers;
using Interval = boost::icl::interval<std::int64_t>::interval_type;
using Region = boost::icl::interval_set<std::int64_t>;

/// The contents of an address in every lane: uninitialised (0), the packed constants, a part of a
/// value, or weights of an operator's channel slot.
using Content = std::int64_t;
constexpr Content kNothing = 0;
constexpr Content kPacked = 1;
constexpr Content kFirstPart = 2;
Content of_part(int part) { return kFirstPart + part; }
Content of_weights(int op, std::int64_t slot) {
    constexpr Content kOperators = Content{1} << 40, kSlots = Content{1} << 20;
    return kOperators + op * kSlots + slot;
}

class LayerChecker {
 public:
    LayerChecker(const LayerCall& call, const LayerPlan& plan, const isa::MachineShape& machine)
        : call_(call), plan_(plan), machine_(machine) {
        bytes_.insert({whole(0, machine.local_bytes), kNothing});
        is_native_ = std::any_of(plan.layers.begin(), plan.layers.end(),
                                 [](const Layer& layer) { return is_native(layer.kind); });
        for (std::size_t i = 0; i < call.operators.size(); ++i) {
            LayerOperator op = call.operators[i];
            op.program = plan.programs[i];  // a valid plan has its own programs
            op.native = plan.natives[i];
            // A plan may have no layers if no result of the group is read.
            const kernels::DeviceTensor& first =
                call.values[static_cast<std::size_t>(op.inputs[0])].tensor;
            op.is_native = (is_native_ || op.native != nullptr) && first.type == tosa::DType::kI8;
            const std::optional<Layer> layer = layer_of(op, call.values, machine);
            if (!layer) {
                throw InternalError(
                    fmt::format("layer group: operator {} is no layer of the machine", i));
            }
            whole_.push_back(*layer);
        }
    }

    void run() {
        auto transfer = plan_.transfers.begin();
        auto work = plan_.works.begin();
        for (section_ = 0; section_ < plan_.sections.size(); ++section_) {
            const LayerSection& section = plan_.sections[section_];
            moved_.clear();
            left_.clear();
            if (section_ == 0 && plan_.packed_first > 0) {
                load(Region(whole(0, plan_.packed_first)), kPacked);
            } else if (section_ == 1 && plan_.packed_bytes > plan_.packed_first) {
                load(Region(whole(plan_.packed_first, plan_.packed_bytes - plan_.packed_first)),
                     kPacked);
            }
            for (int i = 0; i < section.transfers; ++i) note(*transfer++);
            for (int i = 0; i < section.works; ++i) compute(*work++);
            for (const auto& [region, content] : loads_) put(region, content);
            loads_.clear();
        }
        require(transfer == plan_.transfers.end() && work == plan_.works.end(), 0, "unused parts");
        check_stored();
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
    /// Returns the operator as a layer on whole values.
    const Layer& whole_layer(int op) const { return whole_[static_cast<std::size_t>(op)]; }

    const MapPart& part(int index) const { return plan_.parts[static_cast<std::size_t>(index)]; }
    const LayerValue& value_of(int index) const {
        return call_.values[static_cast<std::size_t>(part(index).value)];
    }
    dim4 shape_of(int index) const {
        const auto& dims = value_of(index).tensor.dims;
        const Unfolding& unfolding = part(index).unfolding;
        if (unfolding.taps > 1) {
            return {part(index).images.size(), dims[3] * unfolding.taps, unfolding.rows, dims[2]};
        }
        return {part(index).images.size(), dims[3], part(index).rows.size(), dims[2]};
    }
    std::int64_t slots(std::int64_t channels) const {
        return isa::div_up(channels, machine_.lanes);
    }
    std::int64_t line(std::int64_t bytes) const {
        return isa::align_up(bytes, std::int64_t{machine_.vector_words} * isa::kWordBytes);
    }
    /// Returns the bytes of a channel slot of a feature map.
    std::int64_t slot_bytes(int index) const {
        const dim4 shape = shape_of(index);
        return line(std::int64_t{shape.h} * shape.w * part(index).element_bytes);
    }

    Region map_region(int index) const {
        const dim4 shape = shape_of(index);
        return Region(whole(plan_.maps[static_cast<std::size_t>(index)],
                            shape.n * slots(shape.c) * slot_bytes(index)));
    }

    /// Returns the region of a feature map that a work reads or writes. With `spans` it only has
    /// the work's rows or words.
    Region part_region(int index, const LayerWork& work, bool spans) const {
        if (work.image == LayerWork::kAllImages && covers(index, work)) return map_region(index);
        const dim4 shape = shape_of(index);
        const std::int64_t slot = slot_bytes(index);
        Region region;
        for (int image = 0; image < shape.n; ++image) {
            if (work.image != LayerWork::kAllImages && work.image != image) continue;
            const std::int64_t begin = plan_.maps[static_cast<std::size_t>(index)] +
                                       image * slots(shape.c) * slot +
                                       work.channels.begin / machine_.lanes * slot;
            const std::int64_t count = slots(work.channels.size());
            if (!spans || work.span.size() == 0) {
                region.add(whole(begin, count * slot));
                continue;
            }
            const bool rows = layer(work.layer).kind == LayerKind::kMaximum;
            const std::int64_t element = part(index).element_bytes;
            const std::int64_t unit = element * (rows ? shape.w : 1);
            // The padding after the last row, up to the next line, belongs to the last part.
            const bool is_last = work.span.end == (rows ? shape.h : shape.h * shape.w);
            const std::int64_t end = is_last ? slot : work.span.end * unit;
            region.add(Interval(begin + work.span.begin * unit, begin + end));
        }
        return region;
    }
    bool covers(int index, const LayerWork& work) const {
        return work.channels.begin == 0 && work.channels.end == shape_of(index).c;
    }

    void read(const Region& region, Content content, int which) {
        require(boost::icl::within(region, Region(whole(0, machine_.local_bytes))), which,
                "a read is outside of local memory");
        require(!boost::icl::intersects(moved_, region), which,
                "the GDMA writes memory that the compute engine reads (data race)");
        for (const Interval& part : region) {
            const auto range = bytes_.equal_range(part);
            for (auto at = range.first; at != range.second; ++at) {
                require(at->second == content, which,
                        "a read of uninitialised or overwritten memory");
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
                which, "the compute engine writes memory that the GDMA copies (data race)");
        put(region, content);
    }

    void load(const Region& region, Content content) {
        require(!boost::icl::intersects(moved_, region), 0, "two loads to one address");
        moved_ += region;
        loads_.emplace_back(region, content);
    }

    void note(const LayerTransfer& transfer) {
        switch (transfer.kind) {
            case TransferKind::kLoadMap:
                require_stored_form(transfer.part);
                require(value_of(transfer.part).given, transfer.part,
                        "a load of a value that is not in memory");
                require(transfer.local == plan_.maps[static_cast<std::size_t>(transfer.part)],
                        transfer.part, "a feature map is loaded to another address");
                load(map_region(transfer.part), of_part(transfer.part));
                return;
            case TransferKind::kStoreMap:
                require_stored_form(transfer.part);
                check_whole(transfer.part);
                stored_.push_back(transfer.part);
                left_ += map_region(transfer.part);
                return;
            case TransferKind::kLoadWeights: {
                const std::int64_t first = transfer.channels.begin / machine_.lanes;
                const Layer& reader = layer(transfer.layer);
                if (is_native(reader.kind)) {
                    load(Region(whole(transfer.local, native_bytes(reader, transfer.channels))),
                         of_weights(reader.op, first));
                    return;
                }
                const std::int64_t bytes = row_bytes(layer(transfer.layer));
                for (std::int64_t i = 0; i < slots(transfer.channels.size()); ++i) {
                    load(Region(whole(transfer.local + i * bytes, bytes)),
                         of_weights(layer(transfer.layer).op, first + i));
                }
                return;
            }
        }
    }
    /// Rejects sums, which are never in system memory.
    void require_stored_form(int index) const {
        const tosa::DType type = value_of(index).tensor.type;
        require(type != tosa::DType::kI32, index, "the GDMA copies sums");
        require(part(index).element_bytes == kernels::stored_bytes(type), index,
                "the GDMA copies a feature map in a layout that system memory does not have");
    }

    /// Returns the bytes of the constants for some channels of an operator on packed feature maps.
    /// They are biases, factors of bytes, and weights with four input channels side by side, or a
    /// table.
    std::int64_t native_bytes(const Layer& layer, const kernels::conv::Range& channels) const {
        constexpr std::int64_t kTableBytes = 256;
        if (layer.kind == LayerKind::kByteTable) return kTableBytes;
        const std::int64_t taps = std::int64_t{layer.kernel.h} * layer.kernel.w;
        const std::int64_t own = slots(channels.size());
        constexpr std::int64_t kUnit = 4, kBiasAndFactors = 3;
        const std::int64_t elements = is_convolution(layer.kind)
                                          ? own * taps * kUnit * isa::div_up(layer.in.c, kUnit)
                                          : own * taps;
        const bool halves = computes_halves(layer.kind);
        const std::int64_t biases = layer.bias >= 0 ? 1 : 0;
        const std::int64_t others = halves ? biases : kBiasAndFactors;
        const std::int64_t bytes = halves ? 2 : 1;
        return others * own * isa::kWordBytes + isa::align_up(elements * bytes, isa::kWordBytes);
    }

    /// Returns the bytes of the weights of a convolution's channel slot.
    std::int64_t row_bytes(const Layer& layer) const {
        const std::int64_t pairs = isa::div_up(layer.in.c, 2);
        return line(pairs * 2 * layer.kernel.h * layer.kernel.w * isa::kWordBytes);
    }

    void check_whole(int index) {
        const Region moved = moved_;
        moved_.clear();  // loads of this section follow its stores
        read(map_region(index), of_part(index), index);
        moved_ = moved;
    }

    void compute(const LayerWork& work) {
        const Layer& own = layer(work.layer);
        check_slice(own, work.layer);
        const bool by_element =
            own.kind == LayerKind::kBody || own.kind == LayerKind::kBytes ||
            own.kind == LayerKind::kNarrow || own.kind == LayerKind::kBytePair ||
            own.kind == LayerKind::kByteProduct || own.kind == LayerKind::kHalfBody;
        const bool in_parts =
            by_element || own.kind == LayerKind::kMaximum || own.kind == LayerKind::kHalfMaximum;
        for (const int map : own.maps) {
            const bool is_whole = !in_parts || repeats(own, map);
            const Region region = is_whole ? map_region(map) : part_region(map, work, by_element);
            require(part(map).is_packed() == (is_native_ || own.kind == LayerKind::kWiden), map,
                    "a feature map is read in another layout");
            read(region, of_part(map), work.layer);
        }
        read_constants(own, work);
        if (work.scratch_bytes > 0) {
            write(Region(whole(work.scratch, work.scratch_bytes)), kNothing, work.layer);
        }
        require(part(own.output).is_packed() == (is_native_ || own.kind == LayerKind::kNarrow),
                own.output, "a feature map is written in another layout");
        write(part_region(own.output, work, in_parts), of_part(own.output), work.layer);
    }

    /// True if an element-wise operator reads the feature map's only pixel for all of its result.
    bool repeats(const Layer& own, int map) const {
        return kernels::layers::is_by_element(own.kind) &&
               kernels::layers::repeats_pixel(kernels::layers::map_shape(value_of(map).tensor),
                                              whole_layer(own.op).out);
    }

    /// Checks that the parts have the rows and images that the whole operator's windows read.
    void check_slice(const Layer& own, int index) const {
        const MapPart& result = part(own.output);
        const bool window = has_window(own.kind);
        for (const int map : own.maps) {
            const MapPart& source = part(map);
            if (own.kind == LayerKind::kWiden || own.kind == LayerKind::kNarrow) {
                require(source.value == result.value && source.images == result.images &&
                            source.rows == result.rows && !source.copy && !result.copy,
                        index, "a conversion of another part");
                continue;
            }
            if (result.copy) {
                require(source.value == result.value, index, "a copy of another value");
                require(own.begin[0] == result.images.begin - source.images.begin &&
                            own.begin[1] == result.rows.begin - source.rows.begin &&
                            result.images.end <= source.images.end &&
                            result.rows.end <= source.rows.end,
                        index, "a copy of other rows");
                continue;
            }
            if (repeats(own, map)) {
                require(source.images == result.images && source.rows.begin == 0 &&
                            source.rows.end == 1,
                        index, "a slice reads another pixel");
                continue;
            }
            const std::int64_t height = value_of(map).tensor.dims[1];
            const Layer& of = whole_layer(own.op);
            const std::int64_t first = std::int64_t{result.rows.begin} * of.stride.h -
                                       of.zeros.top + of.begin[1] - own.begin[1];
            require(source.images.begin == result.images.begin + of.begin[0] - own.begin[0], index,
                    "a slice reads other images");
            const Unfolding& unfolding = source.unfolding;
            const bool unfolds = unfolding.taps > 1;
            require(unfolds == (own.row_taps > 1), index,
                    "a feature map is stored in another layout than read");
            if (unfolds) check_unfolding(own, of, unfolding, index);
            const int zeros_above = unfolds ? unfolding.zeros_above : own.zeros.top;
            require(source.rows.begin == std::max<std::int64_t>(first, 0) &&
                        source.rows.begin - first == zeros_above,
                    index, "a slice begins at another row");
            require(own.out.h == result.rows.size() && own.out.n == result.images.size(), index,
                    "a slice and its feature map have different heights");
            if (!window) {
                const bool crops =
                    own.kind == LayerKind::kCrop || own.kind == LayerKind::kPackedCrop;
                const bool fits = crops ? source.rows.end >= result.rows.end + of.begin[1]
                                        : source.rows.size() == result.rows.size();
                require(fits, index, "a slice reads another number of rows");
                continue;
            }
            require(own.in.h == (unfolds ? own.out.h : source.rows.size()) &&
                        own.in.n == source.images.size(),
                    index, "a slice reads a feature map of another height");
            const std::int64_t last = std::int64_t{result.rows.end - 1} * of.stride.h -
                                      of.zeros.top + (of.kernel.h - 1) * of.dilation.h + 1;
            // Rows outside an unfolded part are zeros.
            require(source.rows.end >= std::min(last, height) &&
                        (unfolds || source.rows.end + own.zeros.bottom >= last),
                    index, "a slice ends at another row");
        }
    }

    /// Checks that the window's rows are channels of the unfolded layer, which itself has no window
    /// rows.
    void check_unfolding(const Layer& own, const Layer& of, const Unfolding& unfolding,
                         int index) const {
        const kernels::DeviceTensor& weights =
            call_.values[static_cast<std::size_t>(of.weights)].tensor;
        require(own.kind == LayerKind::kConvolution && of.kernel.h == weights.dims[1] &&
                    unfolding.taps == of.kernel.h && unfolding.step == of.stride.h &&
                    unfolding.spacing == of.dilation.h && unfolding.rows == own.out.h &&
                    value_of(own.maps[0]).given,
                index, "a feature map is unfolded for another window");
        require(own.row_taps == unfolding.taps && own.in.c == of.in.c * unfolding.taps &&
                    own.kernel.h == 1 && own.kernel.w == of.kernel.w && own.stride.h == 1 &&
                    own.dilation.h == 1 && own.zeros.top == 0 && own.zeros.bottom == 0,
                index, "a window of an unfolded feature map has rows");
    }

    /// Checks that every image and row of the wanted values is stored, and nothing else.
    void check_stored() const {
        std::vector<boost::icl::interval_set<std::int64_t>> rows(call_.values.size());
        for (const int index : stored_) {
            require(value_of(index).wanted && !part(index).copy, index,
                    "a value is stored that no operator needs");
            const std::int64_t height = value_of(index).tensor.dims[1];
            for (std::int64_t image = part(index).images.begin; image < part(index).images.end;
                 ++image) {
                rows[static_cast<std::size_t>(part(index).value)].add(
                    Interval(image * height + part(index).rows.begin,
                             image * height + part(index).rows.end));
            }
        }
        for (std::size_t i = 0; i < call_.values.size(); ++i) {
            const auto& dims = call_.values[i].tensor.dims;
            const std::int64_t all = call_.values[i].wanted ? dims[0] * dims[1] : 0;
            require(static_cast<std::int64_t>(boost::icl::cardinality(rows[i])) == all,
                    static_cast<int>(i), "a needed value is stored only in part");
        }
    }

    void read_constants(const Layer& own, const LayerWork& work) {
        const LayerPlaces& places = plan_.places[static_cast<std::size_t>(work.layer)];
        if (is_native(own.kind)) {
            if (!own.has_constants()) return;
            if (places.packed_weights) {
                return read(Region(whole(places.weights, native_bytes(own, {0, own.out.c}))),
                            kPacked, work.layer);
            }
            return read(Region(whole(work.weights, native_bytes(own, work.channels))),
                        of_weights(own.op, work.channels.begin / machine_.lanes), work.layer);
        }
        if (own.bias >= 0) {
            read(Region(whole(places.bias, slots(own.out.c) * isa::kWordBytes)), kPacked,
                 work.layer);
        }
        if (own.rows > 0) {
            read(Region(whole(places.rows, own.rows * slots(own.out.c) * isa::kWordBytes)), kPacked,
                 work.layer);
        }
        if (own.kind == LayerKind::kDepthwise || own.kind == LayerKind::kMean) {
            const std::int64_t taps = std::int64_t{own.kernel.h} * own.kernel.w;
            return read(Region(whole(places.weights, slots(own.out.c) * taps * isa::kWordBytes)),
                        kPacked, work.layer);
        }
        if (own.kind != LayerKind::kConvolution) return;
        const std::int64_t bytes = row_bytes(own);
        if (places.packed_weights) {
            return read(Region(whole(places.weights, slots(own.out.c) * bytes)), kPacked,
                        work.layer);
        }
        const std::int64_t first = work.channels.begin / machine_.lanes;
        for (std::int64_t i = 0; i < slots(work.channels.size()); ++i) {
            read(Region(whole(work.weights + i * bytes, bytes)), of_weights(own.op, first + i),
                 work.layer);
        }
    }

    const LayerCall& call_;
    const LayerPlan& plan_;
    const isa::MachineShape& machine_;
    std::vector<Layer> whole_;  ///< operators of the call
    boost::icl::interval_map<std::int64_t, Content, boost::icl::partial_enricher> bytes_;
    Region moved_;  ///< by loads of the section
    Region left_;   ///< by stores of the section
    std::vector<std::pair<Region, Content>> loads_;
    std::vector<int> stored_;
    std::size_t section_ = 0;
    bool is_native_ = false;  ///< with packed feature maps
};

}  // namespace

void check_layers(const LayerCall& call, const LayerPlan& plan, const isa::MachineShape& machine) {
    LayerChecker(call, plan, machine).run();
}

}  // namespace okksim::sim::planning
