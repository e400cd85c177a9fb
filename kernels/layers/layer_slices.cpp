// SPDX-License-Identifier: Apache-2.0
#include "kernels/layers/layer_slices.h"

#include <algorithm>

namespace okksim::kernels::layers {
namespace {

using conv::Range;

/// The smallest range that holds both; an empty one holds nothing.
Range hull(const Range& a, const Range& b) {
    if (a.size() <= 0) return b;
    if (b.size() <= 0) return a;
    return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

/// Slice `index` of `count` of an extent.
Range slice_of(std::int32_t extent, std::int32_t index, std::int32_t count) {
    const auto at = [&](std::int64_t i) { return static_cast<std::int32_t>(extent * i / count); };
    return {at(index), at(index + 1)};
}

/// Rows of the source that some rows of the result read, zeros above and below included.
Range source_rows(const Layer& layer, const Range& rows) {
    if (!has_window(layer.kind)) return {rows.begin + layer.begin[1], rows.end + layer.begin[1]};
    const std::int32_t reach = (layer.kernel.h - 1) * layer.dilation.h + 1;
    return {rows.begin * layer.stride.h - layer.zeros.top,
            (rows.end - 1) * layer.stride.h - layer.zeros.top + reach};
}

class LayerCutter {
 public:
    LayerCutter(const LayerCall& call, std::span<const Layer> whole, const SliceCounts& counts)
        : call_(call), whole_(whole), counts_(counts) {}

    std::optional<SlicedLayers> run() {
        for (std::int32_t image = 0; image < counts_.images; ++image) {
            for (std::int32_t row = 0; row < counts_.rows; ++row) {
                find_needs(image, row);
                if (!add_layers()) return std::nullopt;
            }
        }
        result_.counts = counts_;
        return std::move(result_);
    }

 private:
    struct Need {
        Range images{}, rows{};
        int part = -1;
        bool is_needed() const { return images.size() > 0 && rows.size() > 0; }
    };

    dim4 shape_of(int value) const {
        return map_shape(call_.values[static_cast<std::size_t>(value)].tensor);
    }
    Need& need(int value) { return needs_[static_cast<std::size_t>(value)]; }

    /// Range of every value that the slice needs: its share of the outputs, and the inputs of that
    /// share.
    void find_needs(std::int32_t image, std::int32_t row) {
        needs_.assign(call_.values.size(), {});
        crops_.clear();
        for (const Layer& layer : whole_) {
            if (!call_.values[static_cast<std::size_t>(layer.output)].wanted) continue;
            const dim4 shape = shape_of(layer.output);
            need(layer.output) = {slice_of(shape.n, image, counts_.images),
                                  slice_of(shape.h, row, counts_.rows)};
        }
        for (std::size_t i = whole_.size(); i-- > 0;) {
            const Layer& layer = whole_[i];
            const Need own = need(layer.output);
            if (!own.is_needed()) continue;
            for (const int map : layer.maps) {
                const Need source = source_of(layer, own, map);
                need(map).images = hull(need(map).images, source.images);
                need(map).rows = hull(need(map).rows, source.rows);
            }
        }
    }

    Need source_of(const Layer& layer, const Need& result, int map) const {
        const Range rows = source_rows(layer, result.rows);
        const std::int32_t height = shape_of(map).h;
        if (is_by_element(layer.kind) && repeats_pixel(shape_of(map), layer.out))
            return {result.images, {0, 1}};
        return {{result.images.begin + layer.begin[0], result.images.end + layer.begin[0]},
                {std::clamp(rows.begin, 0, height), std::clamp(rows.end, 0, height)}};
    }

    int add_part(int value, const Need& range, bool copy = false) {
        result_.parts.push_back({value, range.images, range.rows, copy});
        return static_cast<int>(result_.parts.size()) - 1;
    }

    bool add_layers() {
        for (const Layer& layer : whole_) {
            Need& own = need(layer.output);
            if (!own.is_needed()) continue;
            Layer cut = layer;
            const Range rows = source_rows(layer, own.rows);
            for (int& map : cut.maps) {
                const Need source = source_of(layer, own, map);
                if (!source.is_needed()) return false;
                map = part_of(layer.op, map, source);
                cut.in.n = source.images.size();
                cut.in.h = source.rows.size();
                if (!has_window(layer.kind)) continue;
                cut.zeros.top = source.rows.begin - rows.begin;
                cut.zeros.bottom = rows.end - source.rows.end;
            }
            cut.begin[0] = cut.begin[1] = 0;
            cut.out.n = own.images.size();
            cut.out.h = own.rows.size();
            if (is_by_element(layer.kind)) cut.in = cut.out;
            cut.output = own.part = add_part(layer.output, own);
            result_.layers.push_back(std::move(cut));
        }
        return true;
    }

    /// The part that holds these rows of a value and no others.
    int part_of(std::int32_t op, int value, const Need& range) {
        Need& whole = need(value);
        if (whole.part < 0) whole.part = add_part(value, whole);
        const auto matches = [&](const Need& other) {
            return other.images == range.images && other.rows == range.rows;
        };
        if (matches(whole)) return whole.part;
        for (const auto& [of, crop] : crops_) {
            if (of == value && matches(crop)) return crop.part;
        }
        const Layer& reader = whole_[static_cast<std::size_t>(op)];
        Layer crop;
        crop.kind = is_native(reader.kind) ? LayerKind::kPackedCrop : LayerKind::kCrop;
        crop.packed_type = reader.packed_type;
        crop.op = op;
        crop.maps = {whole.part};
        crop.in = crop.out = shape_of(value);
        crop.in.n = whole.images.size();
        crop.in.h = whole.rows.size();
        crop.out.n = range.images.size();
        crop.out.h = range.rows.size();
        crop.begin = {range.images.begin - whole.images.begin, range.rows.begin - whole.rows.begin,
                      0};
        crop.output = add_part(value, range, true);
        crops_.emplace_back(value, range);
        crops_.back().second.part = crop.output;
        result_.layers.push_back(std::move(crop));
        return result_.layers.back().output;
    }

    const LayerCall& call_;
    std::span<const Layer> whole_;
    SliceCounts counts_;
    std::vector<Need> needs_;                  ///< of the values, in the current slice
    std::vector<std::pair<int, Need>> crops_;  ///< copies of the current slice: value and range
    SlicedLayers result_;
};

}  // namespace

namespace {

SlicedLayers whole_maps(const LayerCall& call, std::span<const Layer> whole) {
    SlicedLayers result;
    result.layers.assign(whole.begin(), whole.end());
    for (std::size_t i = 0; i < call.values.size(); ++i) {
        const DeviceTensor& tensor = call.values[i].tensor;
        result.parts.push_back(
            {static_cast<std::int32_t>(i), {0, tensor.dims[0]}, {0, tensor.dims[1]}});
    }
    return result;
}

/// Inserts layers that convert between words in local memory and int8 values in system memory.
class Converter {
 public:
    Converter(const LayerCall& call, SlicedLayers& sliced) : call_(call), sliced_(sliced) {}

