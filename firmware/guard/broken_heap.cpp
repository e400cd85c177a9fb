// SPDX-License-Identifier: Apache-2.0
#include "firmware/guard/broken_heap.h"

namespace okksim::firmware::broken_heap {
namespace {
bool nothing_is_freed = false;
}

void keep_all() { nothing_is_freed = true; }
bool keeps_all() { return nothing_is_freed; }

}  // namespace okksim::firmware::broken_heap
