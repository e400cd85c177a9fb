// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/accumulator.h"

#include "kernels/call/computing.h"
#include "kernels/prim/convert.h"
#include "kernels/prim/magic.h"
#include "kernels/prim/raw.h"
#include "kernels/transfer/tile_io.h"

namespace okksim::kernels::conv {
namespace {

using prim::LocalTensor;
using tosa::DType;

/// Passes before the parts of a sum are brought back to their ranges (prim::ExactSum).
constexpr std::int64_t kPassesBetweenCarries = 200;

/// dst = a + b for int32 words if the lower half of b is zero and the sum fits. The upper halves
/// are added and the lower halves are unchanged.
void add_upper_halves(const LocalTensor& dst, const LocalTensor& a, const LocalTensor& b) {
    const dim4 shape = prim::raw::halves(dst);
    okk_bdc_fixed_point_packed_add(dst.address, a.address, b.address, &shape, dst.strides(),
                                   a.strides(), b.strides(), S16_OP_S16_TO_S16, 0);
}

/// dst = a - b for such words, saturated.
void subtract_upper_halves(const LocalTensor& dst, const LocalTensor& a, const LocalTensor& b) {
    prim::raw::halves_subtract(dst, a, b, S16_OP_S16_TO_S16);
}

}  // namespace

void Accumulator::begin(const Buffers& buffers, std::int32_t first_channel) {
    buffers_ = buffers;
    first_channel_ = first_channel;
    pass_terms_ = 0;
    passes_ = 0;
    open_ = false;
    started_ = false;
}

std::int32_t Accumulator::exact_channels(std::int64_t taps, std::int32_t all) const {
    if (!rule_.exact() || all * taps <= rule_.exact_terms) return all;
    return static_cast<std::int32_t>(rule_.exact_terms / taps / 2 * 2);
}

std::optional<local_addr_t> Accumulator::begin_products(std::int64_t terms) {
    charge(OwnWork::kProducts);
    if (rule_.exact() && pass_terms_ + terms > rule_.exact_terms) end_pass();
    const bool with_products = bias_.present() && !started_ && rule_.bias_with_products();
    if (!with_products) return std::nullopt;
    return bias_.part(0, first_channel_);
}

void Accumulator::end_pass() {
    if (!open_ || rule_.single_pass) return;
    if (passes_ == 0) {
        prim::start_sum(parts(), buffers_.sum, scratch_);
    } else {
        prim::add_to_sum(parts(), buffers_.sum, scratch_);
    }
    ++passes_;
    if (passes_ % kPassesBetweenCarries == 0) prim::settle_sum(parts(), scratch_);
    pass_terms_ = 0;
    open_ = false;
}

prim::ExactSum Accumulator::parts() const { return {*buffers_.high, *buffers_.low, buffers_.top}; }

void Accumulator::add_bias(const LocalTensor& to, int part) {
    okk_bdc_bias(to.address, to.address, bias_.part(part, first_channel_), &to.shape, to.strides(),
                 to.strides());
}

void Accumulator::finish() {
    if (!started_) {
        prim::raw::fill(buffers_.sum, 0.0f);
        if (bias_.present() && rule_.bias_with_products()) add_bias(buffers_.sum, 0);
        open_ = true;
    }
    if (rule_.scale) {
        finish_scaled();
    } else if (rule_.sum == DType::kI32) {
        finish_int32();
    } else if (rule_.sum == DType::kI48) {
        finish_int48();
        return;
    } else {
        epilogue_.run(buffers_.sum, {buffers_.operands.data(), buffers_.operands.size()}, scratch_);
    }
    if (stored_bytes(rule_.stored) == 4) return;
    narrow_tile(buffers_.result, buffers_.sum, rule_.stored, epilogue_.form(), scratch_);
}

/// Finishes sums that are scaled without becoming int32 words.
void Accumulator::finish_scaled() {
    if (rule_.single_pass) {
        if (bias_.present()) add_bias(buffers_.sum, 1);
        epilogue_.scale(buffers_.sum, first_channel_, scratch_);
        return;
    }
    end_pass();
    if (rule_.check == SumCheck::kBoth) prim::check_int32(*buffers_.violations, parts(), scratch_);
    add_parts_of_bias(2);
    if (rule_.check != SumCheck::kNone) prim::check_int32(*buffers_.violations, parts(), scratch_);
    epilogue_.scale(buffers_.sum, parts(), first_channel_, scratch_);
}

void Accumulator::finish_int32() {
    end_pass();
    const LocalTensor& result = buffers_.sum;
    if (rule_.bias_in_parts()) {
        if (rule_.check == SumCheck::kBoth) {
            prim::check_int32(*buffers_.violations, parts(), scratch_);
        }
        add_parts_of_bias(2);
        prim::sum_to_int32(result, parts(), scratch_, violations());
        return;
    }
    if (rule_.single_pass) {
        prim::raw::to_int32(result, result);
    } else {
        prim::raw::to_int32(*buffers_.high, *buffers_.high);
        prim::raw::to_int32(*buffers_.low, *buffers_.low);
        add_upper_halves(result, *buffers_.low, *buffers_.high);
    }
    add_upper_half_of_bias();
}

/// The lower half of the bias is already in the sum.
void Accumulator::add_upper_half_of_bias() {
    if (!bias_.present()) return;
    const LocalTensor& result = buffers_.sum;
    const LocalTensor upper = prim::channel_vector(bias_.part(1, first_channel_), result.shape);
    if (rule_.check == SumCheck::kNone) {
        add_upper_halves(result, result, upper);
        return;
    }
    // Subtracting the second term restores the first, unless the sum was saturated.
    prim::Scratch::Frame frame(scratch_);
    const LocalTensor sum = frame.plane(result.shape);
    const LocalTensor hit = frame.plane(result.shape);
    add_upper_halves(sum, result, upper);
    subtract_upper_halves(hit, sum, upper);
    prim::raw::select_equal(hit, hit, result, prim::kSignBit);
    prim::raw::bit_xor(hit, hit, prim::kSignBit);
    prim::raw::bit_or(*buffers_.violations, *buffers_.violations, hit);
    prim::raw::copy(result, sum);
}

/// Adds the bias to the parts of the sum, without the part that the products already include.
void Accumulator::add_parts_of_bias(int parts) {
    if (!bias_.present()) return;
    if (!rule_.bias_with_products()) add_bias(*buffers_.low, 0);
    add_bias(*buffers_.high, 1);
    if (parts > 2) add_bias(*buffers_.top, 2);
}

void Accumulator::finish_int48() {
    end_pass();
    if (rule_.check == SumCheck::kBoth) {
        prim::check_int48(*buffers_.violations, parts(), scratch_);
    }
    add_parts_of_bias(3);
    const prim::WideTensor words =
        prim::interleaved_words(buffers_.result, buffers_.sum.shape, scratch_.lanes());
    prim::sum_to_int48(words, parts(), scratch_, violations());
}

}  // namespace okksim::kernels::conv
