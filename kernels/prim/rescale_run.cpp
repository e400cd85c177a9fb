// SPDX-License-Identifier: Apache-2.0
// The commands of a planned rescale.
#include <algorithm>
#include <boost/container/static_vector.hpp>

#include "isa/base/errors.h"
#include "kernels/prim/magic.h"
#include "kernels/prim/native.h"
#include "kernels/prim/raw.h"
#include "kernels/prim/rescale.h"
#include "kernels/prim/rescale_cut.h"

namespace okksim::kernels::prim {
namespace {

/// Exponent of the unit whose multiples are first subtracted from int32 results.
constexpr int kCoarseUnit = 16;

}  // namespace

/// The commands of one run.
class Rescale::Run {
 public:
    Run(const Rescale& plan, const LocalTensor& dst, std::span<const LocalTensor> rows,
        Scratch& scratch, const ValueWatch* watch = nullptr)
        : plan_(plan), dst_(dst), rows_(rows), watch_(watch), scratch_(scratch), frame_(scratch) {}

    /// Uses the native command on words.
    void natively(const LocalTensor& value) {
        const bool is_word = plan_.form_ == ValueForm::kInt32;
        if (watch_ != nullptr) {
            value_ = is_word ? plane() : value;
            if (is_word) int32_to_float(value_, value, scratch_);
            look_out();
        }
        LocalTensor word = value;
        if (!is_word) {
            word = plane();
            raw::to_int32(word, value);
        }
        scale_natively(word.address, word.strides(), OKK_INT32);
    }

    /// Uses the native command on 64-bit numbers, whose words are adjacent.
    void natively(const WideTensor& words) {
        OKKSIM_CHECK(words.high.address == words.low.address + isa::kWordBytes && words.low.stride);
        if (watch_ != nullptr) {
            take_parts(words);
            look_out();
        }
        dim4 stride = *words.low.stride;
        for (int* step : {&stride.n, &stride.c, &stride.h, &stride.w}) *step /= 2;
        scale_natively(words.low.address, &stride, OKK_INT48);
    }

    void from_float(const LocalTensor& value) {
        value_ = value;
        const Cut cut = cut_of(plan_.form_);
        if (cut.parts == 1 || is_inexact()) {
            parts_ = {value};
        } else {
            parts_ = {plane(), plane()};
            split(parts_[1], parts_[0], value, cut.part_bits);
        }
        finish();
    }

    void from_int32(const LocalTensor& word) {
        value_ = plane();
        parts_ = {plane(), plane()};
        unsigned_half_to_float(parts_[0], word, Half::kLow, 0);
        signed_high_half_to_float(parts_[1], word, 16);
        raw::add(value_, parts_[1], parts_[0]);
        if (!is_inexact()) balance(value_, 1, 16);
        finish();
    }

    void from_sum(const ExactSum& sum) {
        carry_sum(sum, scratch_);
        value_ = plane();
        parts_ = {sum.low, sum.high};
        raw::add(value_, sum.high, sum.low);
        if (sum.top) {
            parts_.push_back(*sum.top);
            raw::add(value_, value_, *sum.top);
        }
        finish();
    }

    void from_int48(const WideTensor& words) {
        take_parts(words);
        finish();
    }

 private:
    /// Converts words to parts and their sum.
    void take_parts(const WideTensor& words) {
        value_ = plane();
        parts_ = {plane(), plane(), plane()};
        const LocalTensor upper = plane();
        unsigned_half_to_float(parts_[0], words.low, Half::kLow, 0);
        unsigned_half_to_float(parts_[1], words.low, Half::kHigh, 16);
        signed_low_half_to_float(parts_[2], words.high, 32);
        raw::add(value_, parts_[1], parts_[0]);
        if (!is_inexact()) balance(value_, 1, 16);
        raw::add(upper, parts_[2], parts_[1]);
        if (!is_inexact()) balance(upper, 2, 32);
        raw::add(value_, upper, parts_[0]);
    }

    LocalTensor plane() { return frame_.plane(dst_.shape); }
    bool is_inexact() const { return plan_.rounding_ == ScaleRounding::kInexact; }

    /// high + low = value with high the nearest multiple of 2^unit.
    void split(const LocalTensor& high, const LocalTensor& low, const LocalTensor& value,
               int unit) {
        raw::add(high, value, rounding_magic(unit));
        raw::subtract(high, high, rounding_magic(unit));
        raw::subtract(low, value, high);
    }

    /// Rounds the sum of part `index` and the part below to the nearest multiple of 2^unit. This
    /// becomes part `index`. Small negative values then have no high part, which would cancel.
    void balance(const LocalTensor& sum, std::size_t index, int unit) {
        const LocalTensor nearest = plane();
        raw::add(nearest, sum, rounding_magic(unit));
        raw::subtract(nearest, nearest, rounding_magic(unit));
        raw::subtract(parts_[index], parts_[index], nearest);
        raw::add(parts_[index - 1], parts_[index - 1], parts_[index]);
        parts_[index] = nearest;
    }

