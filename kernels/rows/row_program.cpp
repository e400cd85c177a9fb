// SPDX-License-Identifier: Apache-2.0
#include "kernels/rows/row_program.h"

#include <algorithm>
#include <utility>

#include "isa/errors.h"
#include "isa/features.h"
#include "isa/limits.h"
#include "kernels/rescale/rescale_range.h"
#include "kernels/rows/row_ranges.h"
#include "kernels/tosa/operator_row.h"

namespace okksim::kernels::rows {
namespace {

using tosa::DType;
using tosa::OpCode;

std::optional<okk_element_t> element_of(DType type) {
    switch (type) {
        case DType::kBool:
        case DType::kI8: return OKK_INT8;
        case DType::kI16: return OKK_INT16;
        case DType::kI32: return OKK_INT32;
        default: return std::nullopt;
    }
}

/// The axis that a reduction reduces.
std::optional<int> reduced_axis(const Follower& member) {
    switch (member.op) {
        case OpCode::kReduceSum:
            return std::get<tosa::ReduceSumAttributes>(*member.attributes).axis;
        case OpCode::kReduceMax:
            return std::get<tosa::ReduceMaxAttributes>(*member.attributes).axis;
        case OpCode::kReduceMin:
            return std::get<tosa::ReduceMinAttributes>(*member.attributes).axis;
        default: return std::nullopt;
    }
}

/// What a command makes of its operands besides their number.
struct Work {
    RowFunction function = RowFunction::kAdd;
    ValueRange range;
    RowCheck check = RowCheck::kNone;
    int amount = 0;
};

/// A value while the program is made.
struct Operand {
    int value = -1;
    DType type = DType::kI32;
    ValueRange range;
    std::optional<std::int64_t> constant = std::nullopt;  ///< of one element, not loaded yet
};

class Builder {
 public:
    Builder(const Members& members, const ReadConstant& read, const isa::MachineShape& machine)
        : members_(members), read_(read), machine_(machine) {}

    /// With blocks of as many rows as possible.
    std::optional<RowProgram> run() {
        if (members_.empty() || !find_space(kMaxRank)) return std::nullopt;
        std::optional<RowProgram> made = in_space();
        while (!made && space_.block_dimensions() > 1) {
            if (!find_space(space_.block_dimensions() - 1)) return std::nullopt;
            made = in_space();
        }
        return made;
    }

 private:
    std::optional<RowProgram> in_space() {
        program_ = {};
        results_.clear();
        program_.rows = space_.rows();
        program_.block_rows = space_.block_rows();
        program_.columns = space_.columns();
        if (program_.columns > isa::kMostExtent) return std::nullopt;
        for (std::size_t m = 0; m < members_.size(); ++m) {
            if (!add(m)) return std::nullopt;
        }
        const std::optional<RowStrides> strides = space_.strides(members_.back().output);
        if (!strides || !can_move(*strides)) return std::nullopt;
        program_.result = *strides;
        return std::move(program_);
    }

    // ---- The space ----

    bool find_space(std::size_t block_dimensions) {
        std::vector<DeviceTensor> tensors;
        std::optional<int> axis;
        for (const Follower& member : members_) {
            const auto own = static_cast<std::size_t>(row_operands(member.op));
            if (own == 0 || member.inputs.size() < own) return false;
            tensors.push_back(member.output);
            for (std::size_t k = 0; k < own; ++k) tensors.push_back(member.inputs[k]);
            const std::optional<int> reduced = reduced_axis(member);
            if (reduced && axis && *axis != *reduced) return false;
            if (reduced) axis = reduced;
        }
        const DeviceTensor* whole = whole_tensor(tensors);
        if (whole == nullptr) return false;
        const std::optional<RowSpace> space =
            RowSpace::of(tensors, axis.value_or(innermost(*whole)), *whole, block_dimensions);
        if (space) space_ = *space;
        return space.has_value();
    }

