// SPDX-License-Identifier: Apache-2.0
#include "isa/tensors.h"

#include <algorithm>
#include <limits>

#include "isa/layout.h"

namespace okksim::isa {
namespace {

template <typename Role>
concept TensorRole = Role::kIsTensor;

/// Collects the tensors of one command from the roles of its operands.
class ViewBuilder {
 public:
    ViewBuilder(const InstructionInfo& info, const MachineShape& machine, TensorViews& views)
        : info_(info), machine_(machine), views_(views) {}

    template <typename Role>
    void operator()(OperandKind, const char*, const OperandRules&, const auto&, const Role&) {
        static_assert(!Role::kIsTensor, "a tensor is an address whose role names its memory");
    }
    template <TensorRole Role>
    [[gnu::always_inline]] void operator()(OperandKind, const char* name, const OperandRules& rules,
                                           LocalAddr addr, const Role& role) {
        if (!begin(name, rules.access, role)) return;
        view_->local_addr = addr;
        place(role);
    }
    template <TensorRole Role>
    [[gnu::always_inline]] void operator()(OperandKind, const char* name, const OperandRules& rules,
                                           SystemAddr addr, const Role& role) {
        if (!begin(name, rules.access, role)) return;
        view_->local = false;
        view_->system_addr = addr;
        place(role);
    }

 private:
    template <typename Role>
    bool begin(const char* name, Access access, const Role&) {
        view_ = &views_.add();
        view_->operand = name;
        view_->access = access;
        return true;
    }
    template <typename Role>
    bool begin(const char* name, Access access, const roles::Optional<Role>& role) {
        return role.flag != 0 && begin(name, access, static_cast<const Role&>(role));
    }
    template <typename Role>
    bool begin(const char* name, Access access, const roles::Updated<Role>& role) {
        return begin(name, role.flag != 0 ? Access::kUpdate : access,
                     static_cast<const Role&>(role));
    }

    void set(const Dim4& shape, const Dim4& stride, std::int32_t bytes = kWordBytes) {
        view_->shape = shape;
        view_->stride = stride;
        view_->element_bytes = bytes;
    }
    void place(const roles::Words& role) { set(role.shape, role.stride); }
    void place(const roles::Elements& role) {
        set(role.shape, role.stride, element_bytes(info_.data));
    }
    void place(const roles::Packed& role) {
        set(packed_shape(role.shape, role.type.bits), role.stride);
        const std::int32_t in_word = packed_elements(role.type.bits);
        view_->last_n_bytes = ((role.shape.n - 1) % in_word + 1) * (kWordBytes / in_word);
    }
    void place(const roles::WeightPairs& role) { set(role.shape, role.stride, 2 * kWordBytes); }
    void place(const roles::Aligned& role) { place_aligned(role.shape); }
    void place(const roles::Compact& role) {
        set(role.shape, compact_stride(view_->local_addr, role.shape, machine_));
    }
    void place(const roles::ChosenWords& role) {
        if (role.is_aligned) return place_aligned(role.shape);
        set(role.shape, compact_stride(view_->local_addr, role.shape, machine_));
    }
    void place(const roles::ChosenBytes& role) {
        const Dim4& shape = role.shape;
        const std::int32_t line = role.is_aligned ? machine_.line_bytes() : kWordBytes;
        set(shape,
            aligned_stride(machine_.lane_of(view_->local_addr), shape, 8, machine_.lanes, line), 1);
    }
    void place(const roles::Typed& role) {
        set(role.shape, role.stride, element_bytes(role.element));
    }
    void place(const roles::RowIndices& role) { set(role.shape, role.stride); }
    void place(const roles::LaneTable& role) {
        const std::int32_t lanes = std::min(role.channels, machine_.lanes);
        // A stride of 0 between channel slots: those of a lane share its table.
        set({1, lanes, 1, role.entries}, {0, 0, role.entries, 1}, element_bytes(role.element));
    }
    void place(const roles::CompactTyped& role) {
        set(role.shape, compact_stride(view_->local_addr, role.shape, machine_),
            element_bytes(role.element));
    }
    void place(const roles::AlignedTyped& role) { place_typed(role.shape, role.element); }
    void place(const roles::TypedWindows& role) {
        place_typed(role.geometry().output, role.element);
    }
    void place(const roles::Windows& role) { place_aligned(role.geometry().output); }
    void place(const roles::Matrix& role) {
        place_aligned(matrix_shape(role.rows, role.cols, role.cols_per_channel));
        view_->last_channel_w = (role.cols - 1) % role.cols_per_channel + 1;
    }
    void place(const roles::ComputedMatrix& role) {
        place(static_cast<const roles::Matrix&>(role));
        view_->computes_last_channel = true;
    }
    void place(const roles::MovedMatrix& role) {
        place(static_cast<const roles::Matrix&>(role));
        // When the channels wrap around the last lane, that is one slot less than in the aligned
        // layout. A product beyond 32 bits belongs to a tensor that check() refuses.
        view_->element_bytes = element_bytes(info_.data);
        const std::int64_t slots = channels_per_lane(0, view_->shape.c, machine_.lanes);
        view_->stride.n = narrow(view_->stride.c * slots);
    }
    void place(const roles::MatrixRows& role) {
        set({role.rows, 1, 1, role.cols}, {role.row_stride, role.cols, role.cols, 1},
            element_bytes(info_.data));
    }
    void place_typed(const Dim4& shape, ElementType element) {
        const std::int32_t bytes = element_bytes(element);
        set(shape, aligned_stride(view_->local_addr, shape, 8 * bytes, machine_), bytes);
    }
    void place_aligned(const Dim4& shape) {
        set(shape, aligned_stride(view_->local_addr, shape, kWordBits, machine_));
    }

