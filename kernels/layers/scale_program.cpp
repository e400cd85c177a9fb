// SPDX-License-Identifier: Apache-2.0
// Rescales of sums.
#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/layers/byte_program.h"
#include "kernels/prim/magic.h"

namespace okksim::kernels::layers {
namespace {

/// One channel of a program of scales.
class ScaledChannel {
 public:
    ScaledChannel(const ByteProgram& program, std::size_t channel) : program_(program) {
        for (std::size_t i = 0; i < program.rows.size(); ++i) row_[i] = program.rows[i][channel];
    }

    float operator()(float sum) const {
        return program_.kind == ByteProgramKind::kScaled ? of<ByteProgramKind::kScaled>(sum)
                                                         : of<ByteProgramKind::kSettled>(sum);
    }
    template <ByteProgramKind kKind>
    float of(float sum) const {
        const float product = sum * row_[0];
        const float first =
            rounded(std::min(std::max(product + row_[1], program_.low), program_.high));
        if constexpr (kKind == ByteProgramKind::kScaled) return first + program_.shift;
        const float coarse = first * row_[2];
        const float rest = sum - (coarse + row_[3]);
        const float fine = first * row_[4];
        const float tie = fine + row_[5];
        return first + (rest > tie ? 1.0f : 0.0f) + program_.shift;
    }

 private:
    const ByteProgram& program_;
    std::array<float, 6> row_{};
};

}  // namespace

float scaled_value(const ByteProgram& program, std::size_t channel, float sum) {
    return ScaledChannel(program, channel)(sum);
}

namespace {

__extension__ using Int128 = __int128;

/// The least sum of each result of a channel, from low + 1 to high.
struct Thresholds {
    std::int32_t low = 0;
    std::vector<std::int32_t> least;
    /// Distance of products above their ties, in units of 2^-shift, over the counted thresholds.
    /// The largest sum below a threshold is multiplier minus this distance below the tie.
    std::int64_t nearest = INT64_MAX, farthest = 0;