    /// One that extends over all that any does: the result, or the first.
    const DeviceTensor* whole_tensor(const std::vector<DeviceTensor>& tensors) const {
        const auto is_whole = [&](const DeviceTensor& tensor) {
            return tensor.rank > 0 &&
                   std::all_of(tensors.begin(), tensors.end(), [&](const DeviceTensor& other) {
                       return other.count() <= tensor.count();
                   });
        };
        if (is_whole(members_.back().output)) return &members_.back().output;
        const auto at = std::find_if(tensors.begin(), tensors.end(), is_whole);
        return at == tensors.end() ? nullptr : &*at;
    }

    static int innermost(const DeviceTensor& tensor) {
        int axis = tensor.rank - 1;
        for (int i = tensor.rank; i-- > 0;) {
            const auto at = static_cast<std::size_t>(i);
            const auto best = static_cast<std::size_t>(axis);
            if (tensor.dims[at] == 1) continue;
            if (tensor.dims[best] == 1 || tensor.strides[at] < tensor.strides[best]) axis = i;
        }
        return axis;
    }

    bool has(isa::Feature feature) const { return isa::has_feature(machine_, feature); }

    /// Elements of a column apart in system memory take moves that transpose.
    bool can_move(const RowStrides& strides) const {
        return strides.column <= 1 || has(isa::Feature::kDmaLayout);
    }

    // ---- Values ----

    int add_value(okk_element_t type, RowExtent extent) {
        program_.values.push_back({type, extent});
        return static_cast<int>(program_.values.size()) - 1;
    }

    /// An operand that is not loaded where it is one known number.
    std::optional<Operand> operand(std::size_t m, std::size_t k) {
        const Follower& member = members_[m];
        if (member.operands[k] != Follower::kStored) {
            return results_[static_cast<std::size_t>(member.operands[k])];
        }
        const DeviceTensor& tensor = member.inputs[k];
        const std::optional<okk_element_t> type = element_of(tensor.type);
        if (!type) return std::nullopt;
        Operand operand{-1, tensor.type, type_range(tensor.type)};
        constexpr std::int64_t kMostLooked = 4096;
        const bool looks = is_list(tensor) && tensor.count() <= kMostLooked;
        if (const auto known = looks ? read_(m, k) : std::nullopt) {
            const auto [low, high] = std::minmax_element(known->begin(), known->end());
            operand.range = {*low, *high};
            if (known->size() == 1) {
                operand.constant = known->front();
                return operand;
            }
        }
        if (!load(m, k, tensor, *type, operand.value)) return std::nullopt;
        return operand;
    }

    bool load(std::size_t m, std::size_t k, const DeviceTensor& tensor, okk_element_t type,
              int& value) {
        const std::optional<RowExtent> extent = space_.extent(tensor);
        const std::optional<RowStrides> strides = space_.strides(tensor);
        if (!extent || !strides || !can_move(*strides)) return false;
        value = add_value(type, *extent);
        program_.values.back().stored = StoredValue{m, k, *strides};
        return true;
    }

    /// The operand as a value.
    bool have(std::size_t m, std::size_t k, Operand& operand) {
        if (operand.value >= 0) return true;
        return load(m, k, members_[m].inputs[k], *element_of(operand.type), operand.value);
    }

    int table(std::size_t m, int entry_bytes) {
        const std::int64_t bytes = members_[m].inputs[1].count() * entry_bytes;
        const int value = add_value(entry_bytes == 1 ? OKK_INT8 : OKK_INT16, RowExtent::kOne);
        program_.values.back().table_bytes = bytes;
        program_.values.back().stored = StoredValue{m, 1, {}};
        return value;
    }

    RowCommand& command(RowFunction function, okk_element_t type, RowExtent extent,
                        const std::array<int, 3>& operands) {
        RowCommand command;
        command.function = function;
        command.operands = operands;
        command.result = add_value(type, extent);
        program_.commands.push_back(command);
        return program_.commands.back();
    }

    /// The member's result is that of the last command.
    bool finish(const Follower& member, ValueRange range) {
        results_.push_back({program_.commands.back().result, member.output.type, range});
        return true;
    }

    // ---- Operators ----

    bool add(std::size_t m) {
        const Follower& member = members_[m];
        const std::optional<RowExtent> extent = space_.extent(member.output);
        const std::optional<okk_element_t> type = element_of(member.output.type);
        if (!extent || !type) return false;
        extent_ = *extent;
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
            default: return false;
        }
    }

