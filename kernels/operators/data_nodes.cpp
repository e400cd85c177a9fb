// SPDX-License-Identifier: Apache-2.0
// TOSA 1.0.1 section 2.14: data nodes.
#include "kernels/moves/move_plan.h"

namespace okksim::kernels {

/// IDENTITY: the output is the input. Also changes the storage order if the two differ.
void identity_kernel(const OperatorCall& call) {
    copy_tensor(call, call.inputs[0], call.outputs[0]);
}

}  // namespace okksim::kernels
