// SPDX-License-Identifier: Apache-2.0
#include "kernels/layers/layer_prices.h"

#include <algorithm>
#include <bit>

#include "kernels/layers/layer_run.h"
#include "kernels/layers/layer_slices.h"

namespace okksim::kernels::layers {

std::size_t LayerPrices::Hash::operator()(const Key& key) const {
    std::uint64_t hash = key.size();
    for (const std::int64_t word : key) {
        constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15u;
        constexpr int kHigh = 29;
        hash = (hash ^ static_cast<std::uint64_t>(word)) * kOdd;
        hash ^= hash >> kHigh;
    }
    return hash;
}

namespace {

/// Period in bytes of every interleaving of memory channels.
constexpr std::uint64_t kPeriodBytes = std::uint64_t{1} << 20;

/// A call whose addresses in system memory are shifted by `by` bytes.
class MovedCall {
 public:
    MovedCall(const LayerCall& call, std::uint64_t by)
        : values_(call.values.begin(), call.values.end()), call_(call) {
        for (LayerValue& value : values_) value.tensor.address += by;
        call_.values = values_;
        call_.prepared += by;
    }
    const LayerCall& call() const { return call_; }

 private:
    std::vector<LayerValue> values_;
    LayerCall call_;
};

}  // namespace

/// Writes the inputs that determine the cost of commands to a key.
class LayerPrices::KeyWriter {
 public:
    KeyWriter(Key& key, const LayerCall& call, const LayerPlan& plan, std::uint64_t alignment)
        : key_(key), call_(call), plan_(plan), alignment_(alignment > 0 ? alignment : 1) {
        key_.clear();
    }

    void add(const LayerWork& work) {
        add_pair(work.image, work.weights);
        add(work.channels);
        add(work.span);
        add_pair(work.scratch, work.scratch_bytes);
        const LayerPlaces& places = plan_.places[static_cast<std::size_t>(work.layer)];
        add_pair(places.bias, places.weights);
        add_pair(places.rows, 2 * places.zero_channels + (places.packed_weights ? 1 : 0));
        const Layer& layer = layer_at(work.layer);
        add(layer);
        for (const int map : layer.maps) add_map(map);
        add_map(layer.output);
    }

    /// Offset that moves an address to a canonical one with the same alignment. Addresses of equal
    /// alignment in different periods of memory channels become equal.
    std::uint64_t way_to_place() const {
        return address_ / kPeriodBytes * kPeriodBytes + address_ % alignment_ - address_;
    }

    void add(const LayerTransfer& transfer) {
        add_pair(transfer.kind, transfer.local);
        add(transfer.channels);
        if (transfer.kind != TransferKind::kLoadWeights) {
            const MapPart& part = plan_.parts[static_cast<std::size_t>(transfer.part)];
            add(part);
            add_address(part_address(call_, part));
            return;
        }
        const Layer& layer = layer_at(transfer.layer);
        add(layer);
        add_address(weights_at(layer, transfer.channels));
        if (layer.weights >= 0) add_layout(tensor_of(layer.weights));
    }

 private:
    template <typename... Number>
    void add_numbers(Number... number) {
        (key_.push_back(static_cast<std::int64_t>(number)), ...);
    }
    /// Two numbers of 32 bits.
    template <typename First, typename Second>
    void add_pair(First first, Second second) {
        constexpr int kHalf = 32;
        key_.push_back(static_cast<std::int64_t>(
            static_cast<std::uint64_t>(static_cast<std::uint32_t>(first)) << kHalf |
            static_cast<std::uint32_t>(second)));
    }
    void add(const dim4& shape) {
        add_pair(shape.n, shape.c);
        add_pair(shape.h, shape.w);
    }
    void add(const dim2& shape) { add_pair(shape.h, shape.w); }
    void add(const conv::Range& range) { add_pair(range.begin, range.end); }
    void add_pointer(const void* pointer) { add_numbers(reinterpret_cast<std::intptr_t>(pointer)); }
    /// An address in system memory.
    void add_address(std::uint64_t address) {
        address_ = address;
        add_numbers(address % alignment_);
    }

    const Layer& layer_at(std::int32_t index) const {
        return plan_.layers[static_cast<std::size_t>(index)];
    }
    const DeviceTensor& tensor_of(int value) const {
        return call_.values[static_cast<std::size_t>(value)].tensor;
    }

