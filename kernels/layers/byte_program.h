// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "kernels/prim/magic.h"
#include "kernels/prim/rescale.h"

/// Exact functions of integers in few fp32 commands. Integers that fp32 holds pass products and
/// sums that round. When the graph is planned, every possible int8 result is checked, so a returned
/// program is right for all operands. Pure.
namespace okksim::kernels::layers {

enum class ByteProgramKind : std::uint8_t {
    /// Sums times a factor per channel: round(sum * f + b).
    kScaled,
    /// kScaled if fp32 cannot distinguish the ties of large sums. A first result may be one too
    /// low. One is added if the sum, minus the share of the first result, is beyond the tie.
    kSettled,
    /// A function of one or two bytes: round(sum of feature maps * factors + pieces + c).
    kFunction,
    /// A function of two bytes whose ties fp32 cannot distinguish. A first result uses exact
    /// products. One is added if their remainder, with the rests of the factors, is beyond the tie.
    kSettledPair,
};

/// The slope of the function increases by `slope` from `knot` on.
struct BytePiece {
    float knot = 0, slope = 0;
};

/// Feature maps hold int8 values minus the offset of the feature map.
struct ByteProgram {
    ByteProgramKind kind = ByteProgramKind::kFunction;
    /// Six rows at most, one value per channel, one after the other in local memory. kScaled: f, b.
    /// kSettled: f and b of the first result; the sum per unit of the result and that per tie,
    /// shortened; the remainders of both.
    std::vector<std::vector<float>> rows;
    std::vector<float> factors;  ///< per feature map, for functions of bytes
    float constant = 0;          ///< c, for functions of bytes
    std::vector<float> rests;    ///< kSettledPair: rests of the factors and of c
    std::vector<BytePiece> pieces;
    bool clamps = false;
    float low = 0, high = 0;  ///< before rounding
    float shift = 0;          ///< added to the rounded value, an integer

    int row_count() const { return static_cast<int>(rows.size()); }
    int planes() const;  ///< scratch planes of the result's shape
    std::uint64_t argument_words() const {
        return 8 + factors.size() + rests.size() + 2 * pieces.size();  // rows are constants
    }
};

/// RESCALE of sums below 2^24 by a factor for each channel (TOSA 1.0.1, 2.13.2). `offset` is that
/// of the result's feature map. Returns nothing if no program is exact, and for DOUBLE_ROUND with
/// shifts above 31.
std::optional<ByteProgram> scale_program(std::span<const prim::ScaleFactor> factors,
                                         prim::ScaleRounding rounding,
                                         const prim::ScaleOutput& output, std::int32_t offset);

inline constexpr std::int32_t kLowestByte = -128, kHighestByte = 127;

/// `results`: for the inputs -128 to 127. Offsets of the feature maps read and written. Returns
/// nothing if the function needs too many pieces.
std::optional<ByteProgram> table_program(std::span<const std::int32_t> results,
                                         std::int32_t input_offset, std::int32_t output_offset);

/// A function of two bytes that rises with a * factors[0] + b * factors[1], rounded and clamped.
struct PairFunction {
    double factors[2] = {0, 0};
    std::int32_t low = kLowestByte, high = kHighestByte;  ///< of the result
    std::function<std::int32_t(std::int32_t, std::int32_t)> exact;
};
std::optional<ByteProgram> pair_program(const PairFunction& function,
                                        std::span<const std::int32_t> input_offsets,
                                        std::int32_t output_offset);

/// The nearest integer, ties to even, as commands find it.
inline float rounded(float value) {
    constexpr float kMagic = prim::rounding_magic(0);
    return (value + kMagic) - kMagic;
}
/// Result that the commands of kScaled and kSettled compute from a sum of a channel.
float scaled_value(const ByteProgram& program, std::size_t channel, float sum);

}  // namespace okksim::kernels::layers
