// SPDX-License-Identifier: Apache-2.0
#include "kernels/prepared_constants.h"

#include "kernels/conv/prepared_layout.h"
#include "kernels/fourier_roots.h"

namespace okksim::kernels {

bool can_prepare(const OperatorCall& call) {
    return is_fourier(call.op) || conv::most_prepared(call).bytes > 0;
}

std::uint64_t prepared_bytes(const OperatorCall& call, const DecisionList& decisions) {
    if (is_fourier(call.op)) return FourierRoots::at(0, call).bytes();
    return conv::prepared_layout(decisions).bytes;
}

void prepare_constants(const OperatorCall& call, const DecisionList& decisions) {
    if (is_fourier(call.op)) {
        store_roots(FourierRoots::at(call.prepared, call), is_inverse(call));
    } else {
        conv::prepare_operands(call, conv::prepared_layout(decisions));
    }
}

}  // namespace okksim::kernels
