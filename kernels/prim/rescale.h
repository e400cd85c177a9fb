// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/prim/convert.h"
#include "kernels/prim/exact_sum.h"
#include "kernels/prim/local_tensor.h"
#include "kernels/prim/value_form.h"

/// Exact scaling of integers, (value * multiplier + rounding) >> shift (TOSA 1.0.1, 2.13.2
/// and 4.5.5).
///
/// A value is a sum of fp32 parts whose products with short digits of the multiplier are exact. The
/// result is estimated in fp32. The nearest rounding tie is subtracted from the exact sum of
/// products, largest first, and the sign of the difference decides.
namespace okksim::kernels::prim {

enum class ScaleRounding : std::uint8_t {
    kSingle,   ///< exact: half up
    kDouble,   ///< exact: as TFLite's two-step rounding
    kInexact,  ///< within the bound of INEXACT_ROUND, fewer commands
};

struct ScaleFactor {
    std::int32_t multiplier = 0;  ///< 0 .. 2^31-1 (apply_scale_16: 0 .. 2^15-1)
    int shift = 2;                ///< 2 .. 62
};

/// Range of the result: int8, int16, ... ranges are the output type's, with the zero point added.
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

/// Values to detect while they are scaled: `factor` (or `row`, if factors differ) times the value
/// has a magnitude above `magnitude`, in fp32. Sets their sign bits in `flags`. 4 commands, one
/// plane.
struct ValueWatch {
    LocalTensor flags;
    float factor = 0.0f;
    std::optional<LocalTensor> row;
    float magnitude = 1.0f;
};

/// A planned rescale. The control processor computes digits and command sequence once from the
/// factors; run() issues the commands for one tile.
class Rescale {
 public:
    /// `factors`: one, or one per channel (or per position, if the rows of run() are). Uses the
    /// command of the group requantise if `lanes` have it, except for int48 and checks.
    Rescale(ValueForm form, std::span<const ScaleFactor> factors, ScaleRounding rounding,
            const ScaleOutput& output, const Lanes& lanes);

    /// Rows of fp32 constants that several factors need in local memory; 0 for one factor.
    int constant_rows() const { return per_channel_ ? static_cast<int>(rows_.size()) : 0; }
    /// The rows, one after the other, each with one value per factor.
    std::vector<float> constants() const;

    /// Words of the plan without constants(): its terms, the positions of the tie, and the forms of
    /// values and results.
    std::uint64_t argument_words() const {
        return 8 + 3 * terms_.size() + 2 * tie_positions_.size();
    }
    /// Scratch planes that run() needs.
    int planes() const;
    /// dst: fp32 integers in [output.low, output.high], or words for an int32 output; aligned
    /// layout; may be the value. `value`: the value minus its zero point, in the planned form
    /// (kInt48: the second overload). `rows`: the constants in local memory as operands of dst's
    /// shape. Examples are channel_vector() of a compact [1, C, 1, 1] vector, or constants per
    /// position with C stride 0.
    void run(const LocalTensor& dst, const LocalTensor& value, std::span<const LocalTensor> rows,
             Scratch& scratch, const ValueWatch* watch = nullptr) const;
    void run(const LocalTensor& dst, const WideTensor& value, std::span<const LocalTensor> rows,
             Scratch& scratch, const ValueWatch* watch = nullptr) const;
    /// `value`: a sum of passes (kInt32: |value| < 2^31, without top; kInt48: with top), which is
    /// destroyed. Saves the conversion to words.
    void run(const LocalTensor& dst, const ExactSum& value, std::span<const LocalTensor> rows,
             Scratch& scratch) const;

 private:
    /// One exact product: part `part` of the value times constants row `row`.
    struct Term {
        int part;
        int row;
        int weight;  ///< products are multiples of 2^(weight - shift)
    };
    /// Position where the rounding tie is subtracted: after `terms` products, from the channels
    /// whose entry in the row is -1 (all channels without a row).
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
    std::vector<ScaleFactor> factors_;  ///< the single factor of a native rescale
    /// [row][channel]; row 0 is the factor rounded to fp32. In a native rescale the next rows are
    /// the bits of multipliers and shifts.
    std::vector<std::vector<float>> rows_;
    std::vector<Term> terms_;  ///< largest weight first
    std::vector<TiePosition> tie_positions_;
    std::optional<int> double_row_;  ///< 2^(30-shift), or 0 if the shift is below 32
};

/// The multiplier and shift that divide by `value` (TOSA 1.0.1, 4.5.5 reciprocal_scale).
ScaleFactor reciprocal_scale(std::uint32_t value);

}  // namespace okksim::kernels::prim
