// SPDX-License-Identifier: Apache-2.0
#include "isa/errors.h"

namespace okksim {

void internal_check_failed(const char* condition, const char* file, int line) {
    throw InternalError(std::string("internal check failed: ") + condition + " at " + file + ":" +
                        std::to_string(line) + "; this is a bug in okksim, please report it");
}

}  // namespace okksim
