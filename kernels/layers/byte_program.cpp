// SPDX-License-Identifier: Apache-2.0
#include "kernels/layers/byte_program.h"

namespace okksim::kernels::layers {

int ByteProgram::planes() const {
    switch (kind) {
        case ByteProgramKind::kScaled: return 0;
        case ByteProgramKind::kSettled: return 2;
        case ByteProgramKind::kFunction:
            return pieces.empty() ? static_cast<int>(factors.size()) - 1 : 2;
        case ByteProgramKind::kSettledPair: return 3;
    }
    __builtin_unreachable();
}

}  // namespace okksim::kernels::layers
