// SPDX-License-Identifier: Apache-2.0
#include "tests/models/bdc/element_cases.h"

#include <cstring>
#include <string>

#include "isa/layout.h"
#include "isa/tensors.h"
#include "tests/support/random_values.h"

namespace okksim::tests {
namespace {

template <typename Value>
void put(isa::Command& command, const isa::OperandInfo& operand, const Value& value) {
    std::memcpy(command.words.data() + operand.first_word, &value, sizeof value);
}

const isa::TensorView* view_named(const isa::TensorViews& views, const char* operand) {
    for (const isa::TensorView& view : views) {
        if (std::strcmp(view.operand, operand) == 0) return &view;
    }
    return nullptr;
}

constexpr std::uint32_t kOpTypes[] = {0,  1,  8,  9,  16, 17, 18, 19, 20, 21,
                                      22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
constexpr std::uint32_t kMulTypes[] = {0, 6, 7};

/// Types that the function takes: products of 8-bit operands, mac into 16 bits, one type for
/// max/min.
bool takes(isa::TimingClass timing, isa::Form form, isa::FixedTypes types) {
    const bool narrow = types.source0.bits == 8;
    if (form == isa::Form::kFixedCompare || form == isa::Form::kFixedCompareConstant) {
        return types.source0 == types.source1 && types.source0 == types.result;
    }
    if (timing == isa::TimingClass::kFixedMac) return narrow && types.result.bits == 16;
    return timing != isa::TimingClass::kFixedMul || narrow;
}

/// A constant of the operand's type.
std::int32_t typed_constant(RandomSource& random, isa::FixedType type) {
    const std::int64_t span = std::int64_t{1} << type.bits;
    return static_cast<std::int32_t>(random.below(span) - (type.is_signed ? span / 2 : 0));
}

}  // namespace

isa::Dim4 ElementCases::shape() {
    const auto pick = [&](std::initializer_list<std::int64_t> values) {
        return static_cast<std::int32_t>(random_.pick(values));
    };
    const std::int32_t lanes = machine_.lanes;
    return {pick({1, 1, 2, 3, 4, 5, 7}), pick({1, 2, 3, lanes - 1, lanes, lanes + 1, 2 * lanes}),
            pick({1, 1, 2, 3, 7}), pick({1, 2, 3, 5, 7, 16, 17, 33, 40})};
}

isa::Dim4 ElementCases::stride(const isa::TensorView& view, std::int32_t lane) {
    const isa::Dim4& shape = view.shape;
    const bool gdma = view.element_bytes != 4 || !view.local;
    isa::Dim4 stride;
    switch (random_.below(view.local ? 4 : 2)) {
        case 0:
            stride = view.local ? isa::compact_stride(lane, shape, machine_.lanes)
                                : isa::continuous_stride(shape);
            break;
        case 1: {
            // Gaps everywhere; W as well where allowed.
            stride.w = gdma ? 1 : static_cast<std::int32_t>(random_.pick({1, 2, 3}));
            stride.h = stride.w * shape.w + static_cast<std::int32_t>(random_.below(3));
            stride.c = stride.h * shape.h + static_cast<std::int32_t>(random_.below(5));
            const std::int32_t slots =
                view.local ? isa::channels_per_lane(lane, shape.c, machine_.lanes) : shape.c;
            stride.n = stride.c * slots + static_cast<std::int32_t>(random_.below(5));
            break;
        }
        default:
            stride = isa::aligned_stride(lane, shape, 8 * view.element_bytes, machine_.lanes,
                                         machine_.line_bytes());
            break;
    }
    const bool read_only = view.access == isa::Access::kRead;
    if (random_.one_in(read_only ? 3 : 40)) {
        std::int32_t* members[] = {&stride.n, &stride.c, &stride.h, &stride.w};
        const auto zeroed = random_.below(gdma ? 3 : 4);
        *members[zeroed] = 0;
        if (random_.one_in(3)) *members[random_.below(3)] = 0;
    }
    return stride;
}

void ElementCases::set_scalar(isa::Command& command, const isa::OperandInfo& operand) {
    const isa::InstructionInfo& row = command.info();
    switch (operand.kind) {
        case isa::OperandKind::kOpTypes:
        case isa::OperandKind::kMulTypes:
        case isa::OperandKind::kElement:
        case isa::OperandKind::kShape: return;  // set before use
        case isa::OperandKind::kFloat:
        case isa::OperandKind::kBits: return put(command, operand, random_word(random_));
        case isa::OperandKind::kBool:
            return put(command, operand, static_cast<std::uint32_t>(random_.below(2)));
        case isa::OperandKind::kInt: break;
        default: return;
    }
    const std::string name = operand.name;
    std::int64_t value = operand.rules.ranged
                             ? random_.between(operand.rules.low, operand.rules.high)
                             : random_.between(-40, 40);
    if (name == "rows") value = random_.between(1, 9);
    if (name == "cols") value = random_.between(1, 200);
    if (name == "cols_per_channel") value = random_.pick({1, 2, 3, 7, 16, 40});
    if (name == "row_stride") value = random_.between(200, 260);
    if (name == "C" && (row.form == isa::Form::kVectorConstantShift ||
                        row.form == isa::Form::kVectorUnsignedShift)) {
        value = static_cast<std::int32_t>(random_word(random_));
    }
    if (name == "C" && !operand.rules.ranged && operand.constant_type) {
        value = typed_constant(random_, *operand.constant_type);
    }
    put(command, operand, static_cast<std::int32_t>(value));
}

const isa::OperandInfo* ElementCases::stride_of(const isa::InstructionInfo& row,
                                                const isa::OperandInfo& address) const {
    std::string name = address.name;
    name.replace(name.size() - 4, 4, "stride");
    for (const isa::OperandInfo& operand : row.operands()) {
        if (name == operand.name) return &operand;
    }
    return nullptr;
}

bool ElementCases::place(isa::Command& command, const isa::OperandInfo& operand,
                         std::int32_t lane) {
    const isa::InstructionInfo& row = command.info();
    const bool local = operand.kind == isa::OperandKind::kLocal;
    if (local) {
        put(command, operand,
            isa::LocalAddr{static_cast<std::uint32_t>(lane * machine_.local_bytes)});
    } else {
        put(command, operand, isa::SystemAddr::from(machine_.l2_start));
    }
    isa::TensorViews views = isa::tensor_views(command, machine_);
    const isa::TensorView* view = view_named(views, operand.name);
    if (const isa::OperandInfo* stride_operand = stride_of(row, operand)) {
        const bool aligned = row.kind == isa::InstructionKind::kAlignedLayout;
        put(command, *stride_operand,
            aligned
                ? isa::aligned_stride(lane, view->shape, 32, machine_.lanes, machine_.line_bytes())
                : stride(*view, lane));
        views = isa::tensor_views(command, machine_);
        view = view_named(views, operand.name);
    }
    const isa::ByteInterval touched = isa::touched_bytes(*view, machine_);
    const std::int64_t size = touched.high - touched.low;
    const std::int64_t room =
        local ? machine_.local_bytes : static_cast<std::int64_t>(machine_.l2_bytes);
    if (size > room) return false;
    const std::int64_t unit = view->element_bytes;
    const std::int64_t offset = random_.below((room - size) / unit + 1) * unit;
    if (local) {
        put(command, operand,
            isa::LocalAddr{static_cast<std::uint32_t>(lane * machine_.local_bytes + offset)});
    } else {
        put(command, operand,
            isa::SystemAddr::from(machine_.l2_start + static_cast<std::uint64_t>(offset)));
    }
    return true;
}

std::optional<isa::Command> ElementCases::make(const isa::InstructionInfo& row) {
    isa::Command command;
    command.opcode = row.opcode;
    isa::FixedTypes types;
    for (const isa::OperandInfo& operand : row.operands()) {
        if (operand.kind == isa::OperandKind::kShape) put(command, operand, shape());
        if (operand.kind == isa::OperandKind::kMulTypes) {
            put(command, operand, random_.element(kMulTypes));
        }
        if (operand.kind != isa::OperandKind::kOpTypes) continue;
        std::uint32_t code = 0;
        do {
            code = random_.element(kOpTypes);
            types = isa::fixed_types(static_cast<isa::OpType>(code));
        } while (!takes(row.timing, row.form, types));
        put(command, operand, code);
    }
    const std::int32_t lane = static_cast<std::int32_t>(random_.below(machine_.lanes));
    bool first_local = true;
    for (const isa::OperandInfo& operand : row.operands()) set_scalar(command, operand);
    for (const isa::OperandInfo& operand : row.operands()) {
        const std::string name = operand.name;
        if (name == "C" &&
            (row.form == isa::Form::kFixedConstant || row.form == isa::Form::kFixedConstantFirst ||
             row.form == isa::Form::kFixedCompareConstant ||
             row.form == isa::Form::kFixedMacConstant)) {
            const bool first = name == "C" && std::string(row.name).ends_with("C_sub");
            put(command, operand, typed_constant(random_, first ? types.source0 : types.source1));
        }
        if (operand.kind != isa::OperandKind::kLocal && operand.kind != isa::OperandKind::kSystem) {
            continue;
        }
        const bool any_lane = !operand.rules.same_lane && !first_local;
        const std::int32_t start =
            any_lane ? static_cast<std::int32_t>(random_.below(machine_.lanes)) : lane;
        if (!place(command, operand, start)) return std::nullopt;
        if (operand.kind == isa::OperandKind::kLocal) first_local = false;
    }
    return command;
}

}  // namespace okksim::tests
