// SPDX-License-Identifier: Apache-2.0
// Functions of two bytes.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "kernels/layers/byte_program.h"
#include "kernels/layers/pair_value.h"

namespace okksim::kernels::layers {
namespace {

/// All pairs of bytes with the exact results of a function.
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

    /// Factors and constant that give all results in exact arithmetic, after rounding.
    struct Weights {
        std::array<double, 2> factors{};
        double constant = 0;
    };
    /// The function rounds its sum, so factors slightly different from its exact ones may work.
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
        return program.kind == ByteProgramKind::kFunction
                   ? match<ByteProgramKind::kFunction>(program)
                   : match<ByteProgramKind::kSettledPair>(program);
    }

 private:
    static constexpr std::size_t kBytes = 256;

    template <ByteProgramKind kKind>
    bool match(const ByteProgram& program) const {
        const PairValue value(program);
        for (std::size_t a = 0; a < kBytes; ++a) {
            // The inner loop has no early exit, so the compiler can vectorise it.
            const float first = map(a, 0);
            const std::int32_t* exact = &exact_[a * kBytes];
            int wrong = 0;
            for (std::size_t b = 0; b < kBytes; ++b) {
                const float result = value.of<kKind>(first, map(b, 1));
                wrong |= static_cast<int>(result != static_cast<float>(exact[b] - output_offset_));
            }
            if (wrong != 0) return false;
        }
        return true;
    }

    /// The middle of the range of valid constants; nothing if the range is empty.
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

    float map(std::size_t byte, std::size_t operand) const {
        return static_cast<float>(static_cast<std::int32_t>(byte) + kLowestByte -
                                  offsets_[operand]);
    }
    std::array<float, 2> maps(std::size_t i) const {
        return {map(i / kBytes, 0), map(i % kBytes, 1)};
    }

    const PairFunction& function_;
    std::array<std::int32_t, 2> offsets_;
    std::int32_t output_offset_;
    std::vector<std::int32_t> exact_;
};

ByteProgram settled(ByteProgram program, std::span<const double> factors, double constant) {
    program.kind = ByteProgramKind::kSettledPair;
    // Exponent of a unit in which products of 9 bits and their sums are exact.
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