    bool arithmetic(std::size_t m) {
        const Follower& member = members_[m];
        std::optional<Operand> a = operand(m, 0);
        std::optional<Operand> b = operand(m, 1);
        if (!a || !b || member.output.type != DType::kI32) return false;
        std::optional<Work> work = arithmetic_work(m, *a, *b);
        if (!work) return false;
        if (a->constant && b->constant) return false;
        if (with_constant(m, *work, *a, *b)) return finish(member, work->range);
        if (!have(m, 0, *a) || !have(m, 1, *b)) return false;
        issue(*work, {a->value, b->value, -1});
        return finish(member, work->range);
    }

    void issue(const Work& work, const std::array<int, 3>& operands) {
        RowCommand& made = command(work.function, type_, extent_, operands);
        made.check = work.check;
        made.amount = work.amount;
    }

    std::optional<Work> arithmetic_work(std::size_t m, const Operand& a, const Operand& b) const {
        switch (members_[m].op) {
            case OpCode::kAdd: return fitting(RowFunction::kAdd, sum(a.range, b.range));
            case OpCode::kSub: return fitting(RowFunction::kSubtract, difference(a.range, b.range));
            case OpCode::kMaximum: return Work{RowFunction::kMaximum, largest(a.range, b.range)};
            case OpCode::kMinimum: return Work{RowFunction::kMinimum, least(a.range, b.range)};
            case OpCode::kMul: return product_work(m, a, b);
            default: return std::nullopt;
        }
    }

    std::optional<Work> product_work(std::size_t m, const Operand& a, const Operand& b) const {
        const auto shift = read_(m, 2);
        if (!shift || shift->front() < 0 || shift->front() > 63) return std::nullopt;
        const int amount = static_cast<int>(shift->front());
        if (amount != 0 && a.type != DType::kI32) return std::nullopt;
        const ValueRange product = shifted(kernels::rows::product(a.range, b.range), amount);
        // TOSA 1.0.1, 2.5.14: without a shift the low half of the product.
        Work work = amount == 0 && !is_word(product) ? Work{RowFunction::kMultiply, kEveryWord}
                                                     : fitting(RowFunction::kMultiply, product);
        work.amount = amount;
        return work;
    }

    static Work fitting(RowFunction function, ValueRange range) {
        if (is_word(range)) return {function, range};
        return {function, cut_to_word(range), RowCheck::kFits};
    }

