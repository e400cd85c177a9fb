// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "kernels/prim/magic.h"
#include "kernels/prim/rescale.h"

/// Exact functions of integers in few fp32 commands. Integers that fp32 holds go through products
/// and sums that round, and the few results that there are for int8 are checked, every one, when
/// the graph is planned: a program that comes out of here is right for all operands. Pure.
namespace okksim::kernels::layers {

enum class ByteProgramKind : std::uint8_t {
    /// Sums by factors per channel: round(sum * f + b).
    kScaled,
    /// The same where fp32 cannot tell the ties of large sums: a first result from above, and one
    /// more where the sum, less what the first result stands for, is beyond the tie.
    kSettled,
    /// Of one or two bytes: round(sum of maps * factors + pieces + c).
    kFunction,
    /// Of two bytes where fp32 cannot tell the ties: a first result from above of products that are
    /// exact, and one more where what they leave, with the rests of the factors, is beyond the tie.
    kSettledPair,
};

/// From `knot` on the function rises by so much more.
struct BytePiece {
    float knot = 0, slope = 0;
};

/// Maps hold an int8 value less an offset of theirs.
struct ByteProgram {
    ByteProgramKind kind = ByteProgramKind::kFunction;
    /// Per channel, one row after the other in local memory. kScaled: f, b. kSettled: f, b; the sum
    /// that a unit of the result stands for and that of the tie, cut short; the rests of both.
    std::vector<std::vector<float>> rows;
    std::vector<float> factors;  ///< of bytes: of the maps
    float constant = 0;          ///< of bytes: c
    std::vector<float> rests;    ///< kSettledPair: of the factors and of c
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

/// RESCALE of sums below 2^24 by a factor for each channel (TOSA 1.0.1, 2.13.2), whose result's map
/// has the offset. Nothing where no program is exact, and for DOUBLE_ROUND with shifts above 31.
std::optional<ByteProgram> scale_program(std::span<const prim::ScaleFactor> factors,
                                         prim::ScaleRounding rounding,
                                         const prim::ScaleOutput& output, std::int32_t offset);

inline constexpr std::int32_t kLowestByte = -128, kHighestByte = 127;

/// `results`: of -128 to 127; offsets of the maps read and written. Nothing where the function
/// takes too many pieces.
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
/// What the commands of a function of bytes make of maps' values: as commands do, in fp32.
float function_value(const ByteProgram& program, std::span<const float> values);
/// What those of kScaled and kSettled make of a sum of a channel.
float scaled_value(const ByteProgram& program, std::size_t channel, float sum);

}  // namespace okksim::kernels::layers
