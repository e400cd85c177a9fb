// SPDX-License-Identifier: Apache-2.0
#include "models/memory/lane_walk.h"

#include <limits>

namespace okksim::models {
namespace {

/// A lane number above that of any tensor.
constexpr std::int32_t kNeverWraps = std::numeric_limits<std::int32_t>::max();

/// Lowest and highest byte, relative to the first element, that a tensor touches over some
/// dimensions.
struct Reach {
    std::int64_t low = 0;
    std::int64_t high = 0;
};

Reach reach_of(const WalkTensor& tensor, const WalkExtents& extents, int first_dimension,
               std::int32_t element_bytes) {
    Reach reach{0, element_bytes};
    for (int d = first_dimension; d < 4; ++d) {
        const std::int64_t span = (extents[d] - 1) * tensor.stride[d];
        (span < 0 ? reach.low : reach.high) += span;
    }
    return reach;
}

bool same_map(const WalkTensor& a, const WalkTensor& b, const WalkExtents& extents) {
    if (a.base != b.base) return false;
    for (int d = 0; d < 4; ++d) {
        if (extents[d] > 1 && a.stride[d] != b.stride[d]) return false;
    }
    return true;
}

/// True if both tensors repeat with the same period in dimension `d` and outer dimensions, and do
/// not overlap within one period.
bool interleaved(const WalkTensor& a, const WalkTensor& b, const WalkExtents& extents, int d,
                 std::int32_t element_bytes) {
    const std::int64_t period = a.stride[d] < 0 ? -a.stride[d] : a.stride[d];
    if (extents[d] == 1 || period == 0) return false;
    for (int outer = 0; outer <= d; ++outer) {
        if (extents[outer] == 1) continue;
        if (a.stride[outer] % period != 0 || b.stride[outer] % period != 0) return false;
    }
    const Reach of_a = reach_of(a, extents, d + 1, element_bytes);
    const Reach of_b = reach_of(b, extents, d + 1, element_bytes);
    const std::int64_t distance = (a.base + of_a.low) - (b.base + of_b.low);
    const std::int64_t phase = ((distance % period) + period) % period;
    return phase >= of_b.high - of_b.low && period - phase >= of_a.high - of_a.low;
}

bool order_matters_in_lane(const WalkTensor& destination, const WalkTensor& source,
                           const WalkExtents& extents, std::int32_t element_bytes) {
    const Reach to = reach_of(destination, extents, 0, element_bytes);
    const Reach from = reach_of(source, extents, 0, element_bytes);
    const std::int64_t distance = destination.base - source.base;
    if (distance + to.high <= from.low || distance + to.low >= from.high) return false;
    if (same_map(destination, source, extents)) return false;
    for (int d = 0; d < 4; ++d) {
        if (interleaved(destination, source, extents, d, element_bytes)) return false;
    }
    return true;
}

}  // namespace

WalkTensor local_tensor(LocalMemory& memory, isa::LocalAddr addr, const isa::Dim4& stride,
                        std::int32_t element_bytes) {
    const auto lane = static_cast<std::int32_t>(addr.value / memory.bytes_per_lane());
    WalkTensor tensor;
    tensor.base = memory.pointer(addr);
    tensor.lane_step = memory.lane_pitch();
    tensor.wrap_lane = lane == 0 ? kNeverWraps : memory.lanes() - lane;
    tensor.stride = {std::int64_t{stride.n} * element_bytes, std::int64_t{stride.c} * element_bytes,
                     std::int64_t{stride.h} * element_bytes,
                     std::int64_t{stride.w} * element_bytes};
    tensor.wrap_step = tensor.stride[1] - memory.lanes() * memory.lane_pitch();
    return tensor;
}

WalkTensor system_tensor(std::byte* first, const isa::Dim4& stride, std::int32_t element_bytes,
                         std::int32_t lanes) {
    WalkTensor tensor;
    tensor.base = first;
    tensor.lane_step = std::int64_t{stride.c} * element_bytes;
    tensor.wrap_lane = kNeverWraps;
    tensor.stride = {std::int64_t{stride.n} * element_bytes, tensor.lane_step * lanes,
                     std::int64_t{stride.h} * element_bytes,
                     std::int64_t{stride.w} * element_bytes};
    return tensor;
}

WalkTensor constant_tensor(const void* element) {
    WalkTensor tensor;
    tensor.base = static_cast<std::byte*>(const_cast<void*>(element));
    tensor.wrap_lane = kNeverWraps;
    return tensor;
}

bool order_matters(const WalkTensor& destination, const WalkTensor& source,
                   const WalkExtents& extents, std::int32_t element_bytes) {
    if (order_matters_in_lane(destination, source, extents, element_bytes)) return true;
    if (destination.stride[1] == source.stride[1]) return false;
    if (destination.wrap_lane == kNeverWraps && source.wrap_lane == kNeverWraps) return false;
    // After the wrap-around, lanes hold both tensors one channel slot further.
    WalkTensor wrapped_destination = destination;
    WalkTensor wrapped_source = source;
    wrapped_destination.base += destination.stride[1];
    wrapped_source.base += source.stride[1];
    return order_matters_in_lane(wrapped_destination, wrapped_source, extents, element_bytes);
}

}  // namespace okksim::models
