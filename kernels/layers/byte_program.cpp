// SPDX-License-Identifier: Apache-2.0
#include "kernels/layers/byte_program.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "kernels/prim/magic.h"

namespace okksim::kernels::layers {
namespace {

float rounded(float value) {
    const float magic = prim::rounding_magic(0);
    return (value + magic) - magic;
}

float clamped(const ByteProgram& program, float value) {
    if (!program.clamps) return value;
    return std::min(std::max(value, program.low), program.high);
}

}  // namespace

int ByteProgram::planes() const {
    switch (kind) {
        case ByteProgramKind::kScaled: return 0;
        case ByteProgramKind::kSettled: return 2;
        case ByteProgramKind::kFunction:
            return pieces.empty() ? static_cast<int>(factors.size()) - 1 : 2;
        case ByteProgramKind::kSettledPair: return 3;
    }
    __builtin_unreachable();
}

namespace {

/// Maps' values times factors, and a constant.
float weighed(std::span<const float> values, std::span<const float> factors, float constant) {
    float sum = values[0] * factors[0];
    if (values.size() > 1) {
        const float product = values[1] * factors[1];
        sum = sum + product;
    }
    return constant == 0 ? sum : sum + constant;
}

float settled_pair(const ByteProgram& program, std::span<const float> values) {
    const float sum = weighed(values, program.factors, program.constant);
    const float first = rounded(clamped(program, sum));
    const float left = (sum - first) + weighed(values, program.rests, program.rests[2]);
    return first + (left > 0.0f ? 1.0f : 0.0f) + program.shift;
}

}  // namespace

float function_value(const ByteProgram& program, std::span<const float> values) {
    if (program.kind == ByteProgramKind::kSettledPair) return settled_pair(program, values);
    float sum = weighed(values, program.factors, program.constant);
    for (const BytePiece& piece : program.pieces) {
        const float product = std::max(values[0], piece.knot) * piece.slope;
        sum = sum + product;
    }
    return rounded(clamped(program, sum)) + program.shift;
}

namespace {

/// A channel of a program of scales.
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

// ---- Sums ----

namespace {

__extension__ using Int128 = __int128;

/// Of results low .. high of a channel: the least sum that each takes, from low + 1 on.
struct Thresholds {
    std::int32_t low = 0;
    std::vector<std::int32_t> least;

