// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/prim/float_ops.h"
#include "kernels/prim/local_tensor.h"
#include "kernels/transfer/tile_io.h"

namespace okksim::kernels {

/// Function that combines many values into one.
enum class Combination : std::uint8_t {
    kFloatSum,          ///< fp32
    kIntegerSum,        ///< int32 words, modulo 2^32
    kCheckedSum,        ///< int32 words, exact: sums outside int32 are violations
    kCheckedWindowSum,  ///< kCheckedSum for at most 2^26 words of 16 bits, settled separately
    kFloatMaximum,      ///< fp32 with a NaN mode
    kFloatMinimum,
    kPlainMaximum,  ///< fp32 without NaN: i8 and i16 as fp32
    kPlainMinimum,
    kIntegerMaximum,  ///< int32 words
    kIntegerMinimum,
    kAnd,  ///< bool words
    kOr,
    kProduct,         ///< fp32; intermediate results neither overflow nor underflow
    kPlainArgmax,     ///< index of the largest fp32 without NaN
    kFloatArgmax,     ///< index of the largest fp32 of magnitude below 2^99, NaN or infinity
    kFullRangeArgmax  ///< index of the largest fp32, denormals distinguished
};

/// Most words per value.
inline constexpr std::size_t kMostParts = 3;

/// Values during a combination: one to three words each, in planes of the same shape and layout.
struct Values {
    std::array<prim::LocalTensor, kMostParts> part;
};

/// Windows over the height and width of a tensor, as one command supports them.
struct WindowShape {
    std::int32_t height = 1, width = 1;
    Padding padding{0, 0, 0, 0};
    dim2 stride{1, 1};
    /// Factor of the terms of sums, applied before they are added.
    float weight = 1.0f;
};

/// The rules of one combination. prepare() converts words to values. Values combine in any grouping
/// (ordered(): in the order of the axis). finish() returns result words.
class Combiner {
 public:
    Combiner(Combination combination, prim::NanMode nan_mode)
        : combination_(combination), nan_mode_(nan_mode) {}
    /// Returns the rules for at most `terms` words; kCheckedSum needs this number.
    Combiner of_terms(std::int64_t terms) const {
        Combiner combiner = *this;
        combiner.terms_ = terms;
        return combiner;
    }

    /// Words per value: 1, 2 or 3.
    int parts() const;
    /// Scratch planes that every function here needs, of its operands' shape.
    int planes() const;
    /// True for the index of the maximum. The last part is then the index, an int32 word that the
    /// caller writes. The parts before it are fp32 keys without NaN and -0, the most significant
    /// first. All keys but the first are at least 1.
    bool ordered() const;
    /// True if results may be combined again as words.
    bool repeats() const { return !ordered() && combination_ != Combination::kProduct; }
    /// True if one command combines whole windows of words without prepare(). Its padding changes
    /// no result. Sums have two running totals.
    bool has_window() const {
        return combination_ == Combination::kFloatSum || combination_ == Combination::kPlainMaximum;
    }
    /// True if finish() checks for violations.
    bool checks() const {
        return combination_ == Combination::kCheckedSum ||
               combination_ == Combination::kCheckedWindowSum;
    }
    /// Number of prepared or settled values that may combine before they must be settled.
    std::int64_t most_unsettled() const;
    /// The fp32 or int32 word that changes no result: for padding, before prepare().
    std::uint32_t neutral() const;

    /// Converts the words in part 0 to values; all parts are in the aligned layout.
    void prepare(const Values& values, prim::Scratch& scratch) const;
    /// dst = a combined with b; a is first on the axis. dst may be a, also with strides.
    void combine(const Values& dst, const Values& a, const Values& b, prim::Scratch& scratch) const;
    /// dst = all windows of `source`. Both are in the aligned layout and do not overlap. Needs
    /// has_window().
    void combine_window(const prim::LocalTensor& dst, const prim::LocalTensor& source,
                        const WindowShape& window) const;
    /// Reduces values so that further ones can be combined. Any layout.
    void settle(const Values& values, prim::Scratch& scratch) const;
    /// Returns the words of the result, which are in one of the parts. Aligned layout.
    /// `violations`, a plane of the same shape: receives sign bits if checks() and the result does
    /// not exist.
    prim::LocalTensor finish(const Values& values, prim::Scratch& scratch,
                             const prim::LocalTensor* violations = nullptr) const;

 private:
    void combine_indices(const Values& dst, const Values& a, const Values& b,
                         prim::Scratch& scratch) const;

    Combination combination_;
    prim::NanMode nan_mode_;
    std::int64_t terms_ = 1;
};

}  // namespace okksim::kernels
