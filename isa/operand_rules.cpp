// SPDX-License-Identifier: Apache-2.0
#include "isa/operand_rules.h"

#include "isa/type_names.h"

namespace okksim::isa {
namespace {

constexpr const char* kNoMember[] = {""};
constexpr const char* kDim4Members[] = {"->n", "->c", "->h", "->w"};
constexpr const char* kDim2Members[] = {"->h", "->w"};
constexpr const char* kPaddingMembers[] = {"->top", "->bottom", "->left", "->right"};

constexpr OpTypeSet all_op_types() {
    // Sources and destination may each have 8 or 16 bits. Unsigned sources allow signed and
    // unsigned results; a signed source requires a signed result (values 0, 1, 8, 9 and 16 to 31).
    return 0xFFFF0303u;
}

std::string range_text(std::int64_t low, std::int64_t high) {
    return "in [" + std::to_string(low) + ", " + std::to_string(high) + "]";
}

}  // namespace

OperandChecker::OperandChecker(const Command& command, const InstructionInfo& info,
                               const MachineShape& machine, bool as_function, SizeLimits& limits)
    : command_(command),
      info_(info),
      machine_(machine),
      as_function_(as_function),
      limits_(limits) {}

bool OperandChecker::run() {
    for (const OperandInfo& each : info_.operands()) {
        if (!operand(each)) return false;
    }
    return true;
}

bool OperandChecker::operand(const OperandInfo& each) {
    switch (each.kind) {
        case OperandKind::kLocal: return local_address(each);
        case OperandKind::kSystem: return system_address(each);
        case OperandKind::kShape: return shape(each);
        case OperandKind::kStride: return stride(each);
        case OperandKind::kInt: return ranges(each, kNoMember, 1);
        case OperandKind::kFloat: return true;
        case OperandKind::kBits: return bits(each);
        case OperandKind::kBool: return flag(each);
        case OperandKind::kPadding: return ranges(each, kPaddingMembers, 4);
        case OperandKind::kStep: return ranges(each, kDim2Members, 2);
        case OperandKind::kOpTypes: return op_type(each);
        case OperandKind::kMulTypes: return mul_type(each);
        case OperandKind::kElement: return element_type(each);
    }
    return true;
}

bool OperandChecker::local_address(const OperandInfo& each) {
    const bool is_absent = each.present_word != OperandInfo::kNoWord &&
                           command_.words[static_cast<std::size_t>(each.present_word)] == 0;
    if (is_absent) return true;
    const LocalAddr addr{static_cast<std::uint32_t>(word(each))};
    const std::int32_t lane = machine_.lane_of(addr);
    if (lane >= machine_.lanes) {
        return fail(each, std::to_string(addr.value),
                    "the start lane " + std::to_string(lane) + " is one of the " +
                        std::to_string(machine_.lanes) + " lanes",
                    true);
    }
    const std::uint32_t alignment = alignment_of(each);
    if (addr.value % alignment != 0) {
        return fail(each, std::to_string(addr.value), "divisible by " + std::to_string(alignment));
    }
    if (first_local_ == nullptr) {
        first_local_ = &each;
        first_lane_ = lane;
    } else if (each.rules.same_lane && lane != first_lane_) {
        return fail(each, std::to_string(addr.value) + " (lane " + std::to_string(lane) + ")",
                    "starts in the same lane as " + std::string(first_local_->name) + " (lane " +
                        std::to_string(first_lane_) + ")");
    }
    return true;
}

std::uint32_t OperandChecker::alignment_of(const OperandInfo& each) const {
    const bool whole_line = as_function_ && info_.kind == InstructionKind::kAlignedLayout;
    if (whole_line || each.rules.alignment == kLine) {
        return static_cast<std::uint32_t>(machine_.line_bytes());
    }
    if (each.rules.alignment != 0) return each.rules.alignment;
    if (each.element_word != OperandInfo::kNoWord) {
        const std::uint32_t type = command_.words[static_cast<std::size_t>(each.element_word)];
        return static_cast<std::uint32_t>(element_bytes(static_cast<ElementType>(type)));
    }
    return static_cast<std::uint32_t>(element_bytes(info_.data));
}

bool OperandChecker::system_address(const OperandInfo& each) {
    const auto low = static_cast<std::uint32_t>(word(each));
    const std::uint32_t alignment = alignment_of(each);
    if (low % alignment == 0) return true;
    const SystemAddr addr{low, static_cast<std::uint32_t>(word(each, 1))};
    return fail(each, std::to_string(addr.value()), "divisible by " + std::to_string(alignment));
}

bool OperandChecker::shape(const OperandInfo& each) {
    const OperandRules& rules = each.rules;
    const std::int32_t limits[] = {rules.n_max, rules.c_max, rules.hw_max, rules.hw_max};
    for (int i = 0; i < 4; ++i) {
        if (limits[i] == 0) {
            if (!in_range(each, kDim4Members[i], word(each, i), 1, INT32_MAX)) return false;
        } else if (!is_size(each, kDim4Members[i], word(each, i), 1, limits[i])) {
            return false;
        }
    }
    return true;
}

bool OperandChecker::stride(const OperandInfo& each) {
    return !each.rules.w_stride_is_one || in_range(each, "->w", word(each, 3), 1, 1);
}

bool OperandChecker::ranges(const OperandInfo& each, const char* const* members, int count) {
    if (!each.rules.ranged) return true;
    for (int i = 0; i < count; ++i) {
        const auto test = each.rules.is_size ? &OperandChecker::is_size : &OperandChecker::in_range;
        if (!(this->*test)(each, members[i], word(each, i), each.rules.low, each.rules.high)) {
            return false;
        }
    }
    return true;
}

bool OperandChecker::bits(const OperandInfo& each) {
    // Constants of 8 and 16 bits fill the low end of their word; the rest of the word is zero.
    const int width = 8 * element_bytes(info_.data);
    const auto value = static_cast<std::uint32_t>(word(each));
    if (width >= 32 || value >> width == 0) return true;
    return fail(each, std::to_string(value), "at most " + std::to_string(width) + " bits");
}

bool OperandChecker::flag(const OperandInfo& each) {
    return in_range(each, "", static_cast<std::uint32_t>(word(each)), 0, 1);
}

bool OperandChecker::op_type(const OperandInfo& each) {
    const auto value = static_cast<std::uint32_t>(word(each));
    if (value < 32 && (all_op_types() >> value & 1) != 0) return true;
    return fail(each, std::to_string(value), "an enumerator of op_type_t");
}

bool OperandChecker::mul_type(const OperandInfo& each) {
    const auto type = static_cast<MulType>(word(each));
    if (mul_type_name(type) == nullptr) {
        return fail(each, std::to_string(static_cast<std::uint32_t>(type)),
                    "an enumerator of mul_type_t");
    }
    // A function of the vendor's kit issues the command with the type that the API refuses.
    if (type != MulType::kS16U8ToS16 || !as_function_) return true;
    return fail(each, mul_type_name(type),
                "one of U16_MUL_U8_TO_U16, U16_MUL_S8_TO_S16, S16_MUL_S8_TO_S16 "
                "(S16_MUL_U8_TO_S16 is not supported)");
}

bool OperandChecker::element_type(const OperandInfo& each) {
    const auto value = static_cast<std::uint32_t>(word(each));
    if (value < kElementTypes && (each.rules.elements >> value & 1) != 0) return true;
    std::string allowed;
    for (const NamedElementType& row : element_types()) {
        if ((each.rules.elements >> static_cast<std::uint32_t>(row.type) & 1) == 0) continue;
        allowed += (allowed.empty() ? "" : ", ") + std::string(row.name);
    }
    const char* name = element_type_name(static_cast<ElementType>(value));
    return fail(each, name != nullptr ? name : std::to_string(value), "one of " + allowed);
}

bool OperandChecker::in_range(const OperandInfo& each, const char* member, std::int64_t value,
                              std::int64_t low, std::int64_t high) {
    if (value >= low && value <= high) return true;
    fail(each, std::to_string(value),
         low == high ? "equal to " + std::to_string(low) : range_text(low, high));
    violation_->argument += member;
    return false;
}

bool OperandChecker::is_size(const OperandInfo& each, const char* member, std::int64_t value,
                             std::int64_t low, std::int64_t high) {
    if (value >= low && value <= high) return true;
    const bool modelled = value >= low && value <= kMostModelled && !limits_.are_rules;
    if (!modelled) return in_range(each, member, value, low, high);
    if (!limits_.exceeded) {
        limits_.exceeded = Violation{each.name + std::string(member), std::to_string(value),
                                     range_text(low, high)};
    }
    return true;
}

[[gnu::cold, gnu::noinline]] bool OperandChecker::fail(const OperandInfo& each, std::string value,
                                                       std::string rule, bool is_address) {
    violation_ = Violation{each.name, std::move(value), std::move(rule), is_address};
    return false;
}

}  // namespace okksim::isa