    /// Returns false if sums would be in system memory.
    bool run() {
        // A group works either on packed feature maps or on words.
        const auto packed = [](const Layer& layer) { return is_native(layer.kind); };
        if (std::any_of(sliced_.layers.begin(), sliced_.layers.end(), packed)) {
            for (MapPart& part : sliced_.parts) part.element_bytes = stored_bytes(type_of(part));
            return std::all_of(sliced_.layers.begin(), sliced_.layers.end(), packed);
        }
        std::vector<Layer> layers = std::move(sliced_.layers);
        sliced_.layers.clear();
        widened_.assign(sliced_.parts.size(), false);
        for (const Layer& layer : layers) {
            for (const int map : layer.maps) {
                if (!widen(map, layer.op)) return false;
            }
            sliced_.layers.push_back(layer);
            if (!narrow(layer.output, layer.op)) return false;
        }
        return true;
    }

 private:
    const LayerValue& value_of(int part) const {
        return call_
            .values[static_cast<std::size_t>(sliced_.parts[static_cast<std::size_t>(part)].value)];
    }
    tosa::DType type_of(const MapPart& part) const {
        return call_.values[static_cast<std::size_t>(part.value)].tensor.type;
    }
    bool is_copy(int part) const { return sliced_.parts[static_cast<std::size_t>(part)].copy; }