    void multiply(const LocalTensor& dst, const LocalTensor& a, int row) {
        if (plan_.per_channel_) {
            raw::multiply(dst, a, rows_[static_cast<std::size_t>(row)]);
        } else {
            raw::multiply(dst, a, plan_.rows_[static_cast<std::size_t>(row)][0]);
        }
    }
    void multiply_add(const LocalTensor& dst, const LocalTensor& a, int row) {
        if (plan_.per_channel_) {
            raw::multiply_add(dst, a, rows_[static_cast<std::size_t>(row)]);
        } else {
            raw::multiply_add(dst, a, plan_.rows_[static_cast<std::size_t>(row)][0]);
        }
    }

    /// Writes scaled numbers of type `type` to dst, then converts them if the result is fp32.
    void scale_natively(local_addr_t from, const dim4* stride, okk_element_t type) {
        const ScaleOutput& output = plan_.output_;
        const bool rounds_twice = plan_.rounding_ == ScaleRounding::kDouble;
        if (plan_.per_channel_) {
            const LocalTensor& multipliers = rows_[1];
            const LocalTensor& shifts = rows_[2];
            okk_bdc_rescale(dst_.address, from, multipliers.address, shifts.address, &dst_.shape,
                            dst_.strides(), stride, multipliers.strides(), OKK_INT32, type, 0,
                            output.zero_point, output.low, output.high, rounds_twice);
        } else {
            const ScaleFactor& factor = plan_.factors_.front();
            okk_bdc_rescale_C(dst_.address, from, factor.multiplier, factor.shift, &dst_.shape,
                              dst_.strides(), stride, OKK_INT32, type, 0, output.zero_point,
                              output.low, output.high, rounds_twice);
        }
        if (output.is_int32()) return;
        if (scratch_.lanes().has(isa::Feature::kConvert)) {
            native::cast(dst_, OKK_FP32, dst_, OKK_INT32);
        } else {
            small_int32_to_float(dst_, dst_);
        }
    }

    void look_out() {
        if (watch_ == nullptr) return;
        Scratch::Frame frame(scratch_);
        const LocalTensor magnitude = frame.plane(dst_.shape);
        if (watch_->row) {
            raw::multiply(magnitude, value_, *watch_->row);
        } else {
            raw::multiply(magnitude, value_, watch_->factor);
        }
        raw::bit_and(magnitude, magnitude, kMagnitudeBits);
        raw::select_greater(magnitude, magnitude, watch_->magnitude, kSignBit);
        raw::bit_or(watch_->flags, watch_->flags, magnitude);
    }

    void finish() {
        look_out();
        if (is_inexact()) {
            finish_inexact();
        } else if (plan_.terms_.empty()) {
            finish_zero();
        } else if (plan_.output_.is_int32()) {
            finish_int32();
        } else {
            finish_clamped();
        }
    }

    /// Result if every multiplier is zero.
    void finish_zero() {
        if (plan_.output_.is_int32()) {
            raw::fill(dst_, 0u);
            return;
        }
        const std::int32_t result =
            std::clamp(plan_.output_.zero_point, plan_.output_.low, plan_.output_.high);
        raw::fill(dst_, static_cast<float>(result));
    }

    void finish_inexact() {
        const LocalTensor estimate = plane();
        multiply(estimate, value_, 0);
        if (plan_.output_.is_int32()) {
            round_to_int32(dst_, estimate, scratch_);
            return;
        }
        clamp_to_output(estimate, 0.0f);
        raw::add(estimate, estimate, rounding_magic(0));
        raw::subtract(estimate, estimate, rounding_magic(0));
        raw::add(dst_, estimate, static_cast<float>(plan_.output_.zero_point));
    }

    /// Clamps to the output's range minus its zero point, narrowed by `margin` at both ends.
    void clamp_to_output(const LocalTensor& value, float margin) {
        const ScaleOutput& output = plan_.output_;
        raw::maximum(value, value, static_cast<float>(output.low - output.zero_point) + margin);
        raw::minimum(value, value, static_cast<float>(output.high - output.zero_point) - margin);
    }

    /// The rounding tie next to the estimate: rne(estimate - 1/2) + 1/2.
    void nearest_tie(const LocalTensor& estimate) {
        raw::add(estimate, estimate, -0.5f);
        raw::add(estimate, estimate, rounding_magic(0));
        raw::subtract(estimate, estimate, rounding_magic(0));
        raw::add(estimate, estimate, 0.5f);
    }

    /// sum = exact scaled value - coarse - tie, rounded without changing its sign. Every addition
    /// is exact or leaves more than all later terms together.
    void signed_distance(const LocalTensor& sum, const LocalTensor* coarse,
                         const LocalTensor* tie) {
        bool double_done = !plan_.double_row_ || tie == nullptr;
        for (std::size_t i = 0; i < plan_.terms_.size(); ++i) {
            const Term& term = plan_.terms_[i];
            const LocalTensor& part = parts_[static_cast<std::size_t>(term.part)];
            if (i == 0) {
                multiply(sum, part, term.row);
                if (coarse != nullptr) raw::subtract(sum, sum, *coarse);
            } else {
                if (!double_done && term.weight < 30) {
                    add_double_rounding(sum);
                    double_done = true;
                }
                multiply_add(sum, part, term.row);
            }
            if (tie != nullptr) subtract_tie(sum, *tie, i + 1);
        }
        if (!double_done) add_double_rounding(sum);
    }

