// SPDX-License-Identifier: Apache-2.0
#include "models/bdc/bdc_timing.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>

#include "isa/base/errors.h"
#include "isa/layout.h"
#include "isa/tensors.h"
#include "models/bdc/bdc_classes.h"
#include "models/bdc/bdc_params.h"
#include "models/memory/banks.h"

namespace okksim::models {
namespace {

/// True if elements repeat within a lane. Different channels are in different lanes or slots.
bool repeats(const isa::Dim4& stride, const isa::Dim4& shape) {
    return (stride.n == 0 && shape.n > 1) || (stride.h == 0 && shape.h > 1) ||
           (stride.w == 0 && shape.w > 1);
}

/// True if a source of an element-wise command repeats its elements.
template <typename Operands>
bool broadcasts(const Operands& op) {
    if constexpr (requires {
                      op.src0_stride;
                      op.src1_stride;
                  }) {
        return repeats(op.src0_stride, op.shape) || repeats(op.src1_stride, op.shape);
    } else if constexpr (requires { op.src_stride; }) {
        return repeats(op.src_stride, op.shape);
    } else {
        return false;
    }
}

/// Returns the share of the weights' banks that other operands of a convolution also use.
double weights_in_common_banks(const isa::Command& command, const isa::MachineShape& machine) {
    constexpr int kWeights = 2;
    const isa::TensorViews views = isa::tensor_views(command, machine);
    BankSet others = 0;
    for (int i = 0; i < kWeights; ++i) others |= touched_banks(views[i], machine);
    const BankSet weights = touched_banks(views[kWeights], machine);
    return static_cast<double>(std::popcount(weights & others)) /
           static_cast<double>(std::popcount(weights));
}

using Price = BdcCost (*)(const isa::Command& command, const isa::MachineShape& machine,
                          const BdcParams& params);

/// Returns the cost of a row of the instruction table by the formula of its timing class.
template <typename Form, isa::TimingClass timing>
BdcCost price(const isa::Command& command, const isa::MachineShape& machine,
              const BdcParams& params) {
    using Class = BdcClass<timing>;
    const Form op = command.as<Form>();
    const laws::Array array{machine, params};
    BdcCost cost;
    cost.startup = {params.startup_cycles};
    cost.execute = {Class::Law::cycles(op, array, Class::parameters(params))};
    if (broadcasts(op)) cost.startup += {params.broadcast_cycles};
    if constexpr (std::is_same_v<Form, isa::Convolution>) {
        if (params.convolution_bank_share > 0) {
            cost.bank_conflict = {static_cast<std::int64_t>(
                std::ceil(static_cast<double>(cost.execute.value) * params.convolution_bank_share *
                          weights_in_common_banks(command, machine)))};
        }
    }
    if (params.bank_conflict_cycles > 0) {
        cost.bank_conflict = {static_cast<std::int64_t>(std::ceil(
            conflicting_vectors(command, machine, params) * params.bank_conflict_cycles))};
    }
    return cost;
}

template <typename Form, isa::TimingClass timing, isa::InstructionKind kind>
constexpr Price price_of() {
    if constexpr (is_bdc_command(isa::engine_of(timing), kind)) {
        return price<Form, timing>;
    } else {
        return nullptr;
    }
}

constexpr std::array<Price, isa::kInstructionCount> kPrices{
#define OKKSIM_INSTRUCTION(code, name, form, data, timing, kind, ...) \
    price_of<isa::form, isa::TimingClass::timing, isa::InstructionKind::kind>(),
#include "isa/instructions.def"
#undef OKKSIM_INSTRUCTION
};

/// Returns the number of vectors of a tensor in one lane.
double vectors(const isa::TensorView& view, const isa::MachineShape& machine,
               const BdcParams& params) {
    const std::int64_t slots =
        isa::channels_per_lane(machine.lane_of(view.local_addr), view.shape.c, machine.lanes);
    return static_cast<double>(
        view.shape.n * slots *
        isa::div_up(std::int64_t{view.shape.h} * view.shape.w, params.execution_units));
}

/// Returns the common banks as a share of the larger operand's banks.
double common_share(BankSet a, BankSet b) {
    return static_cast<double>(std::popcount(a & b)) /
           static_cast<double>(std::max(std::popcount(a), std::popcount(b)));
}

}  // namespace

double conflicting_vectors(const isa::Command& command, const isa::MachineShape& machine,
                           const BdcParams& params) {
    const isa::TensorViews views = isa::tensor_views(command, machine);
    double sum = 0;
    for (int i = 0; i < views.size(); ++i) {
        for (int j = i + 1; j < views.size(); ++j) {
            const double share =
                common_share(touched_banks(views[i], machine), touched_banks(views[j], machine));
            if (share == 0) continue;
            sum += share *
                   std::min(vectors(views[i], machine, params), vectors(views[j], machine, params));
        }
    }
    return sum;
}

CommandCost bdc_time(const BdcCost& cost, const Clock& clock) {
    return {.work = clock.duration(cost.work()),
            .bank_conflict = clock.duration(cost.bank_conflict)};
}

BdcCost bdc_cost(const isa::Command& command, const isa::MachineShape& machine,
                 const BdcParams& params) {
    const Price price = kPrices[isa::row_index(command.info())];
    OKKSIM_CHECK(price != nullptr);
    return price(command, machine, params);
}

}  // namespace okksim::models
