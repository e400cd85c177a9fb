// SPDX-License-Identifier: Apache-2.0
// Commands that row_program() uses for every operator.
#include <algorithm>

#include "kernels/rows/row_builder.h"

namespace okksim::kernels::rows {

using tosa::DType;
using tosa::OpCode;

bool RowBuilder::add(std::size_t m) {
    const Follower& member = members_[m];
    const std::optional<okk_element_t> type = lane_type(member.output.type);
    if (!type) return false;
    extent_ = space_.extent(member.output);
    if (own_columns_ > 0) {
        if (member.op != OpCode::kRescale) return false;
        extent_ = RowExtent::kFull;
    }
    type_ = *type;
    switch (member.op) {
        case OpCode::kAdd:
        case OpCode::kSub:
        case OpCode::kMul:
        case OpCode::kMaximum:
        case OpCode::kMinimum: return has(isa::Feature::kIntAlu) && arithmetic(m);
        case OpCode::kArithmeticRightShift:
        case OpCode::kLogicalLeftShift:
        case OpCode::kLogicalRightShift: return has(isa::Feature::kIntAlu) && shift(m);
        case OpCode::kEqual:
        case OpCode::kGreater:
        case OpCode::kGreaterEqual: return has(isa::Feature::kIntAlu) && comparison(m);
        case OpCode::kSelect: return has(isa::Feature::kIntAlu) && selection(m);
        case OpCode::kAbs:
        case OpCode::kClz: return has(isa::Feature::kIntAlu) && unary(m);
        case OpCode::kClamp: return has(isa::Feature::kIntAlu) && clamp(m);
        case OpCode::kReduceSum:
        case OpCode::kReduceMax:
        case OpCode::kReduceMin: return has(isa::Feature::kIntAlu) && reduction(m);
        case OpCode::kRescale: return has(isa::Feature::kRequantise) && rescale(m);
        case OpCode::kTable: return has(isa::Feature::kLookup) && look_up(m);
        case OpCode::kReshape: return view(m);
        case OpCode::kMatmul:
            return has(isa::Feature::kInt8Mac) && has(isa::Feature::kDmaLayout) &&
                   matrix_product(m);
        default: return false;
    }
}

bool RowBuilder::view(std::size_t m) {
    if (!is_same_rows(members_[m])) return false;
    results_.push_back(results_[static_cast<std::size_t>(members_[m].operands[0])]);
    return true;
}

bool RowBuilder::arithmetic(std::size_t m) {
    const Follower& member = members_[m];
    std::optional<KnownOperand> a = operand(m, 0);
    std::optional<KnownOperand> b = operand(m, 1);
    if (!a || !b || member.output.type != DType::kI32) return false;
    std::optional<RowWork> work = arithmetic_work(m, *a, *b);
    if (!work) return false;
    if (a->constant && b->constant) return false;
    if (with_constant(m, *work, *a, *b)) return finish(member, work->range);
    if (!have(m, 0, *a) || !have(m, 1, *b)) return false;
    issue(*work, {a->value, b->value, -1});
    const bool meets_zero = member.op == OpCode::kSub && is_extreme(b->value, a->value);
    finish(member, work->range);
    if (meets_zero && work->check == RowCheck::kNone) results_.back().attained = 0;
    return true;
}

void RowBuilder::issue(const RowWork& work, const std::array<int, 3>& operands) {
    RowCommand& made = command(work.function, type_, extent_, operands);
    made.check = work.check;
    made.amount = work.amount;
}

std::optional<RowWork> RowBuilder::arithmetic_work(std::size_t m, const KnownOperand& a,
                                                   const KnownOperand& b) const {
    switch (members_[m].op) {
        case OpCode::kAdd: return fitting(RowFunction::kAdd, sum(a.range, b.range));
        case OpCode::kSub: return fitting(RowFunction::kSubtract, difference(a.range, b.range));
        case OpCode::kMaximum: return RowWork{RowFunction::kMaximum, largest(a.range, b.range)};
        case OpCode::kMinimum: return RowWork{RowFunction::kMinimum, least(a.range, b.range)};
        case OpCode::kMul: return product_work(m, a, b);
        default: return std::nullopt;
    }
}

std::optional<RowWork> RowBuilder::product_work(std::size_t m, const KnownOperand& a,
                                                const KnownOperand& b) const {
    const auto shift = read_(m, 2);
    if (!shift || shift->front() < 0 || shift->front() > 63) return std::nullopt;
    const int amount = static_cast<int>(shift->front());
    if (amount != 0 && a.type != DType::kI32) return std::nullopt;
    const ValueRange product = shifted(kernels::rows::product(a.range, b.range), amount);
    // TOSA 1.0.1, 2.5.14: without a shift the result is the low half of the product.
    RowWork work = amount == 0 && !is_word(product) ? RowWork{RowFunction::kMultiply, kEveryWord}
                                                    : fitting(RowFunction::kMultiply, product);
    work.amount = amount;
    return work;
}

RowWork RowBuilder::fitting(RowFunction function, ValueRange range) {
    if (is_word(range)) return {function, range};
    return {function, cut_to_word(range), RowCheck::kFits};
}

bool RowBuilder::with_constant(std::size_t m, RowWork work, const KnownOperand& a,
                               const KnownOperand& b) {
    const KnownOperand& other = a.constant ? b : a;
    if (!a.constant && !b.constant) return false;
    const std::int64_t constant = a.constant ? *a.constant : *b.constant;
    if (members_[m].op == OpCode::kMul) return product_with_constant(work, other, constant);
    work.amount = static_cast<int>(constant);
    switch (members_[m].op) {
        case OpCode::kAdd: work.function = RowFunction::kAddConstant; break;
        case OpCode::kMaximum: work.function = RowFunction::kMaximumConstant; break;
        case OpCode::kMinimum: work.function = RowFunction::kMinimumConstant; break;
        case OpCode::kSub:
            work.function = a.constant ? RowFunction::kSubtractFrom : RowFunction::kAddConstant;
            if (!a.constant && constant == INT32_MIN) return false;
            if (!a.constant) work.amount = static_cast<int>(-constant);
            break;
        default: return false;
    }
    issue(work, {other.value, -1, -1});
    return true;
}

bool RowBuilder::product_with_constant(const RowWork& work, const KnownOperand& other,
                                       std::int64_t constant) {
    const bool wraps = work.check != RowCheck::kNone || !is_word(work.range) ||
                       (work.amount == 0 && work.range == kEveryWord);
    if (constant < 0 || wraps || !has(isa::Feature::kRequantise)) return false;
    RowScale scale;
    scale.multiplier = static_cast<int>(constant);
    scale.shift = work.amount;
    scale.low = INT32_MIN;
    scale.high = INT32_MAX;
    command(RowFunction::kRescale, type_, extent_, {other.value, -1, -1}).scale = scale;
    return true;
}

bool RowBuilder::shift(std::size_t m) {
    const Follower& member = members_[m];
    std::optional<KnownOperand> a = operand(m, 0);
    std::optional<KnownOperand> b = operand(m, 1);
    if (!a || !b || a->type != DType::kI32 || !have(m, 0, *a) || !have(m, 1, *b)) return false;
    RowWork work{RowFunction::kShiftLeft, kEveryWord};
    if (member.op == OpCode::kLogicalRightShift) work.function = RowFunction::kShiftRightLogical;
    if (member.op == OpCode::kArithmeticRightShift) {
        const bool rounds =
            std::get<tosa::ArithmeticRightShiftAttributes>(*member.attributes).round;
        work.function = rounds ? RowFunction::kShiftRightRound : RowFunction::kShiftRight;
        // Shifts move values towards 0 or -1.
        work.range = {std::min<std::int64_t>(a->range.low, 0),
                      std::max<std::int64_t>(a->range.high, 0)};
    }
    if (work.function == RowFunction::kShiftLeft && a->range.low > 0 &&
        normalises(b->value, a->value)) {
        work.range = {std::int64_t{1} << 30, INT32_MAX};
    }
    constexpr ValueRange kAmounts{0, 31};
    if (!kAmounts.contains(b->range)) work.check = RowCheck::kAmount;
    issue(work, {a->value, b->value, -1});
    return finish(member, work.range);
}

bool RowBuilder::comparison(std::size_t m) {
    const Follower& member = members_[m];
    std::optional<KnownOperand> a = operand(m, 0);
    std::optional<KnownOperand> b = operand(m, 1);
    if (!a || !b || !have(m, 0, *a) || !have(m, 1, *b)) return false;
    RowWork work{RowFunction::kEqual, {0, 1}};
    if (member.op == OpCode::kGreater) work.function = RowFunction::kGreater;
    if (member.op == OpCode::kGreaterEqual) work.function = RowFunction::kGreaterEqual;
    issue(work, {a->value, b->value, -1});
    return finish(member, work.range);
}

bool RowBuilder::selection(std::size_t m) {
    std::array<KnownOperand, 3> operands;
    for (std::size_t k = 0; k < operands.size(); ++k) {
        std::optional<KnownOperand> own = operand(m, k);
        if (!own || !have(m, k, *own)) return false;
        operands[k] = *own;
    }
    issue({RowFunction::kSelect, {}}, {operands[0].value, operands[1].value, operands[2].value});
    return finish(members_[m], {std::min(operands[1].range.low, operands[2].range.low),
                                std::max(operands[1].range.high, operands[2].range.high)});
}

bool RowBuilder::unary(std::size_t m) {
    std::optional<KnownOperand> a = operand(m, 0);
    if (!a || a->type != DType::kI32 || !have(m, 0, *a)) return false;
    if (members_[m].op == OpCode::kClz) {
        issue({RowFunction::kLeadingZeros, {}}, {a->value, -1, -1});
        return finish(members_[m], leading_zeros(a->range));
    }
    if (a->range.low == INT32_MIN) return false;  // has no absolute value
    issue({RowFunction::kAbsolute, {}}, {a->value, -1, -1});
    return finish(members_[m], magnitude(a->range));
}

bool RowBuilder::clamp(std::size_t m) {
    const Follower& member = members_[m];
    std::optional<KnownOperand> a = operand(m, 0);
    if (!a || !have(m, 0, *a)) return false;
    if (a->type != DType::kI8 && a->type != DType::kI16) return false;
    const auto& attributes = std::get<tosa::ClampAttributes>(*member.attributes);
    const int low = clamp_limit(attributes.min_val, a->type);
    const int high = clamp_limit(attributes.max_val, a->type);
    RowWork work{RowFunction::kMaximumConstant, {}};
    work.amount = low;
    issue(work, {a->value, -1, -1});
    work.function = RowFunction::kMinimumConstant;
    work.amount = high;
    issue(work, {program_.commands.back().result, -1, -1});
    return finish(member, least(largest(a->range, {low, low}), {high, high}));
}

bool RowBuilder::reduction(std::size_t m) {
    const Follower& member = members_[m];
    std::optional<KnownOperand> a = operand(m, 0);
    if (!a || !have(m, 0, *a)) return false;
    const RowExtent from = program_.values[static_cast<std::size_t>(a->value)].extent;
    if (!has_columns(from)) return false;
    RowWork work{RowFunction::kLargest, a->range};
    if (member.op == OpCode::kReduceMin) work.function = RowFunction::kLeast;
    if (member.op == OpCode::kReduceSum) {
        if (a->type != DType::kI32) return false;
        ValueRange all{a->range.low * space_.columns(), a->range.high * space_.columns()};
        if (a->attained) all.low += *a->attained - a->range.low;
        work = {RowFunction::kSum, cut_to_word(all)};
        if (!is_word(all)) {
            // Unsigned sums keep all bits of a word: the sign bit shows that they are too large.
            if (all.low < 0 || all.high > std::int64_t{UINT32_MAX}) return false;
            work.check = RowCheck::kSign;
        }
    }
    issue(work, {a->value, -1, -1});
    return finish(member, work.range);
}

bool RowBuilder::look_up(std::size_t m) {
    const Follower& member = members_[m];
    const auto entries = read_(m, 1);
    std::optional<KnownOperand> a = operand(m, 0);
    if (!a || !entries || !have(m, 0, *a)) return false;
    const auto [low, high] = std::minmax_element(entries->begin(), entries->end());
    if (a->type == DType::kI8) {
        issue({RowFunction::kLookUp8, {}}, {a->value, table(m, 1), -1});
        return finish(member, {*low, *high});
    }
    if (a->type != DType::kI16 || has_steep_slope(*entries)) return false;
    issue({RowFunction::kLookUp16, {}}, {a->value, table(m, 2), -1});
    constexpr std::int64_t kSteps = 128;
    finish(member, {*low * kSteps, *high * kSteps});
    if (a->attained) results_.back().attained = interpolated(*entries, *a->attained);
    return true;
}

/// TOSA 1.0.1, 2.8.1: 513 entries over int16, with 7 bits between two.
std::int64_t RowBuilder::interpolated(const std::vector<std::int64_t>& entries, std::int64_t at) {
    constexpr int kBits = 7;
    const auto index = static_cast<std::size_t>((at - INT16_MIN) >> kBits);
    const std::int64_t fraction = (at - INT16_MIN) & ((1 << kBits) - 1);
    return (entries[index] << kBits) + (entries[index + 1] - entries[index]) * fraction;
}

bool RowBuilder::has_steep_slope(const std::vector<std::int64_t>& entries) {
    for (std::size_t i = 0; i + 1 < entries.size(); ++i) {
        const std::int64_t slope = entries[i + 1] - entries[i];
        if (slope < INT16_MIN || slope > INT16_MAX) return true;
    }
    return false;
}

bool RowBuilder::rescale(std::size_t m) {
    const Follower& member = members_[m];
    std::optional<KnownOperand> a = operand(m, 0);
    if (!a || !have(m, 0, *a)) return false;
    const std::optional<KnownRescale> known =
        known_rescale(member, a->range, [&](std::size_t input) { return read_(m, input); });
    if (!known) return false;
    if (known->is_one) {
        command(RowFunction::kRescale, type_, extent_, {a->value, -1, -1}).scale = known->scale;
        finish(member, known->range);
        if (!a->attained) return true;
        const auto of_one = known_rescale(member, {*a->attained, *a->attained},
                                          [&](std::size_t input) { return read_(m, input); });
        if (of_one && of_one->range.low == of_one->range.high) {
            results_.back().attained = of_one->range.low;
        }
        return true;
    }
    int multipliers = -1, shifts = -1;
    if (own_columns_ > 0) return false;
    if (!has(isa::Feature::kConvert) ||
        !load(m, 1, per_channel(member, 1), OKK_INT32, multipliers) ||
        !load(m, 2, per_channel(member, 2), OKK_INT8, shifts)) {
        return false;
    }
    const RowExtent extent = program_.values[static_cast<std::size_t>(shifts)].extent;
    const int words = command(RowFunction::kCast, OKK_INT32, extent, {shifts, -1, -1}).result;
    command(RowFunction::kRescaleRows, type_, extent_, {a->value, multipliers, words}).scale =
        known->scale;
    return finish(member, known->range);
}

DeviceTensor RowBuilder::per_channel(const Follower& member, std::size_t input) {
    DeviceTensor tensor = member.inputs[input];
    const auto last = static_cast<std::size_t>(member.output.rank - 1);
    const std::int32_t count = tensor.dims[0];
    tensor.rank = member.output.rank;
    tensor.dims.fill(1);
    tensor.dims[last] = count;
    tensor.strides.fill(1);
    return tensor;
}

}  // namespace okksim::kernels::rows
