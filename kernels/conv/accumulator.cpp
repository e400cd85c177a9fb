// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/accumulator.h"

#include <algorithm>

#include "isa/errors.h"
#include "kernels/conv/block_transfer.h"
#include "kernels/conv/element_types.h"
#include "kernels/conv/operand.h"
#include "kernels/conv/prepared_layout.h"
#include "kernels/prim/convert.h"
#include "kernels/prim/magic.h"
#include "kernels/prim/raw.h"
#include "kernels/tile_io.h"

namespace okksim::kernels::conv {
namespace {

using prim::LocalTensor;
using tosa::DType;

/// Largest value that the lower half of an int32 bias adds to an exact pass.
constexpr std::int64_t kLowerHalf = 65535;
constexpr std::int64_t kExactSum = std::int64_t{1} << 24;
/// Commands that a check adds to finishing a tile: of the result in words, in parts, of both sums.
constexpr int kWordCheckCommands = 6;
constexpr int kPartCheckCommands = 4;
constexpr int kBothChecksCommands = 20;
constexpr int kCheckPlanes = 2;
/// Passes after which the parts of a sum are brought back to their ranges (prim::ExactSum).
constexpr std::int64_t kPassesBetweenCarries = 200;

/// A part of the bias, seen over every position of a tile.
LocalTensor over_tile(local_addr_t part, const dim4& shape) {
    return {part, shape, dim4{0, 1, 0, 0}};
}

/// dst = a + b for int32 words where the lower half of b is zero and the sum fits: the upper halves
/// are added and the lower ones pass through.
void add_upper_halves(const LocalTensor& dst, const LocalTensor& a, const LocalTensor& b) {
    const dim4 shape = prim::raw::halves(dst);
    okk_bdc_fixed_point_packed_add(dst.address, a.address, b.address, &shape, dst.strides(),
                                   a.strides(), b.strides(), S16_OP_S16_TO_S16, 0);
}

/// dst = a - b for the same words, saturated.
void subtract_upper_halves(const LocalTensor& dst, const LocalTensor& a, const LocalTensor& b) {
    prim::raw::halves_subtract(dst, a, b, S16_OP_S16_TO_S16);
}

bool is_scaled(const Problem& problem) {
    return problem.epilogue != nullptr && problem.epilogue->scale.has_value();
}

DType sum_type(const Problem& problem) {
    return is_scaled(problem) ? DType::kI32 : problem.output.type;
}

/// Bounds count; double precision is exact as far as they matter.
SumCheck sum_check(const Problem& problem) {
    const bool is_int32 = sum_type(problem) == DType::kI32;
    const double limit = static_cast<double>((std::int64_t{1} << (is_int32 ? 31 : 47)) - 1);
    const std::int64_t product = largest_value(problem.input.type, problem.input_zero_point) *
                                 largest_value(problem.weights.type, problem.weight_zero_point);
    const double sum = static_cast<double>(problem.terms()) * static_cast<double>(product);
    if (sum > limit) return SumCheck::kBoth;
    const auto bias = static_cast<double>(problem.bias.largest);
    return sum + bias > limit ? SumCheck::kResult : SumCheck::kNone;
}

/// Makes the rule of int32 sums that of sums which are scaled: `product` bounds the products.
void add_scale(SumRule& rule, const Problem& problem, std::int64_t product) {
    const std::int64_t room = kExactSum - problem.bias.largest;
    rule.single_pass = rule.single_pass && problem.terms() <= room / product;
    const prim::Rescale plan = problem.epilogue->scale->plan(
        !rule.single_pass, problem.first_channel, problem.output_channels);
    rule.epilogue_planes = plan.planes();
    // Cutting the sum, estimate and tie, a product per digit and part, the decision.
    rule.epilogue_commands = rule.single_pass ? 20 : 24;
}

}  // namespace

SumRule sum_rule(const Problem& problem) {
    SumRule rule;
    rule.sum = sum_type(problem);
    rule.stored = problem.output.type;
    rule.scaled = is_scaled(problem);
    if (problem.epilogue != nullptr && !rule.scaled) {
        rule.epilogue_planes = problem.epilogue->program.planes();
        rule.epilogue_commands = problem.epilogue->program.commands();
    }
    const std::int64_t input = largest_limb(problem.input.type, problem.input_zero_point);
    const std::int64_t weight = largest_limb(problem.weights.type, problem.weight_zero_point);
    if (input == 0) return rule;
    const std::int64_t room = kExactSum - (rule.sum == DType::kI32 ? kLowerHalf : 0);
    rule.exact_terms = room / (input * weight);
    const bool one_limb =
        limbs_of(problem.input.type) * limbs_of(problem.weights.stored_type()) == 1;
    // Half of int32's range leaves room for rounding sums to multiples of 2^16.
    constexpr std::int64_t kShortSum = std::int64_t{1} << 30;
    rule.short_sums = problem.terms() <= kShortSum / (input * weight);
    rule.single_pass = one_limb && problem.terms() <= rule.exact_terms;
    rule.check = sum_check(problem);
    if (rule.scaled) add_scale(rule, problem, input * weight);
    return rule;
}

namespace {

/// Planes and commands of making words (fp32 for floating point) of sums, in place.
SumMemory memory_of_sums(const SumRule& rule) {
    switch (rule.sum) {
        case DType::kI32:
            if (rule.single_pass) return {.commands = 2};
            return {.work_planes = 2,
                    .scratch_planes = prim::kSumPlanes,
                    .commands = rule.short_sums ? 12 : 21};
        case DType::kI48:
            return {.work_planes = 3, .scratch_planes = prim::kSumToInt48Planes, .commands = 30};
        default: return {};
    }
}

/// With the ring of what is stored.
SumMemory memory_without_check(const SumRule& rule) {
    SumMemory memory = memory_of_sums(rule);
    memory.scratch_planes = std::max(memory.scratch_planes, rule.epilogue_planes);
    memory.commands += rule.epilogue_commands;
    if (stored_bytes(rule.stored) == 4) return memory;
    // Sums have a plane of their own and are packed, or written as two words, into the ring.
    memory.ring_planes = 0;
    memory.ring_bytes = stored_bytes(rule.stored);
    memory.work_planes += 1;
    if (rule.sum == DType::kI48) return memory;
    const WordForm form = rule.scaled ? WordForm::kFloat : WordForm::kValue;
    memory.scratch_planes = std::max(memory.scratch_planes, narrow_planes(rule.stored, form));
    memory.commands += rule.scaled ? 9 : 20;
    return memory;
}

int check_commands(const SumRule& rule) {
    if (rule.check == SumCheck::kNone) return 0;
    if (rule.check == SumCheck::kBoth) return kBothChecksCommands;
    return rule.sum == DType::kI48 || rule.bias_in_parts() ? kPartCheckCommands
                                                           : kWordCheckCommands;
}

}  // namespace

SumMemory sum_memory(const SumRule& rule) {
    SumMemory memory = memory_without_check(rule);
    if (rule.check == SumCheck::kNone) return memory;
    ++memory.work_planes;
    memory.scratch_planes = std::max(memory.scratch_planes, kCheckPlanes);
    memory.commands += check_commands(rule);
    return memory;
}

// ---- Bias -------------------------------------------------------------------------------------

std::uint32_t BiasParts::bytes(const Bias& bias, std::int32_t channels, int lanes) {
    if (!bias.present) return 0;
    const auto slots = static_cast<std::uint32_t>((channels + lanes - 1) / lanes);
    return static_cast<std::uint32_t>(bias_parts(bias.type)) * slots * 4;
}

BiasParts::BiasParts(const Bias& bias, std::int32_t channels, local_addr_t address,
                     prim::Scratch& scratch)
    : present_(bias.present), channels_(channels), address_(address), lanes_(scratch.lanes()) {
    if (!present_) return;
    part_bytes_ = bytes(bias, channels, lanes_) / static_cast<std::uint32_t>(bias_parts(bias.type));
    if (bias.prepared) {
        load_block(address, bias.address,
                   {4,
                    {bias_parts(bias.type), channels, 1, 1},
                    {bias.part_stride, bias.stride, 0, 0},
                    {part_bytes_ / 4, 1, 0, 0}});
        return;
    }
    // Packed values and the planes of widen() take a line of 128 bytes per channel slot each.
    constexpr std::uint32_t kLines = 5;
    constexpr std::uint32_t kLineBytes = 128;
    const std::uint32_t slots = scratch.bytes_left() / (kLines * kLineBytes);
    OKKSIM_CHECK(slots > 0);
    const std::int32_t round = static_cast<std::int32_t>(slots) * lanes_;
    for (std::int32_t first = 0; first < channels; first += round) {
        prepare(bias, first, std::min(round, channels - first), scratch);
    }
}

local_addr_t BiasParts::part(int index, std::int32_t first) const {
    OKKSIM_CHECK(first % lanes_ == 0);
    return address_ + static_cast<local_addr_t>(index) * part_bytes_ +
           static_cast<local_addr_t>(first / lanes_) * 4;
}

LocalTensor BiasParts::vector(int index, std::int32_t first, std::int32_t count) const {
    return {part(index, first), dim4{1, count, 1, 1}, dim4{1, 1, 1, 1}};
}

void BiasParts::upper_half_to_float() const {
    if (!present_) return;
    constexpr std::int32_t kMostSlots = 32;
    for (std::int32_t first = 0; first < channels_; first += kMostSlots * lanes_) {
        const LocalTensor upper =
            vector(1, first, std::min(kMostSlots * lanes_, channels_ - first));
        prim::signed_high_half_to_float(upper, upper, 16);
    }
}

void BiasParts::prepare(const Bias& bias, std::int32_t first, std::int32_t count,
                        prim::Scratch& scratch) {
    const int bytes = stored_bytes(bias.type);
    const std::uint64_t from =
        bias.address + static_cast<std::uint64_t>(first * bias.stride * bytes);
    const auto load_words = [&](int part, int word) {
        const std::int64_t step = bias.stride * bytes / 4;
        load_block(vector(part, first, count).address, from + static_cast<std::uint64_t>(4 * word),
                   {4, {1, count, 1, 1}, {0, step, 0, 0}, {0, 1, 0, 0}});
    };
    const auto part = [&](int index) { return vector(index, first, count); };
    switch (bias.type) {
        case DType::kFp32: load_words(0, 0); return;
        case DType::kI32:
            load_words(1, 0);
            prim::unsigned_half_to_float(part(0), part(1), prim::Half::kLow, 0);
            prim::raw::bit_and(part(1), part(1), 0xFFFF0000u);
            return;
        case DType::kI48:
            load_words(1, 0);
            load_words(2, 1);
            prim::unsigned_half_to_float(part(0), part(1), prim::Half::kLow, 0);
            prim::unsigned_half_to_float(part(1), part(1), prim::Half::kHigh, 16);
            prim::signed_low_half_to_float(part(2), part(2), 32);
            return;
        default: break;
    }
    prim::Scratch::Frame frame(scratch);
    const LocalTensor packed = frame.plane({1, count, 1, 1});
    load_block(packed.address, from,
               {bytes, {1, count, 1, 1}, {0, bias.stride, 0, 0}, {0, 128 / bytes, 0, 0}});
    const LocalTensor target = part(0);
    widen({&target, 1}, {packed.address, bias.type, false}, 0, scratch);
}

// ---- Sums -------------------------------------------------------------------------------------

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

void Accumulator::add(std::int64_t terms, const Issue& issue) {
    if (rule_.exact() && pass_terms_ + terms > rule_.exact_terms) end_pass();
    std::optional<local_addr_t> bias;
    const bool with_products = bias_.present() && !started_ && rule_.bias_with_products();
    if (with_products) bias = bias_.part(0, first_channel_);
    issue(open_, bias);
    pass_terms_ += terms;
    open_ = true;
    started_ = true;
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
    if (rule_.scaled) {
        finish_scaled();
    } else if (rule_.sum == DType::kI32) {
        finish_int32();
    } else if (rule_.sum == DType::kI48) {
        finish_int48();
        return;
    } else {
        epilogue_.run(buffers_.sum, scratch_);
    }
    if (stored_bytes(rule_.stored) == 4) return;
    narrow_tile(buffers_.result, buffers_.sum, rule_.stored, epilogue_.form(), scratch_);
}

/// Sums that never become int32 words on the way.
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

/// The lower half is in the sum.
void Accumulator::add_upper_half_of_bias() {
    if (!bias_.present()) return;
    const LocalTensor& result = buffers_.sum;
    const LocalTensor upper = over_tile(bias_.part(1, first_channel_), result.shape);
    if (rule_.check == SumCheck::kNone) {
        add_upper_halves(result, result, upper);
        return;
    }
    // A sum that was not saturated gives its first term back.
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

/// The bias to the parts of the sum, but what is in there already.
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