    void subtract_tie(const LocalTensor& sum, const LocalTensor& tie, std::size_t terms) {
        for (const TiePosition& position : plan_.tie_positions_) {
            if (position.terms != terms) continue;
            if (position.row) {
                multiply_add(sum, tie, *position.row);
            } else {
                raw::subtract(sum, sum, tie);
            }
        }
    }

    /// Two-step rounding adds 2^30 to the product of a value that is not negative, subtracts it
    /// otherwise (shifts above 31).
    void add_double_rounding(const LocalTensor& sum) {
        const LocalTensor sign = plane();
        raw::select_less(sign, value_, 0.0f, float_bits(2.0f));
        raw::subtract_from(sign, sign, 1.0f);
        multiply_add(sum, sign, *plan_.double_row_);
    }

    void finish_clamped() {
        const LocalTensor tie = plane();
        const LocalTensor sum = plane();
        multiply(tie, value_, 0);
        clamp_to_output(tie, 0.25f);
        nearest_tie(tie);
        signed_distance(sum, nullptr, &tie);
        raw::select_less(sum, sum, 0.0f, kOneBits);
        raw::subtract(tie, tie, sum);
        raw::add(dst_, tie, 0.5f + static_cast<float>(plan_.output_.zero_point));
    }

    /// Subtracts a multiple of 2^16 near the result first, then proceeds as for narrow outputs.
    void finish_int32() {
        const LocalTensor coarse = plane();
        const LocalTensor rest = plane();
        const LocalTensor sum = plane();
        multiply(coarse, value_, 0);
        raw::add(coarse, coarse, rounding_magic(kCoarseUnit));
        raw::subtract(coarse, coarse, rounding_magic(kCoarseUnit));
        signed_distance(rest, &coarse, nullptr);
        nearest_tie(rest);
        signed_distance(sum, &coarse, &rest);
        raw::select_less(sum, sum, 0.0f, kOneBits);
        raw::subtract(rest, rest, sum);
        raw::add(rest, rest, 0.5f);
        // coarse + rest as a word: a negative rest borrows from the high half.
        raw::select_less(sum, rest, 0.0f, float_bits(power_of_two(kCoarseUnit)));
        raw::subtract(coarse, coarse, sum);
        raw::multiply(coarse, coarse, power_of_two(-kCoarseUnit));
        raw::to_int32(coarse, coarse);
        raw::shift_left(coarse, coarse, kCoarseUnit);
        raw::to_int32(rest, rest);
        raw::bit_and(rest, rest, 0xFFFFu);
        raw::bit_or(dst_, coarse, rest);
    }

    const Rescale& plan_;
    LocalTensor dst_;
    std::span<const LocalTensor> rows_;
    const ValueWatch* watch_;
    Scratch& scratch_;
    Scratch::Frame frame_;
    LocalTensor value_;  ///< the value in fp32, rounded
    /// Lowest first; their sum is the value.
    boost::container::static_vector<LocalTensor, 3> parts_;
};

void Rescale::run(const LocalTensor& dst, const LocalTensor& value,
                  std::span<const LocalTensor> rows, Scratch& scratch,
                  const ValueWatch* watch) const {
    OKKSIM_CHECK(form_ != ValueForm::kInt48);
    OKKSIM_CHECK(static_cast<int>(rows.size()) >= constant_rows());
    Run run(*this, dst, rows, scratch, watch);
    if (is_native_) return run.natively(value);
    if (form_ == ValueForm::kInt32) {
        run.from_int32(value);
    } else {
        run.from_float(value);
    }
}

void Rescale::run(const LocalTensor& dst, const WideTensor& value,
                  std::span<const LocalTensor> rows, Scratch& scratch,
                  const ValueWatch* watch) const {
    OKKSIM_CHECK(form_ == ValueForm::kInt48);
    OKKSIM_CHECK(static_cast<int>(rows.size()) >= constant_rows());
    Run run(*this, dst, rows, scratch, watch);
    if (is_native_) return run.natively(value);
    run.from_int48(value);
}

void Rescale::run(const LocalTensor& dst, const ExactSum& value, std::span<const LocalTensor> rows,
                  Scratch& scratch) const {
    OKKSIM_CHECK(form_ == (value.top ? ValueForm::kInt48 : ValueForm::kInt32));
    OKKSIM_CHECK(static_cast<int>(rows.size()) >= constant_rows());
    Run run(*this, dst, rows, scratch);
    if (!is_native_) return run.from_sum(value);
    OKKSIM_CHECK(!value.top);
    // The plane of the low part holds the word.
    const LocalTensor word = value.low;
    sum_to_int32(word, value, scratch);
    run.natively(word);
}

}  // namespace okksim::kernels::prim
