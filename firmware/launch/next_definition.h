// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>

namespace okksim::firmware {

/// The function of a name that would be called if this library did not define one; nullptr: none.
template <typename Function>
Function* next_of(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace okksim::firmware