    std::int32_t result(std::size_t i) const { return low + 1 + static_cast<std::int32_t>(i); }
    /// True if the threshold is within the range of sums. Thresholds outside do not matter.
    bool counts(std::size_t i) const {
        return least[i] > -prim::kExactIntegers && least[i] <= prim::kExactIntegers;
    }
};

template <typename Integer>
Thresholds thresholds_from(Integer quotient, std::int64_t rest, const prim::ScaleFactor& factor,
                           std::int32_t low, std::int32_t high) {
    const std::int64_t multiplier = factor.multiplier;
    const std::int64_t step = std::int64_t{1} << factor.shift;
    const std::int64_t quotient_step = step / multiplier, rest_step = step % multiplier;
    Thresholds thresholds{low, {}};
    thresholds.least.reserve(static_cast<std::size_t>(high - low));
    for (std::int32_t k = low + 1; k <= high; ++k) {
        // A limit beyond all sums, for comparisons.
        constexpr auto kFar = static_cast<Integer>(prim::kExactIntegers * 4);
        const Integer least = quotient + (rest > 0 ? 1 : 0);
        thresholds.least.push_back(
            static_cast<std::int32_t>(least < -kFar ? -kFar : (least > kFar ? kFar : least)));
        if (thresholds.counts(thresholds.least.size() - 1)) {
            const std::int64_t above = rest > 0 ? multiplier - rest : 0;
            thresholds.nearest = std::min(thresholds.nearest, above);
            thresholds.farthest = std::max(thresholds.farthest, above);
        }
        quotient += quotient_step;
        rest += rest_step;
        if (rest >= multiplier) {
            rest -= multiplier;
            ++quotient;
        }
    }
    return thresholds;
}

/// Results minus the zero point. result >= k means sum * multiplier >= (2k - 1) * 2^(shift - 1).
std::optional<Thresholds> thresholds_of(const prim::ScaleFactor& factor, std::int32_t low,
                                        std::int32_t high) {
    if (factor.multiplier <= 0) return std::nullopt;
    const std::int64_t multiplier = factor.multiplier;
    const std::int64_t step = std::int64_t{1} << factor.shift;
    const Int128 product = Int128{step / 2} * (2 * std::int64_t{low} + 1);
    // Quotient and non-negative remainder of the products, which are one step apart.
    Int128 quotient = product / multiplier;
    auto rest = static_cast<std::int64_t>(product % multiplier);
    if (rest < 0) {
        rest += multiplier;
        --quotient;
    }
    // 64 bits suffice for all usual factors.
    constexpr std::int64_t kNear = std::int64_t{1} << 40;
    if (quotient > -kNear && quotient < kNear && step / multiplier < kNear) {
        return thresholds_from(static_cast<std::int64_t>(quotient), rest, factor, low, high);
    }
    return thresholds_from(quotient, rest, factor, low, high);
}

/// The channel's result is at least k from its threshold on, and less before. The results of a
/// program never decrease with the sum, so checking the thresholds is sufficient.
template <ByteProgramKind kKind>
bool is_exact(const ByteProgram& program, std::size_t channel, const Thresholds& thresholds) {
    // A loop without an early exit, so that the compiler can vectorise it.
    constexpr std::size_t kPart = 32;
    const ScaledChannel scaled(program, channel);
    // Checks both ends, which suffice if no threshold is between them.
    for (const std::int64_t end : {-prim::kExactIntegers, prim::kExactIntegers}) {
        const auto passed =
            std::ranges::upper_bound(thresholds.least, end) - thresholds.least.begin();
        const auto result = static_cast<float>(thresholds.low + passed) + program.shift;
        if (scaled.of<kKind>(static_cast<float>(end)) != result) return false;
    }
    for (std::size_t first = 0; first < thresholds.least.size(); first += kPart) {
        const std::size_t count = std::min(kPart, thresholds.least.size() - first);
        const std::int32_t* leasts = &thresholds.least[first];
        const std::int32_t result_of_first = thresholds.result(first);
        int wrong = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const std::int32_t least = leasts[i], before = least - 1;
            const auto result =
                static_cast<float>(result_of_first + static_cast<std::int32_t>(i)) + program.shift;
            const auto counts = [](std::int32_t sum) {
                constexpr auto kMost = static_cast<std::int32_t>(prim::kExactIntegers);
                return static_cast<int>(sum <= kMost) & static_cast<int>(sum >= -kMost);
            };
            const float there = scaled.of<kKind>(static_cast<float>(least));
            const float earlier = scaled.of<kKind>(static_cast<float>(before));
            wrong |= counts(least) & static_cast<int>(there < result);
            wrong |= counts(before) & static_cast<int>(earlier >= result);
        }
        if (wrong != 0) return false;
    }
    return true;
}

double scale_of(const prim::ScaleFactor& factor) {
    return std::ldexp(static_cast<double>(factor.multiplier), -factor.shift);
}

/// Distances of the nearest sums on both sides of a tie.
struct Gaps {
    double above = 1, below = 1;
};

Gaps gaps_of(const prim::ScaleFactor& factor, const Thresholds& thresholds) {
    if (thresholds.nearest > thresholds.farthest) return {};  // no threshold counts
    const auto multiplier = static_cast<double>(factor.multiplier);
    return {static_cast<double>(thresholds.nearest) / multiplier,
            static_cast<double>(factor.multiplier - thresholds.farthest) / multiplier};
}

/// Adds factors and constants of a channel with which rounding is exact.
bool add_scaled(ByteProgram& program, const prim::ScaleFactor& factor,
                const Thresholds& thresholds) {
    const double scale = scale_of(factor);
    // The middle between the nearest sums on both sides of a tie.
    const Gaps gaps = gaps_of(factor, thresholds);
    const double above = gaps.above * scale, below = gaps.below * scale;
    const std::size_t channel = program.rows[0].size();
    for (std::vector<float>& row : program.rows) row.push_back(0);
    const auto first = static_cast<float>(scale);
    constexpr int kTries = 3;
    for (int i = 0; i < 2 * kTries + 1; ++i) {
        const int ulps = i % 2 == 0 ? i / 2 : -(i + 1) / 2;
        float tried = first;
        for (int u = 0; u < std::abs(ulps); ++u) {
            tried = std::nextafterf(tried, ulps > 0 ? 2 * first : 0.0f);
        }
        program.rows[0][channel] = tried;
        program.rows[1][channel] = static_cast<float>((below - above) / 2);
        if (is_exact<ByteProgramKind::kScaled>(program, channel, thresholds)) return true;
    }
    return false;
}

/// Adds factors and constants of a channel for a kSettled program.
bool add_settled(ByteProgram& program, const prim::ScaleFactor& factor,
                 const Thresholds& thresholds) {
    // Bits of a step whose products with 9-bit results are exact.
    constexpr int kStepBits = 15;
    const double unit = 1 / scale_of(factor);
    const int exponent = std::ilogb(unit) - (kStepBits - 1);
    const auto shortened = [exponent](double value) {
        return std::ldexp(std::floor(std::ldexp(value, -exponent)), exponent);
    };
    const double step = shortened(unit), half = shortened(unit / 2);
    const auto [above, below] = gaps_of(factor, thresholds);
    const std::size_t channel = program.rows[0].size();
    program.rows[0].push_back(static_cast<float>(scale_of(factor)));
    program.rows[1].push_back(-0.5f);
    program.rows[2].push_back(static_cast<float>(step));
    program.rows[3].push_back(static_cast<float>(half));
    program.rows[4].push_back(static_cast<float>(unit - step));
    program.rows[5].push_back(static_cast<float>(unit / 2 - half - (below - above) / 2));
    return is_exact<ByteProgramKind::kSettled>(program, channel, thresholds);
}

}  // namespace

std::optional<ByteProgram> scale_program(std::span<const prim::ScaleFactor> factors,
                                         prim::ScaleRounding rounding,
                                         const prim::ScaleOutput& output, std::int32_t offset) {
    const std::int32_t low = output.low - output.zero_point;
    const std::int32_t high = output.high - output.zero_point;
    if (low >= high) return std::nullopt;
    std::vector<Thresholds> all;
    for (const prim::ScaleFactor& factor : factors) {
        constexpr int kLongestSingle = 31;
        if (rounding == prim::ScaleRounding::kDouble && factor.shift > kLongestSingle) {
            return std::nullopt;
        }
        std::optional<Thresholds> thresholds = thresholds_of(factor, low, high);
        if (!thresholds) return std::nullopt;
        all.push_back(*std::move(thresholds));
    }
    const auto with = [&](ByteProgramKind kind) -> std::optional<ByteProgram> {
        const bool settled = kind == ByteProgramKind::kSettled;
        ByteProgram program;
        program.kind = kind;
        program.rows.resize(settled ? 6 : 2);
        program.clamps = true;
        program.low = static_cast<float>(low) - (settled ? 0.25f : 0.0f);
        program.high = static_cast<float>(high) - (settled ? 0.75f : 0.0f);
        program.shift = static_cast<float>(output.zero_point - offset);
        for (std::size_t c = 0; c < factors.size(); ++c) {
            if (!(settled ? add_settled : add_scaled)(program, factors[c], all[c])) {
                return std::nullopt;
            }
        }
        return program;
    };
    std::optional<ByteProgram> program = with(ByteProgramKind::kScaled);
    return program ? program : with(ByteProgramKind::kSettled);
}

}  // namespace okksim::kernels::layers