    /// A layer with its operator, without the call's numbers of operator, feature maps and
    /// constants.
    void add(const Layer& layer) {
        add_pair(layer.kind, layer.packed_type);
        add_pair(layer.row_taps, layer.rows);
        add_pair((layer.weights >= 0 ? 1 : 0) + (layer.bias >= 0 ? 2 : 0) +
                     (layer.keeps_nan ? 4 : 0) + (layer.copies_pieces ? 8 : 0),
                 std::bit_cast<std::int32_t>(layer.offset));
        add(layer.in);
        add(layer.out);
        add(layer.kernel);
        add(layer.stride);
        add(layer.dilation);
        add_pair(layer.zeros.top, layer.zeros.bottom);
        add_pair(layer.zeros.left, layer.zeros.right);
        add_pair(layer.begin[0], layer.begin[1]);
        add_pair(layer.begin[2], layer.maps.size());
        int numbers = 0;
        for (const int value : layer.numbers) numbers = 2 * numbers + (value >= 0 ? 1 : 0);
        add_numbers(numbers);
        const LayerOperator& op = call_.operators[static_cast<std::size_t>(layer.op)];
        add_pair(op.op, op.list.size());
        add_pointer(op.attributes);
        add_pointer(op.program.get());
        add_pointer(op.native.get());
        for (const std::int64_t number : op.list) add_numbers(number);
    }

    /// A feature map in local memory.
    void add_map(int index) {
        const MapPart& part = plan_.parts[static_cast<std::size_t>(index)];
        add(local_shape(call_, part));
        add_pair(plan_.maps[static_cast<std::size_t>(index)], part.element_bytes);
    }
    /// A part in both memories.
    void add(const MapPart& part) {
        add(part.images);
        add(part.rows);
        const Unfolding& unfolding = part.unfolding;
        add_pair(unfolding.taps, unfolding.step);
        add_pair(unfolding.spacing, unfolding.zeros_above);
        add_pair(unfolding.rows, part.element_bytes);
        const DeviceTensor& tensor = tensor_of(part.value);
        add_numbers(tensor.type);
        add_layout(tensor);
    }
    void add_layout(const DeviceTensor& tensor) {
        for (const std::int64_t stride : tensor.strides) add_numbers(stride);
        for (const std::int32_t extent : tensor.dims) add_numbers(extent);
    }

    /// Address in system memory of the weights of some channels.
    std::uint64_t weights_at(const Layer& layer, const conv::Range& channels) const {
        const auto is_own = [&](const auto& part) { return part.op == layer.op; };
        if (is_native(layer.kind)) {
            const auto part = std::find_if(
                plan_.native_parts.begin(), plan_.native_parts.end(),
                [&](const NativePart& each) { return is_own(each) && each.channels == channels; });
            return call_.prepared + (part == plan_.native_parts.end() ? 0 : part->offset);
        }
        const DeviceTensor& weights = tensor_of(layer.weights);
        if (weights.type == tosa::DType::kFp32) return weights.address;
        const auto part = std::find_if(plan_.weights.begin(), plan_.weights.end(), is_own);
        return call_.prepared + (part == plan_.weights.end() ? 0 : part->offset);
    }

    Key& key_;
    const LayerCall& call_;
    const LayerPlan& plan_;
    std::uint64_t alignment_;
    std::uint64_t address_ = 0;  ///< the transfer's
};

template <typename Firmware>
const Work& LayerPrices::known(const Firmware& firmware) {
    const auto found = known_.find(key_);
    if (found != known_.end()) return found->second;
    return known_.emplace(key_, host_.work(firmware)).first->second;
}

Work LayerPrices::of(const LayerCall& call, const LayerPlan& plan, const LayerWork& work) {
    KeyWriter(key_, call, plan, host_.alignment_bytes()).add(work);
    return known([&] { run_work(call, plan, work); });
}

Duration LayerPrices::of(const LayerCall& call, const LayerPlan& plan,
                         const LayerTransfer& transfer) {
    KeyWriter key(key_, call, plan, host_.alignment_bytes());
    key.add(transfer);
    // The address is canonical, so that a price depends only on the key and not on the first
    // request.
    return known([&] { run_transfer(MovedCall(call, key.way_to_place()).call(), plan, transfer); })
        .of(isa::Engine::kGdma);
}

}  // namespace okksim::kernels::layers
