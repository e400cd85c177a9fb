// SPDX-License-Identifier: Apache-2.0
#include "kernels/prepared_constants.h"

#include "isa/base/errors.h"
#include "kernels/conv/epilogue.h"
#include "kernels/conv/prepared_layout.h"
#include "kernels/fourier/fourier_pass.h"
#include "kernels/fourier/fourier_roots.h"
#include "kernels/pool/pool_means.h"
#include "kernels/rescale/rescale_rows.h"
#include "kernels/rows/float_row_program.h"

namespace okksim::kernels {
namespace {

FourierRoots roots_of(const OperatorCall& call, const DecisionList& decisions) {
    const auto* plan = decisions.find<FourierPlan>();
    OKKSIM_CHECK(plan != nullptr);
    return FourierRoots::at(call.prepared, call, *plan);
}

}  // namespace

bool can_prepare(const OperatorCall& call) {
    if (rows::is_row_group(call) || rows::is_float_row_group(call)) return false;
    if (call.op == tosa::OpCode::kAvgPool2d) return pool_map_bytes(call) > 0;
    return is_fourier(call.op) || has_rows(call) || conv::most_prepared(call).bytes > 0 ||
           conv::is_scaled(call) || conv::may_fold(call);
}

std::uint64_t prepared_bytes(const OperatorCall& call, const DecisionList& decisions) {
    if (rows::is_row_group(call) || rows::is_float_row_group(call)) return 0;
    if (call.op == tosa::OpCode::kAvgPool2d) return pool_map_bytes(call);
    if (is_fourier(call.op)) return roots_of(call, decisions).bytes();
    if (has_rows(call)) return rows_bytes(decisions);
    return conv::prepared_layout(decisions).bytes;
}

std::vector<std::size_t> inputs_only_prepared(const OperatorCall& call,
                                              const DecisionList& decisions) {
    if (call.prepared == 0) return {};
    return conv::operands_only_prepared(decisions);
}

void prepare_constants(const OperatorCall& call, const DecisionList& decisions,
                       const ConstantMemory& memory) {
    if (call.op == tosa::OpCode::kAvgPool2d) return store_pool_maps(call, memory);
    if (is_fourier(call.op)) {
        return store_roots(roots_of(call, decisions), is_inverse(call), memory);
    }
    if (has_rows(call)) return prepare_rows(call, decisions, memory);
    conv::prepare_operands(call, decisions, memory);
}

}  // namespace okksim::kernels
