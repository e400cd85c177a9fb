// SPDX-License-Identifier: Apache-2.0
#include "kernels/pool/pool_means.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "firmware/okk_access.h"
#include "kernels/call/computing.h"
#include "kernels/prim/magic.h"

namespace okksim::kernels {
namespace {

using tosa::DType;

PoolShape shape_of(const OperatorCall& call) {
    return pool_shape(call, call.attributes_as<tosa::AvgPool2dAttributes>());
}

/// Numbers of input positions in the windows along an axis.
std::vector<std::int64_t> counts_along(const PoolShape& shape, std::size_t axis) {
    std::vector<std::int64_t> counts;
    for (std::int32_t out = 0; out < shape.output[axis]; ++out) {
        const std::int32_t begin = out * shape.stride[axis] - shape.pad_before[axis];
        counts.push_back(std::min(begin + shape.kernel[axis], shape.input[axis]) -
                         std::max(begin, 0));
    }
    return counts;
}

template <typename Value>
void sort_once(std::vector<Value>& values) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
}

/// All numbers of elements that windows contain, ascending.
std::vector<std::int64_t> divisors_of(const PoolShape& shape) {
    std::array<std::vector<std::int64_t>, 2> counts;
    for (std::size_t axis = 0; axis < 2; ++axis) {
        counts[axis] = counts_along(shape, axis);
        sort_once(counts[axis]);
    }
    std::vector<std::int64_t> divisors;
    for (const std::int64_t y : counts[0]) {
        for (const std::int64_t x : counts[1]) divisors.push_back(y * x);
    }
    sort_once(divisors);
    return divisors;
}

/// A power of two that is at least the window's area. The terms of a mean are divided by it before
/// they are added, so that the sum of finite values stays finite.
float headroom(const PoolShape& shape) {
    const auto area = static_cast<std::uint64_t>(std::int64_t{shape.kernel[0]} * shape.kernel[1]);
    return std::ldexp(1.0f, static_cast<int>(std::bit_width(area - 1)));
}

/// The constants of every divisor, one after the other; empty if there is only one divisor.
std::vector<float> map_values(const PoolMeans& means, DType type) {
    if (!means.factors.empty()) {
        return means.factors.size() > 1 ? means.factors : std::vector<float>();
    }
    return mean_rescale(means, type, 0, {}).constants();
}

}  // namespace

PoolMeans pool_means(const OperatorCall& call) {
    const PoolShape shape = shape_of(call);
    const std::vector<std::int64_t> divisors = divisors_of(shape);
    const DType type = call.inputs[0].type;
    PoolMeans means;
    if (tosa::is_floating_point(type)) {
        // Only fp32 and bf16 come near the end of the fp32 range.
        if (type == DType::kFp32 || type == DType::kBf16) means.scale = headroom(shape);
        for (const std::int64_t count : divisors) {
            means.factors.push_back(
                static_cast<float>(double{means.scale} / static_cast<double>(count)));
        }
        return means;
    }
    // Distance from the zero point, which is any value in int8 and 0 in int16 (TOSA 1.0.1, 2.3.2).
    const std::int64_t farthest = type == DType::kI8 ? 255 : 32768;
    const std::int64_t most = divisors.back() * farthest;
    // Sums up to 2^24 are exact in fp32.
    means.in_float = most <= prim::kExactIntegers;
    means.sum = means.in_float      ? Combination::kFloatSum
                : most <= INT32_MAX ? Combination::kIntegerSum
                                    : Combination::kCheckedWindowSum;
    for (const std::int64_t count : divisors) {
        means.scales.push_back(prim::reciprocal_scale(static_cast<std::uint32_t>(count)));
    }
    return means;
}

prim::Rescale mean_rescale(const PoolMeans& means, DType type, std::int32_t zero_point,
                           const Lanes& lanes) {
    prim::ScaleOutput output = type == DType::kI8 ? prim::kInt8Output : prim::kInt16Output;
    output.zero_point = zero_point;
    return {means.in_float ? prim::ValueForm::kFloat24 : prim::ValueForm::kInt32, means.scales,
            prim::ScaleRounding::kSingle, output,
            // Constants per output are those of the base instructions.
            means.scales.size() == 1 ? lanes : Lanes{}};
}

std::uint64_t pool_map_bytes(const OperatorCall& call) {
    const PoolMeans means = pool_means(call);
    const std::size_t divisors = std::max(means.factors.size(), means.scales.size());
    const std::size_t maps = map_values(means, call.inputs[0].type).size() / divisors;
    const PoolShape shape = shape_of(call);
    return 4 * maps * static_cast<std::uint64_t>(shape.output[0]) *
           static_cast<std::uint64_t>(shape.output[1]);
}

void store_pool_maps(const OperatorCall& call, const ConstantMemory& memory) {
    const PoolShape shape = shape_of(call);
    const std::vector<std::int64_t> divisors = divisors_of(shape);
    const std::vector<float> values = map_values(pool_means(call), call.inputs[0].type);
    const std::vector<std::int64_t> rows = counts_along(shape, 0), columns = counts_along(shape, 1);
    std::vector<float> maps;
    for (std::size_t first = 0; first < values.size(); first += divisors.size()) {
        for (const std::int64_t y : rows) {
            for (const std::int64_t x : columns) {
                const auto at = std::lower_bound(divisors.begin(), divisors.end(), y * x);
                maps.push_back(values[first + static_cast<std::size_t>(at - divisors.begin())]);
            }
        }
    }
    memory.write_values(call.prepared, maps);
}

}  // namespace okksim::kernels