    Layer conversion(LayerKind kind, std::int32_t op, int part) const {
        Layer layer;
        layer.kind = kind;
        layer.op = op;
        layer.in = layer.out = part_shape(call_, sliced_.parts[static_cast<std::size_t>(part)]);
        layer.offset = static_cast<float>(value_of(part).offset);
        return layer;
    }
    int add_packed(int part) {
        MapPart packed = sliced_.parts[static_cast<std::size_t>(part)];
        packed.element_bytes = stored_bytes(type_of(packed));
        sliced_.parts.push_back(packed);
        return static_cast<int>(sliced_.parts.size()) - 1;
    }

    bool widen(int part, std::int32_t op) {
        const LayerValue& value = value_of(part);
        if (!value.given || is_copy(part)) return true;
        if (value.tensor.type != tosa::DType::kI8) return value.tensor.type != tosa::DType::kI32;
        if (widened_[static_cast<std::size_t>(part)]) return true;
        widened_[static_cast<std::size_t>(part)] = true;
        Layer layer = conversion(LayerKind::kWiden, op, part);
        layer.maps = {add_packed(part)};
        layer.output = part;
        sliced_.layers.push_back(std::move(layer));
        return true;
    }

    bool narrow(int part, std::int32_t op) {
        const LayerValue& value = value_of(part);
        if (!value.wanted || is_copy(part)) return true;
        if (value.tensor.type != tosa::DType::kI8) return value.tensor.type != tosa::DType::kI32;
        Layer layer = conversion(LayerKind::kNarrow, op, part);
        layer.maps = {part};
        layer.output = add_packed(part);
        sliced_.layers.push_back(std::move(layer));
        return true;
    }

    const LayerCall& call_;
    SlicedLayers& sliced_;
    std::vector<bool> widened_;
};

}  // namespace

std::optional<SlicedLayers> cut_layers(const LayerCall& call, std::span<const Layer> whole,
                                       const SliceCounts& counts) {
    std::optional<SlicedLayers> result =
        counts.is_whole() ? whole_maps(call, whole) : LayerCutter(call, whole, counts).run();
    if (result && !Converter(call, *result).run()) return std::nullopt;
    return result;
}

dim4 part_shape(const LayerCall& call, const MapPart& part) {
    const DeviceTensor& tensor = call.values[static_cast<std::size_t>(part.value)].tensor;
    return {part.images.size(), tensor.dims[3], part.rows.size(), tensor.dims[2]};
}

std::uint64_t part_address(const LayerCall& call, const MapPart& part) {
    const DeviceTensor& tensor = call.values[static_cast<std::size_t>(part.value)].tensor;
    const std::int64_t elements =
        part.images.begin * tensor.strides[0] + part.rows.begin * tensor.strides[1];
    return tensor.address + static_cast<std::uint64_t>(stored_bytes(tensor.type) * elements);
}

dim4 local_shape(const LayerCall& call, const MapPart& part) {
    dim4 shape = part_shape(call, part);
    if (part.unfolding.taps == 1) return shape;
    shape.c *= part.unfolding.taps;
    shape.h = part.unfolding.rows;
    return shape;
}

std::int64_t part_bytes(const LayerCall& call, const MapPart& part, const Lanes& lanes) {
    const dim4 shape = local_shape(call, part);
    return shape.n * lanes.slots(shape.c) *
           lanes.whole_line_bytes(std::int64_t{part.element_bytes} * shape.h * shape.w);
}

bool is_in_memory(const LayerCall& call, const MapPart& part) {
    const DeviceTensor& tensor = call.values[static_cast<std::size_t>(part.value)].tensor;
    return !part.copy && part.element_bytes == stored_bytes(tensor.type);
}

}  // namespace okksim::kernels::layers