    std::int32_t result(std::size_t i) const { return low + 1 + static_cast<std::int32_t>(i); }
    /// Whether sums come on both sides of it; those beyond are cut off.
    bool counts(std::size_t i) const {
        return least[i] > -prim::kExactIntegers && least[i] <= prim::kExactIntegers;
    }
};

/// Results less the zero point. result >= k means sum * multiplier >= (2k - 1) * 2^(shift - 1).
std::optional<Thresholds> thresholds_of(const prim::ScaleFactor& factor, std::int32_t low,
                                        std::int32_t high) {
    if (factor.multiplier <= 0) return std::nullopt;
    Thresholds thresholds{low, {}};
    const std::int64_t multiplier = factor.multiplier;
    const std::int64_t step = std::int64_t{1} << factor.shift;
    const Int128 product = Int128{step / 2} * (2 * std::int64_t{low} + 1);
    // Quotient and rest of the products, which are a step apart; the rest is not negative.
    Int128 quotient = product / multiplier;
    auto rest = static_cast<std::int64_t>(product % multiplier);
    if (rest < 0) {
        rest += multiplier;
        --quotient;
    }
    const std::int64_t quotient_step = step / multiplier, rest_step = step % multiplier;
    thresholds.least.reserve(static_cast<std::size_t>(high - low));
    for (std::int32_t k = low + 1; k <= high; ++k) {
        // Beyond all sums, as far as comparisons go.
        constexpr Int128 kFar = Int128{prim::kExactIntegers} * 4;
        const Int128 least = quotient + (rest > 0 ? 1 : 0);
        thresholds.least.push_back(
            static_cast<std::int32_t>(least < -kFar ? -kFar : (least > kFar ? kFar : least)));
        quotient += quotient_step;
        rest += rest_step;
        if (rest >= multiplier) {
            rest -= multiplier;
            ++quotient;
        }
    }
    return thresholds;
}

/// The channel's result is k or more from its threshold on, and below before. What a program makes
/// of sums never falls, so that this is all there is to check.
template <ByteProgramKind kKind>
bool is_exact(const ByteProgram& program, std::size_t channel, const Thresholds& thresholds) {
    // A loop without an end in between: the compiler makes vectors of it.
    constexpr std::size_t kPart = 32;
    const ScaledChannel scaled(program, channel);
    // Both ends, which are all where no threshold lies between them.
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

/// Adds factors and constants of a channel with which rounding is exact.
bool add_scaled(ByteProgram& program, const prim::ScaleFactor& factor,
                const Thresholds& thresholds) {
    const double scale = scale_of(factor);
    // Half way between the nearest sums on both sides of a tie.
    double above = scale, below = scale;
    for (std::size_t i = 0; i < thresholds.least.size(); ++i) {
        if (!thresholds.counts(i)) continue;
        const double tie = thresholds.result(i) - 0.5;
        const auto least = static_cast<double>(thresholds.least[i]);
        above = std::min(above, least * scale - tie);
        below = std::min(below, tie - (least - 1) * scale);
    }
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

/// The same for two steps.
bool add_settled(ByteProgram& program, const prim::ScaleFactor& factor,
                 const Thresholds& thresholds) {
    // Products of it with results of 9 bits are exact.
    constexpr int kStepBits = 15;
    const double unit = 1 / scale_of(factor);
    const int exponent = std::ilogb(unit) - (kStepBits - 1);
    const auto shortened = [exponent](double value) {
        return std::ldexp(std::floor(std::ldexp(value, -exponent)), exponent);
    };
    const double step = shortened(unit), half = shortened(unit / 2);
    double above = unit, below = unit;
    for (std::size_t i = 0; i < thresholds.least.size(); ++i) {
        if (!thresholds.counts(i)) continue;
        const double tie = (thresholds.result(i) - 0.5) * unit;
        const auto least = static_cast<double>(thresholds.least[i]);
        above = std::min(above, least - tie);
        below = std::min(below, tie - (least - 1));
    }
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

// ---- Functions of one byte ----

namespace {

/// Highest number of pieces that is faster than looking values up.
constexpr std::size_t kMostPieces = 40;

bool matches(const ByteProgram& program, std::span<const std::int32_t> results,
             std::int32_t input_offset, std::int32_t output_offset) {
    for (std::size_t i = 0; i < results.size(); ++i) {
        const auto value =
            static_cast<float>(static_cast<std::int32_t>(i) + kLowestByte - input_offset);
        if (function_value(program, {&value, 1}) !=
            static_cast<float>(results[i] - output_offset)) {
            return false;
        }
    }
    return true;
}

/// A chain of straight lines that stays within half a unit of all results, with as few knots as
/// there can be when their heights are multiples of a fraction of a unit.
class LineChain {
 public:
    explicit LineChain(std::span<const std::int32_t> results) : results_(results) {}

    struct Knot {
        double x = 0, y = 0;
    };
    /// First point, inner knots, last point.
    std::vector<Knot> run() {
        const std::size_t count = results_.size();
        states_.assign(count * kHeights, {});
        for (int h = 0; h < kHeights; ++h) at(0, h).lines = 0;
        for (std::size_t from = 0; from + 1 < count; ++from) {
            for (int h = 0; h < kHeights; ++h) extend(from, h);
        }
        std::size_t best = 0;
        for (int h = 1; h < kHeights; ++h) {
            if (at(count - 1, h).lines < at(count - 1, static_cast<int>(best)).lines) {
                best = static_cast<std::size_t>(h);
            }
        }
        std::vector<Knot> knots;
        for (std::size_t state = (count - 1) * kHeights + best;;) {
            knots.push_back({static_cast<double>(state / kHeights),
                             height(state / kHeights, static_cast<int>(state % kHeights))});
            if (state < kHeights) break;
            state = states_[state].before;
        }
        std::reverse(knots.begin(), knots.end());
        return knots;
    }

 private:
    static constexpr int kHeights = 11;
    static constexpr double kRoom = 0.49;  ///< the rest is for rounding
    struct State {
        int lines = std::numeric_limits<int>::max();
        std::size_t before = 0;
    };
    State& at(std::size_t x, int h) { return states_[x * kHeights + static_cast<std::size_t>(h)]; }
    double height(std::size_t x, int h) const {
        return results_[x] + kRoom * (h - kHeights / 2) / (kHeights / 2);
    }

    /// Lines from a knot to all that it can reach.
    void extend(std::size_t from, int h) {
        const State own = at(from, h);
        if (own.lines == std::numeric_limits<int>::max()) return;
        const double y = height(from, h);
        double lowest = -std::numeric_limits<double>::infinity();
        double highest = std::numeric_limits<double>::infinity();
        for (std::size_t to = from + 1; to < results_.size(); ++to) {
            const auto distance = static_cast<double>(to - from);
            for (int k = 0; k < kHeights; ++k) {
                const double slope = (height(to, k) - y) / distance;
                if (slope < lowest || slope > highest) continue;
                State& next = at(to, k);
                if (own.lines + 1 < next.lines) {
                    next = {own.lines + 1, from * kHeights + static_cast<std::size_t>(h)};
                }
            }
            lowest = std::max(lowest, (results_[to] - kRoom - y) / distance);
            highest = std::min(highest, (results_[to] + kRoom - y) / distance);
            if (lowest > highest) return;
        }
    }

    std::span<const std::int32_t> results_;
    std::vector<State> states_;
};

}  // namespace

namespace {

/// One straight line between the least and the greatest result.
std::optional<ByteProgram> line_program(std::span<const std::int32_t> results,
                                        std::int32_t input_offset, std::int32_t output_offset) {
    const auto [least, greatest] = std::minmax_element(results.begin(), results.end());
    constexpr double kFar = 1e6;
    // Constants that all results allow, for a slope.
    const auto allowed = [&](double slope) {
        std::pair<double, double> range{-kFar, kFar};
        for (std::size_t i = 0; i < results.size(); ++i) {
            const double rise = slope * static_cast<double>(i);
            if (results[i] != *least) range.first = std::max(range.first, results[i] - 0.5 - rise);
            if (results[i] != *greatest) {
                range.second = std::min(range.second, results[i] + 0.5 - rise);
            }
        }
        return range;
    };
    const auto width = [&](double slope) {
        const auto [low, high] = allowed(slope);
        return high - low;
    };
    // The width rises to its maximum and falls again.
    double from = -256, to = 256;
    constexpr int kSteps = 80;
    for (int i = 0; i < kSteps; ++i) {
        const double third = (to - from) / 3;
        if (width(from + third) < width(to - third)) {
            from += third;
        } else {
            to -= third;
        }
    }
    const double slope = (from + to) / 2;
    const auto [low, high] = allowed(slope);
    if (low >= high) return std::nullopt;
    ByteProgram program;
    program.factors = {static_cast<float>(slope)};
    program.constant = static_cast<float>(std::clamp((low + high) / 2, -kFar / 2, kFar / 2) +
                                          slope * (input_offset - kLowestByte) - output_offset);
    program.clamps = true;
    program.low = static_cast<float>(*least - output_offset);
    program.high = static_cast<float>(*greatest - output_offset);
    if (!matches(program, results, input_offset, output_offset)) return std::nullopt;
    return program;
}

}  // namespace

std::optional<ByteProgram> table_program(std::span<const std::int32_t> results,
                                         std::int32_t input_offset, std::int32_t output_offset) {
    if (auto line = line_program(results, input_offset, output_offset)) return line;
    const auto knots = LineChain(results).run();
    if (knots.size() > kMostPieces + 2) return std::nullopt;
    const auto slope = [&](std::size_t i) {
        return (knots[i + 1].y - knots[i].y) / (knots[i + 1].x - knots[i].x);
    };
    const auto map_value = [&](double index) { return index + kLowestByte - input_offset; };
    ByteProgram program;
    program.factors = {static_cast<float>(slope(0))};
    double constant = knots[0].y - slope(0) * map_value(knots[0].x) - output_offset;
    for (std::size_t i = 1; i + 1 < knots.size(); ++i) {
        const double rise = slope(i) - slope(i - 1);
        const double knot = map_value(knots[i].x);
        program.pieces.push_back({static_cast<float>(knot), static_cast<float>(rise)});
        constant -= rise * knot;
    }
    program.constant = static_cast<float>(constant);
    if (!matches(program, results, input_offset, output_offset)) return std::nullopt;
    return program;
}

// ---- Functions of two bytes ----

namespace {

/// All pairs of bytes, and what their function makes of them.
class Pairs {
 public:
    Pairs(const PairFunction& function, std::span<const std::int32_t> offsets,
          std::int32_t output_offset)
        : function_(function), offsets_{offsets[0], offsets[1]}, output_offset_(output_offset) {
        for (std::int32_t a = kLowestByte; a <= kHighestByte; ++a) {
            for (std::int32_t b = kLowestByte; b <= kHighestByte; ++b) {
                exact_.push_back(function.exact(a, b));
            }
        }
    }

    /// Factors and constant with which map values round to all results in exact arithmetic.
    struct Weights {
        std::array<double, 2> factors{};
        double constant = 0;
    };
    /// The function rounds what it adds up, so that factors a little beside its own may do.
    std::optional<Weights> weights() const {
        constexpr int kMost = 4;
        for (int reach = 0; reach <= kMost; ++reach) {
            for (int u = -reach; u <= reach; ++u) {
                for (int v = -reach; v <= reach; ++v) {
                    if (std::max(std::abs(u), std::abs(v)) != reach) continue;
                    const std::array<double, 2> factors{function_.factors[0] * (1 + u * 0x1p-28),
                                                        function_.factors[1] * (1 + v * 0x1p-28)};
                    if (const auto found = constant(factors)) return Weights{factors, *found};
                }
            }
        }
        return std::nullopt;
    }

    bool match(const ByteProgram& program) const {
        for (std::size_t i = 0; i < exact_.size(); ++i) {
            const auto exact = static_cast<float>(exact_[i] - output_offset_);
            if (function_value(program, maps(i)) != exact) return false;
        }
        return true;
    }

 private:
    /// The middle of the constants that do; nothing where there are none.
    std::optional<double> constant(std::span<const double> factors) const {
        double from = -std::numeric_limits<double>::infinity();
        double to = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < exact_.size(); ++i) {
            const auto values = maps(i);
            const double sum = factors[0] * static_cast<double>(values[0]) +
                               factors[1] * static_cast<double>(values[1]);
            const double result = exact_[i] - output_offset_;
            if (exact_[i] != function_.low) from = std::max(from, result - 0.5 - sum);
            if (exact_[i] != function_.high) to = std::min(to, result + 0.5 - sum);
            if (!(from < to)) return std::nullopt;
        }
        if (!std::isfinite(from) || !std::isfinite(to)) return std::nullopt;
        return from + (to - from) / 2;
    }

    std::array<float, 2> maps(std::size_t i) const {
        constexpr std::size_t kBytes = 256;
        const auto map = [&](std::size_t byte, std::size_t operand) {
            return static_cast<float>(static_cast<std::int32_t>(byte) + kLowestByte -
                                      offsets_[operand]);
        };
        return {map(i / kBytes, 0), map(i % kBytes, 1)};
    }

    const PairFunction& function_;
    std::array<std::int32_t, 2> offsets_;
    std::int32_t output_offset_;
    std::vector<std::int32_t> exact_;
};

ByteProgram settled(ByteProgram program, std::span<const double> factors, double constant) {
    program.kind = ByteProgramKind::kSettledPair;
    // Products of 9 bits and their sums are exact in units of it.
    constexpr int kUnit = -13;
    const auto shortened = [](double value) {
        return std::ldexp(std::nearbyint(std::ldexp(value, -kUnit)), kUnit);
    };
    program.low -= 0.25f;
    program.high -= 0.75f;
    program.constant = static_cast<float>(shortened(constant) - 0.5);
    program.factors.clear();
    for (const double factor : factors) {
        program.factors.push_back(static_cast<float>(shortened(factor)));
        program.rests.push_back(static_cast<float>(factor - shortened(factor)));
    }
    program.rests.push_back(static_cast<float>(constant - shortened(constant)));
    return program;
}

}  // namespace

std::optional<ByteProgram> pair_program(const PairFunction& function,
                                        std::span<const std::int32_t> input_offsets,
                                        std::int32_t output_offset) {
    const Pairs pairs(function, input_offsets, output_offset);
    if (function.low >= function.high) return std::nullopt;
    const std::optional<Pairs::Weights> weights = pairs.weights();
    if (!weights) return std::nullopt;
    ByteProgram program;
    program.clamps = true;
    program.low = static_cast<float>(function.low - output_offset);
    program.high = static_cast<float>(function.high - output_offset);
    const ByteProgram exact = settled(program, weights->factors, weights->constant);
    program.factors = {static_cast<float>(weights->factors[0]),
                       static_cast<float>(weights->factors[1])};
    program.constant = static_cast<float>(weights->constant);
    if (pairs.match(program)) return program;
    if (pairs.match(exact)) return exact;
    return std::nullopt;
}

}  // namespace okksim::kernels::layers