    /// A command with a constant in the place of an operand, where there is one.
    bool with_constant(std::size_t m, Work work, const Operand& a, const Operand& b) {
        const Operand& other = a.constant ? b : a;
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

    /// A rescale by the constant: a repeated operand would take longer.
    bool product_with_constant(const Work& work, const Operand& other, std::int64_t constant) {
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

    bool shift(std::size_t m) {
        const Follower& member = members_[m];
        std::optional<Operand> a = operand(m, 0);
        std::optional<Operand> b = operand(m, 1);
        if (!a || !b || a->type != DType::kI32 || !have(m, 0, *a) || !have(m, 1, *b)) return false;
        Work work{RowFunction::kShiftLeft, kEveryWord};
        if (member.op == OpCode::kLogicalRightShift)
            work.function = RowFunction::kShiftRightLogical;
        if (member.op == OpCode::kArithmeticRightShift) {
            const bool rounds =
                std::get<tosa::ArithmeticRightShiftAttributes>(*member.attributes).round;
            work.function = rounds ? RowFunction::kShiftRightRound : RowFunction::kShiftRight;
            // Towards zero, or -1.
            work.range = {std::min<std::int64_t>(a->range.low, 0),
                          std::max<std::int64_t>(a->range.high, 0)};
        }
        constexpr ValueRange kAmounts{0, 31};
        if (!kAmounts.contains(b->range)) work.check = RowCheck::kAmount;
        issue(work, {a->value, b->value, -1});
        return finish(member, work.range);
    }

    bool comparison(std::size_t m) {
        const Follower& member = members_[m];
        std::optional<Operand> a = operand(m, 0);
        std::optional<Operand> b = operand(m, 1);
        if (!a || !b || !have(m, 0, *a) || !have(m, 1, *b)) return false;
        Work work{RowFunction::kEqual, {0, 1}};
        if (member.op == OpCode::kGreater) work.function = RowFunction::kGreater;
        if (member.op == OpCode::kGreaterEqual) work.function = RowFunction::kGreaterEqual;
        issue(work, {a->value, b->value, -1});
        return finish(member, work.range);
    }

    bool selection(std::size_t m) {
        std::array<Operand, 3> operands;
        for (std::size_t k = 0; k < operands.size(); ++k) {
            std::optional<Operand> own = operand(m, k);
            if (!own || !have(m, k, *own)) return false;
            operands[k] = *own;
        }
        issue({RowFunction::kSelect, {}},
              {operands[0].value, operands[1].value, operands[2].value});
        return finish(members_[m], {std::min(operands[1].range.low, operands[2].range.low),
                                    std::max(operands[1].range.high, operands[2].range.high)});
    }

    bool unary(std::size_t m) {
        std::optional<Operand> a = operand(m, 0);
        if (!a || a->type != DType::kI32 || !have(m, 0, *a)) return false;
        if (members_[m].op == OpCode::kClz) {
            issue({RowFunction::kLeadingZeros, {}}, {a->value, -1, -1});
            return finish(members_[m], leading_zeros(a->range));
        }
        if (a->range.low == INT32_MIN) return false;  // has no absolute value
        issue({RowFunction::kAbsolute, {}}, {a->value, -1, -1});
        return finish(members_[m], magnitude(a->range));
    }

    bool clamp(std::size_t m) {
        const Follower& member = members_[m];
        std::optional<Operand> a = operand(m, 0);
        if (!a || !have(m, 0, *a)) return false;
        if (a->type != DType::kI8 && a->type != DType::kI16) return false;
        const auto& attributes = std::get<tosa::ClampAttributes>(*member.attributes);
        const int low = clamp_limit(attributes.min_val, a->type);
        const int high = clamp_limit(attributes.max_val, a->type);
        Work work{RowFunction::kMaximumConstant, {}};
        work.amount = low;
        issue(work, {a->value, -1, -1});
        work.function = RowFunction::kMinimumConstant;
        work.amount = high;
        issue(work, {program_.commands.back().result, -1, -1});
        return finish(member, least(largest(a->range, {low, low}), {high, high}));
    }

    bool reduction(std::size_t m) {
        const Follower& member = members_[m];
        std::optional<Operand> a = operand(m, 0);
        if (!a || !have(m, 0, *a)) return false;
        const RowExtent from = program_.values[static_cast<std::size_t>(a->value)].extent;
        if (!has_columns(from)) return false;
        Work work{RowFunction::kLargest, a->range};
        if (member.op == OpCode::kReduceMin) work.function = RowFunction::kLeast;
        if (member.op == OpCode::kReduceSum) {
            if (a->type != DType::kI32) return false;
            const ValueRange all{a->range.low * space_.columns(), a->range.high * space_.columns()};
            work = {RowFunction::kSum, cut_to_word(all)};
            if (!is_word(all)) {
                // Sums of unsigned words lose nothing: their sign bit says that they are too large.
                if (all.low < 0 || all.high > std::int64_t{UINT32_MAX}) return false;
                work.check = RowCheck::kSign;
            }
        }
        issue(work, {a->value, -1, -1});
        return finish(member, work.range);
    }

    bool look_up(std::size_t m) {
        const Follower& member = members_[m];
        const auto entries = read_(m, 1);
        std::optional<Operand> a = operand(m, 0);
        if (!a || !entries || !have(m, 0, *a)) return false;
        const auto [low, high] = std::minmax_element(entries->begin(), entries->end());
        if (a->type == DType::kI8) {
            issue({RowFunction::kLookUp8, {}}, {a->value, table(m, 1), -1});
            return finish(member, {*low, *high});
        }
        if (a->type != DType::kI16 || has_steep_slope(*entries)) return false;
        issue({RowFunction::kLookUp16, {}}, {a->value, table(m, 2), -1});
        constexpr std::int64_t kSteps = 128;
        return finish(member, {*low * kSteps, *high * kSteps});
    }

    /// Which the kernel of the operator reports.
    static bool has_steep_slope(const std::vector<std::int64_t>& entries) {
        for (std::size_t i = 0; i + 1 < entries.size(); ++i) {
            const std::int64_t slope = entries[i + 1] - entries[i];
            if (slope < INT16_MIN || slope > INT16_MAX) return true;
        }
        return false;
    }

    bool rescale(std::size_t m) {
        const Follower& member = members_[m];
        std::optional<Operand> a = operand(m, 0);
        if (!a || !have(m, 0, *a)) return false;
        const std::optional<KnownRescale> known =
            known_rescale(member, a->range, [&](std::size_t input) { return read_(m, input); });
        if (!known) return false;
        if (known->is_one) {
            command(RowFunction::kRescale, type_, extent_, {a->value, -1, -1}).scale = known->scale;
            return finish(member, known->range);
        }
        int multipliers = -1, shifts = -1;
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

    /// Factors as a tensor of the output's rank: they are those of its last dimension.
    static DeviceTensor per_channel(const Follower& member, std::size_t input) {
        DeviceTensor tensor = member.inputs[input];
        const auto last = static_cast<std::size_t>(member.output.rank - 1);
        const std::int32_t count = tensor.dims[0];
        tensor.rank = member.output.rank;
        tensor.dims.fill(1);
        tensor.dims[last] = count;
        tensor.strides.fill(1);
        return tensor;
    }

    const Members& members_;
    const ReadConstant& read_;
    const isa::MachineShape& machine_;
    RowSpace space_;
    RowProgram program_;
    std::vector<Operand> results_;
    RowExtent extent_ = RowExtent::kFull;  ///< of the member's result
    okk_element_t type_ = OKK_INT32;
};

}  // namespace

int row_operands(OpCode op) {
    switch (op) {
        case OpCode::kSelect: return 3;
        case OpCode::kAdd:
        case OpCode::kSub:
        case OpCode::kMul:
        case OpCode::kMaximum:
        case OpCode::kMinimum:
        case OpCode::kArithmeticRightShift:
        case OpCode::kLogicalLeftShift:
        case OpCode::kLogicalRightShift:
        case OpCode::kEqual:
        case OpCode::kGreater:
        case OpCode::kGreaterEqual: return 2;
        case OpCode::kAbs:
        case OpCode::kClz:
        case OpCode::kClamp:
        case OpCode::kReduceSum:
        case OpCode::kReduceMax:
        case OpCode::kReduceMin:
        case OpCode::kRescale:
        case OpCode::kTable: return 1;
        default: return 0;
    }
}

bool RowProgram::checks() const {
    return std::any_of(commands.begin(), commands.end(),
                       [](const RowCommand& command) { return command.check != RowCheck::kNone; });
}

std::optional<RowProgram> row_program(const Members& members, const ReadConstant& read,
                                      const isa::MachineShape& machine) {
    return Builder(members, read, machine).run();
}

Members members_of(const OperatorCall& call) {
    const auto own = static_cast<std::size_t>(row_operands(call.op));
    Follower first{call.op,
                   call.attributes,
                   std::vector<int>(own, Follower::kStored),
                   {call.inputs.begin(), call.inputs.end()},
                   {}};
    // What others read of it says what it is.
    for (const Follower& follower : call.followers) {
        for (std::size_t k = 0; k < follower.operands.size(); ++k) {
            if (follower.operands[k] == 0) first.output = follower.inputs[k];
        }
    }
    Members members{std::move(first)};
    members.insert(members.end(), call.followers.begin(), call.followers.end());
    return members;
}

bool is_row_group(const OperatorCall& call) {
    if (call.followers.empty() || tosa::operator_row(call.op).fusion == tosa::Fusion::kSums) {
        return false;
    }
    return !tosa::is_floating_point(call.followers.back().output.type);
}

}  // namespace okksim::kernels::rows
