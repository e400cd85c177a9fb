// SPDX-License-Identifier: Apache-2.0
#include "kernels/moves/place_classes.h"

#include <cstdlib>
#include <map>
#include <numeric>

#include "isa/base/errors.h"

namespace okksim::kernels {
namespace {

/// Number of points at each element offset, modulo `size()` elements.
using Counts = std::vector<std::int64_t>;

/// Replaces every point by `extent` points, `stride` >= 0 elements apart. On each ring of offsets
/// that the stride visits, this is a sum over a sliding window.
Counts repeated(const Counts& points, std::int64_t extent, std::size_t stride) {
    const std::size_t period = points.size();
    if (stride == 0) {
        Counts all = points;
        for (std::int64_t& count : all) count *= extent;
        return all;
    }
    const std::size_t rings = std::gcd(period, stride);
    const auto length = static_cast<std::int64_t>(period / rings);
    const auto window = static_cast<std::size_t>(extent % length);
    Counts all(period, 0);
    for (std::size_t ring = 0; ring < rings; ++ring) {
        std::int64_t whole = 0;
        std::int64_t inside = 0;
        std::size_t first = ring;  // first: the oldest offset in the window; next: the one after
                                   // its newest
        std::size_t next = ring;
        for (std::size_t at = ring; at < period; at += rings) whole += points[at];
        for (std::size_t i = 0; i < window; ++i, next = (next + stride) % period) {
            inside += points[next];
        }
        for (std::int64_t i = 0; i < length; ++i) {
            const std::size_t newest = (next + period - stride) % period;
            all[newest] = extent / length * whole + inside;
            inside += points[next] - points[first];
            first = (first + stride) % period;
            next = (next + stride) % period;
        }
    }
    return all;
}

}  // namespace

std::vector<PlaceClass> place_classes(std::uint64_t address, int element_bytes,
                                      std::uint64_t alignment,
                                      std::span<const std::int64_t> extents,
                                      std::span<const std::int64_t> strides) {
    OKKSIM_CHECK(alignment >= 1 && extents.size() == strides.size());
    const auto bytes = static_cast<std::uint64_t>(element_bytes);
    const std::uint64_t period = alignment / std::gcd(alignment, bytes);
    Counts points(period, 0);
    points[0] = 1;
    for (std::size_t i = 0; i < extents.size(); ++i) {
        const auto stride = static_cast<std::size_t>(std::abs(strides[i])) % period;
        const bool down = strides[i] < 0 && stride != 0;
        points = repeated(points, extents[i], down ? period - stride : stride);
    }
    std::map<std::uint64_t, PlaceClass> classes;
    for (std::uint64_t element = 0; element < period; ++element) {
        if (points[element] == 0) continue;
        PlaceClass& each = classes[std::gcd(address + element * bytes, alignment)];
        if (each.points == 0) each.element = static_cast<std::int64_t>(element);
        each.points += points[element];
    }
    std::vector<PlaceClass> result;
    for (const auto& [common, each] : classes) result.push_back(each);
    return result;
}

}  // namespace okksim::kernels