    const InstructionInfo& info_;
    const MachineShape& machine_;
    TensorViews& views_;
    TensorView* view_ = nullptr;
};

// No memory is this large, so reaches beyond it need no exact value; the sums below cannot
// overflow.
constexpr std::int64_t kFarAway = std::int64_t{1} << 56;

/// Widens [low, high) by the elements that `count` steps of `stride` reach.
void extend(ByteInterval& interval, std::int64_t count, std::int64_t stride) {
    if (count == 1) return;
    const std::int64_t reach = std::clamp((count - 1) * stride, -kFarAway, kFarAway);
    (reach < 0 ? interval.low : interval.high) += reach;
}

std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    if (!__builtin_add_overflow(a, b, &sum)) return sum;
    return b < 0 ? std::numeric_limits<std::int64_t>::min()
                 : std::numeric_limits<std::int64_t>::max();
}

}  // namespace

TensorViews tensor_views(const Command& command, const MachineShape& machine) {
    TensorViews views;
    ViewBuilder builder(command.info(), machine, views);
    visit_operands(command, [&](const auto& form) { form.visit(builder); });
    return views;
}

ByteInterval touched_bytes(const TensorView& view, const MachineShape& machine) {
    std::int64_t channel_steps = view.shape.c;
    ByteInterval interval{0, 1};
    if (view.local) {
        // Mostly one slot; divisions are on the path of every command.
        const std::int32_t lane = machine.lane_of(view.local_addr);
        const bool is_one = std::int64_t{lane} + view.shape.c <= machine.lanes;
        channel_steps =
            is_one ? 1 : channels_per_lane(lane % machine.lanes, view.shape.c, machine.lanes);
    }
    const bool partial =
        view.last_channel_w != 0 && !view.computes_last_channel && view.shape.c == 1;
    extend(interval, view.shape.n, view.stride.n);
    extend(interval, channel_steps, view.stride.c);
    extend(interval, view.shape.h, view.stride.h);
    extend(interval, partial ? view.last_channel_w : view.shape.w, view.stride.w);
    const auto base = view.local ? machine.offset_of(view.local_addr)
                                 : static_cast<std::int64_t>(view.system_addr.value());
    return {saturating_add(base, interval.low * view.element_bytes),
            saturating_add(base, interval.high * view.element_bytes)};
}

}  // namespace okksim::isa
