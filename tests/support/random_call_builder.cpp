// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_call_builder.h"

#include <algorithm>

#include "isa/layout.h"

namespace okksim::tests {

using isa::Dim4;

namespace {

using Interval = std::pair<std::int64_t, std::int64_t>;

/// Offsets of a tensor's elements relative to its first one, [low, high).
Interval reach(const Dim4& shape, const Dim4& stride, std::int64_t slots) {
    Interval interval{0, 1};
    const auto extend = [&](std::int64_t count, std::int64_t step) {
        const std::int64_t distance = (count - 1) * step;
        (distance < 0 ? interval.first : interval.second) += distance;
    };
    extend(shape.n, stride.n);
    extend(slots, stride.c);
    extend(shape.h, stride.h);
    extend(shape.w, stride.w);
    return interval;
}

bool overlaps(const std::vector<Interval>& taken, const Interval& wanted) {
    return std::any_of(taken.begin(), taken.end(), [&](const Interval& each) {
        return wanted.first < each.second && each.first < wanted.second;
    });
}

}  // namespace

void RandomCallBuilder::push(const Stride& stride) {
    if (stride) {
        call_.arguments.emplace_back(*stride);
    } else {
        call_.arguments.emplace_back(nullptr);
    }
}

std::int64_t RandomCallBuilder::extent() {
    if (random_.one_in(12)) return random_.between(1, scale_);
    return random_.pick({1, 1, 1, 2, 3, 4, 5, 7, 8, 11, 13, 16, 17, 31, 33});
}

std::int32_t RandomCallBuilder::channels() {
    const std::int64_t lanes = machine_.lanes;
    const std::int64_t count = random_.pick({1, 2, 3, 5, lanes - 1, lanes, lanes + 1, 2 * lanes,
                                             2 * lanes + 3, random_.between(1, lanes)});
    return static_cast<std::int32_t>(std::max<std::int64_t>(count, 1));
}

Dim4 RandomCallBuilder::shape() {
    Dim4 shape{static_cast<std::int32_t>(extent()), channels(), static_cast<std::int32_t>(extent()),
               static_cast<std::int32_t>(extent())};
    const auto per_lane = [&] {
        const std::int64_t plane =
            isa::align_up(std::int64_t{shape.h} * shape.w, machine_.vector_words);
        return shape.n * plane * (shape.c / machine_.lanes + 2);
    };
    while (per_lane() > scale_ && (shape.n > 1 || shape.h > 1 || shape.w > 1)) {
        std::int32_t& largest = shape.n > shape.h ? (shape.n > shape.w ? shape.n : shape.w)
                                                  : (shape.h > shape.w ? shape.h : shape.w);
        largest = std::max(1, largest / 2);
    }
    return shape;
}

std::int64_t RandomCallBuilder::lane() {
    return random_.one_in(2) ? 0 : random_.below(machine_.lanes);
}

/// Nests dimensions in a random order with random gaps; sources may repeat.
Dim4 RandomCallBuilder::free_stride(const Dim4& shape, std::int64_t slots,
                                    const StrideRules& rules) {
    const std::int64_t counts[4] = {shape.n, slots, shape.h, shape.w};
    int order[4] = {3, 2, 1, 0};  // innermost first
    const int first = rules.w_is_one ? 1 : 0;
    for (int i = 3; i > first; --i) {
        std::swap(order[i], order[first + random_.below(i - first + 1)]);
    }
    std::int64_t strides[4];
    std::int64_t span = 1;
    for (int i = 0; i < 4; ++i) {
        const int dimension = order[i];
        const bool is_w = dimension == 3;
        std::int64_t step = span;
        if (!(is_w && rules.w_is_one) && random_.one_in(3)) step += random_.between(1, 5);
        if (rules.source && !(is_w && rules.w_is_one) && random_.one_in(6)) {
            strides[dimension] = 0;
            continue;
        }
        // Negative strides are legal: the kit accepts them and the reference does not forbid them.
        const bool backwards = !(is_w && rules.w_is_one) && random_.one_in(20);
        strides[dimension] = backwards ? -step : step;
        span = step * counts[dimension];
    }
    return {static_cast<std::int32_t>(strides[0]), static_cast<std::int32_t>(strides[1]),
            static_cast<std::int32_t>(strides[2]), static_cast<std::int32_t>(strides[3])};
}

RandomCallBuilder::Stride RandomCallBuilder::local_stride(std::int64_t lane, const Dim4& shape,
                                                          const StrideRules& rules) {
    const auto start = static_cast<std::int32_t>(lane);
    switch (random_.below(4)) {
        case 0: return std::nullopt;
        case 1:
            return isa::aligned_stride(start, shape, 8 * rules.element_bytes, machine_.lanes,
                                       machine_.line_bytes());
        case 2: return isa::compact_stride(start, shape, machine_.lanes);
        default:
            return free_stride(shape, isa::channels_per_lane(start, shape.c, machine_.lanes),
                               rules);
    }
}

RandomCallBuilder::Stride RandomCallBuilder::system_stride(const Dim4& shape,
                                                           const StrideRules& rules) {
    switch (random_.below(3)) {
        case 0: return std::nullopt;
        case 1: return isa::continuous_stride(shape);
        default: return free_stride(shape, shape.c, rules);
    }
}

std::int64_t RandomCallBuilder::place_local(std::int64_t lane, const Dim4& shape,
                                            const Dim4& stride, int element_bytes,
                                            std::int64_t alignment) {
    const auto slots =
        isa::channels_per_lane(static_cast<std::int32_t>(lane), shape.c, machine_.lanes);
    const Interval elements = reach(shape, stride, slots);
    const std::int64_t low = elements.first * element_bytes;
    const std::int64_t high = elements.second * element_bytes;
    for (int attempt = 0; attempt < 40; ++attempt) {
        const std::int64_t room = machine_.local_bytes - high;
        if (room < 0) throw DoesNotFit{};
        // Sometimes exactly at the end of the lane.
        std::int64_t base = attempt == 0 && random_.one_in(8) ? room : random_.between(0, room);
        base = base / alignment * alignment;
        if (base + low < 0) continue;
        const Interval wanted{base + low, base + high};
        if (overlaps(lane_bytes_, wanted)) continue;
        lane_bytes_.push_back(wanted);
        return lane * machine_.local_bytes + base;
    }
    throw DoesNotFit{};
}

std::int64_t RandomCallBuilder::place_system(std::int64_t low, std::int64_t high,
                                             int element_bytes) {
    const std::vector<isa::MemoryRegion> memories = machine_.memories();
    const std::int64_t room = RandomCalls::kSystemBytes - high;
    if (room < 0) throw DoesNotFit{};
    for (int attempt = 0; attempt < 40; ++attempt) {
        const auto start = static_cast<std::int64_t>(random_.element(memories).start);
        const std::int64_t base = random_.between(0, room) / element_bytes * element_bytes;
        if (base + low < 0) continue;
        const Interval wanted{start + base + low, start + base + high};
        if (overlaps(system_bytes_, wanted)) continue;
        system_bytes_.push_back(wanted);
        return start + base;
    }
    throw DoesNotFit{};
}

RandomCallBuilder::Placed RandomCallBuilder::local_tensor(std::int64_t lane, const Dim4& shape,
                                                          const StrideRules& rules) {
    const Stride stride = local_stride(lane, shape, rules);
    const Dim4 actual = stride ? *stride
                               : isa::aligned_stride(static_cast<std::int32_t>(lane), shape,
                                                     8 * rules.element_bytes, machine_.lanes,
                                                     machine_.line_bytes());
    const std::int64_t alignment = random_.one_in(3) ? machine_.line_bytes() : rules.element_bytes;
    return {place_local(lane, shape, actual, rules.element_bytes, alignment), stride};
}

RandomCallBuilder::Placed RandomCallBuilder::system_tensor(const Dim4& shape,
                                                           const StrideRules& rules) {
    const Stride stride = system_stride(shape, rules);
    const Interval elements =
        reach(shape, stride ? *stride : isa::continuous_stride(shape), shape.c);
    return {place_system(elements.first * rules.element_bytes,
                         elements.second * rules.element_bytes, rules.element_bytes),
            stride};
}

std::int64_t RandomCallBuilder::aligned_tensor(std::int64_t lane, const Dim4& shape) {
    const Dim4 stride = isa::aligned_stride(static_cast<std::int32_t>(lane), shape, 32,
                                            machine_.lanes, machine_.line_bytes());
    return place_local(lane, shape, stride, 4, static_cast<int>(machine_.line_bytes()));
}

std::int64_t RandomCallBuilder::compact_tensor(std::int64_t lane, const Dim4& shape) {
    const Dim4 stride = isa::compact_stride(static_cast<std::int32_t>(lane), shape, machine_.lanes);
    return place_local(lane, shape, stride, 4, 4);
}

std::int64_t RandomCallBuilder::matrix(std::int64_t lane, std::int64_t rows, std::int64_t cols,
                                       std::int64_t width) {
    return aligned_tensor(
        lane, isa::matrix_shape(static_cast<std::int32_t>(rows), static_cast<std::int32_t>(cols),
                                static_cast<std::int32_t>(width)));
}

void RandomCallBuilder::mark_work(std::int64_t address, const Dim4& shape, const Dim4& stride,
                                  int element_bytes) {
    const auto start = static_cast<std::int32_t>(address / machine_.local_bytes);
    const Interval elements =
        reach(shape, stride, isa::channels_per_lane(start, shape.c, machine_.lanes));
    const std::int64_t offset = address % machine_.local_bytes;
    call_.work.push_back(
        {offset + elements.first * element_bytes, offset + elements.second * element_bytes});
}

}  // namespace okksim::tests
