// SPDX-License-Identifier: Apache-2.0
// Functions of one byte.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/layers/byte_program.h"
#include "kernels/layers/function_value.h"

namespace okksim::kernels::layers {
namespace {

/// Most pieces with which a program is faster than a lookup of the values.
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

/// A chain of straight lines that stays within half a unit of all results. It has the fewest knots
/// possible with heights that are multiples of a fraction of a unit.
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
    static constexpr double kRoom = 0.49;  ///< units; the rest up to 0.5 is for rounding
    struct State {
        int lines = std::numeric_limits<int>::max();
        std::size_t before = 0;
    };
    State& at(std::size_t x, int h) { return states_[x * kHeights + static_cast<std::size_t>(h)]; }
    double height(std::size_t x, int h) const {
        return results_[x] + kRoom * (h - kHeights / 2) / (kHeights / 2);
    }

    /// Extends lines from a knot to all points within reach.
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

/// One straight line between the least and the greatest result.
std::optional<ByteProgram> line_program(std::span<const std::int32_t> results,
                                        std::int32_t input_offset, std::int32_t output_offset) {
    const auto [least, greatest] = std::minmax_element(results.begin(), results.end());
    constexpr double kFar = 1e6;
    // Range of constants that all results allow for a slope.
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
    // Ternary search: the width rises to its maximum and falls again.
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

}  // namespace okksim::kernels::layers
