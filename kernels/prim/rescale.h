// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/prim/convert.h"
#include "kernels/prim/exact_sum.h"
#include "kernels/prim/local_tensor.h"

/// Exact scaling of integers, (value * multiplier + rounding) >> shift (TOSA 1.0.1, 2.13.2
/// and 4.5.5).
///
/// A value is a sum of fp32 parts whose products with short digits of the multiplier are exact. The
/// result is estimated in fp32; the nearest rounding tie is subtracted from the exact sum of
/// products, largest first, and the sign of what is left decides.
namespace okksim::kernels::prim {

/// How a value is given.
enum class ValueForm : std::uint8_t {
    kFloat8,   ///< one fp32 integer, |value| <= 2^8
    kFloat16,  ///< one fp32 integer, |value| <= 2^16
    kFloat24,  ///< one fp32 integer, |value| <= 2^24
    kInt32,    ///< a word
    kInt48,    ///< two words
};

enum class ScaleRounding : std::uint8_t {
    kSingle,   ///< exact: half up
    kDouble,   ///< exact: as TFLite's two-step rounding
    kInexact,  ///< within the bound of INEXACT_ROUND, fewer commands
};

struct ScaleFactor {
    std::int32_t multiplier = 0;  ///< 0 .. 2^31-1 (apply_scale_16: 0 .. 2^15-1)
    int shift = 2;                ///< 2 .. 62
};

/// What comes out: int8, int16, ... ranges are the output type's, after the zero point is added.
struct ScaleOutput {
    std::int32_t low = -128;
    std::int32_t high = 127;
    std::int32_t zero_point = 0;

    /// Every int32 (no clamp): results are words instead of fp32 integers.
    bool is_int32() const { return low == INT32_MIN && high == INT32_MAX; }
};
inline constexpr ScaleOutput kInt8Output{-128, 127, 0};
inline constexpr ScaleOutput kInt16Output{-32768, 32767, 0};
inline constexpr ScaleOutput kInt32Output{INT32_MIN, INT32_MAX, 0};

/// Values to look out for while they are scaled: those that `factor` (`row`, where factors differ)
/// takes to a magnitude above `magnitude`, in fp32. Sets their sign bits in `flags`. 4 commands,
/// one plane.
struct ValueWatch {
    LocalTensor flags;
    float factor = 0.0f;
    std::optional<LocalTensor> row;
    float magnitude = 1.0f;
};

/// A planned rescale: digits and command sequence are worked out once, on the control processor,
/// from the factors; run() issues the commands for one tile.
class Rescale {
 public:
    /// `factors`: one, or one per channel (or per position: whatever the rows given to run() are).
    /// With the command of the group requantise where `lanes` have it: int48 and checks aside.
    Rescale(ValueForm form, std::span<const ScaleFactor> factors, ScaleRounding rounding,
            const ScaleOutput& output, const Lanes& lanes);

    /// Rows of fp32 constants that several factors need in local memory; 0 for one factor.
    int constant_rows() const { return per_channel_ ? static_cast<int>(rows_.size()) : 0; }
    /// The rows, one after the other, each with one value per factor.
    std::vector<float> constants() const;

    /// Words that hold the plan besides constants(): its terms, where the tie is subtracted, and
    /// how values are given and come out.
    std::uint64_t argument_words() const {
        return 8 + 3 * terms_.size() + 2 * tie_positions_.size();
    }
    /// Scratch planes that run() takes.
    int planes() const;
    /// dst: fp32 integers in [output.low, output.high], or words for an int32 output; aligned
    /// layout; may be the value. `value`: the value less its zero point, in the planned form
    /// (kInt48: the second overload). `rows`: the constants in local memory as operands of dst's
    /// shape, e.g. channel_vector() of a compact [1, C, 1, 1] vector, or a map of positions with C
    /// stride 0.
    void run(const LocalTensor& dst, const LocalTensor& value, std::span<const LocalTensor> rows,
             Scratch& scratch, const ValueWatch* watch = nullptr) const;
    void run(const LocalTensor& dst, const WideTensor& value, std::span<const LocalTensor> rows,
             Scratch& scratch, const ValueWatch* watch = nullptr) const;
    /// The value as a sum of passes (kInt32: |value| < 2^31, without top; kInt48: with top), which
    /// is destroyed. Saves the way over words.
    void run(const LocalTensor& dst, const ExactSum& value, std::span<const LocalTensor> rows,
             Scratch& scratch) const;

 private:
    /// One exact product: part `part` of the value times constants row `row`.
    struct Term {
        int part;
        int row;
        int weight;  ///< products are multiples of 2^(weight - shift)
    };
    /// Where the rounding tie is subtracted: after `terms` products, from the channels whose entry
    /// in the row is -1 (all channels without a row).
    struct TiePosition {
        std::size_t terms;
        std::optional<int> row;
    };
    class Run;

    void plan_native(std::span<const ScaleFactor> factors);
    void plan_digits(std::span<const ScaleFactor> factors);
    void plan_tie_positions(std::span<const ScaleFactor> factors);
    void plan_double_rounding(std::span<const ScaleFactor> factors);

    ValueForm form_;
    ScaleRounding rounding_;
    ScaleOutput output_;
    bool per_channel_;
    bool is_native_;
    std::vector<ScaleFactor> factors_;  ///< of a native one that all elements share: one
    /// [row][channel]; row 0 is the factor rounded to fp32. Native: then bits of multipliers and
    /// shifts.
    std::vector<std::vector<float>> rows_;
    std::vector<Term> terms_;  ///< largest weight first
    std::vector<TiePosition> tie_positions_;
    std::optional<int> double_row_;  ///< 2^(30-shift), or 0 where the shift is below 32
};

/// The multiplier and shift that divide by `value` (TOSA 1.0.1, 4.5.5 reciprocal_scale).
ScaleFactor reciprocal_scale(std::uint32_t value);

}  // namespace okksim::kernels::prim
